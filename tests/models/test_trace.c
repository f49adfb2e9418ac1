/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_trace.c - arrivals of kinds poisson, regular, cohort, trace and none: instants by hand, and
 * numbers of arrivals against what was asked for. */
#include "tests/models/world.h"

#include "models/part/mdl_arrivals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

struct stage {
    struct wld_piece p;
    struct sq_arena arena;
    struct sq_luck luck;
    struct mdl_arrivals a;
};

static void open_stage(struct stage *t, const char *yaml, const struct sq_trace *trace)
{
    if (wld_block(&t->p, &mdl_arrivals_family, yaml) != SQ_OK) {
        struct sq_buf b = { 0 };
        sq_diag_print(&t->p.diag, &b);
        fail_msg("%s: %s", yaml, b.text);
    }
    t->arena = (struct sq_arena){ 0 };
    t->luck = sq_luck_init(1, 1);
    assert_int_equal(mdl_arrivals_init(&t->a, &t->p.block, &t->luck, 77, &t->arena), SQ_OK);
    t->a.trace = trace;
}

static void close_stage(struct stage *t)
{
    wld_piece_fini(&t->p);
    sq_arena_fini(&t->arena);
}

/* ---- poisson ---- */

/* Gaps of a process of 4/s: mean 1/4 s, standard deviation the same, and 1 - 1/e of them below
 * the mean; each within four standard errors. */
static void poisson(void **state)
{
    (void)state;
    enum { N = 40000 };
    struct stage t;
    open_stage(&t, "4/s", NULL);
    double sum = 0, squares = 0, below = 0;
    sq_time_t last = 0;
    for (int i = 0; i < N; i++) {
        sq_time_t at = mdl_arrivals_next(&t.a, 0);
        double gap = sq_time_to_s(at - last);
        last = at;
        sum += gap;
        squares += gap * gap;
        below += gap < 0.25 ? 1 : 0;
    }
    double mean = sum / N, sd = sqrt(squares / N - mean * mean);
    assert_true(fabs(mean - 0.25) < 4 * 0.25 / sqrt(N));
    assert_true(fabs(sd - 0.25) < 4 * 0.25 * sqrt(2.0 / N));
    assert_true(fabs(below / N - 0.6321205588) < 4 * sqrt(0.6321 * 0.3679 / N));
    assert_true(mdl_arrivals_rate(&t.a, WLD_S(5)) == 4);
    close_stage(&t);
}

/* ---- regular ---- */

static void regular(void **state)
{
    (void)state;
    struct stage t;
    /* A lattice without drift: the million-and-first job is where it belongs, to the nanosecond. */
    open_stage(&t, "{kind: regular, rate: 3/s, phase: same}", NULL);
    sq_time_t at = 0;
    for (int64_t n = 0; n <= 1000000; n++) {
        at = mdl_arrivals_next(&t.a, 0);
        sq_time_t want = (2 * n * SQ_NS_PER_S + 3) / 6; /* n / 3 s, rounded */
        if (at != want) {
            fail_msg("job %lld at %lld", (long long)n, (long long)at);
        }
    }
    close_stage(&t);
    /* A random phase moves the whole lattice by less than a period. */
    open_stage(&t, "{kind: regular, rate: 2/s}", NULL);
    sq_time_t first = mdl_arrivals_next(&t.a, 0);
    assert_true(first > 0 && first < WLD_S(0.5));
    for (int n = 1; n < 100; n++) {
        sq_time_t off = mdl_arrivals_next(&t.a, 0) - first - n * WLD_S(0.5);
        assert_true(off >= -1 && off <= 1);
    }
    close_stage(&t);
    /* Four sources of 2/s together: each has a period of 2 s and a phase of its own. */
    open_stage(&t, "{kind: regular, rate: 2/s, sources: 4}", NULL);
    assert_int_equal(t.a.sources, 4);
    sq_time_t phase[4];
    for (uint32_t s = 0; s < 4; s++) {
        phase[s] = mdl_arrivals_next(&t.a, s);
        assert_true(phase[s] > 0 && phase[s] < WLD_S(2));
        sq_time_t off = mdl_arrivals_next(&t.a, s) - phase[s] - WLD_S(2);
        assert_true(off >= -1 && off <= 1);
        for (uint32_t k = 0; k < s; k++) {
            assert_int_not_equal(phase[s], phase[k]);
        }
    }
    close_stage(&t);
    open_stage(&t, "{kind: regular, rate: 2/s, sources: 4, phase: same}", NULL);
    for (uint32_t s = 0; s < 4; s++) {
        assert_int_equal(mdl_arrivals_next(&t.a, s), 0);
        assert_int_equal(mdl_arrivals_next(&t.a, s), WLD_S(2));
    }
    close_stage(&t);
    /* A rate that varies: whole jobs under its area, from its first point on. */
    open_stage(&t,
               "{kind: regular, rate: {kind: steps, points: [[10s, 1/s], [12s, 0/s], [20s, 4/s]"
               "]}, phase: same}",
               NULL);
    static const double steps[] = { 10, 11, 12, 20.25, 20.5 };
    for (size_t i = 0; i < SQ_COUNT(steps); i++) {
        assert_int_equal(mdl_arrivals_next(&t.a, 0), WLD_S(steps[i]));
    }
    close_stage(&t);
    open_stage(&t, "{kind: regular, rate: 0/s, phase: same}", NULL);
    assert_int_equal(mdl_arrivals_next(&t.a, 0), SQ_NEVER);
    close_stage(&t);
}

