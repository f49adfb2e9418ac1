/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_caller.c - the life of the calls of one attempt, seen from the caller. */
#include "models/part/mdl_caller.h"

#include "sim/base/sq_limits.h"
#include "sim/conf/sq_rows.h"

static const struct sq_field calls_rows[] = {
    SQ_ROW_TIME(struct mdl_calls_cfg, timeout, "timeout", "none", SQ_F_NONE | SQ_F_LIVE,
                "The caller stops waiting for one try after this, from leaving to the answer."),
    SQ_ROW_LATER("total_timeout", "Bound on all tries with their delays."),
    SQ_ROW_LATER("retry", "The call layer: retries in place."),
    SQ_ROW_LATER("times", "Such calls per attempt."),
    SQ_ROW_LATER("only", "Producers whose jobs make this call."),
    SQ_ROW_LATER("propagate_cancel", "Whether giving up is told to the dependency."),
};

static void check_calls(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    if (((const struct mdl_calls_cfg *)cfg)->timeout == 0) {
        sq_diag_error(diag, node->where, path, "for example timeout: 1s, or none",
                      "timeout is 0s: every call would time out as it leaves");
    }
}

const struct sq_table mdl_calls_table = { .rows = SQ_ROWS(calls_rows),
                                          .size = sizeof(struct mdl_calls_cfg),
                                          .check = check_calls };

static const struct mdl_verdict nothing = { .step = MDL_STEP_WAIT };

uint32_t mdl_caller_start(struct mdl_caller *k, uint32_t job, uint32_t owner)
{
    uint32_t slot = sq_pool_take(&k->runs);
    if (slot == 0) {
        k->ctx->failed = true;
        sq_sim_stop(&k->ctx->sim);
        return 0;
    }
    struct mdl_run *run = mdl_run_at(k, slot);
    run->job = job;
    run->owner = owner;
    return slot;
}

/* The lane for the timeout in force, looked up again when a `set` action changed it. */
static int timeout_lane(struct mdl_caller *k, struct mdl_entry *entry)
{
    if (entry->cfg->timeout == SQ_NEVER) {
        return -1;
    }
    if (entry->lane_delay != entry->cfg->timeout) {
        entry->lane = sq_evq_lane(k->ctx->sim.evq, entry->cfg->timeout, MDL_RANK_TIMEOUT);
        entry->lane_delay = entry->cfg->timeout;
    }
    return entry->lane;
}

static uint32_t make_call(struct mdl_caller *k, uint32_t run_slot)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    struct mdl_entry *entry = &k->entries[run->entry];
    const struct mdl_job *job = mdl_job_at(k->ctx, run->job);
    uint32_t slot = sq_pool_take(&k->ctx->calls);
    if (slot == 0) {
        k->ctx->failed = true;
        sq_sim_stop(&k->ctx->sim);
        return 0;
    }
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    *call = (struct mdl_call){
        .deadline_ns = k->ctx->sources[job->producer].deadline_check == MDL_CHECK_CALL
                           ? mdl_job_deadline(k->ctx, job)
                           : SQ_NEVER,
        .timeout_ns = entry->cfg->timeout,
        .timeout_lane = timeout_lane(k, entry),
        .ordinal = job->ordinal,
        .job = run->job,
        .run = run_slot,
        .draw = run->draw,
        .position = run->entry,
        .caller = k->id,
        .producer = job->producer,
        .dependency = entry->dependency,
        .flags = MDL_CALL_CALLER,
    };
    run->draw++;
    run->call = slot;
    return slot;
}

struct mdl_verdict mdl_caller_next(struct mdl_caller *k, uint32_t run_slot)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    struct mdl_verdict v = { .run = run_slot };
    if (run->entry == k->entry_count) {
        v.step = MDL_STEP_DONE;
        return v;
    }
    if (mdl_job_is_stale(k->ctx, mdl_job_at(k->ctx, run->job), MDL_CHECK_CALL)) {
        v.step = MDL_STEP_STALE;
        return v;
    }
    uint32_t call = make_call(k, run_slot);
    if (call == 0) {
        return nothing;
    }
    mdl_tell(k->ctx, k->entries[run->entry].dependency, MDL_EV_CALL, 0, call);
    v.step = MDL_STEP_WAIT;
    return v;
}

