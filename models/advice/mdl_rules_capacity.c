/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_rules_capacity.c - rules about load and what a dependency can take. */
#include "models/advice/mdl_rule.h"
#include "models/policy/mdl_scaler.h"

#include <math.h>
#include <string.h>

/* Calls at a time that a dependency bears, and why, in words: its overload limit, or as many as its
 * servers finish within the timeout of the route; infinity where nothing bounds it. */
static double bears(struct mdl_lint *l, const struct mdl_route *r, const char **why)
{
    const struct mdl_dependency_cfg *d = r->dependency;
    double limit = INFINITY;
    *why = "";
    if (d->overload != NULL && d->overload->in_flight >= 0) {
        limit = (double)d->overload->in_flight;
        *why = mdl_say(l, "%s collapses above %s in flight", r->dependency_name,
                       mdl_say_number(l, limit));
    } else if (r->calls->timeout != SQ_NEVER) {
        double timeout = sq_time_to_s(r->calls->timeout);
        limit = floor(mdl_capacity_per_s(d) * timeout);
        *why = mdl_say(l, "%s finishes %s within the timeout of %s", r->dependency_name,
                       mdl_say_number(l, limit), mdl_say_span(l, timeout));
    }
    return limit;
}

static bool has_cap(struct mdl_lint *l, const struct mdl_route *r)
{
    const char *control = mdl_say(l, "controls.%s", r->dependency_name);
    return mdl_read_has(l, mdl_say(l, "%s.concurrency", control)) ||
           mdl_read_has(l, mdl_say(l, "%s.adaptive", control)) ||
           mdl_read_has(l, mdl_say(l, "%s.rate_limit", control));
}

/* ---- fleet-over-capacity ---- */

static void fleet_over(struct mdl_lint *l)
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        const char *why;
        double limit = bears(l, r, &why);
        if (r->workers == NULL || has_cap(l, r) || !(r->slots > limit) || r->calls->times < 1) {
            continue;
        }
        const char *scaled = r->workers->autoscaler.kind != NULL ? ".autoscaler.max" : ".replicas";
        mdl_find(l, mdl_say(l, "%s%s", r->owner_path, scaled),
                 "%s slots may call %s at one time and nothing caps them: %s",
                 mdl_say_number(l, r->slots), r->dependency_name, why);
    }
}

/* ---- caps-add-up ---- */

static double callers_of(const struct mdl_lint *l, const char *dependency)
{
    double n = 0;
    for (size_t i = 0; i < l->route_count; i++) {
        n += strcmp(l->routes[i].dependency_name, dependency) == 0;
    }
    return n;
}

/* Client processes or replicas that call a dependency, at most. */
static double replicas_of(const struct mdl_lint *l, const char *dependency)
{
    double n = 0;
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        if (strcmp(r->dependency_name, dependency) != 0) {
            continue;
        }
        n += r->workers != NULL ? r->slots / (double)r->workers->slots
                                : (r->client != NULL ? (double)r->client->replicas : 1);
    }
    return n;
}

static void look_scope(struct mdl_lint *l, const char *scope, const char *unit,
                       double (*count)(const struct mdl_lint *l, const char *dependency))
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        const char *path = mdl_say(l, "controls.%s.concurrency", r->dependency_name);
        double limit = mdl_read_number(l, mdl_say(l, "%s.limit", path));
        const char *why;
        double bearable = bears(l, r, &why), n = count(l, r->dependency_name);
        if (strcmp(mdl_read_word(l, mdl_say(l, "%s.scope", path)), scope) != 0 ||
            !(limit * n > bearable)) {
            continue;
        }
        mdl_find(l, mdl_say(l, "%s.scope", path), "%s %s x %s calls = %s at one time: %s",
                 mdl_say_number(l, n), unit, mdl_say_number(l, limit), mdl_say_number(l, limit * n),
                 why);
    }
}

static void caps_add_up(struct mdl_lint *l)
{
    look_scope(l, "caller", "callers", callers_of);
}

