/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue_dead.c - dead letters: kept for a time, and redriven as new jobs. */
#include "models/entity/mdl_queue_in.h"

#include <math.h>

static void give_out(struct mdl_queue *q)
{
    q->ctx->failed = true;
    sq_sim_stop(&q->ctx->sim);
}

static struct mdl_letter *letter_at(struct mdl_queue *q, size_t i)
{
    return &q->letters[(q->letter_head + i) % q->letter_size];
}

static bool grow(struct mdl_queue *q)
{
    size_t size = q->letter_size == 0 ? 256 : 2 * q->letter_size;
    struct mdl_letter *ring = sq_mem_alloc(size, sizeof(*ring));
    if (ring == NULL) {
        give_out(q);
        return false;
    }
    for (size_t i = 0; i < q->letter_count; i++) {
        ring[i] = *letter_at(q, i);
    }
    sq_mem_free(q->letters);
    q->letters = ring;
    q->letter_head = 0;
    q->letter_size = size;
    return true;
}

void mdl_queue_bury(struct mdl_queue *q, uint32_t slot)
{
    const struct mdl_job *job = mdl_job_at(q->ctx, slot);
    sq_level_move(&q->dead, mdl_now(q->ctx), 1);
    if (!q->keeps_letters || (q->letter_count == q->letter_size && !grow(q))) {
        return;
    }
    *letter_at(q, q->letter_count++) =
        (struct mdl_letter){ .arrived_ns = job->arrived_ns,
                             .died_ns = mdl_now(q->ctx),
                             .ordinal = job->ordinal,
                             .key = job->key,
                             .luck = mdl_job_luck(q->ctx, slot) + mdl_job_starts(q->ctx, slot),
                             .producer = job->producer };
}

static struct mdl_letter take(struct mdl_queue *q)
{
    struct mdl_letter l = *letter_at(q, 0);
    q->letter_head = (q->letter_head + 1) % q->letter_size;
    q->letter_count--;
    sq_level_move(&q->dead, mdl_now(q->ctx), -1);
    return l;
}

int64_t mdl_queue_letters(struct mdl_queue *q)
{
    sq_time_t retention = q->cfg->dead_letter != NULL ? q->cfg->dead_letter->retention : SQ_NEVER;
    while (q->letter_count > 0 &&
           mdl_now(q->ctx) > sq_time_add(letter_at(q, 0)->died_ns, retention)) {
        (void)take(q);
    }
    return q->dead.now;
}

/* ---- redrives ---- */

enum sq_status mdl_queue_add_redrive(struct mdl_queue *q, double rate, int64_t limit,
                                     uint32_t *index)
{
    struct mdl_redrive *more = sq_arena_alloc(&q->ctx->arena, q->redrive_count + 1, sizeof(*more));
    if (more == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < q->redrive_count; i++) {
        more[i] = q->redrives[i];
    }
    more[q->redrive_count] = (struct mdl_redrive){ .rate = rate, .limit = limit };
    q->redrives = more;
    q->keeps_letters = true;
    *index = (uint32_t)q->redrive_count++;
    return SQ_OK;
}

/* A letter comes back as a new job, which keeps its arrival for its deadline. */
static void revive(struct mdl_queue *q, const struct mdl_letter *l)
{
    struct mdl_ctx *c = q->ctx;
    uint32_t slot = sq_pool_take(&c->jobs);
    struct mdl_more *m = slot != 0 ? mdl_more_get(c, slot) : NULL;
    if (m == NULL) {
        give_out(q);
        return;
    }
    struct mdl_job *job = mdl_job_at(c, slot);
    *job = (struct mdl_job){ .arrived_ns = l->arrived_ns,
                             .ordinal = l->ordinal & MDL_ORDINAL_MASK,
                             .producer = l->producer,
                             .key = l->key,
                             .queue = q->id,
                             .state = MDL_JOB_NEW,
                             .flags = MDL_JOB_REDRIVEN };
    job->flags |= mdl_now(c) >= c->measure_from_ns ? MDL_JOB_MEASURED : 0;
    job->flags |= c->planned_outages > 0 ? MDL_JOB_OUTAGE : 0;
    job->flags |= mdl_now(c) < c->t1_ns ? MDL_JOB_BEFORE_T1 : 0;
    m->born_ns = mdl_now(c);
    m->luck = l->luck;
    c->alive++;
    mdl_emit_job(c, MDL_REC_JOB_ARRIVED, q->id, job, 0, 0);
    mdl_queue_enqueue(q, slot);
}

/* The k-th letter returns k/rate after the first; none returns when arrivals have stopped. */
static void post_next(struct mdl_queue *q, uint32_t index)
{
    const struct mdl_redrive *r = &q->redrives[index];
    sq_time_t at = sq_time_add(r->since, sq_time_from_s((double)r->done / r->rate));
    if (at < q->ctx->duration_ns) {
        (void)mdl_post(q->ctx, at, q->id, MDL_EV_REDRIVE_NEXT, index);
    }
}

void mdl_queue_redrive(struct mdl_queue *q, uint32_t index)
{
    struct mdl_redrive *r = &q->redrives[index];
    (void)mdl_queue_letters(q);
    r->since = mdl_now(q->ctx);
    r->wanted = r->limit == SQ_UNLIMITED ? (int64_t)q->letter_count
                                         : sq_min_i64(r->limit, (int64_t)q->letter_count);
    r->done = 0;
    if (r->wanted > 0) {
        mdl_queue_redrive_next(q, index);
    }
}

void mdl_queue_redrive_next(struct mdl_queue *q, uint32_t index)
{
    struct mdl_redrive *r = &q->redrives[index];
    bool at_once = isinf(r->rate) != 0;
    do {
        (void)mdl_queue_letters(q);
        if (q->letter_count == 0 || r->done == r->wanted || q->ctx->failed) {
            return;
        }
        struct mdl_letter l = take(q);
        r->done++;
        revive(q, &l);
    } while (at_once);
    if (r->done < r->wanted) {
        post_next(q, index);
    }
}

void mdl_queue_fini(struct mdl_queue *q)
{
    sq_mem_free(q->letters);
    sq_mem_free(q->elders);
}
