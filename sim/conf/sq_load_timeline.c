/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_load_timeline.c - reads timeline.csv. */
#include "sim/conf/sq_load_timeline.h"

#include <math.h>
#include <string.h>

#include "sim/base/sq_file.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_unit.h"
#include "sim/conf/sq_csv.h"
#include "sim/core/sq_seal.h"

struct reader {
    const char *path;
    const struct sq_csv *csv;
    struct sq_result *r;
    struct sq_diag *diag;
};

static enum sq_status wrong(struct reader *in, uint32_t line, const char *what)
{
    return sq_diag_error(in->diag, (struct sq_where){ .file = in->path, .line = line }, NULL, NULL,
                         "%s", what);
}

static bool is_band(const char *name)
{
    static const char *const ends[] = { "_p10", "_p50", "_p90" };
    size_t len = strlen(name);
    for (size_t i = 0; i < SQ_COUNT(ends); i++) {
        if (len > 4 && strcmp(name + len - 4, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* An empty cell is a null. */
static bool take_cell(const char *cell, double *out)
{
    *out = NAN;
    return cell[0] == '\0' || sq_unit_number(cell, out) == NULL;
}

static enum sq_status take_column(struct reader *in, uint32_t column, struct sq_column *to)
{
    const struct sq_csv *csv = in->csv;
    const char *name = csv->header.cells[column];
    to->name = sq_arena_text(&in->r->arena, name, strlen(name));
    to->bins = sq_arena_alloc(&in->r->arena, csv->count, sizeof *to->bins);
    if (to->name == NULL || to->bins == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < csv->count; i++) {
        double value;
        if (!take_cell(csv->rows[i].cells[column], &value)) {
            return wrong(in, csv->rows[i].line, "a cell is no number");
        }
        to->bins[i] = (float)value;
    }
    return SQ_OK;
}

/* Columns of the first run, or the bands. Bins after the last one that has a value are none. */
static enum sq_status take_series(struct reader *in, bool bands, sq_time_t bin_ns,
                                  struct sq_series *out)
{
    const struct sq_csv *csv = in->csv;
    enum sq_status status = SQ_OK;
    *out = (struct sq_series){ .bin_ns = bin_ns };
    out->columns = sq_arena_alloc(&in->r->arena, csv->header.count, sizeof *out->columns);
    if (out->columns == NULL) {
        return SQ_NOMEM;
    }
    for (uint32_t k = 1; k < csv->header.count && status == SQ_OK; k++) {
        if (is_band(csv->header.cells[k]) == bands) {
            status = take_column(in, k, &out->columns[out->column_count++]);
        }
    }
    for (size_t i = csv->count; i > 0 && out->bin_count == 0 && status == SQ_OK; i--) {
        for (size_t k = 0; k < out->column_count; k++) {
            out->bin_count = isfinite(out->columns[k].bins[i - 1]) ? i : out->bin_count;
        }
    }
    out->end_ns = (sq_time_t)out->bin_count * bin_ns;
    sq_time_t over = out->end_ns - in->r->duration_ns; /* the last bin of a run may be short */
    out->end_ns -= over > 0 && over < bin_ns ? over : 0;
    return status;
}

/* The length of a bin: from the first time to the second. */
static enum sq_status take_bin(struct reader *in, sq_time_t *out)
{
    const struct sq_csv *csv = in->csv;
    double first;
    double second = sq_time_to_s(in->r->duration_ns);
    if (strcmp(csv->header.cells[0], "time_s") != 0) {
        return wrong(in, 1, "this is no timeline: its first column is not time_s");
    }
    bool fine = take_cell(csv->rows[0].cells[0], &first) && first == 0 &&
                (csv->count == 1 || take_cell(csv->rows[1].cells[0], &second));
    *out = fine && second > 0 ? sq_time_from_s(second) : 0;
    if (*out <= 0) {
        return wrong(in, csv->rows[0].line, "its times do not begin at 0 and rise");
    }
    /* The end of the last bin is a time, too. */
    return *out <= SQ_NEVER / (sq_time_t)csv->count
               ? SQ_OK
               : wrong(in, csv->rows[1].line, "its bins are centuries long");
}

static enum sq_status take_all(struct reader *in)
{
    sq_time_t bin_ns = 0;
    enum sq_status status = take_bin(in, &bin_ns);
    status = status == SQ_OK ? take_series(in, false, bin_ns, &in->r->series) : status;
    status = status == SQ_OK ? take_series(in, true, bin_ns, &in->r->bands) : status;
    if (status == SQ_OK && in->r->bands.column_count > 0) {
        in->r->band_runs = in->r->run_count;
    }
    return status;
}

enum sq_status sq_load_timeline(const char *folder, struct sq_result *r, struct sq_diag *diag)
{
    struct sq_arena scratch = { 0 };
    struct sq_buf text = { 0 };
    struct sq_csv csv = { 0 };
    const char *path = sq_arena_printf(&r->arena, "%s/timeline.csv", folder);
    enum sq_status status =
        path != NULL ? sq_file_read(path, SQ_MAX_CSV_BYTES, &text, diag) : SQ_NOMEM;
    if (status == SQ_OK && r->seals != NULL) {
        status = sq_seals_check(r->seals, path, &text, diag);
    }
    status = status == SQ_OK ? sq_csv_parse_own(path, &text, &scratch, diag, &csv) : status;
    if (status == SQ_OK) {
        status = take_all(&(struct reader){ path, &csv, r, diag });
    }
    if (status == SQ_NOMEM) {
        (void)sq_diag_error(diag, (struct sq_where){ .file = path }, NULL,
                            "run it again with wider bins (`timeline`)",
                            "no memory is left to read it");
    }
    sq_buf_fini(&text);
    sq_arena_fini(&scratch);
    return status;
}
