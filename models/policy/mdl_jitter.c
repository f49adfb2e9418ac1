/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_jitter.c - one row per jitter kind. Every kind but `exponential` is a uniform draw from a
 * range, so a row says the range. The names full and equal are those of "Exponential Backoff And
 * Jitter" (AWS Architecture Blog, 2015). */
#include "models/policy/mdl_jitter.h"

#include "sim/conf/sq_rows.h"
#include "sim/core/sq_fn.h"

#include <math.h>

static const char *const grows_words[] = { "never", "range", "draw", NULL };
enum { GROWS_NEVER, GROWS_RANGE, GROWS_DRAW };

/* Beyond all time, and yet finite: the differences of a range are never NaN. */
#define TIME_MAX_S 1e18

/* What every kind starts with. */
struct common {
    sq_time_t lattice, min; /* lattice SQ_NEVER: none */
    bool inclusive, offset_too;
    int64_t skip;
};
struct full {
    struct common common;
    sq_time_t from;
};
struct proportional {
    struct common common;
    double ratio;
};
struct scaled {
    struct common common;
    double low, high;
};
struct additive {
    struct common common;
    sq_time_t amount;
    int grows;
};

/* delay = base + times * U[low, high) */
struct range {
    double base, times, low, high;
};

struct jitter_row {
    struct sq_kind kind;
    struct range (*range)(const void *cfg, double d, uint32_t n);      /* NULL: exponential */
    void (*kernel)(struct range r, double share, struct sq_mass *out); /* NULL: numeric */
};

#define COMMON_ROWS(T, c)                                                      \
    SQ_ROW_TIME(T, c lattice, "lattice", "none", SQ_F_NONE | SQ_F_LIVE,        \
                "Draws are whole multiples of this."),                         \
        SQ_ROW_BOOL(T, c inclusive, "inclusive", "false", SQ_F_LIVE,           \
                    "Whether the lattice includes the upper end."),            \
        SQ_ROW_TIME(T, c min, "min", "0s", SQ_F_LIVE, "Floor of the result."), \
        SQ_ROW_BOOL(T, c offset_too, "offset_too", "true", SQ_F_LIVE,          \
                    "Whether the backoff's offset is jittered as well."),      \
        SQ_ROW_AMOUNT(T, c skip, "skip", "0", 0, SQ_F_LIVE,                    \
                      "So many delays are left as they are at first.")

static const struct sq_field plain_rows[] = { COMMON_ROWS(struct common, ) };
static const struct sq_field full_rows[] = {
    SQ_ROW_TIME(struct full, from, "from", "0s", SQ_F_LIVE,
                "Lower end of the draw; a delay below it becomes this."),
    COMMON_ROWS(struct full, common.),
};
static const struct sq_field proportional_rows[] = {
    SQ_ROW_RATIO(struct proportional, ratio, "ratio", NULL, SQ_F_STAR | SQ_F_LIVE,
                 "Half width of the spread as a share of the delay."),
    COMMON_ROWS(struct proportional, common.),
};
static const struct sq_field scaled_rows[] = {
    SQ_ROW_NUMBER(struct scaled, low, "low", NULL, 0, 1000, SQ_F_LIVE, "Smallest factor."),
    SQ_ROW_NUMBER(struct scaled, high, "high", NULL, 0, 1000, SQ_F_LIVE,
                  "Largest factor, excluded."),
    COMMON_ROWS(struct scaled, common.),
};
static const struct sq_field additive_rows[] = {
    SQ_ROW_TIME(struct additive, amount, "amount", NULL, SQ_F_STAR | SQ_F_LIVE,
                "Largest addition, excluded."),
    SQ_ROW_CHOICE(struct additive, grows, "grows", "never", grows_words, SQ_F_LIVE,
                  "range: up to n amounts; draw: n times one draw."),
    COMMON_ROWS(struct additive, common.),
};

static struct range none_range(const void *cfg, double d, uint32_t n)
{
    (void)cfg, (void)n;
    return (struct range){ .base = d };
}

static struct range full_range(const void *cfg, double d, uint32_t n)
{
    (void)n;
    double from = sq_time_to_s(((const struct full *)cfg)->from);
    return (struct range){ .times = 1, .low = from, .high = d > from ? d : from };
}

static struct range equal_range(const void *cfg, double d, uint32_t n)
{
    (void)cfg, (void)n;
    return (struct range){ .times = 1, .low = d / 2, .high = d };
}

static struct range proportional_range(const void *cfg, double d, uint32_t n)
{
    (void)n;
    double r = ((const struct proportional *)cfg)->ratio;
    return (struct range){ .times = 1, .low = d * (1 - r), .high = d * (1 + r) };
}

static struct range scaled_range(const void *cfg, double d, uint32_t n)
{
    (void)n;
    const struct scaled *s = cfg;
    return (struct range){ .times = 1, .low = d * s->low, .high = d * s->high };
}

