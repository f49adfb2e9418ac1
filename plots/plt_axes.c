/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_axes.c - two axes around a box. */
#include "plots/plt_axes.h"

#include <math.h>

#include "plots/plt_words.h"

double plt_axis_at(const struct plt_axis *axis, double value, double from, double to)
{
    if (!axis->log) {
        return plt_scale_at(&(struct plt_scale){ axis->lo, axis->hi, from, to }, value);
    }
    const struct plt_scale s = { log10(axis->lo), log10(axis->hi), from, to };
    return plt_scale_at(&s, value > 0 ? log10(value) : s.lo);
}

double plt_axes_x(const struct plt_axes *a, double value)
{
    return plt_axis_at(&a->x, value, a->box.x, a->box.x + a->box.w);
}

double plt_axes_y(const struct plt_axes *a, double value)
{
    return plt_axis_at(&a->y, value, a->box.y + a->box.h, a->box.y);
}

static void add(struct plt_ticks *out, const struct plt_axis *axis, double at)
{
    double slack = (axis->hi - axis->lo) * 1e-9;
    if (at >= axis->lo - slack && at <= axis->hi + slack && out->count < PLT_TICKS_MAX) {
        out->at[out->count++] = at;
    }
}

static void log_ticks(const struct plt_axis *axis, struct plt_ticks *out)
{
    static const double clock[] = { 1e-3, 1e-2, 0.1, 1, 10, 60, 600, 3600, 36000, 360000 };
    *out = (struct plt_ticks){ .step = 0 };
    if (axis->amount == PLT_TIME) {
        for (size_t i = 0; i < SQ_COUNT(clock); i++) {
            add(out, axis, clock[i]);
        }
        return;
    }
    bool narrow = axis->hi < axis->lo * 1e4;
    for (double at = 1e-6; at <= axis->hi * 1.001; at *= 10) {
        add(out, axis, at);
        if (narrow) {
            add(out, axis, 2 * at);
            add(out, axis, 5 * at);
        }
    }
}

/* Of an axis that does not begin at 0, ticks are multiples of the step too. */
static void linear_ticks(const struct plt_axis *axis, size_t most, struct plt_ticks *out)
{
    struct plt_ticks t;
    double range = axis->hi - axis->lo;
    if (axis->amount == PLT_TIME) {
        plt_ticks_time(&t, range, most);
    } else {
        plt_ticks_linear(&t, range, most);
    }
    if (axis->amount == PLT_COUNT && range >= 2) { /* there are no half ones */
        t.step = fmax(t.step, 1);
    }
    *out = (struct plt_ticks){ .step = t.step };
    double first = ceil(axis->lo / t.step - 1e-9);
    for (size_t i = 0; i < PLT_TICKS_MAX; i++) {
        add(out, axis, (first + (double)i) * t.step);
    }
}

void plt_axis_ticks(const struct plt_axis *axis, size_t most, struct plt_ticks *out)
{
    if (axis->log) {
        log_ticks(axis, out);
    } else {
        linear_ticks(axis, most, out);
    }
}

void plt_put_amount(struct sq_buf *b, enum plt_amount amount, double value)
{
    switch (amount) {
    case PLT_COUNT:
    case PLT_RATE:
        plt_put_count(b, value);
        return;
    case PLT_TIME:
        plt_put_time_tick(b, value);
        return;
    case PLT_SHARE:
        sq_buf_number(b, value * 100, 4);
        sq_buf_puts(b, " %");
        return;
    }
}

static void put_tick(const struct plt_axes *a, enum plt_amount amount, double value,
                     struct plt_point at, const struct plt_type *type)
{
    struct sq_buf text = { 0 };
    plt_put_amount(&text, amount, value);
    if (!text.failed) {
        plt_sheet_text(a->sheet, at, text.text, type);
    }
    a->sheet->failed = a->sheet->failed || text.failed;
    sq_buf_fini(&text);
}

void plt_axes_draw_x(const struct plt_axes *a)
{
    const struct plt_theme *t = a->sheet->theme;
    const struct plt_type type = { .size = 11, .align = PLT_CENTRE, .ink = t->faint };
    const struct plt_type title = { .size = 11, .align = PLT_RIGHT, .ink = t->faint };
    double bottom = a->box.y + a->box.h;
    struct plt_ticks ticks;
    plt_axis_ticks(&a->x, (size_t)(a->box.w / 76) + 2 < 14 ? (size_t)(a->box.w / 76) + 2 : 14,
                   &ticks);
    for (size_t i = 0; i < ticks.count; i++) {
        double x = plt_axes_x(a, ticks.at[i]);
        plt_canvas_line(a->sheet->canvas, (struct plt_point){ x, a->box.y },
                        (struct plt_point){ x, bottom }, (struct plt_pen){ t->grid, 1, PLT_SOLID });
        if (!a->bare) {
            put_tick(a, a->x.amount, ticks.at[i], (struct plt_point){ x, bottom + 5 }, &type);
        }
    }
    if (a->x.title != NULL) {
        plt_sheet_text_within(a->sheet, (struct plt_point){ a->box.x + a->box.w, bottom + 20 },
                              a->box.w, a->x.title, &title);
    }
}

static void draw_y(const struct plt_axes *a)
{
    const struct plt_theme *t = a->sheet->theme;
    const struct plt_type type = { .size = 11, .align = PLT_RIGHT, .ink = t->faint };
    const struct plt_type title = { .size = 11.5, .bold = true, .ink = t->text };
    struct plt_ticks ticks;
    size_t most = (size_t)(a->box.h / 44) + 2;
    plt_axis_ticks(&a->y, most < 11 ? most : 11, &ticks);
    for (size_t i = 0; i < ticks.count; i++) {
        double y = plt_axes_y(a, ticks.at[i]);
        plt_canvas_line(a->sheet->canvas, (struct plt_point){ a->box.x, y },
                        (struct plt_point){ a->box.x + a->box.w, y },
                        (struct plt_pen){ t->grid, 1, PLT_SOLID });
        put_tick(a, a->y.amount, ticks.at[i], (struct plt_point){ a->box.x - 7, y - 7 }, &type);
    }
    if (a->y.title != NULL) {
        plt_sheet_text(a->sheet, (struct plt_point){ a->box.x, a->box.y - 20 }, a->y.title, &title);
    }
}

void plt_axes_draw(const struct plt_axes *a)
{
    SQ_ASSERT(a->x.lo < a->x.hi && a->y.lo < a->y.hi);
    plt_axes_draw_x(a);
    draw_y(a);
    double bottom = a->box.y + a->box.h;
    plt_canvas_line(a->sheet->canvas, (struct plt_point){ a->box.x, bottom },
                    (struct plt_point){ a->box.x + a->box.w, bottom },
                    (struct plt_pen){ a->sheet->theme->mark, 1, PLT_SOLID });
}

void plt_axes_line(const struct plt_axes *a, struct plt_point from, struct plt_point to,
                   struct plt_pen pen)
{
    plt_canvas_line(a->sheet->canvas,
                    (struct plt_point){ plt_axes_x(a, from.x), plt_axes_y(a, from.y) },
                    (struct plt_point){ plt_axes_x(a, to.x), plt_axes_y(a, to.y) }, pen);
}
