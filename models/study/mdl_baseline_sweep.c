/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_baseline_sweep.c - baselines whose scenario or variant is gone. */
#include "models/study/mdl_baseline.h"
#include "models/study/mdl_baseline_in.h"
#include "sim/conf/sq_snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool holds(const struct sq_paths *paths, const char *path)
{
    for (size_t i = 0; i < paths->count; i++) {
        if (strcmp(paths->items[i], path) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the scenario is one of this check. */
static bool is_checked(const struct mdl_baseline_rest *rest, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < rest->scenario_count && !found; i++) {
        const char *other = mdl_baseline_name(rest->arena, rest->scenarios[i]);
        found = other != NULL && strcmp(other, name) == 0;
    }
    return found;
}

/* A name has lost the slash of a path from the root. */
static bool exists(struct sq_arena *arena, const char *name)
{
    struct stat st;
    const char *rooted = sq_arena_printf(arena, "/%s", name);
    return stat(name, &st) == 0 || (rooted != NULL && stat(rooted, &st) == 0);
}

static enum sq_status take(const struct mdl_baseline_ask *ask, struct mdl_baseline_rest *rest,
                           const char *path, struct sq_diag *diag)
{
    struct sq_snapshot s;
    struct mdl_baseline_verdict v = { .scenario = path, .variant = "base" };
    enum sq_status status = sq_snapshot_read(path, rest->arena, &s, diag);
    if (status == SQ_USER) {
        v.state = MDL_BASELINE_WRONG;
        v.text = "cannot be read";
        rest->items[rest->count++] = v;
        return SQ_OK;
    }
    if (status != SQ_OK) {
        return status;
    }
    bool checked = is_checked(rest, s.file);
    const char *place = mdl_baseline_path(rest->arena, ask, s.file, s.variant);
    if (place == NULL) {
        return SQ_NOMEM;
    }
    if (strcmp(place, path) != 0) {
        (void)sq_diag_error(diag, (struct sq_where){ .file = path }, "scenario",
                            "remove the file, or name it as squall did",
                            "is of %s, variant %s, which belongs in %s", s.file, s.variant, place);
        v.state = MDL_BASELINE_WRONG;
        v.text = "lies in the wrong place";
        rest->items[rest->count++] = v;
        return SQ_OK;
    }
    if (!checked && exists(rest->arena, s.file)) {
        return SQ_OK;
    }
    v.scenario = s.file;
    v.variant = s.variant;
    v.state = ask->update ? MDL_BASELINE_DELETED : MDL_BASELINE_REMOVED;
    v.text = ask->update ? "deleted: it is gone"
             : checked   ? "the variant is gone; --update-baseline forgets its baseline"
                         : "the scenario is gone; --update-baseline forgets its baseline";
    rest->items[rest->count++] = v;
    if (ask->update && remove(path) != 0) {
        return sq_diag_error(diag, (struct sq_where){ .file = path }, NULL, NULL,
                             "cannot be removed: %s", strerror(errno));
    }
    return SQ_OK;
}

enum sq_status mdl_baseline_sweep(const struct mdl_baseline_ask *ask,
                                  struct mdl_baseline_rest *rest, struct sq_diag *diag)
{
    struct sq_paths found = { 0 };
    struct sq_diag none = { 0 }; /* a folder without baselines is no mistake here */
    struct sq_find_ask find = { .suffix = ".json", .skip = ".", .arena = rest->arena };
    const char *folder = mdl_baseline_folder(rest->arena, ask);
    enum sq_status status = folder != NULL ? sq_find(&find, folder, &found, &none) : SQ_NOMEM;
    sq_diag_fini(&none);
    rest->items = sq_arena_alloc(rest->arena, found.count + 1, sizeof(*rest->items));
    if (status == SQ_NOMEM || rest->items == NULL) {
        return SQ_NOMEM;
    }
    status = SQ_OK;
    for (size_t i = 0; i < found.count && status == SQ_OK; i++) {
        if (!holds(rest->judged, found.items[i])) {
            status = take(ask, rest, found.items[i], diag);
        }
    }
    return status;
}
