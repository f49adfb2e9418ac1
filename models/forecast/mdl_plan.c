/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_plan.c - the state of a world at T1 as input of the drain forecast. */
#include "models/forecast/mdl_plan.h"

#include "models/forecast/mdl_drain.h"
#include "models/part/mdl_copy.h"
#include "models/policy/mdl_contention.h"
#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_ramp.h"
#include "models/policy/mdl_scaler.h"

/* What the plan is about: one dependency, the pools that call it, their queues. */
struct plan {
    struct mdl_world *w;
    const struct mdl_dependency *dep;
    struct sq_arena *arena;
    struct mdl_drain_input in;
    struct mdl_drain_jobs *ready, *timers;
    struct mdl_drain_hand *hands;
    size_t ready_size, timer_size, hand_size;
    sq_time_t now;
};

static double after(const struct plan *p, sq_time_t at)
{
    return at == SQ_NEVER ? (double)INFINITY : sq_time_to_s(at - p->now);
}

static bool pool_calls(const struct plan *p, const struct mdl_workers *pool)
{
    return sq_map_find(&pool->cfg->calls, p->dep->name) >= 0;
}

static const struct mdl_workers *pool_of(const struct plan *p, uint16_t queue)
{
    for (size_t i = 0; i < p->w->pool_count; i++) {
        const struct mdl_workers *pool = &p->w->pools[i];
        if (mdl_workers_fetches(pool, queue) && pool_calls(p, pool)) {
            return pool;
        }
    }
    return NULL;
}

/* The dependency whose planned outage ended last; none when it holds its servers for calls of its
 * own or has a cache: what it can serve then is nobody's plan. */
static const struct mdl_dependency *affected(const struct mdl_world *w)
{
    const struct mdl_dependency *found = NULL;
    sq_time_t last = -1;
    for (size_t i = 0; i < w->dependency_count; i++) {
        const struct sq_list *outages = &w->dependencies[i].cfg->outages;
        for (size_t k = 0; k < outages->count; k++) {
            const struct mdl_outage_cfg *o = mdl_outage_at(outages, k);
            sq_time_t over = mdl_outage_is_planned(o) ? mdl_outage_over(o) : -1;
            if (over > last) {
                last = over;
                found = &w->dependencies[i];
            }
        }
    }
    found = found != NULL || w->dependency_count != 1 ? found : &w->dependencies[0];
    bool plain = found != NULL && found->cfg->calls.count == 0 && found->cfg->cache == NULL;
    return plain ? found : NULL;
}

/* ---- classes ---- */

enum { RATE_STEP_S = 60 };

static enum sq_status set_rates(struct plan *p, const struct mdl_producer *producer,
                                struct mdl_drain_class *c)
{
    sq_time_t end = p->w->ctx.duration_ns;
    size_t most = (size_t)((end - p->now) / (RATE_STEP_S * SQ_NS_PER_S)) + 2;
    struct mdl_drain_rate *rates = sq_arena_alloc(p->arena, most, sizeof(*rates));
    if (rates == NULL) {
        return SQ_NOMEM;
    }
    size_t n = 0;
    for (sq_time_t t = p->now; t < end || n == 0; t += RATE_STEP_S * SQ_NS_PER_S) {
        double rate = mdl_arrivals_rate(&producer->maker.arrivals, t);
        bool same = n > 0 && !(rates[n - 1].per_s < rate) && !(rates[n - 1].per_s > rate);
        if (!same && n < most) {
            rates[n++] = (struct mdl_drain_rate){ after(p, t), rate };
        }
    }
    c->rates = rates;
    c->rate_count = n;
    return SQ_OK;
}

static enum mdl_drain_keep keep_of(const struct mdl_supersede_cfg *s)
{
    if (s == NULL) {
        return MDL_DRAIN_KEEP_ALL;
    }
    if (s->keep == MDL_KEEP_OLDEST) {
        return MDL_DRAIN_KEEP_OLDEST;
    }
    return s->removal == MDL_REMOVAL_EAGER ? MDL_DRAIN_KEEP_NEWEST : MDL_DRAIN_KEEP_LAZY;
}

