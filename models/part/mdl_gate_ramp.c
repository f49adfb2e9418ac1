/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate_ramp.c - trouble and the ramp after it, for each state of a ramp. */
#include "models/part/mdl_gate_parts.h"

#include "models/policy/mdl_ramp.h"

#include <string.h>

static void give_up(struct mdl_gate *g)
{
    g->ctx->failed = true;
    sq_sim_stop(&g->ctx->sim);
}

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

/* ---- the ramp ---- */

void mdl_gate_ramp_begin(void *gate, struct mdl_state *s)
{
    (void)gate;
    ((struct mdl_ramp_state *)(void *)s)->start = SQ_NEVER;
}

void mdl_gate_ramp_fini(struct mdl_state *s)
{
    mdl_trouble_fini(&((struct mdl_ramp_state *)(void *)s)->trouble);
}

int64_t mdl_gate_ramp_limit(const struct mdl_gate *g, const struct mdl_ramp_state *r)
{
    const struct sq_block *ramp = &g->cfg->ramp;
    if (r->trouble.on || r->breaker) {
        return mdl_ramp_bottom(ramp);
    }
    if (r->start == SQ_NEVER) {
        return mdl_ramp_common(ramp)->at_start == 1 ? mdl_ramp_bottom(ramp) : SQ_UNLIMITED;
    }
    return mdl_ramp_limit(&r->running, mdl_now(g->ctx) - r->start);
}

static void schedule_step(struct mdl_gate *g, struct mdl_ramp_state *r)
{
    sq_time_t next = mdl_ramp_next(&r->running, mdl_now(g->ctx) - r->start);
    r->seq = 0;
    if (next != SQ_NEVER) {
        sq_time_t at = sq_time_add(r->start, next);
        r->seq = mdl_post(g->ctx, at, g->id, MDL_EV_RAMP, r->bound.state.index);
    }
}

/* The ramp starts as it is written now: what a `set` action changes acts at the next start. */
static void start_ramp(struct mdl_gate *g, struct mdl_ramp_state *r)
{
    size_t size = g->cfg->ramp.kind->table.size;
    if (r->running.cfg == NULL) {
        r->running = g->cfg->ramp;
        r->running.cfg = sq_arena_alloc(&g->ctx->arena, 1, size);
    }
    if (r->running.cfg == NULL) {
        give_up(g);
        return;
    }
    memcpy(r->running.cfg, g->cfg->ramp.cfg, size);
    r->start = mdl_now(g->ctx);
    schedule_step(g, r);
    mdl_emit_entity(g->ctx, MDL_REC_RAMP_START, g->id, 0, mdl_gate_limit(g));
    mdl_gate_stir(g, &r->bound.state);
}

static void fall_back(struct mdl_gate *g, const struct mdl_ramp_state *r)
{
    unsigned relapse = r->start != SQ_NEVER ? 2 : 1;
    mdl_emit_entity(g->ctx, MDL_REC_RAMP_START, g->id, relapse, mdl_gate_limit(g));
}

/* `clock: clean`: a failed call restarts the time of the present step. */
static void restart_step(struct mdl_gate *g, struct mdl_ramp_state *r)
{
    bool runs = r->start != SQ_NEVER && !r->trouble.on && !r->breaker && r->seq != 0;
    if (runs && mdl_ramp_common(&g->cfg->ramp)->clock == 1) {
        sq_time_t now = mdl_now(g->ctx);
        r->start = now - mdl_ramp_step(&r->running, now - r->start);
        schedule_step(g, r);
    }
}

void mdl_gate_ramp_note(struct mdl_gate *g, struct mdl_ramp_state *r, enum mdl_error outcome)
{
    if (is_failure(outcome)) {
        restart_step(g, r);
    }
    struct mdl_trouble *t = &r->trouble;
    if (mdl_ramp_common(&g->cfg->ramp)->starts != MDL_RAMP_ERRORS_STOP) {
        return;
    }
    switch (mdl_trouble_note(t, mdl_now(g->ctx), is_failure(outcome))) {
    case MDL_TURN_NONE:
        break;
    case MDL_TURN_BEGINS:
        fall_back(g, r);
        break;
    case MDL_TURN_ENDS:
        start_ramp(g, r);
        break;
    case MDL_TURN_NO_MEMORY:
        give_up(g);
        break;
    }
}

static void follow_breaker(struct mdl_gate *g, struct mdl_ramp_state *r, bool closed)
{
    if (r->breaker == !closed) {
        return;
    }
    r->breaker = !closed;
    bool starts = mdl_ramp_common(&g->cfg->ramp)->starts == MDL_RAMP_BREAKER_CLOSE;
    if (closed && starts) {
        start_ramp(g, r);
    } else if (starts) {
        fall_back(g, r);
    }
    mdl_gate_stir(g, &r->bound.state);
}

void mdl_gate_ramp_breaker(struct mdl_gate *g, const struct mdl_state *breaker, bool closed)
{
    const struct mdl_scopes *ramps = &g->controls[MDL_CONTROL_RAMP];
    int scope = g->controls[MDL_CONTROL_BREAKER].scope;
    for (uint32_t i = 0; i < ramps->count && scope == MDL_SCOPE_FLEET; i++) {
        follow_breaker(g, (struct mdl_ramp_state *)(void *)ramps->states[i], closed);
    }
    if (ramps->on && scope != MDL_SCOPE_FLEET && scope == ramps->scope) {
        struct mdl_state *s = mdl_scopes_find(ramps, breaker->key);
        if (s != NULL) {
            follow_breaker(g, (struct mdl_ramp_state *)(void *)s, closed);
        }
    }
}

void mdl_gate_ramp(struct mdl_gate *g, uint32_t index, uint64_t seq)
{
    struct mdl_state *s = g->controls[MDL_CONTROL_RAMP].states[index];
    struct mdl_ramp_state *r = (struct mdl_ramp_state *)(void *)s;
    if (r->seq != seq || r->trouble.on || r->breaker) {
        return;
    }
    schedule_step(g, r);
    mdl_emit_entity(g->ctx, MDL_REC_RAMP_STEP, g->id, 0, mdl_gate_limit(g));
    mdl_gate_stir(g, s);
}

struct mdl_ramp_view mdl_gate_ramp_view(const struct mdl_gate *g)
{
    const struct mdl_scopes *all = &g->controls[MDL_CONTROL_RAMP];
    struct mdl_ramp_view v = { .ramp = &g->cfg->ramp, .since = SQ_NEVER };
    for (uint32_t i = 0; i < all->count; i++) {
        v.states += all->states[i]->gone ? 0 : 1;
    }
    v.states = v.states > 0 ? v.states : 1;
    if (all->count == 0) {
        v.begun = mdl_ramp_common(v.ramp)->at_start == 1;
        return v;
    }
    const struct mdl_ramp_state *r = (const struct mdl_ramp_state *)(const void *)all->states[0];
    bool trouble = r->trouble.on || r->breaker;
    v.begun = trouble || r->start != SQ_NEVER || mdl_ramp_common(v.ramp)->at_start == 1;
    if (r->start != SQ_NEVER && !trouble) {
        v.since = r->start;
        v.ramp = &r->running;
    }
    return v;
}
