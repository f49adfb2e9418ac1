/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_band.h - quantile bands of a timeline column over several runs. */
#ifndef SQ_BAND_H
#define SQ_BAND_H

#include "sim/base/sq_base.h"

/* The column of one run. Borrowed. A NaN, and every bin from `count` on, is a null. */
struct sq_track {
    const float *bins;
    size_t count;
};

/* Where the bands go: arrays of the caller. */
struct sq_band {
    float *p10, *p50, *p90;
};

/* Fills `bins` bins of each array with the ceil(q * n)-th smallest of the n values of that bin that
 * are not null; NaN where n = 0. SQ_NOMEM possible, the arrays are then untouched. O(runs) per bin
 * on average. */
enum sq_status sq_bands(const struct sq_track *runs, size_t run_count, size_t bins,
                        const struct sq_band *out) SQ_MUST_USE;

#endif
