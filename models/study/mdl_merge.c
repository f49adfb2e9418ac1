/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_merge.c - the shards of a sweep put together. */
#include "models/study/mdl_sweep.h"

#include "sim/base/sq_find.h"
#include "sim/conf/sq_folder.h"
#include "sim/conf/sq_grid_files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* A folder of a shard. */
struct part {
    const char *folder;
    struct sq_grid grid;
};

struct merging {
    struct sq_arena arena;
    size_t count, size;
    struct part *parts;
    size_t *owners; /* by shard: its part, or SIZE_MAX */
};

static enum sq_status refuse(struct sq_diag *diag, const char *folder, const char *hint,
                             const char *what)
{
    return sq_diag_error(diag, (struct sq_where){ .file = folder }, NULL, hint, "%s", what);
}

/* ---- folders ---- */

static enum sq_status add_part(struct merging *m, const char *folder, struct sq_diag *diag)
{
    if (m->count == m->size) {
        size_t size = m->size == 0 ? 16 : 2 * m->size;
        struct part *parts = sq_arena_alloc(&m->arena, size, sizeof(*parts));
        if (parts == NULL) {
            return SQ_NOMEM;
        }
        for (size_t i = 0; i < m->count; i++) {
            parts[i] = m->parts[i];
        }
        m->parts = parts;
        m->size = size;
    }
    struct part *p = &m->parts[m->count++];
    p->folder = folder;
    return sq_grid_read(folder, &p->grid, diag);
}

/* The folders of shards below one that is none itself. */
static enum sq_status add_below(struct merging *m, const char *folder, struct sq_diag *diag)
{
    static const char name[] = "/sweep.json";
    struct sq_paths found = { 0 };
    struct sq_find_ask ask = { .suffix = ".json", .skip = "cells", .arena = &m->arena };
    struct sq_diag own = { 0 };
    if (access(folder, R_OK | X_OK) != 0 && errno == EACCES) {
        return refuse(diag, folder, NULL, "cannot be read: permission denied");
    }
    enum sq_status status = sq_find(&ask, folder, &found, &own);
    sq_diag_fini(&own);
    size_t added = 0;
    for (size_t i = 0; status == SQ_OK && i < found.count; i++) {
        size_t len = strlen(found.items[i]), tail = strlen(name);
        if (len <= tail || strcmp(found.items[i] + len - tail, name) != 0) {
            continue;
        }
        char *path = sq_arena_text(&m->arena, found.items[i], len - tail);
        status = path != NULL ? add_part(m, path, diag) : SQ_NOMEM;
        added++;
    }
    if (status == SQ_USER || (status == SQ_OK && added == 0)) {
        return diag->errors > 0 ? SQ_USER
                                : refuse(diag, folder, "give the folders that `squall sweep` wrote",
                                         "there is no sweep here: it has no sweep.json");
    }
    return status;
}

static enum sq_status add_folders(struct merging *m, const char *const *folders, size_t count,
                                  struct sq_diag *diag)
{
    enum sq_status worst = SQ_OK;
    for (size_t i = 0; i < count && (worst == SQ_OK || worst == SQ_USER); i++) {
        enum sq_status status = sq_folder_holds(folders[i], SQ_FOLDER_SWEEP)
                                    ? add_part(m, folders[i], diag)
                                    : add_below(m, folders[i], diag);
        worst = status != SQ_OK ? status : worst;
    }
    return worst;
}

/* ---- one complete set ---- */

/* All are parts of the first one's sweep. */
static enum sq_status check_same(struct merging *m, struct sq_diag *diag)
{
    enum sq_status worst = SQ_OK;
    for (size_t i = 1; i < m->count; i++) {
        const char *differs = sq_grid_differs(&m->parts[0].grid, &m->parts[i].grid, &m->arena);
        if (differs != NULL) {
            worst = sq_diag_error(diag, (struct sq_where){ .file = m->parts[i].folder }, NULL, NULL,
                                  "this is no part of the sweep of %s: %s", m->parts[0].folder,
                                  differs);
        }
    }
    return worst;
}

static enum sq_status blame_cell(const struct sq_grid *g, size_t cell, const char *folder,
                                 const char *why, struct sq_diag *diag)
{
    struct sq_buf name = { 0 };
    sq_grid_put_cell(g, cell, &name);
    enum sq_status status = name.failed ? SQ_NOMEM
                                        : sq_diag_error(diag, (struct sq_where){ .file = folder },
                                                        NULL, NULL, "%s %s", name.text, why);
    sq_buf_fini(&name);
    return status;
}

