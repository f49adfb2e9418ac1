/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_autoscaler.h - looks at queues and a fleet on its clock and tells the fleet how many replicas
 * it wants.
 *
 * It reads levels that the queue and the pool publish, live at each look; the first look is one
 * period after 0. Configuration is read at each look, so a `set` action acts at the next one. */
#ifndef MDL_AUTOSCALER_H
#define MDL_AUTOSCALER_H

#include "models/part/mdl_core.h"
#include "sim/conf/sq_field.h"

struct mdl_queue;

struct mdl_autoscaler_queue {
    const struct sq_level *ready, *delayed, *leased;
    const uint64_t *offered; /* new jobs so far */
    struct mdl_queue *queue; /* for `oldest` */
};
struct mdl_autoscaler_servers {
    const struct sq_level *busy, *in_force;
};
struct mdl_autoscaler_view { /* borrowed for the run */
    const struct mdl_autoscaler_queue *queues;
    size_t queue_count;
    sq_time_t (*oldest)(struct mdl_queue *queue);
    const struct sq_level *existing, *ready_replicas;
    const struct sq_level *busy, *slots; /* of the ready replicas */
    const uint64_t *processed;           /* attempts ended so far */
    const struct mdl_autoscaler_servers *gate;
    size_t gate_count;
};

/* What had been counted when a clock last looked. */
struct mdl_autoscaler_past {
    sq_time_t at;
    uint64_t offered, processed;
    unsigned __int128 busy, slots, servers_busy, servers;
};
enum { MDL_AUTOSCALER_CLOCKS = 2 };

struct mdl_autoscaler {
    struct mdl_ctx *ctx;
    uint16_t id, pool;
    const struct sq_block *cfg;
    struct mdl_autoscaler_view view;
    struct mdl_autoscaler_past past[MDL_AUTOSCALER_CLOCKS];
    sq_time_t looked; /* when it looked last, */
    double seen;      /* the metric then, */
    bool gated;       /* and whether its gate was closed */
    sq_time_t next_sync;
    bool poll_waits; /* at this instant, for the sync */
    void *state;
};

enum sq_status mdl_autoscaler_init(struct mdl_autoscaler *a, struct mdl_ctx *ctx,
                                   const struct sq_block *cfg) SQ_MUST_USE;
enum sq_status mdl_autoscaler_start(struct mdl_autoscaler *a, uint16_t pool,
                                    struct mdl_autoscaler_view view) SQ_MUST_USE;

#endif