static void replica_limits(struct mdl_lint *l)
{
    look_scope(l, "replica", "replicas", replicas_of);
}

/* ---- timeout-below-p99 ---- */

static void timeout_below(struct mdl_lint *l)
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        double timeout = sq_time_to_s(r->calls->timeout);
        double p99 = mdl_service_quantile_s(r->dependency, 0.99);
        if (r->calls->timeout == SQ_NEVER || timeout >= p99) {
            continue;
        }
        double lost = 0; /* share of services longer than the timeout, to a percent */
        while (lost < 0.99 && mdl_service_quantile_s(r->dependency, 0.99 - lost) > timeout) {
            lost += 0.01;
        }
        mdl_find(
            l, mdl_say(l, "%s.timeout", r->path),
            "timeout %s is below the 99th percentile of %s alone (%s): about %s %% of the calls "
            "time out although nothing is wrong",
            mdl_say_span(l, timeout), r->dependency_name, mdl_say_span(l, p99),
            mdl_say_number(l, round(100 * (lost + 0.01))));
    }
}

/* ---- cohort-over-edge ---- */

/* N members against a rate of mu and a timeout: while N > 2 mu timeout the calls that wait are
 * given up before they are served, though each of them is served all the same (theory: the edge of
 * a closed cohort). A cohort that comes spread is served meanwhile. */
static void cohort_over(struct mdl_lint *l)
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        const char *key = mdl_say(l, "%s.arrivals.population", r->owner_path);
        double people = mdl_read_number(l, key), over = 0;
        double rate = mdl_capacity_per_s(r->dependency);
        if (isnan(people)) {
            key = mdl_say(l, "%s.arrivals.count", r->owner_path);
            people = mdl_read_number(l, key);
            over = mdl_read_s(l, mdl_say(l, "%s.arrivals.over", r->owner_path));
        }
        if (r->calls->timeout == SQ_NEVER || isnan(people) || isinf(rate)) {
            continue;
        }
        double edge = 2 * rate * sq_time_to_s(r->calls->timeout);
        if (people - rate * over > edge) {
            mdl_find(
                l, key,
                "%s members call %s, which serves %s a second: above 2 x rate x timeout = %s it "
                "serves only calls that were given up",
                mdl_say_number(l, people), r->dependency_name, mdl_say_number(l, rate),
                mdl_say_number(l, edge));
        }
    }
}

/* ---- hidden-capacity ---- */

static double first_calls_per_s(const struct mdl_lint *l, const char *dependency)
{
    double sum = 0;
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        sum += strcmp(r->dependency_name, dependency) == 0 ? r->rate_per_s * r->calls->times : 0;
    }
    return sum;
}

static void hidden_capacity(struct mdl_lint *l)
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        const struct mdl_retry_cfg *retry = r->calls->retry;
        const char *budget = mdl_say(l, "controls.%s.budget", r->dependency_name);
        double mu = mdl_capacity_per_s(r->dependency);
        double load = first_calls_per_s(l, r->dependency_name);
        bool immediate = retry != NULL && mdl_delay_after(retry, 1).mean < 1;
        if (!immediate || mdl_read_has(l, budget) || isinf(mdl_retries_of(retry)) || isinf(mu) ||
            r->workers != NULL) {
            continue;
        }
        double hidden = mu / (1 + mdl_retries_of(retry));
        if (load > hidden && load < mu) {
            mdl_find(
                l, mdl_say(l, "%s.retry", r->path),
                "%s serves %s a second; when every call is tried %s times that is %s new calls, "
                "and %s arrive: once it is overloaded it stays so",
                r->dependency_name, mdl_say_number(l, mu),
                mdl_say_number(l, 1 + mdl_retries_of(retry)), mdl_say_number(l, hidden),
                mdl_say_number(l, load));
        }
    }
}

/* ---- scaler-blind-to-delayed ---- */

