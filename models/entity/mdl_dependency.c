/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency.c - the dependency entity: calls in, answers out, outages and collapse. */
#include "models/entity/mdl_dependency.h"

#include "models/policy/mdl_dist.h"
#include "sim/conf/sq_rows.h"

/* ---- configuration ---- */

static const char *const kind_words[] = { "server", "optimistic", NULL };
static const char *const abandoned_words[] = { "finish", "skip", "cancel", NULL };

struct raw_cfg { /* keys with one supported word, checked and forgotten */
    struct mdl_dependency_cfg cfg;
    int kind, abandoned;
};

static const struct sq_field outage_element = {
    .key = "outage", .type = SQ_BLOCK, .more = &mdl_outage_family, .doc = "One outage."
};

static const struct sq_field dependency_rows[] = {
    SQ_ROW_CHOICE(struct raw_cfg, kind, "kind", "server", kind_words, 0, "How calls are answered."),
    SQ_ROW_LATER("nodes", "Equal nodes."),
    SQ_ROW_LATER("balance", "How calls are dealt to nodes."),
    SQ_ROW_AMOUNT(struct raw_cfg, cfg.room.servers, "servers", "unlimited", 1,
                  SQ_F_UNLIMITED | SQ_F_LIVE, "Calls served at a time."),
    SQ_ROW_AMOUNT(struct raw_cfg, cfg.room.waiting_room, "waiting_room", "unlimited", 0,
                  SQ_F_UNLIMITED | SQ_F_LIVE, "Accepted calls beyond; more are refused."),
    SQ_ROW_BLOCK(struct raw_cfg, cfg.room.discipline, "discipline", "fifo", &mdl_discipline_family,
                 0, "Order of the waiting room."),
    SQ_ROW_BLOCK(struct raw_cfg, cfg.room.service, "service", NULL, &mdl_dist_family, SQ_F_LIVE,
                 "Time in a server."),
    SQ_ROW_LATER("network", "Time of one way."),
    SQ_ROW_LATER("contention", "Factor on service times under load."),
    SQ_ROW_LATER("cache", "Calls answered without a server."),
    SQ_ROW_LATER("rate_limit", "Limit at the server."),
    SQ_ROW_LATER("hint", "Retry-After it sends."),
    SQ_ROW_LATER("errors", "Shares of served calls that fail."),
    SQ_ROW_CHOICE(struct raw_cfg, abandoned, "abandoned", "finish", abandoned_words, 0,
                  "What happens to calls nobody waits for."),
    SQ_ROW_TIME(struct raw_cfg, cfg.answer_in, "answer_in", "1ms", SQ_F_LIVE,
                "Until a caller learns that it is refused."),
    SQ_ROW_LATER("refusal_cost", "Server time that a refusal uses up."),
    SQ_ROW_LIST(struct raw_cfg, cfg.outages, "outages", "[]", &outage_element, 0,
                "When it is down."),
    SQ_ROW_GROUP(struct raw_cfg, cfg.overload, "overload", NULL, &mdl_overload_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "When it collapses under its load."),
    SQ_ROW_GROUP(struct raw_cfg, cfg.room.warm_up, "warm_up", NULL, &mdl_warm_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "Share of it in force after a return."),
    SQ_ROW_LATER("probe", "Health checks of nodes."),
    SQ_ROW_LATER("autoscaler", "Scales the nodes."),
    SQ_ROW_LATER("start_up", "Time until a new node serves."),
    SQ_ROW_LATER("calls", "Calls made while serving."),
};

static void check_dependency(const void *cfg, const struct sq_node *node, const char *path,
                             struct sq_diag *diag)
{
    const struct raw_cfg *raw = cfg;
    if (raw->kind != 0) {
        sq_diag_error(diag, sq_node_get(node, "kind")->where, path, "use kind: server",
                      "kind: %s is not supported yet", kind_words[raw->kind]);
    }
    if (raw->abandoned != 0) {
        sq_diag_error(diag, sq_node_get(node, "abandoned")->where, path, "use abandoned: finish",
                      "abandoned: %s is not supported yet", abandoned_words[raw->abandoned]);
    }
    mdl_outages_check(&raw->cfg.outages, sq_node_get(node, "outages"), path, diag);
}

const struct sq_table mdl_dependency_table = { .type = "dependency",
                                               .rows = SQ_ROWS(dependency_rows),
                                               .size = sizeof(struct raw_cfg),
                                               .check = check_dependency };

/* ---- going down and coming back ---- */

static const struct mdl_outage_cfg *outage_at(const struct mdl_dependency *d, uint32_t i)
{
    return ((const struct sq_block *)sq_list_at(&d->cfg->outages, i))->cfg;
}

/* A call that was inside fails with `reset`, at once. */
static void throw_out(void *self, uint32_t slot)
{
    struct mdl_dependency *d = self;
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    if ((call->flags & MDL_CALL_CALLER) == 0) {
        mdl_call_release(d->ctx, slot, MDL_CALL_INSIDE);
        return;
    }
    call->outcome = MDL_ERR_RESET;
    (void)mdl_post(d->ctx, mdl_now(d->ctx), call->caller, MDL_EV_ANSWER, slot);
}

