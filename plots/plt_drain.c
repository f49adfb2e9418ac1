/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_drain.c - the drain forecast: the backlog after recovery, and below it on the same axis when
 * it is gone, as reckoned and as simulated. */
#include "plots/plt_charts.h"

#include <math.h>
#include <string.h>

#include "plots/plt_axes.h"
#include "plots/plt_outlook.h"
#include "plots/plt_pick.h"
#include "plots/plt_runs.h"
#include "plots/plt_words.h"

enum { LEFT = 150, RIGHT = 70, HEIGHT = 300, RAIL = 30, POINTS = 1000 };
enum { CLEAR, LAST, HEALTHY }; /* marks */

struct chart {
    const struct sq_result *r;
    struct plt_sheet sheet;
    struct plt_axes axes;
    struct plt_entities queues;
    struct plt_outlook outlook;
    double t1_s; /* 0 where there is none */
    bool has_t1;
    bool bands;
};

static void take_figures(struct chart *c)
{
    const struct sq_result *r = c->r;
    const struct sq_moment *t1 = plt_moment(r, SQ_MOMENT_T1);
    bool *failed = &c->sheet.failed;
    c->t1_s = t1 != NULL ? sq_time_to_s(t1->at_ns) : 0;
    c->has_t1 = t1 != NULL;
    plt_outlook_of_result(&c->outlook, r, failed); /* the same figures as on the page */
    plt_pick_columns(&c->queues, &r->series, "queue", "delayed");
}

static const struct plt_mark *mark(const struct chart *c, size_t which)
{
    return &c->outlook.marks[which];
}

/* Jobs that wait in all queues of run 1 in a bin. */
static double waiting(const struct chart *c, size_t bin)
{
    double sum = 0;
    for (size_t i = 0; i < c->queues.count; i++) {
        const float *ready = plt_column(&c->r->series, "queue", &c->queues.list[i], "ready");
        const float *delayed = plt_column(&c->r->series, "queue", &c->queues.list[i], "delayed");
        sum += ready != NULL && isfinite(ready[bin]) ? (double)ready[bin] : 0;
        sum += isfinite(delayed[bin]) ? (double)delayed[bin] : 0;
    }
    return sum;
}

/* Quantiles over the runs are there for one queue; those of several do not add up. */
static const float *band(const struct chart *c, const char *quantity)
{
    return c->queues.total == 1 ? plt_column(&c->r->bands, "queue", &c->queues.list[0], quantity)
                                : NULL;
}

/* ---- the backlog ---- */

static void set_axes(struct chart *c)
{
    const struct plt_mark *clear = mark(c, CLEAR), *last = mark(c, LAST);
    const struct plt_mark *healthy = mark(c, HEALTHY);
    const double ends[] = { clear->simulated.n > 0 ? clear->simulated.p90 : NAN, clear->naive.p50,
                            clear->planned.n > 0 ? clear->planned.p90 : NAN,
                            last->simulated.n > 0 ? last->simulated.p90 : NAN,
                            healthy->simulated.n > 0 ? healthy->simulated.p90 : NAN };
    double whole = sq_time_to_s(c->r->series.end_ns) - c->t1_s;
    double hi = 0;
    double top = 0;
    for (size_t i = 0; i < SQ_COUNT(ends); i++) {
        hi = isfinite(ends[i]) ? fmax(hi, ends[i] * 1.18) : hi;
    }
    bool all = clear->simulated.n == (int64_t)c->r->run_count;
    hi = all && hi > 0 ? fmin(hi, whole) : whole;
    c->axes.x =
        (struct plt_axis){ 0, hi > 0 ? hi : 1, false, PLT_TIME,
                           c->has_t1 ? "after T1, the end of the outage" : "time in the run" };
    const float *p90 = band(c, "backlog_p90");
    const struct sq_series *s = &c->r->series;
    for (size_t i = (size_t)(c->t1_s / sq_time_to_s(s->bin_ns)); i < s->bin_count; i++) {
        top = fmax(top, waiting(c, i));
        bool in = p90 != NULL && i < c->r->bands.bin_count && isfinite(p90[i]);
        top = in ? fmax(top, (double)p90[i]) : top;
    }
    c->axes.y =
        (struct plt_axis){ 0, top > 0 ? top * 1.08 : 1, false, PLT_COUNT, "Jobs that wait" };
}

