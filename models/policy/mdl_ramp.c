/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_ramp.c - one row per kind of ramp. */
#include "models/policy/mdl_ramp.h"

#include "sim/conf/sq_rows.h"
#include "sim/core/sq_fn.h"

#include <math.h>

static const char *const starts_words[] = { "breaker-close", "errors-stop", NULL };
static const char *const clock_words[] = { "wall", "clean", NULL };
static const char *const at_start_words[] = { "full", "bottom", NULL };

struct steps {
    struct mdl_ramp_common common;
    struct sq_list steps; /* of int64_t */
    sq_time_t every;
};

struct linear {
    struct mdl_ramp_common common;
    int64_t from, to;
    sq_time_t over;
};
struct slow_start { /* haproxy, envoy */
    struct mdl_ramp_common common;
    int64_t to;
    sq_time_t over;
    double floor, aggression; /* envoy */
};

struct ramp_row {
    struct sq_kind kind;
    int64_t (*limit)(const void *cfg, sq_time_t since);
    sq_time_t (*over)(const void *cfg); /* the limit is at the top from then on */
    sq_time_t grain; /* the limit rises at multiples of this; 0: in steps, up or down */
};

#define COMMON_ROWS(T)                                                                    \
    SQ_ROW_CHOICE(T, common.starts, "starts", "errors-stop", starts_words, 0,             \
                  "What starts the ramp."),                                               \
        SQ_ROW_CHOICE(T, common.clock, "clock", "wall", clock_words, 0,                   \
                      "Whether a failed call restarts the present step's time (clean)."), \
        SQ_ROW_CHOICE(T, common.at_start, "at_start", "full", at_start_words, 0,          \
                      "Limit before the first trouble."),                                 \
        MDL_ROW_SCOPE(T, common.scope)

static const struct sq_field step_element = {
    .key = "step", .type = SQ_AMOUNT, .min = 1, .max = 1099511627775.0, .doc = "Calls at a time."
};
static const struct sq_field steps_rows[] = {
    SQ_ROW_LIST(struct steps, steps, "steps", NULL, &step_element, SQ_F_STAR | SQ_F_LIVE,
                "Limits, one after the other."),
    SQ_ROW_TIME(struct steps, every, "every", "1m", SQ_F_LIVE | SQ_F_ABOVE_MIN,
                "How long each step lasts."),
    COMMON_ROWS(struct steps),
};
static const struct sq_field linear_rows[] = {
    SQ_ROW_AMOUNT(struct linear, from, "from", NULL, 1, SQ_F_LIVE, "Limit at the start."),
    SQ_ROW_AMOUNT(struct linear, to, "to", NULL, 1, SQ_F_LIVE, "Limit at the end."),
    SQ_ROW_TIME(struct linear, over, "over", NULL, SQ_F_LIVE | SQ_F_ABOVE_MIN,
                "How long it takes."),
    COMMON_ROWS(struct linear),
};
static const struct sq_field haproxy_rows[] = {
    SQ_ROW_AMOUNT(struct slow_start, to, "to", NULL, 1, SQ_F_LIVE, "Limit at the end (maxconn)."),
    SQ_ROW_TIME(struct slow_start, over, "over", NULL, SQ_F_LIVE | SQ_F_ABOVE_MIN,
                "How long it takes, in whole seconds (slowstart)."),
    COMMON_ROWS(struct slow_start),
};
static const struct sq_field envoy_rows[] = {
    SQ_ROW_AMOUNT(struct slow_start, to, "to", NULL, 1, SQ_F_LIVE, "Limit at the end."),
    SQ_ROW_TIME(struct slow_start, over, "over", NULL, SQ_F_LIVE | SQ_F_ABOVE_MIN,
                "How long it takes, in whole milliseconds (slow_start_window)."),
    SQ_ROW_RATIO(struct slow_start, floor, "floor", "10%", SQ_F_LIVE,
                 "Least share of the limit (min_weight_percent)."),
    SQ_ROW_NUMBER(struct slow_start, aggression, "aggression", "1", 0, 1000,
                  SQ_F_LIVE | SQ_F_ABOVE_MIN, "Above 1 it rises fast at first and slowly later."),
    COMMON_ROWS(struct slow_start),
};

