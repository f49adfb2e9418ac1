/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_delay_chart.c - how long jobs took: by producer a curve per variant of the share of all jobs
 * that were done within a time. What never was done is missing at the top. */
#include "plots/plt_charts.h"

#include <math.h>
#include <string.h>

#include "plots/plt_axes.h"
#include "plots/plt_pick.h"
#include "plots/plt_words.h"

enum { PANELS_MAX = 3, LEFT = 56, GAP = 30, HEIGHT = 330, SWATCH = 38, LINE = 18, NOTE = 15 };

struct chart {
    const struct sq_result *const *results;
    size_t count;
    struct plt_sheet sheet;
    struct plt_entities producers;
    const char *kind;
    double lo, hi;
    double names; /* height of the lines that name the variants */
};

static const struct sq_histogram *delays_of(const struct chart *c, size_t result,
                                            const struct plt_entity *e)
{
    struct sq_buf name = { 0 };
    const struct sq_histogram *found = NULL;
    sq_buf_printf(&name, "%s.%.*s.delay_s", c->kind, (int)e->len, e->name);
    if (!name.failed) {
        found = sq_result_histogram(c->results[result], name.text);
    }
    sq_buf_fini(&name);
    return found;
}

/* Jobs that arrived; at least those that were done. */
static double arrived(const struct chart *c, size_t result, const struct plt_entity *e,
                      const struct sq_histogram *h)
{
    double done = 0;
    for (size_t k = 0; k < h->count; k++) {
        done += (double)h->counts[k];
    }
    double all = plt_entity_value(c->results[result], 0, c->kind, e, "arrived");
    return isfinite(all) ? fmax(all, done) : done;
}

static size_t panels(const struct chart *c)
{
    return c->producers.count < PANELS_MAX ? c->producers.count : PANELS_MAX;
}

static void take_range(struct chart *c)
{
    c->lo = INFINITY;
    c->hi = 0;
    for (size_t p = 0; p < panels(c); p++) {
        for (size_t i = 0; i < c->count; i++) {
            const struct sq_histogram *h = delays_of(c, i, &c->producers.list[p]);
            if (h != NULL && h->count > 0) {
                c->lo = fmin(c->lo, h->upto[0]);
                c->hi = fmax(c->hi, h->upto[h->count - 1]);
            }
            c->hi = h != NULL && isfinite(h->limit) ? fmax(c->hi, h->limit * 1.5) : c->hi;
        }
    }
    c->lo = c->lo > 1e-4 ? c->lo : 1e-4;
    c->lo = isfinite(c->lo) ? c->lo / 1.3 : 1;
    c->hi = fmax(c->hi * 1.3, c->lo * 10);
}

static struct plt_ink ink_of(const struct chart *c, size_t i)
{
    return c->sheet.theme->series[i % PLT_SERIES_MAX];
}

/* Told apart in grey by pattern and width. */
static struct plt_pen pen_of(const struct chart *c, size_t i)
{
    return (struct plt_pen){ ink_of(c, i), i / PLT_DASH_COUNT % 2 == 0 ? 1.8 : 3,
                             (enum plt_dash)(i % PLT_DASH_COUNT) };
}

enum { POINTS = 2 * 260 };

static void draw_curve(struct chart *c, const struct plt_axes *a, const struct sq_histogram *h,
                       double all, struct plt_pen pen)
{
    struct plt_point points[POINTS] = { { a->box.x, a->box.y + a->box.h } };
    size_t count = 1;
    double sum = 0;
    for (size_t k = 0; k < h->count && count + 2 < POINTS; k++) {
        double x = plt_axes_x(a, h->upto[k]);
        points[count] = (struct plt_point){ x, points[count - 1].y };
        count++;
        sum += (double)h->counts[k];
        points[count++] = (struct plt_point){ x, plt_axes_y(a, sum / all) };
    }
    points[count] = (struct plt_point){ a->box.x + a->box.w, points[count - 1].y };
    plt_canvas_path(c->sheet.canvas, points, count + 1, pen);
}

/* The variants in the ink of their curves, in lines above the panels; returns how high they are.
 * Names at the curves would stand on other ones: many curves run together. */
static double draw_names(struct chart *c, bool draws)
{
    const double right = PLT_SHEET_WIDTH - PLT_SHEET_MARGIN, first = PLT_SHEET_MARGIN + LEFT;
    double x = first, y = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct plt_type type = { .size = 11.5, .ink = ink_of(c, i) };
        const char *name = c->results[i]->variant != NULL ? c->results[i]->variant : "base";
        double width = fmin(plt_sheet_measure(&c->sheet, name, &type).x, right - first - SWATCH);
        bool wraps = x > first && x + SWATCH + width > right;
        y += wraps ? LINE : 0;
        x = wraps ? first : x;
        if (draws) {
            double middle = c->sheet.top + y + 8;
            plt_canvas_line(c->sheet.canvas, (struct plt_point){ x, middle },
                            (struct plt_point){ x + SWATCH - 6, middle }, pen_of(c, i));
            plt_sheet_text_within(&c->sheet, (struct plt_point){ x + SWATCH, c->sheet.top + y },
                                  width + 1, name, &type);
        }
        x += SWATCH + width + 22;
    }
    return y + LINE + 6;
}

