/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_life.c - the life of a job: superseded, received too often, deferred, parked, retried by
 * number, its replica gone. Single jobs at known instants, every end by hand. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct end {
    double at;
    int how; /* enum mdl_end; -1 ends the list */
    int job; /* its ordinal */
};

static const char *const words[] = { "completed",     "stale",   "superseded",
                                     "dead-lettered", "dropped", "lost" };

static void check_ends(const struct wld *t, const char *what, const struct end *ends, size_t size)
{
    size_t n = 0;
    for (; n < size && ends[n].at > 0; n++) {
        const struct wld_rec *r = wld_rec_at(t, MDL_REC_JOB_ENDED, n);
        if (r == NULL) {
            fail_msg("%s: %zu ends only", what, n);
        } else if (r->at != WLD_S(ends[n].at) || r->r.outcome != ends[n].how ||
                   r->r.ordinal != (uint64_t)ends[n].job) {
            fail_msg("%s: end %zu is job %d %s at %.9f s", what, n, (int)r->r.ordinal,
                     words[r->r.outcome], sq_time_to_s(r->at));
        }
    }
    if (wld_rec_at(t, MDL_REC_JOB_ENDED, n) != NULL) {
        fail_msg("%s: more than %zu ends", what, n);
    }
}

enum {
    DONE = MDL_END_COMPLETED,
    STALE = MDL_END_STALE,
    OLD = MDL_END_SUPERSEDED,
    DEAD = MDL_END_DEAD_LETTERED,
    DROP = MDL_END_DROPPED
};

/* ---- superseding ---- */

/* One key; jobs 0, 1, 2, ... at 0, 1, 2, ... s: so many. One slot, service as given. */
#define KEYED(count, supersede, pool, api)                                                      \
    "squall: 1\nduration: " #count "s\ntail: 100s\n"                                            \
    "producers: {p: {queue: q, supersede: {keys: 1, " supersede "}, arrivals: {kind: regular, " \
    "rate: 1/s, phase: same}}}\nqueues: {q: {}}\n"                                              \
    "workers: {w: {queue: q, calls: {api: {}}, " pool "}}\n"                                    \
    "dependencies: {api: {answer_in: 0s, " api "}}\n"

static void superseding(void **state)
{
    (void)state;
    static const struct {
        const char *what, *yaml;
        struct end ends[8];
    } rows[] = {
        /* Job 0 is in hand when 1 comes: it finishes. 1 and 2 wait when the next one comes. */
        { "newest, eager",
          KEYED(4, "keep: newest", "slots: 1", "service: 3500ms"),
          { { 2, OLD, 1 }, { 3, OLD, 2 }, { 3.5, DONE, 0 }, { 7, DONE, 3 } } },
        { "newest, lazy",
          KEYED(4, "removal: lazy", "slots: 1", "service: 3500ms"),
          { { 3.5, DONE, 0 }, { 3.5, OLD, 1 }, { 3.5, OLD, 2 }, { 7, DONE, 3 } } },
        { "oldest",
          KEYED(4, "keep: oldest", "slots: 1", "service: 3500ms"),
          { { 2, OLD, 2 }, { 3, OLD, 3 }, { 3.5, DONE, 0 }, { 7, DONE, 1 } } },
        /* Nothing waits: nothing is superseded. */
        { "idle",
          KEYED(3, "keep: newest", "slots: 3", "service: 100ms"),
          { { 0.1, DONE, 0 }, { 1.1, DONE, 1 }, { 2.1, DONE, 2 } } },
        /* Overtaken in hand: a success completes it, a failure ends it as superseded. Down from
         * 500 ms on: job 0 is reset, and tried again 2 s later; overtaken by then. */
        { "overtaken in backoff, eager",
          KEYED(2, "keep: newest", "slots: 1, retry: {backoff: 2s, jitter: none}",
                "service: 1s, outages: [{at: 500ms, for: 10ms}]"),
          { { 1, OLD, 0 }, { 2, DONE, 1 } } },
        { "overtaken in backoff, lazy",
          KEYED(2, "removal: lazy", "slots: 1, retry: {backoff: 2s, jitter: none}",
                "service: 1s, outages: [{at: 500ms, for: 10ms}]"),
          { { 2, DONE, 1 }, { 2.5, OLD, 0 } } },
        { "overtaken in hand, then it fails",
          KEYED(2, "keep: newest", "slots: 2, retry: {backoff: 2s, jitter: none}",
                "service: 1500ms, outages: [{at: 1200ms, for: 10ms}]"),
          { { 1.2, OLD, 0 }, { 4.7, DONE, 1 } } },
        { "the oldest in backoff waits too",
          KEYED(3, "keep: oldest", "slots: 1, retry: {backoff: 2s, jitter: none}",
                "service: 1s, outages: [{at: 500ms, for: 10ms}]"),
          { { 1, OLD, 1 }, { 2, OLD, 2 }, { 3.5, DONE, 0 } } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t, rows[i].yaml);
        check_ends(&t, rows[i].what, rows[i].ends, 8);
        wld_fini(&t);
    }
}

