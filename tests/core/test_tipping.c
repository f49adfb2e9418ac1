/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_tipping.c - the search for a limit, against limits that are known: Erlang's loss formula and
 * its published tables, and made-up curves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "sim/core/sq_tipping.h"

/* Erlang B by its recursion. */
static double loss(double erlang, int servers)
{
    double b = 1;
    for (int c = 1; c <= servers; c++) {
        b = erlang * b / (c + erlang * b);
    }
    return b;
}

struct station {
    double erlang, most; /* loss that is allowed */
    int servers;
    size_t tries;
};

static enum sq_status try_servers(void *ctx, double value, struct sq_trial *out)
{
    struct station *s = ctx;
    assert_true(value == floor(value)); /* integers stay integers */
    s->tries++;
    out->holds = loss(s->erlang, (int)value) <= s->most;
    return SQ_OK;
}

static enum sq_status try_erlang(void *ctx, double value, struct sq_trial *out)
{
    struct station *s = ctx;
    s->tries++;
    out->holds = loss(value, s->servers) <= s->most;
    return SQ_OK;
}

static struct sq_tipping find(const struct sq_tipping_ask *ask, sq_tipping_try *try_one, void *ctx,
                              struct sq_arena *arena)
{
    struct sq_tipping t = { 0 };
    assert_int_equal(sq_tipping_find(ask, try_one, ctx, arena, &t), SQ_OK);
    for (size_t i = 1; i < t.count; i++) {
        assert_true(t.trials[i - 1].value < t.trials[i].value);
    }
    return t;
}

