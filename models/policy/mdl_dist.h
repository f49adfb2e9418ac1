/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dist.h - how a user writes a distribution of durations (SCENARIO 1, "Distributions"). */
#ifndef MDL_DIST_H
#define MDL_DIST_H

#include "sim/conf/sq_field.h"
#include "sim/core/sq_dist.h"

extern const struct sq_family mdl_dist_family;

/* The sampler for a bound block; an absent block is the constant 0. */
struct sq_dist mdl_dist_make(const struct sq_block *block);

#endif
