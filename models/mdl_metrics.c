/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_metrics.c - one line per metric. */
#include "models/mdl_metrics.h"

#include "models/mdl_timeline.h"

#include <math.h>
#include <stdio.h>

struct out {
    struct mdl_world *w;
    mdl_metric_put *put;
    void *ctx;
    const char *kind, *name; /* prefix "kind.name." or, without a name, "kind." */
};

static void put_word(struct out *o, const char *key, double number, const char *word)
{
    char name[160];
    if (o->name != NULL) {
        (void)snprintf(name, sizeof(name), "%s.%s.%s", o->kind, o->name, key);
    } else {
        (void)snprintf(name, sizeof(name), "%s.%s", o->kind, key);
    }
    o->put(o->ctx, name, number, word);
}

static void put(struct out *o, const char *key, double number)
{
    put_word(o, key, number, NULL);
}

static void put_count(struct out *o, const char *key, uint64_t number)
{
    put_word(o, key, (double)number, NULL);
}

/* Seconds from T1 to an instant; null when there is none or no T1. */
static double since_t1(const struct mdl_world *w, sq_time_t at)
{
    if (at == SQ_NEVER || w->ctx.t1_ns == SQ_NEVER || mdl_now(&w->ctx) <= w->ctx.t1_ns) {
        return (double)NAN;
    }
    return sq_time_to_s(sq_max_i64(at - w->ctx.t1_ns, 0));
}

static sq_time_t measured_from(const struct mdl_world *w)
{
    return w->ctx.measure_from_ns;
}

/* ---- outcome, drain, forecast ---- */

static void put_outcome(struct out *o)
{
    const struct mdl_probe *p = o->w->probe;
    *o = (struct out){ o->w, o->put, o->ctx, "outcome", NULL };
    put(o, "p_collapse", p->marks.collapsed ? 1 : 0);
    o->kind = "drain";
    put_word(o, "state", (double)NAN, p->marks.state != NULL ? p->marks.state : "null");
    put(o, "queue_clear_s", since_t1(o->w, p->marks.queue_clear));
    put(o, "last_job_s", p->before_t1 == 0 ? since_t1(o->w, p->last_job) : (double)NAN);
    put(o, "healthy_s", since_t1(o->w, p->marks.t2));
    o->kind = "forecast";
    put_word(o, "state", (double)NAN, p->forecast.state != NULL ? p->forecast.state : "null");
    put(o, "naive_s", p->forecast.naive_s);
    put(o, "planned_s", p->forecast.planned_s);
    put(o, "planned_last_job_s", p->forecast.planned_last_s);
    o->kind = "recovery";
    put_count(o, "outage_jobs", p->recovery.all);
    put_count(o, "past_deadline", p->recovery.past_deadline);
    put_count(o, "superseded", p->recovery.superseded);
    put_count(o, "useful", p->recovery.useful);
    put_count(o, "done", p->recovery.done);
}

/* ---- jobs ---- */

static void put_job_counts(struct out *o, const struct mdl_job_counts *c)
{
    uint64_t ended = 0;
    put_count(o, "arrived", c->arrived);
    for (int e = 0; e < MDL_END_COUNT; e++) {
        put_count(o, mdl_end_name((enum mdl_end)e), c->ends[e]);
        ended += c->ends[e];
    }
    put_count(o, "unfinished", c->arrived - ended);
}

static void put_jobs(struct out *o)
{
    const struct mdl_world *w = o->w;
    struct mdl_job_counts sum = { 0 };
    for (size_t i = 0; i < w->ctx.source_count; i++) {
        const struct mdl_job_counts *c = &w->probe->producers[i].measured;
        sum.arrived += c->arrived;
        for (int e = 0; e < MDL_END_COUNT; e++) {
            sum.ends[e] += c->ends[e];
        }
    }
    o->kind = "jobs";
    o->name = NULL;
    put_job_counts(o, &sum);
}

static void put_attempts(struct out *o)
{
    o->kind = "attempts";
    o->name = NULL;
    put_count(o, "total", o->w->probe->attempts);
    put_count(o, "retries", o->w->probe->retries);
    put_count(o, "max_per_job", o->w->probe->attempts_max);
}

