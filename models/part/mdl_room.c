/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_room.c - servers, the line before them, and warm-up. */
#include "models/part/mdl_room.h"

#include "models/policy/mdl_dist.h"
#include "sim/conf/sq_rows.h"

#include <math.h>

static const char *const curve_words[] = { "linear", "quarters", NULL };
static const char *const affects_words[] = { "servers", "speed", NULL };

static const struct sq_field warm_rows[] = {
    SQ_ROW_RATIO(struct mdl_warm_cfg, from, "from", NULL, SQ_F_STAR | SQ_F_LIVE | SQ_F_ABOVE_MIN,
                 "Share in force at the instant of return."),
    SQ_ROW_TIME(struct mdl_warm_cfg, over, "over", "2m", SQ_F_LIVE, "Time until all are in force."),
    SQ_ROW_CHOICE(struct mdl_warm_cfg, curve, "curve", "linear", curve_words, 0,
                  "How the share rises: evenly, or in four steps."),
    SQ_ROW_CHOICE(struct mdl_warm_cfg, affects, "affects", "servers", affects_words, 0,
                  "Whether it bounds the servers or divides the speed."),
};

const struct sq_table mdl_warm_table = { .type = "warm_up",
                                         .rows = SQ_ROWS(warm_rows),
                                         .size = sizeof(struct mdl_warm_cfg) };

double mdl_warm_share(const struct mdl_warm_cfg *w, sq_time_t since)
{
    if (since >= w->over) {
        return 1;
    }
    double x = (double)since / (double)w->over;
    if (w->curve == MDL_WARM_QUARTERS) {
        x = floor(4 * x) / 4;
    }
    return w->from + (1 - w->from) * x;
}

static double share(const struct mdl_room *r)
{
    if (r->cfg->warm_up == NULL || r->warm_since == SQ_NEVER) {
        return 1;
    }
    return mdl_warm_share(r->cfg->warm_up, mdl_now(r->ctx) - r->warm_since);
}

static bool warms(const struct mdl_room *r, enum mdl_warm_affects what)
{
    return r->cfg->warm_up != NULL && r->cfg->warm_up->affects == (int)what;
}

int64_t mdl_room_in_force(const struct mdl_room *r)
{
    if (!r->open) {
        return 0;
    }
    if (r->cfg->servers == SQ_UNLIMITED || !warms(r, MDL_WARM_SERVERS)) {
        return r->cfg->servers;
    }
    return (int64_t)ceil(share(r) * (double)r->cfg->servers);
}

double mdl_room_capacity(const struct mdl_room *r)
{
    if (r->cfg->servers == SQ_UNLIMITED) {
        return (double)NAN;
    }
    double mean = sq_dist_mean_s(&r->service);
    double speed = warms(r, MDL_WARM_SPEED) ? share(r) : 1;
    return (double)mdl_room_in_force(r) * speed / mean;
}

static void note_in_force(struct mdl_room *r)
{
    if (r->cfg->servers != SQ_UNLIMITED) {
        sq_level_set(&r->in_force, mdl_now(r->ctx), mdl_room_in_force(r));
    }
}

/* The instant at which one more server comes into force: share * servers just above a whole
 * number, so one nanosecond after it is reached. */
static sq_time_t next_server(const struct mdl_room *r)
{
    const struct mdl_warm_cfg *w = r->cfg->warm_up;
    sq_time_t since = mdl_now(r->ctx) - r->warm_since;
    if (since >= w->over) {
        return SQ_NEVER;
    }
    if (w->curve == MDL_WARM_QUARTERS) {
        sq_time_t step = w->over / 4 * (since / (w->over / 4 > 0 ? w->over / 4 : 1) + 1);
        return r->warm_since + sq_min_i64(step, w->over);
    }
    double wanted = (double)mdl_room_in_force(r) / (double)r->cfg->servers;
    double x = (wanted - w->from) / (1 - w->from);
    sq_time_t at = (sq_time_t)(x * (double)w->over) + 1;
    return r->warm_since + sq_min_i64(sq_max_i64(at, since + 1), w->over);
}

static void schedule_warm(struct mdl_room *r)
{
    r->warm_seq = 0;
    if (r->open && r->warm_since != SQ_NEVER && warms(r, MDL_WARM_SERVERS) &&
        r->cfg->servers != SQ_UNLIMITED) {
        sq_time_t at = next_server(r);
        if (at != SQ_NEVER) {
            r->warm_seq = mdl_post(r->ctx, at, r->id, MDL_EV_WARM, 0);
        }
    }
}

static struct mdl_links links(const struct mdl_room *r)
{
    return (struct mdl_links){ &r->ctx->calls, offsetof(struct mdl_call, next) };
}

