/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of whole runs by the fluid model: the same shape as the simulation of events, the same at
 * any rate, and what it refuses. */
#include "models/study/mdl_fluid_single.h"
#include "models/study/mdl_replicate.h"
#include "sim/core/sq_infer.h"
#include "tests/models/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* `k` times 100 jobs a second, on k times 80 servers. */
static void put_world(char *text, size_t size, double k, const char *more)
{
    (void)snprintf(text, size,
                   "squall: 1\n"
                   "duration: 20m\n"
                   "tail: 1h\n"
                   "producers: {p: {queue: q, arrivals: {kind: regular, rate: %.0f/s}}}\n"
                   "queues: {q: {}}\n"
                   "workers:\n"
                   "  w: {queue: q, replicas: 16, slots: %.0f, calls: {api: {timeout: 1s}},\n"
                   "      retry: {max_attempts: 8, backoff: {kind: exponential, base: 5s}}}\n"
                   "dependencies:\n"
                   "  api: {servers: %.0f, service: {kind: lognormal, mean: 320ms, cv: 0.3},\n"
                   "        answer_in: 530ms, outages: [{at: 3m, for: 4m}], warm_up: 30%%}\n"
                   "controls: {api: {concurrency: %.0f%s}}\n",
                   100 * k, 10 * k, 80 * k, 80 * k, more);
}

struct both {
    struct wld t;
    struct sq_result fluid, events;
};

static void fluid_of(struct both *b, const char *yaml)
{
    struct mdl_ask ask = { 0 };
    *b = (struct both){ 0 };
    if (wld_load(&b->t, yaml, &ask) != SQ_OK ||
        mdl_fluid_single(&b->t.s, NULL, &b->fluid, &b->t.diag) != SQ_OK) {
        fail_msg("%s", wld_complaints(&b->t));
    }
    assert_string_equal(b->fluid.model, "fluid");
}

static void both_fini(struct both *b)
{
    sq_arena_fini(&b->fluid.arena);
    sq_arena_fini(&b->events.arena);
    wld_fini(&b->t);
}

static const float *column(const struct sq_result *r, const char *name)
{
    long i = sq_series_column(&r->series, name);
    assert_true(i >= 0);
    return r->series.columns[i].bins;
}

static double metric(const struct sq_result *r, const char *name)
{
    long i = sq_result_metric(r, name);
    assert_true(i >= 0);
    return r->runs[0].values[i].number;
}

enum { MINUTES_MAX = 60 };

/* Means of minutes, as shares of the largest. */
static void expect_shape(const struct both *b, const char *name, double tolerance)
{
    const float *fluid = column(&b->fluid, name), *events = column(&b->events, name);
    double a[MINUTES_MAX] = { 0 }, e[MINUTES_MAX] = { 0 }, most = 0;
    size_t minutes = (size_t)(b->t.s.cfg.duration / SQ_NS_PER_S / 60);
    assert_in_range(minutes, 1, MINUTES_MAX);
    for (size_t i = 0; i < 60 * minutes; i++) {
        a[i / 60] += (double)fluid[i] / 60;
        e[i / 60] += (double)events[i] / 60;
    }
    for (size_t i = 0; i < minutes; i++) {
        most = fmax(most, e[i]);
    }
    for (size_t i = 0; i < minutes; i++) {
        if (!(fabs(a[i] - e[i]) <= tolerance * most)) {
            fail_msg("%s, minute %zu: fluid %g, events %g, the most %g", name, i, a[i], e[i], most);
        }
    }
}

static void expect_near(const struct both *b, const char *name, double tolerance)
{
    double fluid = metric(&b->fluid, name), events = metric(&b->events, name);
    if (!(fabs(fluid - events) <= tolerance * events)) {
        fail_msg("%s: fluid %g, events %g", name, fluid, events);
    }
}

