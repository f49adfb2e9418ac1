/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_breaker_in.h - what the files of a breaker share, not for others: its window
 * (mdl_breaker_window.c) and when that is judged.
 *
 * Cells. `count`: a ring of two bits per call (1 failed, 2 slow), 32 to a cell. `time`: a ring of
 * buckets of three cells: its number or start, calls << 32 | failures, slow ones. `consecutive`
 * needs none. */
#ifndef MDL_BREAKER_IN_H
#define MDL_BREAKER_IN_H

#include "models/policy/mdl_breaker.h"

enum mdl_evaluate { MDL_EVALUATE_ANSWER, MDL_EVALUATE_FAILURE, MDL_EVALUATE_TICK };

enum mdl_evaluate mdl_breaker_evaluates(const struct mdl_breaker_cfg *cfg);
/* Of a tick. */
sq_time_t mdl_breaker_every(const struct mdl_breaker_cfg *cfg);

enum mdl_window_kind { MDL_WINDOW_CONSECUTIVE, MDL_WINDOW_COUNT, MDL_WINDOW_TIME };
enum mdl_rotate { MDL_ROTATE_ALIGNED, MDL_ROTATE_LAZY, MDL_ROTATE_TIMER, MDL_ROTATE_PER_CALL };

extern const struct sq_family mdl_window_family;

enum mdl_window_kind mdl_window_kind(const struct mdl_breaker_cfg *cfg);
/* Calls of consecutive and count. */
int64_t mdl_window_size(const struct mdl_breaker_cfg *cfg);
/* SQ_NEVER unless time. */
sq_time_t mdl_window_length(const struct mdl_breaker_cfg *cfg);
bool mdl_window_runs_on(const struct mdl_breaker_cfg *cfg); /* is never emptied */

size_t mdl_window_cells(const struct mdl_breaker_cfg *cfg);
void mdl_window_clear(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now);

/* Adds calls; `count` and `consecutive` take whole answers only. */
void mdl_window_add(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now,
                    struct mdl_tally what);

/* What is in it at `now`. `over`: only buckets that are over. */
struct mdl_tally mdl_window_sum(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b,
                                sq_time_t now, bool over);

#endif
