/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_broker.c - what a broker does with retries, with too many jobs, with repeated ones and with
 * dead letters: few jobs at known instants, every delivery and end by hand. */
#include "tests/models/world.h"

#include "models/mdl_probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum {
    DONE = MDL_END_COMPLETED,
    STALE = MDL_END_STALE,
    OLD = MDL_END_SUPERSEDED,
    DEAD = MDL_END_DEAD_LETTERED,
    DROP = MDL_END_DROPPED
};

struct mark {
    double at; /* -1 ends the list */
    int how, job;
};

static void check(const struct wld *t, const char *what, enum mdl_record kind,
                  const struct mark *marks)
{
    size_t n = 0;
    for (; marks[n].at >= 0; n++) {
        const struct wld_rec *r = wld_rec_at(t, kind, n);
        if (r == NULL) {
            fail_msg("%s: %zu only", what, n);
        } else if (r->at != WLD_S(marks[n].at) || r->r.ordinal != (uint64_t)marks[n].job ||
                   (marks[n].how >= 0 && r->r.outcome != marks[n].how)) {
            fail_msg("%s: number %zu is job %d, outcome %d at %.9f s", what, n, (int)r->r.ordinal,
                     r->r.outcome, sq_time_to_s(r->at));
        }
    }
    if (wld_rec_at(t, kind, n) != NULL) {
        fail_msg("%s: more than %zu", what, n);
    }
}

struct row {
    const char *what, *yaml;
    struct mark deliveries[9], ends[9];
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct wld t;
        wld_run(&t, rows[i].yaml);
        check(&t, rows[i].what, MDL_REC_JOB_DELIVERED, rows[i].deliveries);
        check(&t, rows[i].what, MDL_REC_JOB_ENDED, rows[i].ends);
        wld_fini(&t);
    }
}

/* So many jobs at time 0, one queue, one pool, one dependency. */
#define WORLD(count, queue, pool, api, rest)                                                       \
    "squall: 1\nduration: 10m\nproducers: {p: {queue: q, arrivals: {kind: cohort, count: " count   \
    "}}}\nqueues: {q: {" queue "}}\nworkers: {w: {queue: q, start_up: 0s, calls: {api: {}}, " pool \
    "}}\ndependencies: {api: {answer_in: 0s, " api "}}\n" rest "\n"

/* ---- retries ---- */

