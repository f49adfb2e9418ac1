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
    SQ_DIST_GAMMA,       /* a = log of mean, with a table of sq_gamma_fill */
    SQ_DIST_WEIBULL,     /* a = scale, b = 1 / shape */
    SQ_DIST_PARETO,      /* a = min, b = 1 / shape, c = share below max, the unlimited one's */
    SQ_DIST_TABLE,       /* quantile table, linear between pairs */
};

struct sq_dist {
    enum sq_dist_kind kind;
    double a, b;         /* seconds */
    sq_time_t constant;  /* CONSTANT: the value, exact */
    const double *table; /* borrowed. TABLE: [p, seconds] pairs with rising p; GAMMA: knots */
    uint32_t table_count;
    double c, mean; /* mean: GAMMA, WEIBULL, PARETO, in seconds */
};

struct sq_dist sq_dist_constant(sq_time_t value);
struct sq_dist sq_dist_uniform(sq_time_t min, sq_time_t max);
struct sq_dist sq_dist_exponential(sq_time_t mean);

/* mean and cv of the variate itself: sigma^2 = log(1 + cv^2), mu = log(mean) - sigma^2 / 2. */
struct sq_dist sq_dist_lognormal(sq_time_t mean, double cv);

/* mean and sd before the values below 0 become 0. */
struct sq_dist sq_dist_normal(sq_time_t mean, sq_time_t sd);

/* mean and cv of the variate itself. `table` is borrowed and made by sq_gamma_fill for this cv; it
 * may be NULL when mean or cv is 0 (then every draw is the mean). */
struct sq_dist sq_dist_gamma(sq_time_t mean, double cv, const double *table);

/* shape > 0; scale = mean / Gamma(1 + 1 / shape). */
struct sq_dist sq_dist_weibull(sq_time_t mean, double shape);

/* P(X > x) = (min / x)^shape, given that X <= max (SQ_NEVER: no bound). shape > 0, max >= min.
 * The mean is infinite without a bound when shape <= 1. */
struct sq_dist sq_dist_pareto(sq_time_t min, double shape, sq_time_t max);

/* Quantile function through `count` >= 1 pairs [p, seconds]: p rising strictly within [0, 1],
 * seconds not falling (asserted); linear between pairs and flat outside. Borrows the pairs. */
struct sq_dist sq_dist_table(const double *pairs, uint32_t count);

/* The variate for the uniform 0 < u < 1. Never allocates. */
sq_time_t sq_dist_at(const struct sq_dist *d, double u);

/* Expected value in seconds. */
double sq_dist_mean_s(const struct sq_dist *d);

#endif