static void add_point(struct plt_point *points, size_t *count, const struct chart *c, double t,
                      double value)
{
    points[(*count)++] = (struct plt_point){ plt_axes_x(&c->axes, t),
                                             plt_axes_y(&c->axes, isfinite(value) ? value : 0) };
}

/* A curve of at most POINTS points from T1 on; `bins` NULL: run 1. With `back` it goes leftwards.
 */
static size_t curve(const struct chart *c, const float *bins, bool back, struct plt_point *points)
{
    const struct sq_series *s = bins != NULL ? &c->r->bands : &c->r->series;
    double bin_s = sq_time_to_s(s->bin_ns);
    size_t first = (size_t)(c->t1_s / bin_s);
    size_t end = (size_t)ceil((c->t1_s + c->axes.x.hi) / bin_s);
    end = end < s->bin_count ? end : s->bin_count;
    size_t step = end > first + POINTS ? (end - first) / POINTS + 1 : 1;
    size_t count = 0;
    for (size_t i = first; i < end; i += step) {
        double t = ((double)i + 0.5) * bin_s - c->t1_s;
        add_point(points, &count, c, fmax(t, 0), bins != NULL ? (double)bins[i] : waiting(c, i));
    }
    for (size_t i = 0; back && i < count / 2; i++) {
        struct plt_point p = points[i];
        points[i] = points[count - 1 - i];
        points[count - 1 - i] = p;
    }
    return count;
}

static void draw_band(struct chart *c)
{
    const float *p10 = band(c, "backlog_p10");
    const float *p50 = band(c, "backlog_p50");
    const float *p90 = band(c, "backlog_p90");
    const struct plt_theme *t = c->sheet.theme;
    struct plt_point *points = sq_mem_alloc(2 * POINTS + 4, sizeof *points);
    if (points == NULL) {
        c->sheet.failed = true;
        return;
    }
    c->bands = p10 != NULL && p50 != NULL && p90 != NULL && c->r->run_count > 1;
    if (c->bands) {
        size_t count = curve(c, p90, false, points);
        count += curve(c, p10, true, points + count);
        plt_canvas_area(c->sheet.canvas, points, count, t->band);
    }
    size_t count = curve(c, c->bands ? p50 : NULL, false, points);
    plt_canvas_path(c->sheet.canvas, points, count, (struct plt_pen){ t->strong, 2, PLT_SOLID });
    sq_mem_free(points);
}

static void draw_naive(struct chart *c)
{
    const struct plt_theme *t = c->sheet.theme;
    const struct sq_series *s = &c->r->series;
    size_t first = (size_t)(c->t1_s / sq_time_to_s(s->bin_ns));
    double naive = mark(c, CLEAR)->naive.p50;
    if (!isfinite(naive) || first >= s->bin_count || naive > c->axes.x.hi) {
        return;
    }
    plt_axes_line(&c->axes, (struct plt_point){ 0, waiting(c, first) },
                  (struct plt_point){ naive, 0 }, (struct plt_pen){ t->faint, 1.4, PLT_DASHED });
}

static const char *legend(struct chart *c)
{
    return c->bands
               ? "dark: median of the runs; shaded: P10 to P90; dashed: naive, backlog by free "
                 "capacity"
               : "dark: run 1; dashed: naive, backlog by free capacity";
}

/* ---- when it is gone ---- */

static void draw_diamond(struct chart *c, double at, double y, bool filled)
{
    const struct plt_theme *t = c->sheet.theme;
    double x = plt_axes_x(&c->axes, at);
    if (at > c->axes.x.hi) {
        return;
    }
    const struct plt_point p[] = {
        { x, y - 6 }, { x + 6, y }, { x, y + 6 }, { x - 6, y }, { x, y - 6 }
    };
    plt_canvas_area(c->sheet.canvas, p, 4, filled ? t->text : t->paper);
    plt_canvas_path(c->sheet.canvas, p, 5, (struct plt_pen){ t->text, 1.2, PLT_SOLID });
}

