/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When jobs arrive: every kind of arrivals as an iterator, without a world around it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/part/mdl_arrivals.h"
#include "tests/models/blocks.h"

#define S SQ_NS_PER_S

struct stage {
    struct blocks b;
    struct mdl_tables keep;
    struct sq_luck luck;
};

static void open_stage(struct stage *t, const char *yaml)
{
    *t = (struct stage){ 0 };
    if (blocks_bind(&t->b, &mdl_arrivals_family, yaml) != SQ_OK) {
        fail_msg("%s", blocks_complaints(&t->b));
    }
    t->keep.arena = &t->b.arena;
    t->luck = sq_luck_init(7, 1);
    assert_int_equal(mdl_dist_prepare(&t->b.table, &t->b.root, &t->keep), SQ_OK);
}

static struct mdl_arrivals open_arrivals(struct stage *t, const char *name)
{
    struct mdl_arrivals a;
    uint32_t stream = sq_luck_stream("p", "arrivals", NULL);
    assert_int_equal(mdl_arrivals_init(&a, blocks_get(&t->b, name), &t->luck, stream, &t->b.arena),
                     SQ_OK);
    return a;
}

/* The arrivals of source 0 before `until`, at most `size`. */
static size_t take(struct mdl_arrivals *a, sq_time_t until, sq_time_t *at, size_t size)
{
    size_t n = 0;
    for (sq_time_t t; n < size && (t = mdl_arrivals_next(a, 0)) < until; n++) {
        at[n] = t;
        assert_true(n == 0 || at[n] >= at[n - 1]);
    }
    return n;
}

static size_t between(const sq_time_t *at, size_t n, sq_time_t from, sq_time_t until)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += at[i] >= from && at[i] < until ? 1 : 0;
    }
    return count;
}

static void bursts(void **state)
{
    (void)state;
    struct stage t;
    static sq_time_t at[10000];
    open_stage(&t, "all:\n"
                   "  plain: {kind: bursts, size: 3, every: 10s}\n"
                   "  first: {kind: bursts, size: 3, every: 10s, first: 0s}\n"
                   "  over: {kind: bursts, size: 20, every: 10s, first: 5s, over: 4s}\n"
                   "  lapping: {kind: bursts, size: 50, every: 10s, over: 35s}\n"
                   "  random: {kind: bursts, size: 2, every: {kind: exponential, mean: 1s}}\n");
    struct mdl_arrivals a = open_arrivals(&t, "plain");
    assert_int_equal(take(&a, 40 * S, at, 100), 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(at[i], (sq_time_t)(i / 3 + 1) * 10 * S);
    }
    assert_true(fabs(mdl_arrivals_rate(&a, 0) - 0.3) < 1e-12);
    a = open_arrivals(&t, "first");
    assert_int_equal(take(&a, 40 * S, at, 100), 12);
    assert_int_equal(at[0], 0);
    assert_int_equal(at[3], 10 * S);
    a = open_arrivals(&t, "over"); /* batch b in [5 + 10 b, 9 + 10 b] */
    size_t n = take(&a, 1000 * S, at, 10000);
    assert_int_equal(n, 2000);
    for (sq_time_t b = 0; b < 100; b++) {
        assert_int_equal(between(at, n, (5 + 10 * b) * S, (9 + 10 * b) * S), 20);
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += sq_time_to_s(at[i] - (5 + 10 * (sq_time_t)(i / 20)) * S);
    }
    /* the mean of 2000 uniforms on 4 s: 4 standard errors are 4 * 4 / sqrt(12 * 2000) */
    assert_true(fabs(sum / 2000 - 2) < 0.104);
    /* Overlapping batches: 50 in the first 35 s of each, so that in the long run 50 in 10 s. */
    a = open_arrivals(&t, "lapping");
    n = take(&a, 1000 * S, at, 10000);
    assert_true(n > 4800 && n < 4950);
    assert_int_equal(between(at, n, 0, 10 * S), 0);
    size_t early = between(at, n, 10 * S, 20 * S); /* binomial: 50 with 10/35 */
    assert_true(early > 1 && early < 28);
    a = open_arrivals(&t, "random");
    n = take(&a, 2000 * S, at, 10000);
    assert_true(n % 2 == 0 && fabs((double)n - 4000) < 4 * 2 * sqrt(2000));
    for (size_t i = 0; i < n; i += 2) {
        assert_int_equal(at[i], at[i + 1]);
    }
    blocks_fini(&t.b);
}

