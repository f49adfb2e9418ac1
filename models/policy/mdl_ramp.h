/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_ramp.h - the limit of a ramp after trouble (SCENARIO 8, `ramp`). Pure: the owner keeps when
 * the ramp started and whether there is trouble. The slow starts of HAProxy and Envoy in their own
 * arithmetic: of HAProxy the limit (maxconn), of Envoy the factor of a weight, here of the limit.
 */
#ifndef MDL_RAMP_H
#define MDL_RAMP_H

#include "models/policy/mdl_scope.h"

extern const struct sq_family mdl_ramp_family;

enum mdl_ramp_starts { MDL_RAMP_BREAKER_CLOSE, MDL_RAMP_ERRORS_STOP };

/* The keys that every kind of ramp shares. */
struct mdl_ramp_common {
    int starts;   /* enum mdl_ramp_starts */
    int clock;    /* 0 wall, 1 clean */
    int at_start; /* 0 full, 1 bottom */
    int scope;    /* enum mdl_scope */
};
const struct mdl_ramp_common *mdl_ramp_common(const struct sq_block *ramp);

/* Limit during trouble. */
int64_t mdl_ramp_bottom(const struct sq_block *ramp);

/* Limit `since` ns after the start. */
int64_t mdl_ramp_limit(const struct sq_block *ramp, sq_time_t since);

/* When after `since` the limit next changes, counted from the start; SQ_NEVER at the top. */
sq_time_t mdl_ramp_next(const struct sq_block *ramp, sq_time_t since);

/* When the limit of `since` began to hold, counted from the start. */
sq_time_t mdl_ramp_step(const struct sq_block *ramp, sq_time_t since);

/* Equal spans that tell the course of the limit: the steps themselves, or so many that no more is
 * lost than a plan loses anyway. Writes the length of a span (above 0); returns how many. */
size_t mdl_ramp_spans(const struct sq_block *ramp, sq_time_t *span);

/* Limit when the ramp has ended. */
int64_t mdl_ramp_top(const struct sq_block *ramp);

#endif
