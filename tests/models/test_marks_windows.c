/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_marks_windows.c - failures in windows of any length, against the definition summed anew for
 * every bin: with a failure share of 0, a bin is unhealthy when 20 tries of one lane failed in the
 * window that starts with it, cut at the end. */
#include "models/mdl_marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { BINS = 700, LANES = 2, ENOUGH = 20 };

struct story {
    uint32_t failed[BINS][LANES];
};

/* Calm, with some busy stretches; a small generator of its own (Knuth, MMIX). */
static void make(struct story *s, uint64_t seed)
{
    for (size_t k = 0; k < BINS; k++) {
        for (size_t lane = 0; lane < LANES; lane++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bool busy = k / 50 % 4 == lane;
            s->failed[k][lane] = (uint32_t)(seed >> 60) < (busy ? 9 : 1) ? 1 + (seed >> 40 & 3) : 0;
        }
    }
}

static bool is_bad(const struct story *s, size_t from, size_t span)
{
    for (size_t lane = 0; lane < LANES; lane++) {
        uint64_t failed = 0;
        for (size_t k = from; k < BINS && k < from + span; k++) {
            failed += s->failed[k][lane];
        }
        if (failed >= ENOUGH) {
            return true;
        }
    }
    return false;
}

/* T2 by its words: from it on fewer than 1 % of the bins are unhealthy, and none of the last
 * `settle`. Of the bin that T1 cuts, the window starts with the next. */
static sq_time_t t2_of(const struct story *s, size_t span, size_t settle, sq_time_t t1)
{
    size_t first = (size_t)(t1 / SQ_NS_PER_S), bad = 0;
    sq_time_t t2 = SQ_NEVER;
    for (size_t k = BINS; k-- > first;) {
        bool cut = (sq_time_t)k * SQ_NS_PER_S < t1;
        bool unhealthy = is_bad(s, cut ? k + 1 : k, span);
        bad += unhealthy;
        if (unhealthy && k + 1 > BINS - settle) {
            return SQ_NEVER;
        }
        if (100 * bad < BINS - k) {
            t2 = cut ? t1 : (sq_time_t)k * SQ_NS_PER_S;
        }
    }
    return t2;
}

static sq_time_t judged(const struct story *s, size_t span, size_t settle, sq_time_t t1)
{
    struct mdl_marks m;
    struct sq_arena arena = { 0 };
    struct mdl_marks_ask ask = { .bin = SQ_NS_PER_S,
                                 .window = (sq_time_t)span * SQ_NS_PER_S,
                                 .settle = (sq_time_t)settle * SQ_NS_PER_S,
                                 .t1 = t1,
                                 .longest = BINS * SQ_NS_PER_S,
                                 .failure_share = 0,
                                 .backlog = 20,
                                 .dependency_count = LANES };
    assert_int_equal(mdl_marks_init(&m, &ask, &arena), SQ_OK);
    mdl_marks_baseline(&m, 0, 0);
    for (size_t k = 0; k < BINS; k++) {
        for (size_t lane = 0; lane < LANES; lane++) {
            for (uint32_t i = 0; i < s->failed[k][lane]; i++) {
                mdl_marks_try(&m, lane, true);
            }
        }
        mdl_marks_bin(&m, (struct mdl_bin_sums){ 1, 1, 1, 1 });
    }
    mdl_marks_judge(&m, BINS * SQ_NS_PER_S, false);
    sq_time_t t2 = m.t2;
    mdl_marks_fini(&m);
    sq_arena_fini(&arena);
    return t2;
}

static void windows(void **state)
{
    (void)state;
    static const size_t spans[] = { 1, 2, 3, 7, 30, 90, 699, 700, 5000 };
    static const sq_time_t t1s[] = { 0,
                                     1,
                                     100 * SQ_NS_PER_S,
                                     100 * SQ_NS_PER_S + SQ_NS_PER_S / 2,
                                     600 * SQ_NS_PER_S,
                                     699 * SQ_NS_PER_S + 1 };
    size_t found = 0, all = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct story s;
        make(&s, seed);
        for (size_t i = 0; i < SQ_COUNT(spans); i++) {
            for (size_t k = 0; k < SQ_COUNT(t1s); k++) {
                size_t settle = seed % 2 == 0 ? 10 : 90;
                sq_time_t want = t2_of(&s, spans[i], settle, t1s[k]);
                assert_int_equal(judged(&s, spans[i], settle, t1s[k]), want);
                found += want != SQ_NEVER;
                all++;
            }
        }
    }
    assert_in_range(found, all / 10, all - all / 10); /* both outcomes were met */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(windows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
