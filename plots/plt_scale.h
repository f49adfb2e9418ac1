/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_scale.h - from amounts to places on paper, and the round numbers written beside an axis.
 *
 * Pure numbers: nothing here draws or allocates. */
#ifndef PLT_SCALE_H
#define PLT_SCALE_H

#include "sim/base/sq_buf.h"

/* Linear: `lo` is drawn at `from`, `hi` at `to` (a y axis has from > to). Invariant: lo < hi. */
struct plt_scale {
    double lo, hi, from, to;
};

/* Place of `value`; values outside [lo, hi] are put at the nearer end. */
double plt_scale_at(const struct plt_scale *s, double value);

enum { PLT_TICKS_MAX = 16 };

struct plt_ticks {
    double step;
    size_t count;
    double at[PLT_TICKS_MAX];
};

/* Ticks at multiples of 1, 2 or 5 times a power of ten in [0, hi]; the smallest such step with at
 * most `most` ticks (2..PLT_TICKS_MAX). Needs a finite hi > 0. */
void plt_ticks_linear(struct plt_ticks *t, double hi, size_t most);

/* Ticks in seconds on [0, end_s], at steps a clock has: 1 2 5 10 15 30 s, the same in minutes and
 * 20 min, 1 2 3 6 12 h, 1 2 7 days and powers of ten of these; below a second 1-2-5 steps. */
void plt_ticks_time(struct plt_ticks *t, double end_s, size_t most);

/* The smallest 1, 2, 2.5 or 5 times a power of ten that is >= value; 1 for anything not above 0. */
double plt_round_up(double value);

/* How a time tick is written: 0, 30s, 10m, 1h30m. */
void plt_put_time_tick(struct sq_buf *b, double seconds);

#endif
