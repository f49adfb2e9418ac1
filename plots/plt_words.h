/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_words.h - a result in words: its numbers as people write them, and the one sentence that a
 * chart and a page lead with. */
#ifndef PLT_WORDS_H
#define PLT_WORDS_H

#include "sim/base/sq_buf.h"
#include "sim/core/sq_result.h"

/* "-" stands for null everywhere here; pages put nothing else for a number that is not there. */
void plt_put_count(struct sq_buf *b, double value); /* 1,600  12.3M  0.25 */
void plt_put_rate(struct sq_buf *b, double per_s);  /* 1,600/s  24.4/s */
void plt_put_ratio(struct sq_buf *b, double value); /* 1.37 */
void plt_put_span(struct sq_buf *b, double seconds);
void plt_put_percent(struct sq_buf *b, double share); /* 12 %; <1 % and >99 % are never 0, 100 */

/* An instant: 10m00s, 1h05m00s; with `fine` (runs below two minutes) 4.250s. */
void plt_put_clock(struct sq_buf *b, sq_time_t at, bool fine);

/* The same to the millisecond, at any length of the run: 1h05m00.250s. */
void plt_put_fine_clock(struct sq_buf *b, sq_time_t at);

/* Value of a metric in run `run` (from 0); NaN when it is null or there is no such metric. */
double plt_value(const struct sq_result *r, size_t run, const char *name);

/* Its word in run `run`, or NULL. */
const char *plt_word(const struct sq_result *r, size_t run, const char *name);

/* Sum over all metrics <prefix>.<any name>.<suffix> that are not null. */
double plt_sum(const struct sq_result *r, size_t run, const char *prefix, const char *suffix);

/* First moment of a kind, or NULL. */
const struct sq_moment *plt_moment(const struct sq_result *r, enum sq_moment_kind kind);

/* What a forecast that is null in run 1 means: its state, "would relapse" or "stalled", else
 * "never"; "none" where no forecast was made. */
const char *plt_no_forecast(const struct sq_result *r);

/* Number of runs that collapsed; false when the result does not say. */
bool plt_collapsed_runs(const struct sq_result *r, int64_t *hits);

/* "run 1 of 20; 18 of them collapse"; nothing for one run. */
void plt_put_runs(struct sq_buf *b, const struct sq_result *r);

/* What became of the first run: "falls over 3 more times; queue clear 41m after recovery".
 * Without capital letter and full stop. */
void plt_put_verdict(struct sq_buf *b, const struct sq_result *r);

/* "Title - variant" with the dash as `dash`. */
void plt_put_title(struct sq_buf *b, const struct sq_result *r, const char *dash);

#endif
