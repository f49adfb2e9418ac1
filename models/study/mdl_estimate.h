/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_estimate.h - what runs will surely need, told before they begin: memory beyond the limit in
 * force (sq_mem.h) and more events than a run may have are refused at once, not after an hour.
 *
 * Timelines, bands and metrics are counted as they are; of the rest the figures are lower bounds:
 * fleets, jobs that come at one instant, and those that pile up while a dependency is down that
 * their workers call. */
#ifndef MDL_ESTIMATE_H
#define MDL_ESTIMATE_H

#include "models/study/mdl_replicate.h"

struct mdl_estimate {
    double timeline, pile, crowd, fleet; /* bytes of one run */
    double told, values; /* bytes kept of all: the first timeline and those for bands; metrics */
    double bands;        /* bytes, when all runs are over */
    const char *down;    /* the dependency that jobs pile up behind; NULL: none */
    double arrivals;     /* jobs of one run */
    double at_once;      /* of these, most at one instant */
};

/* For `count` runs of the scenario, of whose columns so many bytes are kept for bands. */
struct mdl_estimate mdl_estimate(const struct mdl_scenario *s, size_t count, size_t band_bytes);

/* SQ_LIMIT with the sentence noted when `ask` asks for more than there may be. */
enum sq_status mdl_estimate_check(const struct mdl_scenario *const *scenarios, size_t count,
                                  const struct mdl_replicate_ask *ask,
                                  struct sq_diag *diag) SQ_MUST_USE;

#endif
