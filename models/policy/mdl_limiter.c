/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_limiter.c - one row per limit. */
#include "models/policy/mdl_limiter.h"

#include "sim/conf/sq_rows.h"

#include <math.h>

enum { START_FULL, START_EMPTY };
enum { START_CLOCK, START_FIRST_USE };

struct bucket {
    double rate;
    int64_t burst;
    int start;
};
struct window {
    int64_t limit;
    sq_time_t window;
    int start;
};

struct limiter_row {
    struct sq_kind kind;
    void (*init)(const void *cfg, struct mdl_limiter_state *s);
    bool (*ask)(const void *cfg, struct mdl_limiter_state *s, sq_time_t now);
    sq_time_t (*next)(const void *cfg, struct mdl_limiter_state *s, sq_time_t now);
    void (*changed)(const void *cfg, struct mdl_limiter_state *s, sq_time_t now);
};

static const char *const bucket_words[] = { "full", "empty", NULL };
static const char *const window_words[] = { "clock", "first-use", NULL };

static const struct sq_field bucket_rows[] = {
    SQ_ROW_RATE(struct bucket, rate, "rate", NULL, SQ_F_STAR | SQ_F_LIVE | SQ_F_ABOVE_MIN,
                "New tokens."),
    SQ_ROW_AMOUNT(struct bucket, burst, "burst", "1", 1, SQ_F_LIVE, "Tokens at most."),
    SQ_ROW_CHOICE(struct bucket, start, "start", "full", bucket_words, 0, "The bucket at time 0."),
};
static const struct sq_field gcra_rows[] = {
    SQ_ROW_RATE(struct bucket, rate, "rate", NULL, SQ_F_LIVE | SQ_F_ABOVE_MIN,
                "Calls in the long run."),
    SQ_ROW_AMOUNT(struct bucket, burst, "burst", NULL, 1, SQ_F_LIVE,
                  "Calls that may come at once."),
};
static const struct sq_field fixed_rows[] = {
    SQ_ROW_AMOUNT(struct window, limit, "limit", NULL, 1, SQ_F_LIVE, "Calls in a window."),
    SQ_ROW_TIME(struct window, window, "window", NULL, SQ_F_LIVE | SQ_F_ABOVE_MIN, "Its length."),
    SQ_ROW_CHOICE(struct window, start, "start", "clock", window_words, 0, "Where windows begin."),
};
static const struct sq_field counter_rows[] = {
    SQ_ROW_AMOUNT(struct window, limit, "limit", NULL, 1, SQ_F_LIVE, "Calls in a window."),
    SQ_ROW_TIME(struct window, window, "window", NULL, SQ_F_LIVE | SQ_F_ABOVE_MIN, "Its length."),
};

/* ---- token bucket ---- */

/* When `tokens` more have come. */
static sq_time_t after(double tokens, double rate)
{
    if (!(tokens > 0)) {
        return 0;
    }
    double ns = ceil(tokens * 1e9 / rate);
    return ns < 9.2e18 ? (sq_time_t)ns : SQ_NEVER;
}

static void bucket_init(const void *cfg, struct mdl_limiter_state *s)
{
    const struct bucket *b = cfg;
    *s = (struct mdl_limiter_state){ .credit = b->start == START_FULL ? (double)b->burst : 0,
                                     .rate = b->rate,
                                     .burst = b->burst };
}

/* Forgets what the full bucket let run over. */
static void bucket_settle(struct mdl_limiter_state *s, sq_time_t now)
{
    double missing = (double)s->taken + (double)s->burst - s->credit;
    if (now - s->since >= after(missing, s->rate)) {
        s->since = now;
        s->taken = 0;
        s->credit = (double)s->burst;
    }
}

static sq_time_t bucket_next(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    (void)cfg;
    bucket_settle(s, now);
    sq_time_t wait = after((double)s->taken + 1 - s->credit, s->rate);
    return sq_max_i64(sq_time_add(s->since, wait), now);
}

static bool bucket_ask(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    bool passes = bucket_next(cfg, s, now) == now;
    s->taken += passes ? 1 : 0;
    return passes;
}

static void bucket_changed(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    const struct bucket *b = cfg;
    bool same = b->burst == s->burst && !(b->rate < s->rate) && !(b->rate > s->rate);
    if (same) {
        return;
    }
    bucket_settle(s, now);
    double there = s->credit + sq_time_to_s(now - s->since) * s->rate - (double)s->taken;
    s->since = now;
    s->taken = 0;
    s->rate = b->rate;
    s->burst = b->burst;
    s->credit = fmin(there, (double)b->burst);
}

/* ---- windows ---- */

static void window_init(const void *cfg, struct mdl_limiter_state *s)
{
    (void)cfg;
    *s = (struct mdl_limiter_state){ 0 };
}

/* Moves on to the window of `now`. */
static void turn(const struct window *w, struct mdl_limiter_state *s, sq_time_t now)
{
    if (w->start == START_FIRST_USE) {
        if (s->begun && now - s->since >= w->window) {
            s->begun = false;
            s->taken = 0;
        }
        return;
    }
    sq_time_t start = now / w->window * w->window;
    if (start != s->since) {
        s->before = start - s->since == w->window ? s->taken : 0;
        s->since = start;
        s->taken = 0;
    }
}

static void window_changed(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    turn(cfg, s, now);
}

static void take(struct mdl_limiter_state *s, sq_time_t now, bool first_use)
{
    if (first_use && !s->begun) {
        s->begun = true;
        s->since = now;
    }
    s->taken++;
}

