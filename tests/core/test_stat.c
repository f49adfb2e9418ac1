/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels and samples against integer arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/base/sq_mem.h"
#include "sim/core/sq_stat.h"

static void level(void **state)
{
    (void)state;
    struct sq_level l = { 0 };
    assert_true(isnan(sq_level_mean(&l, 0, 0)));
    sq_level_move(&l, 10, 3);
    sq_level_move(&l, 20, -1); /* area 30 */
    assert_true(l.area == 30 && l.now == 2 && l.max == 3);
    assert_true(sq_level_mean(&l, 0, 40) == 70.0 / 40);
    assert_int_equal(sq_level_bin(&l), 3);
    assert_int_equal(sq_level_bin(&l), 2);
    sq_level_set(&l, 40, 5);
    assert_int_equal(sq_level_bin(&l), 5);
    sq_level_set(&l, 50, 1);
    sq_level_restart(&l, 60);
    assert_true(l.area == 0 && l.max == 1 && l.now == 1);
    assert_true(isnan(sq_level_mean(&l, 60, 60)));
    assert_true(sq_level_mean(&l, 60, 160) == 1);
    sq_level_set(&l, 110, 4);
    assert_true(sq_level_mean(&l, 60, 160) == (50 + 200) / 100.0);
}

/* A level of 10^9 for 10,000 days: the area needs more than 64 bits. */
static void level_wide(void **state)
{
    (void)state;
    struct sq_level l = { 0 };
    sq_time_t end = INT64_C(10000) * 86400 * SQ_NS_PER_S;
    sq_level_set(&l, 0, 1000000000);
    sq_level_set(&l, end, 0);
    assert_true(l.area / 1000000000 == (unsigned __int128)end);
    assert_true(sq_level_mean(&l, 0, end) == 1e9);
}

/* ceil(q n) from q as a fraction of thousands, in integers. */
static void rank(void **state)
{
    (void)state;
    static const int thousandths[] = { 500, 900, 990, 1000, 100, 1, 950, 999, 333, 700 };
    static const int64_t large[] = { 65536, 1000000, 999999999, 100000000000 };
    for (size_t i = 0; i < SQ_COUNT(thousandths); i++) {
        int q = thousandths[i];
        for (int64_t n = 1; n <= 2000; n++) {
            assert_int_equal(sq_stat_rank(q / 1000.0, n), (q * n + 999) / 1000);
        }
        for (size_t k = 0; k < SQ_COUNT(large); k++) {
            assert_int_equal(sq_stat_rank(q / 1000.0, large[k]), (q * large[k] + 999) / 1000);
        }
    }
    assert_int_equal(sq_stat_rank(1e-300, 5), 1);
    assert_int_equal(sq_stat_rank(0.1 + 0.2, 10), 3); /* 0.30000000000000004 */
}

static void sample_small(void **state)
{
    (void)state;
    struct sq_sample s = { 0 };
    assert_true(isnan(sq_sample_quantile_s(&s, 0.5)) && isnan(sq_sample_mean_s(&s)));
    static const sq_time_t values[] = { 50, 10, 40, 20, 30, 100, 90, 60, 80, 70 };
    for (size_t i = 0; i < SQ_COUNT(values); i++) {
        sq_sample_add(&s, values[i] * SQ_NS_PER_S);
    }
    assert_true(s.min == 10 * SQ_NS_PER_S && s.max == 100 * SQ_NS_PER_S);
    assert_true(sq_sample_mean_s(&s) == 55);
    assert_true(sq_sample_quantile_s(&s, 0.1) == 10);
    assert_true(sq_sample_quantile_s(&s, 0.5) == 50);
    assert_true(sq_sample_quantile_s(&s, 0.9) == 90);
    assert_true(sq_sample_quantile_s(&s, 0.91) == 100);
    sq_sample_add(&s, 0); /* after sorting */
    assert_true(sq_sample_quantile_s(&s, 0.01) == 0 && s.min == 0);
    assert_true(sq_sample_quantile_s(&s, 1) == 100);
    sq_sample_fini(&s);
    assert_true(s.count == 0 && s.values == NULL);
}

/* The points of the test: durations over twelve decades, with a fixed multiplicative generator
 * (Knuth's MMIX). */
