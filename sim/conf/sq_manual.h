/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_manual.h - field rows as a reference for people, in Markdown that reads well on a terminal:
 * per block its keys with value, default and meaning, per family its kinds. Every block is written
 * once, in the order in which the file names it; keys and kinds of later versions are left out. */
#ifndef SQ_MANUAL_H
#define SQ_MANUAL_H

#include "sim/base/sq_buf.h"
#include "sim/conf/sq_field.h"

/* Appends the reference of a file described by `table`; `title` is its heading. SQ_NOMEM. */
enum sq_status sq_manual_write(const struct sq_table *table, const char *title,
                               struct sq_buf *out) SQ_MUST_USE;

#endif
