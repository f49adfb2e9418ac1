/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_jitter.h - how a computed delay is spread (SCENARIO 6, `jitter.kind`). Pure. */
#ifndef MDL_JITTER_H
#define MDL_JITTER_H

#include "sim/conf/sq_field.h"

extern const struct sq_family mdl_jitter_family;

/* The jittered delay in seconds for an unjittered d >= 0 and a uniform u on (0, 1). An absent
 * block leaves d as it is. The upper end is never reached. */
double mdl_jitter_apply(const struct sq_block *jitter, double d, double u);

#endif
