/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue_keys.c - jobs with keys: the newer one supersedes the older, and what was completed
 * within the dedup window is not done again. */
#include "models/entity/mdl_queue_in.h"

enum sq_status mdl_queue_add_keys(struct mdl_queue *q, uint16_t source, int64_t keys,
                                  const int *keep, const int *removal)
{
    struct sq_arena *arena = &q->ctx->arena;
    struct mdl_keys *k = sq_arena_alloc(arena, 1, sizeof(*k));
    uint32_t *latest = sq_arena_alloc(arena, (size_t)keys, sizeof(*latest));
    if (k == NULL || latest == NULL) {
        return SQ_NOMEM;
    }
    *k = (struct mdl_keys){ .keep = keep, .removal = removal, .latest = latest };
    if (q->cfg->dedup_window != NULL) {
        k->window_ns = &q->cfg->dedup_window->keep;
        k->done_ns = sq_arena_alloc(arena, (size_t)keys, sizeof(*k->done_ns));
        k->executed = sq_arena_alloc(arena, (size_t)keys, sizeof(*k->executed));
        if (k->done_ns == NULL || k->executed == NULL) {
            return SQ_NOMEM;
        }
    }
    q->ctx->sources[source].keys = k;
    return SQ_OK;
}

/* ---- superseding ---- */

/* The rival waits somewhere: it goes at once. */
static void remove_rival(struct mdl_queue *q, uint32_t slot)
{
    struct mdl_job *rival = mdl_job_at(q->ctx, slot);
    if (rival->queue == q->id) {
        mdl_queue_end_job(q, slot, MDL_END_SUPERSEDED);
        return;
    }
    rival->flags |= MDL_JOB_OVERTAKEN;
    mdl_tell(q->ctx, rival->queue, MDL_EV_OVERTAKE, 0, slot);
}

bool mdl_queue_supersede(struct mdl_queue *q, uint32_t slot)
{
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    struct mdl_keys *k = mdl_job_keys(q->ctx, job);
    if (k == NULL) {
        return true;
    }
    uint32_t old = k->latest[job->key - 1];
    if (old != 0) {
        struct mdl_job *rival = mdl_job_at(q->ctx, old);
        if (*k->keep == 1) { /* oldest */
            if (mdl_queue_waits(rival)) {
                mdl_queue_end_job(q, slot, MDL_END_SUPERSEDED);
                return false;
            }
        } else if (*k->removal == 0 && mdl_queue_waits(rival)) { /* eager */
            remove_rival(q, old);
        } else {
            rival->flags |= MDL_JOB_OVERTAKEN;
        }
    }
    k->latest[job->key - 1] = slot;
    return true;
}

void mdl_queue_overtake(struct mdl_queue *q, uint32_t slot)
{
    if (!mdl_job_lives(q->ctx, slot)) {
        return;
    }
    const struct mdl_job *job = mdl_job_at(q->ctx, slot);
    if (job->queue == q->id && (job->flags & MDL_JOB_OVERTAKEN) != 0 && mdl_queue_waits(job)) {
        mdl_queue_end_job(q, slot, MDL_END_SUPERSEDED);
    }
}

/* A job that was superseded in a worker's hands and comes back without having ended goes at once,
 * as those that waited did, unless removal is lazy. */
bool mdl_queue_supersedes(struct mdl_queue *q, uint32_t slot)
{
    const struct mdl_job *job = mdl_job_at(q->ctx, slot);
    if ((job->flags & MDL_JOB_OVERTAKEN) == 0 || *mdl_job_keys(q->ctx, job)->removal != 0) {
        return false;
    }
    mdl_queue_end_job(q, slot, MDL_END_SUPERSEDED);
    return true;
}

/* ---- ends ---- */

void mdl_queue_forget_key(struct mdl_queue *q, const struct mdl_job *job, uint32_t slot,
                          enum mdl_end end)
{
    struct mdl_keys *k = mdl_job_keys(q->ctx, job);
    if (k == NULL) {
        return;
    }
    if (k->latest[job->key - 1] == slot) {
        k->latest[job->key - 1] = 0;
    }
    if (end == MDL_END_COMPLETED && k->done_ns != NULL) {
        k->done_ns[job->key - 1] = mdl_now(q->ctx) + 1;
    }
}

/* The window runs from the completion that was real. */
void mdl_queue_end_repeated(struct mdl_queue *q, uint32_t slot)
{
    const struct mdl_job *job = mdl_job_at(q->ctx, slot);
    const struct mdl_keys *k = mdl_job_keys(q->ctx, job);
    sq_time_t *done = &k->done_ns[job->key - 1], before = *done;
    q->repeated += mdl_now(q->ctx) >= q->ctx->measure_from_ns ? 1 : 0;
    mdl_queue_end_job(q, slot, MDL_END_COMPLETED);
    *done = before;
}
