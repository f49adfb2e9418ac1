/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_refusals.c - calls that are refused: when the caller learns of it, and what it
 * costs the server. */
#include "models/entity/mdl_dependency_in.h"

/* The Retry-After that goes with a refusal. */
static sq_time_t hint_of(struct mdl_dependency *d, enum mdl_error error)
{
    bool fits = error == MDL_ERR_RATE_LIMITED ||
                (error == MDL_ERR_REFUSED && !mdl_hint_is_reset(&d->cfg->hint));
    return fits ? mdl_hint(&d->cfg->hint, &d->cfg->rate_limit, &d->limiter, mdl_now(d->ctx))
                : SQ_NEVER;
}

/* The caller learns after `delay` that its call failed. */
static void fail_in(struct mdl_dependency *d, uint32_t slot, enum mdl_error error, sq_time_t delay)
{
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    call->outcome = (uint8_t)error;
    call->hint_ns = hint_of(d, error);
    if (d->near && d->lane_delay != delay) { /* else every delay is another one */
        d->lane_delay = delay;
        d->refusal_lane = sq_evq_lane(d->ctx->sim.evq, delay, MDL_RANK_ANSWER);
    }
    uint64_t load = sq_msg_pack((struct sq_msg){ call->caller, MDL_EV_ANSWER, 0, slot });
    if (d->near && d->refusal_lane >= 0) {
        (void)sq_evq_push_lane(d->ctx->sim.evq, d->refusal_lane, load);
    } else {
        (void)sq_evq_push(d->ctx->sim.evq, sq_time_add(mdl_now(d->ctx), delay), MDL_RANK_ANSWER,
                          load);
    }
}

/* `refusal_cost`: saying no takes a server for a while. */
static void charge(struct mdl_dependency *d, uint32_t slot)
{
    const struct mdl_call *call = mdl_call_at(d->ctx, slot);
    sq_time_t cost = mdl_draw(d->ctx, &d->refusal_cost, d->luck.refusal_cost[call->producer],
                              call->ordinal, call->attempt, call->draw);
    if (cost > 0) {
        mdl_room_charge(&mdl_node_of(d, call)->room, cost);
    }
}

/* Refuses a call that has just come: `delay` runs from its leaving. */
void mdl_refuse(struct mdl_dependency *d, uint32_t slot, enum mdl_error error, sq_time_t delay)
{
    sq_time_t gone = mdl_now(d->ctx) - mdl_call_at(d->ctx, slot)->left_ns;
    if (error == MDL_ERR_REFUSED || error == MDL_ERR_RATE_LIMITED) {
        charge(d, slot);
    }
    fail_in(d, slot, error, sq_max_i64(delay - gone, 0));
}

/* The discipline of the waiting room lets go of a call. */
void mdl_refuse_shed(void *self, uint32_t slot)
{
    struct mdl_dependency *d = self;
    if ((mdl_call_at(d->ctx, slot)->flags & MDL_CALL_CALLER) == 0) {
        mdl_dependency_forget(d, slot);
        return;
    }
    charge(d, slot);
    fail_in(d, slot, MDL_ERR_REFUSED, d->cfg->answer_in);
}
