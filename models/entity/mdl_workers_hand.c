/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_hand.c - what a replica does with a job in its hands. */
#include "models/entity/mdl_workers_in.h"
#include "models/part/mdl_copy.h"

/* ---- the end of a run ---- */

static void settle(struct mdl_workers *w, uint32_t job, unsigned end)
{
    mdl_tell(w->ctx, mdl_job_at(w->ctx, job)->queue, MDL_EV_SETTLE, end, job);
}

static void delay(struct mdl_workers *w, uint32_t slot, enum mdl_delay why, sq_time_t by)
{
    struct mdl_job *job = mdl_job_at(w->ctx, slot);
    job->since_ns = sq_time_add(mdl_now(w->ctx), by);
    mdl_tell(w->ctx, job->queue, MDL_EV_DELAY, why, slot);
}

static struct mdl_retry_plan decide(struct mdl_workers *w, uint32_t slot,
                                    const struct mdl_verdict *v)
{
    struct mdl_job *job = mdl_job_at(w->ctx, slot);
    struct mdl_budget_ask ask = mdl_caller_ask(&w->caller, v);
    struct mdl_failure f = {
        .error = ask.error,
        .n = job->failures,
        .starts = mdl_job_starts(w->ctx, slot),
        .elapsed = mdl_now(w->ctx) - mdl_job_first(w->ctx, slot),
        .hint = v->hint,
        .lease = mdl_lease_rest(w->ctx, slot),
        .u = sq_luck_uniform(&w->ctx->luck, w->retry_streams[job->producer], job->ordinal,
                             mdl_job_luck(w->ctx, slot) + job->failures, 0),
        .last = (double)job->last,
    };
    struct mdl_retry_plan plan = mdl_budgets_decide(&ask, w->cfg->retry, &f, slot);
    job->last = (float)plan.last;
    return plan;
}

static void give_up(struct mdl_workers *w, uint32_t slot, const struct mdl_retry_plan *plan)
{
    switch (plan->give_up) {
    case MDL_GIVE_UP_DEFAULT:
    case MDL_GIVE_UP_DEAD_LETTER:
        settle(w, slot, MDL_END_DEAD_LETTERED);
        break;
    case MDL_GIVE_UP_DROP:
        settle(w, slot, MDL_END_DROPPED);
        break;
    case MDL_GIVE_UP_PARK:
        delay(w, slot, MDL_DELAY_PARKED, plan->delay);
        break;
    }
}

/* The job stays in hand until its next attempt. */
static void keep(struct mdl_workers *w, uint32_t run, sq_time_t by)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    struct mdl_job *job = mdl_job_at(w->ctx, r->job);
    job->since_ns = sq_time_add(mdl_now(w->ctx), by);
    mdl_tell(w->ctx, job->queue, MDL_EV_HOLD, MDL_DELAY_RETRY, r->job);
    mdl_caller_rewind(&w->caller, run);
    if (mdl_workers_sleep(w)) {
        r->phase = MDL_HAND_SLEEPS;
        r->work_seq = mdl_post(w->ctx, job->since_ns, w->id, MDL_EV_RESUME, run);
    } else {
        mdl_slots_hold(w, run, job->since_ns);
    }
}

/* False: it is kept in hand. */
static bool failed(struct mdl_workers *w, uint32_t run, const struct mdl_verdict *v)
{
    uint32_t slot = mdl_run_at(&w->caller, run)->job;
    struct mdl_job *job = mdl_job_at(w->ctx, slot);
    job->flags &= (uint8_t)~MDL_JOB_OPEN;
    mdl_count_up(&job->failures);
    if (!mdl_copy_is_current(w->ctx, slot)) { /* its lease has expired: the failure is ignored */
        settle(w, slot, MDL_END_DEAD_LETTERED);
        return true;
    }
    if ((job->flags & MDL_JOB_OVERTAKEN) != 0) {
        settle(w, slot, MDL_END_SUPERSEDED);
        return true;
    }
    struct mdl_retry_plan plan = decide(w, slot, v);
    if (!plan.retry) {
        give_up(w, slot, &plan);
    } else if (plan.leased) {
        mdl_tell(w->ctx, job->queue, MDL_EV_LEAVE, 0, slot);
    } else if (w->cfg->retry->held_by == MDL_HELD_BROKER) {
        delay(w, slot, MDL_DELAY_RETRY, plan.delay);
    } else {
        keep(w, run, plan.delay);
        return false;
    }
    return true;
}

