/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report_outlook.c - when the backlog is gone: what was forecast at T1 and what came, by
 * variant. */
#include "plots/plt_html.h"
#include "plots/plt_outlook.h"
#include "plots/plt_report_part.h"
#include "plots/plt_runs.h"
#include "plots/plt_words.h"

static void put_cell(struct sq_buf *out, const struct sq_spread *s, const char *null, int64_t runs)
{
    struct sq_buf b = { 0 };
    sq_buf_puts(out, "<td>");
    if (s->n == 0) {
        plt_html_text(out, null);
    } else if (s->bimodal) {
        plt_put_groups(&b, s, runs);
        plt_html_take(out, &b);
    } else {
        plt_put_span(&b, s->p50);
        plt_html_take(out, &b);
        if (runs > 1 && !plt_is_narrow(s)) {
            sq_buf_puts(out, "<small>");
            plt_put_band(&b, s);
            plt_html_take(out, &b);
            sq_buf_puts(out, "</small>");
        }
    }
    if (s->n > 0 && s->n < runs) {
        sq_buf_printf(out, "<small>in %lld of %lld runs</small>", (long long)s->n, (long long)runs);
    }
    sq_buf_puts(out, "</td>");
}

static void put_mark(struct sq_buf *out, const struct plt_outlook *o, const struct plt_mark *m)
{
    sq_buf_puts(out, "<tr><th scope=\"row\">");
    plt_html_text(out, m->label);
    sq_buf_puts(out, "</th>");
    put_cell(out, &m->naive, m->has_naive ? plt_no_naive(o) : "-", o->runs);
    put_cell(out, &m->planned, m->has_planned ? plt_no_plan(o) : "-", o->runs);
    put_cell(out, &m->simulated, m->not_simulated, o->runs);
    sq_buf_puts(out, "</tr>\n");
}

/* "cap-ramp: clears in 20 of 20 runs. The forecast at T1: clears in 16m50s." */
static void put_words(struct sq_buf *out, const struct plt_part *p, size_t variant,
                      const struct plt_outlook *o)
{
    struct sq_buf b = { 0 };
    sq_buf_puts(out, "<p>");
    if (!plt_part_is_run(p)) {
        plt_html_name(out, p->comparison->variants[variant].name);
        sq_buf_puts(out, ": ");
    }
    if (o->drain_count > 0) {
        sq_buf_puts(&b, plt_part_is_run(p) ? "The backlog " : "the backlog ");
        plt_put_drain_states(&b, o);
        sq_buf_puts(&b, ". ");
    }
    if (plt_has_forecast(o)) {
        sq_buf_puts(&b, "The forecast at T1: ");
        plt_put_forecast(&b, o);
        sq_buf_putc(&b, '.');
    }
    plt_html_take(out, &b);
    sq_buf_puts(out, "</p>\n");
}

static void put_variant(struct sq_buf *out, const struct plt_part *p, size_t variant,
                        const struct plt_outlook *o)
{
    put_words(out, p, variant, o);
    plt_part_open_wide(out, "Forecasts and what came");
    sq_buf_puts(out, "<table>\n<thead><tr><td>After recovery</td><th scope=\"col\">naive</th>"
                     "<th scope=\"col\">planned</th><th scope=\"col\">simulated</th></tr></thead>\n"
                     "<tbody>\n");
    for (size_t i = 0; i < PLT_MARKS; i++) {
        if (o->marks[i].known) {
            put_mark(out, o, &o->marks[i]);
        }
    }
    sq_buf_puts(out, "</tbody></table>\n");
    plt_part_close_wide(out);
}

bool plt_part_has_outlook(const struct plt_part *p)
{
    struct plt_outlook o;
    bool says = false;
    for (size_t v = 0; v < p->comparison->variant_count; v++) {
        plt_outlook_of_variant(&o, p->comparison, v);
        says = says || plt_outlook_says(&o);
    }
    return says;
}

void plt_part_outlook(struct sq_buf *out, const struct plt_part *p)
{
    if (!plt_part_has_outlook(p)) {
        return;
    }
    plt_part_heading(out, p, "outlook", "When the backlog is gone");
    plt_part_open_caption(out);
    sq_buf_puts(out, "Naive: the backlog by what the capacity leaves over. Planned: a flow model "
                     "that knows the ramp, the deadlines and the timers already set. ");
    sq_buf_puts(out, p->comparison->run_count > 1
                         ? "Each run's forecast starts from its own state at T1: medians, and "
                           "below them P10 to P90; where the runs fall into two groups, both."
                         : "Simulated: the one run.");
    plt_part_close_caption(out);
    for (size_t v = 0; v < p->comparison->variant_count; v++) {
        struct plt_outlook o;
        plt_outlook_of_variant(&o, p->comparison, v);
        if (plt_outlook_says(&o)) {
            put_variant(out, p, v, &o);
        }
    }
}
