/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_autoscaler.c - autoscalers in a world, by hand: what they see, when they look, and what
 * becomes of the replicas. The arithmetic alone is in test_scaler.c. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define WORLD(producer, queue, pool, api, rest)                                        \
    "squall: 1\nduration: 10m\nproducers: {p: {queue: q, " producer "}}\n"             \
    "queues: {q: {" queue "}}\nworkers: {w: {queue: q, calls: {api: {}}, " pool "}}\n" \
    "dependencies: {api: {" api "}}\n" rest
#define NEVER     "start_up: 1h, "
#define COHORT(n) "arrivals: {kind: cohort, count: " #n ", at: 1s}"

struct want {
    double at;
    int64_t count;
};
struct row {
    const char *yaml;
    struct want wants[8]; /* the changes of the wanted number; ends with 0 */
};

static const struct row rows[] = {
    /* Depth as the broker sees it: of ten jobs one calls for 100 s, nine are deferred. */
    { WORLD(COHORT(10), "",
            NEVER "slots: 10, autoscaler: {kind: hpa, target: 3, max: 20, counts: "
                  "delayed}",
            "service: 5m",
            "controls: {api: {concurrency: 1, throttled: {kind: defer, delay: 9m}}}\n"),
      { { 15, 3 } } },
    { WORLD(COHORT(10), "",
            NEVER "slots: 10, autoscaler: {kind: hpa, target: 2, max: 20, counts: "
                  "[ready, delayed, leased]}",
            "service: 5m",
            "controls: {api: {concurrency: 1, throttled: {kind: defer, delay: 9m}}}\n"),
      { { 15, 5 } } },
    { WORLD(COHORT(10), "",
            NEVER "slots: 10, autoscaler: {kind: hpa, target: 1, max: 20, counts: "
                  "leased}",
            "service: 5m",
            "controls: {api: {concurrency: 1, throttled: {kind: defer, delay: 9m}}}\n"),
      { { 0, 0 } } },
    /* Those who wait at a control are leased. */
    { WORLD(COHORT(10), "",
            NEVER "slots: 10, autoscaler: {kind: hpa, target: 2, max: 20, counts: "
                  "leased}",
            "service: 9m", "controls: {api: {concurrency: 1, throttled: wait}}\n"),
      { { 15, 5 } } },
    /* So are prefetched ones; ready are the rest. */
    { WORLD(COHORT(10), "",
            NEVER "prefetch: 3, autoscaler: {kind: hpa, target: 2, max: 20, counts: "
                  "leased}",
            "service: 9m", ""),
      { { 15, 2 } } },
    { WORLD(COHORT(10), "", NEVER "prefetch: 3, autoscaler: {kind: hpa, target: 2, max: 20}",
            "service: 9m", ""),
      { { 15, 3 } } },
    /* Parked ones are delayed. */
    { WORLD(COHORT(10), "",
            NEVER "slots: 10, retry: {max_attempts: 1, give_up: {kind: park, delay: "
                  "9m}}, autoscaler: {kind: hpa, target: 2, max: 20, counts: "
                  "delayed}",
            "service: 1s, outages: [{at: 0s, for: 1m}]", ""),
      { { 15, 5 } } },
    /* The age of the oldest ready job, which does not fall: 15 s, 30 s, 45 s, ... times two ready
     * replicas; that a smaller number would do at 15 s waits for the window. */
    { WORLD("backlog: 100, arrivals: none", "",
            NEVER
            "replicas: 2, autoscaler: {kind: hpa, metric: oldest, target_type: value, target: "
            "30s, max: 6}",
            "service: 9m", ""),
      { { 45, 3 }, { 60, 4 }, { 75, 5 }, { 90, 6 } } },
    /* 19 jobs per second come, one replica is there for 5 of them. */
    { WORLD("arrivals: {kind: regular, rate: 19/s, phase: same}", "",
            NEVER "autoscaler: {kind: hpa, metric: arrivals, target: 5/s, max: 20}", "service: 1s",
            ""),
      { { 15, 4 } } },
    /* Retries are no arrivals. */
    { WORLD("arrivals: {kind: regular, rate: 19/s, phase: same}", "",
            NEVER "slots: 900, retry: {max_attempts: unlimited, backoff: 100ms, jitter: none}, "
                  "autoscaler: {kind: hpa, metric: arrivals, target: 5/s, max: 20}",
            "service: 1s, outages: [{at: 0s, for: 2m}]", ""),
      { { 15, 4 } } },
    /* Each replica makes 10 attempts per second: twice the target, however many there are. */
    { WORLD(
          "backlog: 60000, arrivals: none", "",
          "start_up: 0s, replicas: 2, autoscaler: {kind: hpa, metric: processed, target: 5/s, max: "
          "9}",
          "service: 100ms", ""),
      { { 15, 4 }, { 30, 8 }, { 45, 9 } } },
    /* Half of one slot is busy, then a quarter of two: the target. */
    { WORLD("arrivals: {kind: regular, rate: 1/s, phase: same}", "",
            "start_up: 0s, autoscaler: {kind: hpa, metric: utilisation, target: 25%, max: 9}",
            "service: 500ms", ""),
      { { 15, 2 } } },
    /* No slot is ready: nothing is known, and nothing changes. */
    { WORLD("backlog: 60, arrivals: none", "",
            NEVER "replicas: 0, autoscaler: {kind: hpa, metric: utilisation, target: 25%, max: 9}",
            "service: 500ms", "actions: [{at: 20s, set: {workers.w.replicas: 2}}]\n"),
      { { 20, 2 } } },
    /* The gate: one server of ten is busy, then five, then ten. Nine tenths is not busier than nine
     * tenths. */
    { WORLD("backlog: 60000, arrivals: none", "",
            "start_up: 0s, autoscaler: {kind: hpa, target: 500, max: 100, gate: {dependency: api, "
            "utilisation: 90%}}",
            "servers: 10, service: 100ms", ""),
      { { 15, 5 }, { 30, 10 } } },
    { WORLD("backlog: 60000, arrivals: none", "",
            "start_up: 0s, replicas: 9, autoscaler: {kind: hpa, target: 500, max: 100, up: "
            "{policies: "
            "[{pods: 1, every: 15s}]}, gate: {dependency: api, utilisation: 90%}}",
            "servers: 10, service: 100ms", ""),
      { { 15, 10 } } },
    /* Servers that are down are not busy. */
    { WORLD("backlog: 60000, arrivals: none", "",
            "start_up: 0s, replicas: 10, autoscaler: {kind: hpa, target: 500, max: 30, gate: "
            "{dependency: api, utilisation: 90%}}",
            "servers: 10, service: 100ms, outages: [{at: 40s, for: 15s, answer_in: 20s}]", ""),
      { { 60, 20 } } },
    /* KEDA that was never active goes to zero at its first poll, comes back at a poll, and the HPA
     * does the rest. */
    { WORLD("arrivals: {kind: cohort, count: 23, at: 100s}", "",
            NEVER "replicas: 3, autoscaler: {kind: keda, target: 5, max: 10}", "service: 5m", ""),
      { { 30, 0 }, { 120, 1 }, { 135, 5 } } },
    /* Target tracking: 40 jobs for one replica in service, at the third look and after 5 minutes
     * that were for nothing because nothing has started; step: by what the depth has reached. */
    { WORLD("backlog: 41, arrivals: none", "",
            NEVER "autoscaler: {kind: target-tracking, target: 10, max: 20}", "service: 9m", ""),
      { { 180, 4 }, { 480, 16 } } },
    { WORLD("backlog: 41, arrivals: none", "",
            NEVER "autoscaler: {kind: step, steps: [[10, +2], [100, +9]], max: 6}", "service: 9m",
            ""),
      { { 60, 3 }, { 360, 5 } } },
    { WORLD("backlog: 5000, arrivals: none", "",
            NEVER "replicas: 5, autoscaler: {kind: lambda-sqs, max: 1250}", "service: 9m", ""),
      { { 60, 305 }, { 120, 605 }, { 180, 905 }, { 240, 1205 }, { 300, 1250 } } },
    /* A new target and a new max act at the next look. */
    { WORLD("backlog: 100, arrivals: none", "",
            NEVER "replicas: 2, autoscaler: {kind: hpa, metric: oldest, target: 1h, max: 9}",
            "service: 9m", "actions: [{at: 20s, set: {workers.w.autoscaler.target: 5s}}]\n"),
      { { 30, 6 }, { 45, 9 } } },
};

