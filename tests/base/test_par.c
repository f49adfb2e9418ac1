/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_par.c - every index once, the same status for any number of threads; the signal flag. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "sim/base/sq_par.h"
#include "sim/base/sq_signal.h"

enum { ITEMS = 1000 };

struct tally {
    atomic_int seen[ITEMS];
    const enum sq_status *answers; /* per index; NULL: all fine */
};

static enum sq_status tally_one(void *ctx, size_t i)
{
    struct tally *t = ctx;
    atomic_fetch_add(&t->seen[i], 1);
    return t->answers != NULL ? t->answers[i] : SQ_OK;
}

static void each_once(void **state)
{
    (void)state;
    for (unsigned threads = 0; threads <= 4; threads++) {
        for (size_t n = 0; n <= ITEMS; n = n * 3 + 1) {
            struct tally t = { 0 };
            assert_int_equal(sq_par_for(threads, n, tally_one, &t), SQ_OK);
            for (size_t i = 0; i < ITEMS; i++) {
                assert_int_equal(atomic_load(&t.seen[i]), i < n);
            }
        }
    }
    struct tally t = { 0 };
    assert_int_equal(sq_par_for(100000, 300, tally_one, &t), SQ_OK);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(atomic_load(&t.seen[i]), i < 300);
    }
}

static void lowest_failure(void **state)
{
    (void)state;
    enum sq_status answers[ITEMS] = {
        [500] = SQ_LIMIT, [501] = SQ_USER, [502] = SQ_IO, [999] = SQ_NOMEM
    };
    for (unsigned threads = 1; threads <= 4; threads++) {
        for (int round = 0; round < 50; round++) {
            struct tally t = { .answers = answers };
            assert_int_equal(sq_par_for(threads, ITEMS, tally_one, &t), SQ_LIMIT);
            for (size_t i = 0; i < ITEMS; i++) {
                int seen = atomic_load(&t.seen[i]);
                assert_true(i <= 500 ? seen == 1 : seen <= 1);
            }
        }
    }
    struct tally t = { .answers = answers };
    assert_int_equal(sq_par_for(1, ITEMS, tally_one, &t), SQ_LIMIT);
    assert_int_equal(atomic_load(&t.seen[501]), 0); /* nothing is begun after a failure */
}

/* Four items that wait for each other need four threads at work at the same time. */
struct meeting {
    pthread_barrier_t barrier;
};

static enum sq_status meet(void *ctx, size_t i)
{
    (void)i;
    struct meeting *m = ctx;
    pthread_barrier_wait(&m->barrier);
    return SQ_OK;
}

static void at_the_same_time(void **state)
{
    (void)state;
    struct meeting m;
    assert_int_equal(pthread_barrier_init(&m.barrier, NULL, 4), 0);
    assert_int_equal(sq_par_for(4, 8, meet, &m), SQ_OK);
    pthread_barrier_destroy(&m.barrier);
}

static void cores(void **state)
{
    (void)state;
    assert_true(sq_par_cores() >= 1);
}

static void signals(void **state)
{
    (void)state;
    static const int numbers[] = { SIGINT, SIGTERM };
    for (size_t i = 0; i < SQ_COUNT(numbers); i++) {
        struct sigaction now;
        signal(numbers[i], SIG_DFL); /* who starts the tests may have it ignored, as `&` does */
        sq_signal_install();
        assert_int_equal(sq_signal_raised(), 0);
        assert_int_equal(raise(numbers[i]), 0);
        assert_int_equal(sq_signal_raised(), numbers[i]);
        assert_int_equal(sigaction(numbers[i], NULL, &now), 0);
        assert_true(now.sa_handler == SIG_DFL); /* the second one ends the program */
        sq_signal_clear();
        assert_int_equal(sq_signal_raised(), 0);
    }
    signal(SIGINT, SIG_IGN);
    sq_signal_install();
    assert_int_equal(raise(SIGINT), 0);
    assert_int_equal(sq_signal_raised(), 0);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_once),        cmocka_unit_test(lowest_failure),
        cmocka_unit_test(at_the_same_time), cmocka_unit_test(cores),
        cmocka_unit_test(signals),
    };
    return cmocka_run_group_tests_name("par", tests, NULL, NULL);
}