static enum sq_status set_classes(struct plan *p)
{
    struct mdl_world *w = p->w;
    struct mdl_drain_class *classes =
        sq_arena_alloc(p->arena, w->producer_count + 1, sizeof(*classes));
    if (classes == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < w->producer_count; i++) {
        const struct mdl_producer *producer = &w->producers[i];
        const struct mdl_producer_cfg *cfg = producer->cfg;
        const struct sq_dist *work = &w->ctx.sources[i].work;
        classes[i] = (struct mdl_drain_class){
            .deadline_s =
                cfg->deadline == SQ_NEVER ? (double)INFINITY : sq_time_to_s(cfg->deadline),
            .served_stale = cfg->deadline_check == MDL_CHECK_ENQUEUE,
            .keep = keep_of(cfg->supersede),
            .keys = cfg->supersede != NULL ? (double)cfg->supersede->keys : 0,
            .calls_per_job = cfg->service_scale,
            .work_s = sq_dist_mean_s(work),
        };
        enum sq_status status = SQ_OK;
        if (pool_of(p, producer->queue) != NULL) {
            status = set_rates(p, producer, &classes[i]);
        }
        if (status != SQ_OK) {
            return status;
        }
    }
    p->in.classes = classes;
    p->in.class_count = w->producer_count;
    return SQ_OK;
}

/* ---- jobs ---- */

static struct mdl_drain_jobs jobs_of(const struct plan *p, const struct mdl_job *job)
{
    return (struct mdl_drain_jobs){
        .count = 1,
        .cls = job->producer,
        .affected = (job->flags & MDL_JOB_BEFORE_T1) != 0,
        .deferred = job->state == MDL_JOB_DEFERRED,
        .dead = (job->flags & MDL_JOB_OVERTAKEN) != 0,
        .deadline_s = after(p, mdl_job_deadline(&p->w->ctx, job)),
    };
}

static void add_ready(struct plan *p, const struct mdl_job *job)
{
    if (p->in.ready_count < p->ready_size) {
        p->ready[p->in.ready_count++] = jobs_of(p, job);
    }
}

/* It is tried again then. */
static void add_timer(struct plan *p, const struct mdl_job *job)
{
    if (p->in.timer_count < p->timer_size) {
        struct mdl_drain_jobs j = jobs_of(p, job);
        j.due_s = fmax(after(p, job->since_ns), 0);
        p->timers[p->in.timer_count++] = j;
    }
}

/* A job whose call is under way, or whose call waits at the control. */
static void add_run(struct plan *p, const struct mdl_workers *pool, const struct mdl_run *run)
{
    const struct mdl_ctx *c = &p->w->ctx;
    const struct mdl_job *job = mdl_job_at(c, run->job);
    const struct mdl_call *call = run->call != 0 ? mdl_call_at(c, run->call) : NULL;
    if (!mdl_copy_is_current(c, run->job)) {
        return; /* it holds a slot, and its job is counted elsewhere */
    }
    if (call == NULL && job->since_ns > p->now) { /* its delay is slept, or lives in memory */
        add_timer(p, job);
        return;
    }
    if (call == NULL || (call->flags & MDL_CALL_LEFT) == 0) {
        add_ready(p, job);
        return;
    }
    if (p->in.hand_count == p->hand_size) {
        return;
    }
    /* It left while the dependency was down: it is refused, and tries again. */
    sq_time_t ends = sq_time_add(call->left_ns, p->dep->nodes[0]->refusal_delay);
    double last = (double)job->last;
    sq_time_t delay = pool->cfg->retry != NULL
                          ? mdl_retry_delay(pool->cfg->retry, job->failures + 1u, 0.5, &last)
                          : 0;
    struct mdl_drain_jobs as = jobs_of(p, job);
    double ends_s = fmax(after(p, ends), 0);
    p->hands[p->in.hand_count++] =
        (struct mdl_drain_hand){ .count = 1,
                                 .cls = as.cls,
                                 .affected = as.affected,
                                 .deadline_s = as.deadline_s,
                                 .ends_s = ends_s,
                                 .again_s = ends_s + sq_time_to_s(delay) };
}

