/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_gate_pause.c - pools that pause, and what being throttled costs in each of the four ways: no
 * attempt, no receive unless asked, one grant per freed permit, no herd of wake-ups. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* n jobs at 1 s for a pool of 50 slots; calls take 2 s. */
static void run(struct wld *t, int n, const char *queue, const char *control)
{
    char yaml[1000];
    (void)snprintf(yaml, sizeof(yaml),
                   "squall: 1\nduration: 1h\n"
                   "producers: {p: {queue: q, arrivals: {kind: cohort, count: %d, at: 1s}}}\n"
                   "queues: {q: {%s}}\nworkers: {w: {queue: q, slots: 50, calls: {api: {}}}}\n"
                   "dependencies: {api: {service: 2s}}\ncontrols: {api: {%s}}\n",
                   n, queue, control);
    wld_run(t, yaml);
}

static size_t deliveries(const struct wld *t)
{
    return wld_times(t, MDL_REC_JOB_DELIVERED, -1, NULL, 0);
}

/* Those that were on their way when the first was refused come back at once; then one job is
 * fetched for each permit that is freed. */
static void one_job_per_permit(void **state)
{
    (void)state;
    struct wld t;
    run(&t, 20, "", "concurrency: 2, throttled: pause");
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(wld_rec_at(&t, MDL_REC_CALL_LEFT, i)->at, WLD_S(1 + 2 * (int)(i / 2)));
    }
    assert_true(wld_get(&t, "control.api.deferred") == 1);
    assert_true(wld_get(&t, "attempts.total") == 20);
    assert_true(wld_get(&t, "jobs.completed") == 20);
    assert_int_equal(deliveries(&t), 20 + 1);
    wld_fini(&t);
    /* the same behind a rate limit: the head of the queue goes at the instant of its token */
    run(&t, 20, "", "rate_limit: 4/s, throttled: pause");
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(wld_rec_at(&t, MDL_REC_CALL_LEFT, i)->at, WLD_S(1 + 0.25 * (int)i));
    }
    assert_int_equal(deliveries(&t), 20 + 1);
    wld_fini(&t);
}

/* The replica that the pool fetches one job for need not be the next in turn. Behind 5 calls
 * a second more jobs come than may go, with three
 * replicas whose calls take 50 to 300 ms. */
static void several_replicas(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 100s\n"
                "producers:\n"
                "  p: {queue: q, arrivals: {kind: bursts, size: 12, every: 2s, first: 1s}}\n"
                "  r: {queue: q, arrivals: {kind: regular, rate: 0.7/s}}\n"
                "queues: {q: {}}\n"
                "workers: {w: {queue: q, replicas: 3, slots: 2, calls: {api: {}}}}\n"
                "dependencies: {api: {service: {kind: uniform, min: 50ms, max: 300ms}}}\n"
                "controls:\n"
                "  api:\n"
                "    rate_limit: {kind: fixed-window, limit: 5, window: 1s, start: first-use}\n"
                "    throttled: pause\n");
    /* 6.7 jobs a second for a limit of 5: it is never idle, and no second is left out */
    assert_true(wld_get(&t, "dependency.api.calls") >= 5 * 98);
    assert_true(wld_get(&t, "dependency.api.peak_rate_per_s") <= 10);
    wld_fini(&t);
}

/* When there is room for all slots the pool fetches as before. */
static void goes_on(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 100s\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: 200, at: 1s}}}\n"
                "queues: {q: {}}\nworkers: {w: {queue: q, slots: 20, calls: {api: {}}}}\n"
                "dependencies: {api: {service: 2s}}\n"
                "controls: {api: {concurrency: 2, throttled: pause}}\n"
                "actions: [{at: 10s, set: {controls.api.concurrency.limit: 100}}]\n");
    /* 2 each at 1 s, 3 s, ... 9 s, 18 more at 10 s, then 20 at a time as slots are free */
    sq_time_t at[200];
    assert_int_equal(wld_times(&t, MDL_REC_CALL_LEFT, -1, at, 200), 200);
    assert_int_equal(at[9], WLD_S(9));
    assert_int_equal(at[10], WLD_S(10));
    assert_int_equal(at[27], WLD_S(10));
    assert_true(wld_get(&t, "control.api.in_use_max") == 20);
    assert_true(wld_get(&t, "jobs.completed") == 200);
    assert_int_equal(t.w.pools[0].pause, 0);
    wld_fini(&t);
}

