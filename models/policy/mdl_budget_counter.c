/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_budget_counter.c - counters that forget. */
#include "models/policy/mdl_budget_counter.h"

#include "sim/base/sq_mem.h"

void mdl_budget_counter_fini(struct mdl_budget_counter *c)
{
    sq_mem_free(c->ring);
    *c = (struct mdl_budget_counter){ 0 };
}

static void forget(struct mdl_budget_counter *c, enum mdl_counting how, sq_time_t window,
                   sq_time_t now)
{
    if (how == MDL_COUNT_IDLE) {
        c->sum = now - c->mark >= window ? 0 : c->sum;
        return;
    }
    if (how == MDL_COUNT_FIXED) {
        sq_time_t start = now / window * window;
        c->sum = start > c->mark ? 0 : c->sum;
        c->mark = start;
        return;
    }
    while (c->used > 0 && now - c->ring[c->head].at >= window) {
        c->sum -= c->ring[c->head].count;
        c->head = (c->head + 1) & (c->size - 1);
        c->used--;
    }
}

static bool grow(struct mdl_budget_counter *c)
{
    uint32_t size = c->size == 0 ? 64 : 2 * c->size;
    struct mdl_counted *ring = sq_mem_alloc(size, sizeof(*ring));
    if (ring == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < c->used; i++) {
        ring[i] = c->ring[(c->head + i) & (c->size - 1)];
    }
    sq_mem_free(c->ring);
    c->ring = ring;
    c->size = size;
    c->head = 0;
    return true;
}

/* One more at `now` in the ring. */
static bool note(struct mdl_budget_counter *c, sq_time_t now)
{
    if (c->used > 0) {
        struct mdl_counted *last = &c->ring[(c->head + c->used - 1) & (c->size - 1)];
        if (last->at == now) {
            last->count++;
            return true;
        }
    }
    if (c->used == c->size && !grow(c)) {
        return false;
    }
    c->ring[(c->head + c->used) & (c->size - 1)] = (struct mdl_counted){ now, 1 };
    c->used++;
    return true;
}

bool mdl_budget_counter_add(struct mdl_budget_counter *c, enum mdl_counting how, sq_time_t window,
                            sq_time_t now)
{
    forget(c, how, window, now);
    if (how == MDL_COUNT_SLIDING && !note(c, now)) {
        return false;
    }
    c->mark = how == MDL_COUNT_IDLE ? now : c->mark;
    c->sum++;
    return true;
}

int64_t mdl_budget_counter_read(struct mdl_budget_counter *c, enum mdl_counting how,
                                sq_time_t window, sq_time_t now)
{
    forget(c, how, window, now);
    return c->sum;
}
