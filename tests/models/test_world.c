/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_world.c - relations between runs that must hold whatever the numbers are. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "models/study/mdl_replicate.h"

/* Everything of the language that a small storm can use, in two orders of declaration. */
#define TOP "squall: 1\nduration: 3m\ntail: 30m\nseed: 7\n"
#define PRODUCERS_A                                                               \
    "  alpha: {queue: q, arrivals: 9/s, deadline: 4m, supersede: 50}\n"           \
    "  beta: {queue: q, arrivals: {kind: regular, rate: 5/s}, work: 5ms..20ms}\n" \
    "  gamma: {queue: r, arrivals: {kind: cohort, count: 30, at: 20s, over: 5s}, backlog: 4}\n"
#define PRODUCERS_B                                                                             \
    "  gamma: {queue: r, arrivals: {kind: cohort, count: 30, at: 20s, over: 5s}, backlog: 4}\n" \
    "  beta: {queue: q, arrivals: {kind: regular, rate: 5/s}, work: 5ms..20ms}\n"               \
    "  alpha: {queue: q, arrivals: 9/s, deadline: 4m, supersede: 50}\n"
#define WORKER_W                                                                           \
    "  w:\n    queue: q\n    replicas: 3\n    slots: 4\n    calls: {api: {timeout: 1s}}\n" \
    "    retry: {max_attempts: 5, backoff: {base: 2s, cap: 20s}, jitter: full}\n"          \
    "    autoscaler: {kind: keda, counts: [ready, delayed], target: 20, min: 3, max: 9}\n" \
    "    start_up: 5s..9s\n    grace: 2s\n"
#define WORKER_V \
    "  v: {queue: r, slots: 2, calls: {db: {timeout: 500ms}, api: {}}, retry: {backoff: 1s}}\n"
#define API                                                                          \
    "  api:\n    servers: 6\n    service: {kind: lognormal, mean: 300ms, cv: 0.5}\n" \
    "    answer_in: 50ms\n    outages: [{at: 40s, for: 30s}]\n"                      \
    "    overload: {in_flight: 15, for: 5s, down_for: 20s..30s}\n    warm_up: 30%\n"
#define DB      "  db: {servers: 2, waiting_room: 3, service: {kind: exponential, mean: 100ms}}\n"
#define CONTROL "controls:\n  api: {throttled: {kind: defer, delay: 1s..3s}, concurrency: 7}\n"

static const char *const storm =
    TOP "producers:\n" PRODUCERS_A "queues: {q: {max_receives: 9}, r: {}}\n"
        "workers:\n" WORKER_W WORKER_V "dependencies:\n" API DB CONTROL;
static const char *const storm_turned =
    CONTROL "dependencies:\n" DB API "workers:\n" WORKER_V WORKER_W
            "queues: {r: {}, q: {max_receives: 9}}\nproducers:\n" PRODUCERS_B TOP;

/* One more of everything, connected to nothing of the above. */
static const char *const storm_and_stranger = TOP
    "producers:\n" PRODUCERS_A "  aaa: {queue: aaa, arrivals: 11/s, supersede: 9}\n"
    "queues: {q: {max_receives: 9}, r: {}, aaa: {}}\n"
    "workers:\n" WORKER_W WORKER_V
    "  aaa: {queue: aaa, slots: 3, calls: {stranger: {timeout: 300ms}}, retry: {backoff: 1s}}\n"
    "dependencies:\n" API DB "  stranger: {servers: 3, service: {kind: exponential, mean: 90ms}, "
    "overload: {in_flight: 30, down_for: 5s}}\n" CONTROL;

static void same_seed_same_run(void **state)
{
    (void)state;
    struct wld a, b;
    wld_run(&a, storm);
    wld_run(&b, storm);
    assert_true(a.rec_count > 10000);
    assert_true(wld_get(&a, "dependency.api.calls_retry") > 100);
    assert_true(wld_get(&a, "control.api.deferred") > 100);
    assert_true(wld_get(&a, "jobs.superseded") > 10);
    assert_true(wld_get(&a, "jobs.unfinished") == 0);
    assert_true(wld_hash(&a) == wld_hash(&b));
    wld_same_metrics(&a, &b, NULL);
    wld_fini(&b);
    struct mdl_ask other = { .seed = 8, .has_seed = true, .runs = -1 };
    assert_int_equal(wld_load(&b, storm, &other), SQ_OK);
    wld_build(&b, 1);
    wld_finish(&b);
    assert_true(wld_hash(&a) != wld_hash(&b));
    wld_fini(&b);
    wld_fini(&a);
}

