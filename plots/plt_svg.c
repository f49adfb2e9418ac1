/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_svg.c - writes SVG. */
#include "plots/plt_svg.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/sq_markup.h"

static long tenths(double v)
{
    return lround(v * 10);
}

/* 124 -> "12.4", -3 -> "-.3". */
static void put_tenths(struct sq_buf *out, long v)
{
    long size = labs(v);
    if (v < 0) {
        sq_buf_putc(out, '-');
    }
    if (size >= 10 || size == 0) {
        sq_buf_printf(out, "%ld", size / 10);
    }
    if (size % 10 != 0) {
        sq_buf_printf(out, ".%ld", size % 10);
    }
}

static void put_length(struct sq_buf *out, const char *name, double v)
{
    sq_buf_printf(out, " %s=\"", name);
    put_tenths(out, tenths(v));
    sq_buf_putc(out, '"');
}

static unsigned byte_of(double share)
{
    return (unsigned)lround(fmin(fmax(share, 0), 1) * 255);
}

static void put_ink(struct sq_buf *out, const char *what, struct plt_ink ink)
{
    sq_buf_printf(out, " %s=\"#%02x%02x%02x\"", what, byte_of(ink.r), byte_of(ink.g),
                  byte_of(ink.b));
    if (ink.a < 1) {
        sq_buf_printf(out, " %s-opacity=\"", what);
        sq_buf_number(out, ink.a, 2);
        sq_buf_putc(out, '"');
    }
}

void plt_svg_box(struct sq_buf *out, struct plt_box box, struct plt_ink ink)
{
    sq_buf_puts(out, "<rect");
    put_length(out, "x", box.x);
    put_length(out, "y", box.y);
    put_length(out, "width", box.w);
    put_length(out, "height", box.h);
    put_ink(out, "fill", ink);
    sq_buf_puts(out, "/>\n");
}

void plt_svg_disc(struct sq_buf *out, struct plt_point at, double radius, struct plt_ink ink)
{
    sq_buf_puts(out, "<circle");
    put_length(out, "cx", at.x);
    put_length(out, "cy", at.y);
    put_length(out, "r", radius);
    put_ink(out, "fill", ink);
    sq_buf_puts(out, "/>\n");
}

/* Where a path has got to, in tenths. */
struct pencil {
    long x, y;
};

static void put_move(struct sq_buf *out, struct pencil *p, struct plt_point to)
{
    p->x = tenths(to.x);
    p->y = tenths(to.y);
    sq_buf_putc(out, 'M');
    put_tenths(out, p->x);
    sq_buf_putc(out, ' ');
    put_tenths(out, p->y);
}

/* Steps along an axis, of which charts are full, take one number. */
static void put_step(struct sq_buf *out, struct pencil *p, struct plt_point to)
{
    long dx = tenths(to.x) - p->x;
    long dy = tenths(to.y) - p->y;
    p->x += dx;
    p->y += dy;
    if (dx == 0 && dy == 0) {
        return;
    }
    sq_buf_putc(out, dy == 0 ? 'h' : dx == 0 ? 'v' : 'l');
    if (dx != 0) {
        put_tenths(out, dx);
    }
    if (dx != 0 && dy > 0) {
        sq_buf_putc(out, ' ');
    }
    if (dy != 0) {
        put_tenths(out, dy);
    }
}

static void put_points(struct sq_buf *out, const struct plt_point *points, size_t count)
{
    struct pencil p;
    put_move(out, &p, points[0]);
    for (size_t i = 1; i < count; i++) {
        put_step(out, &p, points[i]);
    }
}

size_t plt_dash_lengths(enum plt_dash dash, const double **lengths)
{
    static const double all[PLT_DASH_COUNT][4] = {
        { 0 }, { 6, 4 }, { 1.6, 2.6 }, { 9, 3, 1.6, 3 }
    };
    static const size_t counts[PLT_DASH_COUNT] = { 0, 2, 2, 4 };
    SQ_ASSERT(dash < PLT_DASH_COUNT);
    *lengths = all[dash];
    return counts[dash];
}

static void put_pen(struct sq_buf *out, struct plt_pen pen)
{
    const double *lengths;
    size_t count = plt_dash_lengths(pen.dash, &lengths);
    sq_buf_puts(out, " fill=\"none\"");
    put_ink(out, "stroke", pen.ink);
    put_length(out, "stroke-width", pen.width);
    for (size_t i = 0; i < count; i++) {
        sq_buf_puts(out, i == 0 ? " stroke-dasharray=\"" : " ");
        sq_buf_number(out, lengths[i], 4);
    }
    sq_buf_puts(out, count > 0 ? "\"" : "");
}

void plt_svg_path(struct sq_buf *out, const struct plt_point *points, size_t count,
                  struct plt_pen pen)
{
    if (count < 2) {
        return;
    }
    sq_buf_puts(out, "<path d=\"");
    put_points(out, points, count);
    sq_buf_putc(out, '"');
    put_pen(out, pen);
    sq_buf_puts(out, count > 2 ? " stroke-linejoin=\"round\"/>\n" : "/>\n");
}

void plt_svg_area(struct sq_buf *out, const struct plt_point *points, size_t count,
                  struct plt_ink ink)
{
    if (count < 3) {
        return;
    }
    sq_buf_puts(out, "<path d=\"");
    put_points(out, points, count);
    sq_buf_puts(out, "z\"");
    put_ink(out, "fill", ink);
    sq_buf_puts(out, "/>\n");
}

void plt_svg_lines(struct sq_buf *out, const struct plt_point *ends, size_t count,
                   struct plt_pen pen)
{
    if (count == 0) {
        return;
    }
    sq_buf_puts(out, "<path d=\"");
    for (size_t i = 0; i + 1 < 2 * count; i += 2) {
        put_points(out, ends + i, 2);
    }
    sq_buf_putc(out, '"');
    put_pen(out, pen);
    sq_buf_puts(out, "/>\n");
}

void plt_svg_text(struct sq_buf *out, const struct plt_svg_line *line, const struct plt_type *type)
{
    struct sq_buf text = { 0 };
    sq_buf_add(&text, line->text, line->len);
    sq_buf_puts(out, "<text");
    put_length(out, "x", line->at.x);
    put_length(out, "y", line->at.y);
    put_length(out, "font-size", type->size);
    sq_buf_puts(out, type->bold ? " font-weight=\"bold\"" : "");
    put_ink(out, "fill", type->ink);
    put_length(out, "textLength", line->width);
    sq_buf_puts(out, " lengthAdjust=\"spacingAndGlyphs\">");
    sq_markup_text(out, text.text);
    sq_buf_puts(out, "</text>\n");
    out->failed = out->failed || text.failed;
    sq_buf_fini(&text);
}

void plt_svg_file(struct sq_buf *out, struct plt_point size, const char *title, const char *words,
                  const struct sq_buf *drawn)
{
    sq_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    put_length(out, "width", size.x);
    put_length(out, "height", size.y);
    sq_buf_puts(out, " viewBox=\"0 0 ");
    put_tenths(out, tenths(size.x));
    sq_buf_putc(out, ' ');
    put_tenths(out, tenths(size.y));
    sq_buf_puts(out, "\" role=\"img\" font-family=\"" PLT_FONTS "\">\n<title>");
    sq_markup_text(out, title);
    sq_buf_puts(out, "</title>\n<desc>");
    sq_markup_text(out, words);
    sq_buf_puts(out, "</desc>\n");
    sq_buf_add(out, drawn->text, drawn->len);
    sq_buf_puts(out, "</svg>\n");
}
