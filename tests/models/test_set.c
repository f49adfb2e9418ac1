/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_set.c - `set` actions: each value acts from its instant on, and on nothing else. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Ten jobs at 1 s; one more each at 12 s and 20 s. The action comes at 11 s unless said otherwise.
 */
#define TOP           "squall: 1\nduration: 60s\ntail: 300s\n"
#define TEN           "  a: {queue: q, arrivals: {kind: cohort, count: 10, at: 1s}}\n"
#define ONE(name, at) "  " #name ": {queue: q, arrivals: {kind: cohort, count: 1, at: " #at "}}\n"
#define WORLD(producers, queue, pool, api, controls, at, set)                \
    TOP "producers:\n" producers "queues: {q: {" queue "}}\n"                \
        "workers: {w: {queue: q, calls: {api: {timeout: 50s}}, " pool "}}\n" \
        "dependencies: {api: {" api "}}\n" controls "actions: [{at: " at ", set: {" set "}}]\n"

struct row {
    const char *yaml;
    enum mdl_record kind; /* the records that are looked at ... */
    int outcome;          /* ... with this outcome, -1: any */
    double at[8];         /* their instants, as far as given; ends with 0 */
    size_t count;         /* how many there are, 0: as many as given */
};

#define ENDED    MDL_REC_JOB_ENDED, MDL_END_COMPLETED
#define LEFT     MDL_REC_CALL_LEFT, -1
#define DEAD     MDL_REC_JOB_ENDED, MDL_END_DEAD_LETTERED
#define STALE    MDL_REC_JOB_ENDED, MDL_END_STALE
#define ARRIVED  MDL_REC_JOB_ARRIVED, -1
#define COLLAPSE MDL_REC_COLLAPSE, -1
#define WANTED   MDL_REC_WANTED, -1

