/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_build.c - the panels of a run: calls and queues. */
#include "plots/plt_build.h"

#include <math.h>

#include "plots/plt_build_in.h"
#include "plots/plt_words.h"

const char *plt_build_text(struct plt_build *b, const char *before, const struct plt_entity *e,
                           const char *after)
{
    struct sq_buf text = { 0 };
    sq_buf_printf(&text, "%s%.*s%s", before, (int)e->len, e->name, after);
    return plt_sheet_keep(b->sheet, &text);
}

void plt_build_panel(struct plt_build *b, const struct plt_panel *p, double height)
{
    if (b->count < PLT_PANELS_MAX) {
        b->panels[b->count] = *p;
        b->panels[b->count++].height = height;
    }
}

void plt_build_area(struct plt_panel *p, const float *bins, const char *name, struct plt_ink ink)
{
    if (bins != NULL) {
        p->stack[p->stack_count++] = (struct plt_layer){ bins, name, { ink, 1, PLT_SOLID }, false };
    }
}

void plt_build_line(struct plt_panel *p, const float *bins, const char *name, struct plt_pen pen)
{
    if (bins != NULL) {
        p->lines[p->line_count++] = (struct plt_layer){ bins, name, pen, false };
    }
}

double plt_build_max(const struct plt_build *b, const float *bins)
{
    const struct plt_stack stack = { { bins } };
    size_t bin;
    return bins == NULL ? 0 : plt_view_max(&b->frame.view, &stack, &bin);
}

const char *plt_build_max_text(struct plt_build *b, const char *what, double max)
{
    struct sq_buf text = { 0 };
    sq_buf_puts(&text, what);
    plt_put_count(&text, max);
    return plt_sheet_keep(b->sheet, &text);
}

/* ---- calls ---- */

double plt_build_capacity(const struct plt_build *b, const struct plt_entity *e)
{
    return plt_build_max(b, plt_column(&b->r->series, "dependency", e, "capacity_per_s"));
}

static const char *peak_text(struct plt_build *b, const struct plt_entity *e, double drawn)
{
    struct sq_buf text = { 0 };
    double peak = plt_entity_value(b->r, 0, "dependency", e, "peak_rate_per_s");
    double normal = plt_entity_value(b->r, 0, "dependency", e, "normal_rate_per_s");
    peak = isfinite(peak) ? peak : drawn;
    sq_buf_puts(&text, "peak ");
    plt_put_rate(&text, peak);
    if (isfinite(normal) && normal > 0) {
        sq_buf_puts(&text, " = ");
        plt_put_ratio(&text, peak / normal >= 10 ? floor(peak / normal + 0.5) : peak / normal);
        sq_buf_puts(&text, "× normal");
    }
    return plt_sheet_keep(b->sheet, &text);
}

/* Retries below those of later attempts: the difference of two columns. */
static const float *less(struct plt_build *b, const float *all, const float *part)
{
    size_t bins = b->r->series.bin_count;
    float *rest = sq_arena_alloc(&b->sheet->arena, bins, sizeof *rest);
    b->sheet->failed = b->sheet->failed || rest == NULL;
    for (size_t i = 0; i < bins && rest != NULL; i++) {
        rest[i] = fmaxf(0, all[i] - part[i]);
    }
    return rest;
}

static void add_retries(struct plt_build *b, const struct plt_entity *e, struct plt_panel *p)
{
    const struct sq_series *s = &b->r->series;
    const struct plt_theme *t = b->sheet->theme;
    const float *all = plt_column(s, "dependency", e, "calls_retry_per_s");
    const float *late = plt_column(s, "dependency", e, "calls_late_retry_per_s");
    if (all != NULL && late != NULL) {
        plt_build_area(p, less(b, all, late), "first retries", t->retry);
        plt_build_area(p, late, "later retries", t->again);
    } else {
        plt_build_area(p, all, "retries", t->again);
    }
}

/* Unlimited servers have a column without a figure: no line, and nobody is down. */
static const float *known(const struct plt_build *b, const float *column)
{
    for (size_t i = 0; column != NULL && i < b->r->series.bin_count; i++) {
        if (isfinite(column[i])) {
            return column;
        }
    }
    return NULL;
}

struct plt_panel plt_build_calls(struct plt_build *b, const struct plt_entity *e)
{
    const struct sq_series *s = &b->r->series;
    const struct plt_theme *t = b->sheet->theme;
    const float *capacity = known(b, plt_column(s, "dependency", e, "capacity_per_s"));
    struct plt_panel p = { .heading = plt_build_text(b, "Calls per second to ", e, ""),
                           .dependency = e };
    plt_build_area(&p, plt_column(s, "dependency", e, "calls_first_per_s"), "first calls",
                   t->first);
    add_retries(b, e, &p);
    double limit = plt_build_max(b, capacity);
    struct sq_buf text = { 0 };
    sq_buf_puts(&text, limit > 0 ? "capacity " : "down");
    if (limit > 0) {
        plt_put_rate(&text, limit);
    }
    plt_build_line(&p, capacity, plt_sheet_keep(b->sheet, &text),
                   (struct plt_pen){ t->capacity, 2, PLT_SOLID });
    plt_build_line(&p, plt_column(s, "dependency", e, "goodput_per_s"), "goodput",
                   (struct plt_pen){ t->goodput, 1.3, PLT_SOLID });
    if (p.line_count > 0) {
        p.lines[p.line_count - 1].edged = true;
    }
    p.peak = peak_text(b, e, plt_panel_max(&b->frame, &p));
    return p;
}

