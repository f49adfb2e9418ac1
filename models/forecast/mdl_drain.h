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

#include "sim/base/sq_buf.h"

#include <math.h>

#define MDL_DRAIN_HORIZON_S 2592000.0 /* 30 days: what takes longer has no date */
#define MDL_DRAIN_BURST_S   10.0      /* shorter bursts over the threshold do not count (§12.4) */

/* From `from_s` on jobs arrive at `per_s`. The first row of a list starts at or before 0. */
struct mdl_drain_rate {
    double from_s, per_s;
};

enum mdl_drain_keep {
    MDL_DRAIN_KEEP_ALL,    /* no supersede */
    MDL_DRAIN_KEEP_NEWEST, /* an arrival overtakes the waiting job of its key, at once */
    MDL_DRAIN_KEEP_LAZY,   /* the same, noticed when the old job is delivered */
    MDL_DRAIN_KEEP_OLDEST, /* the newcomer ends while one of its key waits */
};

/* One producer. */
struct mdl_drain_class {
    const struct mdl_drain_rate *rates;
    size_t rate_count;
    double deadline_s; /* length; INFINITY: none */
    bool served_stale; /* deadline_check: enqueue - once ready, a stale job is served like others */
    enum mdl_drain_keep keep;
    double keys;          /* uniform; for a skewed draw 1 / sum of p^2 */
    double calls_per_job; /* `times` x service_scale; 0: makes none. More than 1 for repeats */
    double work_s;        /* slot time of an attempt besides its calls */
};

/* Alike jobs: one bucket per (second, class, ...) is fine. */
struct mdl_drain_jobs {
    double count;
    uint32_t cls;
    bool affected;     /* arrived before the instant of the forecast: counts for the last job */
    bool deferred;     /* timers: turned away by the callers' own control, so actionable */
    bool dead;         /* overtaken but not noticed yet (lazy): leaves at delivery for nothing */
    double deadline_s; /* instant; stale strictly after it. INFINITY: never, < 0: stale already */
    double due_s;      /* timers only: when the delay ends; taken to be anywhere in that second */
};

/* Jobs whose call was under way at the instant. They hold permits and slots until it ends.
 * (Jobs that wait at a control, or are held inside a hung dependency, belong to `ready`, first.) */
struct mdl_drain_hand {
    double count;
    uint32_t cls;
    bool affected;
    double deadline_s;
    double ends_s;
    double again_s; /* INFINITY: the call succeeds; else it fails and the retry is due then */
};

struct mdl_drain_callers {
    double slots_now, slots_max; /* replicas x slots: ready ones, and what the scaler may reach */
    double grow_s;               /* from one to the other, in a straight line; 0: at once */
};

struct mdl_drain_service {
    double servers;   /* of all nodes; INFINITY: unlimited */
    double service_s; /* mean, alone and warm */
    double network_s; /* both ways */
    double timeout_s; /* of a call; INFINITY: none */
    double warm_from; /* share in force at the instant the dependency came back; 1: no warm-up */
    double warm_over_s;
    double warm_age_s;                         /* how long ago it came back; 0 at T1 */
    bool warm_quarters, warm_speed;            /* curve: quarters; affects: speed */
    double overload_in_flight, overload_for_s; /* the rule that takes it down; INFINITY: none */
};

enum mdl_drain_throttled {
    MDL_DRAIN_WAIT,  /* in its slot, first in, first out (`pause` drains the same way) */
    MDL_DRAIN_DEFER, /* back to the queue as deferred, for delay_s on average */
    MDL_DRAIN_FAIL,  /* fails; the retry layer tries again after delay_s on average */
};

struct mdl_drain_gate {
    double limit;        /* concurrency; INFINITY: none */
    double rate_per_s;   /* of calls; INFINITY: none */
    const double *steps; /* ramp; none: step_count 0. The last step stays in force (it may be
                          * INFINITY) */
    size_t step_count;
    double step_s;
    double
        ramp_from_s; /* when the first step begins, negative: it runs already; before, the
                      * bottom holds. NaN: after five successes in a row: ceil(5 / bottom)
                      * calls, once calls end within their timeout. INFINITY: trouble never ends */
    enum mdl_drain_throttled throttled;
    double delay_s; /* of defer and fail, > 0 */
};

struct mdl_drain_input {
    const struct mdl_drain_class *classes;
    size_t class_count;
    double arrivals_end_s; /* the end of the run's `duration`; INFINITY: arrivals never stop */
    const struct mdl_drain_jobs *ready; /* first in, first out */
    size_t ready_count;
    const struct mdl_drain_jobs *timers; /* any order */
    size_t timer_count;
    const struct mdl_drain_hand *hands; /* any order */
    size_t hand_count;
    struct mdl_drain_callers callers;
    struct mdl_drain_service service;
    struct mdl_drain_gate gate;
    double backlog_max; /* clear when the actionable backlog is at most this ... */
    double settle_s;    /* ... and stays so for this long */
};

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
};

/* Jobs accounted for by the walk: backlog + arrived = served + stale + superseded + left. */
struct mdl_drain_work {
    double backlog, arrived, served, stale, superseded, left;
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
    double callers;                        /* slots that may call at most */
    double overload_in_flight;             /* as given */
    double latency_s;                      /* of a call when all of them do */
    double relapse_s;                      /* OVERLOAD: when the rule would trip */
    double peak_backlog;                   /* largest actionable backlog on the way */
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
