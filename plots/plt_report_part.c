/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report_part.c - one comparison, or one run, in a report. */
#include "plots/plt_report_part.h"

#include <math.h>
#include <string.h>

#include "plots/plt_html.h"
#include "plots/plt_rows.h"
#include "plots/plt_words.h"
#include "sim/base/sq_file.h"

enum { BAR = 240 }; /* width of the picture of a share */

static bool is_run(const struct sq_comparison *c)
{
    return c->variant_count == 1;
}

void plt_report_title(struct sq_buf *out, const struct plt_report_part *p)
{
    plt_put_title(out, &p->results[0], "—");
    if (!is_run(p->comparison)) {
        out->len = 0; /* without the first variant's name */
        const char *title = p->comparison->title;
        sq_buf_puts(out, title != NULL && title[0] != '\0' ? title : "Untitled scenario");
    }
}

/* ---- the answer ---- */

static void put_answer(struct sq_buf *out, const struct plt_report_part *p)
{
    const struct sq_comparison *c = p->comparison;
    struct sq_buf b = { 0 };
    if (c->interrupted) {
        sq_buf_printf(out,
                      "<p class=\"warn\">INTERRUPTED after %zu of %zu runs: what follows is "
                      "of the finished ones.</p>\n",
                      c->run_count, c->runs_wanted);
    }
    if (is_run(c)) {
        plt_put_verdict(&b, &p->results[0]);
        if (c->run_count > 1) {
            sq_buf_puts(&b, " (");
            plt_put_runs(&b, &p->results[0]);
            sq_buf_putc(&b, ')');
        }
        if (b.len > 0 && b.text[0] >= 'a' && b.text[0] <= 'z') {
            b.text[0] = (char)(b.text[0] - 'a' + 'A');
        }
    } else {
        plt_put_headline(&b, c);
    }
    sq_buf_puts(out, "<p class=\"answer\">");
    plt_html_take(out, &b);
    sq_buf_puts(out, ".</p>\n");
}

/* Margins, and the ways in which it came out, below a variant. */
static void put_ways(struct sq_buf *out, const struct sq_comparison *c,
                     const struct sq_compared *one)
{
    for (size_t i = 0; i < one->margin_count; i++) {
        sq_buf_puts(out, "<br/>");
        plt_html_text(out, one->margins[i]);
    }
    for (size_t i = 0; i < one->mode_count; i++) {
        struct sq_buf b = { 0 };
        plt_put_mode(&b, c, &one->modes[i]);
        sq_buf_puts(out, "<br/>");
        plt_html_take(out, &b);
        sq_buf_putc(out, '.');
    }
}

static void put_sentences(struct sq_buf *out, const struct sq_comparison *c)
{
    if (is_run(c)) {
        return;
    }
    sq_buf_puts(out, "<ul>\n");
    for (size_t v = 0; v < c->variant_count; v++) {
        sq_buf_puts(out, "<li><b>");
        plt_html_text(out, c->variants[v].name);
        sq_buf_puts(out, "</b>: ");
        plt_html_text(out, c->variants[v].verdict);
        sq_buf_putc(out, '.');
        put_ways(out, c, &c->variants[v]);
        sq_buf_puts(out, "</li>\n");
    }
    sq_buf_puts(out, "</ul>\n");
}

/* ---- P(collapse) ---- */

/* A line from end to end of the interval and a dot on the share. */
static void put_bar(struct sq_buf *out, const struct sq_share *s)
{
    int lo = (int)(s->lo * BAR + 0.5), hi = (int)(s->hi * BAR + 0.5);
    int at = s->n > 0 ? (int)((double)s->hits / (double)s->n * BAR + 0.5) : 0;
    sq_buf_printf(out,
                  "<svg width=\"%d\" height=\"14\" viewBox=\"-7 0 %d 14\" role=\"presentation\">"
                  "<path d=\"M0 7H%d\" stroke=\"#ccc\"/>"
                  "<path d=\"M%d 7H%d\" stroke=\"#456\" stroke-width=\"3\"/>"
                  "<circle cx=\"%d\" cy=\"7\" r=\"5\" fill=\"#123\"/></svg>",
                  BAR + 14, BAR + 14, BAR, lo, hi, at);
}

