/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_nodes.c - how nodes come, are probed, and go. */
#include "models/entity/mdl_dependency_in.h"
#include "models/policy/mdl_dist.h"

#include <math.h>

/* ---- how many ---- */

void mdl_nodes_count(struct mdl_dependency *d)
{
    bool returns = d->opened && d->up == 0;
    d->up = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        d->up += mdl_node_is_up(d->nodes[i]) ? 1 : 0;
    }
    if (returns && d->up > 0 && d->cfg->cache != NULL) {
        d->cfg->cache->now = d->cfg->cache->after_return;
    }
}

int64_t mdl_dependency_serving(const struct mdl_dependency *d)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        count += mdl_node_is_up(d->nodes[i]) && !d->nodes[i]->removed ? 1 : 0;
    }
    return count;
}

double mdl_dependency_capacity(const struct mdl_dependency *d)
{
    double sum = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        sum += mdl_room_capacity(&d->nodes[i]->room);
    }
    return d->cfg->rate_limit.kind != NULL ? fmin(sum, mdl_limiter_rate(&d->cfg->rate_limit)) : sum;
}

/* ---- coming and going ---- */

static void set_state(struct mdl_dependency *d, struct mdl_node *n, enum mdl_node_state state)
{
    bool existed = n->state == MDL_NODE_STARTING || n->state == MDL_NODE_READY;
    bool exists = state == MDL_NODE_STARTING || state == MDL_NODE_READY;
    sq_time_t now = mdl_now(d->ctx);
    sq_level_move(&d->existing, now, (exists ? 1 : 0) - (existed ? 1 : 0));
    sq_level_move(&d->ready, now,
                  (state == MDL_NODE_READY ? 1 : 0) - (n->state == MDL_NODE_READY ? 1 : 0));
    n->state = (uint8_t)state;
    mdl_nodes_count(d);
}

/* A place for one node more; NULL: out of memory. */
static struct mdl_node *place(struct mdl_dependency *d)
{
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (d->nodes[i]->state == MDL_NODE_GONE) {
            return d->nodes[i];
        }
    }
    if (d->node_count == d->node_size) {
        uint32_t size = d->node_size == 0 ? (uint32_t)d->cfg->nodes : 2 * d->node_size;
        struct mdl_node **grown = sq_arena_alloc(&d->ctx->arena, size, sizeof(*grown));
        if (grown == NULL) {
            return NULL;
        }
        for (uint32_t i = 0; i < d->node_count; i++) {
            grown[i] = d->nodes[i];
        }
        d->nodes = grown;
        d->node_size = size;
    }
    struct mdl_node *n = sq_arena_alloc(&d->ctx->arena, 1, sizeof(*n));
    if (n != NULL) {
        n->hit = sq_arena_alloc(&d->ctx->arena, d->cfg->outages.count + 1, sizeof(*n->hit));
        n->index = (uint16_t)d->node_count;
    }
    if (n == NULL || n->hit == NULL) {
        return NULL;
    }
    d->nodes[d->node_count++] = n;
    return n;
}

static struct mdl_node *make(struct mdl_dependency *d, enum mdl_node_state state)
{
    struct mdl_node *n = place(d);
    if (n == NULL) {
        d->ctx->failed = true;
        sq_sim_stop(&d->ctx->sim);
        return NULL;
    }
    mdl_room_fini(&n->room); /* of the one before it */
    *n = (struct mdl_node){ .hit = n->hit,
                            .index = n->index,
                            .born = d->born++,
                            .asker = d->ctx->askers++,
                            .slow_since = SQ_NEVER,
                            .room = { .ctx = d->ctx,
                                      .id = d->id,
                                      .index = n->index,
                                      .sum = &d->load,
                                      .cfg = &d->cfg->room,
                                      .owner = mdl_dependency_owner(d),
                                      .service_streams = d->luck.service,
                                      .queue = d->queue } };
    mdl_room_init(&n->room, state == MDL_NODE_READY);
    set_state(d, n, state);
    return n;
}

enum sq_status mdl_nodes_open(struct mdl_dependency *d)
{
    d->nodes_seen = d->cfg->nodes;
    d->start_up = mdl_dist_make(&d->cfg->start_up);
    for (int64_t i = 0; i < d->cfg->nodes; i++) {
        if (make(d, MDL_NODE_READY) == NULL) {
            return SQ_NOMEM;
        }
    }
    d->opened = true;
    if (d->cfg->probe != NULL) {
        (void)mdl_post(d->ctx, d->cfg->probe->every, d->id, MDL_EV_PROBE, 0);
    }
    return SQ_OK;
}

