/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_timeline.h - the columns of a run's timeline, filled bin by bin.
 *
 * A column watches something: a counter (reported per second of the bin's true width, then set to
 * 0), a level (its value just before the bin's end), the largest value of a level inside the bin,
 * or a figure computed at the bin's end. */
#ifndef MDL_TIMELINE_H
#define MDL_TIMELINE_H

#include "sim/core/sq_result.h"
#include "sim/core/sq_stat.h"

typedef double mdl_figure(void *entity);

enum mdl_watch_kind { MDL_WATCH_COUNTER, MDL_WATCH_LEVEL, MDL_WATCH_MAX, MDL_WATCH_FIGURE };

struct mdl_watched {
    enum mdl_watch_kind kind;
    void *what; /* uint64_t *, struct sq_level *, or the entity of a figure */
    mdl_figure *figure;
    bool banded; /* a main column: quantiles over the runs are kept */
};

struct mdl_timeline {
    struct sq_series series; /* columns' bins are grown as needed; owned */
    struct mdl_watched *watched;
    size_t column_size, bin_size;
    bool failed;
};

enum sq_status mdl_timeline_open(struct mdl_timeline *t, sq_time_t bin_ns, size_t bins) SQ_MUST_USE;
void mdl_timeline_fini(struct mdl_timeline *t);

/* Adds a column; the name ("queue.renders.ready") is borrowed. */
enum sq_status mdl_timeline_add(struct mdl_timeline *t, struct mdl_watched w,
                                const char *name) SQ_MUST_USE;

/* Closes the present bin, which ends at `end` (a short last one included). */
void mdl_timeline_close_bin(struct mdl_timeline *t, sq_time_t end);

#endif
