/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_down.c - going down and coming back: outages and collapse. */
#include "models/entity/mdl_dependency_in.h"

#include "models/policy/mdl_dist.h"
#include "sim/base/sq_limits.h"

#include <math.h>

/* ---- down ---- */

/* A call that was inside fails with `reset`. */
static void throw_out(void *self, uint32_t slot)
{
    struct mdl_dependency *d = self;
    mdl_inner_abort(d, slot);
    if ((mdl_call_at(d->ctx, slot)->flags & MDL_CALL_CALLER) == 0) {
        mdl_dependency_forget(d, slot);
    } else {
        mdl_dependency_answer(d, slot, MDL_ERR_RESET);
    }
}

static void go_down(struct mdl_dependency *d, struct mdl_node *n, sq_time_t answer_in)
{
    n->refusal_delay = answer_in;
    if (n->room.open) {
        mdl_room_close(&n->room, throw_out, d);
    }
    mdl_down_watch(d, n);
}

static void come_back(struct mdl_dependency *d, struct mdl_node *n)
{
    if (mdl_down_refuses(n) || n->state <= MDL_NODE_STARTING) {
        return;
    }
    mdl_room_open(&n->room);
    if (d->cfg->probe == NULL) {
        mdl_balance_take(d, n, MDL_TAKEN_BACK);
    }
}

static sq_time_t or_own(const struct mdl_dependency *d, sq_time_t answer_in)
{
    return answer_in != SQ_NEVER ? answer_in : d->cfg->answer_in;
}

/* ---- hang ---- */

static void hang(struct mdl_node *n)
{
    if (n->hangs++ == 0) {
        mdl_room_hang(&n->room, true);
    }
}

/* A call that is held never gets an answer. */
static void lose(void *self, uint32_t slot)
{
    mdl_inner_abort(self, slot);
    mdl_dependency_forget(self, slot);
}

static void go_on(struct mdl_dependency *d, struct mdl_node *n, bool loses)
{
    if (loses && n->room.open) {
        mdl_room_close(&n->room, lose, d);
        mdl_room_open(&n->room);
    }
    if (--n->hangs == 0) {
        mdl_room_hang(&n->room, false);
        mdl_inner_go_on(d, n);
    }
    mdl_down_watch(d, n);
}

/* ---- slow, errors, brownout ---- */

/* Factors and shares of all outages in effect multiply. */
static void set_weather(struct mdl_dependency *d, struct mdl_node *n)
{
    double slow = 1, capacity = 1;
    n->failing = 0;
    for (size_t i = 0; i < d->cfg->outages.count; i++) {
        if (!n->hit[i]) {
            continue;
        }
        enum mdl_outage_kind kind = mdl_outage_kind(&d->cfg->outages, i);
        n->failing += kind == MDL_OUTAGE_ERRORS ? 1 : 0;
        slow *= kind == MDL_OUTAGE_SLOW ? mdl_outage_amount(&d->cfg->outages, i) : 1;
        capacity *= kind == MDL_OUTAGE_BROWNOUT ? mdl_outage_amount(&d->cfg->outages, i) : 1;
    }
    mdl_room_weather(&n->room, slow, capacity);
}

enum mdl_error mdl_down_draw(const struct mdl_dependency *d, const struct mdl_call *call,
                             bool arrival, sq_time_t *answer_in)
{
    const struct mdl_node *n = mdl_node_of(d, call);
    const struct sq_list *list = &d->cfg->outages;
    double u = sq_luck_uniform(&d->ctx->luck, d->luck.outage_errors[call->producer], call->ordinal,
                               call->attempt, 2 * call->draw + (arrival ? 0 : 1));
    for (size_t i = 0; i < list->count; i++) {
        if (!n->hit[i] || mdl_outage_kind(list, i) != MDL_OUTAGE_ERRORS ||
            (mdl_outage_at(list, i)->answer_in != SQ_NEVER) != arrival) {
            continue;
        }
        double ratio = mdl_outage_amount(list, i);
        if (u < ratio) {
            *answer_in = mdl_outage_at(list, i)->answer_in;
            return mdl_outage_error(list, i);
        }
        u = (u - ratio) / (1 - ratio); /* uniform again, for the next outage */
    }
    return MDL_ERR_OK;
}

/* ---- outages ---- */

