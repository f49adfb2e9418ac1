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
};
const size_t mdl_rules_worlds_count = SQ_COUNT(mdl_rules_worlds);
