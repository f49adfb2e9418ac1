/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scenario_check.c - what rows cannot say: references between sections, names, sizes, and the
 * paths of `set` actions. */
#include "models/mdl_scenario.h"

#include "models/policy/mdl_backoff.h"
#include "models/policy/mdl_contention.h"
#include "models/policy/mdl_jitter.h"
#include "models/policy/mdl_ramp.h"
#include "models/policy/mdl_rate.h"
#include "models/policy/mdl_scaler.h"
#include "sim/base/sq_limits.h"
#include "sim/conf/sq_conf.h"
#include "sim/conf/sq_each.h"

#include <string.h>

/* An error about a name that should stand in a section. */
static void no_such(const struct sq_conf *conf, struct sq_where where, const char *path,
                    const struct sq_map *section, const char *what, const char *name)
{
    const char *close = sq_diag_closest(name, section->names, section->count);
    char *hint = close != NULL ? sq_arena_printf(conf->arena, "did you mean `%s`?", close) : NULL;
    sq_diag_error(conf->diag, where, path, hint, "there is no %s `%s`", what, name);
}

static char *path_of(const struct sq_conf *conf, const char *section, const char *name,
                     const char *key)
{
    return sq_arena_printf(conf->arena, "%s.%s%s%s", section, name, key[0] != '\0' ? "." : "", key);
}

static void check_producers(const struct mdl_root_cfg *cfg, const struct sq_conf *conf)
{
    for (size_t i = 0; i < cfg->producers.count; i++) {
        const struct mdl_producer_cfg *p = sq_map_at(&cfg->producers, i);
        if (sq_map_find(&cfg->queues, p->queue.name) < 0) {
            no_such(conf, p->queue.where,
                    path_of(conf, "producers", cfg->producers.names[i], "queue"), &cfg->queues,
                    "queue", p->queue.name);
        }
    }
}

/* The calls of a caller name dependencies; `only` names producers or clients. */
static void check_calls(const struct mdl_root_cfg *cfg, const struct sq_conf *conf,
                        const char *path, const struct sq_map *calls)
{
    for (size_t k = 0; k < calls->count; k++) {
        if (sq_map_find(&cfg->dependencies, calls->names[k]) < 0) {
            no_such(conf, calls->where[k], path, &cfg->dependencies, "dependency", calls->names[k]);
        }
        const struct mdl_calls_cfg *c = sq_map_at(calls, k);
        for (size_t i = 0; i < c->only.count; i++) {
            const struct sq_ref *ref = sq_list_at(&c->only, i);
            if (sq_map_find(&cfg->producers, ref->name) < 0 &&
                sq_map_find(&cfg->clients, ref->name) < 0) {
                no_such(conf, ref->where, path, &cfg->producers, "producer", ref->name);
            }
        }
    }
}

/* `only` of a control names callers. */
static void check_only(const struct mdl_root_cfg *cfg, const struct sq_conf *conf)
{
    const struct sq_map *sections[] = { &cfg->workers, &cfg->clients, &cfg->dependencies };
    for (size_t i = 0; i < cfg->controls.count; i++) {
        const struct mdl_control_cfg *c = sq_map_at(&cfg->controls, i);
        for (size_t k = 0; k < c->only.count; k++) {
            const struct sq_ref *ref = sq_list_at(&c->only, k);
            bool found = false;
            for (size_t s = 0; s < SQ_COUNT(sections); s++) {
                found = found || sq_map_find(sections[s], ref->name) >= 0;
            }
            if (!found) {
                no_such(conf, ref->where, path_of(conf, "controls", cfg->controls.names[i], "only"),
                        &cfg->workers, "caller", ref->name);
            }
        }
    }
}

/* Callers' names are unique across workers, clients and dependencies. */
static void check_unique(const struct sq_conf *conf, const char *section, const struct sq_map *a,
                         const char *other, const struct sq_map *b)
{
    for (size_t i = 0; i < a->count; i++) {
        if (sq_map_find(b, a->names[i]) >= 0) {
            sq_diag_error(conf->diag, a->where[i], path_of(conf, section, a->names[i], ""),
                          "rename one of the two",
                          "%s has this name too, and callers' names are unique", other);
        }
    }
}

