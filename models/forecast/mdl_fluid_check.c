/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_fluid_check.c - where the fluid model holds: it refuses what it does not know, with the key.
 */
#include "models/forecast/mdl_fluid.h"

#include "models/part/mdl_gate_parts.h"
#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_ramp.h"
#include "models/policy/mdl_scaler.h"

#include <stdio.h>
#include <string.h>

struct check {
    const struct mdl_world *w;
    struct sq_diag *diag;
    char place[128]; /* "dependencies.api" */
};

static void refuse(struct check *c, const char *key, const char *text)
{
    char path[192];
    (void)snprintf(path, sizeof(path), "%s%s%s", c->place, c->place[0] != '\0' ? "." : "", key);
    (void)sq_diag_error(c->diag, (struct sq_where){ .file = c->w->scenario->file }, path,
                        "leave out --fluid: the simulation of events knows it",
                        "the fluid model %s", text);
}

static void refuse_if(struct check *c, bool wrong, const char *key)
{
    if (wrong) {
        refuse(c, key, "does not know this");
    }
}

static void at(struct check *c, const char *section, const char *name)
{
    (void)snprintf(c->place, sizeof(c->place), "%s%s%s", section, name[0] != '\0' ? "." : "", name);
}

static bool is_kind(const struct sq_block *b, const char *kind)
{
    return b->kind != NULL && strcmp(b->kind->name, kind) == 0;
}

static void check_world(struct check *c)
{
    const struct mdl_world *w = c->w;
    const struct mdl_root_cfg *cfg = &w->cfg;
    at(c, "", "");
    refuse_if(c, w->client_count > 0, "clients");
    refuse_if(c, cfg->actions.count > 0, "actions");
    if (cfg->timeline % SQ_NS_PER_S != 0) {
        refuse(c, "timeline", "takes bins of whole seconds");
    }
    if (cfg->measure_from > 0) {
        refuse(c, "measure_from", "counts from the start");
    }
    if (w->queue_count != 1) {
        refuse(c, "queues", "takes exactly one queue");
    }
    if (w->pool_count != 1) {
        refuse(c, "workers", "takes exactly one pool of workers");
    }
    if (w->dependency_count != 1) {
        refuse(c, "dependencies", "takes exactly one dependency");
    }
}

static void check_producers(struct check *c)
{
    for (size_t i = 0; i < c->w->producer_count; i++) {
        const struct mdl_producer *p = &c->w->producers[i];
        const struct mdl_producer_cfg *cfg = p->cfg;
        at(c, "producers", p->name);
        bool smooth = is_kind(&cfg->arrivals, "poisson") || is_kind(&cfg->arrivals, "regular") ||
                      is_kind(&cfg->arrivals, "none");
        if (!smooth) {
            refuse(c, "arrivals", "takes jobs that arrive at a rate");
        }
        refuse_if(c, cfg->permanent > 0, "permanent");
        if (cfg->supersede != NULL && cfg->supersede->skew > 0) {
            refuse(c, "supersede.skew", "takes keys that are drawn alike");
        }
        refuse_if(c, cfg->service_scale < 1 || cfg->service_scale > 1, "service_scale");
        refuse_if(c, cfg->priority != 0 && c->w->producer_count > 1, "priority");
    }
}

static void check_queue(struct check *c)
{
    const struct mdl_queue_cfg *q = c->w->queues[0].cfg;
    at(c, "queues", c->w->queues[0].name);
    refuse_if(c, !is_kind(&q->discipline, "fifo"), "discipline");
    refuse_if(c, q->capacity != SQ_UNLIMITED, "capacity");
    refuse_if(c, q->visibility_timeout != SQ_NEVER && !q->renew, "visibility_timeout");
    refuse_if(c, !mdl_dist_is_zero(&q->poll), "poll");
    refuse_if(c, q->retry_queue.name != NULL, "retry_queue");
    refuse_if(c, q->dedup_window != NULL, "dedup_window");
}

