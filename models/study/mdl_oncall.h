/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_oncall.h - the drain forecast without a scenario: from figures that an on-call engineer has
 * at hand, or from the timeline of a run (or of the real thing, with the same columns).
 *
 * Two answers: naive, the backlog divided by what is left of the capacity, and planned, the fluid
 * model of mdl_drain.h, which knows the ramp, the jobs past their deadline, and the timers that are
 * set. The capacity is given as a rate, or as calls at a time and how long one takes. From a
 * timeline come backlog, arrivals and - unless it is given - the capacity: what was completed over
 * the last `window`, by the clock, pauses included. Several queues have each a line of their own,
 * and where nothing else is given the slowest of them is the answer: that one shrinks does
 * not help another that grows. */
#ifndef MDL_ONCALL_H
#define MDL_ONCALL_H

#include "sim/base/sq_buf.h"
#include "sim/base/sq_opt.h"

enum { MDL_MAX_STEPS = 64, MDL_MAX_TIMERS = 64, MDL_MAX_LINES = 32, MDL_LINE_NAME = 48 };

/* A queue of a timeline. */
struct mdl_oncall_queue {
    char name[MDL_LINE_NAME];
    double backlog, growth_per_s; /* ready and delayed; over the window */
};

struct mdl_oncall_timers {
    double count, from_s, to_s; /* so many retries become due, evenly from .. to */
};

/* NaN: not given. */
struct mdl_oncall {
    double backlog, stale;     /* jobs; of them past their deadline */
    double cap_per_s, permits; /* one of the two */
    double service_s;          /* of a call; needed with permits */
    double arrivals_per_s;
    double steps[MDL_MAX_STEPS]; /* of the ramp, in the unit of the capacity */
    size_t step_count;
    double step_s;
    struct mdl_oncall_timers timers[MDL_MAX_TIMERS];
    size_t timer_count;
    const char *from;               /* the timeline, NULL: none */
    bool measured;                  /* the capacity is what was done over the window */
    bool as_it_is;                  /* and nothing else is given: the queues go on as they do */
    bool no_arrivals;               /* the timeline has no column of arrivals */
    double window_s;                /* over which was measured */
    double early_per_s, late_per_s; /* done in its two halves; equal but for chance: 0, 0 */
    struct mdl_oncall_queue queues[MDL_MAX_LINES];
    size_t queue_count; /* may be more than the lines that are kept */
};

/* Reads the options of `squall forecast`, and the timeline when there is one. SQ_USER with what is
 * wrong, SQ_IO and SQ_NOMEM. */
enum sq_status mdl_oncall_read(struct mdl_oncall *f, const struct sq_args *args,
                               struct sq_diag *diag) SQ_MUST_USE;

/* Forecasts and writes the answer. SQ_NOMEM. */
enum sq_status mdl_oncall_say(const struct mdl_oncall *f, struct sq_buf *out) SQ_MUST_USE;

/* The page of `squall forecast`. */
enum sq_status mdl_oncall_page(const struct sq_args *args, struct sq_buf *out,
                               struct sq_diag *diag) SQ_MUST_USE;

#endif
