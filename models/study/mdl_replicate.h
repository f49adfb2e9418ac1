/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_replicate.h - several runs of one scenario, put together into a neutral result.
 *
 * Replications are numbered from 1 and run side by side, one world each; the result does not depend
 * on the number of threads. The first run supplies timeline and moments; quantile bands of the main
 * columns are made of as many runs as fit in a bounded memory (said in band_runs). */
#ifndef MDL_REPLICATE_H
#define MDL_REPLICATE_H

#include "models/mdl_world.h"
#include "sim/core/sq_result.h"

struct mdl_replicate_ask {
    uint64_t first; /* number of the first replication, from 1 */
    size_t count;
    unsigned threads;
    uint32_t check_every; /* events between checks of the laws */
    bool (*stop)(void);   /* polled; may be NULL */
    /* Called after each run, `i` from 0, on the thread that ran it. May be NULL. */
    void (*after)(void *ctx, size_t i, struct mdl_world *w);
    void *after_ctx;
};

/* Builds and runs one world, forecasts included; `tells`: with moments. The caller ends it with
 * mdl_world_fini, also after failure. Statuses of mdl_world_run, with the text in `diag`. */
struct mdl_run_ask {
    const struct mdl_scenario *s;
    uint64_t replication;
    uint32_t check_every;
    bool tells;
    bool (*stop)(void);
};
enum sq_status mdl_run_once(struct mdl_world *w, const struct mdl_run_ask *ask,
                            struct sq_diag *diag) SQ_MUST_USE;

/* Fills `out` (zeroed; freed with sq_arena_fini(&out->arena), also after failure). Statuses of
 * mdl_world_run; SQ_STOPPED leaves no result. */
enum sq_status mdl_replicate(const struct mdl_scenario *s, const struct mdl_replicate_ask *ask,
                             struct sq_result *out, struct sq_diag *diag) SQ_MUST_USE;

#endif
