/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_routes.h - who calls what, with which layers of retries: one route per caller and dependency,
 * in the order workers, clients, dependencies of the file; and the figures that advice needs of
 * them. Everything points into the scenario. */
#ifndef MDL_ROUTES_H
#define MDL_ROUTES_H

#include "models/advice/mdl_lint.h"

struct mdl_route {
    const char *path;       /* "workers.pool.calls.api" */
    const char *owner_path; /* "workers.pool" */
    const char *caller, *dependency_name;
    const struct mdl_calls_cfg *calls;
    const struct mdl_workers_cfg *workers; /* NULL: a client or dependency calls */
    const struct mdl_client_cfg *client;   /* NULL: workers or a dependency call */
    const struct mdl_queue_cfg *queue;     /* of workers: the first they fetch from */
    const char *queue_name;
    const struct mdl_retry_cfg *job_retry; /* NULL: none */
    const struct mdl_dependency_cfg *dependency;
    const struct mdl_control_cfg *control; /* NULL: none stands before it */
    double rate_per_s;                     /* jobs that reach the caller, mean over [0, duration) */
    double slots; /* jobs it runs at a time at most; infinity for clients and dependencies */
};

/* Fills l->routes. */
enum sq_status mdl_routes_open(struct mdl_lint *l) SQ_MUST_USE;

/* Jobs that come to the caller in [from, to) seconds: by its rate, and of cohorts and backlogs
 * those that arrive then. */
double mdl_jobs_between(const struct mdl_lint *l, const struct mdl_route *r, double from_s,
                        double to_s);

/* Tries of a layer, 1 for NULL, infinity without bound. */
double mdl_tries_of(const struct mdl_retry_cfg *retry);

/* Calls of its dependency that one job can cause while that dependency is down: the product of all
 * layers from the job down to this call, through service graphs too. */
double mdl_calls_per_job(const struct mdl_lint *l, const struct mdl_route *r);

/* One retry layer of a route. */
struct mdl_layer {
    const struct mdl_retry_cfg *retry;
    const char *path;     /* "workers.pool.retry" */
    const char *upstream; /* what it waits for, in words: the dependency's name */
    const struct mdl_route *route;
    bool is_call;
};

/* Calls `look` for every retry layer of the scenario once (a job layer with several routes: for its
 * first). */
void mdl_each_layer(struct mdl_lint *l,
                    void (*look)(struct mdl_lint *l, const struct mdl_layer *y));

/* Delay after the n-th failure: its mean over the jitter, and the least and longest draw. */
struct mdl_delay_span {
    double mean, least, most;
};
struct mdl_delay_span mdl_delay_after(const struct mdl_retry_cfg *retry, uint32_t n);

/* Retries that a layer makes at most (infinity: no bound), looked at up to MDL_LOOK_RETRIES; and
 * the time its mean delays take together, max_elapsed respected. */
enum { MDL_LOOK_RETRIES = 200 };
double mdl_retries_of(const struct mdl_retry_cfg *retry);
double mdl_window_s(const struct mdl_retry_cfg *retry);

/* Longest planned outage of a dependency in seconds, 0 without one. */
double mdl_outage_s(const struct mdl_dependency_cfg *d);
/* When it begins. */
double mdl_outage_from_s(const struct mdl_dependency_cfg *d);
/* Whether it fails for many callers at one time: outages of any kind, or an overload rule. */
bool mdl_fails_for_all(const struct mdl_dependency_cfg *d);

/* Calls per second that all servers can serve, infinity for unlimited ones; mean service, and its
 * quantile q, both trips of the network included, in seconds. */
double mdl_capacity_per_s(const struct mdl_dependency_cfg *d);
double mdl_service_mean_s(const struct mdl_dependency_cfg *d);
double mdl_service_quantile_s(const struct mdl_dependency_cfg *d, double q);

#endif
