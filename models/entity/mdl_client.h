/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_client.h - work that calls a dependency itself, without a queue (SCENARIO 3).
 *
 * Each job runs at once, any number at a time; a retry waits at the client and occupies nothing.
 * The client owns its job records. */
#ifndef MDL_CLIENT_H
#define MDL_CLIENT_H

#include "models/part/mdl_caller.h"
#include "models/part/mdl_maker.h"

extern const struct sq_table mdl_client_table;

struct mdl_client_cfg {
    struct sq_block arrivals, work;
    struct sq_map calls; /* of struct mdl_calls_cfg */
    struct mdl_retry_cfg *retry;
    int after_success; /* enum mdl_after_success */
    int64_t backlog, replicas;
    sq_time_t deadline;
    double permanent; /* share */
    double service_scale;
    int64_t priority;
};

struct mdl_client {
    struct mdl_ctx *ctx;
    uint16_t id, index; /* actor; index into ctx->sources */
    const char *name;
    const struct mdl_client_cfg *cfg;
    struct mdl_maker maker;
    struct mdl_caller caller;
    struct sq_level running, delayed;
    uint32_t work_stream, retry_stream, process_stream;
    uint32_t askers; /* number of its first process; behind the processes come the members */
};

enum sq_status mdl_client_init(struct mdl_client *c, struct mdl_ctx *ctx, const char *name,
                               const struct mdl_client_cfg *cfg) SQ_MUST_USE;

struct mdl_client_wiring {
    const char *luck_name; /* what its streams are keyed by */
    struct mdl_entry *entries;
    size_t entry_count;
    const struct sq_trace *trace;
};
enum sq_status mdl_client_start(struct mdl_client *c,
                                const struct mdl_client_wiring *wiring) SQ_MUST_USE;
void mdl_client_fini(struct mdl_client *c);

bool mdl_client_check(const struct mdl_client *c);

#endif
