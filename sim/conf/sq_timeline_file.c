/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_timeline_file.c - timeline.csv, row by row. */
#include "sim/conf/sq_timeline_file.h"

#include <math.h>

#include "sim/base/sq_file.h"
#include "sim/conf/sq_csv.h"

enum { FLOAT_DIGITS = 7, FLOAT_EXACT = 1 << 24, PIECE = 1 << 16 };

/* Seconds, exact: the start of a bin must not be rounded. */
static void put_time(struct sq_buf *out, sq_time_t t)
{
    sq_buf_printf(out, "%lld", (long long)(t / SQ_NS_PER_S));
    long long ns = (long long)(t % SQ_NS_PER_S);
    if (ns == 0) {
        return;
    }
    sq_buf_printf(out, ".%09lld", ns);
    while (out->len > 0 && out->text[out->len - 1] == '0') {
        out->text[--out->len] = '\0';
    }
}

/* A timeline cell: counts that a float holds exactly in full, and fast; others with the seven
 * digits it can vouch for. */
static void put_bin(struct sq_buf *out, float bin)
{
    sq_buf_putc(out, ',');
    if (!isfinite(bin)) {
        return;
    }
    if (bin >= 0 && bin <= (float)FLOAT_EXACT && bin == (float)(uint32_t)bin) {
        char text[16];
        size_t at = sizeof text;
        uint32_t left = (uint32_t)bin;
        do {
            text[--at] = (char)('0' + left % 10);
            left /= 10;
        } while (left > 0);
        sq_buf_add(out, text + at, sizeof text - at);
        return;
    }
    sq_buf_number(out, (double)bin, FLOAT_DIGITS);
}

static void put_names(struct sq_buf *out, const struct sq_series *s)
{
    for (size_t i = 0; i < s->column_count; i++) {
        sq_csv_put(out, false, s->columns[i].name);
    }
}

static void put_bins(struct sq_buf *out, const struct sq_series *s, size_t bin)
{
    for (size_t i = 0; i < s->column_count; i++) {
        put_bin(out, bin < s->bin_count ? s->columns[i].bins[bin] : (float)NAN);
    }
}

static void put_head(struct sq_buf *out, const struct sq_result *r)
{
    sq_csv_put(out, true, "time_s");
    put_names(out, &r->series);
    put_names(out, &r->bands);
    sq_buf_putc(out, '\n');
}

static void put_row(struct sq_buf *out, const struct sq_result *r, size_t bin)
{
    put_time(out, (sq_time_t)bin * r->series.bin_ns);
    put_bins(out, &r->series, bin);
    put_bins(out, &r->bands, bin);
    sq_buf_putc(out, '\n');
}

/* The bands may go on for longer than the first run. */
static size_t row_count(const struct sq_result *r)
{
    size_t bins = r->series.bin_count;
    if (r->bands.column_count > 0) {
        SQ_ASSERT(r->bands.bin_ns == r->series.bin_ns);
        bins = r->bands.bin_count > bins ? r->bands.bin_count : bins;
    }
    return bins;
}

enum sq_status sq_save_timeline(const struct sq_result *r, struct sq_buf *out)
{
    size_t rows = row_count(r);
    put_head(out, r);
    for (size_t bin = 0; bin < rows && !out->failed; bin++) {
        put_row(out, r, bin);
    }
    return out->failed ? SQ_NOMEM : SQ_OK;
}

enum sq_status sq_timeline_write(const struct sq_result *r, const char *path, struct sq_seal *seal,
                                 struct sq_diag *diag)
{
    struct sq_file_out file;
    struct sq_buf piece = { 0 };
    size_t rows = row_count(r);
    enum sq_status status = sq_file_begin(&file, path, diag);
    if (status != SQ_OK) {
        return status;
    }
    put_head(&piece, r);
    for (size_t bin = 0; bin <= rows && status == SQ_OK; bin++) {
        if (bin < rows) {
            put_row(&piece, r, bin);
        }
        if (piece.failed) {
            status = SQ_NOMEM;
        } else if (piece.len >= PIECE || bin == rows) {
            sq_seal_add(seal, piece.text, piece.len);
            status = sq_file_add(&file, piece.text, piece.len, diag);
            piece.len = 0;
        }
    }
    sq_buf_fini(&piece);
    return sq_file_end(&file, status, diag);
}
