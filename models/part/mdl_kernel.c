/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_kernel.c - kernels of retry layers. */
#include "models/part/mdl_kernel.h"

#include "models/policy/mdl_backoff.h"
#include "models/policy/mdl_jitter.h"

#include <math.h>

enum {
    GRID = 2048,  /* steps of the uniform for a delay that is a function of one */
    CHAINS = 8192 /* samples of a delay that builds on the ones before */
};
#define EDGE 1e-9 /* how near the uniform comes to 0 and 1 */

/* A function of one uniform: between two neighbours on the grid the delay is spread evenly. */
static void fill_by_grid(const struct mdl_retry_cfg *layer, uint32_t n, struct sq_mass *out)
{
    double before = 0;
    for (size_t i = 0; i <= GRID; i++) {
        double u = fmin(fmax((double)i / GRID, EDGE), 1 - EDGE), last = 0;
        double d = sq_time_to_s(mdl_retry_delay(layer, n, u, &last));
        if (i > 0) {
            sq_mass_add(out, fmin(before, d), fmax(before, d), 1.0 / GRID);
        }
        before = d;
    }
}

/* Even points of [0, 1): the i-th multiple of an irrational step, another one for each failure. */
static double even_point(size_t i, uint32_t failure)
{
    double step = sqrt((double)(failure % 97) * (failure % 97) + 1.5);
    double at = (double)(i + 1) * step;
    return fmin(fmax(at - floor(at), EDGE), 1 - EDGE);
}

static void fill_by_chains(const struct mdl_retry_cfg *layer, uint32_t n, struct sq_mass *out)
{
    for (size_t i = 0; i < CHAINS; i++) {
        double last = 0, d = 0;
        for (uint32_t k = 1; k <= n; k++) {
            d = sq_time_to_s(mdl_retry_delay(layer, k, even_point(i, k), &last));
        }
        sq_mass_add(out, d, d, 1.0 / CHAINS);
    }
}

void mdl_kernel_fill(const struct mdl_retry_cfg *layer, uint32_t n, struct sq_mass *out)
{
    if (mdl_backoff_draws(&layer->backoff) && n > 1) {
        fill_by_chains(layer, n, out);
        return;
    }
    if (mdl_backoff_draws(&layer->backoff)) {
        fill_by_grid(layer, n, out);
        return;
    }
    double last = 0;
    struct mdl_jitter_in in = { .d = mdl_backoff_next_s(&layer->backoff, n, 0.5, &last),
                                .offset = mdl_backoff_offset_s(&layer->backoff),
                                .n = n };
    if (mdl_backoff_is_exact(&layer->backoff, in.d)) {
        sq_mass_add(out, in.d, in.d, 1);
    } else if (!isinf(mdl_backoff_cap_after_s(&layer->backoff)) ||
               !mdl_jitter_spread(&layer->jitter, in, 1, out)) {
        fill_by_grid(layer, n, out);
    }
}

static bool alike(const struct sq_mass *a, const struct sq_mass *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        if (a->bins[i] < b->bins[i] || a->bins[i] > b->bins[i]) {
            return false;
        }
    }
    return true;
}

enum sq_status mdl_kernels_init(struct mdl_kernels *k, const struct mdl_retry_cfg *layer,
                                double bin_s, size_t bins)
{
    int64_t limit = mdl_retry_limit(layer);
    size_t most =
        limit == SQ_UNLIMITED || limit > MDL_KERNELS_MAX ? MDL_KERNELS_MAX : (size_t)limit;
    k->count = 0;
    k->after = sq_mem_alloc(most + 1, sizeof(*k->after));
    if (k->after == NULL) {
        return SQ_NOMEM;
    }
    for (uint32_t n = 1; n < most || n == 1; n++) {
        struct sq_mass *m = &k->after[k->count++];
        sq_mass_init(m, bin_s, true, bins);
        if (layer != NULL) {
            mdl_kernel_fill(layer, n, m);
        }
        if (m->failed) {
            return SQ_NOMEM;
        }
    }
    while (k->count > 1 && alike(&k->after[k->count - 1], &k->after[k->count - 2])) {
        sq_mass_fini(&k->after[--k->count]); /* at its cap, or fixed */
    }
    return SQ_OK;
}

void mdl_kernels_fini(struct mdl_kernels *k)
{
    for (size_t i = 0; i < k->count; i++) {
        sq_mass_fini(&k->after[i]);
    }
    sq_mem_free(k->after);
    *k = (struct mdl_kernels){ 0 };
}
