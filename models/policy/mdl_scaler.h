/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scaler.h - how many replicas an autoscaler wants (SCENARIO 9).
 *
 * Kubernetes HPA v2 (autoscaling/v2, controller of Kubernetes 1.3x) and KEDA 2.20 on top of it:
 *   AverageValue  ratio = total / (target * current); inside the tolerance: keep; else
 *                 ceil(total / target)
 *   Value         ratio = value / target; inside the tolerance: keep; else ceil(ratio * ready)
 * then stabilisation (the lowest recommendation of the up window, the highest of the down window;
 * entries strictly younger than the window count; the count found at the first look is the first
 * one) and the rate policies (changes strictly younger than `every` count). A count outside [min,
 * max] goes to the bound at once. KEDA: 0 -> 1 at a poll with metric > activation, n -> 0 after
 * `cooldown` without activity.
 *
 * State is plain data of `state_size` bytes; the owner supplies zeroed memory. */
#ifndef MDL_SCALER_H
#define MDL_SCALER_H

#include "sim/conf/sq_field.h"

extern const struct sq_family mdl_scaler_family;

enum mdl_counts { MDL_COUNTS_READY = 1, MDL_COUNTS_DELAYED = 2, MDL_COUNTS_LEASED = 4 };

/* What every kind starts with. */
struct mdl_scaler_common {
    int64_t min, max;
    double target;
    struct sq_list counts; /* of int: index into ready delayed leased */
};

struct mdl_scaler_view {
    sq_time_t now;
    double metric;          /* total over the whole fleet */
    int64_t current, ready; /* replicas existing (starting ones included), and ready ones */
};

struct mdl_scaler_row {
    struct sq_kind kind;
    size_t (*state_size)(const void *cfg);
    sq_time_t (*period)(const void *cfg); /* between looks; the first is one period after 0 */
    /* The wanted number of replicas. */
    int64_t (*decide)(const void *cfg, void *state, const struct mdl_scaler_view *v);
    sq_time_t (*poll)(const void *cfg); /* of the second clock (KEDA's operator); NULL: none */
    int64_t (*decide_poll)(const void *cfg, void *state, const struct mdl_scaler_view *v);
};

static inline const struct mdl_scaler_row *mdl_scaler_row(const struct sq_block *b)
{
    return (const struct mdl_scaler_row *)(const void *)b->kind;
}

/* Bits of enum mdl_counts. */
unsigned mdl_scaler_counts(const struct sq_block *b);

#endif
