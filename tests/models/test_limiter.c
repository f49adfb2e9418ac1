/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of rate limits: exact instants at boundaries, against a plain count of what was let by. */
#include "models/policy/mdl_limiter.h"

#include "tests/models/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS INT64_C(1000000)
#define S  INT64_C(1000000000)

static const char yaml[] = "all:\n"
                           "  ten: {rate: 10/s, burst: 5}\n"
                           "  empty: {rate: 10/s, burst: 5, start: empty}\n"
                           "  thirds: {rate: 3/s, burst: 2}\n"
                           "  slow: {rate: 1/h, burst: 2}\n"
                           "  gcra: {kind: gcra, rate: 10/s, burst: 5}\n"
                           "  clock: {kind: fixed-window, limit: 3, window: 1s}\n"
                           "  first: {kind: fixed-window, limit: 3, window: 1s, start: first-use}\n"
                           "  counter: {kind: sliding-counter, limit: 50, window: 60s}\n"
                           "  odd: {kind: sliding-counter, limit: 7, window: 3us}\n"
                           "  log: {kind: sliding-log, limit: 7, window: 3us}\n"
                           "  leaky: {kind: leaky-bucket, rate: 3/s, queue: 4}\n";

struct fixture {
    struct blocks b;
    struct mdl_limiter_state s;
    const struct sq_block *l;
};

static void open_one(struct fixture *f, const char *name)
{
    f->l = blocks_get(&f->b, name);
    mdl_limiter_init(f->l, &f->s);
}

static bool ask(struct fixture *f, sq_time_t now)
{
    return mdl_limiter_ask(f->l, &f->s, now);
}

static int burst(struct fixture *f, sq_time_t now)
{
    int n = 0;
    while (n < 1000 && ask(f, now)) {
        n++;
    }
    return n;
}

static void bucket_at_boundaries(void **state)
{
    struct fixture *f = *state;
    const char *const names[] = { "ten", "gcra" };
    for (size_t i = 0; i < SQ_COUNT(names); i++) {
        open_one(f, names[i]);
        assert_int_equal(burst(f, 0), 5);
        assert_int_equal(mdl_limiter_next(f->l, &f->s, 0), 100 * MS);
        assert_false(ask(f, 100 * MS - 1));
        assert_true(ask(f, 100 * MS));
        assert_false(ask(f, 200 * MS - 1));
        assert_int_equal(burst(f, 350 * MS), 2); /* tokens of 200 and 300 ms */
        assert_false(ask(f, 400 * MS - 1));      /* the half token was not lost */
        assert_true(ask(f, 400 * MS));
        assert_int_equal(burst(f, 900 * MS - 1), 4);
        assert_int_equal(burst(f, 10 * S), 5); /* no more than a full bucket */
    }
    open_one(f, "empty");
    assert_false(ask(f, 100 * MS - 1));
    assert_true(ask(f, 100 * MS));
    assert_int_equal(burst(f, 10 * S), 5);
}

/* Token k of a bucket that is never full comes at ceil(k / rate), however far on. */
static void bucket_never_drifts(void **state)
{
    struct fixture *f = *state;
    open_one(f, "thirds");
    assert_int_equal(burst(f, 0), 2);
    for (int64_t k = 1; k <= 300000; k++) {
        sq_time_t at = (k * S + 2) / 3;
        if (k % 1000 < 3) {
            assert_int_equal(mdl_limiter_next(f->l, &f->s, at - 1), at);
            assert_false(ask(f, at - 1));
        }
        assert_true(ask(f, at));
        assert_false(ask(f, at));
    }
    open_one(f, "slow");
    assert_int_equal(burst(f, 0), 2);
    assert_false(ask(f, 3600 * S - 1));
    assert_true(ask(f, 3600 * S));
}

/* `set` keeps what was saved up. */
static void bucket_changes(void **state)
{
    struct fixture *f = *state;
    open_one(f, "ten");
    struct { /* the keys of a bucket, as its row binds them */
        int scope;
        double rate;
        int64_t burst;
        int start;
    } *cfg = blocks_get(&f->b, "ten")->cfg;
    assert_int_equal(burst(f, 0), 5);
    cfg->rate = 100;
    mdl_limiter_changed(f->l, &f->s, 50 * MS); /* half a token is there */
    assert_false(ask(f, 55 * MS - 1));
    assert_true(ask(f, 55 * MS));
    cfg->burst = 1;
    mdl_limiter_changed(f->l, &f->s, 95 * MS); /* four are there, one may stay */
    assert_int_equal(burst(f, 95 * MS), 1);
    cfg->rate = 10;
    cfg->burst = 5;
}

static void fixed_windows(void **state)
{
    struct fixture *f = *state;
    open_one(f, "clock");
    assert_int_equal(burst(f, 900 * MS), 3);
    assert_int_equal(mdl_limiter_next(f->l, &f->s, 900 * MS), S);
    assert_int_equal(burst(f, S - 1), 0);
    assert_int_equal(burst(f, S), 3);
    assert_int_equal(burst(f, 7 * S + 5), 3);
    open_one(f, "first");
    assert_int_equal(burst(f, 900 * MS), 3);
    assert_int_equal(mdl_limiter_next(f->l, &f->s, 900 * MS), 1900 * MS);
    assert_int_equal(burst(f, 1900 * MS - 1), 0);
    assert_int_equal(burst(f, 1900 * MS), 3);
    assert_int_equal(burst(f, 5 * S), 3);
    assert_int_equal(burst(f, 6 * S - 1), 0);
    assert_int_equal(burst(f, 6 * S), 3);
}

