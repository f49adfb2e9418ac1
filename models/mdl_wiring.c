/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_wiring.c - from a bound scenario to entities that know each other's numbers. */
#include "models/mdl_wiring.h"

#include "models/policy/mdl_contention.h"
#include "models/policy/mdl_dist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- order of name ---- */

struct named {
    const char *name;
    size_t index;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* Entries of a section in order of name: where things stand in the file means nothing. */
static struct named *in_order(struct mdl_world *w, const struct sq_map *section)
{
    struct named *n = sq_arena_alloc(&w->ctx.arena, section->count + 1, sizeof(*n));
    for (size_t i = 0; n != NULL && i < section->count; i++) {
        n[i] = (struct named){ section->names[i], i };
    }
    if (n != NULL) {
        qsort(n, section->count, sizeof(*n), by_name);
    }
    return n;
}

/* ---- luck ---- */

/* One stream for every producer: (entity, purpose, producer). */
static uint32_t *streams(struct mdl_world *w, const char *entity, const char *purpose)
{
    uint32_t *s = sq_arena_alloc(&w->ctx.arena, w->ctx.source_count + 1, sizeof(*s));
    for (size_t i = 0; s != NULL && i < w->ctx.source_count; i++) {
        s[i] = sq_luck_stream(entity, purpose, w->ctx.sources[i].name);
    }
    return s;
}

/* ---- building ---- */

static enum sq_status init_producers(struct mdl_world *w)
{
    size_t count = w->cfg.producers.count;
    struct named *order = in_order(w, &w->cfg.producers);
    struct mdl_source *sources =
        sq_arena_alloc(&w->ctx.arena, count + w->cfg.clients.count + 1, sizeof(*sources));
    w->producers = sq_arena_alloc(&w->ctx.arena, count + 1, sizeof(*w->producers));
    if (order == NULL || sources == NULL || w->producers == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct mdl_producer_cfg *p = sq_map_at(&w->cfg.producers, order[i].index);
        sources[i] = (struct mdl_source){ .name = order[i].name,
                                          .deadline_ns = &p->deadline,
                                          .deadline_check = p->deadline_check,
                                          .service_scale = p->service_scale,
                                          .priority = (unsigned)p->priority,
                                          .work = mdl_dist_make(&p->work) };
        enum sq_status status = mdl_producer_init(&w->producers[i], &w->ctx, order[i].name, p);
        if (status != SQ_OK) {
            return status;
        }
        w->producers[i].index = (uint16_t)i;
    }
    w->producer_count = w->ctx.source_count = count;
    w->ctx.sources = sources;
    for (size_t i = 0; i < count; i++) {
        sources[i].permanent_stream = sq_luck_stream(sources[i].name, "permanent", NULL);
        mdl_source_poison(&w->ctx, i, w->producers[i].cfg->permanent);
    }
    return SQ_OK;
}

/* Clients are sources too, behind the producers; a producer may have the same name, so the streams
 * of a client are keyed by "client NAME". */
static enum sq_status init_clients(struct mdl_world *w)
{
    struct named *order = in_order(w, &w->cfg.clients);
    w->clients = sq_arena_alloc(&w->ctx.arena, w->cfg.clients.count + 1, sizeof(*w->clients));
    if (order == NULL || w->clients == NULL) {
        return SQ_NOMEM;
    }
    w->client_count = w->cfg.clients.count;
    for (size_t i = 0; i < w->client_count; i++) {
        const struct mdl_client_cfg *c = sq_map_at(&w->cfg.clients, order[i].index);
        struct mdl_source *source = &w->ctx.sources[w->ctx.source_count];
        *source = (struct mdl_source){
            .name = sq_arena_printf(&w->ctx.arena, "client %s", order[i].name),
            .deadline_ns = &c->deadline,
            .deadline_check = MDL_CHECK_CALL,
            .service_scale = c->service_scale,
            .priority = (unsigned)c->priority,
            .work = mdl_dist_make(&c->work),
        };
        enum sq_status status = mdl_client_init(&w->clients[i], &w->ctx, order[i].name, c);
        if (status != SQ_OK || source->name == NULL) {
            return SQ_NOMEM;
        }
        source->permanent_stream = sq_luck_stream(source->name, "permanent", NULL);
        mdl_source_poison(&w->ctx, w->ctx.source_count, c->permanent);
        w->clients[i].index = (uint16_t)w->ctx.source_count++;
    }
    return SQ_OK;
}

static enum sq_status init_queues(struct mdl_world *w)
{
    struct named *order = in_order(w, &w->cfg.queues);
    w->queues = sq_arena_alloc(&w->ctx.arena, w->cfg.queues.count + 1, sizeof(*w->queues));
    if (order == NULL || w->queues == NULL) {
        return SQ_NOMEM;
    }
    w->queue_count = w->cfg.queues.count;
    for (size_t i = 0; i < w->queue_count; i++) {
        enum sq_status status = mdl_queue_init(&w->queues[i], &w->ctx, order[i].name,
                                               sq_map_at(&w->cfg.queues, order[i].index));
        if (status != SQ_OK) {
            return status;
        }
    }
    return SQ_OK;
}

static enum sq_status init_pools(struct mdl_world *w)
{
    struct named *order = in_order(w, &w->cfg.workers);
    w->pools = sq_arena_alloc(&w->ctx.arena, w->cfg.workers.count + 1, sizeof(*w->pools));
    w->scalers = sq_arena_alloc(&w->ctx.arena, w->cfg.workers.count + w->cfg.dependencies.count + 1,
                                sizeof(*w->scalers));
    if (order == NULL || w->pools == NULL || w->scalers == NULL) {
        return SQ_NOMEM;
    }
    w->pool_count = w->cfg.workers.count;
    for (size_t i = 0; i < w->pool_count; i++) {
        enum sq_status status = mdl_workers_init(&w->pools[i], &w->ctx, order[i].name,
                                                 sq_map_at(&w->cfg.workers, order[i].index));
        if (status != SQ_OK) {
            return status;
        }
    }
    return SQ_OK;
}

static enum sq_status init_dependencies(struct mdl_world *w)
{
    struct named *order = in_order(w, &w->cfg.dependencies);
    w->dependencies =
        sq_arena_alloc(&w->ctx.arena, w->cfg.dependencies.count + 1, sizeof(*w->dependencies));
    if (order == NULL || w->dependencies == NULL) {
        return SQ_NOMEM;
    }
    w->dependency_count = w->cfg.dependencies.count;
    for (size_t i = 0; i < w->dependency_count; i++) {
        int control = sq_map_find(&w->cfg.controls, order[i].name);
        enum sq_status status =
            mdl_dependency_init(&w->dependencies[i], &w->ctx, order[i].name,
                                sq_map_at(&w->cfg.dependencies, order[i].index),
                                control >= 0 ? sq_map_at(&w->cfg.controls, (size_t)control) : NULL);
        if (status != SQ_OK) {
            return status;
        }
    }
    return SQ_OK;
}

/* ---- wiring ---- */

struct mdl_queue *mdl_wiring_queue(const struct mdl_world *w, const char *name)
{
    for (size_t i = 0; i < w->queue_count; i++) {
        if (strcmp(w->queues[i].name, name) == 0) {
            return &w->queues[i];
        }
    }
    SQ_UNREACHABLE("references are checked at load");
}

struct mdl_dependency *mdl_wiring_dependency(const struct mdl_world *w, const char *name)
{
    for (size_t i = 0; i < w->dependency_count; i++) {
        if (strcmp(w->dependencies[i].name, name) == 0) {
            return &w->dependencies[i];
        }
    }
    SQ_UNREACHABLE("references are checked at load");
}

/* The level that contention of a queue counts, or NULL. */
static const struct sq_level *load_of(const struct mdl_world *w, const struct mdl_dependency *d)
{
    const char *queue = mdl_contention_queue(&d->cfg->room.contention);
    return queue != NULL ? &mdl_wiring_queue(w, queue)->ready : NULL;
}

/* Which sources' jobs make a call, or NULL for all. */
static enum sq_status wire_only(struct mdl_world *w, const struct sq_list *only, const bool **out)
{
    *out = NULL;
    if (only->count == 0) {
        return SQ_OK;
    }
    bool *set = sq_arena_alloc(&w->ctx.arena, w->ctx.source_count + 1, sizeof(*set));
    for (size_t i = 0; set != NULL && i < only->count; i++) {
        const struct sq_ref *ref = sq_list_at(only, i);
        for (size_t k = 0; k < w->producer_count; k++) {
            set[k] |= strcmp(w->producers[k].name, ref->name) == 0;
        }
        for (size_t k = 0; k < w->client_count; k++) {
            set[w->clients[k].index] |= strcmp(w->clients[k].name, ref->name) == 0;
        }
    }
    *out = set;
    return set != NULL ? SQ_OK : SQ_NOMEM;
}

/* The budget that this caller's retries have to ask, or NULL. */
static struct mdl_budgets *budgets_for(const struct mdl_dependency *d, const char *caller)
{
    const struct mdl_gate *g = &d->gate;
    bool stands = g->budgets != NULL && g->cfg->only.count == 0;
    for (size_t i = 0; g->budgets != NULL && i < g->cfg->only.count; i++) {
        const struct sq_ref *ref = sq_list_at(&g->cfg->only, i);
        stands = stands || strcmp(ref->name, caller) == 0;
    }
    return stands ? g->budgets : NULL;
}

/* The calls of a caller, in file order. */
static enum sq_status wire_calls(struct mdl_world *w, const char *caller,
                                 const struct sq_map *calls, struct mdl_entry **out)
{
    struct mdl_entry *entries = sq_arena_alloc(&w->ctx.arena, calls->count + 1, sizeof(*entries));
    if (entries == NULL) {
        return SQ_NOMEM;
    }
    for (size_t k = 0; k < calls->count; k++) {
        struct mdl_entry *e = &entries[k];
        const char *name = calls->names[k];
        const char *retry = sq_arena_printf(&w->ctx.arena, "retry %s", name);
        const char *times = sq_arena_printf(&w->ctx.arena, "times %s", name);
        if (retry == NULL || times == NULL) {
            return SQ_NOMEM;
        }
        *e = (struct mdl_entry){ .dependency = mdl_wiring_dependency(w, name)->id,
                                 .budgets = budgets_for(mdl_wiring_dependency(w, name), caller),
                                 .cfg = sq_map_at(calls, k),
                                 .retry_streams = streams(w, caller, retry),
                                 .times_streams = streams(w, caller, times),
                                 .lane = -1 };
        enum sq_status status = wire_only(w, &e->cfg->only, &e->only);
        if (status != SQ_OK || e->retry_streams == NULL || e->times_streams == NULL) {
            return SQ_NOMEM;
        }
    }
    *out = entries;
    return SQ_OK;
}

/* Whether an action changes the number of its nodes. */
static bool sets_nodes(const struct mdl_world *w, const char *name)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "dependencies.%s.nodes", name);
    for (size_t i = 0; i < w->cfg.actions.count; i++) {
        if (sq_map_find(&mdl_action_at(&w->cfg.actions, i)->set, path) >= 0) {
            return true;
        }
    }
    return false;
}

