/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_life.h - the life of one job, step by step, from the records of a run: when it arrived, each
 * attempt with its calls and how they ended, the delays that were drawn, and its end. What happens
 * at one instant is one step. */
#ifndef MDL_LIFE_H
#define MDL_LIFE_H

#include "models/part/mdl_words.h"
#include "sim/base/sq_diag.h"
#include "sim/core/sq_result.h"

/* A long life is told from its first MDL_LIFE_HEAD and its last MDL_LIFE_TAIL steps. */
enum { MDL_LIFE_HEAD = 80, MDL_LIFE_TAIL = 20 };

/* The job by its producer or client and its number among that one's, from 1. Without a source the
 * first job is taken that arrives in the second half of the last planned outage before T1; in a
 * run without T1, in the second half of the run. */
struct mdl_life_ask {
    const char *source; /* NULL: none was asked for; else `len` bytes */
    size_t len;
    uint64_t number;
};

/* Reads "login-codes:17". SQ_USER. */
enum sq_status mdl_life_ask(struct mdl_life_ask *ask, const char *text,
                            struct sq_diag *diag) SQ_MUST_USE;

struct mdl_life {
    struct mdl_life_ask ask;
    bool decided, found, ended;
    uint16_t source;
    uint64_t ordinal;             /* from 0 */
    sq_time_t pick_at;            /* without an ask: the first job that arrives from then on */
    sq_time_t arrived, last_call; /* last_call: when its last call ended, SQ_NEVER: none */
    uint32_t attempt;             /* of last_call */
    const char *job, *why;
    size_t count, skipped;
    struct sq_life_step steps[MDL_LIFE_HEAD + 1 + MDL_LIFE_TAIL];
};

struct mdl_probe;

/* Whether a record can be one of the job's, or the first of it. Records of entities have no job in
 * them, and of the others all have. */
static inline bool mdl_life_cares(const struct mdl_life *l, const struct mdl_rec *r)
{
    const unsigned of_jobs =
        1u << MDL_REC_JOB_ARRIVED | 1u << MDL_REC_JOB_READY | 1u << MDL_REC_JOB_DELIVERED |
        1u << MDL_REC_JOB_RETRY | 1u << MDL_REC_JOB_DEFERRED | 1u << MDL_REC_JOB_REDELIVERED |
        1u << MDL_REC_JOB_ENDED | 1u << MDL_REC_ATTEMPT | 1u << MDL_REC_CALL_LEFT |
        1u << MDL_REC_CALL_ENDED | 1u << MDL_REC_CALL_WASTED | 1u << MDL_REC_CALL_REPEATED |
        1u << MDL_REC_THROTTLED;
    return l->found ? r->ordinal == l->ordinal && (of_jobs >> r->kind & 1) != 0
                    : r->kind == MDL_REC_JOB_ARRIVED;
}

/* Looks at a record it cares about. Texts live in the run's arena. */
void mdl_life_see(struct mdl_probe *p, const struct mdl_rec *r);
void mdl_life_end(struct mdl_probe *p);

struct mdl_scenario;

/* SQ_USER when the scenario has no such source; `number` is not known before the run. */
enum sq_status mdl_life_check(const struct mdl_life_ask *ask, const struct mdl_scenario *s,
                              struct sq_diag *diag) SQ_MUST_USE;

/* SQ_USER when the run, which is over, had no such job. */
enum sq_status mdl_life_found(const struct mdl_life_ask *ask, const struct sq_result *r,
                              struct sq_diag *diag) SQ_MUST_USE;

#endif
