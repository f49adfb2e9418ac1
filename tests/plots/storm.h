/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storm.h - a made-up result for the tests of charts and pages: a dependency with capacity 125/s
 * that is down from 10m to 30m, comes back to 1,600 calls in a second, falls over three more
 * times and is healthy from 71m on. The shapes are invented; nothing is simulated. */
#ifndef STORM_H
#define STORM_H

#include <math.h>
#include <string.h>

#include "sim/core/sq_result.h"

enum { STORM_BINS = 5400, STORM_COLUMNS = 12, STORM_METRICS = 45, STORM_MOMENTS_MAX = 64 };

#define STORM_S(s) ((sq_time_t)(s)*SQ_NS_PER_S)

static const char *const storm_columns[STORM_COLUMNS] = {
    "dependency.template-api.calls_first_per_s",
    "dependency.template-api.calls_retry_per_s",
    "dependency.template-api.goodput_per_s",
    "dependency.template-api.capacity_per_s",
    "queue.renders.ready",
    "queue.renders.delayed",
    "queue.renders.oldest_s",
    "workers.renderers.replicas",
    "workers.renderers.ready_replicas",
    "control.template-api.limit",
    "control.template-api.in_use",
    "producer.login-codes.arrivals_per_s",
};

struct storm_metric {
    const char *name;
    double value; /* of the first run; run k has value + k * step */
    double step;
    const char *word;
};

static const struct storm_metric storm_metrics[STORM_METRICS] = {
    { "outcome.p_collapse", 1, 0, NULL },
    { "drain.state", NAN, 0, "clears" },
    { "drain.queue_clear_s", 2460, 10, NULL },
    { "drain.last_job_s", 4320, 20, NULL },
    { "drain.healthy_s", 2465, 10, NULL },
    { "forecast.state", NAN, 0, "clears" },
    { "forecast.naive_s", 720, 0, NULL },
    { "forecast.planned_s", 2100, 5, NULL },
    { "forecast.planned_last_job_s", 3480, 5, NULL },
    { "jobs.arrived", 270000, 7, NULL },
    { "jobs.completed", 269100, 5, NULL },
    { "jobs.stale", 0, 0, NULL },
    { "jobs.superseded", 0, 0, NULL },
    { "jobs.dead_lettered", 880, 2, NULL },
    { "jobs.dropped", 0, 0, NULL },
    { "jobs.lost", 0, 0, NULL },
    { "jobs.unfinished", 20, 0, NULL },
    { "recovery.outage_jobs", 60000, 0, NULL },
    { "recovery.past_deadline", 1200, 0, NULL },
    { "recovery.superseded", 0, 0, NULL },
    { "recovery.useful", 300, 0, NULL },
    { "recovery.done", 58500, 0, NULL },
    { "dependency.template-api.calls", 412331, 100, NULL },
    { "dependency.template-api.calls_first", 270000, 50, NULL },
    { "dependency.template-api.calls_retry", 142331, 50, NULL },
    { "dependency.template-api.amplification", 1.5271, 0, NULL },
    { "dependency.template-api.peak_rate_per_s", 1600, 10, NULL },
    { "dependency.template-api.normal_rate_per_s", 50, 0, NULL },
    { "dependency.template-api.peak_up_per_s", 1600, 10, NULL },
    { "dependency.template-api.peak_to_normal", 32, 0.2, NULL },
    { "dependency.template-api.downtime_s", 2100, 0, NULL },
    { "dependency.template-api.secondary_outages", 3, 0, NULL },
    { "dependency.template-api.goodput", 269100, 5, NULL },
    { "dependency.template-api.refused", 90000, 5, NULL },
    { "dependency.template-api.errors", 0, 0, NULL },
    { "dependency.template-api.timeouts", 53231, 5, NULL },
    { "dependency.template-api.wasted", 12000, 5, NULL },
    { "queue.renders.ready_max", 41250, 30, NULL },
    { "queue.renders.delayed_max", 60010, 30, NULL },
    { "queue.renders.oldest_max_s", 4300, 30, NULL },
    { "workers.renderers.replicas_max", 80, 0, NULL },
    { "workers.renderers.deaths", 0, 0, NULL },
    { "control.template-api.in_use_max", 40, 0, NULL },
    { "control.template-api.deferred", 1234, 1, NULL },
    { "run.hash", NAN, 0, "9f1c2ab3d4e5f607" },
};

static const struct sq_moment storm_moments[] = {
    { SQ_MOMENT_OUTAGE, STORM_S(600), STORM_S(1800), "template-api",
      "template-api goes down, as planned, for 20m" },
    { SQ_MOMENT_SCALING, STORM_S(630), STORM_S(630), "renderers",
      "renderers is scaled from 10 to 20 replicas" },
    { SQ_MOMENT_SCALING, STORM_S(645), STORM_S(645), "renderers",
      "renderers is scaled from 20 to 40 replicas" },
    { SQ_MOMENT_SCALING, STORM_S(660), STORM_S(660), "renderers",
      "renderers is scaled from 40 to 80 replicas" },
    { SQ_MOMENT_T1, STORM_S(1800), STORM_S(1800), "template-api",
      "template-api is back: the planned outage is over (T1)" },
    { SQ_MOMENT_PEAK, STORM_S(1802), STORM_S(1802), "template-api",
      "the most calls in one second: 1,600, 32 times the normal rate" },
    { SQ_MOMENT_COLLAPSE, STORM_S(1847), STORM_S(2147), "template-api",
      "template-api falls over under its own load" },
    { SQ_MOMENT_COLLAPSE, STORM_S(2260), STORM_S(2560), "template-api",
      "template-api falls over under its own load" },
    { SQ_MOMENT_ACTION, STORM_S(2700), STORM_S(2700), "renderers",
      "on-call bounds the fleet: workers.renderers.autoscaler.max = 20" },
    { SQ_MOMENT_COLLAPSE, STORM_S(2790), STORM_S(3090), "template-api",
      "template-api falls over under its own load" },
    { SQ_MOMENT_QUEUE_CLEAR, STORM_S(4260), STORM_S(4260), NULL, "the queue is clear" },
    { SQ_MOMENT_T2, STORM_S(4265), STORM_S(4265), NULL, "healthy again for good (T2)" },
};

