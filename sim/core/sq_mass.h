/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_mass.h - the kernel of a delay: which share of the jobs that fail in one bin of time comes
 * back in that bin, in the next, in the one after ... Laws of backoff and jitter put their share
 * into it; the fluid model reads it. */
#ifndef SQ_MASS_H
#define SQ_MASS_H

#include "sim/base/sq_mem.h"

struct sq_mass {
    double bin_s;
    bool anywhere; /* failures happen anywhere in their bin, evenly; else all at its start */
    size_t limit;  /* most bins; what lies beyond is in the last one */
    double *bins;  /* owned; their sum is 1 when the law is complete */
    size_t count, size;
    bool failed; /* out of memory */
};

void sq_mass_init(struct sq_mass *m, double bin_s, bool anywhere, size_t limit);
void sq_mass_fini(struct sq_mass *m);

/* A share of the delays lies evenly between from_s and to_s; from_s == to_s: at that delay. */
void sq_mass_add(struct sq_mass *m, double from_s, double to_s, double share);

/* Mean delay in seconds, by the middle of the bins (their start for whole bins). */
double sq_mass_mean_s(const struct sq_mass *m);

#endif