/* Whether it retries whatever the dependency may answer; all failures are alike here. */
static bool retries_all(const struct check *c, const struct mdl_retry_cfg *r)
{
    const struct mdl_dependency_cfg *d = c->w->dependencies[0].cfg;
    bool all = mdl_retry_retries(r, MDL_ERR_UNAVAILABLE) && mdl_retry_retries(r, MDL_ERR_RESET) &&
               mdl_retry_retries(r, MDL_ERR_TIMEOUT) && mdl_retry_retries(r, MDL_ERR_ERROR);
    for (int e = 0; e < MDL_ERROR_COUNT; e++) {
        bool answers = sq_map_find(&d->errors, mdl_error_name((enum mdl_error)e)) >= 0;
        for (size_t i = 0; i < d->outages.count; i++) {
            answers = answers || (mdl_outage_kind(&d->outages, i) == MDL_OUTAGE_ERRORS &&
                                  mdl_outage_error(&d->outages, i) == (enum mdl_error)e);
        }
        all = all && (!answers || mdl_retry_retries(r, (enum mdl_error)e));
    }
    return all;
}

static void check_retry(struct check *c, const struct mdl_retry_cfg *r)
{
    bool hinted = c->w->dependencies[0].cfg->hint.kind != NULL;
    if (r == NULL) {
        return;
    }
    if (!retries_all(c, r)) {
        refuse(c, "retry.retry_on", "takes a retry of whatever the dependency may answer");
    }
    refuse_if(c, r->max_elapsed != SQ_NEVER, "retry.max_elapsed");
    refuse_if(c, r->retry_after != MDL_HINT_IGNORE && hinted, "retry.retry_after");
    if (r->held_by != MDL_HELD_BROKER) {
        refuse(c, "retry.held_by", "knows delays at the broker only");
    }
    refuse_if(c, is_kind(&r->give_up, "park"), "retry.give_up");
    refuse_if(c, is_kind(&r->backoff, "lease"), "retry.backoff");
}

static void check_pool(struct check *c)
{
    const struct mdl_workers *pool = &c->w->pools[0];
    const struct mdl_workers_cfg *p = pool->cfg;
    at(c, "workers", pool->name);
    refuse_if(c, p->batch != NULL, "batch");
    refuse_if(c, p->crashes != NULL, "crashes");
    refuse_if(c, p->memory != SQ_UNLIMITED, "memory");
    refuse_if(c, p->held_limit != SQ_UNLIMITED, "held_limit");
    refuse_if(c, p->delivery_cost > 0, "delivery_cost");
    check_retry(c, p->retry);
    if (p->autoscaler.kind != NULL) {
        const struct mdl_scaler_row *row = mdl_scaler_row(&p->autoscaler);
        const struct mdl_scaler_common *s = mdl_scaler_common(&p->autoscaler);
        refuse_if(c, row->slots || row->runs_once, "autoscaler.kind");
        refuse_if(c, s->metric != MDL_METRIC_DEPTH, "autoscaler.metric");
        refuse_if(c, s->gate != NULL, "autoscaler.gate");
    }
    if (p->calls.count != 1) {
        refuse(c, "calls", "takes workers that call the one dependency");
        return;
    }
    const struct mdl_calls_cfg *calls = sq_map_at(&p->calls, 0);
    (void)snprintf(c->place, sizeof(c->place), "workers.%s.calls.%s", pool->name,
                   p->calls.names[0]);
    refuse_if(c, calls->retry != NULL && mdl_retry_limit(calls->retry) != 1, "retry");
    refuse_if(c, calls->total_timeout != SQ_NEVER, "total_timeout");
    refuse_if(c, calls->only.count > 0, "only");
    if (calls->times < 1 || calls->times > 1) {
        refuse(c, "times", "takes one call per attempt");
    }
}

static void check_outages(struct check *c, const struct sq_list *outages)
{
    for (size_t i = 0; i < outages->count; i++) {
        const struct mdl_outage_cfg *o = mdl_outage_at(outages, i);
        char key[48];
        (void)snprintf(key, sizeof(key), "outages.%zu", i);
        bool known = mdl_outage_is_planned(o) && o->nodes < 0 &&
                     mdl_outage_kind(outages, i) != MDL_OUTAGE_HANG;
        if (!known) {
            refuse(c, key, "takes planned outages of all nodes that do not hang");
        }
        for (size_t k = 0; known && k < i; k++) {
            const struct mdl_outage_cfg *other = mdl_outage_at(outages, k);
            if (mdl_outage_is_planned(other) && o->at < mdl_outage_over(other) &&
                other->at < mdl_outage_over(o)) {
                refuse(c, key, "takes one outage at a time");
            }
        }
    }
}

