/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_save_comparison.h - a comparison as comparison.json and comparison.csv, and back. Formats are
 * contracts. Numbers carry nine significant digits; no clock, no host name, no folder in them.
 *
 * comparison.json
 *     "squall": {"version", "format": 1}
 *     "comparison": {"title", "file", "seed", "runs", "duration_s", "first", "notes"?}
 *     "interrupted": true, "runs_wanted": of a part
 *     "proof": sentences
 *     "variants": [{"name", "hash", "verdict", "collapse": SHARE, "margins"?: sentences,
 *                   "modes"?: [{"text", "runs", "replication", "collapsed"}]}]
 *     "metrics": {NAME: {VARIANT: CELL}}, variants without the metric left out; CELL is one of
 *         {"n", "mean", "min", "p10", "p50", "p90", "max", "ci95": [lo, hi], "bimodal"?: true,
 *          "paired"?: {"n", "mean", "ci95"}}    paired: minus the first variant; not in the first
 *         {"counts": {word: runs}}              words, in alphabetical order
 *         SHARE                                 outcome.p_...
 *     SHARE: {"n", "value", "wilson95": [lo, hi],
 *             "paired"?: {"n", "only_here", "only_first", "mcnemar_p"}}
 * comparison.csv
 *     one row per metric and variant; words as "clears 18; stalled 2" */
#ifndef SQ_SAVE_COMPARISON_H
#define SQ_SAVE_COMPARISON_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_comparison.h"

enum sq_status sq_save_comparison_json(const struct sq_comparison *c,
                                       struct sq_buf *out) SQ_MUST_USE;
enum sq_status sq_save_comparison_csv(const struct sq_comparison *c,
                                      struct sq_buf *out) SQ_MUST_USE;

#endif
