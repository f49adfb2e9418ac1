/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_gate_breaker.c - a breaker in front of a dependency: who is turned away and how, who waits,
 * the ramp that its closing starts, and what all that costs. */
#include "tests/models/world.h"

#include "models/policy/mdl_breaker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* One call each second, at 0.5 s, 1.5 s and so on; the dependency is down for [10 s, 20 s). */
#define BEAT(throttled, breaker)                                                              \
    "squall: 1\nduration: 60s\n"                                                              \
    "clients: {c: {arrivals: {kind: regular, rate: 1/s, phase: same}, calls: {d: {}}}}\n"     \
    "dependencies: {d: {service: 10ms, answer_in: 1ms, outages: [{at: 9500ms, for: 10s}]}}\n" \
    "controls: {d: {throttled: " throttled ", breaker: {" breaker "}}}\n"

/* Three failures (10, 11, 12 s) open it for 5 s; the call at 18 s is the probe and fails, the one
 * at 24 s succeeds. Between them are 5 and 5 calls that never left. */
static void refuses_while_open(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, BEAT("fail", "window: {kind: consecutive, size: 3}, open_for: 5s, "
                             "half_open: {calls: 1}"));
    sq_time_t at[4];
    assert_int_equal(wld_times(&t, MDL_REC_BREAKER, MDL_BREAKER_OPEN, at, 4), 2);
    assert_int_equal(at[0], WLD_S(12) + 1000000);
    assert_int_equal(at[1], WLD_S(18) + 1000000);
    assert_int_equal(wld_times(&t, MDL_REC_BREAKER, MDL_BREAKER_CLOSED, at, 4), 1);
    assert_int_equal(at[0], WLD_S(24) + 10000000);
    assert_true(wld_get(&t, "control.d.breaker_opens") == 2);
    assert_true(wld_get(&t, "control.d.rejected") == 10);
    assert_true(wld_get(&t, "dependency.d.calls") == wld_get(&t, "jobs.arrived") - 10);
    assert_true(wld_get(&t, "dependency.d.refused") == 4);
    wld_fini(&t);
}

/* The same in line: the first to wait is the probe, at open_for exactly, and the others leave when
 * it was answered. */
static void waits_while_open(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, BEAT("wait", "window: {kind: consecutive, size: 3}, open_for: 5s, "
                             "half_open: {calls: 1}"));
    sq_time_t at[60];
    size_t calls = wld_times(&t, MDL_REC_CALL_LEFT, -1, at, 60);
    assert_int_equal(calls, wld_get(&t, "jobs.arrived"));
    /* calls 0 to 12 on time; 13 at the end of each open time until one succeeds, then all. */
    assert_int_equal(at[12], WLD_S(12));
    assert_int_equal(at[13], WLD_S(17) + 1000000);
    assert_int_equal(at[14], WLD_S(22) + 2000000);
    for (size_t i = 15; i <= 22; i++) {
        assert_int_equal(at[i], WLD_S(22) + 12000000);
    }
    assert_int_equal(at[23], WLD_S(23));
    wld_fini(&t);
}

/* Under `fail` a call that is turned away by an open breaker is a failure of its own kind. */
static void breaker_open_is_a_kind(void **state)
{
    (void)state;
    static const struct {
        const char *on;
        double completed;
    } rows[] = {
        { "breaker-open", 6 }, /* the five behind the first come again when all is well */
        { "throttled", 0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[900];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 60s\n"
                       "clients: {c: {arrivals: {kind: regular, rate: 1/s, phase: same},\n"
                       "  retry: {retry_on: [unavailable, %s], max_attempts: 2, jitter: none,\n"
                       "    backoff: {kind: fixed, base: 20s}}, calls: {d: {}}}}\n"
                       "dependencies: {d: {service: 10ms, outages: [{at: 9500ms, for: 1s}]}}\n"
                       "controls: {d: {throttled: fail, breaker: {open_for: 5500ms,\n"
                       "  window: {kind: consecutive, size: 1}, half_open: {calls: 1}}}}\n",
                       rows[i].on);
        struct wld t;
        wld_run(&t, text);
        assert_true(wld_get(&t, "control.d.rejected") == 5);
        double lost = wld_get(&t, "jobs.arrived") - wld_get(&t, "jobs.completed");
        assert_true(lost == (i == 0 ? 0 : 5));
        /* What never left is no attempt: only the call that failed was tried twice. */
        assert_true(wld_get(&t, "attempts.retries") == 1);
        wld_fini(&t);
    }
}

