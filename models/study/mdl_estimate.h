/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_estimate.h - what runs will surely need, told before they begin: memory beyond the limit in
 * force (sq_mem.h) and more events than a run may have are refused at once, not after an hour.
 *
 * The figures are lower bounds: the timeline, what is kept of every run, closed populations,
 * fleets, and the jobs that pile up while a dependency is down that their workers call. */
#ifndef MDL_ESTIMATE_H
#define MDL_ESTIMATE_H

#include "models/study/mdl_replicate.h"

struct mdl_estimate {
    double timeline, jobs, fleet; /* bytes of one run */
    double kept;                  /* bytes of all runs, in the end */
    const char *down;             /* the dependency that jobs pile up behind; NULL: none */
    double arrivals;              /* jobs of one run */
};

/* For `count` runs of the scenario. */
struct mdl_estimate mdl_estimate(const struct mdl_scenario *s, size_t count);

/* SQ_LIMIT with the sentence noted when `ask` asks for more than there may be. */
enum sq_status mdl_estimate_check(const struct mdl_scenario *const *scenarios, size_t count,
                                  const struct mdl_replicate_ask *ask,
                                  struct sq_diag *diag) SQ_MUST_USE;

#endif
