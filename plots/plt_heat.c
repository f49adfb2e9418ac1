/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_heat.c - a sweep as a field of cells: the colour and the number say the metric, a thick line
 * parts where runs recover from where most do not. */
#include "plots/plt_charts.h"

#include <math.h>
#include <string.h>

#include "plots/plt_rows.h"
#include "plots/plt_sheet.h"
#include "plots/plt_words.h"
#include "sim/base/sq_file.h"

enum { CELL_H = 46, CELL_W_MAX = 200, ACROSS_MAX = 40, DOWN_MAX = 30 };

#define COLLAPSE "outcome.p_collapse"

struct chart {
    const struct sq_grid *g;
    struct plt_sheet sheet;
    const char *metric;
    bool share;
    size_t across, down;  /* keys; `down` is key_count when there is only one */
    size_t width, height; /* cells */
    double lo, hi, left, top, cell_w;
    size_t fallen, known;
};

static size_t values_of(const struct chart *c, size_t key)
{
    return key < c->g->key_count ? c->g->keys[key].count : 1;
}

/* The two keys with more than one value that come last; the last one goes across. */
static void pick_keys(struct chart *c)
{
    const struct sq_grid *g = c->g;
    c->across = c->down = g->key_count;
    for (size_t k = g->key_count; k-- > 0;) {
        if (g->keys[k].count > 1 && c->across == g->key_count) {
            c->across = k;
        } else if (g->keys[k].count > 1 && c->down == g->key_count) {
            c->down = k;
        }
    }
    c->across = c->across == g->key_count && g->key_count > 0 ? g->key_count - 1 : c->across;
    c->width = values_of(c, c->across);
    c->height = values_of(c, c->down);
    c->width = c->width < ACROSS_MAX ? c->width : ACROSS_MAX;
    c->height = c->height < DOWN_MAX ? c->height : DOWN_MAX;
}

/* The cell of a field: further keys have their first value. */
static const struct sq_grid_cell *cell_at(const struct chart *c, size_t x, size_t y)
{
    size_t index = 0;
    for (size_t k = 0; k < c->g->key_count; k++) {
        index = index * c->g->keys[k].count + (k == c->across ? x : k == c->down ? y : 0);
    }
    return index < c->g->cell_count ? &c->g->cells[index] : NULL;
}

static double value_at(const struct chart *c, size_t x, size_t y, const char *metric)
{
    const struct sq_grid_cell *cell = cell_at(c, x, y);
    const struct sq_grid_row *row = cell != NULL && cell->done ? sq_grid_find(cell, metric) : NULL;
    bool share = strncmp(metric, "outcome.p_", 10) == 0;
    return row == NULL || row->n == 0 ? (double)NAN : share ? row->mean : row->p50;
}

static bool is_fallen(const struct chart *c, size_t x, size_t y)
{
    return value_at(c, x, y, COLLAPSE) >= 0.5;
}

static void take_range(struct chart *c)
{
    c->lo = INFINITY;
    c->hi = -INFINITY;
    for (size_t i = 0; i < c->width * c->height; i++) {
        double v = value_at(c, i % c->width, i / c->width, c->metric);
        c->fallen += is_fallen(c, i % c->width, i / c->width);
        c->known += isfinite(value_at(c, i % c->width, i / c->width, COLLAPSE)) ? 1 : 0;
        if (isfinite(v)) {
            c->lo = fmin(c->lo, v);
            c->hi = fmax(c->hi, v);
        }
    }
    if (c->share) {
        c->lo = 0;
        c->hi = 1;
    }
}

static void put_value(struct sq_buf *b, const struct chart *c, double v)
{
    enum plt_unit unit = plt_unit_of(c->metric);
    if (c->share) {
        plt_put_percent(b, v);
    } else if (unit == PLT_UNIT_SPAN) {
        plt_put_span(b, v);
    } else if (unit == PLT_UNIT_RATE) {
        plt_put_rate(b, v);
    } else if (unit == PLT_UNIT_RATIO) {
        plt_put_ratio(b, v);
    } else {
        plt_put_count(b, v);
    }
}