static void go_down(struct mdl_dependency *d, sq_time_t answer_in)
{
    d->refusal_delay = answer_in;
    d->trip_seq = 0;
    if (d->room.open) {
        mdl_room_close(&d->room, throw_out, d);
    }
}

static void come_back(struct mdl_dependency *d)
{
    if (mdl_dependency_is_up(d)) {
        mdl_room_open(&d->room);
    }
}

static sq_time_t or_own(const struct mdl_dependency *d, sq_time_t answer_in)
{
    return answer_in != SQ_NEVER ? answer_in : d->cfg->answer_in;
}

static void on_outage(struct mdl_dependency *d, uint32_t i)
{
    const struct mdl_outage_cfg *o = outage_at(d, i);
    d->planned++;
    d->ctx->planned_outages++;
    mdl_emit_entity(d->ctx, MDL_REC_OUTAGE, d->id, 0, i);
    go_down(d, or_own(d, o->answer_in));
    sq_time_t over = sq_time_add(o->at, mdl_outage_length(o));
    (void)mdl_post(d->ctx, over, d->id, MDL_EV_OUTAGE_OVER, i);
}

static void on_outage_over(struct mdl_dependency *d, uint32_t i)
{
    d->planned--;
    d->ctx->planned_outages--;
    mdl_emit_entity(d->ctx, MDL_REC_OUTAGE_OVER, d->id, 0, i);
    come_back(d);
}

/* ---- collapse ---- */

static bool is_overloaded(const struct mdl_dependency *d)
{
    const struct mdl_overload_cfg *o = d->cfg->overload;
    return o->in_flight >= 0 ? d->room.in_flight.now > o->in_flight
                             : d->room.waiting.now > o->waiting;
}

/* Starts or clears the overload clock after a change of the load. */
static void watch_load(struct mdl_dependency *d)
{
    const struct mdl_overload_cfg *o = d->cfg->overload;
    if (o == NULL || !d->room.open || (!o->repeat && d->collapses > 0)) {
        return;
    }
    bool over = is_overloaded(d);
    if (over && d->trip_seq == 0) {
        sq_time_t at = sq_time_add(mdl_now(d->ctx), o->hold);
        d->trip_seq = mdl_post(d->ctx, at, d->id, MDL_EV_TRIP, 0);
    } else if (!over && d->trip_seq != 0) {
        d->trip_seq = 0;
    }
}

static void on_trip(struct mdl_dependency *d, uint64_t seq)
{
    if (d->trip_seq != seq) {
        return;
    }
    const struct mdl_overload_cfg *o = d->cfg->overload;
    d->trip_seq = 0;
    d->collapsed = true;
    struct sq_dist length = mdl_dist_make(&o->down_for);
    sq_time_t down = mdl_draw(d->ctx, &length, d->down_stream, d->collapses, 0, 0);
    d->collapses++;
    mdl_emit_entity(d->ctx, MDL_REC_COLLAPSE, d->id, 0, d->collapses);
    go_down(d, or_own(d, o->answer_in));
    (void)mdl_post(d->ctx, sq_time_add(mdl_now(d->ctx), down), d->id, MDL_EV_COLLAPSE_OVER, 0);
}

static void on_collapse_over(struct mdl_dependency *d)
{
    d->collapsed = false;
    mdl_emit_entity(d->ctx, MDL_REC_COLLAPSE_OVER, d->id, 0, d->collapses);
    come_back(d);
}

/* ---- calls ---- */

static void refuse(struct mdl_dependency *d, uint32_t slot, enum mdl_error error, sq_time_t delay)
{
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    call->outcome = (uint8_t)error;
    if (d->lane_delay != delay) {
        d->lane_delay = delay;
        d->refusal_lane = sq_evq_lane(d->ctx->sim.evq, delay, MDL_RANK_ANSWER);
    }
    uint64_t load = sq_msg_pack((struct sq_msg){ call->caller, MDL_EV_ANSWER, 0, slot });
    if (d->refusal_lane >= 0) {
        (void)sq_evq_push_lane(d->ctx->sim.evq, d->refusal_lane, load);
    } else {
        (void)sq_evq_push(d->ctx->sim.evq, sq_time_add(mdl_now(d->ctx), delay), MDL_RANK_ANSWER,
                          load);
    }
}

/* The discipline of the waiting room lets go of a call. */
static void shed(void *self, uint32_t slot)
{
    struct mdl_dependency *d = self;
    if ((mdl_call_at(d->ctx, slot)->flags & MDL_CALL_CALLER) == 0) {
        mdl_call_release(d->ctx, slot, MDL_CALL_INSIDE);
        return;
    }
    refuse(d, slot, MDL_ERR_REFUSED, d->cfg->answer_in);
}

