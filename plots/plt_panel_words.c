/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_panel_words.c - the words of a panel: its heading, names of areas and lines, the peak. */
#include "plots/plt_panel.h"

#include <math.h>

#include "plots/plt_panel_in.h"
#include "plots/plt_words.h"
#include "sim/base/sq_mem.h"

static void take(const struct plt_frame *f, struct plt_box box)
{
    if (f->taken != NULL) {
        plt_taken_add(f->taken, box);
    }
}

static struct plt_box box_of(struct plt_point at, struct plt_point size)
{
    return (struct plt_box){ at.x, at.y, size.x, size.y };
}

/* Collapses are hatched: nothing is written there. */
static void take_collapses(const struct plt_frame *f, const struct plt_scale *y)
{
    for (size_t i = 0; i < f->result->moment_count && f->taken != NULL; i++) {
        const struct sq_moment *m = &f->result->moments[i];
        double from = plt_scale_at(&f->x, sq_time_to_s(m->at_ns));
        double to = plt_scale_at(&f->x, sq_time_to_s(m->until_ns));
        if (m->kind == SQ_MOMENT_COLLAPSE) {
            plt_taken_add(f->taken, (struct plt_box){ from, y->to, to - from, y->from - y->to });
        }
    }
}

/* The upper edges of the stack, by column and layer; [0] is the floor. */
struct edges {
    double y[PLT_STACK_MAX + 1][PLT_COLUMNS_MAX];
};

static void fill_edges(struct edges *e, const struct plt_frame *f, const struct plt_panel *p,
                       const struct plt_scale *y)
{
    struct plt_stack stack = plt_panel_stack(p);
    for (size_t i = 0; i < f->view.columns; i++) {
        size_t bin = plt_view_top(&f->view, i, &stack);
        double sum = 0;
        e->y[0][i] = y->from;
        for (size_t k = 0; k < p->stack_count; k++) {
            sum += plt_panel_value(stack.bins[k], bin);
            e->y[k + 1][i] = plt_scale_at(y, sum);
        }
    }
}

/* What is drawn may end before the axis does. */
static double column_width(const struct plt_frame *f)
{
    double end_s = (double)f->view.bins * sq_time_to_s(f->view.series->bin_ns);
    return (plt_scale_at(&f->x, end_s) - f->x.from) / (double)f->view.columns;
}

/* Names of the areas where there is room; returns a bit for every layer that has found none. */
static unsigned draw_names(const struct plt_frame *f, const struct plt_panel *p,
                           const struct plt_scale *y)
{
    if (p->stack_count == 0) {
        return 0;
    }
    struct edges *e = sq_mem_alloc(1, sizeof *e);
    unsigned left = 0;
    if (e != NULL) {
        fill_edges(e, f, p, y);
    }
    for (size_t k = p->stack_count; k-- > 0;) {
        const struct plt_layer *layer = &p->stack[k];
        if (layer->name == NULL) {
            continue;
        }
        struct plt_ink ink = plt_ink_contrast(f->theme->text, layer->pen.ink) >
                                     plt_ink_contrast(f->theme->paper, layer->pen.ink)
                                 ? f->theme->text
                                 : f->theme->paper;
        const struct plt_type type = { .size = 11, .ink = ink };
        struct plt_point at;
        struct plt_point size = plt_canvas_measure(f->canvas, layer->name, &type);
        const struct plt_ribbon ribbon = { e != NULL ? e->y[k + 1] : NULL,
                                           e != NULL ? e->y[k] : NULL, f->view.columns, f->x.from,
                                           column_width(f) };
        if (e != NULL && plt_ribbon_place(&ribbon, f->taken, size, &at)) {
            plt_canvas_text(f->canvas, at, layer->name, &type);
            take(f, box_of(at, size));
        } else {
            left |= 1u << k;
        }
    }
    sq_mem_free(e);
    return left;
}

/* A swatch and its word, from right to left; returns where the next one ends. */
static double draw_key(const struct plt_frame *f, const struct plt_layer *layer,
                       struct plt_point at)
{
    const struct plt_type type = { .size = 11, .ink = f->theme->text, .halo = true };
    double x = at.x - plt_canvas_measure(f->canvas, layer->name, &type).x;
    plt_canvas_text(f->canvas, (struct plt_point){ x, at.y + 2 }, layer->name, &type);
    plt_canvas_box(f->canvas, (struct plt_box){ x - 16, at.y + 4, 11, 11 }, layer->pen.ink);
    return x - 32;
}

