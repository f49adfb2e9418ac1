/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_diff.h - two results that runs left in folders: which keys of the scenario changed, and what
 * that did, run by run. Runs of the same number and seed met the same luck, so they are compared in
 * pairs; results that do not pair are refused. */
#ifndef MDL_DIFF_H
#define MDL_DIFF_H

#include "sim/base/sq_buf.h"
#include "sim/conf/sq_load.h"

struct mdl_diff {
    struct sq_loaded sides[2];
    struct sq_arena arena;
    struct sq_comparison comparison;
};

/* Reads both folders, `was` and `is`. SQ_USER when one holds no result of one variant, or the runs
 * do not pair. End with mdl_diff_fini, also after failure. */
enum sq_status mdl_diff_open(struct mdl_diff *d, const char *was, const char *is,
                             struct sq_diag *diag) SQ_MUST_USE;
void mdl_diff_fini(struct mdl_diff *d);

/* The keys whose values differ, one per line: "workers.pool.slots: 2 -> 3". Returns how many. */
size_t mdl_diff_keys(struct mdl_diff *d, struct sq_buf *out);

#endif
