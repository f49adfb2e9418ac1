/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_verdict.h - what became of one expectation for one variant: neutral figures, and the line that
 * says them. Texts are borrowed. */
#ifndef SQ_VERDICT_H
#define SQ_VERDICT_H

#include "sim/base/sq_buf.h"

enum sq_verdict_state {
    SQ_VERDICT_PASSED,
    SQ_VERDICT_FAILED,
    SQ_VERDICT_OPEN, /* not judged; `why` says why */
};

enum sq_verdict_unit { SQ_VERDICT_NUMBER, SQ_VERDICT_SECONDS, SQ_VERDICT_SHARE };

/* One side of the comparison over the runs. */
struct sq_verdict_side {
    bool constant;
    enum sq_verdict_unit unit;
    double median, min, max; /* over the runs in which it is not null; NaN: null in all */
    size_t nulls;            /* runs in which it is null */
    const char *word;        /* of words: the most frequent one, the first in the alphabet of
                                several; NULL for numbers */
    size_t word_runs;        /* how many runs say so */
    size_t word_kinds;       /* different words */
};

struct sq_verdict {
    const char *that, *variant;
    const char *when; /* "at 40m", or NULL: over the whole run */
    uint32_t line;    /* of the scenario file, 0: unknown */
    bool warns;       /* severity warn: its failure is no failure of a check */
    enum sq_verdict_state state;
    const char *why;
    bool of_outcome;                       /* one value for all runs */
    size_t runs, runs_passed, runs_needed; /* of_outcome: 1, 0 or 1, 1 */
    struct sq_verdict_side observed, limit;
    double margin;       /* median over the runs; NaN: none (words, nulls) */
    double margin_worst; /* the smallest */
};

/* "passed", "FAILED", "warned", "not judged". */
const char *sq_verdict_word(const struct sq_verdict *v);

/* "drain.healthy_s < 3m" with " (at 40m)" where it looks at a part of the run. */
void sq_verdict_put_title(const struct sq_verdict *v, struct sq_buf *out);

/* "observed 2m48s (2m41s to 3m4s), limit 3m, margin 12s (worst -4s); in 19 of 20 runs, 20 needed",
 * or why it is not judged. */
void sq_verdict_put_figures(const struct sq_verdict *v, struct sq_buf *out);

#endif
