/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_timeline.h - the chart of a run: calls against the capacity line, queue and replicas below,
 * outages and collapses shaded, actions and T1, T2 marked; the conclusion is the title.
 *
 * Drawn for up to three dependencies (most calls first), two queues and two groups of workers;
 * what is left out is named in the footer. */
#ifndef PLT_TIMELINE_H
#define PLT_TIMELINE_H

#include "plots/plt_canvas.h"
#include "plots/plt_pick.h"

/* Appends the file to `out`. The same result gives the same bytes on one machine. SQ_NOMEM; SQ_IO
 * when the machine has no font or cairo fails. Needs at least one bin in r->series. */
enum sq_status plt_chart_timeline(const struct sq_result *r, struct plt_look look,
                                  struct sq_buf *out) SQ_MUST_USE;

/* The same on white paper. */
enum sq_status plt_timeline(const struct sq_result *r, enum plt_format format,
                            struct sq_buf *out) SQ_MUST_USE;

/* Where time runs in the chart, for those who lay something over it: 0 is at `left`, `end` at
 * `right`, and between them are the columns of the view. */
struct plt_timeline_axis {
    struct plt_view view;
    sq_time_t end;
    double left, right;
};
void plt_timeline_axis(const struct sq_result *r, struct plt_timeline_axis *out);

#endif
