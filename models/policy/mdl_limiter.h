/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_limiter.h - limits on calls per time (SCENARIO 8, `rate_limit`), and the hint that a server
 * sends with a refusal (SCENARIO 7, `hint`).
 *
 *   token-bucket     `burst` tokens at most, `rate` new ones per second; each call takes one
 *   gcra             the same law, told by times: never more than `burst` calls early
 *   fixed-window     `limit` calls in each window; windows lie on the clock, or begin with the
 * first call after the last one ended sliding-counter  windows on the clock; calls so far in this
 * one, and of those in the last one the share of it that a window ending now would still cover, are
 * below `limit`
 *
 * Token k after an instant at which the bucket was known comes ceil(k / rate) later, in whole
 * nanoseconds, counted from that instant: nothing adds up, so a token is there at its instant and
 * not one nanosecond before or after.
 *
 * Pure: the owner keeps the state, which holds no pointers. */
#ifndef MDL_LIMITER_H
#define MDL_LIMITER_H

#include "sim/conf/sq_field.h"

extern const struct sq_family mdl_limiter_family;
extern const struct sq_family mdl_hint_family;

struct mdl_limiter_state {
    sq_time_t since; /* bucket: when `credit` tokens were there; windows: start of this one */
    int64_t taken;   /* since then */
    int64_t before;  /* sliding-counter: in the window before */
    double credit, rate;
    int64_t burst; /* rate and burst in force since then */
    bool begun;    /* fixed-window from first use: there has been a call */
};

void mdl_limiter_init(const struct sq_block *l, struct mdl_limiter_state *s);

/* Whether a call may pass now; takes its token or place. `now` never goes back. */
bool mdl_limiter_ask(const struct sq_block *l, struct mdl_limiter_state *s, sq_time_t now);

/* The first instant from `now` on at which a call may pass if none does before. */
sq_time_t mdl_limiter_next(const struct sq_block *l, struct mdl_limiter_state *s, sq_time_t now);

/* A `set` action may have changed the keys: what has been saved up stays, within the new bounds. */
void mdl_limiter_changed(const struct sq_block *l, struct mdl_limiter_state *s, sq_time_t now);

/* The hint of a refusal: SQ_NEVER without one. `reset`: time from `now` to the limiter's next. */
sq_time_t mdl_hint(const struct sq_block *hint, const struct sq_block *l,
                   struct mdl_limiter_state *s, sq_time_t now);

/* Whether the hint needs a limiter. */
bool mdl_hint_is_reset(const struct sq_block *hint);

#endif