/* Every shard is there, once. */
static enum sq_status find_owners(struct merging *m, struct sq_diag *diag)
{
    const struct sq_grid *g = &m->parts[0].grid;
    enum sq_status worst = SQ_OK;
    m->owners = sq_arena_alloc(&m->arena, g->shards, sizeof(*m->owners));
    if (m->owners == NULL) {
        return SQ_NOMEM;
    }
    for (size_t k = 0; k < g->shards; k++) {
        m->owners[k] = SIZE_MAX;
    }
    for (size_t i = 0; i < m->count; i++) {
        size_t *owner = &m->owners[m->parts[i].grid.shard - 1];
        if (*owner != SIZE_MAX) {
            char *why =
                sq_arena_printf(&m->arena, "is there twice: in %s too; both are shard %zu of %zu",
                                m->parts[*owner].folder, m->parts[i].grid.shard, g->shards);
            size_t first = m->parts[i].grid.shard - 1;
            worst = why == NULL             ? SQ_NOMEM
                    : first < g->cell_count ? blame_cell(g, first, m->parts[i].folder, why, diag)
                                            : refuse(diag, m->parts[i].folder, NULL, why);
            continue;
        }
        *owner = i;
    }
    for (size_t k = 0; k < g->shards && k < g->cell_count; k++) {
        if (m->owners[k] == SIZE_MAX) {
            char *why =
                sq_arena_printf(&m->arena, "is missing: shard %zu of %zu is not among the folders",
                                k + 1, g->shards);
            worst = why != NULL ? blame_cell(g, k, NULL, why, diag) : SQ_NOMEM;
        }
    }
    return worst;
}

static enum sq_status read_cells(struct merging *m, struct sq_grid *g, struct sq_diag *diag)
{
    enum sq_status worst = SQ_OK;
    for (size_t i = 0; i < g->cell_count && (worst == SQ_OK || worst == SQ_USER); i++) {
        const char *folder = m->parts[m->owners[i % m->parts[0].grid.shards]].folder;
        enum sq_status status = sq_grid_read_cell(g, folder, i, diag);
        if (status == SQ_OK && !g->cells[i].done) {
            status = blame_cell(g, i, folder, "is missing: the same sweep command goes on with it",
                                diag);
        }
        worst = status != SQ_OK ? status : worst;
    }
    return worst;
}

/* ---- out ---- */

static enum sq_status write_whole(struct mdl_sweep *s, struct sq_diag *diag)
{
    struct sq_grid *g = &s->grid, old = { 0 };
    enum sq_status status = SQ_OK;
    if (sq_folder_holds(s->folder, SQ_FOLDER_SWEEP)) {
        status = sq_grid_read(s->folder, &old, diag);
        const char *differs = status == SQ_OK ? sq_grid_differs(g, &old, &g->arena) : NULL;
        if (differs != NULL) {
            status = sq_diag_error(diag, (struct sq_where){ .file = s->folder }, NULL,
                                   "choose another folder, or remove this one",
                                   "this folder holds another sweep: %s", differs);
        }
        sq_arena_fini(&old.arena);
    }
    status = status == SQ_OK ? sq_grid_write(g, s->folder, diag) : status;
    for (size_t i = 0; i < g->cell_count && status == SQ_OK; i++) {
        status = sq_grid_write_cell(g, s->folder, i, &g->cells[i], diag);
    }
    return status == SQ_OK ? sq_grid_write_csv(g, s->folder, &s->csv, diag) : status;
}

static enum sq_status merge(struct merging *m, struct mdl_sweep *s, const char *out,
                            struct sq_diag *diag)
{
    enum sq_status status = check_same(m, diag);
    status = status == SQ_OK ? find_owners(m, diag) : status;
    if (status != SQ_OK) {
        return status;
    }
    s->grid = m->parts[0].grid; /* with its arena */
    m->parts[0].grid = (struct sq_grid){ .shards = s->grid.shards };
    s->folder = sq_arena_text(&s->grid.arena, out, strlen(out));
    status = s->folder != NULL ? read_cells(m, &s->grid, diag) : SQ_NOMEM;
    s->grid.shard = s->grid.shards = 1;
    return status == SQ_OK ? write_whole(s, diag) : status;
}

enum sq_status mdl_merge(struct mdl_sweep *s, const char *const *folders, size_t count,
                         const char *out, struct sq_diag *diag)
{
    struct merging m = { 0 };
    *s = (struct mdl_sweep){ 0 };
    if (out == NULL) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--out", "for example --out whole",
                             "say where the whole sweep is written");
    }
    enum sq_status status = add_folders(&m, folders, count, diag);
    status = status == SQ_OK ? merge(&m, s, out, diag) : status;
    for (size_t i = 0; i < m.count; i++) {
        sq_arena_fini(&m.parts[i].grid.arena);
    }
    sq_arena_fini(&m.arena);
    return status;
}
