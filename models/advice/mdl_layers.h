/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_layers.h - the layers of retries of a scenario for its neutral result. */
#ifndef MDL_LAYERS_H
#define MDL_LAYERS_H

#include "models/mdl_scenario.h"
#include "sim/core/sq_result.h"

/* One layer per caller and dependency, in the order of mdl_routes.h. SQ_NOMEM. */
enum sq_status mdl_layers_tell(const struct mdl_scenario *s, struct sq_result *r) SQ_MUST_USE;

#endif