static const struct row rows[] = {
    /* A limit raised wakes waiters at its instant: one call until then, five from then on. */
    { WORLD(TEN, "", "slots: 10", "service: 100s", "controls: {api: {concurrency: 1}}\n", "11s",
            "controls.api.concurrency.limit: 5"),
      LEFT,
      { 1, 11, 11, 11, 11, 51, 61, 61 },
      10 },
    /* The same by the short path of its star. */
    { WORLD(TEN, "", "slots: 10", "service: 100s", "controls: {api: {concurrency: 1}}\n", "11s",
            "controls.api.concurrency: 3"),
      LEFT,
      { 1, 11, 11, 51, 61, 61, 101, 111 },
      10 },
    /* A limit lowered revokes nothing: the ten under way stay, the next waits for them. */
    { WORLD(TEN ONE(b, 12s), "", "slots: 11", "service: 30s",
            "controls: {api: {concurrency: 20}}\n", "11s", "controls.api.concurrency.limit: 1"),
      ENDED,
      { 31, 31, 31, 31, 31, 31, 31, 31 },
      11 },
    /* Throttled callers wait no longer than this: who stands in line by then keeps his time. */
    { WORLD(TEN ONE(b, 12s), "", "slots: 11", "service: 40s",
            "controls: {api: {concurrency: 10, throttled: {kind: wait, max: 20s}}}\n", "11s",
            "controls.api.throttled.max: 3s"),
      DEAD,
      { 15 },
      0 },
    { WORLD(ONE(a, 1s) ONE(b, 2s) ONE(c, 12s), "", "slots: 11", "service: 40s",
            "controls: {api: {concurrency: 1, throttled: {kind: defer, delay: 5s}}}\n", "11s",
            "controls.api.throttled.delay: 2s"),
      MDL_REC_JOB_DEFERRED,
      -1,
      { 2, 7, 12, 12, 14, 14, 16, 16 },
      52 }, /* both until 41 s, then one of them until 82 s */
    /* Replicas: one more is ready after start_up; one less is gone after its job. */
    { WORLD(TEN, "", "replicas: 1, start_up: 4s", "service: 10s", "", "11s",
            "workers.w.replicas: 3"),
      LEFT,
      { 1, 11, 15, 15, 21, 25, 25, 31 },
      10 },
    { WORLD(TEN, "", "replicas: 4", "service: 10s", "", "12s", "workers.w.replicas: 1"),
      LEFT,
      { 1, 1, 1, 1, 11, 11, 11, 11 }, /* then one every 10 s */
      10 },
    /* Slots: up at once; down as jobs end. */
    { WORLD(TEN, "", "slots: 1", "service: 10s", "", "12s", "workers.w.slots: 4"),
      LEFT,
      { 1, 11, 12, 12, 12, 21, 22, 22 },
      10 },
    { WORLD(TEN, "", "slots: 4", "service: 10s", "", "12s", "workers.w.slots: 1"),
      LEFT,
      { 1, 1, 1, 1, 11, 11, 11, 11 },
      10 },
    /* A timeout: of the next call. */
    { WORLD(TEN ONE(b, 12s), "", "slots: 11", "service: 40s", "", "11s",
            "workers.w.calls.api.timeout: 3s"),
      MDL_REC_CALL_ENDED,
      MDL_ERR_TIMEOUT,
      { 15 },
      0 },
    { WORLD(ONE(a, 1s) ONE(b, 12s), "", "slots: 11", "service: 70s", "", "11s",
            "workers.w.calls.api.timeout: none"),
      MDL_REC_CALL_ENDED,
      MDL_ERR_TIMEOUT,
      { 51 },
      0 },
    /* Service: of the next one that starts. */
    { WORLD(ONE(a, 1s) ONE(b, 12s), "", "slots: 11", "service: 20s", "", "11s",
            "dependencies.api.service.value: 3s"),
      ENDED,
      { 15, 21 },
      0 },
    /* Servers: calls that wait are taken at once; the busy ones go on when they become fewer. */
    { WORLD(TEN, "", "slots: 10", "servers: 1, service: 10s", "", "16s",
            "dependencies.api.servers: 3"),
      ENDED,
      { 11, 21, 26, 26, 31, 36, 36, 41 },
      10 },
    { WORLD(TEN, "", "slots: 10", "servers: 4, service: 10s", "", "6s",
            "dependencies.api.servers: 1"),
      ENDED,
      { 11, 11, 11, 11, 21, 31, 41, 51 }, /* two wait longer than their timeout */
      8 },
    { WORLD(TEN ONE(b, 12s), "", "slots: 11", "servers: 10, service: 40s, answer_in: 1s", "", "11s",
            "dependencies.api.waiting_room: 0"),
      DEAD,
      { 13 },
      0 },
    { WORLD(ONE(a, 12s), "", "slots: 1",
            "service: 1s, answer_in: 1s, outages: [{at: 5s, for: 20s}]", "", "11s",
            "dependencies.api.answer_in: 3s"),
      DEAD,
      { 13 }, /* what the outage began with */
      0 },
    /* Overload: a lower limit starts the clock, a higher one ends it. */
    { WORLD(TEN, "", "slots: 10", "service: 40s, overload: {in_flight: 20, for: 5s, down_for: 1s}",
            "", "11s", "dependencies.api.overload.in_flight: 9"),
      COLLAPSE,
      { 16 },
      0 },
    { WORLD(TEN, "", "slots: 10", "service: 40s, overload: {in_flight: 9, for: 15s, down_for: 1s}",
            "", "11s", "dependencies.api.overload.in_flight: 10"),
      COLLAPSE,
      { 0 },
      0 },
    /* Deadline: of jobs that wait by then, too. */
    { WORLD(TEN, "", "slots: 1", "service: 5s", "", "12s", "producers.a.deadline: 14s"),
      STALE,
      { 16, 16, 16, 16, 16, 16, 16 }, /* at 16 s they are 15 s old; two ran, one runs */
      7 },
    /* Rates: from then on; other settings of a producer leave its arrivals alone. */
    { WORLD("  a: {queue: q, arrivals: {kind: regular, rate: 6/m, phase: same}}\n", "", "slots: 9",
            "service: 1s", "", "35s", "producers.a.arrivals.rate.value: 15/m"),
      ARRIVED,
      { 1e-9, 10, 20, 30, 39, 43, 47, 51 },
      10 },
    { WORLD("  a: {queue: q, arrivals: {kind: regular, rate: 6/m, phase: same}}\n", "", "slots: 9",
            "service: 1s", "", "35s", "producers.a.arrivals.rate: 0/s"),
      ARRIVED,
      { 1e-9, 10, 20, 30 },
      0 },
    { WORLD("  a: {queue: q, arrivals: {kind: regular, rate: 6/m, phase: same}}\n", "", "slots: 9",
            "service: 1s", "", "35s", "producers.a.deadline: 9s"),
      ARRIVED,
      { 1e-9, 10, 20, 30, 40, 50 },
      0 },
    /* max_receives: of the next delivery. */
    { WORLD(ONE(a, 1s), "max_receives: 99", "retry: {max_attempts: 50, backoff: 4s, jitter: none}",
            "service: 1s, answer_in: 0s, outages: [{at: 0s, for: 59s}]", "", "11s",
            "queues.q.max_receives: 3"),
      DEAD,
      { 13 },
      0 },
    /* retry.*: of the next failure; what is delayed keeps its time. */
    { WORLD(ONE(a, 1s), "", "retry: {max_attempts: 50, backoff: 4s, jitter: none}",
            "service: 1s, answer_in: 0s, outages: [{at: 0s, for: 40s}]", "", "11s",
            "workers.w.retry.backoff.base: 20s"),
      LEFT,
      { 1, 5, 9, 13, 33, 53 },
      0 },
    { WORLD(ONE(a, 1s), "", "retry: {max_attempts: 50, backoff: 4s, jitter: none}",
            "service: 1s, answer_in: 0s, outages: [{at: 0s, for: 59s}]", "", "11s",
            "workers.w.retry.max_attempts: 4"),
      DEAD,
      { 13 },
      0 },
    /* More slots: jobs that were fetched ahead and wait in the replica start at once. */
    { WORLD(TEN, "", "prefetch: 9", "service: 100s", "", "11s", "workers.w.slots: 10"),
      LEFT,
      { 1, 11, 11, 11, 11, 11, 11, 11 },
      10 },
    /* The autoscaler: a lowered max clamps at the next sync, without stabilisation. */
    { WORLD("  a: {queue: q, arrivals: {kind: cohort, count: 200, at: 1s}}\n", "",
            "start_up: 1h, autoscaler: {kind: hpa, target: 1, max: 9}", "service: 40s", "", "50s",
            "workers.w.autoscaler.max: 3"),
      WANTED,
      { 15, 30, 60 }, /* 1 to 5, to 9 (starting ones exist), to 3 */
      0 },
    { WORLD("  a: {queue: q, arrivals: {kind: cohort, count: 200, at: 1s}}\n", "",
            "start_up: 1s, autoscaler: {kind: hpa, target: 10000, max: 9}", "service: 40s", "",
            "20s", "workers.w.autoscaler.min: 4"),
      WANTED,
      { 30 },
      0 },
    { WORLD("  a: {queue: q, arrivals: {kind: cohort, count: 200, at: 1s}}\n", "",
            "start_up: 1s, autoscaler: {kind: hpa, target: 10000, max: 9}", "service: 40s", "",
            "20s", "workers.w.autoscaler.target: 50"),
      WANTED,
      { 30 },
      0 },
};

