/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_gate_lease.c - permits with a lease: two opposite errors, a crash that wastes a permit and a
 * long call that breaks the bound; whom a control stands before; what throttled callers do by
 * default. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A comes at 0 s, and its replica crashes at 5 s; B comes at 1 s and takes 40 s; C, D, E come at 2
 * s, 3 s and 32 s and take 20 s. */
#define SEMAPHORE(concurrency)                                                          \
    "squall: 1\nduration: 60s\nproducers:\n"                                            \
    "  a: {queue: qa, arrivals: {kind: cohort, count: 1, at: 0s}, service_scale: 40}\n" \
    "  b: {queue: q, arrivals: {kind: cohort, count: 1, at: 1s}, service_scale: 40}\n"  \
    "  c: {queue: q, arrivals: {kind: cohort, count: 1, at: 2s}, service_scale: 20}\n"  \
    "  d: {queue: q, arrivals: {kind: cohort, count: 1, at: 3s}, service_scale: 20}\n"  \
    "  e: {queue: q, arrivals: {kind: cohort, count: 1, at: 32s}, service_scale: 20}\n" \
    "queues: {q: {}, qa: {}}\nworkers:\n"                                               \
    "  w: {queue: q, slots: 9, calls: {api: {}}}\n"                                     \
    "  wa: {queue: qa, crashes: {every: 5s, restart: 1h}, calls: {api: {}}}\n"          \
    "dependencies: {api: {service: 1s}}\n"                                              \
    "controls: {api: {concurrency: " concurrency "}}\n"

static void semaphore(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        int left[5]; /* a ... e */
    } rows[] = {
        /* A's permit is free at 30 s, B's at 31 s although B runs until 41 s, which frees nothing:
           E gets C's at 50 s */
        { SEMAPHORE("{limit: 2, lease: 30s}"), { 0, 1, 30, 31, 50 } },
        { SEMAPHORE("{preset: redis-semaphore, limit: 2}"), { 0, 1, 30, 31, 50 } },
        /* without a lease A's is free at once: C runs from 5 s to 25 s */
        { SEMAPHORE("2"), { 0, 1, 5, 25, 41 } },
        /* a lease longer than everything: A's is never free again */
        { SEMAPHORE("{limit: 2, lease: 1h}"), { 0, 1, 41, -1, -1 } },
        /* and a short one is hardly a bound */
        { SEMAPHORE("{limit: 2, lease: 1s}"), { 0, 1, 2, 3, 32 } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t, rows[i].yaml);
        for (size_t n = 0; n < 5; n++) {
            const struct wld_rec *left = wld_rec_at(&t, MDL_REC_CALL_LEFT, n);
            sq_time_t want = WLD_S(rows[i].left[n]);
            if (rows[i].left[n] < 0 ? left != NULL
                                    : left == NULL || left->at != want || left->r.producer != n) {
                fail_msg("row %zu: call %zu leaves at %lld", i, n,
                         left != NULL ? (long long)left->at : -1LL);
            }
        }
        assert_true(wld_get(&t, "control.api.in_use_max") == (i == 4 ? 1 : 2));
        wld_fini(&t);
    }
}

/* The calls that run are what the bound is meant for: at 31 s there are three and A's, which nobody
 * waits for any more. */
static void more_than_the_limit(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, SEMAPHORE("{limit: 2, lease: 30s}"));
    assert_true(wld_get(&t, "dependency.api.in_flight_max") == 4);
    wld_fini(&t);
}

/* A caller that gives up in order gives its permit back: only a crash leaks it. */
static void giving_up_is_no_crash(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[3];
    wld_run(&t, "squall: 1\nduration: 60s\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: 3, at: 1s}}}\n"
                "queues: {q: {}}\nworkers: {w: {queue: q, slots: 5, calls: {api: {total_timeout: "
                "4s}}}}\n"
                "dependencies: {api: {service: 9s}}\n"
                "controls: {api: {concurrency: {limit: 1, lease: 30s}}}\n");
    assert_int_equal(wld_times(&t, MDL_REC_CALL_LEFT, -1, at, 3), 3);
    assert_int_equal(at[1], WLD_S(5)); /* and gives up at once: it has waited for four seconds */
    assert_true(wld_get(&t, "dependency.api.cancelled") == 3);
    assert_int_equal(t.w.dependencies[0].gate.in_use.now, 0);
    wld_fini(&t);
}

#define TWO_CALLERS(control)                                                         \
    "squall: 1\nduration: 60s\n"                                                     \
    "producers:\n"                                                                   \
    "  p: {queue: q, arrivals: {kind: cohort, count: 5, at: 1s}}\n"                  \
    "queues: {q: {}}\n"                                                              \
    "clients: {c: {arrivals: {kind: cohort, count: 5, at: 2s}, calls: {api: {}}}}\n" \
    "workers: {w: {queue: q, slots: 9, calls: {api: {}}}}\n"                         \
    "dependencies: {api: {service: 1s}}\ncontrols: {api: {" control "}}\n"

/* `only`, and the defaults of `throttled`: workers wait, clients fail. */
static void whom_it_stands_before(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        double waited, rejected, in_use;
    } rows[] = {
        { TWO_CALLERS("concurrency: 5"), 0, 0, 5 },
        /* at 2 s the second of the pool is in; all of the client are turned away */
        { TWO_CALLERS("concurrency: 1"), 4, 5, 1 },
        { TWO_CALLERS("concurrency: 1, only: [w, c]"), 4, 5, 1 },
        { TWO_CALLERS("concurrency: 1, only: w"), 4, 0, 1 },
        { TWO_CALLERS("concurrency: 1, only: [c]"), 0, 4, 1 },
        { TWO_CALLERS("concurrency: 1, only: c, throttled: wait"), 4, 0, 1 },
        { TWO_CALLERS("rate_limit: {rate: 1/h, burst: 3}, only: c"), 0, 2, 3 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t, rows[i].yaml);
        if (!(wld_get(&t, "control.api.waited") == rows[i].waited) ||
            !(wld_get(&t, "control.api.rejected") == rows[i].rejected) ||
            !(wld_get(&t, "control.api.in_use_max") == rows[i].in_use)) {
            fail_msg("row %zu: %g waited, %g rejected, %g in use", i,
                     wld_get(&t, "control.api.waited"), wld_get(&t, "control.api.rejected"),
                     wld_get(&t, "control.api.in_use_max"));
        }
        wld_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(semaphore),
        cmocka_unit_test(more_than_the_limit),
        cmocka_unit_test(giving_up_is_no_crash),
        cmocka_unit_test(whom_it_stands_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