/* A gate looks at servers: those of a dependency that has a number of them. */
static void check_gate(const struct mdl_root_cfg *cfg, const struct sq_conf *conf,
                       const char *section, const char *name, const struct sq_block *scaler)
{
    const struct mdl_scaler_gate *gate =
        scaler->kind != NULL ? mdl_scaler_common(scaler)->gate : NULL;
    if (gate == NULL) {
        return;
    }
    const struct sq_ref *ref = &gate->dependency;
    const char *path = path_of(conf, section, name, "autoscaler.gate.dependency");
    int i = sq_map_find(&cfg->dependencies, ref->name);
    if (i < 0) {
        no_such(conf, ref->where, path, &cfg->dependencies, "dependency", ref->name);
        return;
    }
    const struct mdl_dependency_cfg *d = sq_map_at(&cfg->dependencies, (size_t)i);
    if (d->room.servers == SQ_UNLIMITED || d->kind == MDL_DEPENDENCY_OPTIMISTIC) {
        sq_diag_error(
            conf->diag, ref->where, path,
            sq_arena_printf(conf->arena, "give dependencies.%s a number of servers", ref->name),
            "`%s` has no limited number of servers, so its utilisation means nothing", ref->name);
    }
}

static void check_callers(const struct mdl_root_cfg *cfg, const struct sq_conf *conf)
{
    for (size_t i = 0; i < cfg->workers.count; i++) {
        const struct mdl_workers_cfg *w = sq_map_at(&cfg->workers, i);
        const char *name = cfg->workers.names[i];
        for (size_t k = 0; k < w->queue.count; k++) {
            const struct sq_ref *q = sq_list_at(&w->queue, k);
            if (sq_map_find(&cfg->queues, q->name) < 0) {
                no_such(conf, q->where, path_of(conf, "workers", name, "queue"), &cfg->queues,
                        "queue", q->name);
            }
        }
        check_calls(cfg, conf, path_of(conf, "workers", name, "calls"), &w->calls);
        check_gate(cfg, conf, "workers", name, &w->autoscaler);
    }
    for (size_t i = 0; i < cfg->clients.count; i++) {
        const struct mdl_client_cfg *c = sq_map_at(&cfg->clients, i);
        check_calls(cfg, conf, path_of(conf, "clients", cfg->clients.names[i], "calls"), &c->calls);
    }
    for (size_t i = 0; i < cfg->dependencies.count; i++) {
        const struct mdl_dependency_cfg *d = sq_map_at(&cfg->dependencies, i);
        const char *path = path_of(conf, "dependencies", cfg->dependencies.names[i], "calls");
        check_calls(cfg, conf, path, &d->calls);
        check_gate(cfg, conf, "dependencies", cfg->dependencies.names[i], &d->autoscaler);
    }
    check_unique(conf, "workers", &cfg->workers, "a dependency", &cfg->dependencies);
    check_unique(conf, "clients", &cfg->clients, "a dependency", &cfg->dependencies);
    check_unique(conf, "clients", &cfg->clients, "a worker pool", &cfg->workers);
}

/* A queue that nobody fetches from only grows: almost surely a slip. */
static void check_queues(const struct mdl_root_cfg *cfg, const struct sq_conf *conf)
{
    for (size_t i = 0; i < cfg->queues.count; i++) {
        bool fetched = false;
        for (size_t k = 0; k < cfg->workers.count && !fetched; k++) {
            const struct sq_list *list =
                &((const struct mdl_workers_cfg *)sq_map_at(&cfg->workers, k))->queue;
            for (size_t n = 0; n < list->count && !fetched; n++) {
                const struct sq_ref *q = sq_list_at(list, n);
                fetched = strcmp(q->name, cfg->queues.names[i]) == 0;
            }
        }
        if (!fetched) {
            sq_diag_warn(
                conf->diag, cfg->queues.where[i], path_of(conf, "queues", cfg->queues.names[i], ""),
                "add a pool under `workers` with this queue", "no workers fetch from this queue");
        }
    }
}

