/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_rules_worlds.c - rules about the scenario as an experiment. */
#include "models/advice/mdl_rule.h"

#include <math.h>
#include <string.h>

/* ---- t1-missing ---- */

static void t1_missing(struct mdl_lint *l)
{
    const struct mdl_root_cfg *cfg = &l->s->cfg;
    bool trigger = false;
    for (size_t i = 0; i < cfg->actions.count; i++) {
        trigger = trigger || mdl_action_at(&cfg->actions, i)->burst.count > 0;
    }
    for (size_t i = 0; i < cfg->dependencies.count; i++) {
        const struct mdl_dependency_cfg *d = sq_map_at(&cfg->dependencies, i);
        trigger = trigger || d->overload != NULL;
    }
    if (l->s->t1 == SQ_NEVER && trigger) {
        mdl_find(l, "health",
                 "there is no planned outage and no health.t1: drain times, recovery figures and "
                 "forecasts stay empty (0 of them are known), and any collapse counts");
    }
}

/* ---- horizon-short ---- */

static void look_horizon(struct mdl_lint *l, const struct mdl_layer *y)
{
    const struct mdl_root_cfg *cfg = &l->s->cfg;
    double retries = fmin(mdl_retries_of(y->retry), MDL_LOOK_RETRIES), longest = 0;
    if (y->is_call || l->s->t1 == SQ_NEVER) {
        return;
    }
    for (uint32_t n = 1; n <= retries; n++) {
        longest = fmax(longest, mdl_delay_after(y->retry, n).most);
    }
    longest = fmin(longest, mdl_window_s(y->retry));
    double after = sq_time_to_s(cfg->duration) + sq_time_to_s(cfg->tail) - sq_time_to_s(l->s->t1);
    if (isinf(longest) || !(longest > 0) || after >= longest) {
        return;
    }
    if (after > 0) {
        mdl_find(l, "duration",
                 "the run ends %s after recovery, and retries of %s wait for up to %s: the end of "
                 "the recovery is not seen",
                 mdl_say_span(l, after), y->route->caller, mdl_say_span(l, longest));
    } else {
        mdl_find(
            l, "duration",
            "the run ends before T1, and retries of %s wait for up to %s: there is no recovery "
            "to be seen",
            y->route->caller, mdl_say_span(l, longest));
    }
}

static void horizon(struct mdl_lint *l)
{
    mdl_each_layer(l, look_horizon);
}

/* ---- single-node ---- */

static bool may_grow(struct mdl_lint *l, const char *path, const struct mdl_dependency_cfg *d)
{
    const char *nodes = mdl_say(l, "%s.nodes", path);
    bool grows = d->nodes > 1 || d->autoscaler.kind != NULL;
    for (size_t i = 0; i < l->s->cfg.actions.count; i++) {
        const struct sq_map *set = &mdl_action_at(&l->s->cfg.actions, i)->set;
        grows = grows || sq_map_find(set, nodes) >= 0;
    }
    return grows;
}

static void single_node(struct mdl_lint *l)
{
    const struct sq_map *all = &l->s->cfg.dependencies;
    for (size_t i = 0; i < all->count; i++) {
        const struct mdl_dependency_cfg *d = sq_map_at(all, i);
        const char *path = mdl_say(l, "dependencies.%s", all->names[i]);
        if (may_grow(l, path, d)) {
            continue;
        }
        if (d->slow_start.kind != NULL) {
            mdl_find(l, mdl_say(l, "%s.slow_start", path),
                     "%s has 1 node: it gets all calls from its return on, however slow its start",
                     all->names[i]);
        }
        if (d->balance != MDL_BALANCE_LEAST_LOADED) {
            mdl_find(l, mdl_say(l, "%s.balance", path),
                     "%s has 1 node: there is nothing to deal calls between", all->names[i]);
        }
    }
}

const struct mdl_rule mdl_rules_worlds[] = {
    { .name = "t1-missing",
      .severity = SQ_WARNING,
      .title = "A trigger without T1.",
      .why =
          "Recovery is measured from T1, the end of the last planned outage. When the trigger is a "
          "burst or the load itself the file has to say where recovery begins.",
      .fix = "health: {t1: TIME}",
      .look = t1_missing },
    { .name = "horizon-short",
      .severity = SQ_WARNING,
      .title = "A run that ends before the last retries.",
      .why = "Delays fixed during the outage still run after it. A run that ends before the "
             "longest of "
             "them shows a recovery that is not over.",
      .fix = "a longer duration, or tail: 3h",
      .look = horizon },
    { .name = "single-node",
      .severity = SQ_WARNING,
      .title = "Balancing or a slow start with one node.",
      .why = "balance and slow_start share calls out between nodes. With one node both are without "
             "effect: its slow start keeps no call away from it.",
      .fix = "nodes: 3; or for one node that returns slowly, warm_up on it or a ramp before it",
      .look = single_node },
};
const size_t mdl_rules_worlds_count = SQ_COUNT(mdl_rules_worlds);
