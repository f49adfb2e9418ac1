/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_autoscaler.h - looks at a queue on its clock and tells a pool how many replicas it wants.
 *
 * It reads levels that the queue and the pool publish, live at each look; the first look is one
 * period after 0. Configuration is read at each look, so a `set` action acts at the next one. */
#ifndef MDL_AUTOSCALER_H
#define MDL_AUTOSCALER_H

#include "models/part/mdl_core.h"
#include "sim/conf/sq_field.h"

struct mdl_autoscaler_queue {
    const struct sq_level *ready, *delayed, *leased;
};
struct mdl_autoscaler_view { /* borrowed for the run */
    const struct mdl_autoscaler_queue *queues;
    size_t queue_count;
    const struct sq_level *existing, *ready_replicas;
};

struct mdl_autoscaler {
    struct mdl_ctx *ctx;
    uint16_t id, pool;
    const struct sq_block *cfg;
    struct mdl_autoscaler_view view;
    void *state;
};

enum sq_status mdl_autoscaler_init(struct mdl_autoscaler *a, struct mdl_ctx *ctx,
                                   const struct sq_block *cfg) SQ_MUST_USE;
enum sq_status mdl_autoscaler_start(struct mdl_autoscaler *a, uint16_t pool,
                                    struct mdl_autoscaler_view view) SQ_MUST_USE;

#endif