/* Servers that lose at most 1 %: 10 erlang need 18, 100 need 117 (tables of the loss formula). */
static void servers_of_erlang_b(void **state)
{
    (void)state;
    static const struct {
        double erlang;
        int servers;
    } rows[] = { { 10, 18 }, { 100, 117 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_arena arena = { 0 };
        struct station s = { .erlang = rows[i].erlang, .most = 0.01 };
        struct sq_tipping_ask ask = { .lo = 1, .hi = 200, .whole = true, .within = 0, .looks = 5 };
        struct sq_tipping t = find(&ask, try_servers, &s, &arena);
        assert_int_equal(t.state, SQ_TIPPING_FOUND);
        assert_false(t.holds_low);
        assert_int_equal(t.switches, 1);
        assert_true(sq_tipping_holds(&t)->value == rows[i].servers);
        assert_true(sq_tipping_fails(&t)->value == rows[i].servers - 1);
        assert_in_range(s.tries, 5, 16);
        assert_int_equal(s.tries, t.count);
        sq_arena_fini(&arena);
    }
}

/* Traffic that loses at most 1 % and 2 %: the tables give 12.03 erlang for 20 servers, 5.084 for
 * 10. */
static void traffic_of_erlang_b(void **state)
{
    (void)state;
    static const struct {
        int servers;
        double most, erlang;
    } rows[] = { { 20, 0.01, 12.03 }, { 10, 0.02, 5.084 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_arena arena = { 0 };
        struct station s = { .servers = rows[i].servers, .most = rows[i].most };
        struct sq_tipping_ask ask = { .lo = 0.1, .hi = 40, .within = 1e-4, .looks = 5 };
        struct sq_tipping t = find(&ask, try_erlang, &s, &arena);
        double holds = sq_tipping_holds(&t)->value, fails = sq_tipping_fails(&t)->value;
        assert_true(t.holds_low);
        assert_true(holds < fails);
        assert_true(fails - holds <= 1e-4 * fails);
        assert_true(fabs(holds - rows[i].erlang) < 0.01);
        assert_true(sq_tipping_margin(&t, holds / 2) == 0.5);
        assert_true(sq_tipping_margin(&t, 2 * holds) == -1);
        sq_arena_fini(&arena);
    }
}

/* Holds outside of [lo, hi). */
struct gap {
    double lo, hi;
};

static enum sq_status try_gap(void *ctx, double value, struct sq_trial *out)
{
    const struct gap *g = ctx;
    out->holds = value < g->lo || value >= g->hi;
    return SQ_OK;
}

static void no_limit(void **state)
{
    (void)state;
    struct sq_arena arena = { 0 };
    struct sq_tipping_ask ask = { .lo = 10, .hi = 20, .within = 0.01, .looks = 5 };
    struct gap above = { 30, 40 }, all = { 0, 40 };
    struct sq_tipping t = find(&ask, try_gap, &above, &arena);
    assert_int_equal(t.state, SQ_TIPPING_ALWAYS);
    assert_int_equal(t.count, 5); /* nothing is halved */
    assert_true(isnan(sq_tipping_margin(&t, 15)));
    t = find(&ask, try_gap, &all, &arena);
    assert_int_equal(t.state, SQ_TIPPING_NEVER);
    sq_arena_fini(&arena);
}

/* Halving alone, which sees that both ends hold, or the lower holds and the upper fails, would not
 * notice. */
static void not_monotone(void **state)
{
    (void)state;
    struct sq_arena arena = { 0 };
    struct sq_tipping_ask ask = { .lo = 0, .hi = 100, .whole = true, .within = 0, .looks = 5 };
    struct gap g = { 33, 66 };
    struct sq_tipping t = find(&ask, try_gap, &g, &arena);
    assert_int_equal(t.state, SQ_TIPPING_FOUND);
    assert_int_equal(t.switches, 2);
    assert_true(t.holds_low); /* the edge of the part that begins at the lower end */
    assert_true(sq_tipping_holds(&t)->value == 32);
    assert_true(sq_tipping_fails(&t)->value == 33);
    sq_arena_fini(&arena);
}

/* Shares that rise where they should fall, by more than their intervals allow. */
static enum sq_status try_shares(void *ctx, double value, struct sq_trial *out)
{
    (void)ctx;
    out->holds = value < 50;
    out->held_lo = value < 20 ? 0.1 : value < 50 ? 0.6 : 0.0;
    out->held_hi = out->held_lo + 0.2;
    return SQ_OK;
}

static void against(void **state)
{
    (void)state;
    struct sq_arena arena = { 0 };
    struct sq_tipping_ask ask = { .lo = 0, .hi = 100, .whole = true, .within = 0.5, .looks = 5 };
    struct sq_tipping t = find(&ask, try_shares, NULL, &arena);
    assert_int_equal(t.switches, 1);
    /* 0 is worse than 25 by more than chance, and than whatever else lies between 20 and 50 */
    size_t better = 0;
    for (size_t i = 0; i < t.count; i++) {
        better += t.trials[i].value >= 20 && t.trials[i].value < 50;
    }
    assert_int_equal(t.against, better);
    sq_arena_fini(&arena);
}

/* The first look goes along a wide range by equal factors, and values are as round as may be. */
static void round_and_wide(void **state)
{
    (void)state;
    struct sq_arena arena = { 0 };
    struct sq_tipping_ask ask = { .lo = 1, .hi = 10000, .whole = true, .within = 1, .looks = 5 };
    struct gap above = { 1e9, 1e9 };
    struct sq_tipping t = find(&ask, try_gap, &above, &arena);
    static const double looks[] = { 1, 10, 100, 1000, 10000 };
    assert_int_equal(t.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_true(t.trials[i].value == looks[i]);
    }
    struct sq_tipping_ask even = { .lo = 0, .hi = 1, .within = 1, .looks = 4 };
    t = find(&even, try_gap, &above, &arena);
    assert_true(t.trials[1].value == 0.33);
    assert_true(t.trials[2].value == 0.67);
    sq_arena_fini(&arena);
}

static enum sq_status refuse(void *ctx, double value, struct sq_trial *out)
{
    (void)out;
    ++*(size_t *)ctx;
    return value > 1 ? SQ_USER : SQ_OK;
}

/* The ends come first, so that a range that cannot be is refused before anything long. */
static void ends_first(void **state)
{
    (void)state;
    struct sq_arena arena = { 0 };
    struct sq_tipping t = { 0 };
    struct sq_tipping_ask ask = { .lo = 1, .hi = 2, .within = 0.1, .looks = 9 };
    size_t tries = 0;
    assert_int_equal(sq_tipping_find(&ask, refuse, &tries, &arena, &t), SQ_USER);
    assert_int_equal(tries, 2);
    sq_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_of_erlang_b),
        cmocka_unit_test(traffic_of_erlang_b),
        cmocka_unit_test(no_limit),
        cmocka_unit_test(not_monotone),
        cmocka_unit_test(against),
        cmocka_unit_test(round_and_wide),
        cmocka_unit_test(ends_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
