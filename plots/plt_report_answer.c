/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report_answer.c - the first screen of a report. */
#include <math.h>
#include <string.h>

#include "plots/plt_html.h"
#include "plots/plt_report_part.h"
#include "plots/plt_runs.h"
#include "plots/plt_words.h"

enum { BAR = 100 }; /* width of the picture of a share, in its own units */

static void put_paragraph(struct sq_buf *out, const char *class, struct sq_buf *text)
{
    if (text->len > 0 || text->failed) {
        sq_buf_printf(out, "<p class=\"%s\" dir=\"auto\">", class);
        plt_html_sentence(out, text);
        sq_buf_puts(out, "</p>\n");
    }
}

static void put_point(struct sq_buf *out, struct sq_buf *text)
{
    if (text->len > 0 || text->failed) {
        sq_buf_puts(out, "<li>");
        plt_html_sentence(out, text);
        sq_buf_puts(out, "</li>\n");
    }
}

/* ---- sentences ---- */

/* A verdict as a sentence: with a capital letter. The full stop is the caller's. */
static void put_run_answer(struct sq_buf *b, const struct plt_part *p)
{
    plt_put_verdict(b, &p->results[0]);
    if (b->len > 0 && b->text[0] >= 'a' && b->text[0] <= 'z') {
        b->text[0] = (char)(b->text[0] - 'a' + 'A');
    }
    sq_buf_putc(b, '.');
}

/* "9 of 10 runs collapse (95 % interval 60-98 %)." */
static void put_run_share(struct sq_buf *b, const struct plt_part *p)
{
    const struct sq_share *s = &p->comparison->variants[0].collapse;
    if (s->n > 1) {
        sq_buf_puts(b, "P(collapse) is ");
        plt_put_share(b, s);
        sq_buf_printf(b, ": %lld of %lld runs collapse (95 %% interval ", (long long)s->hits,
                      (long long)s->n);
        plt_put_share_range(b, s);
        sq_buf_puts(b, "). The sentence above is about run 1.");
    }
}

/* How many of the expectations hold. */
static void put_expected(struct sq_buf *b, const struct sq_comparison *c)
{
    size_t passed = 0, failed = 0, open = 0;
    for (size_t v = 0; v < c->variant_count; v++) {
        for (size_t i = 0; i < c->variants[v].judged_count; i++) {
            enum sq_verdict_state state = c->variants[v].judged[i].state;
            passed += state == SQ_VERDICT_PASSED;
            failed += state == SQ_VERDICT_FAILED;
            open += state == SQ_VERDICT_OPEN;
        }
    }
    if (passed + failed + open > 0) {
        sq_buf_printf(b, "Expectations of the scenario: %zu of %zu hold", passed,
                      passed + failed + open);
        if (failed > 0) {
            sq_buf_printf(b, ", %zu %s not", failed, failed == 1 ? "does" : "do");
        }
        if (open > 0) {
            sq_buf_printf(b, ", %zu could not be judged", open);
        }
        sq_buf_putc(b, '.');
    }
}

static void put_points(struct sq_buf *out, const struct plt_part *p)
{
    struct sq_buf b = { 0 };
    sq_buf_puts(out, "<ul class=\"points\">\n");
    if (plt_part_is_run(p)) {
        put_run_share(&b, p);
        put_point(out, &b);
    } else {
        plt_put_cost(&b, &p->finding, p->finding.best);
        put_point(out, &b);
        plt_put_faster(&b, &p->finding);
        put_point(out, &b);
        plt_put_others(&b, &p->finding);
        put_point(out, &b);
        plt_put_useless(&b, &p->finding);
        put_point(out, &b);
    }
    put_expected(&b, p->comparison);
    put_point(out, &b);
    sq_buf_puts(out, "</ul>\n");
}

/* ---- a line per variant ---- */

/* A line from end to end of the interval and a dot on the share; the numbers stand beside it. */
static void put_bar(struct sq_buf *out, const struct sq_share *s)
{
    int lo = (int)(s->lo * BAR + 0.5), hi = (int)(s->hi * BAR + 0.5);
    int at = s->n > 0 ? (int)((double)s->hits / (double)s->n * BAR + 0.5) : 0;
    sq_buf_printf(out,
                  "<svg class=\"share\" viewBox=\"-6 0 %d 12\" aria-hidden=\"true\">"
                  "<path d=\"M0 6H%d\"/>",
                  BAR + 12, BAR);
    if (s->n > 1) {
        sq_buf_printf(out, "<path class=\"range\" d=\"M%d 6H%d\"/>", lo, hi);
    }
    sq_buf_printf(out, "<circle cx=\"%d\" cy=\"6\" r=\"4\"/></svg>", at);
}

static void put_share(struct sq_buf *out, const struct sq_share *s)
{
    struct sq_buf b = { 0 };
    sq_buf_puts(out, "<td>");
    put_bar(out, s);
    sq_buf_printf(out, "<b class=\"%s\">", s->hits > 0 ? "bad" : "good");
    plt_put_share(&b, s);
    plt_html_take(out, &b);
    sq_buf_puts(out, "</b>");
    if (s->n > 1) {
        sq_buf_printf(&b, "%lld of %lld runs, ", (long long)s->hits, (long long)s->n);
        plt_put_share_range(&b, s);
        sq_buf_puts(out, "<small>");
        plt_html_take(out, &b);
        sq_buf_puts(out, "</small>");
    }
    sq_buf_puts(out, "</td>");
}