static void wanted_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t, rows[i].yaml);
        size_t n = 0;
        for (; n < 8 && rows[i].wants[n].at > 0; n++) {
            const struct wld_rec *r = wld_rec_at(&t, MDL_REC_WANTED, n);
            if (r == NULL || r->at != WLD_S(rows[i].wants[n].at) ||
                r->r.value != rows[i].wants[n].count) {
                fail_msg("row %zu, change %zu: %lld at %g s", i, n,
                         r != NULL ? (long long)r->r.value : -1,
                         r != NULL ? sq_time_to_s(r->at) : -1);
            }
        }
        const struct wld_rec *more = wld_rec_at(&t, MDL_REC_WANTED, n);
        if (more != NULL) {
            fail_msg("row %zu: %lld at %g s", i, (long long)more->r.value, sq_time_to_s(more->at));
        }
        assert_true(wld_get(&t, "workers.w.replica_changes") == (double)n);
        wld_fini(&t);
    }
}

/* What a scaler sees does not depend on what is measured, or on how the timeline is drawn. */
static void measuring_changes_nothing(void **state)
{
    (void)state;
    static const char *const tops[] = { "", "measure_from: 22s\n", "timeline: 250ms\n",
                                        "timeline: 7s\n" };
    static const char *const metrics[] = { "metric: utilisation, target: 30%",
                                           "metric: oldest, target: 9s, target_type: value",
                                           "target: 20, gate: {dependency: api, utilisation: 70%}",
                                           "metric: processed, target: 5/s" };
    for (size_t m = 0; m < SQ_COUNT(metrics); m++) {
        uint64_t hash = 0;
        for (size_t i = 0; i < SQ_COUNT(tops); i++) {
            char yaml[1024];
            (void)snprintf(yaml, sizeof(yaml),
                           "squall: 1\nduration: 5m\n%s"
                           "producers: {p: {queue: q, arrivals: {kind: poisson, rate: {kind: "
                           "steps, points: [[0s, "
                           "5/s], [1m, 60/s], [3m, 2/s]]}}}}\nqueues: {q: {}}\n"
                           "workers: {w: {queue: q, start_up: 20s, calls: {api: {}}, autoscaler: "
                           "{kind: hpa, max: 30, down: {stabilise: 1m}, %s}}}\n"
                           "dependencies: {api: {servers: 12, service: {kind: exponential, mean: "
                           "250ms}, outages: [{at: 100s, for: 10s}]}}\n",
                           tops[i], metrics[m]);
            struct wld t;
            wld_run(&t, yaml);
            assert_non_null(wld_rec_at(&t, MDL_REC_WANTED, 1));
            hash = i == 0 ? wld_hash(&t) : hash;
            if (wld_hash(&t) != hash) {
                fail_msg("%s, %s", metrics[m], tops[i]);
            }
            wld_fini(&t);
        }
    }
}

