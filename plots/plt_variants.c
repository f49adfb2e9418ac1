/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_variants.c - variants side by side. */
#include "plots/plt_variants.h"

#include <math.h>

#include "plots/plt_build.h"
#include "plots/plt_runs.h"
#include "plots/plt_words.h"

enum {
    ACROSS = 3,
    LEFT = 46,
    GAP_X = 26,
    GAP_Y = 26,
    CALLS = 112,
    JOBS = 74,
    BETWEEN = 6,
    AXIS = 18
};

/* One variant: its panels, and how it is called. */
struct cell {
    struct plt_build build;
    const char *name, *verdict, *peak;
};

struct chart {
    struct plt_sheet sheet;
    size_t count, left_out, across;
    double width, words; /* of a cell: its width, and the height of name and verdict */
    double end_s, calls_top, jobs_top;
    sq_time_t longest; /* of the runs */
    struct plt_taken taken;
    struct cell cells[PLT_VARIANTS_MAX];
};

static struct plt_type name_type(const struct chart *c)
{
    return (struct plt_type){ .size = 13, .bold = true, .ink = c->sheet.theme->text };
}

static struct plt_type verdict_type(const struct chart *c)
{
    return (struct plt_type){ .size = 11, .ink = c->sheet.theme->faint, .wrap = c->width };
}

/* Stragglers are not worth the paper that the others would lose: up to a little after the last
 * collapse, the queue's clearance and the return to health; else to the end. */
static sq_time_t end_of(const struct sq_result *r)
{
    sq_time_t last = 0;
    for (size_t i = 0; i < r->moment_count; i++) {
        const struct sq_moment *m = &r->moments[i];
        if (m->kind == SQ_MOMENT_COLLAPSE || m->kind == SQ_MOMENT_T2 ||
            m->kind == SQ_MOMENT_QUEUE_CLEAR) {
            last = sq_max_i64(last, sq_min_i64(m->until_ns, r->series.end_ns));
        }
    }
    bool well = plt_moment(r, SQ_MOMENT_T2) != NULL;
    return well ? sq_min_i64(sq_time_add(last, last / 7), r->series.end_ns) : r->series.end_ns;
}

static void take_results(struct chart *c, const struct sq_result *const *results, size_t count)
{
    sq_time_t end = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sq_result *r = results[i];
        if (c->count == PLT_VARIANTS_MAX || r->series.bin_count == 0) {
            c->left_out++;
            continue;
        }
        struct cell *cell = &c->cells[c->count++];
        cell->build.sheet = &c->sheet;
        cell->build.r = r;
        cell->name = r->variant != NULL ? r->variant : "base";
        end = sq_max_i64(end, end_of(r));
        c->longest = sq_max_i64(c->longest, r->series.end_ns);
    }
    c->end_s = sq_time_to_s(end);
    c->across = c->count < ACROSS ? c->count : c->count == 4 ? 2 : ACROSS;
    c->width = (PLT_SHEET_WIDTH - 2 * PLT_SHEET_MARGIN - GAP_X * (double)(c->across - 1)) /
               (double)c->across;
}

static void set_frame(struct chart *c, size_t i)
{
    struct plt_frame *f = &c->cells[i].build.frame;
    const struct sq_result *r = c->cells[i].build.r;
    double left = PLT_SHEET_MARGIN + (double)(i % c->across) * (c->width + GAP_X);
    sq_time_t end = sq_min_i64(sq_time_from_s(c->end_s), r->series.end_ns);
    f->canvas = c->sheet.canvas;
    f->theme = c->sheet.theme;
    f->result = r;
    f->taken = &c->taken;
    f->small = true;
    f->view = plt_panel_view(&r->series, end, (size_t)(c->width - LEFT));
    f->x = (struct plt_scale){ 0, c->end_s, left + LEFT, left + c->width };
    plt_ticks_time(&f->time, c->end_s, c->across > 2 ? 7 : 10);
}

static const char *kept(struct chart *c, const char *before, double value)
{
    struct sq_buf b = { 0 };
    sq_buf_puts(&b, before);
    plt_put_rate(&b, value);
    return plt_sheet_keep(&c->sheet, &b);
}