/* Columns of the line: medians of metrics, or sums of several. */
static const struct column {
    const char *title, *metrics[4];
    enum plt_unit unit;
} columns[] = {
    { "Queue clear after recovery", { "drain.queue_clear_s" }, PLT_UNIT_SPAN },
    { "Last affected job after recovery", { "drain.last_job_s" }, PLT_UNIT_SPAN },
    { "Jobs lost or dead-lettered",
      { "jobs.lost", "jobs.dropped", "jobs.dead_lettered", "jobs.unfinished" },
      PLT_UNIT_COUNT },
    { "Jobs dropped as no longer needed", { "jobs.stale", "jobs.superseded" }, PLT_UNIT_COUNT },
};

static double column_value(const struct plt_part *p, size_t variant, const struct column *column)
{
    double sum = (double)NAN;
    for (size_t i = 0; i < SQ_COUNT(column->metrics) && column->metrics[i] != NULL; i++) {
        const struct sq_cell *cell = sq_comparison_cell(p->comparison, variant, column->metrics[i]);
        if (cell != NULL && cell->spread.n > 0) {
            sum = (isfinite(sum) ? sum : 0) + cell->spread.p50;
        }
    }
    return sum;
}

/* Whether all runs have the number, or how many. */
static int64_t column_runs(const struct plt_part *p, size_t variant, const struct column *column)
{
    const struct sq_cell *cell = sq_comparison_cell(p->comparison, variant, column->metrics[0]);
    return cell != NULL ? cell->spread.n : 0;
}

static bool has_column(const struct plt_part *p, const struct column *column)
{
    for (size_t v = 0; v < p->comparison->variant_count; v++) {
        if (isfinite(column_value(p, v, column))) {
            return true;
        }
    }
    return false;
}

static void put_value(struct sq_buf *out, const struct plt_part *p, size_t variant,
                      const struct column *column)
{
    struct sq_buf b = { 0 };
    double value = column_value(p, variant, column);
    bool span = column->unit == PLT_UNIT_SPAN;
    sq_buf_puts(out, "<td>");
    if (span && !isfinite(value)) {
        sq_buf_puts(&b, "never");
    } else if (span) {
        plt_put_span(&b, value);
    } else {
        plt_put_count(&b, value);
    }
    plt_html_take(out, &b);
    const struct sq_cell *cell = sq_comparison_cell(p->comparison, variant, column->metrics[0]);
    if (span && cell != NULL && cell->spread.bimodal) {
        sq_buf_puts(out, "<small>");
        plt_put_groups(&b, &cell->spread, (int64_t)p->comparison->run_count);
        plt_html_take(out, &b);
        sq_buf_puts(out, "</small>");
    }
    int64_t runs = column_runs(p, variant, column);
    if (span && runs > 0 && runs < (int64_t)p->comparison->run_count) {
        sq_buf_printf(out, "<small>in %lld of %zu runs</small>", (long long)runs,
                      p->comparison->run_count);
    }
    sq_buf_puts(out, "</td>");
}

static void put_variant(struct sq_buf *out, const struct plt_part *p, size_t variant)
{
    const struct sq_compared *one = &p->comparison->variants[variant];
    sq_buf_puts(out, "<tr><th scope=\"row\">");
    plt_html_name(out, one->name);
    sq_buf_puts(out, "</th>");
    put_share(out, &one->collapse);
    for (size_t i = 0; i < SQ_COUNT(columns); i++) {
        if (has_column(p, &columns[i])) {
            put_value(out, p, variant, &columns[i]);
        }
    }
    sq_buf_puts(out, "</tr>\n");
}

static void put_variants(struct sq_buf *out, const struct plt_part *p)
{
    const struct sq_comparison *c = p->comparison;
    plt_part_open_caption(out);
    if (c->run_count > 1) {
        sq_buf_printf(out, "Medians of %zu runs%s. ", c->run_count,
                      plt_part_is_run(p) ? "" : " of each variant, on the same luck");
    } else {
        sq_buf_puts(out, "One run: nothing is known of chance. ");
    }
    sq_buf_puts(out, "A run collapses when something falls over by its own load after recovery, "
                     "the backlog does not clear, or health does not return.");
    plt_part_close_caption(out);
    plt_part_open_wide(out, "The variants at a glance");
    sq_buf_puts(out, "<table>\n<thead><tr><td></td><th scope=\"col\">P(collapse)</th>");
    for (size_t i = 0; i < SQ_COUNT(columns); i++) {
        if (has_column(p, &columns[i])) {
            sq_buf_printf(out, "<th scope=\"col\">%s</th>", columns[i].title);
        }
    }
    sq_buf_puts(out, "</tr></thead>\n<tbody>\n");
    for (size_t v = 0; v < c->variant_count; v++) {
        put_variant(out, p, v);
    }
    sq_buf_puts(out, "</tbody></table>\n");
    plt_part_close_wide(out);
}

void plt_part_answer(struct sq_buf *out, const struct plt_part *p)
{
    const struct sq_comparison *c = p->comparison;
    struct sq_buf b = { 0 };
    plt_put_question(&b, &p->results[0], c->variant_count);
    put_paragraph(out, "question", &b);
    if (c->interrupted) {
        sq_buf_printf(out,
                      "<p class=\"warn\">INTERRUPTED after %zu of %zu runs: what follows is "
                      "of the finished ones.</p>\n",
                      c->run_count, c->runs_wanted);
    }
    if (plt_part_is_run(p)) {
        put_run_answer(&b, p);
    } else {
        plt_put_finding(&b, &p->finding);
    }
    put_paragraph(out, "answer", &b);
    put_points(out, p);
    put_variants(out, p);
    if (c->proof != NULL && c->run_count > 1) {
        sq_buf_puts(out, "<p><small>");
        plt_html_text(out, c->proof);
        sq_buf_puts(out, "</small></p>\n");
    }
}
