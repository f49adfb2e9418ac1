/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_trace.c - `squall import trace`: options to an ask, samples to a CSV that is written
 * as it grows. */
#include "models/import/mdl_import_trace.h"

#include <string.h>

#include "sim/base/sq_file.h"
#include "sim/base/sq_term.h"

enum { FLUSH_AT = 1 << 16, DAY_S = 86400 };

/* ---- what is asked ---- */

static enum sq_status read_word(const struct sq_args *args, const char *name,
                                const char *const *words, int *out, struct sq_diag *diag)
{
    const char *text = sq_args_get(args, name);
    struct sq_buf hint = { 0 };
    *out = 0;
    if (text == NULL) {
        return SQ_OK;
    }
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = i + 1;
            sq_buf_fini(&hint);
            return SQ_OK;
        }
        sq_buf_printf(&hint, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
    enum sq_status status = sq_diag_error(diag, (struct sq_where){ .file = "squall" }, NULL,
                                          hint.failed ? NULL : hint.text,
                                          "--%s: `%s` is none of the choices", name, text);
    sq_buf_fini(&hint);
    return status;
}

static enum sq_status read_delimiter(const struct sq_args *args, char *out, struct sq_diag *diag)
{
    const char *text = sq_args_get(args, "delimiter");
    *out = '\0';
    if (text == NULL) {
        return SQ_OK;
    }
    *out = strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0 ? '\t' : text[0];
    if (*out != '\t' && (text[0] == '\0' || text[1] != '\0' || strchr("\"\r\n", text[0]) != NULL)) {
        return sq_diag_error(diag, (struct sq_where){ .file = "squall" }, NULL,
                             "one character, or tab", "--delimiter: `%s` is none", text);
    }
    return SQ_OK;
}

static enum sq_status read_wheres(const struct sq_args *args, struct mdl_import_ask *ask,
                                  struct sq_diag *diag)
{
    size_t at = 0;
    for (const char *text; (text = sq_args_next(args, "where", &at)) != NULL;) {
        if (ask->where_count == MDL_IMPORT_WHERES) {
            return sq_diag_error(diag, (struct sq_where){ .file = "squall" }, NULL, NULL,
                                 "--where: at most %d of them", MDL_IMPORT_WHERES);
        }
        ask->wheres[ask->where_count++] = text;
    }
    return SQ_OK;
}

static enum sq_status read_ask(const struct sq_args *args, struct mdl_import_ask *ask,
                               struct sq_diag *diag)
{
    static const char *const signs[] = { "point", "comma", NULL };
    int reads = 0, gaps = 0, sign = 0, form = 0;
    *ask = (struct mdl_import_ask){ .file = args->words[0],
                                    .format = sq_args_get(args, "format"),
                                    .time = sq_args_get(args, "time"),
                                    .value = sq_args_get(args, "value"),
                                    .time_form = sq_args_get(args, "time-format"),
                                    .zone = sq_args_get(args, "zone"),
                                    .sums = sq_args_get(args, "sum") != NULL };
    enum sq_status status = read_word(args, "reads", mdl_import_reads_words, &reads, diag);
    status = status == SQ_OK ? read_word(args, "gaps", mdl_import_gaps_words, &gaps, diag) : status;
    status = status == SQ_OK ? read_word(args, "decimal", signs, &sign, diag) : status;
    status = status == SQ_OK ? read_word(args, "time-format", mdl_import_time_words, &form, diag)
                             : status;
    status = status == SQ_OK ? read_delimiter(args, &ask->delimiter, diag) : status;
    status = status == SQ_OK ? read_wheres(args, ask, diag) : status;
    ask->reads = (enum mdl_import_reads)reads;
    ask->gaps = (enum mdl_import_gaps)gaps;
    ask->decimal = "\0.,"[sign];
    if (status == SQ_OK) {
        struct sq_opt_range range = { 1, 366 * DAY_S * SQ_NS_PER_S };
        status = sq_args_duration(args, "bin", range, &ask->bin, diag);
    }
    return status;
}

