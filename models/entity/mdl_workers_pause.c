/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_pause.c - a pool that stops fetching because of a control (`throttled: pause`). */
#include "models/entity/mdl_workers_in.h"

void mdl_pause_begin(struct mdl_workers *w, uint32_t run)
{
    w->paused_by = w->caller.entries[mdl_run_at(&w->caller, run)->entry].dependency;
    w->pause = MDL_PAUSE_STOPPED;
    w->scout = 0;
    mdl_slots_ask_all(w);
}

/* Jobs that the ready replicas have slots for. */
static int64_t free_slots(const struct mdl_workers *w)
{
    int64_t sum = 0;
    for (uint32_t slot = w->all.head; slot != 0; slot = mdl_replica_at(w, slot)->next) {
        const struct mdl_replica *r = mdl_replica_at(w, slot);
        bool ready = r->state == MDL_REPLICA_READY;
        sum += ready ? sq_max_i64(r->slots - r->busy, 0) : 0;
    }
    return sum;
}

void mdl_pause_admits(struct mdl_workers *w, uint16_t control, uint32_t calls)
{
    if (w->pause == MDL_PAUSE_STOPPED && w->paused_by != control) {
        return; /* another control stands in the way */
    }
    w->scout = 0;
    w->paused_by = control;
    w->pause = calls > 0 ? MDL_PAUSE_PROBES : MDL_PAUSE_STOPPED;
    if (calls > 0 && calls >= free_slots(w)) {
        w->pause = MDL_PAUSE_RUNS;
        mdl_tell(w->ctx, control, MDL_EV_RUNS, 0, w->id);
    }
    mdl_slots_ask_all(w);
}
