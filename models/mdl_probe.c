/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_probe.c - counting what records say. What the counts mean in the end is in mdl_metrics.c, the
 * moments are put into words in mdl_moments.c. */
#include "models/mdl_probe.h"

#include "models/mdl_columns.h"
#include "models/mdl_histograms.h"
#include "models/mdl_moments.h"
#include "models/mdl_timeline.h"

#include <math.h>

/* Whether what begins now is measured. */
static bool is_measured(const struct mdl_probe *p)
{
    return mdl_now(&p->world->ctx) >= p->world->ctx.measure_from_ns;
}

/* ---- calls ---- */

static const uint8_t seen_as[MDL_ERROR_COUNT] = {
    [MDL_ERR_OK] = MDL_SEEN_GOODPUT,           [MDL_ERR_REFUSED] = MDL_SEEN_REFUSED,
    [MDL_ERR_RATE_LIMITED] = MDL_SEEN_REFUSED, [MDL_ERR_UNAVAILABLE] = MDL_SEEN_REFUSED,
    [MDL_ERR_RESET] = MDL_SEEN_ERRORS,         [MDL_ERR_TIMEOUT] = MDL_SEEN_TIMEOUTS,
    [MDL_ERR_ERROR] = MDL_SEEN_ERRORS,         [MDL_ERR_CONFLICT] = MDL_SEEN_ERRORS,
    [MDL_ERR_THROTTLED] = MDL_SEEN_ERRORS,     [MDL_ERR_BREAKER_OPEN] = MDL_SEEN_ERRORS,
    [MDL_ERR_PERMANENT] = MDL_SEEN_ERRORS,     [MDL_ERR_CANCELLED] = MDL_SEEN_CANCELLED,
};

void mdl_probe_close_second(struct mdl_dep_tally *d, sq_time_t t1)
{
    struct mdl_second *s = &d->second;
    if (s->calls > d->peak) {
        d->peak = s->calls;
        d->peak_at = s->number;
    }
    if (t1 != SQ_NEVER && s->number * SQ_NS_PER_S >= t1) {
        d->recovery_peak = s->calls > d->recovery_peak ? s->calls : d->recovery_peak;
        d->peak_up = s->up > d->peak_up ? s->up : d->peak_up;
    }
}

static void count_second(struct mdl_probe *p, struct mdl_dep_tally *d, bool up)
{
    sq_time_t t1 = p->world->ctx.t1_ns;
    int64_t second = mdl_now(&p->world->ctx) / SQ_NS_PER_S;
    if (second != d->second.number) {
        mdl_probe_close_second(d, t1);
        d->second = (struct mdl_second){ .number = second };
    }
    d->second.calls++;
    d->second.up += up ? 1 : 0;
}

static void on_call_left(struct mdl_probe *p, const struct mdl_rec *r, size_t i)
{
    struct mdl_dep_tally *d = &p->deps[i];
    bool first = r->outcome == 1;
    d->all.first += first ? 1 : 0;
    d->all.retry += first ? 0 : 1;
    d->bin.first += first ? 1 : 0;
    d->bin.retry += first ? 0 : 1;
    d->bin.late += !first && r->attempt > 2 ? 1 : 0;
    if (p->spread.herd != NULL) {
        mdl_spread_call(&p->spread, i, first, mdl_now(&p->world->ctx) - p->world->ctx.t1_ns);
    }
    if ((r->flags & MDL_CALL_MEASURED) != 0) {
        d->measured.first += first ? 1 : 0;
        d->measured.retry += first ? 0 : 1;
        d->baseline_calls += mdl_now(&p->world->ctx) < p->world->scenario->t0 ? 1 : 0;
        count_second(p, d, mdl_dependency_is_up(&p->world->dependencies[i]));
    }
}

