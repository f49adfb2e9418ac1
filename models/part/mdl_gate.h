/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate.h - the controls of one dependency, shared by all its callers (SCENARIO 8): a
 * concurrency limit and a ramp, with what throttled callers do.
 *
 * The limit in force is the least of `concurrency.limit` and the ramp's; lowering it revokes
 * nothing. Waiting callers stand in one FIFO and get one grant per freed permit. A permit is held
 * from leaving until the caller stops waiting.
 *
 * The gate belongs to a dependency entity, which forwards CALL, OUTCOME, WITHDRAW, WAITED and RAMP
 * events and lets every call pass that the gate admits. */
#ifndef MDL_GATE_H
#define MDL_GATE_H

#include "models/part/mdl_core.h"
#include "models/part/mdl_line.h"
#include "sim/conf/sq_field.h"

extern const struct sq_table mdl_control_table;

struct mdl_concurrency_cfg {
    int64_t limit;
};
struct mdl_control_cfg {
    struct sq_block throttled, ramp;
    struct mdl_concurrency_cfg *concurrency; /* NULL: none */
};

/* The calls that ended within the trouble window, oldest first. */
struct mdl_ended {
    sq_time_t at;
    bool failed;
};
struct mdl_trouble {
    struct mdl_ended *ring;
    uint32_t head, count, size; /* size: a power of two */
    uint32_t failed;            /* of the count */
    uint32_t ok_in_row;
    bool on;
};

struct mdl_gate {
    struct mdl_ctx *ctx;
    uint16_t id; /* of the dependency */
    bool active; /* there is a control at all */
    const struct mdl_control_cfg *cfg;
    const uint32_t *defer_streams; /* by producer: luck of deferral delays */
    struct sq_dist defer;          /* how long a deferred job stays away */
    struct sq_level in_use, waiting;
    struct mdl_line line;
    struct mdl_trouble trouble;
    struct sq_block running; /* the ramp as it was when it started */
    sq_time_t ramp_start;    /* SQ_NEVER: no ramp has started */
    uint64_t ramp_seq;       /* of the pending RAMP event */
};

/* The gate of a dependency without controls lets everything pass. */
void mdl_gate_init(struct mdl_gate *g, struct mdl_ctx *ctx, uint16_t id,
                   const struct mdl_control_cfg *cfg, const uint32_t *defer_streams);
/* A `set` action changed its configuration. */
void mdl_gate_changed(struct mdl_gate *g);
void mdl_gate_fini(struct mdl_gate *g);

/* A caller asks. True: the call may leave now and holds a permit. False: it was told that it is
 * turned away (a deferred job's since_ns then says until when), or it waits in line. */
bool mdl_gate_ask(struct mdl_gate *g, uint32_t call);

/* The next waiting call that may leave now (it holds a permit), or 0. Stale ones are told on the
 * way. Call until 0 after anything that may free a permit or raise the limit. */
uint32_t mdl_gate_next(struct mdl_gate *g);

/* A caller stopped waiting: the permit is free, the outcome counts for the ramp. */
void mdl_gate_outcome(struct mdl_gate *g, uint32_t call, enum mdl_error outcome);

/* A waiting caller goes away. */
void mdl_gate_withdraw(struct mdl_gate *g, uint32_t call);

/* A waiting caller has waited for `max`. */
void mdl_gate_waited(struct mdl_gate *g, uint32_t call, uint64_t seq);

/* The ramp reaches a step. */
void mdl_gate_ramp(struct mdl_gate *g, uint64_t seq);

/* Calls at a time that may be under way; SQ_UNLIMITED without a limit. */
int64_t mdl_gate_limit(const struct mdl_gate *g);

/* Mean time that a deferred job stays away; 0 when throttled callers are not deferred. */
double mdl_gate_defer_mean_s(const struct mdl_gate *g);

#endif
