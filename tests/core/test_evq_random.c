/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_evq_random.c - the event list against a sorted array, under mixtures of random operations
 * with fixed seeds: every pop is compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/sq_evq.h"

enum op { POST, POST_ROUND, POST_NOW, POST_LANE, KILL, POP, OPS };

/* A mixture: how often each operation comes, against the sum of all. Posts cease above `top`
 * pending events and pops cease below `floor`, so the size swings between both. */
struct mix {
    const char *name;
    int weight[OPS];
    size_t floor, top;
    unsigned span_bits_min, span_bits_max; /* delays are below 2^bits, bits drawn anew each time */
    unsigned steps;
};

static const struct mix mixes[] = {
    { "hold", { [POST] = 1, [POP] = 1 }, 900, 1000, 30, 30, 30000 },
    { "hold, few", { [POST] = 1, [POP] = 1 }, 0, 5, 3, 40, 30000 },
    { "every scale of time", { [POST] = 1, [POP] = 1 }, 100, 3000, 0, 62, 30000 },
    { "the near future", { [POST] = 1, [POP] = 1 }, 100, 3000, 1, 12, 30000 },
    { "storms of equal times", { [POST] = 1, [POST_ROUND] = 9, [POP] = 9 }, 0, 3000, 4, 20, 30000 },
    { "storms far away", { [POST_ROUND] = 5, [POP] = 5 }, 50, 2000, 20, 44, 30000 },
    { "chains at one instant",
      { [POST] = 2, [POST_ROUND] = 2, [POST_NOW] = 12, [POP] = 15 },
      0,
      2000,
      2,
      16,
      30000 },
    { "lanes", { [POST] = 2, [POST_LANE] = 6, [POP] = 7 }, 0, 3000, 0, 8, 30000 },
    { "lanes and ties",
      { [POST_ROUND] = 3, [POST_NOW] = 1, [POST_LANE] = 9, [POP] = 11 },
      0,
      1000,
      3,
      5,
      30000 },
    { "cancels", { [POST] = 8, [POST_ROUND] = 2, [KILL] = 7, [POP] = 3 }, 0, 4000, 8, 40, 40000 },
    { "cancelled lanes",
      { [POST] = 1, [POST_LANE] = 9, [KILL] = 8, [POP] = 2 },
      0,
      4000,
      2,
      12,
      40000 },
    { "everything",
      { [POST] = 4, [POST_ROUND] = 4, [POST_NOW] = 3, [POST_LANE] = 6, [KILL] = 7, [POP] = 9 },
      0,
      4000,
      0,
      34,
      50000 },
    { "drained often",
      { [POST] = 4, [POST_ROUND] = 1, [POST_LANE] = 2, [KILL] = 3, [POP] = 9 },
      0,
      200,
      0,
      62,
      40000 },
};

/* Delays of the lanes, of ranks 0, 1, 2 in turn; 7 comes with two ranks, the last one saturates. */
static const sq_time_t lane_delays[] = { 0, 1, 7, 7, 8, 100, 255, 256, 4096, 1 << 20, SQ_NEVER };

enum state { LIVING, DEAD, POPPED };

struct model {
    uint32_t *sorted;         /* sequences; sorted[head..end) are pending, dead ones included */
    struct sq_event *event;   /* by sequence */
    size_t head, end, living; /* `end` counts all posts, as sequences do */
    enum state *state;        /* by sequence */
    uint64_t random;
    const struct mix *mix;
    struct sq_evq *q;
    bool knows_dead; /* the list was given `alive` */
    uint64_t digest; /* of all living events that were popped */
};

