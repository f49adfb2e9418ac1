/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_rate.h - arrival rates that vary with time (SCENARIO 3, `rate.kind`). Pure. */
#ifndef MDL_RATE_H
#define MDL_RATE_H

#include "sim/conf/sq_field.h"

extern const struct sq_family mdl_rate_family;

/* Jobs per second at an instant. */
double mdl_rate_at(const struct sq_block *rate, sq_time_t at);

/* Whether it is the same at all times (until a `set` action changes it). */
bool mdl_rate_is_constant(const struct sq_block *rate);

/* The first instant >= from at which the integral of the rate since `from` reaches `area` (jobs);
 * SQ_NEVER when it never does. Unit-exponential areas make a Poisson process, areas of 1 a
 * regular one. */
sq_time_t mdl_rate_reach(const struct sq_block *rate, sq_time_t from, double area);

#endif
