/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_retry.h - one retry layer: which failures it retries, how often, after which delay, and what
 * happens when it gives up (SCENARIO 6). Pure but for the luck it is given. */
#ifndef MDL_RETRY_H
#define MDL_RETRY_H

#include "models/part/mdl_core.h"
#include "sim/conf/sq_field.h"

extern const struct sq_table mdl_retry_table;

enum mdl_give_up {
    MDL_GIVE_UP_DEFAULT,
    MDL_GIVE_UP_DEAD_LETTER,
    MDL_GIVE_UP_DROP,
    MDL_GIVE_UP_PARK
};

struct mdl_retry_cfg {
    struct sq_list retry_on; /* of int: words */
    int64_t max_attempts;    /* -1: max_retries is given */
    int64_t max_retries;     /* -1: max_attempts is given */
    struct sq_block backoff, jitter, give_up;
    int held_by;
};

/* What to do after the failure number n of the layer (n tries have been made). */
struct mdl_retry_plan {
    bool retry;
    sq_time_t delay;          /* until the next try, or of the parking */
    enum mdl_give_up give_up; /* when !retry */
};

/* `layer` NULL: no retries. `u` is the uniform for the jitter or the parking delay. */
struct mdl_retry_plan mdl_retry_decide(const struct mdl_retry_cfg *layer, enum mdl_error error,
                                       uint32_t n, double u);

/* Tries allowed in all, SQ_UNLIMITED without bound; 1 for NULL. */
int64_t mdl_retry_limit(const struct mdl_retry_cfg *layer);

/* The delay after the n-th failure for a uniform u. */
sq_time_t mdl_retry_delay(const struct mdl_retry_cfg *layer, uint32_t n, double u);

#endif
