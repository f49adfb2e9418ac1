/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_canvas.h - a sheet to draw on: the one door to cairo and pango.
 *
 * Order of use: open (then texts can be measured), begin (fixes the size), draw, finish. Places
 * are in pixels from the upper left corner. Drawing never fails by itself: the first error is
 * remembered and returned by finish. The same calls give the same bytes on one machine; nothing
 * of the clock or of the process goes into the file.
 *
 * Which fonts are there depends on the machine; any font will do, but there must be one. */
#ifndef PLT_CANVAS_H
#define PLT_CANVAS_H

#include "sim/base/sq_buf.h"

enum plt_format { PLT_SVG, PLT_PNG, PLT_PDF };

struct plt_ink {
    double r, g, b, a;
};

struct plt_point {
    double x, y;
};

struct plt_box {
    double x, y, w, h;
};

struct plt_pen {
    struct plt_ink ink;
    double width;
    bool dashed;
};

enum plt_align { PLT_LEFT, PLT_CENTRE, PLT_RIGHT };

struct plt_type {
    double size;
    bool bold;
    enum plt_align align;
    struct plt_ink ink;
    double wrap; /* lines are broken at this width; 0: one line */
    bool halo;   /* on a white ground, so that it can be read over lines */
};

/* The look of all charts, in one place. Chosen to stay apart in grey and for red-green colour
 * blindness: first calls are darker than retries. */
struct plt_theme {
    struct plt_ink paper, text, faint, grid, first, retry, goodput, capacity;
    struct plt_ink outage, collapse, hatch, mark, ready, delayed, replicas, starting;
};
extern const struct plt_theme plt_theme;

struct plt_canvas;

/* A canvas for measuring. SQ_NOMEM; SQ_IO when this machine has no usable font. */
enum sq_status plt_canvas_open(struct plt_canvas **out) SQ_MUST_USE;
void plt_canvas_close(struct plt_canvas *c); /* NULL is fine */

/* Width and height of a text as it would be drawn. */
struct plt_point plt_canvas_measure(struct plt_canvas *c, const char *text,
                                    const struct plt_type *type);

/* Starts an empty white sheet. */
void plt_canvas_begin(struct plt_canvas *c, enum plt_format format, double width, double height);

void plt_canvas_box(struct plt_canvas *c, struct plt_box box, struct plt_ink ink);
void plt_canvas_hatch(struct plt_canvas *c, struct plt_box box, struct plt_pen pen);
void plt_canvas_line(struct plt_canvas *c, struct plt_point from, struct plt_point to,
                     struct plt_pen pen);
void plt_canvas_path(struct plt_canvas *c, const struct plt_point *points, size_t count,
                     struct plt_pen pen);
void plt_canvas_area(struct plt_canvas *c, const struct plt_point *points, size_t count,
                     struct plt_ink ink);

/* Draws a text with its upper edge at `at.y`; `at.x` is its left edge, middle or right edge. */
void plt_canvas_text(struct plt_canvas *c, struct plt_point at, const char *text,
                     const struct plt_type *type);

/* Ends the sheet and appends the file to `out`. An SVG also carries `title` and all texts of the
 * sheet as <title> and <desc>, for search and for screen readers. SQ_NOMEM; SQ_IO when cairo
 * could not draw. */
enum sq_status plt_canvas_finish(struct plt_canvas *c, const char *title,
                                 struct sq_buf *out) SQ_MUST_USE;

#endif
