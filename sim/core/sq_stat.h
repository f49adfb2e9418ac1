/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_stat.h - what a run measures about itself: time-weighted levels and samples of durations.
 * All exact in integers, so results do not depend on the order of summing. */
#ifndef SQ_STAT_H
#define SQ_STAT_H

#include "sim/base/sq_base.h"

/* A level: a count that changes at instants (jobs ready, calls in flight). Its area is exact.
 * A zeroed struct is a level of 0 since time 0. Invariant: now >= 0. */
struct sq_level {
    int64_t now, max, bin_max; /* bin_max: largest since sq_level_bin */
    sq_time_t since;
    unsigned __int128 area;   /* integral of the level, count x ns, up to `since` */
    unsigned __int128 before; /* and what it was at restarts */
};

/* Moves the level by `by` at time `at` (>= the last change). Asserts that it stays >= 0. */
static inline void sq_level_move(struct sq_level *l, sq_time_t at, int64_t by)
{
    l->area += (unsigned __int128)((uint64_t)l->now) * (uint64_t)(at - l->since);
    l->since = at;
    l->now += by;
    SQ_ASSERT(l->now >= 0);
    if (l->now > l->max) {
        l->max = l->now;
    }
    if (l->now > l->bin_max) {
        l->bin_max = l->now;
    }
}

static inline void sq_level_set(struct sq_level *l, sq_time_t at, int64_t value)
{
    sq_level_move(l, at, value - l->now);
}

/* Restarts the measurement at `at` (measure_from): area 0, max = present value. Bins go on. */
void sq_level_restart(struct sq_level *l, sq_time_t at);

/* Integral since time 0, restarts or not: for those in the world who look at it. */
static inline unsigned __int128 sq_level_total(const struct sq_level *l, sq_time_t at)
{
    return l->before + l->area + (unsigned __int128)((uint64_t)l->now) * (uint64_t)(at - l->since);
}

/* Time-weighted mean over [restart or 0, at); NaN when that is empty. */
double sq_level_mean(const struct sq_level *l, sq_time_t from, sq_time_t at);

/* Ends a timeline bin: returns the largest value inside and starts the next. */
static inline int64_t sq_level_bin(struct sq_level *l)
{
    int64_t top = l->bin_max;
    l->bin_max = l->now;
    return top;
}

/* The rank of the order statistic q of n values: ceil(q n), within 1..n. A q n that misses a whole
 * number by no more than rounding (0.1 * 10, 0.99 * 100) counts as that number. Asserts n >= 1 and
 * 0 < q <= 1. */
int64_t sq_stat_rank(double q, int64_t n);

/* A sample of durations: count, exact sum, minimum, maximum and order statistics.
 * Up to 65,536 values are kept as they are; beyond, all are counted in bins of relative width
 * 2^-11 (HDR layout), so an order statistic is exact before and within 0.05 % (rounded up to the
 * bin's upper edge, never above the maximum) after. Memory at most 1 MiB, and half as much more for
 * a moment at the change. A zeroed struct is empty. Values must be >= 0 (asserted).
 *
 * When memory runs out `failed` is set and stays set: count, sum, minimum and maximum go on being
 * exact, order statistics are NaN. */
struct sq_sample {
    int64_t count;
    __int128 sum;
    sq_time_t min, max;
    sq_time_t *values;
    uint64_t *bins;
    size_t due; /* with bins: that of the latest value, which is counted with the next one */
    uint32_t size;
    bool sorted, failed;
};

void sq_sample_fini(struct sq_sample *s);
void sq_sample_add(struct sq_sample *s, sq_time_t value);

/* The ceil(q * n)-th smallest value in seconds, 0 < q <= 1; NaN when empty. Sorts on demand. */
double sq_sample_quantile_s(struct sq_sample *s, double q);
double sq_sample_mean_s(const struct sq_sample *s);

#endif
