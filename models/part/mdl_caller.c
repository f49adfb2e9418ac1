/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_caller.c - the life of the calls of one attempt, seen from the caller. */
#include "models/part/mdl_caller.h"

#include "models/part/mdl_copy.h"
#include "sim/base/sq_limits.h"

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

/* On whose behalf a run is. */
struct behalf {
    uint64_t ordinal;
    sq_time_t deadline;
    uint32_t attempt; /* a job's: once its attempt has begun */
    uint32_t seed;    /* of the luck of its tries: 0 for a job */
    uint16_t producer;
};

static inline struct behalf behalf_of(const struct mdl_caller *k, const struct mdl_run *run)
{
    if (run->job == 0) {
        const struct mdl_call *c = mdl_call_at(k->ctx, run->owner);
        return (struct behalf){ .ordinal = c->ordinal,
                                .deadline = c->deadline_ns,
                                .attempt = c->attempt,
                                .seed = c->draw + 1,
                                .producer = c->producer };
    }
    const struct mdl_job *job = mdl_job_at(k->ctx, run->job);
    bool checks = k->ctx->sources[job->producer].deadline_check == MDL_CHECK_CALL;
    return (struct behalf){ .ordinal = job->ordinal,
                            .deadline = checks ? mdl_job_deadline(k->ctx, job) : SQ_NEVER,
                            .attempt = mdl_job_luck(k->ctx, run->job) + job->attempt,
                            .producer = job->producer };
}

/* Which try of the attempt this is. Below a call the numbers are scattered, so that the tries below
 * one call are others than those below the next: over 22 bits, since the field of luck has 24 and
 * some draw four times per try. */
static uint32_t try_number(const struct behalf *b, uint32_t tries)
{
    uint64_t x = (uint64_t)b->seed << 32 | tries;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return b->seed == 0 ? tries : (uint32_t)(x >> 42);
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
    struct mdl_run *run = mdl_run_at(k, slot); /* of zeros */
    run->job = job;
    run->owner = owner;
    return slot;
}

void mdl_caller_rewind(struct mdl_caller *k, uint32_t slot)
{
    struct mdl_run *run = mdl_run_at(k, slot);
    SQ_ASSERT(run->call == 0 && !run->halted);
    run->again_seq = run->total_seq = 0;
    run->position = run->index = run->failures = 0;
    run->entry = run->draw = 0;
}

void mdl_caller_finish(struct mdl_caller *k, uint32_t slot)
{
    struct mdl_run *run = mdl_run_at(k, slot);
    SQ_ASSERT(run->call == 0);
    mdl_grant_drop(&run->grant);
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

/* A call on behalf of `b`, not yet sent. Its record begins as zeros. */
static uint32_t make_call(struct mdl_caller *k, uint32_t run_slot, const struct behalf *b)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    struct mdl_entry *entry = &k->entries[run->entry];
    uint32_t slot = sq_pool_take(&k->ctx->calls);
    if (slot == 0) {
        give_out(k->ctx);
        return 0;
    }
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    call->deadline_ns = b->deadline;
    call->timeout_ns = entry->cfg->timeout;
    call->timeout_lane = timeout_lane(k, entry);
    call->hint_ns = SQ_NEVER;
    call->ordinal = b->ordinal;
    call->job = run->job;
    call->run = run_slot;
    call->draw = try_number(b, run->draw);
    call->position = run->position;
    call->asker = run->asker;
    call->caller = k->id;
    call->producer = b->producer;
    call->dependency = entry->dependency;
    call->flags = MDL_CALL_CALLER;
    if (run->job == 0) {
        call->attempt = b->attempt; /* a job's is known when it leaves */
        call->path = mdl_call_at(k->ctx, run->owner)->path;
    } else {
        call->poison = mdl_job_is_poison(k->ctx, mdl_job_at(k->ctx, run->job));
    }
    run->draw++;
    run->call = slot;
    return slot;
}

static struct mdl_links run_links(const struct mdl_caller *k)
{
    return (struct mdl_links){ &k->runs, offsetof(struct mdl_run, next) };
}

static struct mdl_verdict failed(struct mdl_caller *k, uint32_t run_slot, enum mdl_error e,
                                 sq_time_t hint)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    run->total_seq = 0;
    return (struct mdl_verdict){ .step = MDL_STEP_FAILED,
                                 .error = (uint8_t)e,
                                 .hint = hint,
                                 .consent = MDL_CONSENT_ASKED,
                                 .run = run_slot };
}