static void values_act_at_their_instant(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        const struct row *r = &rows[i];
        struct wld t;
        sq_time_t at[8];
        size_t given = 0;
        wld_run(&t, r->yaml);
        size_t n = wld_times(&t, r->kind, r->outcome, at, 8);
        while (given < 8 && r->at[given] > 0) {
            if (given >= n || at[given] != (r->at[given] < 1e-6 ? 0 : WLD_S(r->at[given]))) {
                fail_msg("row %zu, number %zu: at %.9f", i, given,
                         given < n ? sq_time_to_s(at[given]) : -1);
            }
            given++;
        }
        if (n != (r->count > 0 ? r->count : given)) {
            fail_msg("row %zu: %zu records", i, n);
        }
        wld_fini(&t);
    }
}

/* A world without the action is the same until its instant. */
static void nothing_before(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char without[2048];
        (void)snprintf(without, sizeof(without), "%.*s",
                       (int)(strstr(rows[i].yaml, "actions:") - rows[i].yaml), rows[i].yaml);
        struct wld a, b;
        wld_run(&a, rows[i].yaml);
        wld_run(&b, without);
        const struct wld_rec *action = wld_rec_at(&a, MDL_REC_ACTION, 0);
        assert_non_null(action);
        for (const struct wld_rec *x = a.recs, *y = b.recs; x < action; x++, y++) {
            assert_int_equal(x->at, y->at);
            assert_int_equal(x->r.kind, y->r.kind);
            assert_int_equal(x->r.ordinal, y->r.ordinal);
        }
        assert_true(wld_hash(&a) != wld_hash(&b));
        wld_fini(&a);
        wld_fini(&b);
    }
}

/* A run changes its own configuration only: the next run of the scenario begins as it is written.
 */
static void runs_do_not_share_values(void **state)
{
    (void)state;
    struct wld t;
    assert_int_equal(wld_load(&t, rows[0].yaml, NULL), SQ_OK);
    wld_build(&t, 1);
    wld_finish(&t);
    uint64_t hash = wld_hash(&t);
    mdl_world_fini(&t.w);
    t.rec_count = t.metric_count = 0;
    wld_build(&t, 1);
    wld_finish(&t);
    assert_true(wld_hash(&t) == hash);
    wld_fini(&t);
}

/* Two actions at one instant act in file order, and several values of one action all act. */
static void in_file_order(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[3];
    wld_run(
        &t,
        TOP "producers:\n" ONE(
            a,
            12s) "queues: {q: {}}\n"
                 "workers: {w: {queue: q, calls: {api: {}}}}\n"
                 "dependencies: {api: {service: 9s}}\n"
                 "actions:\n  - {at: 11s, set: {dependencies.api.service.value: 5s}}\n"
                 "  - {at: 11s, set: {dependencies.api.service.value: 3s, "
                 "workers.w.calls.api.timeout: 2s}}\n  - {at: 20s, set: {workers.w.slots: 2}}\n");
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_TIMEOUT, at, 3), 1);
    assert_int_equal(at[0], WLD_S(14));
    assert_int_equal(wld_times(&t, MDL_REC_CALL_WASTED, -1, at, 3), 1);
    assert_int_equal(at[0], WLD_S(15));
    wld_fini(&t);
}

