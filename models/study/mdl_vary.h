/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_vary.h - the keys of a sweep and their values, and the scenario of one cell.
 *
 * "KEY=V1,V2,...": a key as --set takes it, or the word `variant` for the variants of the file.
 * Commas inside brackets, braces and quotation marks belong to the value. */
#ifndef MDL_VARY_H
#define MDL_VARY_H

#include "models/mdl_scenario.h"
#include "sim/core/sq_grid.h"

/* Reads the keys into the grid. SQ_USER with what is wrong. */
enum sq_status mdl_vary_read(const char *const *texts, size_t count, struct sq_grid *g,
                             struct sq_diag *diag) SQ_MUST_USE;

/* Loads the scenario of a cell; `ask` as for the scenario without the keys. Mistakes are noted
 * under the name of the cell. */
enum sq_status mdl_vary_load(const struct sq_grid *g, size_t cell, const struct mdl_ask *ask,
                             struct mdl_scenario *out, struct sq_diag *diag) SQ_MUST_USE;

#endif