/* The caller learns the outcome (or gives up) and lets go of the call. */
static void end_call(struct mdl_caller *k, uint32_t slot, enum mdl_error outcome)
{
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    SQ_DEBUG_ASSERT((call->flags & MDL_CALL_CALLER) != 0);
    mdl_run_at(k, call->run)->call = 0;
    if (call->timeout_seq != 0) {
        call->timeout_seq = 0;
        sq_evq_stale(k->ctx->sim.evq);
    }
    mdl_emit_call(k->ctx, MDL_REC_CALL_ENDED, call, outcome, mdl_now(k->ctx) - call->left_ns);
    if ((call->flags & MDL_CALL_PERMIT) != 0) {
        call->flags |= MDL_CALL_REPORTING;
        mdl_tell(k->ctx, call->dependency, MDL_EV_OUTCOME, outcome, slot);
    }
    mdl_call_release(k->ctx, slot, MDL_CALL_CALLER);
}

static struct mdl_verdict after_call(struct mdl_caller *k, uint32_t run_slot, enum mdl_error e)
{
    if (e != MDL_ERR_OK) {
        return (struct mdl_verdict){ .step = MDL_STEP_FAILED, .error = e, .run = run_slot };
    }
    mdl_run_at(k, run_slot)->entry++;
    return mdl_caller_next(k, run_slot);
}

struct mdl_verdict mdl_caller_answer(struct mdl_caller *k, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    enum mdl_error outcome = (enum mdl_error)call->outcome;
    uint32_t run = call->run;
    bool waited = (call->flags & MDL_CALL_CALLER) != 0;
    if (waited) {
        end_call(k, slot, outcome);
    } else if (outcome == MDL_ERR_OK) {
        mdl_emit_call(k->ctx, MDL_REC_CALL_WASTED, call, 0, 0);
    }
    mdl_call_release(k->ctx, slot, MDL_CALL_INSIDE);
    return waited ? after_call(k, run, outcome) : nothing;
}

struct mdl_verdict mdl_caller_timeout(struct mdl_caller *k, uint32_t slot, uint64_t seq)
{
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    if (call->timeout_seq != seq) {
        return nothing;
    }
    call->timeout_seq = 0;
    uint32_t run = call->run;
    end_call(k, slot, MDL_ERR_TIMEOUT);
    return after_call(k, run, MDL_ERR_TIMEOUT);
}

struct mdl_verdict mdl_caller_throttled(struct mdl_caller *k, uint32_t slot, enum mdl_turned how)
{
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    if ((call->flags & MDL_CALL_CALLER) == 0) {
        return nothing; /* withdrawn at the same instant */
    }
    struct mdl_verdict v = { .run = call->run };
    mdl_run_at(k, call->run)->call = 0;
    mdl_call_release(k->ctx, slot, MDL_CALL_CALLER);
    switch (how) {
    case MDL_TURNED_DEFER:
        v.step = MDL_STEP_DEFERRED;
        break;
    case MDL_TURNED_STALE:
        v.step = MDL_STEP_STALE;
        break;
    case MDL_TURNED_FAIL:
        v.step = MDL_STEP_FAILED;
        v.error = MDL_ERR_THROTTLED;
        break;
    }
    return v;
}

void mdl_caller_abort(struct mdl_caller *k, uint32_t run_slot)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    if (run->call == 0) {
        return;
    }
    uint32_t slot = run->call;
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    if ((call->flags & MDL_CALL_LEFT) != 0) {
        end_call(k, slot, MDL_ERR_CANCELLED);
        return;
    }
    run->call = 0; /* at a control: the control takes it out of its line and lets go of it */
    call->flags |= MDL_CALL_REPORTING;
    mdl_tell(k->ctx, call->dependency, MDL_EV_WITHDRAW, 0, slot);
    mdl_call_release(k->ctx, slot, MDL_CALL_CALLER);
}

bool mdl_caller_waits(const struct mdl_caller *k, uint32_t run_slot)
{
    const struct mdl_run *run = mdl_run_at(k, run_slot);
    return run->call != 0 && (mdl_call_at(k->ctx, run->call)->flags & MDL_CALL_LEFT) == 0;
}

void mdl_caller_finish(struct mdl_caller *k, uint32_t run)
{
    SQ_ASSERT(mdl_run_at(k, run)->call == 0);
    sq_pool_give(&k->runs, run);
}