static void put_collapse(struct sq_buf *out, const struct sq_comparison *c)
{
    if (c->run_count < 2) {
        return; /* the answer says it */
    }
    sq_buf_puts(out, "<h2>P(collapse)</h2>\n<p>Share of runs with a secondary outage, a backlog "
                     "that does not clear, or no return to health; the line is the 95 % "
                     "interval.</p>\n<div class=\"wide\"><table>\n");
    for (size_t v = 0; v < c->variant_count; v++) {
        const struct sq_share *s = &c->variants[v].collapse;
        struct sq_buf b = { 0 };
        sq_buf_puts(out, "<tr><th scope=\"row\">");
        plt_html_text(out, c->variants[v].name);
        sq_buf_puts(out, "</th><td>");
        plt_put_share(&b, s);
        plt_html_take(out, &b);
        sq_buf_puts(out, "</td><td>");
        put_bar(out, s);
        sq_buf_puts(out, "</td><td>");
        plt_put_share_range(&b, s);
        plt_html_take(out, &b);
        sq_buf_printf(out, "</td><td>%lld of %lld runs</td></tr>\n", (long long)s->hits,
                      (long long)s->n);
    }
    sq_buf_puts(out, "</table></div>\n");
    if (c->proof != NULL) {
        plt_html_element(out, "p", c->proof);
    }
}

/* ---- tables ---- */

static void put_head(struct sq_buf *out, const struct sq_comparison *c)
{
    sq_buf_puts(out, "<tr><td></td>");
    for (size_t v = 0; v < c->variant_count; v++) {
        sq_buf_puts(out, "<th scope=\"col\">");
        plt_html_text(out, c->variants[v].name);
        sq_buf_puts(out, "</th>");
    }
    sq_buf_puts(out, "</tr>\n");
}

static void put_row(struct sq_buf *out, const struct sq_comparison *c, const char *label,
                    const struct plt_row *row)
{
    sq_buf_puts(out, "<tr><th scope=\"row\">");
    plt_html_text(out, label);
    sq_buf_puts(out, "</th>");
    for (size_t v = 0; v < c->variant_count; v++) {
        const struct sq_paired *d = &c->variants[v].cells[row->metric].paired;
        struct sq_buf b = { 0 };
        sq_buf_puts(out, "<td>");
        plt_put_cell(&b, c, v, row, NULL);
        plt_html_take(out, &b);
        if (d->n > 0) {
            sq_buf_puts(out, plt_may_be_chance(d) ? "<small class=\"chance\">" : "<small>");
            plt_put_difference(&b, c, v, row);
            plt_html_take(out, &b);
            sq_buf_puts(out, "</small>");
        }
        sq_buf_puts(out, "</td>");
    }
    sq_buf_puts(out, "</tr>\n");
}

static void put_explanation(struct sq_buf *out, const struct sq_comparison *c)
{
    struct sq_buf b = { 0 };
    if (c->run_count > 1) {
        sq_buf_puts(&b,
                    "Medians over the runs. * marks runs that fall into two groups, so that the "
                    "median is a state few runs are in; (n) a number of only so many runs.");
    }
    if (!is_run(c)) {
        sq_buf_printf(&b,
                      "%sBelow them the difference to %s on the same luck, mean of the pairs of "
                      "runs",
                      b.len > 0 ? " " : "", c->variants[0].name);
        sq_buf_puts(&b, c->run_count > 1 ? " with its 95 % interval; pale where chance may explain "
                                           "it."
                                         : ".");
    }
    sq_buf_puts(out, "<p>");
    plt_html_take(out, &b);
    sq_buf_puts(out, "</p>\n");
}