/* ScaledJob, kedacore/keda#1323: 100 jobs, replicas that take 400 s to start, a look every minute.
 * Whoever counts those that start creates 100 in five looks; `eager` creates 100 at each. Each
 * takes one job of 10 s and is gone; so all that there are at the end are those who found none. */
static void jobs_run_once(void **state)
{
    (void)state;
    static const struct {
        const char *strategy;
        int64_t by_300, wants;
    } kinds[] = { { "default", 100, 1 }, { "accurate", 100, 1 }, { "eager", 500, 5 } };
    for (size_t i = 0; i < SQ_COUNT(kinds); i++) {
        char yaml[1024];
        (void)snprintf(
            yaml, sizeof(yaml),
            "squall: 1\nduration: 20m\nproducers: {p: {queue: q, backlog: 100, arrivals: "
            "none}}\nqueues: {q: {}}\nworkers: {w: {queue: q, replicas: 0, start_up: "
            "400s, calls: {api: {}}, autoscaler: {kind: keda-jobs, target: 1, max: 1000, "
            "poll: 1m, strategy: %s}}}\ndependencies: {api: {service: 10s}}\n",
            kinds[i].strategy);
        struct wld t;
        wld_run(&t, yaml);
        const struct wld_rec *last = NULL;
        for (int64_t k = 0; k < kinds[i].wants; k++) {
            last = wld_rec_at(&t, MDL_REC_WANTED, (size_t)k);
            assert_non_null(last);
            assert_int_equal(last->at, WLD_S(60 * (double)(k + 1)));
        }
        assert_int_equal(last->r.value, kinds[i].by_300);
        sq_time_t at[101];
        assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, MDL_END_COMPLETED, at, 101), 100);
        assert_int_equal(at[0], WLD_S(470));
        assert_int_equal(at[99], WLD_S(470));
        assert_int_equal(wld_times(&t, MDL_REC_REPLICA_GONE, -1, at, 101), 100);
        assert_int_equal(at[99], WLD_S(470));
        wld_fini(&t);
    }
}

