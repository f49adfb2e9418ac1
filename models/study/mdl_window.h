/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_window.h - `when` of an expectation: always, {at: 40m}, {between: [T1, T1+30m]}. */
#ifndef MDL_WINDOW_H
#define MDL_WINDOW_H

#include "models/mdl_scenario.h"
#include "sim/core/sq_result.h"

enum mdl_window_kind { MDL_WHOLE_RUN, MDL_ALWAYS, MDL_AT, MDL_BETWEEN };

/* 40m, or T1+30m. */
struct mdl_instant {
    bool from_t1;
    sq_time_t offset_ns; /* may be negative behind T1 */
};

struct mdl_window {
    enum mdl_window_kind kind;
    struct mdl_instant from,
        until;        /* AT: the bin of `from`; BETWEEN: bins that touch [from, until) */
    const char *text; /* "at 40m", NULL for WHOLE_RUN */
};

/* The instant of a scenario or run whose T1 is `t1`; SQ_NEVER when there is no T1. */
sq_time_t mdl_instant_at(const struct mdl_instant *i, sq_time_t t1);

/* Reads `when`; mistakes are noted at their places. */
enum sq_status mdl_window_read(const struct sq_node *node, const char *path, struct sq_arena *arena,
                               struct sq_diag *diag, struct mdl_window *out) SQ_MUST_USE;

/* Its times exist in the scenario and lie in the run. */
enum sq_status mdl_window_check(const struct mdl_window *w, const struct mdl_scenario *s,
                                const struct sq_node *node, const char *path,
                                struct sq_diag *diag) SQ_MUST_USE;

/* The bins [*first, *last) of a finished timeline that it covers; none when *first == *last. */
void mdl_window_bins(const struct mdl_window *w, const struct sq_series *series, sq_time_t t1,
                     size_t *first, size_t *last);

#endif
