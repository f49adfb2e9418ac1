/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_panel.h - one panel of a timeline: a stack of areas, lines over it, axes, and its part of the
 * shading that marks outages and collapses. Areas and lines bear their names themselves; only a
 * name that finds no place inside its area is written beside a swatch in the heading. */
#ifndef PLT_PANEL_H
#define PLT_PANEL_H

#include "plots/plt_canvas.h"
#include "plots/plt_labels.h"
#include "plots/plt_pick.h"
#include "plots/plt_scale.h"

enum { PLT_COLUMNS_MAX = 1024, PLT_LINES_MAX = 4 };

/* Something drawn from one timeline column. A NULL `bins` is left out. Texts are borrowed. */
struct plt_layer {
    const float *bins;
    const char *name; /* in the area, or at the right end of the line; NULL: nothing */
    struct plt_pen pen;
    bool edged; /* a line with an edge of paper, to be seen on any area */
};

struct plt_panel {
    const char *heading, *peak; /* peak: written at the highest point of the stack, or NULL */
    const struct plt_entity *dependency;   /* only its spans are shaded; NULL: all */
    struct plt_layer stack[PLT_STACK_MAX]; /* from below */
    size_t stack_count;
    struct plt_layer lines[PLT_LINES_MAX];
    size_t line_count;
    double height, top; /* top: where the y axis ends; 0: at the data */
    bool seconds;       /* the y axis is of time */
    bool states;        /* a strip of states of the dependency's breaker: no y axis */
};

/* What all panels of a chart share. */
struct plt_frame {
    struct plt_canvas *canvas;
    const struct plt_theme *theme;
    const struct sq_result *result;
    struct plt_view view;
    struct plt_scale x; /* in seconds */
    struct plt_ticks time;
    struct plt_taken *taken; /* words and upright lines of the sheet */
    bool small;              /* one of many: no names, few ticks */
};

enum { PLT_HEADING_HEIGHT = 20 };

/* Draws areas, lines and axes of the panel that has its heading from `y` downwards; it is
 * PLT_HEADING_HEIGHT + height high. */
void plt_panel_draw(const struct plt_frame *f, const struct plt_panel *p, double y);

/* Heading, keys and labels, to be drawn after whatever may run across the panel. */
void plt_panel_words(const struct plt_frame *f, const struct plt_panel *p, double y);

/* Largest sum of the stack. */
double plt_panel_max(const struct plt_frame *f, const struct plt_panel *p);

/* The view of a frame up to `end`, in at most `room` and PLT_COLUMNS_MAX columns. */
struct plt_view plt_panel_view(const struct sq_series *s, sq_time_t end, size_t room);

#endif