/* A replica of two slots takes two jobs in its life; failed ones are for others. */
static void slots_are_filled_once(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[8];
    wld_run(&t,
            "squall: 1\nduration: 5m\n"
            "producers: {p: {queue: q, arrivals: {kind: cohort, count: 3, at: 31s}}}\n"
            "queues: {q: {}}\nworkers: {w: {queue: q, slots: 2, replicas: 1, start_up: 5s, calls: "
            "{api: {}}, retry: {max_attempts: 2, backoff: 20s, jitter: none}, autoscaler: {kind: "
            "keda-jobs, target: 2, max: 9, counts: [ready, delayed]}}}\n"
            "dependencies: {api: {service: 10s, answer_in: 1s, outages: [{at: 35s, for: 10s}]}}\n");
    /* 31: two go to the replica of time 0, and are reset at 35, which ends it. 60: two of three
     * have become ready again, one never was anything else: two replicas, ready at 65. */
    assert_int_equal(wld_times(&t, MDL_REC_CALL_LEFT, -1, at, 8), 5);
    assert_int_equal(at[1], WLD_S(31));
    assert_int_equal(at[2], WLD_S(65));
    assert_int_equal(at[4], WLD_S(65));
    assert_int_equal(wld_times(&t, MDL_REC_REPLICA_GONE, -1, at, 8), 2);
    assert_int_equal(at[0], WLD_S(35));
    assert_int_equal(wld_rec_at(&t, MDL_REC_WANTED, 0)->r.value, 2);
    wld_fini(&t);
}

/* Twenty callers that never rest, on two nodes of ten servers that should be half busy. Starting
 * nodes count as idle, so nothing happens until they are ready; what was measured while they became
 * so is too much, what comes of it goes after five minutes. */
