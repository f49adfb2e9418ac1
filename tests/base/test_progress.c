/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_progress.c - the estimate and the texts; the clock and the terminal are left to the tests of
 * the command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "sim/base/sq_progress.h"

static void left(void **state)
{
    (void)state;
    static const struct {
        size_t total;
        unsigned threads;
        size_t done;
        double elapsed_s, left_s;
    } rows[] = {
        { 10, 1, 5, 20, 20 },      /* one at a time: as long again */
        { 10, 0, 5, 20, 20 },      /* no threads are one */
        { 10, 1, 10, 40, 0 },      /* all done */
        { 10, 2, 1, 3, 17 },       /* 1.5 units in 3 s: 8.5 more at 2 s each */
        { 4, 64, 2, 3, 1 },        /* two are open, not 63: 3 units in 3 s */
        { 3, 64, 2, 5, 1 },        /* 2.5 in 5 s */
        { 100, 8, 4, 7.5, 92.5 },  /* 4 + 3.5 units in 7.5 s */
        { 100000, 2, 1, 1, 66666 } /* 1.5 in 1 s: 99998.5 / 1.5 = 66665.67 */
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_progress_plan plan = { "runs", rows[i].total, rows[i].threads };
        double got = sq_progress_left_s(&plan, rows[i].done, rows[i].elapsed_s);
        assert_true(fabs(got - rows[i].left_s) < 0.5);
    }
    struct sq_progress_plan plan = { "runs", 10, 2 };
    assert_true(isnan(sq_progress_left_s(&plan, 0, 5)));
}

static void bar(void **state)
{
    (void)state;
    static const struct {
        size_t done;
        double elapsed_s, left_s;
        const char *text;
    } rows[] = {
        { 0, 1.04, NAN, "[>                       ] 0/100, 1s" },
        { 37, 12.3, 20.9, "[========>               ] 37/100, 12s, about 21s left" },
        { 99, 3599, 36.4, "[=======================>] 99/100, 1h, about 36s left" },
        { 100, 75, 0, "[========================] 100/100, 1m15s, about 0s left" },
    };
    struct sq_progress_plan plan = { "100 runs", 100, 2 };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf b = { 0 };
        sq_progress_put_bar(&b, &plan, rows[i].done, rows[i].elapsed_s, rows[i].left_s);
        assert_string_equal(b.text, rows[i].text);
        sq_buf_fini(&b);
    }
}

static void estimate(void **state)
{
    (void)state;
    struct sq_buf b = { 0 };
    struct sq_progress_plan plan = { "20 runs x 5 variants", 100, 2 };
    sq_progress_put_estimate(&b, &plan, 40.4);
    assert_string_equal(b.text, "20 runs x 5 variants on 2 threads: about 40s");
    sq_buf_fini(&b);
    plan = (struct sq_progress_plan){ "20 runs", 20, 1 };
    sq_progress_put_estimate(&b, &plan, 5400);
    assert_string_equal(b.text, "20 runs on 1 thread: about 1h30m");
    sq_buf_fini(&b);
}

/* Without a terminal nothing is shown, and nothing is an error. */
static void nothing_to_show(void **state)
{
    (void)state;
    sq_progress_step(NULL);
    sq_progress_end(NULL);
    struct sq_progress_plan plan = { "2 runs", 2, 2 };
    struct sq_progress *p = sq_progress_begin(&plan);
    sq_progress_step(p);
    sq_progress_step(p);
    sq_progress_end(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left),
        cmocka_unit_test(bar),
        cmocka_unit_test(estimate),
        cmocka_unit_test(nothing_to_show),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
