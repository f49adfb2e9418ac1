/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed populations, batches and skewed keys inside a world. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/models/world.h"

#define MS INT64_C(1000000)
#define S  SQ_NS_PER_S

/* A producer with these arrivals before ten servers of 100 ms each. */
#define WORLD(duration, arrivals, more)                                      \
    "squall: 1\nduration: " duration "\n"                                    \
    "producers: {p: {queue: q, arrivals: {" arrivals "}}}\n"                 \
    "queues: {q: {}}\nworkers: {w: {queue: q, slots: 10, calls: {d: {}}}}\n" \
    "dependencies: {d: {servers: 10, service: 100ms}}\n" more

/* The instants at which jobs arrive. */
static size_t arrivals(const struct wld *run, sq_time_t *at, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < run->rec_count; i++) {
        if (run->recs[i].r.kind == MDL_REC_JOB_ARRIVED) {
            assert_true(n < size);
            at[n++] = run->recs[i].at;
        }
    }
    return n;
}

static void arrive_at(const char *yaml, const sq_time_t *want, size_t count)
{
    sq_time_t at[100];
    struct wld run;
    wld_run_set(&run, yaml, NULL, 0);
    size_t n = arrivals(&run, at, SQ_COUNT(at));
    assert_int_equal(n, count);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(at[i], want[i]);
    }
    wld_fini(&run);
}
#define ARRIVE_AT(yaml, ...)                              \
    do {                                                  \
        static const sq_time_t want_[] = { __VA_ARGS__ }; \
        arrive_at(yaml, want_, SQ_COUNT(want_));          \
    } while (0)

static void one_job_at_a_time(void **state)
{
    (void)state;
    ARRIVE_AT(WORLD("20s", "kind: closed, population: 2, think: 1s, jobs_each: 3", ""), 0, 0,
              1100 * MS, 1100 * MS, 2200 * MS, 2200 * MS);
    ARRIVE_AT(WORLD("20s",
                    "kind: closed, population: 1, think: 1s, jobs_each: 2, "
                    "start: after-think",
                    ""),
              1000 * MS, 2100 * MS);
    /* after `duration` no member makes a job, at it neither */
    ARRIVE_AT(WORLD("2200ms", "kind: closed, population: 1, think: 1s", "tail: 10s\n"), 0,
              1100 * MS);
    ARRIVE_AT(WORLD("2201ms", "kind: closed, population: 1, think: 1s", "tail: 10s\n"), 0,
              1100 * MS, 2200 * MS);
    /* without thinking the next job comes at the instant the last one ended */
    ARRIVE_AT(WORLD("350ms", "kind: closed, population: 1", ""), 0, 100 * MS, 200 * MS, 300 * MS);
}

/* Refused at 1.1 s: no retry, dead-lettered at once, and the member goes on. */
static void however_it_ended(void **state)
{
    (void)state;
    ARRIVE_AT("squall: 1\nduration: 3500ms\n"
              "producers: {p: {queue: q, arrivals: {kind: closed, population: 1, think: 1s}}}\n"
              "queues: {q: {}}\nworkers: {w: {queue: q, calls: {d: {}}}}\n"
              "dependencies: {d: {servers: 1, service: 100ms, answer_in: 0s,\n"
              "                   outages: [{at: 500ms, for: 1s}]}}\n",
              0, 1100 * MS, 2100 * MS, 3200 * MS);
}

/* A pause holds members back; the jobs of nobody (backlog, burst) make no member think. */
static void pauses_and_bursts(void **state)
{
    (void)state;
    ARRIVE_AT(WORLD("6s", "kind: closed, population: 2, think: 1s, jobs_each: 2",
                    "actions: [{at: 500ms, pause: p}, {at: 5s, resume: p}]\n"),
              0, 0, 5 * S, 5 * S);
    ARRIVE_AT(WORLD("2s", "kind: closed, population: 1, think: 1s",
                    "actions: [{at: 500ms, burst: {p: 3}}]\n"),
              0, 500 * MS, 500 * MS, 500 * MS, 1100 * MS);
}

/* Clients: the nodes of a store that ask again after a timeout keep the one server busy with work
 * that nobody waits for: only those of the first 10 s (500 of 20 ms) are answered. */
static void clients(void **state)
{
    (void)state;
    static const char yaml[] =
        "squall: 1\nduration: 100s\nclients:\n"
        "  nodes:\n    arrivals: {kind: closed, population: 1200, jobs_each: 1}\n"
        "    calls: {d: {timeout: 10s}}\n"
        "    retry: {max_attempts: unlimited, backoff: none, jitter: none}\n"
        "dependencies: {d: {servers: 1, service: 20ms}}\n";
    static const char *const longer[] = { "clients.nodes.calls.d.timeout=30s" };
    struct wld run;
    wld_run_set(&run, yaml, NULL, 0);
    assert_true(fabs(wld_get(&run, "client.nodes.arrived") - 1200) < 0.5);
    assert_true(fabs(wld_get(&run, "jobs.completed") - 500) < 0.5);
    wld_fini(&run);
    wld_run_set(&run, yaml, longer, 1);
    assert_true(fabs(wld_get(&run, "jobs.completed") - 1200) < 0.5);
    wld_fini(&run);
}

