/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_panel.c - draws one panel of a timeline. */
#include "plots/plt_panel.h"

#include <math.h>

#include "plots/plt_words.h"

/* A view has at most as many columns as the plot is wide in pixels. With more bins than columns
 * each column shows its highest bin (of a stack: the bin with the highest total), so that a spike
 * of one second survives; plt_timeline says so in the footer. */
struct column {
    double left, right; /* pixels */
};

static struct column column_at(const struct plt_frame *f, size_t i)
{
    const struct sq_series *s = f->view.series;
    double bin_s = sq_time_to_s(s->bin_ns);
    double from = (double)plt_view_first(&f->view, i) * bin_s;
    double to = fmin((double)plt_view_first(&f->view, i + 1) * bin_s, sq_time_to_s(s->end_ns));
    return (struct column){ plt_scale_at(&f->x, from), plt_scale_at(&f->x, to) };
}

static double bin_value(const float *bins, size_t bin)
{
    return bins != NULL && isfinite(bins[bin]) && bins[bin] > 0 ? (double)bins[bin] : 0;
}

/* A staircase, one step a column. Places are rounded to an eighth of a pixel, which nobody sees
 * and which makes an SVG half as long, also because equal neighbours become one step. */
struct stairs {
    struct plt_point points[PLT_COLUMNS_MAX * 2 + 2];
    size_t count;
};

static double eighth(double at)
{
    return floor(at * 8 + 0.5) / 8;
}

static void add_step(struct stairs *s, struct column c, double y)
{
    double at = eighth(y);
    if (s->count >= 2 && s->points[s->count - 1].y == at) {
        s->points[s->count - 1].x = eighth(c.right);
        return;
    }
    s->points[s->count++] = (struct plt_point){ eighth(c.left), at };
    s->points[s->count++] = (struct plt_point){ eighth(c.right), at };
}

/* The area under `lower` or, with `whole`, under the sum of both: the whole is drawn first, then
 * its lower part over it. */
static void draw_area(const struct plt_frame *f, const struct plt_panel *p,
                      const struct plt_scale *y, bool whole)
{
    const float *low = p->lower.bins, *high = p->upper.bins;
    struct stairs s = { .count = 0 };
    for (size_t i = 0; i < f->view.columns; i++) {
        size_t bin = plt_view_top(&f->view, i, low, high);
        double sum = bin_value(low, bin) + (whole ? bin_value(high, bin) : 0);
        add_step(&s, column_at(f, i), plt_scale_at(y, sum));
    }
    s.points[s.count] = (struct plt_point){ s.points[s.count - 1].x, y->from };
    s.points[s.count + 1] = (struct plt_point){ s.points[0].x, y->from };
    plt_canvas_area(f->canvas, s.points, s.count + 2, whole ? p->upper.pen.ink : p->lower.pen.ink);
}

/* With gaps where the column is null. */
static void draw_line(const struct plt_frame *f, const struct plt_layer *layer,
                      const struct plt_scale *y)
{
    struct stairs s = { .count = 0 };
    for (size_t i = 0; i < f->view.columns; i++) {
        size_t bin = plt_view_top(&f->view, i, layer->bins, NULL);
        if (isfinite(layer->bins[bin])) {
            add_step(&s, column_at(f, i), plt_scale_at(y, (double)layer->bins[bin]));
        } else {
            plt_canvas_path(f->canvas, s.points, s.count, layer->pen);
            s.count = 0;
        }
    }
    plt_canvas_path(f->canvas, s.points, s.count, layer->pen);
}

