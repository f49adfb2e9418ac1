/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dist.c - one row per kind of distribution; the arithmetic is in sim/core/sq_dist.h. */
#include "models/policy/mdl_dist.h"

#include "sim/conf/sq_rows.h"

struct constant {
    sq_time_t value;
};
struct exponential {
    sq_time_t mean;
};
struct uniform {
    sq_time_t min, max;
};
struct lognormal {
    sq_time_t mean;
    double cv;
};

struct dist_row {
    struct sq_kind kind;
    struct sq_dist (*make)(const void *cfg);
};

static const struct sq_field constant_rows[] = {
    SQ_ROW_TIME(struct constant, value, "value", NULL, SQ_F_STAR | SQ_F_LIVE,
                "Every draw is this long."),
};
static const struct sq_field exponential_rows[] = {
    SQ_ROW_TIME(struct exponential, mean, "mean", NULL, SQ_F_LIVE, "Mean of the draws."),
};
static const struct sq_field uniform_rows[] = {
    SQ_ROW_TIME(struct uniform, min, "min", NULL, SQ_F_LIVE, "Smallest value, included."),
    SQ_ROW_TIME(struct uniform, max, "max", NULL, SQ_F_LIVE, "Largest value, excluded."),
};
static const struct sq_field lognormal_rows[] = {
    SQ_ROW_TIME(struct lognormal, mean, "mean", NULL, SQ_F_LIVE, "Mean of the draws."),
    SQ_ROW_NUMBER(struct lognormal, cv, "cv", NULL, 0, 100, SQ_F_LIVE,
                  "Standard deviation of the draws divided by their mean."),
};

static struct sq_dist make_constant(const void *cfg)
{
    return sq_dist_constant(((const struct constant *)cfg)->value);
}

static struct sq_dist make_exponential(const void *cfg)
{
    return sq_dist_exponential(((const struct exponential *)cfg)->mean);
}

static struct sq_dist make_uniform(const void *cfg)
{
    const struct uniform *u = cfg;
    return sq_dist_uniform(u->min, u->max);
}

static struct sq_dist make_lognormal(const void *cfg)
{
    const struct lognormal *l = cfg;
    return sq_dist_lognormal(l->mean, l->cv);
}

static void check_uniform(const void *cfg, const struct sq_node *node, const char *path,
                          struct sq_diag *diag)
{
    const struct uniform *u = cfg;
    if (u->max < u->min) {
        sq_diag_error(diag, node->where, path, "write the smaller one first", "max is below min");
    }
}

static const struct dist_row dist_rows[] = {
    { { .name = "constant",
        .doc = "Always the same.",
        .table = { .rows = SQ_ROWS(constant_rows), .size = sizeof(struct constant) } },
      make_constant },
    { { .name = "exponential",
        .doc = "Exponential with this mean.",
        .table = { .rows = SQ_ROWS(exponential_rows), .size = sizeof(struct exponential) } },
      make_exponential },
    { { .name = "uniform",
        .doc = "Uniform on [min, max).",
        .table = { .rows = SQ_ROWS(uniform_rows),
                   .size = sizeof(struct uniform),
                   .check = check_uniform } },
      make_uniform },
    { { .name = "lognormal",
        .doc = "Lognormal; mean and cv are of the variate itself.",
        .table = { .rows = SQ_ROWS(lognormal_rows), .size = sizeof(struct lognormal) } },
      make_lognormal },
    { { .name = "gamma", .doc = "Gamma; mean and cv are of the variate itself.", .later = true },
      NULL },
    { { .name = "weibull", .doc = "Weibull with mean and shape.", .later = true }, NULL },
    { { .name = "normal", .doc = "Normal, truncated at 0.", .later = true }, NULL },
    { { .name = "pareto", .doc = "Pareto with min and shape.", .later = true }, NULL },
    { { .name = "empirical", .doc = "Quantiles given as points or a file.", .later = true }, NULL },
};

const struct sq_family mdl_dist_family = {
    .type = "distribution",
    .kinds = dist_rows,
    .kind_count = SQ_COUNT(dist_rows),
    .stride = sizeof(struct dist_row),
    .ranges = true,
};

struct sq_dist mdl_dist_make(const struct sq_block *block)
{
    if (block->kind == NULL) {
        return sq_dist_constant(0);
    }
    const struct dist_row *row = (const struct dist_row *)(const void *)block->kind;
    return row->make(block->cfg);
}
