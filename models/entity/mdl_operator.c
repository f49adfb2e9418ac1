/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_operator.c - the operator entity: planned actions. */
#include "models/entity/mdl_operator.h"

#include "sim/conf/sq_rows.h"

static const struct sq_field value_element = { .key = "value",
                                               .type = SQ_RAW,
                                               .doc = "The new value." };
static const struct sq_field action_rows[] = {
    SQ_ROW_TIME(struct mdl_action_cfg, at, "at", NULL, 0, "When."),
    SQ_ROW_MAP(struct mdl_action_cfg, set, "set", &value_element, SQ_F_ANY_KEY | SQ_F_OPTIONAL,
               "Paths and their new values."),
    SQ_ROW_LATER("burst", "Jobs that arrive now."),
    SQ_ROW_LATER("pause", "Entities that stop."),
    SQ_ROW_LATER("resume", "Entities that go on."),
    SQ_ROW_LATER("purge", "Empties a queue."),
    SQ_ROW_LATER("redrive", "Dead letters return."),
    SQ_ROW_LATER("deploy", "Replicas are replaced."),
    SQ_ROW_TEXT(struct mdl_action_cfg, note, "note", NULL, SQ_F_OPTIONAL, "For charts."),
};

static void check_action(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    if (((const struct mdl_action_cfg *)cfg)->set.count == 0) {
        sq_diag_error(diag, node->where, path, "for example set: {workers.w.replicas: 4}",
                      "the action does nothing");
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
        mdl_tell(o->ctx, a->entity, MDL_EV_CHANGED, 0, 0);
    }
}

enum sq_status mdl_operator_init(struct mdl_operator *o, struct mdl_ctx *ctx,
                                 const struct sq_list *actions)
{
    *o = (struct mdl_operator){ .ctx = ctx, .actions = actions };
    return sq_sim_add(&ctx->sim, on_event, o, &o->id);
}

void mdl_operator_start(struct mdl_operator *o, struct mdl_assignment *assignments, size_t count)
{
    o->assignments = assignments;
    o->assignment_count = count;
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