/* Sends the next try of the present call. */
struct mdl_verdict mdl_caller_send(struct mdl_caller *k, uint32_t run_slot)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    struct mdl_verdict v = { .step = MDL_STEP_WAIT, .run = run_slot };
    if (k->halts != NULL && k->halts(k->self, run->owner)) {
        run->halted = true;
        mdl_line_push(&k->halted, run_links(k), run_slot);
        return v;
    }
    struct behalf b = behalf_of(k, run);
    if (mdl_now(k->ctx) > b.deadline) {
        run->total_seq = 0;
        v.step = MDL_STEP_STALE;
        return v;
    }
    struct mdl_budgets *budgets = k->entries[run->entry].budgets;
    struct mdl_grant grant = { 0 };
    if (budgets != NULL && !mdl_grant_send(budgets, &run->grant, run->job, &grant)) {
        v = failed(k, run_slot, (enum mdl_error)grant.error, SQ_NEVER);
        v.consent = MDL_CONSENT_DENIED;
        return v;
    }
    uint32_t call = make_call(k, run_slot, &b);
    if (call == 0) {
        return nothing;
    }
    if (grant.of != NULL) {
        mdl_call_at(k->ctx, call)->granted = grant.state;
        mdl_call_at(k->ctx, call)->granted_fault = grant.fault;
    }
    mdl_tell(k->ctx, k->entries[run->entry].dependency, MDL_EV_CALL, 0, call);
    return v;
}

static void leave_halted(struct mdl_caller *k, uint32_t run_slot)
{
    mdl_line_remove(&k->halted, run_links(k), run_slot);
    mdl_run_at(k, run_slot)->halted = false;
}

uint32_t mdl_caller_halted(struct mdl_caller *k)
{
    for (uint32_t slot = k->halted.head; slot != 0; slot = mdl_run_at(k, slot)->next) {
        if (!k->halts(k->self, mdl_run_at(k, slot)->owner)) {
            leave_halted(k, slot);
            return slot;
        }
    }
    return 0;
}

/* ---- from call to call ---- */

bool mdl_caller_has_calls(const struct mdl_caller *k, const struct mdl_job *job)
{
    for (size_t i = 0; i < k->entry_count; i++) {
        if (k->entries[i].only == NULL && k->entries[i].cfg->times >= 1) {
            return true; /* mostly */
        }
        if (mdl_entry_times(&k->ctx->luck, &k->entries[i], job->producer, job->ordinal) > 0) {
            return true;
        }
    }
    return false;
}

/* The same of the entry a run has come to: mostly all jobs make the call equally often. */
static uint32_t times_here(const struct mdl_caller *k, const struct mdl_run *run)
{
    const struct mdl_entry *e = &k->entries[run->entry];
    uint32_t whole = (uint32_t)e->cfg->times;
    if (e->only == NULL && !(e->cfg->times > whole)) {
        return whole;
    }
    struct behalf b = behalf_of(k, run);
    return mdl_entry_times(&k->ctx->luck, e, b.producer, b.ordinal);
}

/* Calls that need not be made: all of an entry are, or they succeeded in an attempt before. */
static void pass_over(const struct mdl_caller *k, struct mdl_run *run)
{
    const struct mdl_more *m = k->skips ? mdl_more_find(k->ctx, run->job) : NULL;
    while (run->entry < k->entry_count) {
        if (run->index >= times_here(k, run)) {
            run->entry++;
            run->index = 0;
        } else if (m != NULL && run->position < m->done) {
            run->index++;
            run->position++;
        } else {
            return;
        }
    }
}

/* The call need not be made again. */
static void note_success(struct mdl_caller *k, const struct mdl_run *run)
{
    struct mdl_more *m = k->skips ? mdl_more_get(k->ctx, run->job) : NULL;
    if (m != NULL && run->position > m->done) {
        m->done = (uint16_t)run->position;
    }
}

struct mdl_verdict mdl_caller_next(struct mdl_caller *k, uint32_t run_slot)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    pass_over(k, run);
    if (run->entry == k->entry_count) {
        if (run->job != 0) {
            mdl_job_open(k->ctx, k->id, run->job); /* without calls it began just now */
        }
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
    return mdl_caller_send(k, run_slot);
}

