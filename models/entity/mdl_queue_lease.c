/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue_lease.c - leases of deliveries: they run, are renewed, expire, and make copies. */
#include "models/entity/mdl_queue_in.h"

/* When the broker notices that a lease has ended. */
static sq_time_t noticed_at(const struct mdl_queue *q, sq_time_t end)
{
    sq_time_t sweep = q->cfg->sweep;
    return sweep == 0 ? end : sq_time_add(end, (sweep - end % sweep) % sweep);
}

/* The lane for the lease in force, looked up again when a `set` action changed it. */
static uint64_t post_in_lane(struct mdl_queue *q, uint32_t slot, sq_time_t length)
{
    if (q->lease_delay != length) {
        q->lease_delay = length;
        q->lease_lane = sq_evq_lane(q->ctx->sim.evq, length, MDL_RANK_DUE);
    }
    if (q->lease_lane < 0) {
        return mdl_post(q->ctx, sq_time_add(mdl_now(q->ctx), length), q->id, MDL_EV_EXPIRE, slot);
    }
    uint64_t load = sq_msg_pack((struct sq_msg){ q->id, MDL_EV_EXPIRE, 0, slot });
    return sq_evq_push_lane(q->ctx->sim.evq, q->lease_lane, load);
}

/* Runs from now on. */
static void run_lease(struct mdl_queue *q, uint32_t slot)
{
    struct mdl_more *m = mdl_more_find(q->ctx, slot);
    m->leased_ns = mdl_now(q->ctx);
    if (q->cfg->sweep == 0) {
        m->lease_seq = post_in_lane(q, slot, m->lease_ns);
    } else {
        sq_time_t end = noticed_at(q, sq_time_add(mdl_now(q->ctx), m->lease_ns));
        m->lease_seq = mdl_post(q->ctx, end, q->id, MDL_EV_EXPIRE, slot);
    }
}

void mdl_queue_start_lease(struct mdl_queue *q, uint32_t slot)
{
    if (q->cfg->visibility_timeout == SQ_NEVER) {
        return;
    }
    struct mdl_more *m = mdl_more_get(q->ctx, slot);
    if (m == NULL) {
        return;
    }
    m->lease_ns = q->cfg->visibility_timeout;
    m->leased_ns = mdl_now(q->ctx);
    m->waits = 0;
    if (!q->cfg->renew) {
        run_lease(q, slot);
    }
}

void mdl_queue_end_lease(struct mdl_queue *q, uint32_t slot)
{
    struct mdl_more *m = mdl_more_find(q->ctx, slot);
    if (m == NULL) {
        return;
    }
    m->loose = MDL_LOOSE_NOT;
    if (m->lease_seq != 0) {
        m->lease_seq = 0;
        sq_evq_stale(q->ctx->sim.evq);
    }
}

bool mdl_queue_drops(struct mdl_queue *q, uint32_t slot)
{
    bool expired = mdl_job_at(q->ctx, slot)->state == MDL_JOB_EXPIRED;
    if (expired) {
        mdl_copy_drop(q->ctx, slot);
    }
    return expired;
}

void mdl_queue_let_go(struct mdl_queue *q, uint32_t slot, enum mdl_loose why)
{
    if (mdl_queue_drops(q, slot)) {
        return;
    }
    struct mdl_more *m = mdl_more_get(q->ctx, slot);
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    if (m == NULL) {
        return;
    }
    if (m->lease_seq == 0) { /* it was renewed until now */
        run_lease(q, slot);
    }
    m->loose = (uint8_t)why;
    m->due_ns = why == MDL_LOOSE_CRASHED ? job->since_ns : 0;
    if (why == MDL_LOOSE_RETRY) {
        sq_time_t rest = sq_time_add(m->leased_ns, m->lease_ns) - mdl_now(q->ctx);
        mdl_emit_job(q->ctx, MDL_REC_JOB_RETRY, q->id, job, MDL_DELAY_RETRY, rest);
    }
}

static bool requeues_at_head(const struct mdl_queue *q)
{
    return q->cfg->requeue == MDL_REQUEUE_HEAD;
}

enum back { BACK_RETRY, BACK_UNDONE, BACK_COPY };

