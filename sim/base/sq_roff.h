/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_roff.h - text as the source of a manual page (man(7)). */
#ifndef SQ_ROFF_H
#define SQ_ROFF_H

#include "sim/base/sq_buf.h"

/* Escapes what troff would act on, and writes everything beyond ASCII as \[uXXXX]. Line ends are
 * kept: the next line is safe as well. */
void sq_roff_text(struct sq_buf *out, const char *text, size_t len);

/* .TH with the date of the version, so that pages depend on that alone. */
void sq_roff_title(struct sq_buf *out, const char *name, int section, const char *title);

#endif
