/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_producer.c - the producer entity. */
#include "models/entity/mdl_producer.h"

#include "models/policy/mdl_discipline.h"
#include "models/policy/mdl_dist.h"
#include "sim/conf/sq_rows.h"

static const char *const check_words[] = { "enqueue", "delivery", "call", NULL };
static const char *const keep_words[] = { "newest", "oldest", NULL };
static const char *const removal_words[] = { "eager", "lazy", NULL };

static const struct sq_field supersede_rows[] = {
    SQ_ROW_AMOUNT_IN(struct mdl_supersede_cfg, keys, "keys", NULL, 1, 4e9, SQ_F_STAR,
                     "Each job draws one of so many keys."),
    SQ_ROW_NUMBER(struct mdl_supersede_cfg, skew, "skew", "0", 0, 100, 0,
                  "Zipf exponent: key i is drawn in proportion to i^-skew; 0: all alike."),
    SQ_ROW_CHOICE(struct mdl_supersede_cfg, keep, "keep", "newest", keep_words, 0,
                  "Which of two jobs with one key stays."),
    SQ_ROW_CHOICE(struct mdl_supersede_cfg, removal, "removal", "eager", removal_words, 0,
                  "At the newer arrival, or at the old job's delivery."),
};
static void check_supersede(const void *cfg, const struct sq_node *node, const char *path,
                            struct sq_diag *diag)
{
    const struct mdl_supersede_cfg *s = cfg;
    if (s->skew > 0 && s->keys > MDL_ZIPF_KEYS_MAX) {
        sq_diag_error(diag, node->where, path, "use fewer keys, or skew: 0",
                      "with a skew at most %d keys are possible", MDL_ZIPF_KEYS_MAX);
    }
}

static const struct sq_table supersede_table = { .type = "supersede",
                                                 .rows = SQ_ROWS(supersede_rows),
                                                 .size = sizeof(struct mdl_supersede_cfg),
                                                 .check = check_supersede };

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
    SQ_ROW_RATIO(struct mdl_producer_cfg, permanent, "permanent", "0%", SQ_F_LIVE,
                 "Share of jobs that are poison: each of their calls fails with `permanent`."),
    SQ_ROW_BLOCK(struct mdl_producer_cfg, work, "work", "0s", &mdl_dist_family, 0,
                 "Own work at the start of each attempt, in the slot."),
    SQ_ROW_NUMBER(struct mdl_producer_cfg, service_scale, "service_scale", "1", 0, 1e6,
                  SQ_F_ABOVE_MIN, "Multiplies the service times of its calls."),
    SQ_ROW_AMOUNT_IN(struct mdl_producer_cfg, priority, "priority", "0", 0, MDL_LEVELS - 1, 0,
                     "0 is the most important; for lines with discipline priority."),
};
const struct sq_table mdl_producer_table = { .type = "producer",
                                             .rows = SQ_ROWS(producer_rows),
                                             .size = sizeof(struct mdl_producer_cfg) };

static void into_queue(void *self, uint32_t job)
{
    struct mdl_producer *p = self;
    mdl_tell(p->ctx, p->queue, MDL_EV_ENQUEUE, 0, job);
}

static void on_event(void *self, struct sq_msg m, uint64_t seq)
{
    struct mdl_producer *p = self;
    switch (m.kind) {
    case MDL_EV_ARRIVE:
        mdl_maker_arrive(&p->maker, m.slot, seq);
        break;
    case MDL_EV_JOB_OVER:
        mdl_maker_over(&p->maker, m.slot);
        break;
    case MDL_EV_BURST:
        mdl_maker_burst(&p->maker, m.slot);
        break;
    case MDL_EV_PAUSE:
        mdl_maker_pause(&p->maker, m.extra == 1);
        break;
    case MDL_EV_CHANGED: /* extra 1: the arrivals; all else is read when it is needed */
        mdl_source_poison(p->ctx, p->index, p->cfg->permanent);
        if (m.extra == 1) {
            mdl_maker_changed(&p->maker);
        }
        break;
    default:
        SQ_UNREACHABLE("a producer gets no such event");
    }
}

enum sq_status mdl_producer_init(struct mdl_producer *p, struct mdl_ctx *ctx, const char *name,
                                 const struct mdl_producer_cfg *cfg)
{
    *p = (struct mdl_producer){ .ctx = ctx, .name = name, .cfg = cfg };
    enum sq_status status = sq_sim_add(&ctx->sim, on_event, p, &p->id);
    p->maker.id = p->id;
    return status;
}

enum sq_status mdl_producer_start(struct mdl_producer *p, uint16_t queue,
                                  const struct sq_trace *trace)
{
    p->queue = queue;
    p->maker.index = p->index;
    return mdl_maker_start(
        &p->maker, p->ctx,
        &(struct mdl_maker_ask){ .name = p->name,
                                 .arrivals = &p->cfg->arrivals,
                                 .trace = trace,
                                 .backlog = p->cfg->backlog,
                                 .keys = p->cfg->supersede != NULL ? p->cfg->supersede->keys : 0,
                                 .skew = p->cfg->supersede != NULL ? p->cfg->supersede->skew : 0,
                                 .take = into_queue,
                                 .owner = p });
}