/* 42 in the last minute, 15 s into this one: 42 * 45/60 = 31.5 count, so 18 more pass (31.5 + 18 is
 * at most 50, + 19 is not). */
static void sliding_counter(void **state)
{
    struct fixture *f = *state;
    open_one(f, "counter");
    for (int i = 0; i < 42; i++) {
        assert_true(ask(f, i * S));
    }
    assert_int_equal(burst(f, 75 * S), 18);
    /* 42 (60 - e)/60 + 19 <= 50 from e = 15.714285714... s on */
    sq_time_t next = 60 * S + 15714285715;
    assert_int_equal(mdl_limiter_next(f->l, &f->s, 75 * S), next);
    assert_false(ask(f, next - 1));
    assert_true(ask(f, next));
    assert_int_equal(burst(f, 300 * S), 50);
}

/* The promise of `next`, by trying every instant. */
static void next_is_the_first(void **state)
{
    struct fixture *f = *state;
    const char *const names[] = { "odd" };
    open_one(f, names[0]);
    uint64_t x = 88172645463325252u;
    for (sq_time_t t = 0; t < 40000; t++) {
        struct mdl_limiter_state before = f->s;
        sq_time_t next = mdl_limiter_next(f->l, &f->s, t);
        for (sq_time_t u = t; u < next; u++) {
            struct mdl_limiter_state copy = before;
            assert_false(mdl_limiter_ask(f->l, &copy, u));
        }
        assert_true(mdl_limiter_ask(f->l, &before, next));
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        if (x % 40 == 0) {
            (void)ask(f, t);
        }
    }
}

/* A sliding log never lets more than its limit into any window, the instants at both ends of which
 * are not both inside; and lets in whatever does not break that. Judged by a plain list. */
static void sliding_log(void **state)
{
    struct fixture *f = *state;
    static sq_time_t passed[100000];
    size_t count = 0;
    open_one(f, "log");
    uint64_t x = 88172645463325252u;
    for (sq_time_t t = 0; t < 400000;) {
        sq_time_t next = mdl_limiter_next(f->l, &f->s, t);
        bool full = count >= 7 && t - passed[count - 7] < 3000;
        assert_int_equal(next, full ? passed[count - 7] + 3000 : t);
        assert_int_equal(ask(f, t), !full);
        if (!full) {
            passed[count++] = t;
        }
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        t += x % 8 == 0 && next > t ? next - t : (sq_time_t)(x % 700);
    }
    assert_in_range(count, 600, SQ_COUNT(passed) - 1);
    mdl_limiter_fini(&f->s);
}

/* A leaky bucket gives each caller its instant: ceil(k / rate) after the first of a busy time, in
 * any order of asking, and refuses when four wait. */
static void leaky_bucket(void **state)
{
    struct fixture *f = *state;
    open_one(f, "leaky");
    sq_time_t at;
    for (int k = 0; k <= 4; k++) {
        assert_true(mdl_limiter_enter(f->l, &f->s, 5 * S, &at));
        assert_int_equal(at, 5 * S + (k * S + 2) / 3);
    }
    assert_false(mdl_limiter_enter(f->l, &f->s, 5 * S, &at));
    assert_false(mdl_limiter_enter(f->l, &f->s, 5 * S + 333333333, &at));
    for (int k = 5; k < 9000; k++) { /* one leaves, one comes */
        sq_time_t one = 5 * S + ((int64_t)(k - 4) * S + 2) / 3;
        assert_false(mdl_limiter_enter(f->l, &f->s, one - 1, &at));
        assert_true(mdl_limiter_enter(f->l, &f->s, one, &at));
        assert_int_equal(at, 5 * S + ((int64_t)k * S + 2) / 3);
        assert_false(mdl_limiter_enter(f->l, &f->s, one, &at));
    }
    assert_true(mdl_limiter_enter(f->l, &f->s, 9000 * S, &at)); /* after a pause at once */
    assert_int_equal(at, 9000 * S);
    assert_int_equal(mdl_limiter_queue(f->l), 4);
    assert_int_equal(mdl_limiter_queue(blocks_get(&f->b, "ten")), 0);
}

static int setup(void **state)
{
    static struct fixture f;
    *state = &f;
    return blocks_bind(&f.b, &mdl_limiter_family, yaml) == SQ_OK ? 0 : 1;
}

static int teardown(void **state)
{
    blocks_fini(&((struct fixture *)*state)->b);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bucket_at_boundaries), cmocka_unit_test(bucket_never_drifts),
        cmocka_unit_test(bucket_changes),       cmocka_unit_test(fixed_windows),
        cmocka_unit_test(sliding_counter),      cmocka_unit_test(next_is_the_first),
        cmocka_unit_test(sliding_log),          cmocka_unit_test(leaky_bucket),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
