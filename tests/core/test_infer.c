/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inference over runs against numbers by mpmath 1.3 (30 digits). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/base/sq_mem.h"
#include "sim/core/sq_infer.h"
#include "sim/core/sq_math.h"

static void assert_close(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want))) {
        fail_msg("%.17g, expected %.17g", got, want);
    }
}

static void student(void **state)
{
    (void)state;
    static const double rows[][3] = {
        { 0.975, 1, 12.7062047361746933 },      { 0.975, 2, 4.30265272974946179 },
        { 0.975, 4, 2.77644510519779349 },      { 0.975, 9, 2.262157162798205 },
        { 0.975, 29, 2.04522964213270387 },     { 0.975, 99.5, 1.98409361099062385 },
        { 0.975, 100000, 1.95998770753460926 }, { 0.9, 3, 1.63774435369621032 },
        { 0.995, 7, 3.49948329735049326 },      { 0.025, 4, -2.77644510519779349 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        assert_close(sq_infer_student_quantile(rows[i][0], rows[i][1]), rows[i][2], 1e-12);
    }
    assert_true(isnan(sq_infer_student_quantile(0.975, 0)));
    assert_true(isnan(sq_infer_student_quantile(1.5, 3)));
    assert_close(sq_infer_normal_quantile(0.975), 1.9599639845400542355, 1e-14);
    assert_true(isnan(sq_infer_normal_quantile(0)));
}

static void wilson(void **state)
{
    (void)state;
    static const struct {
        int64_t hits, n;
        double lo, hi;
    } rows[] = {
        { 0, 10, 0.0, 0.27753279986288925 },
        { 10, 10, 0.72246720013711075, 1.0 },
        { 1, 10, 0.017876213095072904, 0.4041500267952385 },
        { 5, 20, 0.11186170140766566, 0.46870087761874404 },
        { 81, 263, 0.25528851987827423, 0.36620957698280007 },
        { 0, 1, 0.0, 0.79345068562276261 },
        { 0, 0, 0, 1 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        double lo, hi;
        sq_infer_wilson(rows[i].hits, rows[i].n, &lo, &hi);
        assert_close(lo, rows[i].lo, 1e-14);
        assert_close(hi, rows[i].hi, 1e-14);
    }
}

static void binomial_tail(void **state)
{
    (void)state;
    static const struct {
        int64_t k, n;
        double p, want;
    } rows[] = {
        { 1, 1, 0.3, 0.299999999999999989 },
        { 3, 10, 0.2, 0.322200473600000034 },
        { 10, 10, 0.5, 0.0009765625 },
        { 60, 100, 0.3, 5.12994981558315245e-10 },
        { 90, 100, 0.01, 1.56725279870096601e-167 },
        { 500, 1000, 0.5, 0.512612509089180401 },
        { 30000, 100000, 0.299, 0.24587892252525768 },
        { 0, 10, 0.2, 1 },
        { 11, 10, 0.2, 0 },
        { 1, 10, 0, 0 },
        { 10, 10, 1, 1 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        double got = sq_infer_binomial_tail(rows[i].k, rows[i].n, rows[i].p);
        assert_close(got, rows[i].want, 1e-9);
    }
    /* too small for a double: GSL reports an underflow, which must not end the program */
    assert_true(sq_infer_binomial_tail(5000, 5000, 1e-3) == 0);
}

static void spread(void **state)
{
    (void)state;
    static const double values[] = { 12.5, NAN, 7.25, 9, 14, NAN, 8.5 };
    struct sq_spread s;
    assert_int_equal(sq_infer_spread(values, SQ_COUNT(values), &s), SQ_OK);
    assert_int_equal(s.n, 5);
    assert_true(s.mean == 10.25 && s.min == 7.25 && s.max == 14);
    assert_true(s.p10 == 7.25 && s.p50 == 9 && s.p90 == 14 && !s.bimodal);
    assert_close(s.lo, 6.697126493412059, 1e-12);
    assert_close(s.hi, 13.80287350658794, 1e-12);
    assert_true(isnan(values[1]) && values[0] == 12.5); /* not changed */
    double tens[10];
    for (int i = 0; i < 10; i++) {
        tens[i] = 10 - i;
    }
    assert_int_equal(sq_infer_spread(tens, 10, &s), SQ_OK);
    assert_true(s.p10 == 1 && s.p50 == 5 && s.p90 == 9);
}

static void spread_of_few(void **state)
{
    (void)state;
    struct sq_spread s;
    static const double none[] = { NAN, NAN };
    assert_int_equal(sq_infer_spread(none, 2, &s), SQ_OK);
    assert_true(s.n == 0 && isnan(s.mean) && isnan(s.p50) && isnan(s.lo) && !s.bimodal);
    assert_int_equal(sq_infer_spread(NULL, 0, &s), SQ_OK);
    assert_true(s.n == 0 && isnan(s.max));
    static const double one[] = { 3.5 };
    assert_int_equal(sq_infer_spread(one, 1, &s), SQ_OK);
    assert_true(s.n == 1 && s.mean == 3.5 && s.p90 == 3.5 && isnan(s.lo) && isnan(s.hi));
    static const double same[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
    assert_int_equal(sq_infer_spread(same, 9, &s), SQ_OK);
    assert_true(s.mean == 0.1 && s.lo == 0.1 && s.hi == 0.1 && !s.bimodal);
    s.n = 77;
    sq_mem_fail_after(0);
    enum sq_status status = sq_infer_spread(same, 9, &s);
    sq_mem_fail_after(-1);
    assert_int_equal(status, SQ_NOMEM);
    assert_int_equal(s.n, 77); /* untouched */
}

static void bimodal(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        double v[12];
        bool want;
    } rows[] = {
        { 8, { 1, 2, 1, 2, 9, 9, 8, 9 }, true },
        { 9, { 8, 2, 9, 2, 9, 9, 1, 9, 8 }, true },
        { 7, { 1, 2, 1, 2, 9, 9, 8 }, false },      /* too few runs */
        { 8, { 1, 2, 1, 2, 5, 5, 5, 6 }, false },   /* gap 3 = 3 x 1: not more */
        { 8, { 0, 0, 0, 0, 0, 0, 0, 1e-9 }, true }, /* no inner spread */
        { 8, { 4, 4, 4, 4, 4, 4, 4, 4 }, false },
        { 11, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5 }, false }, /* 1 of 11 is less than a tenth */
        { 11, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5 }, true },
        { 10, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 100 }, true },
        { 10, { -100, 1, 2, 3, 4, 5, 6, 7, 8, 100 }, false },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_spread s;
        assert_int_equal(sq_infer_spread(rows[i].v, rows[i].n, &s), SQ_OK);
        if (s.bimodal != rows[i].want) {
            fail_msg("row %zu", i);
        }
    }
}

