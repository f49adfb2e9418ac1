/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_policy.c - backoff, jitter, ramp and rate: their rows, and their arithmetic by hand. */
#include "tests/models/world.h"

#include "models/policy/mdl_backoff.h"
#include "models/policy/mdl_dist.h"
#include "models/policy/mdl_jitter.h"
#include "models/policy/mdl_ramp.h"
#include "models/policy/mdl_rate.h"
#include "models/policy/mdl_scaler.h"
#include "models/part/mdl_arrivals.h"
#include "models/part/mdl_calendar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <cmocka.h>

static void families_conform(void **state)
{
    (void)state;
    static const struct {
        const struct sq_family *family;
        size_t at_least; /* kinds that are there now */
    } rows[] = {
        { &mdl_backoff_family, 9 }, { &mdl_jitter_family, 7 },   { &mdl_ramp_family, 1 },
        { &mdl_rate_family, 2 },    { &mdl_scaler_family, 7 },   { &mdl_dist_family, 9 },
        { &mdl_outage_family, 1 },  { &mdl_arrivals_family, 5 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        assert_true(wld_conforms(rows[i].family) >= rows[i].at_least);
    }
}

static void block(struct wld_piece *p, const struct sq_family *family, const char *yaml)
{
    if (wld_block(p, family, yaml) != SQ_OK) {
        struct sq_buf b = { 0 };
        sq_diag_print(&p->diag, &b);
        fail_msg("%s: %s", yaml, b.text);
    }
}

/* ---- backoff ---- */

static void backoff_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        uint32_t n;
        double want;
    } rows[] = {
        { "none", 1, 0 },
        { "none", UINT32_MAX, 0 },
        { "3s", 1, 3 }, /* a bare duration is fixed */
        { "3s", 7, 3 },
        { "{kind: fixed, base: 250ms}", UINT32_MAX, 0.25 },
        { "exponential", 1, 1 },
        { "exponential", 2, 2 },
        { "exponential", 10, 512 },
        { "exponential", 11, 600 },
        { "exponential", UINT32_MAX, 600 },
        { "{base: 5s, cap: 1h}", 1, 5 },
        { "{base: 5s, cap: 1h}", 10, 2560 },
        { "{base: 5s, cap: 1h}", 11, 3600 },
        { "{base: 100ms, factor: 3, cap: unlimited}", 5, 8.1 },
        { "{base: 1s, factor: 1, cap: unlimited}", UINT32_MAX, 1 },
        { "{base: 2s, factor: 1.5}", 3, 4.5 },
        { "{base: 2s, offset: 15s}", 1, 17 }, /* the offset stands under the cap */
        { "{base: 2s, offset: 15s, cap: 20s}", 2, 19 },
        { "{base: 2s, offset: 15s, cap: 20s}", 3, 20 },
        { "{base: 1s, doublings: 3, cap: unlimited}", 4, 8 },
        { "{base: 1s, doublings: 3, cap: unlimited}", 5, 16 },
        { "{base: 1s, doublings: 3, cap: unlimited}", 6, 24 },
        { "{base: 1s, doublings: 3, cap: unlimited}", 104, 808 },
        { "{base: 1s, doublings: 0, cap: unlimited}", 5, 5 },
        { "{base: 1s, doublings: 3, offset: 2s, cap: unlimited}", 6, 26 },
        { "{base: 1s, doublings: 3, cap: 10s}", 6, 10 },
        { "{base: 0s, cap: unlimited}", 50, 0 },
        { "{base: 4s, cap: 3s}", 1, 3 },
        { "{base: 4s, cap: 3s, cap_applies: after-jitter}", 1, 4 },
        { "{base: 4s, cap: 3s, cap_applies: after-jitter}", 3, 16 },
        { "{base: 1s, cap: unlimited}", UINT32_MAX, INFINITY },
        { "{base: 4s, cap: 9s, cap_applies: both}", 3, 9 },
        { "{base: 4s, cap: 9s, cap_applies: unjittered}", 3, 9 },
        { "{kind: table, delays: [0s, 5s, 20s], cap: 9s}", 1, 0 },
        { "{kind: table, delays: [0s, 5s, 20s], cap: 9s}", 3, 9 },
        { "{kind: table, delays: [0s, 5s, 20s], cap: 9s, cap_applies: after-jitter}", 3, 20 },
        { "{kind: linear, base: 3s}", 1, 3 },
        { "{kind: linear, base: 3s}", 4, 12 }, /* step = base */
        { "{kind: linear, base: 3s, step: 1s}", 4, 6 },
        { "{kind: linear, base: 3s, cap: 10s}", 4, 10 },
        { "{kind: polynomial, power: 4, start: 0, offset: 15s}", 1, 15 }, /* Sidekiq */
        { "{kind: polynomial, power: 4, start: 0, offset: 15s}", 4, 96 },
        { "{kind: polynomial, power: 2, scale: 2s}", 3, 18 },
        { "{kind: table, delays: [1s, 5s, 2s]}", 1, 1 },
        { "{kind: table, delays: [1s, 5s, 2s]}", 2, 5 },
        { "{kind: table, delays: [1s, 5s, 2s]}", 3, 2 },
        { "{kind: table, delays: [1s, 5s, 2s]}", UINT32_MAX, 2 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld_piece p;
        block(&p, &mdl_backoff_family, rows[i].yaml);
        double last = 0, d = mdl_backoff_next_s(&p.block, rows[i].n, 0.5, &last);
        if (!(d == rows[i].want) && !(fabs(d - rows[i].want) <= 1e-14 * rows[i].want)) {
            fail_msg("%s, n = %u: %.17g and not %.17g", rows[i].yaml, rows[i].n, d, rows[i].want);
        }
        wld_piece_fini(&p);
    }
}

