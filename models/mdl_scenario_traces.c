/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scenario_traces.c - the files that arrivals of kind trace name, each read once. */
#include "models/mdl_scenario.h"

#include "models/entity/mdl_client.h"
#include "models/entity/mdl_producer.h"
#include "models/import/mdl_import_load.h"
#include "models/mdl_samples.h"
#include "sim/base/sq_file.h"
#include "sim/base/sq_limits.h"

#include <string.h>

/* A file that is named without its columns. */
static enum sq_status recognise_trace(struct mdl_scenario *s, const struct mdl_trace_ask *ask,
                                      const char *path, struct sq_diag *diag, struct sq_trace *out)
{
    static const enum mdl_import_reads reads[] = { MDL_IMPORT_AS_FOUND, MDL_IMPORT_COUNTS,
                                                   MDL_IMPORT_RATE };
    struct mdl_import_ask want = { .file = path,
                                   .value = ask->value,
                                   .time_form = ask->time_unit != 0
                                                    ? sq_trace_csv_units[ask->time_unit]
                                                    : NULL,
                                   .reads = reads[ask->reads] };
    struct sq_trace found = { 0 };
    enum sq_status status = mdl_import_load(&want, &s->arena, diag, &found);
    if (status == SQ_OK && found.reads == SQ_TRACE_TIMES && ask->scaled) {
        return sq_diag_error(diag, (struct sq_where){ .file = path }, NULL,
                             "count them: squall import trace --bin 1s",
                             "holds single arrivals, which take no scale");
    }
    if (status == SQ_OK) {
        *out = found;
    }
    return status;
}

static enum sq_status read_trace(struct mdl_scenario *s, const struct mdl_trace_ask *ask,
                                 struct sq_diag *diag, struct sq_trace *out)
{
    const char *path = mdl_beside(&s->arena, s->file, ask->file);
    if (path == NULL) {
        return SQ_NOMEM;
    }
    if (ask->time == NULL) {
        return recognise_trace(s, ask, path, diag, out);
    }
    struct sq_buf text = { 0 };
    struct sq_csv csv = { 0 };
    enum sq_status status = sq_file_read(path, SQ_MAX_CSV_BYTES, &text, diag);
    if (status == SQ_OK) {
        status = sq_csv_parse(path, &text, &s->arena, diag, &csv);
    }
    if (status == SQ_OK) {
        struct sq_trace_ask want = { .file = path,
                                     .time = ask->time,
                                     .value = ask->wants_value ? ask->value : NULL,
                                     .unit_ns = sq_trace_csv_unit_ns((size_t)ask->time_unit) };
        status = sq_trace_csv_read(&csv, &want, &s->arena, diag, out);
    }
    sq_buf_fini(&text);
    return status;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_trace(const struct mdl_trace_ask *a, const struct mdl_trace_ask *b)
{
    return same_text(a->file, b->file) && same_text(a->time, b->time) &&
           same_text(a->value, b->value) && a->time_unit == b->time_unit &&
           a->wants_value == b->wants_value && a->reads == b->reads && a->scaled == b->scaled;
}

/* The arrivals of producer `i`, or of a client behind them. */
static const struct sq_block *arrivals_of(const struct mdl_root_cfg *cfg, size_t i)
{
    if (i < cfg->producers.count) {
        return &((const struct mdl_producer_cfg *)sq_map_at(&cfg->producers, i))->arrivals;
    }
    i -= cfg->producers.count;
    return &((const struct mdl_client_cfg *)sq_map_at(&cfg->clients, i))->arrivals;
}

/* The trace of a scenario that reads the same columns of the same file, or NULL. */
static struct sq_trace *shared_trace(const struct mdl_scenario *s, const struct mdl_trace_ask *ask)
{
    size_t count = s != NULL ? s->cfg.producers.count + s->cfg.clients.count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct mdl_trace_ask *other = mdl_arrivals_trace(arrivals_of(&s->cfg, i));
        if (other != NULL && same_trace(ask, other)) {
            return s->traces[i];
        }
    }
    return NULL;
}

/* What is wrong with a file stands at its own lines; this is where the scenario names it. */
static void note_place(const struct mdl_root_cfg *cfg, size_t i, struct sq_diag *diag)
{
    bool produces = i < cfg->producers.count;
    const struct sq_map *map = produces ? &cfg->producers : &cfg->clients;
    const struct sq_node *node = arrivals_of(cfg, i)->node;
    const struct sq_node *file = node != NULL ? sq_node_get(node, "file") : NULL;
    struct sq_buf path = { 0 };
    sq_buf_printf(&path, "%s.%s.arrivals.file", produces ? "producers" : "clients",
                  map->names[produces ? i : i - cfg->producers.count]);
    if (file != NULL) {
        (void)sq_diag_error(diag, file->where, path.failed ? NULL : path.text, NULL,
                            "names a trace that cannot be used");
    }
    sq_buf_fini(&path);
}

enum sq_status mdl_scenario_traces(struct mdl_scenario *s, const struct mdl_scenario *like,
                                   struct sq_diag *diag)
{
    size_t count = s->cfg.producers.count + s->cfg.clients.count;
    s->traces = sq_arena_alloc(&s->arena, count + 1, sizeof(*s->traces));
    if (s->traces == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct mdl_trace_ask *ask = mdl_arrivals_trace(arrivals_of(&s->cfg, i));
        s->traces[i] = ask != NULL ? shared_trace(like, ask) : NULL;
        if (ask == NULL || s->traces[i] != NULL) {
            continue;
        }
        s->traces[i] = sq_arena_alloc(&s->arena, 1, sizeof(struct sq_trace));
        if (s->traces[i] == NULL) {
            return SQ_NOMEM;
        }
        enum sq_status status = read_trace(s, ask, diag, s->traces[i]);
        if (status == SQ_USER) {
            note_place(&s->cfg, i, diag);
        }
        if (status != SQ_OK) {
            return status;
        }
    }
    return SQ_OK;
}
