/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_timeline.c - the chart of a run: which panels it has, its title, subtitle and footer. */
#include "plots/plt_timeline.h"

#include <math.h>
#include <string.h>

#include "plots/plt_marks.h"
#include "plots/plt_panel.h"
#include "plots/plt_words.h"
#include "sim/base/sq_file.h"

enum { WIDTH = 1200, LEFT = 84, RIGHT = 148, MARGIN = 28, PANEL_GAP = 16, PANELS_MAX = 16 };
enum { DEPENDENCIES_MAX = 3, QUEUES_MAX = 2, WORKERS_MAX = 2 };

struct chart {
    const struct sq_result *r;
    struct plt_frame frame;
    struct plt_marks marks;
    struct sq_arena arena; /* texts */
    bool failed;           /* out of memory */
    struct plt_entities dependencies, queues, workers;
    struct plt_panel panels[PANELS_MAX];
    size_t panel_count;
    const char *title, *subtitle, *footer;
};

/* Moves a finished text into the arena of the chart. */
static const char *keep(struct chart *c, struct sq_buf *b)
{
    const char *text = b->failed ? NULL : sq_arena_text(&c->arena, b->text, b->len);
    sq_buf_fini(b);
    c->failed = c->failed || text == NULL;
    return text != NULL ? text : "";
}

static const char *heading(struct chart *c, const char *before, const struct plt_entity *e,
                           const char *after)
{
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "%s%.*s%s", before, (int)e->len, e->name, after);
    return keep(c, &b);
}

static struct plt_panel *add_panel(struct chart *c, double height)
{
    SQ_ASSERT(c->panel_count < PANELS_MAX);
    struct plt_panel *p = &c->panels[c->panel_count++];
    p->height = height;
    return p;
}

static void add_line(struct plt_panel *p, struct plt_layer layer)
{
    if (layer.bins != NULL) {
        p->lines[p->line_count++] = layer;
    }
}

static double column_max(const struct chart *c, const float *bins)
{
    size_t bin;
    return bins == NULL ? 0 : plt_view_max(&c->frame.view, bins, NULL, &bin);
}

static const char *peak_text(struct chart *c, const struct plt_entity *e, double drawn)
{
    struct sq_buf b = { 0 };
    double peak = plt_entity_value(c->r, 0, "dependency", e, "peak_rate_per_s");
    double normal = plt_entity_value(c->r, 0, "dependency", e, "normal_rate_per_s");
    peak = isfinite(peak) ? peak : drawn;
    sq_buf_puts(&b, "peak ");
    plt_put_rate(&b, peak);
    if (isfinite(normal) && normal > 0) {
        sq_buf_puts(&b, " = ");
        plt_put_ratio(&b, peak / normal >= 10 ? floor(peak / normal + 0.5) : peak / normal);
        sq_buf_puts(&b, "× normal");
    }
    return keep(c, &b);
}

/* The peak of a storm may be ten and more times the capacity; on one linear axis everything else
 * would be a line on the floor. So the busiest dependency is then drawn twice: whole, and enlarged
 * with an axis that ends at about twice the capacity and says so. */