static void put_main_table(struct sq_buf *out, const struct sq_comparison *c,
                           const struct plt_rows *rows)
{
    sq_buf_puts(out, "<h2>In numbers</h2>\n");
    put_explanation(out, c);
    sq_buf_puts(out, "<div class=\"wide\"><table>\n");
    put_head(out, c);
    for (size_t r = 0; r < rows->count; r++) {
        put_row(out, c, rows->list[r].label, &rows->list[r]);
    }
    sq_buf_puts(out, "</table></div>\n<details><summary>All metrics</summary>\n"
                     "<div class=\"wide\"><table>\n");
    put_head(out, c);
    for (size_t m = 0; m < c->metric_count; m++) {
        struct plt_row row = { .metric = m, .unit = plt_unit_of(c->metric_names[m]) };
        for (size_t v = 0; v < c->variant_count; v++) {
            row.words = row.words || c->variants[v].cells[m].word_count > 0;
        }
        if (strcmp(c->metric_names[m], "outcome.p_collapse") != 0) { /* stands above, as a share */
            put_row(out, c, c->metric_names[m], &row);
        }
    }
    sq_buf_puts(out, "</table></div></details>\n");
}

/* ---- pictures and stories ---- */

static void put_pictures(struct sq_buf *out, const struct plt_report_part *p)
{
    const struct sq_comparison *c = p->comparison;
    bool any = false;
    for (size_t v = 0; v < c->variant_count; v++) {
        if (p->pictures[v].len == 0) {
            continue;
        }
        struct sq_buf b = { 0 };
        plt_put_verdict(&b, &p->results[v]);
        sq_buf_puts(out, any ? "" : "<h2>Course of run 1</h2>\n");
        sq_buf_puts(out, "<figure>\n<figcaption><b>");
        plt_html_text(out, c->variants[v].name);
        sq_buf_puts(out, "</b>: ");
        plt_html_text(out, b.failed ? NULL : b.text);
        sq_buf_puts(out, "</figcaption>\n");
        plt_html_svg(out, p->pictures[v].text, p->pictures[v].len, b.failed ? NULL : b.text);
        sq_buf_puts(out, "</figure>\n");
        out->failed = out->failed || b.failed;
        sq_buf_fini(&b);
        any = true;
    }
}

static void put_moment(struct sq_buf *out, const struct sq_moment *m, bool fine)
{
    struct sq_buf b = { 0 };
    bool bad = m->kind == SQ_MOMENT_COLLAPSE;
    bool good = m->kind == SQ_MOMENT_T2 || m->kind == SQ_MOMENT_QUEUE_CLEAR;
    sq_buf_printf(out, "<tr%s><td>", bad ? " class=\"bad\"" : good ? " class=\"good\"" : "");
    plt_put_clock(&b, m->at_ns, fine);
    plt_html_take(out, &b);
    sq_buf_puts(out, "</td><td>");
    plt_html_text(out, m->text);
    if (m->until_ns > m->at_ns && m->until_ns != SQ_NEVER) {
        sq_buf_puts(&b, " (until ");
        plt_put_clock(&b, m->until_ns, fine);
        sq_buf_putc(&b, ')');
        plt_html_take(out, &b);
    }
    sq_buf_puts(out, "</td></tr>\n");
}

static void put_stories(struct sq_buf *out, const struct plt_report_part *p)
{
    const struct sq_comparison *c = p->comparison;
    sq_buf_puts(out, "<h2>What happened</h2>\n");
    for (size_t v = 0; v < c->variant_count; v++) {
        const struct sq_result *r = &p->results[v];
        sq_buf_printf(out, "<details%s><summary>", is_run(c) ? " open=\"open\"" : "");
        plt_html_text(out, c->variants[v].name);
        sq_buf_puts(out, ", run 1</summary>\n<table class=\"left\">\n");
        for (size_t i = 0; i < r->moment_count; i++) {
            put_moment(out, &r->moments[i], r->duration_ns < 120 * SQ_NS_PER_S);
        }
        if (r->moment_count == 0) {
            sq_buf_puts(out, "<tr><td>nothing out of the ordinary</td></tr>\n");
        }
        sq_buf_puts(out, "</table></details>\n");
    }
}

