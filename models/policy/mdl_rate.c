/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_rate.c - one row per kind of rate. */
#include "models/policy/mdl_rate.h"

#include "sim/conf/sq_rows.h"
#include "sim/core/sq_fn.h"

#include <math.h>

#define DAY (24 * 3600 * SQ_NS_PER_S)

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

struct daily {
    double mean, swing;
    sq_time_t peak_at, starts_at;
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
    SQ_ROW_RATE(struct point, rate, "rate", NULL, SQ_F_LIVE, "The rate at that instant."),
};
static const struct sq_table point_table = { .rows = SQ_ROWS(point_rows),
                                             .size = sizeof(struct point) };
static const struct sq_field point_element = { .key = "point",
                                               .type = SQ_GROUP,
                                               .more = &point_table,
                                               .flags = SQ_F_TUPLE,
                                               .doc = "An instant and a rate." };
static const struct sq_field steps_rows[] = {
    SQ_ROW_LIST(struct steps, points, "points", NULL, &point_element, SQ_F_LIVE,
                "Instants with rates; each holds until the next."),
};
static const struct sq_field linear_rows[] = {
    SQ_ROW_LIST(struct steps, points, "points", NULL, &point_element, SQ_F_LIVE,
                "Instants with rates, joined by straight lines; constant outside."),
};
static const struct sq_field daily_rows[] = {
    SQ_ROW_RATE(struct daily, mean, "mean", NULL, SQ_F_LIVE, "Mean over a day."),
    SQ_ROW_RATIO(struct daily, swing, "swing", "50%", SQ_F_LIVE,
                 "The peak is so much above the mean, the trough so much below."),
    SQ_ROW_TIME(struct daily, peak_at, "peak_at", "14h", SQ_F_LIVE, "Time of day of the peak."),
    SQ_ROW_TIME(struct daily, starts_at, "starts_at", "0h", SQ_F_LIVE,
                "Time of day at which the run starts."),
};

static double constant_at(const void *cfg, sq_time_t t)
{
    (void)t;
    return ((const struct constant *)cfg)->value;
}

/* `from` plus area / rate seconds; never for a rate of 0, unless nothing is wanted. */
static sq_time_t reach_flat(sq_time_t from, double rate, double area)
{
    if (!(area > 0)) {
        return from;
    }
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

/* ---- linear: the points of steps, joined ---- */

/* Between point i and the next one. */
static double slope_per_s(const struct steps *s, size_t i)
{
    const struct point *a = steps_point(s, i), *b = steps_point(s, i + 1);
    return (b->rate - a->rate) / sq_time_to_s(b->at - a->at);
}

static double linear_at(const void *cfg, sq_time_t t)
{
    const struct steps *s = cfg;
    size_t i = steps_index(s, t), n = s->points.count;
    if (i == n) {
        return steps_point(s, 0)->rate;
    }
    double since = sq_time_to_s(t - steps_point(s, i)->at);
    double rate = steps_point(s, i)->rate;
    return i + 1 < n ? fmax(rate + since * slope_per_s(s, i), 0) : rate;
}

/* The time in which a rate that changes by `slope` per second gathers an area: the root of
 * rate t + slope t^2 / 2 = area, written so that nothing cancels. */
static double time_of_area(double rate, double slope, double area)
{
    double root = sqrt(fmax(rate * rate + 2 * slope * area, 0));
    return rate + root > 0 ? 2 * area / (rate + root) : 0;
}

static sq_time_t linear_reach(const void *cfg, sq_time_t from, double area)
{
    const struct steps *s = cfg;
    size_t n = s->points.count, i = steps_index(s, from);
    if (i == n) {
        double before = sq_time_to_s(steps_point(s, 0)->at - from) * steps_point(s, 0)->rate;
        if (before >= area) {
            return reach_flat(from, steps_point(s, 0)->rate, area);
        }
        area -= before;
        from = steps_point(s, 0)->at;
        i = 0;
    }
    for (; i + 1 < n; i++) {
        sq_time_t until = steps_point(s, i + 1)->at;
        double rate = linear_at(s, from), length = sq_time_to_s(until - from);
        double held = (rate + steps_point(s, i + 1)->rate) / 2 * length;
        if (held >= area) {
            double t = time_of_area(rate, slope_per_s(s, i), area);
            return sq_min_i64(sq_time_add(from, sq_time_from_s(t)), until);
        }
        area -= held;
        from = until;
    }
    return reach_flat(from, steps_point(s, i)->rate, area);
}

/* ---- daily ---- */

/* Turns since the last peak. */
static double turns_at(const struct daily *d, sq_time_t t)
{
    sq_time_t since = (t % DAY + d->starts_at % DAY - d->peak_at % DAY + DAY) % DAY;
    return (double)since / DAY;
}

static double daily_at(const void *cfg, sq_time_t t)
{
    const struct daily *d = cfg;
    return d->mean * (1 + d->swing * sq_fn_cos_turn(turns_at(d, t)));
}

/* Share of a day's area in the first `x` of a day from `start`, both in turns:
 * x + swing (sin 2 pi (start + x) - sin 2 pi start) / 2 pi. */
static double day_share(const struct daily *d, double start, double x)
{
    const double two_pi = 6.28318530717958647693;
    double rise = sq_fn_cos_turn(start + x - 0.25) - sq_fn_cos_turn(start - 0.25);
    return x + d->swing * rise / two_pi;
}

/* Newton's method, kept inside a bracket: at the trough of a full swing the rate is 0. */
static double day_quantile(const struct daily *d, double start, double share)
{
    const double enough = 0.1 / DAY; /* a tenth of a nanosecond */
    double low = 0, high = 1, x = share;
    for (int i = 0; i < 200 && high - low > enough; i++) {
        double over = day_share(d, start, x) - share;
        low = over < 0 ? x : low;
        high = over < 0 ? high : x;
        double next = x - over / (1 + d->swing * sq_fn_cos_turn(start + x));
        next = next > low && next < high ? next : low + (high - low) / 2;
        if (fabs(next - x) < enough) {
            return next;
        }
        x = next;
    }
    return x;
}

static sq_time_t daily_reach(const void *cfg, sq_time_t from, double area)
{
    const struct daily *d = cfg;
    if (!(d->mean > 0)) {
        return area > 0 ? SQ_NEVER : from;
    }
    double days = area / d->mean / sq_time_to_s(DAY);
    double whole = floor(days);
    if (!(whole < 1e5)) {
        return SQ_NEVER;
    }
    double x = day_quantile(d, turns_at(d, from), days - whole);
    sq_time_t rest = (sq_time_t)(x * (double)DAY + 0.5);
    return sq_time_add(from, sq_time_add((sq_time_t)whole * DAY, rest));
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
    { { .name = "linear",
        .doc = "Straight lines between points, constant outside.",
        .table = { .rows = SQ_ROWS(linear_rows),
                   .size = sizeof(struct steps),
                   .check = check_steps } },
      linear_at,
      linear_reach },
    { { .name = "daily",
        .doc = "mean * (1 + swing * cos) with a period of 24 hours.",
        .table = { .rows = SQ_ROWS(daily_rows), .size = sizeof(struct daily) } },
      daily_at,
      daily_reach },
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