static void backoff_caps_on_one_side_only(void **state)
{
    (void)state;
    struct wld_piece p;
    block(&p, &mdl_backoff_family, "{base: 4s, cap: 3s}");
    assert_true(isinf(mdl_backoff_cap_after_s(&p.block)));
    wld_piece_fini(&p);
    block(&p, &mdl_backoff_family, "{base: 4s, cap: 3s, cap_applies: after-jitter}");
    assert_true(mdl_backoff_cap_after_s(&p.block) == 3);
    wld_piece_fini(&p);
    block(&p, &mdl_backoff_family, "{cap: unlimited, cap_applies: after-jitter}");
    assert_true(isinf(mdl_backoff_cap_after_s(&p.block)));
    wld_piece_fini(&p);
    const struct sq_block absent = { 0 };
    assert_true(isinf(mdl_backoff_cap_after_s(&absent)));
    double last = 0;
    assert_true(mdl_backoff_next_s(&absent, 1, 0.5, &last) == 0);
}

/* The stateful laws, three failures in a row with the same uniform. */
static void backoff_with_a_memory(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        double u, want[3];
    } rows[] = {
        /* base 1 s: U[1, 3 * previous) */
        { "{kind: decorrelated, base: 1s}", 0.5, { 2, 3.5, 5.75 } },
        { "{kind: decorrelated, base: 1s, cap: 3s}", 0.5, { 2, 3, 3 } },
        { "{kind: decorrelated, base: 1s, growth: 2}", 0.5, { 1.5, 2, 2.5 } },
        { "{kind: decorrelated, base: 1s, first: base}", 0.5, { 1, 2, 3.5 } },
        { "{kind: decorrelated, base: 1s, low: previous}", 0.5, { 2, 4, 8 } },
        { "{kind: compounding, base: 1s, low: 0.5, high: 1.5}", 0.5, { 1, 2, 4 } },
        { "{kind: compounding, base: 1s, low: 0.5, high: 1.5}", 0.75, { 1.25, 3.125, 7.8125 } },
        { "{kind: compounding, base: 1s, low: 0.5, high: 1.5, cap: 3s}", 0.5, { 1, 2, 3 } },
        { "{kind: decorrelated, base: 1s, low: previous, first: base, cap: 4s, cap_applies: "
          "before-jitter}",
          0.5,
          { 1, 2, 3 } },
        { "{kind: decorrelated, base: 1s, cap: 5s, cap_applies: unjittered}", 0.5, { 2, 5, 5 } },
        { "{kind: compounding, base: 1s, low: 0, high: 1, first: base, accelerates: true, cap: "
          "100s, cap_applies: unjittered}",
          0.75,
          { 1, 1.5, 4.5 } },
        { "{kind: compounding, base: 1s, low: 0, high: 1, first: base, accelerates: true, cap: 6s, "
          "cap_applies: unjittered}",
          0.75,
          { 1, 1.5, 6 } },
        { "{kind: compounding, base: 1s, low: 0.5, high: 1.5, cap: 3s, cap_applies: "
          "before-jitter}",
          0.75,
          { 1.25, 3.125, 3.75 } },
        { "{kind: compounding, base: 1s, low: 0.5, high: 1.5, cap: 3s, cap_applies: both}",
          0.75,
          { 1.25, 3, 3 } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld_piece p;
        block(&p, &mdl_backoff_family, rows[i].yaml);
        assert_true(mdl_backoff_draws(&p.block));
        double last = 0;
        for (uint32_t n = 1; n <= 3; n++) {
            double d = mdl_backoff_next_s(&p.block, n, rows[i].u, &last);
            if (fabs(d - rows[i].want[n - 1]) > 1e-12) {
                fail_msg("%s, n = %u: %g and not %g", rows[i].yaml, n, d, rows[i].want[n - 1]);
            }
        }
        wld_piece_fini(&p);
    }
}

