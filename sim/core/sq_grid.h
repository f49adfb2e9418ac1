/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_grid.h - the neutral result of a sweep: keys with values, a cell for every combination of
 * them, and per cell the figures of its runs. The last key varies fastest.
 *
 * A grid may be worked on in shards, on several machines: shard k of n (from 1) has the cells whose
 * number, from 0, leaves k - 1 when divided by n. */
#ifndef SQ_GRID_H
#define SQ_GRID_H

#include "sim/base/sq_buf.h"
#include "sim/base/sq_mem.h"

struct sq_grid_key {
    const char *name;
    size_t count;
    const char **values;
};

/* A metric of a cell. A word is a row of its own: "drain.state=clears", with the share of runs. */
struct sq_grid_row {
    const char *metric;
    int64_t n;           /* runs in which it is not null */
    double mean, lo, hi; /* 95 %: Student's interval, Wilson's for shares of runs */
    double p10, p50, p90;
};

struct sq_grid_cell {
    bool done;
    const char *hash; /* of the effective scenario */
    size_t row_count;
    struct sq_grid_row *rows; /* outcome.p_collapse first */
};

struct sq_grid {
    struct sq_arena arena; /* of everything but the rows of cells, if those have another */
    const char *version, *title, *file, *variant;
    const char *hash; /* of the hashes of all cells */
    uint64_t seed;
    int64_t runs; /* of the scenario; a cell may have others */
    size_t key_count;
    struct sq_grid_key *keys;
    size_t metric_count; /* 0: all */
    const char **metrics;
    size_t cell_count;
    struct sq_grid_cell *cells;
    size_t shard, shards; /* 1 of 1: the whole */
};

/* Product of the numbers of values, at most `most` + 1. */
size_t sq_grid_size(const struct sq_grid *g, size_t most);

/* The value of a key in a cell. */
const char *sq_grid_value(const struct sq_grid *g, size_t cell, size_t key);

bool sq_grid_has(const struct sq_grid *g, size_t cell); /* in this shard */

/* Cells of this shard, and how many of them are done. */
size_t sq_grid_own(const struct sq_grid *g, size_t *done);

/* The row of a metric, or NULL. */
const struct sq_grid_row *sq_grid_find(const struct sq_grid_cell *c, const char *metric);

/* "cell 7 (a=1, b=2)": what people call it, numbered from 1. */
void sq_grid_put_cell(const struct sq_grid *g, size_t cell, struct sq_buf *out);

#endif
