/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_breaker_window.c - the last calls, in a row, by number or by time. */
#include "models/policy/mdl_breaker_in.h"

#include "sim/conf/sq_rows.h"

#include <string.h>

/* ---- configuration ---- */

struct by_number {
    int64_t size;
};
struct by_time {
    sq_time_t length;
    int64_t buckets;
    int rotate;
};
struct window_row {
    struct sq_kind kind;
    enum mdl_window_kind what;
};

static const char *const rotate_words[] = { "aligned", "lazy", "timer", "per-call", NULL };

static const struct sq_field consecutive_rows[] = {
    SQ_ROW_AMOUNT_IN(struct by_number, size, "size", NULL, 1, 1e9, 0,
                     "Trips at this many failures in a row."),
};
static const struct sq_field count_rows[] = {
    SQ_ROW_AMOUNT_IN(struct by_number, size, "size", "100", 1, 1e6, 0,
                     "The last so many calls count."),
};
static const struct sq_field time_rows[] = {
    SQ_ROW_TIME(struct by_time, length, "length", NULL, SQ_F_ABOVE_MIN, "Calls so long ago count."),
    SQ_ROW_AMOUNT_IN(struct by_time, buckets, "buckets", "10", 1, 10000, 0,
                     "Parts in which calls leave the window."),
    SQ_ROW_CHOICE(struct by_time, rotate, "rotate", "aligned", rotate_words, 0,
                  "When a new bucket begins."),
};
static void check_time(const void *cfg, const struct sq_node *node, const char *path,
                       struct sq_diag *diag)
{
    const struct by_time *t = cfg;
    if (t->length < t->buckets) {
        sq_diag_error(diag, node->where, path, "fewer buckets, or a longer window",
                      "a bucket is shorter than 1ns");
    }
}

static const struct window_row window_rows[] = {
    { { .name = "consecutive",
        .doc = "Failures in a row.",
        .table = { .rows = SQ_ROWS(consecutive_rows), .size = sizeof(struct by_number) } },
      MDL_WINDOW_CONSECUTIVE },
    { { .name = "count",
        .doc = "A ring of the last calls.",
        .table = { .rows = SQ_ROWS(count_rows), .size = sizeof(struct by_number) } },
      MDL_WINDOW_COUNT },
    { { .name = "time",
        .doc = "The calls of the last so long.",
        .table = { .rows = SQ_ROWS(time_rows),
                   .size = sizeof(struct by_time),
                   .check = check_time } },
      MDL_WINDOW_TIME },
};
const struct sq_family mdl_window_family = {
    .type = "window",
    .kinds = window_rows,
    .kind_count = SQ_COUNT(window_rows),
    .stride = sizeof(struct window_row),
    .dflt_kind = "count",
};

enum mdl_window_kind mdl_window_kind(const struct mdl_breaker_cfg *cfg)
{
    return ((const struct window_row *)(const void *)cfg->window.kind)->what;
}

int64_t mdl_window_size(const struct mdl_breaker_cfg *cfg)
{
    SQ_ASSERT(mdl_window_kind(cfg) != MDL_WINDOW_TIME);
    return ((const struct by_number *)cfg->window.cfg)->size;
}

static const struct by_time *time_of(const struct mdl_breaker_cfg *cfg)
{
    SQ_ASSERT(mdl_window_kind(cfg) == MDL_WINDOW_TIME);
    return cfg->window.cfg;
}

sq_time_t mdl_window_length(const struct mdl_breaker_cfg *cfg)
{
    return mdl_window_kind(cfg) == MDL_WINDOW_TIME ? time_of(cfg)->length : SQ_NEVER;
}

bool mdl_window_runs_on(const struct mdl_breaker_cfg *cfg)
{
    return mdl_window_kind(cfg) == MDL_WINDOW_TIME && time_of(cfg)->rotate == MDL_ROTATE_TIMER;
}

/* ---- by number ---- */

enum { PER_CELL = 32, FAILED = 1, SLOW = 2 };

static unsigned ring_get(const struct mdl_breaker *b, uint32_t i)
{
    return (unsigned)(b->cells[i / PER_CELL] >> 2 * (i % PER_CELL)) & 3;
}

static void ring_put(struct mdl_breaker *b, uint32_t i, unsigned bits)
{
    unsigned shift = 2 * (i % PER_CELL);
    b->cells[i / PER_CELL] &= ~(UINT64_C(3) << shift);
    b->cells[i / PER_CELL] |= (uint64_t)bits << shift;
}

static void ring_add(struct mdl_breaker *b, int64_t size, unsigned bits)
{
    if ((int64_t)b->filled == size) {
        unsigned old = ring_get(b, b->head);
        b->seen.total--;
        b->seen.failed -= (old & FAILED) != 0 ? 1 : 0;
        b->seen.slow -= (old & SLOW) != 0 ? 1 : 0;
    } else {
        b->filled++;
    }
    ring_put(b, b->head, bits);
    b->head = (int64_t)b->head + 1 < size ? b->head + 1 : 0;
    b->seen.total++;
    b->seen.failed += (bits & FAILED) != 0 ? 1 : 0;
    b->seen.slow += (bits & SLOW) != 0 ? 1 : 0;
}

/* ---- by time ---- */

enum { KEY, CALLS, SLOW_ONES, PER_BUCKET };
#define NO_KEY INT64_MIN

static uint64_t *bucket(struct mdl_breaker *b, uint32_t i)
{
    return &b->cells[(size_t)i * PER_BUCKET];
}

static void begin(uint64_t *cell, int64_t key)
{
    cell[KEY] = (uint64_t)key;
    cell[CALLS] = cell[SLOW_ONES] = 0;
}

static uint32_t buckets(const struct mdl_breaker *b)
{
    return b->cell_count / PER_BUCKET;
}

