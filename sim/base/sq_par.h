/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_par.h - the same function for many items, on several threads. Items must not depend on each
 * other; each writes its result to a place of its own, by index, so that the outcome is the same
 * for any number of threads. */
#ifndef SQ_PAR_H
#define SQ_PAR_H

#include "sim/base/sq_base.h"

enum { SQ_PAR_MAX = 256 }; /* threads; more are not used */

/* Calls one(ctx, i) once for every i in 0..n-1, on at most `threads` threads (0 counts as 1), the
 * calling one among them. Indices are given out in rising order. After a failure no further ones
 * are given out, those begun are finished, and the status of the lowest index that failed is
 * returned: the same for any number of threads. When the system refuses a thread, the others do
 * its work. */
enum sq_status sq_par_for(unsigned threads, size_t n, enum sq_status (*one)(void *ctx, size_t i),
                          void *ctx) SQ_MUST_USE;

/* Processors this program may use, at least 1. */
unsigned sq_par_cores(void);

#endif
