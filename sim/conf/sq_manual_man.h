/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_manual_man.h - the reference of field rows as a manual page: what sq_manual_write says, set
 * for man(7). */
#ifndef SQ_MANUAL_MAN_H
#define SQ_MANUAL_MAN_H

#include "sim/conf/sq_field.h"

struct sq_manual_page {
    const char *name;        /* "SQUALL-SCENARIO" */
    const char *brief;       /* behind the name */
    const char *description; /* paragraphs of Markdown, an empty line between them */
    const char *see_also;
};

/* Appends the page. SQ_NOMEM. */
enum sq_status sq_manual_man(const struct sq_table *table, const struct sq_manual_page *page,
                             struct sq_buf *out) SQ_MUST_USE;

#endif