/* The message in a slot that is in nobody's hands becomes ready again. */
static void come_back(struct mdl_queue *q, uint32_t slot, enum back why)
{
    bool undone = why != BACK_RETRY;
    if (mdl_queue_supersedes(q, slot)) {
        return;
    }
    mdl_queue_leave(q, slot);
    if (undone) {
        struct mdl_job *job = mdl_job_at(q->ctx, slot);
        job->flags |= MDL_JOB_RETURNED;
        mdl_emit_job(q->ctx, MDL_REC_JOB_REDELIVERED, q->id, job, 0, why == BACK_COPY ? 1 : 0);
    }
    mdl_queue_make_ready(q, slot, undone && requeues_at_head(q));
}

void mdl_queue_redeliver(struct mdl_queue *q, uint32_t slot)
{
    const struct mdl_job *job = mdl_job_at(q->ctx, slot);
    if (job->since_ns > mdl_now(q->ctx)) { /* held in memory: it keeps its due time */
        struct mdl_more *m = mdl_more_get(q->ctx, slot);
        if (m == NULL) {
            return;
        }
        m->due_ns = job->since_ns;
    }
    come_back(q, slot, BACK_UNDONE);
}

void mdl_queue_hold(struct mdl_queue *q, uint32_t slot, enum mdl_delay why)
{
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    if (job->state != MDL_JOB_LEASED && job->state != MDL_JOB_SETTLED) {
        return;
    }
    mdl_emit_job(q->ctx, MDL_REC_JOB_RETRY, q->id, job, why, job->since_ns - mdl_now(q->ctx));
    if (q->cfg->retry_as == MDL_RETRY_NEW) { /* published anew, and received at once */
        mdl_queue_leave(q, slot);
        job->state = MDL_JOB_LEASED;
        sq_level_move(&q->leased, mdl_now(q->ctx), 1);
        mdl_job_unreceived(q->ctx, slot);
        mdl_job_receive(q->ctx, slot);
        mdl_queue_start_lease(q, slot);
    }
}

/* The message moves on from a holder that lives. */
static void copy(struct mdl_queue *q, uint32_t slot)
{
    mdl_queue_leave(q, slot);
    uint32_t made = mdl_copy_split(q->ctx, slot);
    if (made == 0) {
        return;
    }
    const struct mdl_job *job = mdl_job_at(q->ctx, slot);
    struct mdl_keys *k = mdl_job_keys(q->ctx, job);
    if (k != NULL && k->latest[job->key - 1] == slot) {
        k->latest[job->key - 1] = made;
    }
    mdl_more_find(q->ctx, made)->due_ns = job->since_ns;
    come_back(q, made, BACK_COPY);
}

void mdl_queue_expire(struct mdl_queue *q, uint32_t slot, uint64_t seq)
{
    if (!mdl_lease_runs(q->ctx, slot, seq)) {
        return;
    }
    struct mdl_more *m = mdl_more_find(q->ctx, slot);
    sq_time_t now = mdl_now(q->ctx);
    sq_time_t end = noticed_at(q, sq_time_add(m->waits ? now : m->leased_ns, m->lease_ns));
    m->lease_seq = 0;
    if (end > now) { /* renewed at a control */
        m->lease_seq = mdl_post(q->ctx, end, q->id, MDL_EV_EXPIRE, slot);
    } else if (m->loose != MDL_LOOSE_NOT) {
        come_back(q, slot, m->loose == MDL_LOOSE_CRASHED ? BACK_UNDONE : BACK_RETRY);
    } else {
        copy(q, slot);
    }
}

void mdl_queue_vanish(struct mdl_queue *q, uint32_t slot)
{
    struct mdl_family *family = mdl_job_lives(q->ctx, slot) ? mdl_family_of(q->ctx, slot) : NULL;
    if (family == NULL || !family->ended || family->current != slot) {
        return;
    }
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    if (job->queue != q->id) {
        q->ctx->vanishing++;
        mdl_tell(q->ctx, job->queue, MDL_EV_VANISH, 0, slot);
        return;
    }
    if (job->state == MDL_JOB_NEW) {
        return; /* on its way here from another queue: it goes when it comes */
    }
    const struct mdl_more *m = mdl_more_find(q->ctx, slot);
    bool in_hand = job->state == MDL_JOB_SETTLED ||
                   (job->state == MDL_JOB_LEASED && m->loose == MDL_LOOSE_NOT);
    mdl_queue_leave(q, slot);
    family->current = 0;
    if (in_hand) {
        job->state = MDL_JOB_EXPIRED;
    } else {
        mdl_copy_drop(q->ctx, slot);
    }
}
