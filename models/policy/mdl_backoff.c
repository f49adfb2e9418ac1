/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_backoff.c - one row per backoff kind: D_n, the delay after the n-th failure.
 *
 * Sources: exponential and decorrelated as in "Exponential Backoff And Jitter" (AWS Architecture
 * Blog, 2015) and cockatiel 3; polly is DecorrelatedJitterBackoffV2 of Polly.Contrib.WaitAndRetry
 * as used by Polly 8; compounding is kafkajs 2; polynomial covers Sidekiq, Oban, River, Faktory. */
#include "models/policy/mdl_backoff.h"

#include "sim/conf/sq_rows.h"
#include "sim/core/sq_fn.h"

#include <math.h>

static const char *const cap_words[] = { "before-jitter", "after-jitter", "both", "unjittered",
                                         NULL };
enum { CAP_BEFORE, CAP_AFTER, CAP_BOTH, CAP_UNJITTERED };
static const char *const low_words[] = { "base", "previous", NULL };
static const char *const first_words[] = { "draw", "base", NULL };

/* What the kinds with a cap start with. */
struct capped {
    sq_time_t cap;
    int cap_applies; /* index into cap_words */
};
struct fixed {
    sq_time_t base;
};
struct linear {
    struct capped capped;
    sq_time_t base, step; /* step SQ_NEVER: as base */
};
struct exponential {
    struct capped capped;
    sq_time_t base, offset;
    double factor;
    int64_t doublings;
};
struct polynomial {
    struct capped capped;
    double power, start;
    sq_time_t scale, offset;
};
struct table {
    struct capped capped;
    struct sq_list delays; /* of sq_time_t */
};
struct decorrelated {
    struct capped capped;
    sq_time_t base;
    double growth;
    int low, first;
};
struct compounding {
    struct capped capped;
    sq_time_t base;
    double factor, low, high;
    int first;
    bool accelerates;
};
struct polly {
    struct capped capped;
    sq_time_t base;
};

struct backoff_row {
    struct sq_kind kind;
    bool capped; /* cfg starts with struct capped */
    bool draws;  /* stateful: uses the uniform and `last` */
    bool leased; /* the caller knows the delay */
    double (*next_s)(const void *cfg, uint32_t n, double u, double *last);
    double (*offset_s)(const void *cfg); /* NULL: none */
};

/* ---- rows ---- */

#define CAP_ROW(T, cap_default) \
    SQ_ROW_TIME(T, capped.cap, "cap", cap_default, SQ_F_LIVE | SQ_F_UNLIMITED, "Longest delay.")
#define CAP_ROWS(T, cap_default)                                                                   \
    CAP_ROW(T, cap_default),                                                                       \
        SQ_ROW_CHOICE(T, capped.cap_applies, "cap_applies", "before-jitter", cap_words, SQ_F_LIVE, \
                      "Whether the cap bounds the delay before or after jitter; unjittered: a "    \
                      "delay that has reached it is not spread.")
#define DRAW_CAP_ROWS(T)                                                                          \
    CAP_ROW(T, "unlimited"),                                                                      \
        SQ_ROW_CHOICE(T, capped.cap_applies, "cap_applies", "after-jitter", cap_words, SQ_F_LIVE, \
                      "Whether the cap bounds what is drawn or, before, the range; unjittered: "  \
                      "a range that has reached it gives the cap.")

