/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_wiring_scalers.c - what autoscalers look at. */
#include "models/mdl_wiring.h"

#include "models/policy/mdl_scaler.h"
#include "sim/base/sq_limits.h"

#include <string.h>

/* Whether an autoscaler looks at the age of the oldest job of the queue. */
static bool is_aged(const struct mdl_world *w, const struct mdl_queue *q)
{
    for (size_t i = 0; i < w->pool_count; i++) {
        const struct mdl_workers_cfg *p = w->pools[i].cfg;
        bool looks = p->autoscaler.kind != NULL &&
                     mdl_scaler_common(&p->autoscaler)->metric == MDL_METRIC_OLDEST;
        for (size_t k = 0; k < p->queue.count && looks; k++) {
            if (strcmp(((const struct sq_ref *)sq_list_at(&p->queue, k))->name, q->name) == 0) {
                return true;
            }
        }
    }
    return false;
}

sq_time_t mdl_wiring_age_bin(const struct mdl_world *w, const struct mdl_queue *q)
{
    return is_aged(w, q) ? sq_max_i64(SQ_NS_PER_S, w->cfg.duration / SQ_MAX_BINS + 1)
                         : w->cfg.timeline;
}

/* The servers that a scaler's gate looks at. */
static bool wire_gate(struct mdl_world *w, const char *dependency, struct mdl_autoscaler_view *view)
{
    const struct mdl_levels *load = &mdl_wiring_dependency(w, dependency)->load;
    struct mdl_autoscaler_servers *s = sq_arena_alloc(&w->ctx.arena, 1, sizeof(*s));
    if (s != NULL) {
        *s = (struct mdl_autoscaler_servers){ &load->busy, &load->in_force };
    }
    view->gate = s;
    view->gate_count = 1;
    return s != NULL;
}

/* Calls of a dependency take the place of jobs: those that wait are ready, those in service are
 * leased, and none is delayed. */
enum sq_status mdl_wiring_node_scaler(struct mdl_world *w, struct mdl_dependency *d)
{
    if (d->cfg->autoscaler.kind == NULL) {
        return SQ_OK;
    }
    struct mdl_autoscaler_queue *calls = sq_arena_alloc(&w->ctx.arena, 1, sizeof(*calls));
    struct sq_level *none = sq_arena_alloc(&w->ctx.arena, 1, sizeof(*none));
    if (calls == NULL || none == NULL) {
        return SQ_NOMEM;
    }
    *calls = (struct mdl_autoscaler_queue){
        .ready = &d->load.waiting, .delayed = none, .leased = &d->load.busy, .offered = &d->offered
    };
    struct mdl_autoscaler_view view = { .queues = calls,
                                        .queue_count = 1,
                                        .existing = &d->existing,
                                        .ready_replicas = &d->ready,
                                        .busy = &d->load.busy,
                                        .slots = &d->load.in_force,
                                        .processed = &d->processed };
    const struct mdl_scaler_gate *gate = mdl_scaler_common(&d->cfg->autoscaler)->gate;
    if (gate != NULL && !wire_gate(w, gate->dependency.name, &view)) {
        return SQ_NOMEM;
    }
    d->varies = true;
    struct mdl_autoscaler *a = &w->scalers[w->scaler_count++];
    enum sq_status status = mdl_autoscaler_init(a, &w->ctx, &d->cfg->autoscaler);
    return status == SQ_OK ? mdl_autoscaler_start(a, d->id, view) : status;
}

enum sq_status mdl_wiring_scaler(struct mdl_world *w, struct mdl_workers *p)
{
    if (p->cfg->autoscaler.kind == NULL || mdl_scaler_row(&p->cfg->autoscaler)->slots) {
        return SQ_OK; /* slots are scaled by the pool itself */
    }
    struct mdl_autoscaler_view view = { .queue_count = p->queue_count,
                                        .oldest = mdl_queue_oldest,
                                        .existing = &p->existing,
                                        .ready_replicas = &p->ready,
                                        .busy = &p->busy,
                                        .slots = &p->ready_slots,
                                        .processed = &p->processed };
    struct mdl_autoscaler_queue *queues =
        sq_arena_alloc(&w->ctx.arena, p->queue_count, sizeof(*queues));
    if (queues == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct sq_ref *ref = sq_list_at(&p->cfg->queue, i);
        struct mdl_queue *q = mdl_wiring_queue(w, ref->name);
        queues[i] =
            (struct mdl_autoscaler_queue){ &q->ready, &q->delayed, &q->leased, &q->offered, q };
    }
    view.queues = queues;
    const struct mdl_scaler_gate *gate = mdl_scaler_common(&p->cfg->autoscaler)->gate;
    if (gate != NULL && !wire_gate(w, gate->dependency.name, &view)) {
        return SQ_NOMEM;
    }
    struct mdl_autoscaler *a = &w->scalers[w->scaler_count++];
    enum sq_status status = mdl_autoscaler_init(a, &w->ctx, &p->cfg->autoscaler);
    return status == SQ_OK ? mdl_autoscaler_start(a, p->id, view) : status;
}
