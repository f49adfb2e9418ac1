/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_verdict.h - what a comparison says, in sentences: one for each variant, and how little so few
 * runs prove. */
#ifndef MDL_VERDICT_H
#define MDL_VERDICT_H

#include "sim/core/sq_comparison.h"

/* Fills `verdict` of every variant and `proof`. SQ_NOMEM. */
enum sq_status mdl_verdicts(struct sq_comparison *c) SQ_MUST_USE;

#endif
