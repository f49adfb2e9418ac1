/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_page.h - the page at the end of a run: the verdict, a small chart, what happened, the result
 * table, the files written. Made to be understood by a person who was just woken up. */
#ifndef PLT_PAGE_H
#define PLT_PAGE_H

#include "sim/base/sq_buf.h"
#include "sim/core/sq_result.h"

struct plt_term {
    unsigned width; /* columns; 0 means 80; below 60 is taken as 60, above 200 as 200 */
    bool colour, utf8;
};

/* Appends the page. `files` are the paths written, in order; may be none. SQ_NOMEM. */
enum sq_status plt_page(const struct sq_result *r, const struct plt_term *term,
                        const char *const *files, size_t file_count,
                        struct sq_buf *out) SQ_MUST_USE;

#endif
