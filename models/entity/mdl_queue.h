/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue.h - a broker's queue (SCENARIO 4): ready, delayed and leased jobs, dead letters.
 *
 *     ENQUEUE -> ready -> DELIVER to a pool -> leased -> SETTLE (ended)
 *       |  ^       ^--- MOVE from another queue: its due retries
 *       v  | OFFER, every second
 *     blocked (a full queue with overflow: block)
 *
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
    int64_t capacity;
    int overflow;
    sq_time_t visibility_timeout, sweep;
    bool renew;
    int64_t max_receives;
    int receives_count, retry_as, requeue;
    struct sq_block poll;
    struct sq_ref retry_queue; /* name NULL: itself */
    struct mdl_dedup_cfg *dedup_window;
    struct mdl_dead_letter_cfg *dead_letter;
};
struct mdl_dedup_cfg {
    sq_time_t keep;
};
struct mdl_dead_letter_cfg {
    sq_time_t retention;
};
enum { MDL_OVERFLOW_DROP_NEW, MDL_OVERFLOW_DROP_OLDEST, MDL_OVERFLOW_BLOCK };
enum { MDL_RECEIVES_ALL, MDL_RECEIVES_UNDEFERRED };
enum { MDL_RETRY_SAME, MDL_RETRY_NEW };
enum { MDL_REQUEUE_TAIL, MDL_REQUEUE_HEAD };

enum mdl_parts { MDL_PART_READY = 1, MDL_PART_DELAYED = 2 }; /* of a queue, for `purge` */

struct mdl_consumer {
    uint16_t id;
    int64_t *wants; /* the pool's: it may fetch from other queues too */
};

/* What is kept of a job that was dead-lettered. */
struct mdl_letter {
    sq_time_t arrived_ns, died_ns;
    uint64_t ordinal;
    uint32_t key, luck; /* luck: attempts of all its lives */
    uint16_t producer;
};

/* Dead letters return: as the action says, and how far it is. */
struct mdl_redrive {
    double rate; /* per second; infinite: all at once */
    int64_t limit;
    sq_time_t since;
    int64_t done, wanted;
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
    uint32_t *ages; /* ready jobs by bin of arrival, for the age of the oldest */
    sq_time_t age_bin;
    size_t age_count, age_first;
    sq_time_t oldest_max;    /* largest age of a job as it stopped being ready */
    struct sq_level dead;    /* dead letters */
    struct sq_level blocked; /* jobs that their producers will offer again */
    int64_t repeated;        /* deliveries acknowledged within the dedup window */
    sq_time_t lease_delay;   /* the lease that `lease_lane` was made for, -1: none */
    int lease_lane;
    uint16_t retry_queue; /* actor */
    struct sq_dist poll;
    bool polls;          /* the gaps are not 0 */
    struct mdl_line due; /* delayed jobs whose time has come, before the next poll */
    sq_time_t poll_at;   /* the first poll that has not been; */
    bool poll_posted;    /* its event is pending */
    uint64_t poll_index;
    uint32_t poll_stream;
    bool keeps_letters;         /* for redrives, or because their number falls with the retention */
    struct mdl_letter *letters; /* a ring, oldest death first */
    size_t letter_head, letter_count, letter_size;
    struct mdl_redrive *redrives; /* of the actions */
    size_t redrive_count;
    struct mdl_elder *elders; /* overflow drop-oldest: a heap of those that wait, oldest first */
    size_t elder_count, elder_size;
    bool paused; /* an operator's pause: nothing is delivered */
};

enum sq_status mdl_queue_init(struct mdl_queue *q, struct mdl_ctx *ctx, const char *name,
                              const struct mdl_queue_cfg *cfg) SQ_MUST_USE;

/* A pool that fetches from it, and where it keeps how many jobs it still wants; borrowed for the
 * run. Call in order of name, before the run. SQ_NOMEM. */
enum sq_status mdl_queue_add_consumer(struct mdl_queue *q, uint16_t id, int64_t *wants) SQ_MUST_USE;

/* A producer whose jobs carry keys. SQ_NOMEM. */
enum sq_status mdl_queue_add_keys(struct mdl_queue *q, uint16_t source, int64_t keys,
                                  const int *keep, const int *removal) SQ_MUST_USE;

/* What an action will do with its dead letters; call before the run, then send MDL_EV_REDRIVE with
 * the number that `index` gets. SQ_NOMEM. */
enum sq_status mdl_queue_add_redrive(struct mdl_queue *q, double rate, int64_t limit,
                                     uint32_t *index) SQ_MUST_USE;

/* Dead letters that could be redriven now. */
int64_t mdl_queue_letters(struct mdl_queue *q);

void mdl_queue_fini(struct mdl_queue *q);

/* `retry_queue` must be set; `bin` is the resolution of the age of the oldest ready job. */
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