static void add_calls(struct chart *c, const struct plt_entity *e, bool busiest)
{
    const struct sq_series *s = &c->r->series;
    const float *capacity = plt_column(s, "dependency", e, "capacity_per_s");
    struct plt_panel p = {
        .heading = heading(c, "Calls per second to ", e, ""),
        .dependency = e,
        .lower = { plt_column(s, "dependency", e, "calls_first_per_s"),
                   "first calls",
                   NULL,
                   { c->frame.theme->first, 1, false } },
        .upper = { plt_column(s, "dependency", e, "calls_retry_per_s"),
                   "retries",
                   NULL,
                   { c->frame.theme->again, 1, false } },
    };
    size_t bin;
    double limit = column_max(c, capacity);
    double drawn = plt_view_max(&c->frame.view, p.lower.bins, p.upper.bins, &bin);
    struct sq_buf b = { 0 };
    sq_buf_puts(&b, limit > 0 ? "capacity " : "down");
    if (limit > 0) {
        plt_put_rate(&b, limit);
    }
    add_line(&p, (struct plt_layer){
                     capacity, NULL, keep(c, &b), { c->frame.theme->capacity, 2, false } });
    add_line(&p, (struct plt_layer){ plt_column(s, "dependency", e, "goodput_per_s"),
                                     "goodput",
                                     NULL,
                                     { c->frame.theme->goodput, 1.3, false } });
    p.peak = peak_text(c, e, drawn);
    bool twice = busiest && limit > 0 && drawn > 4 * limit;
    p.height = twice ? 130 : busiest ? 220 : 130;
    *add_panel(c, p.height) = p;
    if (twice) {
        p.height = 190;
        p.peak = NULL;
        p.top = plt_round_up(limit * 1.8);
        sq_buf_puts(&b, " enlarged: the axis ends at ");
        plt_put_rate(&b, p.top);
        sq_buf_puts(&b, ", what is above is cut");
        p.heading = heading(c, "Calls per second to ", e, keep(c, &b));
        *add_panel(c, p.height) = p;
    }
}

static void add_queue(struct chart *c, const struct plt_entity *e)
{
    const struct sq_series *s = &c->r->series;
    struct plt_panel *p = add_panel(c, 120);
    p->heading = heading(c, "Jobs in queue ", e, "");
    p->lower = (struct plt_layer){
        plt_column(s, "queue", e, "ready"), "ready", NULL, { c->frame.theme->ready, 1, false }
    };
    p->upper = (struct plt_layer){
        plt_column(s, "queue", e, "delayed"), "delayed", NULL, { c->frame.theme->delayed, 1, false }
    };
    size_t bin;
    struct sq_buf b = { 0 };
    sq_buf_puts(&b, "max ");
    plt_put_count(&b, plt_view_max(&c->frame.view, p->lower.bins, p->upper.bins, &bin));
    p->peak = keep(c, &b);
}

static const char *max_text(struct chart *c, const char *what, const float *bins)
{
    struct sq_buf b = { 0 };
    sq_buf_puts(&b, what);
    plt_put_count(&b, column_max(c, bins));
    return keep(c, &b);
}

static void add_workers(struct chart *c, const struct plt_entity *e)
{
    const struct sq_series *s = &c->r->series;
    struct plt_panel *p = add_panel(c, 80);
    p->heading = heading(c, "Replicas of ", e, "");
    p->lower = (struct plt_layer){ plt_column(s, "workers", e, "replicas"),
                                   "replicas",
                                   NULL,
                                   { c->frame.theme->replicas, 1, false } };
    add_line(p, (struct plt_layer){ plt_column(s, "workers", e, "ready_replicas"),
                                    "ready",
                                    NULL,
                                    { c->frame.theme->starting, 1.6, false } });
    p->peak = max_text(c, "max ", p->lower.bins);
}

/* Permits of a control: only where there is a limit to see. */
static void add_control(struct chart *c, const struct plt_entity *e)
{
    const struct sq_series *s = &c->r->series;
    const float *limit = plt_column(s, "control", e, "limit");
    if (limit == NULL || column_max(c, limit) <= 0) {
        return;
    }
    struct plt_panel *p = add_panel(c, 80);
    p->heading = heading(c, "Permits for ", e, "");
    p->dependency = e;
    p->lower = (struct plt_layer){
        plt_column(s, "control", e, "in_use"), "in use", NULL, { c->frame.theme->first, 1, false }
    };
    add_line(
        p, (struct plt_layer){
               limit, NULL, max_text(c, "limit ", limit), { c->frame.theme->capacity, 2, false } });
}