/* A call has left its caller and arrives. */
static void admit(struct mdl_dependency *d, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    call->flags |= MDL_CALL_INSIDE;
    call->up = mdl_dependency_is_up(d);
    mdl_call_leave(d->ctx, slot);
    if (!call->up) {
        refuse(d, slot, MDL_ERR_UNAVAILABLE, d->refusal_delay);
    } else if (!mdl_room_enter(&d->room, slot)) {
        refuse(d, slot, MDL_ERR_REFUSED, d->cfg->answer_in);
    } else {
        watch_load(d);
    }
}

static void admit_waiting(struct mdl_dependency *d)
{
    uint32_t slot;
    while ((slot = mdl_gate_next(&d->gate)) != 0) {
        admit(d, slot);
    }
}

static void on_call(struct mdl_dependency *d, uint32_t slot)
{
    if ((mdl_call_at(d->ctx, slot)->flags & MDL_CALL_CALLER) == 0) {
        return; /* its caller died at this instant; a WITHDRAW follows */
    }
    if (mdl_gate_ask(&d->gate, slot)) {
        admit(d, slot);
    }
}

static void on_served(struct mdl_dependency *d, uint32_t slot, uint64_t seq)
{
    if (!mdl_room_served(&d->room, slot, seq)) {
        return;
    }
    watch_load(d);
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    if ((call->flags & MDL_CALL_CALLER) == 0) {
        mdl_emit_call(d->ctx, MDL_REC_CALL_WASTED, call, 0, 0);
        mdl_call_release(d->ctx, slot, MDL_CALL_INSIDE);
        return;
    }
    call->outcome = MDL_ERR_OK;
    (void)mdl_post(d->ctx, mdl_now(d->ctx), call->caller, MDL_EV_ANSWER, slot);
}

static void on_changed(struct mdl_dependency *d)
{
    mdl_room_changed(&d->room);
    mdl_gate_changed(&d->gate);
    if (mdl_dependency_is_up(d)) {
        watch_load(d);
    }
    if (d->gate.active) {
        admit_waiting(d);
    }
}

static void on_event(void *self, struct sq_msg m, uint64_t seq)
{
    struct mdl_dependency *d = self;
    switch (m.kind) {
    case MDL_EV_CALL:
        on_call(d, m.slot);
        break;
    case MDL_EV_SERVED:
        on_served(d, m.slot, seq);
        break;
    case MDL_EV_OUTCOME:
        mdl_gate_outcome(&d->gate, m.slot, (enum mdl_error)m.extra);
        admit_waiting(d);
        break;
    case MDL_EV_WITHDRAW:
        mdl_gate_withdraw(&d->gate, m.slot);
        break;
    case MDL_EV_WAITED:
        mdl_gate_waited(&d->gate, m.slot, seq);
        break;
    case MDL_EV_RAMP:
        mdl_gate_ramp(&d->gate, seq);
        admit_waiting(d);
        break;
    case MDL_EV_OUTAGE:
        on_outage(d, m.slot);
        break;
    case MDL_EV_OUTAGE_OVER:
        on_outage_over(d, m.slot);
        break;
    case MDL_EV_TRIP:
        on_trip(d, seq);
        break;
    case MDL_EV_COLLAPSE_OVER:
        on_collapse_over(d);
        break;
    case MDL_EV_WARM:
        mdl_room_warm(&d->room, seq);
        break;
    case MDL_EV_CHANGED:
        on_changed(d);
        break;
    default:
        SQ_UNREACHABLE("a dependency gets no such event");
    }
}

enum sq_status mdl_dependency_init(struct mdl_dependency *d, struct mdl_ctx *ctx, const char *name,
                                   const struct mdl_dependency_cfg *cfg,
                                   const struct mdl_control_cfg *control)
{
    *d = (struct mdl_dependency){ .ctx = ctx, .name = name, .cfg = cfg, .lane_delay = -1 };
    enum sq_status status = sq_sim_add(&ctx->sim, on_event, d, &d->id);
    mdl_gate_init(&d->gate, ctx, d->id, control, NULL);
    return status;
}

void mdl_dependency_start(struct mdl_dependency *d, struct mdl_dependency_luck luck)
{
    d->gate.defer_streams = luck.defer;
    d->down_stream = luck.down;
    mdl_room_init(&d->room, d->ctx, d->id, &d->cfg->room);
    d->room.service_streams = luck.service;
    d->room.shed = shed;
    d->room.owner = d;
    for (uint32_t i = 0; i < d->cfg->outages.count; i++) {
        (void)mdl_post(d->ctx, outage_at(d, i)->at, d->id, MDL_EV_OUTAGE, i);
    }
}

void mdl_dependency_fini(struct mdl_dependency *d)
{
    mdl_gate_fini(&d->gate);
}

bool mdl_dependency_check(const struct mdl_dependency *d)
{
    const struct mdl_room *r = &d->room;
    return r->in_flight.now == r->shelf.count + r->serving.count &&
           r->busy.now == r->serving.count && r->waiting.now == r->shelf.count &&
           d->gate.waiting.now == d->gate.line.count && (r->open || r->in_flight.now == 0);
}
