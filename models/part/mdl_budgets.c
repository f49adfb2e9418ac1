/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_budgets.c - the budget of a dependency as calls and retry layers meet it. */
#include "models/part/mdl_budgets.h"

#include <math.h>

static void give_out(struct mdl_ctx *c)
{
    c->failed = true;
    sq_sim_stop(&c->sim);
}

static struct mdl_budget_law law_of(const struct mdl_budgets *bu)
{
    return mdl_budget_law(bu->cfg);
}

static struct mdl_budget_state *state_of(struct mdl_budgets *bu, const struct mdl_call *call)
{
    return (struct mdl_budget_state *)(void *)mdl_scopes_get(&bu->states, call);
}

/* ---- calls ---- */

bool mdl_budgets_admit(struct mdl_budgets *bu, const struct mdl_call *call)
{
    struct mdl_budget_law law = law_of(bu);
    if (law.kind != MDL_BUDGET_SRE) {
        return true;
    }
    uint32_t times = call->attempt, draw = call->draw;
    if (call->job != 0) { /* a call that is turned away makes no attempt, but a failure */
        const struct mdl_job *job = mdl_job_at(bu->ctx, call->job);
        times = job->failures;
        draw += (uint32_t)job->defers << 12;
    }
    double u =
        sq_luck_uniform(&bu->ctx->luck, bu->streams[call->producer], call->ordinal, times, draw);
    struct mdl_budget_state *s = state_of(bu, call);
    bool passes = mdl_budget_admit(law, &s->b, mdl_now(bu->ctx), u);
    if (!passes) {
        mdl_emit_entity(bu->ctx, MDL_REC_DENIED, bu->dependency, 1, 0);
    }
    return passes;
}

void mdl_budgets_left(struct mdl_budgets *bu, const struct mdl_call *call)
{
    struct mdl_budget_state *s = state_of(bu, call);
    mdl_budget_left(law_of(bu), &s->b, mdl_now(bu->ctx), (call->flags & MDL_CALL_FIRST) != 0);
    if (s->b.failed) {
        give_out(bu->ctx);
    }
}

enum mdl_budget_fault mdl_budgets_fault(enum mdl_error e)
{
    return e == MDL_ERR_TIMEOUT        ? MDL_FAULT_TIMEOUT
           : e == MDL_ERR_RATE_LIMITED ? MDL_FAULT_THROTTLED
                                       : MDL_FAULT_OTHER;
}

bool mdl_budgets_accepts(enum mdl_error e)
{
    return e == MDL_ERR_OK || e == MDL_ERR_ERROR || e == MDL_ERR_CONFLICT || e == MDL_ERR_PERMANENT;
}

void mdl_budgets_ended(struct mdl_budgets *bu, const struct mdl_call *call, enum mdl_error outcome)
{
    struct mdl_budget_state *s = state_of(bu, call);
    struct mdl_budget_end end = {
        .now = mdl_now(bu->ctx),
        .ok = outcome == MDL_ERR_OK,
        .accepted = mdl_budgets_accepts(outcome),
        .charged =
            outcome != MDL_ERR_OK && outcome != MDL_ERR_PERMANENT && outcome != MDL_ERR_CANCELLED,
        .retry = call->granted != NULL,
        .fault = outcome == MDL_ERR_OK ? (enum mdl_budget_fault)call->granted_fault
                                       : mdl_budgets_fault(outcome),
    };
    if (call->granted != NULL && call->granted != s) { /* another replica makes it */
        mdl_budget_release(law_of(bu), &call->granted->b);
        s->b.places++;
    }
    mdl_budget_ended(law_of(bu), &s->b, &end);
    if (s->b.failed) {
        give_out(bu->ctx);
    }
}

/* ---- retries ---- */

/* Places of shares that are counted are spent when they are granted; the others are held. */
static bool is_held(const struct mdl_budgets *bu)
{
    enum mdl_budget_kind kind = law_of(bu).kind;
    return kind == MDL_BUDGET_CONCURRENT || kind == MDL_BUDGET_TOKENS;
}

static bool ask(struct mdl_budgets *bu, struct mdl_budget_state *s, enum mdl_error e)
{
    bool may = mdl_budget_ask(law_of(bu), &s->b, mdl_now(bu->ctx), mdl_budgets_fault(e));
    if (!may) {
        mdl_emit_entity(bu->ctx, MDL_REC_DENIED, bu->dependency, 0, 0);
    }
    if (s->b.failed) {
        give_out(bu->ctx);
    }
    return may;
}

bool mdl_budgets_grant(const struct mdl_budget_ask *a, struct mdl_grant *grant)
{
    struct mdl_budgets *bu = a->of;
    bool left = a->error != MDL_ERR_THROTTLED && a->error != MDL_ERR_BREAKER_OPEN;
    if (bu == NULL || !left) {
        return true;
    }
    struct mdl_call who = { .caller = a->caller, .asker = a->asker };
    struct mdl_budget_state *s = state_of(bu, &who);
    bool later = mdl_budget_at_send(bu->cfg) && law_of(bu).kind != MDL_BUDGET_SRE;
    if (!later && !ask(bu, s, a->error)) {
        return false;
    }
    mdl_grant_drop(grant); /* of a retry that did not come to be made */
    if (later || is_held(bu)) {
        *grant = (struct mdl_grant){ .of = bu,
                                     .state = s,
                                     .fault = (uint8_t)mdl_budgets_fault(a->error),
                                     .error = (uint8_t)a->error,
                                     .asks = later };
    }
    return true;
}

