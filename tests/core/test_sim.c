/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_sim.c - the loop of a run: what ends one that would not end by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/base/sq_limits.h"
#include "sim/core/sq_sim.h"

/* Two actors throw a ball: each throw takes `flight` nanoseconds. */
struct ball {
    struct sq_sim s;
    uint16_t players[2];
    sq_time_t flight;
};

static void on_throw(void *self, struct sq_msg m, uint64_t seq)
{
    (void)seq;
    struct ball *b = self;
    struct sq_msg next = { .to = b->players[m.to == b->players[0]], .kind = (uint8_t)(m.kind ^ 1) };
    (void)sq_sim_post(&b->s, b->s.now + b->flight, SQ_RANK_FIRST_FREE, next);
}

static void start(struct ball *b, sq_time_t flight)
{
    b->flight = flight;
    assert_int_equal(sq_sim_init(&b->s, NULL, NULL), SQ_OK);
    assert_int_equal(sq_sim_add(&b->s, on_throw, b, &b->players[0]), SQ_OK);
    assert_int_equal(sq_sim_add(&b->s, on_throw, b, &b->players[1]), SQ_OK);
    (void)sq_sim_post(&b->s, 7, SQ_RANK_FIRST_FREE,
                      (struct sq_msg){ .to = b->players[0], .kind = 4 });
}

/* Without time between the throws they would go on for ever at t = 7. */
static void loop(void **state)
{
    (void)state;
    struct ball b;
    start(&b, 0);
    assert_int_equal(sq_sim_run(&b.s, NULL), SQ_LIMIT);
    assert_int_equal(b.s.now, 7);
    assert_true(b.s.events >= SQ_MAX_SAME_INSTANT);
    assert_true(b.s.events <= b.s.most_events);
    for (int i = 0; i < 2; i++) { /* both are named, with what they got */
        const struct sq_loop *l = &b.s.loop[i];
        assert_true(l->count > 1000);
        assert_int_equal(l->kind, l->to == b.players[0] ? 4 : 5);
    }
    assert_int_not_equal(b.s.loop[0].to, b.s.loop[1].to);
    assert_int_equal(b.s.loop[2].count, 0);
    sq_sim_fini(&b.s);
}

/* With time they do go on, up to the most events that a run may have. */
static void events(void **state)
{
    (void)state;
    struct ball b;
    start(&b, 1);
    assert_int_equal(b.s.most_events, SQ_MAX_EVENTS);
    b.s.most_events = 100000;
    assert_int_equal(sq_sim_run(&b.s, NULL), SQ_LIMIT);
    assert_true(b.s.events > 100000 && b.s.events < 110000);
    sq_sim_fini(&b.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(loop), cmocka_unit_test(events) };
    return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}