static sq_time_t width(const struct by_time *t)
{
    return t->length / t->buckets;
}

/* The number of the bucket of an instant, from 0. */
static int64_t number(const struct by_time *t, const struct mdl_breaker *b, sq_time_t now)
{
    sq_time_t w = width(t), gone = now - b->origin;
    return t->rotate == MDL_ROTATE_TIMER ? (gone + w - 1) / w : gone / w;
}

static bool is_over(const struct mdl_breaker_cfg *cfg, sq_time_t age, sq_time_t bound)
{
    return cfg->boundary == 1 ? age > bound : age >= bound;
}

/* The bucket that takes what happens now. */
static uint64_t *present(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now)
{
    const struct by_time *t = time_of(cfg);
    if (t->rotate == MDL_ROTATE_ALIGNED || t->rotate == MDL_ROTATE_TIMER) {
        int64_t key = number(t, b, now);
        uint64_t *cell = bucket(b, (uint32_t)(key % buckets(b)));
        if ((int64_t)cell[KEY] != key) {
            begin(cell, key);
        }
        return cell;
    }
    uint64_t *cell = bucket(b, b->head);
    int64_t start = (int64_t)cell[KEY];
    bool over = t->rotate == MDL_ROTATE_PER_CALL
                    ? now - sq_max_i64(start, 0) >= width(t)
                    : start == NO_KEY || is_over(cfg, now - start, width(t));
    if (over) {
        b->head = (b->head + 1) % buckets(b);
        cell = bucket(b, b->head);
        begin(cell, now);
    }
    return cell;
}

static bool is_in(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b, int64_t key,
                  sq_time_t now)
{
    const struct by_time *t = time_of(cfg);
    if (key == NO_KEY) {
        return false;
    }
    if (t->rotate == MDL_ROTATE_PER_CALL) {
        return true;
    }
    if (t->rotate == MDL_ROTATE_LAZY) {
        return !is_over(cfg, now - key, t->length);
    }
    int64_t last = number(t, b, now);
    return key > last - t->buckets && key <= last;
}

/* Of those that are over: so many before the one that has just begun. */
static bool is_shown(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b, int64_t key,
                     sq_time_t now)
{
    const struct by_time *t = time_of(cfg);
    int64_t last = number(t, b, now);
    return key != NO_KEY && key >= last - t->buckets && key < last;
}

static struct mdl_tally time_sum(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b,
                                 sq_time_t now, bool over)
{
    struct mdl_tally sum = { 0 };
    int rotate = time_of(cfg)->rotate;
    bool numbered = rotate == MDL_ROTATE_ALIGNED || rotate == MDL_ROTATE_TIMER;
    for (uint32_t i = 0; i < buckets(b); i++) {
        const uint64_t *cell = &b->cells[(size_t)i * PER_BUCKET];
        int64_t key = (int64_t)cell[KEY];
        if (over && numbered ? is_shown(cfg, b, key, now) : is_in(cfg, b, key, now)) {
            sum.total += (int64_t)(cell[CALLS] >> 32);
            sum.failed += (int64_t)(cell[CALLS] & UINT32_MAX);
            sum.slow += (int64_t)cell[SLOW_ONES];
        }
    }
    return sum;
}

/* ---- the whole ---- */

size_t mdl_window_cells(const struct mdl_breaker_cfg *cfg)
{
    switch (mdl_window_kind(cfg)) {
    case MDL_WINDOW_CONSECUTIVE:
        return 0;
    case MDL_WINDOW_COUNT:
        return ((size_t)mdl_window_size(cfg) + PER_CELL - 1) / PER_CELL;
    case MDL_WINDOW_TIME: /* one more than are seen, for those that are over */
        return ((size_t)time_of(cfg)->buckets +
                (time_of(cfg)->rotate == MDL_ROTATE_PER_CALL ? 0 : 1)) *
               PER_BUCKET;
    }
    SQ_UNREACHABLE("a kind of window");
}

void mdl_window_clear(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now)
{
    b->seen = (struct mdl_tally){ 0 };
    b->head = b->filled = 0;
    b->rejected = b->run = b->slow_run = 0;
    if (mdl_window_kind(cfg) != MDL_WINDOW_TIME) {
        return;
    }
    for (uint32_t i = 0; i < buckets(b); i++) {
        begin(bucket(b, i), NO_KEY);
    }
    const struct by_time *t = time_of(cfg);
    if (t->rotate == MDL_ROTATE_LAZY && t->buckets == 1) {
        begin(bucket(b, 0), now);
    }
    if (t->rotate == MDL_ROTATE_PER_CALL) {
        begin(bucket(b, 0), 0);
    }
}

void mdl_window_add(const struct mdl_breaker_cfg *cfg, struct mdl_breaker *b, sq_time_t now,
                    struct mdl_tally what)
{
    unsigned bits = (what.failed > 0 ? FAILED : 0u) | (what.slow > 0 ? SLOW : 0u);
    switch (mdl_window_kind(cfg)) {
    case MDL_WINDOW_CONSECUTIVE:
        break;
    case MDL_WINDOW_COUNT:
        ring_add(b, mdl_window_size(cfg), bits);
        break;
    case MDL_WINDOW_TIME: {
        uint64_t *cell = present(cfg, b, now);
        cell[CALLS] += ((uint64_t)what.total << 32) + (uint64_t)what.failed;
        cell[SLOW_ONES] += (uint64_t)what.slow;
        break;
    }
    }
}

struct mdl_tally mdl_window_sum(const struct mdl_breaker_cfg *cfg, const struct mdl_breaker *b,
                                sq_time_t now, bool over)
{
    return mdl_window_kind(cfg) == MDL_WINDOW_TIME ? time_sum(cfg, b, now, over) : b->seen;
}
