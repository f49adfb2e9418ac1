/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_labels.c - places for words, as numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "plots/plt_labels.h"

static void boxes_meet_when_they_share_more_than_an_edge(void **state)
{
    (void)state;
    const struct plt_box a = { 0, 0, 10, 10 };
    assert_true(plt_boxes_meet(a, (struct plt_box){ 9, 9, 5, 5 }));
    assert_true(plt_boxes_meet(a, (struct plt_box){ 2, 2, 1, 1 }));
    assert_false(plt_boxes_meet(a, (struct plt_box){ 10, 0, 5, 5 }));
    assert_false(plt_boxes_meet(a, (struct plt_box){ 0, -5, 5, 5 }));
    struct plt_taken t = { 0 };
    assert_true(plt_taken_free(&t, a));
    plt_taken_add(&t, (struct plt_box){ 5, 5, 1, 1 });
    assert_false(plt_taken_free(&t, a));
}

static void words_are_pushed_apart(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        double lo, hi, in[4], out[4];
    } rows[] = {
        { 3, 0, 100, { 50, 20, 80 }, { 50, 20, 80 } },  /* far enough: nothing moves */
        { 2, 0, 100, { 50, 50 }, { 50, 60 } },          /* equal: the order is kept */
        { 3, 0, 100, { 99, 98, 97 }, { 100, 90, 80 } }, /* at the lower edge: upwards */
        { 2, 0, 100, { -5, 3 }, { 0, 10 } },
        { 4, 0, 100, { 10, 12, 14, 60 }, { 10, 20, 30, 60 } },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        double at[4];
        memcpy(at, rows[i].in, sizeof at);
        plt_spread_apart(at, rows[i].count, 10, rows[i].lo, rows[i].hi);
        for (size_t k = 0; k < rows[i].count; k++) {
            assert_true(fabs(at[k] - rows[i].out[k]) < 1e-9);
        }
    }
}

/* A ribbon that is 5 high on the left, 40 in the middle and 20 on the right. */
static void names_stand_where_it_is_thick(void **state)
{
    (void)state;
    double upper[300], lower[300];
    for (size_t i = 0; i < 300; i++) {
        lower[i] = 100;
        upper[i] = i < 100 ? 95 : i < 200 ? 60 : 80;
    }
    const struct plt_ribbon r = { upper, lower, 300, 50, 1 };
    struct plt_taken t = { 0 };
    struct plt_point at;
    assert_true(plt_ribbon_place(&r, &t, (struct plt_point){ 40, 12 }, &at));
    assert_true(at.x >= 150 && at.x + 40 <= 250);
    assert_true(fabs(at.y + 6 - 80) < 1e-9); /* half-way */
    plt_taken_add(&t, (struct plt_box){ 150, 0, 100, 200 });
    assert_true(plt_ribbon_place(&r, &t, (struct plt_point){ 40, 12 }, &at));
    assert_true(at.x >= 250 && at.y >= 80);
    assert_false(plt_ribbon_place(&r, &t, (struct plt_point){ 40, 30 }, &at));
    assert_false(plt_ribbon_place(&r, &t, (struct plt_point){ 400, 4 }, &at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_meet_when_they_share_more_than_an_edge),
        cmocka_unit_test(words_are_pushed_apart),
        cmocka_unit_test(names_stand_where_it_is_thick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
