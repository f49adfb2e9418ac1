/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_edges.c - the smallest and largest values that the language takes, under the laws after
 * every event, against what follows from its rules by hand. */
#include "tests/models/world.h"

#include "models/mdl_probe.h"
#include "models/mdl_timeline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* One second of work a job; what differs stands in `head`, `arrivals` and `db`. */
struct edge {
    const char *head, *arrivals, *pool, *db;
};

static const char *text_of(const struct edge *e)
{
    static char yaml[2048];
    int n = snprintf(yaml, sizeof(yaml),
                     "squall: 1\ntitle: Edge\n%s\n"
                     "producers: {orders: {queue: jobs, %s}}\n"
                     "queues: {jobs: {}}\n"
                     "workers: {pool: {queue: jobs, slots: 1, calls: {db: {timeout: 5s}}, %s}}\n"
                     "dependencies: {db: {servers: 10, %s}}\n",
                     e->head, e->arrivals, e->pool != NULL ? e->pool : "replicas: 10",
                     e->db != NULL ? e->db : "service: 1s");
    assert_in_range(n, 1, (int)sizeof(yaml) - 1);
    return yaml;
}

static size_t arrivals_of(const struct wld *t, sq_time_t *at, size_t size)
{
    return wld_times(t, MDL_REC_JOB_ARRIVED, -1, at, size);
}

/* A clock that ticks every 10^8 s (1e-8/s) for 10,000 days, and one that ticks every nanosecond:
 * instants are as
 * near as a double can name them (128 ns after 27 years), and no error adds up. */
static void rates(void **state)
{
    (void)state;
    sq_time_t at[64];
    struct wld t;
    wld_run(&t, text_of(&(struct edge){ .head = "duration: 10000d\ntimeline: 1d\ntail: 1h",
                                        .arrivals = "arrivals: {kind: regular, rate: 1e-8/s}" }));
    size_t n = arrivals_of(&t, at, SQ_COUNT(at));
    assert_in_range(n, 8, 9); /* 8.64 periods */
    for (size_t i = 1; i < n; i++) {
        sq_time_t off = at[i] - at[i - 1] - INT64_C(100000000) * SQ_NS_PER_S;
        assert_in_range(off + 128, 0, 256);
    }
    wld_fini(&t);
    wld_run(&t, text_of(&(struct edge){ .head = "duration: 10us\ntimeline: 1ms",
                                        .arrivals = "arrivals: {kind: regular, rate: 1e9/s}" }));
    n = arrivals_of(&t, at, SQ_COUNT(at));
    assert_in_range(n, 9999, 10001);
    for (size_t i = 1; i < SQ_COUNT(at); i++) {
        assert_int_equal(at[i] - at[i - 1], 1);
    }
    wld_fini(&t);
    wld_run(&t, text_of(&(struct edge){ .head = "duration: 20us\ntimeline: 1ms",
                                        .arrivals = "arrivals: 1G/s" }));
    n = arrivals_of(&t, at, SQ_COUNT(at)); /* 20,000 of a Poisson process, 5 sigma */
    assert_in_range(n, 20000 - 5 * 142, 20000 + 5 * 142);
    wld_fini(&t);
    wld_run(&t, text_of(&(struct edge){ .head = "duration: 1m", .arrivals = "arrivals: 1e-9/s" }));
    assert_int_equal(arrivals_of(&t, at, SQ_COUNT(at)), 0); /* but once in 16 million */
    wld_fini(&t);
}

/* No job at all: every count is 0, nothing is infinite, nothing collapsed. */
static void no_jobs(void **state)
{
    (void)state;
    static const struct edge rows[] = {
        { .head = "duration: 1m", .arrivals = "arrivals: none" },
        { .head = "duration: 1m", .arrivals = "arrivals: 0/s" },
        { .head = "duration: 0.001us", .arrivals = "arrivals: {kind: regular, rate: 1/s}" },
        { .head = "duration: 1m\ntail: 1h", .arrivals = "arrivals: {kind: cohort, count: 0}" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t, text_of(&rows[i]));
        assert_true(wld_get(&t, "jobs.arrived") == 0 && wld_get(&t, "jobs.unfinished") == 0);
        assert_true(wld_get(&t, "dependency.db.calls") == 0);
        assert_true(isnan(wld_get(&t, "dependency.db.amplification")));
        for (size_t k = 0; k < t.metric_count; k++) {
            assert_true(!(fabs(t.metrics[k].number) > 1e300));
        }
        wld_fini(&t);
    }
}

