/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency.c - the dependency entity: calls in, answers out. */
#include "models/entity/mdl_dependency.h"

#include "models/entity/mdl_dependency_in.h"
#include "models/part/mdl_copy.h"
#include "models/policy/mdl_dist.h"

#include <math.h>

/* ---- answers ---- */

static bool is_optimistic(const struct mdl_dependency *d)
{
    return d->cfg->kind == MDL_DEPENDENCY_OPTIMISTIC;
}

sq_time_t mdl_dependency_trip(const struct mdl_dependency *d, const struct mdl_call *call,
                              uint32_t way)
{
    uint32_t ways = is_optimistic(d) ? 4 : 2;
    return d->near ? 0
                   : mdl_draw(d->ctx, &d->network, d->luck.network[call->producer], call->ordinal,
                              call->attempt, ways * call->draw + way);
}

void mdl_dependency_answer(struct mdl_dependency *d, uint32_t slot, enum mdl_error outcome)
{
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    call->outcome = (uint8_t)outcome;
    sq_time_t at =
        sq_time_add(mdl_now(d->ctx), mdl_dependency_trip(d, call, call->writes != 0 ? 3 : 1));
    (void)mdl_post(d->ctx, at, call->caller, MDL_EV_ANSWER, slot);
}

void mdl_dependency_forget(void *self, uint32_t slot)
{
    struct mdl_dependency *d = self;
    mdl_call_release(d->ctx, slot, MDL_CALL_INSIDE);
}

/* A call whose caller is gone is not served. */
static void drop(void *self, uint32_t slot)
{
    struct mdl_dependency *d = self;
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    if (call->cancels) {
        call->place = MDL_PLACE_DROPPED; /* its ABANDON message lets go of it */
    } else {
        mdl_dependency_forget(d, slot);
    }
}

struct mdl_room_owner mdl_dependency_owner(struct mdl_dependency *d)
{
    return (struct mdl_room_owner){ .shed = mdl_refuse_shed, .drop = drop, .self = d };
}

/* ---- calls in ---- */

/* What the limit at the server says; a call in a leaky bucket comes again at its instant. While it
 * hangs nobody counts. */
enum limit_says { LIMIT_PASS, LIMIT_REFUSE, LIMIT_LATER };
static enum limit_says ask_limit(struct mdl_dependency *d, const struct mdl_node *n, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    sq_time_t at;
    if (d->cfg->rate_limit.kind == NULL || n->hangs > 0 || call->leaks) {
        return LIMIT_PASS;
    }
    if (!mdl_limiter_enter(&d->cfg->rate_limit, &d->limiter, mdl_now(d->ctx), &at)) {
        d->ctx->failed = d->ctx->failed || d->limiter.failed;
        return LIMIT_REFUSE;
    }
    if (at == mdl_now(d->ctx)) {
        return LIMIT_PASS;
    }
    call->leaks = true;
    (void)mdl_post(d->ctx, at, d->id, MDL_EV_REACH, slot);
    return LIMIT_LATER;
}

/* A call reaches the dependency. */
static void receive(struct mdl_dependency *d, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    if (call->told && d->cfg->room.abandoned != MDL_ABANDONED_FINISH) {
        mdl_dependency_forget(d, slot);
        return;
    }
    d->offered += call->leaks ? 0 : 1;
    struct mdl_node *n = mdl_nodes_pick(d, call);
    if (n == NULL) {
        mdl_refuse(d, slot, MDL_ERR_UNAVAILABLE, d->cfg->answer_in);
        return;
    }
    call->node = n->index;
    if (d->cfg->overload != NULL && !isnan(d->cfg->overload->offered) && !call->leaks) {
        mdl_down_offered(d, n);
    }
    sq_time_t delay = n->refusal_delay;
    enum mdl_error error = MDL_ERR_OK;
    if (mdl_down_refuses(n)) {
        error = MDL_ERR_UNAVAILABLE;
    } else {
        enum limit_says limit = ask_limit(d, n, slot);
        if (limit == LIMIT_LATER) {
            return;
        }
        if (limit == LIMIT_REFUSE) {
            error = MDL_ERR_RATE_LIMITED;
            delay = d->cfg->answer_in;
        } else if (n->hangs == 0) {
            error = mdl_down_error(d, call, true, &delay);
        }
    }
    if (error != MDL_ERR_OK) {
        mdl_refuse(d, slot, error, delay);
    } else if (d->cfg->cache != NULL && mdl_cache_hits(d, slot)) {
        return;
    } else if (!mdl_room_enter(&n->room, slot)) {
        mdl_refuse(d, slot, MDL_ERR_REFUSED, d->cfg->answer_in);
    } else {
        mdl_down_watch(d, n);
    }
}

