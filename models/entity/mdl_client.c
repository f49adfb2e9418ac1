/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_client.c - the client entity. */
#include "models/entity/mdl_client.h"

#include "models/part/mdl_member.h"
#include "models/policy/mdl_discipline.h"
#include "models/policy/mdl_dist.h"
#include "sim/conf/sq_rows.h"

static const struct sq_field client_rows[] = {
    SQ_ROW_MAP(struct mdl_client_cfg, calls, "calls", &mdl_calls_element, 0,
               "Dependencies called, one after the other."),
    { .key = "retry",
      .type = SQ_GROUP,
      .off = offsetof(struct mdl_client_cfg, retry),
      .more = &mdl_retry_table,
      .flags = SQ_F_OPTIONAL | SQ_F_NONE,
      .preset_without = mdl_retry_not_of_clients,
      .doc = "The job layer." },
    SQ_ROW_CHOICE(struct mdl_client_cfg, after_success, "after_success", "repeat",
                  mdl_after_success_words, 0,
                  "Whether later attempts repeat calls that succeeded before."),
    SQ_ROW_AMOUNT_IN(struct mdl_client_cfg, replicas, "replicas", "1", 1, 1e6, 0,
                     "Client processes; they matter only to controls with scope replica."),
    SQ_ROW_BLOCK(struct mdl_client_cfg, arrivals, "arrivals", NULL, &mdl_arrivals_family, SQ_F_LIVE,
                 "When jobs arrive."),
    SQ_ROW_AMOUNT(struct mdl_client_cfg, backlog, "backlog", "0", 0, 0,
                  "Jobs that arrive at time 0, first."),
    SQ_ROW_TIME(struct mdl_client_cfg, deadline, "deadline", "none", SQ_F_NONE | SQ_F_LIVE,
                "Older jobs are stale."),
    SQ_ROW_RATIO(struct mdl_client_cfg, permanent, "permanent", "0%", SQ_F_LIVE,
                 "Share of jobs that are poison: each of their calls fails with `permanent`."),
    SQ_ROW_BLOCK(struct mdl_client_cfg, work, "work", "0s", &mdl_dist_family, 0,
                 "Own work at the start of each attempt."),
    SQ_ROW_NUMBER(struct mdl_client_cfg, service_scale, "service_scale", "1", 0, 1e6,
                  SQ_F_ABOVE_MIN, "Multiplies the service times of its calls."),
    SQ_ROW_AMOUNT_IN(struct mdl_client_cfg, priority, "priority", "0", 0, MDL_LEVELS - 1, 0,
                     "0 is the most important; for waiting rooms with discipline priority."),
};
static void check_client(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    const struct mdl_client_cfg *c = cfg;
    if (c->retry != NULL && c->retry->held_by != MDL_HELD_BROKER) {
        sq_diag_error(diag, sq_node_get(node, "retry")->where, path, "leave held_by out",
                      "a waiting client occupies nothing: it has no held_by");
    }
    if (c->retry != NULL && c->retry->limit_counts != MDL_LIMIT_FAILURES) {
        sq_diag_error(diag, sq_node_get(node, "retry")->where, path, "leave limit_counts out",
                      "nothing redelivers a client's jobs: it has no limit_counts");
    }
}

const struct sq_table mdl_client_table = { .type = "client",
                                           .rows = SQ_ROWS(client_rows),
                                           .size = sizeof(struct mdl_client_cfg),
                                           .check = check_client };

/* ---- the end of an attempt ---- */

static void wait_until_due(struct mdl_client *c, uint32_t slot, enum mdl_delay why)
{
    struct mdl_job *job = mdl_job_at(c->ctx, slot);
    sq_time_t delay = job->since_ns - mdl_now(c->ctx);
    bool deferred = why == MDL_DELAY_DEFERRED;
    job->state = deferred ? MDL_JOB_DEFERRED : MDL_JOB_DELAYED;
    if (deferred) {
        mdl_count_up(&job->defers);
    }
    job->due_seq = mdl_post(c->ctx, job->since_ns, c->id, MDL_EV_DUE, slot);
    sq_level_move(&c->delayed, mdl_now(c->ctx), 1);
    mdl_emit_job(c->ctx, deferred ? MDL_REC_JOB_DEFERRED : MDL_REC_JOB_RETRY, c->id, job, why,
                 delay);
}

static void delay(struct mdl_client *c, uint32_t slot, enum mdl_delay why, sq_time_t by)
{
    mdl_job_at(c->ctx, slot)->since_ns = sq_time_add(mdl_now(c->ctx), by);
    wait_until_due(c, slot, why);
}

