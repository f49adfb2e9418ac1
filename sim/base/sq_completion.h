/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_completion.h - the completion of a program's commands, options and values for a shell, made
 * from the rows: bash, zsh, fish.
 *
 * What a value is shows in its placeholder: FILE and PATH, and words with a dot (CALLS.csv) are
 * files, DIR folders, SCENARIO files that end in .yaml; others are of the lists below, or anything.
 */
#ifndef SQ_COMPLETION_H
#define SQ_COMPLETION_H

#include "sim/base/sq_commands.h"

/* Values by placeholder: all that stand for it. */
struct sq_completion_list {
    const char *command; /* row's name; NULL: of all */
    const char *placeholder;
    const char *words; /* with blanks between */
};

struct sq_completion {
    const struct sq_commands *commands;
    const struct sq_completion_list *lists;
    size_t list_count;
};

/* NULL-terminated names of the shells. */
extern const char *const sq_completion_shells[];

/* SQ_USER when the shell is none of them. */
enum sq_status sq_completion_write(const struct sq_completion *c, const char *shell,
                                   struct sq_buf *out, struct sq_diag *diag) SQ_MUST_USE;

#endif
