/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_try.h - a scenario with one key changed, run and judged by one expectation. */
#ifndef MDL_TRY_H
#define MDL_TRY_H

#include "models/study/mdl_judge.h"
#include "models/study/mdl_runs.h"
#include "sim/core/sq_tipping.h"

struct mdl_try {
    struct mdl_ask ask;         /* as the scenario was asked for, without the key */
    struct mdl_scenario base;   /* loaded by it */
    struct mdl_expects expects; /* one */
    double in;
    const char *key, *path; /* as it was asked for, and in full */
    const char *lo_text, *hi_text;
    enum sq_ftype type;
    /* When `start` is set a run begins with it, and has the value that is tried from switch_ns on,
     * which is its T1. */
    const char *start;
    sq_time_t switch_ns;
    struct mdl_replicate_ask runs; /* count and `after` are filled here */
    struct sq_arena *arena;        /* of the texts that are kept */
    struct sq_diag *diag;
};

/* The value as a person writes it, in the arena; NULL when out of memory. */
const char *mdl_try_text(const struct mdl_try *t, double value);

/* Whether the scenario can be read with that value, and with `start`. */
enum sq_status mdl_try_check(struct mdl_try *t, double value) SQ_MUST_USE;

/* A sq_tipping_try; ctx is a struct mdl_try. What is wrong with the value is noted as a mistake of
 * --find. */
enum sq_status mdl_try_value(void *ctx, double value, struct sq_trial *out) SQ_MUST_USE;

#endif