static void put_source(struct out *o, const char *kind, const char *name, size_t i)
{
    struct mdl_producer_tally *t = &o->w->probe->producers[i];
    o->kind = kind;
    o->name = name;
    put_job_counts(o, &t->measured);
    put(o, "delay_p50_s", sq_sample_quantile_s(&t->delay, 0.5));
    put(o, "delay_p90_s", sq_sample_quantile_s(&t->delay, 0.9));
    put(o, "delay_p99_s", sq_sample_quantile_s(&t->delay, 0.99));
    put(o, "delay_max_s", sq_sample_quantile_s(&t->delay, 1));
}

/* ---- dependencies ---- */

static void put_calls(struct out *o, const struct mdl_call_counts *c)
{
    uint64_t calls = c->first + c->retry, known = 0;
    for (int s = 0; s < MDL_SEEN_COUNT; s++) {
        known += c->seen[s];
    }
    put_count(o, "calls", calls);
    put_count(o, "calls_first", c->first);
    put_count(o, "calls_retry", c->retry);
    put_count(o, "goodput", c->seen[MDL_SEEN_GOODPUT]);
    put_count(o, "refused", c->seen[MDL_SEEN_REFUSED]);
    put_count(o, "errors", c->seen[MDL_SEEN_ERRORS]);
    put_count(o, "timeouts", c->seen[MDL_SEEN_TIMEOUTS]);
    put_count(o, "cancelled", c->seen[MDL_SEEN_CANCELLED]);
    put_count(o, "awaited", calls - known);
    put_count(o, "wasted", c->wasted);
    put(o, "amplification", c->first > 0 ? (double)calls / (double)c->first : (double)NAN);
}

static void put_rates(struct out *o, const struct mdl_dep_tally *t)
{
    const struct mdl_world *w = o->w;
    sq_time_t from = measured_from(w), until = w->scenario->t0;
    bool reached = until != SQ_NEVER && mdl_now(&w->ctx) >= until;
    bool known = reached && until - from >= 10 * SQ_NS_PER_S;
    bool has_t1 = w->ctx.t1_ns != SQ_NEVER && w->ctx.t1_ns < mdl_now(&w->ctx);
    double normal = known ? (double)t->baseline_calls / sq_time_to_s(until - from) : (double)NAN;
    double peak = (double)(has_t1 ? t->recovery_peak : t->peak);
    put_count(o, "peak_rate_per_s", t->peak);
    put(o, "recovery_peak_per_s", has_t1 ? (double)t->recovery_peak : (double)NAN);
    put(o, "peak_up_per_s", has_t1 ? (double)t->peak_up : (double)NAN);
    put(o, "normal_rate_per_s", normal);
    put(o, "peak_to_normal", normal > 0 ? peak / normal : (double)NAN);
}

/* Only finite servers are in force. */
static double busy_share(const struct mdl_levels *r, sq_time_t from, sq_time_t now)
{
    double force = sq_level_mean(&r->in_force, from, now);
    return force > 0 ? sq_level_mean(&r->busy, from, now) / force : (double)NAN;
}

static void put_dependency(struct out *o, size_t i)
{
    const struct mdl_world *w = o->w;
    const struct mdl_dependency *d = &w->dependencies[i];
    const struct mdl_levels *r = &d->load;
    struct mdl_dep_tally *t = &w->probe->deps[i];
    sq_time_t from = measured_from(w), now = mdl_now(&w->ctx);
    o->kind = "dependency";
    o->name = w->dependencies[i].name;
    put_calls(o, &t->measured);
    put_count(o, "duplicate_effects", t->duplicates);
    put_rates(o, t);
    put_count(o, "secondary_outages", t->secondary_measured);
    put(o, "first_relapse_s",
        t->first_relapse != SQ_NEVER ? sq_time_to_s(t->first_relapse) : (double)NAN);
    put(o, "downtime_s", sq_level_mean(&t->down, from, now) * sq_time_to_s(now - from));
    put_count(o, "in_flight_max", (uint64_t)r->in_flight.max);
    put(o, "in_flight_mean", sq_level_mean(&r->in_flight, from, now));
    put(o, "waiting_mean", sq_level_mean(&r->waiting, from, now));
    put(o, "utilisation",
        d->cfg->room.servers == SQ_UNLIMITED ? (double)NAN : busy_share(r, from, now));
    put(o, "latency_mean_s", sq_sample_mean_s(&t->latency));
    put(o, "latency_p50_s", sq_sample_quantile_s(&t->latency, 0.5));
    put(o, "latency_p90_s", sq_sample_quantile_s(&t->latency, 0.9));
    put(o, "latency_p99_s", sq_sample_quantile_s(&t->latency, 0.99));
}

