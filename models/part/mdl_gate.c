/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate.c - admission: who may leave, and what becomes of the others. */
#include "models/part/mdl_gate.h"

#include "models/part/mdl_copy.h"
#include "models/part/mdl_gate_parts.h"
#include "models/policy/mdl_dist.h"

/* ---- limits ---- */

int64_t mdl_gate_bound(const struct mdl_gate *g, enum mdl_control kind, const struct mdl_state *s)
{
    switch (kind) {
    case MDL_CONTROL_CONCURRENCY:
        return g->cfg->concurrency->limit;
    case MDL_CONTROL_RAMP:
        return mdl_gate_ramp_limit(g, (const struct mdl_ramp_state *)(const void *)s);
    case MDL_CONTROL_ADAPTIVE:
        return mdl_gate_adaptive_limit(g, s);
    case MDL_CONTROL_BREAKER:
    case MDL_CONTROL_RATE:
    case MDL_CONTROL_COUNT:
        break;
    }
    return SQ_UNLIMITED;
}

int64_t mdl_gate_limit_of(const struct mdl_gate *g, enum mdl_control kind)
{
    const struct mdl_scopes *all = &g->controls[kind];
    int64_t sum = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        int64_t one = all->states[i]->gone ? 0 : mdl_gate_bound(g, kind, all->states[i]);
        if (one == SQ_UNLIMITED) {
            return SQ_UNLIMITED;
        }
        sum += one;
    }
    return all->count > 0 ? sum : SQ_UNLIMITED;
}

int64_t mdl_gate_limit(const struct mdl_gate *g)
{
    int64_t limit = SQ_UNLIMITED;
    for (int k = MDL_CONTROL_CONCURRENCY; k < MDL_CONTROL_COUNT; k++) {
        limit = sq_min_i64(limit, mdl_gate_limit_of(g, (enum mdl_control)k));
    }
    return limit;
}

/* ---- asking every control ---- */

static bool admits(struct mdl_gate *g, struct mdl_state *s)
{
    enum mdl_control kind = (enum mdl_control)s->kind;
    if (kind == MDL_CONTROL_BREAKER) {
        return mdl_gate_breaker_admits(g, s);
    }
    if (kind == MDL_CONTROL_RATE) {
        return mdl_gate_rate_admits(g, s);
    }
    return ((const struct mdl_bound *)(const void *)s)->in_use < mdl_gate_bound(g, kind, s);
}

struct mdl_state *mdl_gate_refuser(struct mdl_gate *g, const struct mdl_call *call, int64_t ticket)
{
    for (int k = 0; k < MDL_CONTROL_COUNT; k++) {
        if (g->controls[k].on) {
            struct mdl_state *s = mdl_scopes_get(&g->controls[k], call);
            if (mdl_gate_is_behind(g, s, ticket) || !admits(g, s)) {
                return s;
            }
        }
    }
    return NULL;
}

/* The call leaves: each control gives it what it asked for. */
static void take(struct mdl_gate *g, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    if (g->controls[MDL_CONTROL_BREAKER].on) {
        mdl_gate_breaker_take(g, mdl_scopes_get(&g->controls[MDL_CONTROL_BREAKER], call), call);
    }
    if (g->controls[MDL_CONTROL_RATE].on) {
        mdl_gate_rate_take(g, mdl_scopes_get(&g->controls[MDL_CONTROL_RATE], call));
    }
    call->flags |= MDL_CALL_PERMIT;
    mdl_gate_take_permit(g, slot);
    mdl_gate_follow(g, call);
}

/* ---- those that may not leave ---- */

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
                               mdl_job_luck(g->ctx, call->job) + job->attempt, job->defers);
    job->since_ns = sq_time_add(mdl_now(g->ctx), delay);
}

static enum mdl_throttled how(const struct mdl_gate *g, const struct mdl_call *call)
{
    return mdl_control_throttled(g->cfg, g->ctx->pools[call->caller]);
}

/* How long a caller waits at most. */
static sq_time_t longest_wait(const struct mdl_gate *g, const struct mdl_call *call)
{
    const struct mdl_throttled_wait *w = g->cfg->throttled.cfg;
    bool bounded = how(g, call) == MDL_THROTTLED_WAIT && w != NULL;
    return bounded ? w->max : SQ_NEVER;
}

