/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_load.c - samples gather in arrays that grow, and end in the arena. */
#include "models/import/mdl_import_load.h"

#include <string.h>

#include "sim/base/sq_limits.h"

struct loader {
    sq_time_t *at;
    double *values;
    size_t count, max;
    enum sq_trace_reads reads;
    const char *file;
    struct sq_diag *diag;
};

static enum sq_status begin(void *ctx, const struct mdl_import_found *found)
{
    struct loader *l = ctx;
    l->reads = found->reads == MDL_IMPORT_TIMES  ? SQ_TRACE_TIMES
               : found->reads == MDL_IMPORT_RATE ? SQ_TRACE_RATE
                                                 : SQ_TRACE_COUNTS;
    return SQ_OK;
}

static enum sq_status grow(struct loader *l)
{
    size_t max = l->max == 0 ? 1024 : 2 * l->max;
    sq_time_t *at = sq_mem_resize(l->at, max, sizeof *at);
    l->at = at != NULL ? at : l->at;
    double *values = at != NULL ? sq_mem_resize(l->values, max, sizeof *values) : NULL;
    l->values = values != NULL ? values : l->values;
    l->max = values != NULL ? max : l->max;
    return values != NULL ? SQ_OK : SQ_NOMEM;
}

static enum sq_status put(void *ctx, sq_time_t at, double value)
{
    struct loader *l = ctx;
    if (l->count == SQ_MAX_TRACE_ROWS) {
        return sq_diag_error(l->diag, (struct sq_where){ .file = l->file }, NULL,
                             "count its arrivals: squall import trace --bin 1s",
                             "has more than the maximum of %d rows", SQ_MAX_TRACE_ROWS);
    }
    enum sq_status status = l->count == l->max ? grow(l) : SQ_OK;
    if (status == SQ_OK) {
        l->at[l->count] = at;
        l->values[l->count++] = value;
    }
    return status;
}

/* Into the arena; a row is as wide as the one before it, at the end. */
static enum sq_status settle(const struct loader *l, struct sq_arena *arena, struct sq_trace *out)
{
    struct sq_trace t = { .count = l->count, .reads = l->reads };
    size_t n = l->count;
    bool valued = l->reads != SQ_TRACE_TIMES;
    t.at_ns = sq_arena_alloc(arena, n, sizeof *t.at_ns);
    t.values = valued ? sq_arena_alloc(arena, n, sizeof *t.values) : NULL;
    if (t.at_ns == NULL || (valued && t.values == NULL)) {
        return SQ_NOMEM;
    }
    memcpy(t.at_ns, l->at, n * sizeof *t.at_ns);
    if (valued) {
        memcpy(t.values, l->values, n * sizeof *t.values);
    }
    t.end_ns = n < 2 ? 0 : sq_time_add(l->at[n - 1], l->at[n - 1] - l->at[n - 2]);
    *out = t;
    return SQ_OK;
}

enum sq_status mdl_import_load(const struct mdl_import_ask *ask, struct sq_arena *arena,
                               struct sq_diag *diag, struct sq_trace *out)
{
    struct loader l = { .file = ask->file, .diag = diag };
    struct mdl_import_sink sink = { begin, put, &l };
    struct mdl_import *im = mdl_import_open(ask, &sink, diag);
    enum sq_status status = im != NULL ? mdl_import_file(im) : SQ_NOMEM;
    if (status == SQ_USER && mdl_import_found(im)->line_end != NULL) { /* it is a table at least */
        sq_diag_note(
            diag, ask->file,
            "in a scenario, name the columns (time, value) and say what a value is (reads); "
            "or make a plain file of it: squall import trace %s -o FILE",
            ask->file);
    }
    status = status == SQ_OK ? settle(&l, arena, out) : status;
    mdl_import_close(im);
    sq_mem_free(l.at);
    sq_mem_free(l.values);
    return status;
}
