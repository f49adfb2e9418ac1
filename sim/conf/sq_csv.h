/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_csv.h - CSV in and out, the one door to libcsv. Rows keep their line number.
 *
 * Reading takes quoted cells with separators, doubled quotes and line breaks in them, the line ends
 * LF, CRLF, CR CR LF and CR, a UTF-8 byte-order mark, a missing last line end. Blanks around a
 * cell that is not quoted are dropped. Writing quotes only cells that need it. */
#ifndef SQ_CSV_H
#define SQ_CSV_H

#include "sim/base/sq_diag.h"
#include "sim/base/sq_mem.h"

struct sq_csv_row {
    uint32_t line; /* in the file, from 1; where the row begins if it has line breaks in cells */
    uint32_t count;
    const char **cells;
};

struct sq_csv {
    size_t count; /* rows without the header and without empty lines; all as wide as the header */
    struct sq_csv_row header;
    struct sq_csv_row *rows;
};

/* Reads the text of a file. `file` is its name, for places. All cells live in the arena. SQ_USER:
 * nothing but a header, or no header (a first row in which every cell looks like a number or a
 * date); rows wider or narrower than the header, each with its line; a stray or unclosed quote; a
 * zero byte (UTF-16). */
enum sq_status sq_csv_parse(const char *file, const struct sq_buf *text, struct sq_arena *arena,
                            struct sq_diag *diag, struct sq_csv *out) SQ_MUST_USE;

/* The same of a file that the program has written: its texts become names again, so all of it must
 * be UTF-8; else SQ_USER with the line. `text` ends with a NUL, as a buffer does. */
enum sq_status sq_csv_parse_own(const char *file, const struct sq_buf *text, struct sq_arena *arena,
                                struct sq_diag *diag, struct sq_csv *out) SQ_MUST_USE;

/* Row by row, for files of any size and any delimiter: memory is one row's. Cells are valid during
 * the call of `row` only, which may stop the reading with a status other than SQ_OK. Rows may be of
 * any width, empty lines are left out. `line_end` is '\n' or '\r', by which lines are counted. */
struct sq_csv_ask {
    const char *file;
    char delimiter, line_end;
    enum sq_status (*row)(void *ctx, const struct sq_csv_row *row);
    void *ctx;
};
struct sq_csv_stream;

/* NULL when out of memory. `ask` is copied. */
struct sq_csv_stream *sq_csv_stream_open(const struct sq_csv_ask *ask,
                                         struct sq_diag *diag) SQ_MUST_USE;
enum sq_status sq_csv_stream_feed(struct sq_csv_stream *s, const char *text,
                                  size_t len) SQ_MUST_USE;
/* The last row, if its line end is missing. */
enum sq_status sq_csv_stream_end(struct sq_csv_stream *s) SQ_MUST_USE;
void sq_csv_stream_close(struct sq_csv_stream *s); /* NULL is fine */

/* Column of this name in the header, or -1. */
int sq_csv_column(const struct sq_csv *c, const char *name);

/* One cell, quoted where needed, preceded by a comma unless it is the first of its line. */
void sq_csv_put(struct sq_buf *out, bool first, const char *cell);

#endif
