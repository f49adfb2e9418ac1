/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_contention.h - how calls slow each other down (SCENARIO 7, `contention`).
 *
 * usl, linear and power are a factor on a service time, fixed when the service starts, of a number
 * N at that instant, the call itself included: calls in service, calls in flight (waiting ones
 * too), or the ready jobs of a queue (to which the call does not belong):
 *   usl     1 + alpha (N - 1) + beta N (N - 1), N at least 1 (Gunther's universal scalability law)
 *   linear  1 + per_call N
 *   power   1 + (N / scale)^power
 * sharing is no factor: `among` servers are shared equally by all calls in service, at every
 * instant (models/part/mdl_sharing.h does it). Pure. */
#ifndef MDL_CONTENTION_H
#define MDL_CONTENTION_H

#include "sim/conf/sq_field.h"

extern const struct sq_family mdl_contention_family;

enum mdl_load { MDL_LOAD_IN_SERVICE, MDL_LOAD_IN_FLIGHT, MDL_LOAD_QUEUE };

/* What N counts. The block must be a factor. */
enum mdl_load mdl_contention_load(const struct sq_block *c);

/* The queue whose ready jobs N counts; NULL when it counts something else. */
const char *mdl_contention_queue(const struct sq_block *c);

/* The factor for N; 1 for `sharing` and without a block. */
double mdl_contention_factor(const struct sq_block *c, int64_t n);

/* Servers shared among all in service; 0: not shared. */
int64_t mdl_contention_among(const struct sq_block *c);

#endif
