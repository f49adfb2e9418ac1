/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dependencies that call dependencies, in small worlds whose every instant is calculated by hand.
 */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MS   INT64_C(1000000)
#define HEAD "squall: 1\nduration: 10s\ntail: 100s\n"

/* When the n-th job (from 0) ended, as it should have. */
static sq_time_t ended(const struct wld *t, enum mdl_end end, size_t n)
{
    sq_time_t at[64];
    assert_true(wld_times(t, MDL_REC_JOB_ENDED, (int)end, at, 64) > n);
    return at[n];
}

static void run(struct wld *t, const char *rest)
{
    struct sq_buf yaml = { 0 };
    sq_buf_printf(&yaml, HEAD "%s", rest);
    wld_run(t, yaml.text);
    sq_buf_fini(&yaml);
    assert_int_equal(t->w.ctx.paths.pool.used, 0);
    assert_int_equal(t->w.ctx.calls.used, 0);
}

/* Three hops, three tries at each: 27 calls at the bottom per job while it is down. A call of b is
 * known to have failed after its own 1 ms and three refusals of 1 ms, with 10 ms between: 24 ms;
 * one of a after 1 + 3 * 24 + 20 = 93 ms; all after 3 * 93 + 20 = 299 ms. */
static void test_product(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "clients: {c: {arrivals: {kind: cohort, count: 10, at: 1s},\n"
            "  calls: {hop-a: {retry: three}}}}\n"
            "presets: {retry: {three: {max_attempts: 3, backoff: 10ms, jitter: none}}}\n"
            "dependencies:\n"
            "  hop-a: {service: 1ms, calls: {hop-b: {retry: three}}}\n"
            "  hop-b: {service: 1ms, calls: {hop-c: {retry: three}}}\n"
            "  hop-c: {service: 1ms, outages: [{at: 0s, for: 9s}]}\n");
    assert_true(wld_get(&t, "dependency.hop-a.calls") == 30);
    assert_true(wld_get(&t, "dependency.hop-b.calls") == 90);
    assert_true(wld_get(&t, "dependency.hop-c.calls") == 270);
    assert_true(wld_get(&t, "dependency.hop-c.calls_first") == 10);
    assert_true(wld_get(&t, "dependency.hop-c.refused") == 270);
    assert_true(wld_get(&t, "dependency.hop-b.errors") == 90);
    assert_true(wld_get(&t, "dependency.hop-c.amplification") == 27);
    assert_true(wld_get(&t, "dependency.hop-b.amplification") == 9);
    assert_true(wld_get(&t, "dependency.hop-a.amplification") == 3);
    assert_true(wld_get(&t, "dependency.hop-a.in_flight_max") == 10);
    assert_true(ended(&t, MDL_END_DROPPED, 9) == 1299 * MS);
    wld_fini(&t);
}

/* A job that is tried again goes the whole way again; its calls below were sent before. */
static void test_job_layer(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "clients: {c: {arrivals: {kind: cohort, count: 4, at: 1s}, calls: {a: {}},\n"
            "  retry: {max_attempts: 5, backoff: 3s, jitter: none}}}\n"
            "dependencies:\n"
            "  a: {service: 1ms, calls: {b: {}, d: {}}}\n"
            "  b: {service: 1ms}\n"
            "  d: {service: 1ms, outages: [{at: 0s, for: 6s}]}\n");
    assert_true(wld_get(&t, "dependency.a.calls") == 12);
    assert_true(wld_get(&t, "dependency.b.calls") == 12);
    assert_true(wld_get(&t, "dependency.b.calls_first") == 4);
    assert_true(wld_get(&t, "dependency.d.amplification") == 3);
    /* Failed at 1.003 and 4.006 s, and then done at 7.009 s. */
    assert_true(ended(&t, MDL_END_COMPLETED, 3) == 7009 * MS);
    wld_fini(&t);
}

/* `times` on the way: six calls at the bottom, none of them a retry, and each with its own luck. */
static void test_times(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "clients: {c: {arrivals: {kind: cohort, count: 1}, calls: {a: {}}}}\n"
            "dependencies:\n"
            "  a: {service: 1ms, calls: {b: {times: 3}}}\n"
            "  b: {service: 1ms, calls: {d: {times: 2}}}\n"
            "  d: {service: {kind: exponential, mean: 10ms}}\n");
    assert_true(wld_get(&t, "dependency.d.calls") == 6);
    assert_true(wld_get(&t, "dependency.d.calls_first") == 6);
    assert_true(wld_get(&t, "dependency.b.calls_first") == 3);
    int64_t took[6];
    size_t n = 0;
    for (size_t i = 0; i < t.rec_count; i++) {
        const struct mdl_rec *r = &t.recs[i].r;
        if (r->kind == MDL_REC_CALL_ENDED && r->entity == t.w.dependencies[2].id) {
            for (size_t k = 0; k < n; k++) {
                assert_true(took[k] != r->value);
            }
            took[n++] = r->value;
        }
    }
    assert_int_equal(n, 6);
    wld_fini(&t);
}