static enum sq_status start_dependencies(struct mdl_world *w)
{
    for (size_t i = 0; i < w->dependency_count; i++) {
        struct mdl_dependency *d = &w->dependencies[i];
        struct mdl_dependency_luck luck = {
            .service = streams(w, d->name, "service"),
            .refusal_cost = streams(w, d->name, "refusal_cost"),
            .defer = streams(w, d->name, "defer"),
            .budget = streams(w, d->name, "budget"),
            .network = streams(w, d->name, "network"),
            .errors = streams(w, d->name, "errors"),
            .outage_errors = streams(w, d->name, "outage-errors"),
            .balance = streams(w, d->name, "balance"),
            .cache = streams(w, d->name, "cache"),
            .down = sq_luck_stream(d->name, "down", NULL),
            .outage = sq_luck_stream(d->name, "outage", NULL),
            .start_up = sq_luck_stream(d->name, "start_up", NULL),
        };
        bool whole = luck.service != NULL && luck.refusal_cost != NULL && luck.defer != NULL &&
                     luck.budget != NULL && luck.network != NULL && luck.errors != NULL &&
                     luck.outage_errors != NULL && luck.balance != NULL && luck.cache != NULL;
        d->queue = load_of(w, d);
        d->varies = sets_nodes(w, d->name);
        enum sq_status status = whole ? mdl_dependency_start(d, luck) : SQ_NOMEM;
        if (status != SQ_OK) {
            return status;
        }
        struct mdl_entry *entries;
        status = wire_calls(w, d->name, &d->cfg->calls, &entries);
        if (status == SQ_OK) {
            status = mdl_wiring_node_scaler(w, d);
        }
        if (status != SQ_OK) {
            return status;
        }
        mdl_dependency_calls(d, entries, d->cfg->calls.count);
    }
    return SQ_OK;
}

