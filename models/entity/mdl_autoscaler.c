/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_autoscaler.c - the autoscaler entity; its arithmetic is a policy (mdl_scaler.h). */
#include "models/entity/mdl_autoscaler.h"

#include "models/policy/mdl_scaler.h"

enum { CLOCK_SYNC, CLOCK_POLL };

static double depth(const struct mdl_autoscaler *a)
{
    unsigned parts = mdl_scaler_counts(a->cfg);
    int64_t sum = 0;
    for (size_t i = 0; i < a->view.queue_count; i++) {
        const struct mdl_autoscaler_queue *q = &a->view.queues[i];
        sum += (parts & MDL_COUNTS_READY) != 0 ? q->ready->now : 0;
        sum += (parts & MDL_COUNTS_DELAYED) != 0 ? q->delayed->now : 0;
        sum += (parts & MDL_COUNTS_LEASED) != 0 ? q->leased->now : 0;
    }
    return (double)sum;
}

static void post(struct mdl_autoscaler *a, uint32_t clock, sq_time_t period)
{
    (void)mdl_post(a->ctx, sq_time_add(mdl_now(a->ctx), period), a->id, MDL_EV_SYNC, clock);
}

static void on_event(void *self, struct sq_msg m, uint64_t seq)
{
    (void)seq;
    struct mdl_autoscaler *a = self;
    SQ_ASSERT(m.kind == MDL_EV_SYNC);
    const struct mdl_scaler_row *row = mdl_scaler_row(a->cfg);
    struct mdl_scaler_view v = { .now = mdl_now(a->ctx),
                                 .metric = depth(a),
                                 .current = a->view.existing->now,
                                 .ready = a->view.ready_replicas->now };
    bool poll = m.slot == CLOCK_POLL;
    int64_t want =
        poll ? row->decide_poll(a->cfg->cfg, a->state, &v) : row->decide(a->cfg->cfg, a->state, &v);
    if (want != v.current) {
        mdl_tell(a->ctx, a->pool, MDL_EV_SCALE, 0, (uint32_t)want);
    }
    post(a, m.slot, poll ? row->poll(a->cfg->cfg) : row->period(a->cfg->cfg));
}

enum sq_status mdl_autoscaler_init(struct mdl_autoscaler *a, struct mdl_ctx *ctx,
                                   const struct sq_block *cfg)
{
    *a = (struct mdl_autoscaler){ .ctx = ctx, .cfg = cfg };
    return sq_sim_add(&ctx->sim, on_event, a, &a->id);
}

enum sq_status mdl_autoscaler_start(struct mdl_autoscaler *a, uint16_t pool,
                                    struct mdl_autoscaler_view view)
{
    const struct mdl_scaler_row *row = mdl_scaler_row(a->cfg);
    a->pool = pool;
    a->view = view;
    a->state = sq_arena_alloc(&a->ctx->arena, 1, row->state_size(a->cfg->cfg));
    if (a->state == NULL) {
        return SQ_NOMEM;
    }
    post(a, CLOCK_SYNC, row->period(a->cfg->cfg));
    if (row->poll != NULL) {
        post(a, CLOCK_POLL, row->poll(a->cfg->cfg));
    }
    return SQ_OK;
}