/* Nobody works: all jobs are left over, and that is no recovery. */
static void no_replicas(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, text_of(&(struct edge){ .head = "duration: 1m\ntail: 1h\nhealth: {t1: 10s}",
                                        .arrivals = "arrivals: {kind: regular, rate: 1/s}",
                                        .pool = "replicas: 0" }));
    assert_true(wld_get(&t, "jobs.arrived") >= 59);
    assert_true(wld_get(&t, "jobs.unfinished") == wld_get(&t, "jobs.arrived"));
    assert_true(wld_get(&t, "dependency.db.calls") == 0);
    assert_string_not_equal(wld_word(&t, "drain.state"), "clears");
    wld_fini(&t);
}

/* A job exactly as old as its deadline is not stale: with a deadline of 0 those live that find a
 * worker at once. One slot, a job a second, 1.5 s each: every other one. */
static void deadline_zero(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t,
            text_of(&(struct edge){
                .head = "duration: 100s\ntail: 1h",
                .arrivals =
                    "deadline: 0s, deadline_check: delivery, arrivals: {kind: regular, rate: 1/s}",
                .pool = "replicas: 1",
                .db = "service: 1.5s" }));
    double arrived = wld_get(&t, "jobs.arrived"), done = wld_get(&t, "jobs.completed");
    assert_true(arrived == done + wld_get(&t, "jobs.stale"));
    assert_in_range((int)(2 * done - arrived), 0, 1);
    wld_fini(&t);
}

/* Bins: one for all of it; a short last one whose rates are by its true width; one wider than the
 * run. */
static void bins(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        size_t bins;
        double last_width_s;
    } rows[] = {
        { "duration: 1m\ntimeline: 1m", 1, 60 },         { "duration: 1m\ntimeline: 7s", 9, 4 },
        { "duration: 1m\ntimeline: 59999ms", 2, 0.001 }, { "duration: 1m\ntimeline: 2h", 1, 60 },
        { "duration: 0.001us\ntimeline: 1ms", 1, 1e-9 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t,
                text_of(&(struct edge){ .head = rows[i].head,
                                        .arrivals = "arrivals: {kind: regular, rate: 1000/s}" }));
        const struct sq_series *s = &t.w.probe->timeline->series;
        assert_int_equal(s->bin_count, rows[i].bins);
        double sum = 0, width = sq_time_to_s(s->bin_ns);
        for (size_t c = 0; c < s->column_count; c++) {
            if (strcmp(s->columns[c].name, "producer.orders.arrivals_per_s") == 0) {
                for (size_t b = 0; b < s->bin_count; b++) {
                    double w = b + 1 < s->bin_count ? width : rows[i].last_width_s;
                    sum += (double)s->columns[c].bins[b] * w;
                }
            }
        }
        assert_true(fabs(sum - wld_get(&t, "jobs.arrived")) < 0.5);
        wld_fini(&t);
    }
}

/* Seeds from 0 to 2^64 - 1, each with its own luck: no bit of them is lost on the way. */
static void seeds(void **state)
{
    (void)state;
    static const char *const seed[] = { "0",
                                        "1",
                                        "1099511627775",
                                        "9007199254740992", /* 2^53 */
                                        "9007199254740993",
                                        "9223372036854775808", /* 2^63 */
                                        "18446744073709551615" };
    uint64_t hash[SQ_COUNT(seed)];
    char head[64];
    for (size_t i = 0; i < SQ_COUNT(seed); i++) {
        struct wld t;
        (void)snprintf(head, sizeof(head), "duration: 10s\nseed: %s", seed[i]);
        wld_run(&t, text_of(&(struct edge){ .head = head, .arrivals = "arrivals: 10/s" }));
        hash[i] = wld_hash(&t);
        for (size_t k = 0; k < i; k++) {
            assert_true(hash[k] != hash[i]);
        }
        wld_fini(&t);
    }
    static const char *const refused[] = { "18446744073709551616", "-1", "1.5", "none",
                                           "unlimited" };
    for (size_t i = 0; i < SQ_COUNT(refused); i++) {
        struct wld t = { 0 };
        struct mdl_ask ask = { .runs = -1 };
        (void)snprintf(head, sizeof(head), "duration: 10s\nseed: %s", refused[i]);
        assert_int_equal(
            wld_load(&t, text_of(&(struct edge){ .head = head, .arrivals = "arrivals: 10/s" }),
                     &ask),
            SQ_USER);
        wld_fini(&t);
    }
}

