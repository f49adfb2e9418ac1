/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report_tables.c - the tables of a report: the numbers that count, expectations, all metrics.
 */
#include <string.h>

#include "plots/plt_html.h"
#include "plots/plt_report_part.h"

static void put_head(struct sq_buf *out, const struct sq_comparison *c)
{
    sq_buf_puts(out, "<thead><tr><td></td>");
    for (size_t v = 0; v < c->variant_count; v++) {
        sq_buf_puts(out, "<th scope=\"col\">");
        plt_html_name(out, c->variants[v].name);
        sq_buf_puts(out, "</th>");
    }
    sq_buf_puts(out, "</tr></thead>\n");
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
            bool same = d->mean == 0 && !(d->lo < d->hi); /* of one pair there is no interval */
            bool chance = !same && plt_may_be_chance(d);
            sq_buf_puts(out, "<small>");
            sq_buf_puts(out, chance ? "<span class=\"chance\">" : "<span>");
            if (same) {
                sq_buf_puts(&b, "same");
            } else {
                plt_put_difference(&b, c, v, row);
            }
            plt_html_take(out, &b);
            sq_buf_puts(out, "</span></small>");
        }
        sq_buf_puts(out, "</td>");
    }
    sq_buf_puts(out, "</tr>\n");
}

static void put_explanation(struct sq_buf *out, const struct plt_part *p)
{
    const struct sq_comparison *c = p->comparison;
    plt_part_open_caption(out);
    if (c->run_count > 1) {
        sq_buf_puts(out, "Medians over the runs. (n): only so many runs have the number; *: the "
                         "runs fall into two groups, and few are near the "
                         "median. ");
    }
    if (!plt_part_is_run(p)) {
        sq_buf_puts(out, "Below: the difference to ");
        plt_html_name(out, c->variants[0].name);
        sq_buf_puts(out, " on the same luck, as the mean over pairs of runs");
        sq_buf_puts(out, c->run_count > 1 ? " with its 95 % interval; in brackets where chance may "
                                            "explain it."
                                          : ".");
    }
    plt_part_close_caption(out);
}

void plt_part_numbers(struct sq_buf *out, const struct plt_part *p)
{
    plt_part_heading(out, p, "numbers", "Numbers");
    put_explanation(out, p);
    plt_part_open_wide(out, "Numbers by variant");
    sq_buf_puts(out, "<table>\n");
    put_head(out, p->comparison);
    sq_buf_puts(out, "<tbody>\n");
    for (size_t r = 0; r < p->rows.count; r++) {
        put_row(out, p->comparison, p->rows.list[r].label, &p->rows.list[r]);
    }
    sq_buf_puts(out, "</tbody></table>\n");
    plt_part_close_wide(out);
}

void plt_part_metrics(struct sq_buf *out, const struct plt_part *p)
{
    const struct sq_comparison *c = p->comparison;
    sq_buf_puts(out, "<details><summary>All metrics</summary>\n");
    plt_part_open_wide(out, "All metrics by variant");
    sq_buf_puts(out, "<table>\n");
    put_head(out, c);
    sq_buf_puts(out, "<tbody>\n");
    for (size_t m = 0; m < c->metric_count; m++) {
        struct plt_row row = { .metric = m, .unit = plt_unit_of(c->metric_names[m]) };
        for (size_t v = 0; v < c->variant_count; v++) {
            row.words = row.words || c->variants[v].cells[m].word_count > 0;
        }
        if (strcmp(c->metric_names[m], "outcome.p_collapse") != 0) { /* stands above, as a share */
            put_row(out, c, c->metric_names[m], &row);
        }
    }
    sq_buf_puts(out, "</tbody></table>\n");
    plt_part_close_wide(out);
    sq_buf_puts(out, "</details>\n");
}

/* ---- expectations ---- */

static void put_expectation(struct sq_buf *out, const struct sq_verdict *v)
{
    struct sq_buf b = { 0 };
    bool bad = v->state == SQ_VERDICT_FAILED;
    sq_buf_printf(out, "<tr><td><b class=\"%s\">", bad ? "bad" : "good");
    plt_html_text(out, sq_verdict_word(v));
    sq_buf_puts(out, "</b></td><td>");
    plt_html_name(out, v->variant);
    sq_buf_puts(out, "</td><td><code>");
    sq_verdict_put_title(v, &b);
    plt_html_take(out, &b);
    sq_buf_puts(out, "</code></td><td>");
    sq_verdict_put_figures(v, &b);
    plt_html_take(out, &b);
    sq_buf_puts(out, "</td></tr>\n");
}

void plt_part_expectations(struct sq_buf *out, const struct plt_part *p)
{
    const struct sq_comparison *c = p->comparison;
    size_t count = 0;
    for (size_t v = 0; v < c->variant_count; v++) {
        for (size_t i = 0; i < c->variants[v].judged_count; i++) {
            if (count++ == 0) {
                plt_part_heading(out, p, "expect", "Expectations");
                plt_part_open_wide(out, "Expectations and verdicts");
                sq_buf_puts(out, "<table class=\"left\">\n<thead><tr><th scope=\"col\">Verdict"
                                 "</th><th scope=\"col\">Variant</th><th scope=\"col\">What must "
                                 "hold</th><th scope=\"col\">What was seen</th></tr></thead>\n"
                                 "<tbody>\n");
            }
            put_expectation(out, &c->variants[v].judged[i]);
        }
    }
    if (count > 0) {
        sq_buf_puts(out, "</tbody></table>\n");
        plt_part_close_wide(out);
    }
}