/* The one server of a is held for 10 + 30 ms by each job. */
static void test_holds(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "clients: {c: {arrivals: {kind: cohort, count: 3}, calls: {a: {}}}}\n"
            "dependencies:\n"
            "  a: {servers: 1, service: 10ms, calls: {b: {}}}\n"
            "  b: {servers: 9, service: 30ms}\n");
    for (size_t i = 0; i < 3; i++) {
        assert_true(ended(&t, MDL_END_COMPLETED, i) == (sq_time_t)(i + 1) * 40 * MS);
    }
    assert_true(wld_get(&t, "dependency.b.in_flight_max") == 1);
    assert_true(wld_get(&t, "dependency.a.in_flight_max") == 3);
    wld_fini(&t);
}

/* The caller of a gives up at 100 ms. A dependency that ignores it goes on; one that cancels lets
 * go of its server at once and cancels its own call, unless it keeps that to itself. */
static void test_given_up(void **state)
{
    (void)state;
    static const struct {
        const char *a, *call;
        double goodput, cancelled, wasted_a, wasted_b;
    } cases[] = {
        { "finish", "{}", 1, 0, 1, 0 },
        { "skip", "{}", 1, 0, 1, 0 },
        { "cancel", "{}", 0, 1, 0, 0 },
        { "cancel", "{propagate_cancel: false}", 0, 1, 0, 1 },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_buf yaml = { 0 };
        sq_buf_printf(&yaml,
                      "clients: {c: {arrivals: {kind: cohort, count: 1},\n"
                      "  calls: {a: {timeout: 100ms}}}}\n"
                      "dependencies:\n"
                      "  a: {servers: 1, service: 10ms, abandoned: %s, calls: {b: %s}}\n"
                      "  b: {servers: 1, service: 1s, abandoned: cancel}\n",
                      cases[i].a, cases[i].call);
        struct wld t;
        run(&t, yaml.text);
        assert_true(wld_get(&t, "dependency.a.timeouts") == 1);
        assert_true(wld_get(&t, "dependency.b.goodput") == cases[i].goodput);
        assert_true(wld_get(&t, "dependency.b.cancelled") == cases[i].cancelled);
        assert_true(wld_get(&t, "dependency.a.wasted") == cases[i].wasted_a);
        assert_true(wld_get(&t, "dependency.b.wasted") == cases[i].wasted_b);
        wld_fini(&t);
        sq_buf_fini(&yaml);
    }
}

/* The one in the middle goes down at 50 ms: its caller learns of a reset, and passes up an error at
 * once; what it had under way is cancelled. */
static void test_reset(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "clients: {c: {arrivals: {kind: cohort, count: 2}, calls: {a: {}}}}\n"
            "dependencies:\n"
            "  a: {service: 1ms, calls: {b: {}}}\n"
            "  b: {service: 1ms, calls: {d: {}}, outages: [{at: 50ms, for: 1s}]}\n"
            "  d: {servers: 2, service: 1s}\n");
    assert_true(ended(&t, MDL_END_DROPPED, 1) == 50 * MS);
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_RESET, NULL, 0), 2);
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_ERROR, NULL, 0), 2);
    assert_true(wld_get(&t, "dependency.d.cancelled") == 2);
    assert_true(wld_get(&t, "dependency.d.wasted") == 2);
    wld_fini(&t);
}

/* The one in the middle hangs from 50 ms to 1.05 s. The answer from below, at 102 ms, is passed on
 * when it goes on; a try that would be due at 101 ms leaves then. What is lost is cancelled. */
static void test_hang(void **state)
{
    (void)state;
    static const struct {
        const char *call, *held;
        int64_t ends_ms, cancelled, calls;
    } cases[] = {
        { "{}", "served", 1050, 0, 1 },
        { "{timeout: 80ms, retry: {max_attempts: 2, backoff: 20ms, jitter: none}}", "served", 1130,
          0, 2 },
        { "{timeout: 200ms, retry: {max_attempts: 2, backoff: 20ms, jitter: none}}", "lost", 3000,
          0, 1 },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_buf yaml = { 0 };
        sq_buf_printf(&yaml,
                      "clients: {c: {arrivals: {kind: cohort, count: 1},\n"
                      "  calls: {a: {timeout: 3s}}}}\n"
                      "dependencies:\n"
                      "  a: {service: 1ms, calls: {b: {}}}\n"
                      "  b: {service: 1ms, calls: {d: %s},\n"
                      "    outages: [{at: 50ms, for: 1s, kind: hang, held: %s}]}\n"
                      "  d: {service: 100ms}\n",
                      cases[i].call, cases[i].held);
        struct wld t;
        struct sq_buf whole = { 0 };
        sq_buf_printf(&whole, HEAD "%s", yaml.text);
        wld_run(&t, whole.text);
        sq_time_t at;
        assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, -1, &at, 1), 1);
        assert_true(at == cases[i].ends_ms * MS);
        assert_true(wld_get(&t, "dependency.d.calls") == (double)cases[i].calls);
        assert_true(wld_get(&t, "dependency.d.cancelled") == (double)cases[i].cancelled);
        wld_fini(&t);
        sq_buf_fini(&whole);
        sq_buf_fini(&yaml);
    }
}

