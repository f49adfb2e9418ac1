/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_dist.c - durations by inverse CDF. */
#include "sim/core/sq_dist.h"

#include <math.h>

#include "sim/core/sq_fn.h"

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

/* log(1 + x) for x >= 0, also when 1 + x rounds: the quotient corrects for the part of x that
 * was lost. */
static double log_1_plus(double x)
{
    double y = 1 + x;
    return sq_fn_log(y) - ((y - 1) - x) / y;
}

struct sq_dist sq_dist_lognormal(sq_time_t mean, double cv)
{
    SQ_ASSERT(mean >= 0);
    SQ_ASSERT(cv >= 0);
    if (mean == 0 || cv == 0) {
        return sq_dist_constant(mean);
    }
    double variance = log_1_plus(cv * cv);
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
    case SQ_DIST_TABLE:
        return table_mean(d);
    }
    sq_panic(__FILE__, __LINE__, "unknown kind of distribution");
}
