/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_rules_brokers.c - rules about queues, leases and dead letters. */
#include "models/advice/mdl_rule.h"

#include <math.h>
#include <string.h>

/* ---- broker-ceiling ---- */

static void broker_ceiling(struct mdl_lint *l)
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        if (r->queue == NULL || r->job_retry == NULL || r->job_retry->held_by != MDL_HELD_BROKER ||
            r->queue->max_receives == SQ_UNLIMITED) {
            continue;
        }
        double attempts = mdl_retries_of(r->job_retry) + 1;
        double receives = (double)r->queue->max_receives;
        const char *retry_as = mdl_read_word(l, mdl_say(l, "queues.%s.retry_as", r->queue_name));
        if (receives > attempts || attempts < 2 || strcmp(retry_as, "new-message") == 0) {
            continue;
        }
        mdl_find(
            l, mdl_say(l, "queues.%s.max_receives", r->queue_name),
            "the broker dead-letters a job after %s deliveries, the workers %s give up after %s "
            "attempts: %s",
            mdl_say_number(l, receives), r->caller,
            isinf(attempts) ? "unlimited" : mdl_say_number(l, attempts),
            receives < attempts ? "their limit is never reached"
                                : "one redelivery after a crash already costs the last of them");
    }
}

/* ---- leases ---- */

/* Longest time a worker keeps a job from delivery to settling, the retries in place included;
 * infinity when nothing bounds it. */
static double handler_s(struct mdl_lint *l, const struct mdl_route *r)
{
    double total = 0;
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *o = &l->routes[i];
        if (o->workers != r->workers) {
            continue;
        }
        double one = sq_time_to_s(o->calls->timeout);
        double tries = o->calls->retry != NULL ? mdl_retries_of(o->calls->retry) + 1 : 1;
        double waits = o->calls->retry != NULL ? mdl_window_s(o->calls->retry) : 0;
        if (o->calls->timeout == SQ_NEVER) {
            one = INFINITY;
        }
        double all = one * tries + waits;
        if (o->calls->total_timeout != SQ_NEVER) {
            all = fmin(all, sq_time_to_s(o->calls->total_timeout));
        }
        total += all * ceil(o->calls->times);
    }
    return total;
}

static double lease_of(struct mdl_lint *l, const struct mdl_route *r)
{
    const char *queue = mdl_say(l, "queues.%s", r->queue_name != NULL ? r->queue_name : "");
    bool renewed = strcmp(mdl_read_word(l, mdl_say(l, "%s.renew", queue)), "true") == 0;
    return r->queue == NULL || renewed ? NAN
                                       : mdl_read_s(l, mdl_say(l, "%s.visibility_timeout", queue));
}

static void lease_below_handler(struct mdl_lint *l)
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        double lease = lease_of(l, r), handler = handler_s(l, r);
        if (isnan(lease) || lease >= handler) {
            continue;
        }
        mdl_find(l, mdl_say(l, "queues.%s.visibility_timeout", r->queue_name),
                 "a lease lasts %s, and %s may keep a job %s: it is delivered again while it still "
                 "runs",
                 mdl_say_span(l, lease), r->caller,
                 isinf(handler) ? "as long as a call hangs (no timeout)"
                                : mdl_say_span(l, handler));
    }
}

static void lease_below_delay(struct mdl_lint *l)
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        double lease = lease_of(l, r), longest = 0;
        if (isnan(lease) || r->job_retry == NULL || r->job_retry->held_by == MDL_HELD_BROKER) {
            continue;
        }
        double retries = fmin(mdl_retries_of(r->job_retry), MDL_LOOK_RETRIES);
        for (uint32_t n = 1; n <= retries; n++) {
            longest = fmax(longest, mdl_delay_after(r->job_retry, n).most);
        }
        if (longest > lease) {
            mdl_find(l, mdl_say(l, "queues.%s.visibility_timeout", r->queue_name),
                     "workers hold retries for up to %s under a lease of %s: every such job is "
                     "delivered a second time and runs twice",
                     mdl_say_span(l, longest), mdl_say_span(l, lease));
        }
    }
}

/* ---- delay-in-memory ---- */

static bool has_deploy(const struct mdl_lint *l)
{
    bool any = false;
    const struct sq_node *list = sq_node_get(l->s->tree, "actions");
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        any = any || sq_node_get(list->items[i], "deploy") != NULL;
    }
    return any;
}

