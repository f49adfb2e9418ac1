/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gather.h - what is kept of every run of a scenario, and how it becomes a neutral result.
 *
 * The first run supplies timeline and moments; quantile bands of the main columns are made of as
 * many runs as fit in a bounded memory (said in band_runs). */
#ifndef MDL_GATHER_H
#define MDL_GATHER_H

#include "models/mdl_world.h"
#include "sim/core/sq_result.h"

/* Memory for the columns that the bands of all scenarios together are made of. */
enum { MDL_BAND_BYTES = 256 << 20 };

/* One finished run. A zeroed struct is empty. */
struct mdl_kept {
    bool done;
    struct sq_value *values;
    size_t value_count;
    float **columns; /* banded ones, or NULL */
    size_t bin_count;
    struct sq_arena arena;
};

void mdl_kept_fini(struct mdl_kept *k);

/* Which runs, and how much memory their banded columns may take together. */
struct mdl_gather_ask {
    uint64_t first; /* number of the first replication, from 1 */
    size_t count;
    size_t band_bytes;
};

struct mdl_gather {
    struct mdl_gather_ask ask;
    struct sq_result *out;
    const char **band_names; /* of the banded columns */
    size_t band_count, band_runs;
};

/* Describes the scenario in `out` (zeroed; it must outlive the gathering, and is freed with
 * sq_arena_fini(&out->arena), also after failure). */
enum sq_status mdl_gather_open(struct mdl_gather *g, const struct mdl_scenario *s,
                               const struct mdl_gather_ask *ask, struct sq_result *out) SQ_MUST_USE;

/* Keeps what a finished run says; `run` from 0. Different runs may be taken on several threads. */
enum sq_status mdl_gather_take(const struct mdl_gather *g, size_t run, struct mdl_world *w,
                               struct mdl_kept *k) SQ_MUST_USE;

/* Puts the first `count` runs together (1 to ask.count; all of them done): run i is
 * kept[i * stride]. With fewer than asked for the result is marked as interrupted, and otherwise
 * the same as if only so many had been asked for. */
enum sq_status mdl_gather_close(struct mdl_gather *g, const struct mdl_kept *kept, size_t stride,
                                size_t count) SQ_MUST_USE;

#endif
