/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check_forms.c - verdicts as XML, TAP, JSON, Markdown and annotations. */
#include "models/study/mdl_check_forms.h"

#include "models/study/mdl_check_line.h"
#include "sim/base/sq_annotation.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"
#include "sim/base/sq_markup.h"

#include <math.h>
#include <string.h>

/* ---- what is told ---- */

/* An expectation that was chosen, or a file without any (v NULL). */
struct told {
    const struct mdl_check_file *f;
    size_t item;
    const struct sq_verdict *v;
    bool passed, warns;
};

struct teller {
    void (*tell)(void *ctx, const struct told *t);
    void *ctx;
};

static bool is_chosen(const struct mdl_check_file *f)
{
    return f->chosen_count > 0 || f->runs_bare;
}

static void tell_file(const struct mdl_check_file *f, const struct teller *to)
{
    for (size_t k = 0; k < f->expects.count; k++) {
        if (!f->chosen[k]) {
            continue;
        }
        const struct sq_verdict *v = &f->verdicts[k];
        struct told t = { .f = f,
                          .item = k,
                          .v = f->done ? v : NULL,
                          .passed = f->done && v->state == SQ_VERDICT_PASSED,
                          .warns = f->expects.items[k].cfg->severity == MDL_SEVERITY_WARN };
        to->tell(to->ctx, &t);
    }
    if (f->runs_bare) {
        to->tell(to->ctx, &(struct told){ .f = f, .passed = f->done });
    }
}

static void tell_all(const struct mdl_check *c, const struct teller *to)
{
    for (size_t i = 0; i < c->file_count; i++) {
        tell_file(&c->files[i], to);
    }
}

static const char *file_of(const struct told *t)
{
    return t->f->path;
}

static unsigned line_of(const struct told *t)
{
    return t->f->runs_bare ? 1 : (unsigned)t->f->expects.items[t->item].where.line;
}

/* "cap: drain.queue_clear_s < 4m (at 40m)". */
static void put_title(const struct told *t, struct sq_buf *out)
{
    if (t->f->runs_bare) {
        sq_buf_puts(out, "base: every law holds");
        return;
    }
    const struct mdl_expectation *e = &t->f->expects.items[t->item];
    sq_buf_printf(out, "%s: %s", t->f->expects.variants[e->variant].name, e->expr->text);
    if (e->window.text != NULL) {
        sq_buf_printf(out, " (%s)", e->window.text);
    }
}

static void put_figures(const struct told *t, struct sq_buf *out)
{
    if (t->v != NULL) {
        sq_verdict_put_figures(t->v, out);
    } else if (t->f->done) {
        sq_buf_printf(out, "%zu run%s", t->f->run_count, t->f->run_count == 1 ? "" : "s");
    } else {
        sq_buf_puts(out, "not finished");
    }
}

/* ---- counts ---- */

struct counts {
    size_t all, failed, skipped, warned;
};

static void count(void *ctx, const struct told *t)
{
    struct counts *n = ctx;
    n->all++;
    n->skipped += !t->f->done;
    n->failed += t->f->done && !t->passed && !t->warns;
    n->warned += t->f->done && !t->passed && t->warns;
}

static struct counts count_of(const struct mdl_check *c, const struct mdl_check_file *only)
{
    struct counts n = { 0 };
    struct teller to = { count, &n };
    if (only != NULL) {
        tell_file(only, &to);
    } else {
        tell_all(c, &to);
    }
    return n;
}

/* ---- JUnit ---- */

/* What a writer puts, escaped. */
static void put_xml_by(void (*put)(const struct told *t, struct sq_buf *out), const struct told *t,
                       struct sq_buf *out)
{
    struct sq_buf b = { 0 };
    put(t, &b);
    sq_markup_text(out, b.text);
    out->failed = out->failed || b.failed;
    sq_buf_fini(&b);
}

static void put_case(void *ctx, const struct told *t)
{
    struct sq_buf *out = ctx;
    sq_buf_puts(out, "    <testcase classname=\"");
    sq_markup_text(out, file_of(t));
    sq_buf_puts(out, "\" name=\"");
    put_xml_by(put_title, t, out);
    sq_buf_printf(out, " [line %u]\"", line_of(t));
    if (!t->f->done) {
        sq_buf_puts(out, "><skipped message=\"not finished\"/></testcase>\n");
        return;
    }
    if (!t->passed && !t->warns) {
        sq_buf_puts(out, ">\n      <failure type=\"expectation\" message=\"");
        put_xml_by(put_figures, t, out);
        sq_buf_puts(out, "\">");
        sq_markup_text(out, file_of(t));
        sq_buf_printf(out, ":%u: ", line_of(t));
        put_xml_by(put_title, t, out);
        sq_buf_puts(out, "</failure>\n    </testcase>\n");
        return;
    }
    sq_buf_printf(out, ">\n      <system-out>%s", t->passed ? "" : "warned: ");
    put_xml_by(put_figures, t, out);
    sq_buf_puts(out, "</system-out>\n    </testcase>\n");
}

