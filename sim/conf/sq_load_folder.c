/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_load_folder.c - a comparison and its variants, or one run, from a folder. */
#include "sim/conf/sq_load.h"

#include <string.h>

#include "sim/base/sq_json.h"
#include "sim/conf/sq_folder.h"
#include "sim/conf/sq_json_of_ours.h"
#include "sim/conf/sq_load_sentences.h"

static const char *path_in(struct sq_arena *arena, const char *folder, const char *name)
{
    return sq_arena_printf(arena, "%s/%s", folder, name);
}

/* Names of variants are names of folders: nothing that would lead elsewhere. */
static bool is_plain(const char *name)
{
    return name != NULL && name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL;
}

/* What a folder holds must be what was compared. */
static enum sq_status check_variant(const struct sq_result *r, const char *inner,
                                    const struct sq_json *said, uint64_t seed, struct sq_diag *diag)
{
    static const char hint[] = "compare them again, or bring the folder back";
    struct sq_where where = { .file = inner };
    const char *hash = sq_json_text(sq_json_get(said, "hash"));
    if (hash != NULL && strcmp(hash, r->scenario_hash) != 0) {
        return sq_diag_error(diag, where, NULL, hint,
                             "this is not the run that was compared: its scenario hash is %s, not "
                             "%s",
                             r->scenario_hash, hash);
    }
    return seed == r->seed ? SQ_OK
                           : sq_diag_error(diag, where, NULL, hint,
                                           "this is not the run that was compared: its seed is "
                                           "%llu, not %llu",
                                           (unsigned long long)r->seed, (unsigned long long)seed);
}

static enum sq_status load_variants(struct sq_loaded *out, const char *folder, const char *path,
                                    const struct sq_json *root, struct sq_diag *diag)
{
    struct sq_where where = { .file = path };
    const struct sq_json *list = sq_json_get(root, "variants");
    const struct sq_json *seed = sq_json_get(sq_json_get(root, "comparison"), "seed");
    size_t count = sq_json_count(list);
    out->results = sq_mem_alloc(count + 1, sizeof *out->results);
    if (out->results == NULL) {
        return SQ_NOMEM;
    }
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < count && status == SQ_OK; i++) {
        struct sq_result *r = &out->results[i];
        const char *name = sq_json_text(sq_json_get(sq_json_at(list, i), "name"));
        if (!is_plain(name)) {
            return sq_diag_error(diag, where, NULL, NULL, "`variants` is not complete");
        }
        out->result_count = i + 1;
        const char *inner = path_in(&r->arena, folder, name);
        status = inner != NULL ? sq_load_result(inner, r, diag) : SQ_NOMEM;
        if (status == SQ_OK) { /* across files it is called by its file too */
            r->variant = sq_arena_text(&r->arena, name, strlen(name));
            status = r->variant != NULL ? SQ_OK : SQ_NOMEM;
        }
        uint64_t compared;
        if (status == SQ_OK && sq_json_seed(seed, &compared)) {
            status = check_variant(r, inner, sq_json_at(list, i), compared, diag);
        }
        if (status == SQ_OK && r->run_count != out->results[0].run_count) {
            return sq_diag_error(diag, where, NULL, "compare them again",
                                 "the folder %s has %zu runs, the first variant %zu", name,
                                 r->run_count, out->results[0].run_count);
        }
    }
    bool some = count > 0 && status == SQ_OK && out->results[0].run_count > 0;
    return status != SQ_OK || some
               ? status
               : sq_diag_error(diag, where, NULL, NULL, "there are no runs in it");
}

static enum sq_status load_comparison(struct sq_loaded *out, const char *folder, const char *path,
                                      struct sq_diag *diag)
{
    struct sq_json *root = NULL;
    enum sq_status status = sq_json_of_ours(path, diag, &root);
    if (status != SQ_OK) {
        return status;
    }
    status = load_variants(out, folder, path, root, diag);
    if (status == SQ_OK) {
        status = sq_comparison_make(out->results, out->result_count, &out->comparison);
    }
    if (status == SQ_OK) {
        status = sq_load_sentences(&out->comparison, root);
    }
    sq_json_free(root);
    return status;
}

static enum sq_status load_run(struct sq_loaded *out, const char *folder, struct sq_diag *diag)
{
    out->results = sq_mem_alloc(1, sizeof *out->results);
    if (out->results == NULL) {
        return SQ_NOMEM;
    }
    out->result_count = 1;
    enum sq_status status = sq_load_result(folder, &out->results[0], diag);
    if (status == SQ_OK && out->results[0].run_count == 0) {
        return sq_diag_error(diag, (struct sq_where){ .file = folder }, NULL, NULL,
                             "there are no runs in it");
    }
    return status == SQ_OK ? sq_comparison_make(out->results, 1, &out->comparison) : status;
}

enum sq_status sq_load_folder(const char *folder, struct sq_loaded *out, struct sq_diag *diag)
{
    struct sq_arena scratch = { 0 };
    const char *comparison = path_in(&scratch, folder, "comparison.json");
    enum sq_status status = SQ_NOMEM;
    *out = (struct sq_loaded){ 0 };
    if (comparison != NULL) {
        if (sq_folder_holds(folder, SQ_FOLDER_COMPARISON)) {
            status = load_comparison(out, folder, comparison, diag);
        } else if (sq_folder_holds(folder, SQ_FOLDER_RUN)) {
            status = load_run(out, folder, diag);
        } else {
            status = sq_diag_error(diag, (struct sq_where){ .file = folder }, NULL,
                                   "make one with `squall run` or `squall compare`, --out DIR",
                                   "there is no result in this folder: neither comparison.json nor "
                                   "summary.json");
        }
    }
    sq_arena_fini(&scratch);
    return status;
}

void sq_loaded_fini(struct sq_loaded *l)
{
    sq_arena_fini(&l->comparison.arena);
    for (size_t i = 0; i < l->result_count; i++) {
        sq_arena_fini(&l->results[i].arena);
    }
    sq_mem_free(l->results);
    *l = (struct sq_loaded){ 0 };
}