/* Named above the panel, or at the foot of the line where the producer's name is long. */
static void draw_deadline(struct chart *c, const struct plt_axes *a, double limit)
{
    const struct plt_type type = {
        .size = 10.5, .align = PLT_RIGHT, .ink = c->sheet.theme->text, .halo = true
    };
    const struct plt_type heading = { .size = 11.5, .bold = true, .ink = c->sheet.theme->text };
    struct sq_buf b = { 0 };
    double x = plt_axes_x(a, limit);
    plt_canvas_line(c->sheet.canvas, (struct plt_point){ x, a->box.y },
                    (struct plt_point){ x, a->box.y + a->box.h },
                    (struct plt_pen){ c->sheet.theme->text, 1.2, PLT_DASHED });
    sq_buf_puts(&b, "deadline ");
    plt_put_span(&b, limit);
    const char *text = plt_sheet_keep(&c->sheet, &b);
    double width = plt_sheet_measure(&c->sheet, text, &type).x;
    bool above = plt_sheet_measure(&c->sheet, a->y.title, &heading).x + 12 + width <= a->box.w;
    const struct plt_point foot = { fmax(x - 5, a->box.x + width + 4), a->box.y + a->box.h - 20 };
    const struct plt_point head = { a->box.x + a->box.w, a->box.y - 18 };
    plt_sheet_text(&c->sheet, above ? head : foot, text, &type);
}

/* The share of all jobs that were done within a time. */
static double share_at(const struct sq_histogram *h, double all, double delay)
{
    double sum = 0;
    for (size_t k = 0; k < h->count && h->upto[k] <= delay; k++) {
        sum += (double)h->counts[k];
    }
    return all > 0 ? sum / all : 0;
}

/* Which variants never finish some of the jobs, and how many: the missing top of their curves. */
struct missing {
    size_t count;
    size_t result[2 * PLT_SERIES_MAX];
    double share[2 * PLT_SERIES_MAX];
    double ends;  /* the highest of all curves at their ends */
    double lower; /* the lowest of all curves from the middle of the panel on */
};

static void take_missing(const struct chart *c, const struct plt_entity *e, struct missing *m)
{
    double middle = sqrt(c->lo * c->hi);
    *m = (struct missing){ .lower = 1 };
    for (size_t i = 0; i < c->count; i++) {
        const struct sq_histogram *h = delays_of(c, i, e);
        if (h == NULL || h->count == 0) {
            continue;
        }
        double all = arrived(c, i, e, h), end = share_at(h, all, INFINITY);
        m->lower = fmin(m->lower, share_at(h, all, middle));
        m->ends = fmax(m->ends, end);
        if (end < 0.995) {
            m->result[m->count] = i;
            m->share[m->count++] = 1 - end;
        }
    }
}

/* In the lower right corner, where curves that rise have left it; in the upper one when all of them
 * end low; else it is to be read off the curves. */
static void draw_missing(struct chart *c, const struct plt_axes *a, const struct plt_entity *e)
{
    struct missing m;
    take_missing(c, e, &m);
    double height = (double)(m.count + 1) * NOTE + 8, right = a->box.x + a->box.w - 4;
    bool below = m.lower * a->box.h > height, above = (1 - m.ends) * a->box.h > height;
    if (m.count == 0 || (!below && !above)) {
        return;
    }
    double y = below ? a->box.y + a->box.h - height : a->box.y + 4;
    struct plt_type type = { .size = 10.5, .align = PLT_RIGHT, .ink = c->sheet.theme->text };
    type.halo = true;
    plt_sheet_text(&c->sheet, (struct plt_point){ right, y }, "never done", &type);
    for (size_t i = 0; i < m.count; i++) {
        const char *name = c->results[m.result[i]]->variant;
        struct sq_buf b = { 0 };
        plt_put_percent(&b, m.share[i]);
        const char *share = plt_sheet_keep(&c->sheet, &b);
        double room = a->box.w / 2 - plt_sheet_measure(&c->sheet, share, &type).x - 12;
        y += NOTE;
        type.ink = ink_of(c, m.result[i]);
        plt_sheet_text(&c->sheet, (struct plt_point){ right, y }, share, &type);
        plt_sheet_text_within(&c->sheet, (struct plt_point){ right - a->box.w / 2 + room, y }, room,
                              name != NULL ? name : "base", &type);
    }
}