static void order_of_declaration_means_nothing(void **state)
{
    (void)state;
    struct wld a, b;
    wld_run(&a, storm);
    wld_run(&b, storm_turned);
    assert_true(wld_hash(&a) == wld_hash(&b));
    wld_same_metrics(&a, &b, NULL);
    wld_fini(&a);
    wld_fini(&b);
}

static void a_stranger_changes_nothing(void **state)
{
    (void)state;
    static const char *const whole[] = { "jobs.",  "attempts.", "run.", "outcome.",
                                         "drain.", "recovery.", NULL };
    struct wld a, b;
    wld_run(&a, storm);
    wld_run(&b, storm_and_stranger);
    assert_true(wld_get(&b, "dependency.stranger.calls") > 1000);
    /* The tail may be longer by the stranger's last job: means over the run differ then. */
    assert_true(a.w.ctx.sim.now == b.w.ctx.sim.now);
    wld_same_metrics(&a, &b, whole);
    wld_fini(&a);
    wld_fini(&b);
}

/* Replications are numbered, and one of many is the same as that one alone. */
static void replications_stand_alone(void **state)
{
    (void)state;
    struct wld t;
    struct sq_result many = { 0 }, one = { 0 }, threads = { 0 };
    assert_int_equal(wld_load(&t, storm, NULL), SQ_OK);
    struct mdl_replicate_ask ask = { .first = 1, .count = 4, .threads = 1, .check_every = 1024 };
    assert_int_equal(mdl_replicate(&t.s, &ask, &many, &t.diag), SQ_OK);
    ask.threads = 2;
    assert_int_equal(mdl_replicate(&t.s, &ask, &threads, &t.diag), SQ_OK);
    ask.first = 3;
    ask.count = 1;
    assert_int_equal(mdl_replicate(&t.s, &ask, &one, &t.diag), SQ_OK);
    long hash = sq_result_metric(&many, "run.hash");
    assert_true(hash >= 0);
    assert_int_equal(many.runs[2].replication, 3);
    assert_int_equal(one.runs[0].replication, 3);
    assert_string_equal(many.runs[2].values[hash].word, one.runs[0].values[hash].word);
    assert_string_not_equal(many.runs[0].values[hash].word, many.runs[1].values[hash].word);
    for (size_t i = 0; i < many.metric_count; i++) {
        for (size_t k = 0; k < 4; k++) {
            struct sq_value x = many.runs[k].values[i], y = threads.runs[k].values[i];
            assert_true(x.number == y.number || (isnan(x.number) && isnan(y.number)));
            assert_true(x.word == NULL || strcmp(x.word, y.word) == 0);
        }
        struct sq_value x = many.runs[2].values[i], y = one.runs[0].values[i];
        assert_true(x.number == y.number || (isnan(x.number) && isnan(y.number)));
    }
    sq_arena_fini(&many.arena);
    sq_arena_fini(&threads.arena);
    sq_arena_fini(&one.arena);
    wld_fini(&t);
}

/* Every duration times 3, every rate divided by 3, with timings whose arithmetic is exact: every
 * instant is three times as late, and counts are the same. (Without a ramp: the window of its
 * trouble is 10 s for everybody, as are the bursts of a backlog.) */
static void write_scaled(char *out, size_t size, int k)
{
    (void)snprintf(
        out, size,
        "squall: 1\nduration: %ds\ntail: %ds\ntimeline: %ds\n"
        "health: {window: %ds, settle: %ds, backlog: 1000, failure_share: 10%%}\n"
        "producers: {p: {queue: q, deadline: %ds, backlog: 30, work: %dms,\n"
        "    arrivals: {kind: regular, rate: {kind: steps, points: [[0s, %d/m], [%ds, %d/m]]}, "
        "phase: same}}}\n"
        "queues: {q: {max_receives: 8}}\n"
        "workers: {w: {queue: q, replicas: 2, slots: 3, calls: {api: {timeout: %dms}}, grace: "
        "%ds,\n"
        "    start_up: %ds,\n"
        "    autoscaler: {kind: hpa, target: 4, max: 6, sync: %ds, counts: [ready, delayed],\n"
        "      up: {policies: [{pods: 1, every: %ds}]}, down: {stabilise: %ds}},\n"
        "    retry: {max_attempts: 6, backoff: {base: %ds, cap: %ds}, jitter: none}}}\n"
        "dependencies: {api: {servers: 4, service: %dms, answer_in: %dms,\n"
        "    outages: [{at: %ds, for: %ds}], overload: {in_flight: 9, for: %ds, down_for: %ds},\n"
        "    warm_up: {from: 25%%, over: %ds, curve: quarters}}}\n"
        "controls: {api: {throttled: {kind: defer, delay: %ds}, concurrency: 5}}\n",
        240 * k, 600 * k, k, 30 * k, 20 * k, 300 * k, 30 * k, 60 / k * 4, 60 * k, 60 / k * 2,
        1000 * k, 2 * k, 5 * k, 15 * k, 15 * k, 60 * k, 2 * k, 16 * k, 250 * k, 50 * k, 20 * k,
        30 * k, 4 * k, 10 * k, 60 * k, 3 * k);
}

