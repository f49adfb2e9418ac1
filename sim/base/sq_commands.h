/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_commands.h - a program of several commands: one is found by its name, and all are listed. */
#ifndef SQ_COMMANDS_H
#define SQ_COMMANDS_H

#include "sim/base/sq_opt.h"

/* One of `run`, which does everything by itself, and `page`, which only appends what the program
 * then prints (nothing when the status is not SQ_OK). */
struct sq_command_row {
    const char *name; /* as the user writes it: "run", "import trace" */
    const struct sq_command *command;
    enum sq_status (*run)(const struct sq_args *args, struct sq_diag *diag);
    enum sq_status (*page)(const struct sq_args *args, struct sq_buf *out, struct sq_diag *diag);
};

struct sq_commands {
    const char *program; /* "squall" */
    const char *purpose; /* a paragraph, lines broken, without the last line end */
    const char *more;    /* what stands behind the list, likewise */
    const struct sq_command_row *rows;
    size_t count;
};

/* The words of a command line behind the program's name; `used` is how many of them are the name of
 * the command that was found. */
struct sq_command_words {
    const char *const *words;
    size_t count, used;
};

/* NULL when there is none of that name; then it is noted, with the closest one, or with those that
 * begin with that word. Nothing is noted when help is asked for with a word that some begin with.
 */
const struct sq_command_row *sq_commands_find(const struct sq_commands *c,
                                              struct sq_command_words *w, struct sq_diag *diag);

/* The help of every command whose first of two words this is; false: there are none. */
bool sq_commands_put_family(const struct sq_commands *c, const char *family, struct sq_buf *out);

/* The purpose, a line per command, and what stands behind. */
void sq_commands_put(const struct sq_commands *c, struct sq_buf *out);

/* The exit status that the program ends with: 0 fine, 1 an expectation or finding failed, 2 the
 * user's mistake, 3 the machine failed us, 4 a bug of ours, 130 interrupted. */
int sq_exit_of(enum sq_status status);

#endif