bool mdl_hand_conclude(struct mdl_workers *w, uint32_t run, const struct mdl_verdict *v)
{
    uint32_t slot = mdl_run_at(&w->caller, run)->job;
    struct mdl_job *job = mdl_job_at(w->ctx, slot);
    switch ((enum mdl_step)v->step) {
    case MDL_STEP_DONE:
        job->flags &= (uint8_t)~MDL_JOB_OPEN;
        settle(w, slot, MDL_END_COMPLETED);
        break;
    case MDL_STEP_FAILED:
        return failed(w, run, v);
    case MDL_STEP_STALE:
        settle(w, slot, MDL_END_STALE);
        break;
    case MDL_STEP_DEFERRED: /* the control has written until when */
        mdl_tell(w->ctx, job->queue, MDL_EV_DELAY, MDL_DELAY_DEFERRED, slot);
        break;
    case MDL_STEP_PAUSED:
        mdl_pause_begin(w, run);
        mdl_tell(w->ctx, job->queue, MDL_EV_GIVE_BACK, 2, slot);
        break;
    case MDL_STEP_WAIT:
        break;
    }
    return true;
}

/* The next try of a call in a replica that retires may wait at a control: then it goes back. */
static void look_later(struct mdl_workers *w, uint32_t run)
{
    if (mdl_replica_at(w, mdl_run_at(&w->caller, run)->owner)->state == MDL_REPLICA_RETIRING) {
        mdl_tell(w->ctx, w->id, MDL_EV_LOOK, 0, run);
    }
}

/* In a batch that ends as a whole, the end of a member waits for the others. */
static bool waits_for_batch(struct mdl_workers *w, const struct mdl_verdict *v)
{
    struct mdl_run *r = mdl_run_at(&w->caller, v->run);
    if (!mdl_batch_is_whole(w) || (v->step != MDL_STEP_DONE && v->step != MDL_STEP_FAILED)) {
        return false;
    }
    struct mdl_slot_batch *b = mdl_batch_at(w, r->batch);
    r->phase = v->step == MDL_STEP_DONE ? MDL_HAND_DONE : MDL_HAND_FAILED;
    b->failed = b->failed || v->step == MDL_STEP_FAILED;
    b->current = 0;
    mdl_batch_next(w, r->batch);
    return true;
}

void mdl_hand_act(struct mdl_workers *w, struct mdl_verdict v)
{
    if (v.run == 0) {
        return;
    }
    if (v.step == MDL_STEP_WAIT) {
        look_later(w, v.run);
        return;
    }
    w->processed += v.step == MDL_STEP_DONE || v.step == MDL_STEP_FAILED ? 1 : 0;
    if (waits_for_batch(w, &v)) {
        return;
    }
    struct mdl_run *r = mdl_run_at(&w->caller, v.run);
    uint32_t replica = r->owner, batch = r->batch;
    if (mdl_hand_conclude(w, v.run, &v)) {
        mdl_slots_release(w, v.run);
    } else if (r->phase == MDL_HAND_HELD) {
        mdl_slots_next(w, replica, batch);
    }
}

/* ---- its start ---- */

static void begin_work(struct mdl_workers *w, uint32_t run)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    struct mdl_job *job = mdl_job_at(w->ctx, r->job);
    const struct sq_dist *work = &w->ctx->sources[job->producer].work;
    sq_time_t time = mdl_draw(w->ctx, work, w->work_streams[job->producer], job->ordinal,
                              mdl_job_luck(w->ctx, r->job) + job->attempt + 1, job->defers);
    r->phase = MDL_HAND_RUNS;
    if (!mdl_caller_has_calls(&w->caller, job)) {
        mdl_job_open(w->ctx, w->id, r->job);
    }
    if (time == 0) {
        mdl_hand_act(w, mdl_caller_next(&w->caller, run));
    } else {
        sq_time_t at = sq_time_add(mdl_now(w->ctx), time);
        r->work_seq = mdl_post(w->ctx, at, w->id, MDL_EV_WORKED, run);
    }
}

/* Whether the job need not be run at all, and how it is settled then. */
static bool is_over(const struct mdl_workers *w, const struct mdl_job *job,
                    enum mdl_deadline_check place, unsigned *end)
{
    *end = MDL_END_SUPERSEDED;
    if ((job->flags & MDL_JOB_OVERTAKEN) != 0) {
        return true;
    }
    bool stale = mdl_job_is_stale(w->ctx, job, place);
    *end = stale ? MDL_END_STALE : MDL_END_COMPLETED | MDL_SETTLE_REPEATED;
    return stale || mdl_job_is_repeated(w->ctx, job);
}

