/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_routes.c - who calls what, and the figures of it. */
#include "models/advice/mdl_routes.h"

#include "models/advice/mdl_rule.h"
#include "models/part/mdl_arrivals.h"
#include "models/policy/mdl_scaler.h"

#include <math.h>
#include <string.h>

enum { RATE_LOOKS = 48, DRAWS = 64 };

/* ---- rates ---- */

/* Mean rate over [0, duration), at the middles of equal parts. Cohorts and closed populations have
 * none. */
static double mean_rate(const struct mdl_lint *l, const struct sq_block *arrivals,
                        const struct sq_trace *trace)
{
    struct mdl_arrivals a = { .cfg = arrivals, .trace = trace };
    double sum = 0;
    if (mdl_arrivals_is_closed(arrivals)) {
        return 0;
    }
    for (int i = 0; i < RATE_LOOKS; i++) {
        double part = ((double)i + 0.5) / RATE_LOOKS;
        sum += mdl_arrivals_rate(&a, (sq_time_t)(part * (double)l->s->cfg.duration));
    }
    return sum / RATE_LOOKS;
}

static double queue_rate(const struct mdl_lint *l, const char *queue)
{
    const struct sq_map *producers = &l->s->cfg.producers;
    double sum = 0;
    for (size_t i = 0; i < producers->count; i++) {
        const struct mdl_producer_cfg *p = sq_map_at(producers, i);
        if (strcmp(p->queue.name, queue) == 0) {
            sum += mean_rate(l, &p->arrivals, l->s->traces[i]);
        }
    }
    return sum;
}

/* ---- routes ---- */

static bool add_route(struct mdl_lint *l, struct mdl_route *r, const struct sq_map *calls, size_t k)
{
    const struct mdl_root_cfg *cfg = &l->s->cfg;
    int dependency = sq_map_find(&cfg->dependencies, calls->names[k]);
    int control = sq_map_find(&cfg->controls, calls->names[k]);
    if (dependency < 0) {
        return false;
    }
    r->dependency_name = calls->names[k];
    r->calls = sq_map_at(calls, k);
    r->dependency = sq_map_at(&cfg->dependencies, (size_t)dependency);
    r->control = control >= 0 ? sq_map_at(&cfg->controls, (size_t)control) : NULL;
    r->path = mdl_say(l, "%s.calls.%s", r->owner_path, calls->names[k]);
    return true;
}

static double slots_of(const struct mdl_workers_cfg *w)
{
    double replicas = (double)w->replicas;
    if (w->autoscaler.kind != NULL) {
        const struct mdl_scaler_common *s = w->autoscaler.cfg;
        replicas = fmax(replicas, (double)s->max);
    }
    return replicas * (double)w->slots;
}

static size_t routes_of_workers(struct mdl_lint *l, struct mdl_route *out)
{
    const struct mdl_root_cfg *cfg = &l->s->cfg;
    size_t n = 0;
    for (size_t i = 0; i < cfg->workers.count; i++) {
        const struct mdl_workers_cfg *w = sq_map_at(&cfg->workers, i);
        const struct sq_ref *queue = sq_list_at(&w->queue, 0);
        int at = sq_map_find(&cfg->queues, queue->name);
        for (size_t k = 0; k < w->calls.count; k++) {
            struct mdl_route r = { .caller = cfg->workers.names[i],
                                   .owner_path = mdl_say(l, "workers.%s", cfg->workers.names[i]),
                                   .workers = w,
                                   .queue = at >= 0 ? sq_map_at(&cfg->queues, (size_t)at) : NULL,
                                   .queue_name = queue->name,
                                   .job_retry = w->retry,
                                   .rate_per_s = queue_rate(l, queue->name),
                                   .slots = slots_of(w) };
            out[n] = r;
            n += add_route(l, &out[n], &w->calls, k);
        }
    }
    return n;
}

static size_t routes_of_clients(struct mdl_lint *l, struct mdl_route *out)
{
    const struct mdl_root_cfg *cfg = &l->s->cfg;
    size_t n = 0;
    for (size_t i = 0; i < cfg->clients.count; i++) {
        const struct mdl_client_cfg *c = sq_map_at(&cfg->clients, i);
        const struct sq_trace *trace = l->s->traces[cfg->producers.count + i];
        for (size_t k = 0; k < c->calls.count; k++) {
            struct mdl_route r = { .caller = cfg->clients.names[i],
                                   .owner_path = mdl_say(l, "clients.%s", cfg->clients.names[i]),
                                   .client = c,
                                   .job_retry = c->retry,
                                   .rate_per_s = mean_rate(l, &c->arrivals, trace),
                                   .slots = INFINITY };
            out[n] = r;
            n += add_route(l, &out[n], &c->calls, k);
        }
    }
    return n;
}

