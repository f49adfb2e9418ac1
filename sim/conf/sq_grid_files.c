/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_grid_files.c - cells of a sweep as CSV, and back. */
#include "sim/conf/sq_grid_files.h"

#include "sim/base/sq_file.h"
#include "sim/base/sq_limits.h"
#include "sim/conf/sq_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DIGITS = 9, BEFORE_KEYS = 2 };

/* The last row of a cell's file says how many there are before it. No metric is called so. */
static const char end_mark[] = "end";

static const char *const figures[] = { "n", "mean", "lo", "hi", "p10", "p50", "p90" };

/* ---- out ---- */

static void put_head(const struct sq_grid *g, struct sq_buf *out)
{
    sq_csv_put(out, true, "cell");
    sq_csv_put(out, false, "hash");
    for (size_t k = 0; k < g->key_count; k++) {
        sq_csv_put(out, false, g->keys[k].name);
    }
    sq_csv_put(out, false, "metric");
    for (size_t i = 0; i < SQ_COUNT(figures); i++) {
        sq_csv_put(out, false, figures[i]);
    }
    sq_buf_putc(out, '\n');
}

static void put_number(struct sq_buf *out, double value)
{
    sq_buf_putc(out, ',');
    if (!isnan(value)) {
        sq_buf_number(out, value, DIGITS);
    }
}

static void put_row(const struct sq_grid *g, size_t cell, const char *hash,
                    const struct sq_grid_row *r, struct sq_buf *out)
{
    sq_buf_printf(out, "%zu", cell + 1);
    sq_csv_put(out, false, hash);
    for (size_t k = 0; k < g->key_count; k++) {
        sq_csv_put(out, false, sq_grid_value(g, cell, k));
    }
    sq_csv_put(out, false, r->metric);
    sq_buf_printf(out, ",%lld", (long long)r->n);
    const double values[] = { r->mean, r->lo, r->hi, r->p10, r->p50, r->p90 };
    for (size_t k = 0; k < SQ_COUNT(values); k++) {
        put_number(out, values[k]);
    }
    sq_buf_putc(out, '\n');
}

static void put_rows(const struct sq_grid *g, size_t cell, const struct sq_grid_cell *c,
                     struct sq_buf *out)
{
    for (size_t i = 0; i < c->row_count; i++) {
        put_row(g, cell, c->hash, &c->rows[i], out);
    }
}

static void put_end(const struct sq_grid *g, size_t cell, const struct sq_grid_cell *c,
                    struct sq_buf *out)
{
    const double none = (double)NAN;
    const struct sq_grid_row end = { .metric = end_mark,
                                     .n = (int64_t)c->row_count,
                                     .mean = none,
                                     .lo = none,
                                     .hi = none,
                                     .p10 = none,
                                     .p50 = none,
                                     .p90 = none };
    put_row(g, cell, c->hash, &end, out);
}

/* DIR/cells/00007.csv; free with sq_buf_fini. */
static void put_path(const char *folder, size_t cell, struct sq_buf *out)
{
    sq_buf_printf(out, "%s/cells/%05zu.csv", folder, cell + 1);
}

enum sq_status sq_grid_write_cell(const struct sq_grid *g, const char *folder, size_t number,
                                  const struct sq_grid_cell *cell, struct sq_diag *diag)
{
    struct sq_buf path = { 0 }, text = { 0 };
    put_path(folder, number, &path);
    put_head(g, &text);
    put_rows(g, number, cell, &text);
    put_end(g, number, cell, &text);
    enum sq_status status =
        path.failed || text.failed ? SQ_NOMEM : sq_file_write(path.text, text.text, text.len, diag);
    sq_buf_fini(&path);
    sq_buf_fini(&text);
    return status;
}

enum sq_status sq_grid_write_csv(struct sq_grid *g, const char *folder, const char **path,
                                 struct sq_diag *diag)
{
    struct sq_buf text = { 0 };
    *path = sq_arena_printf(&g->arena, "%s/sweep.csv", folder);
    put_head(g, &text);
    for (size_t i = 0; i < g->cell_count; i++) {
        SQ_ASSERT(g->cells[i].done);
        put_rows(g, i, &g->cells[i], &text);
    }
    enum sq_status status =
        text.failed || *path == NULL ? SQ_NOMEM : sq_file_write(*path, text.text, text.len, diag);
    sq_buf_fini(&text);
    return status;
}

/* ---- in ---- */

/* A number of our own making; NaN for an empty cell. */
static double number_of(const char *text)
{
    return text[0] != '\0' ? strtod(text, NULL) : (double)NAN;
}

