/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_breaker.c - the states of a breaker and what moves it between them. */
#include "models/policy/mdl_breaker.h"

#include "models/policy/mdl_breaker_in.h"

#include <string.h>

/* ---- states ---- */

/* How long it stays open this time. */
static sq_time_t open_time(const struct mdl_breaker_cfg *cfg, uint32_t reopened)
{
    double length = (double)cfg->open_for;
    for (uint32_t i = 0; i < reopened && cfg->growth > 1 && length < (double)SQ_NEVER; i++) {
        length *= cfg->growth;
    }
    bool same = reopened == 0 || !(cfg->growth > 1);
    sq_time_t time = same ? cfg->open_for : sq_time_from_s(length / 1e9);
    return sq_min_i64(time, cfg->cap);
}

static sq_time_t open_end(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b)
{
    sq_time_t strict = cfg->boundary == 1 ? 1 : 0;
    return sq_time_add(sq_time_add(b->since, open_time(cfg, b->reopened)), strict);
}

static void enter(struct mdl_breaker *b, enum mdl_breaker_state state, sq_time_t now)
{
    b->state = state;
    b->since = now;
    b->age++;
    b->half = (struct mdl_tally){ 0 };
    b->out = 0;
}

static void trip(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now)
{
    bool again = b->state == MDL_BREAKER_HALF_OPEN;
    if (cfg->half_open == NULL) { /* in a row with the one before? */
        again = b->opens > 0 && now - b->since <= open_time(cfg, b->reopened);
    }
    b->reopened = again ? b->reopened + 1 : 0;
    b->opens++;
    enter(b, MDL_BREAKER_OPEN, now);
    if (cfg->late_answers == MDL_LATE_DROP && !mdl_window_runs_on(cfg)) {
        mdl_window_clear(cfg, b, now);
    }
}

static void close_again(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now)
{
    enter(b, MDL_BREAKER_CLOSED, now);
    if (cfg->half_open != NULL) {
        b->reopened = 0;
    }
    if (mdl_breaker_evaluates(cfg) == MDL_EVALUATE_TICK) {
        b->ticked = now;
        b->origin = mdl_window_runs_on(cfg) ? b->origin : now;
    }
    if (!mdl_window_runs_on(cfg)) {
        mdl_window_clear(cfg, b, now);
    }
}

static void leave_open(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now)
{
    if (cfg->half_open == NULL) {
        close_again(cfg, b, now);
        return;
    }
    enter(b, MDL_BREAKER_HALF_OPEN, now);
    b->rejected = 0;
}

/* ---- judging ---- */

/* The share at least, or above, the threshold. A quotient of two whole numbers is the nearest
 * double to their ratio, and so is what the user wrote: equal shares compare equal. */
static bool is_bad(const struct mdl_breaker_cfg *cfg, int64_t bad, int64_t of, double threshold)
{
    double share = (double)bad / (double)of;
    return cfg->compare == 1 ? share > threshold : share >= threshold;
}

static bool share_of_size(const struct mdl_breaker_cfg *cfg)
{
    return cfg->min_calls == 0 && mdl_window_kind(cfg) == MDL_WINDOW_COUNT;
}

bool mdl_breaker_has_volume(const struct mdl_breaker_cfg *cfg, const struct mdl_tally *tally)
{
    int64_t least = cfg->min_calls;
    if (mdl_window_kind(cfg) == MDL_WINDOW_COUNT) {
        least = sq_min_i64(least, mdl_window_size(cfg));
    }
    return tally->total >= sq_max_i64(least, 1);
}

/* Failures or slow answers of `of` calls. */
static bool bad_share(const struct mdl_breaker_cfg *cfg, const struct mdl_tally *t, int64_t of)
{
    return is_bad(cfg, t->failed, of, cfg->threshold) ||
           (cfg->slow != SQ_NEVER && is_bad(cfg, t->slow, of, cfg->slow_threshold));
}

static bool is_window_bad(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b,
                          sq_time_t now, bool over)
{
    if (mdl_window_kind(cfg) == MDL_WINDOW_CONSECUTIVE) {
        return sq_max_i64(b->run, b->slow_run) >= mdl_window_size(cfg);
    }
    struct mdl_tally seen = mdl_window_sum(cfg, b, now, over);
    if (!mdl_breaker_has_volume(cfg, &seen)) {
        return false;
    }
    return bad_share(cfg, &seen, share_of_size(cfg) ? mdl_window_size(cfg) : seen.total);
}

static int64_t probes(const struct mdl_breaker_cfg *cfg)
{
    return cfg->half_open->mode == MDL_HALF_WAIT ? 1 : cfg->half_open->calls;
}

enum half_verdict { HALF_GOES_ON, HALF_GOOD, HALF_BAD };

static enum half_verdict judge_all_succeed(const struct mdl_breaker_cfg *cfg,
                                           const struct mdl_tally *half)
{
    if (half->failed > 0) {
        return HALF_BAD;
    }
    return half->total >= probes(cfg) ? HALF_GOOD : HALF_GOES_ON;
}

