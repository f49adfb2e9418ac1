/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_autoscaler.c - the autoscaler entity; its arithmetic is a policy (mdl_scaler.h). */
#include "models/entity/mdl_autoscaler.h"

#include "models/policy/mdl_scaler.h"

#include <math.h>

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

static double oldest(const struct mdl_autoscaler *a)
{
    sq_time_t most = 0;
    for (size_t i = 0; i < a->view.queue_count; i++) {
        most = sq_max_i64(most, a->view.oldest(a->view.queues[i].queue));
    }
    return sq_time_to_s(most);
}

/* ---- since the last look ---- */

static struct mdl_autoscaler_past count(const struct mdl_autoscaler *a)
{
    const struct mdl_autoscaler_view *v = &a->view;
    sq_time_t now = mdl_now(a->ctx);
    struct mdl_autoscaler_past c = { .at = now,
                                     .processed = *v->processed,
                                     .busy = sq_level_total(v->busy, now),
                                     .slots = sq_level_total(v->slots, now) };
    for (size_t i = 0; i < v->queue_count; i++) {
        c.offered += *v->queues[i].offered;
    }
    for (size_t i = 0; i < v->gate_count; i++) {
        c.servers_busy += sq_level_total(v->gate[i].busy, now);
        c.servers += sq_level_total(v->gate[i].in_force, now);
    }
    return c;
}

/* NaN when there was nothing that could have been busy. */
static double share(unsigned __int128 busy, unsigned __int128 all)
{
    return all > 0 ? (double)busy / (double)all : (double)NAN;
}

static double metric(const struct mdl_autoscaler *a, const struct mdl_autoscaler_past *past,
                     const struct mdl_autoscaler_past *now)
{
    double time = sq_time_to_s(now->at - past->at);
    switch ((enum mdl_metric)mdl_scaler_common(a->cfg)->metric) {
    case MDL_METRIC_DEPTH:
        return depth(a);
    case MDL_METRIC_OLDEST:
        return oldest(a);
    case MDL_METRIC_ARRIVALS:
        return (double)(now->offered - past->offered) / time;
    case MDL_METRIC_PROCESSED:
        return (double)(now->processed - past->processed) / time;
    case MDL_METRIC_UTILISATION:
        return share(now->busy - past->busy, now->slots - past->slots);
    }
    SQ_UNREACHABLE("a metric is one of these");
}

/* Servers that are all down are not busy: the gate is open then. */
static bool look_at_gate(struct mdl_autoscaler *a, const struct mdl_autoscaler_past *past,
                         const struct mdl_autoscaler_past *now)
{
    const struct mdl_scaler_gate *gate = mdl_scaler_common(a->cfg)->gate;
    if (gate == NULL) {
        return false;
    }
    double busy = share(now->servers_busy - past->servers_busy, now->servers - past->servers);
    bool gated = busy > gate->utilisation;
    if (gated != a->gated) {
        int64_t ppm = isnan(busy) ? 0 : (int64_t)(busy * 1e6 + 0.5);
        mdl_emit_entity(a->ctx, MDL_REC_GATE, a->pool, gated ? 1 : 0, ppm);
    }
    a->gated = gated;
    return gated;
}

/* ---- looking ---- */

static sq_time_t post(struct mdl_autoscaler *a, uint32_t clock, sq_time_t period)
{
    sq_time_t at = sq_time_add(mdl_now(a->ctx), period);
    (void)mdl_post(a->ctx, at, a->id, MDL_EV_SYNC, clock);
    return at;
}

static void look(struct mdl_autoscaler *a, uint32_t clock)
{
    const struct mdl_scaler_row *row = mdl_scaler_row(a->cfg);
    const void *cfg = a->cfg->cfg;
    struct mdl_autoscaler_past now = count(a), *past = &a->past[clock];
    struct mdl_scaler_view v = { .now = now.at,
                                 .metric = metric(a, past, &now),
                                 .current = a->view.existing->now,
                                 .ready = a->view.ready_replicas->now,
                                 .gated = look_at_gate(a, past, &now) };
    *past = now;
    a->looked = now.at;
    a->seen = v.metric;
    int64_t want =
        clock == CLOCK_POLL ? row->decide_poll(cfg, a->state, &v) : row->decide(cfg, a->state, &v);
    if (want != v.current) {
        mdl_tell(a->ctx, a->pool, MDL_EV_SCALE, 0, (uint32_t)want);
    }
}

/* At one instant the sync is the first to look, whichever event comes first. */
static void on_event(void *self, struct sq_msg m, uint64_t seq)
{
    (void)seq;
    struct mdl_autoscaler *a = self;
    SQ_ASSERT(m.kind == MDL_EV_SYNC);
    const struct mdl_scaler_row *row = mdl_scaler_row(a->cfg);
    if (m.slot == CLOCK_POLL) {
        a->poll_waits = a->next_sync == mdl_now(a->ctx);
        if (!a->poll_waits) {
            look(a, CLOCK_POLL);
        }
        (void)post(a, CLOCK_POLL, row->poll(a->cfg->cfg));
        return;
    }
    look(a, CLOCK_SYNC);
    if (a->poll_waits) {
        look(a, CLOCK_POLL);
        a->poll_waits = false;
    }
    a->next_sync = post(a, CLOCK_SYNC, row->period(a->cfg->cfg));
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
    a->next_sync = post(a, CLOCK_SYNC, row->period(a->cfg->cfg));
    if (row->poll != NULL) {
        (void)post(a, CLOCK_POLL, row->poll(a->cfg->cfg));
    }
    return SQ_OK;
}
