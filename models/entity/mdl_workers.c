/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers.c - the worker pool as an actor. How it is written: mdl_workers_rows.c; replicas:
 * mdl_workers_fleet.c; what happens to a delivered job: mdl_workers_hand.c. */

#include "models/entity/mdl_workers_in.h"
#include "models/policy/mdl_dist.h"
#include "sim/base/sq_limits.h"

static void on_deliver(struct mdl_workers *w, uint32_t job)
{
    if (!mdl_slots_receive(w, job)) { /* scaled down at this instant */
        mdl_tell(w->ctx, mdl_job_at(w->ctx, job)->queue, MDL_EV_GIVE_BACK, 0, job);
    }
}

/* Of calls under way: true when the event is one of these. */
static bool on_call_event(struct mdl_workers *w, struct sq_msg m, uint64_t seq)
{
    switch (m.kind) {
    case MDL_EV_ANSWER:
        mdl_hand_act(w, mdl_caller_answer(&w->caller, m.slot));
        break;
    case MDL_EV_TIMEOUT:
        mdl_hand_act(w, mdl_caller_timeout(&w->caller, m.slot, seq));
        break;
    case MDL_EV_THROTTLED:
        mdl_hand_act(w, mdl_caller_throttled(&w->caller, m.slot, (enum mdl_turned)m.extra));
        break;
    case MDL_EV_ADMITS:
        mdl_pause_admits(w, (uint16_t)(m.slot >> 16), m.slot & 0xffff);
        break;
    case MDL_EV_AGAIN:
        mdl_hand_act(w, mdl_caller_again(&w->caller, m.slot, seq));
        break;
    case MDL_EV_TOTAL:
        mdl_hand_act(w, mdl_caller_total(&w->caller, m.slot, seq));
        break;
    default:
        return false;
    }
    return true;
}

static void on_event(void *self, struct sq_msg m, uint64_t seq)
{
    struct mdl_workers *w = self;
    switch (m.kind) {
    case MDL_EV_DELIVER:
        on_deliver(w, m.slot);
        break;
    case MDL_EV_WORKED:
        mdl_hand_worked(w, m.slot, seq);
        break;
    case MDL_EV_PAUSE:
        w->paused = m.extra == 1;
        mdl_slots_ask_all(w);
        break;
    case MDL_EV_SCALE:
        mdl_fleet_scale(w, m.slot);
        break;
    case MDL_EV_SYNC:
        mdl_scale_sync(w);
        break;
    case MDL_EV_STARTED:
        mdl_fleet_started(w, m.slot, seq);
        break;
    case MDL_EV_GRACE:
        mdl_fleet_grace(w, m.slot, seq);
        break;
    case MDL_EV_CRASH:
        mdl_fleet_crashes(w, m.slot, seq);
        break;
    case MDL_EV_FILL:
        mdl_slots_fill(w, m.slot, seq);
        break;
    case MDL_EV_RESUME:
        mdl_slots_resume(w, m.slot, seq);
        break;
    case MDL_EV_DEPLOY:
        mdl_fleet_deploy(w, (double)m.slot / 1e6);
        break;
    case MDL_EV_LOOK:
        mdl_fleet_look(w, m.slot);
        break;
    case MDL_EV_CHANGED:
        mdl_fleet_changed(w);
        break;
    default:
        if (on_call_event(w, m, seq)) {
            break;
        }
        SQ_UNREACHABLE("a worker pool gets no such event");
    }
}

enum sq_status mdl_workers_init(struct mdl_workers *w, struct mdl_ctx *ctx, const char *name,
                                const struct mdl_workers_cfg *cfg)
{
    *w = (struct mdl_workers){ .ctx = ctx, .name = name, .cfg = cfg };
    sq_pool_init(&w->replicas, sizeof(struct mdl_replica), 2000000);
    sq_pool_init(&w->batches, sizeof(struct mdl_slot_batch), SQ_MAX_CALLS);
    enum sq_status status = sq_sim_add(&ctx->sim, on_event, w, &w->id);
    if (cfg->retry != NULL && cfg->retry->max_elapsed != SQ_NEVER) {
        mdl_ctx_keep_firsts(ctx);
    }
    mdl_caller_init(&w->caller, ctx, w->id);
    w->caller.skips = cfg->after_success == MDL_SUCCESS_SKIP;
    return status;
}

void mdl_workers_start(struct mdl_workers *w, struct mdl_workers_wiring wiring)
{
    w->queues = wiring.queues;
    w->queue_count = wiring.queue_count;
    w->queue = wiring.queues[0];
    w->caller.entries = wiring.entries;
    w->caller.entry_count = wiring.entry_count;
    w->work_streams = wiring.work_streams;
    w->retry_streams = wiring.retry_streams;
    w->start_stream = sq_luck_stream(w->name, "start_up", NULL);
    w->start_up = mdl_dist_make(&w->cfg->start_up);
    w->crash_stream = sq_luck_stream(w->name, "crashes", NULL);
    w->restart_stream = sq_luck_stream(w->name, "restart", NULL);
    if (w->cfg->crashes != NULL) {
        w->uptime = mdl_dist_make(&w->cfg->crashes->every);
    }
    bool own = w->cfg->crashes != NULL && w->cfg->crashes->restart.kind != NULL;
    w->restart = own ? mdl_dist_make(&w->cfg->crashes->restart) : w->start_up;
    w->once = w->cfg->autoscaler.kind != NULL && mdl_scaler_row(&w->cfg->autoscaler)->runs_once;
    mdl_fleet_open(w);
    if (mdl_scale_is_on(w)) {
        mdl_scale_start(w);
    }
}

void mdl_workers_fini(struct mdl_workers *w)
{
    sq_pool_fini(&w->replicas);
    sq_pool_fini(&w->batches);
    mdl_caller_fini(&w->caller);
}

bool mdl_workers_fetches(const struct mdl_workers *w, uint16_t queue)
{
    for (size_t i = 0; i < w->queue_count; i++) {
        if (w->queues[i] == queue) {
            return true;
        }
    }
    return false;
}

bool mdl_workers_check(const struct mdl_workers *w)
{
    int64_t jobs = w->in_line + w->in_slots + w->in_batches + w->held.now;
    return w->existing.now == w->all.count && w->ready.now <= w->existing.now && w->wants >= 0 &&
           w->busy.now == w->in_slots + (int64_t)w->batches.used &&
           jobs == (int64_t)w->caller.runs.used;
}
