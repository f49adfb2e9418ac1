/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_trace_csv.h - arrival traces: the time column of a CSV file, and a value column if asked for.
 *
 * Times are numbers in a stated unit, or ISO 8601: 2014-04-10, 2014-04-10 00:04:00,
 * 2023-11-16T18:17:03.9799600Z, 2024-05-01T10:05:00+02:00 (without a zone: UTC). One file uses one
 * of the two. Only differences matter: the first row is time 0. Both forms are exact in whole
 * numbers, numbers to 15 decimals of their unit (rounded to the nearest nanosecond), ISO times to
 * 9 (more are cut off).
 *
 * Rows never run backwards. With a value column each row is a bin [at_ns[i], at_ns[i + 1]); the
 * last one is as wide as the one before and ends at end_ns. Bins have a width, so then times rise
 * strictly, and there are two rows at least. Gaps are not filled: the row before a gap has a bin
 * that reaches to the row after it. Without values, rows may share a time (logs with a resolution
 * of a second); end_ns is the last time plus the last difference, the length of a repetition. */
#ifndef SQ_TRACE_CSV_H
#define SQ_TRACE_CSV_H

#include "sim/conf/sq_csv.h"

/* The words of `time_unit`, NULL-terminated: s ms us ns min h. */
extern const char *const sq_trace_csv_units[];

/* Nanoseconds in the unit of that index. */
sq_time_t sq_trace_csv_unit_ns(size_t index);

struct sq_trace_ask {
    const char *file;  /* for places */
    const char *time;  /* names of columns; where two share a name, the first is taken */
    const char *value; /* or NULL */
    sq_time_t unit_ns; /* of times that are numbers, > 0 */
};

/* What a trace holds, if it knows by itself; else who reads it was told. */
enum sq_trace_reads { SQ_TRACE_AS_ASKED, SQ_TRACE_TIMES, SQ_TRACE_COUNTS, SQ_TRACE_RATE };

struct sq_trace {
    size_t count;
    sq_time_t *at_ns; /* from 0 up */
    double *values;   /* >= 0; NULL if not asked for */
    sq_time_t end_ns;
    enum sq_trace_reads reads;
};

/* Arrays live in the arena. SQ_USER with the line: no such column, a time or value that is none, a
 * negative value, the first row that is out of order (later ones are not reported), a span over
 * 292 years. */
enum sq_status sq_trace_csv_read(const struct sq_csv *csv, const struct sq_trace_ask *ask,
                                 struct sq_arena *arena, struct sq_diag *diag,
                                 struct sq_trace *out) SQ_MUST_USE;

#endif
