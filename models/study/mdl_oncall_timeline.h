/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_oncall_timeline.h - backlog, arrivals and throughput at one instant of a timeline.csv, and
 * what each of its queues does. */
#ifndef MDL_ONCALL_TIMELINE_H
#define MDL_ONCALL_TIMELINE_H

#include "models/study/mdl_oncall.h"

struct mdl_timeline_ask {
    const char *file;
    double at_s;     /* NaN: the last row */
    double window_s; /* rates are means over this long before */
};

/* Fills backlog (unless given: ready and delayed jobs of all queues in the last row before at_s),
 * arrivals and, unless a capacity is given, what was done per second: arrivals less the growth of
 * the backlog, by the clock; also the queues, how long the window was, and whether there are
 * arrivals. SQ_USER for a file that is no timeline or has no row there; SQ_IO and SQ_NOMEM. */
enum sq_status mdl_oncall_timeline(struct mdl_oncall *f, const struct mdl_timeline_ask *ask,
                                   struct sq_diag *diag) SQ_MUST_USE;

#endif
