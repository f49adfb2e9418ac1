/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_samples.h - the samples that empirical distributions name, read from their files. */
#ifndef MDL_SAMPLES_H
#define MDL_SAMPLES_H

#include "models/policy/mdl_dist.h"

/* Reads every sample that a distribution inside `cfg` (bound with `root`) names into the tables.
 * Cells are durations ("20ms") or plain numbers of seconds. `scenario` is the file that paths are
 * relative to. SQ_USER, SQ_IO with the place; SQ_NOMEM. */
enum sq_status mdl_samples_read(const struct sq_table *root, const void *cfg, const char *scenario,
                                struct mdl_tables *tables, struct sq_diag *diag) SQ_MUST_USE;

/* The path of a file that a scenario names: relative to the scenario's folder. NULL: no memory. */
const char *mdl_beside(struct sq_arena *arena, const char *scenario, const char *file);

#endif