/* A thin line from p10 to p90, a diamond on the median; of two groups one on each of theirs. */
static void draw_forecast(struct chart *c, const struct sq_spread *s, double y)
{
    const struct plt_theme *t = c->sheet.theme;
    if (s->n == 0) {
        return;
    }
    if (s->p10 < c->axes.x.hi && s->p10 < s->p90) {
        plt_canvas_line(c->sheet.canvas, (struct plt_point){ plt_axes_x(&c->axes, s->p10), y },
                        (struct plt_point){ plt_axes_x(&c->axes, fmin(s->p90, c->axes.x.hi)), y },
                        (struct plt_pen){ t->text, 1.2, PLT_SOLID });
    }
    if (s->bimodal) {
        draw_diamond(c, s->group[0].p50, y, true);
        draw_diamond(c, s->group[1].p50, y, true);
    } else {
        draw_diamond(c, s->p50, y, true);
    }
}

static void draw_middle(struct chart *c, double at, double y)
{
    if (at <= c->axes.x.hi) {
        plt_canvas_box(c->sheet.canvas,
                       (struct plt_box){ plt_axes_x(&c->axes, at) - 1.5, y - 8, 3, 16 },
                       c->sheet.theme->strong);
    }
}

static void draw_spread(struct chart *c, const struct sq_spread *s, double y)
{
    double from = plt_axes_x(&c->axes, s->p10);
    double to = plt_axes_x(&c->axes, fmin(s->p90, c->axes.x.hi));
    if (s->p10 <= c->axes.x.hi) {
        plt_canvas_box(c->sheet.canvas, (struct plt_box){ from - 1, y - 5, to - from + 2, 10 },
                       c->sheet.theme->band);
    }
    if (s->bimodal) {
        draw_middle(c, s->group[0].p50, y);
        draw_middle(c, s->group[1].p50, y);
    } else {
        draw_middle(c, s->p50, y);
    }
}

/* "16m50s", of several runs "16m50s (P10 to P90: 16m40s to 16m59s)", of two groups "7m54s in 12 of
 * 20 runs, 9m3s in 8". */
static void put_spread(struct sq_buf *b, const struct sq_spread *s, int64_t runs, bool narrow)
{
    if (s->bimodal && runs > 1) {
        plt_put_groups(b, s, runs);
        return;
    }
    plt_put_span(b, s->p50);
    if (runs > 1 && (narrow || !plt_is_narrow(s))) {
        sq_buf_puts(b, " (P10 to P90: ");
        plt_put_band(b, s);
        sq_buf_puts(b, ")");
    }
}

/* "naive 13m20s, planned 16m50s, simulated 16m50s (P10 to P90: 16m40s to 16m59s)". */
static const char *rail_text(struct chart *c, const struct plt_mark *m)
{
    struct sq_buf b = { 0 };
    int64_t runs = c->outlook.runs;
    const struct sq_spread *s = &m->simulated;
    if (!c->has_t1) {
        return "there is no recovery";
    }
    if (m == mark(c, CLEAR) && c->queues.count == 0) {
        return "there is no queue";
    }
    if (m->naive.n > 0) {
        sq_buf_puts(&b, "naive ");
        plt_put_span(&b, m->naive.p50);
        sq_buf_puts(&b, ", ");
    }
    if (m->planned.n > 0) {
        sq_buf_puts(&b, "planned ");
        put_spread(&b, &m->planned, runs, false);
        sq_buf_puts(&b, ", ");
    }
    sq_buf_printf(&b, "%s ", c->outlook.by);
    if (s->n == 0) {
        sq_buf_puts(&b, "never in the run");
        return plt_sheet_keep(&c->sheet, &b);
    }
    put_spread(&b, s, runs, true);
    if (s->p50 > c->axes.x.hi) {
        sq_buf_puts(&b, ", right of the axis");
    }
    if (s->n < runs) {
        sq_buf_printf(&b, " in %lld of %lld runs, never in the others", (long long)s->n,
                      (long long)runs);
    }
    return plt_sheet_keep(&c->sheet, &b);
}

static void draw_rail(struct chart *c, const struct plt_mark *m, double y)
{
    const struct plt_theme *t = c->sheet.theme;
    const struct plt_type name = { .size = 11, .align = PLT_RIGHT, .ink = t->text };
    const struct plt_type words = { .size = 10.5, .ink = t->faint, .halo = true };
    const struct plt_box *box = &c->axes.box;
    plt_canvas_line(c->sheet.canvas, (struct plt_point){ box->x, y },
                    (struct plt_point){ box->x + box->w, y },
                    (struct plt_pen){ t->grid, 1, PLT_SOLID });
    plt_sheet_text(&c->sheet, (struct plt_point){ box->x - 10, y - 7 }, m->label, &name);
    if (m->simulated.n > 0) {
        draw_spread(c, &m->simulated, y);
    }
    if (m->naive.n > 0) {
        draw_diamond(c, m->naive.p50, y, false);
    }
    draw_forecast(c, &m->planned, y);
    plt_sheet_text(&c->sheet, (struct plt_point){ box->x, y + 8 }, rail_text(c, m), &words);
}