/* ---- cohort ---- */

static void cohort(void **state)
{
    (void)state;
    enum { N = 10000 };
    struct stage t;
    open_stage(&t, "{kind: cohort, count: 3, at: 5s}", NULL);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(mdl_arrivals_next(&t.a, 0), i < 3 ? WLD_S(5) : SQ_NEVER);
    }
    assert_true(mdl_arrivals_rate(&t.a, WLD_S(5)) == 0);
    close_stage(&t);
    open_stage(&t, "{kind: cohort, count: 0}", NULL);
    assert_int_equal(mdl_arrivals_next(&t.a, 0), SQ_NEVER);
    close_stage(&t);
    /* Spread over [5 s, 15 s), in order: as far from the uniform law as chance allows
     * (Kolmogorov and Smirnov: 1.95 / sqrt(n) is passed once in a thousand times). */
    open_stage(&t, "{kind: cohort, count: 10k, at: 5s, over: 10s}", NULL);
    sq_time_t last = 0;
    double worst = 0;
    for (int i = 0; i < N; i++) {
        sq_time_t at = mdl_arrivals_next(&t.a, 0);
        assert_true(at >= last && at >= WLD_S(5) && at < WLD_S(15));
        double x = (sq_time_to_s(at) - 5) / 10;
        worst = fmax(worst, fmax(fabs(x - (double)i / N), fabs(x - (double)(i + 1) / N)));
        last = at;
    }
    assert_int_equal(mdl_arrivals_next(&t.a, 0), SQ_NEVER);
    assert_true(worst < 1.95 / sqrt(N));
    close_stage(&t);
    open_stage(&t, "none", NULL);
    assert_int_equal(mdl_arrivals_next(&t.a, 0), SQ_NEVER);
    close_stage(&t);
}

/* ---- trace ---- */

static sq_time_t instants[] = { 0, 2 * SQ_NS_PER_S, 2 * SQ_NS_PER_S, 5 * SQ_NS_PER_S };
static const struct sq_trace times = { .count = 4, .at_ns = instants, .end_ns = 8 * SQ_NS_PER_S };

