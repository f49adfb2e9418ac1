/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_stat.c - time-weighted levels and samples of durations. */
#include "sim/core/sq_stat.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/sq_mem.h"

void sq_level_restart(struct sq_level *l, sq_time_t at)
{
    SQ_ASSERT(at >= l->since);
    l->before = sq_level_total(l, at);
    l->area = 0;
    l->since = at;
    l->max = l->now;
}

double sq_level_mean(const struct sq_level *l, sq_time_t from, sq_time_t at)
{
    SQ_ASSERT(at >= l->since);
    if (at <= from) {
        return NAN;
    }
    unsigned __int128 area =
        l->area + (unsigned __int128)((uint64_t)l->now) * (uint64_t)(at - l->since);
    return (double)area / (double)(at - from);
}

int64_t sq_stat_rank(double q, int64_t n)
{
    SQ_ASSERT(n >= 1);
    SQ_ASSERT(q > 0);
    SQ_ASSERT(q <= 1);
    double exact = q * (double)n;
    int64_t rank = (int64_t)(exact + 0.5);
    if (exact - (double)rank > exact * 0x1p-50) {
        rank++;
    }
    return sq_max_i64(1, sq_min_i64(rank, n));
}

/* Bins. Values below 2^12 have a bin each. Above, a value keeps its 12 leading bits: with
 * shift = (position of the leading bit) - 11 its bin is [top << shift, (top + 1) << shift), where
 * 2^11 <= top < 2^12.
 *
 *   bin     0 ... 4095 | 4096 ... 6143 | 6144 ... 8191 | ...
 *   shift        0     |       1       |       2       | ... 51
 */
enum {
    VALUES_MAX = 65536,
    VALUES_FIRST = 64,
    SUB_BITS = 11,
    SUB = 1 << SUB_BITS,
    BIN_COUNT = (62 - SUB_BITS) * SUB + 2 * SUB,
    NO_BIN = BIN_COUNT,
};
_Static_assert(BIN_COUNT * sizeof(uint64_t) <= 1 << 20, "a sample takes at most 1 MiB");

static size_t bin_of(sq_time_t value)
{
    if (value < 2 * SUB) {
        return (size_t)value;
    }
    int shift = 63 - __builtin_clzll((unsigned long long)value) - SUB_BITS;
    return (size_t)shift * SUB + (size_t)(value >> shift);
}

/* The largest value of a bin. */
static sq_time_t bin_top(size_t bin)
{
    if (bin < 2 * SUB) {
        return (sq_time_t)bin;
    }
    size_t shift = bin / SUB - 1;
    uint64_t next = (uint64_t)(bin - shift * SUB + 1) << shift;
    return (sq_time_t)(next - 1);
}

void sq_sample_fini(struct sq_sample *s)
{
    sq_mem_free(s->values);
    sq_mem_free(s->bins);
    *s = (struct sq_sample){ 0 };
}

static void sample_fail(struct sq_sample *s)
{
    sq_mem_free(s->values);
    s->values = NULL;
    s->size = 0;
    s->failed = true;
}

/* From `size` kept values to bins. */
static bool sample_to_bins(struct sq_sample *s)
{
    s->bins = sq_mem_alloc(BIN_COUNT, sizeof *s->bins);
    if (s->bins == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < s->size; i++) {
        s->bins[bin_of(s->values[i])]++;
    }
    sq_mem_free(s->values);
    s->values = NULL;
    s->size = 0;
    s->due = NO_BIN;
    return true;
}

/* The bins do not fit into a fast cache, and a count that waits for its bin would stop everything
 * behind it. So the bin of a value is fetched now and counted with the next value. */
static void count_in_bins(struct sq_sample *s, sq_time_t value)
{
    if (s->due != NO_BIN) {
        s->bins[s->due]++;
    }
    s->due = bin_of(value);
    __builtin_prefetch(&s->bins[s->due], 1);
}

static void settle(struct sq_sample *s)
{
    if (s->due != NO_BIN) {
        s->bins[s->due]++;
        s->due = NO_BIN;
    }
}

/* Called with s->count values kept and no room left. */
static bool sample_grow(struct sq_sample *s)
{
    if (s->size == VALUES_MAX) {
        return sample_to_bins(s);
    }
    uint32_t size = s->size == 0 ? VALUES_FIRST : 2 * s->size;
    sq_time_t *values = sq_mem_resize(s->values, size, sizeof *values);
    if (values == NULL) {
        return false;
    }
    s->values = values;
    s->size = size;
    return true;
}

static void sample_keep(struct sq_sample *s, sq_time_t value)
{
    if (s->bins == NULL && s->count == s->size && !sample_grow(s)) {
        sample_fail(s);
        return;
    }
    if (s->bins != NULL) {
        count_in_bins(s, value);
        return;
    }
    s->values[s->count] = value;
    s->sorted = s->count == 0 || (s->sorted && value >= s->values[s->count - 1]);
}

void sq_sample_add(struct sq_sample *s, sq_time_t value)
{
    SQ_ASSERT(value >= 0);
    if (!s->failed) {
        sample_keep(s, value);
    }
    s->min = s->count == 0 ? value : sq_min_i64(s->min, value);
    s->max = sq_max_i64(s->max, value);
    s->sum += value;
    s->count++;
}

static int by_value(const void *a, const void *b)
{
    const sq_time_t *x = a;
    const sq_time_t *y = b;
    return (*x > *y) - (*x < *y);
}

double sq_sample_quantile_s(struct sq_sample *s, double q)
{
    if (s->count == 0 || s->failed) {
        return NAN;
    }
    int64_t rank = sq_stat_rank(q, s->count);
    if (s->bins == NULL) {
        if (!s->sorted) {
            qsort(s->values, (size_t)s->count, sizeof *s->values, by_value);
            s->sorted = true;
        }
        return sq_time_to_s(s->values[rank - 1]);
    }
    settle(s);
    uint64_t left = (uint64_t)rank;
    size_t bin = bin_of(s->min); /* below it all are empty */
    while (left > s->bins[bin]) {
        left -= s->bins[bin++];
    }
    return sq_time_to_s(sq_min_i64(bin_top(bin), s->max));
}

double sq_sample_mean_s(const struct sq_sample *s)
{
    return s->count == 0 ? NAN : (double)s->sum / (double)s->count / 1e9;
}
