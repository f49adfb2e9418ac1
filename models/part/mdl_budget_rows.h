/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_budget_rows.h - the keys of a retry budget, and what a layer does whose retry is refused. */
#ifndef MDL_BUDGET_ROWS_H
#define MDL_BUDGET_ROWS_H

#include "models/policy/mdl_budget.h"
#include "sim/conf/sq_field.h"
#include "sim/core/sq_dist.h"

extern const struct sq_family mdl_budget_family;

enum mdl_beyond { MDL_BEYOND_FAIL, MDL_BEYOND_PARK, MDL_BEYOND_DEAD_LETTER };

struct mdl_budget_law mdl_budget_law(const struct sq_block *budget);

int mdl_budget_scope(const struct sq_block *budget); /* enum mdl_scope */

/* Asked when the delay is over and not when the failure is known. */
bool mdl_budget_at_send(const struct sq_block *budget);

/* What becomes of a job whose retry is refused; *delay is drawn with u when it is parked. */
enum mdl_beyond mdl_budget_beyond(const struct sq_block *budget, double u, sq_time_t *delay);

#endif