/* A probe that another control turns away is no probe. */
static void permit_comes_back(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 60s\n"
                "clients:\n"
                "  a: {arrivals: {kind: cohort, count: 1, at: 1s}, calls: {d: {timeout: 1ms}}}\n"
                "  b: {arrivals: {kind: cohort, count: 1, at: 20s}, calls: {d: {}}}\n"
                "  c: {arrivals: {kind: cohort, count: 1, at: 21s}, calls: {d: {}}}\n"
                "dependencies: {d: {service: 5s}}\n"
                "controls: {d: {throttled: fail, concurrency: 1, breaker: {open_for: 1s,\n"
                "  window: {kind: consecutive, size: 1}, half_open: {calls: 2}, min_calls: 1}}}\n");
    /* b holds the one permit until 25 s; c gets a half-open permit and no other, and gives it
     * back. */
    assert_true(wld_get(&t, "dependency.d.calls") == 2);
    assert_true(wld_get(&t, "control.d.rejected") == 1);
    const struct wld_rec *last = wld_rec_at(&t, MDL_REC_BREAKER, 2);
    assert_int_equal(last->r.outcome, MDL_BREAKER_CLOSED);
    assert_int_equal(last->at, WLD_S(25));
    wld_fini(&t);
}

/* mode: wait. Others wait for the probe whatever throttled callers do; then all leave at once, or
 * all are turned away. */
static void waiters_for_the_probe(void **state)
{
    (void)state;
    for (int ok = 0; ok <= 1; ok++) {
        char text[900];
        (void)snprintf(
            text, sizeof(text),
            "squall: 1\nduration: 60s\n"
            "clients:\n"
            "  a: {arrivals: {kind: cohort, count: 1, at: 1s}, calls: {d: {timeout: 1ms}}}\n"
            "  b: {arrivals: {kind: cohort, count: 100, at: 20s},\n"
            "    calls: {d: {timeout: %s}}}\n"
            "dependencies: {d: {service: 5s}}\n"
            "controls: {d: {throttled: fail, breaker: {open_for: 1s,\n"
            "  window: {kind: consecutive, size: 1}, half_open: {mode: wait}}}}\n",
            ok ? "10s" : "2s");
        struct wld t;
        wld_run(&t, text);
        assert_true(wld_get(&t, "control.d.waited") == 99);
        assert_true(wld_get(&t, "control.d.rejected") == (ok ? 0 : 99));
        assert_true(wld_get(&t, "dependency.d.calls") == (ok ? 101 : 2));
        const struct wld_rec *left = wld_rec_at(&t, MDL_REC_CALL_LEFT, 2);
        assert_true(ok ? left->at == WLD_S(25) : left == NULL);
        wld_fini(&t);
    }
}

/* starts: breaker-close: the bottom while it is not closed, then the steps; trouble is nothing to
 * it. */
static void closing_starts_the_ramp(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 3m\n"
                "producers: {p: {queue: q, arrivals: 100/s}}\nqueues: {q: {}}\n"
                "workers: {w: {queue: q, slots: 200, calls: {d: {}},\n"
                "  retry: {max_attempts: unlimited, backoff: none, jitter: none}}}\n"
                "dependencies: {d: {service: 100ms, outages: [{at: 20s, for: 30s}]}}\n"
                "controls: {d: {ramp: {steps: [2, 4, 8], every: 10s, starts: breaker-close},\n"
                "  breaker: {open_for: 7s, half_open: {calls: 1}}}}\n");
    sq_time_t closed, steps[3];
    assert_int_equal(wld_times(&t, MDL_REC_BREAKER, MDL_BREAKER_CLOSED, &closed, 1), 1);
    assert_true(closed > WLD_S(50) && closed < WLD_S(58));
    assert_int_equal(wld_times(&t, MDL_REC_RAMP_START, 0, steps, 3), 1);
    assert_int_equal(steps[0], closed);
    assert_int_equal(wld_times(&t, MDL_REC_RAMP_STEP, -1, steps, 3), 2);
    assert_int_equal(steps[0], closed + WLD_S(10));
    assert_int_equal(steps[1], closed + WLD_S(20));
    assert_true(wld_get(&t, "control.d.ramp_relapses") == 0);
    wld_fini(&t);
}