static struct range additive_range(const void *cfg, double d, uint32_t n)
{
    const struct additive *a = cfg;
    double amount = sq_time_to_s(a->amount);
    double times = a->grows == GROWS_DRAW ? (double)n : 1;
    double high = a->grows == GROWS_RANGE ? (double)n * amount : amount;
    return (struct range){ .base = d, .times = times, .high = high };
}

/* Evenly from the lower to the upper end. */
static void even_kernel(struct range r, double share, struct sq_mass *out)
{
    sq_mass_add(out, r.base + r.times * r.low, r.base + r.times * r.high, share);
}

static void check_scaled(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    const struct scaled *s = cfg;
    if (s->high < s->low) {
        sq_diag_error(diag, node->where, path, "write the smaller one as low", "high is below low");
    }
}

static const struct jitter_row jitter_rows[] = {
    { { .name = "none",
        .doc = "The delay as it is.",
        .table = { .rows = SQ_ROWS(plain_rows), .size = sizeof(struct common) } },
      none_range,
      even_kernel },
    { { .name = "full",
        .doc = "U[from, D).",
        .table = { .rows = SQ_ROWS(full_rows), .size = sizeof(struct full) } },
      full_range,
      even_kernel },
    { { .name = "equal",
        .doc = "U[D/2, D).",
        .table = { .rows = SQ_ROWS(plain_rows), .size = sizeof(struct common) } },
      equal_range,
      even_kernel },
    { { .name = "exponential",
        .doc = "Exponential with mean D.",
        .table = { .rows = SQ_ROWS(plain_rows), .size = sizeof(struct common) } },
      NULL,
      NULL },
    { { .name = "proportional",
        .doc = "U[D(1-r), D(1+r)).",
        .table = { .rows = SQ_ROWS(proportional_rows), .size = sizeof(struct proportional) } },
      proportional_range,
      even_kernel },
    { { .name = "scaled",
        .doc = "D * U[low, high).",
        .table = { .rows = SQ_ROWS(scaled_rows),
                   .size = sizeof(struct scaled),
                   .check = check_scaled } },
      scaled_range,
      even_kernel },
    { { .name = "additive",
        .doc = "D + U[0, amount).",
        .table = { .rows = SQ_ROWS(additive_rows), .size = sizeof(struct additive) } },
      additive_range,
      even_kernel },
};

const struct sq_family mdl_jitter_family = {
    .type = "jitter",
    .kinds = jitter_rows,
    .kind_count = SQ_COUNT(jitter_rows),
    .stride = sizeof(struct jitter_row),
};

static double draw(const struct common *c, struct range r, double u)
{
    double width = r.high - r.low;
    if (c->lattice == SQ_NEVER || c->lattice == 0) {
        return r.base + r.times * (r.low + width * u);
    }
    double step = sq_time_to_s(c->lattice);
    double raw = r.low + (c->inclusive ? width + step : width) * u;
    return r.base + r.times * floor(raw / step) * step;
}

double mdl_jitter_apply(const struct sq_block *jitter, struct mdl_jitter_in in, double u)
{
    if (jitter->kind == NULL) {
        return in.d;
    }
    const struct jitter_row *row = (const struct jitter_row *)(const void *)jitter->kind;
    const struct common *c = jitter->cfg;
    double whole = in.d < TIME_MAX_S ? in.d : TIME_MAX_S;
    double kept = c->offset_too ? 0 : (in.offset < whole ? in.offset : whole);
    double d = whole - kept, out;
    if (in.n <= c->skip) {
        out = d;
    } else if (row->range == NULL) {
        out = -d * sq_fn_log(1 - u);
        if (c->lattice != SQ_NEVER && c->lattice > 0) {
            double step = sq_time_to_s(c->lattice);
            out = floor(out / step) * step;
        }
    } else {
        out = draw(c, row->range(jitter->cfg, d, in.n), u);
    }
    double floor_s = sq_time_to_s(c->min);
    out += kept;
    return out > floor_s ? out : floor_s;
}

bool mdl_jitter_spread(const struct sq_block *jitter, struct mdl_jitter_in in, double share,
                       struct sq_mass *out)
{
    if (jitter->kind == NULL) {
        sq_mass_add(out, in.d, in.d, share);
        return true;
    }
    const struct jitter_row *row = (const struct jitter_row *)(const void *)jitter->kind;
    const struct common *c = jitter->cfg;
    double kept = c->offset_too ? 0 : fmin(in.offset, in.d), d = in.d - kept;
    double floor_s = sq_time_to_s(c->min);
    bool lattice = c->lattice != SQ_NEVER && c->lattice > 0;
    if (!(in.d < TIME_MAX_S)) {
        return false;
    }
    if (in.n <= c->skip) {
        sq_mass_add(out, fmax(in.d, floor_s), fmax(in.d, floor_s), share);
        return true;
    }
    if (row->kernel == NULL || lattice) {
        return false;
    }
    struct range r = row->range(jitter->cfg, d, in.n);
    r.base += kept;
    if (r.base + r.times * r.low < floor_s) {
        return false;
    }
    row->kernel(r, share, out);
    return true;
}
