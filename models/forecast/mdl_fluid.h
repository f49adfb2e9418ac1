/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_fluid.h - a whole run by the fluid model: jobs are a stream, cut into seconds. Arrivals ->
 * ready -> callers -> calls that succeed, fail or are given up -> delay kernels -> ready; with
 * outages, warm-up, a concurrency limit and its ramp, deadlines, superseding, an autoscaler and the
 * overload rule. Its cost does not depend on how many jobs there are.
 *
 * It is the limit of many jobs and many servers, and has no luck: chance itself, single waits and
 * the odds of a collapse are not in it. mdl_fluid_check says where it does not hold. */
#ifndef MDL_FLUID_H
#define MDL_FLUID_H

#include "models/forecast/mdl_drain.h"
#include "models/mdl_world.h"

/* The parts of the world that the model is about. */
struct mdl_fluid_parts {
    const struct mdl_queue *queue;
    const struct mdl_workers *pool;
    const struct mdl_dependency *dep;
};

/* Refuses (SQ_USER) a world with anything the model does not know, key by key. */
enum sq_status mdl_fluid_check(const struct mdl_world *w, struct mdl_fluid_parts *parts,
                               struct sq_diag *diag) SQ_MUST_USE;

/* Who is told of every second. */
struct mdl_fluid_note {
    void (*note)(void *ctx, const struct mdl_drain_second *s);
    void *ctx;
    bool (*stop)(void); /* polled; may be NULL */
};

/* Walks through the run of a world that was built, has not begun and was not refused by
 * mdl_fluid_check. SQ_NOMEM possible, and SQ_STOPPED. */
enum sq_status mdl_fluid_run(struct mdl_world *w, const struct mdl_fluid_note *note,
                             struct mdl_drain_result *out) SQ_MUST_USE;

#endif