/* An operator holds it open, then closed, then lets go. */
static void held_by_hand(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t,
            "squall: 1\nduration: 60s\n"
            "clients: {c: {arrivals: {kind: regular, rate: 1/s, phase: same}, calls: {d: {}}}}\n"
            "dependencies: {d: {service: 10ms, outages: [{at: 19500ms, for: 40s}]}}\n"
            "controls: {d: {throttled: fail, breaker: {window: {kind: consecutive, size: 1}}}}\n"
            "actions:\n"
            "  - {at: 5500ms, set: {controls.d.breaker.state: open}}\n"
            "  - {at: 15500ms, set: {controls.d.breaker.state: closed}}\n"
            "  - {at: 30500ms, set: {controls.d.breaker.state: auto}}\n");
    sq_time_t at[3];
    assert_int_equal(wld_times(&t, MDL_REC_BREAKER, -1, at, 3), 3);
    assert_int_equal(at[0], 5500 * INT64_C(1000000));
    assert_int_equal(at[1], 15500 * INT64_C(1000000));
    assert_int_equal(at[2], WLD_S(31) + 1000000);
    assert_true(wld_get(&t, "dependency.d.refused") == 12); /* 20 s to 31 s */
    wld_fini(&t);
}

/* Opening on a crowd that waits costs nothing by itself, and letting it go costs each caller once:
 * events per caller are the same for 1,000 and for 60,000. */
static void a_crowd_costs_linear_time(void **state)
{
    (void)state;
    double each[2];
    for (int i = 0; i < 2; i++) {
        int crowd = i == 0 ? 1000 : 60000;
        char text[900];
        (void)snprintf(
            text, sizeof(text),
            "squall: 1\nduration: 5m\n"
            "clients:\n"
            "  a: {arrivals: {kind: cohort, count: 3, at: 1s}, calls: {d: {timeout: 1s}}}\n"
            "  b: {arrivals: {kind: cohort, count: %d, at: 1500ms}, calls: {d: {}}}\n"
            "dependencies: {d: {service: 2s, outages: [{at: 3s, for: 1m, kind: hang}]}}\n"
            "controls: {d: {throttled: wait, concurrency: 3, breaker: {open_for: 10s,\n"
            "  window: {kind: consecutive, size: 3}, half_open: {calls: 1},\n"
            "  failure_kinds: timeout}}}\n"
            "actions: [{at: 2m, set: {controls.d.concurrency.limit: 1M}}]\n",
            crowd);
        struct wld t;
        assert_int_equal(wld_load(&t, text, &(struct mdl_ask){ 0 }), SQ_OK);
        wld_build(&t, 1);
        wld_finish(&t);
        assert_true(wld_get(&t, "control.d.breaker_opens") >= 1);
        assert_true(wld_get(&t, "control.d.waited") == crowd);
        each[i] = wld_get(&t, "run.events") / crowd;
        print_message("%d callers: %.3f events each\n", crowd, each[i]);
        wld_fini(&t);
    }
    assert_true(each[1] < each[0] + 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_while_open),     cmocka_unit_test(waits_while_open),
        cmocka_unit_test(breaker_open_is_a_kind), cmocka_unit_test(permit_comes_back),
        cmocka_unit_test(waiters_for_the_probe),  cmocka_unit_test(closing_starts_the_ramp),
        cmocka_unit_test(held_by_hand),           cmocka_unit_test(a_crowd_costs_linear_time),
    };
    return cmocka_run_group_tests_name("gate-breaker", tests, NULL, NULL);
}
