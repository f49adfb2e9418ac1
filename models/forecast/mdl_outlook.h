/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_outlook.h - a forecast as people are told it: the state, and why where it has no time. */
#ifndef MDL_OUTLOOK_H
#define MDL_OUTLOOK_H

#include "models/forecast/mdl_drain.h"

/* "clears in 35m", "stalled: arrivals use up the capacity", "stalled: arrivals leave 0.9/s of the
 * capacity, less than 1 % of themselves", "will not drain: arrivals exceed capacity by 12/s" and
 * whatever else mdl_drain_say has. */
void mdl_outlook_say(const struct mdl_drain_result *r, struct sq_buf *b);

#endif
