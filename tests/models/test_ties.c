/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_ties.c - things that meet on one nanosecond, and exact edges in time, on purpose. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Jobs at 1 s, 2 s, ...: the regular lattice of 1/s, without the one at 0 where a deadline or an
 * outage would be in the way. */
#define JOBS(n, at) \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: " #n ", at: " #at "}}}\n"
#define QUEUE "queues: {q: {}}\n"

struct expectation {
    const char *metric;
    double value;
};

static void expect(const struct wld *t, const struct expectation *e, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double got = wld_get(t, e[i].metric);
        if (!(got == e[i].value)) {
            fail_msg("%s is %g and not %g", e[i].metric, got, e[i].value);
        }
    }
}
#define EXPECT(t, ...)                                             \
    do {                                                           \
        static const struct expectation want_[] = { __VA_ARGS__ }; \
        expect(t, want_, SQ_COUNT(want_));                         \
    } while (0)

static void answer_at_the_timeout_is_in_time(void **state)
{
    (void)state;
#define TIMEOUT(ms)                                                      \
    "squall: 1\nduration: 10s\n" JOBS(1, 1s) QUEUE                       \
        "workers: {w: {queue: q, calls: {api: {timeout: " #ms "ms}}}}\n" \
        "dependencies: {api: {servers: 1, service: 500ms}}\n"
    struct wld t;
    wld_run(&t, TIMEOUT(500));
    EXPECT(&t, { "dependency.api.goodput", 1 }, { "dependency.api.timeouts", 0 },
           { "jobs.completed", 1 });
    wld_fini(&t);
    wld_run(&t, TIMEOUT(499.999999));
    EXPECT(&t, { "dependency.api.goodput", 0 }, { "dependency.api.timeouts", 1 },
           { "dependency.api.wasted", 1 }, { "jobs.dead_lettered", 1 });
    wld_fini(&t);
    /* A refusal at the instant of the timeout is an answer too. */
    wld_run(&t, "squall: 1\nduration: 10s\n" JOBS(1, 1s) QUEUE
            "workers: {w: {queue: q, calls: {api: {timeout: 50ms}}}}\n"
            "dependencies: {api: {service: 1ms, answer_in: 50ms, outages: [{at: 1s, for: "
            "1s}]}}\n");
    EXPECT(&t, { "dependency.api.refused", 1 }, { "dependency.api.timeouts", 0 });
    wld_fini(&t);
}

/* In effect on [start, start + for): jobs at 1 s lattice points meet both ends. */
static void outage_at_both_ends(void **state)
{
    (void)state;
    static const struct {
        const char *at, *length;
        double refused, outage_jobs, reset;
    } rows[] = {
        { "3s", "2s", 2, 2, 0 },           /* 3 and 4, not 5 */
        { "3.000000001s", "2s", 2, 2, 1 }, /* 4 and 5; the one of 3 is inside */
        { "3s", "2.000000001s", 3, 3, 0 },
        { "2.5s", "1s", 1, 1, 0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[700];
        (void)snprintf(
            text, sizeof(text),
            "squall: 1\nduration: 8s\n"
            "producers: {p: {queue: q, arrivals: {kind: regular, rate: 1/s, phase: same}}}\n" QUEUE
            "workers: {w: {queue: q, slots: 5, calls: {api: {}}}}\n"
            "dependencies: {api: {service: 200ms, outages: [{at: %s, for: %s}]}}\n",
            rows[i].at, rows[i].length);
        struct wld t;
        wld_run(&t, text);
        assert_true(wld_get(&t, "dependency.api.refused") == rows[i].refused);
        assert_true(wld_get(&t, "recovery.outage_jobs") == rows[i].outage_jobs);
        assert_true(wld_get(&t, "dependency.api.errors") == rows[i].reset);
        wld_fini(&t);
    }
    /* A call that would be served at the very start of an outage is reset. */
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 8s\n" JOBS(1, 1s) QUEUE
            "workers: {w: {queue: q, calls: {api: {}}}}\n"
            "dependencies: {api: {service: 2s, outages: [{at: 3s, for: 1s}]}}\n");
    EXPECT(&t, { "dependency.api.errors", 1 }, { "dependency.api.goodput", 0 });
    wld_fini(&t);
    /* Two outages end to end are one: nobody gets in between. */
    wld_run(&t, "squall: 1\nduration: 8s\n" JOBS(3, 4s) QUEUE
            "workers: {w: {queue: q, slots: 9, calls: {api: {}}}}\n"
            "dependencies: {api: {service: 1ms, outages: [{at: 3s, for: 1s}, {at: 4s, for: "
            "1s}]}}\n");
    EXPECT(&t, { "dependency.api.refused", 3 }, { "dependency.api.downtime_s", 2 });
    wld_fini(&t);
}

