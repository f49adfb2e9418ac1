/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_replicate.h - several runs of one scenario, put together into a neutral result.
 *
 * Replications are numbered from 1 and run side by side, one world each; the result does not depend
 * on the number of threads. The first run supplies timeline and moments; quantile bands of the main
 * columns are made of as many runs as fit in a bounded memory (said in band_runs). */
#ifndef MDL_REPLICATE_H
#define MDL_REPLICATE_H

#include "models/mdl_scenario.h"
#include "sim/core/sq_result.h"

struct mdl_replicate_ask {
    uint64_t first; /* number of the first replication, from 1 */
    size_t count;
    unsigned threads;
    uint32_t check_every; /* events between checks of the laws */
    bool (*stop)(void);   /* polled; may be NULL */
};

/* Fills `out` (zeroed; freed with sq_arena_fini(&out->arena), also after failure). Statuses of
 * mdl_world_run; SQ_STOPPED leaves no result. */
enum sq_status mdl_replicate(const struct mdl_scenario *s, const struct mdl_replicate_ask *ask,
                             struct sq_result *out, struct sq_diag *diag) SQ_MUST_USE;

#endif
