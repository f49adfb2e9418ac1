/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_columns.c - the timeline's columns, one line each. */
#include "models/mdl_columns.h"

#include "models/mdl_timeline.h"

#include <math.h>

struct adder {
    struct mdl_probe *p;
    const char *kind, *name;
    enum sq_status status;
};

static void add(struct adder *a, const char *quantity, struct mdl_watched w)
{
    if (a->status != SQ_OK) {
        return;
    }
    char *name = sq_arena_printf(&a->p->world->ctx.arena, "%s.%s.%s", a->kind, a->name, quantity);
    a->status = name != NULL ? mdl_timeline_add(a->p->timeline, w, name) : SQ_NOMEM;
}

static void counter(struct adder *a, const char *quantity, uint64_t *what, bool banded)
{
    add(a, quantity, (struct mdl_watched){ MDL_WATCH_COUNTER, what, NULL, banded });
}

static void level(struct adder *a, const char *quantity, struct sq_level *what, bool banded)
{
    add(a, quantity, (struct mdl_watched){ MDL_WATCH_LEVEL, what, NULL, banded });
}

static void figure(struct adder *a, const char *quantity, mdl_figure *f, void *what)
{
    add(a, quantity, (struct mdl_watched){ MDL_WATCH_FIGURE, what, f, false });
}

static double capacity(void *dependency)
{
    return mdl_dependency_capacity(dependency);
}

/* Above so many calls inside for a while it falls over. */
static double overload(void *dependency)
{
    return (double)((const struct mdl_dependency *)dependency)->cfg->overload->in_flight;
}

static double hit_ratio(void *dependency)
{
    return ((const struct mdl_dependency *)dependency)->cfg->cache->now;
}

static double nodes_up(void *dependency)
{
    return (double)mdl_dependency_serving(dependency);
}

static double limit(void *dependency)
{
    int64_t l = mdl_gate_limit(&((struct mdl_dependency *)dependency)->gate);
    return l == SQ_UNLIMITED ? (double)NAN : (double)l;
}

/* 0 closed, 1 open, 2 half-open. */
static double breaker(void *dependency)
{
    return (double)mdl_gate_breaker_state(&((struct mdl_dependency *)dependency)->gate);
}

static double budget_left(void *dependency)
{
    return mdl_budgets_rest(((struct mdl_dependency *)dependency)->gate.budgets);
}

static double oldest(void *queue)
{
    return sq_time_to_s(mdl_queue_oldest(queue));
}

/* Jobs that wait: ready, or for their time. */
static double backlog(void *queue)
{
    struct mdl_queue *q = queue;
    return (double)(q->ready.now + q->delayed.now);
}

static double wanted(void *pool)
{
    return (double)((struct mdl_workers *)pool)->wanted;
}

static double dead_letters(void *queue)
{
    return (double)mdl_queue_letters(queue);
}

static void dependency_columns(struct mdl_probe *p, size_t i, struct adder *a)
{
    struct mdl_dependency *d = &p->world->dependencies[i];
    struct mdl_call_counts *bin = &p->deps[i].bin;
    counter(a, "calls_first_per_s", &bin->first, true);
    counter(a, "calls_retry_per_s", &bin->retry, true);
    counter(a, "calls_late_retry_per_s", &bin->late, false);
    counter(a, "goodput_per_s", &bin->seen[MDL_SEEN_GOODPUT], true);
    counter(a, "refused_per_s", &bin->seen[MDL_SEEN_REFUSED], false);
    counter(a, "errors_per_s", &bin->seen[MDL_SEEN_ERRORS], false);
    counter(a, "timeouts_per_s", &bin->seen[MDL_SEEN_TIMEOUTS], false);
    counter(a, "wasted_per_s", &bin->wasted, false);
    counter(a, "duplicate_effects_per_s", &p->deps[i].bin_duplicates, false);
    level(a, "in_flight", &d->load.in_flight, true);
    add(a, "in_flight_max", (struct mdl_watched){ MDL_WATCH_MAX, &d->load.in_flight, NULL, false });
    figure(a, "capacity_per_s", capacity, d);
    if (d->cfg->overload != NULL && d->cfg->overload->in_flight > 0 &&
        d->cfg->overload->per == MDL_PER_DEPENDENCY) {
        figure(a, "overload_in_flight", overload, d);
    }
    if (d->cfg->cache != NULL) {
        figure(a, "hit_ratio", hit_ratio, d);
    }
    if (d->cfg->nodes > 1 || d->varies) {
        level(a, "nodes", &d->existing, false);
        figure(a, "nodes_up", nodes_up, d);
    }
}

