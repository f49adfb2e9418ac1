/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gamma function and gamma quantiles against libm and GSL, which share no code with ours. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "sim/core/sq_dist.h"
#include "sim/core/sq_gamma.h"

static const double shapes_cv[] = { 100, 30,  5,   2,    1.2,    1,      0.70710678118654752440,
                                    0.5, 0.3, 0.1, 0.05, 0.0317, 0.0316, 0.01 };

static void logs(void **state)
{
    (void)state;
    double x = 1e-3;
    while (x < 1000) {
        double error = fabs(sq_gamma_log(x) - lgamma(x));
        assert_true(error <= 1e-14 * (1 + fabs(x * log(x))));
        x *= 1.003;
    }
    for (x = -0.5; x < 1; x = x < -1e-9 ? x / 2 : x > 1e-9 ? x * 2 : x + 2e-9) {
        assert_true(fabs(sq_gamma_log_1_plus(x) - log1p(x)) <= 4e-16 * fabs(log1p(x)));
    }
}

/* Relative error of a quantile, from the error of the smaller tail there: dp / (x density). Very
 * small variates (0 ns of any mean that fits a run) are left out. */
static double error_at(double cv, double log_x_to_mean, double logit)
{
    double a = 1 / (cv * cv), x = a * exp(log_x_to_mean);
    double want = 1 / (1 + exp(fabs(logit)));
    double got = logit < 0 ? gsl_cdf_gamma_P(x, a, 1) : gsl_cdf_gamma_Q(x, a, 1);
    return fabs(got - want) / (x * gsl_ran_gamma_pdf(x, a, 1));
}

static void quantiles(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(shapes_cv); i++) {
        for (double w = -36.5; w < 36.5; w += 0.37) {
            double y = sq_gamma_quantile(shapes_cv[i], w);
            if (y > -27 && !(error_at(shapes_cv[i], y, w) < 1e-9)) {
                fail_msg("cv %g, logit %g: error %g", shapes_cv[i], w,
                         error_at(shapes_cv[i], y, w));
            }
        }
    }
}

/* What is sampled: from the first uniform that can be drawn to the last. */
static void tables(void **state)
{
    (void)state;
    static double table[SQ_GAMMA_TABLE];
    for (size_t i = 0; i < SQ_COUNT(shapes_cv); i++) {
        double cv = shapes_cv[i];
        sq_gamma_fill(cv, table);
        double last = -INFINITY;
        for (double w = -36.7; w < 36.6; w += 0.0531) {
            double u = w < 0 ? exp(w) / (1 + exp(w)) : 1 - 1 / (1 + exp(w));
            u = w > 0 ? 1 - round((1 - u) * 0x1p53) * 0x1p-53 : u;
            double logit = log(u) - log(1 - u);
            double got = sq_gamma_at(table, u);
            double want = sq_gamma_quantile(cv, logit);
            if (want > -27 && !(fabs(expm1(got - want)) < 1e-7)) {
                fail_msg("cv %g at %g: %.12g, expected %.12g", cv, w, got, want);
            }
            assert_true(got >= last);
            last = got;
        }
    }
}

/* The mean of the square over the mean squared is 1 + cv^2: the midpoint rule in the logit, where
 * both ends fall off exponentially. */
static void moments(void **state)
{
    (void)state;
    static double table[SQ_GAMMA_TABLE];
    for (size_t i = 2; i < SQ_COUNT(shapes_cv); i++) { /* larger ones have their mean in the tail */
        double cv = shapes_cv[i], sum = 0, squares = 0, weights = 0;
        sq_gamma_fill(cv, table);
        for (double w = -36.5; w < 36.5; w += 0.0013) {
            double u = 1 / (1 + exp(-w)), x = exp(sq_gamma_at(table, u));
            double weight = 1 / (1 + exp(w)) * u * 0.0013;
            weights += weight;
            sum += weight * x;
            squares += weight * x * x;
        }
        assert_true(fabs(weights - 1) < 1e-9);
        assert_true(fabs(sum - 1) < 2e-6);
        assert_true(fabs(squares / (1 + cv * cv) - 1) < 2e-5);
    }
}

/* cv = 1 is the exponential distribution. */
static void exponential(void **state)
{
    (void)state;
    static double table[SQ_GAMMA_TABLE];
    sq_gamma_fill(1, table);
    struct sq_dist gamma = sq_dist_gamma(SQ_NS_PER_S, 1, table);
    struct sq_dist want = sq_dist_exponential(SQ_NS_PER_S);
    for (int i = 0; i < 1000; i++) {
        double u = (i + 0.5) / 1000;
        sq_time_t a = sq_dist_at(&gamma, u), b = sq_dist_at(&want, u);
        assert_true((a > b ? a - b : b - a) <= 1 + b / 1000000000);
    }
    assert_true(sq_dist_mean_s(&gamma) == 1.0);
    assert_int_equal(sq_dist_gamma(5, 0, NULL).kind, SQ_DIST_CONSTANT);
    assert_int_equal(sq_dist_gamma(0, 2, NULL).kind, SQ_DIST_CONSTANT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs),    cmocka_unit_test(quantiles),   cmocka_unit_test(tables),
        cmocka_unit_test(moments), cmocka_unit_test(exponential),
    };
    return cmocka_run_group_tests_name("gamma", tests, NULL, NULL);
}
