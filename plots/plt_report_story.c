/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report_story.c - what happened in run 1, by variant, and what one job of it lived
 * through. */
#include <string.h>

#include "plots/plt_html.h"
#include "plots/plt_report_part.h"
#include "plots/plt_words.h"
#include "sim/conf/sq_changes.h"

enum { STEPS_OPEN = 14 }; /* moments of scalers, ramps and breakers beyond that are folded away */

static void put_moment(struct sq_buf *out, const struct sq_moment *m, bool fine)
{
    struct sq_buf b = { 0 };
    bool bad = m->kind == SQ_MOMENT_COLLAPSE;
    bool good = m->kind == SQ_MOMENT_T2 || m->kind == SQ_MOMENT_QUEUE_CLEAR;
    sq_buf_printf(out, "<tr%s><td class=\"time\">",
                  bad    ? " class=\"bad\""
                  : good ? " class=\"good\""
                         : "");
    plt_put_clock(&b, m->at_ns, fine);
    plt_html_take(out, &b);
    sq_buf_puts(out, "</td><td dir=\"auto\">");
    plt_html_text(out, m->text);
    if (m->until_ns > m->at_ns && m->until_ns != SQ_NEVER) {
        sq_buf_puts(&b, " (until ");
        plt_put_clock(&b, m->until_ns, fine);
        sq_buf_putc(&b, ')');
        plt_html_take(out, &b);
    }
    sq_buf_puts(out, "</td></tr>\n");
}

static bool is_step(const struct sq_moment *m)
{
    return m->kind == SQ_MOMENT_SCALING || m->kind == SQ_MOMENT_RAMP ||
           m->kind == SQ_MOMENT_BREAKER;
}

/* Scalers, ramps and breakers may move a hundred times: the turns of the story would drown. */
static void put_moments(struct sq_buf *out, const struct sq_result *r, bool steps)
{
    size_t count = 0;
    for (size_t i = 0; i < r->moment_count; i++) {
        const struct sq_moment *m = &r->moments[i];
        if (steps || !is_step(m)) {
            put_moment(out, m, r->duration_ns < 120 * SQ_NS_PER_S);
            count++;
        }
    }
    if (count == 0) {
        sq_buf_puts(out, "<tr><td class=\"time\"></td><td>nothing out of the ordinary</td></tr>\n");
    }
}

static void put_table(struct sq_buf *out, const struct sq_result *r, bool steps)
{
    sq_buf_puts(out, "<table class=\"left\">\n<thead><tr><th scope=\"col\" class=\"time\">Time</th>"
                     "<th scope=\"col\">What happened</th></tr></thead>\n<tbody>\n");
    put_moments(out, r, steps);
    sq_buf_puts(out, "</tbody></table>\n");
}

/* Margins, and the ways in which it came out. */
static void put_ways(struct sq_buf *out, const struct sq_comparison *c,
                     const struct sq_compared *one)
{
    sq_buf_puts(out, one->margin_count + one->mode_count > 0 ? "<ul>\n" : "");
    for (size_t i = 0; i < one->margin_count; i++) {
        plt_html_element(out, "li", one->margins[i]);
    }
    for (size_t i = 0; i < one->mode_count; i++) {
        struct sq_buf b = { 0 };
        plt_put_mode(&b, c, &one->modes[i]);
        sq_buf_puts(out, "<li>");
        plt_html_take(out, &b);
        sq_buf_puts(out, ".</li>\n");
    }
    sq_buf_puts(out, one->margin_count + one->mode_count > 0 ? "</ul>\n" : "");
}

/* What makes it another one than the first. Expectations are no part of the world. */
static void put_changes(struct sq_buf *out, const struct plt_part *p, size_t variant)
{
    struct sq_buf lines = { 0 };
    size_t count = variant > 0
                       ? sq_changes(p->results[0].echo, p->results[variant].echo, "expect", &lines)
                       : 0;
    if (count > 0) {
        sq_buf_puts(out, "<p>What is changed against ");
        plt_html_name(out, p->comparison->variants[0].name);
        sq_buf_puts(out, ":</p>\n<pre class=\"command\">");
        plt_html_take(out, &lines);
        sq_buf_puts(out, "</pre>\n");
    }
    out->failed = out->failed || lines.failed;
    sq_buf_fini(&lines);
}