static void delay_in_memory(struct mdl_lint *l)
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        if (r->workers == NULL || r->job_retry == NULL ||
            r->job_retry->held_by != MDL_HELD_WORKER) {
            continue;
        }
        bool crashes = mdl_read_has(l, mdl_say(l, "%s.crashes", r->owner_path));
        bool scaled = r->workers->autoscaler.kind != NULL;
        double first = mdl_delay_after(r->job_retry, 1).mean;
        if (crashes || scaled || has_deploy(l)) {
            mdl_find(
                l, mdl_say(l, "%s.retry.held_by", r->owner_path),
                "delays of %s and more live in the memory of replicas that %s: they are lost or "
                "run again at once, whatever the broker does",
                mdl_say_span(l, first),
                crashes ? "crash" : (scaled ? "an autoscaler removes" : "a deploy replaces"));
        }
    }
}

/* ---- no-dead-letter ---- */

static void look_dropped(struct mdl_lint *l, const struct mdl_layer *y)
{
    if (y->is_call || y->route->workers == NULL || y->retry->give_up.kind == NULL ||
        strcmp(y->retry->give_up.kind->name, "drop") != 0) {
        return;
    }
    double outage = mdl_outage_s(y->route->dependency), window = mdl_window_s(y->retry);
    double from = mdl_outage_from_s(y->route->dependency);
    mdl_find(l, mdl_say(l, "%s.give_up", y->path),
             "jobs that give up are dropped without a trace: %s",
             outage > window
                 ? mdl_say(l, "about %s in the outage of %s",
                           mdl_say_number(l, floor(mdl_jobs_between(l, y->route, from,
                                                                    from + outage - window))),
                           y->upstream)
                 : mdl_say(l, "after %s of retries", mdl_say_span(l, window)));
}

static void no_dead_letter(struct mdl_lint *l)
{
    mdl_each_layer(l, look_dropped);
}

/* ---- dedup-window-short ---- */

static void dedup_short(struct mdl_lint *l)
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        if (r->queue == NULL || r->job_retry == NULL) {
            continue;
        }
        const char *path = mdl_say(l, "queues.%s.dedup_window", r->queue_name);
        double memory = mdl_read_s(l, mdl_say(l, "%s.for", path));
        double window = mdl_window_s(r->job_retry);
        if (memory < window) {
            mdl_find(l, path,
                     "an effect is remembered for %s, and retries of %s go on for %s: what comes "
                     "later is done twice",
                     mdl_say_span(l, memory), r->caller,
                     isinf(window) ? "ever" : mdl_say_span(l, window));
        }
    }
}

const struct mdl_rule mdl_rules_brokers[] = {
    { .name = "broker-ceiling",
      .severity = SQ_WARNING,
      .title = "The broker gives up before the application does.",
      .why = "Every retry that waits at the broker is a delivery more. A ceiling at or below the "
             "application's limit moves jobs to the dead letters before their last attempt, with "
             "the wrong reason beside them.",
      .fix = "max_receives above max_attempts by the redeliveries to expect",
      .look = broker_ceiling },
    { .name = "lease-below-handler",
      .severity = SQ_ERROR,
      .title = "A lease shorter than the longest run of a handler.",
      .why = "When the lease ends the broker gives the job to somebody else while the first one "
             "still runs: the work is done twice, at the time of highest load.",
      .fix = "a longer visibility_timeout, renew: true, or a total_timeout below it",
      .look = lease_below_handler },
    { .name = "delay-exceeds-lease",
      .severity = SQ_ERROR,
      .title = "A delay held by workers that is longer than the lease.",
      .why =
          "A job that waits in a worker's memory stays leased. If the delay outlasts the lease the "
          "broker delivers it again, and both copies run (the countdown trap of Celery on "
          "Redis).",
      .fix = "held_by: broker, or a visibility_timeout above the longest delay",
      .look = lease_below_delay },
    { .name = "delay-in-memory",
      .severity = SQ_WARNING,
      .title = "Delays in the memory of replicas that come and go.",
      .why =
          "A replica that crashes, is deployed or scaled away takes its timers along. With "
          "acknowledge: before the jobs are lost, else they come back at once and the backoff is "
          "gone.",
      .fix = "held_by: broker",
      .look = delay_in_memory },
    { .name = "no-dead-letter",
      .severity = SQ_WARNING,
      .title = "Jobs that give up leave no trace.",
      .why = "After an outage somebody asks what was lost, and wants to redrive it. Dropped jobs "
             "answer neither.",
      .fix = "give_up: dead-letter, or park",
      .look = no_dead_letter },
    { .name = "dedup-window-short",
      .severity = SQ_WARNING,
      .title = "An idempotency window shorter than the retries.",
      .why = "A store that forgets a key while retries of it are still under way lets the effect "
             "happen twice. The window has to outlast the longest retry window and the clocks' "
             "skew.",
      .fix = "a dedup_window above the retry window",
      .look = dedup_short },
};
const size_t mdl_rules_brokers_count = SQ_COUNT(mdl_rules_brokers);
