/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_unit.h - amounts as a user writes them and as the program holds them, both directions.
 *
 *   duration  250us 20ms 5s 20m 1h30m 14d 0s     -> sq_time_t, at most 10,000 d
 *   rate      500/s 30/m 2/h 24.4/s 5k/s         -> double per second
 *   ratio     20% or 0.2                         -> double 0..1
 *   count     60000 60k 2M                       -> int64_t < 2^40 (k M G are powers of 1000)
 *   seed      7 or a count, up to 2^64 - 1        -> uint64_t
 *   size      20kB 512MiB 1GB 0B                 -> int64_t bytes, at most 2^60
 *   number    1.5                                -> double
 *
 * Units of a duration stand in falling order; only the last part may have decimals, at most nine,
 * rounded to the nanosecond. Rates, ratios and numbers may have an exponent (1e-7). Counts and
 * sizes may have decimals where the amount is whole (1.5k).
 *
 * Parsers read exactly `text`; they return NULL on success, else a sentence without full stop that
 * says what is wrong ("needs a unit, for example 5s or 200ms"). Nothing here depends on the
 * locale. `none` and `unlimited` are the business of the caller. Minus signs are refused with
 * "is negative". */
#ifndef SQ_UNIT_H
#define SQ_UNIT_H

#include "sim/base/sq_buf.h"

const char *sq_unit_duration(const char *text, sq_time_t *out) SQ_MUST_USE;
const char *sq_unit_rate(const char *text, double *per_s) SQ_MUST_USE;
const char *sq_unit_ratio(const char *text, double *out) SQ_MUST_USE;
const char *sq_unit_count(const char *text, int64_t *out) SQ_MUST_USE;
const char *sq_unit_seed(const char *text, uint64_t *out) SQ_MUST_USE;
const char *sq_unit_size(const char *text, int64_t *bytes) SQ_MUST_USE;
const char *sq_unit_number(const char *text, double *out) SQ_MUST_USE;

/* The way back: a short text that reads back to the same value, as a person would write it: 1h30m,
 * 320ms, 24.4/s, 10/m, 20%, 60k, 512MiB. */
void sq_unit_put_duration(struct sq_buf *b, sq_time_t t); /* SQ_NEVER: none */
void sq_unit_put_rate(struct sq_buf *b, double per_s);
void sq_unit_put_ratio(struct sq_buf *b, double ratio);
void sq_unit_put_count(struct sq_buf *b, int64_t count); /* SQ_UNLIMITED: unlimited */
void sq_unit_put_size(struct sq_buf *b, int64_t bytes);  /* SQ_UNLIMITED: unlimited */

/* For people: about three significant digits, "6m30s", "35m", "1.2s", "45ms"; NaN and infinity
 * give "none". */
void sq_unit_put_span(struct sq_buf *b, double seconds);

#endif
