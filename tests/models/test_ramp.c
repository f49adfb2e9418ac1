/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_ramp.c - ramps: the arithmetic of each kind against its formula, and where it changes. */
#include "models/policy/mdl_ramp.h"

#include "tests/models/blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS INT64_C(1000000)
#define S  INT64_C(1000000000)

static const char yaml[] = "all:\n"
                           "  minutes: {steps: [5, 10, 20, 40]}\n"
                           "  uneven: {steps: [5, 5, 2, 7], every: 7ms}\n"
                           "  linear: {kind: linear, from: 3, to: 40, over: 1s}\n"
                           "  thirds: {kind: linear, from: 1, to: 4, over: 10us}\n"
                           "  flat: {kind: linear, from: 4, to: 4, over: 1m}\n"
                           "  haproxy: {kind: haproxy, to: 40, over: 60s}\n"
                           "  haproxy7: {kind: haproxy, to: 1000, over: 7s}\n"
                           "  envoy: {kind: envoy, to: 40, over: 10s}\n"
                           "  square: {kind: envoy, to: 200, over: 2s, aggression: 2, floor: 0%}\n";

static const struct sq_block *find(void **state, const char *name)
{
    return blocks_get(*state, name);
}

/* HAProxy with maxconn 40 and slowstart 60: from its source, whole seconds. */
static void haproxy(void **state)
{
    static const struct {
        double t_s;
        int64_t limit;
    } rows[] = { { 0, 1 },     { 1, 1 },   { 5, 3 },    { 5.999, 3 }, { 10, 6 },
                 { 15, 10 },   { 20, 13 }, { 30, 20 },  { 45, 30 },   { 59, 39 },
                 { 59.9, 39 }, { 60, 40 }, { 9999, 40 } };
    const struct sq_block *b = find(state, "haproxy");
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        assert_int_equal(mdl_ramp_limit(b, (sq_time_t)(rows[i].t_s * 1e9)), rows[i].limit);
    }
    assert_int_equal(mdl_ramp_bottom(b), 1);
    assert_int_equal(mdl_ramp_top(b), 40);
    b = find(state, "haproxy7"); /* 100 t div 7: 0 14 28 42 57 71 85 % of 1000 */
    static const int64_t want[] = { 1, 140, 280, 420, 570, 710, 850, 1000 };
    for (int t = 0; t < 8; t++) {
        assert_int_equal(mdl_ramp_limit(b, t * S), want[t]);
        assert_int_equal(mdl_ramp_next(b, t * S), t < 7 ? (t + 1) * S : SQ_NEVER);
        assert_int_equal(mdl_ramp_step(b, t * S + 999 * MS), t * S);
    }
}

/* Envoy: weight x max((max(1 ms, t) / W)^(1/aggression), 10 %), here of the limit, rounded down. */
static void envoy(void **state)
{
    const struct sq_block *b = find(state, "envoy");
    for (int ms = 0; ms <= 10000; ms += 7) {
        double want = 40 * fmax(fmax(1, ms) / 10000, 0.1);
        assert_int_equal(mdl_ramp_limit(b, ms * MS + 999999), (int64_t)(want + 1e-9));
    }
    assert_int_equal(mdl_ramp_bottom(b), 4);
    assert_int_equal(mdl_ramp_next(b, 0), 1250 * MS); /* 5 of 40 */
    b = find(state, "square");
    for (int ms = 0; ms <= 2000; ms++) {
        double want = ms >= 2000 ? 200 : floor(200 * sqrt(fmax(1, ms) / 2000) + 1e-9);
        assert_int_equal(mdl_ramp_limit(b, ms * MS), (int64_t)want);
    }
}

static void linear(void **state)
{
    const struct sq_block *b = find(state, "linear");
    assert_int_equal(mdl_ramp_limit(b, 0), 3);
    assert_int_equal(mdl_ramp_limit(b, 500 * MS), 21); /* 3 + 18.5 */
    assert_int_equal(mdl_ramp_limit(b, S - 1), 39);
    assert_int_equal(mdl_ramp_limit(b, S), 40);
    assert_int_equal(mdl_ramp_next(b, 0), 27027028); /* ceil(1e9 / 37) */
    assert_int_equal(mdl_ramp_step(b, S - 1), S * 36 / 37 + 1);
    b = find(state, "thirds");
    static const int64_t want[] = { 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4 };
    for (int t = 0; t < 12; t++) {
        assert_int_equal(mdl_ramp_limit(b, t * 1000), want[t]);
    }
    assert_int_equal(mdl_ramp_next(find(state, "flat"), 0), SQ_NEVER);
}

static void steps(void **state)
{
    const struct sq_block *b = find(state, "minutes");
    static const int64_t want[] = { 5, 10, 20, 40, 40 };
    for (int m = 0; m < 5; m++) {
        assert_int_equal(mdl_ramp_limit(b, m * 60 * S), want[m]);
        assert_int_equal(mdl_ramp_limit(b, (m + 1) * 60 * S - 1), want[m]);
        assert_int_equal(mdl_ramp_next(b, m * 60 * S), m < 3 ? (m + 1) * 60 * S : SQ_NEVER);
        assert_int_equal(mdl_ramp_step(b, m * 60 * S + 5), m < 3 ? m * 60 * S : 180 * S);
    }
    b = find(state, "uneven"); /* steps may be equal, and may fall */
    assert_int_equal(mdl_ramp_next(b, 0), 7 * MS);
    assert_int_equal(mdl_ramp_next(b, 7 * MS), 14 * MS);
    assert_int_equal(mdl_ramp_limit(b, 14 * MS), 2);
    assert_int_equal(mdl_ramp_step(b, 13 * MS), 7 * MS);
}

/* `next` and `step` of every kind, by trying every instant of its grain. */
static void changes(void **state)
{
    static const struct {
        const char *name;
        sq_time_t grain, until;
    } rows[] = { { "thirds", 1, 10200 },      { "haproxy", S, 62 * S },
                 { "haproxy7", S, 9 * S },    { "envoy", MS, 10100 * MS },
                 { "square", MS, 2100 * MS }, { "linear", 27027, S + 50000 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        const struct sq_block *b = find(state, rows[i].name);
        bool every = i != 5; /* linear over a second is tried here and there */
        sq_time_t began = 0;
        int64_t limit = mdl_ramp_limit(b, 0);
        for (sq_time_t t = rows[i].grain; t < rows[i].until; t += rows[i].grain) {
            sq_time_t next = mdl_ramp_next(b, t - rows[i].grain);
            int64_t now = mdl_ramp_limit(b, t);
            assert_true(now >= limit);
            assert_int_equal(next <= t, now > limit);
            if (now > limit && every) {
                assert_int_equal(next, t);
                began = t;
            }
            if (every) {
                assert_int_equal(mdl_ramp_step(b, t), began);
            }
            limit = now;
        }
        assert_int_equal(limit, mdl_ramp_top(b));
    }
}

static int setup(void **state)
{
    static struct blocks b;
    *state = &b;
    return blocks_bind(&b, &mdl_ramp_family, yaml) == SQ_OK ? 0 : 1;
}

static int teardown(void **state)
{
    blocks_fini(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(haproxy), cmocka_unit_test(envoy),   cmocka_unit_test(linear),
        cmocka_unit_test(steps),   cmocka_unit_test(changes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
