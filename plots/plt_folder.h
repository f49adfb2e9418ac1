/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_folder.h - a result as a folder: charts, and the files of sim/conf/sq_save.h. */
#ifndef PLT_FOLDER_H
#define PLT_FOLDER_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_result.h"

enum { PLT_FOLDER_FILES = 6 };

/* Writes everything into `folder`, made if needed; the paths, in the result's arena, are told. */
enum sq_status plt_folder_write(struct sq_result *r, const char *folder,
                                const char *paths[PLT_FOLDER_FILES],
                                struct sq_diag *diag) SQ_MUST_USE;

#endif
