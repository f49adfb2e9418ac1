/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_intervals.c - how often a 95 % interval over replications holds the true value, for three
 * small scenarios whose true value is known without simulating: the mean wait of M/M/1, the calls
 * of a small retry storm, the share of runs in which two of a burst meet.
 *
 *   test_intervals      twenty repetitions of each; as many as INTERVALS says in the environment
 *
 * Of two hundred, 182 to 196 must hold it (91 to 98 %). Fewer only have to be likely. */
#include "tests/models/world.h"

#include "models/mdl_metrics.h"
#include "models/study/mdl_replicate.h"
#include "sim/core/sq_infer.h"
#include "sim/core/sq_math.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { USUAL_REPETITIONS = 20, RUNS_MAX = 40 };

struct study {
    const char *yaml, *metric;
    double truth;
    unsigned runs; /* of each repetition */
    bool share;    /* of runs whose metric is above zero */
};

struct pick {
    const char *metric;
    double value;
};

static void pick(void *ctx, const char *name, double number, const char *word)
{
    struct pick *p = ctx;
    (void)word;
    if (strcmp(name, p->metric) == 0) {
        p->value = number;
    }
}

static double run(struct wld *t, const char *metric, uint64_t replication)
{
    struct pick p = { metric, NAN };
    struct mdl_world w = { 0 };
    struct mdl_run_ask ask = { .s = &t->s, .replication = replication, .check_every = 1024 };
    assert_int_equal(mdl_run_once(&w, &ask, &t->diag), SQ_OK);
    mdl_metrics_each(&w, pick, &p);
    mdl_world_fini(&w);
    assert_true(p.value >= 0); /* not null */
    return p.value;
}

static bool holds(struct wld *t, const struct study *s, unsigned repetition)
{
    double values[RUNS_MAX];
    unsigned hits = 0;
    for (unsigned i = 0; i < s->runs; i++) {
        values[i] = run(t, s->metric, (uint64_t)repetition * s->runs + i + 1);
        hits += values[i] > 0 ? 1 : 0;
    }
    struct sq_spread x = { 0 };
    if (s->share) {
        sq_infer_wilson(hits, s->runs, &x.lo, &x.hi);
    } else {
        assert_int_equal(sq_infer_spread(values, s->runs, &x), SQ_OK);
    }
    return x.lo <= s->truth && s->truth <= x.hi;
}

static void judge(const struct study *s)
{
    const char *wanted = getenv("INTERVALS");
    unsigned repetitions = wanted != NULL && wanted[0] != '\0' ? (unsigned)strtoul(wanted, NULL, 10)
                                                               : USUAL_REPETITIONS;
    struct wld t;
    if (wld_load(&t, s->yaml, NULL) != SQ_OK) {
        fail_msg("%s", wld_complaints(&t));
    }
    unsigned held = 0;
    for (unsigned i = 0; i < repetitions; i++) {
        held += holds(&t, s, i) ? 1 : 0;
    }
    wld_fini(&t);
    printf("# %u of %u intervals of %s hold the true value\n", held, repetitions, s->metric);
    if (repetitions >= 200) {
        assert_in_range(held * 1000 / repetitions, 910, 980);
    } else { /* 95 % in the mean: fewer than 16 of 20 come up once in four hundred */
        assert_true(held * 10 >= repetitions * 8);
    }
}

/* A wait of rho/(mu - lambda) = 0.5/50 s in the queue. */
static void test_wait(void **state)
{
    (void)state;
    judge(&(struct study){ .yaml =
                               "squall: 1\nduration: 60s\ntail: 1h\nmeasure_from: 5s\n"
                               "producers: {p: {queue: q, arrivals: 50/s}}\n"
                               "queues: {q: {}}\n"
                               "workers: {w: {queue: q, calls: {d: {}}}}\n"
                               "dependencies: {d: {service: {kind: exponential, mean: 10ms}}}\n",
                           .metric = "queue.q.wait_mean_s",
                           .truth = 0.01,
                           .runs = 10 });
}

/* Jobs that arrive r before the end of the outage are refused min(4, ceil(r / 1.001 s)) times and
 * call again after three of these: 1.001 (1 + 2) + 3 (5 - 2.002) = 11.997 retries for each job per
 * second; 3 * 0.01 more for those inside when it began. 20/s * (20 + 12.027) calls. */
static void test_storm(void **state)
{
    (void)state;
    judge(&(struct study){
        .yaml = "squall: 1\nduration: 20s\ntail: 1m\n"
                "clients:\n"
                "  c:\n"
                "    arrivals: 20/s\n"
                "    calls: {d: {}}\n"
                "    retry: {max_attempts: 4, backoff: 1s, jitter: none}\n"
                "dependencies:\n"
                "  d: {service: 10ms, answer_in: 1ms, outages: [{at: 5s, for: 5s}]}\n",
        .metric = "dependency.d.calls",
        .truth = 640.54,
        .runs = 10 });
}

/* Two calls at random within a second, each 0.2 s long, meet with probability 1 - 0.8^2. */
static void test_share(void **state)
{
    (void)state;
    judge(&(struct study){
        .yaml = "squall: 1\nduration: 15s\ntail: 1m\n"
                "clients:\n"
                "  c: {arrivals: {kind: bursts, size: 2, every: 10s, over: 1s}, calls: {d: {}}}\n"
                "dependencies:\n"
                "  d: {service: 200ms, overload: {in_flight: 1, down_for: 5s}}\n",
        .metric = "dependency.d.secondary_outages",
        .truth = 0.36,
        .runs = 40,
        .share = true });
}

int main(void)
{
    sq_math_init();
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_wait), cmocka_unit_test(test_storm),
                                        cmocka_unit_test(test_share) };
    return cmocka_run_group_tests_name("coverage of intervals", tests, NULL, NULL);
}
