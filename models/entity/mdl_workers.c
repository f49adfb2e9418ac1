/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers.c - the worker pool: what happens to a delivered job. Replicas come and go in
 * mdl_workers_fleet.c. */
#include "models/entity/mdl_workers.h"

#include "models/entity/mdl_workers_fleet.h"
#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_scaler.h"
#include "sim/conf/sq_rows.h"

/* ---- configuration ---- */

static const struct sq_field queue_element = {
    .key = "queue", .type = SQ_REF, .more = "queues", .doc = "A queue."
};

static const struct sq_field workers_rows[] = {
    SQ_ROW_LIST(struct mdl_workers_cfg, queue, "queue", NULL, &queue_element, SQ_F_ONE,
                "The queue whose jobs it runs."),
    SQ_ROW_AMOUNT_IN(struct mdl_workers_cfg, replicas, "replicas", "1", 0, 1e6, SQ_F_LIVE,
                     "Ready at time 0."),
    SQ_ROW_AMOUNT_IN(struct mdl_workers_cfg, slots, "slots", "1", 1, 1e6, SQ_F_LIVE,
                     "Jobs run at a time per replica."),
    SQ_ROW_LATER("prefetch", "Jobs leased beyond the busy slots."),
    SQ_ROW_LATER("batch", "Jobs delivered together."),
    SQ_ROW_MAP(struct mdl_workers_cfg, calls, "calls", &mdl_calls_element, SQ_F_OPTIONAL,
               "Dependencies called, one after the other."),
    SQ_ROW_LATER("after_success", "Whether later attempts repeat calls that succeeded."),
    SQ_ROW_GROUP(struct mdl_workers_cfg, retry, "retry", NULL, &mdl_retry_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "The job layer."),
    SQ_ROW_LATER("acknowledge", "Settled at the broker after or before it runs."),
    SQ_ROW_BLOCK(struct mdl_workers_cfg, start_up, "start_up", "30s", &mdl_dist_family, 0,
                 "From the creation of a replica until it is ready."),
    SQ_ROW_TIME(struct mdl_workers_cfg, grace, "grace", "30s", SQ_F_UNLIMITED,
                "A retiring replica counts as crashed after this."),
    SQ_ROW_LATER("crashes", "Random crashes."),
    SQ_ROW_LATER("memory", "Of a replica."),
    SQ_ROW_LATER("job_memory", "Of a leased job."),
    SQ_ROW_LATER("held_limit", "Delays one replica holds in memory."),
    SQ_ROW_LATER("delivery_cost", "Slot time of each delivery."),
    SQ_ROW_BLOCK(struct mdl_workers_cfg, autoscaler, "autoscaler", NULL, &mdl_scaler_family,
                 SQ_F_OPTIONAL | SQ_F_NONE | SQ_F_LIVE, "Changes the number of replicas."),
};

static void check_workers(const void *cfg, const struct sq_node *node, const char *path,
                          struct sq_diag *diag)
{
    const struct mdl_workers_cfg *w = cfg;
    if (w->queue.count != 1) {
        sq_diag_error(diag, sq_node_get(node, "queue")->where, path, "name one queue",
                      w->queue.count == 0 ? "queue is empty"
                                          : "a list of queues is not supported yet");
    }
}

const struct sq_table mdl_workers_table = { .type = "workers",
                                            .rows = SQ_ROWS(workers_rows),
                                            .size = sizeof(struct mdl_workers_cfg),
                                            .check = check_workers,
                                            .has_preset = true };

/* ---- the end of a run ---- */

static void settle(struct mdl_workers *w, uint32_t job, enum mdl_end end)
{
    mdl_tell(w->ctx, w->queue, MDL_EV_SETTLE, end, job);
}

static void delay(struct mdl_workers *w, uint32_t slot, enum mdl_delay why, sq_time_t by)
{
    mdl_job_at(w->ctx, slot)->since_ns = sq_time_add(mdl_now(w->ctx), by);
    mdl_tell(w->ctx, w->queue, MDL_EV_DELAY, why, slot);
}

