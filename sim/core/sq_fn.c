/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_fn.c - log, exp, power, normal quantile and cosine from + - * / sqrt alone.
 *
 * Method of log and exp: reduce by powers of two, then a Taylor polynomial long enough that its
 * remainder is far below the rounding of a double; the coefficients are therefore plain
 * fractions. Where one double is too short (the logarithm inside a power) a value is an
 * unevaluated sum hi + lo (T. J. Dekker, Numerische Mathematik 18, 1971, 224-242). */
#include "sim/core/sq_fn.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* log 2 = LN2_HI + LN2_LO to 95 bits. LN2_HI ends 11 bits early: k * LN2_HI is exact, |k| < 2^11.
 */
#define LN2_HI  0x1.62e42fefa3800p-1
#define LN2_LO  0x1.ef35793c76730p-45
#define LOG2_E  0x1.71547652b82fep+0
#define SQRT1_2 0x1.6a09e667f3bcdp-1
#define TWO_PI  0x1.921fb54442d18p+2

struct pair {
    double hi, lo; /* the value is hi + lo, |lo| <= ulp(hi) / 2 */
};

static uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static double from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* 2^k for -1022 <= k <= 1023. */
static double power_of_two(int k)
{
    return from_bits((uint64_t)(k + 1023) << 52);
}

/* x = m * 2^k with sqrt(1/2) <= m < sqrt 2, for finite x > 0. Exact. */
static double split_binary(double x, int *k)
{
    int e = 0;
    if (x < 0x1p-1022) { /* subnormal: make it normal first */
        x *= 0x1p54;
        e = -54;
    }
    uint64_t u = bits_of(x);
    e += (int)(u >> 52) - 1022;
    double m = from_bits((u & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3fe0000000000000));
    if (m < SQRT1_2) {
        m *= 2;
        e--;
    }
    *k = e;
    return m;
}

/* With f = m - 1 and s = f / (2 + f):  log m = 2 atanh s = 2 s + s r,  r = z (2/3 + z t(z)), z =
 * s^2. This is t(z) = 2/5 + 2 z/7 + ... As |s| < 0.1716, the terms up to s^22 leave a remainder
 * below 2^-60 of the logarithm. */
static double atanh_tail(double z)
{
    double w = z * z;
    double even = 2.0 / 5 + w * (2.0 / 9 + w * (2.0 / 13 + w * (2.0 / 17 + w * (2.0 / 21))));
    double odd = 2.0 / 7 + w * (2.0 / 11 + w * (2.0 / 15 + w * (2.0 / 19 + w * (2.0 / 23))));
    return even + z * odd;
}

/* Since 2 s = f - s f and s f = f^2/2 - s f^2/2:  log m = f - (f^2/2 - s (f^2/2 + r)), where f is
 * exact and everything subtracted from it is small. */
double sq_fn_log(double x)
{
    if (!(x > 0) || isinf(x)) {
        return x == 0 ? -INFINITY : x > 0 ? x : NAN;
    }
    int k;
    double f = split_binary(x, &k) - 1;
    double s = f / (2 + f);
    double z = s * s;
    double half = 0.5 * f * f;
    double inner = s * (half + z * (2.0 / 3 + z * atanh_tail(z)));
    return k * LN2_HI - ((half - (inner + k * LN2_LO)) - f);
}

/* exp(hi + lo) = 2^k exp r with |r| < 0.35. The Taylor terms up to r^13 leave a remainder below
 * 2^-57. */
static double exp_pair(double hi, double lo)
{
    int k = (int)(hi * LOG2_E + (hi < 0 ? -0.5 : 0.5));
    double top = hi - k * LN2_HI; /* exact */
    double low = lo - k * LN2_LO;
    double r = top + low;
    low -= r - top;
    double z = r * r;
    double even =
        1.0 / 2 +
        z * (1.0 / 24 +
             z * (1.0 / 720 + z * (1.0 / 40320 + z * (1.0 / 3628800 + z * (1.0 / 479001600)))));
    double odd =
        1.0 / 6 +
        z * (1.0 / 120 +
             z * (1.0 / 5040 + z * (1.0 / 362880 + z * (1.0 / 39916800 + z * (1.0 / 6227020800)))));
    double y = 1 + (r + (z * (even + r * odd) + low));
    if (k >= -1021 && k <= 1022) {
        return y * power_of_two(k);
    }
    return k > 0 ? y * power_of_two(k - 1) * 2 : y * power_of_two(k + 100) * 0x1p-100;
}

double sq_fn_exp(double x)
{
    if (!(x > -745.2)) {
        return x < 0 ? 0 : NAN;
    }
    return x > 709.8 ? INFINITY : exp_pair(x, 0);
}

static struct pair quick_sum(double big, double small)
{
    double hi = big + small;
    return (struct pair){ hi, small - (hi - big) };
}

/* a * b = hi + lo exactly, by splitting each factor into halves of 26 bits. */
static struct pair product(double a, double b)
{
    double ta = 134217729.0 * a; /* 2^27 + 1 */
    double tb = 134217729.0 * b;
    double ah = ta - (ta - a);
    double bh = tb - (tb - b);
    double al = a - ah;
    double bl = b - bh;
    double hi = a * b;
    return (struct pair){ hi, ((ah * bh - hi) + ah * bl + al * bh) + al * bl };
}

