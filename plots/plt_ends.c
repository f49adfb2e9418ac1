/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_ends.c - where the jobs ended. */
#include "plots/plt_charts.h"

#include <math.h>
#include <string.h>

#include "plots/plt_axes.h"
#include "plots/plt_runs.h"
#include "plots/plt_words.h"

enum { LEFT = 190, RIGHT = 28, BAR = 30, STEP = 58, BARS_MAX = 24, ENDS = 7 };

static const struct {
    const char *metric, *name;
} ends[ENDS] = {
    { "jobs.completed", "completed" },   { "jobs.stale", "stale" },
    { "jobs.superseded", "superseded" }, { "jobs.dead_lettered", "dead-lettered" },
    { "jobs.dropped", "dropped" },       { "jobs.lost", "lost" },
    { "jobs.unfinished", "unfinished" },
};

struct chart {
    struct plt_sheet sheet;
    struct plt_axes axes;
    struct plt_ink inks[ENDS];
};

static void set_inks(struct chart *c)
{
    const struct plt_theme *t = c->sheet.theme;
    const struct plt_ink inks[ENDS] = { t->first, t->retry, t->delayed, t->bad,
                                        t->again, t->held,  t->wanted };
    memcpy(c->inks, inks, sizeof inks);
}

static double share_of(const struct sq_result *r, size_t end, bool *failed)
{
    double all = plt_runs_spread(r, "jobs.arrived", failed).mean;
    double mean = plt_runs_spread(r, ends[end].metric, failed).mean;
    return all > 0 && isfinite(mean) ? mean / all : 0;
}

/* The longest wording that fits a piece, in the ink that reads best on it; false when none does. */
static bool draw_name(struct chart *c, size_t end, double share, struct plt_box piece)
{
    const struct plt_theme *t = c->sheet.theme;
    bool dark = plt_ink_contrast(t->text, c->inks[end]) > plt_ink_contrast(t->paper, c->inks[end]);
    const struct plt_type type = { .size = 11,
                                   .align = PLT_CENTRE,
                                   .ink = dark ? t->text : t->paper };
    for (int detail = 1; detail >= 0; detail--) {
        struct sq_buf b = { 0 };
        sq_buf_puts(&b, ends[end].name);
        if (detail > 0) {
            sq_buf_putc(&b, ' ');
            plt_put_percent(&b, share);
        }
        const char *text = plt_sheet_keep(&c->sheet, &b);
        if (plt_sheet_measure(&c->sheet, text, &type).x + 8 <= piece.w) {
            plt_sheet_text(&c->sheet, (struct plt_point){ piece.x + piece.w / 2, piece.y + 8 },
                           text, &type);
            return detail > 0;
        }
    }
    return false;
}

static void draw_bar(struct chart *c, const struct sq_result *r, double y)
{
    const struct plt_theme *t = c->sheet.theme;
    const struct plt_type name = { .size = 12, .bold = true, .align = PLT_LEFT, .ink = t->text };
    const struct plt_type rest = { .size = 10.5, .align = PLT_RIGHT, .ink = t->faint };
    struct sq_buf b = { 0 };
    double at = 0;
    for (size_t i = 0; i < ENDS; i++) {
        double share = share_of(r, i, &c->sheet.failed);
        double from = plt_axes_x(&c->axes, at);
        double to = plt_axes_x(&c->axes, at + share);
        at += share;
        if (!(share > 0)) {
            continue;
        }
        struct plt_box piece = { from, y, to - from, BAR };
        plt_canvas_box(c->sheet.canvas, piece, c->inks[i]);
        if (!draw_name(c, i, share, piece)) {
            sq_buf_printf(&b, "%s%s ", b.len > 0 ? ", " : "", ends[i].name);
            plt_put_percent(&b, share);
        }
    }
    plt_sheet_text_within(&c->sheet, (struct plt_point){ PLT_SHEET_MARGIN, y + 8 },
                          LEFT - PLT_SHEET_MARGIN - 12, r->variant != NULL ? r->variant : "base",
                          &name);
    plt_sheet_text(&c->sheet, (struct plt_point){ PLT_SHEET_WIDTH - RIGHT, y + BAR + 3 },
                   plt_sheet_keep(&c->sheet, &b), &rest);
}

/* Completed jobs are not all the good there is: the fewest and the most of them. */
static void set_texts(struct chart *c, const struct sq_result *const *results, size_t count)
{
    const struct sq_result *r = results[0];
    struct sq_buf b = { 0 };
    size_t least = 0;
    size_t most = 0;
    double low = 2;
    double high = -1;
    for (size_t i = 0; i < count; i++) {
        double share = share_of(results[i], 0, &c->sheet.failed);
        least = share < low ? i : least;
        low = fmin(low, share);
        most = share > high ? i : most;
        high = fmax(high, share);
    }
    bool same = count > 1 && !(high - low >= 0.0005);
    if (same) {
        sq_buf_printf(&b, "All %zu variants complete ", count);
    } else {
        sq_buf_printf(&b, "%s completes ",
                      results[most]->variant != NULL ? results[most]->variant : "base");
    }
    plt_put_percent(&b, high);
    sq_buf_puts(&b, same ? " of their jobs" : " of its jobs");
    if (count > 1 && !same) {
        sq_buf_printf(&b, ", %s ",
                      results[least]->variant != NULL ? results[least]->variant : "base");
        plt_put_percent(&b, low);
    }
    c->sheet.title = plt_sheet_keep(&c->sheet, &b);
    sq_buf_printf(&b, "%s. Where the jobs ended, means over the runs; about ",
                  r->title != NULL && r->title[0] != '\0' ? r->title : "Untitled scenario");
    plt_put_count(&b, floor(plt_runs_spread(r, "jobs.arrived", &c->sheet.failed).mean + 0.5));
    sq_buf_puts(&b, " jobs a run.");
    c->sheet.subtitle = plt_sheet_keep(&c->sheet, &b);
    plt_put_origin(&b, results, count);
    c->sheet.footer = plt_sheet_keep(&c->sheet, &b);
}

enum sq_status plt_chart_ends(const struct sq_result *const *results, size_t count,
                              struct plt_look look, struct sq_buf *out)
{
    struct chart *c = sq_mem_alloc(1, sizeof *c);
    enum sq_status status = c != NULL ? plt_sheet_open(&c->sheet, look) : SQ_NOMEM;
    count = count < BARS_MAX ? count : BARS_MAX;
    if (status == SQ_OK) {
        double height = (double)count * STEP + 6;
        set_inks(c);
        set_texts(c, results, count);
        plt_sheet_begin(&c->sheet, height + 26);
        c->axes = (struct plt_axes){ &c->sheet,
                                     { LEFT, c->sheet.top, PLT_SHEET_WIDTH - LEFT - RIGHT, height },
                                     { 0, 1, false, PLT_SHARE, NULL },
                                     { 0, 1e9, false, PLT_COUNT, NULL },
                                     false };
        plt_axes_draw_x(&c->axes);
        for (size_t i = 0; i < count; i++) {
            draw_bar(c, results[i], c->sheet.top + 6 + (double)i * STEP);
        }
        status = plt_sheet_close(&c->sheet, status, out);
    }
    sq_mem_free(c);
    return status;
}
