/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_sweep.c - the cells of a sweep: reading them all, running those that are not there yet. */
#include "models/study/mdl_sweep.h"

#include "models/study/mdl_vary.h"
#include "sim/base/sq_hash.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_par.h"
#include "sim/base/sq_progress.h"
#include "sim/conf/sq_folder.h"
#include "sim/conf/sq_grid_files.h"

#include <stdio.h>
#include <string.h>

static const char *keep(struct sq_grid *g, const char *text)
{
    return text != NULL ? sq_arena_text(&g->arena, text, strlen(text)) : NULL;
}

/* ---- reading all cells ---- */

struct reading {
    struct mdl_sweep *s;
    struct mdl_ask ask;
    struct sq_diag *diags; /* by cell, as the next */
    char (*hashes)[17];
};

static enum sq_status read_cell(void *ctx, size_t cell)
{
    struct reading *r = ctx;
    struct mdl_scenario s = { 0 };
    enum sq_status status = mdl_vary_load(&r->s->grid, cell, &r->ask, &s, &r->diags[cell]);
    if (status == SQ_OK) {
        memcpy(r->hashes[cell], s.hash, sizeof(s.hash));
    }
    mdl_scenario_fini(&s);
    return status == SQ_USER ? SQ_OK : status; /* mistakes of all cells are told */
}

/* One hash of those of all cells. */
static const char *hash_of(struct sq_grid *g)
{
    uint64_t h = SQ_HASH_BASIS;
    for (size_t i = 0; i < g->cell_count; i++) {
        h = sq_hash_text(h, g->cells[i].hash);
    }
    return sq_arena_printf(&g->arena, "%016llx", (unsigned long long)h);
}

static enum sq_status take_hashes(struct reading *r, struct sq_diag *diag)
{
    struct sq_grid *g = &r->s->grid;
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < g->cell_count; i++) {
        if (r->diags[i].errors > 0) {
            mdl_runs_pass_on(&r->diags[i], NULL, NULL, diag);
            status = SQ_USER;
        }
        g->cells[i].hash = keep(g, r->hashes[i]);
        status = g->cells[i].hash == NULL ? SQ_NOMEM : status;
    }
    g->hash = status == SQ_OK ? hash_of(g) : NULL;
    return status == SQ_OK && g->hash == NULL ? SQ_NOMEM : status;
}

static enum sq_status read_cells(struct mdl_sweep *s, const struct mdl_sweep_ask *ask,
                                 struct sq_diag *diag)
{
    struct sq_grid *g = &s->grid;
    struct reading r = { .s = s, .ask = ask->scenario };
    g->cell_count = sq_grid_size(g, SQ_MAX_CELLS);
    if (g->cell_count > SQ_MAX_CELLS) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--vary", "vary fewer keys at a time",
                             "there are more than %d combinations", SQ_MAX_CELLS);
    }
    r.ask.like = &s->base;
    g->cells = sq_arena_alloc(&g->arena, g->cell_count, sizeof(*g->cells));
    r.diags = sq_mem_alloc(g->cell_count, sizeof(*r.diags));
    r.hashes = sq_mem_alloc(g->cell_count, sizeof(*r.hashes));
    bool ready = g->cells != NULL && r.diags != NULL && r.hashes != NULL;
    enum sq_status status =
        ready ? sq_par_for(ask->threads, g->cell_count, read_cell, &r) : SQ_NOMEM;
    status = status == SQ_OK ? take_hashes(&r, diag) : status;
    for (size_t i = 0; r.diags != NULL && i < g->cell_count; i++) {
        sq_diag_fini(&r.diags[i]);
    }
    sq_mem_free(r.diags);
    sq_mem_free(r.hashes);
    return status;
}

/* ---- the rest of what a sweep is ---- */

