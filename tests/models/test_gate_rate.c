/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_gate_rate.c - rate limits at a control: who leaves when, by hand calculation; one event per
 * token; scopes; leaky buckets; the same limits at the server. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CROWD(n, control)                                                           \
    "squall: 1\nduration: 60s\n"                                                    \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: " #n ", at: 1s}}}\n" \
    "queues: {q: {}}\nworkers: {w: {queue: q, slots: 50, calls: {api: {}}}}\n"      \
    "dependencies: {api: {service: 2s}}\ncontrols: {api: {" control "}}\n"

#define MS(x) ((sq_time_t)((x)*1000000.0 + 0.5))

/* Every one waits, and leaves at the instant of its token, first come first served. */
static void at_the_instant(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        double ms[8];   /* after 1 s; the calls 1 ... 8 */
        int64_t tokens; /* events that say that one has come */
    } rows[] = {
        { CROWD(8, "rate_limit: 10/s"), { 0, 100, 200, 300, 400, 500, 600, 700 }, 7 },
        { CROWD(8, "rate_limit: {rate: 10/s, burst: 5}"), { 0, 0, 0, 0, 0, 100, 200, 300 }, 3 },
        /* ten tokens have come by 1 s, of which five fit */
        { CROWD(8, "rate_limit: {rate: 10/s, burst: 5, start: empty}"),
          { 0, 0, 0, 0, 0, 100, 200, 300 },
          3 },
        { CROWD(8, "rate_limit: {rate: 3/s, burst: 2}"),
          { 0, 0, 333.333334, 666.666667, 1000, 1333.333334, 1666.666667, 2000 },
          6 },
        { CROWD(8, "rate_limit: {kind: gcra, rate: 10/s, burst: 5}"),
          { 0, 0, 0, 0, 0, 100, 200, 300 },
          3 },
        { CROWD(8, "rate_limit: {kind: leaky-bucket, rate: 10/s}"),
          { 0, 100, 200, 300, 400, 500, 600, 700 },
          7 },
        { CROWD(8, "rate_limit: {kind: fixed-window, limit: 3, window: 1500ms}"),
          { 0, 0, 0, 500, 500, 500, 2000, 2000 },
          2 },
        { CROWD(8, "rate_limit: {kind: fixed-window, limit: 3, window: 1500ms, start: first-use}"),
          { 0, 0, 0, 1500, 1500, 1500, 3000, 3000 },
          2 },
        { CROWD(8, "rate_limit: {kind: sliding-log, limit: 3, window: 1500ms}"),
          { 0, 0, 0, 1500, 1500, 1500, 3000, 3000 },
          2 },
        /* 4 (1 - e) + n + 1 <= 4; then three in the window before */
        { CROWD(8, "rate_limit: {kind: sliding-counter, limit: 4, window: 1s}"),
          { 0, 0, 0, 0, 1250, 1500, 1750, 2000 },
          4 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t, free;
        wld_run(&t, rows[i].yaml);
        for (size_t n = 0; n < 8; n++) {
            const struct wld_rec *left = wld_rec_at(&t, MDL_REC_CALL_LEFT, n);
            if (left->at != WLD_S(1) + MS(rows[i].ms[n]) || left->r.ordinal != n) {
                fail_msg("row %zu: call %zu leaves at %lld", i, n, (long long)left->at);
            }
        }
        wld_run(&free, CROWD(8, "concurrency: 50"));
        assert_int_equal(t.w.ctx.sim.events - free.w.ctx.sim.events, rows[i].tokens);
        wld_fini(&free);
        wld_fini(&t);
    }
}

/* Throttled otherwise: the limit itself is the same. */
static void throttled(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        double completed, waited, rejected, deferred;
    } rows[] = {
        { CROWD(8, "rate_limit: {rate: 10/s, burst: 3}, throttled: fail"), 3, 0, 5, 0 },
        /* tokens at 100 ms, 200 ms: a grant at the last instant is in time */
        { CROWD(8, "rate_limit: {rate: 10/s, burst: 3}, throttled: {kind: wait, max: 200ms}"), 4, 5,
          4, 0 },
        { CROWD(8, "rate_limit: {rate: 10/s, burst: 3}, throttled: {kind: wait, max: 201ms}"), 5, 5,
          3, 0 },
        { CROWD(8, "rate_limit: {rate: 10/s, burst: 3}, throttled: {kind: defer, delay: 1s}"), 8, 0,
          0, 5 + 2 },
        /* a leaky bucket makes two wait, whatever else throttled callers do */
        { CROWD(8, "rate_limit: {kind: leaky-bucket, rate: 10/s, queue: 2}, throttled: fail"), 3, 2,
          5, 0 },
        { CROWD(8, "rate_limit: {kind: leaky-bucket, rate: 10/s, queue: 0}, throttled: fail"), 1, 0,
          7, 0 },
        { CROWD(8, "rate_limit: {kind: leaky-bucket, rate: 10/s}, throttled: fail"), 8, 7, 0, 0 },
        /* out of the bucket, and turned away by the bound, which lets two in every 2 s */
        { CROWD(8, "rate_limit: {kind: leaky-bucket, rate: 10/s}, concurrency: 2, throttled: "
                   "fail"),
          2, 7, 6, 0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t, rows[i].yaml);
        if (!(wld_get(&t, "jobs.completed") == rows[i].completed) ||
            !(wld_get(&t, "control.api.waited") == rows[i].waited) ||
            !(wld_get(&t, "control.api.rejected") == rows[i].rejected) ||
            !(wld_get(&t, "control.api.deferred") == rows[i].deferred)) {
            fail_msg("row %zu: %g completed, %g waited, %g rejected, %g deferred", i,
                     wld_get(&t, "jobs.completed"), wld_get(&t, "control.api.waited"),
                     wld_get(&t, "control.api.rejected"), wld_get(&t, "control.api.deferred"));
        }
        assert_true(wld_get(&t, "attempts.total") == rows[i].completed);
        wld_fini(&t);
    }
}

