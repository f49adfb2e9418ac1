/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_arrivals.h - when jobs arrive (SCENARIO 3, `arrivals.kind`).
 *
 * An iterator: `sources` independent chains, each asked for its next instant after the present
 * one. Draws are keyed by the source and the how-many-eth arrival, so they do not depend on
 * anything else. Times never run backwards within a source. */
#ifndef MDL_ARRIVALS_H
#define MDL_ARRIVALS_H

#include "models/part/mdl_member.h"
#include "models/policy/mdl_dist.h"
#include "sim/conf/sq_field.h"
#include "sim/conf/sq_trace_csv.h"
#include "sim/core/sq_luck.h"

extern const struct sq_family mdl_arrivals_family;

/* What a trace block asks for; `file` is relative to the scenario. Without a column of times the
 * file is recognised (models/import), and `reads` is what its values are, 0: as they are found. */
struct mdl_trace_ask {
    const char *file, *time, *value;
    int time_unit;
    bool wants_value;
    int reads;
    bool scaled; /* the block has a scale, which single arrivals cannot have */
};

/* The trace a block of kind `trace` reads, or NULL for the other kinds. */
const struct mdl_trace_ask *mdl_arrivals_trace(const struct sq_block *arrivals);

/* Whether a source makes its next job only when its last one ended. */
bool mdl_arrivals_is_closed(const struct sq_block *arrivals);

/* A batch under way. */
struct mdl_batch {
    uint64_t number, left;
    sq_time_t next, until;
};

struct mdl_arrivals {
    const struct sq_block *cfg;
    const struct sq_luck *luck;
    const struct sq_trace *trace; /* kind trace */
    uint32_t stream;
    uint32_t sources;
    uint64_t *counts;   /* arrivals given out, by source */
    sq_time_t *lasts;   /* the last instant given out, by source */
    uint64_t row, left; /* trace: present row, arrivals left in it */
    bool open;          /* trace, counts: the present row was begun */
    sq_time_t shift;    /* trace: start of the present repetition */
    double rest;        /* lost by rounding so far. poisson, fast: in mean gaps; trace: arrivals */
    struct sq_dist gap; /* bursts: every; closed: think */
    struct sq_dist first;
    struct sq_arena *arena;
    struct mdl_batch *batches; /* bursts: those under way, oldest first */
    size_t batch_count, batch_size;
    uint64_t batch_number; /* of the next one */
    sq_time_t batch_start;
    bool failed; /* out of memory */
    bool varied; /* a `set` action changed the rate: regular sources leave their lattice */
};

/* `counts` and `lasts` come from the arena. */
enum sq_status mdl_arrivals_init(struct mdl_arrivals *a, const struct sq_block *cfg,
                                 const struct sq_luck *luck, uint32_t stream,
                                 struct sq_arena *arena) SQ_MUST_USE;

/* The next arrival of a source; SQ_NEVER when there is none left, or no memory (then a->failed). Of
 * a closed population: of a member whose job ended at `lasts` (set it first). */
sq_time_t mdl_arrivals_next(struct mdl_arrivals *a, uint32_t source);

/* The configuration changed at `now`: every source starts anew from there. */
void mdl_arrivals_changed(struct mdl_arrivals *a, sq_time_t now);

/* Jobs per second around an instant, for forecasts; of a cohort, 0; of a closed population, as if
 * its jobs took no time. */
double mdl_arrivals_rate(const struct mdl_arrivals *a, sq_time_t at);

/* Jobs that arrive at one and the same instant before `until`, at most: of a cohort or batch that
 * is not spread, and of a population that does not think first. 0 of other kinds. */
double mdl_arrivals_at_once(const struct sq_block *arrivals, sq_time_t until);

/* Jobs of a cohort that arrive in [from, to), evenly where it is spread; 0 of other kinds. */
double mdl_arrivals_of_cohort(const struct sq_block *arrivals, sq_time_t from, sq_time_t to);

#endif