static uint64_t draw(struct model *m)
{
    uint64_t z = m->random += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool model_alive(const void *ctx, const struct sq_event *e)
{
    const struct model *m = ctx;
    SQ_ASSERT(e->load == ~sq_event_seq(e));
    return m->state[sq_event_seq(e)] == LIVING;
}

static bool comes_before(const struct sq_event *a, const struct sq_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void model_insert(struct model *m, sq_time_t at, unsigned rank, uint64_t seq)
{
    struct sq_event e = { at, ((uint64_t)rank << SQ_EVQ_SEQ_BITS | seq) << SQ_EVQ_LANE_BITS, ~seq };
    m->event[seq] = e;
    size_t lo = m->head;
    size_t hi = m->end;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (comes_before(&m->event[m->sorted[mid]], &e)) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    memmove(&m->sorted[lo + 1], &m->sorted[lo], (m->end - lo) * sizeof(*m->sorted));
    m->sorted[lo] = (uint32_t)seq;
    m->end++;
    m->living++;
}

static sq_time_t random_delay(struct model *m)
{
    unsigned lo = m->mix->span_bits_min;
    unsigned bits = lo + (unsigned)(draw(m) % (m->mix->span_bits_max - lo + 1));
    return (sq_time_t)(draw(m) & (((uint64_t)1 << bits) - 1));
}

/* Ranks are mostly few, so that sequence decides often. */
static unsigned random_rank(struct model *m)
{
    uint64_t r = draw(m);
    return (unsigned)(r & 16 ? r & 1 : r & 15);
}

static void do_post(struct model *m, sq_time_t at)
{
    unsigned rank = random_rank(m);
    uint64_t seq = sq_evq_push(m->q, at, rank, ~((uint64_t)m->end + 1));
    assert_int_equal(seq, m->end + 1);
    model_insert(m, at, rank, seq);
}

static void do_post_lane(struct model *m)
{
    int lane = (int)(draw(m) % SQ_COUNT(lane_delays));
    uint64_t seq = sq_evq_push_lane(m->q, lane, ~((uint64_t)m->end + 1));
    assert_int_equal(seq, m->end + 1);
    sq_time_t at = sq_time_add(sq_evq_now(m->q), lane_delays[lane]);
    model_insert(m, at, (unsigned)lane % 3, seq);
}

/* Kills one of the younger events, if the dart hits a living one. It aims by sequence, not by
 * place, because the places depend on which of the dead are still there. */
static void do_kill(struct model *m)
{
    size_t range = m->end < 4 * m->living ? m->end : 4 * m->living;
    if (range == 0) {
        return;
    }
    enum state *s = &m->state[m->end - draw(m) % range];
    if (*s == LIVING) {
        *s = DEAD;
        m->living--;
        sq_evq_stale(m->q);
    }
}

/* The list must give exactly what the model has first. */
static void pop_first(struct model *m, struct sq_event *e)
{
    assert_true(sq_evq_pop(m->q, e));
    assert_memory_equal(e, &m->event[m->sorted[m->head]], sizeof(*e));
    assert_int_equal(sq_evq_now(m->q), e->at);
    m->head++;
}

/* Pops the next living event. A list that knows the dead skips them; else they come as well, and
 * no pop is tried when only such are left, because it would move now. */
static void do_pop(struct model *m)
{
    struct sq_event e;
    while (m->head < m->end && m->state[m->sorted[m->head]] == DEAD) {
        if (m->knows_dead) {
            m->head++;
        } else if (m->living > 0) {
            pop_first(m, &e);
        } else {
            return;
        }
    }
    if (m->living > 0) {
        pop_first(m, &e);
        m->state[sq_event_seq(&e)] = POPPED;
        m->living--;
        m->digest = (m->digest ^ (uint64_t)e.at ^ e.order) * UINT64_C(0x100000001b3);
    } else if (m->knows_dead) {
        assert_false(sq_evq_pop(m->q, &e));
        assert_int_equal(sq_evq_pending(m->q), 0);
    }
}

static void do_step(struct model *m)
{
    const struct mix *mix = m->mix;
    sq_time_t now = sq_evq_now(m->q);
    int total = 0;
    for (int i = 0; i < OPS; i++) {
        total += mix->weight[i];
    }
    int dart = (int)(draw(m) % (uint64_t)total);
    int op = 0;
    while (dart >= mix->weight[op]) {
        dart -= mix->weight[op++];
    }
    if (op == POP ? m->living < mix->floor : op != KILL && m->living > mix->top) {
        op = op == POP ? POST : POP;
    }
    sq_time_t delay = random_delay(m);
    switch ((enum op)op) {
    case POST:
        do_post(m, sq_time_add(now, delay));
        break;
    case POST_ROUND: /* the next few multiples of a power of two: everybody's favourites */
        do_post(m, sq_time_add(now, delay) | (((sq_time_t)1 << mix->span_bits_max) - 1));
        break;
    case POST_NOW:
        do_post(m, now);
        break;
    case POST_LANE:
        do_post_lane(m);
        break;
    case KILL:
        do_kill(m);
        break;
    case POP:
    case OPS:
        do_pop(m);
        break;
    }
    assert_true(sq_evq_pending(m->q) >= m->living);
}

static uint64_t run_mix(const struct mix *mix, uint64_t seed, bool knows_dead)
{
    struct model m = { .random = seed, .mix = mix, .knows_dead = knows_dead };
    m.sorted = calloc(mix->steps + 1, sizeof(*m.sorted));
    m.event = calloc(mix->steps + 2, sizeof(*m.event));
    m.state = calloc(mix->steps + 2, sizeof(*m.state));
    m.q = sq_evq_open(knows_dead ? model_alive : NULL, &m);
    assert_true(m.sorted && m.event && m.state && m.q);
    for (size_t i = 0; i < SQ_COUNT(lane_delays); i++) {
        assert_int_equal(sq_evq_lane(m.q, lane_delays[i], (unsigned)i % 3), i);
    }
    for (unsigned i = 0; i < mix->steps; i++) {
        do_step(&m);
    }
    while (m.living > 0) {
        do_pop(&m);
    }
    do_pop(&m);
    assert_false(sq_evq_failed(m.q));
    sq_evq_close(m.q);
    free(m.sorted);
    free(m.event);
    free(m.state);
    return m.digest;
}

static void test_mixes(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(mixes); i++) {
        for (uint64_t seed = 1; seed <= 2; seed++) {
            /* Which dead ones were dropped, and when, makes no difference to the living. */
            uint64_t digest = run_mix(&mixes[i], seed, true);
            assert_true(digest == run_mix(&mixes[i], seed, false));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixes),
    };
    return cmocka_run_group_tests_name("evq against a sorted array", tests, NULL, NULL);
}