/* Calls per second that the routes found so far send to a dependency. */
static double rate_into(const struct mdl_route *routes, size_t count, const char *dependency)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(routes[i].dependency_name, dependency) == 0) {
            sum += routes[i].rate_per_s * routes[i].calls->times;
        }
    }
    return sum;
}

static size_t routes_of_dependencies(struct mdl_lint *l, struct mdl_route *routes, size_t n)
{
    const struct mdl_root_cfg *cfg = &l->s->cfg;
    size_t first = n;
    for (size_t i = 0; i < cfg->dependencies.count; i++) {
        const struct mdl_dependency_cfg *d = sq_map_at(&cfg->dependencies, i);
        const char *name = cfg->dependencies.names[i];
        for (size_t k = 0; k < d->calls.count; k++) {
            struct mdl_route r = { .caller = name,
                                   .owner_path = mdl_say(l, "dependencies.%s", name),
                                   .slots = INFINITY };
            routes[n] = r;
            n += add_route(l, &routes[n], &d->calls, k);
        }
    }
    /* The file may name the ends of a chain before its beginning: each pass reaches one hop more.
     */
    for (size_t pass = first; pass < n; pass++) {
        for (size_t i = first; i < n; i++) {
            routes[i].rate_per_s = rate_into(routes, n, routes[i].caller);
        }
    }
    return n;
}

static size_t count_routes(const struct mdl_root_cfg *cfg)
{
    size_t n = 1;
    for (size_t i = 0; i < cfg->workers.count; i++) {
        n += ((const struct mdl_workers_cfg *)sq_map_at(&cfg->workers, i))->calls.count;
    }
    for (size_t i = 0; i < cfg->clients.count; i++) {
        n += ((const struct mdl_client_cfg *)sq_map_at(&cfg->clients, i))->calls.count;
    }
    for (size_t i = 0; i < cfg->dependencies.count; i++) {
        n += ((const struct mdl_dependency_cfg *)sq_map_at(&cfg->dependencies, i))->calls.count;
    }
    return n;
}

enum sq_status mdl_routes_open(struct mdl_lint *l)
{
    struct mdl_route *routes = sq_arena_alloc(&l->arena, count_routes(&l->s->cfg), sizeof(*routes));
    if (routes == NULL) {
        return SQ_NOMEM;
    }
    size_t n = routes_of_workers(l, routes);
    n += routes_of_clients(l, routes + n);
    n = routes_of_dependencies(l, routes, n);
    l->routes = routes;
    l->route_count = n;
    return l->failed ? SQ_NOMEM : SQ_OK;
}

/* ---- layers ---- */

double mdl_tries_of(const struct mdl_retry_cfg *retry)
{
    return retry != NULL ? mdl_retries_of(retry) + 1 : 1;
}

double mdl_calls_per_job(const struct mdl_lint *l, const struct mdl_route *r)
{
    double above = mdl_tries_of(r->job_retry);
    for (size_t i = 0; i < l->route_count && r->workers == NULL && r->client == NULL; i++) {
        if (strcmp(l->routes[i].dependency_name, r->caller) == 0) {
            above = fmax(above, mdl_calls_per_job(l, &l->routes[i]));
        }
    }
    return above * mdl_tries_of(r->calls->retry) * ceil(r->calls->times);
}

void mdl_each_layer(struct mdl_lint *l, void (*look)(struct mdl_lint *l, const struct mdl_layer *y))
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        bool first = i == 0 || strcmp(l->routes[i - 1].owner_path, r->owner_path) != 0;
        struct mdl_layer y = { .upstream = r->dependency_name, .route = r };
        if (first && r->job_retry != NULL) {
            y.retry = r->job_retry;
            y.path = mdl_say(l, "%s.retry", r->owner_path);
            look(l, &y);
        }
        if (r->calls->retry != NULL) {
            y.retry = r->calls->retry;
            y.path = mdl_say(l, "%s.retry", r->path);
            y.is_call = true;
            look(l, &y);
        }
    }
}

/* ---- delays ---- */

