/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_balance.c - which node a call goes to. */
#include "models/entity/mdl_dependency_in.h"
#include "models/policy/mdl_slow_start.h"

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

static double own_weight(const struct mdl_dependency *d, const struct mdl_node *n)
{
    if (n->slow_since == SQ_NEVER) {
        return 1;
    }
    return mdl_slow_start_share(&d->cfg->slow_start, mdl_now(d->ctx) - n->slow_since);
}

/* Of a node that takes calls. When nobody has any weight, all are alike. */
static double weight(const struct mdl_dependency *d, const struct mdl_node *n, double sum)
{
    return sum > 0 ? own_weight(d, n) : 1;
}

static double sum_of_weights(const struct mdl_dependency *d)
{
    double sum = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        sum += takes_calls(d, d->nodes[i]) ? own_weight(d, d->nodes[i]) : 0;
    }
    return sum;
}

/* ---- by weight ---- */

static struct mdl_node *least_for_weight(const struct mdl_dependency *d, double sum)
{
    struct mdl_node *best = NULL;
    double least = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        struct mdl_node *n = d->nodes[i];
        double w = takes_calls(d, n) ? weight(d, n, sum) : 0;
        if (!(w > 0)) {
            continue;
        }
        double load = (double)(mdl_room_in_flight(&n->room) + 1) / w;
        if (best == NULL || load < least) {
            least = load;
            best = n;
        }
    }
    return best;
}

/* Smooth weighted turns, as nginx has them: everybody is owed its weight, the one that is owed most
 * is taken and pays for all. Those who do not take calls are owed nothing more. */
static struct mdl_node *richest(struct mdl_dependency *d, double sum)
{
    struct mdl_node *best = NULL;
    double paid = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        struct mdl_node *n = d->nodes[i];
        double w = takes_calls(d, n) ? weight(d, n, sum) : 0;
        if (!(w > 0)) {
            continue;
        }
        n->credit += w;
        paid += w;
        best = best == NULL || n->credit > best->credit ? n : best;
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
                                          const struct mdl_call *call, double sum)
{
    struct mdl_node *last = NULL;
    double all = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        all += takes_calls(d, d->nodes[i]) ? weight(d, d->nodes[i], sum) : 0;
    }
    double left = all > 0 ? uniform(d, call) * all : 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        struct mdl_node *n = d->nodes[i];
        double w = takes_calls(d, n) ? weight(d, n, sum) : 0;
        if (w > 0 && left < w) {
            return n;
        }
        left -= w;
        last = w > 0 ? n : last;
    }
    return last; /* rounding */
}

static struct mdl_node *by_weight(struct mdl_dependency *d, const struct mdl_call *call)
{
    double sum = sum_of_weights(d);
    return d->cfg->balance == MDL_BALANCE_RANDOM        ? random_for_weight(d, call, sum)
           : d->cfg->balance == MDL_BALANCE_ROUND_ROBIN ? richest(d, sum)
                                                        : least_for_weight(d, sum);
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