static void check_dependencies(const struct mdl_root_cfg *cfg, const struct sq_conf *conf)
{
    for (size_t i = 0; i < cfg->dependencies.count; i++) {
        const struct mdl_dependency_cfg *d = sq_map_at(&cfg->dependencies, i);
        const char *queue = mdl_contention_queue(&d->room.contention);
        if (queue != NULL && sq_map_find(&cfg->queues, queue) < 0) {
            no_such(conf, d->room.contention.node->where,
                    path_of(conf, "dependencies", cfg->dependencies.names[i], "contention.of"),
                    &cfg->queues, "queue", queue);
        }
    }
}

static void check_controls(const struct mdl_root_cfg *cfg, const struct sq_conf *conf)
{
    for (size_t i = 0; i < cfg->controls.count; i++) {
        if (sq_map_find(&cfg->dependencies, cfg->controls.names[i]) < 0) {
            no_such(conf, cfg->controls.where[i],
                    path_of(conf, "controls", cfg->controls.names[i], ""), &cfg->dependencies,
                    "dependency", cfg->controls.names[i]);
        }
    }
}

static void check_times(const struct mdl_root_cfg *cfg, const struct sq_node *tree,
                        const struct sq_conf *conf)
{
    const struct sq_node *duration = sq_node_get(tree, "duration");
    if (cfg->duration == 0) {
        sq_diag_error(conf->diag, duration->where, "duration", "for example duration: 1h",
                      "the run lasts 0s");
        return;
    }
    if (cfg->health->t1 != SQ_NEVER && cfg->health->t1 >= cfg->duration) {
        const struct sq_node *health = sq_node_get(tree, "health");
        sq_diag_error(conf->diag, sq_node_get(health, "t1")->where, "health.t1",
                      "choose a time before `duration`", "T1 comes after the end of arrivals");
    }
    if (cfg->measure_from >= cfg->duration) {
        sq_diag_error(conf->diag, sq_node_get(tree, "measure_from")->where, "measure_from",
                      "choose an earlier time", "measurement starts after the end of arrivals");
    }
    sq_time_t whole = sq_time_add(cfg->duration, cfg->tail);
    if (whole / cfg->timeline >= SQ_MAX_BINS) {
        sq_diag_error(conf->diag, sq_node_get(tree, "timeline")->where, "timeline",
                      "choose wider bins, for example timeline: 1m",
                      "duration and tail make more than %d bins", SQ_MAX_BINS);
    }
}

static void check_outages(const struct mdl_root_cfg *cfg, const struct sq_node *tree,
                          const struct sq_conf *conf)
{
    const struct sq_node *section = sq_node_get(tree, "dependencies");
    for (size_t i = 0; i < cfg->dependencies.count; i++) {
        const struct mdl_dependency_cfg *d = sq_map_at(&cfg->dependencies, i);
        const char *name = cfg->dependencies.names[i];
        for (size_t k = 0; k < d->outages.count; k++) {
            const struct mdl_outage_cfg *o = mdl_outage_at(&d->outages, k);
            if (mdl_outage_is_planned(o) && o->at >= cfg->duration) {
                const struct sq_node *list = sq_node_get(sq_node_get(section, name), "outages");
                sq_diag_error(
                    conf->diag, list->items[k]->where,
                    sq_arena_printf(conf->arena, "dependencies.%s.outages[%zu].at", name, k),
                    "planned events lie before `duration`",
                    "the outage begins after the end of arrivals");
            }
        }
    }
}

static void check_action_values(const struct mdl_root_cfg *cfg, const struct sq_conf *conf,
                                const struct mdl_action_cfg *action)
{
    for (size_t k = 0; k < action->set.count; k++) {
        struct sq_place place;
        struct mdl_root_cfg *target = sq_arena_alloc(conf->arena, 1, sizeof(*target));
        void *scratch = sq_arena_alloc(conf->arena, 1, 64);
        if (target == NULL || scratch == NULL) {
            return;
        }
        *target = *cfg;
        const struct sq_node *value = *(const struct sq_node *const *)sq_map_at(&action->set, k);
        if (sq_conf_locate(conf, &mdl_root_table, target, action->set.names[k],
                           action->set.where[k], &place) == SQ_OK) {
            enum sq_status status =
                sq_conf_value(conf, value, place.row, action->set.names[k], scratch);
            (void)status; /* its errors are in the diagnostics */
        }
    }
}

