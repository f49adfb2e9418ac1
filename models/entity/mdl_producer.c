/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_producer.c - the producer entity. */
#include "models/entity/mdl_producer.h"

#include "models/policy/mdl_dist.h"
#include "sim/conf/sq_rows.h"

static const char *const check_words[] = { "enqueue", "delivery", "call", NULL };
static const char *const keep_words[] = { "newest", "oldest", NULL };
static const char *const removal_words[] = { "eager", "lazy", NULL };

static const struct sq_field supersede_rows[] = {
    SQ_ROW_AMOUNT_IN(struct mdl_supersede_cfg, keys, "keys", NULL, 1, 4e9, SQ_F_STAR,
                     "Each job draws one of so many keys."),
    SQ_ROW_LATER("skew", "Zipf exponent of the keys."),
    SQ_ROW_CHOICE(struct mdl_supersede_cfg, keep, "keep", "newest", keep_words, 0,
                  "Which of two jobs with one key stays."),
    SQ_ROW_CHOICE(struct mdl_supersede_cfg, removal, "removal", "eager", removal_words, 0,
                  "At the newer arrival, or at the old job's delivery."),
};
static const struct sq_table supersede_table = { .type = "supersede",
                                                 .rows = SQ_ROWS(supersede_rows),
                                                 .size = sizeof(struct mdl_supersede_cfg) };

static const struct sq_field producer_rows[] = {
    SQ_ROW_REF(struct mdl_producer_cfg, queue, "queue", "queues", 0, "Where its jobs go."),
    SQ_ROW_BLOCK(struct mdl_producer_cfg, arrivals, "arrivals", NULL, &mdl_arrivals_family,
                 SQ_F_LIVE, "When jobs arrive."),
    SQ_ROW_AMOUNT(struct mdl_producer_cfg, backlog, "backlog", "0", 0, 0,
                  "Jobs that arrive at time 0, first."),
    SQ_ROW_TIME(struct mdl_producer_cfg, deadline, "deadline", "none", SQ_F_NONE | SQ_F_LIVE,
                "Older jobs are stale."),
    SQ_ROW_CHOICE(struct mdl_producer_cfg, deadline_check, "deadline_check", "call", check_words, 0,
                  "The last place where the deadline is checked."),
    SQ_ROW_GROUP(struct mdl_producer_cfg, supersede, "supersede", NULL, &supersede_table,
                 SQ_F_OPTIONAL | SQ_F_NONE, "A newer job makes older ones with its key needless."),
    SQ_ROW_LATER("permanent", "Share of jobs whose calls always fail."),
    SQ_ROW_BLOCK(struct mdl_producer_cfg, work, "work", "0s", &mdl_dist_family, 0,
                 "Own work at the start of each attempt, in the slot."),
    SQ_ROW_NUMBER(struct mdl_producer_cfg, service_scale, "service_scale", "1", 0, 1e6,
                  SQ_F_ABOVE_MIN, "Multiplies the service times of its calls."),
    SQ_ROW_LATER("priority", "0 is the most important."),
};
const struct sq_table mdl_producer_table = { .type = "producer",
                                             .rows = SQ_ROWS(producer_rows),
                                             .size = sizeof(struct mdl_producer_cfg) };

enum { BACKLOG = -1 }; /* the source of the jobs that arrive at time 0, first */

static void make_job(struct mdl_producer *p)
{
    struct mdl_ctx *c = p->ctx;
    uint32_t slot = sq_pool_take(&c->jobs);
    if (slot == 0) {
        c->failed = true;
        sq_sim_stop(&c->sim);
        return;
    }
    struct mdl_job *job = mdl_job_at(c, slot);
    *job = (struct mdl_job){
        .arrived_ns = mdl_now(c), .ordinal = p->made++, .producer = p->index, .state = MDL_JOB_NEW
    };
    job->flags |= mdl_now(c) >= c->measure_from_ns ? MDL_JOB_MEASURED : 0;
    job->flags |= c->planned_outages > 0 ? MDL_JOB_OUTAGE : 0;
    job->flags |= mdl_now(c) < c->t1_ns ? MDL_JOB_BEFORE_T1 : 0;
    if (p->cfg->supersede != NULL) {
        double u = sq_luck_uniform(&c->luck, p->key_stream, job->ordinal, 0, 0);
        job->key = (uint32_t)(u * (double)p->cfg->supersede->keys) + 1;
    }
    c->alive++;
    mdl_emit_job(c, MDL_REC_JOB_ARRIVED, p->id, job, 0, 0);
    mdl_tell(c, p->queue, MDL_EV_ENQUEUE, 0, slot);
}

static void post_next(struct mdl_producer *p, uint32_t source)
{
    sq_time_t at = mdl_arrivals_next(&p->arrivals, source);
    p->arrive_seq[source] = 0;
    if (at < p->ctx->duration_ns) {
        p->arrive_seq[source] = mdl_post(p->ctx, at, p->id, MDL_EV_ARRIVE, source);
    }
}

static void on_changed(struct mdl_producer *p)
{
    mdl_arrivals_changed(&p->arrivals, mdl_now(p->ctx));
    for (uint32_t i = 0; i < p->arrivals.sources; i++) {
        post_next(p, i);
    }
}

static void on_event(void *self, struct sq_msg m, uint64_t seq)
{
    struct mdl_producer *p = self;
    if (m.kind == MDL_EV_CHANGED) {
        on_changed(p);
        return;
    }
    SQ_ASSERT(m.kind == MDL_EV_ARRIVE);
    if (m.slot == (uint32_t)BACKLOG) {
        for (int64_t i = 0; i < p->cfg->backlog && !p->ctx->failed; i++) {
            make_job(p);
        }
        return;
    }
    if (p->arrive_seq[m.slot] == seq) {
        make_job(p);
        post_next(p, m.slot);
    }
}

enum sq_status mdl_producer_init(struct mdl_producer *p, struct mdl_ctx *ctx, const char *name,
                                 const struct mdl_producer_cfg *cfg)
{
    *p = (struct mdl_producer){
        .ctx = ctx, .name = name, .cfg = cfg, .key_stream = sq_luck_stream(name, "key", NULL)
    };
    return sq_sim_add(&ctx->sim, on_event, p, &p->id);
}

enum sq_status mdl_producer_start(struct mdl_producer *p, uint16_t queue,
                                  const struct sq_trace *trace)
{
    uint32_t stream = sq_luck_stream(p->name, "arrivals", NULL);
    enum sq_status status =
        mdl_arrivals_init(&p->arrivals, &p->cfg->arrivals, &p->ctx->luck, stream, &p->ctx->arena);
    if (status != SQ_OK) {
        return status;
    }
    p->arrive_seq = sq_arena_alloc(&p->ctx->arena, p->arrivals.sources, sizeof(uint64_t));
    if (p->arrive_seq == NULL) {
        return SQ_NOMEM;
    }
    p->queue = queue;
    p->arrivals.trace = trace;
    if (p->cfg->backlog > 0) {
        (void)mdl_post(p->ctx, 0, p->id, MDL_EV_ARRIVE, (uint32_t)BACKLOG);
    }
    for (uint32_t i = 0; i < p->arrivals.sources; i++) {
        post_next(p, i);
    }
    return SQ_OK;
}