/* The same batches come at the same instants however many jobs they have or how wide they are. */
static void bursts_keep_their_luck(void **state)
{
    (void)state;
    struct stage t;
    open_stage(
        &t,
        "all:\n"
        "  one: {kind: bursts, size: 1, every: {kind: gamma, mean: 10s, cv: 0.5}}\n"
        "  two: {kind: bursts, size: 2, every: {kind: gamma, mean: 10s, cv: 0.5}}\n"
        "  wide: {kind: bursts, size: 2, every: {kind: gamma, mean: 10s, cv: 0.5}, over: 1s}\n");
    static sq_time_t one[100], two[200], wide[200];
    struct mdl_arrivals a = open_arrivals(&t, "one"), b = open_arrivals(&t, "two");
    struct mdl_arrivals c = open_arrivals(&t, "wide");
    assert_int_equal(take(&a, SQ_NEVER, one, 100), 100);
    assert_int_equal(take(&b, SQ_NEVER, two, 200), 200);
    assert_int_equal(take(&c, SQ_NEVER, wide, 200), 200);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(two[2 * i], one[i]);
        assert_true(between(wide, 200, one[i], one[i] + S) >= 2);
    }
    blocks_fini(&t.b);
}

static void closed(void **state)
{
    (void)state;
    struct stage t;
    open_stage(&t,
               "all:\n"
               "  now: {kind: closed, population: 3, think: 2s, jobs_each: 2}\n"
               "  later: {kind: closed, population: 3, think: 2s, start: after-think}\n"
               "  random: {kind: closed, population: 500, think: {kind: exponential, mean: 9s}}\n"
               "  larger: {kind: closed, population: 900, think: {kind: exponential, mean: 9s}}\n"
               "  open: 5/s\n");
    assert_true(mdl_arrivals_is_closed(blocks_get(&t.b, "now")));
    assert_false(mdl_arrivals_is_closed(blocks_get(&t.b, "open")));
    struct mdl_arrivals a = open_arrivals(&t, "now");
    assert_int_equal(a.sources, 3);
    assert_int_equal(mdl_arrivals_next(&a, 1), 0);
    a.lasts[1] = 5 * S; /* its job ended */
    assert_int_equal(mdl_arrivals_next(&a, 1), 7 * S);
    a.lasts[1] = 9 * S;
    assert_true(mdl_arrivals_next(&a, 1) == SQ_NEVER);
    assert_int_equal(mdl_arrivals_next(&a, 2), 0);
    assert_true(fabs(mdl_arrivals_rate(&a, 0) - 1.5) < 1e-12);
    a = open_arrivals(&t, "later");
    assert_int_equal(mdl_arrivals_next(&a, 0), 2 * S);
    /* each member thinks by its own luck, whatever the others do and how many they are */
    a = open_arrivals(&t, "random");
    struct mdl_arrivals b = open_arrivals(&t, "larger");
    double sum = 0;
    for (uint32_t k = 0; k < 5; k++) {
        for (uint32_t i = 0; i < a.sources; i++) {
            a.lasts[i] = b.lasts[i] = 0;
            sq_time_t think = mdl_arrivals_next(&a, i);
            assert_int_equal(mdl_arrivals_next(&b, i), think);
            assert_true(k > 0 || think == 0);
            sum += sq_time_to_s(think);
        }
    }
    assert_true(fabs(sum / 2000 - 9) < 4 * 9 / sqrt(2000));
    blocks_fini(&t.b);
}

