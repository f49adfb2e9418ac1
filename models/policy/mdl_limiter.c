/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_limiter.c - one row per limit. */
#include "models/policy/mdl_limiter.h"

#include "sim/conf/sq_rows.h"

#include <math.h>

enum { START_FULL, START_EMPTY };
enum { START_CLOCK, START_FIRST_USE };

/* Every one begins with its scope. */
struct bucket {
    int scope;
    double rate;
    int64_t burst;
    int start;
};
struct leaky {
    struct bucket bucket; /* of one token: no burst */
    int64_t queue;
};
struct window {
    int scope;
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
    double (*rate)(const void *cfg);
};

static const char *const bucket_words[] = { "full", "empty", NULL };
static const char *const window_words[] = { "clock", "first-use", NULL };

static const struct sq_field bucket_rows[] = {
    SQ_ROW_RATE(struct bucket, rate, "rate", NULL, SQ_F_STAR | SQ_F_LIVE | SQ_F_ABOVE_MIN,
                SQ_BELOW("New tokens.", MDL_LIMIT_HINT)),
    SQ_ROW_AMOUNT(struct bucket, burst, "burst", "1", 1, SQ_F_LIVE, "Tokens at most."),
    SQ_ROW_CHOICE(struct bucket, start, "start", "full", bucket_words, 0, "The bucket at time 0."),
    MDL_ROW_SCOPE(struct bucket, scope),
};
static const struct sq_field leaky_rows[] = {
    SQ_ROW_RATE(struct leaky, bucket.rate, "rate", NULL, SQ_F_LIVE | SQ_F_ABOVE_MIN,
                SQ_BELOW("Calls that leak out.", MDL_LIMIT_HINT)),
    SQ_ROW_AMOUNT(struct leaky, queue, "queue", "unlimited", 0, SQ_F_UNLIMITED | SQ_F_LIVE,
                  "Calls that wait in it."),
    MDL_ROW_SCOPE(struct leaky, bucket.scope),
};
static const struct sq_field gcra_rows[] = {
    SQ_ROW_RATE(struct bucket, rate, "rate", NULL, SQ_F_LIVE | SQ_F_ABOVE_MIN,
                SQ_BELOW("Calls in the long run.", MDL_LIMIT_HINT)),
    SQ_ROW_AMOUNT(struct bucket, burst, "burst", NULL, 1, SQ_F_LIVE,
                  "Calls that may come at once."),
    MDL_ROW_SCOPE(struct bucket, scope),
};
static const struct sq_field fixed_rows[] = {
    SQ_ROW_AMOUNT(struct window, limit, "limit", NULL, 1, SQ_F_LIVE,
                  SQ_BELOW("Calls in a window.", MDL_LIMIT_HINT)),
    SQ_ROW_TIME(struct window, window, "window", NULL, SQ_F_LIVE | SQ_F_ABOVE_MIN, "Its length."),
    SQ_ROW_CHOICE(struct window, start, "start", "clock", window_words, 0, "Where windows begin."),
    MDL_ROW_SCOPE(struct window, scope),
};
static const struct sq_field sliding_rows[] = {
    SQ_ROW_AMOUNT(struct window, limit, "limit", NULL, 1, SQ_F_LIVE,
                  SQ_BELOW("Calls in a window.", MDL_LIMIT_HINT)),
    SQ_ROW_TIME(struct window, window, "window", NULL, SQ_F_LIVE | SQ_F_ABOVE_MIN, "Its length."),
    MDL_ROW_SCOPE(struct window, scope),
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

static double bucket_rate(const void *cfg)
{
    return ((const struct bucket *)cfg)->rate;
}

/* ---- leaky bucket: as a bucket of one token, taken in advance by those that wait ---- */

static void leaky_init(const void *cfg, struct mdl_limiter_state *s)
{
    const struct leaky *l = cfg;
    *s = (struct mdl_limiter_state){ .credit = 1, .rate = l->bucket.rate, .burst = 1 };
}

static void leaky_changed(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    struct bucket b = ((const struct leaky *)cfg)->bucket;
    b.burst = 1;
    bucket_changed(&b, s, now);
}

/* Calls that have been given an instant that is still to come. */
static int64_t leaky_waiting(const struct mdl_limiter_state *s, sq_time_t now)
{
    int64_t gone = (int64_t)(sq_time_to_s(now - s->since) * s->rate + s->credit);
    gone = gone < s->taken ? gone : s->taken;
    while (gone < s->taken && after((double)gone + 1 - s->credit, s->rate) <= now - s->since) {
        gone++;
    }
    while (gone > 0 && after((double)gone - s->credit, s->rate) > now - s->since) {
        gone--;
    }
    return s->taken - gone;
}

static bool leaky_enter(const struct leaky *l, struct mdl_limiter_state *s, sq_time_t now,
                        sq_time_t *at)
{
    *at = bucket_next(l, s, now);
    if (*at > now && l->queue != SQ_UNLIMITED && leaky_waiting(s, now) >= l->queue) {
        return false;
    }
    s->taken++;
    return true;
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
 * one before and `taken` in it, at which before (w - e) + (taken + 1) w <= limit w; SQ_NEVER: none.
 */
static sq_time_t counter_free(const struct window *w, sq_time_t start, sq_time_t from,
                              const int64_t counts[2])
{
    int64_t left = w->limit - 1 - counts[1];
    if (left < 0) {
        return SQ_NEVER;
    }
    if (counts[0] == 0) {
        return from;
    }
    __int128 most = (__int128)left * w->window / counts[0]; /* of w - e */
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

/* ---- sliding log: the instants of the calls within the window, oldest first ---- */

static void log_forget(const struct window *w, struct mdl_limiter_state *s, sq_time_t now)
{
    while (s->taken > 0 && now - s->log[s->head] >= w->window) {
        s->head = (s->head + 1) & (s->size - 1);
        s->taken--;
    }
}

static bool log_grow(struct mdl_limiter_state *s)
{
    uint32_t size = s->size == 0 ? 16 : 2 * s->size;
    sq_time_t *log = sq_mem_alloc(size, sizeof(*log));
    for (uint32_t i = 0; log != NULL && i < s->taken; i++) {
        log[i] = s->log[(s->head + i) & (s->size - 1)];
    }
    if (log == NULL) {
        s->failed = true;
        return false;
    }
    sq_mem_free(s->log);
    s->log = log;
    s->size = size;
    s->head = 0;
    return true;
}

static sq_time_t log_next(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    const struct window *w = cfg;
    log_forget(w, s, now);
    if (s->taken < w->limit) {
        return now;
    }
    uint32_t out = (uint32_t)(s->taken - w->limit); /* above 0 when the limit was lowered */
    return sq_time_add(s->log[(s->head + out) & (s->size - 1)], w->window);
}

static bool log_ask(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    if (log_next(cfg, s, now) != now || (s->taken == s->size && !log_grow(s))) {
        return false;
    }
    s->log[(s->head + (uint32_t)s->taken) & (s->size - 1)] = now;
    s->taken++;
    return true;
}

static void log_changed(const void *cfg, struct mdl_limiter_state *s, sq_time_t now)
{
    log_forget(cfg, s, now);
}

static double window_rate(const void *cfg)
{
    const struct window *w = cfg;
    return (double)w->limit / sq_time_to_s(w->window);
}

/* ---- the rows ---- */

static const struct limiter_row limiter_rows[] = {
    { { .name = "token-bucket",
        .doc = "A bucket of tokens that fills at a constant rate.",
        .table = { .rows = SQ_ROWS(bucket_rows), .size = sizeof(struct bucket) } },
      bucket_init,
      bucket_ask,
      bucket_next,
      bucket_changed,
      bucket_rate },
    { { .name = "gcra",
        .doc = "The generic cell rate algorithm.",
        .table = { .rows = SQ_ROWS(gcra_rows), .size = sizeof(struct bucket) } },
      bucket_init,
      bucket_ask,
      bucket_next,
      bucket_changed,
      bucket_rate },
    { { .name = "fixed-window",
        .doc = "So many in each window.",
        .table = { .rows = SQ_ROWS(fixed_rows), .size = sizeof(struct window) } },
      window_init,
      fixed_ask,
      fixed_next,
      window_changed,
      window_rate },
    { { .name = "sliding-counter",
        .doc = "Two windows, the last one weighted by what is left of it.",
        .table = { .rows = SQ_ROWS(sliding_rows), .size = sizeof(struct window) } },
      window_init,
      counter_ask,
      counter_next,
      window_changed,
      window_rate },
    { { .name = "sliding-log",
        .doc = "So many in any window; a call exactly as old as the window is outside.",
        .table = { .rows = SQ_ROWS(sliding_rows), .size = sizeof(struct window) } },
      window_init,
      log_ask,
      log_next,
      log_changed,
      window_rate },
    { { .name = "leaky-bucket",
        .doc = "Calls wait in it and leak out one by one.",
        .table = { .rows = SQ_ROWS(leaky_rows), .size = sizeof(struct leaky) } },
      leaky_init,
      bucket_ask,
      bucket_next,
      leaky_changed,
      bucket_rate },
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

void mdl_limiter_fini(struct mdl_limiter_state *s)
{
    sq_mem_free(s->log);
    s->log = NULL;
}

int mdl_limiter_scope(const struct sq_block *l)
{
    return *(const int *)l->cfg;
}

double mdl_limiter_rate(const struct sq_block *l)
{
    return row_of(l)->rate(l->cfg);
}

int64_t mdl_limiter_queue(const struct sq_block *l)
{
    return row_of(l)->init == leaky_init ? ((const struct leaky *)l->cfg)->queue : 0;
}

bool mdl_limiter_enter(const struct sq_block *l, struct mdl_limiter_state *s, sq_time_t now,
                       sq_time_t *at)
{
    *at = now;
    return row_of(l)->init == leaky_init ? leaky_enter(l->cfg, s, now, at)
                                         : mdl_limiter_ask(l, s, now);
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
