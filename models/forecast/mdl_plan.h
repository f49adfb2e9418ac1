/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_plan.h - the forecast of a run at T1 or later: its present state put into the terms of the
 * fluid model (models/forecast). */
#ifndef MDL_PLAN_H
#define MDL_PLAN_H

#include "models/mdl_probe.h"

/* Fills the forecast. It is about the dependency whose planned outage ends last (without outages,
 * about the only one), and stays as it was where the model does not apply: no queue, or that
 * dependency calls others or has a cache. A plan that would relapse has a state and no times;
 * with a limit at the server there is the naive time and a text that says why no other. SQ_NOMEM
 * possible. */
enum sq_status mdl_plan_at_t1(struct mdl_world *w, struct mdl_forecasts *out) SQ_MUST_USE;

#endif