/* The limit before b is 1 and its calls take 100 ms. Two calls of a ask at 10 ms: one waits in its
 * server, fails, or comes back 250 ms later. */
static void test_throttled(void **state)
{
    (void)state;
    static const struct {
        const char *throttled;
        int64_t ends_ms;
        enum mdl_end end;
    } cases[] = {
        { "wait", 210, MDL_END_COMPLETED },
        { "{kind: wait, max: 30ms}", 40, MDL_END_DROPPED },
        { "fail", 10, MDL_END_DROPPED },
        { "{kind: defer, delay: 250ms}", 360, MDL_END_COMPLETED },
    };
    for (size_t i = 0; i < SQ_COUNT(cases); i++) {
        struct sq_buf yaml = { 0 };
        sq_buf_printf(&yaml,
                      "clients: {c: {arrivals: {kind: cohort, count: 2}, calls: {a: {}}}}\n"
                      "dependencies:\n"
                      "  a: {servers: 2, service: 10ms, calls: {b: {}}}\n"
                      "  b: {service: 100ms}\n"
                      "controls: {b: {concurrency: 1, throttled: %s}}\n",
                      cases[i].throttled);
        struct wld t;
        run(&t, yaml.text);
        size_t last = cases[i].end == MDL_END_COMPLETED ? 1 : 0;
        assert_true(ended(&t, cases[i].end, last) == cases[i].ends_ms * MS);
        assert_true(wld_get(&t, "dependency.b.calls") == (cases[i].end == MDL_END_DROPPED ? 1 : 2));
        assert_true(wld_get(&t, "control.b.in_use_max") == 1);
        wld_fini(&t);
        sq_buf_fini(&yaml);
    }
}

/* No call leaves after the deadline of its job, on any hop: b is never called after 100 ms. */
static void test_deadline(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "clients: {c: {arrivals: {kind: regular, rate: 10/s}, deadline: 100ms,\n"
            "  calls: {a: {retry: {max_attempts: 9, backoff: none, jitter: none}}}}}\n"
            "dependencies:\n"
            "  a: {service: 101ms, calls: {b: {}}}\n"
            "  b: {service: 1ms}\n");
    assert_true(wld_get(&t, "dependency.a.calls") == wld_get(&t, "jobs.arrived"));
    assert_true(wld_get(&t, "dependency.b.calls") == 0);
    assert_true(wld_get(&t, "jobs.stale") == wld_get(&t, "jobs.arrived"));
    wld_fini(&t);
}

/* Own errors come before the calls; a call that only some producers make is skipped for others. */
static void test_order(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "clients:\n"
            "  c: {arrivals: {kind: cohort, count: 8}, calls: {a: {}}}\n"
            "  e: {arrivals: {kind: cohort, count: 5}, calls: {a: {}}}\n"
            "  f: {arrivals: {kind: cohort, count: 3}, calls: {broken: {}}}\n"
            "dependencies:\n"
            "  a: {service: 1ms, calls: {b: {only: e}}}\n"
            "  b: {service: 1ms}\n"
            "  broken: {service: 1ms, errors: {error: 100%}, calls: {b: {}}}\n");
    assert_true(wld_get(&t, "dependency.b.calls") == 5);
    assert_true(wld_get(&t, "jobs.completed") == 13);
    assert_true(ended(&t, MDL_END_COMPLETED, 0) == MS);
    assert_true(ended(&t, MDL_END_COMPLETED, 12) == 2 * MS);
    wld_fini(&t);
}

/* Workers whose dependency only passes calls on: the queue is not clear while the one below is
 * down. */
static void test_marks(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "health: {t1: 1s, settle: 1s}\n"
            "producers: {p: {queue: q, arrivals: {kind: regular, rate: 10/s}}}\n"
            "queues: {q: {}}\n"
            "workers: {w: {queue: q, slots: 9, calls: {a: {}},\n"
            "  retry: {max_attempts: unlimited, backoff: 1s, jitter: none}}}\n"
            "dependencies:\n"
            "  a: {service: 1ms, calls: {b: {}}}\n"
            "  b: {service: 1ms, outages: [{at: 1s, for: 3s}]}\n");
    assert_true(wld_get(&t, "drain.queue_clear_s") == 3);
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product),  cmocka_unit_test(test_job_layer),
        cmocka_unit_test(test_times),    cmocka_unit_test(test_holds),
        cmocka_unit_test(test_given_up), cmocka_unit_test(test_reset),
        cmocka_unit_test(test_hang),     cmocka_unit_test(test_throttled),
        cmocka_unit_test(test_deadline), cmocka_unit_test(test_order),
        cmocka_unit_test(test_marks),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