/* Whether a row is one of this cell: its number, hash and values. */
static bool is_own(const struct sq_grid *g, size_t cell, const struct sq_csv_row *row)
{
    bool own = strtoull(row->cells[0], NULL, 10) == cell + 1 &&
               strcmp(row->cells[1], g->cells[cell].hash) == 0;
    for (size_t k = 0; k < g->key_count && own; k++) {
        own = strcmp(row->cells[BEFORE_KEYS + k], sq_grid_value(g, cell, k)) == 0;
    }
    return own;
}

static bool is_head(const struct sq_grid *g, const struct sq_csv_row *head)
{
    if (head->count != BEFORE_KEYS + g->key_count + 1 + SQ_COUNT(figures)) {
        return false;
    }
    for (size_t k = 0; k < g->key_count; k++) {
        if (strcmp(head->cells[BEFORE_KEYS + k], g->keys[k].name) != 0) {
            return false;
        }
    }
    return strcmp(head->cells[BEFORE_KEYS + g->key_count], "metric") == 0;
}

static void take_row(const struct sq_grid *g, const struct sq_csv_row *row, struct sq_grid_row *out)
{
    const char **at = row->cells + BEFORE_KEYS + g->key_count;
    *out = (struct sq_grid_row){ .metric = at[0],
                                 .n = strtoll(at[1], NULL, 10),
                                 .mean = number_of(at[2]),
                                 .lo = number_of(at[3]),
                                 .hi = number_of(at[4]),
                                 .p10 = number_of(at[5]),
                                 .p50 = number_of(at[6]),
                                 .p90 = number_of(at[7]) };
}

/* Whether the last row says that all those before it are there. */
static bool is_whole(const struct sq_grid *g, const struct sq_csv *csv)
{
    struct sq_grid_row last = { 0 };
    if (csv->count == 0) {
        return false;
    }
    take_row(g, &csv->rows[csv->count - 1], &last);
    return strcmp(last.metric, end_mark) == 0 && last.n == (int64_t)csv->count - 1;
}

/* The file of this cell of this sweep, whole. */
static enum sq_status check_file(const struct sq_grid *g, const char *path, size_t cell,
                                 const struct sq_csv *csv, struct sq_diag *diag)
{
    static const char hint[] = "remove the file, and the cell is run again";
    struct sq_where where = { .file = path };
    bool own = is_head(g, &csv->header);
    for (size_t i = 0; i < csv->count && own; i++) {
        own = is_own(g, cell, &csv->rows[i]);
    }
    if (own && is_whole(g, csv)) {
        return SQ_OK;
    }
    if (own) {
        return sq_diag_error(diag, where, NULL, hint,
                             "this file is cut: its last row, which counts the others, is missing");
    }
    struct sq_buf name = { 0 };
    sq_grid_put_cell(g, cell, &name);
    enum sq_status status = name.failed ? SQ_NOMEM
                                        : sq_diag_error(diag, where, NULL, hint,
                                                        "this is not %s of this sweep", name.text);
    sq_buf_fini(&name);
    return status;
}

static enum sq_status read_text(struct sq_grid *g, const char *path, size_t cell,
                                const struct sq_buf *text, struct sq_diag *diag)
{
    struct sq_csv csv = { 0 };
    struct sq_grid_cell *c = &g->cells[cell];
    enum sq_status status = sq_csv_parse_own(path, text, &g->arena, diag, &csv);
    status = status == SQ_OK ? check_file(g, path, cell, &csv, diag) : status;
    if (status != SQ_OK) {
        return status;
    }
    c->rows = sq_arena_alloc(&g->arena, csv.count, sizeof(*c->rows));
    if (c->rows == NULL) {
        return SQ_NOMEM;
    }
    c->row_count = csv.count - 1;
    for (size_t i = 0; i < c->row_count; i++) {
        take_row(g, &csv.rows[i], &c->rows[i]);
    }
    c->done = true;
    return SQ_OK;
}

enum sq_status sq_grid_read_cell(struct sq_grid *g, const char *folder, size_t cell,
                                 struct sq_diag *diag)
{
    struct sq_buf path = { 0 }, text = { 0 };
    struct stat st;
    put_path(folder, cell, &path);
    enum sq_status status = path.failed ? SQ_NOMEM : SQ_OK;
    if (status == SQ_OK && stat(path.text, &st) == 0) {
        status = sq_file_read(path.text, SQ_MAX_CSV_BYTES, &text, diag);
        status = status == SQ_OK ? read_text(g, path.text, cell, &text, diag) : status;
    }
    sq_buf_fini(&path);
    sq_buf_fini(&text);
    return status;
}
