/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_probe.h - what is measured of a run: it sees every semantic record and reads the levels that
 * entities publish, and never changes anything.
 *
 * A thing is measured iff it began at or after measure_from; outcomes are booked on the thing
 * (SCENARIO 12.1). The timeline, the marks and the laws see everything. */
#ifndef MDL_PROBE_H
#define MDL_PROBE_H

#include "models/mdl_life.h"
#include "models/mdl_marks.h"
#include "models/mdl_world.h"
#include "sim/base/sq_buf.h"
#include "sim/core/sq_result.h"

/* Outcomes as a caller sees them: calls = their sum + awaited. */
enum mdl_seen {
    MDL_SEEN_GOODPUT,
    MDL_SEEN_REFUSED,
    MDL_SEEN_ERRORS,
    MDL_SEEN_TIMEOUTS,
    MDL_SEEN_CANCELLED,
    MDL_SEEN_COUNT
};

struct mdl_call_counts {
    uint64_t first, retry, wasted;
    uint64_t late; /* of the retries those of a job's third attempt and later ones */
    uint64_t seen[MDL_SEEN_COUNT];
};

/* Calls that left in the present second [n, n+1). */
struct mdl_second {
    int64_t number;
    uint64_t calls, up;
};

struct mdl_dep_tally {
    struct mdl_call_counts measured, all, bin;
    uint64_t baseline_calls;
    struct mdl_second second;
    uint64_t peak, recovery_peak, peak_up;
    int64_t peak_at;                 /* the second of the peak, -1: none */
    struct sq_sample latency;        /* of goodput */
    struct sq_level down;            /* 1 while down, hung or collapsed */
    sq_time_t back_at;               /* when it last came up again; SQ_NEVER: it was never down */
    uint64_t back_first, back_retry; /* calls until then */
    uint64_t secondary, secondary_measured;
    sq_time_t first_relapse; /* of the measured ones; SQ_NEVER: none */
    uint64_t deferred, waited, rejected, ramp_relapses;
    uint64_t breaker_opens, budget_denied;
    uint64_t duplicates, bin_duplicates; /* executions beyond the first of a call */
};

struct mdl_queue_tally {
    struct sq_sample wait;
    uint64_t redelivered, bin_redelivered, redriven;
    bool told_copy, told_letter; /* the first of each is a moment */
};

/* What had happened to a pool before measurement started. */
struct mdl_pool_tally {
    int64_t changes_before, deaths_before;
};

struct mdl_job_counts {
    uint64_t arrived, ends[MDL_END_COUNT];
};

struct mdl_producer_tally {
    struct mdl_job_counts measured;
    struct sq_sample delay;
    uint64_t bin_arrived;
};

struct mdl_recovery {
    uint64_t all, past_deadline, superseded, useful, done;
};

struct mdl_forecasts {
    double naive_s, planned_s, planned_last_s; /* NaN: null */
    const char *state;                         /* "clears", "would relapse" ...; NULL: null */
    const char *text;                          /* "clears in 13m", or NULL */
};

/* Forecasts made again and again from T1 on. */
struct mdl_forecast_made {
    sq_time_t at;
    double drain_s; /* until the queue is clear; NaN: no date */
};
enum { MDL_FORECASTS_MAX = 2048 };
struct mdl_foresight {
    sq_time_t next; /* when the next one may be made; SQ_NEVER: none is */
    double now_s;   /* for the bin that closes; NaN: none was made in it */
    double spent;   /* what they cost so far, in events */
    struct mdl_forecast_made *made;
    size_t count;
    struct sq_arena memory; /* of the one being made, kept for the next */
};

struct mdl_actor {
    uint8_t section; /* enum mdl_section */
    uint16_t index;
};
enum mdl_section {
    MDL_SEC_OTHER,
    MDL_SEC_PRODUCER,
    MDL_SEC_CLIENT,
    MDL_SEC_QUEUE,
    MDL_SEC_POOL,
    MDL_SEC_DEPENDENCY
};

enum {
    MDL_ATTEMPTS_BINS = 65, /* [k]: jobs that ended after k attempts; the last one: or more */
    MDL_HERD_BINS = 1200,   /* of MDL_HERD_MS each, from T1 on */
    MDL_HERD_MS = 100,
};

/* For the histograms (mdl_histograms.h): jobs by attempts, and from T1 on by dependency first calls
 * and retries in fine bins. */
struct mdl_spread {
    uint64_t attempts[MDL_ATTEMPTS_BINS];
    uint64_t *herd; /* NULL before T1, and in a run that does not tell */
};

struct mdl_timeline; /* mdl_timeline.h */

/* Makes the forecast at T1 from the state of the world; NULL: none is made. */
typedef enum sq_status mdl_planner(struct mdl_world *w, struct mdl_forecasts *out);

struct mdl_probe {
    struct mdl_world *world;
    mdl_planner *plan;
    struct mdl_actor *actors; /* by actor */
    struct mdl_dep_tally *deps;
    struct mdl_queue_tally *queues;
    struct mdl_producer_tally *producers;
    struct mdl_pool_tally *pools;
    uint64_t attempts, retries, attempts_max;
    uint64_t arrived, ended[MDL_END_COUNT]; /* all, for the laws */
    struct sq_level jobs;                   /* alive */
    unsigned __int128 time_in_system;       /* of ended jobs */
    struct mdl_recovery recovery;
    uint64_t outage_ends[MDL_END_COUNT]; /* of jobs that arrived inside outages, before T1 */
    int64_t before_t1;                   /* unfinished jobs that arrived before T1 */
    sq_time_t last_job;                  /* when the last of them ended */
    uint64_t arrived_after_t1;
    int64_t alive_at_t1;
    struct mdl_marks marks;
    struct mdl_forecasts forecast;
    struct mdl_foresight foresight;
    struct mdl_timeline *timeline;
    struct mdl_spread spread;
    bool tells; /* keep the moments (one run of a study does) */
    struct mdl_life life;
    size_t moment_count, moment_size;
    struct sq_moment *moments;
    bool failed;
};

/* Attaches a probe to a world whose entities are initialised. */
enum sq_status mdl_probe_open(struct mdl_world *w) SQ_MUST_USE;
void mdl_probe_close(struct mdl_probe *p);

/* The clock says: measurement starts, the baseline ends, T1 is here, the run is over. */
void mdl_probe_measure(struct mdl_probe *p);
void mdl_probe_baseline(struct mdl_probe *p);
void mdl_probe_t1(struct mdl_probe *p);
void mdl_probe_end(struct mdl_probe *p);

/* Closes the timeline's bins that end at or before `now` (the `advance` hook of the run). */
void mdl_probe_advance(void *probe, sq_time_t now);

/* Makes a forecast from the present state, if it is time for one (mdl_probe_forecast.c). */
void mdl_probe_foresee(struct mdl_probe *p, sq_time_t now);

/* How far the forecasts were off in the end, as a sentence; false: there is nothing to say. */
bool mdl_probe_foresight(const struct mdl_probe *p, struct sq_buf *out);

/* Looks at the actionable backlog of every queue. */
void mdl_probe_backlogs(struct mdl_probe *p);

/* Ends the second: its counts compete for the peaks. */
void mdl_probe_close_second(struct mdl_dep_tally *d, sq_time_t t1);

/* Out of memory somewhere inside. */
bool mdl_probe_failed(const struct mdl_probe *p);

/* Notes a moment: `text` is copied into the run's arena. */
void mdl_probe_tell(struct mdl_probe *p, struct sq_moment m, const char *fmt, ...) SQ_PRINTF(3, 4);

#endif
