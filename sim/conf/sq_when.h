/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_when.h - instants as logs and dashboards write them.
 *
 * Absolute times are 128-bit nanoseconds since 1970-01-01, so that epoch times in any unit and the
 * year 9999 are exact. No function of the C library that knows about time or locale is used. All
 * readers take the whole text; they return NULL, or a sentence without full stop that says what is
 * wrong ("is no day of the calendar"). */
#ifndef SQ_WHEN_H
#define SQ_WHEN_H

#include "sim/base/sq_buf.h"

/* A number in units of `unit_ns`; exact to 15 decimals of the unit, rounded to the nanosecond. */
const char *sq_when_number(const char *text, sq_time_t unit_ns, __int128 *ns) SQ_MUST_USE;

/* ISO 8601: 2014-04-10, 2014-04-10 00:04:00, 2023-11-16T18:17:03.9799600Z, +02:00, +0200, +02;
 * without a zone UTC. Digits behind the ninth of a second are cut off. */
const char *sq_when_iso(const char *text, __int128 *ns) SQ_MUST_USE;
bool sq_when_looks_iso(const char *text);

/* How a date of three numbers is to be read. A name of a month needs none of it. */
enum sq_when_order { SQ_WHEN_YMD, SQ_WHEN_YDM, SQ_WHEN_DMY, SQ_WHEN_MDY, SQ_WHEN_ORDERS };

struct sq_when {
    __int128 ns; /* since 1970, by the zone in the text; without one, as if it were UTC */
    int32_t east_s;
    bool zoned, utc_word; /* a zone is there; it is Z, UTC or GMT alone */
    bool clocked;         /* a time of day is there */
    bool named;           /* the month is a name: the order did not matter */
    bool year_first;
};

/* A date and, behind it, a time of day and a zone, in any of these forms:
 *   2024-05-01T10:05:00.123+02:00   2024/05/01 10:05   2019.19.07 14:48:00   5/1/2024, 10:05:00.000
 * AM May 1, 2024 @ 10:05:00.000      Wed May 01 2024 10:05:00 GMT+0200 (CEST) 01/Jul/1995:00:00:01
 * -0400      [01/Jul/1995:00:00:01 -0400] */
const char *sq_when_date(const char *text, enum sq_when_order order,
                         struct sq_when *out) SQ_MUST_USE;

/* "2014-04-10 00:04:00" and, if there is one, the fraction in at most nine digits; UTC. */
void sq_when_put(struct sq_buf *b, __int128 ns);

#endif
