/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue_due.c - the delayed set: jobs go in until a time, and come out when it is due, at a
 * poll, or into another queue. */
#include "models/entity/mdl_queue_in.h"

#include "models/policy/mdl_dist.h"

void mdl_queue_delay(struct mdl_queue *q, uint32_t slot, enum mdl_delay why)
{
    if (mdl_queue_drops(q, slot) || mdl_queue_supersedes(q, slot)) {
        return;
    }
    mdl_queue_leave(q, slot);
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    sq_time_t now = mdl_now(q->ctx);
    bool deferred = why == MDL_DELAY_DEFERRED;
    job->state = deferred ? MDL_JOB_DEFERRED : MDL_JOB_DELAYED;
    sq_level_move(&q->delayed, now, 1);
    if (!deferred && q->cfg->retry_as == MDL_RETRY_NEW) {
        mdl_job_unreceived(q->ctx, slot);
    } else if (why != MDL_DELAY_RETRY && q->cfg->receives_count == MDL_RECEIVES_UNDEFERRED) {
        mdl_job_unreceive(q->ctx, slot);
    }
    if (deferred) {
        sq_level_move(&q->deferred, now, 1);
        mdl_count_up(&job->defers);
        mdl_emit_job(q->ctx, MDL_REC_JOB_DEFERRED, q->id, job, 0, job->since_ns - now);
    } else {
        mdl_emit_job(q->ctx, MDL_REC_JOB_RETRY, q->id, job, why, job->since_ns - now);
    }
    job->due_seq = mdl_post(q->ctx, job->since_ns, q->id, MDL_EV_DUE, slot);
    mdl_queue_note_elder(q, slot);
}

/* ---- polls ---- */

static sq_time_t next_gap(struct mdl_queue *q)
{
    return mdl_draw(q->ctx, &q->poll, q->poll_stream, q->poll_index++, 0, 0);
}

void mdl_queue_start_polls(struct mdl_queue *q)
{
    q->poll = mdl_dist_make(&q->cfg->poll);
    q->polls = q->poll.kind != SQ_DIST_CONSTANT || q->poll.constant > 0;
    q->poll_stream = sq_luck_stream(q->name, "poll", NULL);
    if (q->polls) {
        q->poll_at = next_gap(q);
    }
}

/* Something is due: the next poll will find it. Polls that find nothing need no event. */
static void await_poll(struct mdl_queue *q)
{
    while (q->poll_at < mdl_now(q->ctx)) {
        q->poll_at = sq_time_add(q->poll_at, next_gap(q));
    }
    q->poll_posted = true;
    (void)mdl_post(q->ctx, q->poll_at, q->id, MDL_EV_POLL, 0);
}

/* ---- due ---- */

/* Ready here, or in the queue for retries. */
static void release(struct mdl_queue *q, uint32_t slot)
{
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    if (job->state != MDL_JOB_DELAYED || q->retry_queue == q->id) {
        job->state = MDL_JOB_NEW;
        mdl_queue_make_ready(q, slot, false);
        return;
    }
    job->state = MDL_JOB_NEW;
    job->queue = q->retry_queue;
    mdl_tell(q->ctx, q->retry_queue, MDL_EV_MOVE, 0, slot);
}

void mdl_queue_moved(struct mdl_queue *q, uint32_t slot)
{
    const struct mdl_family *family = mdl_family_of(q->ctx, slot);
    if (family != NULL && family->ended) {
        mdl_copy_drop(q->ctx, slot); /* another copy ended the job meanwhile */
    } else if (!mdl_queue_supersedes(q, slot)) {
        mdl_queue_make_ready(q, slot, false);
    }
}

void mdl_queue_due(struct mdl_queue *q, uint32_t slot, uint64_t seq)
{
    if (!mdl_job_is_due(q->ctx, slot, seq)) {
        return;
    }
    mdl_job_at(q->ctx, slot)->due_seq = 0;
    if (!q->polls) {
        mdl_queue_leave(q, slot);
        release(q, slot);
        return;
    }
    mdl_line_push(&q->due, mdl_queue_links(q), slot);
    if (!q->poll_posted) {
        await_poll(q);
    }
}

void mdl_queue_poll(struct mdl_queue *q)
{
    q->poll_posted = false;
    q->poll_at = sq_time_add(q->poll_at, next_gap(q));
    while (q->due.head != 0) {
        uint32_t slot = q->due.head;
        mdl_queue_leave(q, slot);
        release(q, slot);
    }
}
