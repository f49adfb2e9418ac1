/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_dist.c - durations by inverse CDF. */
#include "sim/core/sq_dist.h"

#include <math.h>

#include "sim/core/sq_fn.h"
#include "sim/core/sq_gamma.h"

struct sq_dist sq_dist_constant(sq_time_t value)
{
    SQ_ASSERT(value >= 0);
    return (
        struct sq_dist){ .kind = SQ_DIST_CONSTANT, .a = sq_time_to_s(value), .constant = value };
}

struct sq_dist sq_dist_uniform(sq_time_t min, sq_time_t max)
{
    SQ_ASSERT(min >= 0);
    SQ_ASSERT(min <= max);
    return (
        struct sq_dist){ .kind = SQ_DIST_UNIFORM, .a = sq_time_to_s(min), .b = sq_time_to_s(max) };
}

struct sq_dist sq_dist_exponential(sq_time_t mean)
{
    SQ_ASSERT(mean >= 0);
    return (struct sq_dist){ .kind = SQ_DIST_EXPONENTIAL, .a = sq_time_to_s(mean) };
}

struct sq_dist sq_dist_lognormal(sq_time_t mean, double cv)
{
    SQ_ASSERT(mean >= 0);
    SQ_ASSERT(cv >= 0);
    if (mean == 0 || cv == 0) {
        return sq_dist_constant(mean);
    }
    double variance = sq_gamma_log_1_plus(cv * cv);
    return (struct sq_dist){ .kind = SQ_DIST_LOGNORMAL,
                             .a = sq_fn_log(sq_time_to_s(mean)) - variance / 2,
                             .b = sqrt(variance) };
}

struct sq_dist sq_dist_normal(sq_time_t mean, sq_time_t sd)
{
    SQ_ASSERT(mean >= 0);
    SQ_ASSERT(sd >= 0);
    return (
        struct sq_dist){ .kind = SQ_DIST_NORMAL, .a = sq_time_to_s(mean), .b = sq_time_to_s(sd) };
}

struct sq_dist sq_dist_gamma(sq_time_t mean, double cv, const double *table)
{
    SQ_ASSERT(mean >= 0);
    SQ_ASSERT(cv >= 0);
    if (mean == 0 || cv == 0) {
        return sq_dist_constant(mean);
    }
    SQ_ASSERT(table != NULL);
    double mean_s = sq_time_to_s(mean);
    return (struct sq_dist){
        .kind = SQ_DIST_GAMMA, .a = sq_fn_log(mean_s), .mean = mean_s, .table = table
    };
}

struct sq_dist sq_dist_weibull(sq_time_t mean, double shape)
{
    SQ_ASSERT(mean >= 0);
    SQ_ASSERT(shape > 0);
    double mean_s = sq_time_to_s(mean);
    return (struct sq_dist){ .kind = SQ_DIST_WEIBULL,
                             .a = mean_s * sq_fn_exp(-sq_gamma_log(1 + 1 / shape)),
                             .b = 1 / shape,
                             .mean = mean_s };
}

/* (1 - e^(-b t)) / b, which is t for b = 0. */
static double one_minus_exp(double b, double t)
{
    double x = b * t;
    if (fabs(x) > 1e-3) {
        return (1 - sq_fn_exp(-x)) / b;
    }
    return t * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5))));
}

/* With t = log(max / min): share = 1 - e^(-shape t), and
 * mean = min shape / share * integral of e^((1 - shape) s) over [0, t]. */
struct sq_dist sq_dist_pareto(sq_time_t min, double shape, sq_time_t max)
{
    SQ_ASSERT(min >= 0);
    SQ_ASSERT(shape > 0);
    SQ_ASSERT(max >= min);
    if (min == 0 || max == min) {
        return sq_dist_constant(min);
    }
    double a = sq_time_to_s(min);
    struct sq_dist d = { .kind = SQ_DIST_PARETO, .a = a, .b = 1 / shape, .c = 1, .constant = max };
    if (max == SQ_NEVER) {
        d.mean = shape > 1 ? a * shape / (shape - 1) : (double)INFINITY;
        return d;
    }
    double t = sq_fn_log(sq_time_to_s(max) / a);
    double over_shape = one_minus_exp(shape, t);
    d.c = shape * over_shape;
    d.mean = a / over_shape * one_minus_exp(shape - 1, t);
    return d;
}

struct sq_dist sq_dist_table(const double *pairs, uint32_t count)
{
    SQ_ASSERT(count >= 1);
    for (size_t i = 1; i < count; i++) {
        SQ_ASSERT(pairs[2 * i] > pairs[2 * i - 2]);
        SQ_ASSERT(pairs[2 * i + 1] >= pairs[2 * i - 1]);
    }
    return (struct sq_dist){ .kind = SQ_DIST_TABLE, .table = pairs, .table_count = count };
}

