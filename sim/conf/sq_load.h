/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_load.h - results back from the files that sq_save.h and sq_save_comparison.h write, for pages
 * and reports made afterwards. Timelines stay in their files: series and bands are empty.
 *
 * Numbers come back with the nine digits that files have. Whatever is missing or wrong in a file is
 * noted with its path; texts may hold anything that JSON and CSV can. */
#ifndef SQ_LOAD_H
#define SQ_LOAD_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_comparison.h"

/* Reads summary.json, runs.csv and scenario.yaml of a folder. `out` is zeroed and freed with
 * sq_arena_fini(&out->arena), also after failure. SQ_USER when there is no result in it. */
enum sq_status sq_load_result(const char *folder, struct sq_result *out,
                              struct sq_diag *diag) SQ_MUST_USE;

/* A comparison and the results of its variants, as many as `comparison.variant_count`. */
struct sq_loaded {
    struct sq_comparison comparison;
    size_t result_count;
    struct sq_result *results;
};

/* Reads comparison.json for which variants there are and what was said of them, their folders, and
 * puts them together again. A folder that holds the result of a run gives a comparison of this one
 * variant, without verdict and proof. SQ_USER when it holds neither. */
enum sq_status sq_load_folder(const char *folder, struct sq_loaded *out,
                              struct sq_diag *diag) SQ_MUST_USE;
void sq_loaded_fini(struct sq_loaded *l); /* also after failure */

#endif