/* Jobs are as many as their ends, calls as many as their outcomes. */
static void expect_sums(const struct sq_result *r)
{
    static const char *const ends[] = { "jobs.completed", "jobs.stale", "jobs.superseded",
                                        "jobs.dead_lettered", "jobs.unfinished" };
    static const char *const outcomes[] = { "dependency.api.goodput", "dependency.api.refused",
                                            "dependency.api.errors", "dependency.api.timeouts",
                                            "dependency.api.awaited" };
    double arrived = metric(r, "jobs.arrived"), calls = metric(r, "dependency.api.calls");
    double jobs = 0, known = 0;
    for (size_t i = 0; i < SQ_COUNT(ends); i++) {
        jobs += metric(r, ends[i]);
        known += metric(r, outcomes[i]);
    }
    assert_true(fabs(arrived - jobs) <= 1e-6 * arrived);
    assert_true(fabs(calls - known) <= 1e-6 * calls);
    double tries =
        metric(r, "dependency.api.calls_first") + metric(r, "dependency.api.calls_retry");
    assert_true(fabs(calls - tries) <= 1e-6 * calls);
}

static void both_of(struct both *b, const char *yaml, size_t runs)
{
    struct mdl_replicate_ask ask = {
        .first = 1, .count = runs, .threads = 1, .check_every = 1 << 20
    };
    fluid_of(b, yaml);
    expect_sums(&b->fluid);
    assert_int_equal(mdl_replicate(&b->t.s, &ask, &b->events, &b->t.diag), SQ_OK);
}

enum { RUNS = 5 };

/* The median of the runs. */
static void expect_median(const struct both *b, const char *name, double tolerance)
{
    double fluid = metric(&b->fluid, name), of[RUNS];
    long at = sq_result_metric(&b->events, name);
    assert_true(at >= 0);
    assert_int_equal(b->events.run_count, RUNS);
    for (size_t i = 0; i < RUNS; i++) {
        of[i] = b->events.runs[i].values[at].number;
    }
    struct sq_spread s;
    assert_int_equal(sq_infer_spread(of, RUNS, &s), SQ_OK);
    if (!(fabs(fluid - s.p50) <= tolerance * s.p50)) {
        fail_msg("%s: fluid %g, the median of runs %g", name, fluid, s.p50);
    }
}

static void compare(const char *more)
{
    struct both b;
    char yaml[2048];
    put_world(yaml, sizeof(yaml), 4, more);
    both_of(&b, yaml, RUNS);
    expect_shape(&b, "queue.q.ready", 0.01);
    expect_shape(&b, "queue.q.delayed", 0.06);               /* a few hundred of them */
    expect_shape(&b, "dependency.api.goodput_per_s", 0.015); /* 320 callers on 96 servers */
    expect_shape(&b, "dependency.api.calls_first_per_s", 0.015);
    expect_shape(&b, "control.api.in_use", 0.015);
    expect_near(&b, "jobs.completed", 0.001);
    expect_near(&b, "dependency.api.calls", 0.005);
    expect_near(&b, "dependency.api.refused", 0.02); /* a ramp sees trouble by the second */
    expect_near(&b, "queue.q.ready_max", 0.01);
    expect_near(&b, "drain.queue_clear_s", 0.01);
    expect_median(&b, "drain.last_job_s", 0.05); /* of one run it is luck: 7 % */
    both_fini(&b);
}

static void test_shape(void **state)
{
    (void)state;
    compare("");
    compare(", ramp: {steps: [40, 80, 160, 320], every: 30s}");
}

/* A thousand jobs a second through an outage of 20 minutes. They arrive evenly: by chance the
 * backlog of one run differs from another's by a tenth of a percent, and in the minute in which it
 * clears so do the calls by 1.35 % (eight runs). A refusal takes no part of a second that fits into
 * it: else all callers that are refused move in step with the bins. */
