/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_progress.h - how far long work is, shown on a terminal while it lasts: a bar on standard
 * error with the time that is left, and before it one line with an estimate of the whole. Nothing
 * is shown for work below a second, nor anywhere but on a terminal, and the bar is erased at the
 * end. The clock is read here and nowhere else in the program; nothing of it reaches a result.
 *
 * One thread begins and ends; any thread may step. */
#ifndef SQ_PROGRESS_H
#define SQ_PROGRESS_H

#include "sim/base/sq_buf.h"

/* What is counted, and what for. Texts are borrowed until the end. */
struct sq_progress_plan {
    const char *what; /* "20 runs x 5 variants" */
    size_t total;     /* units of work, all about as long */
    unsigned threads; /* that do them */
};

struct sq_progress; /* shown by a thread of its own */

/* Begins; NULL when nothing is to be shown (no terminal, no memory, no thread), which all
 * functions below take. */
struct sq_progress *sq_progress_begin(const struct sq_progress_plan *plan) SQ_MUST_USE;

/* One unit more is done. */
void sq_progress_step(struct sq_progress *p);

/* Erases the bar and frees everything. */
void sq_progress_end(struct sq_progress *p);

/* ---- the numbers and texts apart from clock and terminal ---- */

/* Seconds that are left when `done` units were done after `elapsed_s`, at the instant when the
 * last of them was: the others that are being worked on count half. NaN when none was done. */
double sq_progress_left_s(const struct sq_progress_plan *plan, size_t done, double elapsed_s);

/* "[========>               ] 37/100, 12s, about 21s left", without line end. left_s NaN: unknown.
 */
void sq_progress_put_bar(struct sq_buf *b, const struct sq_progress_plan *plan, size_t done,
                         double elapsed_s, double left_s);

/* "20 runs x 5 variants on 2 threads: about 40s". */
void sq_progress_put_estimate(struct sq_buf *b, const struct sq_progress_plan *plan, double all_s);

#endif
