/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_caller.c - the life of the calls of one attempt, seen from the caller. */
#include "models/part/mdl_caller.h"

#include "sim/base/sq_limits.h"
#include "sim/conf/sq_rows.h"

/* ---- configuration ---- */

static const struct sq_field only_element = {
    .key = "producer", .type = SQ_REF, .more = "producers", .doc = "A producer or client."
};

static const struct sq_field calls_rows[] = {
    SQ_ROW_TIME(struct mdl_calls_cfg, timeout, "timeout", "none", SQ_F_NONE | SQ_F_LIVE,
                "The caller stops waiting for one try after this, from leaving to the answer."),
    SQ_ROW_TIME(struct mdl_calls_cfg, total_timeout, "total_timeout", "none", SQ_F_NONE | SQ_F_LIVE,
                "Bound on all tries with the delays and the waits at controls between."),
    { .key = "retry",
      .type = SQ_GROUP,
      .off = offsetof(struct mdl_calls_cfg, retry),
      .more = &mdl_retry_table,
      .flags = SQ_F_OPTIONAL | SQ_F_NONE,
      .preset_without = mdl_retry_not_of_calls,
      .doc = "The call layer: the caller waits in place." },
    { .key = "times",
      .type = SQ_NUMBER,
      .off = SQ_AT(struct mdl_calls_cfg, times, double),
      .dflt = "1",
      .max = 1e6,
      .flags = SQ_F_LIVE | SQ_F_ABOVE_MIN,
      .doc = "Such calls per attempt; a fraction is the probability of one more." },
    SQ_ROW_LIST(struct mdl_calls_cfg, only, "only", NULL, &only_element, SQ_F_OPTIONAL | SQ_F_ONE,
                "Producers whose jobs make this call; all by default."),
    SQ_ROW_BOOL(struct mdl_calls_cfg, propagate_cancel, "propagate_cancel", "true", 0,
                "Whether a caller that gives up tells the dependency."),
};

static void check_calls(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    const struct mdl_calls_cfg *c = cfg;
    if (c->timeout == 0 || c->total_timeout == 0) {
        sq_diag_error(diag, node->where, path, "for example timeout: 1s, or none",
                      "%s is 0s: every call would time out as it leaves",
                      c->timeout == 0 ? "timeout" : "total_timeout");
    }
    if (c->retry != NULL && c->retry->give_up.kind != NULL) {
        sq_diag_error(diag, node->where, path, "put give_up into the retry of the workers",
                      "a call layer has no give_up: it passes the failure up");
    }
}

const struct sq_table mdl_calls_table = { .rows = SQ_ROWS(calls_rows),
                                          .size = sizeof(struct mdl_calls_cfg),
                                          .check = check_calls };
const struct sq_field mdl_calls_element = {
    .key = "call", .type = SQ_GROUP, .more = &mdl_calls_table, .doc = "A call to a dependency."
};

/* ---- runs ---- */

static const struct mdl_verdict nothing = { .step = MDL_STEP_WAIT };

void mdl_caller_init(struct mdl_caller *k, struct mdl_ctx *ctx, uint16_t id)
{
    *k = (struct mdl_caller){ .ctx = ctx, .id = id };
    sq_pool_init(&k->runs, sizeof(struct mdl_run), SQ_MAX_CALLS);
}

void mdl_caller_fini(struct mdl_caller *k)
{
    sq_pool_fini(&k->runs);
}

static void give_out(struct mdl_ctx *c)
{
    c->failed = true;
    sq_sim_stop(&c->sim);
}

uint32_t mdl_caller_start(struct mdl_caller *k, uint32_t job, uint32_t owner)
{
    uint32_t slot = sq_pool_take(&k->runs);
    if (slot == 0) {
        give_out(k->ctx);
        return 0;
    }
    *mdl_run_at(k, slot) = (struct mdl_run){ .job = job, .owner = owner };
    return slot;
}

void mdl_caller_finish(struct mdl_caller *k, uint32_t slot)
{
    struct mdl_run *run = mdl_run_at(k, slot);
    SQ_ASSERT(run->call == 0);
    run->work_seq = run->again_seq = run->total_seq = 0;
    sq_pool_give(&k->runs, slot);
}

