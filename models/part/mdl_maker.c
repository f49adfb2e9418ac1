/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_maker.c - jobs arrive. */
#include "models/part/mdl_maker.h"

#include "sim/core/sq_fn.h"

enum { BACKLOG = -1 }; /* the source of the jobs that arrive at time 0, first */

#define HELD UINT64_MAX /* arrive_seq of a member whose job would have come during a pause */

/* Shares of the keys 1..i: sums of j^-skew. */
static enum sq_status fill_shares(struct mdl_maker *m, double skew)
{
    double *shares = sq_arena_alloc(&m->ctx->arena, (size_t)m->keys, sizeof(*shares));
    if (shares == NULL) {
        return SQ_NOMEM;
    }
    double sum = 0;
    for (int64_t i = 0; i < m->keys; i++) {
        sum += sq_fn_pow((double)(i + 1), -skew);
        shares[i] = sum;
    }
    for (int64_t i = 0; i < m->keys; i++) {
        shares[i] /= sum;
    }
    m->key_shares = shares;
    return SQ_OK;
}

/* The first key whose share is above u; from 1. */
static uint32_t key_at(const struct mdl_maker *m, double u)
{
    if (m->key_shares == NULL) {
        return (uint32_t)(u * (double)m->keys) + 1;
    }
    uint32_t low = 0, high = (uint32_t)m->keys - 1;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (m->key_shares[mid] > u) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    return low + 1;
}

static void make_job(struct mdl_maker *m, uint64_t ordinal)
{
    struct mdl_ctx *c = m->ctx;
    uint32_t slot = sq_pool_take(&c->jobs);
    if (slot == 0) {
        c->failed = true;
        sq_sim_stop(&c->sim);
        return;
    }
    struct mdl_job *job = mdl_job_at(c, slot); /* of zeros */
    job->arrived_ns = mdl_now(c);
    job->ordinal = ordinal & MDL_ORDINAL_MASK;
    job->producer = m->index;
    job->state = MDL_JOB_NEW;
    job->flags |= mdl_now(c) >= c->measure_from_ns ? MDL_JOB_MEASURED : 0;
    job->flags |= c->planned_outages > 0 ? MDL_JOB_OUTAGE : 0;
    job->flags |= mdl_now(c) < c->t1_ns ? MDL_JOB_BEFORE_T1 : 0;
    if (m->keys > 0) {
        double u = sq_luck_uniform(&c->luck, m->key_stream, job->ordinal, 0, 0);
        job->key = key_at(m, u);
    }
    c->alive++;
    mdl_emit_job(c, MDL_REC_JOB_ARRIVED, m->id, job, 0, 0);
    m->take(m->owner, slot);
}

static void post_next(struct mdl_maker *m, uint32_t source)
{
    sq_time_t at = mdl_arrivals_next(&m->arrivals, source);
    m->arrive_seq[source] = 0;
    if (m->arrivals.failed) {
        m->ctx->failed = true;
        sq_sim_stop(&m->ctx->sim);
    } else if (at < m->ctx->duration_ns) {
        m->arrive_seq[source] = mdl_post(m->ctx, at, m->id, MDL_EV_ARRIVE, source);
    }
}

void mdl_maker_burst(struct mdl_maker *m, int64_t count)
{
    for (int64_t i = 0; i < count && !m->ctx->failed; i++) {
        uint64_t n = m->made++;
        make_job(m, m->closed ? mdl_memberless_ordinal(n) : n);
    }
}

/* A member's job comes, or would have come. */
static void arrive_member(struct mdl_maker *m, uint32_t member)
{
    m->arrive_seq[member] = m->paused ? HELD : 0;
    if (!m->paused) {
        make_job(m, mdl_member_ordinal(member, m->arrivals.counts[member] - 1));
    }
}

void mdl_maker_arrive(struct mdl_maker *m, uint32_t source, uint64_t seq)
{
    if (source == (uint32_t)BACKLOG) {
        mdl_maker_burst(m, m->backlog);
    } else if (m->arrive_seq[source] == seq && m->closed) {
        arrive_member(m, source);
    } else if (m->arrive_seq[source] == seq) {
        if (!m->paused) {
            make_job(m, m->made++);
        }
        post_next(m, source);
    }
}

void mdl_maker_over(struct mdl_maker *m, uint32_t member)
{
    m->arrivals.lasts[member] = mdl_now(m->ctx);
    post_next(m, member);
}

void mdl_maker_pause(struct mdl_maker *m, bool paused)
{
    m->paused = paused;
    for (uint32_t i = 0; m->closed && !paused && i < m->arrivals.sources; i++) {
        if (m->arrive_seq[i] == HELD) {
            m->arrive_seq[i] = mdl_post(m->ctx, mdl_now(m->ctx), m->id, MDL_EV_ARRIVE, i);
        }
    }
}

void mdl_maker_changed(struct mdl_maker *m)
{
    mdl_arrivals_changed(&m->arrivals, mdl_now(m->ctx));
    for (uint32_t i = 0; i < m->arrivals.sources; i++) {
        post_next(m, i);
    }
}

enum sq_status mdl_maker_start(struct mdl_maker *m, struct mdl_ctx *ctx,
                               const struct mdl_maker_ask *ask)
{
    m->ctx = ctx;
    m->backlog = ask->backlog;
    m->keys = ask->keys;
    m->key_stream = sq_luck_stream(ask->name, "key", NULL);
    m->take = ask->take;
    m->owner = ask->owner;
    m->closed = mdl_arrivals_is_closed(ask->arrivals);
    ctx->sources[m->index].closed = m->closed;
    ctx->sources[m->index].maker = m->id;
    uint32_t stream = sq_luck_stream(ask->name, "arrivals", NULL);
    enum sq_status status =
        mdl_arrivals_init(&m->arrivals, ask->arrivals, &ctx->luck, stream, &ctx->arena);
    if (status != SQ_OK) {
        return status;
    }
    m->arrivals.trace = ask->trace;
    m->arrive_seq = sq_arena_alloc(&ctx->arena, m->arrivals.sources, sizeof(*m->arrive_seq));
    if (m->arrive_seq == NULL) {
        return SQ_NOMEM;
    }
    if (m->keys > 0 && ask->skew > 0 && fill_shares(m, ask->skew) != SQ_OK) {
        return SQ_NOMEM;
    }
    if (m->backlog > 0) {
        (void)mdl_post(ctx, 0, m->id, MDL_EV_ARRIVE, (uint32_t)BACKLOG);
    }
    for (uint32_t i = 0; i < m->arrivals.sources; i++) {
        post_next(m, i);
    }
    return SQ_OK;
}
