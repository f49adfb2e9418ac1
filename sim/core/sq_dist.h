/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_dist.h - distributions of durations, sampled by inverse CDF: one uniform, one variate,
 * monotone in the uniform (so that common random numbers stay common). Values are seconds inside
 * and are rounded to nanoseconds once; a negative value becomes 0. The kinds and their parameters
 * are SCENARIO.md section 1 "Distributions". */
#ifndef SQ_DIST_H
#define SQ_DIST_H

#include "sim/base/sq_base.h"

enum sq_dist_kind {
    SQ_DIST_CONSTANT,    /* a = value */
    SQ_DIST_UNIFORM,     /* a = min, b = max: on [min, max) */
    SQ_DIST_EXPONENTIAL, /* a = mean */
    SQ_DIST_LOGNORMAL,   /* a = mean of log, b = sd of log; see sq_dist_lognormal */
    SQ_DIST_NORMAL,      /* a = mean, b = sd, truncated at 0 by taking max(0, x) */
    SQ_DIST_TABLE,       /* quantile table, monotone interpolation: gamma, empirical */
};

struct sq_dist {
    enum sq_dist_kind kind;
    double a, b;         /* seconds */
    sq_time_t constant;  /* CONSTANT: the value, exact */
    const double *table; /* TABLE: borrowed, [p, seconds] pairs with rising p */
    uint32_t table_count;
};

struct sq_dist sq_dist_constant(sq_time_t value);
struct sq_dist sq_dist_uniform(sq_time_t min, sq_time_t max);
struct sq_dist sq_dist_exponential(sq_time_t mean);

/* mean and cv of the variate itself: sigma^2 = log(1 + cv^2), mu = log(mean) - sigma^2 / 2. */
struct sq_dist sq_dist_lognormal(sq_time_t mean, double cv);

/* mean and sd before the values below 0 become 0. */
struct sq_dist sq_dist_normal(sq_time_t mean, sq_time_t sd);

/* Quantile function through `count` >= 1 pairs [p, seconds]: p rising strictly within [0, 1],
 * seconds not falling (asserted); linear between pairs and flat outside. Borrows the pairs. */
struct sq_dist sq_dist_table(const double *pairs, uint32_t count);

/* The variate for the uniform 0 < u < 1. Never allocates. */
sq_time_t sq_dist_at(const struct sq_dist *d, double u);

/* Expected value in seconds. */
double sq_dist_mean_s(const struct sq_dist *d);

#endif
