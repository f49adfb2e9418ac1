/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_evq.c - the event list: scripts of operations and answers, all small triples, many events
 * on one instant. test_evq_random.c compares it with a model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "sim/base/sq_limits.h"
#include "sim/core/sq_evq.h"

/* ---- scripts ----
 *
 * Words of a script, separated by blanks:
 *   +5.2a   post at time 5, rank 2, label a ("+*.2a": at SQ_NEVER)
 *   L7.2    open a lane of delay 7 and rank 2 (lanes count from 0)
 *   l0a     post label a on lane 0
 *   xa      label a dies
 *   ?abc    pops give a, b, c     ?-   pop gives nothing
 *   @5      now is 5 ("@*": SQ_NEVER)     #3   three entries are pending */
struct script {
    const char *about, *text;
};

static const struct script scripts[] = {
    { "an empty list has no event, and now stays", "?- @0 #0 ?- +5.0a #1 ?a #0 ?- @5" },
    { "time orders", "+30.0c +10.0a +20.0b ?abc @30" },
    { "at one time rank orders, then sequence", "+5.1c +5.0a +5.1d +5.0b ?abcd" },
    { "all ranks", "+5.15c +5.0a +5.14b ?abc" },
    { "never comes last, and may be posted at never", "+*.1c +*.0b +9.0a ?ab @* +*.0d ?dc ?-" },
    { "a post at now goes behind its own rank", "+5.1a +5.1b ?a +5.1c ?bc" },
    { "a post at now overtakes higher ranks", "+5.1a +5.2b +5.3d ?a +5.0x +5.2c ?xbcd" },
    { "posts at time zero", "+0.3c +0.1a +0.1b ?abc @0" },
    { "a post between two pending events", "+10.0a +30.0c ?a +20.0b ?bc" },
    { "times that differ in the highest byte",
      "+1.0a +4611686018427387904.0d +256.0b +72057594037927936.0c ?abcd" },
    { "the end of a slot and the start of the next",
      "+255.0a +256.0b +257.0c +511.0d +512.0e +65535.0f +65536.0g ?abcdefg" },
    { "a slot covers later posts", "+256.0a +300.0d ?a +257.0b +299.0c +511.0e ?bcde" },
    { "lane events keep their place by sequence", "L5.1 l0a +5.1b l0c +5.1d ?abcd" },
    { "lane heads at one instant mix with others by rank",
      "L5.2 L5.0 l0c l0d +5.1b l1a +5.2e ?abcde" },
    { "lane rests wait for time", "L5.0 l0b +3.0a ?a l0d +7.0c ?bcd @8" },
    { "a lane without delay", "L0.1 +0.1a l0b +0.1c l0d +0.0e ?eabcd" },
    { "a lane of delay never", "L9223372036854775807.0 +3.0a l0b ?a l0c ?bc @*" },
    { "equal lanes are one", "L5.0 L5.0 L5.1 l0a l1c l0b l1d ?abcd" },
    { "lane heads that come late at their instant go before younger ones",
      "L5.1 l0a l0b l0c +5.1d +5.1e ?abcde" },
    { "several lanes late at one instant", "L5.1 L4.1 +1.1x l0a l0b ?x l1c l1d +5.1e l1f ?abcdef" },
    { "a dead head lets its lane go on", "L5.0 l0a l0b l0c xa xb ?c #0 ?-" },
    { "dead ones do not come", "+5.0a +6.0b +7.0c xb ?ac ?-" },
    { "only dead ones: nothing comes and now stays", "+1.0a ?a +500.0b xb ?- @1 +2.0c ?c @2" },
    { "after only dead ones, posts before their time", "+900.0a xa ?- +5.0c +3.0b +900.0d ?bcd" },
};

enum { LABELS = 128 };

struct player {
    struct sq_evq *q;
    const char *s;
    bool dead[LABELS];
};

static bool player_alive(const void *ctx, const struct sq_event *e)
{
    const struct player *p = ctx;
    return !p->dead[e->load];
}

static sq_time_t read_time(struct player *p)
{
    if (*p->s == '*') {
        p->s++;
        return SQ_NEVER;
    }
    char *end;
    sq_time_t t = strtoll(p->s, &end, 10);
    assert_true(end > p->s);
    p->s = end;
    return t;
}

static unsigned read_rank(struct player *p)
{
    assert_true(*p->s == '.');
    p->s++;
    return (unsigned)read_time(p);
}

static void play_pops(struct player *p, const char *about)
{
    struct sq_event e;
    for (; *p->s && *p->s != ' '; p->s++) {
        bool got = sq_evq_pop(p->q, &e);
        char want = *p->s == '-' ? '-' : *p->s;
        char have = got ? (char)e.load : '-';
        if (have != want) {
            fail_msg("%s: %c came, not %c", about, have, want);
        }
    }
}