void mdl_check_junit(const struct mdl_check *c, struct sq_buf *out)
{
    struct counts n = count_of(c, NULL);
    sq_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    sq_buf_printf(out,
                  "<testsuites name=\"squall check\" tests=\"%zu\" failures=\"%zu\" "
                  "errors=\"0\">\n",
                  n.all, n.failed);
    for (size_t i = 0; i < c->file_count; i++) {
        const struct mdl_check_file *f = &c->files[i];
        if (!is_chosen(f)) {
            continue;
        }
        n = count_of(c, f);
        sq_buf_puts(out, "  <testsuite name=\"");
        sq_markup_text(out, f->path);
        sq_buf_printf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
                      n.all, n.failed, n.skipped);
        tell_file(f, &(struct teller){ put_case, out });
        sq_buf_puts(out, "  </testsuite>\n");
    }
    sq_buf_puts(out, "</testsuites>\n");
}

/* ---- TAP ---- */

struct tap {
    struct sq_buf *out;
    size_t number;
};

/* In a description `#` begins a directive. */
static void put_tap(struct sq_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '#' || *text == '\\') {
            sq_buf_putc(out, '\\');
        }
        sq_buf_putc(out, *text);
    }
}

static void put_point(void *ctx, const struct told *t)
{
    struct tap *tap = ctx;
    struct sq_buf title = { 0 };
    tap->number++;
    put_title(t, &title);
    sq_buf_printf(tap->out, "%s %zu - ", t->passed || !t->f->done ? "ok" : "not ok", tap->number);
    put_tap(tap->out, file_of(t));
    sq_buf_printf(tap->out, ":%u: ", line_of(t));
    put_tap(tap->out, title.text != NULL ? title.text : "");
    sq_buf_puts(tap->out, !t->f->done              ? " # SKIP not finished\n"
                          : !t->passed && t->warns ? " # TODO severity warn\n"
                                                   : "\n");
    if (t->f->done && !t->passed) {
        sq_buf_puts(tap->out, "  ---\n  message: \"");
        put_figures(t, tap->out);
        sq_buf_puts(tap->out, "\"\n  ...\n");
    }
    sq_buf_fini(&title);
}

void mdl_check_tap(const struct mdl_check *c, struct sq_buf *out)
{
    struct tap tap = { out, 0 };
    sq_buf_printf(out, "TAP version 14\n1..%zu\n", count_of(c, NULL).all);
    tell_all(c, &(struct teller){ put_point, &tap });
}

/* ---- JSON ---- */

static void put_side(struct sq_json_writer *j, const char *key, const struct sq_verdict_side *s)
{
    sq_json_open_object(j, key);
    if (s->word != NULL) {
        sq_json_put_text(j, "word", s->word);
        sq_json_put_integer(j, "runs", (int64_t)s->word_runs);
    } else {
        sq_json_put_number(j, "median", s->median);
        sq_json_put_number(j, "min", s->min);
        sq_json_put_number(j, "max", s->max);
    }
    sq_json_put_integer(j, "nulls", (int64_t)s->nulls);
    sq_json_close(j);
}

static void put_object(void *ctx, const struct told *t)
{
    static const char *const states[] = { [SQ_VERDICT_PASSED] = "passed",
                                          [SQ_VERDICT_FAILED] = "failed",
                                          [SQ_VERDICT_OPEN] = "not judged" };
    struct sq_json_writer *j = ctx;
    const struct mdl_expectation *e = t->f->runs_bare ? NULL : &t->f->expects.items[t->item];
    sq_json_open_object(j, NULL);
    sq_json_put_text(j, "file", file_of(t));
    sq_json_put_integer(j, "line", line_of(t));
    sq_json_put_text(j, "variant", e != NULL ? t->f->expects.variants[e->variant].name : "base");
    sq_json_put_text(j, "that", e != NULL ? e->expr->text : NULL);
    sq_json_put_text(j, "when", e != NULL ? e->window.text : NULL);
    sq_json_put_text(j, "severity", t->warns ? "warn" : "error");
    sq_json_put_text(
        j, "state", !t->f->done ? "not finished" : (t->v != NULL ? states[t->v->state] : "passed"));
    if (t->v != NULL && t->v->state != SQ_VERDICT_OPEN) {
        sq_json_put_integer(j, "runs", (int64_t)t->v->runs);
        sq_json_put_integer(j, "runs_passed", (int64_t)t->v->runs_passed);
        sq_json_put_integer(j, "runs_needed", (int64_t)t->v->runs_needed);
        put_side(j, "observed", &t->v->observed);
        put_side(j, "limit", &t->v->limit);
        sq_json_put_number(j, "margin", t->v->margin);
    }
    sq_json_close(j);
}

