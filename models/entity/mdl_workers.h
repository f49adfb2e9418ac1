/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers.h - a pool of replicas x slots that runs the jobs of a queue (SCENARIO 5).
 *
 * Each free slot of a ready replica has asked the queue for one job. A replica is starting, ready
 * or retiring: a retiring one takes nothing new, and after `grace` counts as crashed. */
#ifndef MDL_WORKERS_H
#define MDL_WORKERS_H

#include "models/part/mdl_caller.h"
#include "models/part/mdl_line.h"
#include "models/part/mdl_retry.h"

extern const struct sq_table mdl_workers_table;

struct mdl_workers_cfg {
    struct sq_list queue; /* of struct sq_ref; one for now */
    int64_t replicas, slots;
    struct sq_map calls; /* of struct mdl_calls_cfg */
    struct mdl_retry_cfg *retry;
    struct sq_block start_up, autoscaler;
    sq_time_t grace;
};

enum mdl_replica_state { MDL_REPLICA_STARTING, MDL_REPLICA_READY, MDL_REPLICA_RETIRING };

struct mdl_replica {
    uint32_t idle_next, idle_prev; /* among those with a free slot */
    uint32_t next, prev;           /* all that exist, in order of birth */
    struct mdl_line runs;
    int64_t busy;
    uint64_t seq; /* of its STARTED or GRACE event */
    uint32_t asker;
    uint8_t state;
};

struct mdl_workers {
    struct mdl_ctx *ctx;
    uint16_t id, queue;
    const char *name;
    const struct mdl_workers_cfg *cfg;
    struct mdl_caller caller;
    struct sq_pool replicas;
    struct mdl_line idle, all; /* all: starting and ready ones */
    struct sq_level existing, ready, busy;
    int64_t slots; /* per replica, in force */
    bool paused;
    int64_t replicas_seen; /* the configured number acted upon */
    int64_t born, wanted, wanted_changes, deaths;
    uint32_t start_stream;
    const uint32_t *work_streams, *retry_streams; /* by producer */
    struct sq_dist start_up;
};

enum sq_status mdl_workers_init(struct mdl_workers *w, struct mdl_ctx *ctx, const char *name,
                                const struct mdl_workers_cfg *cfg) SQ_MUST_USE;

/* `entries` are wired to dependencies by the world, in file order. */
struct mdl_workers_wiring {
    uint16_t queue;
    struct mdl_entry *entries;
    size_t entry_count;
    const uint32_t *work_streams, *retry_streams;
};
void mdl_workers_start(struct mdl_workers *w, struct mdl_workers_wiring wiring);
void mdl_workers_fini(struct mdl_workers *w);

bool mdl_workers_check(const struct mdl_workers *w);

#endif