/* ---- jitter ---- */

static double jittered(const struct sq_block *b, double d, double u)
{
    return mdl_jitter_apply(b, (struct mdl_jitter_in){ .d = d, .n = 1 }, u);
}

static void jitter_bounds_and_means(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        double low, high, mean; /* of a delay of 8 s */
    } rows[] = {
        { "none", 8, 8, 8 },
        { "full", 0, 8, 4 },
        { "equal", 4, 8, 6 },
        { "25%", 6, 10, 8 }, /* a bare ratio is proportional */
        { "{kind: proportional, ratio: 100%}", 0, 16, 8 },
        { "{kind: scaled, low: 0.5, high: 3}", 4, 24, 14 },
        { "{kind: scaled, low: 2, high: 2}", 16, 16, 16 },
        { "3s", 8, 11, 9.5 }, /* a bare duration is additive */
        { "exponential", 0, INFINITY, 8 },
    };
    enum { GRID = 20000 };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld_piece p;
        block(&p, &mdl_jitter_family, rows[i].yaml);
        double sum = 0, last = -1;
        for (int k = 0; k < GRID; k++) { /* midpoints of a uniform grid: the mean of the law */
            double d = jittered(&p.block, 8, (k + 0.5) / GRID);
            assert_true(d >= rows[i].low && d <= rows[i].high);
            assert_true(d >= last);
            last = d;
            sum += d;
        }
        double mean = sum / GRID, slack = rows[i].yaml[0] == 'e' ? 2e-3 : 1e-9;
        if (fabs(mean - rows[i].mean) > slack * rows[i].mean) {
            fail_msg("%s: mean %.12g and not %g", rows[i].yaml, mean, rows[i].mean);
        }
        /* Near the ends of (0, 1): as far as the law goes, and no further. */
        double least = jittered(&p.block, 8, 0x1p-53);
        double most = jittered(&p.block, 8, 1 - 0x1p-53);
        assert_true(fabs(least - rows[i].low) < 1e-12);
        assert_true(most <= rows[i].high);
        assert_true(isinf(rows[i].high) ? most > 250 : rows[i].high - most < 1e-9);
        double zero = jittered(&p.block, 0, 0.5);
        assert_true(zero == (i == 7 ? 1.5 : 0));
        wld_piece_fini(&p);
    }
    const struct sq_block absent = { 0 };
    assert_true(jittered(&absent, 8, 0.25) == 8);
}

/* A delay of 8 s, a quarter of the way from the least draw to the largest. */
static void jitter_from_and_skip(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        uint32_t n;
        double want;
    } rows[] = {
        { "{kind: full, from: 2s}", 1, 3.5 },
        { "{kind: full, from: 9s}", 1, 9 },
        { "{kind: full, skip: 1}", 1, 8 },
        { "{kind: full, skip: 1}", 2, 2 },
        { "{kind: additive, amount: 4s, skip: 2}", 2, 8 },
        { "{kind: additive, amount: 4s, skip: 2}", 3, 9 },
        { "{kind: equal, skip: 1, min: 10s}", 1, 10 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld_piece p;
        block(&p, &mdl_jitter_family, rows[i].yaml);
        struct mdl_jitter_in in = { .d = 8, .n = rows[i].n };
        assert_true(mdl_jitter_apply(&p.block, in, 0.25) == rows[i].want);
        wld_piece_fini(&p);
    }
}

static void jitter_refuses(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{kind: scaled, low: 2, high: 1}",
        "{kind: scaled, low: 2}",
        "101%",
        "{kind: full, ratio: 10%}",
    };
    for (size_t i = 0; i < SQ_COUNT(bad); i++) {
        struct wld_piece p;
        assert_int_equal(wld_block(&p, &mdl_jitter_family, bad[i]), SQ_USER);
        assert_true(p.diag.errors > 0);
        wld_piece_fini(&p);
    }
}

/* ---- ramp ---- */

