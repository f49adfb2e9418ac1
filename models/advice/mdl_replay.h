/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_replay.h - what a breaker, budget, rate limit or ramp would have done with calls that were
 * really made.
 *
 * The log is a CSV file with a header. Columns: `time_s`, and `event`, `id`, `duration_s`, `kind`
 * where they are needed. Events:
 *
 *   call    a whole call: it leaves at time_s and ends duration_s later with `kind` (`ok` or empty:
 *           success; else an error kind); what every row is in a file without the column `event`
 *   start   a call named `id` would leave
 *   end     the call `id` ends with `kind`; its duration is that since its start, or duration_s
 *   retry   the call `id` has failed with `kind` and would be retried under that id: asks a budget
 *
 * The control sees them in order of time, ends before starts at one instant. A call that it would
 * not have let through never happened to it: its end is left out. */
#ifndef MDL_REPLAY_H
#define MDL_REPLAY_H

#include "sim/base/sq_opt.h"

struct mdl_replay_ask {
    const char *control; /* the name of a preset, or a block in YAML */
    const char *file;
    bool summary; /* a few lines instead of one per event */
};

enum sq_status mdl_replay(const struct mdl_replay_ask *ask, struct sq_diag *diag,
                          struct sq_buf *out) SQ_MUST_USE;

/* The page of `squall replay`. */
enum sq_status mdl_replay_page(const struct sq_args *args, struct sq_buf *out,
                               struct sq_diag *diag) SQ_MUST_USE;

#endif
