/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report_foot.c - notes, how to make a report again, and what it was made from. */
#include <string.h>

#include "plots/plt_html.h"
#include "plots/plt_report_part.h"
#include "sim/base/sq_file.h"

/* ---- notes ---- */

/* Lines that are broken by hand are joined; list items and what is indented keep their breaks. */
static bool keeps_break(char next)
{
    return next == '\0' || next == '\n' || next == ' ' || next == '-' || next == '*' ||
           (next >= '0' && next <= '9');
}

static void put_notes(struct sq_buf *out, const char *notes)
{
    struct sq_buf b = { 0 };
    size_t len = strlen(notes);
    while (len > 0 && notes[len - 1] == '\n') {
        len--;
    }
    for (size_t i = 0; i < len; i++) {
        bool joined =
            notes[i] == '\n' && i > 0 && notes[i - 1] != '\n' && !keeps_break(notes[i + 1]);
        sq_buf_putc(&b, joined ? ' ' : notes[i]);
    }
    sq_buf_puts(out, "<p class=\"notes\" dir=\"auto\">");
    plt_html_take(out, &b);
    sq_buf_puts(out, "</p>\n");
}

void plt_part_notes(struct sq_buf *out, const struct plt_part *p)
{
    if (p->comparison->notes != NULL) {
        plt_part_heading(out, p, "notes", "Notes and assumptions");
        put_notes(out, p->comparison->notes);
    }
}

/* ---- once more ---- */

/* An argument for a shell, quoted where it has to be. */
static void put_word(struct sq_buf *b, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.,/=:+";
    if (word[0] != '\0' && word[0] != '-' && strspn(word, plain) == strlen(word)) {
        sq_buf_puts(b, word);
        return;
    }
    sq_buf_putc(b, '\'');
    for (const char *c = word; *c != '\0'; c++) {
        if (*c == '\'') {
            sq_buf_puts(b, "'\\''");
        } else {
            sq_buf_putc(b, *c);
        }
    }
    sq_buf_putc(b, '\'');
}

static void put_variants(struct sq_buf *b, const struct sq_comparison *c)
{
    struct sq_buf list = { 0 };
    for (size_t v = 0; v < c->variant_count; v++) {
        sq_buf_printf(&list, "%s%s", v > 0 ? "," : "", c->variants[v].name);
    }
    sq_buf_puts(b, c->variant_count > 1 ? " --variants " : " --variant ");
    put_word(b, list.failed ? "" : list.text);
    b->failed = b->failed || list.failed;
    sq_buf_fini(&list);
}

static void put_command(struct sq_buf *b, const struct plt_part *p)
{
    const struct sq_comparison *c = p->comparison;
    uint64_t first = p->results[0].runs[0].replication;
    sq_buf_puts(b, plt_part_is_run(p) ? "squall run " : "squall compare ");
    put_word(b, c->file != NULL ? sq_file_name(c->file) : "scenario.yaml");
    put_variants(b, c);
    sq_buf_printf(b, " --seed %llu", (unsigned long long)c->seed);
    if (first > 1 && c->run_count == 1) {
        sq_buf_printf(b, " --replication %llu", (unsigned long long)first);
    } else {
        sq_buf_printf(b, " --runs %zu", c->run_count);
    }
    sq_buf_puts(b, " --out out\nsquall report out -o report.html\n");
}

static void put_hashes(struct sq_buf *out, const struct plt_part *p)
{
    const struct sq_comparison *c = p->comparison;
    plt_part_open_wide(out, "Hashes by variant");
    sq_buf_puts(out, "<table class=\"left\">\n<thead><tr><th scope=\"col\">Variant</th>"
                     "<th scope=\"col\">Effective scenario</th><th scope=\"col\">Run "
                     "1</th></tr></thead>\n<tbody>\n");
    for (size_t v = 0; v < c->variant_count; v++) {
        const struct sq_result *r = &p->results[v];
        long at = sq_result_metric(r, "run.hash");
        const char *hash = at >= 0 ? r->runs[0].values[at].word : NULL;
        sq_buf_puts(out, "<tr><th scope=\"row\">");
        plt_html_name(out, c->variants[v].name);
        sq_buf_puts(out, "</th><td><code>");
        plt_html_text(out, c->variants[v].hash);
        sq_buf_puts(out, "</code></td><td><code>");
        plt_html_text(out, hash != NULL ? hash : "-");
        sq_buf_puts(out, "</code></td></tr>\n");
    }
    sq_buf_puts(out, "</tbody></table>\n");
    plt_part_close_wide(out);
}

void plt_part_again(struct sq_buf *out, const struct plt_part *p)
{
    const struct sq_comparison *c = p->comparison;
    struct sq_buf b = { 0 };
    plt_part_heading(out, p, "again", "How to reproduce");
    put_command(&b, p);
    sq_buf_puts(out, "<p>With squall ");
    plt_html_text(out, c->version);
    sq_buf_puts(out, ", in the folder of the scenario:</p>\n<pre class=\"command\">");
    plt_html_take(out, &b);
    sq_buf_puts(out,
                "</pre>\n<p>Same scenario, seed and version: same numbers, on every machine and "
                "any number of threads. If a hash differs, the scenario does; the scenarios "
                "in force, with every default, stand below and can be run as they are.</p>\n");
    put_hashes(out, p);
}

void plt_part_scenarios(struct sq_buf *out, const struct plt_part *p)
{
    const struct sq_comparison *c = p->comparison;
    for (size_t v = 0; v < c->variant_count; v++) {
        sq_buf_puts(out, "<details><summary>Effective scenario of ");
        plt_html_name(out, c->variants[v].name);
        sq_buf_puts(out, "</summary>\n");
        plt_html_element(out, "pre", p->results[v].echo);
        sq_buf_puts(out, "</details>\n");
    }
    sq_buf_puts(out, "<footer><p>");
    plt_html_text(out, c->file != NULL ? sq_file_name(c->file) : "");
    sq_buf_printf(out, ", seed %llu, %zu run%s%s; squall ", (unsigned long long)c->seed,
                  c->run_count, c->run_count == 1 ? "" : "s",
                  plt_part_is_run(p) ? "" : " of each variant");
    plt_html_text(out, c->version);
    sq_buf_puts(out, "</p></footer>\n");
}
