/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_csv.c - CSV through libcsv, which gives cells and ends of rows but no places. So the text is
 * fed to it one physical line at a time: a row begins on the line that is fed while the parser is
 * between rows. */
#include "sim/conf/sq_csv.h"

#include <string.h>

#include <csv.h>

#include "sim/base/sq_utf8.h"

struct csv_reader {
    const char *file;
    struct sq_arena *arena;
    struct sq_diag *diag;
    struct sq_csv csv;
    size_t row_max;
    struct sq_buf cells; /* of the row being read: texts, each with its NUL */
    uint32_t cell_count;
    uint32_t line, row_line;
    bool failed; /* out of memory */
};

static void on_cell(void *text, size_t len, void *ctx)
{
    struct csv_reader *r = ctx;
    sq_buf_add(&r->cells, text, len);
    sq_buf_putc(&r->cells, '\0');
    r->cell_count++;
}

/* The cells of the row as one piece of the arena: pointers, then texts. */
static bool row_keep(struct csv_reader *r, struct sq_csv_row *row)
{
    size_t pointers = r->cell_count * sizeof(char *);
    char *piece = r->cells.failed ? NULL : sq_arena_alloc(r->arena, 1, pointers + r->cells.len);
    if (piece == NULL) {
        return false;
    }
    const char **cells = (const char **)(void *)piece;
    char *text = piece + pointers;
    memcpy(text, r->cells.text, r->cells.len);
    for (uint32_t i = 0; i < r->cell_count; i++) {
        cells[i] = text;
        text += strlen(text) + 1;
    }
    *row = (struct sq_csv_row){ r->row_line, r->cell_count, cells };
    return true;
}