/* Overtaken in hand, and given back by the control: with `eager` it ends at once, as all that wait
 * do; with `lazy` at its next delivery. Job 0 of p has its call deferred at 2 s. */
static void overtaken_and_given_back(void **state)
{
    (void)state;
    static const struct {
        const char *removal;
        double at;
    } rows[] = { { "eager", 2 }, { "lazy", 7 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[900];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 2s\ntail: 100s\n"
                       "producers:\n"
                       "  a: {queue: q, arrivals: {kind: cohort, count: 1}}\n"
                       "  p: {queue: q, supersede: {keys: 1, removal: %s}, work: 2s,\n"
                       "    arrivals: {kind: regular, rate: 1/s, phase: same}}\n"
                       "queues: {q: {}}\nworkers: {w: {queue: q, slots: 2, calls: {api: {}}}}\n"
                       "dependencies: {api: {service: 50s}}\n"
                       "controls: {api: {concurrency: 1, throttled: {kind: defer, delay: 5s}}}\n",
                       rows[i].removal);
        struct wld t;
        sq_time_t at[2];
        wld_run(&t, text);
        assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, MDL_END_SUPERSEDED, at, 2), 1);
        assert_int_equal(at[0], WLD_S(rows[i].at));
        assert_true(wld_get(&t, "producer.p.superseded") == 1);
        wld_fini(&t);
    }
}

/* The same when its replica counts as crashed: job 0 is overtaken at 1 s, its grace ends at 3 s. */
static void overtaken_and_crashed(void **state)
{
    (void)state;
    static const struct {
        const char *removal;
        double at;
    } rows[] = { { "eager", 3 }, { "lazy", 6 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[900];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 2s\ntail: 100s\n"
                       "producers: {p: {queue: q, supersede: {keys: 1, removal: %s},\n"
                       "  arrivals: {kind: regular, rate: 1/s, phase: same}}}\n"
                       "queues: {q: {}}\nworkers: {w: {queue: q, calls: {api: {}}, grace: 2s, "
                       "start_up: 4s}}\n"
                       "dependencies: {api: {service: 10s}}\n"
                       "actions:\n  - {at: 1s, set: {workers.w.replicas: 0}}\n"
                       "  - {at: 1999ms, set: {workers.w.replicas: 2}}\n",
                       rows[i].removal);
        struct wld t;
        sq_time_t at[2];
        wld_run(&t, text);
        assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, MDL_END_SUPERSEDED, at, 2), 1);
        assert_int_equal(at[0], WLD_S(rows[i].at) - (i == 1 ? 1000000 : 0));
        assert_true(wld_get(&t, "queue.q.redelivered") == (double)i);
        wld_fini(&t);
    }
}

/* ---- receives ---- */

#define DOWN(queue, pool)                                                              \
    "squall: 1\nduration: 100s\n"                                                      \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: 1, at: 1s}}}\n"         \
    "queues: {q: {" queue "}}\nworkers: {w: {queue: q, calls: {api: {}}, " pool "}}\n" \
    "dependencies: {api: {service: 1s, answer_in: 1s, outages: [{at: 0s, for: 90s}]}}\n"

