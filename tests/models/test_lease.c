/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_lease.c - leases and copies: single jobs whose every delivery and end is known by hand. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { DONE = MDL_END_COMPLETED, DEAD = MDL_END_DEAD_LETTERED, STALE = MDL_END_STALE };

struct seen {
    double deliveries[8]; /* -1 ends the list */
    double ended;         /* of job 0; 0: it does not end */
    int how;
    double goodput, repeated, attempts;
};

static void check_times(const struct wld *t, const char *what, const double *want)
{
    sq_time_t at[8];
    size_t n = wld_times(t, MDL_REC_JOB_DELIVERED, -1, at, 8), count = 0;
    while (count < 8 && want[count] >= 0) {
        count++;
    }
    for (size_t i = 0; i < count && i < n; i++) {
        if (at[i] != WLD_S(want[i])) {
            fail_msg("%s: delivery %zu at %.9f s", what, i, sq_time_to_s(at[i]));
        }
    }
    if (n != count) {
        fail_msg("%s: %zu deliveries", what, n);
    }
}

static void check(const char *what, const char *yaml, const struct seen *s)
{
    struct wld t;
    wld_run(&t, yaml);
    check_times(&t, what, s->deliveries);
    const struct wld_rec *end = wld_rec_at(&t, MDL_REC_JOB_ENDED, 0);
    if (s->ended > 0) {
        if (end == NULL || end->at != WLD_S(s->ended) || end->r.outcome != s->how) {
            fail_msg("%s: ended %d at %.9f s", what, end != NULL ? end->r.outcome : -1,
                     end != NULL ? sq_time_to_s(end->at) : 0.0);
        }
    } else {
        assert_null(end);
    }
    double goodput = wld_get(&t, "dependency.api.goodput");
    double repeated = wld_get(&t, "dependency.api.duplicate_effects");
    double attempts = wld_get(&t, "attempts.total");
    if (goodput != s->goodput || repeated != s->repeated || attempts != s->attempts) {
        fail_msg("%s: goodput %g, repeated %g, attempts %g", what, goodput, repeated, attempts);
    }
    wld_fini(&t);
}

/* One job at time 0, so many slots. */
#define ONE(queue, pool, call, api, rest)                                                 \
    "squall: 1\nduration: 1h\nproducers: {p: {queue: q, arrivals: {kind: cohort, count: " \
    "1}}}\nqueues: {q: {" queue "}}\nworkers: {w: {queue: q, start_up: 0s, " pool         \
    ", calls: {api: {" call "}}}}\ndependencies: {api: {answer_in: 0s, " api "}}\n" rest "\n"

/* ---- expiry ---- */

