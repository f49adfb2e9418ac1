/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_limits.h - the page of a search for a limit on a terminal: the answer, how far the file is
 * from it, whether the answer is one, and every value that was tried. */
#ifndef PLT_LIMITS_H
#define PLT_LIMITS_H

#include "plots/plt_page.h"
#include "sim/core/sq_tipping.h"

/* Appends the page. `file`: the path written, or NULL. SQ_NOMEM. */
enum sq_status plt_limits(const struct sq_limits *l, const struct plt_term *term, const char *file,
                          struct sq_buf *out) SQ_MUST_USE;

#endif
