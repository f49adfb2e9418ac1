/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_budget.c - the arithmetic of retry budgets. */
#include "models/policy/mdl_budget.h"

#include <math.h>

static const struct mdl_budget_ratio *ratio_of(struct mdl_budget_law law)
{
    return law.cfg;
}

static const struct mdl_budget_concurrent *concurrent_of(struct mdl_budget_law law)
{
    return law.cfg;
}

static const struct mdl_budget_tokens *tokens_of(struct mdl_budget_law law)
{
    return law.cfg;
}

static const struct mdl_budget_deposit *deposit_of(struct mdl_budget_law law)
{
    return law.cfg;
}

static const struct mdl_budget_sre *sre_of(struct mdl_budget_law law)
{
    return law.cfg;
}

/* ---- counters ---- */

static enum mdl_counting counting(struct mdl_budget_law law)
{
    return law.kind == MDL_BUDGET_RATIO ? (enum mdl_counting)ratio_of(law)->counter
                                        : MDL_COUNT_SLIDING;
}

static sq_time_t window(struct mdl_budget_law law)
{
    switch (law.kind) {
    case MDL_BUDGET_RATIO:
        return ratio_of(law)->window;
    case MDL_BUDGET_DEPOSIT:
        return deposit_of(law)->ttl;
    case MDL_BUDGET_SRE:
        return sre_of(law)->window;
    case MDL_BUDGET_CONCURRENT:
    case MDL_BUDGET_TOKENS:
        break;
    }
    SQ_UNREACHABLE("it has a window");
}

static void add(struct mdl_budget_law law, struct mdl_budget *b, struct mdl_budget_counter *c,
                sq_time_t now)
{
    if (!mdl_budget_counter_add(c, counting(law), window(law), now)) {
        b->failed = true;
    }
}

static double read(struct mdl_budget_law law, struct mdl_budget_counter *c, sq_time_t now)
{
    return (double)mdl_budget_counter_read(c, counting(law), window(law), now);
}

/* ---- what is left ---- */

static double price(const struct mdl_budget_tokens *t, enum mdl_budget_fault fault)
{
    double other = fault == MDL_FAULT_TIMEOUT     ? t->timeout_cost
                   : fault == MDL_FAULT_THROTTLED ? t->throttle_cost
                                                  : t->cost;
    return isnan(other) ? t->cost : other;
}

static double ratio_limit(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now)
{
    return fmax(ratio_of(law)->floor, ratio_of(law)->ratio * read(law, &b->base, now));
}

static int64_t concurrent_limit(struct mdl_budget_law law, const struct mdl_budget *b)
{
    const struct mdl_budget_concurrent *c = concurrent_of(law);
    /* A hair more than the ratio: 29% of 100 are 29, and not 28.999... */
    return sq_max_i64(c->floor, (int64_t)floor(c->ratio * (double)b->calls * (1 + 1e-12)));
}

static double balance(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now)
{
    const struct mdl_budget_deposit *d = deposit_of(law);
    return d->ratio * read(law, &b->base, now) - read(law, &b->retries, now) + d->reserve;
}

double mdl_budget_rejects(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now)
{
    if (law.kind != MDL_BUDGET_SRE) {
        return 0;
    }
    double requests = read(law, &b->base, now);
    double accepted = read(law, &b->retries, now);
    return fmax(0, (requests - sre_of(law)->k * accepted) / (requests + 1));
}

double mdl_budget_rest(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now)
{
    switch (law.kind) {
    case MDL_BUDGET_RATIO:
        return fmax(0, ceil(ratio_limit(law, b, now) - read(law, &b->retries, now)));
    case MDL_BUDGET_CONCURRENT:
        return (double)sq_max_i64(concurrent_limit(law, b) - b->places, 0);
    case MDL_BUDGET_TOKENS:
        return b->tokens;
    case MDL_BUDGET_DEPOSIT:
        return fmax(0, floor(balance(law, b, now) + 1e-9));
    case MDL_BUDGET_SRE:
        return 1 - mdl_budget_rejects(law, b, now);
    }
    SQ_UNREACHABLE("a kind of budget");
}

/* ---- retries ---- */

