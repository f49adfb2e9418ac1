/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain.h - when is the backlog gone? The two forecasts made at one instant (T1, when a
 * scheduled outage ends, or any later one): the naive division B / (C - arrivals), and the
 * planned drain, a fluid walk over one-second bins.
 *
 * The walk knows the timers already set, deadlines, superseded keys, the ramp, the warm-up, the
 * slots of the callers and the calls still in hand. It serves the queue first in, first out; a job
 * past its deadline costs nothing, an overtaken one vanishes, a due timer joins the tail. It is
 * the limit of many jobs and many servers: no luck, no runs, one answer.
 *
 * Pure: everything comes in by `struct mdl_drain_input`, in seconds after that instant, and only
 * the result is written. INFINITY stands for "none", "never" and "unlimited"; fractions of jobs
 * are welcome. Pointers are borrowed for the call. Cost: bins x classes, and one bucket per class
 * and second of backlog. */
#ifndef MDL_DRAIN_H
#define MDL_DRAIN_H

#include "models/forecast/mdl_drain_input.h"
#include "sim/base/sq_buf.h"

enum mdl_drain_state {
    MDL_DRAIN_CLEARS,
    MDL_DRAIN_STALLED,
    MDL_DRAIN_WILL_NOT, /* will not drain */
    MDL_DRAIN_RELAPSE,  /* would relapse: the load of the callers takes the dependency down */
};

enum mdl_drain_reason {
    MDL_DRAIN_FINE,
    MDL_DRAIN_ARRIVALS, /* they use up the capacity: excess_per_s */
    MDL_DRAIN_TIMEOUTS, /* more callers than are served within the timeout: callers, latency_s */
    MDL_DRAIN_OVERLOAD, /* as many callers as trip the overload rule: callers, relapse_s */
    MDL_DRAIN_IDLE,     /* nothing can be called: no slot, no permit or trouble without end */
    MDL_DRAIN_HORIZON,  /* it shrinks, but would take longer than 30 days */
    MDL_DRAIN_GROWS,    /* the capacity is enough, but for calls that fail and come back: growth */
};

/* Jobs accounted for by the walk: backlog + arrived = served + stale + superseded + dead + left. */
struct mdl_drain_work {
    double backlog, arrived, served, stale, superseded, dead, left;
};

struct mdl_drain_result {
    enum mdl_drain_state state;
    enum mdl_drain_reason reason;
    double naive_s;            /* B / (C - arrivals); NaN when that is no time */
    double planned_s;          /* queue clear; NaN when it does not happen */
    double planned_last_job_s; /* the last affected job is done; NaN when it does not happen */
    double naive_backlog;      /* B: unfinished, not past the deadline */
    double capacity_per_s, arrivals_per_s; /* C and mean arrivals, in jobs, all ramps finished */
    double excess_per_s;                   /* last arrival rate less capacity; <= 0 is fine */
    double growth_per_s;                   /* GROWS: unfinished jobs, at last */
    double callers;                        /* slots that may call at most */
    double overload_in_flight;             /* as given */
    double latency_s;                      /* of a call when all of them do */
    double relapse_s;                      /* OVERLOAD: when the rule would trip */
    double peak_backlog;                   /* largest actionable backlog on the way */
    double relapses;                       /* whole runs: how often the rule tripped from T1 on */
    double trips;                          /* whole runs: how often it tripped at all */
    double end_s;                          /* whole runs: when it ended */
    double awaited;                        /* whole runs: calls under way then */
    struct mdl_drain_work work;
};

/* The actionable backlog at the end of each second 1, 2, ... of the walk, for charts. */
struct mdl_drain_track {
    float *backlog; /* the caller's, `size` values */
    size_t size, len;
};

/* Forecasts. `track` may be NULL. Returns SQ_OK or SQ_NOMEM. Asserts that counts and times are
 * sane (>= 0, known classes, a positive service time or no calls). When the slots that may call
 * exceed overload_in_flight, or timeouts during warm-up pile up beyond it for overload_for_s, the
 * state is RELAPSE and all three times are NaN: no plan survives that. */
enum sq_status mdl_drain(const struct mdl_drain_input *in, struct mdl_drain_track *track,
                         struct mdl_drain_result *out) SQ_MUST_USE;

/* "clears in 35m", "stalled", "will not drain: arrivals exceed capacity by 12/s",
 * "would relapse: 160 callers ...". No dates, no full stop. */
void mdl_drain_say(const struct mdl_drain_result *r, struct sq_buf *b);

/* The word alone: "clears", "stalled", "will not drain", "would relapse". */
const char *mdl_drain_word(enum mdl_drain_state state);

#endif
