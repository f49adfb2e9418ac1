/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_plot.h - one chart of what run, compare, sweep or limits left in folders. */
#ifndef PLT_PLOT_H
#define PLT_PLOT_H

#include "plots/plt_canvas.h"
#include "sim/base/sq_diag.h"

struct plt_plot_ask {
    const char *const *folders;
    size_t count;        /* at least one; several: runs and comparisons side by side */
    const char *kind;    /* NULL: the usual one for what is in the folder */
    const char *variant; /* of several, this one alone; NULL: all, or the first */
    const char *metric;  /* of a sweep; NULL: P(collapse) */
    const char *theme;   /* NULL: light */
    const char *file;    /* its name says the format; NULL: SVG */
};

/* Reads the folders and appends the chart. The same folders give the same bytes. SQ_USER when a
 * folder holds no result, or not what the chart is made of; SQ_NOMEM. */
enum sq_status plt_plot(const struct plt_plot_ask *ask, struct sq_buf *out,
                        struct sq_diag *diag) SQ_MUST_USE;

/* Whether a chart of this kind can be made of what was read, and the chart. */
struct plt_stuff;
bool plt_plot_has(const char *kind, const struct plt_stuff *s);
enum sq_status plt_plot_draw(const char *kind, const struct plt_stuff *s, struct plt_look look,
                             struct sq_buf *out) SQ_MUST_USE;

/* Names of the kinds, in the order of the help; NULL behind the last. */
const char *plt_plot_kind(size_t i);

#endif
