/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_tipping.h - where along one key something stops holding: the neutral result of a search for a
 * limit, and the search.
 *
 * The search first looks at values spread over the whole range (by equal factors where the range is
 * wide), because halving alone would never notice that what holds at 10 and fails at 20 holds again
 * at 30. Then it halves the step in which the answer changes, until that step is narrow. Of several
 * such steps the one counts that ends the part of the range in which all holds, seen from the end
 * that holds. Values that are tried are as round as the step allows. */
#ifndef SQ_TIPPING_H
#define SQ_TIPPING_H

#include "sim/base/sq_mem.h"

/* A value that was tried. */
struct sq_trial {
    double value;
    const char *text; /* as a person writes it: "13m20s" */
    bool holds;       /* in as many runs as it must */
    /* Shares of the runs, with their 95 % Wilson intervals. `held` is of no use for what has one
     * value for all runs (sq_tipping.of_outcome). */
    size_t runs, held, collapsed;
    double held_lo, held_hi, collapsed_lo, collapsed_hi;
    double observed; /* median of the side that is compared, NaN: null or a word */
};

enum sq_tipping_state {
    SQ_TIPPING_FOUND,
    SQ_TIPPING_ALWAYS, /* it holds in the whole range */
    SQ_TIPPING_NEVER,
};

struct sq_tipping {
    enum sq_tipping_state state;
    size_t count;
    struct sq_trial *trials; /* by value */
    /* FOUND: the limit lies between two trials that stand one beside the other. */
    size_t below;    /* index of the lower one; the other is the next */
    bool holds_low;  /* it holds at the lower one, and fails at the other; or the reverse */
    size_t switches; /* how often the answer changes along the trials; 1 where all is well */
    size_t against;  /* pairs of trials whose shares differ the wrong way by more than chance */
    bool of_outcome; /* judged once for all runs: the share of collapses is what to look at */
};

struct sq_tipping_ask {
    double lo, hi; /* lo < hi */
    bool whole;    /* integers only */
    double within; /* the step is narrow at this share of its larger end, or at 1 for integers */
    size_t looks;  /* values of the first look, both ends included; at least 2 */
};

/* Tries a value: fills everything but `value`. */
typedef enum sq_status sq_tipping_try(void *ctx, double value, struct sq_trial *out);

/* Searches; everything lives in the arena. The status of a trial that fails ends it. SQ_NOMEM. */
enum sq_status sq_tipping_find(const struct sq_tipping_ask *ask, sq_tipping_try *try_one, void *ctx,
                               struct sq_arena *arena, struct sq_tipping *out) SQ_MUST_USE;

/* The trials beside the limit: the last one that holds and the first one that fails. Only of one
 * that was found. */
const struct sq_trial *sq_tipping_holds(const struct sq_tipping *t);
const struct sq_trial *sq_tipping_fails(const struct sq_tipping *t);

/* How far a value lies from the limit, as a share of it: (limit - value) / limit where it holds
 * below, (value - limit) / limit where it holds above; negative on the side that fails. The limit
 * is the last value that holds. NaN when none was found. */
double sq_tipping_margin(const struct sq_tipping *t, double value);

/* ---- the whole study ---- */

/* One search, or the two of a study of both ways: from a system that is well upwards to where it
 * falls, and from one that has fallen back to where it comes back. */
enum sq_way_kind { SQ_WAY_LIMIT, SQ_WAY_FALLS, SQ_WAY_RETURNS };
struct sq_way {
    enum sq_way_kind kind;
    struct sq_tipping tipping;
};

/* Everything lives in the arena. */
struct sq_limits {
    struct sq_arena arena;
    const char *version, *title, *file, *variant;
    const char *scenario_hash; /* of the scenario as it stands in the file, --set included */
    uint64_t seed;
    size_t runs;         /* per value */
    const char *key;     /* as it was asked for */
    const char *unit;    /* of values in files: "s", "per s", "" */
    double unit_value;   /* a sq_trial.value of one such unit: 1e9 for durations */
    const char *until;   /* the expectation */
    double in;           /* share of the runs in which it must hold */
    const char *lo, *hi; /* the range, as a person writes it */
    const char *own;     /* the file's own value; NULL: no amount stands there */
    double own_value;
    sq_time_t switch_ns;    /* both ways: when the key changes in each run */
    const char *start_well; /* both ways: the end of the range at which a run begins well */
    const char *start_fallen;
    size_t way_count; /* 1, or 2: first SQ_WAY_FALLS */
    struct sq_way ways[2];
};

/* "limit", "falls", "returns". */
const char *sq_way_word(enum sq_way_kind kind);

#endif
