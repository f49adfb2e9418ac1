/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_csv.h - CSV in and out, the one door to libcsv. Rows keep their line number.
 *
 * Reading takes quoted cells, CRLF, CR CR LF, a UTF-8 byte-order mark, a missing last line end.
 * Writing quotes only cells that need it and ends lines with LF. */
#ifndef SQ_CSV_H
#define SQ_CSV_H

#include "sim/base/sq_diag.h"
#include "sim/base/sq_mem.h"

struct sq_csv_row {
    uint32_t line; /* in the file, from 1 */
    uint32_t count;
    const char **cells;
};

struct sq_csv {
    size_t count; /* rows without the header and without empty lines */
    struct sq_csv_row header;
    struct sq_csv_row *rows;
};

/* All cells live in the arena. A file without a header row or with no data rows is SQ_USER. */
enum sq_status sq_csv_parse(const char *file, const char *text, size_t len, struct sq_arena *arena,
                            struct sq_diag *diag, struct sq_csv *out) SQ_MUST_USE;

/* Column of this name in the header, or -1. */
int sq_csv_column(const struct sq_csv *c, const char *name);

/* One cell, quoted where needed, preceded by a comma unless it is the first of its line. */
void sq_csv_put(struct sq_buf *out, bool first, const char *cell);

#endif