static void put_expectation(struct sq_buf *out, const struct sq_verdict *v)
{
    struct sq_buf b = { 0 };
    bool bad = v->state == SQ_VERDICT_FAILED;
    sq_buf_printf(out, "<tr><td class=\"%s\">", bad ? "bad" : "good");
    plt_html_text(out, sq_verdict_word(v));
    sq_buf_puts(out, "</td><td>");
    plt_html_text(out, v->variant);
    sq_buf_puts(out, "</td><td>");
    sq_verdict_put_title(v, &b);
    plt_html_take(out, &b);
    sq_buf_puts(out, "</td><td>");
    sq_verdict_put_figures(v, &b);
    plt_html_take(out, &b);
    sq_buf_puts(out, "</td></tr>\n");
}

static void put_expectations(struct sq_buf *out, const struct sq_comparison *c)
{
    size_t count = 0;
    for (size_t v = 0; v < c->variant_count; v++) {
        for (size_t i = 0; i < c->variants[v].judged_count; i++) {
            sq_buf_puts(out, count == 0 ? "<h2>Expectations</h2>\n<div class=\"wide\">"
                                          "<table class=\"left\">\n"
                                        : "");
            put_expectation(out, &c->variants[v].judged[i]);
            count++;
        }
    }
    sq_buf_puts(out, count > 0 ? "</table></div>\n" : "");
}

/* ---- what it was made from ---- */

static void put_foot(struct sq_buf *out, const struct plt_report_part *p)
{
    const struct sq_comparison *c = p->comparison;
    if (c->notes != NULL) {
        sq_buf_puts(out, "<h2>Notes</h2>\n<p class=\"notes\">");
        plt_html_text(out, c->notes);
        sq_buf_puts(out, "</p>\n");
    }
    for (size_t v = 0; v < c->variant_count; v++) {
        sq_buf_puts(out, "<details><summary>Effective scenario of ");
        plt_html_text(out, c->variants[v].name);
        sq_buf_puts(out, "</summary>\n");
        plt_html_element(out, "pre", p->results[v].echo);
        sq_buf_puts(out, "</details>\n");
    }
    sq_buf_puts(out, "<footer><p>");
    plt_html_text(out, sq_file_name(c->file));
    sq_buf_printf(out, ", seed %llu, %zu run%s%s; squall ", (unsigned long long)c->seed,
                  c->run_count, c->run_count == 1 ? "" : "s", is_run(c) ? "" : " each");
    plt_html_text(out, c->version);
    sq_buf_puts(out, ". Scenarios by hash:");
    for (size_t v = 0; v < c->variant_count; v++) {
        sq_buf_puts(out, v > 0 ? ", " : " ");
        plt_html_text(out, c->variants[v].name);
        sq_buf_putc(out, ' ');
        plt_html_text(out, c->variants[v].hash);
    }
    sq_buf_puts(out, ". The same scenario, seed and version give the same numbers "
                     "everywhere.</p></footer>\n");
}

enum sq_status plt_report_part(const struct plt_report_part *p, struct sq_buf *out)
{
    struct plt_rows *rows = sq_mem_alloc(1, sizeof *rows);
    struct sq_buf title = { 0 };
    if (rows == NULL) {
        return SQ_NOMEM;
    }
    plt_rows_pick(rows, p->comparison);
    plt_report_title(&title, p);
    sq_buf_puts(out, "<section>\n");
    plt_html_element(out, "h1", title.failed ? NULL : title.text);
    put_answer(out, p);
    put_sentences(out, p->comparison);
    put_collapse(out, p->comparison);
    put_main_table(out, p->comparison, rows);
    put_pictures(out, p);
    put_stories(out, p);
    put_expectations(out, p->comparison);
    put_foot(out, p);
    sq_buf_puts(out, "</section>\n");
    bool failed = title.failed || out->failed;
    sq_buf_fini(&title);
    sq_mem_free(rows);
    return failed ? SQ_NOMEM : SQ_OK;
}
