/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_finding.h - what a comparison found, in sentences with numbers: whether a variant prevents
 * the collapse of the first, what that costs, which other one is better, which do not help.
 *
 * Every sentence is whole, with its full stop; one that has nothing to say appends nothing. A cost
 * is a difference to the first variant that chance does not explain (its 95 % interval does not
 * hold 0; with a single pair of runs any). */
#ifndef PLT_FINDING_H
#define PLT_FINDING_H

#include "sim/base/sq_buf.h"
#include "sim/core/sq_comparison.h"

struct plt_finding {
    const struct sq_comparison *c;
    bool first_collapses; /* in some run */
    size_t best;          /* the first variant in which the fewest runs collapse; 0: the first */
    bool prevents;        /* the best collapses in no run, and the first does in some */
    size_t fastest;       /* of those that collapse as seldom as the best: clear first; 0: none */
};

/* The order of the variants is that of the file. */
void plt_finding_make(struct plt_finding *f, const struct sq_comparison *c);

/* "template-api goes down for 20m. Does it fall over again when it comes back, and which of the
 * other 5 variants prevents that?" `r` is the result of the first variant. */
void plt_put_question(struct sq_buf *b, const struct sq_result *r, size_t variant_count);

/* The answer: "cap prevents the collapse: it collapses in none of 10 runs (95 % interval 0-28 %),
 * as-it-was in all. The queue is clear 13m after recovery instead of 43m20s." */
void plt_put_finding(struct sq_buf *b, const struct plt_finding *f);

/* "Cost of cap against as-it-was: 9 more dead-lettered jobs per run; the last affected job is done
 * 2m later.", or that there is none. */
void plt_put_cost(struct sq_buf *b, const struct plt_finding *f, size_t variant);

/* "shed prevents it too, and its queue is clear 7m53s after recovery. Cost of shed ..." */
void plt_put_faster(struct sq_buf *b, const struct plt_finding *f);

/* "cap-ramp, shed and everything prevent it too." and "full-jitter does not help: no fewer
 * runs collapse than in as-it-was." */
void plt_put_others(struct sq_buf *b, const struct plt_finding *f);
void plt_put_useless(struct sq_buf *b, const struct plt_finding *f);

#endif
