/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_trouble.c - a window of ended calls. */
#include "models/policy/mdl_trouble.h"

#include "sim/base/sq_mem.h"

enum { LEAST = 5, OK_IN_ROW = 5 };
#define WINDOW (10 * SQ_NS_PER_S)

static void forget(struct mdl_trouble *t, sq_time_t before)
{
    while (t->count > 0 && t->ring[t->head].at <= before) {
        t->failed -= t->ring[t->head].failed ? 1 : 0;
        t->head = (t->head + 1) & (t->size - 1);
        t->count--;
    }
}

static bool grow(struct mdl_trouble *t)
{
    uint32_t size = t->size == 0 ? 64 : 2 * t->size;
    struct mdl_ended *ring = sq_mem_alloc(size, sizeof(*ring));
    if (ring == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        ring[i] = t->ring[(t->head + i) & (t->size - 1)];
    }
    sq_mem_free(t->ring);
    t->ring = ring;
    t->size = size;
    t->head = 0;
    return true;
}

/* False when out of memory. */
static bool note(struct mdl_trouble *t, sq_time_t now, bool failed)
{
    t->ok_in_row = failed ? 0 : t->ok_in_row + 1;
    if (t->on) {
        return true; /* only successes in a row matter until it ends */
    }
    if (t->count == t->size && !grow(t)) {
        return false;
    }
    t->ring[(t->head + t->count) & (t->size - 1)] = (struct mdl_ended){ now, failed };
    t->count++;
    t->failed += failed ? 1 : 0;
    forget(t, now - WINDOW);
    return true;
}

enum mdl_turn mdl_trouble_note(struct mdl_trouble *t, sq_time_t now, bool failed)
{
    if (!note(t, now, failed)) {
        return MDL_TURN_NO_MEMORY;
    }
    if (t->on && t->ok_in_row >= OK_IN_ROW) {
        t->on = false;
        t->count = t->failed = t->head = 0;
        return MDL_TURN_ENDS;
    }
    if (!t->on && t->count >= LEAST && 2 * t->failed >= t->count) {
        t->on = true;
        return MDL_TURN_BEGINS;
    }
    return MDL_TURN_NONE;
}

void mdl_trouble_fini(struct mdl_trouble *t)
{
    sq_mem_free(t->ring);
    *t = (struct mdl_trouble){ 0 };
}
