/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of durations against closed forms, on a fixed grid of uniforms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/core/sq_dist.h"

#define MS INT64_C(1000000)

static const double ladder[] = { 0, 0.001, 0.25, 0.002, 0.75, 0.010, 1, 0.020 };

/* One of each kind, with its mean in seconds from the textbook formula. */
struct row {
    const char *name;
    struct sq_dist d;
    double mean_s;
};

enum { ROWS = 12 };

static void all_kinds(struct row rows[ROWS])
{
    rows[0] = (struct row){ "constant", sq_dist_constant(20 * MS), 0.020 };
    rows[1] = (struct row){ "uniform", sq_dist_uniform(10 * MS, 50 * MS), 0.030 };
    rows[2] = (struct row){ "exponential", sq_dist_exponential(320 * MS), 0.320 };
    rows[3] = (struct row){ "lognormal", sq_dist_lognormal(250 * MS, 0.8), 0.250 };
    /* mean = sd = 1 s: 1 * Phi(1) + 1 * phi(1), by mpmath */
    rows[4] = (struct row){ "normal", sq_dist_normal(1000 * MS, 1000 * MS), 1.0833154705876862984 };
    rows[5] = (struct row){ "table", sq_dist_table(ladder, 4),
                            0.25 * 0.0015 + 0.5 * 0.006 + 0.25 * 0.015 };
    rows[6] = (struct row){ "narrow normal", sq_dist_normal(100 * MS, 5 * MS), 0.100 };
    rows[7] = (struct row){ "weibull", sq_dist_weibull(250 * MS, 0.7), 0.250 };
    rows[8] = (struct row){ "weibull bell", sq_dist_weibull(250 * MS, 3.5), 0.250 };
    /* bounded ones by quadrature in mpmath */
    rows[9] = (struct row){ "pareto", sq_dist_pareto(10 * MS, 1.1, 10000 * MS),
                            0.0548969179354347725913 };
    rows[10] =
        (struct row){ "pareto 1", sq_dist_pareto(20 * MS, 1, 2000 * MS), 0.0930337411310725528896 };
    rows[11] = (struct row){ "pareto 0.5", sq_dist_pareto(10 * MS, 0.5, 10000 * MS),
                             0.3162277660168379331999 };
}

static void assert_close(const char *what, double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want))) {
        fail_msg("%s: %.17g, expected %.17g", what, got, want);
    }
}

/* The midpoint rule over 2^16 uniforms gives the mean; its error is largest for the lognormal,
 * whose upper tail the last point cuts off. */
static void means(void **state)
{
    (void)state;
    enum { GRID = 1 << 16 };
    struct row rows[ROWS];
    all_kinds(rows);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = 0; k < GRID; k++) {
            sum += sq_time_to_s(sq_dist_at(&rows[i].d, (k + 0.5) / GRID));
        }
        assert_close(rows[i].name, sq_dist_mean_s(&rows[i].d), rows[i].mean_s, 2e-14);
        assert_close(rows[i].name, sum / GRID, rows[i].mean_s, 1e-4);
    }
}

/* Never falls when u rises, on an even grid, near both ends and over neighbouring uniforms. */
static void rising(void **state)
{
    (void)state;
    struct row rows[ROWS];
    all_kinds(rows);
    for (size_t i = 0; i < ROWS; i++) {
        sq_time_t last = sq_dist_at(&rows[i].d, 0x1p-53);
        for (int k = 0; k < 20000; k++) {
            double step = k < 5000 ? (2 * k + 3) * 0x1p-53 : k < 15000 ? (k - 4999) / 10001.0 : 0;
            double u = k < 15000 ? step : 1 - (2 * (20000 - k) - 1) * 0x1p-53;
            sq_time_t t = sq_dist_at(&rows[i].d, u);
            assert_true(t >= last);
            last = t;
        }
    }
}