/* A try failed: the call layer tries again after a delay, or passes the failure up. */
static struct mdl_verdict after_failure(struct mdl_caller *k, uint32_t run_slot, enum mdl_error e,
                                        sq_time_t hint)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    const struct mdl_entry *entry = &k->entries[run->entry];
    run->failures++;
    if (entry->cfg->retry != NULL) {
        struct behalf b = behalf_of(k, run);
        struct mdl_failure f = {
            .error = e,
            .n = run->failures,
            .starts = run->failures,
            .elapsed = mdl_now(k->ctx) - run->since_ns,
            .hint = hint,
            .u = sq_luck_uniform(&k->ctx->luck, entry->retry_streams[b.producer], b.ordinal,
                                 b.attempt, try_number(&b, run->draw)),
            .last = run->last,
        };
        struct mdl_retry_plan plan = mdl_retry_decide(entry->cfg->retry, &f);
        struct mdl_budget_ask ask = {
            .of = entry->budgets, .asker = run->asker, .caller = k->id, .error = e
        };
        if (plan.retry && mdl_budgets_grant(&ask, &run->grant)) {
            run->last = plan.last;
            sq_time_t at = sq_time_add(mdl_now(k->ctx), plan.delay);
            run->again_seq = mdl_post(k->ctx, at, k->id, MDL_EV_AGAIN, run_slot);
            return (struct mdl_verdict){ .step = MDL_STEP_WAIT, .run = run_slot };
        }
    }
    return failed(k, run_slot, e, hint);
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
    note_success(k, run);
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
    if (gave_up && call->job != 0 && (call->flags & MDL_CALL_INSIDE) != 0) {
        mdl_call_keep_family(k->ctx, call);
    }
    run->call = 0;
    if (call->timeout_seq != 0) {
        call->timeout_seq = 0;
        sq_evq_stale(k->ctx->sim.evq);
    }
    if (k->entries[run->entry].budgets != NULL) {
        mdl_budgets_ended(k->entries[run->entry].budgets, call, outcome);
    }
    mdl_emit_call(k->ctx, MDL_REC_CALL_ENDED, call, outcome, mdl_now(k->ctx) - call->left_ns);
    if (call->fills && outcome == MDL_ERR_OK) {
        mdl_tell(k->ctx, call->dependency, MDL_EV_STORE, 0, 0);
    }
    if ((call->flags & MDL_CALL_PERMIT) != 0) {
        call->flags |= MDL_CALL_REPORTING;
        mdl_tell(k->ctx, call->dependency, MDL_EV_OUTCOME,
                 outcome | (k->crashing ? MDL_SAID_DIED : 0u), slot);
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

/* A call did not leave: what it held is kept for the one that will. */
static void keep_grant(struct mdl_caller *k, struct mdl_run *run, struct mdl_call *call)
{
    if (k->entries[run->entry].budgets != NULL) {
        mdl_grant_keep(k->entries[run->entry].budgets, call, &run->grant);
    }
}

struct mdl_verdict mdl_caller_throttled(struct mdl_caller *k, uint32_t slot, enum mdl_turned how)
{
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    if ((call->flags & MDL_CALL_CALLER) == 0) {
        return nothing; /* withdrawn at the same instant */
    }
    uint32_t run_slot = call->run;
    struct mdl_run *run = mdl_run_at(k, run_slot);
    sq_time_t until = call->room_ns;
    run->call = 0;
    keep_grant(k, run, call);
    mdl_call_release(k->ctx, slot, MDL_CALL_CALLER);
    if (how == MDL_TURNED_DEFER && run->job == 0) { /* the server is held until then */
        run->again_seq = mdl_post(k->ctx, until, k->id, MDL_EV_AGAIN, run_slot);
        return nothing;
    }
    if (how == MDL_TURNED_FAIL || how == MDL_TURNED_OPEN) {
        enum mdl_error e = how == MDL_TURNED_OPEN ? MDL_ERR_BREAKER_OPEN : MDL_ERR_THROTTLED;
        return after_failure(k, run_slot, e, SQ_NEVER);
    }
    run->total_seq = 0;
    enum mdl_step step = how == MDL_TURNED_DEFER ? MDL_STEP_DEFERRED : MDL_STEP_STALE;
    step = how == MDL_TURNED_PAUSE ? MDL_STEP_PAUSED : step;
    return (struct mdl_verdict){ .step = (uint8_t)step, .run = run_slot };
}

struct mdl_verdict mdl_caller_again(struct mdl_caller *k, uint32_t run_slot, uint64_t seq)
{
    if (!MDL_RUN_WAITS_FOR(k, run_slot, again_seq, seq)) {
        return nothing;
    }
    mdl_run_at(k, run_slot)->again_seq = 0;
    return mdl_caller_send(k, run_slot);
}

void mdl_caller_abort(struct mdl_caller *k, uint32_t run_slot)
{
    struct mdl_run *run = mdl_run_at(k, run_slot);
    run->again_seq = run->total_seq = 0;
    if (run->halted) {
        leave_halted(k, run_slot);
    }
    if (run->call == 0) {
        return;
    }
    uint32_t slot = run->call;
    struct mdl_call *call = mdl_call_at(k->ctx, slot);
    if ((call->flags & MDL_CALL_LEFT) != 0) {
        end_call(k, slot, MDL_ERR_CANCELLED);
        return;
    }
    if (run->job != 0) {
        mdl_lease_waits(k->ctx, run->job, false);
    }
    keep_grant(k, run, call);
    run->call = 0; /* at a control: the control takes it out of its line and lets go of it */
    call->flags |= MDL_CALL_REPORTING;
    mdl_tell(k->ctx, call->dependency, MDL_EV_WITHDRAW, 0, slot);
    mdl_call_release(k->ctx, slot, MDL_CALL_CALLER);
}

void mdl_caller_crash(struct mdl_caller *k, uint32_t run_slot)
{
    k->crashing = true;
    mdl_caller_abort(k, run_slot);
    k->crashing = false;
}

struct mdl_verdict mdl_caller_total(struct mdl_caller *k, uint32_t run_slot, uint64_t seq)
{
    if (!MDL_RUN_WAITS_FOR(k, run_slot, total_seq, seq)) {
        return nothing;
    }
    mdl_caller_abort(k, run_slot);
    return failed(k, run_slot, MDL_ERR_TIMEOUT, SQ_NEVER);
}

bool mdl_caller_waits(const struct mdl_caller *k, uint32_t run_slot)
{
    const struct mdl_run *run = mdl_run_at(k, run_slot);
    return run->call != 0 && (mdl_call_at(k->ctx, run->call)->flags & MDL_CALL_LEFT) == 0;
}