static void wait_in_line(struct mdl_gate *g, uint32_t slot, struct mdl_state *by)
{
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    sq_time_t longest = longest_wait(g, call);
    mdl_gate_stand(g, slot, by);
    if (by->kind == MDL_CONTROL_BREAKER) {
        mdl_gate_breaker_look(g, by);
    }
    if (longest != SQ_NEVER) {
        sq_time_t at = sq_time_add(mdl_now(g->ctx), longest);
        call->timeout_seq = mdl_post(g->ctx, at, g->id, MDL_EV_WAITED, slot);
    }
    mdl_emit_call(g->ctx, MDL_REC_THROTTLED, call, 1, 0);
}

static void throttle(struct mdl_gate *g, uint32_t slot, struct mdl_state *by)
{
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    enum mdl_throttled kind = how(g, call);
    bool open = by->kind == MDL_CONTROL_BREAKER;
    bool probe = open && kind != MDL_THROTTLED_WAIT && mdl_gate_breaker_refuse(g, by);
    if (probe || mdl_gate_rate_holds(g, by)) {
        wait_in_line(g, slot, by);
        return;
    }
    switch (kind) {
    case MDL_THROTTLED_DEFER:
        mdl_emit_call(g->ctx, MDL_REC_THROTTLED, call, 0, 0);
        set_defer_time(g, call);
        turn_away(g, slot, MDL_TURNED_DEFER);
        break;
    case MDL_THROTTLED_WAIT:
        wait_in_line(g, slot, by);
        break;
    case MDL_THROTTLED_PAUSE:
        mdl_emit_call(g->ctx, MDL_REC_THROTTLED, call, 0, 0);
        mdl_gate_pause(g, call, by);
        turn_away(g, slot, MDL_TURNED_PAUSE);
        break;
    case MDL_THROTTLED_FAIL:
        mdl_emit_call(g->ctx, MDL_REC_THROTTLED, call, 2, 0);
        turn_away(g, slot, open ? MDL_TURNED_OPEN : MDL_TURNED_FAIL);
        break;
    }
}

/* ---- calls come and go ---- */

bool mdl_gate_ask(struct mdl_gate *g, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    if (!g->active || (g->only != NULL && !g->only[call->caller])) {
        return true;
    }
    if (g->budgets != NULL && !mdl_budgets_admit(g->budgets, call)) {
        mdl_emit_call(g->ctx, MDL_REC_THROTTLED, call, 2, 0);
        turn_away(g, slot, MDL_TURNED_FAIL);
        return false;
    }
    struct mdl_state *by = mdl_gate_group(g, call)->at; /* nobody overtakes the line */
    by = by != NULL ? by : mdl_gate_refuser(g, call, MDL_TICKET_NEW);
    if (by == NULL) {
        take(g, slot);
        return true;
    }
    throttle(g, slot, by);
    return false;
}

void mdl_gate_left(struct mdl_gate *g, const struct mdl_call *call)
{
    if (g->budgets != NULL && (g->only == NULL || g->only[call->caller])) {
        mdl_budgets_left(g->budgets, call);
    }
}

/* Whether a caller that has waited goes on waiting at this state. */
static bool may_wait(const struct mdl_gate *g, const struct mdl_call *call,
                     const struct mdl_state *by)
{
    return how(g, call) == MDL_THROTTLED_WAIT || call->scout != 0 ||
           (by->kind == MDL_CONTROL_BREAKER && mdl_gate_breaker_probes(g, by)) ||
           (by->kind == MDL_CONTROL_RATE && mdl_limiter_queue(&g->cfg->rate_limit) > 0);
}

/* The head of a line of the first stirred state is refused, there or elsewhere. */
static void keep_waiting(struct mdl_gate *g, struct mdl_group *group, struct mdl_state *by)
{
    if (by == g->stirred) {
        mdl_gate_calm(g);
    } else {
        mdl_gate_move(g, group, by);
    }
    if (by->kind == MDL_CONTROL_BREAKER) {
        mdl_gate_breaker_look(g, by);
    }
}

uint32_t mdl_gate_next(struct mdl_gate *g)
{
    while (g->stirred != NULL) {
        struct mdl_state *s = g->stirred;
        if (s->blocked_count == 0) {
            mdl_gate_calm(g);
            continue;
        }
        struct mdl_group *group = s->blocked[0];
        uint32_t slot = group->line.head;
        struct mdl_call *call = mdl_call_at(g->ctx, slot);
        struct mdl_state *by = mdl_gate_refuser(g, call, call->room_ns);
        if (by != NULL && may_wait(g, call, by)) {
            keep_waiting(g, group, by);
            continue;
        }
        mdl_gate_step_out(g, slot);
        if (call->scout != 0) {
            mdl_gate_scout(g, slot);
            continue;
        }
        if ((call->flags & MDL_CALL_CALLER) == 0) {
            continue; /* withdrawn at this instant; the WITHDRAW message lets go of it */
        }
        if (by != NULL) { /* out of the leaky bucket, or the probe that it waited for has failed */
            throttle(g, slot, by);
        } else if (mdl_now(g->ctx) <= call->deadline_ns) {
            take(g, slot);
            return slot;
        } else {
            turn_away(g, slot, MDL_TURNED_STALE);
        }
    }
    return 0;
}

