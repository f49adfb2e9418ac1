/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_help.h - `squall help` and `squall completion`: all commands, one of them, the keys of a
 * scenario file, as text or as manual pages; and what a shell completes. */
#ifndef MDL_HELP_H
#define MDL_HELP_H

#include "sim/base/sq_commands.h"

enum sq_status mdl_help_page(const struct sq_commands *c, const struct sq_args *args,
                             struct sq_buf *out, struct sq_diag *diag) SQ_MUST_USE;
enum sq_status mdl_completion_page(const struct sq_commands *c, const struct sq_args *args,
                                   struct sq_buf *out, struct sq_diag *diag) SQ_MUST_USE;

#endif
