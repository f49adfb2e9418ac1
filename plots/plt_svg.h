/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_svg.h - shapes and texts as SVG. Texts stay texts: they can be searched, selected, read out
 * and translated, and each is told how wide it was measured, so that it keeps its place whatever
 * font a reader has. There are no ids and no style sheet, so that any number of pictures can stand
 * in one page; and places are whole tenths of a pixel, which keeps the files small.
 *
 * Everything is appended to a buffer, whose `failed` tells of missing memory. */
#ifndef PLT_SVG_H
#define PLT_SVG_H

#include "plots/plt_shapes.h"
#include "sim/base/sq_buf.h"

/* One line of a text: left end of its base line, and how wide it is. `text` has `len` bytes. */
struct plt_svg_line {
    struct plt_point at;
    double width;
    const char *text;
    size_t len;
};

/* Lengths of the dashes and gaps of a pen, by turns; 0 of them for a solid line. */
size_t plt_dash_lengths(enum plt_dash dash, const double **lengths);

void plt_svg_box(struct sq_buf *out, struct plt_box box, struct plt_ink ink);
void plt_svg_path(struct sq_buf *out, const struct plt_point *points, size_t count,
                  struct plt_pen pen);
void plt_svg_area(struct sq_buf *out, const struct plt_point *points, size_t count,
                  struct plt_ink ink);
void plt_svg_disc(struct sq_buf *out, struct plt_point at, double radius, struct plt_ink ink);

/* Lines of one pen, two points each. */
void plt_svg_lines(struct sq_buf *out, const struct plt_point *ends, size_t count,
                   struct plt_pen pen);

void plt_svg_text(struct sq_buf *out, const struct plt_svg_line *line, const struct plt_type *type);

/* The whole file around what was drawn; `title` and `words` become <title> and <desc>. */
void plt_svg_file(struct sq_buf *out, struct plt_point size, const char *title, const char *words,
                  const struct sq_buf *drawn);

#endif