/* An age equal to the deadline is not stale: at delivery, at the call, at the grant. */
static void deadline_to_the_nanosecond(void **state)
{
    (void)state;
    static const struct {
        const char *deadline, *check;
        double completed, stale;
    } rows[] = {
        /* One slot, service 1 s: the jobs are delivered at 1, 2, 3, 4 s with ages 0 to 3 s. */
        { "2s", "call", 3, 1 },
        { "1.999999999s", "call", 2, 2 },
        { "2s", "delivery", 3, 1 },
        { "1.999999999s", "delivery", 2, 2 },
        { "1.999999999s", "enqueue", 4, 0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[700];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 20s\n"
                       "producers: {p: {queue: q, deadline: %s, deadline_check: %s, arrivals: "
                       "{kind: cohort, count: 4, at: 1s}}}\n" QUEUE
                       "workers: {w: {queue: q, calls: {api: {}}}}\n"
                       "dependencies: {api: {service: 1s}}\n",
                       rows[i].deadline, rows[i].check);
        struct wld t;
        wld_run(&t, text);
        assert_true(wld_get(&t, "jobs.completed") == rows[i].completed);
        assert_true(wld_get(&t, "jobs.stale") == rows[i].stale);
        assert_true(wld_get(&t, "dependency.api.calls") == rows[i].completed);
        wld_fini(&t);
    }
}

/* The same at a control: four slots wait for one permit, which comes free every second. */
static void deadline_at_the_grant(void **state)
{
    (void)state;
    static const struct {
        const char *deadline, *check;
        double completed, stale;
    } rows[] = {
        { "2s", "call", 3, 1 },
        { "1.999999999s", "call", 2, 2 },
        { "1.999999999s", "delivery", 4, 0 }, /* checked before the wait only */
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[700];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 20s\n"
                       "producers: {p: {queue: q, deadline: %s, deadline_check: %s, arrivals: "
                       "{kind: cohort, count: 4, at: 1s}}}\n" QUEUE
                       "workers: {w: {queue: q, slots: 4, calls: {api: {}}}}\n"
                       "dependencies: {api: {service: 1s}}\n"
                       "controls: {api: {concurrency: 1}}\n",
                       rows[i].deadline, rows[i].check);
        struct wld t;
        wld_run(&t, text);
        assert_true(wld_get(&t, "jobs.completed") == rows[i].completed);
        assert_true(wld_get(&t, "jobs.stale") == rows[i].stale);
        assert_true(wld_get(&t, "control.api.waited") == 3);
        assert_true(wld_get(&t, "control.api.in_use_max") == 1);
        assert_true(wld_get(&t, "attempts.total") == rows[i].completed);
        wld_fini(&t);
    }
}

/* A due job passes the deadline of `enqueue` again: a retry later than it ends at once. */
static void deadline_when_due(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[2];
    wld_run(&t,
            "squall: 1\nduration: 60s\n"
            "producers: {p: {queue: q, deadline: 10s, deadline_check: enqueue, arrivals: "
            "{kind: cohort, count: 1, at: 1s}}}\n" QUEUE
            "workers: {w: {queue: q, calls: {api: {}}, retry: {max_attempts: unlimited, "
            "backoff: 5s, jitter: none}}}\n"
            "dependencies: {api: {service: 1s, answer_in: 0s, outages: [{at: 0s, for: 1m}]}}\n");
    /* tried at 1, 6, 11 (age 10 s is not stale); due at 16 s with age 15 s */
    EXPECT(&t, { "dependency.api.calls", 3 }, { "jobs.stale", 1 });
    assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, MDL_END_STALE, at, 2), 1);
    assert_int_equal(at[0], WLD_S(16));
    wld_fini(&t);
}

