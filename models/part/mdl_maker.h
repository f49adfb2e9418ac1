/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_maker.h - makes the jobs of a producer or client: asks its arrivals for the next instant, and
 * at each one takes a record and says that a job has arrived. What becomes of the job is the
 * owner's business. */
#ifndef MDL_MAKER_H
#define MDL_MAKER_H

#include "models/part/mdl_arrivals.h"
#include "models/part/mdl_core.h"

enum { MDL_ZIPF_KEYS_MAX = 1000000 }; /* of superseding with a skew: a table of 8 MB */

struct mdl_maker {
    struct mdl_ctx *ctx;
    uint16_t id;    /* the owner's actor: it gets the ARRIVE events */
    uint16_t index; /* into ctx->sources: what its jobs carry as producer */
    struct mdl_arrivals arrivals;
    int64_t backlog, keys; /* keys: of superseding, 0: none */
    uint64_t *arrive_seq;  /* by source: the pending ARRIVE event */
    uint32_t key_stream;
    const double *key_shares; /* with a skew: share of the keys up to this one; else NULL */
    uint64_t made;
    bool closed; /* arrivals are a closed population */
    bool paused; /* an operator's pause: what would arrive does not */
    void (*take)(void *owner, uint32_t job);
    void *owner;
};

/* What a maker needs beyond the context. `trace` is the data of arrivals kind trace, else NULL. */
struct mdl_maker_ask {
    const char *name;
    const struct sq_block *arrivals;
    const struct sq_trace *trace;
    int64_t backlog, keys;
    double skew; /* Zipf exponent of the keys */
    void (*take)(void *owner, uint32_t job);
    void *owner;
};

/* Posts the first arrivals. `id` and `index` must be set. SQ_NOMEM possible. */
enum sq_status mdl_maker_start(struct mdl_maker *m, struct mdl_ctx *ctx,
                               const struct mdl_maker_ask *ask) SQ_MUST_USE;

/* An ARRIVE event. */
void mdl_maker_arrive(struct mdl_maker *m, uint32_t source, uint64_t seq);

/* A JOB_OVER event: a member's job has ended, however. */
void mdl_maker_over(struct mdl_maker *m, uint32_t member);

/* An operator's pause: what would arrive does not, but the members of a closed population only wait
 * for its end. */
void mdl_maker_pause(struct mdl_maker *m, bool paused);

/* A `set` action changed the arrivals. */
void mdl_maker_changed(struct mdl_maker *m);

/* Jobs that arrive now, all at once. */
void mdl_maker_burst(struct mdl_maker *m, int64_t count);

#endif
