/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elementary functions against the long double functions of libm and against tables. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/sq_base.h"
#include "sim/core/sq_fn.h"

/* Spacing of doubles at |want|. */
static long double ulp_at(long double want)
{
    int e;
    frexpl(want, &e);
    return ldexpl(1, e - 53 < -1074 ? -1074 : e - 53);
}

static double ulps(double got, long double want)
{
    if (isnan(got) || isinf(got)) {
        return got == (double)want ? 0 : INFINITY;
    }
    return (double)(fabsl((long double)got - want) / ulp_at(want));
}

struct worst {
    double error, x, y;
};

static void note(struct worst *w, double error, double x, double y)
{
    if (!(error <= w->error)) {
        *w = (struct worst){ error, x, y };
    }
}

static void check_worst(const char *name, const struct worst *w, double limit)
{
    print_message("%s: worst %.3g at %.17g %.17g\n", name, w->error, w->x, w->y);
    assert_true(w->error > 0);
    assert_true(w->error <= limit);
}

/* Marsaglia's xorshift: the points of the tests, the same every time. */
static uint64_t next_bits(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static double next_between(uint64_t *s, double low, double high)
{
    return low + (high - low) * ((double)(next_bits(s) >> 11) * 0x1p-53);
}

/* Any positive finite double, every exponent equally likely. */
static double next_positive(uint64_t *s)
{
    uint64_t u = next_bits(s) >> 1;
    if (u >= UINT64_C(0x7ff0000000000000)) {
        u -= UINT64_C(0x1000000000000000);
    }
    double x;
    memcpy(&x, &u, sizeof x);
    return x > 0 ? x : 1;
}

static void log_points(void **state)
{
    (void)state;
    uint64_t s = 88172645463325252u;
    struct worst w = { 0, 0, 0 };
    for (int i = 0; i < 200000; i++) {
        double x[] = { next_positive(&s), next_between(&s, 0.5, 2),
                       1 + ldexp(next_between(&s, -1, 1), -(i % 53)), next_between(&s, 0, 1),
                       ldexp(next_between(&s, 0.001, 1), -1022 - i % 40) };
        for (size_t k = 0; k < SQ_COUNT(x); k++) {
            if (x[k] > 0 && x[k] != 1) {
                note(&w, ulps(sq_fn_log(x[k]), logl((long double)x[k])), x[k], 0);
            }
        }
    }
    check_worst("log, ulp", &w, 2);
}

static void log_edges(void **state)
{
    (void)state;
    assert_true(sq_fn_log(1) == 0 && !signbit(sq_fn_log(1)));
    assert_true(sq_fn_log(0) == -INFINITY);
    assert_true(sq_fn_log(INFINITY) == INFINITY);
    assert_true(isnan(sq_fn_log(-1)) && isnan(sq_fn_log(NAN)));
    assert_true(ulps(sq_fn_log(0x1p-1074), logl(0x1p-1074L)) <= 2);
    assert_true(ulps(sq_fn_log(DBL_MIN), logl((long double)DBL_MIN)) <= 2);
    assert_true(ulps(sq_fn_log(DBL_MAX), logl((long double)DBL_MAX)) <= 2);
    for (int k = -1074; k <= 1023; k++) {
        double x = ldexp(1, k);
        assert_true(k == 0 || ulps(sq_fn_log(x), logl((long double)x)) <= 2);
    }
}

static void exp_points(void **state)
{
    (void)state;
    uint64_t s = 88172645463325252u;
    struct worst w = { 0, 0, 0 };
    for (int i = 0; i < 200000; i++) {
        double x[] = { next_between(&s, -745.1, 709.7), next_between(&s, -1, 1),
                       next_between(&s, -40, 5), ldexp(next_between(&s, -1, 1), -(i % 60)),
                       next_between(&s, -745.1, -707) };
        for (size_t k = 0; k < SQ_COUNT(x); k++) {
            note(&w, ulps(sq_fn_exp(x[k]), expl((long double)x[k])), x[k], 0);
        }
    }
    check_worst("exp, ulp", &w, 2);
}

static void exp_edges(void **state)
{
    (void)state;
    assert_true(sq_fn_exp(0) == 1 && sq_fn_exp(-0.0) == 1);
    assert_true(sq_fn_exp(-745.2) == 0 && sq_fn_exp(-INFINITY) == 0);
    assert_true(sq_fn_exp(-745.13) == 0x1p-1074);
    assert_true(sq_fn_exp(709.81) == INFINITY && sq_fn_exp(INFINITY) == INFINITY);
    assert_true(ulps(sq_fn_exp(709.78), expl((long double)709.78)) <= 2);
    assert_true(sq_fn_exp(709.79) == INFINITY);
    assert_true(isnan(sq_fn_exp(NAN)));
}

static void pow_points(void **state)
{
    (void)state;
    uint64_t s = 88172645463325252u;
    struct worst w = { 0, 0, 0 };
    for (int i = 0; i < 200000; i++) {
        double x[] = { next_positive(&s), next_between(&s, 0.5, 2), next_between(&s, 0, 10),
                       1 + ldexp(next_between(&s, -1, 1), -(i % 50)) };
        for (size_t k = 0; k < SQ_COUNT(x); k++) {
            double l = x[k] == 1 || x[k] <= 0 ? 1 : (double)logl((long double)x[k]);
            double y = next_between(&s, -700, 700) / l;
            double y2 = i % 3 == 0 ? next_between(&s, -3, 3) : y;
            if (x[k] > 0 && x[k] != 1 && fabs(y2 * l) < 700) {
                long double want = powl((long double)x[k], (long double)y2);
                note(&w, ulps(sq_fn_pow(x[k], y2), want), x[k], y2);
            }
        }
    }
    check_worst("pow, ulp", &w, 4);
}

static void pow_exact(void **state)
{
    (void)state;
    static const struct {
        double x, y, want;
    } rows[] = {
        { 2, 10, 1024 },
        { 2, 64, 0x1p64 },
        { 2, -3, 0.125 },
        { 0.5, 3, 0.125 },
        { 3, 33, 5559060566555523.0 },
        { 10, 22, 1e22 },
        { 1.5, 4, 5.0625 },
        { 0.1, 1, 0.1 },
        { 7, 0, 1 },
        { 0, 0, 1 },
        { 0, 2.5, 0 },
        { 0, -1, INFINITY },
        { 1, 1e300, 1 },
        { 1, -0.5, 1 },
        { 6.25, 2, 39.0625 },
        { 0x1p-537, 2, 0x1p-1074 },
        { 2, 1024, INFINITY },
        { 2, -1100, 0 },
        { 0.5, INFINITY, 0 },
        { 2, INFINITY, INFINITY },
        { INFINITY, -1, 0 },
        { INFINITY, 2, INFINITY },
        { 0x1p40, 26, INFINITY },
        { 0x1p-40, 27, 0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        double got = sq_fn_pow(rows[i].x, rows[i].y);
        if (got != rows[i].want) {
            fail_msg("%g ^ %g = %.17g", rows[i].x, rows[i].y, got);
        }
    }
    assert_true(isnan(sq_fn_pow(-2, 2)) && isnan(sq_fn_pow(NAN, 2)) && isnan(sq_fn_pow(2, NAN)));
    for (int i = 0; i <= 64; i++) { /* powers of two, as in exponential backoff */
        assert_true(sq_fn_pow(2, i) == ldexp(1, i));
    }
}

/* By mpmath 1.3 with 40 digits, rounded. */
static const struct {
    double p, z;
} quantiles[] = {
    { 1e-300, -37.047096299361199237 },      { 1e-100, -21.273453560965324294 },
    { 1e-20, -9.2623400897984075796 },       { 1e-10, -6.3613409024040561991 },
    { 1e-5, -4.2648907939228246102 },        { 0.001, -3.0902323061678135354 },
    { 0.02425, -1.9729610513118848376 },     { 0.05, -1.644853626951472688 },
    { 0.074, -1.4466320671589785099 },       { 0.076, -1.4325027208258116188 },
    { 0.25, -0.6744897501960817432 },        { 0.4, -0.25334710313579974132 },
    { 0.5000001, 2.5066282733116483012e-7 }, { 0.9, 1.2815515655446005935 },
    { 0.975, 1.9599639845400538556 },        { 0.999999, 4.7534243088170877657 },
};

static void quantile_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(quantiles); i++) {
        double got = sq_fn_normal_quantile(quantiles[i].p);
        double off = fabs(got / quantiles[i].z - 1);
        if (!(off < 1e-15)) {
            fail_msg("p = %.17g: %.17g, off by %g", quantiles[i].p, got, off);
        }
    }
    assert_true(sq_fn_normal_quantile(0.5) == 0);
    assert_true(sq_fn_normal_quantile(0) == -INFINITY && sq_fn_normal_quantile(1) == INFINITY);
    assert_true(isnan(sq_fn_normal_quantile(-0.1)) && isnan(sq_fn_normal_quantile(NAN)));
}