static void times_scale(void **state)
{
    (void)state;
    char one[4096], three[4096];
    write_scaled(one, sizeof(one), 1);
    write_scaled(three, sizeof(three), 3);
    struct wld a, b;
    wld_run(&a, one);
    wld_run(&b, three);
    assert_true(wld_get(&a, "dependency.api.calls_retry") > 50);
    assert_true(wld_get(&a, "control.api.deferred") > 10);
    assert_int_equal(a.rec_count, b.rec_count);
    for (size_t i = 0; i < a.rec_count; i++) {
        const struct wld_rec *x = &a.recs[i], *y = &b.recs[i];
        if (3 * x->at != y->at || x->r.kind != y->r.kind || x->r.outcome != y->r.outcome ||
            x->r.ordinal != y->r.ordinal) {
            fail_msg("record %zu: kind %d at %lld, kind %d at %lld", i, x->r.kind, (long long)x->at,
                     y->r.kind, (long long)y->at);
        }
    }
    assert_true(3 * wld_get(&a, "drain.last_job_s") == wld_get(&b, "drain.last_job_s"));
    assert_true(3 * wld_get(&a, "drain.queue_clear_s") == wld_get(&b, "drain.queue_clear_s"));
    assert_true(3 * wld_get(&a, "drain.healthy_s") == wld_get(&b, "drain.healthy_s"));
    assert_true(wld_get(&a, "drain.healthy_s") > 0);
    wld_fini(&a);
    wld_fini(&b);
}

#define PAIR                                                                                  \
    "squall: 1\nduration: 2m\ntail: 10m\n"                                                    \
    "producers: {p: {queue: q, arrivals: 20/s, work: 1ms..9ms}}\nqueues: {q: {}}\n"           \
    "workers: {w: {queue: q, slots: 20, calls: {api: {timeout: 1s}}}}\n"                      \
    "dependencies: {api: {servers: 5, service: {kind: exponential, mean: 200ms}, "            \
    "outages: [{at: 30s, for: 15s}]}}\n"                                                      \
    "variants:\n"                                                                             \
    "  none: {workers: {w: {retry: none}}}\n"                                                 \
    "  one: {workers: {w: {retry: {max_attempts: 1}}}}\n"                                     \
    "  zero: {workers: {w: {retry: {max_retries: 0}}}}\n"                                     \
    "  immediate: {workers: {w: {retry: {max_attempts: 4, backoff: none}}}}\n"                \
    "  fixed: {workers: {w: {retry: {max_attempts: 4, backoff: {kind: fixed, base: 0s}}}}}\n" \
    "  jittered: {workers: {w: {retry: {max_retries: 3, backoff: 0s, jitter: full}}}}\n"      \
    "  capped: {workers: {w: {retry: {max_retries: 3, backoff: {cap: 0s}}}}}\n"               \
    "  slow: {workers: {w: {retry: {max_retries: 3, backoff: 20s}}}}\n"

static void same_by_definition(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "none", "one" },        { "none", "zero" },          { "none", "base" },
        { "immediate", "fixed" }, { "immediate", "jittered" }, { "immediate", "capped" },
    };
    for (size_t i = 0; i < SQ_COUNT(pairs); i++) {
        struct wld a, b;
        wld_run_variant(&a, PAIR, pairs[i][0]);
        wld_run_variant(&b, PAIR, pairs[i][1]);
        assert_true(wld_get(&a, "jobs.dead_lettered") > 10);
        assert_true((wld_get(&a, "attempts.retries") > 0) == (i >= 3));
        if (wld_hash(&a) != wld_hash(&b)) {
            fail_msg("%s and %s differ", pairs[i][0], pairs[i][1]);
        }
        wld_fini(&a);
        wld_fini(&b);
    }
}

