/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain_scale.c - the fleet of the callers during the walk: an autoscaler that looks at the
 * depth of the queue, by the arithmetic of its own policy.
 *
 * A replica that retires while its jobs wait at the control gives them back to the queue: they
 * stand at the tail then, behind all that arrived meanwhile. */
#include "models/forecast/mdl_drain_priv.h"

#include "sim/base/sq_mem.h"

#include <string.h>

#define GRAIN 1e-9

enum sq_status mdl_drain_fleet_init(struct mdl_drain_walk *w)
{
    const struct mdl_drain_scaler *s = &w->in->scaler;
    struct mdl_drain_fleet *f = &w->fleet;
    if (s->block == NULL) {
        return SQ_OK;
    }
    size_t size = mdl_scaler_row(s->block)->state_size(s->block->cfg);
    f->state = sq_arena_alloc(w->memory, 1, size + 1);
    if (f->state == NULL) {
        return SQ_NOMEM;
    }
    if (s->state != NULL) {
        memcpy(f->state, s->state, size);
    }
    f->existing = s->existing;
    f->ready = s->ready;
    f->next_look_s = s->next_look_s;
    f->next_poll_s = s->next_poll_s;
    if (s->existing > s->ready) { /* begun before: on average half of it is behind them */
        f->due_s[0] = s->start_up_s / 2;
        f->starting[0] = s->existing - s->ready;
        f->count = 1;
    }
    w->known->callers =
        (struct mdl_drain_callers){ (double)f->ready * s->slots, (double)f->ready * s->slots, 0 };
    return SQ_OK;
}

static void fleet_add(struct mdl_drain_walk *w, int64_t count)
{
    struct mdl_drain_fleet *f = &w->fleet;
    size_t at = f->count < SQ_COUNT(f->due_s) ? f->count++ : SQ_COUNT(f->due_s) - 1;
    f->due_s[at] = w->t0 + w->in->scaler.start_up_s;
    f->starting[at] += count;
    f->existing += count;
}

/* Those that are starting go first, the youngest of them at first. */
static void fleet_retire(struct mdl_drain_walk *w, int64_t count)
{
    struct mdl_drain_fleet *f = &w->fleet;
    f->existing -= count;
    while (count > 0 && f->count > 0) {
        int64_t *young = &f->starting[f->count - 1];
        int64_t gone = sq_min_i64(count, *young);
        *young -= gone;
        count -= gone;
        f->count -= *young == 0 ? 1 : 0;
    }
    double slots = (double)count * w->in->scaler.slots,
           all = (double)f->ready * w->in->scaler.slots;
    f->ready -= count;
    double jobs = 0;
    for (size_t i = 0; i < w->in->class_count; i++) {
        jobs += w->cls[i].ready;
    }
    double busy = fmin(jobs, all), waiting = fmax(0, busy - w->capacity.callers);
    if (slots > 0 && w->in->scaler.to_tail && w->in->gate.throttled == MDL_DRAIN_WAIT) {
        mdl_drain_fifo_turn(w, slots / all * waiting);
    }
}

/* What the scaler counts: jobs in the hands of the callers are leased, the rest is ready. */
static double fleet_depth(const struct mdl_drain_walk *w)
{
    unsigned parts = mdl_scaler_counts(w->in->scaler.block);
    double ready = 0, delayed = 0, slots = (double)w->fleet.ready * w->in->scaler.slots;
    for (size_t i = 0; i < w->in->class_count; i++) {
        ready += w->cls[i].ready;
        delayed += w->cls[i].delayed;
    }
    double leased = fmin(ready, slots);
    return ((parts & MDL_COUNTS_READY) != 0 ? ready - leased : 0) +
           ((parts & MDL_COUNTS_DELAYED) != 0 ? delayed : 0) +
           ((parts & MDL_COUNTS_LEASED) != 0 ? leased : 0);
}

static void fleet_look(struct mdl_drain_walk *w, bool poll)
{
    const struct sq_block *block = w->in->scaler.block;
    const struct mdl_scaler_row *row = mdl_scaler_row(block);
    struct mdl_drain_fleet *f = &w->fleet;
    struct mdl_scaler_view v = { .now = w->in->scaler.now + sq_time_from_s(w->t0),
                                 .metric = floor(fleet_depth(w) + 0.5),
                                 .current = f->existing,
                                 .ready = f->ready };
    int64_t want =
        poll ? row->decide_poll(block->cfg, f->state, &v) : row->decide(block->cfg, f->state, &v);
    if (want > f->existing) {
        fleet_add(w, want - f->existing);
    } else if (want < f->existing) {
        fleet_retire(w, f->existing - want);
    }
}

static void fleet_started(struct mdl_drain_walk *w)
{
    struct mdl_drain_fleet *f = &w->fleet;
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (f->due_s[i] <= w->t0 + GRAIN) {
            f->ready += f->starting[i];
            f->starting[i] = 0;
            continue;
        }
        f->due_s[kept] = f->due_s[i];
        f->starting[kept++] = f->starting[i];
    }
    for (size_t i = kept; i < f->count; i++) {
        f->starting[i] = 0;
    }
    f->count = kept;
}

void mdl_drain_fleet_step(struct mdl_drain_walk *w)
{
    const struct mdl_drain_scaler *s = &w->in->scaler;
    struct mdl_drain_fleet *f = &w->fleet;
    if (s->block == NULL) {
        return;
    }
    const struct mdl_scaler_row *row = mdl_scaler_row(s->block);
    fleet_started(w);
    while (f->next_look_s <= w->t0 + GRAIN) {
        fleet_look(w, false);
        f->next_look_s += fmax(sq_time_to_s(row->period(s->block->cfg)), 0.1);
    }
    while (row->poll != NULL && f->next_poll_s <= w->t0 + GRAIN) {
        fleet_look(w, true);
        f->next_poll_s += fmax(sq_time_to_s(row->poll(s->block->cfg)), 0.1);
    }
    double slots = (double)f->ready * s->slots;
    w->known->callers = (struct mdl_drain_callers){ slots, slots, 0 };
}
