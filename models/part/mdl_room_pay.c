/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_room_pay.c - servers that say no to calls (`refusal_cost`). */
#include "models/part/mdl_room.h"

/* One server pays its part of what is owed. */
void mdl_room_pay(struct mdl_room *r)
{
    sq_time_t part = r->owed_ns / r->owed;
    r->owed--;
    r->owed_ns -= part;
    r->paying++;
    sq_level_move(&r->sum->busy, mdl_now(r->ctx), 1);
    r->last_paid =
        mdl_post(r->ctx, sq_time_add(mdl_now(r->ctx), part), r->id, MDL_EV_PAID, r->index);
}

void mdl_room_charge(struct mdl_room *r, sq_time_t cost)
{
    if (r->open && mdl_room_in_force(r) != SQ_UNLIMITED) {
        r->owed++;
        r->owed_ns = sq_time_add(r->owed_ns, cost);
        if (!r->hung && mdl_room_at_work(r) < mdl_room_in_force(r)) {
            mdl_room_pay(r);
        }
    }
}

void mdl_room_paid(struct mdl_room *r, uint64_t seq)
{
    if (seq > r->paid_after) {
        r->paying--;
        sq_level_move(&r->sum->busy, mdl_now(r->ctx), -1);
        mdl_room_fill(r);
    }
}

void mdl_room_owe_nothing(struct mdl_room *r)
{
    sq_level_move(&r->sum->busy, mdl_now(r->ctx), -r->paying);
    r->paying = r->owed = 0;
    r->owed_ns = 0;
    r->paid_after = r->last_paid;
}