static struct mdl_grant *beside(struct mdl_ctx *c, uint32_t job)
{
    struct mdl_grants *g = &c->grants;
    if (job >= g->size) {
        uint32_t size = job < 1024 ? 2048 : 2 * job;
        struct mdl_grant *grown = sq_mem_resize(g->jobs, size, sizeof(*grown));
        if (grown == NULL) {
            give_out(c);
            return NULL;
        }
        for (uint32_t i = g->size; i < size; i++) {
            grown[i] = (struct mdl_grant){ 0 };
        }
        g->jobs = grown;
        g->size = size;
    }
    return &g->jobs[job];
}

static struct mdl_grant *of_job(struct mdl_ctx *c, uint32_t job)
{
    return job != 0 && job < c->grants.size ? &c->grants.jobs[job] : NULL;
}

bool mdl_budgets_grant_job(const struct mdl_budget_ask *a, uint32_t job)
{
    struct mdl_grant grant = { 0 };
    if (!mdl_budgets_grant(a, &grant)) {
        return false;
    }
    struct mdl_grant *place = grant.of != NULL ? beside(a->of->ctx, job) : NULL;
    if (place != NULL) {
        mdl_grant_drop(place);
        *place = grant;
    }
    return true;
}

bool mdl_grant_send(struct mdl_budgets *bu, struct mdl_grant *run, uint32_t job,
                    struct mdl_grant *out)
{
    struct mdl_grant *g = run->of == bu ? run : of_job(bu->ctx, job);
    *out = (struct mdl_grant){ 0 };
    if (g == NULL || g->of != bu) {
        return true;
    }
    *out = *g;
    *g = (struct mdl_grant){ 0 };
    if (!out->asks) {
        return true;
    }
    out->asks = false;
    bool may = ask(bu, out->state, (enum mdl_error)out->error);
    if (may && !is_held(bu)) {
        out->of = NULL;
    }
    return may;
}

void mdl_grant_keep(struct mdl_budgets *bu, struct mdl_call *call, struct mdl_grant *run)
{
    if (call->granted == NULL) {
        return;
    }
    struct mdl_grant *place = call->job != 0 ? beside(bu->ctx, call->job) : run;
    if (place != NULL) {
        *place =
            (struct mdl_grant){ .of = bu, .state = call->granted, .fault = call->granted_fault };
    }
    call->granted = NULL;
}

void mdl_grant_drop(struct mdl_grant *grant)
{
    if (grant->of != NULL && !grant->asks) {
        mdl_budget_release(law_of(grant->of), &grant->state->b);
    }
    grant->of = NULL;
}

void mdl_grants_drop(struct mdl_grants *g, uint32_t job)
{
    if (job < g->size) {
        mdl_grant_drop(&g->jobs[job]);
    }
}

/* What becomes of a job whose retry is refused. */
static struct mdl_retry_plan beyond(const struct mdl_budgets *bu, const struct mdl_retry_cfg *layer,
                                    double u)
{
    sq_time_t delay = 0;
    switch (mdl_budget_beyond(bu->cfg, u, &delay)) {
    case MDL_BEYOND_PARK:
        return (struct mdl_retry_plan){ .give_up = MDL_GIVE_UP_PARK, .delay = delay };
    case MDL_BEYOND_DEAD_LETTER:
        return (struct mdl_retry_plan){ .give_up = MDL_GIVE_UP_DEAD_LETTER };
    case MDL_BEYOND_FAIL:
        break;
    }
    return mdl_retry_give_up(layer, u);
}

struct mdl_retry_plan mdl_budgets_decide(const struct mdl_budget_ask *a,
                                         const struct mdl_retry_cfg *layer,
                                         const struct mdl_failure *f, uint32_t job)
{
    if (a->denied) {
        return beyond(a->of, layer, f->u);
    }
    struct mdl_retry_plan plan = mdl_retry_decide(layer, f);
    return plan.retry && !mdl_budgets_grant_job(a, job) ? beyond(a->of, layer, f->u) : plan;
}

/* ---- the whole ---- */

static void begin(void *owner, struct mdl_state *s)
{
    mdl_budget_init(law_of(owner), &((struct mdl_budget_state *)(void *)s)->b);
}

enum sq_status mdl_budgets_open(struct mdl_budgets *bu, struct mdl_ctx *ctx, uint16_t dependency,
                                const struct sq_block *cfg)
{
    *bu = (struct mdl_budgets){ .ctx = ctx, .dependency = dependency, .cfg = cfg };
    struct mdl_scopes_ask a = { .scope = mdl_budget_scope(cfg),
                                .size = sizeof(struct mdl_budget_state),
                                .begin = begin,
                                .owner = bu };
    ctx->replica_scopes |= a.scope == MDL_SCOPE_REPLICA;
    return mdl_scopes_open(&bu->states, ctx, &a);
}

void mdl_budgets_close(struct mdl_budgets *bu)
{
    for (uint32_t i = 0; i < bu->states.count; i++) {
        mdl_budget_fini(&((struct mdl_budget_state *)(void *)bu->states.states[i])->b);
    }
    mdl_scopes_close(&bu->states);
}

void mdl_budgets_changed(struct mdl_budgets *bu)
{
    for (uint32_t i = 0; i < bu->states.count; i++) {
        mdl_budget_changed(law_of(bu),
                           &((struct mdl_budget_state *)(void *)bu->states.states[i])->b);
    }
}

double mdl_budgets_rest(struct mdl_budgets *bu)
{
    double least = (double)NAN;
    for (uint32_t i = 0; i < bu->states.count; i++) {
        struct mdl_budget_state *s = (struct mdl_budget_state *)(void *)bu->states.states[i];
        if (!s->state.gone) {
            least = fmin(least, mdl_budget_rest(law_of(bu), &s->b, mdl_now(bu->ctx)));
        }
    }
    return least;
}