/* The machine repair model M/M/1//N: N = 5, think 1 s, service 0.5 s. With r = 0.5:
 * P(0) = 1 / sum N! / (N - k)! r^k, throughput 2 (1 - P(0)). L. Kleinrock, Queueing Systems vol. 1
 * (1975), section 3.8. */
static void machine_repair(void **state)
{
    (void)state;
    struct wld run;
    wld_run_set(&run,
                "squall: 1\nduration: 20000s\ntimeline: 1m\nproducers:\n"
                "  p:\n    queue: q\n    arrivals: {kind: closed, population: 5,\n"
                "               think: {kind: exponential, mean: 1s}}\n"
                "queues: {q: {}}\nworkers: {w: {queue: q, slots: 5, calls: {d: {}}}}\n"
                "dependencies: {d: {servers: 1, service: {kind: exponential, mean: 500ms}}}\n",
                NULL, 0);
    double sum = 1, term = 1;
    for (int k = 1; k <= 5; k++) {
        term *= (6 - k) * 0.5;
        sum += term;
    }
    double busy = 1 - 1 / sum, rate = 2 * busy;
    /* the variance of the number of jobs is below that of a Poisson process */
    assert_true(fabs(wld_get(&run, "jobs.completed") - 20000 * rate) < 4 * sqrt(20000 * rate));
    assert_true(fabs(wld_get(&run, "dependency.d.utilisation") - busy) < 0.01);
    wld_fini(&run);
}

/* What one producer makes does not depend on another, nor on how jobs fare. */
static void luck_is_ones_own(void **state)
{
    (void)state;
    static const char *const other[] = {
        "producers.b={queue: q, arrivals: {kind: bursts, size: 9, every: 3s..5s}}"
    };
    static const char yaml[] = WORLD(
        "100s", "kind: bursts, size: 4, over: 10s, every: {kind: gamma, mean: 5s, cv: 2}", "");
    static sq_time_t one[2000], two[2000];
    struct wld a, b;
    wld_run_set(&a, yaml, NULL, 0);
    wld_run_set(&b, yaml, other, 1);
    size_t n = arrivals(&a, one, SQ_COUNT(one)), m = 0;
    uint16_t producer = b.w.producers[1].index; /* b, p in order of name */
    for (size_t i = 0; i < b.rec_count; i++) {
        const struct wld_rec *s = &b.recs[i];
        if (s->r.kind == MDL_REC_JOB_ARRIVED && s->r.producer == producer) {
            two[m++] = s->at;
        }
    }
    assert_true(n > 30);
    assert_int_equal(n, m);
    assert_memory_equal(one, two, n * sizeof(*one));
    wld_fini(&a);
    wld_fini(&b);
}

/* Nobody works, so that of each key the newest job stays: unfinished is the number of different
 * keys among n draws, sum of 1 - (1 - p)^n, with a variance below its mean. */
static void skewed_keys(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double skew;
    } rows[] = {
        { "producers.p.supersede.skew=0", 0 },   { "producers.p.supersede.skew=0.5", 0.5 },
        { "producers.p.supersede.skew=1", 1 },   { "producers.p.supersede.skew=2", 2 },
        { "producers.p.supersede.skew=40", 40 },
    };
    enum { KEYS = 1000, JOBS = 2000 };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        double all = 0, want = 0;
        for (int k = 1; k <= KEYS; k++) {
            all += pow(k, -rows[i].skew);
        }
        for (int k = 1; k <= KEYS; k++) {
            want += 1 - pow(1 - pow(k, -rows[i].skew) / all, JOBS);
        }
        struct wld run;
        wld_run_set(&run,
                    "squall: 1\nduration: 10s\nproducers:\n"
                    "  p: {queue: q, supersede: 1000, arrivals: {kind: cohort, count: 2000}}\n"
                    "queues: {q: {}}\nworkers: {w: {queue: q, replicas: 0}}\n",
                    &rows[i].set, 1);
        double got = wld_get(&run, "jobs.unfinished");
        if (!(fabs(got - want) <= 4 * sqrt(want - 1 + 1e-9))) {
            fail_msg("%s: %g different keys, expected %g", rows[i].set, got, want);
        }
        wld_fini(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_job_at_a_time), cmocka_unit_test(however_it_ended),
        cmocka_unit_test(pauses_and_bursts), cmocka_unit_test(clients),
        cmocka_unit_test(machine_repair),    cmocka_unit_test(luck_is_ones_own),
        cmocka_unit_test(skewed_keys),
    };
    return cmocka_run_group_tests_name("population", tests, NULL, NULL);
}