/* Gap (0) or length (1) of the k-th outage of a random series. */
static sq_time_t draw(const struct mdl_dependency *d, uint32_t i, const struct sq_block *block,
                      uint32_t what)
{
    struct sq_dist dist = mdl_dist_make(block);
    return mdl_draw(d->ctx, &dist, d->luck.outage, d->outages[i].index, i, what);
}

static void post_random(struct mdl_dependency *d, uint32_t i, sq_time_t from)
{
    sq_time_t gap = draw(d, i, &mdl_outage_at(&d->cfg->outages, i)->every, 0);
    (void)mdl_post(d->ctx, sq_time_add(from, gap), d->id, MDL_EV_OUTAGE, i);
}

static bool is_hit(const struct mdl_dependency *d)
{
    for (size_t i = 0; i < d->cfg->outages.count; i++) {
        if (d->outages[i].on && d->outages[i].until > mdl_now(d->ctx)) {
            return true;
        }
    }
    return false;
}

/* The outage takes hold of a node. */
static void hit(struct mdl_dependency *d, struct mdl_node *n, uint32_t i)
{
    enum mdl_outage_kind kind = mdl_outage_kind(&d->cfg->outages, i);
    n->hit[i] = true;
    n->downs += kind == MDL_OUTAGE_DOWN ? 1 : 0;
    if (kind == MDL_OUTAGE_HANG) {
        hang(n);
    }
}

/* What that does to it. */
static void feel(struct mdl_dependency *d, struct mdl_node *n, uint32_t i)
{
    enum mdl_outage_kind kind = mdl_outage_kind(&d->cfg->outages, i);
    if (kind == MDL_OUTAGE_DOWN) {
        go_down(d, n, or_own(d, mdl_outage_at(&d->cfg->outages, i)->answer_in));
    } else if (kind != MDL_OUTAGE_HANG) {
        set_weather(d, n);
    }
}

static void let_go(struct mdl_dependency *d, struct mdl_node *n, uint32_t i)
{
    enum mdl_outage_kind kind = mdl_outage_kind(&d->cfg->outages, i);
    n->hit[i] = false;
    n->downs -= kind == MDL_OUTAGE_DOWN ? 1 : 0;
    if (kind == MDL_OUTAGE_HANG) {
        go_on(d, n, mdl_outage_loses(&d->cfg->outages, i));
    }
}

static void recover(struct mdl_dependency *d, struct mdl_node *n, uint32_t i)
{
    enum mdl_outage_kind kind = mdl_outage_kind(&d->cfg->outages, i);
    if (kind == MDL_OUTAGE_DOWN) {
        come_back(d, n);
    } else if (kind != MDL_OUTAGE_HANG) {
        set_weather(d, n);
        mdl_down_watch(d, n);
    }
}

/* All that exist, or so many of those that are up, the first ones first. */
static void choose(struct mdl_dependency *d, uint32_t i)
{
    int64_t left = mdl_outage_at(&d->cfg->outages, i)->nodes;
    bool all = left < 0;
    for (uint32_t k = 0; k < d->node_count && (all || left > 0); k++) {
        struct mdl_node *n = d->nodes[k];
        if (all ? n->state != MDL_NODE_GONE : mdl_node_is_up(n)) {
            hit(d, n, i);
            left -= all ? 0 : 1;
        }
    }
}

static void begin(struct mdl_dependency *d, uint32_t i)
{
    bool planned = mdl_outage_is_planned(mdl_outage_at(&d->cfg->outages, i));
    d->outages[i].on = true;
    d->ctx->planned_outages += planned ? 1 : 0;
    choose(d, i);
    mdl_nodes_count(d);
    mdl_emit_entity(d->ctx, MDL_REC_OUTAGE, d->id, mdl_outage_kind(&d->cfg->outages, i), i);
    for (uint32_t k = 0; k < d->node_count; k++) {
        if (d->nodes[k]->hit[i]) {
            feel(d, d->nodes[k], i);
        }
    }
    (void)mdl_post(d->ctx, d->outages[i].until, d->id, MDL_EV_OUTAGE_OVER, i);
}

void mdl_down_join(struct mdl_dependency *d, struct mdl_node *n)
{
    for (uint32_t i = 0; i < d->cfg->outages.count; i++) {
        const struct mdl_outage_cfg *o = mdl_outage_at(&d->cfg->outages, i);
        n->hit[i] = false;
        if (d->outages[i].on && o->nodes < 0) {
            hit(d, n, i);
            feel(d, n, i);
        }
    }
    n->collapse.on = d->collapse.on;
    n->refusal_delay = d->collapse.on ? or_own(d, d->cfg->overload->answer_in) : n->refusal_delay;
}

