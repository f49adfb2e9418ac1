/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_infer.c - what several runs say together. */
#include "sim/core/sq_infer.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/sq_mem.h"
#include "sim/core/sq_math.h"
#include "sim/core/sq_stat.h"

double sq_infer_student_quantile(double p, double df)
{
    return sq_math_student_quantile(p, df);
}

double sq_infer_normal_quantile(double p)
{
    return sq_math_normal_quantile(p);
}

static int by_value(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

/* The mean of sorted values, in two passes: the second collects what rounding took. */
static double sorted_mean(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += v[i];
    }
    double mean = sum / (double)n;
    if (isinf(mean)) {
        return mean;
    }
    double rest = 0;
    for (size_t i = 0; i < n; i++) {
        rest += v[i] - mean;
    }
    return mean + rest / (double)n;
}

/* Half the width of the 95 % Student interval of the mean. */
static double student_half_width(const double *v, size_t n, double mean)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        squares += (v[i] - mean) * (v[i] - mean);
    }
    double df = (double)(n - 1);
    return sq_math_student_quantile(0.975, df) * sqrt(squares / df / (double)n);
}

/* Cuts the sorted values at the widest gap that leaves a tenth of them on either side, and
 * compares the gap with the wider of the two groups (SCENARIO 12.5). Two heaps of equal values
 * have no width at all: any gap between them counts. Returns the size of the lower group, 0 when
 * there is one group only. */
static size_t two_groups(const double *v, size_t n)
{
    size_t least = (n + 9) / 10;
    size_t cut = least;
    if (n < 8) {
        return 0;
    }
    for (size_t i = least; i <= n - least; i++) {
        if (v[i] - v[i - 1] > v[cut] - v[cut - 1]) {
            cut = i;
        }
    }
    double gap = v[cut] - v[cut - 1];
    double below = v[cut - 1] - v[0];
    double above = v[n - 1] - v[cut];
    return gap > 3 * (below > above ? below : above) ? cut : 0;
}

static double order_statistic(const double *v, size_t n, double q)
{
    return v[sq_stat_rank(q, (int64_t)n) - 1];
}

static void part(const double *v, size_t n, struct sq_spread *s)
{
    size_t cut = two_groups(v, n);
    s->bimodal = cut > 0;
    if (s->bimodal) {
        s->group[0] = (struct sq_group){ (int64_t)cut, order_statistic(v, cut, 0.5) };
        s->group[1] =
            (struct sq_group){ (int64_t)(n - cut), order_statistic(v + cut, n - cut, 0.5) };
    }
}

enum sq_status sq_infer_spread(const double *values, size_t count, struct sq_spread *out)
{
    struct sq_spread s = { .mean = NAN,
                           .min = NAN,
                           .p10 = NAN,
                           .p50 = NAN,
                           .p90 = NAN,
                           .max = NAN,
                           .lo = NAN,
                           .hi = NAN };
    double *v = sq_mem_alloc(count + 1, sizeof *v);
    size_t n = 0;
    if (v == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (!isnan(values[i])) {
            v[n++] = values[i];
        }
    }
    if (n > 0) {
        qsort(v, n, sizeof *v, by_value);
        s.n = (int64_t)n;
        s.mean = sorted_mean(v, n);
        s.min = v[0];
        s.p10 = order_statistic(v, n, 0.1);
        s.p50 = order_statistic(v, n, 0.5);
        s.p90 = order_statistic(v, n, 0.9);
        s.max = v[n - 1];
        part(v, n, &s);
    }
    if (n > 1) {
        double half = student_half_width(v, n, s.mean);
        s.lo = s.mean - half;
        s.hi = s.mean + half;
    }
    sq_mem_free(v);
    *out = s;
    return SQ_OK;
}

/* E. B. Wilson, Journal of the American Statistical Association 22 (1927) 209-212. The ends 0 and
 * 1 are set, because rounding would leave a trace there. */
void sq_infer_wilson(int64_t hits, int64_t n, double *lo, double *hi)
{
    const double z = 1.95996398454005423552; /* the normal 97.5 % point */
    SQ_ASSERT(hits >= 0);
    SQ_ASSERT(hits <= n);
    if (n == 0) {
        *lo = 0;
        *hi = 1;
        return;
    }
    double count = (double)n;
    double share = (double)hits / count;
    double centre = share + z * z / (2 * count);
    double half = z * sqrt((share * (1 - share) + z * z / (4 * count)) / count);
    double scale = 1 + z * z / count;
    *lo = hits == 0 ? 0 : (centre - half) / scale;
    *hi = hits == n ? 1 : (centre + half) / scale;
}

/* P(X >= k) = I_p(k, n - k + 1): Abramowitz and Stegun 26.5.24. */
double sq_infer_binomial_tail(int64_t k, int64_t n, double p)
{
    SQ_ASSERT(n >= 0);
    SQ_ASSERT(p >= 0);
    SQ_ASSERT(p <= 1);
    if (k <= 0) {
        return 1;
    }
    return k > n ? 0 : sq_math_beta(p, (double)k, (double)(n - k) + 1);
}