/* A call leaves its caller. */
static void admit(struct mdl_dependency *d, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    call->flags |= MDL_CALL_INSIDE;
    call->up = mdl_dependency_is_up(d);
    call->cancels = d->cfg->room.abandoned == MDL_ABANDONED_CANCEL;
    mdl_call_leave(d->ctx, slot);
    mdl_gate_left(&d->gate, call);
    sq_time_t way = mdl_dependency_trip(d, call, 0);
    if (way == 0) {
        receive(d, slot);
    } else {
        (void)mdl_post(d->ctx, sq_time_add(mdl_now(d->ctx), way), d->id, MDL_EV_REACH, slot);
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

/* How a served call fails: as poison, or by `errors`. */
static enum mdl_error own_error(const struct mdl_dependency *d, const struct mdl_call *call)
{
    if (call->poison) {
        return MDL_ERR_PERMANENT;
    }
    if (d->cfg->errors.count == 0) {
        return MDL_ERR_OK;
    }
    double u = sq_luck_uniform(&d->ctx->luck, d->luck.errors[call->producer], call->ordinal,
                               call->attempt, call->draw);
    for (int e = 0; e < MDL_ERROR_COUNT; e++) {
        int at = sq_map_find(&d->cfg->errors, mdl_error_name((enum mdl_error)e));
        double ratio = at >= 0 ? *(const double *)sq_map_at(&d->cfg->errors, (size_t)at) : 0;
        if (u < ratio) {
            return (enum mdl_error)e;
        }
        u -= ratio;
    }
    return MDL_ERR_OK;
}

/* The row was read: the answer goes back and the write comes. */
static void on_read(struct mdl_dependency *d, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    call->version = d->version;
    call->writes = 1;
    sq_time_t way = sq_time_add(mdl_dependency_trip(d, call, 1), mdl_dependency_trip(d, call, 2));
    (void)mdl_post(d->ctx, sq_time_add(mdl_now(d->ctx), way), d->id, MDL_EV_REACH, slot);
}

/* What becomes of a call that was served to the end. A write wins iff none won since its read. */
static enum mdl_error outcome_of(struct mdl_dependency *d, const struct mdl_call *call)
{
    sq_time_t unused;
    enum mdl_error error = own_error(d, call);
    error = error != MDL_ERR_OK ? error : mdl_down_error(d, call, false, &unused);
    if (error == MDL_ERR_OK && is_optimistic(d)) {
        error = call->version == d->version ? MDL_ERR_OK : MDL_ERR_CONFLICT;
        d->version += error == MDL_ERR_OK ? 1 : 0;
    }
    return error;
}

void mdl_dependency_done(struct mdl_dependency *d, uint32_t slot, enum mdl_error error)
{
    d->processed++;
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    if (error == MDL_ERR_OK) {
        mdl_call_executed(d->ctx, slot);
    }
    if ((call->flags & MDL_CALL_CALLER) == 0) {
        mdl_emit_call(d->ctx, MDL_REC_CALL_WASTED, call, 0, 0);
        mdl_dependency_forget(d, slot);
        return;
    }
    call->served = true;
    mdl_dependency_answer(d, slot, error);
}

/* The own service of a call is over, and calls are to be made on its behalf. */
static void go_on(struct mdl_dependency *d, uint32_t slot, uint64_t seq)
{
    if (!mdl_call_is_served(d->ctx, slot, seq)) {
        return;
    }
    struct mdl_node *n = mdl_node_of(d, mdl_call_at(d->ctx, slot));
    enum mdl_error error = outcome_of(d, mdl_call_at(d->ctx, slot));
    if (error == MDL_ERR_OK) {
        mdl_inner_start(d, slot);
    } else if (mdl_room_served(&n->room, slot, seq)) {
        mdl_down_watch(d, n);
        mdl_dependency_done(d, slot, error);
    }
}

static void on_served(struct mdl_dependency *d, uint32_t slot, uint64_t seq)
{
    if (mdl_inner_exists(d)) {
        go_on(d, slot, seq);
        return;
    }
    if (!mdl_call_is_served(d->ctx, slot, seq)) {
        return; /* the record may be free */
    }
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    struct mdl_node *n = mdl_node_of(d, call);
    (void)mdl_room_served(&n->room, slot, seq);
    mdl_down_watch(d, n);
    if (is_optimistic(d) && call->writes == 0) {
        on_read(d, slot);
        return;
    }
    mdl_dependency_done(d, slot, outcome_of(d, call));
}

/* A caller gave up and says so; only a dependency that cancels is told. */
static void on_abandon(struct mdl_dependency *d, uint32_t slot)
{
    const struct mdl_call *call = mdl_call_at(d->ctx, slot);
    if (call->place == MDL_PLACE_OUT) {
        return; /* on its way there: it will be dropped; or back: too late */
    }
    if (call->place != MDL_PLACE_DROPPED) {
        struct mdl_node *n = mdl_node_of(d, call);
        mdl_inner_abort(d, slot);
        mdl_room_cancel(&n->room, slot);
        mdl_down_watch(d, n);
    }
    mdl_dependency_forget(d, slot);
}

static void on_changed(struct mdl_dependency *d)
{
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (d->nodes[i]->state != MDL_NODE_GONE) {
            mdl_room_changed(&d->nodes[i]->room);
        }
    }
    if (d->nodes_seen != d->cfg->nodes) {
        d->nodes_seen = d->cfg->nodes;
        mdl_nodes_scale(d, d->nodes_seen);
    }
    if (d->cfg->rate_limit.kind != NULL) {
        mdl_limiter_changed(&d->cfg->rate_limit, &d->limiter, mdl_now(d->ctx));
    }
    mdl_gate_changed(&d->gate);
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (mdl_node_is_up(d->nodes[i])) {
            mdl_down_watch(d, d->nodes[i]);
        }
    }
    if (d->gate.active) {
        admit_waiting(d);
    }
}

