/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate.c - admission: permits, the waiting line, trouble and the ramp. */
#include "models/part/mdl_gate.h"

#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_ramp.h"
#include "sim/conf/sq_rows.h"

#include <string.h>

/* ---- configuration ---- */

struct throttled_defer {
    struct sq_block delay;
};
struct throttled_wait {
    sq_time_t max;
};
enum throttled_how { HOW_DEFER, HOW_WAIT, HOW_FAIL };
struct throttled_row {
    struct sq_kind kind;
    enum throttled_how how;
};

static const struct sq_field defer_rows[] = {
    SQ_ROW_BLOCK(struct throttled_defer, delay, "delay", "5s..15s", &mdl_dist_family, SQ_F_LIVE,
                 "How long the job stays away."),
};
static const struct sq_field wait_rows[] = {
    SQ_ROW_TIME(struct throttled_wait, max, "max", "unlimited", SQ_F_UNLIMITED | SQ_F_LIVE,
                "Longest wait; then as `fail`."),
};
static const struct throttled_row throttled_rows[] = {
    { { .name = "defer",
        .doc = "The job goes back to its queue for a while; no attempt is used.",
        .table = { .rows = SQ_ROWS(defer_rows), .size = sizeof(struct throttled_defer) } },
      HOW_DEFER },
    { { .name = "wait",
        .doc = "The caller waits in its slot, first come first served.",
        .table = { .rows = SQ_ROWS(wait_rows), .size = sizeof(struct throttled_wait) } },
      HOW_WAIT },
    { { .name = "fail", .doc = "The call fails with `throttled`." }, HOW_FAIL },
    { { .name = "pause", .doc = "The pool stops fetching.", .later = true }, HOW_WAIT },
};
static const struct sq_family throttled_family = {
    .type = "throttled",
    .kinds = throttled_rows,
    .kind_count = SQ_COUNT(throttled_rows),
    .stride = sizeof(struct throttled_row),
};

static const struct sq_field concurrency_rows[] = {
    SQ_ROW_AMOUNT(struct mdl_concurrency_cfg, limit, "limit", NULL, 1, SQ_F_STAR | SQ_F_LIVE,
                  "Calls at a time, of all callers together."),
    SQ_ROW_LATER("lease", "A permit is freed after this even when its holder still lives."),
    SQ_ROW_LATER("scope", "Whose state it is."),
};
static const struct sq_table concurrency_table = { .type = "concurrency",
                                                   .rows = SQ_ROWS(concurrency_rows),
                                                   .size = sizeof(struct mdl_concurrency_cfg),
                                                   .has_preset = true };

static const struct sq_field control_rows[] = {
    SQ_ROW_LATER("only", "Callers it stands before."),
    SQ_ROW_BLOCK(struct mdl_control_cfg, throttled, "throttled", NULL, &throttled_family,
                 SQ_F_OPTIONAL | SQ_F_LIVE, "What a throttled caller does."),
    SQ_ROW_GROUP(struct mdl_control_cfg, concurrency, "concurrency", NULL, &concurrency_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "Bound on calls at a time."),
    SQ_ROW_LATER("rate_limit", "Bound on calls per time."),
    SQ_ROW_LATER("adaptive", "A limit that adapts itself."),
    SQ_ROW_BLOCK(struct mdl_control_cfg, ramp, "ramp", NULL, &mdl_ramp_family,
                 SQ_F_OPTIONAL | SQ_F_NONE | SQ_F_LIVE, "Limits that rise after trouble."),
    SQ_ROW_LATER("breaker", "A circuit breaker."),
    SQ_ROW_LATER("budget", "A retry budget."),
};
const struct sq_table mdl_control_table = { .type = "control",
                                            .rows = SQ_ROWS(control_rows),
                                            .size = sizeof(struct mdl_control_cfg) };

/* ---- trouble ---- */

