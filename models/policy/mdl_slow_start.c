/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_slow_start.c - one row per load balancer's way to let a node start slowly. */
#include "models/policy/mdl_slow_start.h"

#include "sim/conf/sq_rows.h"
#include "sim/core/sq_fn.h"

#include <math.h>

#define MS INT64_C(1000000)

struct slow_start {
    sq_time_t over;
    double floor, aggression; /* envoy */
};

struct slow_start_row {
    struct sq_kind kind;
    double (*share)(const struct slow_start *s, sq_time_t since); /* before `over` */
    bool at_birth;
};

static const struct sq_field linear_rows[] = {
    SQ_ROW_TIME(struct slow_start, over, "over", NULL, SQ_F_STAR | SQ_F_ABOVE_MIN,
                "How long it takes."),
};
static const struct sq_field haproxy_rows[] = {
    SQ_ROW_TIME(struct slow_start, over, "over", NULL, SQ_F_ABOVE_MIN,
                "How long it takes, in whole seconds (slowstart)."),
};
static const struct sq_field envoy_rows[] = {
    SQ_ROW_TIME(struct slow_start, over, "over", NULL, SQ_F_ABOVE_MIN,
                "How long it takes, in whole milliseconds (slow_start_window)."),
    SQ_ROW_RATIO(struct slow_start, floor, "floor", "10%", 0, "Least weight (min_weight_percent)."),
    SQ_ROW_NUMBER(struct slow_start, aggression, "aggression", "1", 0, 1000, SQ_F_ABOVE_MIN,
                  "Above 1 it rises fast at first and slowly later."),
};
static const struct sq_field angie_rows[] = {
    SQ_ROW_TIME(struct slow_start, over, "over", NULL, SQ_F_ABOVE_MIN,
                "How long it takes, in whole milliseconds (slow_start)."),
};

static double linear_share(const struct slow_start *s, sq_time_t since)
{
    return (double)since / (double)s->over;
}

static double haproxy_share(const struct slow_start *s, sq_time_t since)
{
    int64_t t = since / SQ_NS_PER_S, over = s->over / SQ_NS_PER_S;
    int64_t sixteenths = sq_min_i64((16 * t + over) / over, 16);
    return (double)sixteenths / 16;
}

static double envoy_share(const struct slow_start *s, sq_time_t since)
{
    int64_t t = sq_max_i64(since / MS, 1), over = s->over / MS;
    double time = (double)t / (double)over;
    bool linear = !(s->aggression < 1) && !(s->aggression > 1);
    return fmax(linear ? time : sq_fn_pow(time, 1 / s->aggression), s->floor);
}

static double angie_share(const struct slow_start *s, sq_time_t since)
{
    int64_t percent = 100 * (since / MS) / (s->over / MS);
    return (double)percent / 100;
}

static void check_grain(const struct slow_start *s, const struct sq_node *node, const char *path,
                        sq_time_t grain, struct sq_diag *diag)
{
    if (s->over % grain != 0) {
        sq_diag_error(diag, sq_node_get(node, "over")->where, path, "for example 30s",
                      "this one counts whole %s", grain == MS ? "milliseconds" : "seconds");
    }
}

static void check_whole(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    check_grain(cfg, node, path, SQ_NS_PER_S, diag);
}

static void check_ms(const void *cfg, const struct sq_node *node, const char *path,
                     struct sq_diag *diag)
{
    check_grain(cfg, node, path, MS, diag);
}

#define TABLE(kind_rows, kind_check)                                                         \
    {                                                                                        \
        .rows = SQ_ROWS(kind_rows), .size = sizeof(struct slow_start), .check = (kind_check) \
    }

static const struct slow_start_row rows[] = {
    { { .name = "linear",
        .doc = "In proportion to the time since the return.",
        .table = TABLE(linear_rows, NULL) },
      linear_share,
      true },
    { { .name = "haproxy",
        .doc = "HAProxy's weight, in sixteenths; only nodes that were down.",
        .table = TABLE(haproxy_rows, check_whole) },
      haproxy_share,
      false },
    { { .name = "envoy",
        .doc = "Envoy's weight; new nodes too.",
        .table = TABLE(envoy_rows, check_ms) },
      envoy_share,
      true },
    { { .name = "angie",
        .doc = "Angie's weight, in whole percent, at first none; only nodes that were down.",
        .table = TABLE(angie_rows, check_ms) },
      angie_share,
      false },
};

const struct sq_family mdl_slow_start_family = {
    .type = "slow_start",
    .kinds = rows,
    .kind_count = SQ_COUNT(rows),
    .stride = sizeof(struct slow_start_row),
    .dflt_kind = "linear",
};

static const struct slow_start_row *row_of(const struct sq_block *block)
{
    SQ_ASSERT(block->kind != NULL);
    return (const struct slow_start_row *)(const void *)block->kind;
}

double mdl_slow_start_share(const struct sq_block *slow_start, sq_time_t since)
{
    SQ_ASSERT(since >= 0);
    const struct slow_start *s = slow_start->cfg;
    return since >= s->over ? 1 : row_of(slow_start)->share(s, since);
}

bool mdl_slow_start_at_birth(const struct sq_block *slow_start)
{
    return row_of(slow_start)->at_birth;
}

sq_time_t mdl_slow_start_over(const struct sq_block *slow_start)
{
    return ((const struct slow_start *)slow_start->cfg)->over;
}
