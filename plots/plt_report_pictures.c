/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report_pictures.c - the charts of a report, one row per kind; and the numbers below a
 * timeline for whoever points at it. */
#include <math.h>
#include <string.h>

#include "plots/plt_html.h"
#include "plots/plt_plot.h"
#include "plots/plt_report_part.h"
#include "plots/plt_timeline.h"
#include "plots/plt_words.h"

/* Of which variants a picture is. */
enum of {
    OF_ALL,  /* one of all */
    OF_BEST, /* one of the best */
    OF_EACH, /* one of each, with values */
    OF_MORE, /* one of all, folded together with the others of this sort */
};

/* A kind of plt_plot.h, in the order of the page; one that a folder has not is passed over. */
static const struct row {
    const char *kind, *label;
    enum of of;
} rows[] = {
    { "variants", "Chart: the variants side by side", OF_ALL },
    { "ends", "Chart: where the jobs ended", OF_ALL },
    { "drain", "Chart: the backlog after recovery, forecast and simulated", OF_BEST },
    { "delays", "Chart: how long the jobs took", OF_ALL },
    { "timeline", "Timeline; the left and right arrow keys walk through its values", OF_EACH },
    { "herd", "Chart: calls after recovery in fine bins", OF_MORE },
    { "attempts", "Chart: attempts per job", OF_MORE },
    { "load", "Chart: goodput against offered load", OF_MORE },
    { "layers", "Chart: layers of retries and what they multiply to", OF_MORE },
};

/* ---- numbers of an instant ---- */

/* What is told: of the busiest entity of each kind. */
static const struct told {
    const char *kind, *busy, *quantity, *label, *unit;
} tolds[] = {
    { "dependency", "calls_first_per_s", "calls_first_per_s", "first calls", "/s" },
    { "dependency", "calls_first_per_s", "calls_retry_per_s", "retries", "/s" },
    { "dependency", "calls_first_per_s", "goodput_per_s", "goodput", "/s" },
    { "dependency", "calls_first_per_s", "in_flight_max", "in flight", "" },
    { "queue", "ready", "ready", "ready", " jobs" },
    { "queue", "ready", "delayed", "delayed", " jobs" },
    { "workers", "replicas", "replicas", "replicas", "" },
    { "control", "in_use", "limit", "limit", "" },
};

/* As the chart does: a column stands for its bin with the most calls. */
struct sampled {
    struct plt_timeline_axis axis;
    struct plt_stack calls;
};

static size_t bin_of(const struct sampled *s, size_t column)
{
    return s->calls.bins[0] != NULL ? plt_view_top(&s->axis.view, column, &s->calls)
                                    : plt_view_first(&s->axis.view, column);
}

static void put_told(struct sq_buf *out, const struct sampled *s, const struct told *told)
{
    struct plt_entities list;
    const struct sq_series *series = s->axis.view.series;
    plt_pick_columns(&list, series, told->kind, told->busy);
    const float *bins =
        list.count > 0 ? plt_column(series, told->kind, &list.list[0], told->quantity) : NULL;
    if (bins == NULL) {
        return;
    }
    sq_buf_printf(out, "<li data-unit=\"%s\" data-v=\"", told->unit);
    for (size_t i = 0; i < s->axis.view.columns; i++) {
        float value = bins[bin_of(s, i)];
        sq_buf_puts(out, i > 0 ? "," : "");
        if (isfinite(value)) {
            sq_buf_number(out, (double)value, 7);
        }
    }
    sq_buf_puts(out, "\">");
    plt_html_text(out, told->label);
    sq_buf_puts(out, "</li>\n");
}

static void put_values(struct sq_buf *out, const struct sampled *s)
{
    sq_buf_puts(out, "<ul hidden=\"hidden\" data-t=\"");
    for (size_t i = 0; i < s->axis.view.columns; i++) {
        double at = (double)bin_of(s, i) * sq_time_to_s(s->axis.view.series->bin_ns);
        sq_buf_puts(out, i > 0 ? "," : "");
        sq_buf_number(out, at, 7);
    }
    sq_buf_puts(out, "\">\n");
    for (size_t i = 0; i < SQ_COUNT(tolds); i++) {
        put_told(out, s, &tolds[i]);
    }
    sq_buf_puts(out, "</ul>\n");
}

static void sample(struct sampled *s, const struct sq_result *r)
{
    struct plt_entities list;
    *s = (struct sampled){ 0 };
    plt_timeline_axis(r, &s->axis);
    plt_pick_columns(&list, &r->series, "dependency", "calls_first_per_s");
    if (list.count > 0) {
        s->calls.bins[0] = plt_column(&r->series, "dependency", &list.list[0], "calls_first_per_s");
        s->calls.bins[1] = plt_column(&r->series, "dependency", &list.list[0], "calls_retry_per_s");
    }
}

/* ---- figures ---- */