static void add_runs(struct plan *p, const struct mdl_workers *pool, const struct mdl_line *line)
{
    for (uint32_t run = line->head; run != 0;) {
        const struct mdl_run *state = mdl_run_at(&pool->caller, run);
        add_run(p, pool, state);
        run = state->next;
    }
}

static void add_pool(struct plan *p, const struct mdl_workers *pool)
{
    for (uint32_t r = pool->all.head; r != 0;) {
        const struct mdl_replica *replica = sq_pool_at(&pool->replicas, r);
        add_runs(p, pool, &replica->runs);
        for (uint32_t b = replica->batches.head; b != 0;) {
            const struct mdl_slot_batch *batch = sq_pool_at(&pool->batches, b);
            add_runs(p, pool, &batch->members);
            b = batch->next;
        }
        add_runs(p, pool, &replica->line);
        add_runs(p, pool, &replica->held);
        r = replica->next;
    }
}

static void add_queue(struct plan *p, const struct mdl_queue *q)
{
    for (unsigned i = 0; i < MDL_LEVELS; i++) {
        for (uint32_t slot = q->shelf.lines[i].head; slot != 0;) {
            const struct mdl_job *job = mdl_job_at(&p->w->ctx, slot);
            add_ready(p, job);
            slot = job->next;
        }
    }
}

/* Delayed jobs stand in no line: they are found among all records. */
static void add_timers(struct plan *p)
{
    const struct mdl_ctx *c = &p->w->ctx;
    for (uint32_t slot = 1; slot <= c->jobs.fresh; slot++) {
        const struct mdl_job *job = mdl_job_at(c, slot);
        if (!mdl_job_lives(c, slot) || job->producer >= p->w->producer_count) {
            continue; /* free, or a client's own */
        }
        bool delayed = job->state == MDL_JOB_DELAYED || job->state == MDL_JOB_DEFERRED;
        if (delayed && pool_of(p, p->w->producers[job->producer].queue) != NULL) {
            add_timer(p, job);
        }
    }
}

static enum sq_status set_jobs(struct plan *p)
{
    struct mdl_world *w = p->w;
    size_t all = w->ctx.jobs.used + 1;
    p->ready_size = p->timer_size = p->hand_size = all;
    p->ready = sq_arena_alloc(p->arena, all, sizeof(*p->ready));
    p->timers = sq_arena_alloc(p->arena, all, sizeof(*p->timers));
    p->hands = sq_arena_alloc(p->arena, all, sizeof(*p->hands));
    if (p->ready == NULL || p->timers == NULL || p->hands == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < w->pool_count; i++) {
        if (pool_calls(p, &w->pools[i])) {
            add_pool(p, &w->pools[i]);
        }
    }
    for (size_t i = 0; i < w->queue_count; i++) {
        if (pool_of(p, w->queues[i].id) != NULL) {
            add_queue(p, &w->queues[i]);
        }
    }
    add_timers(p);
    p->in.ready = p->ready;
    p->in.timers = p->timers;
    p->in.hands = p->hands;
    return SQ_OK;
}

/* ---- callers, service, control ---- */

