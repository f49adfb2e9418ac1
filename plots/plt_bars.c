/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_bars.c - rows of bars. */
#include "plots/plt_bars.h"

#include <math.h>

enum { LEFT = 84, RIGHT = 28, HEAD = 20, HEIGHT = 74, BETWEEN = 12, AXIS = 40 };

double plt_bars_height(size_t rows)
{
    return (double)rows * (HEAD + HEIGHT + BETWEEN) + AXIS;
}

/* The bars as one area, up to `low` or to the whole: where one follows on the other there is no
 * line between them. */
static void draw_bars(const struct plt_bars *b, const struct plt_axes *a,
                      const struct plt_bar_row *row, bool whole)
{
    struct plt_point *points = sq_mem_alloc(4 * row->count + 2, sizeof *points);
    double floor_y = plt_axes_y(a, 0);
    size_t count = 0;
    for (size_t k = 0; k < row->count && points != NULL; k++) {
        const struct plt_bar *bar = &row->bars[k];
        double from = plt_axes_x(a, bar->from);
        double to = plt_axes_x(a, bar->to);
        double y = plt_axes_y(a, bar->low + (whole ? bar->high : 0));
        bool follows = count > 0 && points[count - 1].x > from - 0.01;
        if (!follows) {
            points[count++] = (struct plt_point){ from, floor_y };
        } else if (points[count - 1].y == floor_y && count > 1) {
            count--;
        }
        points[count++] = (struct plt_point){ from, y };
        points[count++] = (struct plt_point){ to, y };
        points[count++] = (struct plt_point){ to, floor_y };
    }
    plt_canvas_area(b->sheet->canvas, points, count, whole ? b->high : b->low);
    b->sheet->failed = b->sheet->failed || points == NULL;
    sq_mem_free(points);
}

static bool same_level(double a, double b)
{
    return isfinite(a) == isfinite(b) && !(fabs(a - b) > 0);
}

/* Steps, broken where there is nothing to compare with. */
static void draw_levels(const struct plt_axes *a, const struct plt_bar_row *row, struct plt_pen pen)
{
    double before = NAN;
    for (size_t k = 0, next; k < row->count; k = next) {
        const double level = row->levels[k];
        for (next = k + 1; next < row->count && same_level(row->levels[next], level); next++) {
        }
        struct plt_point from = { row->bars[k].from, level };
        if (isfinite(level)) {
            plt_axes_line(a, from, (struct plt_point){ row->bars[next - 1].to, level }, pen);
        }
        if (isfinite(level) && isfinite(before)) {
            plt_axes_line(a, (struct plt_point){ from.x, before }, from, pen);
        }
        before = level;
    }
}

static void draw_row(const struct plt_bars *b, const struct plt_bar_row *row, double y, bool last)
{
    const struct plt_theme *t = b->sheet->theme;
    const struct plt_type name = { .size = 12, .bold = true, .ink = t->text };
    const struct plt_type note = { .size = 11, .align = PLT_RIGHT, .ink = t->faint };
    struct plt_axes a = {
        b->sheet, { LEFT, y + HEAD, PLT_SHEET_WIDTH - LEFT - RIGHT, HEIGHT }, b->x, b->y, !last,
    };
    a.x.title = last ? b->x.title : NULL;
    a.y.hi = row->top > 0 ? row->top : a.y.hi;
    plt_axes_draw(&a);
    draw_bars(b, &a, row, true);
    draw_bars(b, &a, row, false);
    if (row->levels != NULL) {
        draw_levels(&a, row, (struct plt_pen){ t->capacity, 1.6, PLT_SOLID });
    }
    plt_sheet_text_within(b->sheet, (struct plt_point){ LEFT, y }, a.box.w / 2, row->name, &name);
    plt_sheet_text_within(b->sheet, (struct plt_point){ LEFT + a.box.w, y + 1 }, a.box.w / 2 - 10,
                          row->note, &note);
}

void plt_bars_draw(const struct plt_bars *b)
{
    for (size_t i = 0; i < b->count; i++) {
        draw_row(b, &b->rows[i], b->sheet->top + (double)i * (HEAD + HEIGHT + BETWEEN),
                 i + 1 == b->count);
    }
}