void mdl_gate_outcome(struct mdl_gate *g, uint32_t slot, unsigned said)
{
    enum mdl_error outcome = (enum mdl_error)(said & ~(unsigned)MDL_SAID_DIED);
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    SQ_DEBUG_ASSERT((call->flags & MDL_CALL_PERMIT) != 0);
    call->flags &= (uint8_t)~MDL_CALL_PERMIT;
    uint32_t in_flight = mdl_gate_give_permit(g, slot, (said & MDL_SAID_DIED) != 0);
    if (g->controls[MDL_CONTROL_BREAKER].on) {
        struct mdl_state *s = mdl_scopes_get(&g->controls[MDL_CONTROL_BREAKER], call);
        mdl_gate_breaker_ended(g, s, call, outcome);
    }
    if (g->controls[MDL_CONTROL_RAMP].on && outcome != MDL_ERR_CANCELLED) {
        struct mdl_state *s = mdl_scopes_get(&g->controls[MDL_CONTROL_RAMP], call);
        mdl_gate_ramp_note(g, (struct mdl_ramp_state *)(void *)s, outcome);
    }
    if (g->controls[MDL_CONTROL_ADAPTIVE].on && outcome != MDL_ERR_CANCELLED) {
        mdl_gate_adaptive_note(g, call, in_flight, outcome);
    }
    mdl_call_release(g->ctx, slot, MDL_CALL_REPORTING);
}