enum sq_status mdl_check_json(const struct mdl_check *c, struct sq_buf *out)
{
    struct sq_json_writer j = { 0 };
    struct counts n = count_of(c, NULL);
    sq_json_open_object(&j, NULL);
    sq_json_open_object(&j, "squall");
    sq_json_put_text(&j, "version", SQ_VERSION);
    sq_json_put_integer(&j, "format", 1);
    sq_json_close(&j);
    sq_json_put_integer(&j, "passed", (int64_t)(n.all - n.failed - n.warned - n.skipped));
    sq_json_put_integer(&j, "failed", (int64_t)n.failed);
    sq_json_put_integer(&j, "warned", (int64_t)n.warned);
    sq_json_put_integer(&j, "not_finished", (int64_t)n.skipped);
    sq_json_open_array(&j, "expectations");
    tell_all(c, &(struct teller){ put_object, &j });
    sq_json_close(&j);
    sq_json_close(&j);
    enum sq_status status = sq_json_dump(&j, out);
    sq_json_writer_fini(&j);
    return status;
}

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

static void put_line(void *ctx, const struct told *t)
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
    put_title(t, &title);
    put_figures(t, &figures);
    sq_buf_printf(p->out, "| %s | ",
                  t->passed     ? "passed"
                  : !t->f->done ? "not finished"
                  : t->warns    ? "warned"
                                : "**FAILED**");
    put_md(p->out, file_of(t));
    sq_buf_printf(p->out, ":%u ", line_of(t));
    put_md(p->out, title.text != NULL ? title.text : "");
    sq_buf_puts(p->out, " | ");
    put_md(p->out, figures.text != NULL ? figures.text : "");
    sq_buf_puts(p->out, " |\n");
    sq_buf_fini(&title);
    sq_buf_fini(&figures);
}

void mdl_check_markdown(const struct mdl_check *c, struct sq_buf *out)
{
    struct counts n = count_of(c, NULL);
    size_t passed = n.all - n.failed - n.warned - n.skipped;
    sq_buf_printf(out, "## squall check: %s\n\n%zu passed, %zu failed",
                  n.failed > 0    ? "failed"
                  : n.skipped > 0 ? "not finished"
                                  : "passed",
                  passed, n.failed);
    sq_buf_printf(out, "%s%zu warned, %zu not finished\n\n", ", ", n.warned, n.skipped);
    struct page p = { .out = out, .passed = false };
    tell_all(c, &(struct teller){ put_line, &p });
    sq_buf_puts(out, p.any ? "\n" : "");
    p.any = false;
    p.passed = true;
    tell_all(c, &(struct teller){ put_line, &p });
    if (p.left_off > 0) {
        sq_buf_printf(out, "\n%zu more lines are left off.\n", p.left_off);
    }
}

/* ---- annotations ---- */

static void put_annotation(void *ctx, const struct told *t)
{
    struct sq_buf text = { 0 };
    if (t->passed || !t->f->done) {
        return;
    }
    put_title(t, &text);
    sq_buf_puts(&text, ": ");
    put_figures(t, &text);
    sq_annotation_put(ctx, t->warns ? SQ_WARNING : SQ_ERROR,
                      (struct sq_where){ file_of(t), line_of(t), 0 }, "squall check",
                      text.text != NULL ? text.text : "");
    sq_buf_fini(&text);
}

void mdl_check_github(const struct mdl_check *c, struct sq_buf *out)
{
    tell_all(c, &(struct teller){ put_annotation, out });
}

/* ---- files ---- */

static enum sq_status write_form(const char *path, struct sq_buf *text, struct sq_diag *diag)
{
    enum sq_status status = text->failed ? SQ_NOMEM : SQ_OK;
    status = status == SQ_OK ? sq_file_write(path, text->text, text->len, diag) : status;
    sq_buf_fini(text);
    return status;
}

enum sq_status mdl_check_write(const struct mdl_check *c, const struct mdl_check_files *files,
                               struct sq_diag *diag)
{
    struct sq_buf text = { 0 };
    enum sq_status worst = SQ_OK, status;
    if (files->junit != NULL) {
        mdl_check_junit(c, &text);
        worst = write_form(files->junit, &text, diag);
    }
    if (files->markdown != NULL) {
        mdl_check_markdown(c, &text);
        status = write_form(files->markdown, &text, diag);
        worst = status != SQ_OK ? status : worst;
    }
    if (files->json != NULL) {
        status = mdl_check_json(c, &text);
        status = status == SQ_OK ? write_form(files->json, &text, diag) : status;
        worst = status != SQ_OK ? status : worst;
    }
    return worst;
}
