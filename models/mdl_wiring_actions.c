/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_wiring_actions.c - what operators will do, resolved: paths of `set` into places of the
 * configuration, names into actors. Everything was checked at load (mdl_scenario_check.c). */
#include "models/mdl_wiring.h"

#include <string.h>

/* The actor of a name in a section, or false. */
static bool find_actor(const struct mdl_world *w, const char *section, const char *name,
                       uint16_t *id)
{
    for (size_t i = 0; i < w->producer_count && strcmp(section, "producers") == 0; i++) {
        if (strcmp(w->producers[i].name, name) == 0) {
            *id = w->producers[i].id;
            return true;
        }
    }
    for (size_t i = 0; i < w->client_count && strcmp(section, "clients") == 0; i++) {
        if (strcmp(w->clients[i].name, name) == 0) {
            *id = w->clients[i].id;
            return true;
        }
    }
    for (size_t i = 0; i < w->queue_count && strcmp(section, "queues") == 0; i++) {
        if (strcmp(w->queues[i].name, name) == 0) {
            *id = w->queues[i].id;
            return true;
        }
    }
    for (size_t i = 0; i < w->pool_count && strcmp(section, "workers") == 0; i++) {
        if (strcmp(w->pools[i].name, name) == 0) {
            *id = w->pools[i].id;
            return true;
        }
    }
    bool dependency = strcmp(section, "dependencies") == 0 || strcmp(section, "controls") == 0;
    for (size_t i = 0; i < w->dependency_count && dependency; i++) {
        if (strcmp(w->dependencies[i].name, name) == 0) {
            *id = w->dependencies[i].id;
            return true;
        }
    }
    return false;
}

/* The one entity of this name that can pause, burst or be purged. */
static uint16_t entity_named(const struct mdl_world *w, const char *name)
{
    static const char *const sections[] = { "producers", "clients", "queues", "workers" };
    uint16_t id = 0;
    for (size_t i = 0; i < SQ_COUNT(sections); i++) {
        if (find_actor(w, sections[i], name, &id)) {
            return id;
        }
    }
    SQ_UNREACHABLE("names in actions are checked at load");
}

static enum sq_status resolve_sets(struct mdl_world *w, struct mdl_assignment *list)
{
    struct sq_diag diag = { 0 };
    struct sq_conf conf = { .arena = &w->ctx.arena, .diag = &diag };
    enum sq_status status = SQ_OK;
    size_t n = 0;
    for (size_t i = 0; i < w->cfg.actions.count; i++) {
        const struct sq_map *set = &mdl_action_at(&w->cfg.actions, i)->set;
        for (size_t k = 0; k < set->count && status == SQ_OK; k++) {
            struct mdl_assignment *a = &list[n++];
            a->action = (uint32_t)i;
            a->path = set->names[k];
            a->value = *(const struct sq_node *const *)sq_map_at(set, k);
            a->arrivals = strstr(a->path, ".arrivals") != NULL;
            status =
                sq_conf_locate(&conf, &mdl_root_table, &w->cfg, a->path, set->where[k], &a->place);
            if (status == SQ_OK && !find_actor(w, a->place.section, a->place.name, &a->entity)) {
                SQ_UNREACHABLE("a settable path belongs to an entity");
            }
        }
    }
    sq_diag_fini(&diag);
    return status == SQ_OK ? SQ_OK : SQ_NOMEM; /* paths were checked at load */
}

static void order(struct mdl_operator *o, struct mdl_order add)
{
    o->orders[o->order_count++] = add;
}

static enum sq_status resolve_redrive(struct mdl_world *w, uint32_t i)
{
    const struct mdl_redrive_cfg *r = mdl_action_at(&w->cfg.actions, i)->redrive;
    for (size_t k = 0; r != NULL && k < w->queue_count; k++) {
        struct mdl_queue *q = &w->queues[k];
        uint32_t index = 0;
        if (strcmp(q->name, r->queue.name) != 0) {
            continue;
        }
        if (mdl_queue_add_redrive(q, r->rate, r->limit, &index) != SQ_OK) {
            return SQ_NOMEM;
        }
        order(&w->operator_, (struct mdl_order){ i, q->id, MDL_EV_REDRIVE, 0, index });
    }
    return SQ_OK;
}

static void resolve_orders(struct mdl_world *w, uint32_t i)
{
    const struct mdl_action_cfg *a = mdl_action_at(&w->cfg.actions, i);
    struct mdl_operator *o = &w->operator_;
    for (size_t k = 0; k < a->burst.count; k++) {
        int64_t count = *(const int64_t *)sq_map_at(&a->burst, k);
        order(o, (struct mdl_order){ i, entity_named(w, a->burst.names[k]), MDL_EV_BURST, 0,
                                     (uint32_t)count });
    }
    for (size_t k = 0; k < a->pause.count; k++) {
        const char *name = *(const char *const *)sq_list_at(&a->pause, k);
        order(o, (struct mdl_order){ i, entity_named(w, name), MDL_EV_PAUSE, 1, 0 });
    }
    for (size_t k = 0; k < a->resume.count; k++) {
        const char *name = *(const char *const *)sq_list_at(&a->resume, k);
        order(o, (struct mdl_order){ i, entity_named(w, name), MDL_EV_PAUSE, 0, 0 });
    }
    if (a->purge != NULL) {
        unsigned parts = 0;
        uint16_t id = 0;
        for (size_t k = 0; k < a->purge->parts.count; k++) {
            parts |= 1u << *(const int *)sq_list_at(&a->purge->parts, k);
        }
        (void)find_actor(w, "queues", a->purge->queue.name, &id);
        order(o, (struct mdl_order){ i, id, MDL_EV_PURGE, parts, (uint32_t)a->purge->keep });
    }
    if (a->deploy != NULL) {
        uint16_t id = 0;
        (void)find_actor(w, "workers", a->deploy->workers.name, &id);
        order(o, (struct mdl_order){ i, id, MDL_EV_DEPLOY, 0,
                                     (uint32_t)(a->deploy->at_once * 1e6 + 0.5) });
    }
}

static enum sq_status prepare(void *world)
{
    struct mdl_world *w = world;
    return mdl_dist_prepare(&mdl_root_table, &w->cfg, &w->tables);
}

enum sq_status mdl_wiring_actions(struct mdl_world *w)
{
    struct mdl_operator *o = &w->operator_;
    size_t sets = 0, orders = 0;
    for (size_t i = 0; i < w->cfg.actions.count; i++) {
        const struct mdl_action_cfg *a = mdl_action_at(&w->cfg.actions, i);
        sets += a->set.count;
        orders += a->burst.count + a->pause.count + a->resume.count + (a->purge != NULL ? 1 : 0) +
                  (a->deploy != NULL ? 1 : 0) + (a->redrive != NULL ? 1 : 0);
    }
    o->assignments = sq_arena_alloc(&w->ctx.arena, sets + 1, sizeof(*o->assignments));
    o->orders = sq_arena_alloc(&w->ctx.arena, orders + 1, sizeof(*o->orders));
    if (o->assignments == NULL || o->orders == NULL) {
        return SQ_NOMEM;
    }
    o->assignment_count = sets;
    o->prepare = prepare;
    o->world = w;
    for (uint32_t i = 0; i < w->cfg.actions.count; i++) {
        resolve_orders(w, i);
        if (resolve_redrive(w, i) != SQ_OK) {
            return SQ_NOMEM;
        }
    }
    enum sq_status status = resolve_sets(w, o->assignments);
    if (status == SQ_OK) {
        mdl_operator_start(o);
    }
    return status;
}
