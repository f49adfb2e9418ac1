/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain_priv.h - what the files of the drain forecast share: the walk and its state. For
 * mdl_drain*.c only. */
#ifndef MDL_DRAIN_PRIV_H
#define MDL_DRAIN_PRIV_H

#include "models/forecast/mdl_drain_flight.h"
#include "models/forecast/mdl_drain_rate.h"

/* Fewer affected jobs than this are none: ln 2. Where chance decides which jobs fail again, as many
 * runs have none left then as have some: it is the median of the last job. */
#define MDL_DRAIN_NONE 0.693147

/* ---- the walk ---- */

struct mdl_drain_bucket {
    double count; /* as it was when its class had the hazard h0 */
    double h0;
    double deadline_s;
    uint32_t cls, failures;
    uint32_t
        joined; /* whole runs: 1 + the second in which it joined the queue; 0: it stands alone */
    bool affected, dead;
    bool fresh; /* pool: joined in this piece */
};

struct mdl_drain_class_now {
    double
        hazard; /* integral of arrivals / keys: a share e^-hazard of the waiting is not overtaken */
    double ready, delayed, deferred; /* jobs; deferred is a part of delayed */
    double ready_affected, delayed_affected;
    double inflow; /* arrivals in this piece that join */
    uint64_t tail; /* 1 + sequence of its youngest bucket of arrivals; 0: none */
    double tail_slot;
};

struct mdl_drain_timer {
    double due_s;
    size_t index; /* of in->timers; of in->hands when from_hand */
    bool from_hand;
};

/* Jobs that failed and come back by the kernels, and those that fail in the present piece. */
struct mdl_drain_again {
    size_t failures_max, seconds, cells; /* cells: of one second */
    struct mdl_drain_flow **wheel; /* [class][affected][failures][second mod seconds]; a row is
                                    * made when a job of the cell first fails */
    struct mdl_drain_flow *failed; /* one second's worth; NULL: nothing ever fails */
};

/* Replicas of the callers; those that are starting, by when they are ready. */
struct mdl_drain_fleet {
    void *state; /* of the scaler; its own */
    int64_t existing, ready;
    double next_look_s, next_poll_s;
    double due_s[64];
    int64_t starting[64];
    size_t count;
};

enum { MDL_DRAIN_WINDOW_S = 10, MDL_DRAIN_ROW = 5, MDL_DRAIN_ENDING = 64 };
#define MDL_DRAIN_FINE_S 0.1 /* pieces while trouble may begin */

/* Whole runs: trouble as a ramp sees it, and the second being counted. */
struct mdl_drain_phase {
    struct {
        double ended, failed;
    } window[MDL_DRAIN_WINDOW_S + 1]; /* by second */
    struct {
        double from_s, until_s, ended, failed;
    } ending[MDL_DRAIN_ENDING]; /* calls of pieces, and when they end: not yet in the window */
    size_t ending_count;
    bool near;                       /* a quarter of them failed: trouble may begin */
    double row[MDL_DRAIN_ROW], over; /* while trouble lasts: that k calls in a row succeeded */
    bool trouble, was_down;
    struct mdl_drain_gate gate; /* with its ramp, as given */
    struct mdl_drain_second second;
    double *arrived;
    struct mdl_drain_work before;
};

struct mdl_drain_walk {
    struct sq_arena *memory; /* for all that the walk needs */
    struct mdl_drain_phase phase;
    struct mdl_drain_again again;
    struct mdl_drain_flight flight;
    struct mdl_drain_fleet fleet;
    struct mdl_drain_input *known; /* the same as `in`: what changes on the way */
    const struct mdl_drain_input *in;
    struct mdl_drain_result *out;
    struct mdl_drain_track *track;
    struct mdl_drain_class_now *cls;
    struct mdl_drain_bucket *fifo; /* live: [head, len); the sequence of fifo[i] is base + i */
    size_t head, len, size;
    uint64_t base;
    struct mdl_drain_timer *timers;            /* sorted by due second */
    size_t timer_count, timer_next, timer_end; /* [next, end): due in the present second */
    double hands_end;
    double t0, t1; /* the piece being walked: everything is constant in it */
    struct mdl_drain_capacity capacity;
    double calls_all, calls_left, slots_all, slots_left; /* of the piece: calls, slot seconds */
    double affected, in_hand, in_hand_affected;          /* jobs not done */
    double affected_done_at;                             /* NaN until no affected job remains */
    double clear_at, over_since;
    double in_flight, overload_since; /* calls inside the dependency while they time out */
    double checked_at, checked;       /* time and size of the last look at the progress */
    bool clear, no_memory;
};

