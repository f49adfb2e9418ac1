/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_timeline.c - the chart of a run: which panels it has, its title, subtitle and footer. */
#include "plots/plt_timeline.h"

#include <math.h>
#include <string.h>

#include "plots/plt_build.h"
#include "plots/plt_marks.h"
#include "plots/plt_words.h"

enum { LEFT = 84, RIGHT = 148, PANEL_GAP = 16, AXIS = 20 };
enum { DEPENDENCIES_MAX = 3, QUEUES_MAX = 2, WORKERS_MAX = 2 };

struct chart {
    const struct sq_result *r;
    struct plt_sheet sheet;
    struct plt_build build;
    struct plt_marks marks;
    struct plt_taken taken;
    struct plt_entities dependencies, queues, workers;
};

static void add_panels(struct chart *c)
{
    const struct sq_series *s = &c->r->series;
    const struct plt_entities *d = &c->dependencies;
    plt_pick_columns(&c->dependencies, s, "dependency", "calls_first_per_s");
    plt_pick_columns(&c->queues, s, "queue", "ready");
    plt_pick_columns(&c->workers, s, "workers", "replicas");
    for (size_t i = 0; i < d->count && i < DEPENDENCIES_MAX; i++) {
        plt_build_add_calls(&c->build, &d->list[i], i == 0);
        plt_build_add_load(&c->build, &d->list[i]);
    }
    for (size_t i = 0; i < c->queues.count && i < QUEUES_MAX; i++) {
        plt_build_add_queue(&c->build, &c->queues.list[i]);
    }
    for (size_t i = 0; i < c->workers.count && i < WORKERS_MAX; i++) {
        plt_build_add_workers(&c->build, &c->workers.list[i]);
    }
    for (size_t i = 0; i < d->count && i < DEPENDENCIES_MAX; i++) {
        plt_build_add_control(&c->build, &d->list[i]);
    }
}

/* What came of it, with the variant's name. */
static void set_title(struct chart *c)
{
    struct sq_buf b = { 0 };
    if (c->r->variant != NULL) {
        sq_buf_printf(&b, "%s: ", c->r->variant);
    }
    plt_put_verdict(&b, c->r);
    c->sheet.title = plt_sheet_keep(&c->sheet, &b);
}

static void put_time(struct sq_buf *b, double seconds, const char *null)
{
    if (isfinite(seconds)) {
        plt_put_span(b, seconds);
    } else {
        sq_buf_puts(b, null);
    }
}

static void put_forecast(struct sq_buf *b, const struct sq_result *r)
{
    double naive = plt_value(r, 0, "forecast.naive_s");
    double planned = plt_value(r, 0, "forecast.planned_s");
    struct plt_entities queues;
    plt_pick_columns(&queues, &r->series, "queue", "delayed");
    if (queues.count == 0 || plt_moment(r, SQ_MOMENT_T1) == NULL ||
        sq_result_metric(r, "forecast.naive_s") < 0) {
        return;
    }
    sq_buf_puts(b, "Queue clear after T1: ");
    if (isfinite(naive) || isfinite(planned)) {
        sq_buf_puts(b, "naive ");
        put_time(b, naive, plt_no_forecast(r));
        sq_buf_puts(b, ", planned ");
        put_time(b, planned, plt_no_forecast(r));
    } else if (strcmp(plt_no_forecast(r), "none") != 0) {
        sq_buf_printf(b, "forecast \"%s\"", plt_no_forecast(r));
    } else {
        sq_buf_puts(b, "no forecast");
    }
    sq_buf_puts(b, ", simulated ");
    put_time(b, plt_value(r, 0, "drain.queue_clear_s"), "not in this run");
    sq_buf_puts(b, ". ");
}

static void set_subtitle(struct chart *c)
{
    const struct sq_result *r = c->r;
    struct sq_buf b = { 0 };
    bool named = r->title != NULL && r->title[0] != '\0';
    sq_buf_printf(&b, "%s. ", named ? r->title : "Untitled scenario");
    put_forecast(&b, r);
    if (r->run_count > 1) {
        sq_buf_puts(&b, "This is ");
        plt_put_runs(&b, r);
        sq_buf_puts(&b, ". ");
    }
    if (c->dependencies.count > 0) {
        double factor = plt_entity_value(r, 0, "dependency", c->dependencies.list, "amplification");
        if (isfinite(factor)) {
            sq_buf_puts(&b, "Calls per first call: ");
            plt_put_ratio(&b, factor);
            sq_buf_puts(&b, ".");
        }
    }
    c->sheet.subtitle = plt_sheet_keep(&c->sheet, &b);
}

static void put_omitted(struct sq_buf *b, const struct plt_entities *all, size_t max,
                        const char *what)
{
    if (all->total > max) {
        sq_buf_printf(b, " · %zu more %s not drawn", all->total - max, what);
    }
}

