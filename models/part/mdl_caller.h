/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_caller.h - one execution of a job: the calls of an attempt, one after the other, each with
 * its call layer of retries in place.
 *
 * A caller is contained in an entity that runs jobs (a worker pool, a client). The entity starts a
 * run, forwards ANSWER, TIMEOUT, THROTTLED, AGAIN and TOTAL events, and acts on the step it gets
 * back:
 *
 *     start --> WAIT --answer/timeout/throttled/again/total--> WAIT ... --> DONE | FAILED | STALE
 *                                                                       | DEFERRED
 *
 * The runs of a dependency are made on behalf of the calls that it serves (`owner`), not of jobs:
 * they belong to the same job, attempt and deadline. A control that would defer the job makes them
 * wait in place instead, and while the owner is halted (it hangs) no try leaves.
 *
 * A run record lives from mdl_caller_start until the entity gives it back with mdl_caller_finish.
 * Late answers (of calls whose caller gave up) are recognised and counted as wasted work. */
#ifndef MDL_CALLER_H
#define MDL_CALLER_H

#include "models/part/mdl_budgets.h"
#include "models/part/mdl_core.h"
#include "models/part/mdl_line.h"
#include "models/part/mdl_retry.h"
#include "sim/conf/sq_field.h"

/* calls.<dependency> as written. */
struct mdl_calls_cfg {
    sq_time_t timeout, total_timeout;
    struct mdl_retry_cfg *retry; /* the call layer; NULL: one try */
    double times;                /* a fraction is the probability of one more */
    struct sq_list only;         /* of struct sq_ref; empty: all jobs */
    bool propagate_cancel;
};
enum mdl_after_success { MDL_SUCCESS_REPEAT, MDL_SUCCESS_SKIP };
extern const char *const mdl_after_success_words[];
extern const struct sq_table mdl_calls_table;
extern const struct sq_field mdl_calls_element; /* of a map from dependencies */

struct mdl_entry {
    uint16_t dependency;
    struct mdl_budgets *budgets; /* of the dependency; NULL: none */
    const struct mdl_calls_cfg *cfg;
    const bool *only;                              /* by source; NULL: all */
    const uint32_t *retry_streams, *times_streams; /* by source */
    sq_time_t lane_delay;                          /* the timeout that `lane` was made for */
    int lane;
};

/* How often an attempt of the job makes the call; a fraction is drawn once per job. */
uint32_t mdl_entry_times(const struct sq_luck *luck, const struct mdl_entry *e, uint16_t producer,
                         uint64_t ordinal);

struct mdl_run {
    uint32_t job, call; /* job 0: on behalf of a call; call: the one in progress, 0: none */
    uint32_t owner;     /* of the entity: the replica, or the call that it serves */
    uint32_t asker;     /* who makes the calls, by number (mdl_call.asker) */
    uint32_t next, prev;
    uint8_t phase, end;   /* of the entity: what it is about, how it will end */
    bool settled;         /* of the entity: the broker thinks that it is done */
    uint32_t batch;       /* of the entity: the batch it belongs to, 0: none */
    uint32_t position;    /* distinct calls done: the one being made is number `position` */
    uint32_t index;       /* of the call within the entry's `times` */
    uint32_t failures;    /* tries of this call that failed */
    uint16_t entry, draw; /* entry: the one being called; draw: tries made in this attempt */
    uint64_t work_seq;    /* pending WORKED, 0: none */
    uint64_t again_seq, total_seq;
    bool halted;            /* stands in the line of those that will go on with their owners */
    sq_time_t since_ns;     /* the first try of this call was asked for then */
    struct mdl_grant grant; /* of the call layer's next try */
    double last;            /* state of the call layer's backoff */
};

struct mdl_caller {
    struct mdl_ctx *ctx;
    uint16_t id;
    size_t entry_count;
    struct mdl_entry *entries;
    struct sq_pool runs;
    bool skips;    /* later attempts leave out calls that succeeded before; of jobs only */
    bool crashing; /* what ends now ends by a crash */
    bool (*halts)(const void *self, uint32_t owner); /* NULL: never */
    const void *self;
    struct mdl_line halted;
};

