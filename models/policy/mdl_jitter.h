/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_jitter.h - how a computed delay is spread (SCENARIO 6, `jitter.kind`). Pure. */
#ifndef MDL_JITTER_H
#define MDL_JITTER_H

#include "sim/core/sq_mass.h"
#include "sim/conf/sq_field.h"

extern const struct sq_family mdl_jitter_family;

struct mdl_jitter_in {
    double d;      /* the unjittered delay in seconds, >= 0 */
    double offset; /* the part of it that `offset_too: false` leaves alone */
    uint32_t n;    /* failures so far, from 1 */
};

/* The jittered delay in seconds for a uniform u on (0, 1). An absent block leaves the delay as it
 * is. Without a lattice the upper end is never reached; with one, draws are whole multiples and the
 * upper end is excluded unless `inclusive`. Never negative. */
double mdl_jitter_apply(const struct sq_block *jitter, struct mdl_jitter_in in, double u);

/* The kernel of the jittered delay, exactly: puts `share` of it. False, and nothing is put, where a
 * law (or a lattice, or a floor within the range) has no exact one: then it is found numerically,
 * from mdl_jitter_apply. */
bool mdl_jitter_spread(const struct sq_block *jitter, struct mdl_jitter_in in, double share,
                       struct sq_mass *out);

#endif
