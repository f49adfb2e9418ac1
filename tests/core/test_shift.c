/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_shift.c - when a metric has shifted: against quantiles of Student's distribution that were
 * integrated elsewhere (qt(0.99995, 8) = 7.120004, qt(0.99995, 4) = 15.544101), Wilson intervals by
 * hand, and samples that only chance parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "sim/core/sq_math.h"
#include "sim/core/sq_shift.h"

/* n values with the squared deviations of 8 9 10 11 12 around the mean. */
static struct sq_cell numbers(int64_t n, double mean)
{
    double half = n < 2 ? (double)NAN : 1.963242; /* qt(0.975, 4) * sqrt(2.5 / 5) */
    return (struct sq_cell){
        .known = true,
        .spread = { .n = n, .mean = mean, .p50 = mean, .lo = mean - half, .hi = mean + half }
    };
}

static enum sq_shift_kind kind_of(struct sq_cell was, struct sq_cell is, struct sq_tolerance t)
{
    struct sq_shift_ask ask = { .metric = "jobs.lost",
                                .was = &was,
                                .is = &is,
                                .was_runs = (size_t)(was.spread.n > 0 ? was.spread.n : 5),
                                .is_runs = (size_t)(is.spread.n > 0 ? is.spread.n : 5),
                                .tolerance = t };
    return sq_shift_find(&ask).kind;
}

static void moves_beyond_chance(void **state)
{
    (void)state;
    struct sq_tolerance none = { 0 };
    /* the standard error of the difference is 1 */
    assert_int_equal(kind_of(numbers(5, 10), numbers(5, 17.11), none), SQ_SHIFT_NONE);
    assert_int_equal(kind_of(numbers(5, 10), numbers(5, 17.13), none), SQ_SHIFT_MOVED);
    assert_int_equal(kind_of(numbers(5, 10), numbers(5, 2.87), none), SQ_SHIFT_MOVED);
    /* one run on one side varies as the others do: sqrt(2.5 + 0.5), 4 degrees of freedom */
    assert_int_equal(kind_of(numbers(5, 10), numbers(1, 36.8), none), SQ_SHIFT_NONE);
    assert_int_equal(kind_of(numbers(5, 10), numbers(1, 37.0), none), SQ_SHIFT_MOVED);
    assert_int_equal(kind_of(numbers(1, 37.0), numbers(5, 10), none), SQ_SHIFT_MOVED);
}

static void moves_beyond_tolerance(void **state)
{
    (void)state;
    struct sq_tolerance share = { .relative = 0.8 }, amount = { .absolute = 8.1 };
    struct sq_tolerance off = { .off = true };
    assert_int_equal(kind_of(numbers(5, 10), numbers(5, 17.9), share), SQ_SHIFT_NONE);
    assert_int_equal(kind_of(numbers(5, 10), numbers(5, 18.1), share), SQ_SHIFT_MOVED);
    assert_int_equal(kind_of(numbers(5, 10), numbers(5, 18), amount), SQ_SHIFT_NONE);
    assert_int_equal(kind_of(numbers(5, 10), numbers(5, 18.2), amount), SQ_SHIFT_MOVED);
    assert_int_equal(kind_of(numbers(5, 10), numbers(5, 99), off), SQ_SHIFT_NONE);
}

static void single_runs(void **state)
{
    (void)state;
    struct sq_cell was = numbers(1, 100), is = numbers(1, 106);
    struct sq_shift_ask ask = { .metric = "drain.healthy_s",
                                .was = &was,
                                .is = &is,
                                .was_runs = 1,
                                .is_runs = 1,
                                .same_luck = true,
                                .tolerance = { .relative = 0.05 } };
    assert_int_equal(sq_shift_find(&ask).kind, SQ_SHIFT_MOVED);
    ask.same_luck = false;
    assert_int_equal(sq_shift_find(&ask).kind, SQ_SHIFT_OPEN);
    is = numbers(1, 104);
    assert_int_equal(sq_shift_find(&ask).kind, SQ_SHIFT_NONE);
    is = numbers(0, (double)NAN);
    ask.same_luck = true;
    assert_int_equal(sq_shift_find(&ask).kind, SQ_SHIFT_NULL);
}

/* Wilson at 95 %: 0 of 4 is [0, 0.490], 4 of 4 [0.510, 1]; 0 of 3 [0, 0.562], 3 of 3 [0.438, 1];
 * 0 of 20 [0, 0.161], 6 of 20 [0.145, ...], 7 of 20 [0.181, ...]. */
