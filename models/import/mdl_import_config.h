/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_config.h - `squall import config`: configuration that other systems run with, as the
 * beginning of a scenario. All documents of all files become one scenario: they name each other
 * (the target of a scaler, the host of a route), and that is how they are joined.
 *
 * The page is a scenario file. Each line tells the file, line and key that it came from; what the
 * files do not tell and a scenario needs stands in lines that start with `#+ `; a list at its end
 * tells of each key that is not in it why. */
#ifndef MDL_IMPORT_CONFIG_H
#define MDL_IMPORT_CONFIG_H

#include "sim/base/sq_opt.h"

struct mdl_import_file {
    const char *path, *text;
    size_t len;
};

/* SQ_USER when a file is not YAML or JSON, when no document of them is known, or when a value is
 * one that its own system would not take. */
enum sq_status mdl_import_config(const struct mdl_import_file *files, size_t count,
                                 struct sq_buf *out, struct sq_diag *diag) SQ_MUST_USE;

/* The command: its words are files. */
enum sq_status mdl_import_config_page(const struct sq_args *args, struct sq_buf *out,
                                      struct sq_diag *diag) SQ_MUST_USE;

#endif