static void serve(struct mdl_room *r, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(r->ctx, slot);
    sq_time_t time = mdl_draw(r->ctx, &r->service, r->service_streams[call->producer],
                              call->ordinal, call->attempt, call->draw);
    double scale = r->ctx->sources[call->producer].service_scale;
    double slow = scale / (warms(r, MDL_WARM_SPEED) ? share(r) : 1);
    if (slow < 1 || slow > 1) {
        time = sq_time_from_s(sq_time_to_s(time) * slow);
    }
    mdl_line_push(&r->serving, links(r), slot);
    sq_level_move(&r->busy, mdl_now(r->ctx), 1);
    sq_time_t at = sq_time_add(mdl_now(r->ctx), time);
    call->serve_seq = mdl_post(r->ctx, at, r->id, MDL_EV_SERVED, slot);
}

static void leave_line(struct mdl_room *r, uint32_t slot)
{
    mdl_call_at(r->ctx, slot)->flags &= (uint8_t)~MDL_CALL_QUEUED;
    sq_level_move(&r->waiting, mdl_now(r->ctx), -1);
}

/* Puts waiting calls into free servers. */
static void fill(struct mdl_room *r)
{
    int64_t force = mdl_room_in_force(r);
    while (r->shelf.count > 0 && r->busy.now < force) {
        bool shed;
        uint32_t slot = mdl_shelf_take(&r->shelf, mdl_now(r->ctx), &shed);
        leave_line(r, slot);
        if (shed) {
            sq_level_move(&r->in_flight, mdl_now(r->ctx), -1);
            r->shed(r->owner, slot);
        } else {
            serve(r, slot);
        }
    }
}

bool mdl_room_enter(struct mdl_room *r, uint32_t slot)
{
    SQ_DEBUG_ASSERT(r->open);
    if (r->shelf.count == 0 && r->busy.now < mdl_room_in_force(r)) {
        sq_level_move(&r->in_flight, mdl_now(r->ctx), 1);
        serve(r, slot);
        return true;
    }
    if (r->shelf.count >= r->cfg->waiting_room) {
        return false;
    }
    sq_level_move(&r->in_flight, mdl_now(r->ctx), 1);
    sq_level_move(&r->waiting, mdl_now(r->ctx), 1);
    struct mdl_call *call = mdl_call_at(r->ctx, slot);
    call->flags |= MDL_CALL_QUEUED;
    call->room_ns = mdl_now(r->ctx);
    mdl_shelf_push(&r->shelf, slot, r->ctx->sources[call->producer].priority);
    return true;
}

bool mdl_room_served(struct mdl_room *r, uint32_t slot, uint64_t seq)
{
    struct mdl_call *call = mdl_call_at(r->ctx, slot);
    if (call->serve_seq != seq) {
        return false;
    }
    call->serve_seq = 0;
    mdl_line_remove(&r->serving, links(r), slot);
    sq_level_move(&r->busy, mdl_now(r->ctx), -1);
    sq_level_move(&r->in_flight, mdl_now(r->ctx), -1);
    fill(r);
    return true;
}

void mdl_room_close(struct mdl_room *r, void (*out)(void *self, uint32_t call), void *self)
{
    r->open = false;
    note_in_force(r);
    uint32_t slot;
    while ((slot = mdl_line_pop(&r->serving, links(r))) != 0) {
        mdl_call_at(r->ctx, slot)->serve_seq = 0;
        sq_evq_stale(r->ctx->sim.evq);
        sq_level_move(&r->busy, mdl_now(r->ctx), -1);
        sq_level_move(&r->in_flight, mdl_now(r->ctx), -1);
        out(self, slot);
    }
    while ((slot = mdl_shelf_pop(&r->shelf)) != 0) {
        leave_line(r, slot);
        sq_level_move(&r->in_flight, mdl_now(r->ctx), -1);
        out(self, slot);
    }
}

void mdl_room_open(struct mdl_room *r)
{
    r->open = true;
    r->warm_since = r->cfg->warm_up != NULL ? mdl_now(r->ctx) : SQ_NEVER;
    note_in_force(r);
    schedule_warm(r);
}

void mdl_room_warm(struct mdl_room *r, uint64_t seq)
{
    if (r->warm_seq != seq) {
        return;
    }
    note_in_force(r);
    schedule_warm(r);
    fill(r);
}

void mdl_room_changed(struct mdl_room *r)
{
    r->service = mdl_dist_make(&r->cfg->service);
    note_in_force(r);
    schedule_warm(r);
    if (r->open) {
        fill(r);
    }
}

void mdl_room_init(struct mdl_room *r, struct mdl_ctx *ctx, uint16_t id,
                   const struct mdl_room_cfg *cfg)
{
    *r = (struct mdl_room){ .ctx = ctx,
                            .id = id,
                            .cfg = cfg,
                            .service = mdl_dist_make(&cfg->service),
                            .warm_since = SQ_NEVER,
                            .open = true };
    mdl_shelf_init(&r->shelf, links(r), offsetof(struct mdl_call, room_ns), &cfg->discipline);
    note_in_force(r);
}
