/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_backoff.h - D_n, the delay before try n+1 before jitter spreads it (SCENARIO 6).
 *
 * Pure: configuration and the number of failures in (n counts from 1), seconds out. */
#ifndef MDL_BACKOFF_H
#define MDL_BACKOFF_H

#include "sim/conf/sq_field.h"

extern const struct sq_family mdl_backoff_family;

/* D_n in seconds, capped where the cap applies before the jitter. Finite or +infinity, never NaN.
 * An absent block is no delay. Asserts n >= 1. */
double mdl_backoff_base_s(const struct sq_block *backoff, uint32_t n);

/* The cap on the jittered delay in seconds; infinity where there is none. */
double mdl_backoff_cap_after_s(const struct sq_block *backoff);

#endif