static sq_time_t next_value(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t scale = UINT64_C(1) << (*seed >> 33) % 41;
    return (sq_time_t)((*seed >> 20) % scale);
}

static int by_value(const void *a, const void *b)
{
    const sq_time_t *x = a;
    const sq_time_t *y = b;
    return (*x > *y) - (*x < *y);
}

enum { MANY = 65536 };
static const double levels[] = { 0.0001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1 };

/* 65,536 values are exact; with one more they are within a bin, never below the true value. */
static void sample_large(void **state)
{
    (void)state;
    struct sq_sample s = { 0 };
    uint64_t seed = 1;
    sq_time_t *copy = sq_mem_alloc(MANY + 1, sizeof *copy);
    assert_non_null(copy);
    for (size_t i = 0; i < MANY; i++) {
        copy[i] = next_value(&seed);
        sq_sample_add(&s, copy[i]);
    }
    qsort(copy, MANY, sizeof *copy, by_value);
    for (size_t i = 0; i < SQ_COUNT(levels); i++) {
        sq_time_t want = copy[sq_stat_rank(levels[i], MANY) - 1];
        assert_true(sq_sample_quantile_s(&s, levels[i]) == sq_time_to_s(want));
    }
    assert_null(s.bins);
    copy[MANY] = next_value(&seed);
    sq_sample_add(&s, copy[MANY]);
    assert_non_null(s.bins);
    qsort(copy, MANY + 1, sizeof *copy, by_value);
    for (size_t i = 0; i < SQ_COUNT(levels); i++) {
        double want = sq_time_to_s(copy[sq_stat_rank(levels[i], MANY + 1) - 1]);
        double got = sq_sample_quantile_s(&s, levels[i]);
        assert_true(got >= want && got <= want * (1 + 0x1p-11));
    }
    assert_true(sq_sample_quantile_s(&s, 1) == sq_time_to_s(copy[MANY]));
    assert_int_equal(s.count, MANY + 1);
    __int128 sum = 0;
    for (size_t i = 0; i <= MANY; i++) {
        sum += copy[i];
    }
    assert_true(s.sum == sum);
    sq_mem_free(copy);
    sq_sample_fini(&s);
}

/* Bins at the ends of the range: around 4096, where they begin to widen, and at 2^63 - 1. */
static void sample_edges(void **state)
{
    (void)state;
    struct sq_sample s = { 0 };
    for (int i = 0; i <= MANY; i++) {
        sq_sample_add(&s, i % 8193);
    }
    /* values 0 ... 8192, eight times each but the last ones of a cut ninth round */
    assert_non_null(s.bins);
    assert_true(sq_sample_quantile_s(&s, 0.25) == sq_time_to_s(2048));
    assert_true(sq_sample_quantile_s(&s, 1) == sq_time_to_s(8192));
    for (int i = 0; i < 2 * MANY; i++) {
        sq_sample_add(&s, SQ_NEVER);
    }
    assert_true(sq_sample_quantile_s(&s, 0.5) == sq_time_to_s(SQ_NEVER));
    assert_true(s.max == SQ_NEVER);
    sq_sample_fini(&s);
}

/* Whichever allocation fails, the sums stay right and nothing leaks. */
static void sample_no_memory(void **state)
{
    (void)state;
    for (long n = 0; n < 12; n++) {
        struct sq_sample s = { 0 };
        sq_mem_fail_after(n);
        for (int i = 1; i <= MANY + 1; i++) {
            sq_sample_add(&s, i);
        }
        sq_mem_fail_after(-1);
        assert_true(s.failed);
        assert_int_equal(s.count, MANY + 1);
        assert_true(s.min == 1 && s.max == MANY + 1);
        assert_true(isnan(sq_sample_quantile_s(&s, 0.5)));
        assert_true(sq_sample_mean_s(&s) == (MANY + 2) / 2.0 / 1e9);
        sq_sample_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level),
        cmocka_unit_test(level_wide),
        cmocka_unit_test(rank),
        cmocka_unit_test(sample_small),
        cmocka_unit_test(sample_large),
        cmocka_unit_test(sample_edges),
        cmocka_unit_test(sample_no_memory),
    };
    return cmocka_run_group_tests_name("stat", tests, NULL, NULL);
}