/* A call that the bound refuses takes no token: with one permit and a token in the bucket, the next
 * in line leaves at the very instant of the answer. */
static void refusals_give_back(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, CROWD(4, "rate_limit: {rate: 1/h, burst: 4}, concurrency: 1"));
    for (size_t n = 0; n < 4; n++) {
        assert_int_equal(wld_rec_at(&t, MDL_REC_CALL_LEFT, n)->at, WLD_S(1 + 2 * (int)n));
    }
    wld_fini(&t);
    /* And the other way round: a permit is not held while a token is awaited. */
    wld_run(&t, CROWD(4, "rate_limit: 1/s, concurrency: 1"));
    for (size_t n = 0; n < 4; n++) {
        assert_int_equal(wld_rec_at(&t, MDL_REC_CALL_LEFT, n)->at, WLD_S(1 + 2 * (int)n));
    }
    assert_true(wld_get(&t, "control.api.in_use_max") == 1);
    wld_fini(&t);
}

/* Two replicas with a bucket each: the fleet's rate is twice as high. */
static void scopes_multiply(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 60s\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: 100, at: 1s}}}\n"
                "queues: {q: {}}\n"
                "workers: {w: {queue: q, replicas: 2, slots: 5, calls: {api: {}}}}\n"
                "dependencies: {api: {service: 10ms}}\n"
                "controls: {api: {rate_limit: {rate: 1/s, scope: replica}}}\n");
    for (size_t n = 0; n < 100; n++) {
        assert_int_equal(wld_rec_at(&t, MDL_REC_CALL_LEFT, n)->at, WLD_S(1 + (int)(n / 2)));
    }
    assert_true(mdl_gate_rate(&t.w.dependencies[0].gate) == 2);
    wld_fini(&t);
}

/* A limiter of spacing and concurrency together, as bottleneck 2.19.5 ran it with maxConcurrent 2,
 * minTime 100 ms and jobs of 250 ms: starts by its wall clock, some ms late each. */
static void spacing_and_concurrency(void **state)
{
    (void)state;
    static const int recorded[] = { 2, 101, 255, 354, 508, 607 };
    struct wld t;
    wld_run(&t,
            "squall: 1\nduration: 60s\n"
            "producers: {p: {queue: q, arrivals: {kind: cohort, count: 6, at: 0s}}}\n"
            "queues: {q: {}}\nworkers: {w: {queue: q, slots: 9, calls: {api: {}}}}\n"
            "dependencies: {api: {service: 250ms}}\n"
            "controls: {api: {concurrency: 2, rate_limit: {kind: leaky-bucket, rate: 10/s}}}\n");
    for (size_t n = 0; n < 6; n++) {
        sq_time_t late = MS(recorded[n]) - wld_rec_at(&t, MDL_REC_CALL_LEFT, n)->at;
        assert_in_range(late, 0, MS(10));
    }
    wld_fini(&t);
}

/* `set` acts at once on those that wait: at 3 s the rate rises to 10/s. */
static void set_acts_at_once(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, CROWD(8, "rate_limit: 1/s") "actions: [{at: 3500ms, set: "
                                            "{controls.api.rate_limit.rate: 10/s}}]\n");
    static const int want[] = { 1000, 2000, 3000, 3550, 3650, 3750, 3850, 3950 };
    for (size_t n = 0; n < 8; n++) { /* half a token was there, the other half takes 50 ms */
        assert_int_equal(wld_rec_at(&t, MDL_REC_CALL_LEFT, n)->at, MS(want[n]));
    }
    wld_fini(&t);
}

/* At the server: calls leave at once; a leaky bucket lets them in one by one, beyond its queue they
 * are refused. Service 2 s, answers at the instants of the bucket + 2 s. */
static void at_the_server(void **state)
{
    (void)state;
    static const char text[] =
        "squall: 1\nduration: 60s\n"
        "clients: {c: {arrivals: {kind: cohort, count: 8, at: 1s}, calls: {api: {}}}}\n"
        "dependencies: {api: {service: 2s, rate_limit: %s}}\n";
    static const struct {
        const char *limit;
        double refused;
        double ms[8]; /* answers, after 3 s */
    } rows[] = {
        { "{kind: leaky-bucket, rate: 10/s}", 0, { 0, 100, 200, 300, 400, 500, 600, 700 } },
        { "{kind: leaky-bucket, rate: 10/s, queue: 3}", 4, { 0, 100, 200, 300 } },
        { "{kind: sliding-log, limit: 5, window: 1s}", 3, { 0, 0, 0, 0, 0 } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char yaml[600];
        struct wld t;
        (void)snprintf(yaml, sizeof(yaml), text, rows[i].limit);
        wld_run(&t, yaml);
        assert_true(wld_get(&t, "dependency.api.refused") == rows[i].refused);
        sq_time_t at[8];
        size_t n = wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_OK, at, 8);
        assert_int_equal(n, 8 - (size_t)rows[i].refused);
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(at[k], WLD_S(3) + MS(rows[i].ms[k]));
        }
        wld_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_instant),          cmocka_unit_test(throttled),
        cmocka_unit_test(refusals_give_back),      cmocka_unit_test(scopes_multiply),
        cmocka_unit_test(spacing_and_concurrency), cmocka_unit_test(set_acts_at_once),
        cmocka_unit_test(at_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