/* Quantiles by mpmath 1.3; times in ns. */
static void quantiles(void **state)
{
    (void)state;
    struct row rows[ROWS];
    all_kinds(rows);
    static const struct {
        size_t row;
        double u;
        sq_time_t want;
    } points[] = {
        { 2, 0.01, 3216107 },       { 2, 0.3, 114135982 },       { 2, 0.5, 221807098 },
        { 2, 0.9, 736827230 },      { 2, 0.999999, 4420963379 }, { 3, 0.001, 22211471 },
        { 3, 0.5, 195217202 },      { 3, 0.9, 480817391 },       { 3, 0.99999, 3919849880 },
        { 4, 0.2, 158378766 },      { 4, 0.5, 1000000000 },      { 4, 0.975, 2959963985 },
        { 6, 0.05, 91775732 },      { 6, 0.999, 115451162 },     { 7, 0.001, 10237 },
        { 7, 0.5, 116996981 },      { 7, 0.99, 1750091225 },     { 7, 0.999999, 8407414894 },
        { 8, 0.001, 38613461 },     { 8, 0.5, 250230980 },       { 8, 0.99, 429851338 },
        { 8, 0.999999, 588353907 }, { 9, 0.001, 10009095 },      { 9, 0.5, 18770066 },
        { 9, 0.99, 629597009 },     { 9, 0.999999, 9981904788 }, { 10, 0.001, 20019820 },
        { 10, 0.99, 1005025126 },   { 11, 0.99, 5860871205 },    { 11, 0.999999, 9999387573 },
        { 0, 0.999, 20000000 },     { 1, 0.25, 20000000 },       { 4, 0.1, 0 },
        { 5, 0.125, 1500000 },      { 5, 0.25, 2000000 },        { 5, 0.5, 6000000 },
        { 5, 0.875, 15000000 },
    };
    for (size_t i = 0; i < SQ_COUNT(points); i++) {
        sq_time_t got = sq_dist_at(&rows[points[i].row].d, points[i].u);
        if (got != points[i].want) {
            fail_msg("%s at %g: %lld", rows[points[i].row].name, points[i].u, (long long)got);
        }
    }
}

/* [min, max): the largest uniform still stays below max. */
static void edges(void **state)
{
    (void)state;
    struct sq_dist d = sq_dist_uniform(5, 8);
    assert_int_equal(sq_dist_at(&d, 0x1p-53), 5);
    assert_int_equal(sq_dist_at(&d, 1 - 0x1p-53), 7);
    d = sq_dist_uniform(5, 5);
    assert_int_equal(sq_dist_at(&d, 0.9), 5);
    d = sq_dist_uniform(5, 6);
    assert_int_equal(sq_dist_at(&d, 0.9), 5);
    d = sq_dist_constant(SQ_NEVER);
    assert_true(sq_dist_at(&d, 0.5) == SQ_NEVER);
    d = sq_dist_exponential(0);
    assert_int_equal(sq_dist_at(&d, 1 - 0x1p-53), 0);
    d = sq_dist_lognormal(0, 2);
    assert_int_equal(sq_dist_at(&d, 0.5), 0);
    d = sq_dist_lognormal(7 * MS, 0);
    assert_int_equal(sq_dist_at(&d, 0.99), 7 * MS);
    d = sq_dist_normal(3 * MS, 0);
    assert_int_equal(sq_dist_at(&d, 0.99), 3 * MS);
    assert_true(sq_dist_mean_s(&d) == 0.003);
    d = sq_dist_normal(0, 1000 * MS); /* half-normal / 2: 1 / sqrt(2 pi) */
    assert_close("half", sq_dist_mean_s(&d), 0.39894228040143267794, 1e-15);
    static const double inner[] = { 0.25, 2, 0.75, 4 };
    d = sq_dist_table(inner, 2); /* flat outside */
    assert_int_equal(sq_dist_at(&d, 0.1), 2000 * MS);
    assert_int_equal(sq_dist_at(&d, 0.9), 4000 * MS);
    assert_close("flat", sq_dist_mean_s(&d), 3, 1e-15);
    d = sq_dist_table(inner, 1);
    assert_int_equal(sq_dist_at(&d, 0.9), 2000 * MS);
}

static void pareto_edges(void **state)
{
    (void)state;
    struct sq_dist d = sq_dist_pareto(10 * MS, 1.5, SQ_NEVER);
    assert_int_equal(sq_dist_at(&d, 0.99), 215443469);
    assert_close("unbounded", sq_dist_mean_s(&d), 0.03, 1e-15);
    d = sq_dist_pareto(10 * MS, 1, SQ_NEVER);
    assert_true(isinf(sq_dist_mean_s(&d)));
    assert_true(sq_dist_at(&d, 1 - 0x1p-53) > 0);
    d = sq_dist_pareto(10 * MS, 0.3, 11 * MS); /* never above max, even by rounding */
    assert_true(sq_dist_at(&d, 1 - 0x1p-53) <= 11 * MS);
    assert_int_equal(sq_dist_pareto(5, 2, 5).kind, SQ_DIST_CONSTANT);
    assert_int_equal(sq_dist_pareto(0, 2, 5).kind, SQ_DIST_CONSTANT);
    d = sq_dist_weibull(0, 2);
    assert_int_equal(sq_dist_at(&d, 0.5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means), cmocka_unit_test(rising),       cmocka_unit_test(quantiles),
        cmocka_unit_test(edges), cmocka_unit_test(pareto_edges),
    };
    return cmocka_run_group_tests_name("dist", tests, NULL, NULL);
}
