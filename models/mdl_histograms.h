/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_histograms.h - distributions of a run, for charts: delays of completed jobs by producer,
 * attempts by job, and when calls came after T1, in fine bins. Only a run that tells keeps them. */
#ifndef MDL_HISTOGRAMS_H
#define MDL_HISTOGRAMS_H

#include "models/mdl_probe.h"

/* Makes room for the calls that come from T1 on. */
enum sq_status mdl_spread_open(struct mdl_spread *s, size_t dependencies) SQ_MUST_USE;
void mdl_spread_fini(struct mdl_spread *s);

/* A call left `after` ns after T1. */
void mdl_spread_call(struct mdl_spread *s, size_t dependency, bool first, sq_time_t after);

/* A job ended. */
void mdl_spread_job(struct mdl_spread *s, uint32_t attempts);

/* Fills the histograms of a result from a run that is over. Sorts samples of the probe. */
enum sq_status mdl_histograms_tell(struct mdl_world *w, struct sq_result *r) SQ_MUST_USE;

#endif
