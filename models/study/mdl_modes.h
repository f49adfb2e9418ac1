/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_modes.h - what medians hide in a comparison: near the knee the same variant recovers in some
 * runs and collapses in others, and a median is a state that no run is in. So runs that came out
 * alike are told apart from the others: those without a collapse, those that fell over once, twice,
 * three times or more, and how that ended. Where all came out alike but a time of the drain falls
 * into two groups, those two.
 *
 * And how near each dependency came to its collapse: its peak against the limit of its overload
 * rule. */
#ifndef MDL_MODES_H
#define MDL_MODES_H

#include "models/mdl_scenario.h"
#include "sim/core/sq_comparison.h"

/* Fills modes and margins; scenarios and results as many as variants, in their order. SQ_NOMEM. */
enum sq_status mdl_modes(const struct mdl_scenario *scenarios, const struct sq_result *results,
                         struct sq_comparison *c) SQ_MUST_USE;

#endif
