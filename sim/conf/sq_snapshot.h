/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_snapshot.h - the metrics of a variant as a small JSON file, to be compared with later
 * (sq_shift.h). One line per metric, so that a change of the file reads well:
 *
 *     "jobs.completed": [20, 86412.3, 86630, 86110.5, 86714.1]    runs in which it is not null,
 *                       mean, median, 95 % interval of the mean
 *     "drain.state": {"clears": 19, "stalled": 1}                 of words: runs
 *
 * "scenario" says what it is of, and "effective" holds the scenario with every default, one text
 * per line. Nothing in it depends on when or where it was written. */
#ifndef SQ_SNAPSHOT_H
#define SQ_SNAPSHOT_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_shift.h"

enum sq_status sq_snapshot_write(const struct sq_snapshot *s, struct sq_buf *out) SQ_MUST_USE;

/* Everything lives in the arena. SQ_USER with file, line and column for what is no JSON, and with
 * the key for what is no snapshot. */
enum sq_status sq_snapshot_read(const char *path, struct sq_arena *arena, struct sq_snapshot *out,
                                struct sq_diag *diag) SQ_MUST_USE;

#endif