static void draw_panel(struct chart *c, size_t p, double width)
{
    const struct plt_entity *e = &c->producers.list[p];
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "%.*s", (int)e->len, e->name);
    const struct plt_axes a = {
        &c->sheet,
        { PLT_SHEET_MARGIN + LEFT + (double)p * (width + GAP + LEFT), c->sheet.top + c->names + 22,
          width, HEIGHT },
        { c->lo, c->hi, true, PLT_TIME, p == 0 ? "from arrival to completion" : NULL },
        { 0, 1, false, PLT_SHARE, plt_sheet_keep(&c->sheet, &b) },
        false,
    };
    double limit = NAN;
    plt_axes_draw(&a);
    for (size_t i = 0; i < c->count; i++) {
        const struct sq_histogram *h = delays_of(c, i, e);
        if (h != NULL && h->count > 0) {
            draw_curve(c, &a, h, arrived(c, i, e, h), pen_of(c, i));
        }
        limit = h != NULL && isfinite(h->limit) ? h->limit : limit;
    }
    if (isfinite(limit)) {
        draw_deadline(c, &a, limit);
    }
    draw_missing(c, &a, e);
}

/* "login-codes: 90 % done within 4m with shed, 41m with as-it-was": of the producer with the most
 * jobs the fastest and the slowest variant. */
static void set_texts(struct chart *c)
{
    const struct sq_result *r = c->results[0];
    struct sq_buf b = { 0 };
    size_t best = c->count, worst = c->count;
    double low = INFINITY;
    double high = -1;
    for (size_t i = 0; i < c->count && c->producers.count > 0; i++) {
        double p90 =
            plt_entity_value(c->results[i], 0, c->kind, &c->producers.list[0], "delay_p90_s");
        best = p90 < low ? i : best;
        low = fmin(low, isfinite(p90) ? p90 : low);
        worst = p90 > high ? i : worst;
        high = fmax(high, isfinite(p90) ? p90 : high);
    }
    if (best < c->count && c->producers.count > 0) {
        const struct plt_entity *e = &c->producers.list[0];
        sq_buf_printf(&b, "%.*s: of the jobs that are done, 90 %% within ", (int)e->len, e->name);
        plt_put_span(&b, low);
        sq_buf_printf(&b, " (%s)", c->results[best]->variant);
        if (worst != best) {
            sq_buf_puts(&b, " to ");
            plt_put_span(&b, high);
            sq_buf_printf(&b, " (%s)", c->results[worst]->variant);
        }
    } else {
        sq_buf_puts(&b, "No job was done");
    }
    c->sheet.title = plt_sheet_keep(&c->sheet, &b);
    sq_buf_printf(&b,
                  "%s. Share of all jobs that were done within a time, run 1; where a curve ends "
                  "below 100 %%, the rest was never done.",
                  r->title != NULL && r->title[0] != '\0' ? r->title : "Untitled scenario");
    c->sheet.subtitle = plt_sheet_keep(&c->sheet, &b);
    plt_put_origin(&b, c->results, c->count);
    if (c->producers.total > PANELS_MAX) {
        sq_buf_printf(&b, " · %zu more producers not drawn", c->producers.total - PANELS_MAX);
    }
    c->sheet.footer = plt_sheet_keep(&c->sheet, &b);
}

static void pick(struct chart *c)
{
    c->kind = "producer";
    plt_pick_histograms(&c->producers, c->results[0], c->kind, "delay_s");
    if (c->producers.count == 0) {
        c->kind = "client";
        plt_pick_histograms(&c->producers, c->results[0], c->kind, "delay_s");
    }
}

enum sq_status plt_chart_delays(const struct sq_result *const *results, size_t count,
                                struct plt_look look, struct sq_buf *out)
{
    struct chart *c = sq_mem_alloc(1, sizeof *c);
    enum sq_status status = c != NULL ? plt_sheet_open(&c->sheet, look) : SQ_NOMEM;
    if (status == SQ_OK) {
        c->results = results;
        c->count = count < 2 * PLT_SERIES_MAX ? count : 2 * PLT_SERIES_MAX;
        pick(c);
        take_range(c);
        set_texts(c);
        c->names = draw_names(c, false);
        plt_sheet_begin(&c->sheet, c->names + 22 + HEIGHT + 40);
        (void)draw_names(c, true);
        double n = (double)(panels(c) > 0 ? panels(c) : 1);
        double width = (PLT_SHEET_WIDTH - 2 * PLT_SHEET_MARGIN - n * LEFT - (n - 1) * GAP) / n;
        for (size_t p = 0; p < panels(c); p++) {
            draw_panel(c, p, width);
        }
        status = plt_sheet_close(&c->sheet, status, out);
    }
    sq_mem_free(c);
    return status;
}
