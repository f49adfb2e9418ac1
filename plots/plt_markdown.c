/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_markdown.c - tables of pipes. Texts of the scenario may hold anything, so whatever Markdown
 * or HTML would take for its own is escaped. */
#include "plots/plt_markdown.h"

#include <string.h>

#include "plots/plt_outlook.h"
#include "plots/plt_rows.h"
#include "sim/base/sq_file.h"

static void put_escaped(struct sq_buf *out, const char *text)
{
    for (const char *p = text != NULL ? text : ""; *p != '\0'; p++) {
        if (*p == '<') {
            sq_buf_puts(out, "&lt;");
        } else if (*p == '&') {
            sq_buf_puts(out, "&amp;");
        } else if ((unsigned char)*p < ' ') {
            sq_buf_putc(out, ' ');
        } else {
            if (strchr("\\`*_{}[]#|!~", *p) != NULL) {
                sq_buf_putc(out, '\\');
            }
            sq_buf_putc(out, *p);
        }
    }
}

/* Takes the text out of `b`. */
static void put_taken(struct sq_buf *out, struct sq_buf *b)
{
    put_escaped(out, b->failed ? "" : b->text);
    out->failed = out->failed || b->failed;
    sq_buf_fini(b);
}

static void put_head(struct sq_buf *out, const struct sq_comparison *c, const char *first)
{
    sq_buf_printf(out, "| %s |", first);
    for (size_t v = 0; v < c->variant_count; v++) {
        sq_buf_putc(out, ' ');
        put_escaped(out, c->variants[v].name);
        sq_buf_puts(out, " |");
    }
    sq_buf_puts(out, "\n|:--|");
    for (size_t v = 0; v < c->variant_count; v++) {
        sq_buf_puts(out, "--:|");
    }
    sq_buf_putc(out, '\n');
}

static void put_collapse(struct sq_buf *out, const struct sq_comparison *c)
{
    sq_buf_puts(out, c->run_count > 1 ? "| P(collapse) |" : "| collapsed |");
    for (size_t v = 0; v < c->variant_count; v++) {
        struct sq_buf b = { 0 };
        plt_put_share(&b, &c->variants[v].collapse);
        if (c->run_count > 1) {
            sq_buf_puts(&b, " [");
            plt_put_share_range(&b, &c->variants[v].collapse);
            sq_buf_putc(&b, ']');
        }
        sq_buf_putc(out, ' ');
        put_taken(out, &b);
        sq_buf_puts(out, " |");
    }
    sq_buf_putc(out, '\n');
}

/* The median, and for all but the first variant the paired difference. */
static void put_row(struct sq_buf *out, const struct sq_comparison *c, const char *label,
                    const struct plt_row *row)
{
    sq_buf_puts(out, "| ");
    put_escaped(out, label);
    sq_buf_puts(out, " |");
    for (size_t v = 0; v < c->variant_count; v++) {
        struct sq_buf b = { 0 };
        sq_buf_putc(out, ' ');
        plt_put_cell(&b, c, v, row, NULL);
        put_taken(out, &b);
        if (c->variants[v].cells[row->metric].paired.n > 0) {
            sq_buf_puts(out, "<br>");
            plt_put_difference(&b, c, v, row);
            put_taken(out, &b);
        }
        sq_buf_puts(out, " |");
    }
    sq_buf_putc(out, '\n');
}

static void put_outlook(struct sq_buf *out, const struct sq_comparison *c, size_t variant)
{
    struct plt_outlook o;
    struct sq_buf b = { 0 };
    plt_outlook_of_variant(&o, c, variant);
    plt_put_forecast(&b, &o);
    if (b.len > 0 || b.failed) {
        sq_buf_puts(out, "  - Forecast at T1: ");
        put_taken(out, &b);
        sq_buf_puts(out, ".\n");
    }
    sq_buf_fini(&b);
}

