/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_lint_files.h - lint over files and folders: base and every variant of each, findings that
 * several of them share told once, as text, JSON or annotations of GitHub Actions. */
#ifndef MDL_LINT_FILES_H
#define MDL_LINT_FILES_H

#include "models/advice/mdl_lint.h"
#include "sim/base/sq_buf.h"

enum mdl_lint_format { MDL_LINT_TEXT, MDL_LINT_JSON, MDL_LINT_GITHUB };

struct mdl_lint_ask {
    const char *const *paths;
    size_t path_count;
    const char *format; /* NULL: text */
    bool strict;        /* warnings fail too */
};

/* Writes the findings. SQ_FAILED when one of them fails: an error, or with `strict` a warning, that
 * the file does not accept. SQ_USER for files that cannot be read (the others are looked at all the
 * same) and an unknown format. */
enum sq_status mdl_lint_files(const struct mdl_lint_ask *ask, struct sq_buf *out,
                              struct sq_diag *diag) SQ_MUST_USE;

/* The manual of the rules: every row written out. */
void mdl_lint_rules(struct sq_buf *out);

#endif
