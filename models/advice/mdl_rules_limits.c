/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_rules_limits.c - rules about how often things are tried. */
#include "models/advice/mdl_rule.h"

#include <math.h>
#include <string.h>

/* ---- unbounded-attempts ---- */

static void look_unbounded(struct mdl_lint *l, const struct mdl_layer *y)
{
    bool broker =
        !y->is_call && y->route->queue != NULL && y->route->queue->max_receives != SQ_UNLIMITED;
    if (!isinf(mdl_retries_of(y->retry)) || y->retry->max_elapsed != SQ_NEVER || broker) {
        return;
    }
    double delay = mdl_delay_after(y->retry, MDL_LOOK_RETRIES).mean;
    mdl_find(l, y->path,
             "neither attempts nor time are bounded: a job that cannot succeed calls %s for ever, "
             "%s",
             y->upstream,
             delay > 0 ? mdl_say(l, "every %s in the end", mdl_say_span(l, delay))
                       : "without a pause");
}

static void unbounded(struct mdl_lint *l)
{
    mdl_each_layer(l, look_unbounded);
}

/* ---- retries-permanent ---- */

/* Poison jobs per hour that reach a route. */
static double poison_per_h(struct mdl_lint *l, const struct mdl_route *r)
{
    const struct mdl_root_cfg *cfg = &l->s->cfg;
    double share = 0;
    for (size_t i = 0; i < cfg->producers.count; i++) {
        const struct mdl_producer_cfg *p = sq_map_at(&cfg->producers, i);
        double ratio =
            mdl_read_number(l, mdl_say(l, "producers.%s.permanent", cfg->producers.names[i]));
        if (r->queue_name != NULL && strcmp(p->queue.name, r->queue_name) == 0 && ratio > share) {
            share = ratio;
        }
    }
    if (r->client != NULL) {
        double ratio = mdl_read_number(l, mdl_say(l, "%s.permanent", r->owner_path));
        share = ratio > 0 ? ratio : 0;
    }
    return share * r->rate_per_s * 3600;
}

static void look_permanent(struct mdl_lint *l, const struct mdl_layer *y)
{
    double retries = mdl_retries_of(y->retry);
    if (!mdl_retry_retries(y->retry, MDL_ERR_PERMANENT) || retries < 1) {
        return;
    }
    double poison = poison_per_h(l, y->route);
    const char *tries =
        isinf(retries) ? "without end" : mdl_say(l, "%s times", mdl_say_number(l, retries));
    if (poison > 0) {
        mdl_find(l, mdl_say(l, "%s.retry_on", y->path),
                 "permanent errors are retried %s: %s jobs an hour that can never succeed", tries,
                 mdl_say_number(l, poison));
    } else {
        mdl_find(l, mdl_say(l, "%s.retry_on", y->path),
                 "permanent errors are retried %s, though they can never succeed", tries);
    }
}

static void permanent(struct mdl_lint *l)
{
    mdl_each_layer(l, look_permanent);
}

/* ---- stacked-layers ---- */

enum { PRODUCT_MAX = 10 };

static void stacked(struct mdl_lint *l)
{
    for (size_t i = 0; i < l->route_count; i++) {
        const struct mdl_route *r = &l->routes[i];
        double call = mdl_tries_of(r->calls->retry), job = mdl_tries_of(r->job_retry);
        if (call < 2 || job < 2 || call * job <= PRODUCT_MAX) {
            continue;
        }
        const char *product =
            isinf(call * job) ? "without bound" : mdl_say(l, "%s", mdl_say_number(l, call * job));
        mdl_find(l, mdl_say(l, "%s.retry", r->path),
                 "tries multiply: %s per call x %s attempts of the job = %s calls of %s by one job "
                 "while it is down",
                 mdl_say_number(l, call), isinf(job) ? "unlimited" : mdl_say_number(l, job),
                 product, r->dependency_name);
    }
}

const struct mdl_rule mdl_rules_limits[] = {
    { .name = "unbounded-attempts",
      .severity = SQ_WARNING,
      .title = "Retries without any bound.",
      .why =
          "A job that cannot succeed is tried for ever. Such jobs pile up until they are most of "
          "the load, and nothing ever reports them.",
      .fix = "max_attempts, max_elapsed, or a max_receives of the queue",
      .look = unbounded },
    { .name = "retries-permanent",
      .severity = SQ_WARNING,
      .title = "Permanent errors are retried.",
      .why = "A bad request stays bad. Retrying it costs calls and hides the mistake behind the "
             "retries of honest failures.",
      .fix = "retry_on: transient",
      .look = permanent },
    { .name = "stacked-layers",
      .severity = SQ_WARNING,
      .title = "Layers of retries that multiply.",
      .why = "Each layer repeats all tries of the layer below it: four tries in the client library "
             "under three attempts of the job are twelve calls, while it is down, of each job.",
      .fix = "retry in one layer, or put a budget before the dependency",
      .look = stacked },
};
const size_t mdl_rules_limits_count = SQ_COUNT(mdl_rules_limits);