static void add_panels(struct chart *c)
{
    const struct sq_series *s = &c->r->series;
    plt_pick_columns(&c->dependencies, s, "dependency", "calls_first_per_s");
    plt_pick_columns(&c->queues, s, "queue", "ready");
    plt_pick_columns(&c->workers, s, "workers", "replicas");
    for (size_t i = 0; i < c->dependencies.count && i < DEPENDENCIES_MAX; i++) {
        add_calls(c, &c->dependencies.list[i], i == 0);
    }
    for (size_t i = 0; i < c->queues.count && i < QUEUES_MAX; i++) {
        add_queue(c, &c->queues.list[i]);
    }
    for (size_t i = 0; i < c->workers.count && i < WORKERS_MAX; i++) {
        add_workers(c, &c->workers.list[i]);
    }
    for (size_t i = 0; i < c->dependencies.count && i < DEPENDENCIES_MAX; i++) {
        add_control(c, &c->dependencies.list[i]);
    }
}

static void set_title(struct chart *c)
{
    struct sq_buf b = { 0 };
    plt_put_title(&b, c->r, "—");
    sq_buf_puts(&b, ": ");
    plt_put_verdict(&b, c->r);
    c->title = keep(c, &b);
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
    if (plt_moment(r, SQ_MOMENT_T1) == NULL || sq_result_metric(r, "forecast.naive_s") < 0) {
        return;
    }
    sq_buf_puts(b, "Queue clear after T1: ");
    if (isfinite(naive) || isfinite(planned)) {
        sq_buf_puts(b, "naive ");
        put_time(b, naive, plt_no_forecast(r));
        sq_buf_puts(b, ", planned ");
        put_time(b, planned, plt_no_forecast(r));
    } else {
        sq_buf_printf(b, "forecast \"%s\"", plt_no_forecast(r));
    }
    sq_buf_puts(b, ", simulated ");
    put_time(b, plt_value(r, 0, "drain.queue_clear_s"), "not in this run");
    sq_buf_puts(b, ". ");
}