/* So many failures of so many calls: as soon as the answers that are still out cannot change it. */
static enum half_verdict judge_early(const struct mdl_breaker_cfg *cfg,
                                     const struct mdl_tally *half)
{
    int64_t all = probes(cfg), rest = all - half->total;
    struct mdl_tally worst = { all, half->failed + rest, half->slow + rest };
    if (bad_share(cfg, half, all)) {
        return HALF_BAD;
    }
    return rest <= 0 || !bad_share(cfg, &worst, all) ? HALF_GOOD : HALF_GOES_ON;
}

static enum half_verdict judge_half(const struct mdl_breaker_cfg *cfg, const struct mdl_tally *half)
{
    if (cfg->half_open->decide == MDL_DECIDE_ALL_SUCCEED) {
        return judge_all_succeed(cfg, half);
    }
    if (share_of_size(cfg)) {
        return judge_early(cfg, half);
    }
    if (half->total < sq_min_i64(sq_max_i64(cfg->min_calls, 1), probes(cfg))) {
        return HALF_GOES_ON;
    }
    bool all_failed = half->failed == half->total;
    return all_failed || bad_share(cfg, half, half->total) ? HALF_BAD : HALF_GOOD;
}

/* ---- time ---- */

/* Whether a time window holds calls that are still to leave it. */
static bool is_filled(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b, sq_time_t now)
{
    return mdl_window_kind(cfg) == MDL_WINDOW_TIME && mdl_window_sum(cfg, b, now, false).total > 0;
}

/* Judges at every tick up to `now`, while the window still changes by itself. */
static void advance_ticks(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now)
{
    sq_time_t every = mdl_breaker_every(cfg);
    sq_time_t last = b->origin + (now - b->origin) / every * every;
    while (b->ticked < last && b->state == MDL_BREAKER_CLOSED) {
        b->ticked = b->origin + ((b->ticked - b->origin) / every + 1) * every;
        b->fresh = false;
        if (is_window_bad(cfg, b, b->ticked, true)) {
            trip(cfg, b, b->ticked);
        } else if (!is_filled(cfg, b, b->ticked)) {
            b->ticked = last;
        }
    }
}

static void take_over_force(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now)
{
    b->forced = cfg->forced;
    if (cfg->forced == MDL_BREAKER_FORCED_OPEN && b->state != MDL_BREAKER_OPEN) {
        b->opens++;
        b->reopened = 0;
        enter(b, MDL_BREAKER_OPEN, now);
    } else if (cfg->forced == MDL_BREAKER_FORCED_CLOSED && b->state != MDL_BREAKER_CLOSED) {
        close_again(cfg, b, now);
        b->reopened = 0;
    } else if (cfg->forced == MDL_BREAKER_AUTO && b->state == MDL_BREAKER_OPEN) {
        b->since = now; /* let go: open_for counts from here */
    }
}

void mdl_breaker_advance(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now)
{
    if (b->forced != cfg->forced) {
        take_over_force(cfg, b, now);
    }
    if (b->forced != MDL_BREAKER_AUTO) {
        return;
    }
    if (b->state == MDL_BREAKER_CLOSED && mdl_breaker_evaluates(cfg) == MDL_EVALUATE_TICK) {
        advance_ticks(cfg, b, now);
    }
    bool timer = cfg->leaves == 1 || cfg->half_open == NULL;
    if (b->state == MDL_BREAKER_OPEN && timer && now >= open_end(cfg, b)) {
        leave_open(cfg, b, open_end(cfg, b));
    }
    if (b->state == MDL_BREAKER_HALF_OPEN && now >= sq_time_add(b->since, cfg->half_open->max)) {
        trip(cfg, b, b->since + cfg->half_open->max);
    }
}

sq_time_t mdl_breaker_next(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b,
                           sq_time_t now)
{
    if (b->forced != MDL_BREAKER_AUTO) {
        return SQ_NEVER;
    }
    if (b->state == MDL_BREAKER_OPEN) {
        return cfg->leaves == 1 || cfg->half_open == NULL ? open_end(cfg, b) : SQ_NEVER;
    }
    if (b->state == MDL_BREAKER_HALF_OPEN) {
        return sq_time_add(b->since, cfg->half_open->max);
    }
    if (mdl_breaker_evaluates(cfg) != MDL_EVALUATE_TICK || (!b->fresh && !is_filled(cfg, b, now))) {
        return SQ_NEVER;
    }
    sq_time_t every = mdl_breaker_every(cfg);
    return b->origin + ((now - b->origin) / every + 1) * every;
}

sq_time_t mdl_breaker_opens_until(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b)
{
    bool open = b->state == MDL_BREAKER_OPEN && b->forced == MDL_BREAKER_AUTO;
    return open ? open_end(cfg, b) : SQ_NEVER;
}

/* ---- calls ---- */

