/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue_in.h - between the files of the queue entity, not for others. */
#ifndef MDL_QUEUE_IN_H
#define MDL_QUEUE_IN_H

#include "models/entity/mdl_queue.h"
#include "models/part/mdl_copy.h"

/* At the broker or before it, in nobody's hands. */
static inline bool mdl_queue_waits(const struct mdl_job *job)
{
    return job->state == MDL_JOB_READY || job->state == MDL_JOB_DELAYED ||
           job->state == MDL_JOB_DEFERRED || job->state == MDL_JOB_BLOCKED;
}

static inline struct mdl_links mdl_queue_links(const struct mdl_queue *q)
{
    return (struct mdl_links){ &q->ctx->jobs, offsetof(struct mdl_job, next) };
}

/* Out of the line, timer or lease that its state means, and out of its level. */
void mdl_queue_leave(struct mdl_queue *q, uint32_t slot);

/* The job ends. `slot` is freed; other copies vanish or run on for nothing. */
void mdl_queue_end_job(struct mdl_queue *q, uint32_t slot, enum mdl_end end);

/* A job in no state becomes ready, in front of the others or behind them, and is handed out if
 * somebody wants it. A stale one ends instead. */
void mdl_queue_make_ready(struct mdl_queue *q, uint32_t slot, bool head);

/* ---- mdl_queue_keys.c ---- */

/* Applies the key of a newcomer; false when it is the newcomer that ends. */
bool mdl_queue_supersede(struct mdl_queue *q, uint32_t slot);

/* An OVERTAKE event. */
void mdl_queue_overtake(struct mdl_queue *q, uint32_t slot);

/* The job ends so; `slot` is that of its message. */
void mdl_queue_forget_key(struct mdl_queue *q, const struct mdl_job *job, uint32_t slot,
                          enum mdl_end end);

/* Acknowledged without a call, within the dedup window. */
void mdl_queue_end_repeated(struct mdl_queue *q, uint32_t slot);

/* A superseded job that has come back without an end: true if it ended now. */
bool mdl_queue_supersedes(struct mdl_queue *q, uint32_t slot);

/* ---- mdl_queue_enter.c ---- */

void mdl_queue_enqueue(struct mdl_queue *q, uint32_t slot);
void mdl_queue_offer(struct mdl_queue *q, uint32_t slot, uint64_t seq);

/* A job has become ready or delayed. */
void mdl_queue_note_elder(struct mdl_queue *q, uint32_t slot);

/* ---- mdl_queue_due.c ---- */

void mdl_queue_start_polls(struct mdl_queue *q);
void mdl_queue_delay(struct mdl_queue *q, uint32_t slot, enum mdl_delay why);
void mdl_queue_due(struct mdl_queue *q, uint32_t slot, uint64_t seq);
void mdl_queue_poll(struct mdl_queue *q);
void mdl_queue_moved(struct mdl_queue *q, uint32_t slot);

/* ---- mdl_queue_dead.c ---- */

/* A job is about to end as a dead letter. */
void mdl_queue_bury(struct mdl_queue *q, uint32_t slot);
void mdl_queue_redrive(struct mdl_queue *q, uint32_t index);
void mdl_queue_redrive_next(struct mdl_queue *q, uint32_t index);

/* ---- mdl_queue_lease.c ---- */

void mdl_queue_start_lease(struct mdl_queue *q, uint32_t slot);
void mdl_queue_end_lease(struct mdl_queue *q, uint32_t slot);

/* An EXPIRE event. */
void mdl_queue_expire(struct mdl_queue *q, uint32_t slot, uint64_t seq);

/* A copy that is in hand without being the message: dropped, and true. */
bool mdl_queue_drops(struct mdl_queue *q, uint32_t slot);

/* A leased job is in nobody's hands any more and comes back when the lease ends. */
void mdl_queue_let_go(struct mdl_queue *q, uint32_t slot, enum mdl_loose why);

/* A leased job comes back undone, now. */
void mdl_queue_redeliver(struct mdl_queue *q, uint32_t slot);

/* A leased job stays in hand for a retry at its `since_ns`. */
void mdl_queue_hold(struct mdl_queue *q, uint32_t slot, enum mdl_delay why);

/* The job of this copy has ended by another one: it goes, unless it is in hand. */
void mdl_queue_vanish(struct mdl_queue *q, uint32_t slot);

/* ---- mdl_queue_purge.c ---- */

/* Drops the oldest jobs of the parts until only `keep` are left. */
void mdl_queue_purge(struct mdl_queue *q, uint32_t keep, unsigned parts);

#endif