/* Outages at 0, over the whole run, beyond its end, back to back, and of two kinds at a time. */
static void outages(void **state)
{
    (void)state;
    static const struct {
        const char *outages;
        double down_s; /* until the last job ended, 2 m at most */
        bool completes, leaves;
    } rows[] = {
        { "[{at: 0s, for: 10s}]", 10, true, false },
        { "[{at: 0s, for: 2m}]", 120, false, true },
        { "[{at: 0s, for: 10000d}]", 120, false, true },
        { "[{at: 59.999999999s, for: 10000d}]", 1e-9, true, false },
        { "[{at: 10s, for: 20s}, {at: 30s, for: 20s}]", 40, true, false },
        { "[{at: 10s, for: 20s}, {at: 20s, for: 30s, kind: slow, factor: 2}]", 20, true, false },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char db[160];
        struct wld t;
        (void)snprintf(db, sizeof(db), "service: 10ms, outages: %s", rows[i].outages);
        wld_run(&t, text_of(&(struct edge){ .head = "duration: 1m\ntail: 1m",
                                            .arrivals = "arrivals: 1/s",
                                            .pool = "replicas: 2, retry: {max_attempts: unlimited, "
                                                    "backoff: 1s, jitter: none}",
                                            .db = db }));
        assert_true(fabs(wld_get(&t, "dependency.db.downtime_s") - rows[i].down_s) < 1e-10);
        assert_int_equal(wld_get(&t, "jobs.completed") > 0, rows[i].completes);
        assert_int_equal(wld_get(&t, "jobs.unfinished") > 0, rows[i].leaves);
        wld_fini(&t);
    }
    static const char *const refused[] = {
        "[{at: 1m, for: 1s}]",                        /* nothing is planned at or after the end */
        "[{at: 10s, for: 20s}, {at: 20s, for: 20s}]", /* it cannot be down twice */
        "[{at: 10s, for: 0s}]",
    };
    for (size_t i = 0; i < SQ_COUNT(refused); i++) {
        char db[160];
        struct wld t = { 0 };
        struct mdl_ask ask = { .runs = -1 };
        (void)snprintf(db, sizeof(db), "service: 10ms, outages: %s", refused[i]);
        assert_int_equal(
            wld_load(&t,
                     text_of(&(struct edge){
                         .head = "duration: 1m", .arrivals = "arrivals: 1/s", .db = db }),
                     &ask),
            SQ_USER);
        wld_fini(&t);
    }
}

/* A ramp that needs a day in a run of two minutes stays on its first step; so does one of the
 * arrivals, whose jobs are the area below it: 60/s after an hour is 1/s after a minute. */
static void long_ramps(void **state)
{
    (void)state;
    struct wld t;
    static const char yaml[] =
        "squall: 1\ntitle: Ramp\nduration: 2m\n"
        "clients: {app: {arrivals: 100/s, calls: {db: {timeout: 5s}}}}\n"
        "dependencies: {db: {servers: unlimited, service: 1s, outages: [{at: 10s, for: 10s}]}}\n"
        "controls: {db: {concurrency: 1000, ramp: {steps: [3, 1000], every: 1d}}}\n";
    wld_run(&t, yaml);
    size_t after = 0;
    for (size_t i = 0; i < t.rec_count; i++) {
        after += t.recs[i].r.kind == MDL_REC_CALL_LEFT && t.recs[i].at > WLD_S(25) ? 1 : 0;
    }
    assert_in_range(after, 3 * 90, 3 * 95); /* 3 at a time, one second each */
    wld_fini(&t);
    wld_run(
        &t,
        text_of(&(struct edge){
            .head = "duration: 1m",
            .arrivals =
                "arrivals: {kind: regular, rate: {kind: linear, points: [[0s, 0/s], [1h, 60/s]]}}",
            .db = "service: 1ms" }));
    assert_in_range((int)wld_get(&t, "jobs.arrived"), 29, 30); /* 60 s x 1/s / 2 */
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates),       cmocka_unit_test(no_jobs),
        cmocka_unit_test(no_replicas), cmocka_unit_test(deadline_zero),
        cmocka_unit_test(bins),        cmocka_unit_test(seeds),
        cmocka_unit_test(outages),     cmocka_unit_test(long_ramps),
    };
    return cmocka_run_group_tests_name("edges", tests, NULL, NULL);
}
