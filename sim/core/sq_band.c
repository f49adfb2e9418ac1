/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_band.c - quantile bands: per bin, three order statistics by selection. The middle one goes
 * first; the other two then have only one side of it to search. */
#include "sim/core/sq_band.h"

#include <math.h>

#include "sim/base/sq_mem.h"
#include "sim/core/sq_stat.h"

enum { SMALL = 12 }; /* ranges sorted by insertion */

static void sort_small(float *v, size_t lo, size_t hi)
{
    for (size_t i = lo + 1; i < hi; i++) {
        float moved = v[i];
        size_t k = i;
        for (; k > lo && v[k - 1] > moved; k--) {
            v[k] = v[k - 1];
        }
        v[k] = moved;
    }
}

static float median3(float a, float b, float c)
{
    float low = a < b ? a : b;
    float high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Moves the rank-th smallest of v[lo, hi) to its place; smaller ones come before it, larger ones
 * behind (Hoare's FIND, CACM 4, 1961, algorithm 65; the pivot is a median of three). */
static float select_rank(float *v, size_t lo, size_t hi, size_t rank)
{
    while (hi - lo > SMALL) {
        float pivot = median3(v[lo], v[lo + (hi - lo) / 2], v[hi - 1]);
        size_t i = lo;
        size_t j = hi - 1;
        while (i <= j) { /* two of the three are <= pivot, so j never passes lo */
            while (v[i] < pivot) {
                i++;
            }
            while (v[j] > pivot) {
                j--;
            }
            if (i <= j) {
                float swap = v[i];
                v[i++] = v[j];
                v[j--] = swap;
            }
        }
        if (rank <= j) {
            hi = j + 1;
        } else if (rank >= i) {
            lo = i;
        } else {
            return v[rank];
        }
    }
    sort_small(v, lo, hi);
    return v[rank];
}

/* The place of an order statistic among n sorted values. */
static size_t place_of(double q, size_t n)
{
    return (size_t)sq_stat_rank(q, (int64_t)n) - 1;
}

enum sq_status sq_bands(const struct sq_track *runs, size_t run_count, size_t bins,
                        const struct sq_band *out)
{
    float *v = sq_mem_alloc(run_count > 0 ? run_count : 1, sizeof *v);
    if (v == NULL) {
        return SQ_NOMEM;
    }
    for (size_t bin = 0; bin < bins; bin++) {
        size_t n = 0;
        for (size_t r = 0; r < run_count; r++) {
            if (bin < runs[r].count && !isnan(runs[r].bins[bin])) {
                v[n++] = runs[r].bins[bin];
            }
        }
        if (n == 0) {
            out->p10[bin] = out->p50[bin] = out->p90[bin] = NAN;
            continue;
        }
        size_t middle = place_of(0.5, n);
        out->p50[bin] = select_rank(v, 0, n, middle);
        out->p10[bin] = select_rank(v, 0, middle + 1, place_of(0.1, n));
        out->p90[bin] = select_rank(v, middle, n, place_of(0.9, n));
    }
    sq_mem_free(v);
    return SQ_OK;
}
