/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check_forms.c - verdicts as JUnit XML, TAP and annotations, and the files. */
#include "models/study/mdl_check_forms.h"

#include "models/study/mdl_check_told.h"
#include "sim/base/sq_annotation.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_markup.h"

/* ---- JUnit ---- */

/* What a writer puts, escaped. */
static void put_xml_by(void (*put)(const struct mdl_told *t, struct sq_buf *out),
                       const struct mdl_told *t, struct sq_buf *out)
{
    struct sq_buf b = { 0 };
    put(t, &b);
    sq_markup_text(out, b.text);
    out->failed = out->failed || b.failed;
    sq_buf_fini(&b);
}

static void put_case(void *ctx, const struct mdl_told *t)
{
    struct sq_buf *out = ctx;
    sq_buf_puts(out, "    <testcase classname=\"");
    sq_markup_text(out, mdl_told_path(t));
    sq_buf_puts(out, "\" name=\"");
    put_xml_by(mdl_told_put_title, t, out);
    sq_buf_printf(out, " [line %u]\"", mdl_told_line(t));
    if (!t->done) {
        sq_buf_puts(out, "><skipped message=\"not finished\"/></testcase>\n");
        return;
    }
    if (!t->passed && !t->warns) {
        sq_buf_printf(out, ">\n      <failure type=\"%s\" message=\"",
                      t->b != NULL ? "baseline" : "expectation");
        put_xml_by(mdl_told_put_figures, t, out);
        sq_buf_puts(out, "\">");
        sq_markup_text(out, mdl_told_path(t));
        sq_buf_printf(out, ":%u: ", mdl_told_line(t));
        put_xml_by(mdl_told_put_title, t, out);
        sq_buf_puts(out, "</failure>\n    </testcase>\n");
        return;
    }
    sq_buf_printf(out, ">\n      <system-out>%s", t->passed ? "" : "warned: ");
    put_xml_by(mdl_told_put_figures, t, out);
    sq_buf_puts(out, "</system-out>\n    </testcase>\n");
}

static void put_suite(const char *name, const struct mdl_told_counts *n, struct sq_buf *out)
{
    sq_buf_puts(out, "  <testsuite name=\"");
    sq_markup_text(out, name);
    sq_buf_printf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", n->all,
                  n->failed, n->skipped);
}

void mdl_check_junit(const struct mdl_check *c, struct sq_buf *out)
{
    struct mdl_told_counts n = { 0 };
    mdl_tell_all(c, &(struct mdl_teller){ mdl_told_count, &n });
    sq_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    sq_buf_printf(out,
                  "<testsuites name=\"squall check\" tests=\"%zu\" failures=\"%zu\" "
                  "errors=\"0\">\n",
                  n.all, n.failed);
    for (size_t i = 0; i < c->file_count; i++) {
        const struct mdl_check_file *f = &c->files[i];
        if (!mdl_told_has(f)) {
            continue;
        }
        n = (struct mdl_told_counts){ 0 };
        mdl_tell_file(f, &(struct mdl_teller){ mdl_told_count, &n });
        put_suite(f->path, &n, out);
        mdl_tell_file(f, &(struct mdl_teller){ put_case, out });
        sq_buf_puts(out, "  </testsuite>\n");
    }
    if (c->rest.count > 0) {
        n = (struct mdl_told_counts){ 0 };
        mdl_tell_rest(c, &(struct mdl_teller){ mdl_told_count, &n });
        put_suite("baselines", &n, out);
        mdl_tell_rest(c, &(struct mdl_teller){ put_case, out });
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

/* In double quotes YAML has escapes. */
static void put_quoted(const struct mdl_told *t, struct sq_buf *out)
{
    struct sq_buf text = { 0 };
    mdl_told_put_figures(t, &text);
    for (const char *at = text.text != NULL ? text.text : ""; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            sq_buf_putc(out, '\\');
        }
        sq_buf_putc(out, *at);
    }
    sq_buf_fini(&text);
}

static void put_point(void *ctx, const struct mdl_told *t)
{
    struct tap *tap = ctx;
    struct sq_buf title = { 0 };
    tap->number++;
    mdl_told_put_title(t, &title);
    sq_buf_printf(tap->out, "%s %zu - ", t->passed || !t->done ? "ok" : "not ok", tap->number);
    put_tap(tap->out, mdl_told_path(t));
    sq_buf_printf(tap->out, ":%u: ", mdl_told_line(t));
    put_tap(tap->out, title.text != NULL ? title.text : "");
    sq_buf_puts(tap->out, !t->done                 ? " # SKIP not finished\n"
                          : !t->passed && t->warns ? " # TODO severity warn\n"
                                                   : "\n");
    if (t->done && !t->passed) {
        sq_buf_puts(tap->out, "  ---\n  message: \"");
        put_quoted(t, tap->out);
        sq_buf_puts(tap->out, "\"\n  ...\n");
    }
    sq_buf_fini(&title);
}

void mdl_check_tap(const struct mdl_check *c, struct sq_buf *out)
{
    struct tap tap = { out, 0 };
    struct mdl_told_counts n = { 0 };
    mdl_tell_all(c, &(struct mdl_teller){ mdl_told_count, &n });
    sq_buf_printf(out, "TAP version 14\n1..%zu\n", n.all);
    mdl_tell_all(c, &(struct mdl_teller){ put_point, &tap });
}

/* ---- annotations ---- */

static void put_annotation(void *ctx, const struct mdl_told *t)
{
    struct sq_buf text = { 0 };
    if (t->passed || !t->done) {
        return;
    }
    mdl_told_put_title(t, &text);
    sq_buf_puts(&text, ": ");
    mdl_told_put_figures(t, &text);
    sq_annotation_put(ctx, t->warns ? SQ_WARNING : SQ_ERROR,
                      (struct sq_where){ mdl_told_path(t), mdl_told_line(t), 0 }, "squall check",
                      text.text != NULL ? text.text : "");
    sq_buf_fini(&text);
}

void mdl_check_github(const struct mdl_check *c, struct sq_buf *out)
{
    mdl_tell_all(c, &(struct mdl_teller){ put_annotation, out });
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