enum mdl_step {
    MDL_STEP_WAIT,
    MDL_STEP_DONE,
    MDL_STEP_FAILED,
    MDL_STEP_STALE,
    MDL_STEP_DEFERRED,
    MDL_STEP_PAUSED
};

/* Of the budget before a retry: it need not be asked, it is to be, or it has said no already. */
enum mdl_consent { MDL_CONSENT_GIVEN, MDL_CONSENT_ASKED, MDL_CONSENT_DENIED };

struct mdl_verdict {
    sq_time_t hint;         /* FAILED: Retry-After of the answer, SQ_NEVER: none */
    uint32_t run;           /* 0: nothing to do (a late answer, a stale timer) */
    uint8_t step;           /* enum mdl_step */
    uint8_t error, consent; /* FAILED: enum mdl_error, enum mdl_consent */
};
_Static_assert(sizeof(struct mdl_verdict) == 16, "it is handed on in registers");

void mdl_caller_init(struct mdl_caller *k, struct mdl_ctx *ctx, uint16_t id);
void mdl_caller_fini(struct mdl_caller *k);

/* A run for a job in the owner's hands, or (job 0) on behalf of the call `owner`; 0 when memory or
 * a limit is exhausted (ctx->failed set). */
uint32_t mdl_caller_start(struct mdl_caller *k, uint32_t job, uint32_t owner);

static inline struct mdl_run *mdl_run_at(const struct mdl_caller *k, uint32_t run)
{
    return sq_pool_at(&k->runs, run);
}

/* FAILED: what is to be asked of the budget before a retry. The run must be there still. */
static inline struct mdl_budget_ask mdl_caller_ask(const struct mdl_caller *k,
                                                   const struct mdl_verdict *v)
{
    const struct mdl_run *run = mdl_run_at(k, v->run);
    bool asks = v->consent != MDL_CONSENT_GIVEN;
    return (struct mdl_budget_ask){ .of = asks ? k->entries[run->entry].budgets : NULL,
                                    .asker = run->asker,
                                    .caller = k->id,
                                    .error = (enum mdl_error)v->error,
                                    .denied = v->consent == MDL_CONSENT_DENIED };
}

/* Whether an attempt of the job makes any call at all. */
bool mdl_caller_has_calls(const struct mdl_caller *k, const struct mdl_job *job);

/* Whether an event of the run is still wanted; `member` is its number. The run may be gone. */
#define MDL_RUN_WAITS_FOR(k, run, member, seq) \
    (sq_pool_peek64(&(k)->runs, run, offsetof(struct mdl_run, member)) == (seq))

/* Makes the next call of the run, or says that it is done or its job stale. An attempt without
 * calls begins here. */
struct mdl_verdict mdl_caller_next(struct mdl_caller *k, uint32_t run);

struct mdl_verdict mdl_caller_answer(struct mdl_caller *k, uint32_t call);
struct mdl_verdict mdl_caller_timeout(struct mdl_caller *k, uint32_t call, uint64_t seq);
struct mdl_verdict mdl_caller_throttled(struct mdl_caller *k, uint32_t call, enum mdl_turned how);
struct mdl_verdict mdl_caller_again(struct mdl_caller *k, uint32_t run, uint64_t seq);
struct mdl_verdict mdl_caller_total(struct mdl_caller *k, uint32_t run, uint64_t seq);

/* The run makes another attempt: from the first call on. Nothing of it may be pending. */
void mdl_caller_rewind(struct mdl_caller *k, uint32_t run);

/* The next halted run whose owner goes on, out of the line; 0: none. It is to be sent. */
uint32_t mdl_caller_halted(struct mdl_caller *k);
struct mdl_verdict mdl_caller_send(struct mdl_caller *k, uint32_t run);

/* The caller of this run dies: its call is cancelled or withdrawn from a control's line. */
void mdl_caller_abort(struct mdl_caller *k, uint32_t run);

/* The same by a crash: nobody gives back what the caller held. */
void mdl_caller_crash(struct mdl_caller *k, uint32_t run);

/* True while the run's call waits at a control. */
bool mdl_caller_waits(const struct mdl_caller *k, uint32_t run);

void mdl_caller_finish(struct mdl_caller *k, uint32_t run);

#endif
