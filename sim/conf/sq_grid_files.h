/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_grid_files.h - a sweep as a folder, and back. Formats are contracts. Numbers carry nine
 * significant digits; no clock, no host name, no folder in them.
 *
 * sweep.json
 *     "squall": {"version", "format": 1}
 *     "sweep": {"title", "file", "variant", "hash", "seed", "runs", "keys": [{"key", "values"}],
 *               "metrics": [names]?, "cells": [hash of each cell's effective scenario]}
 *     "shard": {"number", "of"}
 * cells/00001.csv ...
 *     one file per finished cell, numbered from 1: written beside and renamed, so that it is whole
 *     or not there; its last row, of the metric `end`, counts those before it in n, so that a copy
 *     that was cut is known
 * sweep.csv
 *     all cells one after the other, when the whole is done; a shard has none
 *     cell, hash, one column per key, metric, n, mean, lo, hi, p10, p50, p90 (sq_grid.h); empty
 *     where there is no value */
#ifndef SQ_GRID_FILES_H
#define SQ_GRID_FILES_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_grid.h"

/* Reads sweep.json: everything but the cells' rows. SQ_USER when it cannot be read. */
enum sq_status sq_grid_read(const char *folder, struct sq_grid *out,
                            struct sq_diag *diag) SQ_MUST_USE;

/* Makes the folder and writes sweep.json. */
enum sq_status sq_grid_write(const struct sq_grid *g, const char *folder,
                             struct sq_diag *diag) SQ_MUST_USE;

/* What makes two sweeps different, as a sentence about `b`, in the arena: "its scenario hash is
 * ..., not ..."; NULL when they are the same. The shards may be different ones of as many. */
const char *sq_grid_differs(const struct sq_grid *a, const struct sq_grid *b,
                            struct sq_arena *arena);

/* Writes the file of a cell, whose figures need not be in the grid. */
enum sq_status sq_grid_write_cell(const struct sq_grid *g, const char *folder, size_t number,
                                  const struct sq_grid_cell *cell,
                                  struct sq_diag *diag) SQ_MUST_USE;

/* Reads a cell's file, if it is there (cell->done tells). SQ_USER when it is there and cut, or no
 * file of that cell of this sweep. */
enum sq_status sq_grid_read_cell(struct sq_grid *g, const char *folder, size_t cell,
                                 struct sq_diag *diag) SQ_MUST_USE;

/* Writes sweep.csv; all cells must be done. Its path, in the arena of `g`, is told. */
enum sq_status sq_grid_write_csv(struct sq_grid *g, const char *folder, const char **path,
                                 struct sq_diag *diag) SQ_MUST_USE;

#endif
