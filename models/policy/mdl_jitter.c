/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_jitter.c - one row per jitter kind. The names full and equal are those of "Exponential
 * Backoff And Jitter" (AWS Architecture Blog, 2015). */
#include "models/policy/mdl_jitter.h"

#include "sim/conf/sq_rows.h"
#include "sim/core/sq_fn.h"

struct proportional {
    double ratio;
};
struct scaled {
    double low, high;
};
struct additive {
    sq_time_t amount;
};

struct jitter_row {
    struct sq_kind kind;
    double (*apply)(const void *cfg, double d, double u);
};

/* Keys that every kind will take. */
#define LATER_ROWS                                                                \
    SQ_ROW_LATER("lattice", "Draws are whole multiples of this."),                \
        SQ_ROW_LATER("inclusive", "Whether the lattice includes its upper end."), \
        SQ_ROW_LATER("min", "Floor of the result."),                              \
        SQ_ROW_LATER("offset_too", "Whether `offset` is jittered as well.")

static const struct sq_field plain_rows[] = { LATER_ROWS };

static const struct sq_field proportional_rows[] = {
    SQ_ROW_RATIO(struct proportional, ratio, "ratio", NULL, SQ_F_STAR | SQ_F_LIVE,
                 "Half width of the spread as a share of the delay."),
    LATER_ROWS,
};
static const struct sq_field scaled_rows[] = {
    SQ_ROW_NUMBER(struct scaled, low, "low", NULL, 0, 1000, SQ_F_LIVE, "Smallest factor."),
    SQ_ROW_NUMBER(struct scaled, high, "high", NULL, 0, 1000, SQ_F_LIVE,
                  "Largest factor, excluded."),
    LATER_ROWS,
};
static const struct sq_field additive_rows[] = {
    SQ_ROW_TIME(struct additive, amount, "amount", NULL, SQ_F_STAR | SQ_F_LIVE,
                "Largest addition, excluded."),
    SQ_ROW_LATER("grows", "Whether the range or the draw grows with n."),
    LATER_ROWS,
};

static double none_apply(const void *cfg, double d, double u)
{
    (void)cfg, (void)u;
    return d;
}

static double full_apply(const void *cfg, double d, double u)
{
    (void)cfg;
    return d * u;
}

static double equal_apply(const void *cfg, double d, double u)
{
    (void)cfg;
    return d * (0.5 + 0.5 * u);
}

static double exponential_apply(const void *cfg, double d, double u)
{
    (void)cfg;
    return -d * sq_fn_log(1 - u);
}

static double proportional_apply(const void *cfg, double d, double u)
{
    double r = ((const struct proportional *)cfg)->ratio;
    return d * (1 - r + 2 * r * u);
}

static double scaled_apply(const void *cfg, double d, double u)
{
    const struct scaled *s = cfg;
    return d * (s->low + (s->high - s->low) * u);
}

static double additive_apply(const void *cfg, double d, double u)
{
    return d + sq_time_to_s(((const struct additive *)cfg)->amount) * u;
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
    { { .name = "none", .doc = "The delay as it is.", .table = { .rows = SQ_ROWS(plain_rows) } },
      none_apply },
    { { .name = "full", .doc = "U[0, D).", .table = { .rows = SQ_ROWS(plain_rows) } }, full_apply },
    { { .name = "equal", .doc = "U[D/2, D).", .table = { .rows = SQ_ROWS(plain_rows) } },
      equal_apply },
    { { .name = "exponential",
        .doc = "Exponential with mean D.",
        .table = { .rows = SQ_ROWS(plain_rows) } },
      exponential_apply },
    { { .name = "proportional",
        .doc = "U[D(1-r), D(1+r)).",
        .table = { .rows = SQ_ROWS(proportional_rows), .size = sizeof(struct proportional) } },
      proportional_apply },
    { { .name = "scaled",
        .doc = "D * U[low, high).",
        .table = { .rows = SQ_ROWS(scaled_rows),
                   .size = sizeof(struct scaled),
                   .check = check_scaled } },
      scaled_apply },
    { { .name = "additive",
        .doc = "D + U[0, amount).",
        .table = { .rows = SQ_ROWS(additive_rows), .size = sizeof(struct additive) } },
      additive_apply },
};

const struct sq_family mdl_jitter_family = {
    .type = "jitter",
    .kinds = jitter_rows,
    .kind_count = SQ_COUNT(jitter_rows),
    .stride = sizeof(struct jitter_row),
};

double mdl_jitter_apply(const struct sq_block *jitter, double d, double u)
{
    if (jitter->kind == NULL) {
        return d;
    }
    return ((const struct jitter_row *)(const void *)jitter->kind)->apply(jitter->cfg, d, u);
}
