/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue_enter.c - new jobs: superseding, deadline, capacity (SCENARIO 12.2), and what becomes
 * of those that a full queue turns away. */
#include "models/entity/mdl_queue_in.h"

#define OFFERED_EVERY SQ_NS_PER_S

/* ---- the oldest of those that wait ----
 *
 * A heap by age of all jobs that became ready or delayed. A job that has left the queue since is
 * found out when its turn comes; when most of them have, the heap is made anew. */

struct mdl_elder {
    sq_time_t arrived;
    uint64_t ordinal;
    uint32_t slot;
    uint16_t producer;
};

static bool is_older(const struct mdl_elder *a, const struct mdl_elder *b)
{
    if (a->arrived != b->arrived) {
        return a->arrived < b->arrived;
    }
    return a->producer != b->producer ? a->producer < b->producer : a->ordinal < b->ordinal;
}

static void sink(struct mdl_elder *heap, size_t count, size_t i)
{
    struct mdl_elder it = heap[i];
    for (size_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
        child += child + 1 < count && is_older(&heap[child + 1], &heap[child]) ? 1 : 0;
        if (!is_older(&heap[child], &it)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = it;
}

static bool still_waits(const struct mdl_queue *q, const struct mdl_elder *e)
{
    if (!mdl_job_lives(q->ctx, e->slot)) {
        return false;
    }
    const struct mdl_job *job = mdl_job_at(q->ctx, e->slot);
    return job->queue == q->id && job->ordinal == e->ordinal && job->producer == e->producer &&
           mdl_queue_waits(job) && job->state != MDL_JOB_BLOCKED;
}

/* Only those stay that still wait, once each. */
static void make_anew(struct mdl_queue *q)
{
    const struct sq_pool *jobs = &q->ctx->jobs;
    size_t count = 0;
    for (uint32_t slot = 1; slot <= jobs->fresh; slot++) {
        const struct mdl_job *job = mdl_job_at(q->ctx, slot);
        struct mdl_elder e = { 0 };
        if (mdl_job_lives(q->ctx, slot)) {
            e = (struct mdl_elder){ job->arrived_ns, job->ordinal, slot, job->producer };
        }
        if (e.slot != 0 && still_waits(q, &e)) {
            q->elders[count++] = e;
        }
    }
    q->elder_count = count;
    for (size_t i = count / 2; i > 0; i--) {
        sink(q->elders, count, i - 1);
    }
}

void mdl_queue_note_elder(struct mdl_queue *q, uint32_t slot)
{
    if (q->cfg->overflow != MDL_OVERFLOW_DROP_OLDEST || q->ctx->failed) {
        return;
    }
    if (q->elder_count == q->elder_size) {
        size_t living = (size_t)(q->ready.now + q->delayed.now);
        size_t size = 2 * living + 1024;
        if (size > q->elder_size) {
            struct mdl_elder *grown = sq_mem_resize(q->elders, size, sizeof(*grown));
            if (grown == NULL) {
                q->ctx->failed = true;
                sq_sim_stop(&q->ctx->sim);
                return;
            }
            q->elders = grown;
            q->elder_size = size;
        }
        make_anew(q); /* the job itself among them */
        return;
    }
    const struct mdl_job *job = mdl_job_at(q->ctx, slot);
    size_t i = q->elder_count++;
    struct mdl_elder e = { job->arrived_ns, job->ordinal, slot, job->producer };
    while (i > 0 && is_older(&e, &q->elders[(i - 1) / 2])) {
        q->elders[i] = q->elders[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    q->elders[i] = e;
}

/* Drops the oldest of those that wait. */
static void drop_oldest(struct mdl_queue *q)
{
    while (q->elder_count > 0) {
        struct mdl_elder e = q->elders[0];
        q->elders[0] = q->elders[--q->elder_count];
        if (q->elder_count > 0) {
            sink(q->elders, q->elder_count, 0);
        }
        if (still_waits(q, &e)) {
            mdl_queue_end_job(q, e.slot, MDL_END_DROPPED);
            return;
        }
    }
}

/* ---- capacity ---- */

static bool is_full(const struct mdl_queue *q)
{
    return q->cfg->capacity != SQ_UNLIMITED && q->ready.now + q->delayed.now >= q->cfg->capacity;
}

/* Its deadline has passed: it ends. */
static bool is_stale(struct mdl_queue *q, uint32_t slot)
{
    bool stale = mdl_job_is_stale(q->ctx, mdl_job_at(q->ctx, slot), MDL_CHECK_ENQUEUE);
    if (stale) {
        mdl_queue_end_job(q, slot, MDL_END_STALE);
    }
    return stale;
}

static void block(struct mdl_queue *q, uint32_t slot)
{
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    sq_time_t at = sq_time_add(mdl_now(q->ctx), OFFERED_EVERY);
    job->state = MDL_JOB_BLOCKED;
    job->due_seq = mdl_post(q->ctx, at, q->id, MDL_EV_OFFER, slot);
    sq_level_move(&q->blocked, mdl_now(q->ctx), 1);
}

/* A job that no newer one has superseded. */
static void enter(struct mdl_queue *q, uint32_t slot)
{
    if (is_stale(q, slot)) {
        return;
    }
    if (!is_full(q)) {
        mdl_queue_make_ready(q, slot, false);
    } else if (q->cfg->overflow == MDL_OVERFLOW_DROP_NEW) {
        mdl_queue_end_job(q, slot, MDL_END_DROPPED);
    } else if (q->cfg->overflow == MDL_OVERFLOW_BLOCK) {
        block(q, slot);
    } else {
        drop_oldest(q);
        mdl_queue_make_ready(q, slot, false);
    }
}

void mdl_queue_enqueue(struct mdl_queue *q, uint32_t slot)
{
    q->offered++;
    mdl_job_at(q->ctx, slot)->queue = q->id;
    if (mdl_queue_supersede(q, slot)) {
        enter(q, slot);
    }
}

void mdl_queue_offer(struct mdl_queue *q, uint32_t slot, uint64_t seq)
{
    if (!mdl_job_is_due(q->ctx, slot, seq)) {
        return;
    }
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    job->due_seq = 0;
    job->state = MDL_JOB_NEW;
    sq_level_move(&q->blocked, mdl_now(q->ctx), -1);
    enter(q, slot);
}
