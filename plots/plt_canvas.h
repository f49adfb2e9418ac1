/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_canvas.h - a sheet to draw on: the one door to cairo and pango. The same calls draw SVG, PNG
 * and PDF.
 *
 * Order of use: open (then texts can be measured), begin (fixes the size), draw, finish. Places
 * are in pixels from the upper left corner. Drawing never fails by itself: the first error is
 * remembered and returned by finish. The same calls give the same bytes on one machine, whatever
 * was drawn before; nothing of the clock or of the process goes into the file.
 *
 * Which fonts are there depends on the machine; any font will do, but there must be one. */
#ifndef PLT_CANVAS_H
#define PLT_CANVAS_H

#include "plots/plt_shapes.h"
#include "sim/base/sq_buf.h"

enum plt_format { PLT_SVG, PLT_PNG, PLT_PDF };

/* What every chart is asked for beside its data. */
struct plt_look {
    enum plt_format format;
    const struct plt_theme *theme;
};

struct plt_canvas;

/* What to say of SQ_IO below. */
#define PLT_CANVAS_LACKS "a font or pango, which sets the text, is missing"
#define PLT_CANVAS_HINT  "install, on Debian, the packages libpangocairo-1.0-0 and fonts-dejavu-core"

/* A canvas for measuring. SQ_NOMEM; SQ_IO when this machine has no pango or no usable font: both
 * are looked for here, not when the program starts. */
enum sq_status plt_canvas_open(struct plt_look look, struct plt_canvas **out) SQ_MUST_USE;
void plt_canvas_close(struct plt_canvas *c); /* NULL is fine */

/* The colours to draw with. */
const struct plt_theme *plt_canvas_theme(const struct plt_canvas *c);

/* Width and height of a text as it would be drawn. */
struct plt_point plt_canvas_measure(struct plt_canvas *c, const char *text,
                                    const struct plt_type *type);

/* Starts an empty sheet of paper. */
void plt_canvas_begin(struct plt_canvas *c, double width, double height);

void plt_canvas_box(struct plt_canvas *c, struct plt_box box, struct plt_ink ink);
void plt_canvas_hatch(struct plt_canvas *c, struct plt_box box, struct plt_pen pen);
void plt_canvas_line(struct plt_canvas *c, struct plt_point from, struct plt_point to,
                     struct plt_pen pen);
void plt_canvas_path(struct plt_canvas *c, const struct plt_point *points, size_t count,
                     struct plt_pen pen);
void plt_canvas_area(struct plt_canvas *c, const struct plt_point *points, size_t count,
                     struct plt_ink ink);
void plt_canvas_disc(struct plt_canvas *c, struct plt_point at, double radius, struct plt_ink ink);

/* Draws a text with its upper edge at `at.y`; `at.x` is its left edge, middle or right edge. */
void plt_canvas_text(struct plt_canvas *c, struct plt_point at, const char *text,
                     const struct plt_type *type);

/* Ends the sheet and appends the file to `out`. An SVG has `title` and all texts of the sheet as
 * <title> and <desc>, for screen readers, and its texts as texts. SQ_NOMEM; SQ_IO when cairo could
 * not draw. */
enum sq_status plt_canvas_finish(struct plt_canvas *c, const char *title,
                                 struct sq_buf *out) SQ_MUST_USE;

#endif
