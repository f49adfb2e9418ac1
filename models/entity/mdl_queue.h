/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue.h - a broker's queue (SCENARIO 4): ready, delayed and leased jobs, dead letters.
 *
 *     ENQUEUE -> ready -> DELIVER to a pool -> leased -> SETTLE (ended)
 *                  ^--- DUE --- delayed <----- DELAY (retry, deferred, parked)
 *                  ^-------------------------- GIVE_BACK (crash, retired replica)
 *                  ^---- EXPIRE -------------- the lease ended: a copy; the holder goes on
 *
 * With a visibility_timeout every delivery is leased. What a pool does with a leased job: SETTLE,
 * DELAY and GIVE_BACK hand it back; LEAVE lets go of it until its lease ends; HOLD keeps it in hand
 * until its `since_ns`. A holder whose lease has expired says the same: a success ends the job,
 * anything else frees the slot and is ignored (mdl_copy.h).
 *
 * Pools ask with FETCH for so many jobs; ready jobs are handed out by the discipline, to pools in
 * turn. A job that the discipline sheds ends as dropped. The queue owns the job records: it frees
 * one when the job ends. */
#ifndef MDL_QUEUE_H
#define MDL_QUEUE_H

#include "models/part/mdl_core.h"
#include "models/part/mdl_shelf.h"
#include "sim/conf/sq_field.h"

extern const struct sq_table mdl_queue_table;

struct mdl_queue_cfg {
    struct sq_block discipline;
    sq_time_t visibility_timeout, sweep;
    bool renew;
    int64_t max_receives;
    int receives_count, requeue;
};
enum { MDL_RECEIVES_ALL, MDL_RECEIVES_UNDEFERRED };
enum { MDL_REQUEUE_TAIL, MDL_REQUEUE_HEAD };

enum mdl_parts { MDL_PART_READY = 1, MDL_PART_DELAYED = 2 }; /* of a queue, for `purge` */

struct mdl_consumer {
    uint16_t id;
    int64_t *wants; /* the pool's: it may fetch from other queues too */
};

/* Latest job of each key of one producer, by key. */
struct mdl_keys {
    const int *keep, *removal; /* of its configuration; NULL: no keys */
    uint32_t *latest;
};

struct mdl_queue {
    struct mdl_ctx *ctx;
    uint16_t id;
    const char *name;
    const struct mdl_queue_cfg *cfg;
    struct mdl_shelf shelf;
    struct sq_level ready, delayed, deferred, leased; /* delayed: deferred ones included */
    uint64_t offered;                                 /* new jobs that have come here */
    struct mdl_consumer *consumers;
    size_t consumer_count, turn;
    struct mdl_keys *keys; /* by source index */
    uint32_t *ages;        /* ready jobs by bin of arrival, for the age of the oldest */
    sq_time_t age_bin;
    size_t age_count, age_first;
    sq_time_t oldest_max;  /* largest age of a job as it stopped being ready */
    int64_t dead;          /* dead letters kept */
    sq_time_t lease_delay; /* the lease that `lease_lane` was made for */
    int lease_lane;
    bool paused; /* an operator's pause: nothing is delivered */
};

enum sq_status mdl_queue_init(struct mdl_queue *q, struct mdl_ctx *ctx, const char *name,
                              const struct mdl_queue_cfg *cfg) SQ_MUST_USE;

/* A pool that fetches from it, and where it keeps how many jobs it still wants; borrowed for the
 * run. Call in order of name, before the run. SQ_NOMEM. */
enum sq_status mdl_queue_add_consumer(struct mdl_queue *q, uint16_t id, int64_t *wants) SQ_MUST_USE;

/* A producer whose jobs carry keys. */
enum sq_status mdl_queue_add_keys(struct mdl_queue *q, uint16_t source, int64_t keys,
                                  const int *keep, const int *removal) SQ_MUST_USE;

/* `bin` is the resolution of the age of the oldest ready job. */
enum sq_status mdl_queue_start(struct mdl_queue *q, sq_time_t bin) SQ_MUST_USE;

/* Age of the oldest ready job to the resolution, 0 when none is ready. */
sq_time_t mdl_queue_oldest(struct mdl_queue *q);

/* Jobs that could be tried at once if capacity allowed: ready + deferred. */
static inline int64_t mdl_queue_actionable(const struct mdl_queue *q)
{
    return q->ready.now + q->deferred.now;
}

bool mdl_queue_check(const struct mdl_queue *q);

#endif
