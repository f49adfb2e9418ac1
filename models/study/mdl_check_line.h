/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check_line.h - how an expectation is named in the list, the report and to the filter. */
#ifndef MDL_CHECK_LINE_H
#define MDL_CHECK_LINE_H

#include "models/study/mdl_check.h"

/* "scenarios/herd.yaml:37: cap-ramp: control.api.in_use_max <= 40 (at 40m)". */
void mdl_check_line(const struct mdl_check_file *f, size_t item, struct sq_buf *out);

#endif
