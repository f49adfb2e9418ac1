/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_grid_json.c - what a sweep is, as sweep.json, and back. */
#include "sim/conf/sq_grid_files.h"

#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"
#include "sim/conf/sq_folder.h"
#include "sim/conf/sq_json_of_ours.h"

#include <math.h>
#include <string.h>

enum { FORMAT = 1 };

/* ---- out ---- */

static void put_texts(struct sq_json_writer *w, const char *key, const char *const *texts,
                      size_t count)
{
    sq_json_open_array(w, key);
    for (size_t i = 0; i < count; i++) {
        sq_json_put_text(w, NULL, texts[i]);
    }
    sq_json_close(w);
}

static void put_sweep(struct sq_json_writer *w, const struct sq_grid *g)
{
    sq_json_put_text(w, "title", g->title);
    sq_json_put_text(w, "file", sq_file_name(g->file));
    sq_json_put_text(w, "variant", g->variant);
    sq_json_put_text(w, "hash", g->hash);
    sq_json_put_seed(w, "seed", g->seed);
    sq_json_put_integer(w, "runs", g->runs);
    sq_json_open_array(w, "keys");
    for (size_t k = 0; k < g->key_count; k++) {
        sq_json_open_object(w, NULL);
        sq_json_put_text(w, "key", g->keys[k].name);
        put_texts(w, "values", g->keys[k].values, g->keys[k].count);
        sq_json_close(w);
    }
    sq_json_close(w);
    if (g->metric_count > 0) {
        put_texts(w, "metrics", g->metrics, g->metric_count);
    }
    sq_json_open_array(w, "cells");
    for (size_t i = 0; i < g->cell_count; i++) {
        sq_json_put_text(w, NULL, g->cells[i].hash);
    }
    sq_json_close(w);
}

static enum sq_status make_json(const struct sq_grid *g, struct sq_buf *out)
{
    struct sq_json_writer w = { 0 };
    sq_json_open_object(&w, NULL);
    sq_json_open_object(&w, "squall");
    sq_json_put_text(&w, "version", g->version);
    sq_json_put_integer(&w, "format", FORMAT);
    sq_json_close(&w);
    sq_json_open_object(&w, "sweep");
    put_sweep(&w, g);
    sq_json_close(&w);
    sq_json_open_object(&w, "shard");
    sq_json_put_integer(&w, "number", (int64_t)g->shard);
    sq_json_put_integer(&w, "of", (int64_t)g->shards);
    sq_json_close(&w);
    sq_json_close(&w);
    enum sq_status status = sq_json_dump(&w, out);
    sq_json_writer_fini(&w);
    return status;
}

enum sq_status sq_grid_write(const struct sq_grid *g, const char *folder, struct sq_diag *diag)
{
    struct sq_buf text = { 0 }, cells = { 0 }, path = { 0 };
    sq_buf_printf(&cells, "%s/cells", folder);
    sq_buf_printf(&path, "%s/sweep.json", folder);
    enum sq_status status = cells.failed || path.failed ? SQ_NOMEM : make_json(g, &text);
    status = status == SQ_OK ? sq_folder_open(folder, SQ_FOLDER_SWEEP, diag) : status;
    status = status == SQ_OK ? sq_file_folder(cells.text, diag) : status;
    status = status == SQ_OK ? sq_file_write(path.text, text.text, text.len, diag) : status;
    sq_buf_fini(&text);
    sq_buf_fini(&cells);
    sq_buf_fini(&path);
    return status;
}

/* ---- in ---- */

struct reader {
    struct sq_grid *g;
    bool failed; /* out of memory */
    bool wrong;  /* something is missing, or not what it should be */
};

static const char *text_of(struct reader *r, const struct sq_json *v)
{
    const char *text = sq_json_text(v);
    r->wrong = r->wrong || text == NULL;
    char *copy = text != NULL ? sq_arena_text(&r->g->arena, text, strlen(text)) : NULL;
    r->failed = r->failed || (text != NULL && copy == NULL);
    return copy;
}

static size_t whole_of(struct reader *r, const struct sq_json *v, double least)
{
    double number = sq_json_number(v);
    bool fine = number >= least && number <= 9007199254740992.0 && floor(number) == number;
    r->wrong = r->wrong || !fine;
    return fine ? (size_t)number : 0;
}

static const char **texts_of(struct reader *r, const struct sq_json *array, size_t *count)
{
    *count = sq_json_count(array);
    const char **texts = sq_arena_alloc(&r->g->arena, *count + 1, sizeof(*texts));
    r->failed = r->failed || texts == NULL;
    for (size_t i = 0; texts != NULL && i < *count; i++) {
        texts[i] = text_of(r, sq_json_at(array, i));
    }
    return texts;
}

static void take_keys(struct reader *r, const struct sq_json *keys)
{
    struct sq_grid *g = r->g;
    g->key_count = sq_json_count(keys);
    g->keys = sq_arena_alloc(&g->arena, g->key_count + 1, sizeof(*g->keys));
    r->failed = r->failed || g->keys == NULL;
    for (size_t k = 0; g->keys != NULL && k < g->key_count; k++) {
        const struct sq_json *key = sq_json_at(keys, k);
        g->keys[k].name = text_of(r, sq_json_get(key, "key"));
        g->keys[k].values = texts_of(r, sq_json_get(key, "values"), &g->keys[k].count);
        r->wrong = r->wrong || g->keys[k].count == 0;
    }
    r->wrong = r->wrong || g->key_count == 0;
}

