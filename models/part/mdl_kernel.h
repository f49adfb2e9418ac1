/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_kernel.h - the kernels of a retry layer: how the delay after its n-th failure is spread over
 * bins of time. From the rows of backoff and jitter: exactly where a row has a kernel, else
 * numerically from the same functions that draw the delays. */
#ifndef MDL_KERNEL_H
#define MDL_KERNEL_H

#include "models/part/mdl_retry.h"
#include "sim/core/sq_mass.h"

/* Adds the delay after the n-th failure, n >= 1, to an initialised mass. A backoff that builds on
 * the delay before is taken by itself: the delays of one job count as independent. */
void mdl_kernel_fill(const struct mdl_retry_cfg *layer, uint32_t n, struct sq_mass *out);

/* The kernels after 1, 2, ... failures, as many as differ: from `count` on the last one holds. */
struct mdl_kernels {
    struct sq_mass *after; /* owned */
    size_t count;
};
enum { MDL_KERNELS_MAX = 64 };

enum sq_status mdl_kernels_init(struct mdl_kernels *k, const struct mdl_retry_cfg *layer,
                                double bin_s, size_t bins) SQ_MUST_USE;
void mdl_kernels_fini(struct mdl_kernels *k);

static inline const struct sq_mass *mdl_kernels_after(const struct mdl_kernels *k, size_t n)
{
    SQ_ASSERT(n >= 1 && k->count > 0);
    return &k->after[n <= k->count ? n - 1 : k->count - 1];
}

#endif