static void ramp_at_its_steps(void **state)
{
    (void)state;
    struct wld_piece p;
    block(&p, &mdl_ramp_family, "[5, 10, 20, 40]");
    const sq_time_t m = 60 * SQ_NS_PER_S;
    static const int64_t limits[] = { 5, 10, 20, 40, 40 };
    for (int i = 0; i < 5; i++) {
        sq_time_t next = i < 3 ? (i + 1) * m : SQ_NEVER;
        assert_int_equal(mdl_ramp_limit(&p.block, i * m), limits[i]);
        assert_int_equal(mdl_ramp_limit(&p.block, (i + 1) * m - 1), limits[i]);
        assert_int_equal(mdl_ramp_next(&p.block, i * m), next);
        assert_int_equal(mdl_ramp_next(&p.block, (i + 1) * m - 1), next);
    }
    assert_int_equal(mdl_ramp_limit(&p.block, SQ_NEVER - 1), 40);
    assert_int_equal(mdl_ramp_next(&p.block, SQ_NEVER - 1), SQ_NEVER);
    assert_int_equal(mdl_ramp_bottom(&p.block), 5);
    assert_int_equal(mdl_ramp_top(&p.block), 40);
    assert_int_equal(mdl_ramp_common(&p.block)->starts, MDL_RAMP_ERRORS_STOP);
    assert_int_equal(mdl_ramp_common(&p.block)->at_start, 0);
    wld_piece_fini(&p);
    block(&p, &mdl_ramp_family, "{steps: [7], every: 1s, at_start: bottom}");
    assert_int_equal(mdl_ramp_limit(&p.block, 0), 7);
    assert_int_equal(mdl_ramp_next(&p.block, 0), SQ_NEVER);
    assert_int_equal(mdl_ramp_common(&p.block)->at_start, 1);
    wld_piece_fini(&p);
}

/* ---- rate ---- */

static void rate_reaches(void **state)
{
    (void)state;
    static const char steps[] =
        "{kind: steps, points: [[10s, 2/s], [20s, 0/s], [30s, 10/s], [40s, 1/s]]}";
    static const struct {
        const char *yaml;
        double from, area, at; /* at -1: never */
    } rows[] = {
        { "5/s", 0, 0, 0 },
        { "5/s", 0, 1, 0.2 },
        { "30/m", 7, 3, 13 },
        { "0/s", 0, 1, -1 },
        { steps, 0, 0, 10 }, /* nothing before the first point */
        { steps, 0, 1, 10.5 },
        { steps, 10, 1, 10.5 },
        { steps, 15, 1, 15.5 },
        { steps, 10, 20, 20 },   /* exactly at the end of a step */
        { steps, 10, 21, 30.1 }, /* over a step of rate 0 */
        { steps, 25, 1, 30.1 },
        { steps, 20, 1, 30.1 },
        { steps, 10, 119, 39.9 },
        { steps, 10, 120, 40 },
        { steps, 10, 121, 41 },
        { steps, 100, 1, 101 }, /* the last step lasts for good */
        { "{kind: steps, points: [[0s, 4/s], [5s, 0/s]]}", 0, 20, 5 },
        { "{kind: steps, points: [[0s, 4/s], [5s, 0/s]]}", 0, 20.5, -1 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld_piece p;
        block(&p, &mdl_rate_family, rows[i].yaml);
        sq_time_t at = mdl_rate_reach(&p.block, WLD_S(rows[i].from), rows[i].area);
        sq_time_t want = rows[i].at < 0 ? SQ_NEVER : WLD_S(rows[i].at);
        if (at != want && (want == SQ_NEVER || at == SQ_NEVER || llabs(at - want) > 1)) {
            fail_msg("row %zu: %lld and not %lld", i, (long long)at, (long long)want);
        }
        wld_piece_fini(&p);
    }
}

static void rate_at_instants(void **state)
{
    (void)state;
    struct wld_piece p;
    block(&p, &mdl_rate_family, "{kind: steps, points: [[1s, 2/s], [2s, 0/s], [3s, 10/s]]}");
    static const struct {
        double at, rate;
    } rows[] = { { 0, 0 }, { 0.999999999, 0 }, { 1, 2 },   { 1.999999999, 2 },
                 { 2, 0 }, { 3, 10 },          { 1e6, 10 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        assert_true(mdl_rate_at(&p.block, WLD_S(rows[i].at)) == rows[i].rate);
    }
    assert_false(mdl_rate_is_constant(&p.block));
    wld_piece_fini(&p);
    block(&p, &mdl_rate_family, "24/s");
    assert_true(mdl_rate_at(&p.block, 0) == 24);
    assert_true(mdl_rate_is_constant(&p.block));
    wld_piece_fini(&p);
    static const char *const bad[] = { "{kind: steps, points: []}",
                                       "{kind: steps, points: [[1s, 2/s], [1s, 3/s]]}",
                                       "{kind: steps, points: [[2s, 2/s], [1s, 3/s]]}", "-1/s" };
    for (size_t i = 0; i < SQ_COUNT(bad); i++) {
        assert_int_equal(wld_block(&p, &mdl_rate_family, bad[i]), SQ_USER);
        wld_piece_fini(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_conform),
        cmocka_unit_test(backoff_by_hand),
        cmocka_unit_test(backoff_caps_on_one_side_only),
        cmocka_unit_test(backoff_with_a_memory),
        cmocka_unit_test(jitter_bounds_and_means),
        cmocka_unit_test(jitter_from_and_skip),
        cmocka_unit_test(jitter_refuses),
        cmocka_unit_test(ramp_at_its_steps),
        cmocka_unit_test(rate_reaches),
        cmocka_unit_test(rate_at_instants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
