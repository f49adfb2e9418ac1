/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_balance.c - which node a call goes to. */
#include "models/entity/mdl_dependency_in.h"
#include "models/policy/mdl_slow_start.h"

#include <math.h>

/* ---- who takes calls, and how gladly ---- */

/* Whether the balancer sends calls there. */
static bool takes_calls(const struct mdl_dependency *d, const struct mdl_node *n)
{
    return n->state == MDL_NODE_READY && !n->removed &&
           (d->cfg->probe != NULL || !mdl_down_refuses(n));
}

void mdl_balance_take(struct mdl_dependency *d, struct mdl_node *n, enum mdl_taken taken)
{
    const struct sq_block *slow = &d->cfg->slow_start;
    if (slow->kind != NULL && (taken == MDL_TAKEN_BACK || mdl_slow_start_at_birth(slow))) {
        n->slow_since = mdl_now(d->ctx);
        n->credit = 0;
    }
}

/* 0: it takes no calls. */
static double own_weight(const struct mdl_dependency *d, const struct mdl_node *n)
{
    if (!takes_calls(d, n) || n->slow_since == SQ_NEVER) {
        return takes_calls(d, n) ? 1 : 0;
    }
    return mdl_slow_start_share(&d->cfg->slow_start, mdl_now(d->ctx) - n->slow_since);
}

/* `some`: anybody has a weight. When nobody has any, all that take calls are alike. */
static double weight(const struct mdl_dependency *d, const struct mdl_node *n, bool some)
{
    return some ? own_weight(d, n) : takes_calls(d, n) ? 1 : 0;
}

static bool has_weight(const struct mdl_dependency *d)
{
    bool some = false;
    for (uint32_t i = 0; i < d->node_count && !some; i++) {
        some = own_weight(d, d->nodes[i]) > 0;
    }
    return some;
}

/* ---- by weight ---- */

static struct mdl_node *least_for_weight(const struct mdl_dependency *d, bool some)
{
    struct mdl_node *best = NULL;
    double least = INFINITY;
    for (uint32_t i = 0; i < d->node_count; i++) {
        struct mdl_node *n = d->nodes[i];
        double load = (double)(mdl_room_in_flight(&n->room) + 1) / weight(d, n, some);
        if (load < least) { /* infinite without weight */
            least = load;
            best = n;
        }
    }
    return best;
}

/* Smooth weighted turns, as nginx has them: everybody is owed its weight, the one that is owed most
 * is taken and pays for all. Those who do not take calls are owed nothing more. */
static struct mdl_node *richest(struct mdl_dependency *d, bool some)
{
    struct mdl_node *best = NULL;
    double paid = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        struct mdl_node *n = d->nodes[i];
        double w = weight(d, n, some);
        n->credit += w;
        paid += w;
        best = w > 0 && (best == NULL || n->credit > best->credit) ? n : best;
    }
    if (best != NULL) {
        best->credit -= paid;
    }
    return best;
}

static double uniform(const struct mdl_dependency *d, const struct mdl_call *call)
{
    return sq_luck_uniform(&d->ctx->luck, d->luck.balance[call->producer], call->ordinal,
                           call->attempt, call->draw);
}

static struct mdl_node *random_for_weight(const struct mdl_dependency *d,
                                          const struct mdl_call *call, bool some)
{
    struct mdl_node *last = NULL;
    double all = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        all += weight(d, d->nodes[i], some);
    }
    double left = uniform(d, call) * all;
    for (uint32_t i = 0; i < d->node_count; i++) {
        double w = weight(d, d->nodes[i], some);
        last = w > 0 ? d->nodes[i] : last;
        if (left < w) {
            return last;
        }
        left -= w;
    }
    return last; /* rounding */
}

static struct mdl_node *by_weight(struct mdl_dependency *d, const struct mdl_call *call)
{
    bool some = has_weight(d);
    return d->cfg->balance == MDL_BALANCE_RANDOM        ? random_for_weight(d, call, some)
           : d->cfg->balance == MDL_BALANCE_ROUND_ROBIN ? richest(d, some)
                                                        : least_for_weight(d, some);
}

/* ---- all alike ---- */

static struct mdl_node *least_loaded(const struct mdl_dependency *d)
{
    struct mdl_node *best = NULL;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < d->node_count; i++) {
        struct mdl_node *n = d->nodes[i];
        int64_t load = mdl_room_in_flight(&n->room);
        if (load < least && takes_calls(d, n)) {
            least = load;
            best = n;
        }
    }
    return best;
}

static struct mdl_node *next_in_turn(struct mdl_dependency *d)
{
    for (uint32_t k = 0; k < d->node_count; k++) {
        struct mdl_node *n = d->nodes[(d->turn + k) % d->node_count];
        if (takes_calls(d, n)) {
            d->turn = n->index + 1u;
            return n;
        }
    }
    return NULL;
}

static struct mdl_node *at_random(const struct mdl_dependency *d, const struct mdl_call *call)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        count += takes_calls(d, d->nodes[i]) ? 1 : 0;
    }
    if (count == 0) {
        return NULL;
    }
    uint32_t skip = (uint32_t)(uniform(d, call) * count), i = 0;
    while (!takes_calls(d, d->nodes[i]) || skip-- > 0) {
        i++;
    }
    return d->nodes[i];
}

static struct mdl_node *alike(struct mdl_dependency *d, const struct mdl_call *call)
{
    return d->cfg->balance == MDL_BALANCE_RANDOM        ? at_random(d, call)
           : d->cfg->balance == MDL_BALANCE_ROUND_ROBIN ? next_in_turn(d)
                                                        : least_loaded(d);
}

/* The first that is ready at all: it says that it is down. */
static struct mdl_node *first_ready(const struct mdl_dependency *d)
{
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (d->nodes[i]->state == MDL_NODE_READY && !d->nodes[i]->removed) {
            return d->nodes[i];
        }
    }
    return NULL;
}

struct mdl_node *mdl_nodes_pick(struct mdl_dependency *d, const struct mdl_call *call)
{
    struct mdl_node *n = NULL;
    if (d->node_count > 1) {
        n = d->cfg->slow_start.kind != NULL ? by_weight(d, call) : alike(d, call);
    }
    return n != NULL ? n : first_ready(d);
}