static void control_columns(struct mdl_probe *p, size_t i, struct adder *a)
{
    struct mdl_dependency *d = &p->world->dependencies[i];
    if (d->gate.active) {
        a->kind = "control";
        figure(a, "limit", limit, d);
        level(a, "in_use", &d->gate.in_use, true);
        level(a, "waiting", &d->gate.waiting, false);
        if (d->gate.cfg->breaker != NULL) {
            figure(a, "breaker", breaker, d);
        }
        if (d->gate.budgets != NULL) {
            figure(a, "budget_left", budget_left, d);
        }
    }
}

static void queue_columns(struct mdl_probe *p, size_t i, struct adder *a)
{
    struct mdl_queue *q = &p->world->queues[i];
    level(a, "ready", &q->ready, true);
    level(a, "delayed", &q->delayed, true);
    level(a, "in_flight", &q->leased, false);
    add(a, "backlog", (struct mdl_watched){ MDL_WATCH_FIGURE, q, backlog, true });
    figure(a, "oldest_s", oldest, q);
    figure(a, "dead_letters", dead_letters, q);
    if (q->cfg->overflow == MDL_OVERFLOW_BLOCK) {
        level(a, "blocked", &q->blocked, false);
    }
    counter(a, "redelivered_per_s", &p->queues[i].bin_redelivered, false);
}

static void pool_columns(struct mdl_probe *p, size_t i, struct adder *a)
{
    struct mdl_workers *w = &p->world->pools[i];
    level(a, "replicas", &w->existing, true);
    level(a, "ready_replicas", &w->ready, false);
    level(a, "busy_slots", &w->busy, false);
    if (mdl_workers_holds(w)) {
        level(a, "held", &w->held, false);
    }
    if (w->cfg->autoscaler.kind != NULL) {
        figure(a, "wanted_replicas", wanted, w);
        level(a, "slots", &w->ready_slots, false);
    }
}

/* Seconds until the queue is clear, by the forecast made in this bin. */
static double drain_s(void *probe)
{
    return ((const struct mdl_probe *)probe)->foresight.now_s;
}

static void forecast_column(struct mdl_probe *p, struct adder *a)
{
    if (a->status == SQ_OK && p->world->scenario->t1 != SQ_NEVER && p->world->queue_count > 0) {
        struct mdl_watched w = { MDL_WATCH_FIGURE, p, drain_s, false };
        a->status = mdl_timeline_add(p->timeline, w, "forecast.drain_s");
    }
}

enum sq_status mdl_columns_open(struct mdl_probe *p)
{
    const struct mdl_world *w = p->world;
    sq_time_t longest = sq_time_add(w->cfg.duration, w->cfg.tail);
    size_t bins = (size_t)(longest / w->cfg.timeline) + 2;
    struct adder a = { .p = p };
    a.status = mdl_timeline_open(p->timeline, w->cfg.timeline, bins);
    for (size_t i = 0; i < w->dependency_count; i++) {
        a.kind = "dependency";
        a.name = w->dependencies[i].name;
        dependency_columns(p, i, &a);
        control_columns(p, i, &a);
    }
    for (size_t i = 0; i < w->queue_count; i++) {
        a.kind = "queue";
        a.name = w->queues[i].name;
        queue_columns(p, i, &a);
    }
    for (size_t i = 0; i < w->pool_count; i++) {
        a.kind = "workers";
        a.name = w->pools[i].name;
        pool_columns(p, i, &a);
    }
    for (size_t i = 0; i < w->producer_count; i++) {
        a.kind = "producer";
        a.name = w->producers[i].name;
        counter(&a, "arrivals_per_s", &p->producers[i].bin_arrived, false);
    }
    for (size_t i = 0; i < w->client_count; i++) {
        a.kind = "client";
        a.name = w->clients[i].name;
        counter(&a, "arrivals_per_s", &p->producers[w->clients[i].index].bin_arrived, false);
        level(&a, "running", &w->clients[i].running, true);
        level(&a, "delayed", &w->clients[i].delayed, true);
    }
    forecast_column(p, &a);
    return a.status;
}
