/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_band.c - bands against hand-made cases and against plain sorting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "sim/base/sq_mem.h"
#include "sim/core/sq_band.h"

#define SAME(a, b) assert_true((a) == (b) || (isnan(a) && isnan(b)))

/* Runs of different length with nulls; answers by hand. */
static void test_by_hand(void **state)
{
    (void)state;
    static const float a[] = { 5, 1, NAN, NAN, 7 };
    static const float b[] = { 3, 1, 4, NAN };
    static const float c[] = { 1, 2, NAN };
    const struct sq_track runs[] = { { a, 5 }, { b, 4 }, { c, 3 }, { NULL, 0 } };
    float p10[6], p50[6], p90[6];
    struct sq_band out = { p10, p50, p90 };
    assert_int_equal(sq_bands(runs, 4, 6, &out), SQ_OK);
    /*   bin: {1,3,5} {1,1,2} {4} {} {7} {} */
    static const float want10[] = { 1, 1, 4, NAN, 7, NAN };
    static const float want50[] = { 3, 1, 4, NAN, 7, NAN };
    static const float want90[] = { 5, 2, 4, NAN, 7, NAN };
    for (size_t i = 0; i < 6; i++) {
        SAME(p10[i], want10[i]);
        SAME(p50[i], want50[i]);
        SAME(p90[i], want90[i]);
    }
}

/* With the values 1..n the answer is the rank: ceil(n / 10), ceil(n / 2), ceil(9 n / 10). */
static void test_ranks(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        float p10, p50, p90;
    } rows[] = { { 1, 1, 1, 1 },    { 2, 1, 1, 2 },    { 9, 1, 5, 9 },
                 { 10, 1, 5, 9 },   { 11, 2, 6, 10 },  { 20, 2, 10, 18 },
                 { 60, 6, 30, 54 }, { 61, 7, 31, 55 }, { 99, 10, 50, 90 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        float values[99];
        struct sq_track runs[99];
        for (size_t r = 0; r < rows[i].n; r++) {
            values[r] = (float)(rows[i].n - r);
            runs[r] = (struct sq_track){ &values[r], 1 };
        }
        float p10, p50, p90;
        struct sq_band out = { &p10, &p50, &p90 };
        assert_int_equal(sq_bands(runs, rows[i].n, 1, &out), SQ_OK);
        SAME(p10, rows[i].p10);
        SAME(p50, rows[i].p50);
        SAME(p90, rows[i].p90);
    }
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a;
    float y = *(const float *)b;
    return (x > y) - (x < y);
}

static uint64_t next(uint64_t *s) /* xorshift64 */
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Shapes that break selections: many ties, rising, falling, two-valued, organ pipe. */
static float shaped(int shape, size_t r, size_t n, uint64_t *s)
{
    switch (shape) {
    case 0:
        return (float)(next(s) % 1000000);
    case 1:
        return (float)(next(s) % 3);
    case 2:
        return (float)r;
    case 3:
        return (float)(n - r);
    case 4:
        return r % 2 == 0 ? 0.0f : (float)INFINITY;
    default:
        return (float)(r < n / 2 ? r : n - r);
    }
}

static void test_against_sorting(void **state)
{
    (void)state;
    enum { MAX = 300 };
    static float values[MAX], sorted[MAX];
    struct sq_track runs[MAX];
    uint64_t seed = 88172645463325252u;
    for (int round = 0; round < 3000; round++) {
        size_t n = next(&seed) % MAX + 1;
        for (size_t r = 0; r < n; r++) {
            values[r] = sorted[r] = shaped(round % 6, r, n, &seed);
            runs[r] = (struct sq_track){ &values[r], 1 };
        }
        qsort(sorted, n, sizeof *sorted, by_value);
        float p10, p50, p90;
        struct sq_band out = { &p10, &p50, &p90 };
        assert_int_equal(sq_bands(runs, n, 1, &out), SQ_OK);
        SAME(p10, sorted[(size_t)ceil((double)n / 10) - 1]);
        SAME(p50, sorted[(size_t)ceil((double)n / 2) - 1]);
        SAME(p90, sorted[(size_t)ceil((double)(9 * n) / 10) - 1]);
    }
}

static void test_no_runs_no_memory(void **state)
{
    (void)state;
    float p10 = 1, p50 = 2, p90 = 3;
    struct sq_band out = { &p10, &p50, &p90 };
    sq_mem_fail_after(0);
    enum sq_status status = sq_bands(NULL, 0, 1, &out);
    sq_mem_fail_after(-1);
    assert_int_equal(status, SQ_NOMEM);
    assert_true(p10 == 1 && p50 == 2 && p90 == 3);
    assert_int_equal(sq_bands(NULL, 0, 1, &out), SQ_OK);
    assert_true(isnan(p10) && isnan(p50) && isnan(p90));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_against_sorting),
        cmocka_unit_test(test_no_runs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