static void shares_of_runs(void **state)
{
    (void)state;
    static const struct {
        int64_t was, is;
        size_t runs;
        bool same_luck, shifts;
    } rows[] = {
        { 0, 4, 4, false, true },   { 0, 3, 3, false, false }, { 0, 3, 3, true, true },
        { 0, 2, 3, true, false },   { 0, 6, 20, true, false }, { 0, 7, 20, false, true },
        { 20, 13, 20, true, true }, { 3, 3, 3, true, false },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        double runs = (double)rows[i].runs;
        struct sq_cell share[2] = {
            { .spread = { .n = (int64_t)rows[i].runs, .mean = (double)rows[i].was / runs } },
            { .spread = { .n = (int64_t)rows[i].runs, .mean = (double)rows[i].is / runs } }
        };
        struct sq_word_count counts[2][2] = {
            { { "clears", (int64_t)rows[i].runs - rows[i].was }, { "stalled", rows[i].was } },
            { { "clears", (int64_t)rows[i].runs - rows[i].is }, { "stalled", rows[i].is } }
        };
        struct sq_cell words[2] = { { .words = counts[0], .word_count = 2 },
                                    { .words = counts[1], .word_count = 2 } };
        struct sq_shift_ask ask = { .metric = "outcome.p_collapse",
                                    .was = &share[0],
                                    .is = &share[1],
                                    .was_runs = rows[i].runs,
                                    .is_runs = rows[i].runs,
                                    .same_luck = rows[i].same_luck };
        assert_int_equal(sq_shift_find(&ask).kind, rows[i].shifts ? SQ_SHIFT_SHARE : SQ_SHIFT_NONE);
        ask.metric = "drain.state";
        ask.was = &words[0];
        ask.is = &words[1];
        assert_int_equal(sq_shift_find(&ask).kind, rows[i].shifts ? SQ_SHIFT_WORD : SQ_SHIFT_NONE);
    }
}

/* ---- chance alone ---- */

static double uniform(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*x >> 11) + 0.5) / 9007199254740992.0;
}

static struct sq_cell sample(uint64_t *x, size_t n, double power)
{
    double values[20];
    struct sq_cell cell = { .known = true };
    for (size_t i = 0; i < n; i++) {
        values[i] = 1 + pow(-log(uniform(x)), power);
    }
    assert_int_equal(sq_infer_spread(values, n, &cell.spread), SQ_OK);
    return cell;
}

/* Skewed and very skewed samples (exponential, its square): with no tolerance at all chance parts
 * fewer than 1 pair in 1,000. */
static void chance_alone(void **state)
{
    (void)state;
    uint64_t x = 20231105;
    static const size_t sizes[] = { 3, 5, 20 };
    for (size_t k = 0; k < SQ_COUNT(sizes); k++) {
        size_t shifts = 0;
        for (size_t i = 0; i < 20000; i++) {
            double power = i % 2 == 0 ? 1 : 2;
            struct sq_cell a = sample(&x, sizes[k], power), b = sample(&x, sizes[k], power);
            shifts += kind_of(a, b, (struct sq_tolerance){ 0 }) != SQ_SHIFT_NONE;
        }
        print_message("# %zu runs: %zu of 20000 pairs\n", sizes[k], shifts);
        assert_true(shifts < 20);
    }
}

static void sentences(void **state)
{
    (void)state;
    static const struct {
        struct sq_shift s;
        const char *text;
    } rows[] = {
        { { .kind = SQ_SHIFT_MOVED,
            .metric = "drain.queue_clear_s",
            .was = 161,
            .is = 250,
            .allowed = 8.05,
            .share = 0.05 },
          "drain.queue_clear_s 2m41s -> 4m10s (+55.3 %; 5 % allowed)" },
        { { .kind = SQ_SHIFT_MOVED, .metric = "jobs.lost", .was = 0, .is = 12, .allowed = 3 },
          "jobs.lost 0 -> 12 (3 allowed)" },
        { { .kind = SQ_SHIFT_MOVED, .metric = "jobs.lost", .was = 0, .is = 12 },
          "jobs.lost 0 -> 12" },
        { { .kind = SQ_SHIFT_NULL,
            .metric = "drain.healthy_s",
            .was = 1,
            .is = 0.25,
            .was_mean = 90,
            .is_mean = 600 },
          "drain.healthy_s 1m30s -> 10m in 25 % of the runs" },
        { { .kind = SQ_SHIFT_NULL, .metric = "drain.healthy_s", .was = 1, .is = 0, .was_mean = 90 },
          "drain.healthy_s 1m30s -> null" },
        { { .kind = SQ_SHIFT_WORD,
            .metric = "drain.state",
            .word = "stalled",
            .was = 0,
            .is = 0.8 },
          "drain.state stalled in 0 % -> 80 % of the runs" },
        { { .kind = SQ_SHIFT_SHARE, .metric = "outcome.p_collapse", .was = 0, .is = 1 },
          "outcome.p_collapse 0 % -> 100 % of the runs" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf b = { 0 };
        sq_shift_put(&rows[i].s, &b);
        assert_string_equal(b.text, rows[i].text);
        sq_buf_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_beyond_chance), cmocka_unit_test(moves_beyond_tolerance),
        cmocka_unit_test(single_runs),         cmocka_unit_test(shares_of_runs),
        cmocka_unit_test(chance_alone),        cmocka_unit_test(sentences),
    };
    sq_math_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
