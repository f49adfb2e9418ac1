/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_row.c - from a row to a sample, or to the reason why it is none. */
#include "models/import/mdl_import_in.h"

#include <string.h>

enum sq_status mdl_import_take(struct mdl_import *im, int64_t at, double value, uint32_t line)
{
    struct mdl_import_found *f = &im->found;
    f->backward += im->row_any && at < im->row_at;
    im->row_any = true;
    im->row_at = at;
    f->min = f->used == 0 || value < f->min ? value : f->min;
    f->max = f->used == 0 || value > f->max ? value : f->max;
    f->sum += value;
    f->used++;
    if (im->bins.width > 0) {
        return mdl_import_bin(im, at, value, line);
    }
    struct mdl_import_sample s = { at, value, line };
    return mdl_import_order(im, &s);
}

static enum sq_status complain(struct mdl_import *im, uint32_t line, const char *column,
                               const char *cell, const char *text)
{
    (void)sq_diag_error(im->diag, mdl_import_place(im, line), column, NULL, "`%.60s` %s", cell,
                        text);
    return im->diag->failed ? SQ_NOMEM : im->diag->errors >= SQ_DIAG_SHOWN ? SQ_USER : SQ_OK;
}

static const char *cell_at(const struct sq_csv_row *row, int column)
{
    return column >= 0 && (uint32_t)column < row->count ? row->cells[column] : "";
}

static bool passes(const struct mdl_import *im, const struct sq_csv_row *row)
{
    for (size_t i = 0; i < im->where_count; i++) {
        if (strcmp(cell_at(row, im->wheres[i].column), im->wheres[i].text) != 0) {
            return false;
        }
    }
    return true;
}

/* The unit of the first value holds for all. */
static const char *check_unit(struct mdl_import *im, const struct mdl_import_number *n)
{
    if (!im->seen_unit) {
        im->seen_unit = true;
        im->per = n->per;
        if (n->unit[0] != '\0') {
            im->found.unit = sq_arena_text(&im->arena, n->unit, strlen(n->unit));
        }
        return NULL;
    }
    return n->per != im->per && n->value > 0 ? "has another unit than the values before it" : NULL;
}

/* A value, or 1 without a column of values. Returns false when the row has none. */
static bool read_value(struct mdl_import *im, const struct sq_csv_row *row, double *value,
                       enum sq_status *status)
{
    struct mdl_import_number n;
    *value = 1;
    if (im->value < 0) {
        return true;
    }
    const char *cell = cell_at(row, im->value);
    const char *wrong = mdl_import_number(cell, im->found.decimal, &n);
    if (wrong == NULL && n.null) {
        im->found.nulls++;
        return false;
    }
    wrong = wrong == NULL ? check_unit(im, &n) : wrong;
    if (wrong != NULL) {
        *status = complain(im, row->line, im->found.value, cell, wrong);
        return false;
    }
    *value = n.value;
    return true;
}

/* Moves an end back to its beginning. */
static bool move_back(struct mdl_import *im, const struct sq_csv_row *row, int64_t *at,
                      enum sq_status *status)
{
    struct mdl_import_number n;
    if (im->minus < 0) {
        return true;
    }
    const char *cell = cell_at(row, im->minus);
    const char *wrong = mdl_import_number(cell, '.', &n);
    if (wrong != NULL || n.null) {
        *status = complain(im, row->line, im->names[im->minus], cell, "is no length in seconds");
        return false;
    }
    __int128 begun = (__int128)*at - sq_time_from_s(n.value);
    if (mdl_import_clock_far(begun)) {
        *status = complain(im, row->line, im->names[im->minus], cell, "is too long");
        return false;
    }
    *at = (int64_t)begun;
    return true;
}

static enum sq_status by_columns(struct mdl_import *im, const struct sq_csv_row *row)
{
    const char *cell = cell_at(row, im->time);
    enum sq_status status = SQ_OK;
    double value = 1;
    int64_t at = 0;
    if (cell[0] == '\0') {
        im->found.untimed++;
        return SQ_OK;
    }
    const char *wrong = mdl_import_clock_read(im, cell, &at);
    if (wrong != NULL) {
        return complain(im, row->line, im->found.time, cell, wrong);
    }
    if (!read_value(im, row, &value, &status) || !move_back(im, row, &at, &status)) {
        return status;
    }
    return mdl_import_take(im, at, value, row->line);
}

/* Whether a row is none of data: the header again, a remark. */
static bool is_remark(const struct mdl_import *im, const struct sq_csv_row *row)
{
    if (row->cells[0][0] == '#' && im->dialect->lines == false) {
        return true;
    }
    return im->time >= 0 && im->names[im->time][0] != '\0' &&
           strcmp(cell_at(row, im->time), im->names[im->time]) == 0;
}

enum sq_status mdl_import_row(void *ctx, const struct sq_csv_row *row)
{
    struct mdl_import *im = ctx;
    if (im->skip > 0) {
        im->skip--;
        return SQ_OK;
    }
    if (is_remark(im, row)) {
        im->found.comments++;
        return SQ_OK;
    }
    im->found.rows++;
    if (!passes(im, row)) {
        im->found.filtered++;
        return SQ_OK;
    }
    return im->dialect->row != NULL ? im->dialect->row(im, row) : by_columns(im, row);
}