static void set_subtitle(struct chart *c)
{
    const struct sq_result *r = c->r;
    struct sq_buf b = { 0 };
    put_forecast(&b, r);
    if (r->run_count > 1) {
        sq_buf_puts(&b, "This is ");
        plt_put_runs(&b, r);
        sq_buf_puts(&b, ". ");
    }
    if (c->dependencies.count > 0) {
        double factor = plt_entity_value(r, 0, "dependency", c->dependencies.list, "amplification");
        if (isfinite(factor)) {
            sq_buf_puts(&b, "Amplification (calls per first call) ");
            plt_put_ratio(&b, factor);
            sq_buf_puts(&b, ".");
        }
    }
    c->subtitle = b.len > 0 ? keep(c, &b) : "";
    sq_buf_fini(&b);
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
    sq_buf_printf(
        &b, "%s · variant %s · seed %llu · run %llu of %zu", r->file ? sq_file_name(r->file) : "-",
        r->variant ? r->variant : "base", (unsigned long long)r->seed,
        (unsigned long long)(r->run_count > 0 ? r->runs[0].replication : 1), r->run_count);
    if (r->scenario_hash != NULL) {
        sq_buf_printf(&b, " · scenario %.16s", r->scenario_hash);
    }
    const char *hash = plt_word(r, 0, "run.hash");
    if (hash != NULL) {
        sq_buf_printf(&b, " · run hash %s", hash);
    }
    sq_buf_printf(&b, " · squall %s", r->version ? r->version : SQ_VERSION);
    if (end < r->series.end_ns) {
        sq_buf_puts(&b, " · cut at ");
        plt_put_clock(&b, end, false);
        sq_buf_puts(&b, " of ");
        plt_put_clock(&b, r->series.end_ns, false);
        sq_buf_puts(&b, ": nothing is marked after that");
    }
    if (c->frame.view.bins > c->frame.view.columns) {
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
    c->footer = keep(c, &b);
}

static sq_time_t set_frame(struct chart *c)
{
    const struct sq_series *s = &c->r->series;
    sq_time_t end = plt_interesting_end(c->r);
    size_t bins = (size_t)((end + s->bin_ns - 1) / s->bin_ns);
    size_t room = WIDTH - LEFT - RIGHT;
    bins = bins < s->bin_count ? bins : s->bin_count;
    c->frame.result = c->r;
    c->frame.view = (struct plt_view){ s, bins, bins < room ? bins : room };
    c->frame.x = (struct plt_scale){ 0, sq_time_to_s(end), LEFT, WIDTH - RIGHT };
    plt_ticks_time(&c->frame.time, sq_time_to_s(end), 14);
    return end;
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

/* As large as fits into one line; a very long title is broken at the smallest size. */
static struct plt_type title_type(const struct chart *c, double room)
{
    struct plt_type type = { .size = 20, .bold = true, .ink = c->frame.theme->text };
    while (type.size > 16 && plt_canvas_measure(c->frame.canvas, c->title, &type).x > room) {
        type.size -= 1;
    }
    type.wrap = room;
    return type;
}

static void draw_panels(const struct chart *c, double y, double lane_y, double bottom)
{
    const struct plt_span_y span = { lane_y, bottom };
    plt_marks_lines(&c->marks, &c->frame, span, 1);
    double at = y;
    for (size_t i = 0; i < c->panel_count; i++) {
        plt_panel_draw(&c->frame, &c->panels[i], at);
        at += PLT_HEADING_HEIGHT + c->panels[i].height + PANEL_GAP;
    }
    plt_marks_lines(&c->marks, &c->frame, span, 0.35);
    at = y;
    for (size_t i = 0; i < c->panel_count; i++) {
        plt_panel_words(&c->frame, &c->panels[i], at);
        at += PLT_HEADING_HEIGHT + c->panels[i].height + PANEL_GAP;
    }
    plt_marks_draw(&c->marks, &c->frame, lane_y);
}

static void draw(struct chart *c)
{
    struct plt_canvas *canvas = c->frame.canvas;
    const double room = WIDTH - 2 * MARGIN;
    const struct plt_type title = title_type(c, room);
    const struct plt_type sub = { .size = 13, .ink = c->frame.theme->faint, .wrap = room };
    const struct plt_type foot = { .size = 10, .ink = c->frame.theme->faint, .wrap = room };
    double sub_y = 20 + plt_canvas_measure(canvas, c->title, &title).y + 4;
    double lane_y = sub_y + (c->subtitle[0] ? plt_canvas_measure(canvas, c->subtitle, &sub).y : 0);
    lane_y += 14;
    double panels_y = lane_y + plt_marks_height(&c->marks) + 4, bottom = panels_y - PANEL_GAP;
    for (size_t i = 0; i < c->panel_count; i++) {
        bottom += PLT_HEADING_HEIGHT + c->panels[i].height + PANEL_GAP;
    }
    double foot_y = bottom + 34;
    double height = foot_y + plt_canvas_measure(canvas, c->footer, &foot).y + 14;
    plt_canvas_begin(canvas, WIDTH, floor(height));
    plt_canvas_text(canvas, (struct plt_point){ MARGIN, 20 }, c->title, &title);
    plt_canvas_text(canvas, (struct plt_point){ MARGIN, sub_y }, c->subtitle, &sub);
    draw_panels(c, panels_y, lane_y, bottom);
    draw_time_axis(&c->frame, bottom);
    plt_canvas_text(canvas, (struct plt_point){ MARGIN, foot_y }, c->footer, &foot);
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
    enum sq_status status = plt_canvas_open(look, &c->frame.canvas);
    if (status != SQ_OK) {
        sq_mem_free(c);
        return status;
    }
    c->frame.theme = look.theme;
    sq_time_t end = set_frame(c);
    add_panels(c);
    c->marks.dependencies = &c->dependencies;
    plt_marks_plan(&c->marks, &c->frame, WIDTH - 8);
    set_title(c);
    set_subtitle(c);
    set_footer(c, end);
    if (!c->failed) {
        draw(c);
        status = plt_canvas_finish(c->frame.canvas, c->title, out);
    } else {
        status = SQ_NOMEM;
    }
    plt_canvas_close(c->frame.canvas);
    sq_arena_fini(&c->arena);
    sq_mem_free(c);
    return status;
}

enum sq_status plt_timeline(const struct sq_result *r, enum plt_format format, struct sq_buf *out)
{
    return plt_chart_timeline(r, (struct plt_look){ format, &plt_theme_light }, out);
}