static const struct sq_field fixed_rows[] = {
    SQ_ROW_TIME(struct fixed, base, "base", NULL, SQ_F_STAR | SQ_F_LIVE, "The delay."),
};
static const struct sq_field linear_rows[] = {
    SQ_ROW_TIME(struct linear, base, "base", NULL, SQ_F_LIVE, "Delay after the first failure."),
    SQ_ROW_TIME(struct linear, step, "step", NULL, SQ_F_LIVE | SQ_F_OPTIONAL,
                "Added each time; as long as base by default."),
    CAP_ROWS(struct linear, "unlimited"),
};
static const struct sq_field exponential_rows[] = {
    SQ_ROW_TIME(struct exponential, base, "base", "1s", SQ_F_LIVE,
                "Delay after the first failure."),
    SQ_ROW_NUMBER(struct exponential, factor, "factor", "2", 1, 1000, SQ_F_LIVE,
                  "Each delay is this many times the one before."),
    CAP_ROWS(struct exponential, "10m"),
    SQ_ROW_TIME(struct exponential, offset, "offset", "0s", SQ_F_LIVE,
                "Added to every delay, under the cap."),
    SQ_ROW_AMOUNT(struct exponential, doublings, "doublings", "unlimited", 0,
                  SQ_F_LIVE | SQ_F_UNLIMITED,
                  "After so many steps it grows by the last value each time."),
};
static const struct sq_field polynomial_rows[] = {
    SQ_ROW_NUMBER(struct polynomial, power, "power", NULL, 0, 64, SQ_F_LIVE, "The exponent."),
    SQ_ROW_TIME(struct polynomial, scale, "scale", "1s", SQ_F_LIVE, "Multiplies the power."),
    SQ_ROW_NUMBER(struct polynomial, start, "start", "1", 0, 1e6, SQ_F_LIVE,
                  "What is raised to the power after the first failure."),
    SQ_ROW_TIME(struct polynomial, offset, "offset", "0s", SQ_F_LIVE,
                "Added to every delay, under the cap."),
    CAP_ROWS(struct polynomial, "unlimited"),
};
static const struct sq_field delay_element = { .key = "delay", .type = SQ_TIME, .doc = "A delay." };
static const struct sq_field table_rows[] = {
    SQ_ROW_LIST(struct table, delays, "delays", NULL, &delay_element, SQ_F_STAR | SQ_F_LIVE,
                "One after the other; the last repeats."),
    CAP_ROWS(struct table, "unlimited"),
};
static const struct sq_field decorrelated_rows[] = {
    SQ_ROW_TIME(struct decorrelated, base, "base", NULL, SQ_F_LIVE, "Shortest delay."),
    SQ_ROW_NUMBER(struct decorrelated, growth, "growth", "3", 1, 1000, SQ_F_LIVE,
                  "The upper end is this many times the delay before."),
    SQ_ROW_CHOICE(struct decorrelated, low, "low", "base", low_words, SQ_F_LIVE,
                  "Lower end of the draw: the base, or the delay before."),
    SQ_ROW_CHOICE(struct decorrelated, first, "first", "draw", first_words, SQ_F_LIVE,
                  "Whether the first delay is drawn or the base."),
    DRAW_CAP_ROWS(struct decorrelated),
};
static const struct sq_field compounding_rows[] = {
    SQ_ROW_TIME(struct compounding, base, "base", NULL, SQ_F_LIVE, "Scale of the first delay."),
    SQ_ROW_NUMBER(struct compounding, factor, "factor", "2", 1, 1000, SQ_F_LIVE,
                  "Growth of the delay before."),
    SQ_ROW_NUMBER(struct compounding, low, "low", NULL, 0, 1000, SQ_F_LIVE, "Smallest factor."),
    SQ_ROW_NUMBER(struct compounding, high, "high", NULL, 0, 1000, SQ_F_LIVE,
                  "Largest factor, excluded."),
    SQ_ROW_CHOICE(struct compounding, first, "first", "draw", first_words, SQ_F_LIVE,
                  "Whether the first delay is drawn or the base."),
    SQ_ROW_BOOL(struct compounding, accelerates, "accelerates", "false", SQ_F_LIVE,
                "Whether it grows by factor^(n-1) each time instead of factor."),
    DRAW_CAP_ROWS(struct compounding),
};
static const struct sq_field polly_rows[] = {
    SQ_ROW_TIME(struct polly, base, "base", NULL, SQ_F_LIVE, "Median of the first delay."),
    CAP_ROW(struct polly, "unlimited"),
};

/* ---- laws ---- */

static double none_s(const void *cfg, uint32_t n, double u, double *last)
{
    (void)cfg, (void)n, (void)u, (void)last;
    return 0;
}

static double fixed_s(const void *cfg, uint32_t n, double u, double *last)
{
    (void)n, (void)u, (void)last;
    return sq_time_to_s(((const struct fixed *)cfg)->base);
}

static double linear_s(const void *cfg, uint32_t n, double u, double *last)
{
    (void)u, (void)last;
    const struct linear *l = cfg;
    sq_time_t step = l->step == SQ_NEVER ? l->base : l->step;
    return sq_time_to_s(l->base) + ((double)n - 1) * sq_time_to_s(step);
}

static double exponential_s(const void *cfg, uint32_t n, double u, double *last)
{
    (void)u, (void)last;
    const struct exponential *e = cfg;
    double base = sq_time_to_s(e->base), offset = sq_time_to_s(e->offset);
    double steps = (double)n - 1;
    double turn = e->doublings == SQ_UNLIMITED ? steps : (double)e->doublings;
    if (steps <= turn) {
        return offset + base * sq_fn_pow(e->factor, steps);
    }
    return offset + base * sq_fn_pow(e->factor, turn) * (1 + steps - turn);
}

static double exponential_offset_s(const void *cfg)
{
    return sq_time_to_s(((const struct exponential *)cfg)->offset);
}