static int64_t steps_at(const struct steps *s, size_t i)
{
    return *(const int64_t *)sq_list_at(&s->steps, i);
}

static int64_t steps_limit(const void *cfg, sq_time_t since)
{
    const struct steps *s = cfg;
    size_t last = s->steps.count - 1;
    sq_time_t step = since / s->every;
    return steps_at(s, step < (sq_time_t)last ? (size_t)step : last);
}

static sq_time_t steps_next(const void *cfg, sq_time_t since)
{
    const struct steps *s = cfg;
    sq_time_t step = since / s->every + 1;
    return step < (sq_time_t)s->steps.count ? step * s->every : SQ_NEVER;
}

static sq_time_t steps_over(const void *cfg)
{
    const struct steps *s = cfg;
    sq_time_t over;
    bool fits = !__builtin_mul_overflow(s->every, (sq_time_t)s->steps.count - 1, &over);
    return fits ? over : SQ_NEVER;
}

/* from + floor((to - from) t / over) */
static int64_t linear_limit(const void *cfg, sq_time_t since)
{
    const struct linear *l = cfg;
    if (since >= l->over) {
        return l->to;
    }
    return l->from + (int64_t)((__int128)(l->to - l->from) * since / l->over);
}

static sq_time_t linear_over(const void *cfg)
{
    return ((const struct linear *)cfg)->over;
}

/* src/server.c of HAProxy: whole seconds, a whole percentage of them, a whole limit of at least 1.
 */
static int64_t haproxy_limit(const void *cfg, sq_time_t since)
{
    const struct slow_start *h = cfg;
    int64_t t = since / SQ_NS_PER_S, over = h->over / SQ_NS_PER_S;
    if (t >= over) {
        return h->to;
    }
    return sq_max_i64((int64_t)((__int128)h->to * (100 * t / over) / 100), 1);
}

/* source/common/upstream/load_balancer_impl.cc of Envoy, applySlowStartFactor: whole milliseconds.
 * There it scales a weight; here it scales the limit, rounded down to at least 1. */
static int64_t envoy_limit(const void *cfg, sq_time_t since)
{
    const struct slow_start *e = cfg;
    enum { MS = 1000000 };
    if (since >= e->over) {
        return e->to;
    }
    double share = (double)sq_max_i64(since / MS, 1) / (double)sq_max_i64(e->over / MS, 1);
    bool linear = !(e->aggression < 1) && !(e->aggression > 1);
    share = linear ? share : sq_fn_pow(share, 1 / e->aggression);
    return sq_max_i64((int64_t)((double)e->to * fmax(share, e->floor)), 1);
}

static sq_time_t slow_start_over(const void *cfg)
{
    return ((const struct slow_start *)cfg)->over;
}

static void check_linear(const void *cfg, const struct sq_node *node, const char *path,
                         struct sq_diag *diag)
{
    const struct linear *l = cfg;
    if (l->from > l->to) {
        sq_diag_error(diag, node->where, path, "swap `from` and `to`",
                      "a ramp rises, but `from` is above `to`");
    }
}

static void check_whole(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    const struct slow_start *s = cfg;
    if (s->over % SQ_NS_PER_S != 0) {
        sq_diag_error(diag, sq_node_get(node, "over")->where, path, "for example 30s",
                      "HAProxy counts whole seconds");
    }
}

static void check_ms(const void *cfg, const struct sq_node *node, const char *path,
                     struct sq_diag *diag)
{
    const struct slow_start *s = cfg;
    if (s->over % 1000000 != 0) {
        sq_diag_error(diag, sq_node_get(node, "over")->where, path, "for example 30s",
                      "Envoy counts whole milliseconds");
    }
}

static void check_steps(const void *cfg, const struct sq_node *node, const char *path,
                        struct sq_diag *diag)
{
    const struct steps *s = cfg;
    if (s->steps.count == 0) {
        sq_diag_error(diag, node->where, path, "for example [5, 10, 20, 40]", "steps is empty");
    }
}

