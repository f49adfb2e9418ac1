/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_limiter.h - limits on calls per time (SCENARIO 8, `rate_limit`), and the hint that a server
 * sends with a refusal (SCENARIO 7, `hint`).
 *
 *   token-bucket     `burst` tokens at most, `rate` new ones per second; each call takes one
 *   gcra             the same law, told by times: never more than `burst` calls early
 *   leaky-bucket     `rate` calls per second, one by one; `queue` more wait in it
 *   fixed-window     `limit` calls in each window; windows lie on the clock, or begin with the
 *                    first call after the last one ended
 *   sliding-log      `limit` calls in any window
 *   sliding-counter  windows on the clock; calls so far in this one, and of those in the last one
 *                    the share of it that a window ending now would still cover, with this call are
 *                    at most `limit`
 *
 * Token k after an instant at which the bucket was known comes ceil(k / rate) later, in whole
 * nanoseconds, counted from that instant: nothing adds up, so a token is there at its instant and
 * not one nanosecond before or after.
 *
 * Pure: the owner keeps the state. Only a sliding log holds memory of its own. */
#ifndef MDL_LIMITER_H
#define MDL_LIMITER_H

#include "models/policy/mdl_scope.h"

extern const struct sq_family mdl_limiter_family;
extern const struct sq_family mdl_hint_family;

struct mdl_limiter_state {
    sq_time_t since; /* bucket: when `credit` tokens were there; windows: start of this one */
    int64_t taken;   /* since then */
    int64_t before;  /* sliding-counter: in the window before */
    double credit, rate;
    int64_t burst;  /* rate and burst in force since then */
    bool begun;     /* fixed-window from first use: there has been a call */
    bool failed;    /* sliding-log: out of memory */
    sq_time_t *log; /* sliding-log: a ring of `size` (a power of two), `taken` of it in use */
    uint32_t head, size;
};

void mdl_limiter_init(const struct sq_block *l, struct mdl_limiter_state *s);
void mdl_limiter_fini(struct mdl_limiter_state *s);

/* Whether a call may pass now; takes its token or place. `now` never goes back. */
bool mdl_limiter_ask(const struct sq_block *l, struct mdl_limiter_state *s, sq_time_t now);

/* The first instant from `now` on at which a call may pass if none does before. */
sq_time_t mdl_limiter_next(const struct sq_block *l, struct mdl_limiter_state *s, sq_time_t now);

/* Whether a call is accepted now, and when it passes: at once, or later out of a leaky bucket,
 * whose place it then has. */
bool mdl_limiter_enter(const struct sq_block *l, struct mdl_limiter_state *s, sq_time_t now,
                       sq_time_t *at);

/* Calls that may wait in it: 0 unless it is a leaky bucket. */
int64_t mdl_limiter_queue(const struct sq_block *l);

int mdl_limiter_scope(const struct sq_block *l);

/* Calls per second in the long run. */
double mdl_limiter_rate(const struct sq_block *l);

/* A `set` action may have changed the keys: what has been saved up stays, within the new bounds. */
void mdl_limiter_changed(const struct sq_block *l, struct mdl_limiter_state *s, sq_time_t now);

/* The hint of a refusal: SQ_NEVER without one. `reset`: time from `now` to the limiter's next. */
sq_time_t mdl_hint(const struct sq_block *hint, const struct sq_block *l,
                   struct mdl_limiter_state *s, sq_time_t now);

/* Whether the hint needs a limiter. */
bool mdl_hint_is_reset(const struct sq_block *hint);

/* What to do instead of a limit of 0: nothing would ever pass, and what waits would wait on. */
#define MDL_LIMIT_HINT                                                                      \
    "a limit lets something pass; to turn every call away for a while give the dependency " \
    "an outage, or a `set` action that makes its breaker's `state` open"

#endif
