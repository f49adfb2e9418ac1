/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_outcome.h - what a result leads with: P(collapse), how the backlog ends, and the three
 * forecasts side by side. */
#ifndef PLT_OUTCOME_H
#define PLT_OUTCOME_H

#include "plots/plt_text.h"
#include "sim/core/sq_infer.h"
#include "sim/core/sq_result.h"

/* Spread of a metric over the runs; false when there is no such metric. Running out of memory is
 * false too, and remembered in t->out->failed. */
bool plt_spread(struct plt_text *t, const struct sq_result *r, const char *name,
                struct sq_spread *out);

/* Sets *grouped when a median of two groups of runs was printed; else leaves it. */
void plt_outcome(struct plt_text *t, const struct sq_result *r, bool *grouped);

#endif
