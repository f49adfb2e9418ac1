/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate.h - the controls of one dependency, shared by all its callers (SCENARIO 8), with what
 * throttled callers do.
 *
 * Each of the six controls keeps its states by its own scope (mdl_state.h). A call that asks must
 * be admitted by its state of each control, in the order breaker, rate limit, concurrency; all of
 * them are asked before any gives something away, so a refusal has nothing to give back. Three
 * controls bound the calls at a time: `concurrency`, the ramp and the adaptive limit. With one
 * scope for all, the limit in force is the least of them; lowering it revokes nothing.
 *
 * A permit is held from leaving until the caller stops waiting. Callers that wait stand in lines
 * (mdl_gate_line.c) and get one grant per freed permit or token.
 *
 * The gate belongs to a dependency entity, which forwards CALL, OUTCOME, WITHDRAW, WAITED, RAMP
 * and TOKEN events and lets every call pass that the gate admits. */
#ifndef MDL_GATE_H
#define MDL_GATE_H

#include "models/part/mdl_core.h"
#include "models/part/mdl_budgets.h"
#include "models/part/mdl_state.h"
#include "models/policy/mdl_breaker.h"
#include "sim/conf/sq_field.h"

extern const struct sq_table mdl_control_table;

struct mdl_concurrency_cfg {
    int64_t limit;
    sq_time_t lease; /* SQ_NEVER: none */
    int scope;
};
struct mdl_control_cfg {
    struct sq_list only; /* of struct sq_ref; empty: all callers */
    struct sq_block throttled, rate_limit, ramp, adaptive, budget;
    struct mdl_concurrency_cfg *concurrency; /* NULL: none */
    struct mdl_breaker_cfg *breaker;         /* NULL: none */
};

/* In the order in which they are asked. */
enum mdl_control {
    MDL_CONTROL_BREAKER,
    MDL_CONTROL_RATE,
    MDL_CONTROL_CONCURRENCY, /* from here on: bounds on calls at a time */
    MDL_CONTROL_RAMP,
    MDL_CONTROL_ADAPTIVE,
    MDL_CONTROL_COUNT,
};

struct mdl_gate {
    struct mdl_ctx *ctx;
    uint16_t id; /* of the dependency */
    bool active; /* there is a control at all */
    const struct mdl_control_cfg *cfg;
    const uint32_t *defer_streams;   /* by producer: luck of deferral delays */
    struct sq_dist defer;            /* how long a deferred job stays away */
    struct sq_level in_use, waiting; /* of all scopes together */
    struct mdl_scopes controls[MDL_CONTROL_COUNT];
    struct mdl_budgets *budgets; /* NULL: none */
    struct mdl_scopes lines;     /* of struct mdl_group, by the finest scope of a control */
    struct mdl_state *stirred, *last_stirred;
    int64_t tickets;        /* numbers given to callers in line */
    const bool *only;       /* by actor: whom it stands before; NULL: all */
    struct sq_pool permits; /* with a lease: those that are held */
    int lease_lane;
    uint32_t adaptive_stream;
    uint8_t *pauses; /* by actor, once a pool has paused: what it waits for */
    int64_t scouts;  /* in line */
};

/* The gate of a dependency without controls lets everything pass. SQ_NOMEM possible. */
struct mdl_gate_ask {
    const char *name; /* of the dependency */
    const struct mdl_control_cfg *cfg;
};
enum sq_status mdl_gate_init(struct mdl_gate *g, struct mdl_ctx *ctx, uint16_t id,
                             const struct mdl_gate_ask *ask) SQ_MUST_USE;
/* A `set` action changed its configuration. */
void mdl_gate_changed(struct mdl_gate *g);
void mdl_gate_fini(struct mdl_gate *g);

/* Of the calls of each producer: luck of deferral delays, and of calls that a budget judges. */
void mdl_gate_start(struct mdl_gate *g, const uint32_t *defer, const uint32_t *budget);

/* A caller asks. True: the call may leave now and holds a permit. False: it was told that it is
 * turned away (a deferred job's since_ns then says until when), or it waits in line. */
bool mdl_gate_ask(struct mdl_gate *g, uint32_t call);

/* A call left: its budget counts it. */
void mdl_gate_left(struct mdl_gate *g, const struct mdl_call *call);

/* The next waiting call that may leave now (it holds a permit), or 0. Stale ones are told on the
 * way. Call until 0 after anything that may free a permit or raise the limit. */
uint32_t mdl_gate_next(struct mdl_gate *g);

/* A caller stopped waiting, as it said in an OUTCOME: the permit is free (one with a lease that its
 * caller died with: when the lease ends), the outcome counts for the ramp. */
void mdl_gate_outcome(struct mdl_gate *g, uint32_t call, unsigned said);

/* A waiting caller goes away. */
void mdl_gate_withdraw(struct mdl_gate *g, uint32_t call);

/* A waiting caller has waited for `max`. */
void mdl_gate_waited(struct mdl_gate *g, uint32_t call, uint64_t seq);

/* The ramp of this index reaches a step. */
void mdl_gate_ramp(struct mdl_gate *g, uint32_t index, uint64_t seq);

/* The lease of a permit ends: it is free, whether its call lives or not. */
void mdl_gate_lease(struct mdl_gate *g, uint32_t permit, uint64_t seq);

/* The samples of an adaptive limit of this index are judged. */
void mdl_gate_adapt(struct mdl_gate *g, uint32_t index, uint64_t seq);

/* A paused pool runs without bound again. */
void mdl_gate_runs(struct mdl_gate *g, uint16_t pool);

/* A token of the rate limit of this index comes free. */
void mdl_gate_token(struct mdl_gate *g, uint32_t index, uint64_t seq);

/* Time changes the state of the breaker of this index. */
void mdl_gate_breaker(struct mdl_gate *g, uint32_t index, uint64_t seq);

/* A replica is gone: its states bound nobody any more. */
void mdl_gate_gone(struct mdl_gate *g, uint32_t asker);

/* Whether an outcome is a failure to a breaker. */
bool mdl_gate_breaker_fails(const struct mdl_breaker_cfg *cfg, enum mdl_error outcome);

/* How the breaker stands: the least closed of its states. */
enum mdl_breaker_state mdl_gate_breaker_state(const struct mdl_gate *g);

/* When every open one of them lets a call pass at the latest; SQ_NEVER: none is open. */
sq_time_t mdl_gate_breaker_opens(const struct mdl_gate *g);

/* Calls at a time that may be under way, of all scopes together; SQ_UNLIMITED without a limit. */
int64_t mdl_gate_limit(const struct mdl_gate *g);

/* The same of one control alone. */
int64_t mdl_gate_limit_of(const struct mdl_gate *g, enum mdl_control kind);

/* Calls per second in the long run, of all scopes together; infinity without a rate limit. */
double mdl_gate_rate(const struct mdl_gate *g);

/* Mean time that a deferred job stays away; 0 when throttled callers are not deferred. */
double mdl_gate_defer_mean_s(const struct mdl_gate *g);

/* How the ramp stands, of the first of its states: for the forecast. */
struct mdl_ramp_view {
    const struct sq_block *ramp; /* as it was when it started, or as it is written */
    bool begun;                  /* it has started, or trouble has */
    sq_time_t since;             /* it runs since then; SQ_NEVER: it does not */
    int states;                  /* how many bound callers, at least 1 */
};
struct mdl_ramp_view mdl_gate_ramp_view(const struct mdl_gate *g);

/* Lines agree with levels, permits with bounds; for the laws. */
bool mdl_gate_check(const struct mdl_gate *g);

#endif