static void on_call_ended(struct mdl_probe *p, const struct mdl_rec *r, size_t i)
{
    struct mdl_dep_tally *d = &p->deps[i];
    enum mdl_seen seen = (enum mdl_seen)seen_as[r->outcome];
    d->all.seen[seen]++;
    d->bin.seen[seen]++;
    if (seen != MDL_SEEN_CANCELLED) {
        mdl_marks_try(&p->marks, i, seen != MDL_SEEN_GOODPUT);
    }
    if ((r->flags & MDL_CALL_MEASURED) != 0) {
        d->measured.seen[seen]++;
        if (seen == MDL_SEEN_GOODPUT) {
            sq_sample_add(&d->latency, r->value);
        }
    }
}

static void on_wasted(struct mdl_probe *p, const struct mdl_rec *r, size_t i)
{
    struct mdl_dep_tally *d = &p->deps[i];
    d->all.wasted++;
    d->bin.wasted++;
    d->measured.wasted += (r->flags & MDL_CALL_MEASURED) != 0 ? 1 : 0;
}

/* ---- backlog ---- */

/* Jobs of a queue that wait at a control, in whichever pool. */
static int64_t waiting_at_controls(const struct mdl_probe *p, size_t queue)
{
    const struct mdl_world *w = p->world;
    int64_t sum = 0;
    for (size_t i = 0; i < w->producer_count; i++) {
        if (w->producers[i].queue == w->queues[queue].id) {
            sum += w->ctx.waiting[i];
        }
    }
    return sum;
}

static void see_backlog(struct mdl_probe *p, size_t queue)
{
    int64_t backlog =
        mdl_queue_actionable(&p->world->queues[queue]) + waiting_at_controls(p, queue);
    mdl_marks_backlog(&p->marks, queue, mdl_now(&p->world->ctx), backlog);
}

void mdl_probe_backlogs(struct mdl_probe *p)
{
    for (size_t i = 0; i < p->world->queue_count; i++) {
        see_backlog(p, i);
    }
}

/* ---- jobs ---- */

static void on_job_arrived(struct mdl_probe *p, const struct mdl_rec *r)
{
    const struct mdl_ctx *c = &p->world->ctx;
    struct mdl_producer_tally *t = &p->producers[r->producer];
    p->arrived++;
    t->bin_arrived++;
    sq_level_move(&p->jobs, mdl_now(c), 1);
    if ((r->flags & MDL_JOB_MEASURED) != 0) {
        t->measured.arrived++;
    }
    if ((r->flags & MDL_JOB_BEFORE_T1) != 0) {
        p->before_t1++;
    } else {
        p->arrived_after_t1++;
    }
}

static void on_job_ended(struct mdl_probe *p, const struct mdl_rec *r)
{
    const struct mdl_ctx *c = &p->world->ctx;
    struct mdl_producer_tally *t = &p->producers[r->producer];
    p->ended[r->outcome]++;
    p->time_in_system += (unsigned __int128)(uint64_t)r->value;
    sq_level_move(&p->jobs, mdl_now(c), -1);
    if ((r->flags & MDL_JOB_MEASURED) != 0) {
        t->measured.ends[r->outcome]++;
        mdl_spread_job(&p->spread, r->attempt);
        if (r->outcome == MDL_END_COMPLETED) {
            sq_sample_add(&t->delay, r->value);
        }
    }
    if ((r->flags & MDL_JOB_BEFORE_T1) != 0) {
        p->before_t1--;
        p->last_job = p->before_t1 == 0 ? mdl_now(c) : p->last_job;
    }
    const unsigned both = MDL_JOB_OUTAGE | MDL_JOB_MEASURED;
    if ((r->flags & both) == both && mdl_now(c) < c->t1_ns) {
        p->outage_ends[r->outcome]++;
    }
}

static void on_attempt(struct mdl_probe *p, const struct mdl_rec *r)
{
    if (is_measured(p)) {
        p->attempts++;
        p->retries += r->attempt > 1 ? 1 : 0;
        p->attempts_max = r->attempt > p->attempts_max ? r->attempt : p->attempts_max;
    }
}

/* ---- dependencies ---- */

