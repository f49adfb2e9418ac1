/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_axes.h - a plain chart: a box with two axes, linear or logarithmic, ticks that are round and
 * have units, and titles. */
#ifndef PLT_AXES_H
#define PLT_AXES_H

#include "plots/plt_scale.h"
#include "plots/plt_sheet.h"

enum plt_amount { PLT_COUNT, PLT_RATE, PLT_TIME, PLT_SHARE };

/* Invariant: lo < hi; of a logarithmic one also 0 < lo. */
struct plt_axis {
    double lo, hi;
    bool log;
    enum plt_amount amount;
    const char *title; /* NULL: none */
};

struct plt_axes {
    struct plt_sheet *sheet;
    struct plt_box box;
    struct plt_axis x, y;
    bool bare; /* no numbers below: another chart that stands under this one has them */
};

/* Place of a value; values outside are put at the nearer end. */
double plt_axis_at(const struct plt_axis *axis, double value, double from, double to);
double plt_axes_x(const struct plt_axes *a, double value);
double plt_axes_y(const struct plt_axes *a, double value);

/* Ticks within the axis, at most `most`: of times at steps that a clock has, of a logarithmic axis
 * at powers of ten, where it is short also at 2 and 5 times these; of times at 1m, 10m, 1h, 10h. */
void plt_axis_ticks(const struct plt_axis *axis, size_t most, struct plt_ticks *out);

void plt_put_amount(struct sq_buf *b, enum plt_amount amount, double value);

/* Grid, ticks and titles: the y axis' above its upper end, the x axis' below its right end. They
 * need 20 pixels above, 32 below, 60 to the left. */
void plt_axes_draw(const struct plt_axes *a);
void plt_axes_draw_x(const struct plt_axes *a); /* the x axis alone */

/* A line between two points of the chart. */
void plt_axes_line(const struct plt_axes *a, struct plt_point from, struct plt_point to,
                   struct plt_pen pen);

#endif
