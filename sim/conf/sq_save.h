/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_save.h - a finished result as files: timeline.csv, runs.csv, summary.json, scenario.yaml.
 * Formats are contracts; see the README part "Files". Numbers carry nine significant digits; null
 * is an empty cell in CSV and null in JSON. No clock, no host name, no absolute path in them. */
#ifndef SQ_SAVE_H
#define SQ_SAVE_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_result.h"

enum sq_status sq_save_timeline(const struct sq_result *r, struct sq_buf *out) SQ_MUST_USE;
enum sq_status sq_save_runs(const struct sq_result *r, struct sq_buf *out) SQ_MUST_USE;
enum sq_status sq_save_summary(const struct sq_result *r, struct sq_buf *out) SQ_MUST_USE;

/* All four into `folder`, made if needed. Nothing is left half-written: a file is complete or
 * not there. SQ_USER when the folder may not be written, SQ_IO when the disk is full. */
enum sq_status sq_save_all(const struct sq_result *r, const char *folder,
                           struct sq_diag *diag) SQ_MUST_USE;

#endif
