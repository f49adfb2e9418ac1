/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_plan.h - the forecast of a run at T1 or later: its present state put into the terms of the
 * fluid model (models/forecast). */
#ifndef MDL_PLAN_H
#define MDL_PLAN_H

#include "models/mdl_probe.h"

/* Fills the forecast; stays null where the model does not apply (no queue, several dependencies,
 * a plan that would relapse). SQ_NOMEM possible. */
enum sq_status mdl_plan_at_t1(struct mdl_world *w, struct mdl_forecasts *out) SQ_MUST_USE;

#endif
