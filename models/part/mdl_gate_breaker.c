/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate_breaker.c - the breaker of a gate, for each of its states: what it sees of calls, and
 * when time moves it on. */
#include "models/part/mdl_gate_parts.h"

static struct mdl_breaker_gate *gate_of(struct mdl_state *s)
{
    return (struct mdl_breaker_gate *)(void *)s;
}

static const struct mdl_breaker *breaker_of(const struct mdl_state *s)
{
    return ((const struct mdl_breaker_gate *)(const void *)s)->b;
}

void mdl_gate_breaker_begin(void *gate, struct mdl_state *s)
{
    struct mdl_gate *g = gate;
    const struct mdl_breaker_cfg *cfg = g->cfg->breaker;
    struct mdl_breaker_gate *bg = gate_of(s);
    bg->posted = SQ_NEVER;
    bg->b = sq_arena_alloc(&g->ctx->arena, 1, mdl_breaker_size(cfg));
    if (bg->b == NULL) { /* the run ends; nothing may be looked at before it has */
        g->ctx->failed = true;
        sq_sim_stop(&g->ctx->sim);
        return;
    }
    mdl_breaker_init(cfg, bg->b);
}

/* An event for the next instant at which time changes something: by itself, or because somebody
 * waits for the end of the open state and is then its next call. */
static void schedule(struct mdl_gate *g, struct mdl_breaker_gate *bg)
{
    const struct mdl_breaker_cfg *cfg = g->cfg->breaker;
    sq_time_t now = mdl_now(g->ctx), at = mdl_breaker_next(cfg, bg->b, now);
    if (bg->state.blocked_count > 0) {
        at = sq_min_i64(at, sq_max_i64(now, mdl_breaker_opens_until(cfg, bg->b)));
    }
    if (at != bg->posted) {
        bg->posted = at;
        bg->seq = at != SQ_NEVER ? mdl_post(g->ctx, at, g->id, MDL_EV_BREAKER, bg->state.index) : 0;
    }
}

/* Tells of a change of state, and what follows from it. */
static void settle(struct mdl_gate *g, struct mdl_breaker_gate *bg)
{
    if (bg->age != bg->b->age) {
        bg->age = bg->b->age;
        mdl_emit_entity(g->ctx, MDL_REC_BREAKER, g->id, bg->b->state, bg->b->opens);
        mdl_gate_ramp_breaker(g, &bg->state, bg->b->state == MDL_BREAKER_CLOSED);
        mdl_gate_stir(g, &bg->state);
    }
    schedule(g, bg);
}

void mdl_gate_breaker_look(struct mdl_gate *g, struct mdl_state *s)
{
    if (gate_of(s)->b != NULL) {
        mdl_breaker_advance(g->cfg->breaker, gate_of(s)->b, mdl_now(g->ctx));
        settle(g, gate_of(s));
    }
}

bool mdl_gate_breaker_admits(struct mdl_gate *g, struct mdl_state *s)
{
    struct mdl_breaker_gate *bg = gate_of(s);
    if (bg->b == NULL) {
        return true;
    }
    mdl_breaker_advance(g->cfg->breaker, bg->b, mdl_now(g->ctx));
    if (bg->age != bg->b->age) {
        settle(g, bg);
    }
    return mdl_breaker_would_pass(g->cfg->breaker, bg->b, mdl_now(g->ctx));
}

void mdl_gate_breaker_take(struct mdl_gate *g, struct mdl_state *s, struct mdl_call *call)
{
    struct mdl_breaker_gate *bg = gate_of(s);
    if (bg->b != NULL) {
        enum mdl_breaker_decision d = mdl_breaker_ask(g->cfg->breaker, bg->b, mdl_now(g->ctx));
        SQ_ASSERT(d == MDL_BREAKER_PASS);
        call->breaker_age = bg->b->age;
        settle(g, bg);
    }
}

bool mdl_gate_breaker_refuse(struct mdl_gate *g, struct mdl_state *s)
{
    sq_time_t now = mdl_now(g->ctx);
    /* Others may stand before it at a breaker that lets one pass at this instant. */
    return mdl_breaker_would_pass(g->cfg->breaker, gate_of(s)->b, now) ||
           mdl_breaker_ask(g->cfg->breaker, gate_of(s)->b, now) == MDL_BREAKER_WAIT;
}