/* Timers of controls: what they change may let calls pass. */
static bool on_control_timer(struct mdl_dependency *d, struct sq_msg m, uint64_t seq)
{
    switch (m.kind) {
    case MDL_EV_RAMP:
        mdl_gate_ramp(&d->gate, m.slot, seq);
        break;
    case MDL_EV_BREAKER:
        mdl_gate_breaker(&d->gate, m.slot, seq);
        break;
    case MDL_EV_ADAPT:
        mdl_gate_adapt(&d->gate, m.slot, seq);
        break;
    case MDL_EV_LEASE:
        mdl_gate_lease(&d->gate, m.slot, seq);
        break;
    case MDL_EV_TOKEN:
        mdl_gate_token(&d->gate, m.slot, seq);
        break;
    default:
        return false;
    }
    admit_waiting(d);
    return true;
}

static bool on_outage(struct mdl_dependency *d, struct sq_msg m, uint64_t seq)
{
    switch (m.kind) {
    case MDL_EV_OUTAGE:
        mdl_down_outage(d, m.slot);
        break;
    case MDL_EV_OUTAGE_OVER:
        mdl_down_over(d, m.slot);
        break;
    case MDL_EV_TRIP:
        mdl_down_trip(d, m.slot, seq);
        break;
    case MDL_EV_COLLAPSE_OVER:
        mdl_down_return(d, m.slot, seq);
        break;
    default:
        return false;
    }
    return true;
}

/* What happens to nodes, and to the cache before them. */
static bool on_nodes(struct mdl_dependency *d, struct sq_msg m, uint64_t seq)
{
    switch (m.kind) {
    case MDL_EV_PAID:
        mdl_room_paid(&d->nodes[m.slot]->room, seq);
        mdl_down_watch(d, d->nodes[m.slot]);
        break;
    case MDL_EV_WARM:
        mdl_room_warm(&d->nodes[m.slot]->room, seq);
        mdl_down_watch(d, d->nodes[m.slot]);
        break;
    case MDL_EV_STORE:
        mdl_cache_fill(d);
        break;
    case MDL_EV_PROBE:
        mdl_nodes_probe(d);
        break;
    case MDL_EV_SCALE:
        mdl_nodes_scale(d, m.slot);
        break;
    case MDL_EV_STARTED:
        mdl_node_started(d, m.slot, seq);
        break;
    default:
        return false;
    }
    return true;
}