static void complaints(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        const char *parts[3]; /* of what is said */
    } bad[] = {
        { "workers.w.slotz: 2", { "slots" } },
        { "workers.v.slots: 2", { ":10:", "`w`" } },
        { "worker.w.slots: 2", { ":10:", "workers" } },
        { "workers.w.slots: 0", { ":10:", "minimum 1" } },
        { "workers.w.slots: many", { ":10:", "workers.w.slots" } },
        { "workers.w.queue: q", { ":10:", "while the world runs" } },
        { "workers.w.grace: 5s", { ":10:", "while the world runs" } },
        { "producers.a.arrivals.kind: poisson", { ":10:", "kind" } },
        { "controls.api.concurrency.limit: 3", { ":10:" } }, /* there is no such control */
        { "dependencies.api.overload.in_flight: 3", { ":10:" } },
        { "dependencies.api.service.mean: 3s", { ":10:", "mean" } },
        { "duration: 3s", { ":10:" } },
        { "workers.w.calls.apj.timeout: 3s", { ":10:", "`api`" } },
    };
    for (size_t i = 0; i < SQ_COUNT(bad); i++) {
        char text[1024];
        (void)snprintf(text, sizeof(text),
                       TOP "producers:\n" ONE(a, 12s) "queues: {q: {}}\n"
                                                      "workers: {w: {queue: q, calls: {api: {}}}}\n"
                                                      "dependencies: {api: {service: 9s}}\n"
                                                      "actions:\n  - {at: 11s, set: {%s}}\n",
                       bad[i].set);
        struct wld t;
        if (wld_load(&t, text, NULL) != SQ_USER) {
            fail_msg("%s is accepted", bad[i].set);
        }
        const char *said = wld_complaints(&t);
        for (size_t k = 0; k < 3 && bad[i].parts[k] != NULL; k++) {
            if (strstr(said, bad[i].parts[k]) == NULL) {
                fail_msg("%s: no \"%s\" in: %s", bad[i].set, bad[i].parts[k], said);
            }
        }
        wld_fini(&t);
    }
}

/* Values that are right alone, and do not go together with what is there by then. */
static void together(void **state)
{
    (void)state;
    static const struct {
        const char *set, *part; /* NULL: right */
    } pairs[] = {
        { "dependencies.api.service.max: 1s", "max is below min" },
        { "dependencies.api.service.max: 3s", NULL },
        { "workers.w.autoscaler.max: 3", "min is above max" },
        { "workers.w.autoscaler.max: 4", NULL },
        { "workers.w.autoscaler.min: 10", "min is above max" },
        { "controls.api.ramp.steps: []", "steps is empty" },
        { "controls.api.ramp.every: 0s", "0s" },
        { "controls.api.ramp.steps: [1, 2, 3]", NULL },
        { "workers.w.retry.jitter.high: 0.1", "high is below low" },
        { "workers.w.retry.jitter.low: 0.1", NULL },
        { "producers.p.arrivals.rate.points: [[9s, 1/s], [1s, 2/s]]", "not later" },
    };
    for (size_t i = 0; i < SQ_COUNT(pairs); i++) {
        char text[1200];
        (void)snprintf(
            text, sizeof(text),
            TOP "producers: {p: {queue: q, arrivals: {kind: poisson, rate: {kind: steps, points: "
                "[[0s, 1/s]]}}}}\n"
                "queues: {q: {}}\n"
                "workers: {w: {queue: q, calls: {api: {}}, autoscaler: {kind: hpa, target: 5, min: "
                "4, max: 9},\n  retry: {jitter: {kind: scaled, low: 0.5, high: 1}}}}\n"
                "dependencies: {api: {service: 2s..4s}}\n"
                "controls: {api: {ramp: [1, 2]}}\n"
                "actions: [{at: 11s, set: {%s}}]\n",
            pairs[i].set);
        struct wld t;
        enum sq_status status = wld_load(&t, text, NULL);
        if ((status == SQ_OK) != (pairs[i].part == NULL)) {
            fail_msg("%s: status %d: %s", pairs[i].set, status, wld_complaints(&t));
        }
        if (pairs[i].part != NULL && strstr(wld_complaints(&t), pairs[i].part) == NULL) {
            fail_msg("%s: %s", pairs[i].set, wld_complaints(&t));
        }
        wld_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_act_at_their_instant),
        cmocka_unit_test(nothing_before),
        cmocka_unit_test(runs_do_not_share_values),
        cmocka_unit_test(in_file_order),
        cmocka_unit_test(complaints),
        cmocka_unit_test(together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