static void decide(struct mdl_client *c, uint32_t slot, const struct mdl_budget_ask *ask,
                   sq_time_t hint)
{
    struct mdl_job *job = mdl_job_at(c->ctx, slot);
    job->flags &= (uint8_t)~MDL_JOB_OPEN;
    mdl_count_up(&job->failures);
    struct mdl_failure f = {
        .error = ask->error,
        .n = job->failures,
        .starts = job->attempt,
        .elapsed = mdl_now(c->ctx) - mdl_job_first(c->ctx, slot),
        .hint = hint,
        .u = sq_luck_uniform(&c->ctx->luck, c->retry_stream, job->ordinal, job->failures, 0),
        .last = (double)job->last,
    };
    struct mdl_retry_plan plan = mdl_budgets_decide(ask, c->cfg->retry, &f, slot);
    job->last = (float)plan.last;
    if (plan.retry) {
        delay(c, slot, MDL_DELAY_RETRY, plan.delay);
        return;
    }
    switch (plan.give_up) {
    case MDL_GIVE_UP_DEFAULT:
    case MDL_GIVE_UP_DROP:
        mdl_job_end(c->ctx, c->id, slot, MDL_END_DROPPED);
        break;
    case MDL_GIVE_UP_DEAD_LETTER:
        mdl_job_end(c->ctx, c->id, slot, MDL_END_DEAD_LETTERED);
        break;
    case MDL_GIVE_UP_PARK:
        delay(c, slot, MDL_DELAY_PARKED, plan.delay);
        break;
    }
}

/* The run is over: whose job it was. */
static uint32_t end_run(struct mdl_client *c, uint32_t run)
{
    uint32_t job = mdl_run_at(&c->caller, run)->job;
    mdl_caller_finish(&c->caller, run);
    sq_level_move(&c->running, mdl_now(c->ctx), -1);
    return job;
}

SQ_APART static void failed(struct mdl_client *c, struct mdl_verdict v)
{
    struct mdl_budget_ask ask = mdl_caller_ask(&c->caller, &v);
    decide(c, end_run(c, v.run), &ask, v.hint);
}

/* An attempt has ended, other than by a failure. */
static void conclude(struct mdl_client *c, struct mdl_verdict v)
{
    uint32_t job = end_run(c, v.run);
    switch ((enum mdl_step)v.step) {
    case MDL_STEP_DONE:
        mdl_job_end(c->ctx, c->id, job, MDL_END_COMPLETED);
        break;
    case MDL_STEP_STALE:
        mdl_job_end(c->ctx, c->id, job, MDL_END_STALE);
        break;
    case MDL_STEP_DEFERRED: /* the control has written until when */
        wait_until_due(c, job, MDL_DELAY_DEFERRED);
        break;
    case MDL_STEP_PAUSED: /* of worker pools only */
    case MDL_STEP_FAILED:
    case MDL_STEP_WAIT:
        break;
    }
}

static inline void act(struct mdl_client *c, struct mdl_verdict v)
{
    if (v.run == 0 || v.step == MDL_STEP_WAIT) {
        return;
    }
    if (v.step == MDL_STEP_FAILED) {
        failed(c, v);
    } else {
        conclude(c, v);
    }
}

/* ---- the start of an attempt ---- */

/* Who makes the calls of a job: a member for itself, else the process that the job was dealt to. */
static uint32_t asker_of(const struct mdl_client *c, const struct mdl_job *job)
{
    uint32_t member = c->maker.closed ? mdl_member_of(job->ordinal) : MDL_NO_MEMBER;
    if (member != MDL_NO_MEMBER) {
        return c->askers + (uint32_t)c->cfg->replicas + member;
    }
    if (c->cfg->replicas == 1) {
        return c->askers;
    }
    double u = sq_luck_uniform(&c->ctx->luck, c->process_stream, job->ordinal, 0, 0);
    return c->askers + (uint32_t)(u * (double)c->cfg->replicas);
}

static void begin(struct mdl_client *c, uint32_t slot)
{
    struct mdl_job *job = mdl_job_at(c->ctx, slot);
    uint32_t run = mdl_caller_start(&c->caller, slot, 0);
    if (run == 0) {
        return;
    }
    mdl_run_at(&c->caller, run)->asker = asker_of(c, job);
    job->state = MDL_JOB_LEASED;
    sq_level_move(&c->running, mdl_now(c->ctx), 1);
    if (!mdl_caller_has_calls(&c->caller, job)) {
        mdl_job_open(c->ctx, c->id, slot);
    }
    sq_time_t time = mdl_draw(c->ctx, &c->ctx->sources[c->index].work, c->work_stream, job->ordinal,
                              job->attempt + 1, job->defers);
    if (time == 0) {
        act(c, mdl_caller_next(&c->caller, run));
        return;
    }
    sq_time_t at = sq_time_add(mdl_now(c->ctx), time);
    mdl_run_at(&c->caller, run)->work_seq = mdl_post(c->ctx, at, c->id, MDL_EV_WORKED, run);
}

