/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain_rate.h - capacity as a function of time: pure functions of the input and an instant.
 * For mdl_drain*.c only. */
#ifndef MDL_DRAIN_RATE_H
#define MDL_DRAIN_RATE_H

#include "models/forecast/mdl_drain.h"

/* What holds at one instant. `callers`: slots that may call; `calls_per_s`: calls that end per
 * second, well or not, when all of them do; `latency_s`: of a call while the servers keep up. */
struct mdl_drain_capacity {
    double slots, callers, servers, calls_per_s, latency_s, service_s;
    double fail_share; /* of the calls: errors, and those that outlast the timeout */
    double late_share; /* those of them that do */
    bool down;         /* all fail: refused */
};

/* `in_hand`: permits and slots still held by calls from before. */
struct mdl_drain_capacity mdl_drain_capacity_at(const struct mdl_drain_input *in, double t,
                                                double in_hand);
struct mdl_drain_capacity mdl_drain_capacity_final(const struct mdl_drain_input *in);

/* Calls that outlast the timeout when services take `factor` times as long. */
struct mdl_drain_late mdl_drain_late(const struct mdl_drain_service *s, double factor);

/* How many times as long a service takes while so many jobs stand in the queue. */
double mdl_drain_slow(const struct mdl_drain_input *in, double ready);

/* The next instant after t at which any of that jumps; INFINITY when none does. */
double mdl_drain_next_jump(const struct mdl_drain_input *in, double t);

/* From when on it stays as it is. */
double mdl_drain_steady_from(const struct mdl_drain_input *in);

/* Latency of a call when n callers stand before the servers: network + service x max(1, n/c). */
double mdl_drain_latency(const struct mdl_drain_input *in, const struct mdl_drain_capacity *p,
                         double callers);

/* When the ramp's first step begins; a NaN in the input is worked out: as soon as the bottom's
 * calls end within their timeout, and five in a row have done so. */
double mdl_drain_ramp_from(const struct mdl_drain_input *in);

double mdl_drain_class_rate(const struct mdl_drain_input *in, const struct mdl_drain_class *c,
                            double t);

#endif
