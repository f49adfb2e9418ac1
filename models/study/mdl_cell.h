/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_cell.h - one cell of a sweep: the runs of its scenario, and the figures that are kept of
 * them. */
#ifndef MDL_CELL_H
#define MDL_CELL_H

#include "models/study/mdl_runs.h"
#include "sim/core/sq_grid.h"

struct mdl_cell_ask {
    const struct mdl_scenario *s;
    const struct mdl_replicate_ask *runs; /* count and `after` are filled here */
    size_t metric_count;                  /* that are kept; 0: all */
    const char *const *metrics;
};

/* Runs the scenario and fills the rows of `out`, in the arena: P(collapse) first. Statuses of
 * mdl_runs. */
enum sq_status mdl_cell_run(const struct mdl_cell_ask *ask, struct sq_arena *arena,
                            struct sq_grid_cell *out, struct sq_diag *diag) SQ_MUST_USE;

/* Whether runs of the scenario have a metric of that name; *close is what may have been meant, in
 * the arena, or NULL. */
enum sq_status mdl_cell_knows(const struct mdl_scenario *s, const char *metric,
                              struct sq_arena *arena, const char **close, bool *knows) SQ_MUST_USE;

#endif