static void scaler_blind(struct mdl_lint *l)
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        if (r->workers == NULL || r->workers->autoscaler.kind == NULL || r->job_retry == NULL ||
            r->job_retry->held_by != MDL_HELD_BROKER) {
            continue;
        }
        const struct mdl_scaler_common *s = r->workers->autoscaler.cfg;
        const char *metric = mdl_read_word(l, mdl_say(l, "%s.autoscaler.metric", r->owner_path));
        bool depth = metric[0] == '\0' || strcmp(metric, "depth") == 0;
        double outage = mdl_outage_s(r->dependency);
        if (depth && mdl_scaler_counts(&r->workers->autoscaler) == MDL_COUNTS_READY && outage > 0) {
            mdl_find(l, mdl_say(l, "%s.autoscaler.counts", r->owner_path),
                     "the scaler counts ready jobs only: of the %s jobs that arrive during the %s "
                     "outage it does not see those that wait for a retry, nor that they all come "
                     "back; it stays near min = %s",
                     mdl_say_number(l, floor(r->rate_per_s * outage)), mdl_say_span(l, outage),
                     mdl_say_number(l, (double)s->min));
        }
    }
}

const struct mdl_rule mdl_rules_capacity[] = {
    { .name = "fleet-over-capacity",
      .severity = SQ_WARNING,
      .title = "A fleet that can make more calls than the dependency bears.",
      .why = "An autoscaler sees a backlog, not the dependency behind it. With as many slots as it "
             "may create, the first minute after an outage calls everything at once; a cap before "
             "the dependency makes the size of the fleet harmless.",
      .fix = "a concurrency limit under controls, or a smaller fleet",
      .look = fleet_over },
    { .name = "caps-add-up",
      .severity = SQ_WARNING,
      .title = "Caps per caller that add up to more than the dependency bears.",
      .why = "Three queues, each with a cap that looks safe alone, together call three times as "
             "much. The dependency does not know whose calls they are.",
      .fix = "scope: fleet, or limits that sum up to what it bears",
      .look = caps_add_up },
    { .name = "replica-limits-add-up",
      .severity = SQ_WARNING,
      .title = "Limits per replica that add up to more than the dependency bears.",
      .why = "A limit in the process multiplies with the number of processes, which an autoscaler "
             "changes without asking.",
      .fix = "scope: fleet, or a limit divided by the largest number of replicas",
      .look = replica_limits },
    { .name = "timeout-below-p99",
      .severity = SQ_WARNING,
      .title = "A timeout below the 99th percentile of the service alone.",
      .why =
          "Such calls fail while nothing is wrong; each is retried, and the work of the first is "
          "wasted. Under load the share grows, and with it the load.",
      .fix = "a timeout above the p99.9 that is measured at normal load",
      .look = timeout_below },
    { .name = "cohort-over-edge",
      .severity = SQ_WARNING,
      .title = "A cohort larger than 2 x rate x timeout.",
      .why =
          "If all members call at once, more than half a timeout's worth of them wait longer than "
          "the timeout; they give up, try again, and the calls they gave up are served before "
          "the new ones. Goodput falls to nothing and stays there.",
      .fix = "a longer timeout, a spread first call, or a limit on waiting calls",
      .look = cohort_over },
    { .name = "hidden-capacity",
      .severity = SQ_WARNING,
      .title = "Normal load above the capacity that is left when every call is retried.",
      .why =
          "A dependency of capacity C whose callers try r more times at once bears only C / (1 + "
          "r) new calls in overload. Above that it works until it is first pushed over, and then "
          "does not come back (Bronson et al., Metastable Failures, HotOS 2021).",
      .fix = "a retry budget, or longer delays",
      .look = hidden_capacity },
    { .name = "scaler-blind-to-delayed",
      .severity = SQ_NOTE,
      .title = "A scaler that does not see jobs waiting for a retry.",
      .why =
          "Whether the broker's depth contains delayed jobs decides what the fleet looks like when "
          "the dependency returns: too small with ready jobs only, far too large with both.",
      .fix = "find out what the broker reports; counts: [ready, delayed] shows the other case",
      .look = scaler_blind },
};
const size_t mdl_rules_capacity_count = SQ_COUNT(mdl_rules_capacity);