bool mdl_gate_breaker_probes(const struct mdl_gate *g, const struct mdl_state *s)
{
    const struct mdl_breaker_cfg *cfg = g->cfg->breaker;
    return breaker_of(s)->state == MDL_BREAKER_HALF_OPEN && cfg->half_open->mode == MDL_HALF_WAIT;
}

bool mdl_gate_breaker_fails(const struct mdl_breaker_cfg *cfg, enum mdl_error outcome)
{
    static const int8_t kinds[MDL_ERROR_COUNT] = {
        [MDL_ERR_OK] = -1,
        [MDL_ERR_REFUSED] = MDL_BREAKER_REFUSED,
        [MDL_ERR_RATE_LIMITED] = MDL_BREAKER_RATE_LIMITED,
        [MDL_ERR_UNAVAILABLE] = MDL_BREAKER_UNAVAILABLE,
        [MDL_ERR_RESET] = MDL_BREAKER_RESET,
        [MDL_ERR_TIMEOUT] = MDL_BREAKER_TIMEOUT,
        [MDL_ERR_ERROR] = MDL_BREAKER_ERROR,
        [MDL_ERR_CONFLICT] = MDL_BREAKER_CONFLICT,
        [MDL_ERR_THROTTLED] = -1,
        [MDL_ERR_BREAKER_OPEN] = -1,
        [MDL_ERR_PERMANENT] = MDL_BREAKER_PERMANENT,
        [MDL_ERR_CANCELLED] = -1,
    };
    return kinds[outcome] >= 0 && mdl_breaker_counts(cfg, (enum mdl_breaker_kind)kinds[outcome]);
}

void mdl_gate_breaker_ended(struct mdl_gate *g, struct mdl_state *s, const struct mdl_call *call,
                            enum mdl_error outcome)
{
    struct mdl_breaker_gate *bg = gate_of(s);
    sq_time_t now = mdl_now(g->ctx);
    if (bg->b == NULL) {
        return;
    }
    if (outcome == MDL_ERR_CANCELLED) {
        mdl_breaker_return(bg->b, call->breaker_age);
    } else {
        mdl_breaker_answer(g->cfg->breaker, bg->b,
                           &(struct mdl_breaker_answer){
                               .now = now,
                               .took = now - call->left_ns,
                               .age = call->breaker_age,
                               .failed = mdl_gate_breaker_fails(g->cfg->breaker, outcome) });
    }
    settle(g, bg);
    if (bg->b->state == MDL_BREAKER_HALF_OPEN) { /* a permit may have come back */
        mdl_gate_stir(g, s);
    }
}

void mdl_gate_breaker(struct mdl_gate *g, uint32_t index, uint64_t seq)
{
    struct mdl_state *s = g->controls[MDL_CONTROL_BREAKER].states[index];
    struct mdl_breaker_gate *bg = gate_of(s);
    if (bg->seq != seq) {
        return;
    }
    bg->seq = 0;
    bg->posted = SQ_NEVER;
    mdl_gate_breaker_look(g, s);
    mdl_gate_stir(g, s);
}

enum mdl_breaker_state mdl_gate_breaker_state(const struct mdl_gate *g)
{
    const struct mdl_scopes *all = &g->controls[MDL_CONTROL_BREAKER];
    enum mdl_breaker_state worst = MDL_BREAKER_CLOSED;
    for (uint32_t i = 0; i < all->count; i++) {
        enum mdl_breaker_state s = breaker_of(all->states[i])->state;
        bool half = s == MDL_BREAKER_HALF_OPEN && worst == MDL_BREAKER_CLOSED;
        worst = s == MDL_BREAKER_OPEN || half ? s : worst;
    }
    return worst;
}

sq_time_t mdl_gate_breaker_opens(const struct mdl_gate *g)
{
    const struct mdl_scopes *all = &g->controls[MDL_CONTROL_BREAKER];
    sq_time_t last = SQ_NEVER;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct mdl_breaker *b = breaker_of(all->states[i]);
        sq_time_t at = mdl_breaker_opens_until(g->cfg->breaker, b);
        last = at != SQ_NEVER && (last == SQ_NEVER || at > last) ? at : last;
    }
    return last;
}