static enum sq_status start_queues(struct mdl_world *w)
{
    for (size_t i = 0; i < w->queue_count; i++) {
        struct mdl_queue *q = &w->queues[i];
        const char *retries = q->cfg->retry_queue.name;
        q->retry_queue = retries != NULL ? mdl_wiring_queue(w, retries)->id : q->id;
        q->keeps_letters = q->cfg->dead_letter != NULL;
        enum sq_status status = mdl_queue_start(q, mdl_wiring_age_bin(w, q));
        if (status != SQ_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < w->producer_count; i++) {
        const struct mdl_producer_cfg *p = w->producers[i].cfg;
        if (p->supersede != NULL) {
            enum sq_status status =
                mdl_queue_add_keys(mdl_wiring_queue(w, p->queue.name), (uint16_t)i,
                                   p->supersede->keys, &p->supersede->keep, &p->supersede->removal);
            if (status != SQ_OK) {
                return status;
            }
        }
    }
    return SQ_OK;
}

/* The queues of a pool, in the order of its list. */
static enum sq_status wire_queues(struct mdl_world *w, struct mdl_workers *p,
                                  struct mdl_workers_wiring *out)
{
    size_t count = p->cfg->queue.count;
    uint16_t *queues = sq_arena_alloc(&w->ctx.arena, count, sizeof(*queues));
    enum sq_status status = queues != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t i = 0; i < count && status == SQ_OK; i++) {
        const struct sq_ref *ref = sq_list_at(&p->cfg->queue, i);
        struct mdl_queue *q = mdl_wiring_queue(w, ref->name);
        queues[i] = q->id;
        status = mdl_queue_add_consumer(q, p->id, &p->wants);
    }
    out->queues = queues;
    out->queue_count = count;
    return status;
}