void mdl_down_outage(struct mdl_dependency *d, uint32_t i)
{
    const struct mdl_outage_cfg *o = mdl_outage_at(&d->cfg->outages, i);
    struct mdl_outage_state *s = &d->outages[i];
    if (mdl_outage_is_planned(o)) {
        s->until = mdl_outage_over(o);
        begin(d, i);
        return;
    }
    if (s->index == SQ_MAX_OUTAGES) {
        d->ctx->failed = true;
        sq_sim_stop(&d->ctx->sim);
        return;
    }
    bool skipped = is_hit(d);
    s->until = sq_time_add(mdl_now(d->ctx), draw(d, i, &o->length, 1));
    s->index++;
    if (skipped) {
        post_random(d, i, s->until);
    } else {
        begin(d, i);
    }
}

void mdl_down_over(struct mdl_dependency *d, uint32_t i)
{
    bool planned = mdl_outage_is_planned(mdl_outage_at(&d->cfg->outages, i));
    d->outages[i].on = false;
    d->ctx->planned_outages -= planned ? 1 : 0;
    for (uint32_t k = 0; k < d->node_count; k++) {
        d->nodes[k]->recovers = d->nodes[k]->hit[i];
        if (d->nodes[k]->hit[i]) {
            let_go(d, d->nodes[k], i);
        }
    }
    mdl_nodes_count(d);
    mdl_emit_entity(d->ctx, MDL_REC_OUTAGE_OVER, d->id, mdl_outage_kind(&d->cfg->outages, i), i);
    for (uint32_t k = 0; k < d->node_count; k++) {
        if (d->nodes[k]->recovers) {
            recover(d, d->nodes[k], i);
        }
    }
    if (!planned) {
        post_random(d, i, mdl_now(d->ctx));
    }
}

enum sq_status mdl_down_open(struct mdl_dependency *d)
{
    size_t count = d->cfg->outages.count;
    d->outages = sq_arena_alloc(&d->ctx->arena, count + 1, sizeof(*d->outages));
    if (d->outages == NULL) {
        return SQ_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct mdl_outage_cfg *o = mdl_outage_at(&d->cfg->outages, i);
        if (mdl_outage_is_planned(o)) {
            (void)mdl_post(d->ctx, o->at, d->id, MDL_EV_OUTAGE, i);
        } else {
            post_random(d, i, 0);
        }
    }
    return SQ_OK;
}

/* ---- collapse ---- */

static bool is_per_node(const struct mdl_dependency *d)
{
    return d->cfg->overload->per == MDL_PER_NODE;
}

/* More than `offered` calls have come within the last second, (now - 1s, now]. It goes on to be so
 * as long as it is so up to now: a call may leave the window at the instant at which another comes.
 */
static bool is_flooded(const struct mdl_dependency *d, struct mdl_collapse *c)
{
    sq_time_t at = mdl_now(d->ctx) - (c->trip_seq != 0 ? 1 : 0);
    while (c->count_come > 0 && at - c->come[c->first] >= SQ_NS_PER_S) {
        c->first = (c->first + 1) & (c->size - 1);
        c->count_come--;
    }
    return (double)c->count_come > d->cfg->overload->offered;
}

static bool note_come(const struct mdl_dependency *d, struct mdl_collapse *c)
{
    if (c->count_come == c->size) {
        uint32_t size = c->size == 0 ? 64 : 2 * c->size;
        sq_time_t *grown = sq_mem_alloc(size, sizeof(*grown));
        if (grown == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < c->count_come; i++) {
            grown[i] = c->come[(c->first + i) & (c->size - 1)];
        }
        sq_mem_free(c->come);
        c->come = grown;
        c->size = size;
        c->first = 0;
    }
    c->come[(c->first + c->count_come++) & (c->size - 1)] = mdl_now(d->ctx);
    return true;
}

/* What the rule looks at falls between calls, when nothing happens: so before a call is counted the
 * rule is looked at once. */
void mdl_down_offered(struct mdl_dependency *d, struct mdl_node *n)
{
    struct mdl_collapse *c = is_per_node(d) ? &n->collapse : &d->collapse;
    mdl_down_watch(d, n);
    if (!note_come(d, c)) {
        d->ctx->failed = true;
        sq_sim_stop(&d->ctx->sim);
        return;
    }
    mdl_down_watch(d, n);
}