static void see_down(struct mdl_probe *p, size_t i)
{
    sq_time_t now = mdl_now(&p->world->ctx);
    struct mdl_dep_tally *d = &p->deps[i];
    const struct mdl_dependency *dep = &p->world->dependencies[i];
    bool down = !mdl_dependency_is_up(dep);
    if (d->down.now == 1 && !down) {
        d->back_at = now;
        d->back_first = d->all.first;
        d->back_retry = d->all.retry;
    }
    sq_level_set(&d->down, now, down ? 1 : 0);
    mdl_marks_down(&p->marks, i, now, down);
}

static void on_collapse(struct mdl_probe *p, size_t i)
{
    sq_time_t now = mdl_now(&p->world->ctx), t1 = p->world->ctx.t1_ns;
    struct mdl_dep_tally *d = &p->deps[i];
    if (t1 == SQ_NEVER || now >= t1) {
        d->secondary++;
        d->secondary_measured += is_measured(p) ? 1 : 0;
        if (d->first_relapse == SQ_NEVER && t1 != SQ_NEVER && is_measured(p)) {
            d->first_relapse = now - t1;
        }
    }
    see_down(p, i);
}

static void on_throttled(struct mdl_probe *p, const struct mdl_rec *r, size_t i)
{
    struct mdl_dep_tally *d = &p->deps[i];
    if (!is_measured(p)) {
        return;
    }
    d->deferred += r->outcome == 0 ? 1 : 0;
    d->waited += r->outcome == 1 ? 1 : 0;
    d->rejected += r->outcome == 2 ? 1 : 0;
}

/* ---- the stream of records ---- */

static void observe_queue(struct mdl_probe *p, const struct mdl_rec *r, size_t i)
{
    struct mdl_queue_tally *q = &p->queues[i];
    if (r->kind == MDL_REC_JOB_DELIVERED && (r->flags & MDL_JOB_MEASURED) != 0) {
        sq_sample_add(&q->wait, r->value);
    }
    if (r->kind == MDL_REC_JOB_DELIVERED && (r->flags & MDL_JOB_RETURNED) != 0) {
        q->redelivered += is_measured(p) ? 1 : 0;
        q->bin_redelivered++;
    }
    if (r->kind == MDL_REC_JOB_ENDED) {
        on_job_ended(p, r);
    } else if (r->kind == MDL_REC_JOB_ARRIVED) { /* from the dead letters */
        on_job_arrived(p, r);
        q->redriven += is_measured(p) ? 1 : 0;
    }
    see_backlog(p, i);
}

static void observe_dependency(struct mdl_probe *p, const struct mdl_rec *r, size_t i)
{
    switch ((int)r->kind) { /* the few kinds that matter here */
    case MDL_REC_CALL_LEFT:
        on_call_left(p, r, i);
        if (p->world->dependencies[i].gate.active) {
            mdl_probe_backlogs(p);
        }
        break;
    case MDL_REC_CALL_ENDED:
        on_call_ended(p, r, i);
        break;
    case MDL_REC_CALL_WASTED:
        on_wasted(p, r, i);
        break;
    case MDL_REC_CALL_REPEATED:
        p->deps[i].duplicates += (r->flags & MDL_CALL_MEASURED) != 0 ? 1 : 0;
        p->deps[i].bin_duplicates++;
        break;
    case MDL_REC_THROTTLED:
        on_throttled(p, r, i);
        mdl_probe_backlogs(p);
        break;
    case MDL_REC_OUTAGE:
    case MDL_REC_OUTAGE_OVER:
    case MDL_REC_COLLAPSE_OVER:
        see_down(p, i);
        break;
    case MDL_REC_COLLAPSE:
        on_collapse(p, i);
        break;
    case MDL_REC_BREAKER:
        p->deps[i].breaker_opens += r->outcome == MDL_BREAKER_OPEN && is_measured(p) ? 1 : 0;
        break;
    case MDL_REC_DENIED:
        p->deps[i].budget_denied += r->outcome == 0 && is_measured(p) ? 1 : 0;
        break;
    case MDL_REC_RAMP_START:
        p->deps[i].ramp_relapses += r->outcome == 2 && is_measured(p) ? 1 : 0;
        break;
    default:
        break;
    }
}