static void check_dependency(struct check *c)
{
    const struct mdl_dependency *dep = &c->w->dependencies[0];
    const struct mdl_dependency_cfg *d = dep->cfg;
    at(c, "dependencies", dep->name);
    refuse_if(c, d->kind != MDL_DEPENDENCY_SERVER, "kind");
    refuse_if(c, d->room.waiting_room != SQ_UNLIMITED, "waiting_room");
    refuse_if(c, !is_kind(&d->room.discipline, "fifo"), "discipline");
    refuse_if(c,
              d->room.contention.kind != NULL && mdl_contention_queue(&d->room.contention) == NULL,
              "contention");
    if (d->rate_limit.kind != NULL) { /* without one nothing is refused that had a refusal_cost */
        refuse(c, "rate_limit",
               "knows no limit at the server: what it refuses depends on the gaps between calls");
    }
    refuse_if(c, d->probe != NULL, "probe");
    refuse_if(c, d->slow_start.kind != NULL, "slow_start");
    if (d->nodes > 1 && d->balance != MDL_BALANCE_LEAST_LOADED && d->room.servers != SQ_UNLIMITED) {
        refuse(c, "balance", "takes nodes that share their load (least-loaded)");
    }
    if (d->room.abandoned != MDL_ABANDONED_FINISH) {
        refuse(c, "abandoned", "takes calls that are finished for nobody");
    }
    refuse_if(c, d->cache != NULL, "cache");
    refuse_if(c, d->autoscaler.kind != NULL, "autoscaler");
    refuse_if(c, d->calls.count > 0, "calls");
    refuse_if(c,
              d->overload != NULL && (d->overload->in_flight < 0 ||
                                      (d->overload->per == MDL_PER_NODE && d->nodes > 1)),
              "overload");
    check_outages(c, &d->outages);
}

static bool waits_at_most(const struct mdl_control_cfg *g)
{
    return is_kind(&g->throttled, "wait") &&
           ((const struct mdl_throttled_wait *)g->throttled.cfg)->max != SQ_NEVER;
}

static void check_control(struct check *c)
{
    const struct mdl_gate *gate = &c->w->dependencies[0].gate;
    if (!gate->active) {
        return;
    }
    const struct mdl_control_cfg *g = gate->cfg;
    at(c, "controls", c->w->dependencies[0].name);
    bool waits = g->throttled.kind == NULL || is_kind(&g->throttled, "wait") ||
                 is_kind(&g->throttled, "pause");
    refuse_if(c, !waits, "throttled");
    refuse_if(c, waits_at_most(g), "throttled.max");
    if (g->breaker != NULL) {
        refuse(c, "breaker", "knows no breaker: single calls decide when it trips and closes");
    }
    refuse_if(c, g->budget.kind != NULL, "budget");
    refuse_if(c, g->adaptive.kind != NULL, "adaptive");
    refuse_if(c, g->only.count > 0, "only");
    refuse_if(c, g->concurrency != NULL && g->concurrency->lease != SQ_NEVER, "concurrency.lease");
    if (c->w->scaler_count > 0 && g->concurrency != NULL &&
        g->concurrency->scope == MDL_SCOPE_REPLICA) {
        refuse(c, "concurrency.scope", "takes one limit in all where replicas come and go");
    }
    if (c->w->scaler_count > 0 && g->rate_limit.kind != NULL &&
        mdl_limiter_scope(&g->rate_limit) == MDL_SCOPE_REPLICA) {
        refuse(c, "rate_limit.scope", "takes one limit in all where replicas come and go");
    }
    if (g->ramp.kind != NULL) {
        const struct mdl_ramp_common *r = mdl_ramp_common(&g->ramp);
        refuse_if(c, r->starts != MDL_RAMP_ERRORS_STOP, "ramp.starts");
        refuse_if(c, r->clock != 0, "ramp.clock");
        refuse_if(c, r->scope != 0, "ramp.scope");
    }
}

enum sq_status mdl_fluid_check(const struct mdl_world *w, struct mdl_fluid_parts *parts,
                               struct sq_diag *diag)
{
    struct check c = { .w = w, .diag = diag };
    size_t before = diag->errors;
    check_world(&c);
    check_producers(&c);
    if (diag->errors > before) {
        return SQ_USER;
    }
    check_queue(&c);
    check_pool(&c);
    check_dependency(&c);
    check_control(&c);
    *parts = (struct mdl_fluid_parts){ &w->queues[0], &w->pools[0], &w->dependencies[0] };
    return diag->errors > before ? SQ_USER : SQ_OK;
}