static void failed(struct mdl_workers *w, uint32_t slot, const struct mdl_verdict *v)
{
    struct mdl_job *job = mdl_job_at(w->ctx, slot);
    job->flags &= (uint8_t)~MDL_JOB_OPEN;
    mdl_count_up(&job->failures);
    if ((job->flags & MDL_JOB_OVERTAKEN) != 0) {
        settle(w, slot, MDL_END_SUPERSEDED);
        return;
    }
    struct mdl_failure f = {
        .error = v->error,
        .n = job->failures,
        .starts = job->attempt,
        .elapsed = mdl_now(w->ctx) - mdl_job_first(w->ctx, slot),
        .hint = v->hint,
        .u = sq_luck_uniform(&w->ctx->luck, w->retry_streams[job->producer], job->ordinal,
                             job->failures, 0),
        .last = (double)job->last,
    };
    struct mdl_retry_plan plan = mdl_retry_decide(w->cfg->retry, &f);
    job->last = (float)plan.last;
    if (plan.retry) {
        delay(w, slot, MDL_DELAY_RETRY, plan.delay);
        return;
    }
    switch (plan.give_up) {
    case MDL_GIVE_UP_DEFAULT:
    case MDL_GIVE_UP_DEAD_LETTER:
        settle(w, slot, MDL_END_DEAD_LETTERED);
        break;
    case MDL_GIVE_UP_DROP:
        settle(w, slot, MDL_END_DROPPED);
        break;
    case MDL_GIVE_UP_PARK:
        delay(w, slot, MDL_DELAY_PARKED, plan.delay);
        break;
    }
}

/* Ends a run unless it waits; then the slot is free for the next job. */
static void act(struct mdl_workers *w, struct mdl_verdict v)
{
    if (v.run == 0 || v.step == MDL_STEP_WAIT) {
        return;
    }
    uint32_t job = mdl_run_at(&w->caller, v.run)->job;
    switch (v.step) {
    case MDL_STEP_DONE:
        mdl_job_at(w->ctx, job)->flags &= (uint8_t)~MDL_JOB_OPEN;
        settle(w, job, MDL_END_COMPLETED);
        break;
    case MDL_STEP_FAILED:
        failed(w, job, &v);
        break;
    case MDL_STEP_STALE:
        settle(w, job, MDL_END_STALE);
        break;
    case MDL_STEP_DEFERRED: /* the control has written until when */
        mdl_tell(w->ctx, w->queue, MDL_EV_DELAY, MDL_DELAY_DEFERRED, job);
        break;
    case MDL_STEP_WAIT:
        break;
    }
    mdl_fleet_release(w, v.run);
}

/* ---- the start of a run ---- */

static void on_worked(struct mdl_workers *w, uint32_t run, uint64_t seq)
{
    if (MDL_RUN_WAITS_FOR(&w->caller, run, work_seq, seq)) {
        mdl_run_at(&w->caller, run)->work_seq = 0;
        act(w, mdl_caller_next(&w->caller, run));
    }
}

static void begin_work(struct mdl_workers *w, uint32_t run)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    struct mdl_job *job = mdl_job_at(w->ctx, r->job);
    const struct sq_dist *work = &w->ctx->sources[job->producer].work;
    sq_time_t time = mdl_draw(w->ctx, work, w->work_streams[job->producer], job->ordinal,
                              job->attempt + 1, job->defers);
    if (!mdl_caller_has_calls(&w->caller, job)) {
        mdl_job_open(w->ctx, w->id, r->job);
    }
    if (time == 0) {
        act(w, mdl_caller_next(&w->caller, run));
    } else {
        sq_time_t at = sq_time_add(mdl_now(w->ctx), time);
        r->work_seq = mdl_post(w->ctx, at, w->id, MDL_EV_WORKED, run);
    }
}