static void expiry(void **state)
{
    (void)state;
    static const struct {
        const char *what, *yaml;
        struct seen seen;
    } rows[] = {
        /* The vendor's example: a lease of 30 s, work of 40 s, at most 3 receives. */
        { "a copy runs beside the first",
          ONE("visibility_timeout: 30s, max_receives: 3", "slots: 4", "", "service: 40s", ""),
          { { 0, 30, -1 }, 40, DONE, 2, 1, 2 } },
        { "nobody deletes: the fourth receive dead-letters",
          ONE("visibility_timeout: 30s, max_receives: 3", "slots: 4", "", "service: 100s", ""),
          { { 0, 30, 60, -1 }, 90, DEAD, 3, 2, 3 } },
        { "a failure of an expired holder is ignored",
          ONE("visibility_timeout: 30s, max_receives: 3", "slots: 4", "timeout: 40s",
              "service: 1000s, abandoned: cancel", ""),
          { { 0, 30, 60, -1 }, 90, DEAD, 0, 0, 3 } },
        { "a failure of the present holder is not",
          ONE("visibility_timeout: 30s", "slots: 4", "timeout: 20s",
              "service: 1000s, abandoned: cancel", ""),
          { { 0, -1 }, 20, DEAD, 0, 0, 1 } },
        { "renewed: it never ends",
          ONE("visibility_timeout: 30s, renew: true", "slots: 4", "", "service: 100s", ""),
          { { 0, -1 }, 100, DONE, 1, 0, 1 } },
        { "noticed at a multiple of the sweep",
          ONE("visibility_timeout: 30s, sweep: 20s", "slots: 4", "", "service: 50s", ""),
          { { 0, 40, -1 }, 50, DONE, 2, 1, 2 } },
        { "a multiple itself",
          ONE("visibility_timeout: 30s, sweep: 10s", "slots: 4", "", "service: 40s", ""),
          { { 0, 30, -1 }, 40, DONE, 2, 1, 2 } },
        /* No slot is free for the copy: it vanishes from the ready line with the end at 40 s. */
        { "a ready copy vanishes",
          ONE("visibility_timeout: 30s", "slots: 1", "", "service: 40s", ""),
          { { 0, -1 }, 40, DONE, 1, 0, 1 } },
        /* 1st until 70 s; 2nd from 30, fails at 50 s and waits at the broker until 150: it vanishes
         * at 70. */
        { "a delayed copy vanishes",
          ONE("visibility_timeout: 30s", "slots: 2, retry: {backoff: 100s, jitter: none}",
              "timeout: 80s",
              "service: 70s, waiting_room: 0, outages: [{at: 30s, for: 1ms, kind: errors, ratio: "
              "100%, answer_in: 20s}]",
              ""),
          { { 0, 30, -1 }, 70, DONE, 1, 0, 2 } },
        /* ---- ties: an answer at the instant of the expiry is in time ---- */
        { "at one nanosecond",
          ONE("visibility_timeout: 10s", "slots: 4", "", "service: 10s", ""),
          { { 0, -1 }, 10, DONE, 1, 0, 1 } },
        { "one nanosecond late",
          ONE("visibility_timeout: 10s", "slots: 4", "", "service: 10000000.001us", ""),
          { { 0, 10, -1 }, 10.000000001, DONE, 2, 1, 2 } },
        { "at the instant of the second expiry",
          ONE("visibility_timeout: 10s", "slots: 4", "", "service: 20s", ""),
          { { 0, 10, -1 }, 20, DONE, 2, 1, 2 } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        check(rows[i].what, rows[i].yaml, &rows[i].seen);
    }
}

/* A handler of 900 s behind a lease of 30 s: 900/30 copies in flight, 29 of them for nothing. */
static void too_short_a_lease(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, ONE("visibility_timeout: 30s", "slots: 40", "", "service: 15m", ""));
    assert_true(wld_get(&t, "dependency.api.in_flight_max") == 30);
    assert_true(wld_get(&t, "dependency.api.calls_first") == 1);
    assert_true(wld_get(&t, "dependency.api.duplicate_effects") == 29);
    assert_true(wld_get(&t, "queue.q.redelivered") == 29);
    assert_true(wld_get(&t, "attempts.max_per_job") == 30);
    assert_true(wld_get(&t, "jobs.completed") == 1);
    assert_true(wld_get(&t, "jobs.arrived") == 1);
    wld_fini(&t);
}

/* ---- crashes ---- */

/* What it called goes on at the dependency, and is done again: a duplicate effect. The job is in
 * hand from 0 on; its replica retires at 5 s, counts as crashed at 7 s; another one is there from
 * 10 s on. */
#define CRASH(queue)                                                                             \
    ONE(queue, "replicas: 1, slots: 1, grace: 2s", "", "service: 20s",                           \
        "actions: [{at: 5s, set: {workers.w.replicas: 0}}, {at: 10s, set: {workers.w.replicas: " \
        "1}}]")

