/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_markup.h - text inside HTML and XML. */
#ifndef SQ_MARKUP_H
#define SQ_MARKUP_H

#include "sim/base/sq_buf.h"

/* Appends the text, escaped for elements and quoted attributes; NULL is empty. Characters that XML
 * 1.0 has no place for are left out. */
void sq_markup_text(struct sq_buf *out, const char *text);

#endif