static void observe_client(struct mdl_probe *p, const struct mdl_rec *r)
{
    if (r->kind == MDL_REC_JOB_ARRIVED) {
        on_job_arrived(p, r);
    } else if (r->kind == MDL_REC_ATTEMPT) {
        on_attempt(p, r);
    } else if (r->kind == MDL_REC_JOB_ENDED) {
        on_job_ended(p, r);
        size_t lane = p->world->dependency_count + r->producer - p->world->producer_count;
        mdl_marks_try(&p->marks, lane, r->outcome != MDL_END_COMPLETED);
    }
}

static void observe(void *self, const struct mdl_rec *r)
{
    struct mdl_probe *p = self;
    const struct mdl_actor *a = &p->actors[r->entity];
    switch ((enum mdl_section)a->section) {
    case MDL_SEC_QUEUE:
        observe_queue(p, r, a->index);
        break;
    case MDL_SEC_DEPENDENCY:
        observe_dependency(p, r, a->index);
        break;
    case MDL_SEC_PRODUCER:
        on_job_arrived(p, r);
        break;
    case MDL_SEC_CLIENT:
        observe_client(p, r);
        break;
    case MDL_SEC_POOL:
        if (r->kind == MDL_REC_ATTEMPT) {
            on_attempt(p, r);
        }
        break;
    case MDL_SEC_OTHER:
        break;
    }
    if (p->tells && mdl_moments_care(r->kind)) {
        mdl_moments_see(p, r);
    }
    if (p->tells && mdl_life_cares(&p->life, r)) {
        mdl_life_see(p, r);
    }
}

/* ---- opening and closing ---- */

bool mdl_probe_failed(const struct mdl_probe *p)
{
    bool failed = p->failed || p->marks.failed;
    for (size_t i = 0; i < p->world->dependency_count; i++) {
        failed = failed || p->deps[i].latency.failed;
    }
    for (size_t i = 0; i < p->world->queue_count; i++) {
        failed = failed || p->queues[i].wait.failed;
    }
    for (size_t i = 0; i < p->world->ctx.source_count; i++) {
        failed = failed || p->producers[i].delay.failed;
    }
    return failed;
}

/* What called dependencies call is called too. */
static void follow_calls(struct mdl_probe *p)
{
    const struct mdl_world *w = p->world;
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < w->dependency_count; i++) {
            const struct sq_map *calls = &w->dependencies[i].cfg->calls;
            for (size_t k = 0; k < w->dependency_count && p->marks.called[i]; k++) {
                bool adds = !p->marks.called[k] && sq_map_find(calls, w->dependencies[k].name) >= 0;
                p->marks.called[k] |= adds;
                more |= adds;
            }
        }
    }
}

static void map_actors(struct mdl_probe *p)
{
    const struct mdl_world *w = p->world;
    for (uint16_t i = 0; i < w->producer_count; i++) {
        p->actors[w->producers[i].id] = (struct mdl_actor){ MDL_SEC_PRODUCER, i };
    }
    for (uint16_t i = 0; i < w->client_count; i++) {
        p->actors[w->clients[i].id] = (struct mdl_actor){ MDL_SEC_CLIENT, i };
    }
    for (uint16_t i = 0; i < w->queue_count; i++) {
        p->actors[w->queues[i].id] = (struct mdl_actor){ MDL_SEC_QUEUE, i };
    }
    for (uint16_t i = 0; i < w->pool_count; i++) {
        p->actors[w->pools[i].id] = (struct mdl_actor){ MDL_SEC_POOL, i };
    }
    for (uint16_t i = 0; i < w->dependency_count; i++) {
        p->actors[w->dependencies[i].id] = (struct mdl_actor){ MDL_SEC_DEPENDENCY, i };
        p->deps[i].first_relapse = p->deps[i].back_at = SQ_NEVER;
        p->deps[i].second.number = p->deps[i].peak_at = -1;
    }
}