static void trace_of_times(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        double at[9]; /* -1: no more */
    } rows[] = {
        { "", { 0, 2, 2, 5, -1, -1 } },
        { ", skip_to: 2s", { 0, 0, 3, -1 } },
        { ", skip_to: 3s", { 2, -1 } },
        { ", skip_to: 5s", { 0, -1 } },
        { ", skip_to: 6s", { -1 } },
        { ", skip_to: 9s", { -1 } },
        { ", repeat: true", { 0, 2, 2, 5, 8, 10, 10, 13, 16 } },
        { ", repeat: true, skip_to: 3s", { 2, 7, 12, 17 } }, /* 5 s of it, again and again */
        { ", repeat: true, skip_to: 9s", { -1 } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char yaml[200];
        (void)snprintf(yaml, sizeof(yaml), "{kind: trace, file: f, time: t%s}", rows[i].keys);
        struct stage t;
        open_stage(&t, yaml, &times);
        for (size_t k = 0; k < 9 && (k == 0 || rows[i].at[k - 1] >= 0); k++) {
            if (k > 0 && rows[i].at[k] == 0 && rows[i].at[k - 1] > 0) {
                break; /* the row's end */
            }
            sq_time_t want = rows[i].at[k] < 0 ? SQ_NEVER : WLD_S(rows[i].at[k]);
            sq_time_t at = mdl_arrivals_next(&t.a, 0);
            if (at != want) {
                fail_msg("%s, number %zu: at %lld", rows[i].keys, k, (long long)at);
            }
        }
        close_stage(&t);
    }
}

static sq_time_t bins[] = { 0, 10 * SQ_NS_PER_S, 20 * SQ_NS_PER_S, 40 * SQ_NS_PER_S };
static double values[] = { 20, 0, 40, 7 };
static const struct sq_trace binned = {
    .count = 4, .at_ns = bins, .values = values, .end_ns = 60 * SQ_NS_PER_S
};

/* How many arrive in each ten seconds of the run. */
static void trace_of_counts(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        int bins[13]; /* of 10 s each; -1: not looked at */
    } rows[] = {
        { "", { 20, 0, -1, -1, -1, -1, 0, 0 } },
        { ", scale: 2.5", { 50, 0, -1, -1, -1, -1, 0, 0 } },
        { ", scale: 0.29", { 6, 0, -1, -1, -1, -1, 0, 0 } }, /* 5.8, to the nearest */
        { ", scale: 0", { 0, 0, 0, 0, 0, 0, 0, 0 } },
        { ", skip_to: 20s", { -1, -1, -1, -1, 0, 0, 0, 0 } },
        /* half of a bin is left: half of its count, not all of it in half the time */
        { ", skip_to: 5s", { 10, -1, -1, -1, -1, -1, 0, 0 } },
        { ", skip_to: 60s", { 0, 0, 0, 0, 0, 0, 0, 0 } },
        { ", skip_to: 90s", { 0, 0, 0, 0, 0, 0, 0, 0 } },
        { ", repeat: true", { 20, 0, -1, -1, -1, -1, 20, 0, -1, -1, -1, -1, 20 } },
        { ", repeat: true, skip_to: 90s", { 0, 0, 0, 0, 0, 0, 0, 0 } },
        { ", repeat: true, scale: 0", { 0, 0, 0, 0, 0, 0, 0, 0 } },
        /* what rounding takes away comes later: 0.2 and 0.4 are the first whole one */
        { ", repeat: true, scale: 0.01", { 0, 0, -1, -1, 0, 0, 0, 0 } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char yaml[200];
        (void)snprintf(yaml, sizeof(yaml),
                       "{kind: trace, file: f, time: t, value: v, reads: counts%s}", rows[i].keys);
        struct stage t;
        open_stage(&t, yaml, &binned);
        int got[13] = { 0 };
        sq_time_t last = 0;
        for (int k = 0; k < 1000; k++) {
            sq_time_t at = mdl_arrivals_next(&t.a, 0);
            assert_true(at >= last);
            last = at;
            if (at >= WLD_S(130)) {
                break;
            }
            got[at / WLD_S(10)]++;
        }
        assert_true(last >= WLD_S(130));
        for (int k = 0; k < 13; k++) {
            if (rows[i].bins[k] >= 0 && (k < 8 || rows[i].bins[k] > 0) &&
                got[k] != rows[i].bins[k]) {
                fail_msg("%s: %d arrivals in bin %d", rows[i].keys, got[k], k);
            }
        }
        if (i == 0) { /* wide bins as a whole */
            assert_int_equal(got[2] + got[3], 40);
            assert_int_equal(got[4] + got[5], 7);
        }
        close_stage(&t);
    }
}

