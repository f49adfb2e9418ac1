/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_runs.h - the runs of one scenario of a study that tries many: what each says is taken by
 * whoever asks, nothing else is kept (no timeline, no moments). */
#ifndef MDL_RUNS_H
#define MDL_RUNS_H

#include "models/study/mdl_replicate.h"

/* Makes ask->count runs and hands each to ask->after (i is the run, from 0). `what` names them in
 * the progress bar. Unlike mdl_replicate nothing remains of work that was stopped: SQ_STOPPED. */
enum sq_status mdl_runs(const struct mdl_scenario *s, const struct mdl_replicate_ask *ask,
                        const char *what, struct sq_diag *diag) SQ_MUST_USE;

/* Notes the complaints of a part of the work in `diag`, at the place and path given (NULL: their
 * own). */
void mdl_runs_pass_on(const struct sq_diag *part, const struct sq_where *where, const char *path,
                      struct sq_diag *diag);

#endif