static void crashes(void **state)
{
    (void)state;
    static const struct {
        const char *what, *yaml;
        struct seen seen;
    } rows[] = {
        { "noticed at once", CRASH(""), { { 0, 10, -1 }, 30, DONE, 1, 1, 2 } },
        { "when the lease ends",
          CRASH("visibility_timeout: 30s"),
          { { 0, 30, -1 }, 50, DONE, 1, 1, 2 } },
        { "renewed until the crash",
          CRASH("visibility_timeout: 30s, renew: true"),
          { { 0, 37, -1 }, 57, DONE, 1, 1, 2 } },
        { "and noticed by a sweep",
          CRASH("visibility_timeout: 30s, renew: true, sweep: 20s"),
          { { 0, 40, -1 }, 60, DONE, 1, 1, 2 } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        check(rows[i].what, rows[i].yaml, &rows[i].seen);
    }
}

/* ---- renewed while it waits at a control ---- */

static void waits_at_a_control(void **state)
{
    (void)state;
    /* One call at a time. 25 s each: job 2 waits until 25 s and works until 50, job 3 until 50 and
     * 75; a lease of 30 s from the delivery would end under both. 31 s each: the leases end one
     * second too early, at 30, at 31 + 30, at 62 + 30 (less the copies' own calls behind them). */
    static const char yaml[] =
        "squall: 1\nduration: 10m\nproducers: {p: {queue: q, arrivals: {kind: cohort, count: "
        "3}}}\nqueues: {q: {visibility_timeout: 30s}}\n"
        "workers: {w: {queue: q, slots: 3, calls: {api: {}}}}\n"
        "dependencies: {api: {service: %s}}\n"
        "controls: {api: {concurrency: 1, throttled: wait}}\n";
    static const struct {
        const char *service;
        double redelivered, ends[3];
    } rows[] = { { "25s", 0, { 25, 50, 75 } }, { "30s", 0, { 30, 60, 90 } } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[600];
        struct wld t;
        sq_time_t at[3];
        (void)snprintf(text, sizeof(text), yaml, rows[i].service);
        wld_run(&t, text);
        assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, DONE, at, 3), 3);
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(at[k], WLD_S(rows[i].ends[k]));
        }
        assert_true(wld_get(&t, "queue.q.redelivered") == rows[i].redelivered);
        wld_fini(&t);
    }
}

/* The lease runs anew from the moment the call leaves: at 20 s, so that it ends at 50, and the copy
 * is delivered then, though the delivery was at 0. */
static void renewed_from_the_call_on(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[5];
    wld_run(&t, "squall: 1\nduration: 70s\n"
                "producers: {a: {queue: q, arrivals: {kind: cohort, count: 1}},\n"
                "  b: {queue: q, service_scale: 2, arrivals: {kind: cohort, count: 1, at: 1s}}}\n"
                "queues: {q: {visibility_timeout: 30s}}\n"
                "workers: {w: {queue: q, slots: 9, calls: {api: {}}}}\n"
                "dependencies: {api: {service: 20s}}\n"
                "controls: {api: {concurrency: 1, throttled: wait}}\n");
    assert_int_equal(wld_times(&t, MDL_REC_JOB_DELIVERED, -1, at, 5), 3);
    assert_int_equal(at[2], WLD_S(50));
    assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, DONE, at, 5), 2);
    assert_int_equal(at[1], WLD_S(60));
    wld_fini(&t);
}

/* ---- copies and everything else ---- */

/* A copy passes the deadline (enqueue) again: stale at 30 s, while the holder would succeed at 40.
 */
static void a_copy_may_be_stale(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[2];
    wld_run(&t, "squall: 1\nduration: 5m\nproducers: {p: {queue: q, deadline: 20s, "
                "deadline_check: enqueue, arrivals: {kind: cohort, count: 1}}}\n"
                "queues: {q: {visibility_timeout: 30s}}\n"
                "workers: {w: {queue: q, slots: 9, calls: {api: {}}}}\n"
                "dependencies: {api: {service: 40s}}\n");
    assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, STALE, at, 2), 1);
    assert_int_equal(at[0], WLD_S(30));
    assert_true(wld_get(&t, "dependency.api.goodput") == 1);
    assert_true(wld_get(&t, "jobs.completed") == 0);
    wld_fini(&t);
}

/* The newer job of the key supersedes the copy that waits, and so the job; its holder runs on. */
static void a_copy_is_superseded(void **state)
{
    (void)state;
    struct wld t;
    const struct wld_rec *end;
    wld_run(&t, "squall: 1\nduration: 100s\nproducers: {p: {queue: q, supersede: 1, arrivals: "
                "{kind: regular, rate: 0.02/s, phase: same}}}\n"
                "queues: {q: {visibility_timeout: 30s}}\n"
                "workers: {w: {queue: q, slots: 1, calls: {api: {}}}}\n"
                "dependencies: {api: {service: 60s}}\n");
    end = wld_rec_at(&t, MDL_REC_JOB_ENDED, 0);
    assert_non_null(end);
    assert_int_equal(end->at, WLD_S(50));
    assert_int_equal(end->r.outcome, MDL_END_SUPERSEDED);
    assert_int_equal(end->r.ordinal, 0);
    assert_true(wld_get(&t, "dependency.api.goodput") == 1); /* at 60 s, for nothing */
    assert_true(wld_get(&t, "jobs.unfinished") == 1);
    wld_fini(&t);
}

