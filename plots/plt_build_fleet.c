/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_build_fleet.c - the panels of a run: workers, and the controls before a dependency. */
#include <math.h>
#include <string.h>

#include "plots/plt_build_in.h"
#include "plots/plt_words.h"

static float *bins_for(struct plt_build *b)
{
    float *bins = sq_arena_alloc(&b->sheet->arena, b->r->series.bin_count, sizeof *bins);
    b->sheet->failed = b->sheet->failed || bins == NULL;
    return bins;
}

/* ---- workers ---- */

/* The only dependency that these workers call, if nobody else calls it; false when there is none.
 */
static bool only_called(const struct plt_build *b, const struct plt_entity *workers,
                        struct plt_entity *out)
{
    const struct sq_layer *own = NULL;
    size_t calls = 0;
    for (size_t i = 0; i < b->r->layer_count; i++) {
        const struct sq_layer *y = &b->r->layers[i];
        if (strcmp(y->section, "workers") == 0 && plt_entity_is(workers, y->caller)) {
            own = y;
            calls++;
        }
    }
    for (size_t i = 0; i < b->r->layer_count && own != NULL; i++) {
        calls +=
            own != &b->r->layers[i] && strcmp(b->r->layers[i].dependency, own->dependency) == 0;
    }
    if (own == NULL || calls != 1) {
        return false;
    }
    *out = (struct plt_entity){ .name = own->dependency, .len = strlen(own->dependency) };
    return true;
}

static double slots_each(const struct plt_build *b, const struct plt_entity *workers)
{
    const float *slots = plt_column(&b->r->series, "workers", workers, "slots");
    const float *ready = plt_column(&b->r->series, "workers", workers, "ready_replicas");
    for (size_t i = 0; slots != NULL && ready != NULL && i < b->r->series.bin_count; i++) {
        if (ready[i] > 0 && slots[i] > 0) {
            return (double)slots[i] / (double)ready[i];
        }
    }
    return NAN;
}

/* How many replicas fill what the dependency allows: the limit of its control, or without one what
 * it falls above. Only where it is not far beyond all replicas there are. */
static void add_limit(struct plt_build *b, const struct plt_entity *workers, struct plt_panel *p)
{
    const struct sq_series *s = &b->r->series;
    struct plt_entity d;
    double each = slots_each(b, workers);
    if (!isfinite(each) || !only_called(b, workers, &d)) {
        return;
    }
    const float *limit = plt_column(s, "control", &d, "limit");
    bool capped = plt_build_max(b, limit) > 0;
    limit = capped ? limit : plt_column(s, "dependency", &d, "overload_in_flight");
    double most = plt_build_max(b, limit);
    if (!(most > 0) || most / each > 2.5 * plt_panel_max(&b->frame, p)) {
        return;
    }
    float *bins = bins_for(b);
    for (size_t i = 0; bins != NULL && i < s->bin_count; i++) {
        bins[i] = (float)((double)limit[i] / each);
    }
    struct sq_buf text = { 0 };
    if (capped) {
        sq_buf_puts(&text, "limit ");
        plt_put_count(&text, most);
        sq_buf_puts(&text, " ÷ ");
        plt_put_count(&text, each);
        sq_buf_puts(&text, each == 1 ? " slot" : " slots");
    } else {
        sq_buf_puts(&text, "it falls above ");
        plt_put_count(&text, most / each);
    }
    plt_build_line(p, bins, plt_sheet_keep(b->sheet, &text),
                   capped ? (struct plt_pen){ b->sheet->theme->capacity, 2, PLT_SOLID }
                          : (struct plt_pen){ b->sheet->theme->bad, 1.6, PLT_DASHED });
    struct sq_buf heading = { 0 };
    sq_buf_printf(&heading, "%s, and how many of them %.*s bears", p->heading, (int)d.len, d.name);
    p->heading = plt_sheet_keep(b->sheet, &heading);
}

