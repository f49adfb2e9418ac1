/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_limits_chart.c - the search for a limit as a curve: in which share of the runs it holds, and
 * collapses, at every value that was tried. */
#include "plots/plt_charts.h"

#include <math.h>

#include "plots/plt_axes.h"
#include "plots/plt_labels.h"
#include "plots/plt_words.h"
#include "sim/base/sq_file.h"

enum { LEFT = 74, RIGHT = 150, HEIGHT = 360 };

struct chart {
    const struct sq_limits *l;
    struct plt_sheet sheet;
    struct plt_axes axes;
    double lo, hi;
};

static double value_of(const struct chart *c, const struct sq_trial *t)
{
    return t->value / c->l->unit_value;
}

static void take_range(struct chart *c)
{
    c->lo = INFINITY;
    c->hi = -INFINITY;
    for (size_t i = 0; i < c->l->way_count; i++) {
        for (size_t k = 0; k < c->l->ways[i].tipping.count; k++) {
            double v = value_of(c, &c->l->ways[i].tipping.trials[k]);
            c->lo = fmin(c->lo, v);
            c->hi = fmax(c->hi, v);
        }
    }
    if (!(c->lo < c->hi)) {
        c->lo = isfinite(c->lo) ? c->lo : 0;
        c->hi = c->lo + 1;
    }
}

static enum plt_amount amount_of(const struct sq_limits *l)
{
    return l->unit[0] == 's' ? PLT_TIME : l->unit[0] == 'p' ? PLT_RATE : PLT_COUNT;
}

/* One of the two shares of a trial. */
struct share {
    double at, lo, hi;
};

static struct share share_of(const struct sq_trial *t, bool collapsed)
{
    double n = t->runs > 0 ? (double)t->runs : 1;
    return collapsed ? (struct share){ (double)t->collapsed / n, t->collapsed_lo, t->collapsed_hi }
                     : (struct share){ (double)t->held / n, t->held_lo, t->held_hi };
}

enum { POINTS = 512 };

/* Dots with their intervals, joined; two series stand a little apart so that none hides the other.
 * Returns the y of the last dot. */
static double draw_series(struct chart *c, const struct sq_tipping *t, bool collapsed,
                          struct plt_ink ink, double shift)
{
    struct plt_point points[POINTS] = { { 0, 0 } };
    size_t count = 0;
    struct plt_ink pale = ink;
    pale.a = 0.45;
    for (size_t k = 0; k < t->count && count < POINTS; k++) {
        struct share s = share_of(&t->trials[k], collapsed);
        double x = plt_axes_x(&c->axes, value_of(c, &t->trials[k])) + shift;
        points[count] = (struct plt_point){ x, plt_axes_y(&c->axes, s.at) };
        plt_canvas_line(c->sheet.canvas, (struct plt_point){ x, plt_axes_y(&c->axes, s.lo) },
                        (struct plt_point){ x, plt_axes_y(&c->axes, s.hi) },
                        (struct plt_pen){ pale, 2.4, PLT_SOLID });
        count++;
    }
    plt_canvas_path(c->sheet.canvas, points, count,
                    (struct plt_pen){ ink, 1.4, collapsed ? PLT_DASHED : PLT_SOLID });
    for (size_t k = 0; k < count; k++) {
        plt_canvas_disc(c->sheet.canvas, points[k], 3.6, ink);
    }
    return count > 0 ? points[count - 1].y : c->axes.box.y;
}

/* The band between the two values that the limit lies between. */
static void draw_edge(struct chart *c, const struct sq_tipping *t)
{
    const struct plt_theme *k = c->sheet.theme;
    if (t->state != SQ_TIPPING_FOUND) {
        return;
    }
    double from = plt_axes_x(&c->axes, value_of(c, &t->trials[t->below]));
    double to = plt_axes_x(&c->axes, value_of(c, &t->trials[t->below + 1]));
    double width = fmax(to - from, 2);
    plt_canvas_box(c->sheet.canvas, (struct plt_box){ from, c->axes.box.y, width, HEIGHT },
                   k->collapse);
}

static const char *way_name(enum sq_way_kind kind, bool collapsed)
{
    if (collapsed) {
        return kind == SQ_WAY_RETURNS ? "collapsed, fallen" : "collapsed";
    }
    return kind == SQ_WAY_LIMIT ? "holds" : kind == SQ_WAY_FALLS ? "holds, well" : "holds, fallen";
}