static struct plt_box field(const struct chart *c, size_t x, size_t y)
{
    return (struct plt_box){ c->left + (double)x * c->cell_w, c->top + (double)y * CELL_H,
                             c->cell_w, CELL_H };
}

static void draw_field(struct chart *c, size_t x, size_t y)
{
    const struct plt_theme *t = c->sheet.theme;
    struct plt_box box = field(c, x, y);
    double v = value_at(c, x, y, c->metric);
    double share = c->hi > c->lo && isfinite(v) ? (v - c->lo) / (c->hi - c->lo) : 0;
    struct plt_ink ink = plt_ink_mix(t->good, t->bad, share);
    bool dark = plt_ink_contrast(t->text, ink) > plt_ink_contrast(t->paper, ink);
    const struct plt_type type = { .size = 11.5,
                                   .align = PLT_CENTRE,
                                   .ink = dark ? t->text : t->paper };
    struct sq_buf b = { 0 };
    box.w -= 1;
    box.h -= 1;
    if (isfinite(v)) {
        plt_canvas_box(c->sheet.canvas, box, ink);
        put_value(&b, c, v);
    } else {
        plt_canvas_hatch(c->sheet.canvas, box, (struct plt_pen){ t->grid, 1, PLT_SOLID });
        sq_buf_puts(&b, "null");
    }
    plt_sheet_text_within(&c->sheet, (struct plt_point){ box.x + box.w / 2, box.y + box.h / 2 - 8 },
                          box.w - 2, plt_sheet_keep(&c->sheet, &b), &type);
}

/* Along the edges between fields that fall and such that do not. */
static void draw_contour(struct chart *c)
{
    const struct plt_pen pen = { c->sheet.theme->text, 3, PLT_SOLID };
    for (size_t y = 0; y < c->height; y++) {
        for (size_t x = 0; x < c->width; x++) {
            struct plt_box b = field(c, x, y);
            if (x + 1 < c->width && is_fallen(c, x, y) != is_fallen(c, x + 1, y)) {
                plt_canvas_line(c->sheet.canvas, (struct plt_point){ b.x + b.w - 0.5, b.y - 2 },
                                (struct plt_point){ b.x + b.w - 0.5, b.y + b.h + 1 }, pen);
            }
            if (y + 1 < c->height && is_fallen(c, x, y) != is_fallen(c, x, y + 1)) {
                plt_canvas_line(c->sheet.canvas, (struct plt_point){ b.x - 2, b.y + b.h - 0.5 },
                                (struct plt_point){ b.x + b.w + 1, b.y + b.h - 0.5 }, pen);
            }
        }
    }
}

static void draw_values(struct chart *c)
{
    const struct plt_theme *t = c->sheet.theme;
    const struct plt_type left = { .size = 11, .align = PLT_RIGHT, .ink = t->text };
    const struct plt_type below = { .size = 11, .align = PLT_CENTRE, .ink = t->text };
    const struct plt_type name = { .size = 11.5, .bold = true, .ink = t->text };
    double bottom = c->top + (double)c->height * CELL_H;
    for (size_t y = 0; y < c->height && c->down < c->g->key_count; y++) {
        plt_sheet_text_within(
            &c->sheet, (struct plt_point){ c->left - 8, field(c, 0, y).y + CELL_H / 2.0 - 8 },
            c->left - PLT_SHEET_MARGIN - 8, c->g->keys[c->down].values[y], &left);
    }
    for (size_t x = 0; x < c->width && c->across < c->g->key_count; x++) {
        plt_sheet_text_within(&c->sheet,
                              (struct plt_point){ field(c, x, 0).x + c->cell_w / 2, bottom + 5 },
                              c->cell_w - 6, c->g->keys[c->across].values[x], &below);
    }
    if (c->down < c->g->key_count) {
        plt_sheet_text_within(&c->sheet, (struct plt_point){ PLT_SHEET_MARGIN, c->top - 22 }, 1100,
                              c->g->keys[c->down].name, &name);
    }
    if (c->across < c->g->key_count) {
        plt_sheet_text_within(&c->sheet, (struct plt_point){ c->left, bottom + 22 }, 900,
                              c->g->keys[c->across].name, &name);
    }
}

