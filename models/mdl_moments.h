/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_moments.h - what happened, as sentences: outages, collapses, scaling, ramps, actions, marks.
 * Only the run that a study tells about keeps them. */
#ifndef MDL_MOMENTS_H
#define MDL_MOMENTS_H

#include "models/mdl_probe.h"

/* Whether a record of this kind can be told of: the many of jobs and calls cannot. */
static inline bool mdl_moments_care(unsigned kind)
{
    const unsigned of_jobs = 1u << MDL_REC_JOB_ARRIVED | 1u << MDL_REC_JOB_READY |
                             1u << MDL_REC_JOB_DELIVERED | 1u << MDL_REC_ATTEMPT |
                             1u << MDL_REC_CALL_LEFT | 1u << MDL_REC_CALL_ENDED;
    return (of_jobs >> kind & 1) == 0;
}

void mdl_moments_see(struct mdl_probe *p, const struct mdl_rec *r);
void mdl_moments_t1(struct mdl_probe *p);

/* The name of an actor in the file; NULL when it has none. */
const char *mdl_moments_name(const struct mdl_probe *p, uint16_t actor);

/* Of autoscalers (mdl_moments_scaling.c): `m` says when, of what kind and about which pool. */
void mdl_moments_wanted(struct mdl_probe *p, const struct mdl_rec *r, struct sq_moment m);
void mdl_moments_gate(struct mdl_probe *p, const struct mdl_rec *r, struct sq_moment m);

/* Adds the marks that are known at the end and puts all in order of time. */
void mdl_moments_end(struct mdl_probe *p);

#endif