/* Areas bear their names in the first cell alone. */
static void add(struct chart *c, size_t i, struct plt_panel p, double height)
{
    struct plt_build *b = &c->cells[i].build;
    p.height = height;
    p.peak = NULL;
    for (size_t k = 0; k < p.stack_count && i > 0; k++) {
        p.stack[k].name = NULL;
    }
    b->panels[b->count++] = p;
}

/* The busiest dependency and the fullest queue of each. */
static void add_panels(struct chart *c, size_t i)
{
    struct cell *cell = &c->cells[i];
    const struct sq_series *s = &cell->build.r->series;
    struct plt_entities dependencies, queues;
    struct sq_buf b = { 0 };
    plt_pick_columns(&dependencies, s, "dependency", "calls_first_per_s");
    plt_pick_columns(&queues, s, "queue", "delayed");
    if (dependencies.count > 0) {
        struct plt_panel p = plt_build_calls(&cell->build, &dependencies.list[0]);
        p.dependency = NULL;
        double max = plt_panel_max(&cell->build.frame, &p);
        c->calls_top = fmax(c->calls_top, max);
        cell->peak = kept(c, "peak ", max);
        add(c, i, p, CALLS);
    }
    if (queues.count > 0) {
        struct plt_panel p = plt_build_queue(&cell->build, &queues.list[0]);
        c->jobs_top = fmax(c->jobs_top, plt_panel_max(&cell->build.frame, &p));
        add(c, i, p, JOBS);
    }
    plt_put_short_verdict(&b, cell->build.r);
    cell->verdict = plt_sheet_keep(&c->sheet, &b);
    const struct plt_type type = verdict_type(c);
    c->words = fmax(c->words, plt_sheet_measure(&c->sheet, cell->verdict, &type).y + 22);
}

/* The same tops everywhere; peaks far above the capacity are cut, and written beside. */
static bool share_scales(struct chart *c)
{
    double capacity = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct plt_build *b = &c->cells[i].build;
        if (b->count > 0 && b->panels[0].line_count > 0) {
            const struct plt_stack line = { { b->panels[0].lines[0].bins } };
            size_t bin;
            capacity = fmax(capacity, plt_view_max(&b->frame.view, &line, &bin));
        }
    }
    bool cut = capacity > 0 && c->calls_top > 4 * capacity;
    c->calls_top = cut ? plt_round_up(2.4 * capacity) : fmax(c->calls_top * 1.08, 1e-9);
    c->jobs_top = fmax(c->jobs_top * 1.06, 1);
    for (size_t i = 0; i < c->count; i++) {
        struct plt_build *b = &c->cells[i].build;
        for (size_t k = 0; k < b->count; k++) {
            b->panels[k].top = b->panels[k].height == CALLS ? c->calls_top : c->jobs_top;
        }
    }
    return cut;
}

static void set_texts(struct chart *c, const char *headline, bool cut)
{
    const struct sq_result *first = c->cells[0].build.r;
    const struct sq_result *results[PLT_VARIANTS_MAX];
    struct sq_buf b = { 0 };
    for (size_t i = 0; i < c->count; i++) {
        results[i] = c->cells[i].build.r;
    }
    c->sheet.title = headline;
    sq_buf_printf(&b, "%s. ", first->title != NULL ? first->title : "Untitled scenario");
    sq_buf_puts(&b, "Run 1 of each variant, on the same luck and the same scales: calls per second "
                    "(grey line: capacity; dark line: goodput), and jobs of the queue below.");
    if (cut) {
        sq_buf_puts(&b, " What is above ");
        plt_put_rate(&b, c->calls_top);
        sq_buf_puts(&b, " is cut.");
    }
    c->sheet.subtitle = plt_sheet_keep(&c->sheet, &b);
    plt_put_origin(&b, results, c->count);
    if (sq_time_from_s(c->end_s) < c->longest) {
        sq_buf_puts(&b, " · cut at ");
        plt_put_clock(&b, sq_time_from_s(c->end_s), false);
        sq_buf_puts(&b, ": what is later is not drawn");
    }
    if (c->left_out > 0) {
        sq_buf_printf(&b, " · %zu more not drawn", c->left_out);
    }
    c->sheet.footer = plt_sheet_keep(&c->sheet, &b);
}