/* Each group has a median of its own: of 1 2 2 and of 8 8 8.5 9 9 9. */
static void groups(void **state)
{
    (void)state;
    static const double v[] = { 8, 2, 9, 2, 9, NAN, 9, 1, 8.5, 8 },
                        one[] = { 4, 4, 4, 4, 4, 4, 4, 4 };
    struct sq_spread s;
    assert_int_equal(sq_infer_spread(v, SQ_COUNT(v), &s), SQ_OK);
    assert_true(s.bimodal);
    assert_int_equal(s.group[0].n, 3);
    assert_int_equal(s.group[1].n, 6);
    assert_true(s.group[0].p50 == 2 && s.group[1].p50 == 8.5);
    assert_int_equal(sq_infer_spread(one, SQ_COUNT(one), &s), SQ_OK);
    assert_true(!s.bimodal && s.group[0].n == 0 && s.group[1].n == 0);
}

static int setup(void **state)
{
    (void)state;
    sq_math_init();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student), cmocka_unit_test(wilson),        cmocka_unit_test(binomial_tail),
        cmocka_unit_test(spread),  cmocka_unit_test(spread_of_few), cmocka_unit_test(bimodal),
        cmocka_unit_test(groups),
    };
    return cmocka_run_group_tests_name("infer", tests, setup, NULL);
}
