/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_caller.h - one execution of a job: the calls of an attempt, one after the other.
 *
 * A caller is contained in an entity that runs jobs (a worker pool). The entity starts a run,
 * forwards ANSWER, TIMEOUT and THROTTLED events, and acts on the step it gets back:
 *
 *     start --> WAIT --answer/timeout/throttled--> WAIT ... --> DONE | FAILED | STALE | DEFERRED
 *
 * A run record lives from mdl_caller_start until the entity gives it back with mdl_caller_finish.
 * Late answers (of calls whose caller gave up) are recognised and counted as wasted work. */
#ifndef MDL_CALLER_H
#define MDL_CALLER_H

#include "models/part/mdl_core.h"
#include "sim/conf/sq_field.h"

/* calls.<dependency> as written. */
struct mdl_calls_cfg {
    sq_time_t timeout;
};
extern const struct sq_table mdl_calls_table;

struct mdl_entry {
    uint16_t dependency;
    bool controlled; /* the dependency wants to hear outcomes */
    const struct mdl_calls_cfg *cfg;
    sq_time_t lane_delay; /* the timeout that `lane` was made for */
    int lane;
};

struct mdl_run {
    uint32_t job, call; /* call: the one in progress, 0: none */
    uint32_t owner;     /* of the entity: the replica */
    uint32_t next, prev;
    uint16_t entry, draw; /* entry: the one being called; draw: calls made in this attempt */
    bool working;         /* before the first call */
    uint64_t work_seq;
};

struct mdl_caller {
    struct mdl_ctx *ctx;
    uint16_t id;
    size_t entry_count;
    struct mdl_entry *entries;
    struct sq_pool runs;
};

enum mdl_step { MDL_STEP_WAIT, MDL_STEP_DONE, MDL_STEP_FAILED, MDL_STEP_STALE, MDL_STEP_DEFERRED };

struct mdl_verdict {
    enum mdl_step step;
    enum mdl_error error; /* FAILED */
    uint32_t run;         /* 0: nothing to do (a late answer, a stale timer) */
};

/* A run for a job in the owner's hands; 0 when memory or a limit is exhausted (ctx->failed set). */
uint32_t mdl_caller_start(struct mdl_caller *k, uint32_t job, uint32_t owner);

static inline struct mdl_run *mdl_run_at(const struct mdl_caller *k, uint32_t run)
{
    return sq_pool_at(&k->runs, run);
}

/* Makes the next call of the run, or says that it is done or its job stale. */
struct mdl_verdict mdl_caller_next(struct mdl_caller *k, uint32_t run);

struct mdl_verdict mdl_caller_answer(struct mdl_caller *k, uint32_t call);
struct mdl_verdict mdl_caller_timeout(struct mdl_caller *k, uint32_t call, uint64_t seq);
struct mdl_verdict mdl_caller_throttled(struct mdl_caller *k, uint32_t call, enum mdl_turned how);

/* The caller of this run dies: its call is cancelled or withdrawn from a control's line. */
void mdl_caller_abort(struct mdl_caller *k, uint32_t run);

/* True while the run's call waits at a control. */
bool mdl_caller_waits(const struct mdl_caller *k, uint32_t run);

void mdl_caller_finish(struct mdl_caller *k, uint32_t run);

#endif