static void draw_heading(const struct plt_frame *f, const struct plt_panel *p, double y)
{
    const struct plt_type type = { .size = 12, .bold = true, .ink = f->theme->text, .halo = true };
    plt_canvas_text(f->canvas, (struct plt_point){ f->x.from, y }, p->heading, &type);
}

static void draw_keys(const struct plt_frame *f, const struct plt_panel *p, double y, unsigned left)
{
    struct plt_point at = { f->x.to, y };
    double most = plt_panel_max(f, p);
    for (size_t i = p->stack_count; i-- > 0;) {
        bool any = p->stack[i].name != NULL && (left & 1u << i) != 0;
        const struct plt_stack one = { { p->stack[i].bins } };
        size_t bin;
        if (any && plt_view_max(&f->view, &one, &bin) > most / 50) { /* there is some to see */
            at.x = draw_key(f, &p->stack[i], at);
        }
    }
}

/* The ink of a line, moved towards that of the text where words in it would be too pale. */
static struct plt_ink readable(const struct plt_frame *f, struct plt_ink ink)
{
    bool pale = plt_ink_contrast(ink, f->theme->paper) < 4.5;
    return pale ? plt_ink_mix(ink, f->theme->text, 0.5) : ink;
}

/* Names at the right ends of lines, pushed apart. */
static void draw_ends(const struct plt_frame *f, const struct plt_panel *p,
                      const struct plt_scale *y)
{
    double at[PLT_LINES_MAX];
    for (size_t i = 0; i < p->line_count; i++) {
        const float *bins = p->lines[i].bins;
        size_t bin = f->view.bins - 1;
        while (bin > 0 && !isfinite(bins[bin])) {
            bin--;
        }
        at[i] = plt_scale_at(y, plt_panel_value(bins, bin));
    }
    plt_spread_apart(at, p->line_count, 14, y->to + 2, y->from - 4);
    for (size_t i = 0; i < p->line_count; i++) {
        const struct plt_type type = { .size = 11, .ink = readable(f, p->lines[i].pen.ink) };
        if (p->lines[i].name != NULL) {
            plt_canvas_text(f->canvas, (struct plt_point){ f->x.to + 6, at[i] - 7 },
                            p->lines[i].name, &type);
        }
    }
}

static void draw_peak(const struct plt_frame *f, const struct plt_panel *p,
                      const struct plt_scale *y)
{
    const struct plt_type type = {
        .size = 11.5, .bold = true, .ink = f->theme->text, .halo = true
    };
    struct plt_stack stack = plt_panel_stack(p);
    size_t bin = 0;
    double max = plt_view_max(&f->view, &stack, &bin);
    if (p->peak == NULL || max <= 0) {
        return;
    }
    double middle = ((double)bin + 0.5) * sq_time_to_s(f->view.series->bin_ns);
    double x = plt_scale_at(&f->x, middle);
    double top = plt_scale_at(y, max);
    struct plt_point size = plt_canvas_measure(f->canvas, p->peak, &type);
    const struct plt_point tip[] = { { x, top }, { x - 4, top - 7 }, { x + 4, top - 7 } };
    plt_canvas_area(f->canvas, tip, SQ_COUNT(tip), f->theme->text);
    bool left = x + 10 + size.x > f->x.to;
    struct plt_point at = { left ? x - 10 - size.x : x + 10, top - size.y - 1 };
    plt_canvas_text(f->canvas, at, p->peak, &type);
    take(f, box_of(at, size));
}

void plt_panel_words(const struct plt_frame *f, const struct plt_panel *p, double y)
{
    struct plt_scale scale = plt_panel_scale(f, p, y);
    if (f->small) {
        take_collapses(f, &scale);
        draw_keys(f, p, y, draw_names(f, p, &scale));
        return;
    }
    draw_heading(f, p, y);
    draw_ends(f, p, &scale);
    draw_peak(f, p, &scale);
    take_collapses(f, &scale);
    draw_keys(f, p, y, draw_names(f, p, &scale));
}
