/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_plan_power.c - callers, dependency and control of a world as input of the drain forecast. */
#include "models/forecast/mdl_plan_in.h"

#include "models/policy/mdl_contention.h"
#include "models/policy/mdl_ramp.h"
#include "models/policy/mdl_scaler.h"

/* The scaler of the one pool that calls, when it looks at nothing but the depth of its queues. */
static void set_scaler(struct mdl_plan *p, const struct mdl_workers *pool)
{
    struct mdl_drain_scaler *s = &p->in.scaler;
    const struct mdl_autoscaler *a = NULL;
    for (size_t i = 0; i < p->w->scaler_count; i++) {
        a = p->w->scalers[i].pool == pool->id ? &p->w->scalers[i] : a;
    }
    const struct mdl_scaler_row *row = a != NULL ? mdl_scaler_row(a->cfg) : NULL;
    const struct mdl_scaler_common *c = a != NULL ? mdl_scaler_common(a->cfg) : NULL;
    if (a == NULL || row->slots || row->runs_once || c->metric != MDL_METRIC_DEPTH ||
        c->gate != NULL) {
        return;
    }
    *s = (struct mdl_drain_scaler){ .block = a->cfg,
                                    .state = a->state,
                                    .now = p->now,
                                    .next_look_s = mdl_plan_after(p, a->next_sync),
                                    .existing = pool->existing.now,
                                    .ready = pool->ready.now,
                                    .slots = (double)pool->slots,
                                    .start_up_s = sq_dist_mean_s(&pool->start_up),
                                    .to_tail = true };
    if (row->poll != NULL) {
        sq_time_t poll = sq_max_i64(row->poll(a->cfg->cfg), 1);
        s->next_poll_s = sq_time_to_s((poll - p->now % poll) % poll);
    }
}

static size_t pools_that_call(const struct mdl_plan *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->w->pool_count; i++) {
        count += mdl_plan_pool_calls(p, &p->w->pools[i]) ? 1 : 0;
    }
    return count;
}

void mdl_plan_callers(struct mdl_plan *p)
{
    struct mdl_drain_callers *c = &p->in.callers;
    for (size_t i = 0; i < p->w->pool_count; i++) {
        const struct mdl_workers *pool = &p->w->pools[i];
        if (!mdl_plan_pool_calls(p, pool)) {
            continue;
        }
        double now = (double)pool->ready_slots.now;
        double most = (double)(pool->existing.now * pool->slots);
        if (pool->cfg->autoscaler.kind != NULL) {
            const struct mdl_scaler_common *s = pool->cfg->autoscaler.cfg;
            bool slots = mdl_scaler_row(&pool->cfg->autoscaler)->slots; /* max: of each replica */
            most = fmax(most, (double)(s->max * (slots ? pool->existing.now : pool->slots)));
        }
        c->slots_now += now;
        c->slots_max += most;
        c->grow_s = fmax(c->grow_s, most > now ? sq_dist_mean_s(&pool->start_up) : 0);
        if (pools_that_call(p) == 1) {
            set_scaler(p, pool);
        }
    }
}

static double timeout_of(const struct mdl_plan *p)
{
    double shortest = (double)INFINITY;
    for (size_t i = 0; i < p->w->pool_count; i++) {
        const struct sq_map *calls = &p->w->pools[i].cfg->calls;
        int k = sq_map_find(calls, p->dep->name);
        if (k >= 0) {
            const struct mdl_calls_cfg *c = sq_map_at(calls, (size_t)k);
            shortest = c->timeout == SQ_NEVER ? shortest : fmin(shortest, sq_time_to_s(c->timeout));
        }
    }
    return shortest;
}

static double error_share(const struct mdl_dependency *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->cfg->errors.count; i++) {
        sum += *(const double *)sq_map_at(&d->cfg->errors, i);
    }
    return fmin(sum, 1);
}

/* How long ago it came back: at T1 it does just now, whichever event of that instant is first. */
static double warm_age_s(const struct mdl_plan *p)
{
    sq_time_t since = p->dep->nodes[0]->room.warm_since;
    if (p->now == p->w->ctx.t1_ns) {
        return 0;
    }
    return since == SQ_NEVER ? (double)INFINITY : sq_time_to_s(p->now - since);
}