/* The tint lies under the areas, the hatching of collapses over them. */
static void draw_spans(const struct plt_frame *f, const struct plt_panel *p, double y, bool hatch)
{
    const struct sq_result *r = f->result;
    for (size_t i = 0; i < r->moment_count; i++) {
        const struct sq_moment *m = &r->moments[i];
        bool outage = m->kind == SQ_MOMENT_OUTAGE;
        if (!outage && m->kind != SQ_MOMENT_COLLAPSE) {
            continue;
        }
        if (p->dependency != NULL && m->entity != NULL &&
            !plt_entity_is(p->dependency, m->entity)) {
            continue;
        }
        double from = plt_scale_at(&f->x, sq_time_to_s(m->at_ns));
        double to = plt_scale_at(&f->x, sq_time_to_s(m->until_ns));
        struct plt_box box = { from, y, to - from, p->height };
        if (!hatch) {
            plt_canvas_box(f->canvas, box, outage ? f->theme->outage : f->theme->collapse);
        } else if (!outage) {
            plt_canvas_hatch(f->canvas, box, (struct plt_pen){ f->theme->hatch, 1, false });
        }
    }
}

static void draw_axes(const struct plt_frame *f, const struct plt_panel *p,
                      const struct plt_scale *y)
{
    const struct plt_pen grid = { f->theme->grid, 1, false }, axis = { f->theme->mark, 1, false };
    const struct plt_type type = { .size = 11, .align = PLT_RIGHT, .ink = f->theme->faint };
    for (size_t i = 0; i < f->time.count; i++) {
        double x = plt_scale_at(&f->x, f->time.at[i]);
        plt_canvas_line(f->canvas, (struct plt_point){ x, y->to }, (struct plt_point){ x, y->from },
                        grid);
    }
    size_t most = (size_t)(p->height / 24) + 1;
    struct plt_ticks ticks;
    plt_ticks_linear(&ticks, y->hi, most < 3 ? 3 : most > 7 ? 7 : most);
    for (size_t i = 0; i < ticks.count; i++) {
        double at = plt_scale_at(y, ticks.at[i]);
        struct sq_buf text = { 0 };
        plt_put_count(&text, ticks.at[i]);
        plt_canvas_line(f->canvas, (struct plt_point){ f->x.from, at },
                        (struct plt_point){ f->x.to, at }, i == 0 ? axis : grid);
        if (!text.failed) {
            plt_canvas_text(f->canvas, (struct plt_point){ f->x.from - 7, at - 7 }, text.text,
                            &type);
        }
        sq_buf_fini(&text);
    }
}

/* A swatch and its word, from right to left; returns where the next one ends. */
static double draw_key(const struct plt_frame *f, const struct plt_layer *layer, bool area,
                       struct plt_point at)
{
    const struct plt_type type = { .size = 11, .ink = f->theme->text, .halo = true };
    if (layer->bins == NULL || layer->key == NULL) {
        return at.x;
    }
    double x = at.x - plt_canvas_measure(f->canvas, layer->key, &type).x;
    plt_canvas_text(f->canvas, (struct plt_point){ x, at.y + 1 }, layer->key, &type);
    if (area) {
        plt_canvas_box(f->canvas, (struct plt_box){ x - 16, at.y + 3, 11, 11 }, layer->pen.ink);
    } else {
        plt_canvas_line(f->canvas, (struct plt_point){ x - 23, at.y + 8.5 },
                        (struct plt_point){ x - 5, at.y + 8.5 }, layer->pen);
    }
    return x - 36;
}

static void draw_heading(const struct plt_frame *f, const struct plt_panel *p, double y)
{
    const struct plt_type type = { .size = 12, .bold = true, .ink = f->theme->text, .halo = true };
    plt_canvas_text(f->canvas, (struct plt_point){ f->x.from, y }, p->heading, &type);
    struct plt_point at = { f->x.to, y };
    for (size_t i = p->line_count; i-- > 0;) {
        at.x = draw_key(f, &p->lines[i], false, at);
    }
    at.x = draw_key(f, &p->upper, true, at);
    draw_key(f, &p->lower, true, at);
}