/* The rarer kinds. */
SQ_APART static void on_other(struct mdl_dependency *d, struct sq_msg m, uint64_t seq)
{
    if (m.kind == MDL_EV_CHANGED) {
        on_changed(d);
    } else if (!on_control_timer(d, m, seq) && !on_outage(d, m, seq) && !on_nodes(d, m, seq)) {
        mdl_inner_event(d, m, seq);
    }
}

static void on_event(void *self, struct sq_msg m, uint64_t seq)
{
    struct mdl_dependency *d = self;
    switch (m.kind) {
    case MDL_EV_CALL:
        on_call(d, m.slot);
        break;
    case MDL_EV_REACH:
        receive(d, m.slot);
        break;
    case MDL_EV_ABANDON:
        on_abandon(d, m.slot);
        break;
    case MDL_EV_SERVED:
        on_served(d, m.slot, seq);
        break;
    case MDL_EV_OUTCOME:
        mdl_gate_outcome(&d->gate, m.slot, m.extra);
        admit_waiting(d);
        break;
    case MDL_EV_RUNS:
        mdl_gate_runs(&d->gate, (uint16_t)m.slot);
        break;
    case MDL_EV_WITHDRAW:
        mdl_gate_withdraw(&d->gate, m.slot);
        break;
    case MDL_EV_WAITED:
        mdl_gate_waited(&d->gate, m.slot, seq);
        break;
    case MDL_EV_GONE:
        mdl_gate_gone(&d->gate, m.slot);
        break;
    default:
        on_other(d, m, seq);
    }
}

enum sq_status mdl_dependency_init(struct mdl_dependency *d, struct mdl_ctx *ctx, const char *name,
                                   const struct mdl_dependency_cfg *cfg,
                                   const struct mdl_control_cfg *control)
{
    *d = (struct mdl_dependency){ .ctx = ctx, .name = name, .cfg = cfg, .lane_delay = -1 };
    enum sq_status status = sq_sim_add(&ctx->sim, on_event, d, &d->id);
    mdl_caller_init(&d->caller, ctx, d->id);
    return status == SQ_OK
               ? mdl_gate_init(&d->gate, ctx, d->id, &(struct mdl_gate_ask){ name, control })
               : status;
}

enum sq_status mdl_dependency_start(struct mdl_dependency *d, struct mdl_dependency_luck luck)
{
    mdl_gate_start(&d->gate, luck.defer, luck.budget);
    d->luck = luck;
    d->network = mdl_dist_make(&d->cfg->network);
    d->refusal_cost = mdl_dist_make(&d->cfg->refusal_cost);
    d->near = d->network.kind == SQ_DIST_CONSTANT && d->network.constant == 0;
    if (d->cfg->rate_limit.kind != NULL) {
        mdl_limiter_init(&d->cfg->rate_limit, &d->limiter);
    }
    enum sq_status status = mdl_nodes_open(d);
    return status == SQ_OK ? mdl_down_open(d) : status;
}

void mdl_dependency_fini(struct mdl_dependency *d)
{
    mdl_gate_fini(&d->gate);
    mdl_limiter_fini(&d->limiter);
    mdl_caller_fini(&d->caller);
    for (uint32_t i = 0; i < d->node_count; i++) {
        mdl_room_fini(&d->nodes[i]->room);
        sq_mem_free(d->nodes[i]->collapse.come);
    }
    sq_mem_free(d->collapse.come);
}

bool mdl_dependency_check(const struct mdl_dependency *d)
{
    int64_t serving = 0, waiting = 0, noted = 0, paying = 0;
    bool whole = true;
    for (uint32_t i = 0; i < d->node_count; i++) {
        const struct mdl_room *r = &d->nodes[i]->room;
        serving += mdl_room_serving(r);
        waiting += r->shelf.count;
        paying += r->paying;
        noted += r->noted;
        whole = whole && (r->open || mdl_room_in_flight(r) == 0);
    }
    return whole && d->load.in_flight.now == serving + waiting &&
           d->load.busy.now == serving + paying && d->load.waiting.now == waiting &&
           d->load.in_force.now == noted && mdl_gate_check(&d->gate);
}
