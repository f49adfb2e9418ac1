/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_diff.c - what changed between two results. */
#include "models/study/mdl_diff.h"

#include "models/study/mdl_verdict.h"
#include "sim/base/sq_file.h"
#include "sim/conf/sq_changes.h"

#include <string.h>

/* ---- reading ---- */

static enum sq_status read_side(struct sq_loaded *side, const char *folder, struct sq_diag *diag)
{
    enum sq_status status = sq_load_folder(folder, side, diag);
    if (status == SQ_OK && side->result_count != 1) {
        return sq_diag_error(
            diag, (struct sq_where){ .file = folder }, NULL, "name one of the folders in it",
            "holds a comparison of %zu variants, not one result", side->result_count);
    }
    return status;
}

/* Both sides have the same runs. */
static enum sq_status check_pairs(const struct mdl_diff *d, const char *is, struct sq_diag *diag)
{
    const struct sq_result *a = &d->sides[0].results[0], *b = &d->sides[1].results[0];
    struct sq_where where = { .file = is };
    const char *hint = "run both with the same --seed and --runs";
    if (a->seed != b->seed) {
        return sq_diag_error(diag, where, NULL, hint,
                             "has seed %llu, the other one %llu: their runs do not pair",
                             (unsigned long long)b->seed, (unsigned long long)a->seed);
    }
    if (a->run_count != b->run_count) {
        return sq_diag_error(diag, where, NULL, hint,
                             "has %zu runs, the other one %zu: they do not pair", b->run_count,
                             a->run_count);
    }
    for (size_t i = 0; i < a->run_count; i++) {
        if (a->runs[i].replication != b->runs[i].replication) {
            return sq_diag_error(diag, where, NULL, hint,
                                 "has run %llu where the other one has run %llu",
                                 (unsigned long long)b->runs[i].replication,
                                 (unsigned long long)a->runs[i].replication);
        }
    }
    return SQ_OK;
}

/* The name of a side: its variant, with the folder where both have the same. */
static const char *label(struct mdl_diff *d, size_t side, const char *folder)
{
    const char *name = d->sides[side].results[0].variant;
    if (strcmp(name, d->sides[1 - side].results[0].variant) != 0) {
        return name;
    }
    char path[256];
    size_t len = strlen(folder);
    while (len > 1 && folder[len - 1] == '/') {
        len--;
    }
    len = len < sizeof(path) - 1 ? len : sizeof(path) - 1;
    memcpy(path, folder, len);
    path[len] = '\0';
    return sq_arena_printf(&d->arena, "%s", sq_file_name(path));
}

enum sq_status mdl_diff_open(struct mdl_diff *d, const char *was, const char *is,
                             struct sq_diag *diag)
{
    *d = (struct mdl_diff){ 0 };
    enum sq_status status = read_side(&d->sides[0], was, diag);
    enum sq_status other = read_side(&d->sides[1], is, diag);
    status = status == SQ_OK ? other : status;
    status = status == SQ_OK ? check_pairs(d, is, diag) : status;
    if (status != SQ_OK) {
        return status;
    }
    struct sq_result results[2] = { d->sides[0].results[0], d->sides[1].results[0] };
    results[0].variant = label(d, 0, was);
    results[1].variant = label(d, 1, is);
    if (results[0].variant == NULL || results[1].variant == NULL) {
        return SQ_NOMEM;
    }
    if (strcmp(results[0].variant, results[1].variant) == 0) { /* of the same name, elsewhere */
        results[0].variant = "was";
        results[1].variant = "is";
    }
    status = sq_comparison_make(results, 2, &d->comparison);
    return status == SQ_OK ? mdl_verdicts(&d->comparison) : status;
}

void mdl_diff_fini(struct mdl_diff *d)
{
    sq_arena_fini(&d->comparison.arena);
    sq_loaded_fini(&d->sides[0]);
    sq_loaded_fini(&d->sides[1]);
    sq_arena_fini(&d->arena);
}

/* ---- keys ---- */

size_t mdl_diff_keys(struct mdl_diff *d, struct sq_buf *out)
{
    return sq_changes(d->sides[0].results[0].echo, d->sides[1].results[0].echo, NULL, out);
}
