/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate_lease.c - permits: a place in every bound on calls at a time, perhaps with a lease.
 *
 * Without a lease a permit is a count in each bound. With one it is a record: its caller may die
 * with it, and the lease may end under a live call. */
#include "models/part/mdl_gate_parts.h"
#include "sim/base/sq_limits.h"

struct mdl_permit {
    uint32_t call; /* 0: its caller has died */
    uint32_t in_flight;
    uint64_t seq; /* of its LEASE event; 0: given back */
    struct mdl_state *held[MDL_CONTROL_COUNT];
};

static bool has_lease(const struct mdl_gate *g)
{
    return g->cfg->concurrency != NULL && g->cfg->concurrency->lease != SQ_NEVER;
}

static void give_up(struct mdl_gate *g)
{
    g->ctx->failed = true;
    sq_sim_stop(&g->ctx->sim);
}

static void find_bounds(struct mdl_gate *g, const struct mdl_call *call, struct mdl_state **held)
{
    for (int k = 0; k < MDL_CONTROL_COUNT; k++) {
        bool bounds = k >= MDL_CONTROL_CONCURRENCY && g->controls[k].on;
        held[k] = bounds ? mdl_scopes_get(&g->controls[k], call) : NULL;
    }
}

static void move(struct mdl_gate *g, struct mdl_state *const *held, int by)
{
    sq_level_move(&g->in_use, mdl_now(g->ctx), by);
    for (int k = 0; k < MDL_CONTROL_COUNT; k++) {
        if (held[k] != NULL) {
            ((struct mdl_bound *)(void *)held[k])->in_use += by;
        }
        if (held[k] != NULL && by < 0) {
            mdl_gate_stir(g, held[k]);
        }
    }
}

static struct mdl_permit *permit_at(const struct mdl_gate *g, uint32_t permit)
{
    return sq_pool_at(&g->permits, permit);
}

static uint32_t in_flight(struct mdl_state *const *held)
{
    const struct mdl_state *s = held[MDL_CONTROL_ADAPTIVE];
    return s != NULL ? (uint32_t)((const struct mdl_bound *)(const void *)s)->in_use : 0;
}

/* The permit ends on its own after the lease. */
static void start_lease(struct mdl_gate *g, uint32_t slot, struct mdl_state *const *held)
{
    struct mdl_ctx *c = g->ctx;
    uint32_t permit = sq_pool_take(&g->permits);
    if (permit == 0) {
        give_up(g);
        return;
    }
    if (g->lease_lane < 0) {
        g->lease_lane = sq_evq_lane(c->sim.evq, g->cfg->concurrency->lease, MDL_RANK_DUE);
    }
    struct mdl_permit *p = permit_at(g, permit);
    uint64_t load = sq_msg_pack((struct sq_msg){ g->id, MDL_EV_LEASE, 0, permit });
    p->call = slot;
    p->in_flight = in_flight(held);
    p->seq = g->lease_lane >= 0
                 ? sq_evq_push_lane(c->sim.evq, g->lease_lane, load)
                 : sq_evq_push(c->sim.evq, sq_time_add(c->sim.now, g->cfg->concurrency->lease),
                               MDL_RANK_DUE, load);
    for (int k = 0; k < MDL_CONTROL_COUNT; k++) {
        p->held[k] = held[k];
    }
    mdl_call_at(c, slot)->permit = permit;
}

static void end_permit(struct mdl_gate *g, uint32_t permit)
{
    struct mdl_permit *p = permit_at(g, permit);
    p->seq = 0;
    move(g, p->held, -1);
    sq_pool_give(&g->permits, permit);
}

void mdl_gate_take_permit(struct mdl_gate *g, uint32_t slot)
{
    struct mdl_state *held[MDL_CONTROL_COUNT];
    find_bounds(g, mdl_call_at(g->ctx, slot), held);
    move(g, held, 1);
    if (has_lease(g)) {
        start_lease(g, slot, held);
    } else {
        mdl_call_at(g->ctx, slot)->permit = in_flight(held);
    }
}

uint32_t mdl_gate_give_permit(struct mdl_gate *g, uint32_t slot, bool died)
{
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    uint32_t flying = call->permit;
    if (!has_lease(g)) {
        struct mdl_state *held[MDL_CONTROL_COUNT];
        find_bounds(g, call, held);
        move(g, held, -1);
    } else if (flying != 0 && died) {
        flying = permit_at(g, call->permit)->in_flight;
        permit_at(g, call->permit)->call = 0; /* nobody is left to give it back */
    } else if (flying != 0) {
        flying = permit_at(g, call->permit)->in_flight;
        end_permit(g, call->permit);
    }
    call->permit = 0;
    return flying;
}

void mdl_gate_lease(struct mdl_gate *g, uint32_t permit, uint64_t seq)
{
    if (sq_pool_peek64(&g->permits, permit, offsetof(struct mdl_permit, seq)) != seq) {
        return; /* given back */
    }
    if (permit_at(g, permit)->call != 0) {
        mdl_call_at(g->ctx, permit_at(g, permit)->call)->permit = 0;
    }
    end_permit(g, permit);
}

void mdl_gate_lease_init(struct mdl_gate *g)
{
    sq_pool_init(&g->permits, sizeof(struct mdl_permit), SQ_MAX_CALLS);
    g->lease_lane = -1;
}
