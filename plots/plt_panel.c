/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_panel.c - draws one panel of a timeline: shading, areas, lines, axes. */
#include "plots/plt_panel.h"

#include <math.h>

#include "plots/plt_panel_in.h"
#include "plots/plt_words.h"

struct plt_stack plt_panel_stack(const struct plt_panel *p)
{
    struct plt_stack s = { { NULL } };
    for (size_t i = 0; i < p->stack_count; i++) {
        s.bins[i] = p->stack[i].bins;
    }
    return s;
}

double plt_panel_value(const float *bins, size_t bin)
{
    return bins != NULL && isfinite(bins[bin]) && bins[bin] > 0 ? (double)bins[bin] : 0;
}

double plt_panel_max(const struct plt_frame *f, const struct plt_panel *p)
{
    struct plt_stack stack = plt_panel_stack(p);
    size_t bin;
    return plt_view_max(&f->view, &stack, &bin);
}

struct plt_view plt_panel_view(const struct sq_series *s, sq_time_t end, size_t room)
{
    size_t bins = (size_t)((end + s->bin_ns - 1) / s->bin_ns);
    bins = bins < s->bin_count ? bins : s->bin_count;
    room = room < PLT_COLUMNS_MAX ? room : PLT_COLUMNS_MAX;
    return (struct plt_view){ s, bins, bins < room ? bins : room };
}

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

/* The area under the sum of the lowest `count` of the stack. The whole is drawn first, then less
 * and less of it over it, so that there is no seam. */
static void draw_area(const struct plt_frame *f, const struct plt_panel *p,
                      const struct plt_scale *y, size_t count)
{
    struct plt_stack stack = plt_panel_stack(p);
    struct stairs s = { .count = 0 };
    for (size_t i = 0; i < f->view.columns; i++) {
        size_t bin = plt_view_top(&f->view, i, &stack);
        double sum = 0;
        for (size_t k = 0; k < count; k++) {
            sum += plt_panel_value(stack.bins[k], bin);
        }
        add_step(&s, column_at(f, i), plt_scale_at(y, sum));
    }
    s.points[s.count] = (struct plt_point){ s.points[s.count - 1].x, y->from };
    s.points[s.count + 1] = (struct plt_point){ s.points[0].x, y->from };
    plt_canvas_area(f->canvas, s.points, s.count + 2, p->stack[count - 1].pen.ink);
}

static void stroke(const struct plt_frame *f, const struct plt_layer *layer, const struct stairs *s)
{
    if (layer->edged) {
        struct plt_pen edge = { f->theme->paper, layer->pen.width + 2, PLT_SOLID };
        edge.ink.a = 0.8;
        plt_canvas_path(f->canvas, s->points, s->count, edge);
    }
    plt_canvas_path(f->canvas, s->points, s->count, layer->pen);
}

/* With gaps where the column is null. */
static void draw_line(const struct plt_frame *f, const struct plt_layer *layer,
                      const struct plt_scale *y)
{
    struct stairs s = { .count = 0 };
    const struct plt_stack stack = { { layer->bins } };
    for (size_t i = 0; i < f->view.columns; i++) {
        size_t bin = plt_view_top(&f->view, i, &stack);
        if (isfinite(layer->bins[bin])) {
            add_step(&s, column_at(f, i), plt_scale_at(y, (double)layer->bins[bin]));
        } else {
            stroke(f, layer, &s);
            s.count = 0;
        }
    }
    stroke(f, layer, &s);
}

/* The tint lies under the areas, the hatching of collapses over them; where several dependencies
 * are down at a time it is no darker. Moments are in the order of time. */
static void draw_spans(const struct plt_frame *f, const struct plt_panel *p, double y, bool hatch)
{
    const struct sq_result *r = f->result;
    double done[2] = { f->x.from, f->x.from };
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
        double from = fmax(plt_scale_at(&f->x, sq_time_to_s(m->at_ns)), done[outage]);
        double to = plt_scale_at(&f->x, sq_time_to_s(m->until_ns));
        if (to <= from) {
            continue;
        }
        done[outage] = to;
        struct plt_box box = { from, y, to - from, p->height };
        if (!hatch) {
            plt_canvas_box(f->canvas, box, outage ? f->theme->outage : f->theme->collapse);
        } else if (!outage) {
            plt_canvas_hatch(f->canvas, box, (struct plt_pen){ f->theme->hatch, 1, PLT_SOLID });
        }
    }
}

static void put_tick(struct sq_buf *b, const struct plt_panel *p, double at)
{
    if (p->seconds) {
        plt_put_time_tick(b, at);
    } else {
        plt_put_count(b, at);
    }
}

