/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scaler.h - how many replicas an autoscaler wants (SCENARIO 9).
 *
 * A policy is arithmetic: from what is seen at a look, and what it remembers of earlier looks, to
 * the wanted number. One row per kind; what each of them does stands above its decide function in
 * mdl_scaler_hpa.c, mdl_scaler_keda.c and mdl_scaler_cloud.c.
 *
 * State is plain data of `state_size` bytes; the owner supplies zeroed memory. */
#ifndef MDL_SCALER_H
#define MDL_SCALER_H

#include "sim/conf/sq_field.h"

extern const struct sq_family mdl_scaler_family;

enum mdl_counts { MDL_COUNTS_READY = 1, MDL_COUNTS_DELAYED = 2, MDL_COUNTS_LEASED = 4 };

enum mdl_metric {
    MDL_METRIC_DEPTH,       /* jobs, of the parts that `counts` names */
    MDL_METRIC_OLDEST,      /* age of the oldest ready job, in seconds */
    MDL_METRIC_ARRIVALS,    /* new jobs per second since the last look */
    MDL_METRIC_PROCESSED,   /* attempts ended per second since the last look, well or not */
    MDL_METRIC_UTILISATION, /* busy slots of the ready replicas, a share, since the last look */
};

struct mdl_scaler_gate {
    struct sq_ref dependency;
    double utilisation;
};

/* What every kind starts with; keys that mean nothing to a kind are none of its keys. */
struct mdl_scaler_common {
    int64_t min, max;
    int metric; /* enum mdl_metric */
    struct sq_quantity target;
    struct sq_list counts; /* of int: index into ready delayed leased; empty: ready */
    struct mdl_scaler_gate *gate;
};

struct mdl_scaler_view {
    sq_time_t now;
    double metric;          /* of the whole fleet, utilisation its mean; NaN: unknown */
    int64_t current, ready; /* replicas existing (starting ones included), and ready ones */
    bool gated;             /* the dependency of `gate` was busier: no scaling up */
};

struct mdl_scaler_row {
    struct sq_kind kind;
    size_t (*state_size)(const void *cfg);
    sq_time_t (*period)(const void *cfg); /* between looks; the first is one period after 0 */
    /* The wanted number of replicas. */
    int64_t (*decide)(const void *cfg, void *state, const struct mdl_scaler_view *v);
    sq_time_t (*poll)(const void *cfg); /* of the second clock (KEDA's operator); NULL: none */
    int64_t (*decide_poll)(const void *cfg, void *state, const struct mdl_scaler_view *v);
    bool runs_once; /* its replicas fill their slots once and end */
    bool slots;     /* it sets the slots of each replica, by the jobs leased to it */
};

static inline const struct mdl_scaler_row *mdl_scaler_row(const struct sq_block *b)
{
    return (const struct mdl_scaler_row *)(const void *)b->kind;
}

static inline const struct mdl_scaler_common *mdl_scaler_common(const struct sq_block *b)
{
    return b->cfg;
}

/* Bits of enum mdl_counts. */
unsigned mdl_scaler_counts(const struct sq_block *b);

#endif