static void put_variant(struct sq_buf *out, const struct plt_part *p, size_t variant)
{
    const struct sq_compared *one = &p->comparison->variants[variant];
    const struct sq_result *r = &p->results[variant];
    size_t steps = 0;
    for (size_t i = 0; i < r->moment_count; i++) {
        steps += is_step(&r->moments[i]);
    }
    if (!plt_part_is_run(p)) {
        sq_buf_puts(out, "<h3>");
        plt_html_name(out, one->name);
        sq_buf_puts(out, "</h3>\n<p>Over all runs: ");
        plt_html_text(out, one->verdict);
        sq_buf_puts(out, ".</p>\n");
        put_changes(out, p, variant);
        put_ways(out, p->comparison, one);
    }
    put_table(out, r, steps <= STEPS_OPEN);
    if (steps > STEPS_OPEN) {
        sq_buf_printf(out,
                      "<details><summary>The same with all %zu steps of scalers, ramps and "
                      "breakers</summary>\n",
                      steps);
        put_table(out, r, true);
        sq_buf_puts(out, "</details>\n");
    }
}

/* ---- one job ---- */

static void put_steps(struct sq_buf *out, const struct sq_life *life)
{
    sq_buf_puts(out, "<table class=\"left\">\n<thead><tr><th scope=\"col\" class=\"time\">Time</th>"
                     "<th scope=\"col\">Step</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < life->step_count; i++) {
        struct sq_buf b = { 0 };
        sq_buf_puts(out, "<tr><td class=\"time\">");
        plt_put_fine_clock(&b, life->steps[i].at_ns);
        plt_html_take(out, &b);
        sq_buf_puts(out, "</td><td>");
        plt_html_text(out, life->steps[i].text);
        sq_buf_puts(out, "</td></tr>\n");
    }
    sq_buf_puts(out, "</tbody></table>\n");
}

/* How it ended stands in the last step, behind what else was at that instant. */
static const char *end_of(const struct sq_life *life)
{
    const char *text = life->step_count > 0 ? life->steps[life->step_count - 1].text : "";
    const char *end = strstr(text, "ends: ");
    return end != NULL ? end + strlen("ends: ") : text;
}

bool plt_part_has_job(const struct plt_part *p)
{
    for (size_t v = 0; v < p->comparison->variant_count; v++) {
        if (p->results[v].life.job != NULL) {
            return true;
        }
    }
    return false;
}

void plt_part_job(struct sq_buf *out, const struct plt_part *p)
{
    if (!plt_part_has_job(p)) {
        return;
    }
    plt_part_heading(out, p, "job", "The life of one job");
    sq_buf_puts(out, "<p>");
    sq_buf_puts(out,
                plt_part_is_run(p) ? "" : "The same job in every variant, with the same luck. ");
    sq_buf_puts(out, "Another one: <code>squall run ... --job NAME:N</code>.</p>\n");
    for (size_t v = 0; v < p->comparison->variant_count; v++) {
        const struct sq_life *life = &p->results[v].life;
        if (life->job == NULL) {
            continue;
        }
        sq_buf_printf(out, "<details%s><summary>", v == 0 ? " class=\"print\" open=\"open\"" : "");
        if (!plt_part_is_run(p)) {
            plt_html_name(out, p->comparison->variants[v].name);
            sq_buf_puts(out, ": ");
        }
        plt_html_name(out, life->job);
        if (life->why != NULL) {
            sq_buf_puts(out, " (");
            plt_html_text(out, life->why);
            sq_buf_putc(out, ')');
        }
        sq_buf_puts(out, ": ");
        plt_html_text(out, end_of(life));
        sq_buf_puts(out, "</summary>\n");
        put_steps(out, life);
        sq_buf_puts(out, "</details>\n");
    }
}

void plt_part_story(struct sq_buf *out, const struct plt_part *p)
{
    const struct sq_comparison *c = p->comparison;
    plt_part_heading(out, p, "story",
                     c->run_count > 1 ? "What happened, in run 1" : "What happened");
    for (size_t v = 0; v < c->variant_count; v++) {
        put_variant(out, p, v);
    }
}
