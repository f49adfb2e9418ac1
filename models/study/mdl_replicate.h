/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_replicate.h - several runs of one scenario or of several, each put together into a neutral
 * result (mdl_gather.h).
 *
 * Replications are numbered from 1 and run side by side, one world each, on all threads; the result
 * does not depend on their number. Run k of every scenario has the same luck. */
#ifndef MDL_REPLICATE_H
#define MDL_REPLICATE_H

#include "models/mdl_life.h"
#include "models/mdl_world.h"
#include "sim/core/sq_result.h"

struct mdl_replicate_ask {
    uint64_t first; /* number of the first replication, from 1 */
    size_t count;
    unsigned threads;
    uint32_t check_every; /* events between checks of the laws */
    bool (*stop)(void);   /* polled; may be NULL */
    /* Called after each run, on the thread that ran it; of n scenarios run k (from 0) of the s-th
     * is i = k * n + s. May be NULL. */
    void (*after)(void *ctx, size_t i, struct mdl_world *w);
    void *after_ctx;
    bool fluid;              /* mdl_single: one run by the fluid model (mdl_fluid_single.h) */
    bool shows;              /* how far it is, on a terminal */
    struct mdl_life_ask job; /* whose life the first run tells */
};

/* Builds and runs one world, forecasts included; `tells`: with moments. The caller ends it with
 * mdl_world_fini, also after failure. Statuses of mdl_world_run, with the text in `diag`. */
struct mdl_run_ask {
    const struct mdl_scenario *s;
    uint64_t replication;
    uint32_t check_every;
    bool tells;
    bool (*stop)(void);
    struct mdl_life_ask job;
};
enum sq_status mdl_run_once(struct mdl_world *w, const struct mdl_run_ask *ask,
                            struct sq_diag *diag) SQ_MUST_USE;

/* Fills `out` (zeroed; freed with sq_arena_fini(&out->arena), also after failure). Statuses of
 * mdl_world_run.
 *
 * A study that is stopped keeps the runs that were finished and have no unfinished one before them:
 * `out` is then marked as interrupted, and otherwise the same as that of so many runs. (Later runs
 * may be finished too, but only because they were short, which is no fair sample.) SQ_STOPPED when
 * not even the first was finished; that leaves no result. */
enum sq_status mdl_replicate(const struct mdl_scenario *s, const struct mdl_replicate_ask *ask,
                             struct sq_result *out, struct sq_diag *diag) SQ_MUST_USE;

/* The same for `count` scenarios; every one has the same number of finished runs. */
enum sq_status mdl_replicate_all(const struct mdl_scenario *const *scenarios, size_t count,
                                 const struct mdl_replicate_ask *ask, struct sq_result *outs,
                                 struct sq_diag *diag) SQ_MUST_USE;

#endif
