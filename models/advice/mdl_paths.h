/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_paths.h - the call paths of a scenario in words, as comments for `squall explain`: per path
 * the layers with their tries, delays and holders, what one job and the whole fleet can cause, and
 * how much room each dependency has. */
#ifndef MDL_PATHS_H
#define MDL_PATHS_H

#include "models/advice/mdl_lint.h"
#include "sim/base/sq_buf.h"

/* Appends lines that begin with `#`. SQ_NOMEM. */
enum sq_status mdl_paths_write(const struct mdl_scenario *s, struct sq_buf *out) SQ_MUST_USE;

#endif