static enum sq_status open_marks(struct mdl_probe *p)
{
    struct mdl_world *w = p->world;
    const struct mdl_health_cfg *h = w->cfg.health;
    struct mdl_marks_ask ask = { .bin = w->cfg.timeline,
                                 .window = h->window,
                                 .settle = h->settle,
                                 .t1 = w->ctx.t1_ns,
                                 .longest = sq_time_add(w->cfg.duration, w->cfg.tail),
                                 .failure_share = h->failure_share,
                                 .backlog = h->backlog,
                                 .queue_count = w->queue_count,
                                 .dependency_count = w->dependency_count,
                                 .client_count = w->client_count };
    enum sq_status status = mdl_marks_init(&p->marks, &ask, &w->ctx.arena);
    if (status != SQ_OK) {
        return status;
    }
    for (size_t i = 0; i < w->pool_count; i++) {
        const struct sq_map *calls = &w->pools[i].cfg->calls;
        for (size_t k = 0; k < w->dependency_count; k++) {
            p->marks.called[k] |= sq_map_find(calls, w->dependencies[k].name) >= 0;
        }
    }
    follow_calls(p);
    if (w->scenario->t0 == SQ_NEVER) {
        mdl_marks_baseline(&p->marks, 0, 0);
    }
    return SQ_OK;
}

enum sq_status mdl_probe_open(struct mdl_world *w)
{
    struct sq_arena *arena = &w->ctx.arena;
    struct mdl_probe *p = sq_arena_alloc(arena, 1, sizeof(*p));
    if (p == NULL) {
        return SQ_NOMEM;
    }
    w->probe = p;
    *p = (struct mdl_probe){ .world = w, .last_job = SQ_NEVER };
    p->actors = sq_arena_alloc(arena, w->ctx.sim.actor_count + w->pool_count, sizeof(*p->actors));
    p->deps = sq_arena_alloc(arena, w->dependency_count + 1, sizeof(*p->deps));
    p->queues = sq_arena_alloc(arena, w->queue_count + 1, sizeof(*p->queues));
    p->producers = sq_arena_alloc(arena, w->ctx.source_count + 1, sizeof(*p->producers));
    p->pools = sq_arena_alloc(arena, w->pool_count + 1, sizeof(*p->pools));
    p->timeline = sq_arena_alloc(arena, 1, sizeof(*p->timeline));
    if (p->actors == NULL || p->deps == NULL || p->queues == NULL || p->producers == NULL ||
        p->pools == NULL || p->timeline == NULL) {
        w->probe = NULL; /* there is nothing to close */
        return SQ_NOMEM;
    }
    map_actors(p);
    p->foresight = (struct mdl_foresight){ .next = SQ_NEVER, .now_s = (double)NAN };
    p->forecast = (struct mdl_forecasts){ .naive_s = (double)NAN,
                                          .planned_s = (double)NAN,
                                          .planned_last_s = (double)NAN };
    w->ctx.observe = observe;
    w->ctx.probe = p;
    w->ctx.sim.advance = mdl_probe_advance;
    w->ctx.sim.advance_ctx = p;
    w->ctx.sim.advance_at = w->cfg.timeline;
    enum sq_status status = open_marks(p);
    return status == SQ_OK ? mdl_columns_open(p) : status;
}

void mdl_probe_close(struct mdl_probe *p)
{
    if (p == NULL || p->timeline == NULL) {
        return;
    }
    mdl_spread_fini(&p->spread);
    sq_arena_fini(&p->foresight.memory);
    for (size_t i = 0; i < p->world->dependency_count; i++) {
        sq_sample_fini(&p->deps[i].latency);
    }
    for (size_t i = 0; i < p->world->queue_count; i++) {
        sq_sample_fini(&p->queues[i].wait);
    }
    for (size_t i = 0; i < p->world->ctx.source_count; i++) {
        sq_sample_fini(&p->producers[i].delay);
    }
    mdl_marks_fini(&p->marks);
    mdl_timeline_fini(p->timeline);
    sq_mem_free(p->moments);
}
