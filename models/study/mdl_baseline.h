/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_baseline.h - a folder of baselines: what the metrics of each scenario and variant were when
 * somebody found them good (sq_snapshot.h). A check compares with it (sq_shift.h) and never writes;
 * writing has to be asked for.
 *
 * The baseline of variant cap of scenarios/herd.yaml is DIR/scenarios/herd/cap.json: scenarios are
 * known by their path from the folder in which the check runs. */
#ifndef MDL_BASELINE_H
#define MDL_BASELINE_H

#include "models/study/mdl_tolerance.h"
#include "sim/base/sq_find.h"
#include "sim/base/sq_mem.h"
#include "sim/core/sq_result.h"

struct mdl_baseline_ask {
    const char *folder; /* NULL: no baselines */
    bool update;
    struct mdl_tolerances tolerances;
};

enum mdl_baseline_state {
    MDL_BASELINE_NONE, /* not asked for */
    MDL_BASELINE_HELD,
    MDL_BASELINE_SHIFTED, /* a regression, or progress that nobody has accepted yet */
    MDL_BASELINE_REMOVED, /* its scenario or variant is gone */
    MDL_BASELINE_MISSING,
    MDL_BASELINE_WRONG, /* not readable, or of another scenario */
    MDL_BASELINE_WRITTEN,
    MDL_BASELINE_DELETED, /* it was REMOVED, and this is accepted */
};

struct mdl_baseline_verdict {
    enum mdl_baseline_state state;
    const char *scenario, *variant;
    const char *text;            /* "3 of 214 metrics shifted: ..." */
    size_t metrics, shift_count; /* shift_count of them shifted */
    size_t told;                 /* and so many of those are here */
    const char **shifts;
};

bool mdl_baseline_fails(const struct mdl_baseline_verdict *v); /* SHIFTED to WRONG */

/* "held", "shifted" ...: for files. */
const char *mdl_baseline_word(enum mdl_baseline_state state);

/* The folder is there if it has to be, and the paths of scenarios lead down from here. */
enum sq_status mdl_baseline_check(const struct mdl_baseline_ask *ask, const char *const *scenarios,
                                  size_t count, struct sq_diag *diag) SQ_MUST_USE;

/* Compares a finished variant with its baseline, or writes that. What is missing or wrong is noted,
 * and is the verdict; SQ_NOMEM, and when it cannot be written SQ_IO or SQ_USER. `paths` gets the
 * path of the baseline. Everything lives in `arena`. */
struct mdl_baseline_at {
    const char *scenario; /* its path */
    struct sq_arena *arena;
    struct sq_paths *paths;
};
enum sq_status mdl_baseline_judge(const struct mdl_baseline_ask *ask, const struct sq_result *r,
                                  const struct mdl_baseline_at *at,
                                  struct mdl_baseline_verdict *out,
                                  struct sq_diag *diag) SQ_MUST_USE;

/* Baselines of scenarios and variants that are gone, when all variants of `scenarios` have been
 * judged; an update deletes them. Those of scenarios that exist and are not in this check are left
 * alone. */
struct mdl_baseline_rest {
    const char *const *scenarios;
    size_t scenario_count;
    const struct sq_paths *judged;
    struct sq_arena *arena;
    size_t count;
    struct mdl_baseline_verdict *items;
};
enum sq_status mdl_baseline_sweep(const struct mdl_baseline_ask *ask,
                                  struct mdl_baseline_rest *rest, struct sq_diag *diag) SQ_MUST_USE;

#endif
