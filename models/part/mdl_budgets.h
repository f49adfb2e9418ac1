/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_budgets.h - the retry budget of one dependency, for each of its states (mdl_state.h).
 *
 * The budget belongs to the control of the dependency, and its callers' retry layers ask it: it is
 * handed to them when the world is wired, as the one piece of state that entities share outside
 * events. It is arithmetic on counts (mdl_budget.h): it posts nothing, tells nobody, and what a
 * caller does to it is what a message to the dependency would do at that place in the order.
 *
 *   a call leaves            mdl_budgets_left      by the dependency
 *   its caller sees its end  mdl_budgets_ended     by the caller
 *   a layer would retry it   mdl_budgets_grant     by the caller, at the failure
 *   the retry is to be sent  mdl_grant_send        by the caller */
#ifndef MDL_BUDGETS_H
#define MDL_BUDGETS_H

#include "models/part/mdl_budget_rows.h"
#include "models/part/mdl_retry.h"
#include "models/part/mdl_state.h"

struct mdl_budget_state {
    struct mdl_state state;
    struct mdl_budget b;
};

struct mdl_budgets {
    struct mdl_ctx *ctx;
    uint16_t dependency;
    const struct sq_block *cfg;
    const uint32_t *streams; /* by producer: luck of sre */
    struct mdl_scopes states;
};

enum sq_status mdl_budgets_open(struct mdl_budgets *bu, struct mdl_ctx *ctx, uint16_t dependency,
                                const struct sq_block *cfg) SQ_MUST_USE;
void mdl_budgets_close(struct mdl_budgets *bu);
void mdl_budgets_changed(struct mdl_budgets *bu);

/* sre: whether a call may leave at all. True for the others. */
bool mdl_budgets_admit(struct mdl_budgets *bu, const struct mdl_call *call);

void mdl_budgets_left(struct mdl_budgets *bu, const struct mdl_call *call);
void mdl_budgets_ended(struct mdl_budgets *bu, const struct mdl_call *call, enum mdl_error outcome);

/* Who asks after a failure, and of what. `of` NULL: there is no budget, and every retry may go. */
struct mdl_budget_ask {
    struct mdl_budgets *of;
    uint32_t asker;
    uint16_t caller;
    enum mdl_error error;
    bool denied; /* it has asked when it was to be sent, and may not go */
};

/* Whether the retry may go, as far as that is judged at the failure. What it holds then is in
 * *grant. A call that never left is none to the budget: it goes on with what it held. */
bool mdl_budgets_grant(const struct mdl_budget_ask *ask, struct mdl_grant *grant);

/* The same for a job layer; it is kept beside the job. */
bool mdl_budgets_grant_job(const struct mdl_budget_ask *ask, uint32_t job);

/* A call to the dependency is to be sent by a run with this grant, or the job's. False: it is asked
 * for only now, and denied; *error is what had failed. Else the call takes what there is. */
bool mdl_grant_send(struct mdl_budgets *bu, struct mdl_grant *grant, uint32_t job,
                    struct mdl_grant *out);

/* A call did not leave: what it held goes back to the job, or (job 0) the run. */
void mdl_grant_keep(struct mdl_budgets *bu, struct mdl_call *call, struct mdl_grant *run);

/* The retry will not be made. */
void mdl_grant_drop(struct mdl_grant *grant);

/* What a job layer does after a failure: its rows decide, then the budget. */
struct mdl_retry_plan mdl_budgets_decide(const struct mdl_budget_ask *ask,
                                         const struct mdl_retry_cfg *layer,
                                         const struct mdl_failure *f, uint32_t job);

/* What an outcome is to a budget: the price of a retry after it, and whether the dependency did
 * something about the call. */
enum mdl_budget_fault mdl_budgets_fault(enum mdl_error e);
bool mdl_budgets_accepts(enum mdl_error e);

/* The least that is left in any state; NaN before there is one. */
double mdl_budgets_rest(struct mdl_budgets *bu);

#endif