static void nodes_are_scaled(void **state)
{
    (void)state;
    static const struct want wants[] = { { 15, 4 }, { 60, 6 }, { 405, 4 } };
    struct wld t;
    wld_run(&t,
            "squall: 1\nduration: 10m\nclients: {c: {arrivals: {kind: closed, population: 20}, "
            "calls: {api: {}}}}\ndependencies: {api: {nodes: 2, servers: 10, service: 1s, "
            "start_up: 40s, autoscaler: {kind: hpa, metric: utilisation, target: 50%, max: 9}}}\n");
    for (size_t i = 0; i < SQ_COUNT(wants); i++) {
        const struct wld_rec *r = wld_rec_at(&t, MDL_REC_WANTED, i);
        assert_non_null(r);
        if (r->at != WLD_S(wants[i].at) || r->r.value != wants[i].count) {
            fail_msg("change %zu: %lld at %g s", i, (long long)r->r.value, sq_time_to_s(r->at));
        }
    }
    assert_null(wld_rec_at(&t, MDL_REC_WANTED, SQ_COUNT(wants)));
    wld_fini(&t);
    /* 41 callers for one server: 40 wait. 200 calls per second come, and end. */
    wld_run(&t, "squall: 1\nduration: 20s\nclients: {c: {arrivals: {kind: closed, population: 41}, "
                "calls: {api: {}}}}\ndependencies: {api: {servers: 1, service: 5ms, start_up: 1h, "
                "autoscaler: {kind: hpa, target: 8, max: 9}}}\n");
    assert_int_equal(wld_rec_at(&t, MDL_REC_WANTED, 0)->r.value, 5);
    wld_fini(&t);
    static const char *const rates[] = { "arrivals", "processed" };
    for (size_t i = 0; i < 2; i++) {
        char yaml[512];
        (void)snprintf(
            yaml, sizeof(yaml),
            "squall: 1\nduration: 20s\nclients: {c: {arrivals: {kind: closed, population: "
            "40}, calls: {api: {}}}}\ndependencies: {api: {servers: 1, service: 5ms, "
            "start_up: 1h, autoscaler: {kind: hpa, metric: %s, target: 41/s, max: 9}}}\n",
            rates[i]);
        wld_run(&t, yaml);
        assert_int_equal(wld_rec_at(&t, MDL_REC_WANTED, 0)->r.value, 5);
        wld_fini(&t);
    }
}

/* A job that is too late to be run uses up its slot as well. */
static void stale_jobs_count(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[8];
    wld_run(&t, "squall: 1\nduration: 5m\n"
                "producers: {p: {queue: q, deadline: 5s, deadline_check: delivery, backlog: 4, "
                "arrivals: none}}\n"
                "queues: {q: {}}\nworkers: {w: {queue: q, replicas: 0, start_up: 10s, slots: 2, "
                "calls: {api: {}}, autoscaler: {kind: keda-jobs, target: 2, max: 9}}}\n"
                "dependencies: {api: {service: 10s}}\n");
    assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, MDL_END_STALE, at, 8), 4);
    assert_int_equal(wld_times(&t, MDL_REC_REPLICA_GONE, -1, at, 8), 2);
    assert_int_equal(at[0], WLD_S(40));
    assert_int_equal(at[1], WLD_S(40));
    wld_fini(&t);
}

/* Celery: four jobs come to a worker of one slot that prefetches three; with autoscale all run at
 * once. It shrinks at the first look more than 30 s after it grew, and grows again. */
static void celery_scales_slots(void **state)
{
    (void)state;
    static const struct {
        const char *scaler;
        double ends[8];
    } kinds[] = {
        { "", { 11, 21, 31, 41, 81, 91, 101, 111 } },
        { ", autoscaler: {kind: celery, max: 4}", { 11, 11, 11, 11, 81, 81, 81, 81 } },
        { ", autoscaler: {kind: celery, max: 2}", { 11, 11, 21, 21, 81, 81, 91, 91 } },
        { ", autoscaler: {kind: celery, min: 3, max: 3}", { 11, 11, 11, 21, 81, 81, 81, 91 } },
    };
    for (size_t i = 0; i < SQ_COUNT(kinds); i++) {
        char yaml[1024];
        (void)snprintf(
            yaml, sizeof(yaml),
            "squall: 1\nduration: 3m\nproducers:\n"
            "  a: {queue: q, arrivals: {kind: cohort, count: 4, at: 1s}}\n"
            "  b: {queue: q, arrivals: {kind: cohort, count: 4, at: 71s}}\n"
            "queues: {q: {}}\nworkers: {w: {queue: q, prefetch: 3, calls: {api: {}}%s}}\n"
            "dependencies: {api: {service: 10s}}\n",
            kinds[i].scaler);
        struct wld t;
        sq_time_t at[8];
        wld_run(&t, yaml);
        assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, MDL_END_COMPLETED, at, 8), 8);
        for (size_t k = 0; k < 8; k++) {
            if (at[k] != WLD_S(kinds[i].ends[k])) {
                fail_msg("row %zu, job %zu: %g s", i, k, sq_time_to_s(at[k]));
            }
        }
        wld_fini(&t);
    }
}