static bool may_go(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now,
                   enum mdl_budget_fault fault)
{
    switch (law.kind) {
    case MDL_BUDGET_RATIO:
        return read(law, &b->retries, now) < ratio_limit(law, b, now);
    case MDL_BUDGET_CONCURRENT:
        return b->places < concurrent_limit(law, b);
    case MDL_BUDGET_TOKENS: {
        const struct mdl_budget_tokens *t = tokens_of(law);
        /* Sums of tenths are a hair off: what is exactly at the bound is not above it. */
        bool above = b->tokens > t->above * b->max + 1e-9 || !(t->above > 0);
        bool pays = t->charge == MDL_CHARGE_FAILURE || b->tokens + 1e-9 >= price(t, fault);
        return above && pays;
    }
    case MDL_BUDGET_DEPOSIT:
        return balance(law, b, now) + 1e-9 >= 1;
    case MDL_BUDGET_SRE:
        return true;
    }
    SQ_UNREACHABLE("a kind of budget");
}

bool mdl_budget_ask(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now,
                    enum mdl_budget_fault fault)
{
    if (!may_go(law, b, now, fault)) {
        return false;
    }
    if (law.kind == MDL_BUDGET_RATIO || law.kind == MDL_BUDGET_DEPOSIT) {
        add(law, b, &b->retries, now);
    } else if (law.kind == MDL_BUDGET_TOKENS && tokens_of(law)->charge == MDL_CHARGE_RETRY) {
        b->tokens = fmax(0, b->tokens - price(tokens_of(law), fault));
    }
    b->places++;
    return true;
}

void mdl_budget_release(struct mdl_budget_law law, struct mdl_budget *b)
{
    (void)law;
    SQ_ASSERT(b->places > 0);
    b->places--;
}

/* ---- calls ---- */

bool mdl_budget_admit(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now, double u)
{
    if (law.kind != MDL_BUDGET_SRE) {
        return true;
    }
    bool passes = u >= mdl_budget_rejects(law, b, now);
    add(law, b, &b->base, now);
    return passes;
}

void mdl_budget_left(struct mdl_budget_law law, struct mdl_budget *b, sq_time_t now, bool first)
{
    b->calls++;
    if (law.kind == MDL_BUDGET_DEPOSIT && first) {
        add(law, b, &b->base, now);
    } else if (law.kind == MDL_BUDGET_RATIO) {
        int of = ratio_of(law)->of;
        if (of == MDL_OF_CALLS || (of == MDL_OF_FIRST && first)) {
            add(law, b, &b->base, now);
        }
    }
}

static void pay(const struct mdl_budget_tokens *t, struct mdl_budget *b,
                const struct mdl_budget_end *end)
{
    if (end->ok) {
        bool refund = end->retry && t->refund == MDL_REFUND_LAST;
        double back = refund && t->charge == MDL_CHARGE_RETRY ? price(t, end->fault) : 0;
        b->tokens = fmin(b->max, b->tokens + (refund ? back : t->per_success));
    } else if (end->charged && t->charge == MDL_CHARGE_FAILURE) {
        b->tokens = fmax(0, b->tokens - price(t, end->fault));
    }
}

void mdl_budget_ended(struct mdl_budget_law law, struct mdl_budget *b,
                      const struct mdl_budget_end *end)
{
    b->calls--;
    if (end->retry) {
        mdl_budget_release(law, b);
    }
    if (law.kind == MDL_BUDGET_TOKENS) {
        pay(tokens_of(law), b, end);
    } else if (law.kind == MDL_BUDGET_SRE && end->accepted) {
        add(law, b, &b->retries, end->now);
    } else if (law.kind == MDL_BUDGET_RATIO && ratio_of(law)->of == MDL_OF_SUCCESSES && end->ok) {
        add(law, b, &b->base, end->now);
    }
}

/* ---- the whole ---- */

void mdl_budget_init(struct mdl_budget_law law, struct mdl_budget *b)
{
    *b = (struct mdl_budget){ 0 };
    if (law.kind == MDL_BUDGET_TOKENS) {
        b->tokens = b->max = tokens_of(law)->max;
    }
}

void mdl_budget_fini(struct mdl_budget *b)
{
    mdl_budget_counter_fini(&b->base);
    mdl_budget_counter_fini(&b->retries);
}

void mdl_budget_changed(struct mdl_budget_law law, struct mdl_budget *b)
{
    if (law.kind == MDL_BUDGET_TOKENS) {
        double max = tokens_of(law)->max;
        b->tokens *= max / b->max;
        b->max = max;
    }
}
