/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_operator.c - the operator entity: planned actions. */
#include "models/entity/mdl_operator.h"

#include "sim/conf/sq_rows.h"

static const struct sq_field value_element = { .key = "value",
                                               .type = SQ_RAW,
                                               .doc = "The new value." };
static const struct sq_field burst_element = {
    .key = "count", .type = SQ_AMOUNT, .min = 1, .max = 4e9, .doc = "So many jobs."
};
static const struct sq_field entity_element = { .key = "entity",
                                                .type = SQ_TEXT,
                                                .doc = "A queue, pool, producer or client." };
static const char *const part_words[] = { "ready", "delayed", NULL };
static const struct sq_field part_element = {
    .key = "part", .type = SQ_CHOICE, .more = part_words, .doc = "A part of the queue."
};
static const struct sq_field purge_rows[] = {
    SQ_ROW_REF(struct mdl_purge_cfg, queue, "queue", "queues", SQ_F_STAR, "The queue."),
    SQ_ROW_AMOUNT_IN(struct mdl_purge_cfg, keep, "keep", "0", 0, 4e9, 0,
                     "So many of the youngest stay."),
    SQ_ROW_LIST(struct mdl_purge_cfg, parts, "parts", "[ready, delayed]", &part_element, SQ_F_ONE,
                "Which parts of the queue."),
};
static const struct sq_table purge_table = { .type = "purge",
                                             .rows = SQ_ROWS(purge_rows),
                                             .size = sizeof(struct mdl_purge_cfg) };
static const struct sq_field deploy_rows[] = {
    SQ_ROW_REF(struct mdl_deploy_cfg, workers, "workers", "workers", SQ_F_STAR, "The worker pool."),
    SQ_ROW_RATIO(struct mdl_deploy_cfg, at_once, "at_once", "25%", 0,
                 "Share of the replicas that is replaced at a time, at least one."),
};
static const struct sq_table deploy_table = { .type = "deploy",
                                              .rows = SQ_ROWS(deploy_rows),
                                              .size = sizeof(struct mdl_deploy_cfg) };
static const struct sq_field redrive_rows[] = {
    SQ_ROW_REF(struct mdl_redrive_cfg, queue, "queue", "queues", SQ_F_STAR,
               "The queue; its jobs return to it."),
    SQ_ROW_RATE(struct mdl_redrive_cfg, rate, "rate", "unlimited", SQ_F_UNLIMITED,
                "So many return per second; unlimited: all at once."),
    SQ_ROW_AMOUNT(struct mdl_redrive_cfg, limit, "limit", "unlimited", 1, SQ_F_UNLIMITED,
                  "At most so many return, oldest first."),
};
static const struct sq_table redrive_table = { .type = "redrive",
                                               .rows = SQ_ROWS(redrive_rows),
                                               .size = sizeof(struct mdl_redrive_cfg) };
static const struct sq_field action_rows[] = {
    SQ_ROW_TIME(struct mdl_action_cfg, at, "at", NULL, 0, "When."),
    SQ_ROW_MAP(struct mdl_action_cfg, set, "set", &value_element, SQ_F_ANY_KEY | SQ_F_OPTIONAL,
               "Paths and their new values."),
    SQ_ROW_MAP(struct mdl_action_cfg, burst, "burst", &burst_element, SQ_F_OPTIONAL,
               "So many jobs of producers or clients arrive now."),
    SQ_ROW_LIST(struct mdl_action_cfg, pause, "pause", NULL, &entity_element,
                SQ_F_OPTIONAL | SQ_F_ONE,
                "Queues deliver, workers fetch, producers and clients create nothing."),
    SQ_ROW_LIST(struct mdl_action_cfg, resume, "resume", NULL, &entity_element,
                SQ_F_OPTIONAL | SQ_F_ONE, "Paused entities go on."),
    SQ_ROW_GROUP(struct mdl_action_cfg, purge, "purge", NULL, &purge_table, SQ_F_OPTIONAL,
                 "Drops the oldest jobs of a queue."),
    SQ_ROW_GROUP(struct mdl_action_cfg, redrive, "redrive", NULL, &redrive_table, SQ_F_OPTIONAL,
                 "Dead letters return as new jobs."),
    SQ_ROW_GROUP(struct mdl_action_cfg, deploy, "deploy", NULL, &deploy_table, SQ_F_OPTIONAL,
                 "Replicas are replaced in batches, with grace and start_up."),
    SQ_ROW_TEXT(struct mdl_action_cfg, note, "note", NULL, SQ_F_OPTIONAL, "For charts."),
};

static void check_action(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    const struct mdl_action_cfg *a = cfg;
    int verbs = (a->set.count > 0) + (a->burst.count > 0) + (a->pause.count > 0) +
                (a->resume.count > 0) + (a->purge != NULL) + (a->redrive != NULL) +
                (a->deploy != NULL);
    if (verbs != 1) {
        sq_diag_error(diag, node->where, path, "for example set: {workers.w.replicas: 4}",
                      verbs == 0 ? "the action does nothing" : "one action has one verb");
    }
}

static const struct sq_table action_table = { .type = "action",
                                              .rows = SQ_ROWS(action_rows),
                                              .size = sizeof(struct mdl_action_cfg),
                                              .check = check_action };
const struct sq_field mdl_action_element = {
    .key = "action", .type = SQ_GROUP, .more = &action_table, .doc = "One action."
};

static void on_event(void *self, struct sq_msg m, uint64_t seq)
{
    (void)seq;
    struct mdl_operator *o = self;
    SQ_ASSERT(m.kind == MDL_EV_ACTION);
    struct sq_conf conf = { .arena = &o->ctx->arena, .diag = &o->diag };
    bool changed = false;
    mdl_emit_entity(o->ctx, MDL_REC_ACTION, o->id, 0, m.slot);
    for (size_t i = 0; i < o->assignment_count; i++) {
        const struct mdl_assignment *a = &o->assignments[i];
        if (a->action != m.slot) {
            continue;
        }
        if (sq_conf_value(&conf, a->value, a->place.row, a->path, a->place.at) != SQ_OK) {
            o->ctx->failed = true; /* the text was checked at load: out of memory */
            sq_sim_stop(&o->ctx->sim);
            return;
        }
        changed = true;
        mdl_tell(o->ctx, a->entity, MDL_EV_CHANGED, a->arrivals ? 1 : 0, 0);
    }
    if (changed && o->prepare(o->world) != SQ_OK) {
        o->ctx->failed = true;
        sq_sim_stop(&o->ctx->sim);
    }
    for (size_t i = 0; i < o->order_count; i++) {
        const struct mdl_order *order = &o->orders[i];
        if (order->action == m.slot) {
            mdl_tell(o->ctx, order->entity, order->kind, order->extra, order->slot);
        }
    }
}

enum sq_status mdl_operator_init(struct mdl_operator *o, struct mdl_ctx *ctx,
                                 const struct sq_list *actions)
{
    *o = (struct mdl_operator){ .ctx = ctx, .actions = actions };
    return sq_sim_add(&ctx->sim, on_event, o, &o->id);
}

void mdl_operator_start(struct mdl_operator *o)
{
    for (uint32_t i = 0; i < o->actions->count; i++) {
        sq_time_t at = mdl_action_at(o->actions, i)->at;
        if (at < o->ctx->duration_ns) {
            (void)mdl_post(o->ctx, at, o->id, MDL_EV_ACTION, i);
        }
    }
}

void mdl_operator_fini(struct mdl_operator *o)
{
    sq_diag_fini(&o->diag);
}
