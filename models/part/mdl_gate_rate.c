/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate_rate.c - rate limits at a control. */
#include "models/part/mdl_gate_parts.h"

#include <math.h>

static struct mdl_rate_state *rate_of(struct mdl_state *s)
{
    return (struct mdl_rate_state *)(void *)s;
}

void mdl_gate_rate_begin(void *gate, struct mdl_state *s)
{
    const struct mdl_gate *g = gate;
    mdl_limiter_init(&g->cfg->rate_limit, &rate_of(s)->limiter);
}

bool mdl_gate_rate_admits(const struct mdl_gate *g, struct mdl_state *s)
{
    sq_time_t now = mdl_now(g->ctx);
    return mdl_limiter_next(&g->cfg->rate_limit, &rate_of(s)->limiter, now) == now;
}

void mdl_gate_rate_take(struct mdl_gate *g, struct mdl_state *s)
{
    struct mdl_rate_state *r = rate_of(s);
    bool taken = mdl_limiter_ask(&g->cfg->rate_limit, &r->limiter, mdl_now(g->ctx));
    SQ_ASSERT(taken || r->limiter.failed);
    if (r->limiter.failed) {
        g->ctx->failed = true;
        sq_sim_stop(&g->ctx->sim);
    }
}

void mdl_gate_rate_await(struct mdl_gate *g, struct mdl_state *s)
{
    struct mdl_rate_state *r = rate_of(s);
    if (r->seq != 0 || s->stirred || s->blocked_count == 0) {
        return;
    }
    sq_time_t at = mdl_limiter_next(&g->cfg->rate_limit, &r->limiter, mdl_now(g->ctx));
    if (at != SQ_NEVER) {
        r->seq = mdl_post(g->ctx, at, g->id, MDL_EV_TOKEN, s->index);
    }
}

void mdl_gate_token(struct mdl_gate *g, uint32_t index, uint64_t seq)
{
    struct mdl_state *s = g->controls[MDL_CONTROL_RATE].states[index];
    if (rate_of(s)->seq == seq) {
        rate_of(s)->seq = 0;
        mdl_gate_stir(g, s);
    }
}

void mdl_gate_rate_changed(struct mdl_gate *g)
{
    struct mdl_scopes *all = &g->controls[MDL_CONTROL_RATE];
    for (uint32_t i = 0; i < all->count; i++) {
        struct mdl_rate_state *r = rate_of(all->states[i]);
        mdl_limiter_changed(&g->cfg->rate_limit, &r->limiter, mdl_now(g->ctx));
        r->seq = 0; /* the next token comes when it is asked for again */
    }
}

bool mdl_gate_rate_holds(const struct mdl_gate *g, const struct mdl_state *s)
{
    if (s->kind != MDL_CONTROL_RATE) {
        return false;
    }
    const struct mdl_rate_state *r = (const struct mdl_rate_state *)(const void *)s;
    return r->waiting < mdl_limiter_queue(&g->cfg->rate_limit);
}

double mdl_gate_rate(const struct mdl_gate *g)
{
    const struct mdl_scopes *all = &g->controls[MDL_CONTROL_RATE];
    int64_t states = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        states += all->states[i]->gone ? 0 : 1;
    }
    return states > 0 ? (double)states * mdl_limiter_rate(&g->cfg->rate_limit) : (double)INFINITY;
}