/* Ordinals are different for different jobs, lead back to the member and fit 48 bits. */
static void ordinals(void **state)
{
    (void)state;
    static const uint32_t members[] = { 0, 1, 65535, 65536, 65537, 1000000, MDL_MEMBERS_MAX - 1 };
    static const uint64_t ks[] = { 0, 1, 5, 0x7ffffe };
    uint64_t seen[64] = { 0 };
    size_t n = 0;
    for (size_t i = 0; i < SQ_COUNT(members); i++) {
        for (size_t k = 0; k < SQ_COUNT(ks); k++) {
            uint64_t o = mdl_member_ordinal(members[i], ks[k]);
            assert_int_equal(mdl_member_of(o), members[i]);
            seen[n++] = o;
        }
    }
    static const uint64_t loose[] = { 0, 1, UINT64_C(1) << 40 };
    for (size_t i = 0; i < SQ_COUNT(loose); i++) {
        seen[n++] = mdl_memberless_ordinal(loose[i]);
        assert_int_equal(mdl_member_of(seen[n - 1]), MDL_NO_MEMBER);
    }
    for (size_t i = 0; i < n; i++) {
        assert_true(seen[i] >> 48 == 0);
        for (size_t k = 0; k < i; k++) {
            assert_true(seen[i] != seen[k]);
        }
    }
    assert_int_equal(mdl_member_of(mdl_member_ordinal(3, UINT64_MAX)), 3);
    assert_int_equal(mdl_member_of(mdl_member_ordinal(70000, UINT64_MAX)), 70000);
}

/* A Poisson process with a varying rate: counts in pieces against the integral of the rate. */
static void varying(void **state)
{
    (void)state;
    struct stage t;
    static sq_time_t at[20000];
    open_stage(
        &t, "all:\n"
            "  linear: {kind: poisson, rate: {kind: linear, points: [[0s, 0/s], [100s, 100/s]]}}\n"
            "  daily: {kind: poisson, rate: {kind: daily, mean: 300/h, swing: 80%}}\n"
            "  even: {kind: regular, phase: same,\n"
            "         rate: {kind: linear, points: [[0s, 0/s], [100s, 100/s]]}}\n");
    struct mdl_arrivals a = open_arrivals(&t, "linear");
    size_t n = take(&a, 100 * S, at, 20000);
    for (sq_time_t k = 0; k < 10; k++) { /* 100 k + 50 in each tenth */
        double want = 100 * (double)k + 50;
        double got = (double)between(at, n, k * 10 * S, (k + 1) * 10 * S);
        assert_true(fabs(got - want) < 4 * sqrt(want));
    }
    a = open_arrivals(&t, "daily");
    n = take(&a, 86400 * S, at, 20000);
    assert_true(fabs((double)n - 7200) < 4 * sqrt(7200));
    /* six hours about the peak: 300 (6 + 0.8 * 24 / pi * sin(pi / 4)) */
    double want = 300 * (6 + 0.8 * 24 / acos(-1) * sqrt(0.5));
    double got = (double)between(at, n, 11 * 3600 * S, 17 * 3600 * S);
    assert_true(fabs(got - want) < 4 * sqrt(want));
    a = open_arrivals(&t, "even"); /* the n-th at 100 sqrt(n / 50 / 100) s */
    n = take(&a, 100 * S, at, 20000);
    assert_int_equal(n, 5000);
    for (size_t i = 0; i < n; i++) {
        assert_true(fabs(sq_time_to_s(at[i]) - 100 * sqrt((double)i / 5000)) < 1e-6);
    }
    blocks_fini(&t.b);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        { "all: {a: {kind: bursts, size: 3, every: 0s}}", "without time between" },
        { "all: {a: {kind: bursts, size: 3, every: 0s..0s}}", "without time between" },
        { "all: {a: {kind: bursts, size: 3, every: {kind: gamma, mean: 0s, cv: 1}}}", "between" },
        { "all: {a: {kind: bursts, every: 1s}}", "size" },
        { "all: {a: {kind: bursts, size: 3}}", "every" },
        { "all: {a: {kind: closed}}", "population" },
        { "all: {a: {kind: closed, population: 0}}", "below the minimum" },
        { "all: {a: {kind: closed, population: 10M}}", "above the maximum" },
        { "all: {a: {kind: closed, population: 1, jobs_each: 0}}", "below the minimum" },
        { "all: {a: {kind: closed, population: 1, start: never}}", "at-once" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct blocks b;
        assert_int_equal(blocks_bind(&b, &mdl_arrivals_family, rows[i].yaml), SQ_USER);
        if (strstr(blocks_complaints(&b), rows[i].says) == NULL) {
            fail_msg("%s: %s", rows[i].yaml, blocks_complaints(&b));
        }
        blocks_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts),  cmocka_unit_test(bursts_keep_their_luck),
        cmocka_unit_test(closed),  cmocka_unit_test(ordinals),
        cmocka_unit_test(varying), cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests_name("arrivals", tests, NULL, NULL);
}
