/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_folder.c - folders of results. */
#include "sim/conf/sq_folder.h"

#include <stdio.h>
#include <sys/stat.h>

#include "sim/base/sq_file.h"

enum { PATH_BYTES = 4096 + 32 }; /* more than systems allow */

/* In the order of their numbers. */
static const struct {
    const char *file, *what;
} kinds[] = {
    [SQ_FOLDER_RUN] = { "summary.json", "a run" },
    [SQ_FOLDER_COMPARISON] = { "comparison.json", "a comparison" },
    [SQ_FOLDER_SWEEP] = { "sweep.json", "a sweep" },
    [SQ_FOLDER_LIMITS] = { "limits.json", "a search for a limit" },
};

bool sq_folder_holds(const char *path, enum sq_folder_kind kind)
{
    struct stat st;
    char file[PATH_BYTES]; /* not from the heap: that it is full is no answer */
    int len = snprintf(file, sizeof file, "%s/%s", path, kinds[kind].file);
    return len > 0 && (size_t)len < sizeof file && stat(file, &st) == 0;
}

enum sq_status sq_folder_open(const char *path, enum sq_folder_kind kind, struct sq_diag *diag)
{
    if (path == NULL) {
        return SQ_OK;
    }
    for (size_t k = 0; k < SQ_COUNT(kinds); k++) {
        if (k != (size_t)kind && sq_folder_holds(path, (enum sq_folder_kind)k)) {
            return sq_diag_error(diag, (struct sq_where){ .file = path }, NULL,
                                 "choose another folder, or remove this one",
                                 "this folder holds %s: %s cannot be written beside it (%s)",
                                 kinds[k].what, kinds[kind].what, kinds[k].file);
        }
    }
    return sq_file_folder(path, diag);
}