/* One Newton step with libm's erfc: the error of z is (P(Z <= z) - p) / density(z). Odd where 1-p
 * is exact, and rising. */
static void quantile_points(void **state)
{
    (void)state;
    uint64_t s = 88172645463325252u;
    struct worst w = { 0, 0, 0 };
    for (int i = 0; i < 100000; i++) {
        double p = i % 2 ? next_between(&s, 0, 0.5) : sq_fn_exp(next_between(&s, -700, -0.7));
        p = p > 0 ? p : 0x1p-53;
        long double z = (long double)sq_fn_normal_quantile(p);
        long double tail = erfcl(-z / sqrtl(2)) / 2 - (long double)p;
        long double off = tail / expl(-z * z / 2) * sqrtl(8 * atanl(1));
        note(&w, (double)fabsl(off / z), p, 0);
        double q = 1 - p;
        assert_true(1 - q != p || sq_fn_normal_quantile(q) == -(double)z);
    }
    check_worst("normal quantile, relative", &w, 1e-15);
    double last = -INFINITY;
    for (int i = 1; i < 100000; i++) {
        double z = sq_fn_normal_quantile(i / 1e5);
        assert_true(z > last);
        last = z;
    }
}

static void cosine(void **state)
{
    (void)state;
    uint64_t s = 88172645463325252u;
    const long double two_pi = 8 * atanl(1);
    struct worst w = { 0, 0, 0 };
    for (int i = 0; i < 100000; i++) {
        double t = i % 2 ? next_between(&s, -1, 1) : next_between(&s, -1e4, 1e4);
        long double want = cosl(two_pi * (long double)(t - trunc(t)));
        note(&w, (double)fabsl((long double)sq_fn_cos_turn(t) - want) * 0x1p53, t, 0);
    }
    check_worst("cosine, units of 2^-53", &w, 8);
    static const double exact[][2] = { { 0, 1 },     { 0.25, 0 }, { 0.5, -1 }, { 0.75, 0 },
                                       { -0.25, 0 }, { 12, 1 },   { 1e18, 1 }, { 1e300, 1 } };
    for (size_t i = 0; i < SQ_COUNT(exact); i++) {
        assert_true(sq_fn_cos_turn(exact[i][0]) == exact[i][1]);
    }
    assert_true(isnan(sq_fn_cos_turn(INFINITY)) && isnan(sq_fn_cos_turn(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_points),     cmocka_unit_test(log_edges),
        cmocka_unit_test(exp_points),     cmocka_unit_test(exp_edges),
        cmocka_unit_test(pow_points),     cmocka_unit_test(pow_exact),
        cmocka_unit_test(quantile_table), cmocka_unit_test(quantile_points),
        cmocka_unit_test(cosine),
    };
    return cmocka_run_group_tests_name("fn", tests, NULL, NULL);
}
