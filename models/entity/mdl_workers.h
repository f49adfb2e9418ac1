/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers.h - a pool of replicas x slots that runs the jobs of queues (SCENARIO 5).
 *
 * Every ready replica has asked the queues for as many jobs as it has room for. A job in a
 * replica's hands is a run record of the caller, and stands in one of three lines:
 *
 *     delivered --> line (waits for a slot) --> runs (in a slot) --> ended, or back at the broker
 *                    ^                            |
 *                    +-- held (its delay) <-------+
 *
 * With batches it is a batch that takes a slot, and its members stand in a line of its own.
 *
 * A replica is starting, ready or retiring: a retiring one takes nothing new, and after `grace`
 * counts as crashed. One that crashes while ready starts again. */
#ifndef MDL_WORKERS_H
#define MDL_WORKERS_H

#include "models/part/mdl_caller.h"
#include "models/part/mdl_line.h"
#include "models/part/mdl_retry.h"

extern const struct sq_table mdl_workers_table;

enum mdl_acknowledge { MDL_ACK_AFTER, MDL_ACK_BEFORE };

struct mdl_crashes_cfg {
    struct sq_block every, restart; /* restart.kind NULL: as start_up */
};

enum mdl_batch_failure { MDL_BATCH_WHOLE, MDL_BATCH_EACH };

struct mdl_batch_cfg {
    int64_t size;
    int failure; /* enum mdl_batch_failure */
};

struct mdl_workers_cfg {
    struct sq_list queue; /* of struct sq_ref, polled in this order */
    int64_t replicas, slots, prefetch, held_limit;
    int64_t memory, job_memory; /* bytes; SQ_UNLIMITED */
    struct mdl_batch_cfg *batch;
    struct sq_map calls; /* of struct mdl_calls_cfg */
    int after_success;   /* enum mdl_after_success */
    struct mdl_retry_cfg *retry;
    int acknowledge; /* enum mdl_acknowledge */
    struct sq_block start_up, autoscaler;
    sq_time_t grace, delivery_cost;
    struct mdl_crashes_cfg *crashes;
};

enum mdl_replica_state { MDL_REPLICA_STARTING, MDL_REPLICA_READY, MDL_REPLICA_RETIRING };

struct mdl_replica {
    uint32_t idle_next, idle_prev; /* among those with room */
    uint32_t next, prev;           /* all that exist, in order of birth */
    struct mdl_line line;          /* jobs that wait for a slot */
    struct mdl_line runs;          /* jobs in slots */
    struct mdl_line batches;       /* batches in slots */
    struct mdl_line held;          /* jobs whose delay lives in memory */
    int64_t jobs;                  /* in its hands, all together */
    int64_t slots;                 /* in force */
    int64_t busy;                  /* of them */
    int64_t taken;                 /* jobs since it became ready, by one that runs once */
    int64_t asked;                 /* jobs asked for and not delivered */
    int64_t born;                  /* as the how-many-eth of the pool */
    uint64_t seq;                  /* of its STARTED or GRACE event */
    uint64_t crash_seq;            /* of its CRASH event */
    uint64_t fill_seq;             /* of its FILL event */
    uint64_t scaler[2];            /* state of a scaler of its slots */
    uint32_t lives;                /* how often it has become ready */
    uint32_t asker;                /* its number for controls of scope replica */
    uint8_t state;
    bool listed;  /* in the line of those with room */
    bool serving; /* takes jobs from its line just now */
};

struct mdl_slot_batch {
    uint32_t next, prev; /* in the line of its replica */
    uint32_t replica;
    uint32_t current, turn;  /* runs: the one whose turn it is, the one after it; 0: none */
    struct mdl_line members; /* runs */
    bool failed, going;
};

/* Replicas are being replaced: those born before, a share at a time. */
struct mdl_deploy {
    bool on;
    int64_t before; /* born so far when it began */
    double at_once;
};

struct mdl_workers {
    struct mdl_ctx *ctx;
    uint16_t id;
    uint16_t queue; /* the first */
    size_t queue_count;
    const uint16_t *queues;
    int64_t wants; /* jobs it would take now, from whichever queue: shared with them */
    const char *name;
    const struct mdl_workers_cfg *cfg;
    struct mdl_caller caller;
    struct sq_pool replicas, batches;
    struct mdl_line idle, all; /* all: starting and ready ones */
    struct sq_level existing, ready, held;
    struct sq_level busy, ready_slots;     /* slots: taken, and all of ready replicas */
    uint64_t processed;                    /* attempts that ended, well or not */
    bool once;                             /* its replicas fill their slots once and end */
    int64_t in_line, in_slots, in_batches; /* jobs, of all replicas */
    int64_t slots, prefetch, held_limit;   /* per replica, in force */
    struct mdl_deploy deploy;
    bool paused;
    uint8_t pause;      /* enum mdl_pause: by a control */
    uint16_t paused_by; /* its dependency */
    uint32_t scout;     /* PROBES: the run whose call is to show whether it goes on, 0: none yet */
    int64_t asked;      /* jobs asked for, of all replicas */
    int64_t replicas_seen; /* the configured number acted upon */
    int64_t born, wanted, wanted_changes, deaths;
    uint32_t start_stream, crash_stream, restart_stream;
    const uint32_t *work_streams, *retry_streams; /* by producer */
    struct sq_dist start_up, uptime, restart;
};

enum sq_status mdl_workers_init(struct mdl_workers *w, struct mdl_ctx *ctx, const char *name,
                                const struct mdl_workers_cfg *cfg) SQ_MUST_USE;

/* `entries` are wired to dependencies by the world, in file order; queues likewise. */
struct mdl_workers_wiring {
    const uint16_t *queues;
    size_t queue_count;
    struct mdl_entry *entries;
    size_t entry_count;
    const uint32_t *work_streams, *retry_streams;
};
void mdl_workers_start(struct mdl_workers *w, struct mdl_workers_wiring wiring);
void mdl_workers_fini(struct mdl_workers *w);

/* Whether it fetches from this queue (actor). */
bool mdl_workers_fetches(const struct mdl_workers *w, uint16_t queue);

/* Whether delays of its job layer live in the memory of its replicas. */
static inline bool mdl_workers_holds(const struct mdl_workers *w)
{
    return w->cfg->retry != NULL && w->cfg->retry->held_by == MDL_HELD_WORKER;
}

bool mdl_workers_check(const struct mdl_workers *w);

#endif
