/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain_flight.h - whole runs: calls that have left and not ended, by the second in which they
 * do. For mdl_drain*.c only. */
#ifndef MDL_DRAIN_FLIGHT_H
#define MDL_DRAIN_FLIGHT_H

#include "models/forecast/mdl_drain.h"

struct mdl_drain_walk;
struct mdl_drain_bucket;

/* Alike jobs. */
struct mdl_drain_flow {
    double count, deadline; /* deadline: its sum over the jobs */
};

struct mdl_drain_end {
    double goodput, refused, errors, timeouts; /* calls */
    double back;                               /* jobs: those of failing calls that come back */
};
struct mdl_drain_flight {
    size_t seconds;
    struct mdl_drain_end *ends;         /* [second mod seconds] */
    struct mdl_drain_flow *jobs;        /* [second mod seconds][cell]: done with their call */
    double good, back;                  /* sums of both */
    double held, held_from, held_until; /* refused while it was down, and not told yet */
};
struct mdl_drain_leave {
    double calls, good, back; /* calls that leave; jobs that are done with them, and come back */
};

enum sq_status mdl_drain_flight_init(struct mdl_drain_walk *w) SQ_MUST_USE;

/* Calls for jobs of a bucket leave, evenly over the piece; what ends in a second is booked. */
void mdl_drain_flight_leave(struct mdl_drain_walk *w, const struct mdl_drain_bucket *b,
                            const struct mdl_drain_leave *l);
void mdl_drain_flight_land(struct mdl_drain_walk *w, double second);

/* Before the piece in which the dependency goes down, or has come back. */
void mdl_drain_flight_reset(struct mdl_drain_walk *w);
void mdl_drain_flight_hold(struct mdl_drain_walk *w);

/* Callers held back on average over the piece, and those let go in it; calls under way. */
double mdl_drain_flight_held(const struct mdl_drain_walk *w);
double mdl_drain_flight_released(const struct mdl_drain_walk *w);
double mdl_drain_flight_calls(const struct mdl_drain_walk *w);

#endif
