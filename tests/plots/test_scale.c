/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_scale.c - scales and ticks as numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include "plots/plt_scale.h"

#define assert_near(a, b) assert_true(fabs((a) - (double)(b)) < 1e-9)

static void linear_scale_maps_and_clamps(void **state)
{
    (void)state;
    const struct plt_scale y = { 0, 200, 300, 100 };
    assert_near(plt_scale_at(&y, 0), 300);
    assert_near(plt_scale_at(&y, 50), 250);
    assert_near(plt_scale_at(&y, 200), 100);
    assert_near(plt_scale_at(&y, 1e9), 100);
    assert_near(plt_scale_at(&y, -5), 300);
    assert_near(plt_scale_at(&y, NAN), 300);
}

static void linear_ticks_are_1_2_5(void **state)
{
    (void)state;
    static const struct {
        double hi;
        size_t most;
        double step;
        size_t count;
    } rows[] = {
        { 100, 6, 20, 6 },  { 100, 5, 50, 3 },   { 1728, 5, 500, 4 },  { 1600, 5, 500, 4 },
        { 270, 7, 50, 6 },  { 0.7, 5, 0.2, 4 },  { 1, 2, 1, 2 },       { 98650, 6, 20000, 5 },
        { 3, 4, 1, 4 },     { 3, 3, 2, 2 },      { 1e-6, 3, 5e-7, 3 }, { 1e12, 6, 2e11, 6 },
        { 0.3, 4, 0.1, 4 }, { 9.99, 11, 1, 10 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct plt_ticks t;
        plt_ticks_linear(&t, rows[i].hi, rows[i].most);
        assert_near(t.step / rows[i].step, 1);
        assert_int_equal(t.count, rows[i].count);
        for (size_t k = 0; k < t.count; k++) {
            assert_near(t.at[k] / rows[i].step, k);
        }
    }
}

static void time_ticks_are_those_of_a_clock(void **state)
{
    (void)state;
    static const struct {
        double end_s;
        size_t most;
        double step;
        size_t count;
    } rows[] = {
        { 5400, 10, 600, 10 },      { 5400, 9, 900, 7 },     { 60, 7, 10, 7 },
        { 600, 14, 60, 11 },        { 90, 7, 15, 7 },        { 3, 14, 0.5, 7 },
        { 14400, 14, 1200, 13 },    { 43200, 14, 3600, 13 }, { 86400, 14, 7200, 13 },
        { 1209600, 14, 172800, 8 }, { 0.25, 6, 0.05, 6 },    { 8640000, 6, 1728000, 6 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct plt_ticks t;
        plt_ticks_time(&t, rows[i].end_s, rows[i].most);
        assert_near(t.step / rows[i].step, 1);
        assert_int_equal(t.count, rows[i].count);
    }
}

static void rounding_up(void **state)
{
    (void)state;
    static const double rows[][2] = { { 225, 250 },  { 250, 250 }, { 251, 500 },
                                      { 0.12, 0.2 }, { 1, 1 },     { 1.01, 2 },
                                      { 0, 1 },      { -4, 1 },    { 9999, 10000 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        assert_near(plt_round_up(rows[i][0]), rows[i][1]);
    }
}

static void time_ticks_in_words(void **state)
{
    (void)state;
    static const struct {
        double s;
        const char *text;
    } rows[] = { { 0, "0" }, { 30, "30s" }, { 600, "10m" }, { 5400, "1h30m" }, { 0.5, "500ms" } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf b = { 0 };
        plt_put_time_tick(&b, rows[i].s);
        assert_string_equal(b.text, rows[i].text);
        sq_buf_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_scale_maps_and_clamps),
        cmocka_unit_test(linear_ticks_are_1_2_5),
        cmocka_unit_test(time_ticks_are_those_of_a_clock),
        cmocka_unit_test(rounding_up),
        cmocka_unit_test(time_ticks_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