void plt_build_add_calls(struct plt_build *b, const struct plt_entity *e, bool busiest)
{
    struct plt_panel p = plt_build_calls(b, e);
    double limit = plt_build_capacity(b, e);
    bool twice = busiest && limit > 0 && plt_panel_max(&b->frame, &p) > 4 * limit;
    plt_build_panel(b, &p, twice ? 130 : busiest ? 220 : 130);
    if (twice) {
        struct sq_buf text = { 0 };
        p.peak = NULL;
        p.top = plt_round_up(limit * 1.8);
        sq_buf_puts(&text, ", enlarged: cut at ");
        plt_put_rate(&text, p.top);
        p.heading = plt_build_text(b, "Calls per second to ", e, plt_sheet_keep(b->sheet, &text));
        plt_build_panel(b, &p, 190);
    }
}

/* Calls inside: what tips a dependency over. Only where it is known when it falls. */
void plt_build_add_load(struct plt_build *b, const struct plt_entity *e)
{
    const struct sq_series *s = &b->r->series;
    const struct plt_theme *t = b->sheet->theme;
    const float *limit = plt_column(s, "dependency", e, "overload_in_flight");
    if (limit == NULL || plt_build_max(b, limit) <= 0) {
        return;
    }
    double falls = plt_build_max(b, limit);
    struct plt_panel p = { .dependency = e };
    struct sq_buf text = { 0 };
    plt_build_area(&p, plt_column(s, "dependency", e, "in_flight_max"), NULL, t->band);
    plt_build_line(&p, limit, plt_build_max_text(b, "falls above ", falls),
                   (struct plt_pen){ t->bad, 1.6, PLT_DASHED });
    double max = plt_panel_max(&b->frame, &p);
    sq_buf_puts(&text, " at a time, at most ");
    plt_put_count(&text, max);
    if (max > 5 * falls) {
        p.top = plt_round_up(2.5 * falls);
        sq_buf_puts(&text, ": cut at ");
        plt_put_count(&text, p.top);
    }
    p.heading = plt_build_text(b, "Calls inside ", e, plt_sheet_keep(b->sheet, &text));
    plt_build_panel(b, &p, 70);
}

/* ---- queue ---- */

struct plt_panel plt_build_queue(struct plt_build *b, const struct plt_entity *e)
{
    const struct sq_series *s = &b->r->series;
    const struct plt_theme *t = b->sheet->theme;
    struct plt_panel p = { .heading = plt_build_text(b, "Jobs of queue ", e, "") };
    plt_build_area(&p, plt_column(s, "queue", e, "in_flight"), "in hand", t->held);
    plt_build_area(&p, plt_column(s, "queue", e, "ready"), "ready", t->ready);
    plt_build_area(&p, plt_column(s, "queue", e, "delayed"), "delayed", t->delayed);
    p.peak = plt_build_max_text(b, "max ", plt_panel_max(&b->frame, &p));
    return p;
}

static void add_age(struct plt_build *b, const struct plt_entity *e)
{
    const float *oldest = plt_column(&b->r->series, "queue", e, "oldest_s");
    double max = plt_build_max(b, oldest);
    if (!(max > 0)) {
        return;
    }
    struct plt_panel p = { .heading = plt_build_text(b, "Age of the oldest ready job of ", e, ""),
                           .seconds = true };
    struct sq_buf text = { 0 };
    sq_buf_puts(&text, "max ");
    plt_put_span(&text, max);
    plt_build_line(&p, oldest, plt_sheet_keep(b->sheet, &text),
                   (struct plt_pen){ b->sheet->theme->ready, 1.4, PLT_SOLID });
    plt_build_panel(b, &p, 56);
}

/* Jobs in hand are few beside those that wait: then their number stands in the heading. */
static const char *queue_heading(struct plt_build *b, const struct plt_entity *e, double all)
{
    double held = plt_build_max(b, plt_column(&b->r->series, "queue", e, "in_flight"));
    struct sq_buf text = { 0 };
    if (held > 0 && held < all / 50) {
        sq_buf_puts(&text, "; in hand at most ");
        plt_put_count(&text, held);
    }
    return plt_build_text(b, "Jobs of queue ", e, plt_sheet_keep(b->sheet, &text));
}

void plt_build_add_queue(struct plt_build *b, const struct plt_entity *e)
{
    struct plt_panel p = plt_build_queue(b, e);
    p.heading = queue_heading(b, e, plt_panel_max(&b->frame, &p));
    plt_build_panel(b, &p, 120);
    add_age(b, e);
}
