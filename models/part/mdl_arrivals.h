/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_arrivals.h - when jobs arrive (SCENARIO 3, `arrivals.kind`).
 *
 * An iterator: `sources` independent chains, each asked for its next instant after the present
 * one. Draws are keyed by the source and the how-many-eth arrival, so they do not depend on
 * anything else. Times never run backwards within a source. */
#ifndef MDL_ARRIVALS_H
#define MDL_ARRIVALS_H

#include "sim/conf/sq_field.h"
#include "sim/conf/sq_trace_csv.h"
#include "sim/core/sq_luck.h"

extern const struct sq_family mdl_arrivals_family;

/* What a trace block asks for; `file` is relative to the scenario. */
struct mdl_trace_ask {
    const char *file, *time, *value;
    int time_unit;
    bool wants_value;
};

/* The trace a block of kind `trace` reads, or NULL for the other kinds. */
const struct mdl_trace_ask *mdl_arrivals_trace(const struct sq_block *arrivals);

struct mdl_arrivals {
    const struct sq_block *cfg;
    const struct sq_luck *luck;
    const struct sq_trace *trace; /* kind trace */
    uint32_t stream;
    uint32_t sources;
    uint64_t *counts;   /* arrivals given out, by source */
    sq_time_t *lasts;   /* the last instant given out, by source */
    uint64_t row, left; /* trace: present row, arrivals left in it */
    sq_time_t shift;    /* trace: start of the present repetition */
    bool varied;        /* a `set` action changed the rate: regular sources leave their lattice */
};

/* `counts` and `lasts` come from the arena. */
enum sq_status mdl_arrivals_init(struct mdl_arrivals *a, const struct sq_block *cfg,
                                 const struct sq_luck *luck, uint32_t stream,
                                 struct sq_arena *arena) SQ_MUST_USE;

/* The next arrival of a source; SQ_NEVER when there is none left. */
sq_time_t mdl_arrivals_next(struct mdl_arrivals *a, uint32_t source);

/* The configuration changed at `now`: every source starts anew from there. */
void mdl_arrivals_changed(struct mdl_arrivals *a, sq_time_t now);

/* Jobs per second around an instant, for forecasts; of a cohort, 0. */
double mdl_arrivals_rate(const struct mdl_arrivals *a, sq_time_t at);

#endif