static void limits_by_number(void **state)
{
    (void)state;
    static const struct {
        const char *what, *yaml;
        struct end end;
        double calls;
    } rows[] = {
        /* The tries end at 2, 5, 8, ...; the next one starts 2 s after that. */
        { "no retry", DOWN("", "slots: 1"), { 2, DEAD, 0 }, 1 },
        { "max_attempts 3",
          DOWN("", "retry: {max_attempts: 3, backoff: 2s, jitter: none}"),
          { 8, DEAD, 0 },
          3 },
        { "max_retries 3",
          DOWN("", "retry: {max_retries: 3, backoff: 2s, jitter: none}"),
          { 11, DEAD, 0 },
          4 },
        { "drop",
          DOWN("", "retry: {max_retries: 1, give_up: drop, backoff: 2s, jitter: none}"),
          { 5, DROP, 0 },
          2 },
        { "max_receives 3",
          DOWN("max_receives: 3", "retry: {max_attempts: 9, backoff: 2s, jitter: none}"),
          { 10, DEAD, 0 },
          3 }, /* at what would be the fourth delivery */
        { "the layer before the broker",
          DOWN("max_receives: 3", "retry: {max_attempts: 3, backoff: 2s, jitter: none}"),
          { 8, DEAD, 0 },
          3 },
        { "not retried",
          DOWN("", "retry: {retry_on: timeout, max_attempts: 3, backoff: 2s, jitter: none}"),
          { 2, DEAD, 0 },
          1 },
        { "retried among others",
          DOWN("", "retry: {retry_on: [timeout, unavailable], max_attempts: 2, backoff: 2s, "
                   "jitter: none}"),
          { 5, DEAD, 0 },
          2 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t, rows[i].yaml);
        check_ends(&t, rows[i].what, &rows[i].end, 1);
        assert_true(wld_get(&t, "dependency.api.calls") == rows[i].calls);
        assert_true(wld_get(&t, "attempts.total") == rows[i].calls);
        assert_true(wld_get(&t, "attempts.max_per_job") == rows[i].calls);
        assert_true(wld_get(&t, "dependency.api.calls_first") == 1);
        wld_fini(&t);
    }
}

/* Parked: rests, then gets one attempt more, without limit; until the dependency is back. */
static void parked(void **state)
{
    (void)state;
    static const struct {
        const char *queue;
        double end, calls;
        int how;
    } rows[] = {
        /* tries end at 2, 5; parked until 25, 46, 67, 88; up from 90 s on: 109 to 110 */
        { "receives_count: undeferred", 110, 7, DONE },
        { "max_receives: 2", 110, 7, DONE },
        { "max_receives: 3, receives_count: all", 46, 3, DEAD },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[900];
        (void)snprintf(
            text, sizeof(text),
            "squall: 1\nduration: 100s\ntail: 100s\n"
            "producers: {p: {queue: q, arrivals: {kind: cohort, count: 1, at: 1s}}}\n"
            "queues: {q: {%s}}\nworkers: {w: {queue: q, calls: {api: {}}, retry: {max_attempts: 2, "
            "backoff: 2s, jitter: none, give_up: {kind: park, delay: 20s}}}}\n"
            "dependencies: {api: {service: 1s, answer_in: 1s, outages: [{at: 0s, for: 90s}]}}\n",
            rows[i].queue);
        struct wld t;
        wld_run(&t, text);
        check_ends(&t, rows[i].queue, &(struct end){ rows[i].end, rows[i].how, 0 }, 1);
        assert_true(wld_get(&t, "dependency.api.calls") == rows[i].calls);
        wld_fini(&t);
    }
}

/* A deferral uses no attempt and gives its receive back, unless all are counted. Job b is deferred
 * at 1, 4, 7, ...; the permit is free from 11 s on. */
static void deferred(void **state)
{
    (void)state;
    static const struct {
        const char *queue;
        double end;
        int how;
    } rows[] = {
        { "max_receives: 1", 23, DONE },
        { "max_receives: 5, receives_count: all", 23, DONE },
        { "max_receives: 4, receives_count: all", 13, DEAD },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[900];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 100s\n"
                       "producers:\n  a: {queue: q, arrivals: {kind: cohort, count: 1, at: 1s}}\n"
                       "  b: {queue: q, arrivals: {kind: cohort, count: 1, at: 1s}}\n"
                       "queues: {q: {%s}}\nworkers: {w: {queue: q, slots: 2, calls: {api: {}}}}\n"
                       "dependencies: {api: {service: 10s}}\n"
                       "controls: {api: {concurrency: 1, throttled: {kind: defer, delay: 3s}}}\n",
                       rows[i].queue);
        struct wld t;
        sq_time_t at[2];
        wld_run(&t, text);
        assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, -1, at, 2), 2);
        assert_int_equal(at[1], WLD_S(rows[i].end));
        assert_true(
            wld_get(&t, rows[i].how == DEAD ? "jobs.dead_lettered" : "producer.b.completed") == 1);
        assert_true(wld_get(&t, "control.api.deferred") == 4);
        assert_true(wld_get(&t, "attempts.max_per_job") == 1);
        assert_true(wld_get(&t, "dependency.api.calls_retry") == 0);
        wld_fini(&t);
    }
}

/* Deferred after its first call: the attempt is suspended and goes on under its number; the first
 * call, made again, is a retry. */