void plt_build_add_workers(struct plt_build *b, const struct plt_entity *e)
{
    const struct sq_series *s = &b->r->series;
    const struct plt_theme *t = b->sheet->theme;
    struct plt_panel p = { .heading = plt_build_text(b, "Replicas of ", e, "") };
    plt_build_area(&p, plt_column(s, "workers", e, "replicas"), "started", t->replicas);
    plt_build_line(&p, plt_column(s, "workers", e, "wanted_replicas"), "wanted",
                   (struct plt_pen){ t->wanted, 1.2, PLT_DASHED });
    plt_build_line(&p, plt_column(s, "workers", e, "ready_replicas"), "ready",
                   (struct plt_pen){ t->starting, 1.6, PLT_SOLID });
    p.peak = plt_build_max_text(b, "max ", plt_panel_max(&b->frame, &p));
    add_limit(b, e, &p);
    plt_build_panel(b, &p, 80);
}

/* ---- controls ---- */

/* 1 where the breaker is in a state, else 0. */
static const float *in_state(struct plt_build *b, const float *states, float state)
{
    float *bins = bins_for(b);
    for (size_t i = 0; bins != NULL && i < b->r->series.bin_count; i++) {
        bins[i] = states[i] == state ? 1 : 0;
    }
    return bins;
}

/* A strip: the column holds 0 for closed, 1 for open, 2 for half-open at the end of each bin. */
static void add_breaker(struct plt_build *b, const struct plt_entity *e)
{
    const float *states = plt_column(&b->r->series, "control", e, "breaker");
    const struct plt_theme *t = b->sheet->theme;
    double opens = plt_entity_value(b->r, 0, "control", e, "breaker_opens");
    if (states == NULL) {
        return;
    }
    struct plt_panel p = { .dependency = e, .states = true, .top = 1 };
    struct sq_buf text = { 0 };
    if (opens > 0) {
        sq_buf_puts(&text, ": opens ");
        plt_put_count(&text, opens);
        sq_buf_puts(&text, opens == 1 ? " time" : " times");
        sq_buf_puts(&text, "; a notch is a change of its state");
    } else {
        sq_buf_puts(&text, ": closed all the time");
    }
    p.heading = plt_build_text(b, "Breaker of ", e, plt_sheet_keep(b->sheet, &text));
    plt_build_area(&p, in_state(b, states, 1), "open", t->trip);
    plt_build_area(&p, in_state(b, states, 2), "half-open", t->retry);
    plt_build_panel(b, &p, 22);
}

/* Permits in use under their limit, which shows the steps of a ramp, the state of a breaker, and
 * what is left of a budget: only where there are such. */
void plt_build_add_control(struct plt_build *b, const struct plt_entity *e)
{
    const struct sq_series *s = &b->r->series;
    const struct plt_theme *t = b->sheet->theme;
    const float *limit = plt_column(s, "control", e, "limit");
    const float *budget = plt_column(s, "control", e, "budget_left");
    if (plt_build_max(b, limit) > 0) {
        struct plt_panel p = { .heading = plt_build_text(b, "Permits for ", e, ""),
                               .dependency = e };
        plt_build_area(&p, plt_column(s, "control", e, "in_use"), "in use", t->first);
        plt_build_line(&p, limit, plt_build_max_text(b, "limit ", plt_build_max(b, limit)),
                       (struct plt_pen){ t->capacity, 2, PLT_SOLID });
        plt_build_panel(b, &p, 80);
    }
    add_breaker(b, e);
    if (plt_build_max(b, budget) > 0) {
        struct plt_panel p = { .heading = plt_build_text(b, "Retry budget left for ", e, ""),
                               .dependency = e };
        plt_build_line(&p, budget, plt_build_max_text(b, "max ", plt_build_max(b, budget)),
                       (struct plt_pen){ t->strong, 1.4, PLT_SOLID });
        plt_build_panel(b, &p, 56);
    }
}