/* No attempt and no receive is used up, unless the queue is told to count all receives. */
static void nothing_is_used_up(void **state)
{
    (void)state;
    static const struct {
        const char *queue, *control;
        double completed;
    } rows[] = {
        { "max_receives: 1", "concurrency: 1, throttled: pause", 20 },
        { "max_receives: 1", "concurrency: 1, throttled: {kind: defer, delay: 2s}", 20 },
        { "max_receives: 1", "concurrency: 1, throttled: wait", 20 },
        { "max_receives: 1, receives_count: all", "concurrency: 1, throttled: wait", 20 },
        { "max_receives: 1, receives_count: all", "concurrency: 1, throttled: pause", 19 },
        { "max_receives: 1, receives_count: all",
          "concurrency: 1, throttled: {kind: defer, delay: 2s}", 1 },
        { "", "concurrency: 1, throttled: fail", 1 }, /* the retry layer decides: there is none */
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        run(&t, 20, rows[i].queue, rows[i].control);
        if (!(wld_get(&t, "jobs.completed") == rows[i].completed)) {
            fail_msg("row %zu: %g completed", i, wld_get(&t, "jobs.completed"));
        }
        assert_true(wld_get(&t, "attempts.total") == rows[i].completed);
        assert_true(wld_get(&t, "dependency.api.calls") == rows[i].completed);
        wld_fini(&t);
    }
}

/* Events of ten times the jobs are ten times as many: being throttled costs each job the same,
 * however many wait. Waiting is one event per call more than passing: none is woken in vain. */
static void no_herd(void **state)
{
    (void)state;
    static const char *const controls[] = {
        "concurrency: 5, throttled: wait",
        "rate_limit: 50/s, throttled: wait",
        "concurrency: 5, throttled: pause",
        "rate_limit: 50/s, throttled: pause",
        "rate_limit: {kind: leaky-bucket, rate: 50/s}, throttled: fail",
        "concurrency: {limit: 5, scope: replica}, rate_limit: {rate: 50/s, scope: caller}",
    };
    for (size_t i = 0; i < SQ_COUNT(controls); i++) {
        uint64_t events[2];
        for (int big = 0; big < 2; big++) {
            char yaml[900];
            struct wld t;
            (void)snprintf(
                yaml, sizeof(yaml),
                "squall: 1\nduration: 2h\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: %d, at: 1s}}}\n"
                "queues: {q: {}}\n"
                "workers: {w: {queue: q, slots: %d, calls: {api: {}}}}\n"
                "dependencies: {api: {service: 100ms}}\ncontrols: {api: {%s}}\n",
                big ? 6000 : 600, big ? 6000 : 600, controls[i]);
            wld_run(&t, yaml);
            assert_true(wld_get(&t, "jobs.completed") == (big ? 6000 : 600));
            events[big] = t.w.ctx.sim.events;
            wld_fini(&t);
        }
        print_message("# %s: %.1f events per job\n", controls[i], (double)events[1] / 6000);
        if (events[1] > 10 * events[0] + 100 || events[1] > 6000 * 16) {
            fail_msg("%s: %llu and %llu events", controls[i], (unsigned long long)events[0],
                     (unsigned long long)events[1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_job_per_permit),
        cmocka_unit_test(several_replicas),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(nothing_is_used_up),
        cmocka_unit_test(no_herd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
