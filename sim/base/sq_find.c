/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_find.c - walking folders. */
#define _XOPEN_SOURCE 700 /* lstat */
#include "sim/base/sq_find.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 32 };

enum sq_status sq_paths_add(struct sq_paths *out, struct sq_arena *arena, const char *path)
{
    for (size_t i = 0; i < out->count; i++) {
        if (strcmp(out->items[i], path) == 0) {
            return SQ_OK;
        }
    }
    if (out->count == out->size) {
        size_t size = out->size == 0 ? 16 : 2 * out->size;
        const char **items = sq_arena_alloc(arena, size, sizeof(*items));
        if (items == NULL) {
            return SQ_NOMEM;
        }
        for (size_t i = 0; i < out->count; i++) {
            items[i] = out->items[i];
        }
        out->items = items;
        out->size = size;
    }
    char *copy = sq_arena_text(arena, path, strlen(path));
    if (copy == NULL) {
        return SQ_NOMEM;
    }
    out->items[out->count++] = copy;
    return SQ_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a folder, sorted. */
static enum sq_status list_folder(const struct sq_find_ask *ask, const char *path,
                                  struct sq_paths *names, struct sq_diag *diag)
{
    DIR *dir = opendir(path);
    if (dir == NULL) {
        return sq_diag_error(diag, (struct sq_where){ .file = path }, NULL, NULL,
                             "the folder cannot be read: %s",
                             errno == EACCES ? "permission denied" : strerror(errno));
    }
    enum sq_status status = SQ_OK;
    const struct dirent *entry;
    while (status == SQ_OK && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.') {
            status = sq_paths_add(names, ask->arena, entry->d_name);
        }
    }
    closedir(dir);
    if (names->count > 1) {
        qsort(names->items, names->count, sizeof(*names->items), by_text);
    }
    return status;
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t len = strlen(name), tail = strlen(suffix);
    return len > tail && strcmp(name + len - tail, suffix) == 0;
}

static enum sq_status walk(const struct sq_find_ask *ask, const char *path, unsigned depth,
                           struct sq_paths *out, struct sq_diag *diag)
{
    struct sq_paths names = { 0 };
    enum sq_status status = list_folder(ask, path, &names, diag);
    const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
    for (size_t i = 0; i < names.count && status == SQ_OK; i++) {
        const char *name = names.items[i];
        char *below = sq_arena_printf(ask->arena, "%s%s%s", path, slash, name);
        struct stat st;
        if (below == NULL) {
            return SQ_NOMEM;
        }
        if (lstat(below, &st) != 0) {
            continue; /* gone since */
        }
        if (S_ISDIR(st.st_mode)) {
            bool enters = strcmp(name, ask->skip) != 0 && depth < DEPTH_MAX;
            status = enters ? walk(ask, below, depth + 1, out, diag) : SQ_OK;
        } else if (ends_in(name, ask->suffix) && stat(below, &st) == 0 && S_ISREG(st.st_mode)) {
            status = sq_paths_add(out, ask->arena, below);
        }
    }
    return status;
}

enum sq_status sq_find(const struct sq_find_ask *ask, const char *path, struct sq_paths *out,
                       struct sq_diag *diag)
{
    struct stat st;
    struct sq_where where = { .file = path };
    if (path[0] == '\0' || stat(path, &st) != 0) {
        return sq_diag_error(diag, where, NULL, NULL, "cannot be read: it does not exist");
    }
    if (!S_ISDIR(st.st_mode)) {
        return sq_paths_add(out, ask->arena, path);
    }
    size_t before = out->count;
    struct sq_paths found = { 0 };
    enum sq_status status = walk(ask, path, 0, &found, diag);
    for (size_t i = 0; i < found.count && status == SQ_OK; i++) {
        status = sq_paths_add(out, ask->arena, found.items[i]);
    }
    if (status == SQ_OK && found.count == 0 && out->count == before) {
        return sq_diag_error(diag, where, NULL, NULL, "the folder holds no %s file", ask->suffix);
    }
    return status;
}
