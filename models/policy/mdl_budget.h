/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_budget.h - retry budgets: whether a retry may go (SCENARIO 8, `budget`).
 *
 * Four different quantities go by that name: a share of the calls of a window (`ratio`,
 * `deposit`), a share of the calls under way (`concurrent`), a balance of successes against
 * failures (`tokens`), and a local rejection of calls of every sort (`sre`).
 *
 * What the sentences of the language leave open:
 *   - ratio: a retry counts from the moment it is granted. `calls` are those that left, retries
 *     among them: then at most 1/(1-r) calls per first call; with `first` at most 1+r.
 *   - deposit: retries spent are forgotten after `ttl` too, so the reserve comes back.
 *   - tokens, `charge: failure`: every failure but `permanent` costs when it is known, and a retry
 *     needs no more than that tokens are above `above` x `max` after that. `refund: last`: the
 *     success of a retry gives back what it cost and nothing else; a success without retry gives
 *     `per_success`. When `max` changes the tokens change in proportion.
 *   - sre: `requests` are all calls that asked, those turned away here among them; accepted are
 *     those that were answered, whatever the answer, but for refused, rate-limited, unavailable,
 *     reset.
 *
 * Pure: the owner keeps the state and the time. Only sliding windows hold memory of their own. */
#ifndef MDL_BUDGET_H
#define MDL_BUDGET_H

#include "models/policy/mdl_budget_counter.h"

enum mdl_budget_kind {
    MDL_BUDGET_RATIO,
    MDL_BUDGET_CONCURRENT,
    MDL_BUDGET_TOKENS,
    MDL_BUDGET_DEPOSIT,
    MDL_BUDGET_SRE,
};
enum mdl_budget_of { MDL_OF_CALLS, MDL_OF_FIRST, MDL_OF_SUCCESSES };
enum mdl_budget_refund { MDL_REFUND_NONE, MDL_REFUND_LAST };
enum mdl_budget_charge { MDL_CHARGE_RETRY, MDL_CHARGE_FAILURE };

struct mdl_budget_ratio {
    double ratio, floor;
    int of, counter; /* enum mdl_budget_of, enum mdl_counting */
    sq_time_t window;
};
struct mdl_budget_concurrent {
    double ratio;
    int64_t floor;
};
struct mdl_budget_tokens {
    double max, cost, timeout_cost, throttle_cost, per_success, above; /* costs: NaN: cost */
    int refund, charge;
};
struct mdl_budget_deposit {
    double ratio, reserve;
    sq_time_t ttl;
};
struct mdl_budget_sre {
    double k;
    sq_time_t window;
};

/* A budget as configured: `cfg` points to the struct of the kind. */
struct mdl_budget_law {
    enum mdl_budget_kind kind;
    const void *cfg;
};

struct mdl_budget {
    struct mdl_budget_counter base;    /* calls, first calls, successes; deposit: first calls; sre:
                                        * requests */
    struct mdl_budget_counter retries; /* sre: accepted */
    double tokens, max;
    int64_t calls, places; /* concurrent: calls under way; retries scheduled or under way */
    bool failed;           /* out of memory */
};

void mdl_budget_init(struct mdl_budget_law law, struct mdl_budget *b);
void mdl_budget_fini(struct mdl_budget *b);

/* A `set` action may have changed the keys. */
void mdl_budget_changed(struct mdl_budget_law law, struct mdl_budget *b);

/* How the call before a retry failed, as far as the price depends on it. */
enum mdl_budget_fault { MDL_FAULT_OTHER, MDL_FAULT_TIMEOUT, MDL_FAULT_THROTTLED };

/* A retry asks to go. True: it may; it has its place and has paid. Always true for sre. */
bool mdl_budget_ask(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now,
                    enum mdl_budget_fault fault);

/* A retry that was granted is not made after all: its place is free. */
void mdl_budget_release(struct mdl_budget_law law, struct mdl_budget *b);

/* sre: any call asks to leave; u is uniform on [0, 1). Always true for the others. */
bool mdl_budget_admit(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now, double u);

/* A call left. */
void mdl_budget_left(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now, bool first);

struct mdl_budget_end {
    sq_time_t now;
    bool ok, accepted, charged;  /* charged: it failed, and not with `permanent` */
    bool retry;                  /* it was granted here */
    enum mdl_budget_fault fault; /* how it failed; of a success, how the one before it did */
};
/* A call that left has ended for its caller. */
void mdl_budget_ended(struct mdl_budget_law law, struct mdl_budget *b,
                      const struct mdl_budget_end *end);

/* The share of calls that sre turns away now; 0 for the others. */
double mdl_budget_rejects(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now);

/* What is left: retries that may go now; tokens; of sre the share that passes. */
double mdl_budget_rest(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now);

#endif