/* Strictly above the limit without a break for `for`: down at exactly that instant. */
static void overload_trips_on_time(void **state)
{
    (void)state;
    static const struct {
        const char *service;
        double collapses, at;
    } rows[] = {
        { "20s", 1, 6 }, /* five in flight from 1 s on, limit 4 */
        { "5s", 1, 6 },  /* served at 6 s: what lasts for 5 s has lasted at 6 s */
        { "4.999999999s", 0, 0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[700];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 40s\n" JOBS(5, 1s) QUEUE
                       "workers: {w: {queue: q, slots: 9, calls: {api: {}}}}\n"
                       "dependencies: {api: {servers: 5, service: %s, overload: {in_flight: 4, "
                       "for: 5s, down_for: 10s}}}\n",
                       rows[i].service);
        struct wld t;
        sq_time_t at[4];
        wld_run(&t, text);
        assert_int_equal(wld_times(&t, MDL_REC_COLLAPSE, -1, at, 4), (size_t)rows[i].collapses);
        assert_true(wld_get(&t, "dependency.api.secondary_outages") == rows[i].collapses);
        if (rows[i].collapses > 0) {
            assert_int_equal(at[0], WLD_S(rows[i].at));
            assert_true(wld_get(&t, "dependency.api.downtime_s") == 10);
            assert_true(wld_get(&t, "dependency.api.errors") == 5);
        }
        wld_fini(&t);
    }
}

#define OVERLOAD(jobs, rule)                                               \
    "squall: 1\nduration: 60s\nproducers:\n" jobs QUEUE                    \
    "workers: {w: {queue: q, slots: 40, calls: {api: {}}, retry: none}}\n" \
    "dependencies: {api: {servers: 2, service: 4s, overload: " rule "}}\n"
#define AT(name, n, at) \
    "  " #name ": {queue: q, arrivals: {kind: cohort, count: " #n ", at: " #at "}}\n"

static void overload_clock(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        double collapses, at; /* of the last one */
    } rows[] = {
        /* four in flight of two servers at 1 s: below 3 again at 5 s; the clock restarts */
        { OVERLOAD(AT(a, 4, 1s) AT(b, 2, 6s), "{in_flight: 3, for: 5s, down_for: 1s}"), 0, 0 },
        { OVERLOAD(AT(a, 4, 1s) AT(b, 2, 4s), "{in_flight: 3, for: 5s, down_for: 1s}"), 1, 6 },
        /* equal to the limit is not above it */
        { OVERLOAD(AT(a, 9, 1s), "{in_flight: 9, for: 1s, down_for: 1s}"), 0, 0 },
        { OVERLOAD(AT(a, 10, 1s), "{in_flight: 9, for: 0s, down_for: 1s}"), 1, 1 },
        /* waiting: two of five are in service */
        { OVERLOAD(AT(a, 5, 1s), "{waiting: 3, for: 1s, down_for: 1s}"), 0, 0 },
        { OVERLOAD(AT(a, 6, 1s), "{waiting: 3, for: 1s, down_for: 1s}"), 1, 2 },
        /* once more after the return, unless repeat is false */
        { OVERLOAD(AT(a, 6, 1s) AT(b, 6, 5s), "{waiting: 3, for: 1s, down_for: 1s}"), 2, 6 },
        { OVERLOAD(AT(a, 6, 1s) AT(b, 6, 5s), "{waiting: 3, for: 1s, down_for: 1s, repeat: false}"),
          1, 2 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        sq_time_t at[4];
        wld_run(&t, rows[i].yaml);
        size_t n = wld_times(&t, MDL_REC_COLLAPSE, -1, at, 4);
        if (n != (size_t)rows[i].collapses || (n > 0 && at[n - 1] != WLD_S(rows[i].at))) {
            fail_msg("row %zu: %zu collapses, the last at %lld", i, n,
                     (long long)(n > 0 ? at[n - 1] : 0));
        }
        wld_fini(&t);
    }
}

/* Warm-up takes calls from the line into servers: that too is a break of `waiting`. Down until 2 s,
 * then one server of two and, from 4 s on, both: eight calls at 3 s leave seven waiting, at 4 s
 * six; the limit of six is no more exceeded then. */
static void warm_up_ends_an_overload(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 30s\nproducers:\n" AT(a, 8, 3s) AT(b, 1, 5s) QUEUE
            "workers: {w: {queue: q, slots: 40, calls: {api: {}}, retry: none}}\n"
            "dependencies: {api: {servers: 2, service: 10s, outages: [{at: 1s, for: 1s}],\n"
            "  warm_up: {from: 50%, over: 8s, curve: quarters},\n"
            "  overload: {waiting: 6, for: 3s, down_for: 1s}}}\n");
    sq_time_t at[2];
    /* seven again from 5 s on: down at 8 s, not at 6 s */
    assert_int_equal(wld_times(&t, MDL_REC_COLLAPSE, -1, at, 2), 1);
    assert_int_equal(at[0], WLD_S(8));
    wld_fini(&t);
}