void mdl_gate_withdraw(struct mdl_gate *g, uint32_t slot)
{
    if ((mdl_call_at(g->ctx, slot)->flags & MDL_CALL_QUEUED) != 0) {
        mdl_gate_step_out(g, slot);
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
    bool open = mdl_gate_group(g, call)->at->kind == MDL_CONTROL_BREAKER;
    mdl_gate_step_out(g, slot);
    mdl_emit_call(g->ctx, MDL_REC_THROTTLED, call, 2, 0);
    turn_away(g, slot, open ? MDL_TURNED_OPEN : MDL_TURNED_FAIL);
}

void mdl_gate_gone(struct mdl_gate *g, uint32_t asker)
{
    for (int k = 0; k < MDL_CONTROL_COUNT; k++) {
        if (g->controls[k].on && g->controls[k].scope == MDL_SCOPE_REPLICA) {
            struct mdl_state *s = mdl_scopes_find(&g->controls[k], asker);
            if (s != NULL) {
                s->gone = true;
            }
        }
    }
}

/* ---- the whole ---- */

/* What each kind of state is made of, by enum mdl_control. */
static const struct {
    size_t size;
    void (*begin)(void *gate, struct mdl_state *s);
} made_of[MDL_CONTROL_COUNT] = {
    [MDL_CONTROL_BREAKER] = { sizeof(struct mdl_breaker_gate), mdl_gate_breaker_begin },
    [MDL_CONTROL_RATE] = { sizeof(struct mdl_rate_state), mdl_gate_rate_begin },
    [MDL_CONTROL_CONCURRENCY] = { sizeof(struct mdl_bound), NULL },
    [MDL_CONTROL_RAMP] = { sizeof(struct mdl_ramp_state), mdl_gate_ramp_begin },
    [MDL_CONTROL_ADAPTIVE] = { sizeof(struct mdl_adaptive_bound), mdl_gate_adaptive_begin },
};

static enum sq_status open_states(struct mdl_gate *g)
{
    int finest = MDL_SCOPE_FLEET;
    enum sq_status status = SQ_OK;
    for (int k = 0; k < MDL_CONTROL_COUNT && status == SQ_OK; k++) {
        enum mdl_control kind = (enum mdl_control)k;
        if (!mdl_control_has(g->cfg, kind)) {
            continue;
        }
        struct mdl_scopes_ask ask = { .scope = mdl_control_scope(g->cfg, kind),
                                      .kind = (uint8_t)k,
                                      .size = made_of[k].size,
                                      .begin = made_of[k].begin,
                                      .owner = g };
        finest = ask.scope > finest ? ask.scope : finest;
        g->ctx->replica_scopes |= ask.scope == MDL_SCOPE_REPLICA;
        status = mdl_scopes_open(&g->controls[k], g->ctx, &ask);
    }
    if (status == SQ_OK) {
        struct mdl_scopes_ask ask = { .scope = finest, .size = sizeof(struct mdl_group) };
        status = mdl_scopes_open(&g->lines, g->ctx, &ask);
    }
    return status;
}

enum sq_status mdl_gate_init(struct mdl_gate *g, struct mdl_ctx *ctx, uint16_t id,
                             const struct mdl_gate_ask *ask)
{
    *g = (struct mdl_gate){ .ctx = ctx, .id = id, .active = ask->cfg != NULL, .cfg = ask->cfg };
    g->adaptive_stream = sq_luck_stream(ask->name, "adaptive", NULL);
    mdl_gate_changed(g);
    mdl_gate_lease_init(g);
    enum sq_status status = g->active ? open_states(g) : SQ_OK;
    if (status != SQ_OK || !g->active || g->cfg->budget.kind == NULL) {
        return status;
    }
    g->budgets = sq_arena_alloc(&ctx->arena, 1, sizeof(*g->budgets));
    return g->budgets != NULL ? mdl_budgets_open(g->budgets, ctx, id, &g->cfg->budget) : SQ_NOMEM;
}

void mdl_gate_start(struct mdl_gate *g, const uint32_t *defer, const uint32_t *budget)
{
    g->defer_streams = defer;
    if (g->budgets != NULL) {
        g->budgets->streams = budget;
    }
}

void mdl_gate_changed(struct mdl_gate *g)
{
    if (!g->active) {
        return;
    }
    if (mdl_control_throttled(g->cfg, true) == MDL_THROTTLED_DEFER) {
        const struct mdl_throttled_defer *d = g->cfg->throttled.cfg;
        g->defer = mdl_dist_make(&d->delay);
    }
    mdl_gate_rate_changed(g);
    if (g->budgets != NULL) {
        mdl_budgets_changed(g->budgets);
    }
    for (uint32_t i = 0; i < g->controls[MDL_CONTROL_BREAKER].count; i++) {
        mdl_gate_breaker_look(g, g->controls[MDL_CONTROL_BREAKER].states[i]);
    }
    mdl_gate_stir_all(g);
}

void mdl_gate_fini(struct mdl_gate *g)
{
    struct mdl_scopes *ramps = &g->controls[MDL_CONTROL_RAMP];
    for (uint32_t i = 0; i < ramps->count; i++) {
        mdl_gate_ramp_fini(ramps->states[i]);
    }
    const struct mdl_scopes *rates = &g->controls[MDL_CONTROL_RATE];
    for (uint32_t i = 0; i < rates->count; i++) {
        mdl_limiter_fini(&((struct mdl_rate_state *)(void *)rates->states[i])->limiter);
    }
    const struct mdl_scopes *adaptive = &g->controls[MDL_CONTROL_ADAPTIVE];
    for (uint32_t i = 0; i < adaptive->count; i++) {
        mdl_adaptive_fini(&((struct mdl_adaptive_bound *)(void *)adaptive->states[i])->adaptive);
    }
    for (int k = 0; k < MDL_CONTROL_COUNT; k++) {
        mdl_scopes_close(&g->controls[k]);
    }
    if (g->budgets != NULL) {
        mdl_budgets_close(g->budgets);
    }
    mdl_scopes_close(&g->lines);
    sq_pool_fini(&g->permits);
}

double mdl_gate_defer_mean_s(const struct mdl_gate *g)
{
    bool defers = g->active && mdl_control_throttled(g->cfg, true) == MDL_THROTTLED_DEFER;
    return defers ? sq_dist_mean_s(&g->defer) : 0;
}

bool mdl_gate_check(const struct mdl_gate *g)
{
    int64_t standing = 0;
    for (uint32_t i = 0; i < g->lines.count; i++) {
        const struct mdl_group *group = (const struct mdl_group *)(void *)g->lines.states[i];
        standing += group->line.count;
        if ((group->line.count > 0) != (group->at != NULL)) {
            return false;
        }
    }
    for (int k = MDL_CONTROL_CONCURRENCY; k < MDL_CONTROL_COUNT; k++) {
        int64_t held = 0;
        for (uint32_t i = 0; i < g->controls[k].count; i++) {
            held += ((const struct mdl_bound *)(void *)g->controls[k].states[i])->in_use;
        }
        if (g->controls[k].on && held != g->in_use.now) {
            return false;
        }
    }
    return standing == g->waiting.now + g->scouts;
}