/* Words at the right ends of lines, pushed apart from the one before. */
static void draw_ends(const struct plt_frame *f, const struct plt_panel *p,
                      const struct plt_scale *y)
{
    double taken[PLT_LINES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < p->line_count; i++) {
        const struct plt_layer *layer = &p->lines[i];
        if (layer->end == NULL || layer->bins == NULL) {
            continue;
        }
        size_t bin = f->view.bins - 1;
        while (bin > 0 && !isfinite(layer->bins[bin])) {
            bin--;
        }
        double at = plt_scale_at(y, bin_value(layer->bins, bin)) - 7;
        for (size_t k = 0; k < count; k++) {
            at = fabs(at - taken[k]) < 13 ? taken[k] - 13 : at;
        }
        taken[count++] = at;
        const struct plt_type type = { .size = 11, .ink = layer->pen.ink };
        plt_canvas_text(f->canvas, (struct plt_point){ f->x.to + 6, at }, layer->end, &type);
    }
}

static void draw_peak(const struct plt_frame *f, const struct plt_panel *p,
                      const struct plt_scale *y)
{
    const struct plt_type type = {
        .size = 11.5, .bold = true, .ink = f->theme->text, .halo = true
    };
    size_t bin = 0;
    double max = plt_view_max(&f->view, p->lower.bins, p->upper.bins, &bin);
    if (p->peak == NULL || max <= 0) {
        return;
    }
    double middle = ((double)bin + 0.5) * sq_time_to_s(f->view.series->bin_ns);
    double x = plt_scale_at(&f->x, middle), top = plt_scale_at(y, max);
    double width = plt_canvas_measure(f->canvas, p->peak, &type).x;
    const struct plt_point tip[] = { { x, top }, { x - 4, top - 7 }, { x + 4, top - 7 } };
    plt_canvas_area(f->canvas, tip, SQ_COUNT(tip), f->theme->text);
    bool left = x + 10 + width > f->x.to;
    struct plt_point at = { left ? x - 10 - width : x + 10, top - 4 };
    plt_canvas_text(f->canvas, at, p->peak, &type);
}

static double panel_top(const struct plt_frame *f, const struct plt_panel *p)
{
    if (p->top > 0) {
        return p->top;
    }
    size_t bin = 0;
    double max =
        p->lower.bins != NULL ? plt_view_max(&f->view, p->lower.bins, p->upper.bins, &bin) : 0;
    for (size_t i = 0; i < p->line_count; i++) {
        if (p->lines[i].bins != NULL) {
            max = fmax(max, plt_view_max(&f->view, p->lines[i].bins, NULL, &bin));
        }
    }
    return max > 0 ? max * 1.1 : 1;
}

static struct plt_scale panel_scale(const struct plt_frame *f, const struct plt_panel *p, double y)
{
    double upper = y + PLT_HEADING_HEIGHT;
    return (struct plt_scale){ 0, panel_top(f, p), upper + p->height, upper };
}

void plt_panel_draw(const struct plt_frame *f, const struct plt_panel *p, double y)
{
    SQ_ASSERT(f->view.columns > 0 && f->view.columns <= PLT_COLUMNS_MAX);
    struct plt_scale scale = panel_scale(f, p, y);
    draw_axes(f, p, &scale);
    draw_spans(f, p, scale.to, false);
    if (p->lower.bins != NULL && p->upper.bins != NULL) {
        draw_area(f, p, &scale, true);
    }
    if (p->lower.bins != NULL) {
        draw_area(f, p, &scale, false);
    }
    draw_spans(f, p, scale.to, true);
    for (size_t i = 0; i < p->line_count; i++) {
        if (p->lines[i].bins != NULL) {
            draw_line(f, &p->lines[i], &scale);
        }
    }
}

void plt_panel_words(const struct plt_frame *f, const struct plt_panel *p, double y)
{
    struct plt_scale scale = panel_scale(f, p, y);
    draw_heading(f, p, y);
    draw_ends(f, p, &scale);
    if (p->lower.bins != NULL) {
        draw_peak(f, p, &scale);
    }
}
