/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_tipping.c - the search for a limit along one key. */
#include "sim/core/sq_tipping.h"

#include "sim/core/sq_fn.h"

#include <math.h>

enum { TRIALS_MAX = 200, WIDE = 50 };

struct search {
    const struct sq_tipping_ask *ask;
    sq_tipping_try *try_one;
    void *ctx;
    struct sq_tipping *out;
};

/* ---- values ---- */

/* The roundest number at most a tenth of `width` away from `x`. */
static double round_near(const struct sq_tipping_ask *ask, double x, double width)
{
    double room = width / 5;
    double up = 1, down = 1; /* the step is up / down, a power of ten; products of 10 are exact */
    while (up * 10 <= room && up < 1e18) {
        up *= 10;
    }
    while (!ask->whole && up / down > room && down < 1e12) {
        down *= 10;
    }
    double steps = floor(x * down / up + 0.5);
    double round = steps * up / down;
    return fmin(fmax(round, ask->lo), ask->hi);
}

/* The k-th of so many values from end to end. */
static double look_at(const struct sq_tipping_ask *ask, size_t k)
{
    if (k == 0 || k + 1 == ask->looks) {
        return k == 0 ? ask->lo : ask->hi;
    }
    double part = (double)k / (double)(ask->looks - 1);
    double step = (ask->hi - ask->lo) / (double)(ask->looks - 1);
    double x = ask->lo + part * (ask->hi - ask->lo);
    if (ask->lo > 0 && ask->hi / ask->lo >= WIDE) {
        x = ask->lo * sq_fn_exp(part * sq_fn_log(ask->hi / ask->lo));
        step = fmin(x, step);
    }
    return round_near(ask, x, step);
}

static double middle(const struct sq_tipping_ask *ask, double lo, double hi)
{
    double x = lo > 0 && hi / lo >= WIDE ? sqrt(lo * hi) : lo + (hi - lo) / 2;
    return round_near(ask, x, fmin(hi - lo, x));
}

/* ---- trials ---- */

/* Tries a value and puts it in its place, unless it was tried already. */
static enum sq_status add_trial(struct search *s, double value)
{
    struct sq_tipping *t = s->out;
    size_t at = 0;
    while (at < t->count && t->trials[at].value < value) {
        at++;
    }
    if ((at < t->count && t->trials[at].value <= value) || t->count == TRIALS_MAX) {
        return SQ_OK;
    }
    struct sq_trial trial = { .value = value };
    enum sq_status status = s->try_one(s->ctx, value, &trial);
    if (status != SQ_OK) {
        return status;
    }
    for (size_t i = t->count; i > at; i--) {
        t->trials[i] = t->trials[i - 1];
    }
    t->trials[at] = trial;
    t->count++;
    return SQ_OK;
}

/* The step that counts; how many there are in *switches. */
static size_t find_step(const struct sq_tipping *t, size_t *switches)
{
    size_t first = 0, last = 0;
    *switches = 0;
    for (size_t i = 0; i + 1 < t->count; i++) {
        if (t->trials[i].holds != t->trials[i + 1].holds) {
            first = *switches == 0 ? i : first;
            last = i;
            ++*switches;
        }
    }
    bool from_above = !t->trials[0].holds && t->trials[t->count - 1].holds;
    return from_above ? last : first;
}

static enum sq_status narrow(struct search *s)
{
    struct sq_tipping *t = s->out;
    for (;;) {
        size_t at = find_step(t, &t->switches);
        t->below = at;
        t->holds_low = t->trials[at].holds;
        double lo = t->trials[at].value, hi = t->trials[at + 1].value;
        double enough = s->ask->within * fmax(fabs(lo), fabs(hi));
        if (hi - lo <= enough || (s->ask->whole && hi - lo <= 1) || t->count == TRIALS_MAX) {
            return SQ_OK;
        }
        double x = middle(s->ask, lo, hi);
        if (x <= lo || x >= hi) {
            return SQ_OK;
        }
        enum sq_status status = add_trial(s, x);
        if (status != SQ_OK) {
            return status;
        }
    }
}

/* A pair of shares that differ the wrong way by more than chance: their intervals are apart. */
static bool is_against(const struct sq_tipping *t, const struct sq_trial *low,
                       const struct sq_trial *high)
{
    const struct sq_trial *better = t->holds_low ? low : high, *worse = t->holds_low ? high : low;
    return t->of_outcome ? better->collapsed_lo > worse->collapsed_hi
                         : better->held_hi < worse->held_lo;
}

enum sq_status sq_tipping_find(const struct sq_tipping_ask *ask, sq_tipping_try *try_one, void *ctx,
                               struct sq_arena *arena, struct sq_tipping *out)
{
    SQ_ASSERT(ask->lo < ask->hi);
    SQ_ASSERT(ask->looks >= 2);
    SQ_ASSERT(ask->looks < TRIALS_MAX);
    struct search s = { ask, try_one, ctx, out };
    enum sq_status status = SQ_OK;
    out->count = 0;
    out->trials = sq_arena_alloc(arena, TRIALS_MAX, sizeof(*out->trials));
    if (out->trials == NULL) {
        return SQ_NOMEM;
    }
    for (size_t k = 0; k < ask->looks && status == SQ_OK; k++) {
        /* the ends come first: they show what is wrong with the range */
        size_t which = k == 0 ? 0 : k == 1 ? ask->looks - 1 : k - 1;
        status = add_trial(&s, look_at(ask, which));
    }
    if (status != SQ_OK) {
        return status;
    }
    (void)find_step(out, &out->switches);
    if (out->switches == 0) {
        out->state = out->trials[0].holds ? SQ_TIPPING_ALWAYS : SQ_TIPPING_NEVER;
        return SQ_OK;
    }
    out->state = SQ_TIPPING_FOUND;
    status = narrow(&s);
    for (size_t i = 0; i < out->count; i++) {
        for (size_t k = i + 1; k < out->count; k++) {
            out->against += is_against(out, &out->trials[i], &out->trials[k]);
        }
    }
    return status;
}

const struct sq_trial *sq_tipping_holds(const struct sq_tipping *t)
{
    SQ_ASSERT(t->state == SQ_TIPPING_FOUND);
    return &t->trials[t->holds_low ? t->below : t->below + 1];
}

const struct sq_trial *sq_tipping_fails(const struct sq_tipping *t)
{
    SQ_ASSERT(t->state == SQ_TIPPING_FOUND);
    return &t->trials[t->holds_low ? t->below + 1 : t->below];
}

double sq_tipping_margin(const struct sq_tipping *t, double value)
{
    if (t->state != SQ_TIPPING_FOUND) {
        return (double)NAN;
    }
    double limit = sq_tipping_holds(t)->value;
    return (t->holds_low ? limit - value : value - limit) / limit;
}

const char *sq_way_word(enum sq_way_kind kind)
{
    static const char *const words[] = {
        [SQ_WAY_LIMIT] = "limit", [SQ_WAY_FALLS] = "falls", [SQ_WAY_RETURNS] = "returns"
    };
    SQ_ASSERT(kind < SQ_COUNT(words));
    return words[kind];
}