/* Margins, and the ways in which it came out, below a variant. */
static void put_ways(struct sq_buf *out, const struct sq_comparison *c,
                     const struct sq_compared *one)
{
    for (size_t i = 0; i < one->margin_count; i++) {
        sq_buf_puts(out, "  - ");
        put_escaped(out, one->margins[i]);
        sq_buf_putc(out, '\n');
    }
    for (size_t i = 0; i < one->mode_count; i++) {
        struct sq_buf b = { 0 };
        plt_put_mode(&b, c, &one->modes[i]);
        sq_buf_puts(out, "  - ");
        put_taken(out, &b);
        sq_buf_puts(out, ".\n");
    }
}

static void put_top(struct sq_buf *out, const struct sq_comparison *c)
{
    struct sq_buf b = { 0 };
    sq_buf_puts(out, "## ");
    put_escaped(out, c->title);
    sq_buf_puts(out, "\n\n");
    if (c->interrupted) {
        sq_buf_printf(out,
                      "**INTERRUPTED after %zu of %zu runs**: only the finished ones are here.\n\n",
                      c->run_count, c->runs_wanted);
    }
    plt_put_headline(&b, c);
    sq_buf_putc(&b, '.');
    put_taken(out, &b);
    sq_buf_puts(out, "\n\n");
    for (size_t v = 0; v < c->variant_count; v++) {
        sq_buf_puts(out, "- **");
        put_escaped(out, c->variants[v].name);
        sq_buf_puts(out, "**: ");
        put_escaped(out, c->variants[v].verdict);
        sq_buf_puts(out, ".\n");
        put_outlook(out, c, v);
        put_ways(out, c, &c->variants[v]);
    }
    sq_buf_putc(out, '\n');
}

static void put_foot(struct sq_buf *out, const struct sq_comparison *c)
{
    sq_buf_putc(out, '\n');
    put_escaped(out, sq_file_name(c->file));
    sq_buf_printf(out, ", seed %llu, %zu run%s each; squall ", (unsigned long long)c->seed,
                  c->run_count, c->run_count == 1 ? "" : "s");
    put_escaped(out, c->version);
    sq_buf_puts(out, ". Scenarios:");
    for (size_t v = 0; v < c->variant_count; v++) {
        sq_buf_puts(out, v > 0 ? ", " : " ");
        put_escaped(out, c->variants[v].name);
        sq_buf_printf(out, " %s", c->variants[v].hash);
    }
    sq_buf_puts(out, ".\n");
}

static void put_all(struct sq_buf *out, const struct sq_comparison *c)
{
    sq_buf_puts(out, "\n<details><summary>All metrics</summary>\n\n");
    put_head(out, c, "metric");
    for (size_t m = 0; m < c->metric_count; m++) {
        struct plt_row row = { .metric = m, .unit = plt_unit_of(c->metric_names[m]) };
        for (size_t v = 0; v < c->variant_count; v++) {
            row.words = row.words || c->variants[v].cells[m].word_count > 0;
        }
        if (strcmp(c->metric_names[m], "outcome.p_collapse") != 0) { /* stands above, as a share */
            put_row(out, c, c->metric_names[m], &row);
        }
    }
    sq_buf_puts(out, "\n</details>\n");
}

enum sq_status plt_markdown(const struct sq_comparison *c, struct sq_buf *out)
{
    struct plt_rows *rows = sq_mem_alloc(1, sizeof *rows);
    if (rows == NULL) {
        return SQ_NOMEM;
    }
    plt_rows_pick(rows, c);
    put_top(out, c);
    put_head(out, c, c->run_count > 1 ? "median, and paired difference" : "value, and difference");
    put_collapse(out, c);
    for (size_t r = 0; r < rows->count; r++) {
        put_row(out, c, rows->list[r].label, &rows->list[r]);
    }
    sq_buf_putc(out, '\n');
    put_escaped(out, c->proof);
    sq_buf_putc(out, '\n');
    put_foot(out, c);
    put_all(out, c);
    sq_mem_free(rows);
    return out->failed ? SQ_NOMEM : SQ_OK;
}