/* ---- the CSV ---- */

struct writer {
    struct sq_buf text;
    struct sq_file_out file;
    const char *path; /* NULL: standard output */
    struct sq_diag *diag;
    enum mdl_import_reads reads;
};

static enum sq_status flush(struct writer *w)
{
    enum sq_status status = w->text.failed ? SQ_NOMEM
                            : w->path != NULL
                                ? sq_file_add(&w->file, w->text.text, w->text.len, w->diag)
                                : sq_term_print(&w->text);
    w->text.len = 0;
    return status;
}

static enum sq_status begin(void *ctx, const struct mdl_import_found *found)
{
    struct writer *w = ctx;
    w->reads = found->reads;
    sq_buf_puts(&w->text, found->reads == MDL_IMPORT_TIMES  ? "time_s\n"
                          : found->reads == MDL_IMPORT_RATE ? "time_s,rate_per_s\n"
                                                            : "time_s,count\n");
    return SQ_OK;
}

/* Seconds, exactly. */
static void put_seconds(struct sq_buf *b, sq_time_t at)
{
    sq_buf_printf(b, "%lld", (long long)(at / SQ_NS_PER_S));
    int64_t fraction = at % SQ_NS_PER_S;
    if (fraction > 0) {
        int width = 9;
        for (; fraction % 10 == 0; fraction /= 10) {
            width--;
        }
        sq_buf_printf(b, ".%0*lld", width, (long long)fraction);
    }
}

static enum sq_status put(void *ctx, sq_time_t at, double value)
{
    struct writer *w = ctx;
    put_seconds(&w->text, at);
    if (w->reads != MDL_IMPORT_TIMES) {
        sq_buf_putc(&w->text, ',');
        sq_buf_number(&w->text, value, 15);
    }
    sq_buf_putc(&w->text, '\n');
    return w->text.len >= FLUSH_AT ? flush(w) : SQ_OK;
}

/* ---- the whole ---- */

static enum sq_status import_into(struct writer *w, const struct mdl_import_ask *ask,
                                  struct sq_buf *page)
{
    struct mdl_import_sink sink = { begin, put, w };
    struct mdl_import *im = mdl_import_open(ask, &sink, w->diag);
    enum sq_status status = im != NULL ? mdl_import_file(im) : SQ_NOMEM;
    status = status == SQ_OK && w->text.len > 0 ? flush(w) : status;
    if (status == SQ_OK) {
        const struct mdl_import_found *f = mdl_import_found(im);
        mdl_import_say(f, page);
        sq_buf_putc(page, '\n');
        mdl_import_figures(f, page);
        mdl_import_fragment(f, w->path != NULL ? w->path : "TRACE.csv", page);
    }
    mdl_import_close(im);
    return status;
}

/* The page as notes, because standard output is the CSV's. */
static void note_page(const struct sq_buf *page, struct sq_diag *diag)
{
    const char *line = page->text;
    while (line != NULL && *line != '\0') {
        size_t len = strcspn(line, "\n");
        sq_diag_note(diag, NULL, "%.*s", (int)len, line);
        line += len + (line[len] == '\n');
    }
}

enum sq_status mdl_import_trace(const struct sq_args *args, struct sq_buf *page,
                                struct sq_diag *diag)
{
    struct mdl_import_ask ask;
    struct writer w = { .path = sq_args_get(args, "out"), .diag = diag };
    struct sq_buf found = { 0 };
    enum sq_status status = read_ask(args, &ask, diag);
    if (status != SQ_OK) {
        return status;
    }
    if (w.path != NULL) {
        status = sq_file_begin(&w.file, w.path, diag);
        status = status == SQ_OK ? import_into(&w, &ask, page) : status;
        status = sq_file_end(&w.file, status, diag);
    } else {
        status = import_into(&w, &ask, &found);
        if (status == SQ_OK) {
            note_page(&found, diag);
        }
    }
    sq_buf_fini(&found);
    sq_buf_fini(&w.text);
    return status;
}
