/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_adaptive.c - adaptive limits: boundaries, what the recorded traces do not reach (probes,
 * Envoy's windows and measurements), and limits at work in a world. */
#include "models/policy/mdl_adaptive.h"

#include "tests/models/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

struct policy {
    struct wld_piece piece;
    const struct sq_block *b;
    struct mdl_adaptive_state s;
};

static void open_one(struct policy *p, const char *yaml)
{
    assert_int_equal(wld_block(&p->piece, &mdl_adaptive_family, yaml), SQ_OK);
    p->b = &p->piece.block;
    mdl_adaptive_init(p->b, &p->s, 0);
}

static void close_one(struct policy *p)
{
    mdl_adaptive_fini(&p->s);
    wld_piece_fini(&p->piece);
}

/* A call that ends now; returns the limit after it. */
static int64_t note(struct policy *p, sq_time_t now, sq_time_t rtt, int64_t in_flight,
                    enum mdl_adaptive_end end)
{
    struct mdl_adaptive_sample sample = {
        .now = now, .rtt = rtt, .in_flight = in_flight, .end = end, .answered = true, .u = 0
    };
    mdl_adaptive_note(p->b, &p->s, &sample);
    return mdl_adaptive_limit(&p->s);
}

static void aimd_boundaries(void **state)
{
    (void)state;
    struct policy p;
    open_one(&p, "{kind: aimd, start: 11, min: 2, max: 12, decrease: 0.5, slow: 1s}");
    assert_int_equal(note(&p, 0, 1000 * MS, 5, MDL_ADAPTIVE_OK), 11); /* 10 of 11: not full */
    assert_int_equal(note(&p, 0, 1000 * MS, 6, MDL_ADAPTIVE_OK), 12); /* exactly `slow` is not */
    assert_int_equal(note(&p, 0, 5 * MS, 12, MDL_ADAPTIVE_OK), 12);
    assert_int_equal(note(&p, 0, 1000 * MS + 1, 12, MDL_ADAPTIVE_IGNORED), 12);
    assert_int_equal(note(&p, 0, 1000 * MS + 1, 12, MDL_ADAPTIVE_OK), 6);
    assert_int_equal(note(&p, 0, 1, 1, MDL_ADAPTIVE_DROPPED), 3);
    assert_int_equal(note(&p, 0, 1, 1, MDL_ADAPTIVE_DROPPED), 2); /* trunc(1.5), at least 2 */
    close_one(&p);
}

/* With u = 0 a probe comes after probe_every x limit / 2 samples: it takes the time of that sample
 * for the one without load, though it is longer, and the queue seems short again. */
static void vegas_probes(void **state)
{
    (void)state;
    struct policy p;
    open_one(&p, "{kind: vegas, start: 20, probe_every: 2}");
    assert_int_equal(note(&p, 0, 10 * MS, 20, MDL_ADAPTIVE_OK), 20);
    int samples = 1;
    while (p.s.best < 30e6 && samples < 100) {
        (void)note(&p, 0, 30 * MS, 20, MDL_ADAPTIVE_OK); /* queue ceil(2/3 limit): one less */
        samples++;
    }
    /* before sample n the limit is 22 - n, and 2 / 2 x that is at most n from n = 11 on */
    assert_int_equal(samples, 11);
    assert_int_equal(mdl_adaptive_limit(&p.s), 11);
    close_one(&p);
}

/* Without load: 1.25 limit + sqrt(1.25 limit) each 100 ms, after 50 calls at the limit 3. */
static void envoy_grows(void **state)
{
    (void)state;
    struct policy p;
    open_one(&p, "{kind: envoy, max: 40}");
    for (int i = 1; i < 50; i++) {
        assert_int_equal(note(&p, i * MS, 1 * MS, 3, MDL_ADAPTIVE_OK), 3);
        assert_int_equal(mdl_adaptive_next(&p.s), SQ_NEVER);
    }
    assert_int_equal(note(&p, 50 * MS, 1 * MS, 3, MDL_ADAPTIVE_OK), 3);
    assert_true(p.s.best == 1e6);
    assert_int_equal(p.s.measure_at, 60050 * MS); /* u = 0 */
    static const int64_t want[] = { 5, 8, 13, 20, 30, 40, 40 };
    for (int i = 0; i < 7; i++) {
        sq_time_t now = (100 * i + 60) * MS;
        (void)note(&p, now, 1 * MS, 3, MDL_ADAPTIVE_OK);
        assert_int_equal(mdl_adaptive_next(&p.s), (100 * i + 100) * MS);
        mdl_adaptive_advance(p.b, &p.s, (100 * i + 100) * MS - 1);
        assert_int_equal(mdl_adaptive_limit(&p.s), i > 0 ? want[i - 1] : 3);
        mdl_adaptive_advance(p.b, &p.s, (100 * i + 100) * MS);
        assert_int_equal(mdl_adaptive_limit(&p.s), want[i]);
    }
    /* The median counts: of 1, 1, 2, 9 and 9 ms that is 2. g = 1.25 / 2: 25 + 5 = 30. */
    static const int times[] = { 9, 1, 2, 9, 1 };
    for (int i = 0; i < 5; i++) {
        (void)note(&p, 720 * MS, times[i] * MS, 3, MDL_ADAPTIVE_OK);
    }
    mdl_adaptive_advance(p.b, &p.s, 800 * MS);
    assert_int_equal(mdl_adaptive_limit(&p.s), 30);
    close_one(&p);
}

/* Overloaded: half the limit + its root, down to min; five times there and it measures anew, from
 * calls that have left since. */
static void envoy_measures(void **state)
{
    (void)state;
    struct policy p;
    open_one(&p, "{kind: envoy, measure_every: 10s}");
    for (int i = 0; i < 50; i++) {
        (void)note(&p, 10 * MS, 1 * MS, 3, MDL_ADAPTIVE_OK);
    }
    for (int i = 0; i < 5; i++) { /* 3: trunc(1.5 + 1.22) = 2 -> 3 */
        (void)note(&p, (100 * i + 50) * MS, 50 * MS, 3, MDL_ADAPTIVE_OK);
        assert_false(p.s.measuring);
        mdl_adaptive_advance(p.b, &p.s, (100 * i + 100) * MS);
    }
    assert_true(p.s.measuring);
    for (int i = 0; i < 60; i++) { /* these left before */
        (void)note(&p, 540 * MS, 50 * MS, 3, MDL_ADAPTIVE_OK);
    }
    assert_true(p.s.measuring);
    for (int i = 0; i < 50; i++) {
        (void)note(&p, 600 * MS, 50 * MS, 3, MDL_ADAPTIVE_OK);
    }
    assert_false(p.s.measuring);
    assert_true(p.s.best == 50e6);
    assert_int_equal(p.s.measure_at, 10600 * MS);
    close_one(&p);
}

/* A dependency that serves ten at a time, called by sixty slots without end: every limit finds
 * about that many by itself, and what is beyond waits at the control. */
static void finds_the_capacity(void **state)
{
    (void)state;
    static const struct {
        const char *adaptive;
        double least, most;
    } rows[] = {
        /* grows without end while nothing is slow */
        { "{kind: aimd, start: 5, min: 1, max: 50}", 50, 50 },
        /* goes to and fro: of a round some wait for one service time, some not at all */
        { "{kind: vegas, start: 5}", 5, 60 },
        /* more and more, up to the point where the latency is 1.5 times the long average */
        { "{kind: gradient2, start: 5, min: 2}", 10, 60 },
        { "{kind: envoy}", 10, 20 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char yaml[700];
        struct wld t;
        (void)snprintf(yaml, sizeof(yaml),
                       "squall: 1\nduration: 30s\n"
                       "producers: {p: {queue: q, arrivals: {kind: cohort, count: 20000}}}\n"
                       "queues: {q: {}}\nworkers: {w: {queue: q, slots: 60, calls: {api: {}}}}\n"
                       "dependencies: {api: {servers: 10, service: 20ms}}\n"
                       "controls: {api: {adaptive: %s}}\n",
                       rows[i].adaptive);
        wld_run(&t, yaml);
        double limit = (double)mdl_gate_limit(&t.w.dependencies[0].gate);
        if (limit < rows[i].least || limit > rows[i].most) {
            fail_msg("%s: the limit is %g", rows[i].adaptive, limit);
        }
        double done = wld_get(&t, "dependency.api.goodput");
        if (done < 13000) { /* of 15,000 */
            fail_msg("%s: %g calls done", rows[i].adaptive, done);
        }
        wld_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aimd_boundaries),    cmocka_unit_test(vegas_probes),
        cmocka_unit_test(envoy_grows),        cmocka_unit_test(envoy_measures),
        cmocka_unit_test(finds_the_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