/* ---- one try ---- */

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
        give_out(k->ctx);
        return 0;
    }
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    *call = (struct mdl_call){
        .deadline_ns = k->ctx->sources[job->producer].deadline_check == MDL_CHECK_CALL
                           ? mdl_job_deadline(k->ctx, job)
                           : SQ_NEVER,
        .timeout_ns = entry->cfg->timeout,
        .timeout_lane = timeout_lane(k, entry),
        .hint_ns = SQ_NEVER,
        .ordinal = job->ordinal,
        .job = run->job,
        .run = run_slot,
        .draw = run->draw,
        .position = run->position,
        .caller = k->id,
        .producer = job->producer,
        .dependency = entry->dependency,
        .flags = MDL_CALL_CALLER,
    };
    run->draw++;
    run->call = slot;
    return slot;
}

/* Sends the next try of the present call. */
static struct mdl_verdict send(struct mdl_caller *k, uint32_t run_slot)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    struct mdl_verdict v = { .step = MDL_STEP_WAIT, .run = run_slot };
    if (mdl_job_is_stale(k->ctx, mdl_job_at(k->ctx, run->job), MDL_CHECK_CALL)) {
        run->total_seq = 0;
        v.step = MDL_STEP_STALE;
        return v;
    }
    uint32_t call = make_call(k, run_slot);
    if (call == 0) {
        return nothing;
    }
    mdl_tell(k->ctx, k->entries[run->entry].dependency, MDL_EV_CALL, 0, call);
    return v;
}

/* ---- from call to call ---- */

/* How often an attempt of the job makes the call; a fraction is drawn once per job. */
static uint32_t times_of(const struct mdl_caller *k, const struct mdl_entry *e,
                         const struct mdl_job *job)
{
    if (e->only != NULL && !e->only[job->producer]) {
        return 0;
    }
    uint32_t whole = (uint32_t)e->cfg->times;
    double rest = e->cfg->times - whole;
    if (!(rest > 0)) {
        return whole;
    }
    double u = sq_luck_uniform(&k->ctx->luck, e->times_streams[job->producer], job->ordinal, 0, 0);
    return whole + (u < rest ? 1 : 0);
}

bool mdl_caller_has_calls(const struct mdl_caller *k, const struct mdl_job *job)
{
    for (size_t i = 0; i < k->entry_count; i++) {
        if (times_of(k, &k->entries[i], job) > 0) {
            return true;
        }
    }
    return false;
}

struct mdl_verdict mdl_caller_next(struct mdl_caller *k, uint32_t run_slot)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    struct mdl_job *job = mdl_job_at(k->ctx, run->job);
    while (run->entry < k->entry_count && run->index >= times_of(k, &k->entries[run->entry], job)) {
        run->entry++;
        run->index = 0;
    }
    if (run->entry == k->entry_count) {
        mdl_job_open(k->ctx, k->id, run->job); /* without calls it began just now */
        return (struct mdl_verdict){ .step = MDL_STEP_DONE, .run = run_slot };
    }
    run->failures = 0;
    run->since_ns = mdl_now(k->ctx);
    run->last = 0;
    sq_time_t total = k->entries[run->entry].cfg->total_timeout;
    if (total != SQ_NEVER) {
        sq_time_t at = sq_time_add(mdl_now(k->ctx), total);
        run->total_seq = mdl_post(k->ctx, at, k->id, MDL_EV_TOTAL, run_slot);
    }
    return send(k, run_slot);
}

/* A try failed: the call layer tries again after a delay, or passes the failure up. */
static struct mdl_verdict after_failure(struct mdl_caller *k, uint32_t run_slot, enum mdl_error e,
                                        sq_time_t hint)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    const struct mdl_entry *entry = &k->entries[run->entry];
    const struct mdl_job *job = mdl_job_at(k->ctx, run->job);
    run->failures++;
    if (entry->cfg->retry != NULL) {
        struct mdl_failure f = {
            .error = e,
            .n = run->failures,
            .starts = run->failures,
            .elapsed = mdl_now(k->ctx) - run->since_ns,
            .hint = hint,
            .u = sq_luck_uniform(&k->ctx->luck, entry->retry_streams[job->producer], job->ordinal,
                                 job->attempt, run->draw),
            .last = run->last,
        };
        struct mdl_retry_plan plan = mdl_retry_decide(entry->cfg->retry, &f);
        if (plan.retry) {
            run->last = plan.last;
            sq_time_t at = sq_time_add(mdl_now(k->ctx), plan.delay);
            run->again_seq = mdl_post(k->ctx, at, k->id, MDL_EV_AGAIN, run_slot);
            return (struct mdl_verdict){ .step = MDL_STEP_WAIT, .run = run_slot };
        }
    }
    run->total_seq = 0;
    return (
        struct mdl_verdict){ .step = MDL_STEP_FAILED, .error = e, .hint = hint, .run = run_slot };
}

