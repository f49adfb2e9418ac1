/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_enough.h - how many replications are enough: `--runs auto`.
 *
 * Two stages (C. Stein, "A two-sample test for a linear hypothesis whose power is independent of
 * the variance", Ann. Math. Statist. 16, 1945): a pilot of MDL_PILOT_RUNS runs estimates the
 * spread, and the number of runs follows from it:
 *
 *   means   n = ceil((t s / (5 % of the mean))^2), t the 97.5 % Student quantile of the pilot;
 *   shares  the smallest n whose 95 % Wilson interval of P(collapse) is at most 20 points wide.
 *
 * The largest n of all variants counts, at most MDL_AUTO_RUNS. Metrics looked at: the drain's
 * times, completed jobs, and each dependency's calls, goodput and amplification. Left out are
 * metrics that are null in most runs, that are zero, or whose runs fall into two groups (a mean is
 * then a state that no run is in; the share says it). The number depends on scenario and seed
 * alone. */
#ifndef MDL_ENOUGH_H
#define MDL_ENOUGH_H

#include "models/study/mdl_args.h"
#include "models/study/mdl_compare.h"

enum { MDL_PILOT_RUNS = 20, MDL_AUTO_RUNS = 1000 };

struct mdl_enough {
    int64_t runs;
    const char
        *metric; /* that asks for most; borrowed from the results; NULL: the pilot suffices */
    bool capped; /* more would be needed than MDL_AUTO_RUNS */
};

/* From the results of pilots. SQ_NOMEM. */
enum sq_status mdl_enough(const struct sq_result *pilots, size_t count,
                          struct mdl_enough *out) SQ_MUST_USE;

/* Runs the pilots when the number of runs is left open (ask->runs == MDL_RUNS_AUTO), writes the
 * number there, and notes in `diag` what asked for it. Statuses of mdl_replicate. */
enum sq_status mdl_enough_for_run(struct mdl_ask *ask, const struct mdl_replicate_ask *how,
                                  struct sq_diag *diag) SQ_MUST_USE;
enum sq_status mdl_enough_for_compare(struct mdl_compare_ask *ask,
                                      struct sq_diag *diag) SQ_MUST_USE;

#endif