static void play_word(struct player *p, const char *about)
{
    sq_time_t at;
    unsigned rank;
    char op = *p->s++;
    switch (op) {
    case '+':
        at = read_time(p);
        rank = read_rank(p);
        assert_true(sq_evq_push(p->q, at, rank, (uint64_t)*p->s++) > 0);
        break;
    case 'L':
        at = read_time(p);
        assert_true(sq_evq_lane(p->q, at, read_rank(p)) >= 0);
        break;
    case 'l':
        rank = (unsigned)(*p->s++ - '0');
        assert_true(sq_evq_push_lane(p->q, (int)rank, (uint64_t)*p->s++) > 0);
        break;
    case 'x':
        p->dead[(unsigned char)*p->s++] = true;
        sq_evq_stale(p->q);
        break;
    case '?':
        play_pops(p, about);
        break;
    case '@':
        assert_int_equal(sq_evq_now(p->q), read_time(p));
        break;
    case '#':
        assert_int_equal(sq_evq_pending(p->q), read_time(p));
        break;
    default:
        fail_msg("%s: no operation %c", about, op);
    }
}

static void test_scripts(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(scripts); i++) {
        struct player p = { .s = scripts[i].text };
        p.q = sq_evq_open(player_alive, &p);
        assert_non_null(p.q);
        while (*p.s) {
            play_word(&p, scripts[i].about);
            p.s += *p.s == ' ';
        }
        assert_false(sq_evq_failed(p.q));
        sq_evq_close(p.q);
    }
}

/* ---- numbers and lanes ---- */

static void test_sequence(void **state)
{
    (void)state;
    struct sq_evq *q = sq_evq_open(NULL, NULL);
    struct sq_event e;
    assert_int_equal(sq_evq_push(q, 9, 15, 70), 1);
    int lane = sq_evq_lane(q, 4, 3);
    assert_int_equal(sq_evq_push_lane(q, lane, 71), 2);
    assert_int_equal(sq_evq_push_lane(q, lane, 72), 3);
    assert_int_equal(sq_evq_push(q, 0, 0, UINT64_MAX), 4);
    static const struct {
        sq_time_t at;
        unsigned rank;
        uint64_t seq, load;
    } want[] = { { 0, 0, 4, UINT64_MAX }, { 4, 3, 2, 71 }, { 4, 3, 3, 72 }, { 9, 15, 1, 70 } };
    for (size_t i = 0; i < SQ_COUNT(want); i++) {
        assert_true(sq_evq_pop(q, &e));
        assert_int_equal(e.at, want[i].at);
        assert_int_equal(sq_event_rank(&e), want[i].rank);
        assert_int_equal(sq_event_seq(&e), want[i].seq);
        assert_true(e.load == want[i].load);
        assert_int_equal(sq_evq_now(q), want[i].at);
    }
    sq_evq_close(q);
}

static void test_lane_limit(void **state)
{
    (void)state;
    struct sq_evq *q = sq_evq_open(NULL, NULL);
    for (int i = 0; i < SQ_MAX_LANES; i++) {
        assert_int_equal(sq_evq_lane(q, 1000 - i, (unsigned)i % SQ_EVQ_RANKS), i);
    }
    assert_int_equal(sq_evq_lane(q, 5000, 0), -1);
    assert_int_equal(sq_evq_lane(q, 1000, 0), 0);
    for (int i = 0; i < SQ_MAX_LANES; i++) {
        sq_evq_push_lane(q, i, (uint64_t)i);
    }
    struct sq_event e;
    for (int i = SQ_MAX_LANES - 1; i >= 0; i--) {
        assert_true(sq_evq_pop(q, &e));
        assert_int_equal(e.load, i);
    }
    sq_evq_close(q);
}

static void pop_load(struct sq_evq *q, uint64_t load)
{
    struct sq_event e;
    assert_true(sq_evq_pop(q, &e));
    assert_true(e.load == load);
}

/* Moves now. */
static void pass_time(struct sq_evq *q, sq_time_t until)
{
    (void)sq_evq_push(q, until, 0, UINT64_MAX);
    pop_load(q, UINT64_MAX);
}

/* All lanes have an event at 2000 and the next at 2001. When the heads have left, the second ones
 * enter at 2001 behind younger posts, which makes the run as long as it can be. */
static void test_late_heads(void **state)
{
    (void)state;
    enum { YOUNGER = 50, LAST = SQ_MAX_LANES - 1 };
    struct sq_evq *q = sq_evq_open(NULL, NULL);
    for (int i = 0; i <= LAST; i++) {
        (void)sq_evq_lane(q, 1000 - i, 7);
    }
    for (int i = 0; i <= SQ_MAX_LANES; i++) {
        pass_time(q, 1000 + i);
        if (i <= LAST) {
            (void)sq_evq_push_lane(q, i, (uint64_t)i);
        }
        if (i > 0) {
            (void)sq_evq_push_lane(q, i - 1, (uint64_t)(SQ_MAX_LANES + i - 1));
        }
    }
    for (int i = 0; i < YOUNGER; i++) {
        (void)sq_evq_push(q, 2001, 7, (uint64_t)(2 * SQ_MAX_LANES + i));
    }
    for (int i = 0; i < 2 * SQ_MAX_LANES + YOUNGER; i++) {
        pop_load(q, (uint64_t)i);
        assert_int_equal(sq_evq_now(q), i < SQ_MAX_LANES ? 2000 : 2001);
    }
    sq_evq_close(q);
}

