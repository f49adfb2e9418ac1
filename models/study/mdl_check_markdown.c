/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check_markdown.c - verdicts for a job summary. */
#include "models/study/mdl_check_forms.h"

#include "models/study/mdl_check_told.h"

#include <string.h>

/* ---- Markdown ---- */

struct page {
    struct sq_buf *out;
    bool passed; /* which ones are told now */
    bool any;
    size_t left_off;
};

/* Text in a cell: no bars, no line ends, no markup of its own. */
static void put_md(struct sq_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("|\\`*_<>[]&", *text) != NULL) {
            sq_buf_putc(out, '\\');
        }
        sq_buf_putc(out, (unsigned char)*text < 0x20 ? ' ' : *text);
    }
}

static void put_line(void *ctx, const struct mdl_told *t)
{
    struct page *p = ctx;
    struct sq_buf title = { 0 }, figures = { 0 };
    if (t->passed != p->passed) {
        return;
    }
    if (p->out->len > MDL_MARKDOWN_MAX) {
        p->left_off++;
        return;
    }
    if (!p->any) {
        sq_buf_puts(p->out, "| | expectation | figures |\n|---|---|---|\n");
        p->any = true;
    }
    mdl_told_put_title(t, &title);
    mdl_told_put_figures(t, &figures);
    sq_buf_printf(p->out, "| %s | ",
                  t->passed  ? "passed"
                  : !t->done ? "not finished"
                  : t->warns ? "warned"
                             : "**FAILED**");
    put_md(p->out, mdl_told_path(t));
    sq_buf_printf(p->out, ":%u ", mdl_told_line(t));
    put_md(p->out, title.text != NULL ? title.text : "");
    sq_buf_puts(p->out, " | ");
    put_md(p->out, figures.text != NULL ? figures.text : "");
    sq_buf_puts(p->out, " |\n");
    sq_buf_fini(&title);
    sq_buf_fini(&figures);
}

/* ---- timelines ---- */

struct search {
    const char *variant;
    bool found;
};

static void look_for(void *ctx, const struct mdl_told *t)
{
    struct search *s = ctx;
    s->found = s->found || (!t->passed && strcmp(mdl_told_variant(t), s->variant) == 0);
}

static bool has_failed(const struct mdl_check_file *f, const char *variant)
{
    struct search s = { variant, false };
    mdl_tell_file(f, &(struct mdl_teller){ look_for, &s });
    return s.found;
}

static void put_sparks(struct page *p, const struct mdl_check_file *f,
                       const struct mdl_check_variant *v)
{
    for (size_t i = 0; i < v->sparks.count; i++) {
        const struct mdl_spark *spark = &v->sparks.items[i];
        if (p->out->len > MDL_MARKDOWN_MAX) {
            p->left_off++;
            continue;
        }
        if (!p->any) {
            sq_buf_puts(p->out, "First runs over time:\n\n| variant | | | highest |\n"
                                "|---|---|---|---|\n");
            p->any = true;
        }
        sq_buf_puts(p->out, "| ");
        put_md(p->out, f->path);
        sq_buf_puts(p->out, ": ");
        put_md(p->out, v->name);
        sq_buf_puts(p->out, " | ");
        put_md(p->out, spark->what);
        sq_buf_printf(p->out, " | `%s` | ", spark->line);
        sq_buf_number(p->out, spark->most, 4);
        sq_buf_puts(p->out, " |\n");
    }
}

/* Of the variants with a failure, or of the others. */
static void put_timelines(const struct mdl_check *c, struct page *p)
{
    p->any = false;
    for (size_t i = 0; i < c->file_count; i++) {
        const struct mdl_check_file *f = &c->files[i];
        for (size_t k = 0; f->done && k < f->variant_count; k++) {
            if (has_failed(f, f->variants[k].name) != p->passed) {
                put_sparks(p, f, &f->variants[k]);
            }
        }
    }
    sq_buf_puts(p->out, p->any ? "\n" : "");
    p->any = false;
}

void mdl_check_markdown(const struct mdl_check *c, struct sq_buf *out)
{
    struct mdl_told_counts n = { 0 };
    mdl_tell_all(c, &(struct mdl_teller){ mdl_told_count, &n });
    size_t passed = n.all - n.failed - n.warned - n.skipped;
    sq_buf_printf(out, "## squall check: %s\n\n%zu passed, %zu failed",
                  n.failed > 0    ? "failed"
                  : n.skipped > 0 ? "not finished"
                                  : "passed",
                  passed, n.failed);
    sq_buf_printf(out, "%s%zu warned, %zu not finished\n\n", ", ", n.warned, n.skipped);
    struct page p = { .out = out, .passed = false };
    mdl_tell_all(c, &(struct mdl_teller){ put_line, &p });
    sq_buf_puts(out, p.any ? "\n" : "");
    put_timelines(c, &p);
    p.passed = true;
    mdl_tell_all(c, &(struct mdl_teller){ put_line, &p });
    sq_buf_puts(out, p.any ? "\n" : "");
    put_timelines(c, &p);
    if (p.left_off > 0) {
        sq_buf_printf(out, "\n%zu more lines are left off.\n", p.left_off);
    }
}
