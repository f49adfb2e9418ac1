/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_report_part.h - the part of a report that is made from one folder. */
#ifndef PLT_REPORT_PART_H
#define PLT_REPORT_PART_H

#include "sim/base/sq_buf.h"
#include "sim/core/sq_comparison.h"

struct plt_report_part {
    const struct sq_comparison *comparison; /* of one variant: a run */
    const struct sq_result *results;        /* by variant */
    const struct sq_buf *pictures;          /* by variant: an SVG, or empty */
};

/* What the part is about: "Title" or "Title - variant". */
void plt_report_title(struct sq_buf *out, const struct plt_report_part *p);

/* Appends the section. SQ_NOMEM. */
enum sq_status plt_report_part(const struct plt_report_part *p, struct sq_buf *out) SQ_MUST_USE;

#endif