/* Whose value counts. */
static bool is_overloaded(const struct mdl_dependency *d, const struct mdl_node *n,
                          struct mdl_collapse *c)
{
    const struct mdl_overload_cfg *o = d->cfg->overload;
    if (!isnan(o->offered)) {
        return is_flooded(d, c);
    }
    if (is_per_node(d)) {
        return o->in_flight >= 0 ? mdl_room_in_flight(&n->room) > o->in_flight
                                 : n->room.shelf.count > o->waiting;
    }
    return o->in_flight >= 0 ? d->load.in_flight.now > o->in_flight
                             : d->load.waiting.now > o->waiting;
}

/* Whether it stands at all: else there is nothing to watch. */
static bool is_open(const struct mdl_dependency *d, const struct mdl_node *n)
{
    bool open = n->room.open;
    for (uint32_t i = 0; i < d->node_count && !open && !is_per_node(d); i++) {
        open = d->nodes[i]->room.open;
    }
    return open;
}

void mdl_down_look(struct mdl_dependency *d, struct mdl_node *n)
{
    const struct mdl_overload_cfg *o = d->cfg->overload;
    mdl_node_tidy(d, n);
    if (o == NULL) {
        return;
    }
    struct mdl_collapse *c = is_per_node(d) ? &n->collapse : &d->collapse;
    bool over = is_open(d, n) && (o->repeat || c->count == 0) && is_overloaded(d, n, c);
    if (over && c->trip_seq == 0) {
        sq_time_t at = sq_time_add(mdl_now(d->ctx), o->hold);
        c->trip_seq = mdl_post(d->ctx, at, d->id, MDL_EV_TRIP, is_per_node(d) ? n->index : 0);
    } else if (!over && c->trip_seq != 0) {
        c->trip_seq = 0;
    }
}

/* The nodes that a collapse or a return is about: one, or all. */
static bool is_about(const struct mdl_dependency *d, const struct mdl_node *n, uint32_t whose)
{
    return is_per_node(d) ? n->index == whose : n->state != MDL_NODE_GONE;
}

void mdl_down_trip(struct mdl_dependency *d, uint32_t whose, uint64_t seq)
{
    const struct mdl_overload_cfg *o = d->cfg->overload;
    struct mdl_collapse *c = is_per_node(d) ? &d->nodes[whose]->collapse : &d->collapse;
    if (c->trip_seq != seq || (!isnan(o->offered) && !is_flooded(d, c))) {
        c->trip_seq = c->trip_seq != seq ? c->trip_seq : 0;
        return;
    }
    struct sq_dist length = mdl_dist_make(&o->down_for);
    sq_time_t down =
        mdl_draw(d->ctx, &length, d->luck.down, c->count, is_per_node(d) ? whose + 1 : 0, 0);
    c->trip_seq = 0;
    c->count++;
    d->collapse.on = !is_per_node(d);
    for (uint32_t i = 0; i < d->node_count; i++) {
        d->nodes[i]->collapse.on |= is_about(d, d->nodes[i], whose);
    }
    mdl_nodes_count(d);
    mdl_emit_entity(d->ctx, MDL_REC_COLLAPSE, d->id, 0, c->count);
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (is_about(d, d->nodes[i], whose)) {
            go_down(d, d->nodes[i], or_own(d, o->answer_in));
        }
    }
    c->over_seq =
        mdl_post(d->ctx, sq_time_add(mdl_now(d->ctx), down), d->id, MDL_EV_COLLAPSE_OVER, whose);
}

void mdl_down_return(struct mdl_dependency *d, uint32_t whose, uint64_t seq)
{
    struct mdl_collapse *c = is_per_node(d) ? &d->nodes[whose]->collapse : &d->collapse;
    if (c->over_seq != seq) {
        return; /* the node is gone */
    }
    d->collapse.on = false;
    for (uint32_t i = 0; i < d->node_count; i++) {
        d->nodes[i]->collapse.on &= !is_about(d, d->nodes[i], whose);
    }
    mdl_nodes_count(d);
    mdl_emit_entity(d->ctx, MDL_REC_COLLAPSE_OVER, d->id, 0, c->count);
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (is_about(d, d->nodes[i], whose)) {
            come_back(d, d->nodes[i]);
        }
    }
    mdl_down_watch(d, d->nodes[is_per_node(d) ? whose : 0]);
}