static void set_callers(struct plan *p)
{
    struct mdl_drain_callers *c = &p->in.callers;
    for (size_t i = 0; i < p->w->pool_count; i++) {
        const struct mdl_workers *pool = &p->w->pools[i];
        if (!pool_calls(p, pool)) {
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
    }
}

static double timeout_of(const struct plan *p)
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

static void set_service(struct plan *p)
{
    struct mdl_drain_service *s = &p->in.service;
    const struct mdl_room_cfg *room = &p->dep->cfg->room;
    const struct mdl_overload_cfg *o = p->dep->cfg->overload;
    double nodes = (double)p->dep->existing.now;
    s->servers = room->servers == SQ_UNLIMITED ? (double)INFINITY : nodes * (double)room->servers;
    /* A queue that slows its dependency: as long as it now is. It drains iff it does at that rate,
     * since the fewer wait the faster it goes. */
    double slow = mdl_contention_queue(&room->contention) != NULL
                      ? mdl_contention_factor(&room->contention, p->dep->queue->now)
                      : 1;
    s->service_s = fmax(slow * sq_dist_mean_s(&p->dep->nodes[0]->room.service),
                        1e-9); /* a service of 0s: 1 ns */
    s->timeout_s = timeout_of(p);
    s->warm_from = room->warm_up != NULL ? room->warm_up->from : 1;
    if (room->warm_up != NULL) {
        s->warm_over_s = sq_time_to_s(room->warm_up->over);
        s->warm_quarters = room->warm_up->curve == MDL_WARM_QUARTERS;
        s->warm_speed = room->warm_up->affects == MDL_WARM_SPEED;
    }
    bool bounded = o != NULL && o->in_flight >= 0;
    double each = bounded && o->per == MDL_PER_NODE ? nodes : 1;
    s->overload_in_flight = bounded ? each * (double)o->in_flight : (double)INFINITY;
    s->overload_for_s = bounded ? sq_time_to_s(o->hold) : 0;
}

static enum sq_status set_ramp(struct plan *p)
{
    struct mdl_drain_gate *g = &p->in.gate;
    struct mdl_ramp_view v = mdl_gate_ramp_view(&p->dep->gate);
    const struct sq_block *ramp = v.ramp;
    if (!v.begun) {
        return SQ_OK; /* no trouble yet, no limit */
    }
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
    g->ramp_from_s = v.since != SQ_NEVER ? after(p, v.since) : (double)NAN;
    return SQ_OK;
}

static enum sq_status set_gate(struct plan *p)
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
    double delay = mdl_gate_defer_mean_s(gate);
    if (delay > 0) {
        g->throttled = MDL_DRAIN_DEFER;
        g->delay_s = delay;
    }
    return gate->cfg->ramp.kind != NULL ? set_ramp(p) : SQ_OK;
}

static double backlog_limit(const struct plan *p)
{
    double most = 0;
    for (size_t i = 0; i < p->w->queue_count; i++) {
        if (pool_of(p, p->w->queues[i].id) != NULL) {
            most += (double)p->w->probe->marks.queues[i].limit;
        }
    }
    return most;
}

static enum sq_status say(const struct plan *p, const struct mdl_drain_result *r,
                          struct mdl_forecasts *out)
{
    struct sq_buf b = { 0 };
    mdl_drain_say(r, &b);
    out->text = b.failed || b.text == NULL ? NULL : sq_arena_text(p->arena, b.text, b.len);
    sq_buf_fini(&b);
    return out->text != NULL ? SQ_OK : SQ_NOMEM;
}

enum sq_status mdl_plan_at_t1(struct mdl_world *w, struct mdl_forecasts *out)
{
    struct sq_arena scratch = { 0 };
    struct plan p = { .w = w, .dep = affected(w), .arena = &scratch, .now = mdl_now(&w->ctx) };
    if (p.dep == NULL || w->queue_count == 0) {
        return SQ_OK;
    }
    enum sq_status status = set_classes(&p);
    if (status == SQ_OK) {
        status = set_jobs(&p);
    }
    if (status == SQ_OK) {
        status = set_gate(&p);
    }
    set_callers(&p);
    set_service(&p);
    p.in.arrivals_end_s = after(&p, w->ctx.duration_ns);
    p.in.backlog_max = backlog_limit(&p);
    p.in.settle_s = sq_time_to_s(w->cfg.health->settle);
    struct mdl_drain_result r;
    if (status == SQ_OK) {
        status = mdl_drain(&p.in, NULL, &r);
    }
    if (status == SQ_OK) {
        *out = (struct mdl_forecasts){ r.naive_s, r.planned_s, r.planned_last_job_s, NULL };
        p.arena = &w->ctx.arena;
        status = say(&p, &r, out);
    }
    sq_arena_fini(&scratch);
    return status;
}