static bool is_failure(enum mdl_error e)
{
    switch (e) {
    case MDL_ERR_REFUSED:
    case MDL_ERR_RATE_LIMITED:
    case MDL_ERR_UNAVAILABLE:
    case MDL_ERR_RESET:
    case MDL_ERR_TIMEOUT:
    case MDL_ERR_ERROR:
        return true;
    case MDL_ERR_OK:
    case MDL_ERR_CONFLICT:
    case MDL_ERR_THROTTLED:
    case MDL_ERR_BREAKER_OPEN:
    case MDL_ERR_PERMANENT:
    case MDL_ERR_CANCELLED:
    case MDL_ERROR_COUNT:
        return false;
    }
    return false;
}

static void trouble_forget(struct mdl_trouble *t, sq_time_t before)
{
    while (t->count > 0 && t->ring[t->head].at <= before) {
        t->failed -= t->ring[t->head].failed ? 1 : 0;
        t->head = (t->head + 1) & (t->size - 1);
        t->count--;
    }
}

static bool trouble_grow(struct mdl_trouble *t)
{
    uint32_t size = t->size == 0 ? 64 : 2 * t->size;
    struct mdl_ended *ring = sq_mem_alloc(size, sizeof(*ring));
    if (ring == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        ring[i] = t->ring[(t->head + i) & (t->size - 1)];
    }
    sq_mem_free(t->ring);
    t->ring = ring;
    t->size = size;
    t->head = 0;
    return true;
}

/* Notes a call that ended; false when out of memory. An entry exactly as old as the window is
 * outside. */
static bool trouble_note(struct mdl_trouble *t, sq_time_t now, bool failed)
{
    t->ok_in_row = failed ? 0 : t->ok_in_row + 1;
    if (t->on) {
        return true; /* only successes in a row matter until it ends */
    }
    if (t->count == t->size && !trouble_grow(t)) {
        return false;
    }
    t->ring[(t->head + t->count) & (t->size - 1)] = (struct mdl_ended){ now, failed };
    t->count++;
    t->failed += failed ? 1 : 0;
    trouble_forget(t, now - MDL_TROUBLE_WINDOW);
    return true;
}

/* ---- limit ---- */

static int64_t ramp_limit(const struct mdl_gate *g)
{
    if (g->cfg->ramp.kind == NULL) {
        return SQ_UNLIMITED;
    }
    if (g->trouble.on) {
        return mdl_ramp_bottom(&g->cfg->ramp);
    }
    if (g->ramp_start == SQ_NEVER) {
        bool bottom = mdl_ramp_common(&g->cfg->ramp)->at_start == 1;
        return bottom ? mdl_ramp_bottom(&g->cfg->ramp) : SQ_UNLIMITED;
    }
    return mdl_ramp_limit(&g->running, mdl_now(g->ctx) - g->ramp_start);
}

int64_t mdl_gate_limit(const struct mdl_gate *g)
{
    if (!g->active) {
        return SQ_UNLIMITED;
    }
    int64_t limit = g->cfg->concurrency != NULL ? g->cfg->concurrency->limit : SQ_UNLIMITED;
    return sq_min_i64(limit, ramp_limit(g));
}

static void schedule_step(struct mdl_gate *g)
{
    sq_time_t next = mdl_ramp_next(&g->running, mdl_now(g->ctx) - g->ramp_start);
    g->ramp_seq = 0;
    if (next != SQ_NEVER) {
        sq_time_t at = sq_time_add(g->ramp_start, next);
        g->ramp_seq = mdl_post(g->ctx, at, g->id, MDL_EV_RAMP, 0);
    }
}

/* The ramp starts as it is written now: what a `set` action changes acts at the next start. */
static void start_ramp(struct mdl_gate *g)
{
    size_t size = g->cfg->ramp.kind->table.size;
    if (g->running.cfg == NULL) {
        g->running = g->cfg->ramp;
        g->running.cfg = sq_arena_alloc(&g->ctx->arena, 1, size);
    }
    if (g->running.cfg == NULL) {
        g->ctx->failed = true;
        sq_sim_stop(&g->ctx->sim);
        return;
    }
    memcpy(g->running.cfg, g->cfg->ramp.cfg, size);
    g->ramp_start = mdl_now(g->ctx);
    schedule_step(g);
}

