/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_retry.h - one retry layer: which failures it retries, how often, after which delay, and what
 * happens when it gives up (SCENARIO 6). Pure but for the luck it is given. */
#ifndef MDL_RETRY_H
#define MDL_RETRY_H

#include "models/part/mdl_core.h"
#include "sim/conf/sq_field.h"

extern const struct sq_table mdl_retry_table;

/* Keys that a preset may have and that mean nothing in a client's retry, or in that of a call. */
extern const char *const mdl_retry_not_of_clients[], *const mdl_retry_not_of_calls[];

enum mdl_give_up {
    MDL_GIVE_UP_DEFAULT,
    MDL_GIVE_UP_DEAD_LETTER,
    MDL_GIVE_UP_DROP,
    MDL_GIVE_UP_PARK
};

enum mdl_limit_counts { MDL_LIMIT_FAILURES, MDL_LIMIT_STARTS };
enum mdl_retry_after {
    MDL_HINT_IGNORE,
    MDL_HINT_EXACT,
    MDL_HINT_AT_LEAST,
    MDL_HINT_CLAMP,
    MDL_HINT_SPREAD,
};
enum mdl_held_by { MDL_HELD_BROKER, MDL_HELD_WORKER, MDL_HELD_SLOT };

struct mdl_retry_cfg {
    struct sq_list retry_on; /* of int: words */
    int64_t max_attempts;    /* -1: max_retries is given */
    int64_t max_retries;     /* -1: max_attempts is given */
    sq_time_t max_elapsed;   /* SQ_NEVER: none */
    int limit_counts;        /* enum mdl_limit_counts */
    struct sq_block backoff, jitter, give_up;
    int retry_after; /* enum mdl_retry_after */
    int held_by;     /* enum mdl_held_by */
    sq_time_t lease; /* of its queue at the start, for backoff lease: set after binding */
};

/* A failure of the layer, as far as its decision needs it. */
struct mdl_failure {
    enum mdl_error error;
    uint32_t n;        /* failures so far, this one included */
    uint32_t starts;   /* tries begun so far */
    sq_time_t elapsed; /* since the layer's first try began */
    sq_time_t hint;    /* Retry-After of the answer, SQ_NEVER: none */
    sq_time_t lease;   /* what is left of the delivery's lease, for backoff lease */
    double u;          /* uniform for the delay */
    double last;       /* state of the backoff after the failure before; 0 at first */
};

struct mdl_retry_plan {
    bool retry;
    bool leased;              /* the job comes back when its lease ends */
    sq_time_t delay;          /* until the next try, or of the parking */
    enum mdl_give_up give_up; /* when !retry */
    double last;              /* state of the backoff from now on */
};

/* What to do after a failure. `layer` NULL: no retries. */
struct mdl_retry_plan mdl_retry_decide(const struct mdl_retry_cfg *layer,
                                       const struct mdl_failure *f);

/* Whether the layer retries a failure of this kind at all. */
bool mdl_retry_retries(const struct mdl_retry_cfg *layer, enum mdl_error e);

/* What becomes of a job that may not try again. */
struct mdl_retry_plan mdl_retry_give_up(const struct mdl_retry_cfg *layer, double u);

/* Tries allowed in all, SQ_UNLIMITED without bound; 1 for NULL. */
int64_t mdl_retry_limit(const struct mdl_retry_cfg *layer);

/* The delay after the n-th failure for a uniform u; `last` is the backoff's state, updated. */
sq_time_t mdl_retry_delay(const struct mdl_retry_cfg *layer, uint32_t n, double u, double *last);

#endif