/* Many rows of few arrivals: scaled, their sum is, and no stretch is off by more than one. */
static void small_counts_scaled(void **state)
{
    (void)state;
    static sq_time_t seconds[600];
    static double ones[600];
    for (int i = 0; i < 600; i++) {
        seconds[i] = i * SQ_NS_PER_S;
        ones[i] = 1;
    }
    static const struct sq_trace each = {
        .count = 600, .at_ns = seconds, .values = ones, .end_ns = 600 * SQ_NS_PER_S
    };
    static const struct {
        const char *scale;
        double per_s;
    } rows[] = { { "0.1", 0.1 }, { "0.4", 0.4 }, { "0.5", 0.5 }, { "1.4", 1.4 }, { "2.75", 2.75 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char yaml[200];
        (void)snprintf(yaml, sizeof(yaml),
                       "{kind: trace, file: f, time: t, value: v, reads: counts, scale: %s}",
                       rows[i].scale);
        struct stage t;
        open_stage(&t, yaml, &each);
        double got = 0;
        for (sq_time_t at; (at = mdl_arrivals_next(&t.a, 0)) != SQ_NEVER; got++) {
            assert_true(fabs(got - rows[i].per_s * sq_time_to_s(at)) < 2 + rows[i].per_s);
        }
        assert_true(fabs(got - 600 * rows[i].per_s) < 0.5001);
        close_stage(&t);
    }
}

static void trace_of_rates(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        double first, whole; /* expected in the first 10 s, in 60 s */
    } rows[] = {
        { ", scale: 10", 2000, 2000 + 8000 + 1400 },
        { ", scale: 10, skip_to: 10s", 0, 8000 + 1400 },
        { ", scale: 10, skip_to: 5s", 1000, 1000 + 8000 + 1400 },
        { ", scale: 10, skip_to: 40s", 700, 1400 },
        { ", scale: 10, skip_to: 60s", 0, 0 },
        { ", scale: 10, skip_to: 40s, repeat: true", 700, 4200 },
        { ", scale: 0, repeat: true", 0, 0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char yaml[200];
        (void)snprintf(yaml, sizeof(yaml),
                       "{kind: trace, file: f, time: t, value: v, reads: rate%s}", rows[i].keys);
        struct stage t;
        open_stage(&t, yaml, &binned);
        double first = 0, whole = 0;
        sq_time_t last = 0, at;
        while ((at = mdl_arrivals_next(&t.a, 0)) < WLD_S(60)) {
            assert_true(at >= last);
            last = at;
            first += at < WLD_S(10) ? 1 : 0;
            whole += 1;
        }
        assert_true(fabs(first - rows[i].first) <= 4 * sqrt(rows[i].first));
        assert_true(fabs(whole - rows[i].whole) <= 4 * sqrt(rows[i].whole));
        close_stage(&t);
    }
}

/* Jobs per second over the minute that starts at the instant. */
static void trace_around_an_instant(void **state)
{
    (void)state;
    struct stage t;
    open_stage(&t, "{kind: trace, file: f, time: t, value: v, reads: counts}", &binned);
    assert_true(fabs(mdl_arrivals_rate(&t.a, 0) - 67 / 60.0) < 1e-12);
    assert_true(fabs(mdl_arrivals_rate(&t.a, WLD_S(30)) - 27 / 60.0) < 1e-12);
    close_stage(&t);
    open_stage(&t, "{kind: trace, file: f, time: t, value: v, reads: rate, repeat: true}", &binned);
    assert_true(fabs(mdl_arrivals_rate(&t.a, WLD_S(600)) - (200 + 800 + 140) / 60.0) < 1e-9);
    close_stage(&t);
    open_stage(&t, "{kind: trace, file: f, time: t}", &times);
    assert_true(fabs(mdl_arrivals_rate(&t.a, WLD_S(1)) - 3 / 60.0) < 1e-12);
    close_stage(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson),         cmocka_unit_test(regular),
        cmocka_unit_test(cohort),          cmocka_unit_test(trace_of_times),
        cmocka_unit_test(trace_of_counts), cmocka_unit_test(small_counts_scaled),
        cmocka_unit_test(trace_of_rates),  cmocka_unit_test(trace_around_an_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
