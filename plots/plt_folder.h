/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_folder.h - a result as a folder: charts, and the files of sim/conf/sq_save.h; and a
 * comparison as a folder with the results of its variants as folders inside. */
#ifndef PLT_FOLDER_H
#define PLT_FOLDER_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_comparison.h"
#include "sim/core/sq_tipping.h"

enum { PLT_FOLDER_FILES = 7 };

/* Writes everything into `folder`, made if needed; the paths, in the result's arena, are told. */
enum sq_status plt_folder_write(struct sq_result *r, const char *folder,
                                const char *paths[PLT_FOLDER_FILES],
                                struct sq_diag *diag) SQ_MUST_USE;

/* Writes comparison.json, .csv and .md into `folder`, made if needed, and every variant's result
 * (`results`, as many as variants) into the folder of its name inside; the paths of the three and
 * of the folders, `count` of them in the arena of the comparison, are told. */
enum sq_status plt_folder_compare(struct sq_comparison *c, struct sq_result *results,
                                  const char *folder, const char ***paths, size_t *count,
                                  struct sq_diag *diag) SQ_MUST_USE;

/* Writes limits.csv and limits.json into `folder`, made if needed; the path of the first, in the
 * arena of `l`, is told. */
enum sq_status plt_folder_limits(struct sq_limits *l, const char *folder, const char **path,
                                 struct sq_diag *diag) SQ_MUST_USE;

#endif