static void set_texts(struct chart *c)
{
    const struct sq_grid *g = c->g;
    struct sq_buf b = { 0 };
    bool named = g->title != NULL && g->title[0] != '\0';
    if (c->known > 0) {
        sq_buf_printf(&b, "Most runs collapse or do not recover in %zu of %zu cells", c->fallen,
                      c->known);
    } else {
        sq_buf_printf(&b, "%s in %zu cells", c->metric, c->width * c->height);
    }
    c->sheet.title = plt_sheet_keep(&c->sheet, &b);
    sq_buf_printf(&b, "%s. %s: %s%s", named ? g->title : "Untitled scenario", c->metric,
                  c->share ? "share of the runs" : "median of the runs",
                  c->fallen > 0 && c->fallen < c->known
                      ? "; the thick line goes round the cells where most do not recover"
                      : "");
    for (size_t k = 0; k < g->key_count; k++) {
        if (k != c->across && k != c->down) {
            sq_buf_printf(&b, "; %s = %s", g->keys[k].name, g->keys[k].values[0]);
        }
    }
    sq_buf_putc(&b, '.');
    c->sheet.subtitle = plt_sheet_keep(&c->sheet, &b);
    sq_buf_printf(
        &b, "%s · variant %s · seed %llu · %lld runs per cell · scenarios %.16s · squall %s",
        g->file != NULL ? sq_file_name(g->file) : "-", g->variant != NULL ? g->variant : "base",
        (unsigned long long)g->seed, (long long)g->runs, g->hash != NULL ? g->hash : "-",
        g->version != NULL ? g->version : SQ_VERSION);
    if (values_of(c, c->across) > c->width || values_of(c, c->down) > c->height) {
        sq_buf_puts(&b, " · not all values are drawn");
    }
    c->sheet.footer = plt_sheet_keep(&c->sheet, &b);
}

/* As wide as the longest value of the key that goes down. */
static void place(struct chart *c)
{
    const struct plt_type type = { .size = 11, .ink = c->sheet.theme->text };
    double widest = 0;
    for (size_t y = 0; y < c->height && c->down < c->g->key_count; y++) {
        widest = fmax(widest, plt_sheet_measure(&c->sheet, c->g->keys[c->down].values[y], &type).x);
    }
    c->left = PLT_SHEET_MARGIN + fmin(widest, 240) + 14;
    c->cell_w = fmin((PLT_SHEET_WIDTH - PLT_SHEET_MARGIN - c->left) / (double)c->width, CELL_W_MAX);
}

enum sq_status plt_chart_heat(const struct sq_grid *g, const char *metric, struct plt_look look,
                              struct sq_buf *out)
{
    struct chart *c = sq_mem_alloc(1, sizeof *c);
    enum sq_status status = c != NULL ? plt_sheet_open(&c->sheet, look) : SQ_NOMEM;
    if (status == SQ_OK) {
        c->g = g;
        c->metric = metric != NULL ? metric : COLLAPSE;
        c->share = strncmp(c->metric, "outcome.p_", 10) == 0;
        pick_keys(c);
        take_range(c);
        set_texts(c);
        place(c);
        plt_sheet_begin(&c->sheet, 30 + (double)c->height * CELL_H + 44);
        c->top = c->sheet.top + 30;
        for (size_t i = 0; i < c->width * c->height; i++) {
            draw_field(c, i % c->width, i / c->width);
        }
        draw_contour(c);
        draw_values(c);
        status = plt_sheet_close(&c->sheet, status, out);
    }
    sq_mem_free(c);
    return status;
}
