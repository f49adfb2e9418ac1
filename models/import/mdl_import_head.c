/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_head.c - what a file is, from its beginning: its dialect, its delimiter, where its
 * data begin. */
#include "models/import/mdl_import_in.h"

#include <string.h>

struct sq_where mdl_import_place(const struct mdl_import *im, uint32_t line)
{
    return (struct sq_where){ im->ask.file, line, 0 };
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

bool mdl_import_same(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

/* ---- rows of the head ---- */

struct collector {
    struct sq_arena *arena;
    struct mdl_import_head *head;
};

static enum sq_status collect(void *ctx, const struct sq_csv_row *row)
{
    struct collector *c = ctx;
    struct mdl_import_head *h = c->head;
    if (h->count == h->max) {
        size_t max = h->max == 0 ? 64 : 2 * h->max;
        struct sq_csv_row *rows = sq_arena_alloc(c->arena, max, sizeof *rows);
        if (rows == NULL) {
            return SQ_NOMEM;
        }
        if (h->count > 0) {
            memcpy(rows, h->rows, h->count * sizeof *rows);
        }
        h->rows = rows;
        h->max = max;
    }
    const char **cells = sq_arena_alloc(c->arena, row->count, sizeof *cells);
    for (uint32_t i = 0; cells != NULL && i < row->count; i++) {
        cells[i] = sq_arena_text(c->arena, row->cells[i], strlen(row->cells[i]));
        cells = cells[i] == NULL ? NULL : cells;
    }
    if (cells == NULL) {
        return SQ_NOMEM;
    }
    h->rows[h->count++] = (struct sq_csv_row){ row->line, row->count, cells };
    return SQ_OK;
}

/* The head as rows with this delimiter. A quote that is not closed at its end is none of its. */
static enum sq_status read_head(struct mdl_import *im, char delimiter, bool whole,
                                struct mdl_import_head *h, struct sq_diag *diag)
{
    struct collector c = { &im->arena, h };
    struct sq_csv_ask ask = { .file = im->ask.file,
                              .delimiter = delimiter,
                              .line_end = strcmp(im->found.line_end, "CR") == 0 ? '\r' : '\n',
                              .row = collect,
                              .ctx = &c };
    h->count = 0;
    struct sq_csv_stream *s = sq_csv_stream_open(&ask, diag);
    if (s == NULL) {
        return SQ_NOMEM;
    }
    enum sq_status status = sq_csv_stream_feed(s, h->text, h->len);
    if (status == SQ_OK && whole) {
        status = sq_csv_stream_end(s);
    }
    sq_csv_stream_close(s);
    return status;
}

/* How well a delimiter fits: the share of rows that are as wide as most, in thousandths, then the
 * columns. */
static unsigned fitness(const struct mdl_import_head *h)
{
    unsigned best = 0;
    for (size_t i = 0; i < h->count && i < 8; i++) { /* the width of one of the first rows */
        unsigned width = h->rows[i].count, same = 0;
        for (size_t k = 0; k < h->count; k++) {
            same += h->rows[k].count == width;
        }
        unsigned score = (unsigned)(same * 1000ull / h->count) * 16 + (width < 15 ? width : 15);
        best = width >= 2 && score > best ? score : best;
    }
    return best;
}

static enum sq_status find_delimiter(struct mdl_import *im, bool whole, struct mdl_import_head *h)
{
    static const char choices[] = { ',', ';', '\t', '|' };
    unsigned best = 0;
    char found = ',';
    for (size_t i = 0; i < SQ_COUNT(choices); i++) {
        struct sq_diag ignored = { 0 };
        enum sq_status status = read_head(im, choices[i], whole, h, &ignored);
        unsigned score = status == SQ_OK && h->count > 0 ? fitness(h) : 0;
        sq_diag_fini(&ignored);
        if (status == SQ_NOMEM) {
            return status;
        }
        if (score > best) {
            best = score;
            found = choices[i];
        }
    }
    im->found.delimiter = found;
    return SQ_OK;
}

/* A first line "sep=;", which spreadsheets understand. */
static bool sep_line(const struct mdl_import_head *h, char *delimiter)
{
    bool is = strncmp(h->text, "sep=", 4) == 0 && h->text[4] != '\0' &&
              (h->text[5] == '\r' || h->text[5] == '\n');
    if (is) {
        *delimiter = h->text[4];
    }
    return is;
}

/* ---- the header ---- */

static bool has_time(const struct sq_csv_row *row)
{
    for (uint32_t i = 0; i < row->count; i++) {
        if (mdl_import_clock_looks(row->cells[i])) {
            return true;
        }
    }
    return false;
}

static bool has_number(const struct sq_csv_row *row)
{
    for (uint32_t i = 0; i < row->count; i++) {
        struct mdl_import_number n;
        if (mdl_import_number(row->cells[i], '.', &n) == NULL && !n.null) {
            return true;
        }
    }
    return false;
}

static bool all_numbers(const struct sq_csv_row *row)
{
    for (uint32_t i = 0; i < row->count; i++) {
        struct mdl_import_number n;
        if (mdl_import_number(row->cells[i], '.', &n) != NULL || n.null) {
            return false;
        }
    }
    return true;
}

static bool is_aside(const struct sq_csv_row *row)
{
    return row->cells[0][0] == '#' || strncmp(row->cells[0], "sep=", 4) == 0;
}

/* The first row of data, and the row that names the columns; equal: there is none. */
static size_t find_header(const struct mdl_import_head *h, size_t *names)
{
    size_t first = 0;
    while (first < h->count && is_aside(&h->rows[first])) {
        first++;
    }
    *names = first;
    if (first == h->count || has_time(&h->rows[first]) || all_numbers(&h->rows[first])) {
        return first;
    }
    for (size_t i = first + 1; i < h->count; i++) {
        if (has_time(&h->rows[i])) {
            return i;
        }
    }
    for (size_t i = first + 1; i < h->count; i++) {
        if (has_number(&h->rows[i])) {
            return i;
        }
    }
    return first + 1;
}

static enum sq_status name_columns(struct mdl_import *im, struct mdl_import_head *h)
{
    size_t names = 0;
    h->header = im->dialect != NULL && im->dialect->lines ? 0 : find_header(h, &names);
    uint32_t width = 1;
    for (size_t i = h->header; i < h->count; i++) {
        width = h->rows[i].count > width ? h->rows[i].count : width;
    }
    const struct sq_csv_row *named = names < h->header ? &h->rows[names] : NULL;
    /* A header without the word for the times, which old versions of Grafana forget. */
    uint32_t shift = named != NULL && named->count + 1 == width && h->header < h->count &&
                     mdl_import_clock_looks(h->rows[h->header].cells[0]);
    if (named != NULL && named->count + shift > width) {
        width = named->count + shift;
    }
    h->columns = width;
    h->names = sq_arena_alloc(&im->arena, width, sizeof *h->names);
    if (h->names == NULL) {
        return SQ_NOMEM;
    }
    for (uint32_t i = 0; i < width; i++) {
        bool is = named != NULL && i >= shift && i - shift < named->count;
        h->names[i] = is ? named->cells[i - shift] : i < shift ? "Time" : "";
    }
    im->names = h->names;
    im->columns = h->columns;
    im->skip = (uint32_t)h->header;
    im->found.header_rows = im->skip - (im->found.sep_line && im->skip > 0);
    return SQ_OK;
}

/* ---- the dialect ---- */

static bool needs_met(const struct mdl_import *im, const struct mdl_import_dialect *d)
{
    for (size_t i = 0; i < SQ_COUNT(d->needs) && d->needs[i] != NULL; i++) {
        bool there = false;
        for (uint32_t k = 0; k < im->columns; k++) {
            there = there || strcmp(im->names[k], d->needs[i]) == 0;
        }
        if (!there) {
            return false;
        }
    }
    return true;
}

static enum sq_status asked_dialect(struct mdl_import *im)
{
    struct sq_buf hint = { 0 };
    for (size_t i = 0; i < mdl_import_dialect_count; i++) {
        const struct mdl_import_dialect *d = &mdl_import_dialects[i];
        if (strcmp(d->name, im->ask.format) == 0) {
            im->dialect = d;
            sq_buf_fini(&hint);
            return SQ_OK;
        }
        if (d->refused == NULL) {
            sq_buf_printf(&hint, "%s%s", hint.len == 0 ? "" : ", ", d->name);
        }
    }
    (void)sq_diag_error(im->diag, (struct sq_where){ .file = "squall" }, NULL,
                        hint.failed ? NULL : hint.text, "--format: there is no format `%s`",
                        im->ask.format);
    sq_buf_fini(&hint);
    return SQ_USER;
}

static void find_by_text(struct mdl_import *im, const struct mdl_import_head *h)
{
    for (size_t i = 0; i < mdl_import_dialect_count && im->dialect == NULL; i++) {
        const struct mdl_import_dialect *d = &mdl_import_dialects[i];
        im->dialect = d->is != NULL && d->is(h) ? d : NULL;
    }
}

static void find_by_header(struct mdl_import *im)
{
    for (size_t i = 0; i < mdl_import_dialect_count && im->dialect == NULL; i++) {
        const struct mdl_import_dialect *d = &mdl_import_dialects[i];
        im->dialect = d->is == NULL && needs_met(im, d) ? d : NULL;
    }
}

static const char *line_end_of(const struct mdl_import_head *h)
{
    const char *cr = memchr(h->text, '\r', h->len), *lf = memchr(h->text, '\n', h->len);
    if (cr == NULL) {
        return lf != NULL ? "LF" : "no line end";
    }
    if (lf == NULL) {
        return "CR";
    }
    return strstr(h->text, "\r\r\n") != NULL ? "CR CR LF"
           : strstr(h->text, "\r\n") != NULL ? "CR LF"
                                             : "LF";
}

static enum sq_status read_lines(struct mdl_import *im, struct mdl_import_head *h)
{
    struct collector c = { &im->arena, h };
    size_t len = strcspn(h->text, "\r\n");
    const char *cell = sq_arena_text(&im->arena, h->text, len);
    struct sq_csv_row row = { 1, 1, &cell };
    im->found.delimiter = '\0';
    return cell == NULL ? SQ_NOMEM : collect(&c, &row);
}

static enum sq_status read_table(struct mdl_import *im, bool whole, struct mdl_import_head *h)
{
    enum sq_status status = SQ_OK;
    char sep = '\0';
    im->found.sep_line = sep_line(h, &sep);
    char known = im->ask.delimiter != '\0' ? im->ask.delimiter
                 : im->dialect != NULL     ? im->dialect->delimiter
                                           : '\0';
    im->found.delimiter = known != '\0' ? known : sep;
    if (im->found.delimiter == '\0') {
        status = find_delimiter(im, whole, h);
    }
    return status == SQ_OK ? read_head(im, im->found.delimiter, whole, h, im->diag) : status;
}

static enum sq_status open_rows(struct mdl_import *im)
{
    if (im->dialect->lines) {
        return SQ_OK;
    }
    struct sq_csv_ask ask = { .file = im->ask.file,
                              .delimiter = im->found.delimiter,
                              .line_end = strcmp(im->found.line_end, "CR") == 0 ? '\r' : '\n',
                              .row = mdl_import_row,
                              .ctx = im };
    im->csv = sq_csv_stream_open(&ask, im->diag);
    return im->csv != NULL ? SQ_OK : SQ_NOMEM;
}

enum sq_status mdl_import_begin(struct mdl_import *im, bool whole)
{
    struct mdl_import_head h = { .text = im->head.text != NULL ? im->head.text : "",
                                 .len = im->head.len };
    if (memchr(h.text, '\0', h.len) != NULL) {
        return sq_diag_error(im->diag, mdl_import_place(im, 0), NULL, NULL,
                             "holds a zero byte: it is no text");
    }
    im->found.line_end = line_end_of(&h);
    enum sq_status status = im->ask.format != NULL ? asked_dialect(im) : SQ_OK;
    find_by_text(im, &h);
    if (status != SQ_OK) {
        return status;
    }
    if (im->dialect != NULL && im->dialect->refused != NULL) {
        return sq_diag_error(im->diag, mdl_import_place(im, 0), NULL, NULL, "%s",
                             im->dialect->refused);
    }
    bool lines = im->dialect != NULL && im->dialect->lines;
    status = lines ? read_lines(im, &h) : read_table(im, whole, &h);
    if (status == SQ_OK && h.count == 0) {
        return sq_diag_error(im->diag, mdl_import_place(im, 0), NULL, NULL, "the file is empty");
    }
    status = status == SQ_OK ? name_columns(im, &h) : status;
    if (status == SQ_OK && h.header >= h.count) {
        return sq_diag_error(im->diag, mdl_import_place(im, 0), NULL, NULL,
                             "there are no rows below the header");
    }
    if (status == SQ_OK) {
        find_by_header(im);
        im->found.format = im->dialect->name;
        im->found.note = im->dialect->note;
        status = mdl_import_columns(im, &h);
    }
    return status == SQ_OK ? open_rows(im) : status;
}
