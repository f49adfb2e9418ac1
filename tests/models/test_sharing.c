/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of processor sharing against a plain simulation in rational time: among servers, every
 * remaining service reduced at every change. */
#include "models/part/mdl_sharing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { JOBS = 400 };

struct record {
    uint32_t next, prev;
};

/* The plain one: what is left of each, in long double nanoseconds. */
struct plain {
    long double left[JOBS + 1];
    bool in[JOBS + 1];
    int count;
    long double now;
};

static long double rate(const struct plain *p, int64_t among)
{
    return p->count <= among ? 1.0L : (long double)among / p->count;
}

static void plain_run(struct plain *p, int64_t among, long double until)
{
    for (int i = 1; i <= JOBS; i++) {
        p->left[i] -= p->in[i] ? (until - p->now) * rate(p, among) : 0;
    }
    p->now = until;
}

static int plain_head(const struct plain *p)
{
    int head = 0;
    for (int i = 1; i <= JOBS; i++) {
        head = p->in[i] && (head == 0 || p->left[i] < p->left[head]) ? i : head;
    }
    return head;
}

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

static void against_plain(int64_t among, uint64_t seed)
{
    struct sq_pool pool;
    sq_pool_init(&pool, sizeof(struct record), JOBS + 1);
    struct mdl_sharing s = { .links = { &pool, 0 }, .among = among };
    struct plain p = { .count = 0 };
    uint64_t x = seed;
    uint32_t born = 0;
    sq_time_t arrival = 0;
    int ended = 0;
    while (ended < JOBS) {
        sq_time_t now = s.since, due = mdl_sharing_due(&s, now);
        if (born < JOBS && arrival <= due) {
            sq_time_t need = (sq_time_t)(next_random(&x) % 3000000);
            uint32_t slot = sq_pool_take(&pool);
            assert_int_equal(slot, ++born);
            plain_run(&p, among, arrival);
            assert_true(mdl_sharing_add(&s, arrival, slot, need));
            p.in[slot] = true;
            p.left[slot] = need;
            p.count++;
            arrival += (sq_time_t)(next_random(&x) % (uint64_t)(3000000 / among));
            continue;
        }
        uint32_t head = mdl_sharing_head(&s);
        assert_int_equal(head, plain_head(&p));
        long double want = p.now + p.left[head] / rate(&p, among);
        assert_true(due >= want - 0.01L && due < want + 1.01L);
        plain_run(&p, among, due);
        mdl_sharing_remove(&s, due, head);
        p.in[head] = false;
        p.count--;
        ended++;
        if (p.count > 0 && ended % 7 == 0) { /* one that gives up */
            uint32_t other = (uint32_t)plain_head(&p);
            mdl_sharing_remove(&s, due, other);
            p.in[other] = false;
            p.count--;
            ended++;
        }
    }
    mdl_sharing_fini(&s);
    sq_pool_fini(&pool);
}

static void plain(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        against_plain(1, seed * 7919);
        against_plain(3, seed * 104729);
    }
}

/* Sevenths of a server, changed all the time: whole nanoseconds stay whole. */
static void whole_ends(void **state)
{
    (void)state;
    struct sq_pool pool;
    sq_pool_init(&pool, sizeof(struct record), 10);
    struct mdl_sharing s = { .links = { &pool, 0 }, .among = 1 };
    for (int i = 0; i < 7; i++) {
        assert_true(mdl_sharing_add(&s, 0, sq_pool_take(&pool), 1000000 + i));
    }
    for (sq_time_t now = 1; now < 7000000; now += 13) {
        assert_int_equal(mdl_sharing_due(&s, now), 7000000);
    }
    mdl_sharing_freeze(&s, 6999999, true);
    assert_int_equal(mdl_sharing_due(&s, 8000000), SQ_NEVER);
    mdl_sharing_freeze(&s, 9000000, false);
    assert_int_equal(mdl_sharing_due(&s, 9000000), 9000001);
    mdl_sharing_remove(&s, 9000001, mdl_sharing_head(&s));
    assert_int_equal(mdl_sharing_due(&s, 9000001), 9000007);
    mdl_sharing_fini(&s);
    sq_pool_fini(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(whole_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
