/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_shift.h - whether a metric is where it was: the figures of two studies of one scenario, at
 * other times or by other versions of the program, that need not share their luck.
 *
 * A number has shifted when its mean moved by more than the tolerance and by more than chance moves
 * it: Welch's t-test at a level of 1 in 10,000, since a study has hundreds of metrics and none may
 * fail by chance. (An interval of 95 % would let one in 150 pairs of equal metrics part.) A share
 * of runs, a word and how often a metric is null have shifted when their Wilson intervals part.
 * Single runs have no chance to speak of: they are compared as they are if they had the same luck,
 * and otherwise not at all. */
#ifndef SQ_SHIFT_H
#define SQ_SHIFT_H

#include "sim/core/sq_comparison.h"

/* The metrics of a variant over its runs. */
struct sq_snapshot {
    const char *version, *file, *title, *variant, *hash;
    const char *echo; /* the effective scenario as YAML */
    uint64_t seed;
    size_t run_count, metric_count;
    const char **names;
    struct sq_cell *cells; /* of each the words, and of the spread n, mean, p50, lo, hi */
};

struct sq_tolerance {
    bool off;                  /* not compared */
    double relative, absolute; /* the larger one of share and amount */
};

enum sq_shift_kind {
    SQ_SHIFT_NONE,
    SQ_SHIFT_OPEN, /* one run each, of other luck: it cannot be told */
    SQ_SHIFT_MOVED,
    SQ_SHIFT_NULL,  /* more, or fewer, runs in which it is null */
    SQ_SHIFT_SHARE, /* outcome.p_... */
    SQ_SHIFT_WORD,
};

/* was and is: means; or shares of runs, of those that have a value, or the word. */
struct sq_shift {
    enum sq_shift_kind kind;
    const char *metric, *word;
    double was, is, allowed;
    double share;             /* `allowed` is so much of `was`; 0: an amount */
    double was_mean, is_mean; /* of NULL: of the runs that have one, or NaN */
};

struct sq_shift_ask {
    const char *metric;
    const struct sq_cell *was, *is;
    size_t was_runs, is_runs;
    bool same_luck; /* the same seed */
    struct sq_tolerance tolerance;
};
struct sq_shift sq_shift_find(const struct sq_shift_ask *ask);

/* "drain.queue_clear_s 2m41s -> 4m10s (+55.3 %; 5 % allowed)". */
void sq_shift_put(const struct sq_shift *s, struct sq_buf *out);

#endif