static double polynomial_s(const void *cfg, uint32_t n, double u, double *last)
{
    (void)u, (void)last;
    const struct polynomial *p = cfg;
    double x = (double)n - 1 + p->start;
    return sq_time_to_s(p->offset) + sq_time_to_s(p->scale) * sq_fn_pow(x, p->power);
}

static double polynomial_offset_s(const void *cfg)
{
    return sq_time_to_s(((const struct polynomial *)cfg)->offset);
}

static double table_s(const void *cfg, uint32_t n, double u, double *last)
{
    (void)u, (void)last;
    const struct table *t = cfg;
    size_t i = n <= t->delays.count ? n - 1 : t->delays.count - 1;
    return sq_time_to_s(*(const sq_time_t *)sq_list_at(&t->delays, i));
}

static void check_table(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    if (((const struct table *)cfg)->delays.count == 0) {
        sq_diag_error(diag, node->where, path, "for example [1s, 10s, 1m]", "delays is empty");
    }
}

static double capped_at(const struct capped *c, double d)
{
    double cap = c->cap == SQ_NEVER ? __builtin_inf() : sq_time_to_s(c->cap);
    return d < cap ? d : cap;
}

/* low + (high - low) * u, where the cap may bound the range, or what is drawn. */
static double draw_capped(const struct capped *c, double low, double high, double u)
{
    double cap = capped_at(c, __builtin_inf());
    if (c->cap_applies == CAP_UNJITTERED && high >= cap) {
        return cap;
    }
    if (c->cap_applies != CAP_AFTER && high > cap) {
        high = cap;
    }
    double d = low + (high > low ? high - low : 0) * u;
    return d < cap ? d : cap;
}

static double decorrelated_s(const void *cfg, uint32_t n, double u, double *last)
{
    const struct decorrelated *d = cfg;
    double base = sq_time_to_s(d->base), before = n == 1 ? base : *last;
    if (n == 1 && d->first == 1) {
        *last = capped_at(&d->capped, base);
        return *last;
    }
    *last = draw_capped(&d->capped, d->low == 1 ? before : base, d->growth * before, u);
    return *last;
}

static double compounding_s(const void *cfg, uint32_t n, double u, double *last)
{
    const struct compounding *c = cfg;
    double base = sq_time_to_s(c->base);
    if (n == 1 && c->first == 1) {
        *last = capped_at(&c->capped, base);
        return *last;
    }
    double growth = c->accelerates ? sq_fn_pow(c->factor, (double)n - 1) : c->factor;
    double grown = n == 1 ? base : *last * growth;
    double cap = capped_at(&c->capped, __builtin_inf());
    if (c->capped.cap_applies == CAP_UNJITTERED && grown >= cap) {
        *last = cap;
        return cap;
    }
    if (c->capped.cap_applies != CAP_AFTER && grown > cap) {
        grown = cap;
    }
    double d = grown > 0 ? grown * (c->low + (c->high - c->low) * u) : 0;
    *last = c->capped.cap_applies != CAP_BEFORE && d > cap ? cap : d;
    return *last;
}

/* tanh x = (e^2x - 1) / (e^2x + 1), by our own exp. */
static double tanh_of(double x)
{
    if (x > 20) {
        return 1;
    }
    double e = sq_fn_exp(2 * x);
    return (e - 1) / (e + 1);
}

/* The difference of two points, one failure apart, of 2^t tanh(sqrt(4 t)), t = n - 1 + U(0, 1). */
static double polly_s(const void *cfg, uint32_t n, double u, double *last)
{
    const struct polly *p = cfg;
    double t = (double)n - 1 + u;
    double point = sq_fn_pow(2, t) * tanh_of(sqrt(4 * t));
    if (!(point < 1e300)) { /* beyond all time */
        return capped_at(&p->capped, point);
    }
    double step = point - (n == 1 ? 0 : *last);
    *last = point;
    double d = step / 1.4 * sq_time_to_s(p->base);
    return d > 0 ? capped_at(&p->capped, d) : 0;
}

