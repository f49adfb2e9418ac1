/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report.h - a report to be mailed or attached: one HTML file without anything outside itself,
 * made from folders of results. The answer stands first, then P(collapse), the table, the
 * pictures, what happened, expectations, notes; last what it was made from. */
#ifndef PLT_REPORT_H
#define PLT_REPORT_H

#include "sim/base/sq_diag.h"

/* Reads the folders (of a run or of a comparison; at least one) and appends the page. The same
 * folders give the same bytes. SQ_USER when one holds no result, SQ_NOMEM. */
enum sq_status plt_report(const char *const *folders, size_t count, struct sq_buf *out,
                          struct sq_diag *diag) SQ_MUST_USE;

#endif
