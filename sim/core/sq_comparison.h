/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_comparison.h - several variants on the same luck: the neutral result of a comparison. Tables,
 * files and the report are made from this and nothing else.
 *
 * Run k of one variant met the same arrivals and the same draws as run k of every other, so they
 * are compared pair by pair: a difference is that of runs of the same number, and chance that hits
 * both drops out. Shares of runs (outcome.p_...) are compared by McNemar's exact test, all other
 * numbers by the 95 % Student interval of the mean difference. A pair with a null in it counts
 * nowhere; how many remain is told.
 *
 * Everything lives in the arena of the comparison. */
#ifndef SQ_COMPARISON_H
#define SQ_COMPARISON_H

#include "sim/core/sq_infer.h"
#include "sim/core/sq_result.h"

/* This variant minus the first, over the runs in which both have a value. */
struct sq_paired {
    int64_t n;
    double mean, lo, hi; /* NaN when n is too small: 0; the interval 0 or 1 */
};

struct sq_word_count {
    const char *word;
    int64_t runs;
};

/* A metric of a variant. */
struct sq_cell {
    bool known;                  /* the variant has such a metric */
    struct sq_spread spread;     /* over its runs; of words n is 0 */
    struct sq_paired paired;     /* n = 0 in the first variant, for words and for shares */
    size_t word_count;           /* > 0: the metric is a word */
    struct sq_word_count *words; /* the most frequent first, then in alphabetical order */
};

/* A share of runs, and against the first variant: how many runs of one number have it only here,
 * how many only there, and how likely chance is to part them as unevenly as that. */
struct sq_share {
    int64_t n, hits;
    double lo, hi; /* Wilson, 95 % */
    int64_t pairs, only_here, only_first;
    double p; /* McNemar, exact, two-sided; 1 where no pair differs */
};

/* Runs of a variant that came out alike, apart from the others. */
struct sq_mode {
    const char *text; /* "falls over once, then clears; healthy for good 31m after recovery" */
    int64_t runs;
    uint64_t example; /* the first of them, for --replication */
    bool collapsed;
};

struct sq_compared {
    const char *name, *hash; /* of the effective scenario */
    size_t margin_count;     /* how near dependencies came to their collapse: sentences */
    const char **margins;
    size_t mode_count; /* 0 where all runs came out alike; otherwise the largest first */
    struct sq_mode *modes;
    const char *forecast; /* made at T1 in run 1, in words; NULL when none was made */
    const char *verdict;  /* a sentence without the variant's name and without full stop */
    struct sq_share collapse;
    struct sq_cell *cells; /* metric_count of them */
    size_t judged_count;   /* expectations about it, in the order of the file */
    struct sq_verdict *judged;
};

struct sq_comparison {
    struct sq_arena arena;
    const char *version, *title, *notes, *file;
    uint64_t seed;
    sq_time_t duration_ns;
    size_t run_count;
    size_t runs_wanted; /* more than run_count when interrupted */
    bool interrupted;
    size_t metric_count;
    const char **metric_names; /* of all variants, each once, in their order */
    size_t variant_count;
    struct sq_compared *variants; /* the first is what the others are compared with */
    size_t chosen_count;          /* metrics that were asked for; 0: the usual rows */
    size_t *chosen;
    const char *proof; /* sentences: how little so many runs prove */
};

/* Puts the results of the variants together; they have equally many runs, of the same numbers.
 * `run.hash`, which is another in every run, is left out. Copies what it keeps. Verdicts and proof
 * are left to others. `out` is zeroed and freed with sq_arena_fini(&out->arena), also after
 * failure. SQ_NOMEM. */
enum sq_status sq_comparison_make(const struct sq_result *results, size_t count,
                                  struct sq_comparison *out) SQ_MUST_USE;

/* Index of a metric by name; -1 when there is none. */
long sq_comparison_metric(const struct sq_comparison *c, const char *name);

/* The cell of a metric by name; NULL when there is no such metric or the variant has none. */
const struct sq_cell *sq_comparison_cell(const struct sq_comparison *c, size_t variant,
                                         const char *name);

/* Two-sided exact McNemar test: the chance of a split at least as uneven as here against there
 * when both are equally likely. */
double sq_mcnemar(int64_t here, int64_t there);

/* The fewest runs without one hit after which the Wilson interval ends at or below `share`. */
int64_t sq_runs_to_show(double share);

#endif