static void draw_rails(struct chart *c, double y)
{
    for (size_t i = 0; i < PLT_MARKS; i++) {
        if (mark(c, i)->known) { /* the fluid model has not all of them */
            draw_rail(c, mark(c, i), y + (double)i * (RAIL + 10));
        }
    }
}

/* ---- words ---- */

static void put_title(struct sq_buf *b, const struct chart *c)
{
    const struct sq_result *r = c->r;
    sq_buf_printf(b, "%s: ", r->variant != NULL ? r->variant : "base");
    if (!c->has_t1 || c->queues.count == 0) {
        sq_buf_puts(b, c->has_t1 ? "there is no queue, so there is no backlog"
                                 : "there was no outage to recover from");
        return;
    }
    const struct plt_mark *clear = mark(c, CLEAR);
    sq_buf_puts(b, "backlog ");
    plt_put_drain_states(b, &c->outlook);
    if (clear->simulated.n > 0 && clear->simulated.bimodal) {
        sq_buf_puts(b, ", queue clear after ");
        plt_put_groups(b, &clear->simulated, c->outlook.runs);
    } else if (clear->simulated.n > 0) {
        sq_buf_puts(b, ", queue clear ");
        plt_put_span(b, clear->simulated.p50);
        sq_buf_puts(b, " after recovery");
    }
    if (clear->planned.n > 0) {
        sq_buf_puts(b, "; planned ");
        plt_put_span(b, clear->planned.p50);
    } else if (c->outlook.forecast_count > 0) {
        sq_buf_printf(b, "; the forecast at T1 said \"%s\"", plt_no_plan(&c->outlook));
    }
}

static void set_texts(struct chart *c)
{
    const struct sq_result *r = c->r;
    struct sq_buf b = { 0 };
    put_title(&b, c);
    c->sheet.title = plt_sheet_keep(&c->sheet, &b);
    sq_buf_printf(&b, "%s. Hollow mark: naive forecast; filled mark: planned; bar: %s, P10 to P90.",
                  r->title != NULL && r->title[0] != '\0' ? r->title : "Untitled scenario",
                  c->outlook.by);
    if (c->outlook.forecast_count == 0 && c->outlook.text != NULL) {
        sq_buf_printf(&b, " Forecast at T1: %s.", c->outlook.text);
    }
    c->sheet.subtitle = plt_sheet_keep(&c->sheet, &b);
    plt_put_origin(&b, &r, 1);
    c->sheet.footer = plt_sheet_keep(&c->sheet, &b);
}

static void draw(struct chart *c)
{
    const struct plt_type words = { .size = 10.5,
                                    .align = PLT_RIGHT,
                                    .ink = c->sheet.theme->faint };
    plt_sheet_begin(&c->sheet, 24 + HEIGHT + 44 + PLT_MARKS * (RAIL + 10));
    c->axes.sheet = &c->sheet;
    c->axes.box =
        (struct plt_box){ LEFT, c->sheet.top + 24, PLT_SHEET_WIDTH - LEFT - RIGHT, HEIGHT };
    plt_axes_draw(&c->axes);
    draw_band(c);
    draw_naive(c);
    plt_sheet_text(&c->sheet, (struct plt_point){ c->axes.box.x + c->axes.box.w, c->sheet.top + 4 },
                   legend(c), &words);
    draw_rails(c, c->axes.box.y + HEIGHT + 54);
}

enum sq_status plt_chart_drain(const struct sq_result *r, struct plt_look look, struct sq_buf *out)
{
    SQ_ASSERT(r->series.bin_count > 0);
    struct chart *c = sq_mem_alloc(1, sizeof *c);
    enum sq_status status = c != NULL ? plt_sheet_open(&c->sheet, look) : SQ_NOMEM;
    if (status == SQ_OK) {
        c->r = r;
        take_figures(c);
        set_axes(c);
        set_texts(c);
        draw(c);
        status = plt_sheet_close(&c->sheet, status, out);
    }
    sq_mem_free(c);
    return status;
}
