/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_save.h - a finished result as files: timeline.csv, runs.csv, summary.json, scenario.yaml.
 * Formats are contracts; see the README part "Files". Numbers carry nine significant digits.
 * null is an empty cell in CSV and null in JSON. No clock, no host name, no folder in them: of the
 * path of the scenario only the file's name is kept.
 *
 * timeline.csv  sq_timeline_file.h
 * runs.csv      replication, then the metrics in their order; words as they are
 * summary.json  the metrics in their order, each one of
 *     {"value": x or word}                                   one run
 *     {"n", "mean", "min", "p10", "p50", "p90", "max", "ci95": [lo, hi]}   several; n counts those
 *         in which it is not null; "bimodal": true is added where they fall into two groups
 *     {"counts": {word: runs}}                               several, of words
 *     {"n", "value", "wilson95": [lo, hi]}                   outcome.p_...: 0 or 1 in each run
 * "job": {"job": "PRODUCER:N", "why"?: why this one, "steps": [{"t_s", "text"}]}   of the first run
 * "layers": who calls whom, and how often at most (sq_layers_json.h)
 * "moments" and "expect": the expectations of this variant in the order of the file,
 *     {"that", "variant", "when"?, "severity", "passed", "observed", "limit", "margin", "runs",
 *      "runs_passed", "runs_needed"}     observed and limit: the median over the runs, or the word
 *         of most of them; expectations about outcome.p_... have "runs_passed": null and no runs
 *     {"that", "variant", "severity", "passed": null, "observed": null, "why"}   not judged
 * "files": the length and a hash of each of the others (sq_seal.h)
 * and "interrupted": true, "runs_wanted" if the result is that of a part. */
#ifndef SQ_SAVE_H
#define SQ_SAVE_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_result.h"

enum sq_status sq_save_runs(const struct sq_result *r, struct sq_buf *out) SQ_MUST_USE;
enum sq_status sq_save_summary(const struct sq_result *r, struct sq_buf *out) SQ_MUST_USE;

/* All four, and histograms.csv (sq_histogram_file.h), into `folder`, made if needed. Nothing is
 * left half-written: a file is complete or not there, and an older summary goes first. SQ_USER when
 * the folder may not be written, SQ_IO when the disk is full. */
enum sq_status sq_save_all(const struct sq_result *r, const char *folder,
                           struct sq_diag *diag) SQ_MUST_USE;

#endif