static const struct backoff_row backoff_rows[] = {
    { .kind = { .name = "none", .doc = "No delay." }, .next_s = none_s },
    { .kind = { .name = "fixed",
                .doc = "The same delay every time.",
                .table = { .rows = SQ_ROWS(fixed_rows), .size = sizeof(struct fixed) } },
      .next_s = fixed_s },
    { .kind = { .name = "linear",
                .doc = "base + (n-1) * step.",
                .table = { .rows = SQ_ROWS(linear_rows), .size = sizeof(struct linear) } },
      .capped = true,
      .next_s = linear_s },
    { .kind = { .name = "exponential",
                .doc = "offset + base * factor^(n-1).",
                .table = { .rows = SQ_ROWS(exponential_rows),
                           .size = sizeof(struct exponential) } },
      .capped = true,
      .next_s = exponential_s,
      .offset_s = exponential_offset_s },
    { .kind = { .name = "polynomial",
                .doc = "offset + scale * (n-1+start)^power.",
                .table = { .rows = SQ_ROWS(polynomial_rows), .size = sizeof(struct polynomial) } },
      .capped = true,
      .next_s = polynomial_s,
      .offset_s = polynomial_offset_s },
    { .kind = { .name = "table",
                .doc = "A list of delays; the last repeats.",
                .table = { .rows = SQ_ROWS(table_rows),
                           .size = sizeof(struct table),
                           .check = check_table } },
      .capped = true,
      .next_s = table_s },
    { .kind = { .name = "decorrelated",
                .doc = "U[low, growth * the delay before), before the first one base.",
                .table = { .rows = SQ_ROWS(decorrelated_rows),
                           .size = sizeof(struct decorrelated) } },
      .capped = true,
      .draws = true,
      .next_s = decorrelated_s },
    { .kind = { .name = "compounding",
                .doc = "The delay before * factor * U[low, high); at first base * U[low, high).",
                .table = { .rows = SQ_ROWS(compounding_rows),
                           .size = sizeof(struct compounding) } },
      .capped = true,
      .draws = true,
      .next_s = compounding_s },
    { .kind = { .name = "polly",
                .doc = "base / 1.4 * the step of 2^t * tanh(2 sqrt(t)) since the delay before, t = "
                       "n - 1 + "
                       "U[0, 1).",
                .table = { .rows = SQ_ROWS(polly_rows), .size = sizeof(struct polly) } },
      .capped = true,
      .draws = true,
      .next_s = polly_s },
    { .kind = { .name = "lease",
                .doc = "The rest of this delivery's visibility timeout; the job stays leased." },
      .draws = true, /* takes no jitter */
      .leased = true,
      .next_s = none_s },
};

const struct sq_family mdl_backoff_family = {
    .type = "backoff",
    .kinds = backoff_rows,
    .kind_count = SQ_COUNT(backoff_rows),
    .stride = sizeof(struct backoff_row),
    .dflt_kind = "exponential",
};

static const struct backoff_row *row_of(const struct sq_block *b)
{
    return (const struct backoff_row *)(const void *)b->kind;
}

bool mdl_backoff_draws(const struct sq_block *backoff)
{
    return backoff->kind != NULL && row_of(backoff)->draws;
}

bool mdl_backoff_is_lease(const struct sq_block *backoff)
{
    return backoff->kind != NULL && row_of(backoff)->leased;
}

bool mdl_backoff_kind_draws(const char *kind)
{
    const struct sq_kind *k = sq_family_find(&mdl_backoff_family, kind);
    return k != NULL && ((const struct backoff_row *)(const void *)k)->draws;
}

double mdl_backoff_offset_s(const struct sq_block *backoff)
{
    if (backoff->kind == NULL || row_of(backoff)->offset_s == NULL) {
        return 0;
    }
    return row_of(backoff)->offset_s(backoff->cfg);
}

double mdl_backoff_cap_after_s(const struct sq_block *backoff)
{
    if (backoff->kind == NULL || !row_of(backoff)->capped) {
        return __builtin_inf();
    }
    const struct capped *c = backoff->cfg;
    bool after = c->cap_applies == CAP_AFTER || c->cap_applies == CAP_BOTH;
    return after ? capped_at(c, __builtin_inf()) : __builtin_inf();
}

bool mdl_backoff_is_exact(const struct sq_block *backoff, double d)
{
    if (mdl_backoff_draws(backoff)) {
        return true;
    }
    if (backoff->kind == NULL || !row_of(backoff)->capped) {
        return false;
    }
    const struct capped *c = backoff->cfg;
    return c->cap_applies == CAP_UNJITTERED && d >= capped_at(c, __builtin_inf());
}

double mdl_backoff_next_s(const struct sq_block *backoff, uint32_t n, double u, double *last)
{
    SQ_ASSERT(n >= 1);
    SQ_ASSERT(u > 0 && u < 1);
    if (backoff->kind == NULL) {
        return 0;
    }
    const struct backoff_row *row = row_of(backoff);
    double d = row->next_s(backoff->cfg, n, u, last);
    if (row->capped && !row->draws &&
        ((const struct capped *)backoff->cfg)->cap_applies != CAP_AFTER) {
        d = capped_at(backoff->cfg, d);
    }
    return d;
}