/* Sections of the file in which a name stands. */
static int homes_of(const struct mdl_root_cfg *cfg, const char *name, bool makers_only)
{
    int homes = (sq_map_find(&cfg->producers, name) >= 0) + (sq_map_find(&cfg->clients, name) >= 0);
    if (!makers_only) {
        homes += (sq_map_find(&cfg->queues, name) >= 0) + (sq_map_find(&cfg->workers, name) >= 0);
    }
    return homes;
}

static void check_name(const struct mdl_root_cfg *cfg, const struct sq_conf *conf,
                       struct sq_where where, const char *name, bool makers_only)
{
    int homes = homes_of(cfg, name, makers_only);
    if (homes == 0) {
        sq_diag_error(conf->diag, where, "actions", NULL, "there is no %s `%s`",
                      makers_only ? "producer or client" : "producer, client, queue or worker pool",
                      name);
    } else if (homes > 1) {
        sq_diag_error(conf->diag, where, "actions", "give them different names",
                      "`%s` is the name of more than one entity", name);
    }
}

static void check_action_names(const struct mdl_root_cfg *cfg, const struct sq_conf *conf,
                               const struct mdl_action_cfg *a, const struct sq_node *node)
{
    for (size_t i = 0; i < a->burst.count; i++) {
        check_name(cfg, conf, a->burst.where[i], a->burst.names[i], true);
    }
    for (size_t i = 0; i < a->pause.count; i++) {
        check_name(cfg, conf, node->where, *(const char *const *)sq_list_at(&a->pause, i), false);
    }
    for (size_t i = 0; i < a->resume.count; i++) {
        check_name(cfg, conf, node->where, *(const char *const *)sq_list_at(&a->resume, i), false);
    }
    if (a->deploy != NULL && sq_map_find(&cfg->workers, a->deploy->workers.name) < 0) {
        no_such(conf, a->deploy->workers.where, "actions", &cfg->workers, "worker pool",
                a->deploy->workers.name);
    }
    if (a->redrive != NULL && sq_map_find(&cfg->queues, a->redrive->queue.name) < 0) {
        no_such(conf, a->redrive->queue.where, "actions", &cfg->queues, "queue",
                a->redrive->queue.name);
    }
    if (a->purge != NULL && sq_map_find(&cfg->queues, a->purge->queue.name) < 0) {
        no_such(conf, a->purge->queue.where, "actions", &cfg->queues, "queue",
                a->purge->queue.name);
    }
}

static void check_actions(const struct mdl_root_cfg *cfg, const struct sq_node *tree,
                          const struct sq_conf *conf)
{
    const struct sq_node *list = sq_node_get(tree, "actions");
    for (size_t i = 0; i < cfg->actions.count; i++) {
        const struct mdl_action_cfg *a = mdl_action_at(&cfg->actions, i);
        if (a->at >= cfg->duration) {
            sq_diag_error(conf->diag, list->items[i]->where,
                          sq_arena_printf(conf->arena, "actions[%zu].at", i),
                          "planned events lie before `duration`",
                          "the action comes after the end of arrivals");
        }
        check_action_values(cfg, conf, a);
        check_action_names(cfg, conf, a, list->items[i]);
    }
}

/* ---- values that `set` actions combine ---- */

static bool precedes(const struct mdl_root_cfg *cfg, size_t a, size_t b)
{
    sq_time_t at_a = mdl_action_at(&cfg->actions, a)->at,
              at_b = mdl_action_at(&cfg->actions, b)->at;
    return at_a < at_b || (at_a == at_b && a < b);
}

/* The action that comes next after `last` (after all of them: the count), by time, then as in the
 * file. */