/* Two variants share their luck: the same jobs at the same instants, and a job's first call is
 * served as long in both. */
static void variants_share_luck(void **state)
{
    (void)state;
    static sq_time_t x[4096], y[4096];
    struct wld a, b;
    wld_run_variant(&a, PAIR, "none");
    wld_run_variant(&b, PAIR, "slow");
    size_t n = wld_times(&a, MDL_REC_JOB_ARRIVED, -1, x, SQ_COUNT(x));
    assert_int_equal(n, wld_times(&b, MDL_REC_JOB_ARRIVED, -1, y, SQ_COUNT(y)));
    assert_true(n > 1000 && n < SQ_COUNT(x));
    assert_memory_equal(x, y, n * sizeof(*x));
    assert_true(wld_hash(&a) != wld_hash(&b));
    wld_fini(&a);
    wld_fini(&b);
}

/* Each call of a job has a luck of its own: the two of an attempt, and those of the next attempt.
 */
static void every_call_has_its_luck(void **state)
{
    (void)state;
    enum { JOBS = 20, CALLS = 4 };
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 10s\ntail: 60s\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: 20}}}\nqueues: {q: {}}\n"
                "workers: {w: {queue: q, slots: 20, calls: {api: {times: 2}, last: {}},\n"
                "  retry: {max_attempts: 2, backoff: 6s, jitter: none}}}\n"
                "dependencies:\n  api: {service: {kind: exponential, mean: 10ms}}\n"
                "  last: {service: 0s, outages: [{at: 0s, for: 5s}]}\n");
    int64_t took[JOBS][CALLS];
    int calls[JOBS] = { 0 };
    for (size_t i = 0; i < t.rec_count; i++) {
        const struct mdl_rec *r = &t.recs[i].r;
        if (r->kind == MDL_REC_CALL_ENDED && r->entity == t.w.dependencies[0].id) {
            assert_true(calls[r->ordinal] < CALLS);
            took[r->ordinal][calls[r->ordinal]++] = r->value;
        }
    }
    for (int k = 0; k < JOBS * CALLS; k++) {
        assert_int_equal(calls[k / CALLS], CALLS);
        for (int o = 0; o < k; o++) {
            assert_true(took[k / CALLS][k % CALLS] != took[o / CALLS][o % CALLS]);
        }
    }
    wld_fini(&t);
}

/* The run ends when the last job has, in a tail; without one it lasts its duration. */
static void the_end(void **state)
{
    (void)state;
    struct wld t;
#define END                                                                    \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: 3, at: 1s}}}\n" \
    "queues: {q: {}}\nworkers: {w: {queue: q, slots: 2, calls: {api: {}}}}\n"  \
    "dependencies: {api: {service: 4s}}\n"
    static const struct {
        const char *top;
        double end, unfinished, awaited;
    } rows[] = {
        { "duration: 20s\n", 20, 0, 0 },
        { "duration: 20s\ntail: 5s\n", 20, 0, 0 },
        { "duration: 2s\ntail: 60s\n", 9, 0, 0 },
        { "duration: 2s\ntail: 5s\n", 7, 1, 1 },
        { "duration: 2s\ntail: 7s\n", 9, 1, 1 }, /* nothing happens at E */
        { "duration: 5s\n", 5, 3, 2 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[512];
        (void)snprintf(text, sizeof(text), "squall: 1\n%s" END, rows[i].top);
        wld_run(&t, text);
        assert_int_equal(t.w.ctx.sim.now, WLD_S(rows[i].end));
        assert_true(wld_get(&t, "jobs.unfinished") == rows[i].unfinished);
        assert_true(wld_get(&t, "dependency.api.awaited") == rows[i].awaited);
        wld_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_run),
        cmocka_unit_test(order_of_declaration_means_nothing),
        cmocka_unit_test(a_stranger_changes_nothing),
        cmocka_unit_test(replications_stand_alone),
        cmocka_unit_test(times_scale),
        cmocka_unit_test(same_by_definition),
        cmocka_unit_test(variants_share_luck),
        cmocka_unit_test(every_call_has_its_luck),
        cmocka_unit_test(the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
