/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_slow_start.h - how much of its share of the calls a node gets after a return (SCENARIO 7,
 * `slow_start`). The slow starts of load balancers in their own arithmetic, t since the return:
 *   linear   t / over (the idea that most descriptions give)
 *   haproxy  ((16 t + over) div over) / 16 in whole seconds, at most 1: sixteenths (src/server.c)
 *   envoy    max((max(1 ms, t) / over)^(1 / aggression), floor) in whole milliseconds
 *            (load_balancer_impl.cc, applySlowStartFactor)
 *   angie    floor(100 t / over) / 100: nothing during the first percent
 *            (ngx_http_upstream_round_robin.c of Angie; nginx Plus has the same key)
 * A share is of the calls, not a limit: when all nodes return at once, it does nothing. Pure. */
#ifndef MDL_SLOW_START_H
#define MDL_SLOW_START_H

#include "sim/conf/sq_field.h"

extern const struct sq_family mdl_slow_start_family;

/* Weight of a node `since` ns after its return, in [0, 1]; never falls. The block has a kind. */
double mdl_slow_start_share(const struct sq_block *slow_start, sq_time_t since);

/* Whether a node that is new starts slowly too: not where only one seen down does. */
bool mdl_slow_start_at_birth(const struct sq_block *slow_start);

/* Since when the weight is 1, counted from the return. */
sq_time_t mdl_slow_start_over(const struct sq_block *slow_start);

#endif
