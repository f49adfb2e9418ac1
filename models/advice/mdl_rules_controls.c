/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_rules_controls.c - rules about limits, ramps, breakers and budgets. */
#include "models/advice/mdl_rule.h"

#include "models/policy/mdl_ramp.h"

#include <math.h>
#include <string.h>

/* Calls `look` for every dependency with controls, once, with the path of its controls and its
 * first route. */
static void each_control(struct mdl_lint *l, void (*look)(struct mdl_lint *l, const char *path,
                                                          const struct mdl_route *r))
{
    const struct sq_map *controls = &l->s->cfg.controls;
    for (size_t i = 0; i < controls->count; i++) {
        for (size_t k = 0; k < l->route_count; k++) {
            if (strcmp(l->routes[k].dependency_name, controls->names[i]) == 0) {
                look(l, mdl_say(l, "controls.%s", controls->names[i]), &l->routes[k]);
                break;
            }
        }
    }
}

/* ---- ramp-never-reaches-cap ---- */

static void look_ramp_top(struct mdl_lint *l, const char *path, const struct mdl_route *r)
{
    double limit = mdl_read_number(l, mdl_say(l, "%s.concurrency.limit", path));
    if (r->control->ramp.kind == NULL || isnan(limit)) {
        return;
    }
    double top = (double)mdl_ramp_top(&r->control->ramp);
    if (top != limit && top < 1e15) {
        mdl_find(l, mdl_say(l, "%s.ramp", path), "the ramp ends at %s calls, the cap is %s: %s",
                 mdl_say_number(l, top), mdl_say_number(l, limit),
                 top < limit ? "after the first trouble the cap is never reached again"
                             : "its last steps change nothing");
    }
}

static void ramp_top(struct mdl_lint *l)
{
    each_control(l, look_ramp_top);
}

/* ---- ramp-without-breaker ---- */

static void look_ramp_bare(struct mdl_lint *l, const char *path, const struct mdl_route *r)
{
    double outage = mdl_outage_s(r->dependency);
    if (r->control->ramp.kind == NULL || mdl_read_has(l, mdl_say(l, "%s.breaker", path)) ||
        !(outage > 0)) {
        return;
    }
    double bottom = (double)mdl_ramp_bottom(&r->control->ramp);
    double answer = sq_time_to_s(r->dependency->answer_in);
    mdl_find(
        l, mdl_say(l, "%s.ramp", path),
        "without a breaker the bottom step goes on calling while %s is down: %s calls at a time, "
        "answered in %s, are %s failed calls in %s",
        r->dependency_name, mdl_say_number(l, bottom), mdl_say_span(l, answer),
        mdl_say_number(l, bottom / answer * outage), mdl_say_span(l, outage));
}

static void ramp_bare(struct mdl_lint *l)
{
    each_control(l, look_ramp_bare);
}

/* ---- fixed-window-burst ---- */

static void look_window(struct mdl_lint *l, const char *path)
{
    if (strcmp(mdl_read_word(l, mdl_say(l, "%s.kind", path)), "fixed-window") != 0) {
        return;
    }
    double limit = mdl_read_number(l, mdl_say(l, "%s.limit", path));
    double window = mdl_read_s(l, mdl_say(l, "%s.window", path));
    mdl_find(l, path,
             "two windows meet: up to %s calls within an instant around the boundary, twice the %s "
             "per %s that are meant",
             mdl_say_number(l, 2 * limit), mdl_say_number(l, limit), mdl_say_span(l, window));
}

static void fixed_window(struct mdl_lint *l)
{
    const struct mdl_root_cfg *cfg = &l->s->cfg;
    for (size_t i = 0; i < cfg->controls.count; i++) {
        look_window(l, mdl_say(l, "controls.%s.rate_limit", cfg->controls.names[i]));
    }
    for (size_t i = 0; i < cfg->dependencies.count; i++) {
        look_window(l, mdl_say(l, "dependencies.%s.rate_limit", cfg->dependencies.names[i]));
    }
}

/* ---- budget-renewed-on-hit ---- */

