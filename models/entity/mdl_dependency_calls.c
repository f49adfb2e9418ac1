/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_calls.c - a dependency as a caller.
 *
 *     own service over --> holds its server, calls --> done: answer | failed, stale: `error`
 *
 * While it hangs nothing leaves: tries that are due, and outcomes, wait until it goes on. */
#include "models/entity/mdl_dependency_in.h"

static bool halts(const void *self, uint32_t owner)
{
    const struct mdl_dependency *d = self;
    return mdl_node_of(d, mdl_call_at(d->ctx, owner))->hangs > 0;
}

void mdl_dependency_calls(struct mdl_dependency *d, struct mdl_entry *entries, size_t count)
{
    d->caller.entries = entries;
    d->caller.entry_count = count;
    d->caller.halts = halts;
    d->caller.self = d;
}

/* The server is free again, and the outcome is known. */
static void finish(struct mdl_dependency *d, uint32_t slot, enum mdl_error outcome)
{
    struct mdl_node *n = mdl_node_of(d, mdl_call_at(d->ctx, slot));
    mdl_room_cancel(&n->room, slot);
    mdl_down_watch(d, n);
    mdl_dependency_done(d, slot, outcome);
}

static void act(struct mdl_dependency *d, struct mdl_verdict v)
{
    if (v.run == 0 || v.step == MDL_STEP_WAIT) {
        return;
    }
    uint32_t slot = mdl_run_at(&d->caller, v.run)->owner;
    enum mdl_error outcome = v.step == MDL_STEP_DONE ? MDL_ERR_OK : MDL_ERR_ERROR;
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    mdl_caller_finish(&d->caller, v.run);
    call->inner = 0;
    if (halts(d, slot)) {
        call->place = MDL_PLACE_OVER;
        call->outcome = (uint8_t)outcome;
        return;
    }
    finish(d, slot, outcome);
}

void mdl_inner_start(struct mdl_dependency *d, uint32_t slot)
{
    mdl_room_hold(&mdl_node_of(d, mdl_call_at(d->ctx, slot))->room, slot);
    uint32_t run = mdl_caller_start(&d->caller, 0, slot);
    if (run != 0) {
        mdl_call_at(d->ctx, slot)->inner = run;
        mdl_run_at(&d->caller, run)->asker = mdl_node_of(d, mdl_call_at(d->ctx, slot))->asker;
        act(d, mdl_caller_next(&d->caller, run));
    }
}

void mdl_inner_abort(struct mdl_dependency *d, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(d->ctx, slot);
    uint32_t run = call->inner;
    if (mdl_inner_exists(d) && run != 0) {
        mdl_caller_abort(&d->caller, run);
        mdl_caller_finish(&d->caller, run);
        call->inner = 0;
    }
}

void mdl_inner_go_on(struct mdl_dependency *d, struct mdl_node *n)
{
    uint32_t slot = n->room.held.head;
    while (slot != 0) {
        const struct mdl_call *call = mdl_call_at(d->ctx, slot);
        uint32_t next = call->next;
        if (call->place == MDL_PLACE_OVER) {
            finish(d, slot, (enum mdl_error)call->outcome);
        }
        slot = next;
    }
    uint32_t run;
    while (mdl_inner_exists(d) && (run = mdl_caller_halted(&d->caller)) != 0) {
        act(d, mdl_caller_send(&d->caller, run));
    }
}

void mdl_inner_event(struct mdl_dependency *d, struct sq_msg m, uint64_t seq)
{
    struct mdl_caller *k = &d->caller;
    switch (m.kind) {
    case MDL_EV_ANSWER:
        act(d, mdl_caller_answer(k, m.slot));
        break;
    case MDL_EV_TIMEOUT:
        act(d, mdl_caller_timeout(k, m.slot, seq));
        break;
    case MDL_EV_THROTTLED:
        act(d, mdl_caller_throttled(k, m.slot, (enum mdl_turned)m.extra));
        break;
    case MDL_EV_AGAIN:
        act(d, mdl_caller_again(k, m.slot, seq));
        break;
    case MDL_EV_TOTAL:
        act(d, mdl_caller_total(k, m.slot, seq));
        break;
    default:
        SQ_UNREACHABLE("a dependency gets no such event");
    }
}
