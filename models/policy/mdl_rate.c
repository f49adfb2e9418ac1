/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_rate.c - one row per kind of rate. */
#include "models/policy/mdl_rate.h"

#include "sim/conf/sq_rows.h"

struct constant {
    double value;
};
struct point {
    sq_time_t at;
    double rate;
};
struct steps {
    struct sq_list points; /* of struct point */
};

struct rate_row {
    struct sq_kind kind;
    double (*at)(const void *cfg, sq_time_t t);
    sq_time_t (*reach)(const void *cfg, sq_time_t from, double area);
};

static const struct sq_field constant_rows[] = {
    SQ_ROW_RATE(struct constant, value, "value", NULL, SQ_F_STAR | SQ_F_LIVE, "Jobs per second."),
};

static const struct sq_field point_rows[] = {
    SQ_ROW_TIME(struct point, at, "at", NULL, 0, "From when on."),
    SQ_ROW_RATE(struct point, rate, "rate", NULL, SQ_F_LIVE, "The rate from then on."),
};
static const struct sq_table point_table = { .rows = SQ_ROWS(point_rows),
                                             .size = sizeof(struct point) };
static const struct sq_field point_element = { .key = "point",
                                               .type = SQ_GROUP,
                                               .more = &point_table,
                                               .flags = SQ_F_TUPLE,
                                               .doc = "An instant and the rate from then on." };
static const struct sq_field steps_rows[] = {
    SQ_ROW_LIST(struct steps, points, "points", NULL, &point_element, SQ_F_LIVE,
                "Instants with rates; each holds until the next."),
};

static double constant_at(const void *cfg, sq_time_t t)
{
    (void)t;
    return ((const struct constant *)cfg)->value;
}

/* `from` plus area / rate seconds; never for a rate of 0. */
static sq_time_t reach_flat(sq_time_t from, double rate, double area)
{
    return rate > 0 ? sq_time_add(from, sq_time_from_s(area / rate)) : SQ_NEVER;
}

static sq_time_t constant_reach(const void *cfg, sq_time_t from, double area)
{
    return reach_flat(from, ((const struct constant *)cfg)->value, area);
}

static const struct point *steps_point(const struct steps *s, size_t i)
{
    return sq_list_at(&s->points, i);
}

/* Index of the step in force at t; the count when t is before the first. */
static size_t steps_index(const struct steps *s, sq_time_t t)
{
    size_t n = s->points.count;
    for (size_t i = n; i > 0; i--) {
        if (steps_point(s, i - 1)->at <= t) {
            return i - 1;
        }
    }
    return n;
}

static double steps_at(const void *cfg, sq_time_t t)
{
    const struct steps *s = cfg;
    size_t i = steps_index(s, t);
    return i < s->points.count ? steps_point(s, i)->rate : 0;
}

static sq_time_t steps_reach(const void *cfg, sq_time_t from, double area)
{
    const struct steps *s = cfg;
    size_t i = steps_index(s, from);
    if (i == s->points.count) { /* before the first point nothing arrives */
        i = 0;
        from = steps_point(s, 0)->at;
    }
    for (; i + 1 < s->points.count; i++) {
        sq_time_t until = steps_point(s, i + 1)->at;
        double held = steps_point(s, i)->rate * sq_time_to_s(until - from);
        if (held >= area) {
            break;
        }
        area -= held;
        from = until;
    }
    return reach_flat(from, steps_point(s, i)->rate, area);
}

static void check_steps(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    const struct steps *s = cfg;
    if (s->points.count == 0) {
        sq_diag_error(diag, node->where, path, "for example [[0s, 10/s], [10m, 50/s]]",
                      "points is empty");
    }
    for (size_t i = 1; i < s->points.count; i++) {
        if (steps_point(s, i)->at <= steps_point(s, i - 1)->at) {
            sq_diag_error(diag, node->where, path, "write the points in order of time",
                          "point %zu is not later than the one before", i + 1);
        }
    }
}

static const struct rate_row rate_rows[] = {
    { { .name = "constant",
        .doc = "The same at all times.",
        .table = { .rows = SQ_ROWS(constant_rows), .size = sizeof(struct constant) } },
      constant_at,
      constant_reach },
    { { .name = "steps",
        .doc = "Constant between points, changing at them.",
        .table = { .rows = SQ_ROWS(steps_rows),
                   .size = sizeof(struct steps),
                   .check = check_steps } },
      steps_at,
      steps_reach },
    { { .name = "linear", .doc = "Straight lines between points.", .later = true }, NULL, NULL },
    { { .name = "daily", .doc = "A day's cosine.", .later = true }, NULL, NULL },
};

const struct sq_family mdl_rate_family = {
    .type = "rate",
    .kinds = rate_rows,
    .kind_count = SQ_COUNT(rate_rows),
    .stride = sizeof(struct rate_row),
    .dflt_kind = "constant",
};

static const struct rate_row *row_of(const struct sq_block *rate)
{
    SQ_ASSERT(rate->kind != NULL);
    return (const struct rate_row *)(const void *)rate->kind;
}

double mdl_rate_at(const struct sq_block *rate, sq_time_t at)
{
    return row_of(rate)->at(rate->cfg, at);
}

sq_time_t mdl_rate_reach(const struct sq_block *rate, sq_time_t from, double area)
{
    SQ_ASSERT(area >= 0);
    return row_of(rate)->reach(rate->cfg, from, area);
}

bool mdl_rate_is_constant(const struct sq_block *rate)
{
    return row_of(rate)->at == constant_at;
}