/* Shipped presets leave to the file what no system has a value for. */
static void presets(void **state)
{
    (void)state;
    static const char *const names[] = {
        "hpa, target: 9, max: 50",
        "hpa-no-behavior, target: 9, max: 50",
        "keda, target: 9",
        "keda-sqs",
        "keda-rabbitmq",
        "keda-redis-list",
        "keda-kafka",
        "keda-scaled-job, target: 9",
        "lambda-sqs",
        "lambda-sqs-2019",
        "target-tracking, target: 9, max: 50",
        "celery, max: 50",
    };
    for (size_t i = 0; i < SQ_COUNT(names); i++) {
        char yaml[1024];
        (void)snprintf(
            yaml, sizeof(yaml),
            "squall: 1\nduration: 6m\nproducers: {p: {queue: q, backlog: 3000, arrivals: "
            "1/s}}\nqueues: {q: {}}\nworkers: {w: {queue: q, prefetch: 30, start_up: 1s, "
            "calls: {api: {}}, autoscaler: {preset: %s}}}\ndependencies: {api: {service: "
            "1s}}\n",
            names[i]);
        struct wld t;
        wld_run(&t, yaml);
        bool slots = strstr(names[i], "celery") != NULL;
        if (!slots && wld_rec_at(&t, MDL_REC_WANTED, 0) == NULL) {
            fail_msg("%s does nothing", names[i]);
        }
        assert_true(!slots || wld_get(&t, "jobs.completed") > 300);
        wld_fini(&t);
    }
}

static void complaints(void **state)
{
    (void)state;
    static const struct {
        const char *scaler, *said;
    } bad[] = {
        { "kind: hpa, target: 5, max: 9, gate: {dependency: apj, utilisation: 90%}", "`api`" },
        { "kind: hpa, target: 5, max: 9, gate: {dependency: free, utilisation: 90%}",
          "no limited number of servers" },
        { "kind: hpa, metric: oldest, target: 5, max: 9", "30s" },
        { "kind: celery, max: 9, target: 5", "target" },
    };
    static const char *const nodes[] = {
        "kind: lambda-sqs, max: 9",
        "kind: celery, max: 9",
        "kind: keda-jobs, target: 5, max: 9",
        "kind: hpa, metric: oldest, target: 5s, max: 9",
        "kind: hpa, target: 5, max: 9, counts: delayed",
        "kind: hpa, target: 5, max: 9, gate: {dependency: apj, utilisation: 90%}",
    };
    for (size_t i = 0; i < SQ_COUNT(nodes); i++) {
        char yaml[512];
        (void)snprintf(yaml, sizeof(yaml),
                       "squall: 1\nduration: 1m\nclients: {c: {arrivals: 1/s, calls: {api: {}}}}\n"
                       "dependencies: {api: {servers: 2, service: 1s, autoscaler: {%s}}}\n",
                       nodes[i]);
        struct wld t;
        if (wld_load(&t, yaml, NULL) != SQ_USER) {
            fail_msg("%s is accepted", nodes[i]);
        }
        wld_fini(&t);
    }
    for (size_t i = 0; i < SQ_COUNT(bad); i++) {
        char yaml[1024];
        (void)snprintf(yaml, sizeof(yaml),
                       WORLD(COHORT(9), "", "autoscaler: {%s}",
                             "servers: 2, service: 1s}, free: "
                             "{service: 1s",
                             ""),
                       bad[i].scaler);
        struct wld t;
        assert_int_equal(wld_load(&t, yaml, NULL), SQ_USER);
        if (strstr(wld_complaints(&t), bad[i].said) == NULL) {
            fail_msg("%s: %s", bad[i].scaler, wld_complaints(&t));
        }
        wld_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wanted_numbers),      cmocka_unit_test(measuring_changes_nothing),
        cmocka_unit_test(nodes_are_scaled),    cmocka_unit_test(stale_jobs_count),
        cmocka_unit_test(jobs_run_once),       cmocka_unit_test(slots_are_filled_once),
        cmocka_unit_test(celery_scales_slots), cmocka_unit_test(presets),
        cmocka_unit_test(complaints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
