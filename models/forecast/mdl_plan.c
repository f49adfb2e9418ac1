/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_plan.c - the state of a world at T1 as input of the drain forecast. */
#include "models/forecast/mdl_plan_in.h"

#include "models/forecast/mdl_outlook.h"
#include "models/part/mdl_copy.h"
#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_limiter.h"

#include <math.h>

double mdl_plan_after(const struct mdl_plan *p, sq_time_t at)
{
    return at == SQ_NEVER ? (double)INFINITY : sq_time_to_s(at - p->now);
}

bool mdl_plan_pool_calls(const struct mdl_plan *p, const struct mdl_workers *pool)
{
    return sq_map_find(&pool->cfg->calls, p->dep->name) >= 0;
}

const struct mdl_workers *mdl_plan_pool_of(const struct mdl_plan *p, uint16_t queue)
{
    for (size_t i = 0; i < p->w->pool_count; i++) {
        const struct mdl_workers *pool = &p->w->pools[i];
        if (mdl_workers_fetches(pool, queue) && mdl_plan_pool_calls(p, pool)) {
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

enum { RATE_STEP_S = 60, KERNEL_BINS = 86400 };

static enum sq_status set_rates(struct mdl_plan *p, const struct mdl_producer *producer,
                                struct mdl_drain_class *c)
{
    sq_time_t end = p->w->ctx.duration_ns;
    sq_time_t left = sq_max_i64(end - p->now, 0); /* none in the tail, when arrivals have ended */
    size_t most = (size_t)(left / (RATE_STEP_S * SQ_NS_PER_S)) + 2;
    struct mdl_drain_rate *rates = sq_arena_alloc(p->arena, most, sizeof(*rates));
    if (rates == NULL) {
        return SQ_NOMEM;
    }
    size_t n = 0;
    for (sq_time_t t = p->now; t < end || n == 0; t += RATE_STEP_S * SQ_NS_PER_S) {
        double rate = mdl_arrivals_rate(&producer->maker.arrivals, t);
        bool same = n > 0 && !(rates[n - 1].per_s < rate) && !(rates[n - 1].per_s > rate);
        if (!same && n < most) {
            rates[n++] = (struct mdl_drain_rate){ mdl_plan_after(p, t), rate };
        }
    }
    c->rates = rates;
    c->rate_count = n;
    return SQ_OK;
}

/* How often the broker delivers a job at most; a retry that is a new message begins anew. */
static double receives_max(const struct mdl_plan *p, const struct mdl_producer *producer)
{
    for (size_t i = 0; i < p->w->queue_count; i++) {
        const struct mdl_queue *q = &p->w->queues[i];
        if (q->id == producer->queue && q->cfg->retry_as == MDL_RETRY_SAME &&
            q->cfg->max_receives != SQ_UNLIMITED) {
            return (double)q->cfg->max_receives;
        }
    }
    return (double)INFINITY;
}

/* The kernels of the job layer; made once per pool, kept by the plan. */
static void set_retries(struct mdl_plan *p, const struct mdl_producer *producer,
                        struct mdl_drain_class *c)
{
    const struct mdl_workers *pool = mdl_plan_pool_of(p, producer->queue);
    const struct mdl_retry_cfg *retry = pool->cfg->retry;
    struct mdl_kernels *k = &p->kernels[pool - p->w->pools];
    if (retry == NULL || mdl_retry_limit(retry) == 1) {
        return;
    }
    if (k->count == 0 && mdl_kernels_init(k, retry, 1, KERNEL_BINS) != SQ_OK) {
        p->no_memory = true;
        return;
    }
    int64_t limit = mdl_retry_limit(retry);
    c->kernels = k;
    c->attempts_max = limit == SQ_UNLIMITED ? (double)INFINITY : (double)limit;
    c->receives_max = receives_max(p, producer);
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

/* Calls of an attempt to the dependency. */
static double times_of(const struct mdl_plan *p, const struct mdl_workers *pool)
{
    int k = pool != NULL ? sq_map_find(&pool->cfg->calls, p->dep->name) : -1;
    return k < 0 ? 1
                 : ((const struct mdl_calls_cfg *)sq_map_at(&pool->cfg->calls, (size_t)k))->times;
}

static enum sq_status set_classes(struct mdl_plan *p)
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
            .calls_per_job = cfg->service_scale * times_of(p, mdl_plan_pool_of(p, producer->queue)),
            .work_s = sq_dist_mean_s(work),
        };
        enum sq_status status = SQ_OK;
        const struct mdl_workers *pool = mdl_plan_pool_of(p, producer->queue);
        if (pool != NULL) {
            set_retries(p, producer, &classes[i]);
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

static struct mdl_drain_jobs jobs_of(const struct mdl_plan *p, const struct mdl_job *job)
{
    return (struct mdl_drain_jobs){
        .count = 1,
        .cls = job->producer,
        .affected = (job->flags & MDL_JOB_BEFORE_T1) != 0,
        .deferred = job->state == MDL_JOB_DEFERRED,
        .dead = (job->flags & MDL_JOB_OVERTAKEN) != 0,
        .deadline_s = mdl_plan_after(p, mdl_job_deadline(&p->w->ctx, job)),
        .failures = job->failures,
    };
}

static void add_ready(struct mdl_plan *p, const struct mdl_job *job)
{
    if (p->in.ready_count < p->ready_size) {
        p->ready[p->in.ready_count] = jobs_of(p, job);
    }
    p->in.ready_count++;
}

/* It is tried again then. */
static void add_timer(struct mdl_plan *p, const struct mdl_job *job)
{
    if (p->in.timer_count < p->timer_size) {
        struct mdl_drain_jobs j = jobs_of(p, job);
        j.due_s = fmax(mdl_plan_after(p, job->since_ns), 0);
        p->timers[p->in.timer_count] = j;
    }
    p->in.timer_count++;
}

/* A job whose call is under way, or whose call waits at the control. */
static void add_run(struct mdl_plan *p, const struct mdl_workers *pool, const struct mdl_run *run)
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
    if (p->in.hand_count >= p->hand_size) {
        p->in.hand_count++;
        return;
    }
    /* At T1: it left while the dependency was down, is refused, and tries again. Later: as long as
     * calls take. */
    bool refused = p->now == c->t1_ns && pool->cfg->retry != NULL;
    sq_time_t takes = p->now == c->t1_ns
                          ? p->dep->nodes[0]->refusal_delay
                          : sq_time_from_s(sq_dist_mean_s(&p->dep->nodes[0]->room.service));
    sq_time_t ends = sq_time_add(call->left_ns, takes);
    struct mdl_drain_jobs as = jobs_of(p, job);
    double ends_s = fmax(mdl_plan_after(p, ends), 0);
    p->hands[p->in.hand_count++] = (struct mdl_drain_hand){
        .count = 1,
        .cls = as.cls,
        .affected = as.affected,
        .deadline_s = as.deadline_s,
        .ends_s = ends_s,
        .again_s = refused ? (double)NAN : (p->now == c->t1_ns ? ends_s : (double)INFINITY),
        .failures = job->failures
    };
}

static void add_runs(struct mdl_plan *p, const struct mdl_workers *pool,
                     const struct mdl_line *line)
{
    for (uint32_t run = line->head; run != 0;) {
        const struct mdl_run *state = mdl_run_at(&pool->caller, run);
        add_run(p, pool, state);
        run = state->next;
    }
}

static void add_pool(struct mdl_plan *p, const struct mdl_workers *pool)
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

static void add_queue(struct mdl_plan *p, const struct mdl_queue *q)
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
static void add_timers(struct mdl_plan *p)
{
    const struct mdl_ctx *c = &p->w->ctx;
    for (uint32_t slot = 1; slot <= c->jobs.fresh; slot++) {
        const struct mdl_job *job = mdl_job_at(c, slot);
        if (!mdl_job_lives(c, slot) || job->producer >= p->w->producer_count) {
            continue; /* free, or a client's own */
        }
        bool delayed = job->state == MDL_JOB_DELAYED || job->state == MDL_JOB_DEFERRED;
        if (delayed && mdl_plan_pool_of(p, p->w->producers[job->producer].queue) != NULL) {
            add_timer(p, job);
        }
    }
}

/* T1 at time 0, and the jobs of that instant have not come yet: they stand first in the queue. */
static void add_backlogs(struct mdl_plan *p)
{
    for (size_t i = 0; p->now == 0 && i < p->w->producer_count; i++) {
        const struct mdl_producer *producer = &p->w->producers[i];
        if (producer->cfg->backlog == 0 || producer->maker.made > 0 ||
            mdl_plan_pool_of(p, producer->queue) == NULL) {
            continue;
        }
        if (p->in.ready_count < p->ready_size) {
            p->ready[p->in.ready_count] =
                (struct mdl_drain_jobs){ .count = (double)producer->cfg->backlog,
                                         .cls = (uint32_t)i,
                                         .deadline_s = p->in.classes[i].deadline_s };
        }
        p->in.ready_count++;
    }
}

static void add_all(struct mdl_plan *p)
{
    struct mdl_world *w = p->w;
    p->in.ready_count = p->in.timer_count = p->in.hand_count = 0;
    for (size_t i = 0; i < w->pool_count; i++) {
        if (mdl_plan_pool_calls(p, &w->pools[i])) {
            add_pool(p, &w->pools[i]);
        }
    }
    for (size_t i = 0; i < w->queue_count; i++) {
        if (mdl_plan_pool_of(p, w->queues[i].id) != NULL) {
            add_queue(p, &w->queues[i]);
        }
    }
    add_timers(p);
    add_backlogs(p);
}

/* They are counted first, then written down: memory that is not needed is not cleared either. */
static enum sq_status set_jobs(struct mdl_plan *p)
{
    add_all(p);
    p->ready_size = p->in.ready_count;
    p->timer_size = p->in.timer_count;
    p->hand_size = p->in.hand_count;
    p->ready = sq_arena_alloc(p->arena, p->ready_size + 1, sizeof(*p->ready));
    p->timers = sq_arena_alloc(p->arena, p->timer_size + 1, sizeof(*p->timers));
    p->hands = sq_arena_alloc(p->arena, p->hand_size + 1, sizeof(*p->hands));
    if (p->ready == NULL || p->timers == NULL || p->hands == NULL) {
        return SQ_NOMEM;
    }
    add_all(p);
    p->in.ready = p->ready;
    p->in.timers = p->timers;
    p->in.hands = p->hands;
    return SQ_OK;
}

static double backlog_limit(const struct mdl_plan *p)
{
    double most = 0;
    for (size_t i = 0; i < p->w->queue_count; i++) {
        if (mdl_plan_pool_of(p, p->w->queues[i].id) != NULL) {
            most += (double)p->w->probe->marks.queues[i].limit;
        }
    }
    return most;
}

static bool limits_itself(const struct mdl_plan *p)
{
    return p->dep->cfg->rate_limit.kind != NULL;
}

static enum sq_status say(const struct mdl_plan *p, const struct mdl_drain_result *r,
                          struct mdl_forecasts *out)
{
    struct sq_buf b = { 0 };
    if (limits_itself(p)) {
        sq_buf_printf(&b,
                      "none: %s limits calls at the server, and what it refuses depends on the "
                      "gaps between them",
                      p->dep->name);
    } else {
        mdl_outlook_say(r, &b);
    }
    out->text = b.failed || b.text == NULL ? NULL : sq_arena_text(p->arena, b.text, b.len);
    sq_buf_fini(&b);
    return out->text != NULL ? SQ_OK : SQ_NOMEM;
}

enum sq_status mdl_plan_open(struct mdl_plan *p, struct mdl_world *w, struct sq_arena *arena)
{
    *p = (struct mdl_plan){ .w = w, .dep = affected(w), .arena = arena, .now = mdl_now(&w->ctx) };
    if (p->dep == NULL || w->queue_count == 0) {
        p->dep = NULL;
        return SQ_OK;
    }
    p->kernels = sq_arena_alloc(p->arena, w->pool_count + 1, sizeof(*p->kernels));
    enum sq_status status = p->kernels != NULL ? set_classes(p) : SQ_NOMEM;
    status = status == SQ_OK && p->no_memory ? SQ_NOMEM : status;
    if (status == SQ_OK) {
        status = set_jobs(p);
    }
    if (status == SQ_OK) {
        status = mdl_plan_gate(p);
    }
    mdl_plan_callers(p);
    mdl_plan_service(p);
    p->in.arrivals_end_s = mdl_plan_after(p, w->ctx.duration_ns);
    p->in.backlog_max = backlog_limit(p);
    p->in.settle_s = sq_time_to_s(w->cfg.health->settle);
    return status;
}

void mdl_plan_fini(struct mdl_plan *p)
{
    for (size_t i = 0; p->kernels != NULL && i < p->w->pool_count; i++) {
        mdl_kernels_fini(&p->kernels[i]);
    }
}

/* A limit at the server is part of what it can do, so the division knows it. No plan does, nor
 * whether it keeps away what would trip an overload rule. */
static enum sq_status forecast(struct mdl_plan *p, struct mdl_forecasts *out)
{
    struct mdl_drain_result r;
    if (limits_itself(p)) {
        p->in.gate.rate_per_s =
            fmin(p->in.gate.rate_per_s, mdl_limiter_rate(&p->dep->cfg->rate_limit));
        p->in.service.overload_in_flight = (double)INFINITY;
    }
    enum sq_status status = mdl_drain(&p->in, NULL, &r);
    if (status != SQ_OK) {
        return status;
    }
    *out = (struct mdl_forecasts){ .naive_s = r.naive_s,
                                   .planned_s = r.planned_s,
                                   .planned_last_s = r.planned_last_job_s,
                                   .state = mdl_drain_word(r.state) };
    if (limits_itself(p)) {
        out->planned_s = out->planned_last_s = (double)NAN;
        out->state = NULL;
    }
    p->arena = &p->w->ctx.arena;
    return p->now == p->w->ctx.t1_ns ? say(p, &r, out) : SQ_OK;
}

enum sq_status mdl_plan_at_t1(struct mdl_world *w, struct mdl_forecasts *out)
{
    struct sq_arena *memory = &w->probe->foresight.memory;
    struct mdl_plan p;
    sq_arena_reset(memory);
    enum sq_status status = mdl_plan_open(&p, w, memory);
    p.in.memory = memory;
    p.in.clear_only = p.now != w->ctx.t1_ns;
    if (w->ctx.tail_ns == 0) { /* the run ends with its arrivals, the world does not */
        p.in.arrivals_end_s = (double)INFINITY;
    }
    if (status == SQ_OK && p.dep != NULL) {
        status = forecast(&p, out);
    }
    mdl_plan_fini(&p);
    return status;
}