static bool row_room(struct csv_reader *r)
{
    if (r->csv.count < r->row_max) {
        return true;
    }
    size_t max = r->row_max < 64 ? 64 : r->row_max * 2;
    struct sq_csv_row *rows = sq_mem_resize(r->csv.rows, max, sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    r->csv.rows = rows;
    r->row_max = max;
    return true;
}

static bool row_add(struct csv_reader *r)
{
    if (r->csv.header.cells == NULL) {
        return row_keep(r, &r->csv.header);
    }
    if (r->cell_count != r->csv.header.count) {
        struct sq_where where = { r->file, r->row_line, 0 };
        (void)sq_diag_error(r->diag, where, NULL, NULL, "has %u cell%s, the header has %u",
                            r->cell_count, r->cell_count == 1 ? "" : "s", r->csv.header.count);
        return true;
    }
    if (!row_room(r) || !row_keep(r, &r->csv.rows[r->csv.count])) {
        return false;
    }
    r->csv.count++;
    return true;
}

static void on_row(int end, void *ctx)
{
    (void)end;
    struct csv_reader *r = ctx;
    r->failed = r->failed || !row_add(r);
    r->cells.len = 0;
    r->cell_count = 0;
}

static void *csv_resize(void *old, size_t size)
{
    return sq_mem_resize(old, size, 1);
}

/* Length of the physical line at `s` with its end: LF, CRLF, CR CR LF or a lone CR. */
static size_t line_length(const char *s, size_t len)
{
    size_t i = 0;
    while (i < len && s[i] != '\n' && s[i] != '\r') {
        i++;
    }
    if (i == len) {
        return len;
    }
    for (size_t back = 0; back < 3 && i + back < len; back++) {
        if (s[i + back] == '\n') {
            return i + back + 1;
        }
        if (s[i + back] != '\r') {
            break;
        }
    }
    return i + 1;
}

static enum sq_status feed(struct csv_reader *r, struct csv_parser *p, const char *text, size_t len)
{
    int between_rows = p->pstate; /* the state of a fresh parser */
    for (size_t at = 0, step = 0; at < len; at += step) {
        step = line_length(text + at, len - at);
        r->line++;
        if (p->pstate == between_rows) {
            r->row_line = r->line;
        }
        size_t done = csv_parse(p, text + at, step, on_cell, on_row, r);
        if (r->failed || (done != step && csv_error(p) != CSV_EPARSE)) {
            return SQ_NOMEM;
        }
        if (done != step) {
            struct sq_where where = { r->file, r->line, (uint32_t)done + 1 };
            return sq_diag_error(r->diag, where, NULL,
                                 "quote the whole cell and double the quotes inside it",
                                 "a quote inside a cell");
        }
    }
    if (csv_fini(p, on_cell, on_row, r) != 0) {
        struct sq_where where = { r->file, r->row_line, 0 };
        return sq_diag_error(r->diag, where, NULL, NULL,
                             "the row that begins here has a quote that is never closed");
    }
    return r->failed ? SQ_NOMEM : SQ_OK;
}

/* Whether a header cell is more likely data: it starts like a number or a date. */
static bool looks_like_data(const char *cell)
{
    return *cell == '\0' || (*cell >= '0' && *cell <= '9') || strchr("+-.", *cell) != NULL;
}

static enum sq_status check_shape(struct csv_reader *r)
{
    struct sq_where where = { r->file, 1, 0 };
    uint32_t data = 0;
    for (uint32_t i = 0; i < r->csv.header.count; i++) {
        data += looks_like_data(r->csv.header.cells[i]);
    }
    if (r->csv.header.count == 0) {
        return sq_diag_error(r->diag, where, NULL, NULL, "the file is empty");
    }
    where.line = r->csv.header.line;
    if (data == r->csv.header.count) {
        return sq_diag_error(r->diag, where, NULL, "the first row names the columns",
                             "there is no header row");
    }
    if (r->csv.count == 0) {
        return sq_diag_error(r->diag, where, NULL, NULL, "there are no rows below the header");
    }
    return SQ_OK;
}

static enum sq_status check_zero_byte(const char *file, const char *text, size_t len,
                                      struct sq_diag *diag)
{
    const char *zero = len > 0 ? memchr(text, '\0', len) : NULL;
    if (zero == NULL) {
        return SQ_OK;
    }
    struct sq_where where = { file, 1, 0 };
    for (const char *s = text; s < zero; s++) {
        where.line += *s == '\n';
    }
    return sq_diag_error(diag, where, NULL, "save the file as UTF-8", "holds a zero byte");
}

static enum sq_status read_rows(struct csv_reader *r, const char *text, size_t len)
{
    struct csv_parser p;
    if (csv_init(&p, CSV_STRICT | CSV_STRICT_FINI) != 0) {
        return SQ_NOMEM;
    }
    csv_set_realloc_func(&p, csv_resize);
    csv_set_free_func(&p, sq_mem_free);
    csv_set_blk_size(&p, 4096);
    size_t errors = r->diag->errors;
    enum sq_status status = feed(r, &p, text, len);
    csv_free(&p);
    if (status != SQ_OK) {
        return status;
    }
    return r->diag->errors > errors ? SQ_USER : check_shape(r);
}

enum sq_status sq_csv_parse(const char *file, const struct sq_buf *text, struct sq_arena *arena,
                            struct sq_diag *diag, struct sq_csv *out)
{
    const char *bytes = text->text;
    size_t len = text->len;
    if (len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        len -= 3;
    }
    enum sq_status status = check_zero_byte(file, bytes, len, diag);
    if (status != SQ_OK) {
        return status;
    }
    struct csv_reader r = { .file = file, .arena = arena, .diag = diag };
    status = read_rows(&r, bytes, len);
    if (status == SQ_OK) {
        struct sq_csv_row *rows = sq_arena_alloc(arena, r.csv.count, sizeof *rows);
        if (rows == NULL) {
            status = SQ_NOMEM;
        } else {
            memcpy(rows, r.csv.rows, r.csv.count * sizeof *rows);
            *out = (struct sq_csv){ r.csv.count, r.csv.header, rows };
        }
    }
    sq_mem_free(r.csv.rows);
    sq_buf_fini(&r.cells);
    return status;
}

enum sq_status sq_csv_parse_own(const char *file, const struct sq_buf *text, struct sq_arena *arena,
                                struct sq_diag *diag, struct sq_csv *out)
{
    struct sq_where where = { file, 1, 0 };
    for (size_t at = 0; at < text->len;) {
        const char *s = text->text + at;
        size_t len = sq_utf8_length(s);
        if (len == 0) {
            return sq_diag_error(diag, where, NULL, "save the file as UTF-8",
                                 "the byte 0x%02x is not UTF-8 text", (unsigned)(unsigned char)*s);
        }
        where.line += *s == '\n';
        at += len;
    }
    return sq_csv_parse(file, text, arena, diag, out);
}

/* ---- row by row ---- */

struct sq_csv_stream {
    struct sq_csv_ask ask;
    struct sq_diag *diag;
    struct csv_parser parser;
    struct sq_buf texts;   /* of the row being read, each with its NUL */
    const char **pointers; /* at them, once the row is whole */
    uint32_t pointer_max, cell_count;
    uint32_t line, row_line;
    int between_rows;
    bool inside; /* the text fed last ended inside a line */
    enum sq_status status;
};

/* A delimiter that is a tab is no blank around a cell. */
static int is_blank(unsigned char c)
{
    return c == ' ' || c == '\t';
}

static void stream_cell(void *text, size_t len, void *ctx)
{
    struct sq_csv_stream *s = ctx;
    sq_buf_add(&s->texts, text, len);
    sq_buf_putc(&s->texts, '\0');
    s->cell_count++;
}

static enum sq_status stream_give(struct sq_csv_stream *s)
{
    if (s->texts.failed) {
        return SQ_NOMEM;
    }
    if (s->cell_count > s->pointer_max) {
        const char **more = sq_mem_resize(s->pointers, 2 * (size_t)s->cell_count, sizeof *more);
        if (more == NULL) {
            return SQ_NOMEM;
        }
        s->pointers = more;
        s->pointer_max = 2 * s->cell_count;
    }
    const char *text = s->texts.text;
    for (uint32_t i = 0; i < s->cell_count; i++) {
        s->pointers[i] = text;
        text += strlen(text) + 1;
    }
    struct sq_csv_row row = { s->row_line, s->cell_count, s->pointers };
    return s->ask.row(s->ask.ctx, &row);
}

static void stream_row(int end, void *ctx)
{
    (void)end;
    struct sq_csv_stream *s = ctx;
    if (s->status == SQ_OK) {
        s->status = stream_give(s);
    }
    s->texts.len = 0;
    s->cell_count = 0;
}

struct sq_csv_stream *sq_csv_stream_open(const struct sq_csv_ask *ask, struct sq_diag *diag)
{
    struct sq_csv_stream *s = sq_mem_alloc(1, sizeof *s);
    if (s == NULL || csv_init(&s->parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
        sq_mem_free(s);
        return NULL;
    }
    s->ask = *ask;
    s->diag = diag;
    s->between_rows = s->parser.pstate;
    csv_set_delim(&s->parser, (unsigned char)ask->delimiter);
    csv_set_space_func(&s->parser, is_blank);
    csv_set_realloc_func(&s->parser, csv_resize);
    csv_set_free_func(&s->parser, sq_mem_free);
    csv_set_blk_size(&s->parser, 4096);
    return s;
}

/* A part of one physical line. */
static enum sq_status stream_part(struct sq_csv_stream *s, const char *text, size_t len)
{
    s->line += s->inside ? 0 : 1;
    if (s->parser.pstate == s->between_rows) {
        s->row_line = s->line;
    }
    s->inside = text[len - 1] != s->ask.line_end;
    size_t done = csv_parse(&s->parser, text, len, stream_cell, stream_row, s);
    if (done == len) {
        return s->status;
    }
    struct sq_where where = { s->ask.file, s->line, 0 };
    return csv_error(&s->parser) != CSV_EPARSE
               ? SQ_NOMEM
               : sq_diag_error(s->diag, where, NULL,
                               "quote the whole cell and double the quotes inside it",
                               "a quote inside a cell");
}

enum sq_status sq_csv_stream_feed(struct sq_csv_stream *s, const char *text, size_t len)
{
    enum sq_status status = SQ_OK;
    while (len > 0 && status == SQ_OK) {
        const char *end = memchr(text, s->ask.line_end, len);
        size_t step = end != NULL ? (size_t)(end - text) + 1 : len;
        status = stream_part(s, text, step);
        text += step;
        len -= step;
    }
    return status;
}

enum sq_status sq_csv_stream_end(struct sq_csv_stream *s)
{
    if (csv_fini(&s->parser, stream_cell, stream_row, s) != 0) {
        struct sq_where where = { s->ask.file, s->row_line, 0 };
        return sq_diag_error(s->diag, where, NULL, NULL,
                             "the row that begins here has a quote that is never closed");
    }
    return s->status;
}

void sq_csv_stream_close(struct sq_csv_stream *s)
{
    if (s != NULL) {
        csv_free(&s->parser);
        sq_buf_fini(&s->texts);
        sq_mem_free(s->pointers);
        sq_mem_free(s);
    }
}

/* ---- columns, writing ---- */

int sq_csv_column(const struct sq_csv *c, const char *name)
{
    for (uint32_t i = 0; i < c->header.count; i++) {
        if (strcmp(c->header.cells[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Whether a cell would not read back as it is. */
static bool needs_quotes(const char *cell, size_t len)
{
    if (strpbrk(cell, ",\"\r\n") != NULL) {
        return true;
    }
    return len > 0 && (strchr(" \t", cell[0]) != NULL || strchr(" \t", cell[len - 1]) != NULL);
}

void sq_csv_put(struct sq_buf *out, bool first, const char *cell)
{
    size_t len = strlen(cell);
    if (!first) {
        sq_buf_putc(out, ',');
    }
    if (!needs_quotes(cell, len)) {
        sq_buf_add(out, cell, len);
        return;
    }
    size_t size = csv_write(NULL, 0, cell, len);
    char *quoted = sq_mem_alloc(size, 1);
    if (quoted == NULL) {
        out->failed = true;
        return;
    }
    sq_buf_add(out, quoted, csv_write(quoted, size, cell, len));
    sq_mem_free(quoted);
}
