/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate_pause.c - pools that have paused: who is told when. */
#include "models/part/mdl_gate_parts.h"

enum { SCOUT = 1, FOLLOWS = 2 }; /* its scout stands in line; it is told what is left for it */

static void give_up(struct mdl_gate *g)
{
    g->ctx->failed = true;
    sq_sim_stop(&g->ctx->sim);
}

/* Puts a scout in line that asks with the keys of a call. */
static void send_scout(struct mdl_gate *g, const struct mdl_call *like, struct mdl_state *by)
{
    uint32_t slot = sq_pool_take(&g->ctx->calls);
    if (slot == 0) {
        give_up(g);
        return;
    }
    *mdl_call_at(g->ctx, slot) = (struct mdl_call){ .deadline_ns = SQ_NEVER,
                                                    .timeout_ns = SQ_NEVER,
                                                    .hint_ns = SQ_NEVER,
                                                    .timeout_lane = -1,
                                                    .caller = like->caller,
                                                    .producer = like->producer,
                                                    .dependency = like->dependency,
                                                    .asker = like->asker,
                                                    .scout = 1,
                                                    .flags = MDL_CALL_REPORTING };
    g->pauses[like->caller] = SCOUT;
    mdl_gate_stand(g, slot, by);
}

/* Calls with the same keys that would be admitted now, up to what a message holds. */
static uint32_t places(struct mdl_gate *g, const struct mdl_call *call, struct mdl_state **by)
{
    enum { MOST = 0xffff };
    *by = mdl_gate_refuser(g, call, MDL_TICKET_NEW);
    if (*by != NULL) {
        return 0;
    }
    int64_t left = g->controls[MDL_CONTROL_RATE].on ? 1 : MOST;
    for (int k = MDL_CONTROL_CONCURRENCY; k < MDL_CONTROL_COUNT; k++) {
        if (g->controls[k].on) {
            struct mdl_state *s = mdl_scopes_get(&g->controls[k], call);
            int64_t limit = mdl_gate_bound(g, (enum mdl_control)k, s);
            int64_t free = limit - ((const struct mdl_bound *)(const void *)s)->in_use;
            left = sq_min_i64(left, limit == SQ_UNLIMITED ? MOST : free);
        }
    }
    return (uint32_t)left;
}

static void tell(struct mdl_gate *g, uint16_t pool, uint32_t calls)
{
    mdl_tell(g->ctx, pool, MDL_EV_ADMITS, 0, (uint32_t)g->id << 16 | calls);
}

void mdl_gate_pause(struct mdl_gate *g, const struct mdl_call *call, struct mdl_state *by)
{
    if (g->pauses == NULL) {
        g->pauses = sq_arena_alloc(&g->ctx->arena, g->ctx->sim.actor_count, sizeof(*g->pauses));
    }
    if (g->pauses == NULL) {
        give_up(g);
    } else if (g->pauses[call->caller] != SCOUT) {
        send_scout(g, call, by);
        if (by->kind == MDL_CONTROL_BREAKER) {
            mdl_gate_breaker_look(g, by);
        }
    }
}

void mdl_gate_scout(struct mdl_gate *g, uint32_t slot)
{
    const struct mdl_call *call = mdl_call_at(g->ctx, slot);
    struct mdl_state *by;
    g->pauses[call->caller] = FOLLOWS;
    uint32_t left = places(g, call, &by); /* others may stand behind it: one at least */
    tell(g, call->caller, left > 0 ? left : 1);
    mdl_call_release(g->ctx, slot, MDL_CALL_REPORTING);
}

void mdl_gate_follow(struct mdl_gate *g, const struct mdl_call *call)
{
    if (g->pauses == NULL || g->pauses[call->caller] != FOLLOWS) {
        return;
    }
    struct mdl_state *by;
    uint32_t left = places(g, call, &by);
    tell(g, call->caller, left);
    if (left == 0) {
        send_scout(g, call, by);
    }
}

void mdl_gate_runs(struct mdl_gate *g, uint16_t pool)
{
    if (g->pauses[pool] == FOLLOWS) {
        g->pauses[pool] = 0;
    }
}
