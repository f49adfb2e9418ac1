/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_backoff.c - one row per backoff kind: D_n, the delay after the n-th failure. */
#include "models/policy/mdl_backoff.h"

#include "sim/conf/sq_rows.h"
#include "sim/core/sq_fn.h"

static const char *const cap_words[] = { "before-jitter", "after-jitter", NULL };

/* What the kinds with a cap start with. */
struct capped {
    sq_time_t cap;
    int cap_applies; /* index into cap_words */
};
struct fixed {
    sq_time_t base;
};
struct exponential {
    struct capped capped;
    sq_time_t base, offset;
    double factor;
    int64_t doublings;
};

struct backoff_row {
    struct sq_kind kind;
    bool capped; /* cfg starts with struct capped */
    double (*base_s)(const void *cfg, uint32_t n);
};

static const struct sq_field fixed_rows[] = {
    SQ_ROW_TIME(struct fixed, base, "base", NULL, SQ_F_STAR | SQ_F_LIVE, "The delay."),
};

static const struct sq_field exponential_rows[] = {
    SQ_ROW_TIME(struct exponential, base, "base", "1s", SQ_F_LIVE,
                "Delay after the first failure."),
    SQ_ROW_NUMBER(struct exponential, factor, "factor", "2", 1, 1000, SQ_F_LIVE,
                  "Each delay is this many times the one before."),
    SQ_ROW_TIME(struct exponential, capped.cap, "cap", "10m", SQ_F_LIVE | SQ_F_UNLIMITED,
                "Longest delay."),
    SQ_ROW_CHOICE(struct exponential, capped.cap_applies, "cap_applies", "before-jitter", cap_words,
                  SQ_F_LIVE, "Whether the cap bounds the delay before or after jitter."),
    SQ_ROW_TIME(struct exponential, offset, "offset", "0s", SQ_F_LIVE,
                "Added to every delay, under the cap."),
    SQ_ROW_AMOUNT(struct exponential, doublings, "doublings", "unlimited", 0,
                  SQ_F_LIVE | SQ_F_UNLIMITED,
                  "After so many steps it grows by the last value each time."),
};

static double none_s(const void *cfg, uint32_t n)
{
    (void)cfg, (void)n;
    return 0;
}

static double fixed_s(const void *cfg, uint32_t n)
{
    (void)n;
    return sq_time_to_s(((const struct fixed *)cfg)->base);
}

static double exponential_s(const void *cfg, uint32_t n)
{
    const struct exponential *e = cfg;
    double base = sq_time_to_s(e->base), offset = sq_time_to_s(e->offset);
    double steps = (double)n - 1;
    double turn = e->doublings == SQ_UNLIMITED ? steps : (double)e->doublings;
    if (steps <= turn) {
        return offset + base * sq_fn_pow(e->factor, steps);
    }
    return offset + base * sq_fn_pow(e->factor, turn) * (1 + steps - turn);
}

static const struct backoff_row backoff_rows[] = {
    { .kind = { .name = "none", .doc = "No delay." }, .base_s = none_s },
    { .kind = { .name = "fixed",
                .doc = "The same delay every time.",
                .table = { .rows = SQ_ROWS(fixed_rows), .size = sizeof(struct fixed) } },
      .base_s = fixed_s },
    { .kind = { .name = "exponential",
                .doc = "offset + base * factor^(n-1).",
                .table = { .rows = SQ_ROWS(exponential_rows),
                           .size = sizeof(struct exponential) } },
      .capped = true,
      .base_s = exponential_s },
    { .kind = { .name = "linear", .doc = "base + (n-1) * step.", .later = true } },
    { .kind = { .name = "polynomial", .doc = "offset + scale * n^power.", .later = true } },
    { .kind = { .name = "table", .doc = "A list of delays.", .later = true } },
    { .kind = { .name = "decorrelated", .doc = "Grows from the delay before.", .later = true } },
    { .kind = { .name = "compounding", .doc = "Jitter that compounds.", .later = true } },
    { .kind = { .name = "polly", .doc = "Polly's stateful curve.", .later = true } },
    { .kind = { .name = "lease", .doc = "The rest of the visibility timeout.", .later = true } },
};

const struct sq_family mdl_backoff_family = {
    .type = "backoff",
    .kinds = backoff_rows,
    .kind_count = SQ_COUNT(backoff_rows),
    .stride = sizeof(struct backoff_row),
    .dflt_kind = "exponential",
};

/* The cap in seconds, infinity when there is none. */
static double cap_s(const struct backoff_row *row, const void *cfg, bool after)
{
    const struct capped *c = cfg;
    if (!row->capped || c->cap == SQ_NEVER || (c->cap_applies == 1) != after) {
        return __builtin_inf();
    }
    return sq_time_to_s(c->cap);
}

double mdl_backoff_base_s(const struct sq_block *backoff, uint32_t n)
{
    SQ_ASSERT(n >= 1);
    if (backoff->kind == NULL) {
        return 0;
    }
    const struct backoff_row *row = (const struct backoff_row *)(const void *)backoff->kind;
    double d = row->base_s(backoff->cfg, n);
    double cap = cap_s(row, backoff->cfg, false);
    return d < cap ? d : cap;
}

double mdl_backoff_cap_after_s(const struct sq_block *backoff)
{
    if (backoff->kind == NULL) {
        return __builtin_inf();
    }
    return cap_s((const struct backoff_row *)(const void *)backoff->kind, backoff->cfg, true);
}
