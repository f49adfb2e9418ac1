/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_compare.h - the page of a comparison on a terminal: the answer, a sentence per variant, the
 * table of metric by variant, the paired differences, and how little so few runs prove. */
#ifndef PLT_COMPARE_H
#define PLT_COMPARE_H

#include "plots/plt_page.h"
#include "sim/core/sq_comparison.h"

/* Appends the page. `files` are the paths written, in order; may be none. SQ_NOMEM. */
enum sq_status plt_compare(const struct sq_comparison *c, const struct plt_term *term,
                           const char *const *files, size_t file_count,
                           struct sq_buf *out) SQ_MUST_USE;

#endif
