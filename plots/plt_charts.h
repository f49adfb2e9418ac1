/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_charts.h - the plain charts, each from neutral results alone. All append the file to `out`;
 * the same results give the same bytes on one machine. SQ_NOMEM; SQ_IO when there is no font. */
#ifndef PLT_CHARTS_H
#define PLT_CHARTS_H

#include "plots/plt_canvas.h"
#include "sim/core/sq_grid.h"
#include "sim/core/sq_result.h"
#include "sim/core/sq_tipping.h"

/* The backlog from T1 on, P10 to P90 of the runs, and when it is gone: naive, planned, simulated.
 * Of a run that has no T1 from the beginning. Needs a bin. */
enum sq_status plt_chart_drain(const struct sq_result *r, struct plt_look look,
                               struct sq_buf *out) SQ_MUST_USE;

/* Where the jobs ended, a bar per result: means over the runs. */
enum sq_status plt_chart_ends(const struct sq_result *const *results, size_t count,
                              struct plt_look look, struct sq_buf *out) SQ_MUST_USE;

/* How long jobs took: of the first three producers the share of all their jobs that were done
 * within a time, a curve per result; from the histograms of run 1. */
enum sq_status plt_chart_delays(const struct sq_result *const *results, size_t count,
                                struct plt_look look, struct sq_buf *out) SQ_MUST_USE;

/* Attempts by job, and calls to the busiest dependency in the two minutes after T1 in fine bins: a
 * row of bars per result; from the histograms of run 1. */
enum sq_status plt_chart_attempts(const struct sq_result *const *results, size_t count,
                                  struct plt_look look, struct sq_buf *out) SQ_MUST_USE;
enum sq_status plt_chart_herd(const struct sq_result *const *results, size_t count,
                              struct plt_look look, struct sq_buf *out) SQ_MUST_USE;

/* Goodput against offered load of the busiest dependency, a dot per ten seconds of run 1. */
enum sq_status plt_chart_load(const struct sq_result *r, struct plt_look look,
                              struct sq_buf *out) SQ_MUST_USE;

/* A field per cell of a sweep of one key or two, by a metric (NULL: P(collapse)); along further
 * keys the first value. A thick line goes round the fields where most runs do not recover. */
enum sq_status plt_chart_heat(const struct sq_grid *g, const char *metric, struct plt_look look,
                              struct sq_buf *out) SQ_MUST_USE;

/* Share of runs in which it holds, and that collapse, along the key of a search for a limit, with
 * 95 % intervals. */
enum sq_status plt_chart_limits(const struct sq_limits *l, struct plt_look look,
                                struct sq_buf *out) SQ_MUST_USE;

#endif
