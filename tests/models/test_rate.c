/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rates of arrival: the instant that mdl_rate_reach gives, against sums of mdl_rate_at. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/policy/mdl_rate.h"
#include "tests/models/blocks.h"

#define S SQ_NS_PER_S
#define H (3600 * S)

static const char every_kind[] =
    "all:\n"
    "  constant: 24/s\n"
    "  steps: {kind: steps, points: [[0s, 10/s], [1m, 50/s], [2m, 0/s], [3m, 5/s]]}\n"
    "  late: {kind: steps, points: [[1m, 10/s]]}\n"
    "  linear: {kind: linear, points: [[1m, 10/s], [2m, 40/s], [4m, 0/s], [5m, 0/s], [6m, 2/s]]}\n"
    "  flat: {kind: linear, points: [[1m, 10/s]]}\n"
    "  daily: {kind: daily, mean: 100/h}\n"
    "  full: {kind: daily, mean: 2/s, swing: 100%, peak_at: 9h30m, starts_at: 20h}\n"
    "  none: {kind: daily, mean: 0/s}\n";

static double at(const struct blocks *b, const char *name, sq_time_t t)
{
    return mdl_rate_at(blocks_get(b, name), t);
}

static void values(void **state)
{
    (void)state;
    struct blocks b;
    assert_int_equal(blocks_bind(&b, &mdl_rate_family, every_kind), SQ_OK);
    static const struct {
        const char *name;
        sq_time_t t;
        double want;
    } rows[] = {
        { "constant", 7 * S, 24 },
        { "steps", 60 * S - 1, 10 },
        { "steps", 60 * S, 50 },
        { "steps", 1000 * S, 5 },
        { "late", 59 * S, 0 },
        { "late", 60 * S, 10 },
        { "linear", 0, 10 },
        { "linear", 60 * S, 10 },
        { "linear", 90 * S, 25 },
        { "linear", 120 * S, 40 },
        { "linear", 210 * S, 10 },
        { "linear", 270 * S, 0 },
        { "linear", 345 * S, 1.5 },
        { "linear", 9 * H, 2 },
        { "flat", 0, 10 },
        { "flat", 100 * S, 10 },
        { "daily", 14 * H, 150 / 3600.0 },
        { "daily", 2 * H, 50 / 3600.0 },
        { "daily", 8 * H, 100 / 3600.0 },
        { "daily", 18 * H, 125 / 3600.0 }, /* a sixth of a turn after the peak */
        { "full", 13 * H + H / 2, 4 },     /* 20:00 + 13:30 = 9:30 */
        { "full", 1 * H + H / 2, 0 },      /* half a day before */
        { "full", 13 * H + H / 2 + 24 * 400 * H, 4 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        double got = at(&b, rows[i].name, rows[i].t);
        if (!(fabs(got - rows[i].want) < 1e-12)) {
            fail_msg("%s at %lld: %.15g", rows[i].name, (long long)rows[i].t, got);
        }
    }
    for (size_t i = 0; i < b.root.all.count; i++) {
        const char *name = b.root.all.names[i];
        bool constant = strcmp(name, "constant") == 0;
        assert_int_equal(mdl_rate_is_constant(blocks_get(&b, name)), constant);
    }
    blocks_fini(&b);
}

/* Simpson's rule in pieces of a second that do not straddle a point. */
static double area(const struct blocks *b, const char *name, sq_time_t from, sq_time_t until)
{
    double sum = 0;
    while (from < until) {
        sq_time_t next = sq_min_i64((from / S + 1) * S, until);
        double length = sq_time_to_s(next - from);
        /* the value just before `next`: a step there belongs to the next piece */
        double end = next % S == 0 ? at(b, name, next - 1) : at(b, name, next);
        sum += length / 6 * (at(b, name, from) + 4 * at(b, name, from + (next - from) / 2) + end);
        from = next;
    }
    return sum;
}

/* Chains of instants: each gap holds the area that was asked for, to what a nanosecond is worth. */
static void reaches(void **state)
{
    (void)state;
    static const double areas[] = { 1, 0.3, 2.7, 0.01, 40, 3.25 };
    struct blocks b;
    assert_int_equal(blocks_bind(&b, &mdl_rate_family, every_kind), SQ_OK);
    for (size_t i = 0; i < b.root.all.count; i++) {
        const char *name = b.root.all.names[i];
        sq_time_t t = 0;
        for (size_t k = 0; k < 300 && strcmp(name, "none") != 0; k++) {
            double want = areas[k % SQ_COUNT(areas)];
            sq_time_t next = mdl_rate_reach(blocks_get(&b, name), t, want);
            double slack = 1e-9 * fmax(at(&b, name, t), at(&b, name, next)) + 1e-8 * want;
            double got = area(&b, name, t, next);
            if (next < t || !(fabs(got - want) < slack)) {
                fail_msg("%s: %g from %lld to %lld instead of %g", name, got, (long long)t,
                         (long long)next, want);
            }
            t = next;
        }
    }
    blocks_fini(&b);
}

static void edges(void **state)
{
    (void)state;
    struct blocks b;
    assert_int_equal(blocks_bind(&b, &mdl_rate_family, every_kind), SQ_OK);
    assert_true(mdl_rate_reach(blocks_get(&b, "none"), 5, 1) == SQ_NEVER);
    /* whole days, from an instant other than the start of one */
    const struct sq_block *full = blocks_get(&b, "full");
    assert_int_equal(mdl_rate_reach(full, 7 * H, 2 * 86400.0 * 3), 79 * H);
    /* half a day from trough to peak is half of a day's jobs */
    assert_int_equal(mdl_rate_reach(full, H + H / 2, 86400.0), 13 * H + H / 2);
    /* nothing is reached at once, also where the rate is 0 */
    static const char *const zero[] = { "none", "late", "full" };
    for (size_t i = 0; i < SQ_COUNT(zero); i++) {
        sq_time_t t = mdl_rate_reach(blocks_get(&b, zero[i]), H + H / 2, 0);
        assert_int_equal(t, H + H / 2);
    }
    /* out of the trough of a full swing: the rate grows with the square of time there, so that
     * 1e-4 jobs take (3 * 1e-4 / 2 / (2 pi^2))^(1/3) days^(2/3) */
    sq_time_t t = mdl_rate_reach(full, H + H / 2, 1e-4) - (H + H / 2);
    double pi = acos(-1), day = 86400, want = cbrt(3e-4 / 2 * day * day / (2 * pi * pi));
    assert_true(fabs(sq_time_to_s(t) / want - 1) < 1e-6);
    blocks_fini(&b);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        { "all: {a: {kind: linear, points: []}}", "points is empty" },
        { "all: {a: {kind: linear, points: [[1s, 1/s], [1s, 2/s]]}}", "point 2" },
        { "all: {a: {kind: daily, swing: 20%}}", "mean" },
        { "all: {a: {kind: daily, mean: 1/s, swing: 120%}}", "swing" },
        { "all: {a: {kind: daily, mean: 1/s, points: []}}", "points" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct blocks b;
        assert_int_equal(blocks_bind(&b, &mdl_rate_family, rows[i].yaml), SQ_USER);
        if (strstr(blocks_complaints(&b), rows[i].says) == NULL) {
            fail_msg("%s: %s", rows[i].yaml, blocks_complaints(&b));
        }
        blocks_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(reaches),
        cmocka_unit_test(edges),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests_name("rate", tests, NULL, NULL);
}