static const struct ramp_row ramp_rows[] = {
    { { .name = "steps",
        .doc = "Limits that hold for `every` each, one after the other.",
        .table = { .rows = SQ_ROWS(steps_rows),
                   .size = sizeof(struct steps),
                   .check = check_steps } },
      steps_limit,
      steps_over,
      0 },
    { { .name = "linear",
        .doc = "From `from` to `to` over `over`.",
        .table = { .rows = SQ_ROWS(linear_rows),
                   .size = sizeof(struct linear),
                   .check = check_linear } },
      linear_limit,
      linear_over,
      1 },
    { { .name = "haproxy",
        .doc = "HAProxy's slowstart of a server's maxconn.",
        .table = { .rows = SQ_ROWS(haproxy_rows),
                   .size = sizeof(struct slow_start),
                   .check = check_whole } },
      haproxy_limit,
      slow_start_over,
      SQ_NS_PER_S },
    { { .name = "envoy",
        .doc = "Envoy's slow start.",
        .table = { .rows = SQ_ROWS(envoy_rows),
                   .size = sizeof(struct slow_start),
                   .check = check_ms } },
      envoy_limit,
      slow_start_over,
      1000000 },
};

const struct sq_family mdl_ramp_family = {
    .type = "ramp",
    .kinds = ramp_rows,
    .kind_count = SQ_COUNT(ramp_rows),
    .stride = sizeof(struct ramp_row),
    .dflt_kind = "steps",
    .has_preset = true,
};

static const struct ramp_row *row_of(const struct sq_block *ramp)
{
    SQ_ASSERT(ramp->kind != NULL);
    return (const struct ramp_row *)(const void *)ramp->kind;
}

const struct mdl_ramp_common *mdl_ramp_common(const struct sq_block *ramp)
{
    SQ_ASSERT(ramp->kind != NULL);
    return ramp->cfg;
}

int64_t mdl_ramp_bottom(const struct sq_block *ramp)
{
    return row_of(ramp)->limit(ramp->cfg, 0);
}

int64_t mdl_ramp_limit(const struct sq_block *ramp, sq_time_t since)
{
    SQ_ASSERT(since >= 0);
    return row_of(ramp)->limit(ramp->cfg, since);
}

/* The first multiple of the grain in (low, high] at which the limit is at least `limit`: it is at
 * `high`, and not at `low`. Limits never fall. */
static sq_time_t first_at(const struct sq_block *ramp, int64_t limit, sq_time_t low, sq_time_t high)
{
    const struct ramp_row *row = row_of(ramp);
    sq_time_t below = low / row->grain, at = high / row->grain;
    while (at - below > 1) {
        sq_time_t mid = below + (at - below) / 2;
        if (row->limit(ramp->cfg, mid * row->grain) >= limit) {
            at = mid;
        } else {
            below = mid;
        }
    }
    return at * row->grain;
}

sq_time_t mdl_ramp_next(const struct sq_block *ramp, sq_time_t since)
{
    SQ_ASSERT(since >= 0);
    const struct ramp_row *row = row_of(ramp);
    if (row->grain == 0) {
        return steps_next(ramp->cfg, since);
    }
    sq_time_t over = row->over(ramp->cfg);
    int64_t now = row->limit(ramp->cfg, since);
    if (since >= over || row->limit(ramp->cfg, over) == now) {
        return SQ_NEVER;
    }
    return first_at(ramp, now + 1, since, over);
}

sq_time_t mdl_ramp_step(const struct sq_block *ramp, sq_time_t since)
{
    if (row_of(ramp)->grain == 0) {
        const struct steps *s = ramp->cfg;
        sq_time_t step = sq_min_i64(since / s->every, (sq_time_t)s->steps.count - 1);
        return step * s->every;
    }
    int64_t now = mdl_ramp_limit(ramp, since);
    return now == mdl_ramp_bottom(ramp) ? 0 : first_at(ramp, now, 0, since);
}

size_t mdl_ramp_spans(const struct sq_block *ramp, sq_time_t *span)
{
    enum { SPANS = 50 };
    if (row_of(ramp)->grain == 0) {
        const struct steps *s = ramp->cfg;
        *span = s->every;
        return s->steps.count;
    }
    *span = sq_max_i64(row_of(ramp)->over(ramp->cfg) / SPANS, 1);
    return SPANS + 1;
}

int64_t mdl_ramp_top(const struct sq_block *ramp)
{
    return row_of(ramp)->limit(ramp->cfg, row_of(ramp)->over(ramp->cfg));
}