static enum sq_status read_metrics(struct mdl_sweep *s, const char *list, struct sq_diag *diag)
{
    struct sq_grid *g = &s->grid;
    g->metrics =
        sq_arena_alloc(&g->arena, list != NULL ? strlen(list) + 1 : 1, sizeof(*g->metrics));
    if (g->metrics == NULL) {
        return SQ_NOMEM;
    }
    while (list != NULL) {
        size_t len = strcspn(list, ",");
        char *name = sq_arena_text(&g->arena, list, len);
        const char *close = NULL;
        bool knows = false;
        enum sq_status status =
            name != NULL ? mdl_cell_knows(&s->base, name, &g->arena, &close, &knows) : SQ_NOMEM;
        if (status != SQ_OK) {
            return status;
        }
        if (!knows) {
            return sq_diag_error(
                diag, (struct sq_where){ 0 }, "--metrics",
                close != NULL ? sq_arena_printf(&g->arena, "did you mean `%s`?", close) : NULL,
                "there is no metric `%s`", name);
        }
        g->metrics[g->metric_count++] = name;
        list = list[len] == ',' ? list + len + 1 : NULL;
    }
    return SQ_OK;
}

static enum sq_status describe(struct mdl_sweep *s, const struct mdl_sweep_ask *ask)
{
    struct sq_grid *g = &s->grid;
    const struct mdl_scenario *base = &s->base;
    g->version = SQ_VERSION;
    g->title = keep(g, base->cfg.title != NULL ? base->cfg.title : base->file);
    g->file = keep(g, base->file);
    g->variant = keep(g, base->variant);
    g->seed = base->cfg.seed;
    g->runs = base->cfg.runs;
    g->shard = ask->shard.number;
    g->shards = ask->shard.of;
    s->folder = g->shards == 1 ? keep(g, ask->folder)
                               : sq_arena_printf(&g->arena, "%s/shard-%zu-of-%zu", ask->folder,
                                                 g->shard, g->shards);
    bool failed = g->title == NULL || g->file == NULL || g->variant == NULL || s->folder == NULL;
    return failed ? SQ_NOMEM : SQ_OK;
}

/* A folder that is there already must be that of this sweep. */
static enum sq_status take_folder(struct mdl_sweep *s, struct sq_diag *diag)
{
    struct sq_grid old = { 0 };
    if (!sq_folder_holds(s->folder, SQ_FOLDER_SWEEP)) {
        return sq_grid_write(&s->grid, s->folder, diag);
    }
    enum sq_status status = sq_grid_read(s->folder, &old, diag);
    const char *differs = status == SQ_OK ? sq_grid_differs(&s->grid, &old, &s->grid.arena) : NULL;
    if (status == SQ_OK && differs == NULL && old.shard != s->grid.shard) {
        differs = "it is another shard";
    }
    if (differs != NULL) {
        status = sq_diag_error(diag, (struct sq_where){ .file = s->folder }, NULL,
                               "choose another folder, or remove this one",
                               "this folder holds another sweep: %s", differs);
    }
    sq_arena_fini(&old.arena);
    return status;
}

enum sq_status mdl_sweep_open(struct mdl_sweep *s, const struct mdl_sweep_ask *ask,
                              struct sq_diag *diag)
{
    *s = (struct mdl_sweep){ 0 };
    if (ask->folder == NULL) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--out", "for example --out sweep",
                             "a sweep needs a folder, in which finished cells are kept");
    }
    enum sq_status status = mdl_vary_read(ask->vary, ask->vary_count, &s->grid, diag);
    status = status == SQ_OK ? mdl_scenario_load(&s->base, &ask->scenario, diag) : status;
    status = status == SQ_OK ? describe(s, ask) : status;
    status = status == SQ_OK ? read_metrics(s, ask->metrics, diag) : status;
    status = status == SQ_OK ? read_cells(s, ask, diag) : status;
    return status == SQ_OK ? take_folder(s, diag) : status;
}

void mdl_sweep_fini(struct mdl_sweep *s)
{
    mdl_scenario_fini(&s->base);
    sq_arena_fini(&s->grid.arena);
}

/* ---- running ---- */

struct work {
    struct mdl_sweep *s;
    struct mdl_ask ask;
    struct mdl_replicate_ask runs;
    size_t count;
    size_t *cells; /* that are to be run */
    struct sq_diag *diags;
    struct sq_progress *progress;
};

