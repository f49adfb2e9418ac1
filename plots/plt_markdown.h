/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_markdown.h - a comparison as Markdown, for a pull request or a job summary: the answer, a
 * sentence per variant, one table, and all metrics folded away. */
#ifndef PLT_MARKDOWN_H
#define PLT_MARKDOWN_H

#include "sim/base/sq_buf.h"
#include "sim/core/sq_comparison.h"

/* Appends the text. SQ_NOMEM. */
enum sq_status plt_markdown(const struct sq_comparison *c, struct sq_buf *out) SQ_MUST_USE;

#endif