/* [min, max): a variate that rounds up to max becomes the nanosecond before it. */
static sq_time_t uniform_at(const struct sq_dist *d, double u)
{
    sq_time_t max = sq_time_from_s(d->b);
    sq_time_t t = sq_time_from_s(d->a + u * (d->b - d->a));
    return t >= max && d->a < d->b ? max - 1 : t;
}

static sq_time_t pareto_at(const struct sq_dist *d, double u)
{
    sq_time_t t = sq_time_from_s(d->a * sq_fn_pow(1 - u * d->c, -d->b));
    return sq_min_i64(t, d->constant); /* rounding alone may pass max */
}

/* Linear between the two pairs around u; flat outside the table. */
static double table_at(const struct sq_dist *d, double u)
{
    const double *t = d->table;
    size_t low = 0;
    size_t high = d->table_count; /* p[low] <= u < p[high], with p[count] = infinity */
    if (u <= t[0]) {
        return t[1];
    }
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (t[2 * mid] <= u) {
            low = mid;
        } else {
            high = mid;
        }
    }
    const double *here = t + 2 * low;
    if (high == d->table_count) {
        return here[1];
    }
    double share = (u - here[0]) / (here[2] - here[0]);
    double value = here[1] + share * (here[3] - here[1]);
    return value < here[3] ? value : here[3];
}

sq_time_t sq_dist_at(const struct sq_dist *d, double u)
{
    SQ_DEBUG_ASSERT(u > 0);
    SQ_DEBUG_ASSERT(u < 1);
    switch (d->kind) {
    case SQ_DIST_CONSTANT:
        return d->constant;
    case SQ_DIST_UNIFORM:
        return uniform_at(d, u);
    case SQ_DIST_EXPONENTIAL:
        return sq_time_from_s(-d->a * sq_fn_log(1 - u));
    case SQ_DIST_LOGNORMAL:
        return sq_time_from_s(sq_fn_exp(d->a + d->b * sq_fn_normal_quantile(u)));
    case SQ_DIST_NORMAL:
        return sq_time_from_s(d->a + d->b * sq_fn_normal_quantile(u));
    case SQ_DIST_GAMMA:
        return sq_time_from_s(sq_fn_exp(d->a + sq_gamma_at(d->table, u)));
    case SQ_DIST_WEIBULL:
        return sq_time_from_s(d->a * sq_fn_pow(-sq_fn_log(1 - u), d->b));
    case SQ_DIST_PARETO:
        return pareto_at(d, u);
    case SQ_DIST_TABLE:
        return sq_time_from_s(table_at(d, u));
    }
    sq_panic(__FILE__, __LINE__, "unknown kind of distribution");
}

/* E max(0, X) = mean + sd (phi(z) - z P(Z > z)) with z = mean / sd >= 0. Here
 * P(Z <= z) = 1/2 + phi(z) (z + z^3/3 + z^5/15 + ...): G. Marsaglia, Evaluating the normal
 * distribution, Journal of Statistical Software 11/4 (2004). */
static double normal_mean(double mean, double sd)
{
    const double inverse_root_two_pi = 0.39894228040143267794;
    if (sd == 0 || mean > 8 * sd) { /* the part below 0 is less than 1e-16 of the mean */
        return mean;
    }
    double z = mean / sd;
    double phi = inverse_root_two_pi * sq_fn_exp(-z * z / 2);
    double term = z;
    double sum = 0;
    for (int i = 3; sum + term != sum; i += 2) {
        sum += term;
        term = term * z * z / i;
    }
    return mean + sd * (phi - z * (0.5 - phi * sum));
}

static double table_mean(const struct sq_dist *d)
{
    const double *t = d->table;
    size_t last = d->table_count - 1;
    double low = t[0] > 0 ? t[0] : 0;
    double high = t[2 * last] < 1 ? t[2 * last] : 1;
    double sum = t[1] * low + t[2 * last + 1] * (1 - high);
    for (size_t i = 0; i < last; i++) {
        sum += (t[2 * i + 2] - t[2 * i]) * (t[2 * i + 1] + t[2 * i + 3]) / 2;
    }
    return sum;
}

double sq_dist_mean_s(const struct sq_dist *d)
{
    switch (d->kind) {
    case SQ_DIST_CONSTANT:
    case SQ_DIST_EXPONENTIAL:
        return d->a;
    case SQ_DIST_UNIFORM:
        return d->a + (d->b - d->a) / 2;
    case SQ_DIST_LOGNORMAL:
        return sq_fn_exp(d->a + d->b * d->b / 2);
    case SQ_DIST_NORMAL:
        return normal_mean(d->a, d->b);
    case SQ_DIST_GAMMA:
    case SQ_DIST_WEIBULL:
    case SQ_DIST_PARETO:
        return d->mean;
    case SQ_DIST_TABLE:
        return table_mean(d);
    }
    sq_panic(__FILE__, __LINE__, "unknown kind of distribution");
}