/* Posts into the times that the run covers, more than it takes, without a pop between. */
static void test_spill(void **state)
{
    (void)state;
    enum { N = 251 };
    struct sq_evq *q = sq_evq_open(NULL, NULL);
    pass_time(q, 4096);
    for (int i = 0; i < N; i++) {
        int k = i * 100 % N;
        (void)sq_evq_push(q, 4097 + k, 1, (uint64_t)k);
    }
    for (uint64_t i = 0; i < N; i++) {
        pop_load(q, i);
    }
    sq_evq_close(q);
}

static void post_range(struct sq_evq *q, sq_time_t from, sq_time_t to)
{
    for (sq_time_t at = from; at < to; at++) {
        (void)sq_evq_push(q, at, 1, (uint64_t)at);
    }
}

static void pop_range(struct sq_evq *q, uint64_t from, uint64_t to)
{
    for (uint64_t at = from; at < to; at++) {
        pop_load(q, at);
    }
}

/* The second spill comes when now has reached the 256 ns whose later part the first one put away:
 * the cursor must stay where it is, or what follows goes to a finer level than what is there. */
static void test_second_spill(void **state)
{
    (void)state;
    struct sq_evq *q = sq_evq_open(NULL, NULL);
    pass_time(q, 0x120000);
    (void)sq_evq_push(q, 0x123f80, 1, 0);
    post_range(q, 0x124000, 0x12401f);
    post_range(q, 0x124050, 0x124078);
    pop_load(q, 0);
    pop_load(q, 0x124000);
    post_range(q, 0x12401f, 0x124050);
    post_range(q, 0x124078, 0x1240f0);
    pop_range(q, 0x124001, 0x1240f0);
    sq_evq_close(q);
}

/* ---- the order ---- */

struct key {
    sq_time_t at;
    unsigned rank;
};

static bool key_less(const struct key *k, size_t a, size_t b)
{
    if (k[a].at != k[b].at) {
        return k[a].at < k[b].at;
    }
    return k[a].rank != k[b].rank ? k[a].rank < k[b].rank : a < b;
}

static void check_triple(const struct key *k)
{
    struct sq_evq *q = sq_evq_open(NULL, NULL);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(sq_evq_push(q, k[i].at, k[i].rank, i), i + 1);
    }
    bool seen[3] = { false };
    size_t last = 0;
    for (size_t i = 0; i < 3; i++) {
        struct sq_event e;
        assert_true(sq_evq_pop(q, &e));
        assert_false(seen[e.load]);
        seen[e.load] = true;
        assert_true(i == 0 || key_less(k, last, e.load));
        last = e.load;
    }
    sq_evq_close(q);
}

/* All triples of a few keys, ties among them: what comes is a permutation in the one total order.
 */
static void test_triples(void **state)
{
    (void)state;
    static const sq_time_t ats[] = { 0, 1, 256, SQ_NEVER };
    static const unsigned ranks[] = { 0, 1, 15 };
    enum { KEYS = 12 };
    for (int i = 0; i < KEYS * KEYS * KEYS; i++) {
        struct key k[3];
        for (int j = 0, n = i; j < 3; j++, n /= KEYS) {
            k[j] = (struct key){ ats[n % KEYS / 3], ranks[n % 3] };
        }
        check_triple(k);
    }
}

/* A million events on one instant, half of them posted when it is there. Anything but linear work
 * would not end within the patience of whoever waits for the tests. */
static void test_one_instant(void **state)
{
    (void)state;
    enum { HALF = 500000 };
    struct sq_evq *q = sq_evq_open(NULL, NULL);
    struct sq_event e;
    for (unsigned i = 0; i < HALF; i++) {
        (void)sq_evq_push(q, 123456789, i * 7 % SQ_EVQ_RANKS, i);
    }
    (void)sq_evq_push(q, 123456789, 0, 0);
    (void)sq_evq_push(q, 1, 0, 0);
    assert_true(sq_evq_pop(q, &e));
    assert_true(sq_evq_pop(q, &e));
    for (unsigned i = 0; i < HALF; i++) {
        (void)sq_evq_push(q, 123456789, i * 5 % SQ_EVQ_RANKS, i);
    }
    uint64_t last = e.order;
    for (unsigned i = 0; i < 2 * HALF; i++) {
        assert_true(sq_evq_pop(q, &e));
        assert_true(e.at == 123456789 && e.order > last);
        last = e.order;
    }
    assert_false(sq_evq_pop(q, &e));
    sq_evq_close(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scripts),    cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_lane_limit), cmocka_unit_test(test_late_heads),
        cmocka_unit_test(test_spill),      cmocka_unit_test(test_second_spill),
        cmocka_unit_test(test_triples),    cmocka_unit_test(test_one_instant),
    };
    return cmocka_run_group_tests_name("evq", tests, NULL, NULL);
}