static enum sq_status run_cell(void *ctx, size_t i)
{
    struct work *w = ctx;
    struct mdl_scenario scenario = { 0 };
    struct sq_arena arena = { 0 };
    const struct sq_grid *g = &w->s->grid;
    size_t cell = w->cells[i];
    struct sq_grid_cell out = { .hash = g->cells[cell].hash };
    struct mdl_cell_ask ask = { &scenario, &w->runs, g->metric_count, g->metrics };
    enum sq_status status = mdl_vary_load(g, cell, &w->ask, &scenario, &w->diags[i]);
    status = status == SQ_OK ? mdl_cell_run(&ask, &arena, &out, &w->diags[i]) : status;
    if (status == SQ_OK) {
        status = sq_grid_write_cell(g, w->s->folder, cell, &out, &w->diags[i]);
    }
    if (status == SQ_OK) {
        sq_progress_step(w->progress);
    }
    sq_arena_fini(&arena);
    mdl_scenario_fini(&scenario);
    return status;
}

/* Many cells: one per thread; few: one after the other, its runs side by side. */
static enum sq_status run_cells(struct work *w, unsigned threads, bool shows)
{
    char what[64];
    bool many = w->count >= 2 * (size_t)threads;
    w->runs.threads = many ? 1 : threads;
    (void)snprintf(what, sizeof(what), "%zu cells", w->count);
    struct sq_progress_plan plan = { what, w->count, many ? threads : 1 };
    w->progress = shows ? sq_progress_begin(&plan) : NULL;
    enum sq_status status = sq_par_for(many ? threads : 1, w->count, run_cell, w);
    sq_progress_end(w->progress);
    return status;
}

/* The finished cells of this shard, from their files. */
static enum sq_status read_finished(struct mdl_sweep *s, struct sq_diag *diag)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < s->grid.cell_count && status == SQ_OK; i++) {
        if (sq_grid_has(&s->grid, i) && !s->grid.cells[i].done) {
            status = sq_grid_read_cell(&s->grid, s->folder, i, diag);
        }
    }
    return status;
}

static void note_diags(struct work *w, struct sq_diag *diag)
{
    bool noted = false; /* the first that failed speaks */
    for (size_t i = 0; i < w->count; i++) {
        if (!noted && w->diags[i].errors > 0) {
            mdl_runs_pass_on(&w->diags[i], NULL, NULL, diag);
            noted = true;
        }
        sq_diag_fini(&w->diags[i]);
    }
}

static enum sq_status run_missing(struct mdl_sweep *s, const struct mdl_sweep_ask *ask,
                                  struct sq_diag *diag)
{
    size_t own = sq_grid_own(&s->grid, &s->kept);
    struct work w = { .s = s,
                      .ask = ask->scenario,
                      .runs = { .first = 1, .check_every = ask->check_every, .stop = ask->stop } };
    w.ask.like = &s->base;
    w.cells = sq_mem_alloc(own - s->kept + 1, sizeof(*w.cells));
    w.diags = sq_mem_alloc(own - s->kept + 1, sizeof(*w.diags));
    enum sq_status status = w.cells != NULL && w.diags != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t i = 0; i < s->grid.cell_count && status == SQ_OK; i++) {
        if (sq_grid_has(&s->grid, i) && !s->grid.cells[i].done) {
            w.cells[w.count++] = i;
        }
    }
    if (status == SQ_OK && w.count > 0) {
        status = run_cells(&w, ask->threads > 0 ? ask->threads : 1, ask->shows);
        note_diags(&w, diag);
    }
    sq_mem_free(w.cells);
    sq_mem_free(w.diags);
    return status;
}

enum sq_status mdl_sweep_run(struct mdl_sweep *s, const struct mdl_sweep_ask *ask,
                             struct sq_diag *diag)
{
    enum sq_status status = read_finished(s, diag);
    status = status == SQ_OK ? run_missing(s, ask, diag) : status;
    if (status != SQ_OK && status != SQ_STOPPED) {
        return status;
    }
    enum sq_status read = read_finished(s, diag);
    size_t done, own = sq_grid_own(&s->grid, &done);
    if (status == SQ_STOPPED) {
        sq_diag_note(diag, s->folder,
                     "%zu of %zu cells are finished; the same command goes on from there", done,
                     own);
        return status;
    }
    if (read == SQ_OK && s->grid.shards == 1) {
        read = sq_grid_write_csv(&s->grid, s->folder, &s->csv, diag);
    }
    return read;
}
