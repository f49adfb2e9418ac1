/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_backoff.h - D_n, the delay before try n+1 before jitter spreads it (SCENARIO 6).
 *
 * Pure: configuration, the number of failures n (from 1), a uniform and the state in; seconds out.
 * Most laws need neither uniform nor state. The stateful ones (decorrelated, compounding, polly)
 * draw by themselves, build on one number kept between failures, and take no jitter. */
#ifndef MDL_BACKOFF_H
#define MDL_BACKOFF_H

#include "sim/conf/sq_field.h"

extern const struct sq_family mdl_backoff_family;

/* D_n in seconds, capped where the cap applies before the jitter. Finite or +infinity, never NaN or
 * negative. `last` is the state: 0 before the first failure, updated by stateful laws. An absent
 * block is no delay. Asserts n >= 1 and 0 < u < 1. */
double mdl_backoff_next_s(const struct sq_block *backoff, uint32_t n, double u, double *last);

/* Whether the law draws by itself, so that it takes no jitter. */
bool mdl_backoff_draws(const struct sq_block *backoff);

/* Whether the delay is what is left of a lease: the caller knows it. */
bool mdl_backoff_is_lease(const struct sq_block *backoff);

/* Whether a delay of this law is not to be spread: it draws by itself, or the delay has reached a
 * cap that is `unjittered`. */
bool mdl_backoff_is_exact(const struct sq_block *backoff, double d);

/* The same of a kind by its name. */
bool mdl_backoff_kind_draws(const char *kind);

/* The part of D_n that `offset_too: false` keeps out of the jitter. */
double mdl_backoff_offset_s(const struct sq_block *backoff);

/* The cap on the jittered delay in seconds; infinity where there is none. */
double mdl_backoff_cap_after_s(const struct sq_block *backoff);

#endif