/* Ticks of the y axis: as many as there is room for, and round. */
static void pick_ticks(struct plt_ticks *t, const struct plt_frame *f, const struct plt_panel *p,
                       double hi)
{
    size_t most = (size_t)(p->height / (f->small ? 30 : 24)) + 1;
    most = most < 3 ? 3 : most > 7 ? 7 : most;
    if (p->seconds) {
        plt_ticks_time(t, hi, most);
    } else {
        plt_ticks_linear(t, hi, most);
    }
}

static void draw_axes(const struct plt_frame *f, const struct plt_panel *p,
                      const struct plt_scale *y)
{
    const struct plt_pen grid = { f->theme->grid, 1, PLT_SOLID };
    const struct plt_pen axis = { f->theme->mark, 1, PLT_SOLID };
    const struct plt_type type = { .size = f->small ? 10 : 11,
                                   .align = PLT_RIGHT,
                                   .ink = f->theme->faint };
    for (size_t i = 0; i < f->time.count; i++) {
        double x = plt_scale_at(&f->x, f->time.at[i]);
        plt_canvas_line(f->canvas, (struct plt_point){ x, y->to }, (struct plt_point){ x, y->from },
                        grid);
    }
    struct plt_ticks ticks;
    pick_ticks(&ticks, f, p, y->hi);
    for (size_t i = 0; i < (p->states ? 1 : ticks.count); i++) {
        double at = plt_scale_at(y, ticks.at[i]);
        struct sq_buf text = { 0 };
        if (p->states) {
            plt_canvas_line(f->canvas, (struct plt_point){ f->x.from, at },
                            (struct plt_point){ f->x.to, at }, axis);
            continue;
        }
        put_tick(&text, p, ticks.at[i]);
        plt_canvas_line(f->canvas, (struct plt_point){ f->x.from, at },
                        (struct plt_point){ f->x.to, at }, i == 0 ? axis : grid);
        if (!text.failed) {
            plt_canvas_text(f->canvas, (struct plt_point){ f->x.from - 7, at - type.size * 0.64 },
                            text.text, &type);
        }
        sq_buf_fini(&text);
    }
}

/* Notches where a state changes: many last for less than a bin. */
static void draw_changes(const struct plt_frame *f, const struct plt_panel *p,
                         const struct plt_scale *y)
{
    enum { DEPTH = 5 };
    for (size_t i = 0; i < f->result->moment_count; i++) {
        const struct sq_moment *m = &f->result->moments[i];
        if (m->kind == SQ_MOMENT_BREAKER && plt_entity_is(p->dependency, m->entity)) {
            double x = plt_scale_at(&f->x, sq_time_to_s(m->at_ns));
            plt_canvas_line(f->canvas, (struct plt_point){ x, y->from - DEPTH },
                            (struct plt_point){ x, y->from },
                            (struct plt_pen){ f->theme->text, 1, PLT_SOLID });
        }
    }
}

/* With room for the words at the peak above it. */
static double panel_top(const struct plt_frame *f, const struct plt_panel *p)
{
    if (p->top > 0) {
        return p->top;
    }
    double room = p->peak != NULL && !f->small ? p->height / (p->height - 17) : 1.06;
    double max = plt_panel_max(f, p);
    double top = max * room;
    for (size_t i = 0; i < p->line_count; i++) {
        const struct plt_stack line = { { p->lines[i].bins } };
        size_t bin;
        top = fmax(top, 1.06 * plt_view_max(&f->view, &line, &bin));
    }
    return top > 0 ? top : 1;
}

struct plt_scale plt_panel_scale(const struct plt_frame *f, const struct plt_panel *p, double y)
{
    double upper = y + PLT_HEADING_HEIGHT;
    return (struct plt_scale){ 0, panel_top(f, p), upper + p->height, upper };
}

void plt_panel_draw(const struct plt_frame *f, const struct plt_panel *p, double y)
{
    SQ_ASSERT(f->view.columns > 0 && f->view.columns <= PLT_COLUMNS_MAX);
    struct plt_scale scale = plt_panel_scale(f, p, y);
    draw_axes(f, p, &scale);
    draw_spans(f, p, scale.to, false);
    for (size_t i = p->stack_count; i > 0; i--) {
        draw_area(f, p, &scale, i);
    }
    draw_spans(f, p, scale.to, true);
    for (size_t i = 0; i < p->line_count; i++) {
        draw_line(f, &p->lines[i], &scale);
    }
    if (p->states) {
        draw_changes(f, p, &scale);
    }
}