/* Settled before it runs, if the pool does so. */
static void accept(struct mdl_workers *w, struct mdl_run *r)
{
    if (w->cfg->acknowledge == MDL_ACK_BEFORE) {
        r->settled = true;
        mdl_tell(w->ctx, mdl_job_at(w->ctx, r->job)->queue, MDL_EV_ACCEPT, 0, r->job);
    }
}

/* In its slot, and not over. */
static void run_it(struct mdl_workers *w, uint32_t run)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    sq_time_t due = mdl_job_due(w->ctx, r->job);
    if (due > mdl_now(w->ctx)) { /* it was asleep where it comes from */
        mdl_job_at(w->ctx, r->job)->since_ns = due;
        r->phase = MDL_HAND_SLEEPS;
        r->work_seq = mdl_post(w->ctx, due, w->id, MDL_EV_RESUME, run);
        return;
    }
    accept(w, r);
    if (w->cfg->delivery_cost == 0) {
        begin_work(w, run);
        return;
    }
    r->phase = MDL_HAND_PAYS;
    r->end = MDL_END_COUNT;
    sq_time_t at = sq_time_add(mdl_now(w->ctx), w->cfg->delivery_cost);
    r->work_seq = mdl_post(w->ctx, at, w->id, MDL_EV_WORKED, run);
}

void mdl_hand_start(struct mdl_workers *w, uint32_t run)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    unsigned end;
    bool over = is_over(w, mdl_job_at(w->ctx, r->job), MDL_CHECK_DELIVERY, &end);
    if (r->batch == 0) {
        mdl_slots_occupy(w, run);
    }
    if (!over) {
        run_it(w, run);
        return;
    }
    r->phase = MDL_HAND_PAYS;
    if (w->cfg->delivery_cost == 0) {
        settle(w, r->job, end);
        mdl_slots_release(w, run);
        return;
    }
    r->end = (uint8_t)end;
    sq_time_t at = sq_time_add(mdl_now(w->ctx), w->cfg->delivery_cost);
    r->work_seq = mdl_post(w->ctx, at, w->id, MDL_EV_WORKED, run);
}

void mdl_hand_awake(struct mdl_workers *w, uint32_t run)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    unsigned end;
    if (is_over(w, mdl_job_at(w->ctx, r->job), MDL_CHECK_ENQUEUE, &end)) {
        settle(w, r->job, end);
        mdl_slots_release(w, run);
    } else {
        accept(w, r);
        begin_work(w, run);
    }
}

void mdl_hand_worked(struct mdl_workers *w, uint32_t run, uint64_t seq)
{
    if (!MDL_RUN_WAITS_FOR(&w->caller, run, work_seq, seq)) {
        return;
    }
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    r->work_seq = 0;
    if (r->phase == MDL_HAND_RUNS) {
        mdl_hand_act(w, mdl_caller_next(&w->caller, run));
    } else if (r->end == MDL_END_COUNT) {
        begin_work(w, run);
    } else {
        settle(w, r->job, r->end);
        mdl_slots_release(w, run);
    }
}

/* Whether a crash loses it: it is done for the broker. A delay in hand may have made a new message
 * of it. */
static bool is_lost(const struct mdl_job *job, const struct mdl_run *r)
{
    if (r->phase == MDL_HAND_HELD || r->phase == MDL_HAND_SLEEPS) {
        return job->state == MDL_JOB_SETTLED;
    }
    return r->settled;
}

void mdl_hand_give_back(struct mdl_workers *w, uint32_t run, bool crashed)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    uint32_t slot = r->job;
    struct mdl_job *job = mdl_job_at(w->ctx, slot);
    r->work_seq = 0;
    if (crashed) {
        mdl_caller_crash(&w->caller, run);
    } else {
        mdl_caller_abort(&w->caller, run);
    }
    if (crashed && r->phase >= MDL_HAND_PAYS) {
        job->flags &= (uint8_t)~MDL_JOB_OPEN;
    }
    if (crashed && is_lost(job, r)) {
        settle(w, slot, MDL_END_LOST);
    } else {
        mdl_tell(w->ctx, job->queue, MDL_EV_GIVE_BACK, crashed ? 1 : 0, slot);
    }
}
