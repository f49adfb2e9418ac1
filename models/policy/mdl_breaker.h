/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_breaker.h - circuit breakers (SCENARIO 8, `breaker`): one engine with the knobs in which the
 * libraries differ.
 *
 *               window judged bad                    open_for over
 *      closed --------------------> open ------------------------------> half-open
 *        ^                           ^   (at the next call or by timer)      |
 *        |                           '------- bad answers, or `max` over ----|
 *        '------------------------------------ good answers -----------------'
 *
 * What the sentences of the language leave open:
 *   - count: `min_calls: 0` takes the share of the whole size, filled or not (so many failures of
 *     the last so many calls); a half-open breaker then decides as soon as its answers decide it.
 *   - time, rotate: `aligned` buckets are [k w, (k+1) w); `timer` buckets (k w, (k+1) w], because a
 *     timer fires after the answers of its instant; a `lazy` bucket begins with the first call
 *     after the one before it is over - exactly w old is over, with `boundary: strict` not yet -
 * and a single lazy bucket begins with the closed state; `per-call` moves on by one bucket per
 *     recorded call, however long the gap.
 *   - the window is emptied on closing - but a `timer` one runs on through all states - and with
 *     `late_answers: drop` also on opening. With `half_open: {mode: wait}` the probe's success is
 *     the first entry of the emptied window.
 *   - evaluated on a tick, a time window shows the buckets that are over; ticks and buckets are
 *     counted from the last closing.
 *   - half-open: when all answers so far failed it opens again whatever the threshold.
 *   - `volume_counts_rejected`: calls count in the volume when they ask, not when they end.
 *   - `half_open: none`: closes by itself when open_for is over. It counts as opening again in a
 *     row when it opens within the last open time after that.
 *   - a call that was cancelled is no answer: its permit comes back, nothing else.
 *
 * Pure: the owner keeps the state, mdl_breaker_size bytes that hold no pointers, and may copy it.
 * `now` never goes back. */
#ifndef MDL_BREAKER_H
#define MDL_BREAKER_H

#include "sim/conf/sq_field.h"

extern const struct sq_table mdl_breaker_table;

/* The failing outcomes of calls that left; the words of `failure_kinds`. */
enum mdl_breaker_kind {
    MDL_BREAKER_REFUSED,
    MDL_BREAKER_RATE_LIMITED,
    MDL_BREAKER_UNAVAILABLE,
    MDL_BREAKER_RESET,
    MDL_BREAKER_TIMEOUT,
    MDL_BREAKER_ERROR,
    MDL_BREAKER_CONFLICT,
    MDL_BREAKER_PERMANENT,
};

enum mdl_half_open_mode { MDL_HALF_TOTAL, MDL_HALF_CONCURRENT, MDL_HALF_WAIT };
enum mdl_breaker_decide { MDL_DECIDE_MIN_CALLS, MDL_DECIDE_ALL_SUCCEED };
enum mdl_breaker_late { MDL_LATE_CREDIT, MDL_LATE_DROP, MDL_LATE_FAILURES };
enum mdl_breaker_force { MDL_BREAKER_AUTO, MDL_BREAKER_FORCED_OPEN, MDL_BREAKER_FORCED_CLOSED };

struct mdl_half_open_cfg {
    int64_t calls;
    int mode, decide;
    sq_time_t max; /* SQ_NEVER: unlimited */
};

struct mdl_breaker_cfg {
    struct sq_block window, evaluate;
    int64_t min_calls;
    double threshold, slow_threshold;
    sq_time_t slow;               /* SQ_NEVER: none */
    struct sq_list failure_kinds; /* of int, enum mdl_breaker_kind */
    sq_time_t open_for, cap;
    double growth;
    int compare, boundary, leaves;       /* 1: above, strict, timer */
    struct mdl_half_open_cfg *half_open; /* NULL: none */
    int late_answers;                    /* enum mdl_breaker_late */
    int forced;                          /* enum mdl_breaker_force; only `set` changes it */
    bool volume_counts_rejected;
    int scope; /* enum mdl_scope */
};

enum mdl_breaker_state { MDL_BREAKER_CLOSED, MDL_BREAKER_OPEN, MDL_BREAKER_HALF_OPEN };
const char *mdl_breaker_word(enum mdl_breaker_state state);

struct mdl_tally {
    int64_t total, failed, slow;
};

struct mdl_breaker {
    enum mdl_breaker_state state;
    uint32_t age;      /* goes up with each change of state; calls remember under which they left */
    int forced;        /* enum mdl_breaker_force, as last seen */
    uint32_t reopened; /* times in a row */
    sq_time_t since;   /* of the state */
    sq_time_t origin;  /* ticks and aligned buckets are counted from here */
    sq_time_t ticked;  /* judged up to here */
    bool fresh;        /* there were answers since */
    int64_t opens;     /* changes to open, ever */
    int64_t rejected;  /* since the window was emptied or the half-open state entered */
    int64_t run, slow_run; /* failures, slow answers in a row */
    struct mdl_tally seen; /* count: in the ring */
    struct mdl_tally half; /* answers of the half-open state */
    int64_t out;           /* half-open permits in use, `total`: used */
    uint32_t head, filled, cell_count;
    uint64_t cells[]; /* of the window; see mdl_breaker_in.h */
};

size_t mdl_breaker_size(const struct mdl_breaker_cfg *cfg);
/* Closed, at time 0. */
void mdl_breaker_init(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b);

enum mdl_breaker_decision {
    MDL_BREAKER_PASS,
    MDL_BREAKER_REFUSE,
    MDL_BREAKER_WAIT, /* a probe is out: ask again when it was answered */
};

/* A call asks to leave. One that passes notes b->age. */
enum mdl_breaker_decision mdl_breaker_ask(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b,
                                          sq_time_t now);

/* Whether a call that asked now would pass. */
bool mdl_breaker_would_pass(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b,
                            sq_time_t now);

/* The call that has just passed does not leave after all: as if it had never asked. */
void mdl_breaker_unask(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now);

/* A call that left when the breaker had this age was cancelled. */
void mdl_breaker_return(struct mdl_breaker *b, uint32_t age);

struct mdl_breaker_answer {
    sq_time_t now, took; /* took: since it left */
    uint32_t age;        /* of the breaker when it left */
    bool failed;         /* see mdl_breaker_counts */
};
void mdl_breaker_answer(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b,
                        const struct mdl_breaker_answer *a);

/* Whether this outcome is a failure for the breaker. */
bool mdl_breaker_counts(const struct mdl_breaker_cfg *cfg, enum mdl_breaker_kind kind);

/* Does what time alone does up to `now`: leaves open by timer, ends half-open, judges on ticks. The
 * other functions do it too. Also takes over what `set` changed of `state`. */
void mdl_breaker_advance(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now);

/* The next instant after `now` at which that will be; SQ_NEVER: none. */
sq_time_t mdl_breaker_next(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b,
                           sq_time_t now);

/* The first instant at which an open breaker lets a call pass; SQ_NEVER when it is not open. */
sq_time_t mdl_breaker_opens_until(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b);

/* The window as it would be judged now: all calls, failures, slow ones. */
struct mdl_tally mdl_breaker_seen(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b,
                                  sq_time_t now);

/* Whether `tally` has calls enough to be judged. */
bool mdl_breaker_has_volume(const struct mdl_breaker_cfg *cfg, const struct mdl_tally *tally);

#endif