static void take_cells(struct reader *r, const struct sq_json *cells)
{
    struct sq_grid *g = r->g;
    g->cell_count = sq_json_count(cells);
    if (r->wrong || g->cell_count != sq_grid_size(g, g->cell_count)) {
        r->wrong = true;
        return;
    }
    g->cells = sq_arena_alloc(&g->arena, g->cell_count, sizeof(*g->cells));
    r->failed = r->failed || g->cells == NULL;
    for (size_t i = 0; g->cells != NULL && i < g->cell_count; i++) {
        g->cells[i].hash = text_of(r, sq_json_at(cells, i));
    }
}

static void take_all(struct reader *r, const struct sq_json *root)
{
    struct sq_grid *g = r->g;
    const struct sq_json *sweep = sq_json_get(root, "sweep"), *shard = sq_json_get(root, "shard");
    g->version = text_of(r, sq_json_get(sq_json_get(root, "squall"), "version"));
    g->title = text_of(r, sq_json_get(sweep, "title"));
    g->file = text_of(r, sq_json_get(sweep, "file"));
    g->variant = text_of(r, sq_json_get(sweep, "variant"));
    g->hash = text_of(r, sq_json_get(sweep, "hash"));
    r->wrong = !sq_json_seed(sq_json_get(sweep, "seed"), &g->seed) || r->wrong;
    g->runs = (int64_t)whole_of(r, sq_json_get(sweep, "runs"), 1);
    g->metrics = texts_of(r, sq_json_get(sweep, "metrics"), &g->metric_count);
    g->shard = whole_of(r, sq_json_get(shard, "number"), 1);
    g->shards = whole_of(r, sq_json_get(shard, "of"), 1);
    r->wrong = r->wrong || g->shard > g->shards;
    take_keys(r, sq_json_get(sweep, "keys"));
    take_cells(r, sq_json_get(sweep, "cells"));
}

static enum sq_status read_path(const char *path, struct sq_grid *out, struct sq_diag *diag)
{
    struct sq_json *root = NULL;
    enum sq_status status = sq_json_of_ours(path, diag, &root);
    if (status != SQ_OK) {
        return status;
    }
    struct reader r = { .g = out };
    take_all(&r, root);
    sq_json_free(root);
    if (r.wrong) {
        return sq_diag_error(diag, (struct sq_where){ .file = path }, NULL, NULL,
                             "this describes no sweep of squall");
    }
    return r.failed ? SQ_NOMEM : SQ_OK;
}

enum sq_status sq_grid_read(const char *folder, struct sq_grid *out, struct sq_diag *diag)
{
    struct sq_buf path = { 0 };
    sq_buf_printf(&path, "%s/sweep.json", folder);
    enum sq_status status = path.failed ? SQ_NOMEM : read_path(path.text, out, diag);
    sq_buf_fini(&path);
    return status;
}

/* ---- differences ---- */

static bool same_texts(const char *const *a, const char *const *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(a[i], b[i]) != 0) {
            return false;
        }
    }
    return true;
}

static bool same_keys(const struct sq_grid *a, const struct sq_grid *b)
{
    bool same = a->key_count == b->key_count;
    for (size_t k = 0; same && k < a->key_count; k++) {
        const struct sq_grid_key *x = &a->keys[k], *y = &b->keys[k];
        same = strcmp(x->name, y->name) == 0 && x->count == y->count &&
               same_texts(x->values, y->values, x->count);
    }
    return same;
}

static void put_difference(const struct sq_grid *a, const struct sq_grid *b, struct sq_buf *out)
{
    if (strcmp(a->version, b->version) != 0) {
        sq_buf_printf(out, "it was made by squall %s, not %s", b->version, a->version);
    } else if (!same_keys(a, b)) {
        sq_buf_puts(out, "its keys or their values are others");
    } else if (strcmp(a->hash, b->hash) != 0) {
        sq_buf_printf(out, "its scenario hash is %s, not %s", b->hash, a->hash);
    } else if (a->seed != b->seed) {
        sq_buf_printf(out, "its seed is %llu, not %llu", (unsigned long long)b->seed,
                      (unsigned long long)a->seed);
    } else if (a->runs != b->runs) {
        sq_buf_printf(out, "it has %lld runs per cell, not %lld", (long long)b->runs,
                      (long long)a->runs);
    } else if (a->metric_count != b->metric_count ||
               !same_texts(a->metrics, b->metrics, a->metric_count)) {
        sq_buf_puts(out, "its metrics are others");
    } else if (a->shards != b->shards) {
        sq_buf_printf(out, "it is cut into %zu shards, not %zu", b->shards, a->shards);
    }
}

const char *sq_grid_differs(const struct sq_grid *a, const struct sq_grid *b,
                            struct sq_arena *arena)
{
    struct sq_buf b_text = { 0 };
    put_difference(a, b, &b_text);
    const char *text = NULL;
    if (b_text.len > 0 || b_text.failed) {
        text = b_text.failed ? NULL : sq_arena_text(arena, b_text.text, b_text.len);
        text = text != NULL ? text : "it is another one";
    }
    sq_buf_fini(&b_text);
    return text;
}