bool mdl_breaker_would_pass(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b,
                            sq_time_t now)
{
    switch (b->state) {
    case MDL_BREAKER_CLOSED:
        return true;
    case MDL_BREAKER_OPEN:
        return b->forced == MDL_BREAKER_AUTO && now >= open_end(cfg, b);
    case MDL_BREAKER_HALF_OPEN:
        return b->out < probes(cfg);
    }
    SQ_UNREACHABLE("a state of a breaker");
}

static void count_volume(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now,
                         int64_t calls)
{
    if (cfg->volume_counts_rejected) {
        mdl_window_add(cfg, b, now, (struct mdl_tally){ .total = calls });
    }
}

enum mdl_breaker_decision mdl_breaker_ask(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b,
                                          sq_time_t now)
{
    mdl_breaker_advance(cfg, b, now);
    bool passes = mdl_breaker_would_pass(cfg, b, now);
    if (passes && b->state == MDL_BREAKER_OPEN) {
        leave_open(cfg, b, now);
    }
    count_volume(cfg, b, now, 1);
    if (passes) {
        b->out += b->state == MDL_BREAKER_HALF_OPEN ? 1 : 0;
        return MDL_BREAKER_PASS;
    }
    bool waits = b->state == MDL_BREAKER_HALF_OPEN && cfg->half_open->mode == MDL_HALF_WAIT;
    b->rejected += waits ? 0 : 1;
    return waits ? MDL_BREAKER_WAIT : MDL_BREAKER_REFUSE;
}

void mdl_breaker_return(struct mdl_breaker *b, uint32_t age)
{
    if (b->state == MDL_BREAKER_HALF_OPEN && age == b->age) {
        b->out--;
    }
}

void mdl_breaker_unask(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now)
{
    mdl_breaker_return(b, b->age);
    count_volume(cfg, b, now, -1);
}

static void record(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now,
                   struct mdl_tally what)
{
    what.total = cfg->volume_counts_rejected ? 0 : 1;
    mdl_window_add(cfg, b, now, what);
    b->fresh = true;
    b->run = what.failed > 0 ? b->run + 1 : 0;
    b->slow_run = what.slow > 0 ? b->slow_run + 1 : 0;
}

static void answer_half(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now,
                        struct mdl_tally what)
{
    b->half.total++;
    b->half.failed += what.failed;
    b->half.slow += what.slow;
    if (mdl_window_runs_on(cfg)) {
        record(cfg, b, now, what);
    }
    enum half_verdict verdict = judge_half(cfg, &b->half);
    if (verdict == HALF_BAD) {
        trip(cfg, b, now);
    } else if (verdict == HALF_GOOD) {
        close_again(cfg, b, now);
        if (cfg->half_open->mode == MDL_HALF_WAIT && !mdl_window_runs_on(cfg)) {
            record(cfg, b, now, what);
        }
    }
}

static void answer_closed(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now,
                          struct mdl_tally what)
{
    record(cfg, b, now, what);
    enum mdl_evaluate when = mdl_breaker_evaluates(cfg);
    bool judged = when == MDL_EVALUATE_ANSWER || (when == MDL_EVALUATE_FAILURE && what.failed > 0);
    if (judged && is_window_bad(cfg, b, now, false)) {
        trip(cfg, b, now);
    }
}

void mdl_breaker_answer(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b,
                        const struct mdl_breaker_answer *a)
{
    mdl_breaker_advance(cfg, b, a->now);
    if (b->forced != MDL_BREAKER_AUTO) {
        return;
    }
    bool late = a->age != b->age;
    bool ignored = late && (cfg->late_answers == MDL_LATE_DROP ||
                            (cfg->late_answers == MDL_LATE_FAILURES && !a->failed));
    bool half = b->state == MDL_BREAKER_HALF_OPEN;
    if (half && !late && cfg->half_open->mode != MDL_HALF_TOTAL) {
        b->out--;
    }
    if (ignored) {
        return;
    }
    struct mdl_tally what = { .total = 1,
                              .failed = a->failed ? 1 : 0,
                              .slow = cfg->slow != SQ_NEVER && a->took > cfg->slow ? 1 : 0 };
    if (half) {
        answer_half(cfg, b, a->now, what);
    } else if (b->state == MDL_BREAKER_CLOSED) {
        answer_closed(cfg, b, a->now, what);
    } else {
        record(cfg, b, a->now, what);
    }
}

struct mdl_tally mdl_breaker_seen(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b,
                                  sq_time_t now)
{
    return mdl_window_sum(cfg, b, now, mdl_breaker_evaluates(cfg) == MDL_EVALUATE_TICK);
}

/* ---- the whole ---- */

size_t mdl_breaker_size(const struct mdl_breaker_cfg *cfg)
{
    return sizeof(struct mdl_breaker) + mdl_window_cells(cfg) * sizeof(uint64_t);
}

void mdl_breaker_init(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b)
{
    memset(b, 0, mdl_breaker_size(cfg));
    b->cell_count = (uint32_t)mdl_window_cells(cfg);
    mdl_window_clear(cfg, b, 0);
}
