/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_export.h - `squall run --openmetrics FILE [--start TIME]`. */
#ifndef MDL_EXPORT_H
#define MDL_EXPORT_H

#include "sim/base/sq_opt.h"
#include "sim/conf/sq_save_openmetrics.h"

/* Where simulated time begins without --start: 2024-01-01 00:00:00 UTC. */
#define MDL_EXPORT_START_S INT64_C(1704067200)

/* Reads the options before anything is run; `path` is NULL when nothing is to be exported. */
enum sq_status mdl_export_read(const struct sq_args *args, struct sq_openmetrics_ask *ask,
                               struct sq_diag *diag) SQ_MUST_USE;

/* Writes the file, if there is to be one, and notes what can be done with it. */
enum sq_status mdl_export_write(const struct sq_result *r, const struct sq_openmetrics_ask *ask,
                                struct sq_diag *diag) SQ_MUST_USE;

#endif
