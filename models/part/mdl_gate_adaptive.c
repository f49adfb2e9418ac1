/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate_adaptive.c - adaptive limits at a control. */
#include "models/part/mdl_gate_parts.h"

static struct mdl_adaptive_bound *bound_of(struct mdl_state *s)
{
    return (struct mdl_adaptive_bound *)(void *)s;
}

static double uniform(const struct mdl_gate *g, const struct mdl_state *s, uint32_t draw)
{
    return sq_luck_uniform(&g->ctx->luck, g->adaptive_stream, s->key, draw, 0);
}

void mdl_gate_adaptive_begin(void *gate, struct mdl_state *s)
{
    const struct mdl_gate *g = gate;
    mdl_adaptive_init(&g->cfg->adaptive, &bound_of(s)->adaptive, uniform(g, s, 0));
}

int64_t mdl_gate_adaptive_limit(const struct mdl_gate *g, const struct mdl_state *s)
{
    (void)g;
    const struct mdl_adaptive_bound *b = (const struct mdl_adaptive_bound *)(const void *)s;
    return mdl_adaptive_limit(&b->adaptive);
}

static enum mdl_adaptive_end end_of(enum mdl_error e)
{
    bool dropped = e == MDL_ERR_REFUSED || e == MDL_ERR_RATE_LIMITED || e == MDL_ERR_UNAVAILABLE ||
                   e == MDL_ERR_RESET || e == MDL_ERR_TIMEOUT;
    return e == MDL_ERR_OK ? MDL_ADAPTIVE_OK
                           : (dropped ? MDL_ADAPTIVE_DROPPED : MDL_ADAPTIVE_IGNORED);
}

/* One event is pending while samples wait to be judged. */
static void await(struct mdl_gate *g, struct mdl_state *s)
{
    struct mdl_adaptive_bound *b = bound_of(s);
    sq_time_t next = mdl_adaptive_next(&b->adaptive);
    if (b->seq == 0 && next != SQ_NEVER) {
        b->seq = mdl_post(g->ctx, next, g->id, MDL_EV_ADAPT, s->index);
    }
}

void mdl_gate_adaptive_note(struct mdl_gate *g, const struct mdl_call *call, uint32_t in_flight,
                            enum mdl_error outcome)
{
    struct mdl_state *s = mdl_scopes_get(&g->controls[MDL_CONTROL_ADAPTIVE], call);
    struct mdl_adaptive_bound *b = bound_of(s);
    struct mdl_adaptive_sample sample = {
        .now = mdl_now(g->ctx),
        .rtt = mdl_now(g->ctx) - call->left_ns,
        .in_flight = in_flight,
        .end = end_of(outcome),
        .answered = outcome != MDL_ERR_TIMEOUT && outcome != MDL_ERR_RESET,
        .u = uniform(g, s, b->adaptive.draws),
    };
    mdl_adaptive_note(&g->cfg->adaptive, &b->adaptive, &sample);
    if (b->adaptive.failed) {
        g->ctx->failed = true;
        sq_sim_stop(&g->ctx->sim);
    }
    await(g, s);
    mdl_gate_stir(g, s);
}

void mdl_gate_adapt(struct mdl_gate *g, uint32_t index, uint64_t seq)
{
    struct mdl_state *s = g->controls[MDL_CONTROL_ADAPTIVE].states[index];
    struct mdl_adaptive_bound *b = bound_of(s);
    if (b->seq != seq) {
        return;
    }
    b->seq = 0;
    mdl_adaptive_advance(&g->cfg->adaptive, &b->adaptive, mdl_now(g->ctx));
    await(g, s);
    mdl_gate_stir(g, s);
}
