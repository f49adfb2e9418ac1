/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_budget_counter.h - how many of something happened of late.
 *
 *   sliding   exactly those within the last `window`; one exactly that old is out
 *   fixed     those in the present window of the clock, [k w, (k+1) w)
 *   idle      all, until nothing was added for `window`: INCR with EXPIRE on every increment
 *
 * A zeroed counter is empty. Memory: one entry per instant that a sliding window holds. */
#ifndef MDL_BUDGET_COUNTER_H
#define MDL_BUDGET_COUNTER_H

#include "sim/base/sq_base.h"

enum mdl_counting { MDL_COUNT_SLIDING, MDL_COUNT_FIXED, MDL_COUNT_IDLE };

struct mdl_budget_counter {
    int64_t sum;
    sq_time_t mark; /* fixed: when the window began; idle: when something was added last */
    struct mdl_counted {
        sq_time_t at;
        int64_t count;
    } * ring;
    uint32_t head, used, size; /* size: a power of two */
};

void mdl_budget_counter_fini(struct mdl_budget_counter *c);

/* False when out of memory. `now` never goes back. */
bool mdl_budget_counter_add(struct mdl_budget_counter *c, enum mdl_counting how, sq_time_t window,
                            sq_time_t now);

/* Those that count at `now`. */
int64_t mdl_budget_counter_read(struct mdl_budget_counter *c, enum mdl_counting how,
                                sq_time_t window, sq_time_t now);

#endif
