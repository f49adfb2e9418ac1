/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_commands_man.h - the manual page of a program of several commands, from their rows. */
#ifndef SQ_COMMANDS_MAN_H
#define SQ_COMMANDS_MAN_H

#include "sim/base/sq_commands.h"

struct sq_commands_man {
    const char *name;     /* "SQUALL" */
    const char *brief;    /* behind the name, without full stop */
    const char *see_also; /* "squall-scenario(5)" */
};

void sq_commands_man(const struct sq_commands *c, const struct sq_commands_man *words,
                     struct sq_buf *out);

#endif