static void draw_ways(struct chart *c)
{
    const struct plt_theme *t = c->sheet.theme;
    const struct plt_ink inks[] = { t->strong, t->bad, t->series[3], t->series[2] };
    const char *names[SQ_COUNT(inks)];
    struct plt_ink used[SQ_COUNT(inks)];
    double ends[SQ_COUNT(inks)];
    size_t count = 0;
    for (size_t i = 0; i < c->l->way_count; i++) {
        const struct sq_way *way = &c->l->ways[i];
        for (int collapsed = way->tipping.of_outcome ? 1 : 0; collapsed <= 1; collapsed++) {
            used[count] = inks[2 * i + (size_t)collapsed];
            names[count] = way_name(way->kind, collapsed == 1);
            ends[count] =
                draw_series(c, &way->tipping, collapsed == 1, used[count], collapsed == 1 ? 2 : -2);
            count++;
        }
    }
    plt_spread_apart(ends, count, 15, c->axes.box.y, c->axes.box.y + HEIGHT);
    for (size_t i = 0; i < count; i++) {
        const struct plt_type type = { .size = 11, .ink = used[i] };
        plt_sheet_text(&c->sheet,
                       (struct plt_point){ c->axes.box.x + c->axes.box.w + 10, ends[i] - 7 },
                       names[i], &type);
    }
}

static void put_limit(struct sq_buf *b, const struct sq_way *way)
{
    const struct sq_tipping *t = &way->tipping;
    sq_buf_puts(b, way->kind == SQ_WAY_FALLS     ? "well, "
                   : way->kind == SQ_WAY_RETURNS ? "fallen, "
                                                 : "");
    if (t->state == SQ_TIPPING_FOUND) {
        sq_buf_printf(b, "it holds at %s and fails at %s", sq_tipping_holds(t)->text,
                      sq_tipping_fails(t)->text);
    } else {
        sq_buf_puts(b, t->state == SQ_TIPPING_ALWAYS ? "it holds everywhere in the range"
                                                     : "it holds nowhere in the range");
    }
}

static void set_texts(struct chart *c)
{
    const struct sq_limits *l = c->l;
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "%s: ", l->key);
    for (size_t i = 0; i < l->way_count; i++) {
        sq_buf_puts(&b, i > 0 ? "; " : "");
        put_limit(&b, &l->ways[i]);
    }
    c->sheet.title = plt_sheet_keep(&c->sheet, &b);
    bool named = l->title != NULL && l->title[0] != '\0';
    sq_buf_printf(&b,
                  "%s. How often %s, in %zu runs per value; upright lines are 95 %% "
                  "intervals, the limit lies in the shaded step.",
                  named ? l->title : "Untitled scenario", l->until, l->runs);
    c->sheet.subtitle = plt_sheet_keep(&c->sheet, &b);
    sq_buf_printf(
        &b, "%s · variant %s · seed %llu · %zu runs per value · scenario %.16s · squall %s",
        l->file != NULL ? sq_file_name(l->file) : "-", l->variant != NULL ? l->variant : "base",
        (unsigned long long)l->seed, l->runs, l->scenario_hash != NULL ? l->scenario_hash : "-",
        l->version != NULL ? l->version : SQ_VERSION);
    c->sheet.footer = plt_sheet_keep(&c->sheet, &b);
}

enum sq_status plt_chart_limits(const struct sq_limits *l, struct plt_look look, struct sq_buf *out)
{
    struct chart *c = sq_mem_alloc(1, sizeof *c);
    enum sq_status status = c != NULL ? plt_sheet_open(&c->sheet, look) : SQ_NOMEM;
    if (status == SQ_OK) {
        c->l = l;
        take_range(c);
        set_texts(c);
        plt_sheet_begin(&c->sheet, 26 + HEIGHT + 40);
        bool wide = c->lo > 0 && c->hi > 30 * c->lo;
        double slack = wide ? 0 : (c->hi - c->lo) * 0.02;
        c->axes = (struct plt_axes){
            &c->sheet,
            { LEFT, c->sheet.top + 26, PLT_SHEET_WIDTH - LEFT - RIGHT, HEIGHT },
            { c->lo - slack, c->hi + slack, wide, amount_of(l), l->key },
            { 0, 1, false, PLT_SHARE, "Share of the runs" },
            false,
        };
        plt_axes_draw(&c->axes);
        for (size_t i = 0; i < l->way_count; i++) {
            draw_edge(c, &l->ways[i].tipping);
        }
        draw_ways(c);
        status = plt_sheet_close(&c->sheet, status, out);
    }
    sq_mem_free(c);
    return status;
}
