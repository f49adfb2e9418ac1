/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dist.h - how a user writes a distribution of durations (SCENARIO 1, "Distributions").
 *
 * Gamma and empirical distributions are sampled from tables. A table is made once at load, in the
 * arena of the scenario, and read by all runs; mdl_dist_prepare gives every block its table, and is
 * called after binding and again when a `set` action changed a configuration. */
#ifndef MDL_DIST_H
#define MDL_DIST_H

#include "sim/base/sq_mem.h"
#include "sim/conf/sq_field.h"
#include "sim/core/sq_dist.h"

extern const struct sq_family mdl_dist_family;

/* The sampler for a bound block; an absent block is the constant 0. A block that needs a table must
 * be prepared (asserted). Borrows the table. Costs some elementary functions: keep what is made. */
struct sq_dist mdl_dist_make(const struct sq_block *block);

/* Whether every draw is the same duration; then *value is it. Needs no table. */
bool mdl_dist_is_constant(const struct sq_block *block, sq_time_t *value);

/* Whether every draw is 0. A sample in a file counts as false. Needs no table. */
bool mdl_dist_is_zero(const struct sq_block *block);

/* The tables made so far. A zeroed one with an arena is empty. */
struct mdl_tables {
    struct sq_arena *arena;
    const struct mdl_tables *shared; /* looked at first, never changed; NULL: none */
    const struct mdl_table *first;
};

/* A sample in a file: what `file` and `column` of an empirical block ask for. The path is relative
 * to the scenario. NULL for other blocks. */
struct mdl_sample_ask {
    const char *file, *column;
};
const struct mdl_sample_ask *mdl_dist_sample(const struct sq_block *block);

/* Whether the sample of an ask is there; adding one, of `count` >= 1 durations in seconds, which
 * are put in order. SQ_NOMEM possible. */
bool mdl_tables_has(const struct mdl_tables *t, const struct mdl_sample_ask *ask);
enum sq_status mdl_tables_add(struct mdl_tables *t, const struct mdl_sample_ask *ask,
                              double *seconds, uint32_t count) SQ_MUST_USE;

/* Gives every distribution inside `cfg` (bound with `root`) its table. Samples must have been added
 * (asserted). SQ_NOMEM possible. */
enum sq_status mdl_dist_prepare(const struct sq_table *root, void *cfg,
                                struct mdl_tables *t) SQ_MUST_USE;

#endif
