/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_plan_in.h - what the files of the plan share. For mdl_plan*.c only. */
#ifndef MDL_PLAN_IN_H
#define MDL_PLAN_IN_H

#include "models/forecast/mdl_drain.h"
#include "models/forecast/mdl_plan.h"

/* What the plan is about: one dependency, the pools that call it, their queues. */
struct mdl_plan {
    struct mdl_world *w;
    const struct mdl_dependency *dep;
    struct sq_arena *arena;
    struct mdl_drain_input in;
    struct mdl_drain_jobs *ready, *timers;
    struct mdl_drain_hand *hands;
    struct mdl_kernels *kernels; /* by pool */
    bool no_memory;
    size_t ready_size, timer_size, hand_size;
    sq_time_t now;
};

/* Puts the present state of a world into terms of the model; `dep` NULL: the model does not apply.
 * End it with mdl_plan_fini, also after failure. SQ_NOMEM possible. */
enum sq_status mdl_plan_open(struct mdl_plan *p, struct mdl_world *w,
                             struct sq_arena *arena) SQ_MUST_USE;
void mdl_plan_fini(struct mdl_plan *p);

/* Seconds from the instant of the plan to another one. */
double mdl_plan_after(const struct mdl_plan *p, sq_time_t at);

/* Whether a pool calls the dependency; the pool that does and fetches from a queue, or NULL. */
bool mdl_plan_pool_calls(const struct mdl_plan *p, const struct mdl_workers *pool);
const struct mdl_workers *mdl_plan_pool_of(const struct mdl_plan *p, uint16_t queue);

/* The ramp of the control, whether trouble has begun or not. */
enum sq_status mdl_plan_ramp(struct mdl_plan *p) SQ_MUST_USE;

/* Fill their part of the input (mdl_plan_power.c). */
enum sq_status mdl_plan_gate(struct mdl_plan *p) SQ_MUST_USE;
void mdl_plan_callers(struct mdl_plan *p);
void mdl_plan_service(struct mdl_plan *p);

#endif