static void update_trouble(struct mdl_gate *g)
{
    struct mdl_trouble *t = &g->trouble;
    if (t->on && t->ok_in_row >= MDL_TROUBLE_OK) {
        t->on = false;
        t->count = t->failed = t->head = 0;
        start_ramp(g);
        mdl_emit_entity(g->ctx, MDL_REC_RAMP_START, g->id, 0, mdl_gate_limit(g));
    } else if (!t->on && t->count >= MDL_TROUBLE_MIN && 2 * t->failed >= t->count) {
        t->on = true;
        unsigned relapse = g->ramp_start != SQ_NEVER ? 2 : 1;
        mdl_emit_entity(g->ctx, MDL_REC_RAMP_START, g->id, relapse, mdl_gate_limit(g));
    }
}

/* ---- admission ---- */

static struct mdl_links links(const struct mdl_gate *g)
{
    return (struct mdl_links){ &g->ctx->calls, offsetof(struct mdl_call, next) };
}

static void take_permit(struct mdl_gate *g, struct mdl_call *call)
{
    SQ_ASSERT(g->in_use.now < mdl_gate_limit(g));
    call->flags |= MDL_CALL_PERMIT;
    sq_level_move(&g->in_use, mdl_now(g->ctx), 1);
}

static enum throttled_how how(const struct mdl_gate *g)
{
    const struct sq_kind *kind = g->cfg->throttled.kind;
    return kind != NULL ? ((const struct throttled_row *)(const void *)kind)->how : HOW_WAIT;
}

static void turn_away(struct mdl_gate *g, uint32_t slot, enum mdl_turned turned)
{
    mdl_tell(g->ctx, mdl_call_at(g->ctx, slot)->caller, MDL_EV_THROTTLED, turned, slot);
}

/* Draws how long a deferred job stays away; the time stands in the job when it is turned away, or
 * in the call when it is one of a dependency. */
static void set_defer_time(struct mdl_gate *g, struct mdl_call *call)
{
    if (call->job == 0) {
        call->room_ns = sq_time_add(mdl_now(g->ctx),
                                    mdl_draw(g->ctx, &g->defer, g->defer_streams[call->producer],
                                             call->ordinal, call->attempt, call->draw));
        return;
    }
    struct mdl_job *job = mdl_job_at(g->ctx, call->job);
    sq_time_t delay = mdl_draw(g->ctx, &g->defer, g->defer_streams[job->producer], job->ordinal,
                               job->attempt, job->defers);
    job->since_ns = sq_time_add(mdl_now(g->ctx), delay);
}

static void stand_in_line(struct mdl_gate *g, uint32_t slot, struct mdl_call *call)
{
    const struct throttled_wait *w = g->cfg->throttled.cfg;
    call->flags |= MDL_CALL_QUEUED;
    mdl_line_push(&g->line, links(g), slot);
    sq_level_move(&g->waiting, mdl_now(g->ctx), 1);
    g->ctx->waiting[call->caller]++;
    if (w != NULL && w->max != SQ_NEVER) {
        sq_time_t at = sq_time_add(mdl_now(g->ctx), w->max);
        call->timeout_seq = mdl_post(g->ctx, at, g->id, MDL_EV_WAITED, slot);
    }
}

static void leave_line(struct mdl_gate *g, uint32_t slot, struct mdl_call *call)
{
    mdl_line_remove(&g->line, links(g), slot);
    call->flags &= (uint8_t)~MDL_CALL_QUEUED;
    sq_level_move(&g->waiting, mdl_now(g->ctx), -1);
    g->ctx->waiting[call->caller]--;
    if (call->timeout_seq != 0) {
        call->timeout_seq = 0;
        sq_evq_stale(g->ctx->sim.evq);
    }
}

bool mdl_gate_ask(struct mdl_gate *g, uint32_t slot)
{
    if (!g->active) {
        return true;
    }
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    /* Nobody overtakes the line. */
    if (g->line.count == 0 && g->in_use.now < mdl_gate_limit(g)) {
        take_permit(g, call);
        return true;
    }
    switch (how(g)) {
    case HOW_DEFER:
        mdl_emit_call(g->ctx, MDL_REC_THROTTLED, call, 0, 0);
        set_defer_time(g, call);
        turn_away(g, slot, MDL_TURNED_DEFER);
        break;
    case HOW_WAIT:
        stand_in_line(g, slot, call);
        mdl_emit_call(g->ctx, MDL_REC_THROTTLED, call, 1, 0);
        break;
    case HOW_FAIL:
        mdl_emit_call(g->ctx, MDL_REC_THROTTLED, call, 2, 0);
        turn_away(g, slot, MDL_TURNED_FAIL);
        break;
    }
    return false;
}