static void draw_ticks(const struct plt_frame *f, double y)
{
    const struct plt_type type = { .size = 10, .align = PLT_CENTRE, .ink = f->theme->faint };
    for (size_t i = 0; i < f->time.count; i++) {
        struct sq_buf text = { 0 };
        plt_put_time_tick(&text, f->time.at[i]);
        double x = plt_scale_at(&f->x, f->time.at[i]);
        double half = plt_canvas_measure(f->canvas, text.failed ? "" : text.text, &type).x / 2;
        x = fmin(x, f->x.to - half + 4);
        if (!text.failed) {
            plt_canvas_text(f->canvas, (struct plt_point){ x, y + 4 }, text.text, &type);
        }
        sq_buf_fini(&text);
    }
}

/* The peak, where the axis ends below it. */
static void draw_peak(struct chart *c, size_t i, double y)
{
    const struct plt_frame *f = &c->cells[i].build.frame;
    const struct plt_panel *p = &c->cells[i].build.panels[0];
    const struct plt_type type = {
        .size = 10.5, .bold = true, .ink = c->sheet.theme->text, .align = PLT_RIGHT, .halo = true
    };
    if (plt_panel_max(f, p) > p->top) {
        plt_sheet_text(&c->sheet, (struct plt_point){ f->x.to, y + 3 }, c->cells[i].peak, &type);
        struct plt_point size = plt_sheet_measure(&c->sheet, c->cells[i].peak, &type);
        plt_taken_add(&c->taken, (struct plt_box){ f->x.to - size.x, y + 3, size.x, size.y });
    }
}

static void draw_cell(struct chart *c, size_t i, double y)
{
    struct cell *cell = &c->cells[i];
    const struct plt_frame *f = &cell->build.frame;
    const struct plt_type name = name_type(c);
    const struct plt_type verdict = verdict_type(c);
    double left = f->x.from - LEFT;
    plt_sheet_text_within(&c->sheet, (struct plt_point){ left, y }, c->width, cell->name, &name);
    plt_sheet_text(&c->sheet, (struct plt_point){ left, y + 18 }, cell->verdict, &verdict);
    double at = y + c->words;
    for (size_t k = 0; k < cell->build.count; k++) {
        const struct plt_panel *p = &cell->build.panels[k];
        plt_panel_draw(f, p, at);
        if (p->height == CALLS) {
            draw_peak(c, i, at + PLT_HEADING_HEIGHT);
        }
        plt_panel_words(f, p, at);
        at += p->height + PLT_HEADING_HEIGHT + BETWEEN - (PLT_HEADING_HEIGHT - BETWEEN);
    }
    draw_ticks(f, at + PLT_HEADING_HEIGHT - 2 * BETWEEN);
}

static void draw(struct chart *c)
{
    double height = c->words + PLT_HEADING_HEIGHT + CALLS + JOBS + 2 * BETWEEN + AXIS;
    size_t rows = (c->count + c->across - 1) / c->across;
    plt_sheet_begin(&c->sheet, (double)rows * (height + GAP_Y) - GAP_Y);
    for (size_t i = 0; i < c->count; i++) {
        size_t row = i / c->across;
        draw_cell(c, i, c->sheet.top + (double)row * (height + GAP_Y));
    }
}

enum sq_status plt_chart_variants(const struct sq_result *const *results, size_t count,
                                  const char *headline, struct plt_look look, struct sq_buf *out)
{
    struct chart *c = sq_mem_alloc(1, sizeof *c);
    enum sq_status status = c != NULL ? plt_sheet_open(&c->sheet, look) : SQ_NOMEM;
    if (status == SQ_OK) {
        take_results(c, results, count);
        SQ_ASSERT(c->count > 0);
        for (size_t i = 0; i < c->count; i++) {
            set_frame(c, i);
            add_panels(c, i);
        }
        set_texts(c, headline, share_scales(c));
        draw(c);
        status = plt_sheet_close(&c->sheet, status, out);
    }
    sq_mem_free(c);
    return status;
}
