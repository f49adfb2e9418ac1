/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_load_timeline.h - a timeline.csv back into the series and bands of a result that
 * sq_load.h has read, for charts made afterwards. Numbers come back with the digits that the file
 * has; the last bin ends with the run, or, of a run with a tail, is as long as the others. */
#ifndef SQ_LOAD_TIMELINE_H
#define SQ_LOAD_TIMELINE_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_result.h"

/* Fills r->series, r->bands and r->band_runs from folder/timeline.csv; everything lives in the
 * result's arena. SQ_USER when the file cannot be read or is no timeline. */
enum sq_status sq_load_timeline(const char *folder, struct sq_result *r,
                                struct sq_diag *diag) SQ_MUST_USE;

#endif