static sq_time_t fixed_next(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    const struct window *w = cfg;
    turn(w, s, now);
    return s->taken < w->limit ? now : sq_time_add(s->since, w->window);
}

static bool fixed_ask(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    const struct window *w = cfg;
    if (fixed_next(w, s, now) != now) {
        return false;
    }
    take(s, now, w->start == START_FIRST_USE);
    return true;
}

/* The first instant from `from` on in the window that starts at `start`, with `before` calls in the
 * one before and `taken` in it, at which before (w - e) + taken w < limit w; SQ_NEVER: none. */
static sq_time_t counter_free(const struct window *w, sq_time_t start, sq_time_t from,
                              const int64_t counts[2])
{
    int64_t left = w->limit - counts[1];
    if (left <= 0) {
        return SQ_NEVER;
    }
    if (counts[0] == 0) {
        return from;
    }
    /* w - e < left w / before, so w - e at most the largest whole number below that. */
    __int128 most = ((__int128)left * w->window - 1) / counts[0];
    if (most >= w->window) {
        return from;
    }
    return sq_max_i64(from, start + (w->window - (sq_time_t)most));
}

static sq_time_t counter_next(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    const struct window *w = cfg;
    turn(w, s, now);
    sq_time_t end = sq_time_add(s->since, w->window);
    sq_time_t at = counter_free(w, s->since, now, (const int64_t[2]){ s->before, s->taken });
    if (at < end) {
        return at;
    }
    return counter_free(w, end, end, (const int64_t[2]){ s->taken, 0 });
}

static bool counter_ask(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    bool passes = counter_next(cfg, s, now) == now;
    s->taken += passes ? 1 : 0;
    return passes;
}

/* ---- the rows ---- */

static const struct limiter_row limiter_rows[] = {
    { { .name = "token-bucket",
        .doc = "A bucket of tokens that fills at a constant rate.",
        .table = { .rows = SQ_ROWS(bucket_rows), .size = sizeof(struct bucket) } },
      bucket_init,
      bucket_ask,
      bucket_next,
      bucket_changed },
    { { .name = "gcra",
        .doc = "The generic cell rate algorithm.",
        .table = { .rows = SQ_ROWS(gcra_rows), .size = sizeof(struct bucket) } },
      bucket_init,
      bucket_ask,
      bucket_next,
      bucket_changed },
    { { .name = "fixed-window",
        .doc = "So many in each window.",
        .table = { .rows = SQ_ROWS(fixed_rows), .size = sizeof(struct window) } },
      window_init,
      fixed_ask,
      fixed_next,
      window_changed },
    { { .name = "sliding-counter",
        .doc = "Two windows, the last one weighted by what is left of it.",
        .table = { .rows = SQ_ROWS(counter_rows), .size = sizeof(struct window) } },
      window_init,
      counter_ask,
      counter_next,
      window_changed },
    { { .name = "sliding-log", .doc = "So many in any window.", .later = true },
      NULL,
      NULL,
      NULL,
      NULL },
    { { .name = "leaky-bucket", .doc = "Calls wait and leak out one by one.", .later = true },
      NULL,
      NULL,
      NULL,
      NULL },
};

const struct sq_family mdl_limiter_family = {
    .type = "rate_limit",
    .kinds = limiter_rows,
    .kind_count = SQ_COUNT(limiter_rows),
    .stride = sizeof(struct limiter_row),
    .dflt_kind = "token-bucket",
    .has_preset = true,
};

static const struct limiter_row *row_of(const struct sq_block *l)
{
    return (const struct limiter_row *)(const void *)l->kind;
}

void mdl_limiter_init(const struct sq_block *l, struct mdl_limiter_state *s)
{
    row_of(l)->init(l->cfg, s);
}

bool mdl_limiter_ask(const struct sq_block *l, struct mdl_limiter_state *s, sq_time_t now)
{
    return row_of(l)->ask(l->cfg, s, now);
}

sq_time_t mdl_limiter_next(const struct sq_block *l, struct mdl_limiter_state *s, sq_time_t now)
{
    return row_of(l)->next(l->cfg, s, now);
}

void mdl_limiter_changed(const struct sq_block *l, struct mdl_limiter_state *s, sq_time_t now)
{
    row_of(l)->changed(l->cfg, s, now);
}

/* ---- hints ---- */

struct hint {
    sq_time_t value;
};
static const struct sq_field fixed_hint_rows[] = {
    SQ_ROW_TIME(struct hint, value, "value", NULL, SQ_F_STAR, "What it says."),
};
static const struct sq_kind hint_kinds[] = {
    { .name = "fixed",
      .doc = "Always the same.",
      .table = { .rows = SQ_ROWS(fixed_hint_rows), .size = sizeof(struct hint) } },
    { .name = "reset", .doc = "Time to the next free token." },
};
const struct sq_family mdl_hint_family = {
    .type = "hint",
    .kinds = hint_kinds,
    .kind_count = SQ_COUNT(hint_kinds),
    .stride = sizeof(struct sq_kind),
};

bool mdl_hint_is_reset(const struct sq_block *hint)
{
    return hint->kind == &hint_kinds[1];
}

sq_time_t mdl_hint(const struct sq_block *hint, const struct sq_block *l,
                   struct mdl_limiter_state *s, sq_time_t now)
{
    if (hint->kind == NULL) {
        return SQ_NEVER;
    }
    if (!mdl_hint_is_reset(hint)) {
        return ((const struct hint *)hint->cfg)->value;
    }
    return l->kind != NULL ? mdl_limiter_next(l, s, now) - now : SQ_NEVER;
}
