/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_amount.h - amounts of any kind that a key may hold, as one number: durations in nanoseconds,
 * rates per second, all others as they are. */
#ifndef MDL_AMOUNT_H
#define MDL_AMOUNT_H

#include "sim/conf/sq_conf.h"

/* Whether only integers are meant: counts, sizes and durations. */
bool mdl_amount_is_whole(enum sq_ftype type);

/* NULL, or a sentence without full stop that says what is wrong. */
const char *mdl_amount_read(enum sq_ftype type, const char *text, double *out) SQ_MUST_USE;

/* Reads back to the same value. */
void mdl_amount_put(enum sq_ftype type, double value, struct sq_buf *out);

/* "a duration such as 5s". */
const char *mdl_amount_wanted(enum sq_ftype type);

#endif
