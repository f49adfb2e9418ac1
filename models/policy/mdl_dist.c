/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dist.c - one row per kind of distribution; the arithmetic is in sim/core/sq_dist.h. */
#include "models/policy/mdl_dist.h"

#include "sim/conf/sq_each.h"
#include "sim/conf/sq_rows.h"
#include "sim/core/sq_gamma.h"

#include <stdlib.h>
#include <string.h>

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
struct normal {
    sq_time_t mean, sd;
};
struct gamma {
    sq_time_t mean;
    double cv;
    const double *knots; /* by mdl_dist_prepare */
};
struct weibull {
    sq_time_t mean;
    double shape;
};
struct pareto {
    sq_time_t min, max;
    double shape;
};
struct point {
    double p;
    sq_time_t value;
};
struct empirical {
    struct sq_list points; /* of struct point */
    struct mdl_sample_ask sample;
    const double *pairs; /* by mdl_dist_prepare */
    uint32_t count;
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
static const struct sq_field normal_rows[] = {
    SQ_ROW_TIME(struct normal, mean, "mean", NULL, SQ_F_LIVE,
                "Mean before values below 0 become 0."),
    SQ_ROW_TIME(struct normal, sd, "sd", NULL, SQ_F_LIVE, "Standard deviation before that."),
};
static const struct sq_field gamma_rows[] = {
    SQ_ROW_TIME(struct gamma, mean, "mean", NULL, SQ_F_LIVE, "Mean of the draws."),
    SQ_ROW_NUMBER(
        struct gamma, cv, "cv", NULL, 0, 100, SQ_F_LIVE,
        "Standard deviation of the draws divided by their mean; Erlang-k has 1 / sqrt k."),
};
static const struct sq_field weibull_rows[] = {
    SQ_ROW_TIME(struct weibull, mean, "mean", NULL, SQ_F_LIVE, "Mean of the draws."),
    SQ_ROW_NUMBER(struct weibull, shape, "shape", NULL, 0.01, 1e6, SQ_F_LIVE,
                  "Below 1 heavier than exponential, above 1 lighter."),
};
static const struct sq_field pareto_rows[] = {
    SQ_ROW_TIME(struct pareto, min, "min", NULL, SQ_F_LIVE, "Smallest value."),
    SQ_ROW_NUMBER(struct pareto, shape, "shape", NULL, 0.01, 1e6, SQ_F_LIVE,
                  "P(X > x) = (min / x)^shape; without max the mean is infinite up to 1."),
    SQ_ROW_TIME(struct pareto, max, "max", "unlimited", SQ_F_UNLIMITED | SQ_F_LIVE,
                "Draws above it are drawn again."),
};
static const struct sq_field point_rows[] = {
    SQ_ROW_RATIO(struct point, p, "p", NULL, 0, "Share of the draws up to the value."),
    SQ_ROW_TIME(struct point, value, "value", NULL, 0, "The value."),
};
static const struct sq_table point_table = { .rows = SQ_ROWS(point_rows),
                                             .size = sizeof(struct point) };
static const struct sq_field point_element = { .key = "point",
                                               .type = SQ_GROUP,
                                               .more = &point_table,
                                               .flags = SQ_F_TUPLE,
                                               .doc = "A share and the value it ends at." };
static const struct sq_field empirical_rows[] = {
    { .key = "points",
      .type = SQ_LIST,
      .off = SQ_AT(struct empirical, points, struct sq_list),
      .more = &point_element,
      .flags = SQ_F_OPTIONAL | SQ_F_LIVE,
      .alt = 1,
      .doc = "Quantiles, linear between p = 0 and p = 1." },
    { .key = "file",
      .type = SQ_TEXT,
      .off = SQ_AT(struct empirical, sample.file, const char *),
      .flags = SQ_F_OPTIONAL,
      .alt = 1,
      .doc = "CSV file with a sample, relative to this one." },
    SQ_ROW_TEXT(struct empirical, sample.column, "column", NULL, SQ_F_OPTIONAL,
                "Column of the sample: durations, or numbers of seconds."),
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

static struct sq_dist make_normal(const void *cfg)
{
    const struct normal *n = cfg;
    return sq_dist_normal(n->mean, n->sd);
}

static struct sq_dist make_gamma(const void *cfg)
{
    const struct gamma *g = cfg;
    return sq_dist_gamma(g->mean, g->cv, g->knots);
}

static struct sq_dist make_weibull(const void *cfg)
{
    const struct weibull *w = cfg;
    return sq_dist_weibull(w->mean, w->shape);
}

static struct sq_dist make_pareto(const void *cfg)
{
    const struct pareto *p = cfg;
    return sq_dist_pareto(p->min, p->shape, p->max);
}

static struct sq_dist make_empirical(const void *cfg)
{
    const struct empirical *e = cfg;
    SQ_ASSERT(e->pairs != NULL);
    return sq_dist_table(e->pairs, e->count);
}

static void check_pareto(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    const struct pareto *p = cfg;
    if (p->max < p->min) {
        sq_diag_error(diag, node->where, path, "write a larger max", "max is below min");
    }
}

static const struct point *point_at(const struct empirical *e, size_t i)
{
    return sq_list_at(&e->points, i);
}

static void check_points(const struct empirical *e, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    static const char example[] = "for example [[0, 1ms], [0.5, 20ms], [1, 300ms]]";
    size_t n = e->points.count;
    if (n < 2 || point_at(e, 0)->p > 0 || point_at(e, n - 1)->p < 1) {
        sq_diag_error(diag, node->where, path, example,
                      "points need a first p of 0 and a last of 1");
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const struct point *here = point_at(e, i), *before = point_at(e, i - 1);
        if (here->p <= before->p || here->value < before->value) {
            sq_diag_error(diag, node->where, path, example,
                          "point %zu: p must rise and values may not fall", i + 1);
            return;
        }
    }
}

static void check_empirical(const void *cfg, const struct sq_node *node, const char *path,
                            struct sq_diag *diag)
{
    const struct empirical *e = cfg;
    if (e->sample.file == NULL && e->sample.column == NULL) {
        check_points(e, node, path, diag);
    } else if (e->sample.file == NULL || e->sample.column == NULL) {
        sq_diag_error(diag, node->where, path, "write file and column, or points",
                      "a sample needs both `file` and `column`");
    }
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
    { { .name = "gamma",
        .doc = "Gamma; mean and cv are of the variate itself.",
        .table = { .rows = SQ_ROWS(gamma_rows), .size = sizeof(struct gamma) } },
      make_gamma },
    { { .name = "weibull",
        .doc = "Weibull with mean and shape.",
        .table = { .rows = SQ_ROWS(weibull_rows), .size = sizeof(struct weibull) } },
      make_weibull },
    { { .name = "normal",
        .doc = "Normal; values below 0 become 0.",
        .table = { .rows = SQ_ROWS(normal_rows), .size = sizeof(struct normal) } },
      make_normal },
    { { .name = "pareto",
        .doc = "Pareto with min and shape; with max, given that the value is not above it.",
        .table = { .rows = SQ_ROWS(pareto_rows),
                   .size = sizeof(struct pareto),
                   .check = check_pareto } },
      make_pareto },
    { { .name = "empirical",
        .doc = "Quantiles given as points or by a sample in a file.",
        .table = { .rows = SQ_ROWS(empirical_rows),
                   .size = sizeof(struct empirical),
                   .check = check_empirical } },
      make_empirical },
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

bool mdl_dist_is_constant(const struct sq_block *block, sq_time_t *value)
{
    const struct dist_row *row = (const struct dist_row *)(const void *)block->kind;
    if (row != NULL && row->make != make_constant) {
        return false;
    }
    *value = mdl_dist_make(block).constant;
    return true;
}

bool mdl_dist_is_zero(const struct sq_block *block)
{
    const struct dist_row *row = (const struct dist_row *)(const void *)block->kind;
    if (row != NULL && row->make == make_gamma) {
        return ((const struct gamma *)block->cfg)->mean == 0;
    }
    if (row != NULL && row->make == make_empirical) {
        const struct empirical *e = block->cfg;
        return e->points.count > 0 && point_at(e, e->points.count - 1)->value == 0;
    }
    struct sq_dist d = mdl_dist_make(block);
    return sq_dist_at(&d, 1 - 0x1p-53) == 0;
}

/* ---- tables ---- */

struct mdl_table {
    const struct mdl_table *next;
    struct mdl_sample_ask sample; /* file NULL: gamma knots */
    double cv;
    const double *values;
    uint32_t count; /* pairs of a sample */
};

static bool is_same(const struct mdl_sample_ask *a, const struct mdl_sample_ask *b)
{
    return strcmp(a->file, b->file) == 0 && strcmp(a->column, b->column) == 0;
}

static const struct mdl_table *find_sample(const struct mdl_tables *t,
                                           const struct mdl_sample_ask *ask)
{
    for (; t != NULL; t = t->shared) {
        for (const struct mdl_table *e = t->first; e != NULL; e = e->next) {
            if (e->sample.file != NULL && is_same(&e->sample, ask)) {
                return e;
            }
        }
    }
    return NULL;
}

static const struct mdl_table *find_knots(const struct mdl_tables *t, double cv)
{
    for (; t != NULL; t = t->shared) {
        for (const struct mdl_table *e = t->first; e != NULL; e = e->next) {
            if (e->sample.file == NULL && !(e->cv < cv) && !(e->cv > cv)) {
                return e;
            }
        }
    }
    return NULL;
}

static enum sq_status add_table(struct mdl_tables *t, struct mdl_table e)
{
    struct mdl_table *added = sq_arena_alloc(t->arena, 1, sizeof(*added));
    if (added == NULL) {
        return SQ_NOMEM;
    }
    e.next = t->first;
    *added = e;
    t->first = added;
    return SQ_OK;
}

const struct mdl_sample_ask *mdl_dist_sample(const struct sq_block *block)
{
    const struct dist_row *row = (const struct dist_row *)(const void *)block->kind;
    if (row == NULL || row->make != make_empirical) {
        return NULL;
    }
    const struct empirical *e = block->cfg;
    return e->sample.file != NULL ? &e->sample : NULL;
}

bool mdl_tables_has(const struct mdl_tables *t, const struct mdl_sample_ask *ask)
{
    return find_sample(t, ask) != NULL;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The i-th of n values in order is the quantile at i / (n - 1). */
enum sq_status mdl_tables_add(struct mdl_tables *t, const struct mdl_sample_ask *ask,
                              double *seconds, uint32_t count)
{
    SQ_ASSERT(count >= 1);
    double *pairs = sq_arena_alloc(t->arena, count, 2 * sizeof(*pairs));
    if (pairs == NULL) {
        return SQ_NOMEM;
    }
    qsort(seconds, count, sizeof(*seconds), by_size);
    for (uint32_t i = 0; i < count; i++) {
        pairs[2 * i] = count > 1 ? (double)i / (count - 1) : 0;
        pairs[2 * i + 1] = seconds[i];
    }
    return add_table(t, (struct mdl_table){ .sample = *ask, .values = pairs, .count = count });
}

static enum sq_status prepare_gamma(struct gamma *g, struct mdl_tables *t)
{
    const struct mdl_table *found = find_knots(t, g->cv);
    if (found == NULL && g->cv > 0) {
        double *knots = sq_arena_alloc(t->arena, SQ_GAMMA_TABLE, sizeof(*knots));
        if (knots == NULL) {
            return SQ_NOMEM;
        }
        sq_gamma_fill(g->cv, knots);
        enum sq_status status = add_table(t, (struct mdl_table){ .cv = g->cv, .values = knots });
        if (status != SQ_OK) {
            return status;
        }
        found = t->first;
    }
    g->knots = found != NULL ? found->values : NULL;
    return SQ_OK;
}

static enum sq_status prepare_empirical(struct empirical *e, struct mdl_tables *t)
{
    if (e->sample.file != NULL) {
        const struct mdl_table *found = find_sample(t, &e->sample);
        SQ_ASSERT(found != NULL);
        e->pairs = found->values;
        e->count = found->count;
        return SQ_OK;
    }
    double *pairs = sq_arena_alloc(t->arena, e->points.count, 2 * sizeof(*pairs));
    if (pairs == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < e->points.count; i++) {
        pairs[2 * i] = point_at(e, i)->p;
        pairs[2 * i + 1] = sq_time_to_s(point_at(e, i)->value);
    }
    e->pairs = pairs;
    e->count = (uint32_t)e->points.count;
    return SQ_OK;
}

static enum sq_status prepare(void *ctx, const struct sq_block *block)
{
    const struct dist_row *row = (const struct dist_row *)(const void *)block->kind;
    if (row->make == make_gamma) {
        return prepare_gamma(block->cfg, ctx);
    }
    return row->make == make_empirical ? prepare_empirical(block->cfg, ctx) : SQ_OK;
}

enum sq_status mdl_dist_prepare(const struct sq_table *root, void *cfg, struct mdl_tables *t)
{
    return sq_each_block(root, cfg, &mdl_dist_family, prepare, t);
}
