/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_folder.h - what kind of result a folder holds. One folder holds one: the files of another kind
 * would stand beside it, and be taken for it by whoever looks into the folder next. */
#ifndef SQ_FOLDER_H
#define SQ_FOLDER_H

#include "sim/base/sq_diag.h"

enum sq_folder_kind {
    SQ_FOLDER_RUN,        /* summary.json */
    SQ_FOLDER_COMPARISON, /* comparison.json */
    SQ_FOLDER_SWEEP,      /* sweep.json */
    SQ_FOLDER_LIMITS,     /* limits.json */
};

/* Whether the file that tells this kind stands in the folder. */
bool sq_folder_holds(const char *path, enum sq_folder_kind kind);

/* Makes the folder and its parents for a result of this kind; an older one of the same kind may be
 * there. SQ_USER when it holds another kind or may not be written. NULL: none is wanted. */
enum sq_status sq_folder_open(const char *path, enum sq_folder_kind kind,
                              struct sq_diag *diag) SQ_MUST_USE;

#endif
