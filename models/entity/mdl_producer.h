/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_producer.h - makes jobs and puts them into a queue (SCENARIO 3). */
#ifndef MDL_PRODUCER_H
#define MDL_PRODUCER_H

#include "models/part/mdl_maker.h"

extern const struct sq_table mdl_producer_table;

enum mdl_keep { MDL_KEEP_NEWEST, MDL_KEEP_OLDEST };
enum mdl_removal { MDL_REMOVAL_EAGER, MDL_REMOVAL_LAZY };
struct mdl_supersede_cfg {
    int64_t keys;
    int keep, removal;
    double skew;
};

struct mdl_producer_cfg {
    struct sq_ref queue;
    struct sq_block arrivals, work;
    int64_t backlog;
    sq_time_t deadline;
    int deadline_check;
    struct mdl_supersede_cfg *supersede;
    double permanent; /* share */
    double service_scale;
    int64_t priority;
};

struct mdl_producer {
    struct mdl_ctx *ctx;
    uint16_t id, index; /* actor; index into ctx->sources */
    uint16_t queue;     /* actor */
    const char *name;
    const struct mdl_producer_cfg *cfg;
    struct mdl_maker maker;
};

enum sq_status mdl_producer_init(struct mdl_producer *p, struct mdl_ctx *ctx, const char *name,
                                 const struct mdl_producer_cfg *cfg) SQ_MUST_USE;

/* Posts the first arrivals; `trace` is the data of kind trace, else NULL. Streams are keyed by the
 * producer's name. */
enum sq_status mdl_producer_start(struct mdl_producer *p, uint16_t queue,
                                  const struct sq_trace *trace) SQ_MUST_USE;

#endif
