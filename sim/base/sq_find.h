/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_find.h - the files below folders, in an order that depends on their names alone. */
#ifndef SQ_FIND_H
#define SQ_FIND_H

#include "sim/base/sq_diag.h"
#include "sim/base/sq_mem.h"

/* A growing list of paths; texts and items live in an arena. A zeroed struct is empty. */
struct sq_paths {
    const char **items;
    size_t count, size;
};

/* sq_find adds `path` itself when it is no folder, and otherwise every regular file below it whose
 * name ends in `suffix`, folder by folder in the order of the bytes of their names. Names that
 * begin with a dot and folders named `skip` are passed over, links to folders are not followed. A
 * path that is in the list already is not added again. SQ_USER when the path does not exist, or a
 * folder cannot be read, or holds no such file. */
struct sq_find_ask {
    const char *suffix, *skip;
    struct sq_arena *arena;
};
enum sq_status sq_find(const struct sq_find_ask *ask, const char *path, struct sq_paths *out,
                       struct sq_diag *diag) SQ_MUST_USE;

/* Adds one path, if it is not in the list yet. SQ_NOMEM. */
enum sq_status sq_paths_add(struct sq_paths *out, struct sq_arena *arena,
                            const char *path) SQ_MUST_USE;

#endif
