/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_oncall_in.h - what the files of the on-call forecast share. For mdl_oncall*.c only. */
#ifndef MDL_ONCALL_IN_H
#define MDL_ONCALL_IN_H

#include "models/forecast/mdl_drain.h"
#include "models/study/mdl_oncall.h"

/* The backlog of a timeline that counts as clear, as in a run with a quiet baseline. Of one that is
 * given on the command line no more than a hundredth counts as clear: who asks about fifteen jobs
 * wants to know when they are done. */
#define MDL_ONCALL_CLEAR 20.0

/* The fluid model of these figures. SQ_NOMEM. */
enum sq_status mdl_oncall_forecast(const struct mdl_oncall *f,
                                   struct mdl_drain_result *out) SQ_MUST_USE;

#endif
