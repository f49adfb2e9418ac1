/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain_input.h - what a drain forecast knows (mdl_drain.h): plain figures, in seconds after
 * the instant it is made at. */
#ifndef MDL_DRAIN_INPUT_H
#define MDL_DRAIN_INPUT_H

#include "models/part/mdl_kernel.h"
#include "models/policy/mdl_contention.h"
#include "models/policy/mdl_scaler.h"
#include "sim/core/sq_dist.h"

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
    const struct mdl_kernels *kernels; /* bins of 1 s: what fails comes back by them. NULL: no
                                        * attempt of the class fails */
    double attempts_max;               /* then it ends dead; INFINITY: never */
    double receives_max; /* one more delivery ends it dead instead; INFINITY, 0: never */
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
    uint32_t failures; /* so far */
};

/* Jobs whose call was under way at the instant. They hold permits and slots until it ends.
 * (Jobs that wait at a control, or are held inside a hung dependency, belong to `ready`, first.) */
struct mdl_drain_hand {
    double count;
    uint32_t cls;
    bool affected;
    double deadline_s;
    double ends_s;
    double again_s;    /* INFINITY: the call succeeds; else it fails and the retry is due then. NaN:
                        * it fails, and the retry is due by the kernels of its class */
    uint32_t failures; /* before this one */
};

struct mdl_drain_callers {
    double slots_now, slots_max; /* replicas x slots: ready ones, and what the scaler may reach */
    double grow_s;               /* from one to the other, in a straight line; 0: at once */
};

/* Calls that outlast the timeout: their share, and how long a caller waits on average. */
struct mdl_drain_late {
    double share, seen_s;
};

/* The autoscaler of the callers, by its own arithmetic; it sees the queue of the walk. */
struct mdl_drain_scaler {
    const struct sq_block *block; /* NULL: none, callers as they are */
    const void *state;            /* what it remembers, as the policy keeps it; copied */
    sq_time_t now;                /* the instant of the forecast on its clock */
    double next_look_s, next_poll_s;
    int64_t existing, ready; /* replicas */
    double slots;            /* of each */
    double start_up_s;       /* mean */
    bool to_tail;            /* where jobs of retired replicas that wait at a control go */
};

struct mdl_drain_service {
    double servers;             /* of all nodes; INFINITY: unlimited */
    double service_s;           /* mean, alone and warm */
    double network_s;           /* both ways */
    const struct sq_dist *dist; /* of the service, alone and warm: which share of the calls outlasts
                                 * the timeout. NULL: none does before the mean does */
    double error_share;         /* of the served calls */
    const struct sq_block *contention; /* by a queue: the longer it is the slower it serves. NULL */
    double slow;                       /* that factor now: worked out, to be left 0 */
    double down_until_s;               /* by its load: worked out, to be left 0 */
    struct mdl_drain_late warm_late;   /* worked out by mdl_drain; to be left 0 */
    double timeout_s;                  /* of a call; INFINITY: none */
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
        ramp_from_s;     /* when the first step begins, negative: it runs already; before, the
                          * bottom holds. NaN: after five successes in a row: ceil(5 / bottom)
                          * calls, once calls end within their timeout. INFINITY: trouble never ends */
    double shut_until_s; /* no call leaves before: a breaker is open. 0: none is */
    enum mdl_drain_throttled throttled;
    double delay_s; /* of defer and fail, > 0 */
};

/* The dependency is not itself on [from_s, until_s). */
struct mdl_drain_outage {
    double from_s, until_s;
    bool down;       /* every call fails after answer_s; the servers are cold afterwards */
    double answer_s; /* of errors: when they are told; NaN: after the service */
    double slow, errors, servers; /* factor, share of the calls, share in force */
};

/* What is counted in a second of a whole run: events in it, and levels at its end. */
struct mdl_drain_second {
    double end_s;
    double first, retry, goodput, refused, errors, timeouts; /* calls */
    double completed, dead, stale, superseded;               /* jobs */
    double ready, delayed, leased, waiting, in_use, inside;
    double limit, capacity_per_s, slots;
    int64_t existing, ready_replicas; /* with an autoscaler; else 0 */
    bool down;
    const double *arrived; /* by class */
};

/* A whole run: from an empty system to the end, through outages. */
struct mdl_drain_whole {
    double t1_s;                      /* INFINITY: none. Who arrives before is affected */
    double end_s;                     /* it ends then, or when arrivals have and nothing is left */
    double down_for_s, down_answer_s; /* when the overload rule trips */
    bool repeats;                     /* it may trip again */
    bool ramp_first;                  /* at_start: bottom */
    bool ramp;                        /* trouble begins and ends by itself (errors-stop) */
    void (*note)(void *ctx, const struct mdl_drain_second *s);
    void *ctx;
    bool (*stop)(void); /* polled every second; NULL: never */
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
    struct mdl_drain_scaler scaler;
    struct mdl_drain_service service;
    struct mdl_drain_gate gate;
    const struct mdl_drain_outage *outages; /* in order of time; they do not overlap */
    size_t outage_count;
    bool clear_only; /* the last job is not asked for: it may take much longer */
    const struct mdl_drain_whole *whole; /* NULL: a forecast from the present on */
    double backlog_max;                  /* clear when the actionable backlog is at most this ... */
    double settle_s;                     /* ... and stays so for this long */
    struct sq_arena *memory; /* what the walk needs is taken from it; NULL: it sees to its own */
};

#endif
