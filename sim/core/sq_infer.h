/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_infer.h - what several runs say together. Quantiles and tails by GSL (sq_math.c is its one
 * door; call sq_math_init first).
 * Values that are NaN are nulls: they are left out and counted. */
#ifndef SQ_INFER_H
#define SQ_INFER_H

#include "sim/base/sq_base.h"

/* One of two groups of values: how many, and their own median. */
struct sq_group {
    int64_t n;
    double p50;
};

struct sq_spread {
    int64_t n; /* values that are not null */
    double mean, min, p10, p50, p90, max;
    double lo, hi; /* 95 % Student interval of the mean; NaN when n < 2 */
    bool bimodal;  /* two groups, gap > 3 x the larger inner spread; each >= 10 % of n, n >= 8 */
    struct sq_group group[2]; /* the lower and the upper one; of nothing unless bimodal */
};

/* Order statistics are ceil(q n). `values` is not changed. SQ_NOMEM possible. */
enum sq_status sq_infer_spread(const double *values, size_t count,
                               struct sq_spread *out) SQ_MUST_USE;

/* Wilson score interval of a share, 95 % two-sided. n = 0 gives [0, 1]. */
void sq_infer_wilson(int64_t hits, int64_t n, double *lo, double *hi);

double sq_infer_student_quantile(double p, double df);
double sq_infer_normal_quantile(double p);

/* P(X >= k) for X ~ Binomial(n, p). */
double sq_infer_binomial_tail(int64_t k, int64_t n, double p);

#endif
