/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_histogram_file.c - histograms as CSV. */
#include "sim/conf/sq_histogram_file.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/sq_file.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_unit.h"
#include "sim/conf/sq_csv.h"
#include "sim/core/sq_seal.h"

static const char file_name[] = "histograms.csv";
static const char header[] = "name,limit,upto,count\n";

enum { DIGITS = 9 };

/* ---- out ---- */

static void put_head(const struct sq_histogram *h, struct sq_buf *out)
{
    sq_csv_put(out, true, h->name);
    sq_buf_putc(out, ',');
    if (isfinite(h->limit)) {
        sq_buf_number(out, h->limit, DIGITS);
    }
    sq_buf_putc(out, ',');
}

/* Empty, and so is the next one: that one says as much. */
static bool is_empty_between(const struct sq_histogram *h, size_t k)
{
    return k + 1 < h->count && h->counts[k] == 0 && h->counts[k + 1] == 0;
}

enum sq_status sq_save_histograms(const struct sq_result *r, struct sq_buf *out)
{
    sq_buf_puts(out, header);
    for (size_t i = 0; i < r->histogram_count; i++) {
        const struct sq_histogram *h = &r->histograms[i];
        if (h->count == 0) {
            put_head(h, out);
            sq_buf_puts(out, ",\n");
        }
        for (size_t k = 0; k < h->count; k++) {
            if (!is_empty_between(h, k)) {
                put_head(h, out);
                sq_buf_number(out, h->upto[k], DIGITS);
                sq_buf_printf(out, ",%llu\n", (unsigned long long)h->counts[k]);
            }
        }
    }
    return out->failed ? SQ_NOMEM : SQ_OK;
}

/* ---- back ---- */

struct reader {
    const char *path;
    struct sq_result *r;
    struct sq_diag *diag;
};

static enum sq_status wrong(const struct reader *in, uint32_t line, const char *what)
{
    return sq_diag_error(in->diag, (struct sq_where){ .file = in->path, .line = line }, NULL, NULL,
                         "%s", what);
}

/* The histogram of a row: the one before goes on while the name is the same. */
static struct sq_histogram *histogram_of(const struct reader *in, const struct sq_csv *csv,
                                         size_t i)
{
    struct sq_result *r = in->r;
    const char *name = csv->rows[i].cells[0];
    if (r->histogram_count > 0 && strcmp(r->histograms[r->histogram_count - 1].name, name) == 0) {
        return &r->histograms[r->histogram_count - 1];
    }
    size_t rows = 1;
    while (i + rows < csv->count && strcmp(csv->rows[i + rows].cells[0], name) == 0) {
        rows++;
    }
    struct sq_histogram *h = &r->histograms[r->histogram_count];
    h->limit = NAN;
    h->name = sq_arena_text(&r->arena, name, strlen(name));
    h->upto = sq_arena_alloc(&r->arena, rows, sizeof *h->upto);
    h->counts = sq_arena_alloc(&r->arena, rows, sizeof *h->counts);
    if (h->name == NULL || h->upto == NULL || h->counts == NULL) {
        return NULL;
    }
    r->histogram_count++;
    return h;
}

static enum sq_status take_row(const struct reader *in, const struct sq_csv *csv, size_t i)
{
    const struct sq_csv_row *row = &csv->rows[i];
    double upto;
    double count;
    struct sq_histogram *h = histogram_of(in, csv, i);
    if (h == NULL) {
        return SQ_NOMEM;
    }
    if (row->cells[1][0] != '\0' && sq_unit_number(row->cells[1], &h->limit) != NULL) {
        return wrong(in, row->line, "`limit` is no number");
    }
    if (row->cells[2][0] == '\0' && row->cells[3][0] == '\0') {
        return SQ_OK;
    }
    bool fine = sq_unit_number(row->cells[2], &upto) == NULL &&
                sq_unit_number(row->cells[3], &count) == NULL && count >= 0 && count < 1e18;
    if (!fine || (h->count > 0 && !(upto > h->upto[h->count - 1]))) {
        return wrong(in, row->line, "`upto` must rise and `count` be a count");
    }
    h->upto[h->count] = upto;
    h->counts[h->count++] = (uint64_t)count;
    return SQ_OK;
}

static enum sq_status take_all(const struct reader *in, const struct sq_csv *csv)
{
    static const char *const columns[] = { "name", "limit", "upto", "count" };
    for (size_t k = 0; k < SQ_COUNT(columns); k++) {
        if (csv->header.count != SQ_COUNT(columns) ||
            strcmp(csv->header.cells[k], columns[k]) != 0) {
            return wrong(in, 1, "the columns must be name,limit,upto,count");
        }
    }
    in->r->histograms = sq_arena_alloc(&in->r->arena, csv->count, sizeof *in->r->histograms);
    enum sq_status status = in->r->histograms != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t i = 0; i < csv->count && status == SQ_OK; i++) {
        status = take_row(in, csv, i);
    }
    return status;
}

enum sq_status sq_load_histograms(const char *folder, struct sq_result *r, struct sq_diag *diag)
{
    struct stat st;
    struct sq_arena scratch = { 0 };
    struct sq_buf text = { 0 };
    struct sq_csv csv = { 0 };
    const char *path = sq_arena_printf(&r->arena, "%s/%s", folder, file_name);
    if (path == NULL) {
        return SQ_NOMEM;
    }
    bool sealed = r->seals != NULL && sq_seals_has(r->seals, file_name);
    if (!sealed && stat(path, &st) != 0) {
        return SQ_OK; /* of a version that had none */
    }
    enum sq_status status = sq_file_read(path, SQ_MAX_CSV_BYTES, &text, diag);
    /* The fluid model counts none: the header alone. */
    bool none = status == SQ_OK && text.len == strlen(header) &&
                memcmp(text.text, header, strlen(header)) == 0;
    status =
        status == SQ_OK && !none ? sq_csv_parse_own(path, &text, &scratch, diag, &csv) : status;
    if (status == SQ_OK && !none) {
        status = take_all(&(struct reader){ path, r, diag }, &csv);
    }
    if (status == SQ_OK && sealed) {
        status = sq_seals_check(r->seals, path, &text, diag);
    }
    sq_buf_fini(&text);
    sq_arena_fini(&scratch);
    return status;
}