struct mdl_delay_span mdl_delay_after(const struct mdl_retry_cfg *retry, uint32_t n)
{
    struct mdl_delay_span span = { 0, INFINITY, 0 };
    for (int i = 0; i < DRAWS; i++) {
        double u = (i + 0.5) / DRAWS, last = 0, delay = 0;
        for (uint32_t k = 1; k <= n; k++) { /* laws with a state need all draws before */
            delay = sq_time_to_s(mdl_retry_delay(retry, k, k == n ? u : 0.5, &last));
        }
        span.mean += delay / DRAWS;
        span.least = fmin(span.least, delay);
        span.most = fmax(span.most, delay);
    }
    return span;
}

double mdl_retries_of(const struct mdl_retry_cfg *retry)
{
    int64_t limit = mdl_retry_limit(retry);
    return limit == SQ_UNLIMITED ? INFINITY : (double)(limit - 1);
}

double mdl_window_s(const struct mdl_retry_cfg *retry)
{
    double retries = mdl_retries_of(retry), sum = 0;
    double elapsed = retry->max_elapsed == SQ_NEVER ? INFINITY : sq_time_to_s(retry->max_elapsed);
    for (uint32_t n = 1; n <= fmin(retries, MDL_LOOK_RETRIES); n++) {
        sum += mdl_delay_after(retry, n).mean;
    }
    return fmin(retries > MDL_LOOK_RETRIES ? INFINITY : sum, elapsed);
}

/* ---- dependencies ---- */

/* NULL: none. */
static const struct mdl_outage_cfg *longest_outage(const struct mdl_dependency_cfg *d)
{
    const struct mdl_outage_cfg *longest = NULL;
    for (size_t i = 0; i < d->outages.count; i++) {
        const struct mdl_outage_cfg *o = mdl_outage_at(&d->outages, i);
        enum mdl_outage_kind kind = mdl_outage_kind(&d->outages, i);
        bool whole = kind == MDL_OUTAGE_DOWN || kind == MDL_OUTAGE_HANG;
        if (whole && mdl_outage_is_planned(o) &&
            (longest == NULL || mdl_outage_length(o) > mdl_outage_length(longest))) {
            longest = o;
        }
    }
    return longest;
}

double mdl_outage_s(const struct mdl_dependency_cfg *d)
{
    const struct mdl_outage_cfg *o = longest_outage(d);
    return o != NULL ? sq_time_to_s(mdl_outage_length(o)) : 0;
}

double mdl_outage_from_s(const struct mdl_dependency_cfg *d)
{
    const struct mdl_outage_cfg *o = longest_outage(d);
    return o != NULL ? sq_time_to_s(o->at) : 0;
}

static double once(const struct sq_block *arrivals, int64_t backlog, sq_time_t from, sq_time_t to)
{
    return mdl_arrivals_of_cohort(arrivals, from, to) + (from == 0 && to > 0 ? (double)backlog : 0);
}

double mdl_jobs_between(const struct mdl_lint *l, const struct mdl_route *r, double from_s,
                        double to_s)
{
    const struct sq_map *producers = &l->s->cfg.producers;
    sq_time_t from = sq_time_from_s(from_s), to = sq_time_from_s(to_s);
    double sum = to > from ? r->rate_per_s * (to_s - from_s) : 0;
    for (size_t i = 0; i < producers->count && r->workers != NULL; i++) {
        const struct mdl_producer_cfg *p = sq_map_at(producers, i);
        if (strcmp(p->queue.name, r->queue_name) == 0) {
            sum += once(&p->arrivals, p->backlog, from, to);
        }
    }
    return r->client != NULL ? sum + once(&r->client->arrivals, r->client->backlog, from, to) : sum;
}

bool mdl_fails_for_all(const struct mdl_dependency_cfg *d)
{
    return d->outages.count > 0 || d->overload != NULL;
}

double mdl_service_mean_s(const struct mdl_dependency_cfg *d)
{
    struct sq_dist service = mdl_dist_make(&d->room.service), network = mdl_dist_make(&d->network);
    return sq_dist_mean_s(&service) + 2 * sq_dist_mean_s(&network);
}

double mdl_service_quantile_s(const struct mdl_dependency_cfg *d, double q)
{
    struct sq_dist service = mdl_dist_make(&d->room.service), network = mdl_dist_make(&d->network);
    return sq_time_to_s(sq_dist_at(&service, q)) + 2 * sq_dist_mean_s(&network);
}

double mdl_capacity_per_s(const struct mdl_dependency_cfg *d)
{
    struct sq_dist service = mdl_dist_make(&d->room.service);
    double mean = sq_dist_mean_s(&service);
    if (d->room.servers == SQ_UNLIMITED || !(mean > 0)) {
        return INFINITY;
    }
    return (double)d->nodes * (double)d->room.servers / mean;
}