/* Noise without a library: the same on every machine. */
static inline double storm_noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 16) / 65536.0 - 0.5;
}

static inline bool storm_down(size_t t)
{
    for (size_t i = 0; i < SQ_COUNT(storm_moments); i++) {
        const struct sq_moment *m = &storm_moments[i];
        bool span = m->kind == SQ_MOMENT_OUTAGE || m->kind == SQ_MOMENT_COLLAPSE;
        if (span && STORM_S(t) >= m->at_ns && STORM_S(t) < m->until_ns) {
            return true;
        }
    }
    return false;
}

/* One second of the storm: what calls, queue and replicas do while down and while up. */
static inline void storm_fill(struct sq_series *s)
{
    unsigned noise = 7;
    double ready = 0, delayed = 0, replicas = 10, ready_replicas = 10, age = 1e9;
    for (size_t t = 0; t < STORM_BINS; t++) {
        bool down = storm_down(t);
        age = down ? -1 : age + 1;
        double burst = age < 60 && t >= 1800 ? 1550 / (1 + age * age / 8) : 0;
        double retry = down ? fmin(60 + delayed / 900, 190) + 40 * storm_noise(&noise) : burst;
        retry += !down && delayed > 0 ? 30 + 30 * storm_noise(&noise) : 0;
        double first = fmax(0, 50 + 16 * storm_noise(&noise));
        double good = down ? 0 : fmin(first + retry, t > 1800 ? 118 : 125) - 1;
        delayed = down ? delayed + 44 : fmax(0, delayed - (t > 1800 ? 30 : 0));
        ready = down ? fmin(ready + 6, 20000) : fmax(0, ready - 9);
        double want = t < 630 ? 10 : t < 2700 ? 80 : t < 4260 ? 20 : 10;
        replicas = replicas < want ? fmin(want, replicas + 0.5) : want;
        ready_replicas =
            ready_replicas < replicas ? fmin(replicas, ready_replicas + 0.35) : replicas;
        double row[STORM_COLUMNS] = { first,
                                      retry > 0 ? retry : 0,
                                      good,
                                      t > 1800 && age < 120 ? 40 + age * 0.7 : 125,
                                      ready,
                                      delayed,
                                      ready > 0 ? (double)t / 4 : NAN,
                                      floor(replicas),
                                      floor(ready_replicas),
                                      40,
                                      down ? 10 : fmin(40, good / 3),
                                      24.4 };
        for (size_t k = 0; k < STORM_COLUMNS; k++) {
            s->columns[k].bins[t] = (float)row[k];
        }
    }
}

static inline bool storm_runs(struct sq_result *r, size_t runs)
{
    r->runs = sq_arena_alloc(&r->arena, runs, sizeof *r->runs);
    r->metric_names = sq_arena_alloc(&r->arena, STORM_METRICS, sizeof *r->metric_names);
    if (r->runs == NULL || r->metric_names == NULL) {
        return false;
    }
    r->run_count = runs;
    r->metric_count = STORM_METRICS;
    for (size_t k = 0; k < runs; k++) {
        r->runs[k].replication = k + 1;
        r->runs[k].values = sq_arena_alloc(&r->arena, STORM_METRICS, sizeof *r->runs->values);
        if (r->runs[k].values == NULL) {
            return false;
        }
        for (size_t i = 0; i < STORM_METRICS; i++) {
            const struct storm_metric *m = &storm_metrics[i];
            r->metric_names[i] = m->name;
            r->runs[k].values[i] = (struct sq_value){ m->value + (double)k * m->step, m->word };
        }
    }
    return true;
}

/* Freed with sq_arena_fini(&r->arena). */
static inline bool storm_make(struct sq_result *r, size_t runs)
{
    *r = (struct sq_result){ .version = "0.1.0",
                             .title = "Template API goes down for 20 minutes",
                             .file = "scenarios/flagship.yaml",
                             .variant = "as-it-was",
                             .scenario_hash = "0123456789abcdef0123456789abcdef",
                             .seed = 1,
                             .duration_ns = STORM_S(STORM_BINS) };
    r->series.bin_ns = SQ_NS_PER_S;
    r->series.end_ns = STORM_S(STORM_BINS);
    r->series.bin_count = STORM_BINS;
    r->series.column_count = STORM_COLUMNS;
    r->series.columns = sq_arena_alloc(&r->arena, STORM_COLUMNS, sizeof *r->series.columns);
    r->moments = sq_arena_alloc(&r->arena, STORM_MOMENTS_MAX, sizeof *r->moments);
    if (r->series.columns == NULL || r->moments == NULL || !storm_runs(r, runs)) {
        return false;
    }
    r->moment_count = SQ_COUNT(storm_moments);
    memcpy(r->moments, storm_moments, sizeof storm_moments);
    for (size_t k = 0; k < STORM_COLUMNS; k++) {
        r->series.columns[k].name = storm_columns[k];
        r->series.columns[k].bins = sq_arena_alloc(&r->arena, STORM_BINS, sizeof(float));
        if (r->series.columns[k].bins == NULL) {
            return false;
        }
    }
    storm_fill(&r->series);
    return true;
}

#endif