static void put_control(struct out *o, size_t i)
{
    const struct mdl_world *w = o->w;
    const struct mdl_gate *g = &w->dependencies[i].gate;
    const struct mdl_dep_tally *t = &w->probe->deps[i];
    if (!g->active) {
        return;
    }
    o->kind = "control";
    o->name = w->dependencies[i].name;
    put_count(o, "in_use_max", (uint64_t)g->in_use.max);
    put_count(o, "deferred", t->deferred);
    put_count(o, "waited", t->waited);
    put_count(o, "rejected", t->rejected);
    put_count(o, "breaker_opens", t->breaker_opens);
    put_count(o, "budget_denied", t->budget_denied);
    put_count(o, "ramp_relapses", t->ramp_relapses);
}

/* ---- queues and pools ---- */

static void put_queue(struct out *o, size_t i)
{
    struct mdl_world *w = o->w;
    struct mdl_queue *q = &w->queues[i];
    struct mdl_queue_tally *t = &w->probe->queues[i];
    sq_time_t from = measured_from(w), now = mdl_now(&w->ctx);
    o->kind = "queue";
    o->name = q->name;
    put_count(o, "ready_max", (uint64_t)q->ready.max);
    put_count(o, "delayed_max", (uint64_t)q->delayed.max);
    put(o, "oldest_max_s", sq_time_to_s(sq_max_i64(q->oldest_max, mdl_queue_oldest(q))));
    put_count(o, "redelivered", t->redelivered);
    put_count(o, "dead_letters", (uint64_t)mdl_queue_letters(q));
    put_count(o, "redriven", t->redriven);
    put_count(o, "repeated", (uint64_t)q->repeated);
    put_count(o, "blocked_max", (uint64_t)q->blocked.max);
    put(o, "ready_mean", sq_level_mean(&q->ready, from, now));
    put(o, "delayed_mean", sq_level_mean(&q->delayed, from, now));
    put(o, "wait_mean_s", sq_sample_mean_s(&t->wait));
    put(o, "wait_p90_s", sq_sample_quantile_s(&t->wait, 0.9));
    put(o, "wait_p99_s", sq_sample_quantile_s(&t->wait, 0.99));
}

static void put_pool(struct out *o, size_t i)
{
    const struct mdl_workers *p = &o->w->pools[i];
    const struct mdl_pool_tally *before = &o->w->probe->pools[i];
    o->kind = "workers";
    o->name = p->name;
    put_count(o, "replicas_max", (uint64_t)p->existing.max);
    put_count(o, "replica_changes", (uint64_t)(p->wanted_changes - before->changes_before));
    put_count(o, "deaths", (uint64_t)(p->deaths - before->deaths_before));
}

static void put_run(struct out *o)
{
    static const char hex[] = "0123456789abcdef";
    char hash[17];
    for (int i = 0; i < 16; i++) {
        hash[i] = hex[o->w->ctx.sim.hash >> (60 - 4 * i) & 15];
    }
    hash[16] = '\0';
    o->kind = "run";
    o->name = NULL;
    put_count(o, "events", o->w->ctx.sim.events);
    put_word(o, "hash", (double)NAN, hash);
}

void mdl_metrics_each(struct mdl_world *w, mdl_metric_put *put_fn, void *ctx)
{
    struct out o = { .w = w, .put = put_fn, .ctx = ctx };
    put_outcome(&o);
    put_jobs(&o);
    put_attempts(&o);
    for (size_t i = 0; i < w->dependency_count; i++) {
        put_dependency(&o, i);
        put_control(&o, i);
    }
    for (size_t i = 0; i < w->queue_count; i++) {
        put_queue(&o, i);
    }
    for (size_t i = 0; i < w->pool_count; i++) {
        put_pool(&o, i);
    }
    for (size_t i = 0; i < w->producer_count; i++) {
        put_source(&o, "producer", w->producers[i].name, i);
    }
    for (size_t i = 0; i < w->client_count; i++) {
        put_source(&o, "client", w->clients[i].name, w->clients[i].index);
    }
    put_run(&o);
}