static struct mdl_verdict after_try(struct mdl_caller *k, uint32_t run_slot, enum mdl_error e,
                                    sq_time_t hint)
{
    if (e != MDL_ERR_OK) {
        return after_failure(k, run_slot, e, hint);
    }
    struct mdl_run *run = mdl_run_at(k, run_slot);
    run->total_seq = 0;
    run->position++;
    run->index++;
    return mdl_caller_next(k, run_slot);
}

/* The caller learns the outcome (or gives up) and lets go of the call. */
static void end_call(struct mdl_caller *k, uint32_t slot, enum mdl_error outcome)
{
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    SQ_DEBUG_ASSERT((call->flags & MDL_CALL_CALLER) != 0);
    struct mdl_run *run = mdl_run_at(k, call->run);
    bool gave_up = outcome == MDL_ERR_TIMEOUT || outcome == MDL_ERR_CANCELLED;
    call->told = gave_up && k->entries[run->entry].cfg->propagate_cancel;
    if (call->told && call->cancels && (call->flags & MDL_CALL_INSIDE) != 0) {
        mdl_tell(k->ctx, call->dependency, MDL_EV_ABANDON, 0, slot);
    }
    run->call = 0;
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

/* ---- events ---- */

struct mdl_verdict mdl_caller_answer(struct mdl_caller *k, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    enum mdl_error outcome = (enum mdl_error)call->outcome;
    uint32_t run = call->run;
    sq_time_t hint = call->hint_ns;
    bool waited = (call->flags & MDL_CALL_CALLER) != 0;
    if (waited) {
        end_call(k, slot, outcome);
    } else if (call->served) { /* to the end, and it came too late */
        mdl_emit_call(k->ctx, MDL_REC_CALL_WASTED, call, 0, 0);
    }
    mdl_call_release(k->ctx, slot, MDL_CALL_INSIDE);
    return waited ? after_try(k, run, outcome, hint) : nothing;
}

struct mdl_verdict mdl_caller_timeout(struct mdl_caller *k, uint32_t slot, uint64_t seq)
{
    if (!mdl_call_times_out(k->ctx, slot, seq)) {
        return nothing;
    }
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    call->timeout_seq = 0;
    uint32_t run = call->run;
    end_call(k, slot, MDL_ERR_TIMEOUT);
    return after_try(k, run, MDL_ERR_TIMEOUT, SQ_NEVER);
}

struct mdl_verdict mdl_caller_throttled(struct mdl_caller *k, uint32_t slot, enum mdl_turned how)
{
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    if ((call->flags & MDL_CALL_CALLER) == 0) {
        return nothing; /* withdrawn at the same instant */
    }
    uint32_t run_slot = call->run;
    struct mdl_run *run = mdl_run_at(k, run_slot);
    run->call = 0;
    mdl_call_release(k->ctx, slot, MDL_CALL_CALLER);
    if (how == MDL_TURNED_FAIL) {
        return after_failure(k, run_slot, MDL_ERR_THROTTLED, SQ_NEVER);
    }
    run->total_seq = 0;
    return (struct mdl_verdict){ .step =
                                     how == MDL_TURNED_DEFER ? MDL_STEP_DEFERRED : MDL_STEP_STALE,
                                 .run = run_slot };
}

struct mdl_verdict mdl_caller_again(struct mdl_caller *k, uint32_t run_slot, uint64_t seq)
{
    if (!MDL_RUN_WAITS_FOR(k, run_slot, again_seq, seq)) {
        return nothing;
    }
    mdl_run_at(k, run_slot)->again_seq = 0;
    return send(k, run_slot);
}

void mdl_caller_abort(struct mdl_caller *k, uint32_t run_slot)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    run->again_seq = run->total_seq = 0;
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

struct mdl_verdict mdl_caller_total(struct mdl_caller *k, uint32_t run_slot, uint64_t seq)
{
    if (!MDL_RUN_WAITS_FOR(k, run_slot, total_seq, seq)) {
        return nothing;
    }
    mdl_caller_abort(k, run_slot);
    return (
        struct mdl_verdict){ .step = MDL_STEP_FAILED, .error = MDL_ERR_TIMEOUT, .run = run_slot };
}

bool mdl_caller_waits(const struct mdl_caller *k, uint32_t run_slot)
{
    const struct mdl_run *run = mdl_run_at(k, run_slot);
    return run->call != 0 && (mdl_call_at(k->ctx, run->call)->flags & MDL_CALL_LEFT) == 0;
}