uint32_t mdl_gate_next(struct mdl_gate *g)
{
    while (g->line.count > 0 && g->in_use.now < mdl_gate_limit(g)) {
        uint32_t slot = g->line.head;
        struct mdl_call *call = mdl_call_at(g->ctx, slot);
        leave_line(g, slot, call);
        if ((call->flags & MDL_CALL_CALLER) == 0) {
            continue; /* withdrawn at this instant; the WITHDRAW message lets go of it */
        }
        if (mdl_now(g->ctx) > call->deadline_ns) {
            turn_away(g, slot, MDL_TURNED_STALE);
            continue;
        }
        take_permit(g, call);
        return slot;
    }
    return 0;
}

void mdl_gate_outcome(struct mdl_gate *g, uint32_t slot, enum mdl_error outcome)
{
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    SQ_DEBUG_ASSERT((call->flags & MDL_CALL_PERMIT) != 0);
    call->flags &= (uint8_t)~MDL_CALL_PERMIT;
    sq_level_move(&g->in_use, mdl_now(g->ctx), -1);
    if (g->cfg->ramp.kind != NULL && outcome != MDL_ERR_CANCELLED) {
        if (!trouble_note(&g->trouble, mdl_now(g->ctx), is_failure(outcome))) {
            g->ctx->failed = true;
            sq_sim_stop(&g->ctx->sim);
        }
        update_trouble(g);
    }
    mdl_call_release(g->ctx, slot, MDL_CALL_REPORTING);
}

void mdl_gate_withdraw(struct mdl_gate *g, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    if ((call->flags & MDL_CALL_QUEUED) != 0) {
        leave_line(g, slot, call);
    }
    mdl_call_release(g->ctx, slot, MDL_CALL_REPORTING);
}

void mdl_gate_waited(struct mdl_gate *g, uint32_t slot, uint64_t seq)
{
    if (!mdl_call_times_out(g->ctx, slot, seq)) {
        return;
    }
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    SQ_ASSERT((call->flags & MDL_CALL_QUEUED) != 0);
    call->timeout_seq = 0;
    leave_line(g, slot, call);
    mdl_emit_call(g->ctx, MDL_REC_THROTTLED, call, 2, 0);
    turn_away(g, slot, MDL_TURNED_FAIL);
}

void mdl_gate_ramp(struct mdl_gate *g, uint64_t seq)
{
    if (g->ramp_seq != seq || g->trouble.on) {
        return;
    }
    schedule_step(g);
    mdl_emit_entity(g->ctx, MDL_REC_RAMP_STEP, g->id, 0, mdl_gate_limit(g));
}

void mdl_gate_init(struct mdl_gate *g, struct mdl_ctx *ctx, uint16_t id,
                   const struct mdl_control_cfg *cfg, const uint32_t *defer_streams)
{
    *g = (struct mdl_gate){ .ctx = ctx,
                            .id = id,
                            .active = cfg != NULL,
                            .cfg = cfg,
                            .defer_streams = defer_streams,
                            .ramp_start = SQ_NEVER };
    mdl_gate_changed(g);
}

void mdl_gate_changed(struct mdl_gate *g)
{
    if (g->active && how(g) == HOW_DEFER) {
        g->defer = mdl_dist_make(&((const struct throttled_defer *)g->cfg->throttled.cfg)->delay);
    }
}

void mdl_gate_fini(struct mdl_gate *g)
{
    sq_mem_free(g->trouble.ring);
}

double mdl_gate_defer_mean_s(const struct mdl_gate *g)
{
    if (!g->active || how(g) != HOW_DEFER) {
        return 0;
    }
    return sq_dist_mean_s(&g->defer);
}
