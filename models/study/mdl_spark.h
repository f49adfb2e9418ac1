/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_spark.h - a timeline in a line of text: the calls at each dependency and the jobs that wait
 * in each queue, as blocks of eight heights. */
#ifndef MDL_SPARK_H
#define MDL_SPARK_H

#include "sim/base/sq_mem.h"
#include "sim/core/sq_result.h"

enum { MDL_SPARK_CELLS = 48 };

struct mdl_spark {
    const char *what; /* "calls/s at api", "waiting in jobs" */
    const char *line; /* UTF-8; the highest block is `most`, a dot is 0 */
    double most;
};

struct mdl_sparks {
    size_t count;
    struct mdl_spark *items;
};

/* Texts live in the arena. */
enum sq_status mdl_sparks_make(const struct sq_series *s, struct sq_arena *arena,
                               struct mdl_sparks *out) SQ_MUST_USE;

#endif