static void retries(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "the same message is received again and again",
          WORLD("1", "max_receives: 2", "retry: {max_attempts: 9, backoff: 10s, jitter: none}",
                "service: 1s, outages: [{at: 0s, for: 25s}]", ""),
          { { 0, -1, 0 }, { 10, -1, 0 }, { -1, 0, 0 } },
          { { 20, DEAD, 0 }, { -1, 0, 0 } } },
        { "a new message has never been received",
          WORLD("1", "max_receives: 2, retry_as: new-message",
                "retry: {max_attempts: 9, backoff: 10s, jitter: none}",
                "service: 1s, outages: [{at: 0s, for: 25s}]", ""),
          { { 0, -1, 0 }, { 10, -1, 0 }, { 20, -1, 0 }, { 30, -1, 0 }, { -1, 0, 0 } },
          { { 31, DONE, 0 }, { -1, 0, 0 } } },
        /* Due at 12 and 17 s, between the polls at 10 and 20. */
        { "released by a poll, in one batch",
          WORLD("2", "poll: 10s",
                "slots: 2, retry: {backoff: {kind: table, delays: [12s]}, jitter: none}",
                "service: 1s, outages: [{at: 0s, for: 5s}]", ""),
          { { 0, -1, 0 }, { 0, -1, 1 }, { 20, -1, 0 }, { 20, -1, 1 }, { -1, 0, 0 } },
          { { 21, DONE, 0 }, { 21, DONE, 1 }, { -1, 0, 0 } } },
        { "due at the instant of a poll",
          WORLD("1", "poll: 10s", "retry: {backoff: 20s, jitter: none}",
                "service: 1s, outages: [{at: 0s, for: 5s}]", ""),
          { { 0, -1, 0 }, { 20, -1, 0 }, { -1, 0, 0 } },
          { { 21, DONE, 0 }, { -1, 0, 0 } } },
        { "the rest of the lease is the delay",
          WORLD("1", "visibility_timeout: 30s", "retry: {backoff: {kind: lease}}",
                "service: 1s, outages: [{at: 0s, for: 5s}]", ""),
          { { 0, -1, 0 }, { 30, -1, 0 }, { -1, 0, 0 } },
          { { 31, DONE, 0 }, { -1, 0, 0 } } },
        /* Renewed up to the failure at 1 s. */
        { "the rest of a renewed lease",
          WORLD("1", "visibility_timeout: 30s, renew: true", "retry: {backoff: {kind: lease}}",
                "service: 1s, errors: {error: 0%}, outages: [{at: 0s, for: 2s, kind: errors, "
                "ratio: 100%, answer_in: 1s}]",
                ""),
          { { 0, -1, 0 }, { 31, -1, 0 }, { -1, 0, 0 } },
          { { 32, DONE, 0 }, { -1, 0, 0 } } },
        { "and its receives count",
          WORLD("1", "visibility_timeout: 30s, max_receives: 2",
                "retry: {max_attempts: unlimited, backoff: {kind: lease}}",
                "service: 1s, outages: [{at: 0s, for: 5m}]", ""),
          { { 0, -1, 0 }, { 30, -1, 0 }, { -1, 0, 0 } },
          { { 60, DEAD, 0 }, { -1, 0, 0 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

/* Neither delayed nor redelivered: leased all the time. */
static void lease_backoff_levels(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, WORLD("3", "visibility_timeout: 30s", "slots: 3, retry: {backoff: {kind: lease}}",
                      "service: 1s, outages: [{at: 0s, for: 5s}]", ""));
    assert_true(wld_get(&t, "queue.q.delayed_max") == 0);
    assert_true(wld_get(&t, "queue.q.redelivered") == 0);
    assert_true(wld_get(&t, "attempts.retries") == 3);
    wld_fini(&t);
}

/* 70,000 receives and one more: more than sixteen bits. */
static void many_receives(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 2m\nproducers: {p: {queue: q, arrivals: {kind: cohort, "
                "count: 1}}}\nqueues: {q: {max_receives: 70000}}\nworkers: {w: {queue: q, calls: "
                "{api: {}}, retry: {max_attempts: unlimited, backoff: none, jitter: none}}}\n"
                "dependencies: {api: {service: 1s, answer_in: 1ms, outages: [{at: 0s, for: 2m}]}}"
                "\n");
    assert_true(wld_get(&t, "attempts.total") == 70000);
    assert_true(wld_get(&t, "jobs.dead_lettered") == 1);
    wld_fini(&t);
}

/* Retries go to a queue with a pool of its own; what its control turns away stays. */
static void retry_queue(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 5m\nproducers: {p: {queue: q, arrivals: {kind: cohort, "
                "count: 2}}}\nqueues: {q: {retry_queue: later}, later: {}}\n"
                "workers:\n  w: {queue: q, slots: 2, calls: {api: {}}, retry: {backoff: 10s, "
                "jitter: none}}\n  x: {queue: later, calls: {api: {}}}\n"
                "dependencies: {api: {service: 5s, answer_in: 0s, outages: [{at: 0s, for: 1s}]}}\n"
                "controls: {api: {concurrency: 1, throttled: {kind: defer, delay: 3s}}}\n");
    /* 0: fails at 0, then 1 gets the permit and fails too: both at 10 in `later`, one slot. */
    check(&t, "retry queue", MDL_REC_JOB_ENDED,
          (struct mark[]){ { 15, DONE, 0 }, { 20, DONE, 1 }, { -1, 0, 0 } });
    assert_true(wld_get(&t, "queue.later.ready_max") >= 1);
    assert_true(wld_get(&t, "queue.q.delayed_max") == 2);
    wld_fini(&t);
}

/* The copy of a job waits in another queue when the first holder ends the job: it vanishes there.
 * Leases of 30 s, work of 100 s; the copy of 30 s fails at 31, and is due at 51. */
static void vanishes_elsewhere(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 4m\nproducers: {p: {queue: q, arrivals: {kind: cohort, "
                "count: 1}}}\nqueues: {q: {retry_queue: later, visibility_timeout: 30s}, later: "
                "{}}\nworkers:\n  w: {queue: q, slots: 2, calls: {api: {}}, retry: {backoff: 20s, "
                "jitter: none}}\n  x: {queue: later, replicas: 0, calls: {api: {}}}\n"
                "dependencies: {api: {service: 100s, outages: [{at: 29s, for: 3s, kind: errors, "
                "ratio: 100%, answer_in: 1s}]}}\n");
    check(&t, "elsewhere", MDL_REC_JOB_ENDED, (struct mark[]){ { 100, DONE, 0 }, { -1, 0, 0 } });
    assert_true(wld_get(&t, "queue.later.ready_max") == 1);
    assert_true(wld_get(&t, "jobs.arrived") == 1);
    wld_fini(&t);
}

/* ---- too many ---- */

static void capacity(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "drop-new",
          WORLD("5", "capacity: 2", "", "service: 1500ms", ""),
          { { 0, -1, 0 }, { 1.5, -1, 1 }, { 3, -1, 2 }, { -1, 0, 0 } },
          { { 0, DROP, 3 },
            { 0, DROP, 4 },
            { 1.5, DONE, 0 },
            { 3, DONE, 1 },
            { 4.5, DONE, 2 },
            { -1, 0, 0 } } },
        { "drop-oldest",
          WORLD("5", "capacity: 2, overflow: drop-oldest", "", "service: 1500ms", ""),
          { { 0, -1, 0 }, { 1.5, -1, 3 }, { 3, -1, 4 }, { -1, 0, 0 } },
          { { 0, DROP, 1 },
            { 0, DROP, 2 },
            { 1.5, DONE, 0 },
            { 3, DONE, 3 },
            { 4.5, DONE, 4 },
            { -1, 0, 0 } } },
        /* Offered at 1 s, when 1 and 2 still wait, at 2 s, when 1 is in hand, at 3 s. */
        { "block",
          WORLD("5", "capacity: 2, overflow: block", "", "service: 1500ms", ""),
          { { 0, -1, 0 },
            { 1.5, -1, 1 },
            { 3, -1, 2 },
            { 4.5, -1, 3 },
            { 6, -1, 4 },
            { -1, 0, 0 } },
          { { 1.5, DONE, 0 },
            { 3, DONE, 1 },
            { 4.5, DONE, 2 },
            { 6, DONE, 3 },
            { 7.5, DONE, 4 },
            { -1, 0, 0 } } },
        /* The first two fail and wait for a retry; they fill the queue, and take no notice when
         * they are due. */
        { "delayed ones count",
          WORLD("2", "capacity: 2", "slots: 2, retry: {backoff: 10s, jitter: none}",
                "service: 1s, outages: [{at: 0s, for: 5s}]",
                "actions: [{at: 1s, burst: {p: 1}}, {at: 20s, burst: {p: 1}}]"),
          { { 0, -1, 0 }, { 0, -1, 1 }, { 10, -1, 0 }, { 10, -1, 1 }, { 20, -1, 3 }, { -1, 0, 0 } },
          { { 1, DROP, 2 }, { 11, DONE, 0 }, { 11, DONE, 1 }, { 21, DONE, 3 }, { -1, 0, 0 } } },
        { "the oldest may be a delayed one",
          WORLD("2", "capacity: 2, overflow: drop-oldest",
                "slots: 2, retry: {backoff: 10s, jitter: none}",
                "service: 1s, outages: [{at: 0s, for: 500ms}]",
                "actions: [{at: 1s, burst: {p: 1}}]"),
          { { 0, -1, 0 }, { 0, -1, 1 }, { 1, -1, 2 }, { 10, -1, 1 }, { -1, 0, 0 } },
          { { 1, DROP, 0 }, { 2, DONE, 2 }, { 11, DONE, 1 }, { -1, 0, 0 } } },
        { "a larger capacity from 1 s on",
          WORLD("2", "capacity: 1", "replicas: 0", "service: 1s",
                "actions: [{at: 1s, set: {queues.q.capacity: 3}}, {at: 2s, burst: {p: 3}}]"),
          { { -1, 0, 0 } },
          { { 0, DROP, 1 }, { 2, DROP, 4 }, { -1, 0, 0 } } },
    };
    check_rows(rows, SQ_COUNT(rows));
}

/* Superseded while its producer still offers it. */
static void superseded_outside(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t,
            "squall: 1\nduration: 2500ms\ntail: 1m\nproducers:\n"
            "  a: {queue: q, arrivals: {kind: cohort, count: 2}}\n"
            "  p: {queue: q, supersede: 1, arrivals: {kind: regular, rate: 1/s, phase: same}}\n"
            "queues: {q: {capacity: 1, overflow: block}}\n"
            "workers: {w: {queue: q, calls: {api: {}}}}\ndependencies: {api: {service: 10s}}\n");
    /* a0 in hand, a1 ready; p0 is blocked until p1 comes, p1 until p2 comes. */
    assert_true(wld_get(&t, "producer.p.superseded") == 2);
    assert_true(wld_get(&t, "producer.p.completed") == 1);
    assert_true(wld_get(&t, "queue.q.blocked_max") == 1);
    wld_fini(&t);
}

/* ---- repeated ---- */

/* One key; jobs at 0, 10, 20 and 30 s, work of 1 s. Completed at 1 s: the job of 10 s is known;
 * that of 20 s no longer, and is executed again, so that of 30 s is known. */
static void dedup(void **state)
{
    (void)state;
    static const struct {
        const char *window;
        double goodput, duplicates, repeated;
    } rows[] = { { "15s", 2, 1, 2 }, { "19s", 2, 1, 2 }, /* exactly as old as the window: unknown */
                 { "29s", 2, 1, 2 }, { "29001ms", 1, 0, 3 }, { "9s", 4, 3, 0 }, { "1m", 1, 0, 3 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[600];
        struct wld t;
        (void)snprintf(
            text, sizeof(text),
            "squall: 1\nduration: 39s\ntail: 1m\nproducers: {p: {queue: q, supersede: 1, "
            "arrivals: {kind: regular, rate: 0.1/s, phase: same}}}\n"
            "queues: {q: {dedup_window: %s}}\nworkers: {w: {queue: q, slots: 2, calls: "
            "{api: {}}}}\ndependencies: {api: {service: 1s}}\n",
            rows[i].window);
        wld_run(&t, text);
        assert_true(wld_get(&t, "jobs.completed") == 4);
        assert_true(wld_get(&t, "dependency.api.goodput") == rows[i].goodput);
        assert_true(wld_get(&t, "dependency.api.duplicate_effects") == rows[i].duplicates);
        assert_true(wld_get(&t, "queue.q.repeated") == rows[i].repeated);
        wld_fini(&t);
    }
}

/* ---- dead letters ---- */

#define LETTERS(queue, actions)                                                    \
    WORLD("4", queue, "slots: 9", "service: 100ms, outages: [{at: 0s, for: 10s}]", \
          "actions: [" actions "]")

static void redrive(void **state)
{
    (void)state;
    static const struct {
        const char *what, *yaml;
        struct mark ends[9];
        double arrived, letters;
    } rows[] = {
        { "one per second",
          LETTERS("", "{at: 20s, redrive: {queue: q, rate: 1/s}}"),
          { { 0, DEAD, 0 },
            { 0, DEAD, 1 },
            { 0, DEAD, 2 },
            { 0, DEAD, 3 },
            { 20.1, DONE, 0 },
            { 21.1, DONE, 1 },
            { 22.1, DONE, 2 },
            { 23.1, DONE, 3 },
            { -1, 0, 0 } },
          8,
          0 },
        { "all at once, but three",
          LETTERS("", "{at: 20s, redrive: {queue: q, limit: 3}}"),
          { { 0, DEAD, 0 },
            { 0, DEAD, 1 },
            { 0, DEAD, 2 },
            { 0, DEAD, 3 },
            { 20.1, DONE, 0 },
            { 20.1, DONE, 1 },
            { 20.1, DONE, 2 },
            { -1, 0, 0 } },
          7,
          1 },
        /* At 20 s they are as old as that, at 21 s older. */
        { "some are too old",
          LETTERS("dead_letter: {retention: 20s}", "{at: 20s, redrive: {queue: q, rate: 1/s}}"),
          { { 0, DEAD, 0 },
            { 0, DEAD, 1 },
            { 0, DEAD, 2 },
            { 0, DEAD, 3 },
            { 20.1, DONE, 0 },
            { -1, 0, 0 } },
          5,
          0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t, rows[i].yaml);
        check(&t, rows[i].what, MDL_REC_JOB_ENDED, rows[i].ends);
        assert_true(wld_get(&t, "jobs.arrived") == rows[i].arrived);
        assert_true(wld_get(&t, "queue.q.redriven") == rows[i].arrived - 4);
        assert_true(wld_get(&t, "queue.q.dead_letters") == rows[i].letters);
        assert_true(wld_get(&t, "attempts.max_per_job") == 1);
        /* As a job its age begins anew. */
        assert_true(wld_get(&t, "producer.p.delay_max_s") == 0.1);
        wld_fini(&t);
    }
}

/* It fails again, and is not redriven for ever by the same action. */
static void redriven_in_vain(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, LETTERS("", "{at: 5s, redrive: {queue: q, rate: 2/s}}"));
    assert_true(wld_get(&t, "jobs.dead_lettered") == 8);
    assert_true(wld_get(&t, "queue.q.dead_letters") == 4);
    wld_fini(&t);
}

/* The clock of the deadline never restarts. */
static void redriven_too_late(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 1m\nproducers: {p: {queue: q, deadline: 25s, arrivals: "
                "{kind: cohort, count: 4}}}\nqueues: {q: {}}\nworkers: {w: {queue: q, slots: 9, "
                "calls: {api: {}}}}\ndependencies: {api: {service: 100ms, answer_in: 0s, outages: "
                "[{at: 0s, for: 10s}]}}\nactions: [{at: 24s, redrive: {queue: q, rate: 1/s}}]\n");
    assert_true(wld_get(&t, "jobs.completed") == 2); /* at 24 and 25 s */
    assert_true(wld_get(&t, "jobs.stale") == 2);
    wld_fini(&t);
}

/* Members of a closed population do not wait for dead letters, nor twice. */
static void redriven_members(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 10s\ntail: 10s\nproducers: {p: {queue: q, arrivals: {kind: "
                "closed, population: 3, think: 1s}}}\nqueues: {q: {}}\nworkers: {w: {queue: q, "
                "slots: 9, calls: {api: {}}}}\ndependencies: {api: {service: 1s, answer_in: 0s, "
                "outages: [{at: 0s, for: 1500ms}]}}\nactions: [{at: 4s, redrive: q}]\n");
    /* Made at 0, 1, then from 2 s on every two seconds: 2, 4, 6, 8 for three members; each of the
     * first two of each member returns at 4 s. */
    assert_true(wld_get(&t, "queue.q.redriven") == 6);
    assert_true(wld_get(&t, "jobs.arrived") == 3 * 6 + 6);
    wld_fini(&t);
}

/* ---- moments ---- */

static size_t told(const struct wld *t, const char *text)
{
    const struct mdl_probe *p = t->w.probe;
    size_t n = 0;
    for (size_t i = 0; i < p->moment_count; i++) {
        n += strstr(p->moments[i].text, text) != NULL ? 1 : 0;
    }
    return n;
}

/* The first copy and the first dead letter of a queue, once each. */
static void moments(void **state)
{
    (void)state;
    struct wld t;
    assert_int_equal(wld_load(&t,
                              WORLD("5", "visibility_timeout: 30s, max_receives: 3", "slots: 99",
                                    "service: 1h", "actions: [{at: 5m, redrive: q}]"),
                              NULL),
                     SQ_OK);
    wld_build(&t, 1);
    t.w.probe->tells = true;
    wld_finish(&t);
    assert_int_equal(told(&t, "a lease of q ends"), 1);
    assert_int_equal(told(&t, "the first dead letter of q"), 1);
    assert_int_equal(told(&t, "dead letters return to q, all at once"), 1);
    wld_fini(&t);
}

/* A lease that an operator sets while a job is in hands begins with its next delivery: when the
 * worker crashes at 3 s the job is back at once, and runs when the replica is up again at 4 s. */
static void lease_set_under_way(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "a lease from 2.5 s on",
          "squall: 1\nduration: 1m\n"
          "producers: {p: {queue: q, arrivals: {kind: cohort, count: 1, at: 2s}}}\n"
          "queues: {q: {}}\n"
          "workers: {w: {queue: q, crashes: {every: 3s, restart: 1s}, calls: {d: {}}}}\n"
          "dependencies: {d: {service: 2s}}\n"
          "actions: [{at: 2500ms, set: {queues.q.visibility_timeout: 30s}}]\n",
          { { 2, -1, 0 }, { 4, -1, 0 }, { -1, 0, 0 } },
          { { 6, DONE, 0 }, { -1, 0, 0 } } },
    };
    check_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lease_set_under_way),
        cmocka_unit_test(retries),
        cmocka_unit_test(lease_backoff_levels),
        cmocka_unit_test(many_receives),
        cmocka_unit_test(retry_queue),
        cmocka_unit_test(vanishes_elsewhere),
        cmocka_unit_test(capacity),
        cmocka_unit_test(superseded_outside),
        cmocka_unit_test(dedup),
        cmocka_unit_test(redrive),
        cmocka_unit_test(redriven_in_vain),
        cmocka_unit_test(redriven_too_late),
        cmocka_unit_test(redriven_members),
        cmocka_unit_test(moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