static void set_footer(struct chart *c, sq_time_t end)
{
    const struct sq_result *r = c->r;
    struct sq_buf b = { 0 };
    plt_put_origin(&b, &r, 1);
    if (r->run_count > 0 && r->runs[0].replication > 1) {
        sq_buf_printf(&b, " · replication %llu", (unsigned long long)r->runs[0].replication);
    }
    const char *hash = plt_word(r, 0, "run.hash");
    if (hash != NULL) {
        sq_buf_printf(&b, " · run hash %s", hash);
    }
    if (end < r->series.end_ns) {
        sq_buf_puts(&b, " · cut at ");
        plt_put_clock(&b, end, false);
        sq_buf_puts(&b, " of ");
        plt_put_clock(&b, r->series.end_ns, false);
        sq_buf_puts(&b, ": nothing is marked after that");
    }
    if (c->build.frame.view.bins > c->build.frame.view.columns) {
        sq_buf_puts(&b, " · each column of pixels shows its highest bin (");
        plt_put_span(&b, sq_time_to_s(r->series.bin_ns));
        sq_buf_puts(&b, ")");
    }
    put_omitted(&b, &c->dependencies, DEPENDENCIES_MAX, "dependencies");
    put_omitted(&b, &c->queues, QUEUES_MAX, "queues");
    put_omitted(&b, &c->workers, WORKERS_MAX, "groups of workers");
    if (c->marks.hidden > 0) {
        sq_buf_printf(&b, " · %zu marks without a label", c->marks.hidden);
    }
    c->sheet.footer = plt_sheet_keep(&c->sheet, &b);
}

void plt_timeline_axis(const struct sq_result *r, struct plt_timeline_axis *out)
{
    sq_time_t end = plt_interesting_end(r);
    *out = (struct plt_timeline_axis){ .view = plt_panel_view(&r->series, end,
                                                              PLT_SHEET_WIDTH - LEFT - RIGHT),
                                       .end = end,
                                       .left = LEFT,
                                       .right = PLT_SHEET_WIDTH - RIGHT };
}

static sq_time_t set_frame(struct chart *c)
{
    struct plt_frame *f = &c->build.frame;
    struct plt_timeline_axis axis;
    plt_timeline_axis(c->r, &axis);
    c->build.sheet = &c->sheet;
    c->build.r = c->r;
    f->canvas = c->sheet.canvas;
    f->theme = c->sheet.theme;
    f->result = c->r;
    f->taken = &c->taken;
    f->view = axis.view;
    f->x = (struct plt_scale){ 0, sq_time_to_s(axis.end), axis.left, axis.right };
    plt_ticks_time(&f->time, sq_time_to_s(axis.end), 14);
    return axis.end;
}

static void draw_time_axis(const struct plt_frame *f, double y)
{
    const struct plt_type type = { .size = 11, .align = PLT_CENTRE, .ink = f->theme->faint };
    const struct plt_type name = { .size = 11, .ink = f->theme->faint };
    for (size_t i = 0; i < f->time.count; i++) {
        struct sq_buf text = { 0 };
        plt_put_time_tick(&text, f->time.at[i]);
        double x = plt_scale_at(&f->x, f->time.at[i]);
        if (!text.failed) {
            plt_canvas_text(f->canvas, (struct plt_point){ x, y + 4 }, text.text, &type);
        }
        sq_buf_fini(&text);
    }
    plt_canvas_text(f->canvas, (struct plt_point){ f->x.to + 26, y + 4 }, "time in the run", &name);
}

static void draw_panels(struct chart *c, double y, double lane_y, double bottom)
{
    const struct plt_frame *f = &c->build.frame;
    const struct plt_span_y span = { lane_y, bottom };
    plt_marks_lines(&c->marks, f, span, 1);
    double at = y;
    for (size_t i = 0; i < c->build.count; i++) {
        plt_panel_draw(f, &c->build.panels[i], at);
        at += PLT_HEADING_HEIGHT + c->build.panels[i].height + PANEL_GAP;
    }
    plt_marks_lines(&c->marks, f, span, 0.35);
    plt_marks_take(f, (struct plt_span_y){ y, bottom });
    at = y;
    for (size_t i = 0; i < c->build.count; i++) {
        plt_panel_words(f, &c->build.panels[i], at);
        at += PLT_HEADING_HEIGHT + c->build.panels[i].height + PANEL_GAP;
    }
    plt_marks_draw(&c->marks, f, lane_y);
    draw_time_axis(f, bottom);
}

static void draw(struct chart *c)
{
    double lane = plt_marks_height(&c->marks) + 4;
    double panels = 0;
    for (size_t i = 0; i < c->build.count; i++) {
        panels += PLT_HEADING_HEIGHT + c->build.panels[i].height + (i > 0 ? PANEL_GAP : 0);
    }
    plt_sheet_begin(&c->sheet, lane + panels + AXIS);
    double top = c->sheet.top;
    draw_panels(c, top + lane, top, top + lane + panels);
}

enum sq_status plt_chart_timeline(const struct sq_result *r, struct plt_look look,
                                  struct sq_buf *out)
{
    SQ_ASSERT(r->series.bin_count > 0 && r->series.end_ns > 0);
    struct chart *c = sq_mem_alloc(1, sizeof *c);
    if (c == NULL) {
        return SQ_NOMEM;
    }
    c->r = r;
    enum sq_status status = plt_sheet_open(&c->sheet, look);
    if (status == SQ_OK) {
        sq_time_t end = set_frame(c);
        add_panels(c);
        c->marks.dependencies = &c->dependencies;
        plt_marks_plan(&c->marks, &c->build.frame, PLT_SHEET_WIDTH - 8);
        set_title(c);
        set_subtitle(c);
        set_footer(c, end);
        draw(c);
        status = plt_sheet_close(&c->sheet, status, out);
    }
    sq_mem_free(c);
    return status;
}

enum sq_status plt_timeline(const struct sq_result *r, enum plt_format format, struct sq_buf *out)
{
    return plt_chart_timeline(r, (struct plt_look){ format, &plt_theme_light }, out);
}