void mdl_plan_service(struct mdl_plan *p)
{
    struct mdl_drain_service *s = &p->in.service;
    const struct mdl_room_cfg *room = &p->dep->cfg->room;
    const struct mdl_overload_cfg *o = p->dep->cfg->overload;
    double nodes = (double)p->dep->existing.now;
    s->servers = room->servers == SQ_UNLIMITED ? (double)INFINITY : nodes * (double)room->servers;
    s->service_s = fmax(sq_dist_mean_s(&p->dep->nodes[0]->room.service), 1e-9); /* 0s: 1 ns */
    s->dist = &p->dep->nodes[0]->room.service;
    if (mdl_contention_queue(&room->contention) != NULL) {
        s->contention = &room->contention;
    }
    s->timeout_s = timeout_of(p);
    s->error_share = error_share(p->dep);
    s->network_s = 2 * sq_dist_mean_s(&p->dep->network);
    s->warm_from = room->warm_up != NULL ? room->warm_up->from : 1;
    if (room->warm_up != NULL) {
        s->warm_age_s = warm_age_s(p);
        s->warm_over_s = sq_time_to_s(room->warm_up->over);
        s->warm_quarters = room->warm_up->curve == MDL_WARM_QUARTERS;
        s->warm_speed = room->warm_up->affects == MDL_WARM_SPEED;
    }
    bool bounded = o != NULL && o->in_flight >= 0;
    double each = bounded && o->per == MDL_PER_NODE ? nodes : 1;
    s->overload_in_flight = bounded ? each * (double)o->in_flight : (double)INFINITY;
    s->overload_for_s = bounded ? sq_time_to_s(o->hold) : 0;
}

enum sq_status mdl_plan_ramp(struct mdl_plan *p)
{
    struct mdl_drain_gate *g = &p->in.gate;
    struct mdl_ramp_view v = mdl_gate_ramp_view(&p->dep->gate);
    const struct sq_block *ramp = v.ramp;
    sq_time_t span;
    size_t count = mdl_ramp_spans(ramp, &span);
    double *steps = sq_arena_alloc(p->arena, count, sizeof(*steps));
    if (steps == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        steps[i] = (double)mdl_ramp_limit(ramp, (sq_time_t)i * span) * v.states;
    }
    g->steps = steps;
    g->step_count = count;
    g->step_s = sq_time_to_s(span);
    g->ramp_from_s = v.since != SQ_NEVER ? mdl_plan_after(p, v.since) : (double)NAN;
    return SQ_OK;
}

enum sq_status mdl_plan_gate(struct mdl_plan *p)
{
    struct mdl_drain_gate *g = &p->in.gate;
    *g = (struct mdl_drain_gate){ .limit = (double)INFINITY,
                                  .rate_per_s = (double)INFINITY,
                                  .ramp_from_s = (double)NAN };
    const struct mdl_gate *gate = &p->dep->gate;
    if (!gate->active) {
        return SQ_OK;
    }
    int64_t limit = mdl_gate_limit_of(gate, MDL_CONTROL_CONCURRENCY);
    g->rate_per_s = mdl_gate_rate(gate);
    limit = sq_min_i64(limit, mdl_gate_limit_of(gate, MDL_CONTROL_ADAPTIVE));
    g->limit = limit != SQ_UNLIMITED ? (double)limit : (double)INFINITY;
    sq_time_t opens =
        gate->cfg->breaker != NULL ? mdl_gate_breaker_opens(gate) : (sq_time_t)SQ_NEVER;
    if (opens != SQ_NEVER) { /* then it lets a few calls pass, and the others when these succeed */
        g->shut_until_s = fmax(0, mdl_plan_after(p, opens)) +
                          sq_dist_mean_s(&p->dep->nodes[0]->room.service) +
                          2 * sq_dist_mean_s(&p->dep->network);
    }
    double delay = mdl_gate_defer_mean_s(gate);
    if (delay > 0) {
        g->throttled = MDL_DRAIN_DEFER;
        g->delay_s = delay;
    }
    bool ramps = gate->cfg->ramp.kind != NULL && mdl_gate_ramp_view(gate).begun;
    return ramps ? mdl_plan_ramp(p) : SQ_OK; /* no trouble yet, no limit */
}
