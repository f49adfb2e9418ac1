/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scenario_check.c - what rows cannot say: references between sections, names, sizes, and the
 * paths of `set` actions. */
#include "models/mdl_scenario.h"

#include "sim/base/sq_limits.h"
#include "sim/conf/sq_conf.h"

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

static void check_workers(const struct mdl_root_cfg *cfg, const struct sq_conf *conf)
{
    for (size_t i = 0; i < cfg->workers.count; i++) {
        const struct mdl_workers_cfg *w = sq_map_at(&cfg->workers, i);
        const char *name = cfg->workers.names[i];
        const struct sq_ref *q = sq_list_at(&w->queue, 0);
        if (sq_map_find(&cfg->queues, q->name) < 0) {
            no_such(conf, q->where, path_of(conf, "workers", name, "queue"), &cfg->queues, "queue",
                    q->name);
        }
        for (size_t k = 0; k < w->calls.count; k++) {
            if (sq_map_find(&cfg->dependencies, w->calls.names[k]) < 0) {
                no_such(conf, w->calls.where[k], path_of(conf, "workers", name, "calls"),
                        &cfg->dependencies, "dependency", w->calls.names[k]);
            }
        }
        if (sq_map_find(&cfg->dependencies, name) >= 0) {
            sq_diag_error(conf->diag, cfg->workers.where[i], path_of(conf, "workers", name, ""),
                          "rename one of the two",
                          "a dependency has this name too, and callers' names are unique");
        }
    }
}

/* A queue that nobody fetches from only grows: almost surely a slip. */
static void check_queues(const struct mdl_root_cfg *cfg, const struct sq_conf *conf)
{
    for (size_t i = 0; i < cfg->queues.count; i++) {
        bool fetched = false;
        for (size_t k = 0; k < cfg->workers.count && !fetched; k++) {
            const struct mdl_workers_cfg *w = sq_map_at(&cfg->workers, k);
            const struct sq_ref *q = sq_list_at(&w->queue, 0);
            fetched = strcmp(q->name, cfg->queues.names[i]) == 0;
        }
        if (!fetched) {
            sq_diag_warn(
                conf->diag, cfg->queues.where[i], path_of(conf, "queues", cfg->queues.names[i], ""),
                "add a pool under `workers` with this queue", "no workers fetch from this queue");
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
    }
}

void mdl_scenario_check(const struct mdl_root_cfg *cfg, const struct sq_node *tree,
                        const struct sq_conf *conf)
{
    check_times(cfg, tree, conf);
    check_producers(cfg, conf);
    check_workers(cfg, conf);
    check_queues(cfg, conf);
    check_controls(cfg, conf);
    if (conf->diag->errors == 0) {
        check_actions(cfg, tree, conf);
    }
    if (cfg->producers.count == 0) {
        sq_diag_error(conf->diag, tree->where, "producers", "add a producer and its queue",
                      "nothing makes any jobs");
    }
}
