/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_runs.h - a result's runs in figures and in half a sentence, as charts write them. */
#ifndef PLT_RUNS_H
#define PLT_RUNS_H

#include "sim/base/sq_buf.h"
#include "sim/core/sq_infer.h"
#include "sim/core/sq_result.h"

/* Spread of a metric over the runs in which it is not null; n = 0 and NaN when there is none.
 * Running out of memory is the same, and remembered in *failed. */
struct sq_spread plt_runs_spread(const struct sq_result *r, const char *metric, bool *failed);

/* "7m54s in 12 of 20 runs, 9m3s in 8": the two groups of a spread of times that is bimodal. */
void plt_put_groups(struct sq_buf *b, const struct sq_spread *s, int64_t runs);

/* "no collapse in 5 runs; queue clear 13m after recovery; 15 % of the jobs given up". */
void plt_put_short_verdict(struct sq_buf *b, const struct sq_result *r);

#endif