static struct pair product_pairs(struct pair a, struct pair b)
{
    struct pair p = product(a.hi, b.hi);
    return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* log x to about 2^-63 of its value: the terms 2 s and 2 s^3/3 as pairs, the rest in doubles. */
static struct pair log_pair(double x)
{
    int k;
    double f = split_binary(x, &k) - 1;
    struct pair d = quick_sum(2, f);
    double sh = f / d.hi;
    struct pair back = product(sh, d.hi);
    struct pair s = { sh, ((f - back.hi) - back.lo - sh * d.lo) / d.hi };
    struct pair z = product_pairs(s, s);
    struct pair third = { 0x1.5555555555555p-1, 0x1.5555555555555p-55 }; /* 2/3 */
    struct pair cube = product_pairs(product_pairs(s, z), third);
    double rest = s.hi * z.hi * z.hi * atanh_tail(z.hi);
    struct pair sum = quick_sum(2 * s.hi, cube.hi);
    double low = sum.lo + (2 * s.lo + cube.lo + rest);
    sum = quick_sum(sum.hi, low);
    struct pair all = quick_sum(k * LN2_HI, sum.hi);
    if (k == 0) {
        return sum;
    }
    return quick_sum(all.hi, all.lo + (sum.lo + k * LN2_LO));
}

/* x^y by whole numbers if the result fits a double exactly: x = m 2^e with odd m. */
static bool power_exact(double x, double y, double *out)
{
    if (!(y >= -64 && y <= 64) || y != (int)y) {
        return false;
    }
    int e;
    uint64_t m = (uint64_t)(frexp(x, &e) * 0x1p53);
    int zeros = __builtin_ctzll(m); /* x > 0: m is not 0 */
    m >>= zeros;
    e += zeros - 53;
    int n = (int)y;
    if (n < 0 && m != 1) {
        return false;
    }
    uint64_t p = 1;
    for (int i = 0; i < n && m != 1; i++) {
        if (__builtin_mul_overflow(p, m, &p) || p >> 53 != 0) {
            return false;
        }
    }
    int scale = e * n;
    if (scale < -1074 || scale > 1023) {
        return false;
    }
    *out = ldexp((double)p, scale);
    return true;
}

double sq_fn_pow(double x, double y)
{
    double exact;
    if (y == 0) {
        return 1;
    }
    if (!(x > 0)) {
        return x == 0 && y > 0 ? 0 : x == 0 && y < 0 ? INFINITY : NAN;
    }
    if (isnan(y) || x == 1) {
        return isnan(y) ? y : 1;
    }
    if (isinf(x) || isinf(y)) {
        return (x > 1) == (y > 0) ? INFINITY : 0;
    }
    if (power_exact(x, y, &exact)) {
        return exact;
    }
    struct pair l = log_pair(x);
    double rough = l.hi * y;
    if (!(rough > -746 && rough < 710)) {
        return rough > 0 ? INFINITY : 0;
    }
    struct pair p = product(l.hi, y);
    p = quick_sum(p.hi, p.lo + l.lo * y);
    return exp_pair(p.hi, p.lo);
}

/* Horner, highest coefficient last. */
static double horner8(const double c[8], double x)
{
    double y = c[7];
    for (int i = 6; i >= 0; i--) {
        y = y * x + c[i];
    }
    return y;
}

/* AS 241 PPND16: rational functions of (0.425^2 - q^2) in the middle and of sqrt(-log tail)
 * outside; the letters are those of the paper. */
double sq_fn_normal_quantile(double p)
{
    static const double a[8] = { 3.3871328727963666080e0,  1.3314166789178437745e+2,
                                 1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                 3.3430575583588128105e+4, 2.5090809287301226727e+3 };
    static const double b[8] = { 1.0,
                                 4.2313330701600911252e+1,
                                 6.8718700749205790830e+2,
                                 5.3941960214247511077e+3,
                                 2.1213794301586595867e+4,
                                 3.9307895800092710610e+4,
                                 2.8729085735721942674e+4,
                                 5.2264952788528545610e+3 };
    static const double c[8] = { 1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4 };
    static const double d[8] = { 1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9 };
    static const double e[8] = { 6.65790464350110377720e0,  5.46378491116411436990e0,
                                 1.78482653991729133580e0,  2.96560571828504891230e-1,
                                 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7 };
    static const double f[8] = { 1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15 };
    if (!(p > 0 && p < 1)) {
        return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    }
    double q = p - 0.5;
    if (q >= -0.425 && q <= 0.425) {
        double r = 0.180625 - q * q;
        return q * horner8(a, r) / horner8(b, r);
    }
    double r = sqrt(-sq_fn_log(q < 0 ? p : 1 - p));
    double x =
        r <= 5 ? horner8(c, r - 1.6) / horner8(d, r - 1.6) : horner8(e, r - 5) / horner8(f, r - 5);
    return q < 0 ? -x : x;
}

/* Taylor on an eighth of a turn: cos to x^16, sin to x^17; remainders below 2^-58. */
static double eighth_turn(double turns, bool sine)
{
    double x = TWO_PI * turns;
    double z = x * x;
    double term = sine ? x : 1;
    double sum = 0;
    double terms[9];
    for (int i = 0; i < 9; i++) {
        terms[i] = term;
        int n = 2 * i + (sine ? 2 : 1);
        term = -term * z / (n * (n + 1));
    }
    for (int i = 8; i >= 0; i--) { /* smallest first */
        sum += terms[i];
    }
    return sum;
}

/* The reductions are exact: cosine is even, has period 1 and is odd about a quarter turn. */
double sq_fn_cos_turn(double turns)
{
    double t = turns < 0 ? -turns : turns;
    if (!(t < 0x1p62)) {
        return isnan(t) || isinf(t) ? NAN : 1;
    }
    t -= (double)(int64_t)t;
    if (t > 0.5) {
        t = 1 - t;
    }
    double sign = 1;
    if (t > 0.25) {
        t = 0.5 - t;
        sign = -1;
    }
    return sign * (t <= 0.125 ? eighth_turn(t, false) : eighth_turn(0.25 - t, true));
}