static void begin_start(struct mdl_dependency *d)
{
    struct mdl_node *n = make(d, MDL_NODE_STARTING);
    if (n == NULL) {
        return;
    }
    mdl_down_join(d, n);
    sq_time_t time = mdl_draw(d->ctx, &d->start_up, d->luck.start_up, n->born, 0, 0);
    sq_time_t at = sq_time_add(mdl_now(d->ctx), time);
    n->start_seq = mdl_post(d->ctx, at, d->id, MDL_EV_STARTED, n->index);
}

void mdl_node_started(struct mdl_dependency *d, uint32_t index, uint64_t seq)
{
    struct mdl_node *n = d->nodes[index];
    if (n->start_seq != seq) {
        return;
    }
    n->start_seq = 0;
    set_state(d, n, MDL_NODE_READY);
    mdl_balance_take(d, n, MDL_TAKEN_NEW);
    if (!mdl_down_refuses(n)) {
        mdl_room_open(&n->room);
    }
    mdl_emit_entity(d->ctx, MDL_REC_REPLICA_READY, d->id, 0, d->existing.now);
}

static void leave(struct mdl_dependency *d, struct mdl_node *n)
{
    if (n->room.open) {
        mdl_room_close(&n->room, mdl_dependency_forget, d); /* nothing is inside */
    }
    sq_mem_free(n->collapse.come);
    n->start_seq = 0;
    n->collapse = (struct mdl_collapse){ 0 };
    for (size_t i = 0; i < d->caller.entry_count; i++) {
        mdl_tell(d->ctx, d->caller.entries[i].dependency, MDL_EV_GONE, 0, n->asker);
    }
    set_state(d, n, MDL_NODE_GONE);
    mdl_emit_entity(d->ctx, MDL_REC_REPLICA_GONE, d->id, 0, d->existing.now);
}

void mdl_node_tidy(struct mdl_dependency *d, struct mdl_node *n)
{
    if (n->state == MDL_NODE_RETIRING && mdl_room_in_flight(&n->room) == 0) {
        leave(d, n);
    }
}

/* Those that are not ready first, then the youngest. */
static struct mdl_node *next_to_retire(const struct mdl_dependency *d)
{
    struct mdl_node *found = NULL;
    for (uint32_t i = 0; i < d->node_count; i++) {
        struct mdl_node *n = d->nodes[i];
        if (n->state != MDL_NODE_STARTING && n->state != MDL_NODE_READY) {
            continue;
        }
        bool sooner = found == NULL || n->state < found->state ||
                      (n->state == found->state && n->born > found->born);
        found = sooner ? n : found;
    }
    return found;
}

void mdl_nodes_scale(struct mdl_dependency *d, int64_t wanted)
{
    mdl_emit_entity(d->ctx, MDL_REC_WANTED, d->id, 0, wanted);
    while (d->existing.now < wanted && !d->ctx->failed) {
        begin_start(d);
    }
    while (d->existing.now > wanted) {
        struct mdl_node *n = next_to_retire(d);
        set_state(d, n, MDL_NODE_RETIRING);
        n->start_seq = 0;
        mdl_node_tidy(d, n);
    }
}

/* ---- probes ---- */

static bool fails(const struct mdl_dependency *d, const struct mdl_node *n)
{
    sq_time_t oldest = mdl_shelf_oldest(&n->room.shelf);
    bool late = oldest != SQ_NEVER && mdl_now(d->ctx) - oldest > d->cfg->probe->timeout;
    return mdl_down_refuses(n) || late;
}

static void probe(struct mdl_dependency *d, struct mdl_node *n)
{
    bool failed = fails(d, n);
    n->fails = failed ? n->fails + 1 : 0;
    n->passes = failed ? 0 : n->passes + 1;
    bool turns = n->removed ? n->passes >= d->cfg->probe->rise : n->fails >= d->cfg->probe->fall;
    if (turns) {
        n->removed = !n->removed;
        mdl_emit_entity(d->ctx, n->removed ? MDL_REC_NODE_OUT : MDL_REC_NODE_IN, d->id, 0,
                        n->index);
    }
    if (turns && !n->removed) {
        mdl_balance_take(d, n, MDL_TAKEN_BACK);
    }
}

void mdl_nodes_probe(struct mdl_dependency *d)
{
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (d->nodes[i]->state == MDL_NODE_READY) {
            probe(d, d->nodes[i]);
        }
    }
    sq_time_t at = sq_time_add(mdl_now(d->ctx), d->cfg->probe->every);
    (void)mdl_post(d->ctx, at, d->id, MDL_EV_PROBE, 0);
}