static void test_thousand(void **state)
{
    (void)state;
    static const char *const names[] = { "queue.q.ready",
                                         "queue.q.in_flight",
                                         "dependency.api.calls_first_per_s",
                                         "dependency.api.calls_retry_per_s",
                                         "dependency.api.goodput_per_s",
                                         "dependency.api.refused_per_s",
                                         "control.api.in_use" };
    struct both b;
    both_of(&b,
            "squall: 1\n"
            "duration: 36m\n"
            "producers: {p: {queue: q, arrivals: {kind: regular, rate: 1k/s}}}\n"
            "queues: {q: {}}\n"
            "workers:\n"
            "  w: {queue: q, replicas: 100, slots: 16, calls: {api: {timeout: 1s}},\n"
            "      retry: {backoff: {kind: exponential, base: 5s, cap: 1h},\n"
            "              max_attempts: 12}}\n"
            "dependencies:\n"
            "  api: {servers: 800, service: {kind: lognormal, mean: 320ms, cv: 0.3},\n"
            "        answer_in: 730ms, outages: [{at: 1m, for: 20m}]}\n"
            "controls: {api: {concurrency: 800}}\n",
            1);
    for (size_t i = 0; i < SQ_COUNT(names); i++) {
        expect_shape(&b, names[i], 0.01);
    }
    expect_shape(&b, "queue.q.delayed", 0.02); /* ten thousand of them: runs differ by 0.9 % */
    expect_near(&b, "dependency.api.calls", 0.002);
    expect_near(&b, "dependency.api.refused", 0.002);
    expect_near(&b, "dependency.api.errors", 0.05); /* some three hundred are reset */
    expect_near(&b, "drain.queue_clear_s", 0.002);
    both_fini(&b);
}

/* A failed job that has no retry is dead, and one that was there at the start has arrived. */
static void test_no_retry(void **state)
{
    (void)state;
    struct both b;
    both_of(&b,
            "squall: 1\n"
            "duration: 330500ms\n"
            "producers: {p: {queue: q, backlog: 5000,\n"
            "                arrivals: {kind: regular, rate: 100/s}}}\n"
            "queues: {q: {}}\n"
            "workers: {w: {queue: q, replicas: 16, slots: 10, calls: {api: {timeout: 2s}}}}\n"
            "dependencies:\n"
            "  api: {servers: 80, service: {kind: lognormal, mean: 320ms, cv: 0.3},\n"
            "        answer_in: 500ms, outages: [{at: 3m, for: 1m}]}\n"
            "controls: {api: {concurrency: 80}}\n",
            1);
    expect_near(&b, "jobs.arrived", 1e-6);
    expect_near(&b, "jobs.completed", 0.001);
    expect_near(&b, "jobs.dead_lettered", 0.002);
    both_fini(&b);
}

/* The broker gives up before the retry layer does, at the delivery after the last one. A
 * refusal_cost is of calls that are refused while the dependency is up: there are none. */
static void test_receives(void **state)
{
    (void)state;
    struct both b;
    both_of(&b,
            "squall: 1\n"
            "duration: 10m\n"
            "producers: {p: {queue: q, arrivals: {kind: regular, rate: 400/s}}}\n"
            "queues: {q: {max_receives: 4}}\n"
            "workers:\n"
            "  w: {queue: q, replicas: 16, slots: 40, calls: {api: {timeout: 1s}},\n"
            "      retry: {max_attempts: 8, backoff: {kind: exponential, base: 5s}}}\n"
            "dependencies:\n"
            "  api: {servers: 320, service: {kind: lognormal, mean: 320ms, cv: 0.3},\n"
            "        answer_in: 730ms, refusal_cost: 1s, outages: [{at: 1m, for: 4m}]}\n"
            "controls: {api: {concurrency: 320}}\n",
            1);
    expect_near(&b, "jobs.dead_lettered", 0.02); /* some eight thousand */
    expect_near(&b, "jobs.completed", 0.001);
    expect_near(&b, "queue.q.ready_max", 0.01);
    expect_near(&b, "drain.queue_clear_s", 0.01);
    both_fini(&b);
}