/* In front of those that wait, or behind. Two slots: job a works for 100 s in one; in the other b's
 * three jobs, 25 s each. The lease of a ends at 30 s, when the last b waits; the slot is free
 * at 50.
 */
static void requeued(void **state)
{
    (void)state;
    static const struct {
        const char *requeue;
        int order[5]; /* producers */
    } rows[] = { { "tail", { 0, 1, 1, 1, 0 } }, { "head", { 0, 1, 1, 0, 1 } } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[600];
        struct wld t;
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 2m\nproducers:\n"
                       "  a: {queue: q, service_scale: 4, arrivals: {kind: cohort, count: 1}}\n"
                       "  b: {queue: q, arrivals: {kind: cohort, count: 3}}\n"
                       "queues: {q: {requeue: %s, visibility_timeout: 30s}}\n"
                       "workers: {w: {queue: q, slots: 2, calls: {api: {}}}}\n"
                       "dependencies: {api: {service: 25s}}\n",
                       rows[i].requeue);
        wld_run(&t, text);
        for (size_t k = 0; k < 5; k++) {
            const struct wld_rec *r = wld_rec_at(&t, MDL_REC_JOB_DELIVERED, k);
            assert_non_null(r);
            if (r->r.producer != rows[i].order[k]) {
                fail_msg("%s: delivery %zu is of producer %d", rows[i].requeue, k, r->r.producer);
            }
        }
        wld_fini(&t);
    }
}

/* A lease that is longer from 10 s on, for deliveries from then on. */
static void set_lease(void **state)
{
    (void)state;
    check("set",
          ONE("visibility_timeout: 30s", "slots: 9", "", "service: 95s",
              "actions: [{at: 10s, set: {queues.q.visibility_timeout: 60s}}]"),
          &(struct seen){ { 0, 30, 90, -1 }, 95, DONE, 3, 2, 3 });
}

/* ---- duplicate effects without a lease ---- */

/* A timeout of 1 s before a service of 2 s: every try is executed all the same. Tries leave at 0,
 * 6 and 12 s; the last is executed at 14, when the job has been dead for one second. */
static void late_effects(void **state)
{
    (void)state;
    static const struct {
        const char *abandoned;
        double wasted, repeated;
    } rows[] = { { "finish", 3, 2 }, { "cancel", 0, 0 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[600];
        struct wld t;
        (void)snprintf(text, sizeof(text),
                       ONE("", "retry: {backoff: 5s, jitter: none}", "timeout: 1s",
                           "service: 2s, abandoned: %s", ""),
                       rows[i].abandoned);
        wld_run(&t, text);
        assert_true(wld_get(&t, "dependency.api.wasted") == rows[i].wasted);
        assert_true(wld_get(&t, "dependency.api.duplicate_effects") == rows[i].repeated);
        assert_true(wld_get(&t, "jobs.dead_lettered") == 1);
        wld_fini(&t);
    }
}

/* Two calls per attempt, the second fails twice: the first is executed three times. */
static void repeated_steps(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 5m\nproducers: {p: {queue: q, arrivals: {kind: cohort, "
                "count: 10}}}\nqueues: {q: {}}\nworkers: {w: {queue: q, slots: 20, retry: "
                "{backoff: 10s, jitter: none}, calls: {charge: {}, mail: {}}}}\n"
                "dependencies: {charge: {service: 1s}, mail: {service: 1s, outages: [{at: 0s, "
                "for: 15s}]}}\n");
    assert_true(wld_get(&t, "dependency.charge.calls_first") == 10);
    assert_true(wld_get(&t, "dependency.charge.duplicate_effects") == 20);
    assert_true(wld_get(&t, "dependency.mail.duplicate_effects") == 0);
    assert_true(wld_get(&t, "jobs.completed") == 10);
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expiry),
        cmocka_unit_test(too_short_a_lease),
        cmocka_unit_test(crashes),
        cmocka_unit_test(waits_at_a_control),
        cmocka_unit_test(renewed_from_the_call_on),
        cmocka_unit_test(a_copy_may_be_stale),
        cmocka_unit_test(a_copy_is_superseded),
        cmocka_unit_test(requeued),
        cmocka_unit_test(set_lease),
        cmocka_unit_test(late_effects),
        cmocka_unit_test(repeated_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
