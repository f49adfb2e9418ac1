/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_first.h - the first scenario of a new user: what `squall init` writes, what the README
 * explains and scenarios/first.yaml ships. This is the one that counts; tests compare the others.
 */
#ifndef MDL_FIRST_H
#define MDL_FIRST_H

#include "sim/base/sq_opt.h"

extern const char mdl_first_text[];

/* Writes it to a new file. SQ_USER when something is there already. */
enum sq_status mdl_first_write(const char *path, struct sq_diag *diag) SQ_MUST_USE;

/* The page of `squall init`, which writes the file first. */
enum sq_status mdl_first_page(const struct sq_args *args, struct sq_buf *out,
                              struct sq_diag *diag) SQ_MUST_USE;

#endif