static enum sq_status start_pools(struct mdl_world *w)
{
    for (size_t i = 0; i < w->pool_count; i++) {
        struct mdl_workers *p = &w->pools[i];
        struct mdl_workers_wiring wiring = { .work_streams = streams(w, p->name, "work"),
                                             .retry_streams = streams(w, p->name, "retry") };
        if (wiring.work_streams == NULL || wiring.retry_streams == NULL) {
            return SQ_NOMEM;
        }
        enum sq_status status = wire_queues(w, p, &wiring);
        if (status == SQ_OK) {
            status = wire_calls(w, p->name, &p->cfg->calls, &wiring.entries);
            wiring.entry_count = p->cfg->calls.count;
        }
        if (status == SQ_OK) {
            mdl_workers_start(p, wiring);
            status = mdl_wiring_scaler(w, p);
        }
        if (status != SQ_OK) {
            return status;
        }
    }
    return SQ_OK;
}

static enum sq_status start_producers(struct mdl_world *w)
{
    for (size_t i = 0; i < w->producer_count; i++) {
        struct mdl_producer *p = &w->producers[i];
        int in_file = sq_map_find(&w->cfg.producers, p->name);
        enum sq_status status = mdl_producer_start(p, mdl_wiring_queue(w, p->cfg->queue.name)->id,
                                                   w->scenario->traces[in_file]);
        if (status != SQ_OK) {
            return status;
        }
    }
    return SQ_OK;
}

static enum sq_status start_clients(struct mdl_world *w)
{
    for (size_t i = 0; i < w->client_count; i++) {
        struct mdl_client *c = &w->clients[i];
        int in_file = sq_map_find(&w->cfg.clients, c->name);
        struct mdl_client_wiring wiring = {
            .luck_name = w->ctx.sources[c->index].name,
            .entry_count = c->cfg->calls.count,
            .trace = w->scenario->traces[w->cfg.producers.count + (size_t)in_file],
        };
        enum sq_status status = wire_calls(w, c->name, &c->cfg->calls, &wiring.entries);
        if (status == SQ_OK) {
            status = mdl_client_start(c, &wiring);
        }
        if (status != SQ_OK) {
            return status;
        }
    }
    return SQ_OK;
}

/* Which dependencies go on calling; nothing when none does. */
static enum sq_status note_graph(struct mdl_world *w)
{
    bool *goes_on = NULL;
    for (size_t i = 0; i < w->dependency_count; i++) {
        if (w->dependencies[i].cfg->calls.count == 0) {
            continue;
        }
        if (goes_on == NULL) {
            goes_on = sq_arena_alloc(&w->ctx.arena, w->ctx.sim.actor_count, sizeof(*goes_on));
        }
        if (goes_on == NULL) {
            return SQ_NOMEM;
        }
        goes_on[w->dependencies[i].id] = true;
    }
    w->ctx.paths.goes_on = goes_on;
    return SQ_OK;
}

/* ---- the whole ---- */

enum sq_status mdl_wiring_build(struct mdl_world *w)
{
    enum sq_status (*const steps[])(struct mdl_world *) = {
        init_producers, init_clients, init_queues, init_pools, init_dependencies,
    };
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < SQ_COUNT(steps) && status == SQ_OK; i++) {
        status = steps[i](w);
    }
    if (status == SQ_OK) {
        status = mdl_operator_init(&w->operator_, &w->ctx, &w->cfg.actions);
    }
    if (status == SQ_OK) {
        w->ctx.waiting = sq_arena_alloc(&w->ctx.arena, w->ctx.source_count + 1, sizeof(int64_t));
        status = w->ctx.waiting != NULL ? note_graph(w) : SQ_NOMEM;
    }
    return status;
}

enum sq_status mdl_wiring_start(struct mdl_world *w)
{
    enum sq_status (*const starts[])(struct mdl_world *) = {
        mdl_wiring_controls, start_dependencies, start_queues,       start_pools,
        start_producers,     start_clients,      mdl_wiring_actions,
    };
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < SQ_COUNT(starts) && status == SQ_OK; i++) {
        status = starts[i](w);
    }
    return status;
}
