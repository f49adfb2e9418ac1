/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_annotation.h - workflow commands of GitHub Actions: a line on standard output that shows a
 * message at a line of a file in the review of a change. */
#ifndef SQ_ANNOTATION_H
#define SQ_ANNOTATION_H

#include "sim/base/sq_diag.h"

/* Appends `::error file=F,line=L,col=C,title=T::text` (warning, notice by severity) with a line
 * end. Line and column 0 are left out; line ends in `text` are kept, escaped. */
void sq_annotation_put(struct sq_buf *out, enum sq_severity severity, struct sq_where where,
                       const char *title, const char *text);

#endif
