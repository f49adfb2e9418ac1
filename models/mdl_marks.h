/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_marks.h - every definition of when a system is well, in one file: queue clear, last job,
 * unhealthy bins, T2, how the drain ends, whether a run collapsed (SCENARIO 12.4).
 *
 * While the run goes on the marks collect, per queue, the spans in which the actionable backlog was
 * too large, per dependency the spans in which it was down, and per bin the tries and failures.
 * At the end they are judged. Pure arithmetic on what was collected. */
#ifndef MDL_MARKS_H
#define MDL_MARKS_H

#include "sim/base/sq_mem.h"

#define MDL_BURST \
    (10 * INT64_C(1000000000)) /* shorter bursts over the backlog limit do not count */

struct mdl_span {
    sq_time_t from, until;
};

/* Spans in order of time; open while `open_since` != SQ_NEVER. */
struct mdl_spans {
    struct mdl_span *items;
    size_t count, size;
    sq_time_t open_since;
};

/* A queue, or a dependency, in the eyes of the marks. */
struct mdl_watch {
    struct mdl_spans bad; /* queue: backlog too large for MDL_BURST at least; dependency: down */
    int64_t limit;        /* queue: backlog limit; INT64_MAX until the baseline is over */
    int64_t value, baseline_max;
    sq_time_t dip; /* queue: back within the limit since then, while `bad` is open; SQ_NEVER: not */
};

/* Tries that ended in a bin, and how many failed, of one dependency. */
struct mdl_bin_tries {
    uint32_t tries, failed;
};

struct mdl_window_tries {
    uint64_t tries, failed;
};

struct mdl_marks {
    sq_time_t bin, window, settle, t1;
    double failure_share; /* NaN until the baseline is over */
    int64_t backlog;      /* configured; -1: from the baseline */
    size_t queue_count, dependency_count, bin_size, bin_count;
    struct mdl_watch *queues, *dependencies;
    size_t baseline_bin; /* the first bin of the baseline */
    bool *called;        /* dependencies that workers of a queue call */
    size_t lane_count;   /* whose tries are counted: dependencies, then clients (their jobs) */
    struct mdl_bin_tries *tries;         /* [bin * lane_count + lane] */
    int64_t *alive;                      /* unfinished jobs at each bin's end */
    uint32_t *arrived, *goodput, *first; /* per bin, all together */
    struct mdl_window_tries *around;     /* [lane], in the window that moves when it is judged */
    bool failed;
    /* the verdicts, SQ_NEVER / NaN for null */
    sq_time_t queue_clear, t2;
    const char *state; /* drain.state; NULL: null */
    bool collapsed;
};

struct mdl_marks_ask {
    sq_time_t bin, window, settle, t1, longest;
    double failure_share;
    int64_t backlog;
    size_t queue_count, dependency_count, client_count;
};
enum sq_status mdl_marks_init(struct mdl_marks *m, const struct mdl_marks_ask *ask,
                              struct sq_arena *arena) SQ_MUST_USE;
void mdl_marks_fini(struct mdl_marks *m);

/* Memory that it takes for each bin. */
size_t mdl_marks_bin_bytes(const struct mdl_marks *m);

/* The actionable backlog of a queue has changed. */
void mdl_marks_backlog(struct mdl_marks *m, size_t queue, sq_time_t now, int64_t value);

/* A dependency went down or came back. */
void mdl_marks_down(struct mdl_marks *m, size_t dependency, sq_time_t now, bool down);

/* A try of a dependency, or a job of a client (lane dependency_count + client), ended in the
 * present bin. */
void mdl_marks_try(struct mdl_marks *m, size_t lane, bool failed);

/* Measurement starts: so does the baseline. */
void mdl_marks_measure(struct mdl_marks *m);

/* The baseline is over at `now` and was `length` long; under 10 s it says nothing. */
void mdl_marks_baseline(struct mdl_marks *m, sq_time_t now, sq_time_t length);

/* A bin is over. */
struct mdl_bin_sums {
    int64_t alive;
    uint64_t arrived, goodput, first;
};
void mdl_marks_bin(struct mdl_marks *m, struct mdl_bin_sums sums);

/* Judges the run that ended at `end`; `relapsed`: an overload rule tripped at or after T1 (T1
 * null: ever). */
void mdl_marks_judge(struct mdl_marks *m, sq_time_t end, bool relapsed);

#endif