static size_t next_action(const struct mdl_root_cfg *cfg, const size_t *last)
{
    size_t count = cfg->actions.count, best = count;
    for (size_t i = 0; i < count; i++) {
        if ((last == NULL || precedes(cfg, *last, i)) &&
            (best == count || precedes(cfg, i, best))) {
            best = i;
        }
    }
    return best;
}

/* What the block's own check says; the first sentence, or NULL. */
static enum sq_status check_block(void *ctx, const struct sq_block *block)
{
    if (block->kind->table.check == NULL) {
        return SQ_OK;
    }
    struct sq_diag *diag = ctx;
    block->kind->table.check(block->cfg, block->node, NULL, diag);
    return diag->errors > 0 ? SQ_USER : SQ_OK;
}

static bool is_sound(const struct mdl_root_cfg *cfg, struct sq_diag *diag)
{
    static const struct sq_family *const families[] = { &mdl_dist_family,    &mdl_rate_family,
                                                        &mdl_backoff_family, &mdl_jitter_family,
                                                        &mdl_ramp_family,    &mdl_scaler_family };
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < SQ_COUNT(families) && status == SQ_OK; i++) {
        status = sq_each_block(&mdl_root_table, cfg, families[i], check_block, diag);
    }
    return status == SQ_OK;
}

/* Performs the sets of an action on a configuration of its own. False: something is wrong with
 * what they lead to. */
static bool perform(struct mdl_root_cfg *cfg, const struct sq_conf *conf,
                    const struct mdl_action_cfg *a)
{
    for (size_t k = 0; k < a->set.count; k++) {
        struct sq_place place;
        const struct sq_node *value = *(const struct sq_node *const *)sq_map_at(&a->set, k);
        if (sq_conf_locate(conf, &mdl_root_table, cfg, a->set.names[k], a->set.where[k], &place) !=
                SQ_OK ||
            sq_conf_value(conf, value, place.row, a->set.names[k], place.at) != SQ_OK) {
            return false;
        }
    }
    return is_sound(cfg, conf->diag);
}

/* Values that are right alone may not go together: a max below a min, points out of order. */
static void check_outcomes(const struct mdl_root_cfg *cfg, const struct sq_node *tree,
                           const struct sq_conf *conf)
{
    struct sq_diag diag = { 0 };
    struct sq_conf quiet = { .arena = conf->arena, .diag = &diag };
    struct mdl_root_cfg own = { 0 };
    const struct sq_node *list = sq_node_get(tree, "actions");
    bool bound =
        cfg->actions.count > 0 && sq_conf_bind(&quiet, tree, &mdl_root_table, "", &own) == SQ_OK;
    size_t i = bound ? next_action(cfg, NULL) : cfg->actions.count;
    for (; i < cfg->actions.count; i = next_action(cfg, &i)) {
        if (!perform(&own, &quiet, mdl_action_at(&cfg->actions, i))) {
            sq_diag_error(conf->diag, list->items[i]->where,
                          sq_arena_printf(conf->arena, "actions[%zu].set", i), NULL,
                          "leads to values that do not go together: %s",
                          diag.count > 0 ? diag.items[0].text : "");
            break;
        }
    }
    sq_diag_fini(&diag);
}

void mdl_scenario_check(const struct mdl_root_cfg *cfg, const struct sq_node *tree,
                        const struct sq_conf *conf)
{
    check_times(cfg, tree, conf);
    check_producers(cfg, conf);
    check_callers(cfg, conf);
    check_queues(cfg, conf);
    mdl_scenario_check_brokers(cfg, conf);
    check_dependencies(cfg, conf);
    mdl_scenario_check_graph(cfg, conf);
    check_controls(cfg, conf);
    check_only(cfg, conf);
    check_outages(cfg, tree, conf);
    if (conf->diag->errors == 0) {
        check_actions(cfg, tree, conf);
    }
    if (conf->diag->errors == 0) {
        check_outcomes(cfg, tree, conf);
    }
    if (cfg->producers.count == 0 && cfg->clients.count == 0) {
        sq_diag_error(conf->diag, tree->where, "producers",
                      "add a producer and its queue, or a client", "nothing makes any jobs");
    }
}