static void take(void *self, uint32_t job)
{
    begin(self, job);
}

SQ_APART static void on_due(struct mdl_client *c, uint32_t slot, uint64_t seq)
{
    if (!mdl_job_is_due(c->ctx, slot, seq)) {
        return;
    }
    mdl_job_at(c->ctx, slot)->due_seq = 0;
    sq_level_move(&c->delayed, mdl_now(c->ctx), -1);
    begin(c, slot);
}

SQ_APART static void on_worked(struct mdl_client *c, uint32_t run, uint64_t seq)
{
    if (MDL_RUN_WAITS_FOR(&c->caller, run, work_seq, seq)) {
        mdl_run_at(&c->caller, run)->work_seq = 0;
        act(c, mdl_caller_next(&c->caller, run));
    }
}

static void on_event(void *self, struct sq_msg m, uint64_t seq)
{
    struct mdl_client *c = self;
    switch (m.kind) {
    case MDL_EV_ARRIVE:
        mdl_maker_arrive(&c->maker, m.slot, seq);
        break;
    case MDL_EV_WORKED:
        on_worked(c, m.slot, seq);
        break;
    case MDL_EV_ANSWER:
        act(c, mdl_caller_answer(&c->caller, m.slot));
        break;
    case MDL_EV_TIMEOUT:
        act(c, mdl_caller_timeout(&c->caller, m.slot, seq));
        break;
    case MDL_EV_THROTTLED:
        act(c, mdl_caller_throttled(&c->caller, m.slot, (enum mdl_turned)m.extra));
        break;
    case MDL_EV_AGAIN:
        act(c, mdl_caller_again(&c->caller, m.slot, seq));
        break;
    case MDL_EV_TOTAL:
        act(c, mdl_caller_total(&c->caller, m.slot, seq));
        break;
    case MDL_EV_DUE:
        on_due(c, m.slot, seq);
        break;
    case MDL_EV_JOB_OVER:
        mdl_maker_over(&c->maker, m.slot);
        break;
    case MDL_EV_BURST:
        mdl_maker_burst(&c->maker, m.slot);
        break;
    case MDL_EV_PAUSE:
        mdl_maker_pause(&c->maker, m.extra == 1);
        break;
    case MDL_EV_CHANGED: /* extra 1: the arrivals; all else is read when it is needed */
        mdl_source_poison(c->ctx, c->index, c->cfg->permanent);
        if (m.extra == 1) {
            mdl_maker_changed(&c->maker);
        }
        break;
    default:
        SQ_UNREACHABLE("a client gets no such event");
    }
}

enum sq_status mdl_client_init(struct mdl_client *c, struct mdl_ctx *ctx, const char *name,
                               const struct mdl_client_cfg *cfg)
{
    *c = (struct mdl_client){ .ctx = ctx, .name = name, .cfg = cfg };
    enum sq_status status = sq_sim_add(&ctx->sim, on_event, c, &c->id);
    if (cfg->retry != NULL && cfg->retry->max_elapsed != SQ_NEVER) {
        mdl_ctx_keep_firsts(ctx);
    }
    mdl_caller_init(&c->caller, ctx, c->id);
    c->caller.skips = cfg->after_success == MDL_SUCCESS_SKIP;
    c->maker.id = c->id;
    return status;
}

enum sq_status mdl_client_start(struct mdl_client *c, const struct mdl_client_wiring *wiring)
{
    c->caller.entries = wiring->entries;
    c->caller.entry_count = wiring->entry_count;
    c->work_stream = sq_luck_stream(wiring->luck_name, "work", NULL);
    c->retry_stream = sq_luck_stream(wiring->luck_name, "retry", NULL);
    c->process_stream = sq_luck_stream(wiring->luck_name, "process", NULL);
    c->maker.index = c->index;
    c->askers = c->ctx->askers;
    enum sq_status status = mdl_maker_start(&c->maker, c->ctx,
                                            &(struct mdl_maker_ask){ .name = wiring->luck_name,
                                                                     .arrivals = &c->cfg->arrivals,
                                                                     .trace = wiring->trace,
                                                                     .backlog = c->cfg->backlog,
                                                                     .take = take,
                                                                     .owner = c });
    c->ctx->askers +=
        (uint32_t)c->cfg->replicas + (c->maker.closed ? c->maker.arrivals.sources : 0);
    return status;
}

void mdl_client_fini(struct mdl_client *c)
{
    mdl_caller_fini(&c->caller);
}

bool mdl_client_check(const struct mdl_client *c)
{
    return c->running.now == (int64_t)c->caller.runs.used;
}
