/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_evq_memory.c - the event list: purges of the dead, and allocations that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "sim/base/sq_mem.h"
#include "sim/core/sq_evq.h"

/* ---- the dead ---- */

static bool tenth_is_alive(const void *ctx, const struct sq_event *e)
{
    const bool *killed = ctx;
    return !*killed || e->load % 10 == 1;
}

/* Nine of ten die everywhere: in slots, in a lane and in the run. The next pop clears them away. */
static void test_purge(void **state)
{
    (void)state;
    enum { N = 50000 };
    bool killed = false;
    struct sq_evq *q = sq_evq_open(tenth_is_alive, &killed);
    int lane = sq_evq_lane(q, 3000, 2);
    for (uint64_t i = 0; i < N; i++) {
        (void)(i % 2 ? sq_evq_push_lane(q, lane, i)
                     : sq_evq_push(q, (sq_time_t)(i * 7919 % 100000), 1, i + 1));
    }
    killed = true;
    size_t living = 0;
    for (uint64_t i = 0; i < N; i++) {
        living += (i % 2 ? i : i + 1) % 10 == 1;
    }
    for (size_t i = living; i < N; i++) {
        sq_evq_stale(q);
    }
    struct sq_event e;
    struct sq_event last = { 0 };
    for (size_t i = 0; i < living; i++) {
        assert_true(sq_evq_pop(q, &e));
        assert_true(e.load % 10 == 1);
        assert_true(e.at > last.at || (e.at == last.at && e.order > last.order));
        assert_true(sq_evq_pending(q) <= living - i); /* one dead lane head may be left */
        last = e;
    }
    assert_false(sq_evq_pop(q, &e));
    assert_int_equal(sq_evq_pending(q), 0);
    sq_evq_close(q);
}

static bool none_is_alive(const void *ctx, const struct sq_event *e)
{
    (void)ctx;
    (void)e;
    return false;
}

static void test_all_dead(void **state)
{
    (void)state;
    enum { N = 5000 };
    struct sq_evq *q = sq_evq_open(none_is_alive, NULL);
    int lane = sq_evq_lane(q, 3000, 2);
    for (uint64_t i = 0; i < N; i++) {
        (void)sq_evq_push(q, (sq_time_t)(i << 40), 1, i);
        (void)sq_evq_push(q, 0, 3, i);
        (void)sq_evq_push_lane(q, lane, i);
    }
    for (int i = 0; i < 3 * N; i++) {
        sq_evq_stale(q);
    }
    struct sq_event e;
    assert_false(sq_evq_pop(q, &e));
    assert_int_equal(sq_evq_pending(q), 0);
    assert_int_equal(sq_evq_now(q), 0);
    sq_evq_close(q);
}

static bool small_is_alive(const void *ctx, const struct sq_event *e)
{
    (void)ctx;
    return e->load < 0x20000;
}

/* When the last pop found only dead ones, the list has looked far ahead of now. */
static void test_after_the_dead(void **state)
{
    (void)state;
    struct sq_evq *q = sq_evq_open(small_is_alive, NULL);
    for (int i = 0; i < 40; i++) {
        (void)sq_evq_push(q, 0x10000 + i, 0, 0x20000);
        sq_evq_stale(q);
    }
    struct sq_event e;
    assert_false(sq_evq_pop(q, &e));
    assert_int_equal(sq_evq_now(q), 0);
    (void)sq_evq_push(q, 0x10080, 0, 0x10080);
    for (int i = 240; i > 130; i--) {
        (void)sq_evq_push(q, i, 0, (uint64_t)i);
    }
    for (int i = 131; i <= 240; i++) {
        assert_true(sq_evq_pop(q, &e));
        assert_int_equal(e.load, i);
    }
    assert_true(sq_evq_pop(q, &e));
    assert_int_equal(e.at, 0x10080);
    sq_evq_close(q);
}

/* ---- memory ---- */

enum { OOM_EVENTS = 60000 };

/* Posts, pops half, posts more, pops all. Notes the loads in `got` and returns how many came. */
static size_t oom_run(struct sq_evq *q, uint64_t *got)
{
    size_t n = 0;
    struct sq_event e;
    int lane = sq_evq_lane(q, 40000, 1);
    for (uint64_t i = 0; i < OOM_EVENTS; i++) {
        uint64_t seq = i % 3 ? sq_evq_push(q, (sq_time_t)(i * 7919 % 65521), i % 4, i)
                             : sq_evq_push_lane(q, lane, i);
        assert_int_equal(seq, i + 1);
    }
    while (n < OOM_EVENTS / 2 && sq_evq_pop(q, &e)) {
        got[n++] = e.load;
    }
    for (uint64_t i = 0; i < OOM_EVENTS; i++) {
        (void)sq_evq_push(q, sq_evq_now(q) + (sq_time_t)(i % 2 * i), 2, i);
    }
    while (sq_evq_pop(q, &e)) {
        got[n++] = e.load;
    }
    return n;
}

static void test_no_memory(void **state)
{
    (void)state;
    uint64_t *want = calloc(2 * OOM_EVENTS, sizeof(*want));
    uint64_t *got = calloc(2 * OOM_EVENTS, sizeof(*got));
    struct sq_evq *q = sq_evq_open(NULL, NULL);
    assert_int_equal(oom_run(q, want), 2 * OOM_EVENTS);
    sq_evq_close(q);
    sq_mem_fail_after(0);
    assert_null(sq_evq_open(NULL, NULL));
    long failures = 0;
    for (bool failed = true; failed; failures++) {
        sq_mem_fail_after(failures + 1);
        q = sq_evq_open(NULL, NULL);
        assert_non_null(q);
        size_t n = oom_run(q, got);
        failed = sq_evq_failed(q);
        assert_true(failed ? n < 2 * OOM_EVENTS : n == 2 * OOM_EVENTS);
        assert_true(n <= OOM_EVENTS / 2 || failures > 1);
        assert_memory_equal(got, want, n * sizeof(*got));
        struct sq_event e;
        assert_true(sq_evq_push(q, SQ_NEVER, 0, 0) > 0);
        assert_int_equal(sq_evq_pop(q, &e), !failed);
        sq_evq_close(q);
    }
    sq_mem_fail_after(-1);
    assert_true(failures > 3);
    free(want);
    free(got);
}

/* The second block fails while all posts go to a ring, then while they go behind a lane's head. */
static void test_no_memory_in_fifo(void **state)
{
    (void)state;
    for (int use_lane = 0; use_lane < 2; use_lane++) {
        sq_mem_fail_after(2);
        struct sq_evq *q = sq_evq_open(NULL, NULL);
        int lane = sq_evq_lane(q, 10, 0);
        for (int i = 0; i < OOM_EVENTS; i++) {
            (void)(use_lane ? sq_evq_push_lane(q, lane, 0) : sq_evq_push(q, 0, 0, 0));
        }
        sq_mem_fail_after(-1);
        struct sq_event e;
        assert_true(sq_evq_failed(q));
        assert_true(sq_evq_pending(q) < OOM_EVENTS);
        assert_false(sq_evq_pop(q, &e));
        sq_evq_close(q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_purge),
        cmocka_unit_test(test_all_dead),
        cmocka_unit_test(test_after_the_dead),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_memory_in_fifo),
    };
    return cmocka_run_group_tests_name("evq memory", tests, NULL, NULL);
}
