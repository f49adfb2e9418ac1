/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_scale.c - how many slots a replica has; a scaler may change them, each replica for
 * itself: at every delivery and on its clock. */
#include "models/entity/mdl_workers_in.h"

static void post(struct mdl_workers *w)
{
    const struct sq_block *s = &w->cfg->autoscaler;
    sq_time_t at = sq_time_add(mdl_now(w->ctx), mdl_scaler_row(s)->period(s->cfg));
    (void)mdl_post(w->ctx, at, w->id, MDL_EV_SYNC, 0);
}

void mdl_scale_start(struct mdl_workers *w)
{
    const struct sq_block *s = &w->cfg->autoscaler;
    SQ_ASSERT(mdl_scaler_row(s)->state_size(s->cfg) <= sizeof(((struct mdl_replica *)0)->scaler));
    post(w);
}

int64_t mdl_scale_first(const struct mdl_workers *w)
{
    if (!mdl_scale_is_on(w)) {
        return w->slots;
    }
    const struct mdl_scaler_common *c = mdl_scaler_common(&w->cfg->autoscaler);
    return sq_min_i64(sq_max_i64(w->slots, c->min), c->max);
}

void mdl_scale_set(struct mdl_workers *w, struct mdl_replica *r, int64_t slots)
{
    if (r->state == MDL_REPLICA_READY) {
        sq_level_move(&w->ready_slots, mdl_now(w->ctx), slots - r->slots);
    }
    r->slots = slots;
}

void mdl_scale_look(struct mdl_workers *w, struct mdl_replica *r)
{
    if (!mdl_scale_is_on(w) || r->state != MDL_REPLICA_READY) {
        return;
    }
    const struct sq_block *s = &w->cfg->autoscaler;
    struct mdl_scaler_view v = { .now = mdl_now(w->ctx),
                                 .metric = (double)r->jobs,
                                 .current = r->slots };
    mdl_scale_set(w, r, mdl_scaler_row(s)->decide(s->cfg, r->scaler, &v));
}

void mdl_scale_sync(struct mdl_workers *w)
{
    for (uint32_t slot = w->all.head; slot != 0; slot = mdl_replica_at(w, slot)->next) {
        mdl_scale_look(w, mdl_replica_at(w, slot));
    }
    mdl_slots_go_on(w);
    post(w);
}
