/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check_forms.h - the report of `squall check` for machines: JUnit XML, TAP 14, JSON, Markdown
 * for a job summary, annotations of GitHub Actions. No form has times, names of machines or
 * anything else that two runs of the same files could disagree about. */
#ifndef MDL_CHECK_FORMS_H
#define MDL_CHECK_FORMS_H

#include "models/study/mdl_check.h"

enum { MDL_MARKDOWN_MAX = 1000 * 1000 }; /* a job summary takes 1 MiB */

/* One test suite per file, one case per expectation (a file without any: one case, that its laws
 * held). An expectation of severity warn never fails: its figures stand in system-out. Files that
 * were not finished are skipped. */
void mdl_check_junit(const struct mdl_check *c, struct sq_buf *out);

/* Failures of severity warn are `not ok ... # TODO`, which does not count as a failure. */
void mdl_check_tap(const struct mdl_check *c, struct sq_buf *out);

/* SQ_NOMEM. */
enum sq_status mdl_check_json(const struct mdl_check *c, struct sq_buf *out) SQ_MUST_USE;

/* Failures first; lines that would exceed MDL_MARKDOWN_MAX are left off and counted. */
void mdl_check_markdown(const struct mdl_check *c, struct sq_buf *out);

/* `::error file=...` at the line of each expectation that does not hold. */
void mdl_check_github(const struct mdl_check *c, struct sq_buf *out);

/* Writes the forms that have a path; all are tried. SQ_USER, SQ_IO, SQ_NOMEM. */
struct mdl_check_files {
    const char *junit, *markdown, *json; /* NULL: not wanted */
};
enum sq_status mdl_check_write(const struct mdl_check *c, const struct mdl_check_files *files,
                               struct sq_diag *diag) SQ_MUST_USE;

#endif