/* A collapse at T1 itself is a secondary outage; one before is not. */
static void collapse_at_t1(void **state)
{
    (void)state;
    static const struct {
        const char *t1;
        double secondary, first;
    } rows[] = { { "6s", 1, 0 }, { "5999ms", 1, 0.001 }, { "6.000000001s", 0, -1 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[700];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 40s\nhealth: {t1: %s}\n" JOBS(5, 1s) QUEUE
                       "workers: {w: {queue: q, slots: 9, calls: {api: {}}}}\n"
                       "dependencies: {api: {servers: 5, service: 20s, overload: {in_flight: 4, "
                       "for: 5s, down_for: 10s}}}\n",
                       rows[i].t1);
        struct wld t;
        wld_run(&t, text);
        double first = wld_get(&t, "dependency.api.first_relapse_s");
        assert_true(wld_get(&t, "dependency.api.secondary_outages") == rows[i].secondary);
        assert_true(rows[i].first < 0 ? first != first : first == rows[i].first);
        wld_fini(&t);
    }
}

/* At one instant a replica is taken away and a job arrives: arrivals come before ticks, so the job
 * is in the hands of the youngest replica when it retires; its work goes on through the grace. */
static void scale_down_and_arrival(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 1m\nproducers:\n" AT(a, 1, 14s) AT(b, 1, 15s) QUEUE
            "workers: {w: {queue: q, replicas: 2, grace: 10s, calls: {api: {}},\n"
            "  autoscaler: {kind: hpa, target: 100, max: 5, down: {stabilise: 0s}}}}\n"
            "dependencies: {api: {service: 4s}}\n");
    EXPECT(&t, { "jobs.completed", 2 }, { "workers.w.replica_changes", 1 },
           { "dependency.api.in_flight_max", 2 }, { "queue.q.redelivered", 0 },
           { "producer.b.delay_max_s", 4 });
    wld_fini(&t);
    /* An action comes before arrivals: then the job meets the smaller pool and waits. */
    wld_run(&t, "squall: 1\nduration: 1m\nproducers:\n" AT(a, 1, 14s) AT(b, 1, 15s) QUEUE
            "workers: {w: {queue: q, replicas: 2, grace: 10s, calls: {api: {}}}}\n"
            "dependencies: {api: {service: 4s}}\n"
            "actions: [{at: 15s, set: {workers.w.replicas: 1}}]\n");
    EXPECT(&t, { "jobs.completed", 2 }, { "dependency.api.in_flight_max", 1 },
           { "producer.b.delay_max_s", 7 });
    wld_fini(&t);
}

/* Retries of a hundred thousand jobs on one instant: in order of arrival, in linear time. */
static void retries_on_one_instant(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    struct wld t;
    assert_int_equal(
        wld_load(
            &t,
            "squall: 1\nduration: 1m\ntail: 10m\n" JOBS(100000, 1s) QUEUE
            "workers: {w: {queue: q, slots: 200000, calls: {api: {}},\n"
            "  retry: {max_attempts: 3, backoff: 10s, jitter: none}}}\n"
            "dependencies: {api: {service: 1s, answer_in: 0s, outages: [{at: 0s, for: 5s}]}}\n",
            NULL),
        SQ_OK);
    wld_build(&t, 1);
    assert_int_equal(mdl_world_run(&t.w, 1 << 20, NULL, &t.diag), SQ_OK);
    assert_true(t.w.ctx.sim.events < 20 * (uint64_t)MANY);
    uint64_t next = 0;
    sq_time_t last = 0;
    for (size_t i = 0; i < t.rec_count; i++) {
        const struct wld_rec *r = &t.recs[i];
        if (r->r.kind == MDL_REC_JOB_DELIVERED) {
            assert_int_equal(r->r.ordinal, next % MANY);
            assert_int_equal(r->at, next < MANY ? WLD_S(1) : WLD_S(11));
            next++;
        }
        last = r->r.kind == MDL_REC_JOB_ENDED ? r->at : last;
    }
    assert_int_equal(next, 2 * MANY);
    assert_int_equal(last, WLD_S(12));
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answer_at_the_timeout_is_in_time),
        cmocka_unit_test(outage_at_both_ends),
        cmocka_unit_test(deadline_to_the_nanosecond),
        cmocka_unit_test(deadline_at_the_grant),
        cmocka_unit_test(deadline_when_due),
        cmocka_unit_test(overload_trips_on_time),
        cmocka_unit_test(overload_clock),
        cmocka_unit_test(collapse_at_t1),
        cmocka_unit_test(warm_up_ends_an_overload),
        cmocka_unit_test(scale_down_and_arrival),
        cmocka_unit_test(retries_on_one_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