/* A hundred times the rate on as many more servers is the same run, a hundred times. */
static void test_any_rate(void **state)
{
    (void)state;
    struct both small, large;
    char yaml[2048];
    put_world(yaml, sizeof(yaml), 100, "");
    fluid_of(&small, yaml);
    put_world(yaml, sizeof(yaml), 10000, "");
    fluid_of(&large, yaml);
    const float *a = column(&small.fluid, "queue.q.ready");
    const float *b = column(&large.fluid, "queue.q.ready");
    for (size_t i = 0; i < 1200; i++) {
        assert_true(fabs(100 * (double)a[i] - (double)b[i]) <=
                    1e-3 * metric(&large.fluid, "queue.q.ready_max"));
    }
    assert_true(fabs(metric(&small.fluid, "dependency.api.amplification") -
                     metric(&large.fluid, "dependency.api.amplification")) < 1e-3);
    both_fini(&small);
    both_fini(&large);
}

static const struct {
    const char *from, *to, *key;
} outside[] = {
    { "queues: {q: {}}", "queues: {q: {discipline: lifo}}", "queues.q.discipline" },
    { "queues: {q: {}}", "queues: {q: {}, r: {}}", "queues" },
    { "warm_up: 30%", "cache: {hit: 50%, fill: 100}", "dependencies.api.cache" },
    { "outages: [{at: 3m, for: 4m}]", "outages: [{at: 3m, for: 4m, kind: hang}]",
      "dependencies.api.outages.0" },
    { "calls: {api: {timeout: 1s}}", "calls: {api: {retry: {max_attempts: 2}}}",
      "workers.w.calls.api.retry" },
    { "backoff: {kind: exponential, base: 5s}", "max_elapsed: 1h", "workers.w.retry.max_elapsed" },
    { "duration: 20m", "duration: 20m\nmeasure_from: 1m", "measure_from" },
    { "rate: 100/s}", "rate: 100/s}, supersede: {keys: 9, skew: 1}", "producers.p.supersede.skew" },
    { "backoff: {kind: exponential, base: 5s}", "held_by: worker-memory",
      "workers.w.retry.held_by" },
    { "warm_up: 30%", "errors: {permanent: 5%}", "workers.w.retry.retry_on" },
    { "warm_up: 30%", "rate_limit: 50/s", "dependencies.api.rate_limit" },
    { "warm_up: 30%", "abandoned: skip", "dependencies.api.abandoned" },
    { "warm_up: 30%", "nodes: 2, balance: random", "dependencies.api.balance" },
    { "calls: {api: {timeout: 1s}}", "calls: {api: {times: 2}}", "workers.w.calls.api.times" },
    { "concurrency: 80", "throttled: {kind: wait, max: 9s}, concurrency: 80",
      "controls.api.throttled.max" },
    { "concurrency: 80", "concurrency: {limit: 80, lease: 9s}", "controls.api.concurrency.lease" },
    { "concurrency: 80", "breaker: resilience4j", "controls.api.breaker" },
    { "kind: regular, rate: 100/s", "kind: cohort, count: 5", "producers.p.arrivals" },
};

static void test_domain(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(outside); i++) {
        struct both b = { 0 };
        struct mdl_ask ask = { 0 };
        char base[2048], yaml[2048];
        put_world(base, sizeof(base), 1, "");
        char *at = strstr(base, outside[i].from);
        assert_non_null(at);
        (void)snprintf(yaml, sizeof(yaml), "%.*s%s%s", (int)(at - base), base, outside[i].to,
                       at + strlen(outside[i].from));
        if (wld_load(&b.t, yaml, &ask) != SQ_OK) {
            fail_msg("%s", wld_complaints(&b.t));
        }
        assert_int_equal(mdl_fluid_single(&b.t.s, NULL, &b.fluid, &b.t.diag), SQ_USER);
        if (strstr(wld_complaints(&b.t), outside[i].key) == NULL) {
            fail_msg("no word of %s: %s", outside[i].key, wld_complaints(&b.t));
        }
        both_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),    cmocka_unit_test(test_thousand),
        cmocka_unit_test(test_no_retry), cmocka_unit_test(test_receives),
        cmocka_unit_test(test_any_rate), cmocka_unit_test(test_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