static void on_deliver(struct mdl_workers *w, uint32_t slot)
{
    uint32_t replica = w->idle.head;
    if (replica == 0) { /* scaled down at this instant */
        mdl_tell(w->ctx, w->queue, MDL_EV_GIVE_BACK, 0, slot);
        return;
    }
    const struct mdl_job *job = mdl_job_at(w->ctx, slot);
    bool overtaken = (job->flags & MDL_JOB_OVERTAKEN) != 0;
    if (overtaken || mdl_job_is_stale(w->ctx, job, MDL_CHECK_DELIVERY)) {
        settle(w, slot, overtaken ? MDL_END_SUPERSEDED : MDL_END_STALE);
        mdl_fleet_fetch(w, w->paused ? 0 : 1);
        return;
    }
    uint32_t run = mdl_caller_start(&w->caller, slot, replica);
    if (run != 0) {
        mdl_fleet_occupy(w, replica, run);
        begin_work(w, run);
    }
}

static void on_event(void *self, struct sq_msg m, uint64_t seq)
{
    struct mdl_workers *w = self;
    switch (m.kind) {
    case MDL_EV_DELIVER:
        on_deliver(w, m.slot);
        break;
    case MDL_EV_WORKED:
        on_worked(w, m.slot, seq);
        break;
    case MDL_EV_ANSWER:
        act(w, mdl_caller_answer(&w->caller, m.slot));
        break;
    case MDL_EV_TIMEOUT:
        act(w, mdl_caller_timeout(&w->caller, m.slot, seq));
        break;
    case MDL_EV_THROTTLED:
        act(w, mdl_caller_throttled(&w->caller, m.slot, (enum mdl_turned)m.extra));
        break;
    case MDL_EV_AGAIN:
        act(w, mdl_caller_again(&w->caller, m.slot, seq));
        break;
    case MDL_EV_TOTAL:
        act(w, mdl_caller_total(&w->caller, m.slot, seq));
        break;
    case MDL_EV_PAUSE:
        mdl_fleet_pause(w, m.extra == 1);
        break;
    case MDL_EV_SCALE:
        mdl_fleet_scale(w, m.slot);
        break;
    case MDL_EV_STARTED:
        mdl_fleet_started(w, m.slot, seq);
        break;
    case MDL_EV_GRACE:
        mdl_fleet_grace(w, m.slot, seq);
        break;
    case MDL_EV_CHANGED:
        mdl_fleet_changed(w);
        break;
    default:
        SQ_UNREACHABLE("a worker pool gets no such event");
    }
}

enum sq_status mdl_workers_init(struct mdl_workers *w, struct mdl_ctx *ctx, const char *name,
                                const struct mdl_workers_cfg *cfg)
{
    *w = (struct mdl_workers){ .ctx = ctx, .name = name, .cfg = cfg };
    sq_pool_init(&w->replicas, sizeof(struct mdl_replica), 2000000);
    enum sq_status status = sq_sim_add(&ctx->sim, on_event, w, &w->id);
    if (cfg->retry != NULL && cfg->retry->max_elapsed != SQ_NEVER) {
        mdl_ctx_keep_firsts(ctx);
    }
    mdl_caller_init(&w->caller, ctx, w->id);
    return status;
}

void mdl_workers_start(struct mdl_workers *w, struct mdl_workers_wiring wiring)
{
    w->queue = wiring.queue;
    w->caller.entries = wiring.entries;
    w->caller.entry_count = wiring.entry_count;
    w->work_streams = wiring.work_streams;
    w->retry_streams = wiring.retry_streams;
    w->start_stream = sq_luck_stream(w->name, "start_up", NULL);
    w->start_up = mdl_dist_make(&w->cfg->start_up);
    mdl_fleet_open(w);
}

void mdl_workers_fini(struct mdl_workers *w)
{
    sq_pool_fini(&w->replicas);
    mdl_caller_fini(&w->caller);
}

bool mdl_workers_check(const struct mdl_workers *w)
{
    return w->existing.now == w->all.count && w->ready.now <= w->existing.now &&
           w->busy.now == (int64_t)w->caller.runs.used;
}