/* Whether overtaken jobs of the class leave at once. Under defer and fail lazy ones do too: they
 * are delivered again and again. */
bool mdl_drain_eager(const struct mdl_drain_input *in, uint32_t cls);

/* Jobs that join the tail now. Returns whether a bucket was made; sets no_memory on failure. */
bool mdl_drain_fifo_add(struct mdl_drain_walk *w, const struct mdl_drain_bucket *b);
void mdl_drain_fifo_arrive(struct mdl_drain_walk *w, uint32_t cls);

/* Serves as far as calls_left and slots_left go: from the head; under defer and fail what comes
 * back from its delay in the piece, in no order. */
void mdl_drain_serve(struct mdl_drain_walk *w);

/* The share of the piece's capacity that is spent, 0..1. */
double mdl_drain_used(const struct mdl_drain_walk *w);

/* Moves so many jobs from the head to the tail. */
void mdl_drain_fifo_turn(struct mdl_drain_walk *w, double jobs);

/* ---- the fleet of the callers (mdl_drain_scale.c) ---- */

enum sq_status mdl_drain_fleet_init(struct mdl_drain_walk *w) SQ_MUST_USE;

/* Replicas become ready, and the scaler looks, as it is its time at t0. */
void mdl_drain_fleet_step(struct mdl_drain_walk *w);

/* ---- whole runs (mdl_drain_phase.c) ---- */

enum sq_status mdl_drain_phase_init(struct mdl_drain_walk *w) SQ_MUST_USE;
void mdl_drain_phase_begin(struct mdl_drain_walk *w); /* of a piece: returns, before its capacity */
void mdl_drain_phase_end(struct mdl_drain_walk *w);   /* of a piece: trouble, the second's note */
void mdl_drain_phase_trip(struct mdl_drain_walk *w);
bool mdl_drain_phase_over(const struct mdl_drain_walk *w); /* the run has ended */

/* How long a job is still in hand once its last call has left; a forecast leaves that out. */
static inline double mdl_drain_call_s(const struct mdl_drain_walk *w)
{
    return w->in->whole != NULL ? w->capacity.latency_s : 0;
}

/* The outage at t, or NULL; when the next one begins or ends. */
const struct mdl_drain_outage *mdl_drain_outage_at(const struct mdl_drain_input *in, double t);
double mdl_drain_outages_jump(const struct mdl_drain_input *in, double t);

/* Whether those who arrive at t count as affected. */
static inline bool mdl_drain_affects(const struct mdl_drain_input *in, double t)
{
    return in->whole != NULL && t < in->whole->t1_s;
}

/* Calls have ended at this instant, all failed: a ramp may see trouble in it. */
void mdl_drain_phase_failed(struct mdl_drain_walk *w, double calls);

/* One call more while trouble lasts: row[k] is the probability that the last k succeeded. Returns
 * that with which it ends now. */
double mdl_drain_one_more_call(double *row, double fails);

/* The limit in force. */
double mdl_drain_limit_at(const struct mdl_drain_input *in, double t);

double mdl_drain_ready(const struct mdl_drain_walk *w);

/* ---- failures (mdl_drain_again.c) ---- */

enum sq_status mdl_drain_again_init(struct mdl_drain_walk *w) SQ_MUST_USE;

/* Where alike jobs are counted; which jobs these are. */
size_t mdl_drain_cell(const struct mdl_drain_walk *w, const struct mdl_drain_bucket *b);
struct mdl_drain_bucket mdl_drain_cell_bucket(const struct mdl_drain_walk *w, size_t cell);

/* Jobs of a bucket fail now: dead, or delayed from the end of the piece on. Returns those that
 * come back. */
double mdl_drain_fail(struct mdl_drain_walk *w, const struct mdl_drain_bucket *b, double count);

/* Puts what failed in the piece into the seconds in which it comes back. `call_s`: how long the
 * failed calls took. */
void mdl_drain_again_scatter(struct mdl_drain_walk *w, double call_s);

/* What comes back in this piece joins the tail. `done`: the second is over with it. */
void mdl_drain_again_due(struct mdl_drain_walk *w, bool done);

/* Walks until both marks are known, or never will be; a whole run to its end. */
enum sq_status mdl_drain_walk_run(struct mdl_drain_walk *w) SQ_MUST_USE;

#endif
