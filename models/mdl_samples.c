/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_samples.c - CSV columns of durations. */
#include "models/mdl_samples.h"

#include "sim/base/sq_file.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_unit.h"
#include "sim/conf/sq_csv.h"
#include "sim/conf/sq_each.h"

#include <string.h>

struct reader {
    const char *scenario;
    struct mdl_tables *tables;
    struct sq_diag *diag;
};

const char *mdl_beside(struct sq_arena *arena, const char *scenario, const char *file)
{
    const char *slash = strrchr(scenario, '/');
    if (file[0] == '/' || slash == NULL) {
        return file;
    }
    return sq_arena_printf(arena, "%.*s%s", (int)(slash - scenario + 1), scenario, file);
}

/* A duration, or a number of seconds. NULL, or what is wrong. */
static const char *read_cell(const char *text, double *seconds)
{
    sq_time_t t;
    if (sq_unit_duration(text, &t) == NULL) {
        *seconds = sq_time_to_s(t);
        return NULL;
    }
    const char *problem = sq_unit_number(text, seconds);
    if (problem != NULL) {
        return problem;
    }
    return *seconds <= 8.64e8 ? NULL : "is more than 10,000 days";
}

static enum sq_status take_column(const struct reader *r, const struct mdl_sample_ask *ask,
                                  const struct sq_csv *csv, const char *path)
{
    struct sq_where where = { .file = path, .line = csv->header.line };
    int column = sq_csv_column(csv, ask->column);
    if (column < 0) {
        const char *close = sq_diag_closest(ask->column, csv->header.cells, csv->header.count);
        const char *hint =
            close != NULL ? sq_arena_printf(r->tables->arena, "did you mean `%s`?", close) : NULL;
        return sq_diag_error(r->diag, where, NULL, hint, "there is no column `%s`", ask->column);
    }
    double *seconds = sq_arena_alloc(r->tables->arena, csv->count, sizeof(*seconds));
    if (seconds == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < csv->count; i++) {
        const char *cell = csv->rows[i].cells[column];
        const char *problem = read_cell(cell, &seconds[i]);
        if (problem != NULL) {
            where.line = csv->rows[i].line;
            return sq_diag_error(r->diag, where, NULL, "write 20ms, or 0.02 for seconds", "`%s` %s",
                                 cell, problem);
        }
    }
    return mdl_tables_add(r->tables, ask, seconds, (uint32_t)csv->count);
}

static enum sq_status read_sample(void *ctx, const struct sq_block *block)
{
    const struct reader *r = ctx;
    const struct mdl_sample_ask *ask = mdl_dist_sample(block);
    if (ask == NULL || mdl_tables_has(r->tables, ask)) {
        return SQ_OK;
    }
    const char *path = mdl_beside(r->tables->arena, r->scenario, ask->file);
    if (path == NULL) {
        return SQ_NOMEM;
    }
    struct sq_buf text = { 0 };
    struct sq_csv csv = { 0 };
    enum sq_status status = sq_file_read(path, SQ_MAX_CSV_BYTES, &text, r->diag);
    if (status == SQ_OK) {
        status = sq_csv_parse(path, &text, r->tables->arena, r->diag, &csv);
    }
    if (status == SQ_OK) {
        status = take_column(r, ask, &csv, path);
    }
    sq_buf_fini(&text);
    return status;
}

enum sq_status mdl_samples_read(const struct sq_table *root, const void *cfg, const char *scenario,
                                struct mdl_tables *tables, struct sq_diag *diag)
{
    struct reader r = { scenario, tables, diag };
    return sq_each_block(root, cfg, &mdl_dist_family, read_sample, &r);
}