static void suspended(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 100s\n"
                "producers:\n  a: {queue: r, arrivals: {kind: cohort, count: 1, at: 0s}}\n"
                "  b: {queue: q, arrivals: {kind: cohort, count: 1, at: 1s}}\n"
                "queues: {q: {}, r: {}}\n"
                "workers:\n  v: {queue: r, calls: {tight: {}}}\n"
                "  w: {queue: q, calls: {wide: {}, tight: {}}}\n"
                "dependencies: {wide: {service: 1s}, tight: {service: 5s}}\n"
                "controls: {tight: {concurrency: 1, throttled: {kind: defer, delay: 4s}}}\n");
    /* b: wide 1-2, tight refused at 2, again at 6: wide 6-7, tight 7-12 */
    assert_true(wld_get(&t, "producer.b.delay_max_s") == 11);
    assert_true(wld_get(&t, "attempts.total") == 2);
    assert_true(wld_get(&t, "attempts.max_per_job") == 1);
    assert_true(wld_get(&t, "dependency.wide.calls_retry") == 1);
    assert_true(wld_get(&t, "dependency.tight.calls_retry") == 0);
    wld_fini(&t);
}

/* ---- replicas that go ---- */

/* A retired replica keeps its job for `grace`; then it counts as crashed: the call is cancelled
 * (the server goes on), the job comes back at once, is received again and makes a new attempt. */
static void grace_expires(void **state)
{
    (void)state;
    static const struct {
        const char *grace;
        double end, cancelled, deaths;
    } rows[] = {
        { "9s", 11, 0, 0 }, /* the job ends at 11 s, with the grace: the answer is first */
        { "8s", 20, 1, 1 },
        { "0s", 12, 1, 1 },
        { "unlimited", 11, 0, 0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[900];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 100s\n"
                       "producers: {p: {queue: q, arrivals: {kind: cohort, count: 1, at: 1s}}}\n"
                       "queues: {q: {}}\n"
                       "workers: {w: {queue: q, replicas: 1, grace: %s, start_up: 0s, calls: {api: "
                       "{}}}}\n"
                       "dependencies: {api: {service: 10s}}\n"
                       "actions:\n  - {at: 2s, set: {workers.w.replicas: 0}}\n"
                       "  - {at: 2s, set: {workers.w.replicas: 1}}\n",
                       rows[i].grace);
        struct wld t;
        sq_time_t at[2];
        wld_run(&t, text);
        assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, DONE, at, 2), 1);
        assert_int_equal(at[0], WLD_S(rows[i].end));
        assert_true(wld_get(&t, "dependency.api.cancelled") == rows[i].cancelled);
        assert_true(wld_get(&t, "dependency.api.wasted") == rows[i].cancelled);
        assert_true(wld_get(&t, "queue.q.redelivered") == rows[i].cancelled);
        assert_true(wld_get(&t, "workers.w.deaths") == rows[i].deaths);
        assert_true(wld_get(&t, "attempts.max_per_job") == 1 + rows[i].cancelled);
        wld_fini(&t);
    }
}

/* Jobs that wait at a control in a retired replica go back at once, their receive with them; the
 * youngest replica goes first, those that are not ready before all others. */
static void waiting_in_a_retired_replica(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[3];
    wld_run(&t, "squall: 1\nduration: 100s\n"
                "producers:\n  a: {queue: q, arrivals: {kind: cohort, count: 1, at: 1s}}\n"
                "  b: {queue: q, arrivals: {kind: cohort, count: 1, at: 2s}}\n"
                "queues: {q: {max_receives: 1}}\n"
                "workers: {w: {queue: q, replicas: 2, grace: unlimited, calls: {api: {}}}}\n"
                "dependencies: {api: {service: 10s}}\ncontrols: {api: {concurrency: 1}}\n"
                "actions: [{at: 5s, set: {workers.w.replicas: 1}}]\n");
    assert_int_equal(wld_times(&t, MDL_REC_JOB_READY, -1, at, 3), 3); /* a, b, b again */
    assert_int_equal(at[2], WLD_S(5));
    assert_int_equal(wld_times(&t, MDL_REC_REPLICA_GONE, 0, at, 3), 1);
    assert_int_equal(at[0], WLD_S(5));
    assert_true(wld_get(&t, "jobs.completed") == 2);
    assert_true(wld_get(&t, "producer.b.delay_max_s") == 19);
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(superseding),
        cmocka_unit_test(overtaken_and_given_back),
        cmocka_unit_test(overtaken_and_crashed),
        cmocka_unit_test(limits_by_number),
        cmocka_unit_test(parked),
        cmocka_unit_test(deferred),
        cmocka_unit_test(suspended),
        cmocka_unit_test(grace_expires),
        cmocka_unit_test(waiting_in_a_retired_replica),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