static void look_budget(struct mdl_lint *l, const char *path, const struct mdl_route *r)
{
    const char *counter = mdl_say(l, "%s.budget.counter", path);
    if (strcmp(mdl_read_word(l, counter), "idle") != 0) {
        return;
    }
    double window = mdl_read_s(l, mdl_say(l, "%s.budget.window", path));
    mdl_find(l, counter,
             "the counter expires %s after the last hit: with %s calls a second it never does, and "
             "the budget is spent once and for all",
             mdl_say_span(l, window), mdl_say_number(l, r->rate_per_s));
}

static void budget_idle(struct mdl_lint *l)
{
    each_control(l, look_budget);
}

/* ---- short-deferrals ---- */

static void look_deferrals(struct mdl_lint *l, const char *path, const struct mdl_route *r)
{
    double open = mdl_read_s(l, mdl_say(l, "%s.breaker.open_for", path));
    if (r->workers == NULL || isnan(open) ||
        strcmp(mdl_read_word(l, mdl_say(l, "%s.throttled.kind", path)), "defer") != 0) {
        return;
    }
    double mean = mdl_read_mean_s(l, mdl_say(l, "%s.throttled.delay", path));
    double outage = fmax(mdl_outage_s(r->dependency), open);
    if (!(mean < open)) {
        return;
    }
    bool counted =
        strcmp(mdl_read_word(l, mdl_say(l, "queues.%s.receives_count", r->queue_name)), "all") == 0;
    mdl_find(
        l, mdl_say(l, "%s.throttled", path),
        "a deferred job asks again every %s while the breaker is open for %s: about %s times in "
        "%s%s",
        mdl_say_span(l, mean), mdl_say_span(l, open), mdl_say_number(l, floor(outage / mean)),
        mdl_say_span(l, outage), counted ? ", each of them a delivery that counts" : "");
}

static void short_deferrals(struct mdl_lint *l)
{
    each_control(l, look_deferrals);
}

const struct mdl_rule mdl_rules_controls[] = {
    { .name = "ramp-misses-cap",
      .severity = SQ_WARNING,
      .title = "A ramp that does not end at the cap.",
      .why =
          "The limit in force is the least of cap and ramp. A ramp that ends below the cap keeps "
          "the fleet slow for good after its first trouble; one that ends above it has steps "
          "without effect.",
      .fix = "a last step equal to concurrency.limit",
      .look = ramp_top },
    { .name = "ramp-without-breaker",
      .severity = SQ_NOTE,
      .title = "A ramp without a breaker.",
      .why = "A ramp shapes the return; during the outage its bottom step still sends calls that "
             "cannot succeed, and every one uses up an attempt. A breaker sends a probe now and "
             "then.",
      .fix = "breaker: resilience4j, and ramp: {starts: breaker-close}",
      .look = ramp_bare },
    { .name = "fixed-window-burst",
      .severity = SQ_WARNING,
      .title = "A fixed window lets twice its limit pass at once.",
      .why =
          "The last moment of one window and the first of the next each admit the whole limit. A "
          "backlog that waits for the window does exactly that.",
      .fix = "token-bucket, gcra or sliding-counter",
      .look = fixed_window },
    { .name = "budget-renewed-on-hit",
      .severity = SQ_WARNING,
      .title = "A budget counter whose expiry is renewed on each hit.",
      .why = "INCR with EXPIRE on every call keeps the key alive as long as there is traffic. The "
             "window never ends, so the budget is a total for ever.",
      .fix = "counter: sliding, or set the expiry only when the key is new",
      .look = budget_idle },
    { .name = "short-deferrals",
      .severity = SQ_NOTE,
      .title = "Deferrals much shorter than the breaker's open time.",
      .why =
          "Each deferral is a delivery, an event and perhaps a receive that counts, for a question "
          "whose answer is known until the breaker's next probe.",
      .fix = "a delay about as long as open_for, or throttled: pause",
      .look = short_deferrals },
};
const size_t mdl_rules_controls_count = SQ_COUNT(mdl_rules_controls);
