/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_down.c - going down and coming back: outages and collapse. */
#include "models/entity/mdl_dependency_in.h"

#include "models/policy/mdl_dist.h"

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

static void go_down(struct mdl_dependency *d, sq_time_t answer_in)
{
    d->refusal_delay = answer_in;
    d->trip_seq = 0;
    if (d->room.open) {
        mdl_room_close(&d->room, throw_out, d);
    }
}

static void come_back(struct mdl_dependency *d)
{
    if (!mdl_down_refuses(d)) {
        mdl_room_open(&d->room);
    }
}

static sq_time_t or_own(const struct mdl_dependency *d, sq_time_t answer_in)
{
    return answer_in != SQ_NEVER ? answer_in : d->cfg->answer_in;
}

/* ---- hang ---- */

static void hang(struct mdl_dependency *d)
{
    if (d->hangs++ == 0) {
        mdl_room_hang(&d->room, true);
    }
}

/* A call that is held never gets an answer. */
static void lose(void *self, uint32_t slot)
{
    mdl_inner_abort(self, slot);
    mdl_dependency_forget(self, slot);
}

static void go_on(struct mdl_dependency *d, uint32_t i)
{
    if (mdl_outage_loses(&d->cfg->outages, i) && d->room.open) {
        mdl_room_close(&d->room, lose, d);
        mdl_room_open(&d->room);
    }
    if (--d->hangs == 0) {
        mdl_room_hang(&d->room, false);
        mdl_inner_go_on(d);
    }
    mdl_down_watch(d);
}

/* ---- slow, errors, brownout ---- */

/* Factors and shares of all outages in effect multiply. */
static void set_weather(struct mdl_dependency *d)
{
    double slow = 1, capacity = 1;
    d->failing = 0;
    for (size_t i = 0; i < d->cfg->outages.count; i++) {
        if (!d->outages[i].on) {
            continue;
        }
        enum mdl_outage_kind kind = mdl_outage_kind(&d->cfg->outages, i);
        d->failing += kind == MDL_OUTAGE_ERRORS ? 1 : 0;
        slow *= kind == MDL_OUTAGE_SLOW ? mdl_outage_amount(&d->cfg->outages, i) : 1;
        capacity *= kind == MDL_OUTAGE_BROWNOUT ? mdl_outage_amount(&d->cfg->outages, i) : 1;
    }
    mdl_room_weather(&d->room, slow, capacity);
}

enum mdl_error mdl_down_error(const struct mdl_dependency *d, const struct mdl_call *call,
                              bool arrival, sq_time_t *answer_in)
{
    if (d->failing == 0) {
        return MDL_ERR_OK;
    }
    const struct sq_list *list = &d->cfg->outages;
    double u = sq_luck_uniform(&d->ctx->luck, d->luck.outage_errors[call->producer], call->ordinal,
                               call->attempt, 2 * call->draw + (arrival ? 0 : 1));
    for (size_t i = 0; i < list->count; i++) {
        if (!d->outages[i].on || mdl_outage_kind(list, i) != MDL_OUTAGE_ERRORS ||
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

static void begin(struct mdl_dependency *d, uint32_t i)
{
    enum mdl_outage_kind kind = mdl_outage_kind(&d->cfg->outages, i);
    const struct mdl_outage_cfg *o = mdl_outage_at(&d->cfg->outages, i);
    d->outages[i].on = true;
    d->ctx->planned_outages += mdl_outage_is_planned(o) ? 1 : 0;
    d->downs += kind == MDL_OUTAGE_DOWN ? 1 : 0;
    if (kind == MDL_OUTAGE_HANG) {
        hang(d);
    }
    mdl_emit_entity(d->ctx, MDL_REC_OUTAGE, d->id, kind, i);
    if (kind == MDL_OUTAGE_DOWN) {
        go_down(d, or_own(d, o->answer_in));
    } else if (kind != MDL_OUTAGE_HANG) {
        set_weather(d);
    }
    (void)mdl_post(d->ctx, d->outages[i].until, d->id, MDL_EV_OUTAGE_OVER, i);
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
    enum mdl_outage_kind kind = mdl_outage_kind(&d->cfg->outages, i);
    bool planned = mdl_outage_is_planned(mdl_outage_at(&d->cfg->outages, i));
    d->outages[i].on = false;
    d->ctx->planned_outages -= planned ? 1 : 0;
    d->downs -= kind == MDL_OUTAGE_DOWN ? 1 : 0;
    if (kind == MDL_OUTAGE_HANG) {
        go_on(d, i);
    }
    mdl_emit_entity(d->ctx, MDL_REC_OUTAGE_OVER, d->id, kind, i);
    if (kind == MDL_OUTAGE_DOWN) {
        come_back(d);
    } else if (kind != MDL_OUTAGE_HANG) {
        set_weather(d);
        mdl_down_watch(d);
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

static bool is_overloaded(const struct mdl_dependency *d)
{
    const struct mdl_overload_cfg *o = d->cfg->overload;
    return o->in_flight >= 0 ? d->room.in_flight.now > o->in_flight
                             : d->room.waiting.now > o->waiting;
}

void mdl_down_watch(struct mdl_dependency *d)
{
    const struct mdl_overload_cfg *o = d->cfg->overload;
    if (o == NULL || !d->room.open || (!o->repeat && d->collapses > 0)) {
        return;
    }
    bool over = is_overloaded(d);
    if (over && d->trip_seq == 0) {
        sq_time_t at = sq_time_add(mdl_now(d->ctx), o->hold);
        d->trip_seq = mdl_post(d->ctx, at, d->id, MDL_EV_TRIP, 0);
    } else if (!over && d->trip_seq != 0) {
        d->trip_seq = 0;
    }
}

void mdl_down_trip(struct mdl_dependency *d, uint64_t seq)
{
    if (d->trip_seq != seq) {
        return;
    }
    const struct mdl_overload_cfg *o = d->cfg->overload;
    d->trip_seq = 0;
    d->collapsed = true;
    struct sq_dist length = mdl_dist_make(&o->down_for);
    sq_time_t down = mdl_draw(d->ctx, &length, d->luck.down, d->collapses, 0, 0);
    d->collapses++;
    mdl_emit_entity(d->ctx, MDL_REC_COLLAPSE, d->id, 0, d->collapses);
    go_down(d, or_own(d, o->answer_in));
    (void)mdl_post(d->ctx, sq_time_add(mdl_now(d->ctx), down), d->id, MDL_EV_COLLAPSE_OVER, 0);
}

void mdl_down_return(struct mdl_dependency *d)
{
    d->collapsed = false;
    mdl_emit_entity(d->ctx, MDL_REC_COLLAPSE_OVER, d->id, 0, d->collapses);
    come_back(d);
}