/* Draws the picture in both themes, inside a box that scrolls. */
static enum sq_status put_picture(struct sq_buf *out, const char *kind,
                                  const struct plt_stuff *stuff, const char *label)
{
    static const struct plt_theme *const themes[] = { &plt_theme_light, &plt_theme_dark };
    enum sq_status status = SQ_OK;
    plt_part_open_wide(out, label);
    for (size_t i = 0; i < SQ_COUNT(themes) && status == SQ_OK; i++) {
        struct sq_buf svg = { 0 };
        struct plt_look look = { .format = PLT_SVG, .theme = themes[i] };
        status = plt_plot_draw(kind, stuff, look, &svg);
        if (status == SQ_OK) {
            plt_html_picture(out, &svg, themes[i]->name);
        }
        sq_buf_fini(&svg);
    }
    plt_part_close_wide(out);
    return status;
}

static enum sq_status put_one(struct sq_buf *out, const struct plt_stuff *stuff,
                              const struct row *row)
{
    if (!plt_plot_has(row->kind, stuff)) {
        return SQ_OK;
    }
    sq_buf_puts(out, "<figure>\n");
    enum sq_status status = put_picture(out, row->kind, stuff, row->label);
    sq_buf_puts(out, "</figure>\n");
    return status;
}

/* It is about what comes after T1. */
static enum sq_status put_best(struct sq_buf *out, const struct plt_part *p, const struct row *row)
{
    const struct sq_result *r = &p->results[p->finding.best];
    struct plt_stuff one = { .kind = PLT_OF_RUN, .count = 1, .results = &r };
    return plt_moment(r, SQ_MOMENT_T1) != NULL ? put_one(out, &one, row) : SQ_OK;
}

/* With the values of the instants; without a script they are not shown. */
static enum sq_status put_timeline(struct sq_buf *out, const struct plt_stuff *one,
                                   const struct row *row)
{
    struct sampled s;
    sample(&s, one->results[0]);
    sq_buf_printf(out, "<figure data-left=\"%.0f\" data-right=\"%.0f\">\n", s.axis.left,
                  s.axis.right);
    enum sq_status status = put_picture(out, row->kind, one, row->label);
    sq_buf_puts(out, "<div class=\"values\" role=\"status\"></div>\n");
    put_values(out, &s);
    sq_buf_puts(out, "</figure>\n");
    return status;
}

/* The first and those that the answer speaks of are open. */
static void put_summary(struct sq_buf *out, const struct plt_part *p, size_t variant)
{
    struct sq_buf b = { 0 };
    bool open = variant == 0 || variant == p->finding.best || variant == p->finding.fastest;
    sq_buf_printf(out, "<details class=\"print\"%s><summary>Course of run ",
                  open ? " open=\"open\"" : "");
    sq_buf_printf(out, "%llu, ", (unsigned long long)p->results[variant].runs[0].replication);
    plt_html_name(out, p->comparison->variants[variant].name);
    sq_buf_puts(out, ": ");
    plt_put_verdict(&b, &p->results[variant]);
    plt_html_take(out, &b);
    sq_buf_puts(out, "</summary>\n");
}

static enum sq_status put_each(struct sq_buf *out, const struct plt_part *p, const struct row *row)
{
    enum sq_status status = SQ_OK;
    for (size_t v = 0; v < p->comparison->variant_count && status == SQ_OK; v++) {
        const struct sq_result *r = &p->results[v];
        struct plt_stuff one = { .kind = PLT_OF_RUN, .count = 1, .results = &r };
        if (plt_plot_has(row->kind, &one)) {
            put_summary(out, p, v);
            status = put_timeline(out, &one, row);
            sq_buf_puts(out, "</details>\n");
        }
    }
    return status;
}

static enum sq_status put_more(struct sq_buf *out, const struct plt_part *p)
{
    enum sq_status status = SQ_OK;
    sq_buf_puts(out,
                "<details class=\"print\"><summary>More charts: calls after recovery, attempts "
                "per job, goodput against offered load, layers of retries</summary>\n");
    for (size_t i = 0; i < SQ_COUNT(rows) && status == SQ_OK; i++) {
        status = rows[i].of == OF_MORE ? put_one(out, p->stuff, &rows[i]) : SQ_OK;
    }
    sq_buf_puts(out, "</details>\n");
    return status;
}

enum sq_status plt_part_pictures(struct sq_buf *out, const struct plt_part *p)
{
    enum sq_status status = SQ_OK;
    plt_part_heading(out, p, "charts", "Charts");
    for (size_t i = 0; i < SQ_COUNT(rows) && status == SQ_OK; i++) {
        status = rows[i].of == OF_MORE   ? SQ_OK
                 : rows[i].of == OF_ALL  ? put_one(out, p->stuff, &rows[i])
                 : rows[i].of == OF_BEST ? put_best(out, p, &rows[i])
                                         : put_each(out, p, &rows[i]);
    }
    return status == SQ_OK ? put_more(out, p) : status;
}
