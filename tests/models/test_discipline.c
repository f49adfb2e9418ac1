/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of disciplines on a shelf of records: orders by hand, and codel against RFC 8289 written
 * down as it stands there. */
#include "models/part/mdl_shelf.h"

#include "tests/models/blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

static const char yaml[] = "all:\n"
                           "  fifo: fifo\n"
                           "  lifo: lifo\n"
                           "  adaptive: {kind: adaptive-lifo, after: 10ms}\n"
                           "  strict: priority\n"
                           "  weighted: {kind: priority, mode: weighted}\n"
                           "  codel: codel\n";

struct record {
    sq_time_t since;
    uint32_t next, prev;
};

struct fixture {
    struct blocks b;
    struct sq_pool pool;
    struct mdl_shelf shelf;
};

static void open_shelf(struct fixture *f, const char *name)
{
    struct mdl_links links = { &f->pool, offsetof(struct record, next) };
    mdl_shelf_init(&f->shelf, links, offsetof(struct record, since), blocks_get(&f->b, name));
}

static uint32_t push(struct fixture *f, sq_time_t since, unsigned priority)
{
    uint32_t slot = sq_pool_take(&f->pool);
    assert_int_not_equal(slot, 0);
    ((struct record *)sq_pool_at(&f->pool, slot))->since = since;
    mdl_shelf_push(&f->shelf, slot, priority);
    return slot;
}

/* Since when the one taken had waited; -1 - that when it is shed. */
static sq_time_t take(struct fixture *f, sq_time_t now)
{
    bool shed;
    uint32_t slot = mdl_shelf_take(&f->shelf, now, &shed);
    assert_int_not_equal(slot, 0);
    sq_time_t since = ((const struct record *)sq_pool_at(&f->pool, slot))->since;
    sq_pool_give(&f->pool, slot);
    return shed ? -1 - since : since;
}

static void orders(void **state)
{
    struct fixture *f = *state;
    open_shelf(f, "fifo");
    for (int i = 1; i <= 3; i++) {
        (void)push(f, i, 3);
    }
    assert_int_equal(mdl_shelf_oldest(&f->shelf), 1);
    assert_int_equal(take(f, 9), 1);
    assert_int_equal(take(f, 9), 2);
    assert_int_equal(take(f, 9), 3);
    bool shed;
    assert_int_equal(mdl_shelf_take(&f->shelf, 9, &shed), 0);
    open_shelf(f, "lifo");
    for (int i = 1; i <= 3; i++) {
        (void)push(f, i, 0);
    }
    assert_int_equal(take(f, 9), 3);
    (void)push(f, 4, 0);
    assert_int_equal(take(f, 9), 4);
    assert_int_equal(take(f, 9), 2);
    assert_int_equal(take(f, 9), 1);
    assert_int_equal(mdl_shelf_oldest(&f->shelf), SQ_NEVER);
}

static void adaptive(void **state)
{
    struct fixture *f = *state;
    open_shelf(f, "adaptive");
    for (int i = 0; i < 5; i++) {
        (void)push(f, i * MS, 0);
    }
    assert_int_equal(take(f, 10 * MS), 0);          /* the oldest has waited just 10 ms */
    assert_int_equal(take(f, 11 * MS + 1), 4 * MS); /* longer: newest first */
    assert_int_equal(take(f, 11 * MS + 1), 3 * MS);
    assert_int_equal(take(f, 11 * MS + 1), 2 * MS);
    assert_int_equal(take(f, 11 * MS + 1), 1 * MS);
}

static void strict(void **state)
{
    struct fixture *f = *state;
    open_shelf(f, "strict");
    (void)push(f, 1, 7);
    (void)push(f, 2, 0);
    uint32_t gone = push(f, 3, 0);
    (void)push(f, 4, 0);
    (void)push(f, 5, 3);
    mdl_shelf_remove(&f->shelf, gone, 0);
    sq_pool_give(&f->pool, gone);
    assert_int_equal(mdl_shelf_oldest(&f->shelf), 1);
    const sq_time_t want[] = { 2, 4, 5, 1 };
    for (size_t i = 0; i < SQ_COUNT(want); i++) {
        assert_int_equal(take(f, 9), want[i]);
    }
}

/* Three lines with weights 8, 5 and 1 that never run empty: of 14 turns 8, 5 and 1, evenly mixed.
 */
static void weighted(void **state)
{
    struct fixture *f = *state;
    open_shelf(f, "weighted");
    const unsigned lines[] = { 0, 3, 7 };
    for (int i = 0; i < 1000; i++) {
        for (unsigned k = 0; k < 3; k++) {
            (void)push(f, lines[k], lines[k]);
        }
    }
    int turns[MDL_LEVELS] = { 0 }, in_a_row = 0;
    sq_time_t last = -1;
    for (int i = 1; i <= 14 * 50; i++) {
        sq_time_t line = take(f, 9999);
        turns[line]++;
        in_a_row = line == last ? in_a_row + 1 : 1;
        last = line;
        assert_true(in_a_row <= 2);
        if (i % 14 == 0) {
            assert_int_equal(turns[0], 8 * (i / 14));
            assert_int_equal(turns[3], 5 * (i / 14));
            assert_int_equal(turns[7], i / 14);
        }
    }
    while (f->shelf.count > 0) {
        uint32_t slot = mdl_shelf_pop(&f->shelf);
        sq_pool_give(&f->pool, slot);
    }
}

/* ---- RFC 8289 section 5, with jobs for bytes ---- */

struct rfc {
    sq_time_t queue[4096];
    int head, tail;
    sq_time_t first_above_time, drop_next;
    uint32_t count, lastcount;
    bool dropping, ok_to_drop;
    int drops;
};

static sq_time_t rfc_law(sq_time_t t, uint32_t count)
{
    return t + (sq_time_t)(100.0 * (double)MS / sqrt(count));
}

static sq_time_t rfc_dodequeue(struct rfc *r, sq_time_t now)
{
    r->ok_to_drop = false;
    if (r->head == r->tail) {
        r->first_above_time = 0;
        return -1;
    }
    sq_time_t p = r->queue[r->head++ % 4096];
    if (now - p < 5 * MS || r->head == r->tail) {
        r->first_above_time = 0;
    } else if (r->first_above_time == 0) {
        r->first_above_time = now + 100 * MS;
    } else if (now >= r->first_above_time) {
        r->ok_to_drop = true;
    }
    return p;
}

static sq_time_t rfc_dequeue(struct rfc *r, sq_time_t now)
{
    sq_time_t p = rfc_dodequeue(r, now);
    if (r->dropping) {
        if (!r->ok_to_drop) {
            r->dropping = false;
        }
        while (now >= r->drop_next && r->dropping) {
            r->drops++;
            r->count++;
            p = rfc_dodequeue(r, now);
            if (!r->ok_to_drop) {
                r->dropping = false;
            } else {
                r->drop_next = rfc_law(r->drop_next, r->count);
            }
        }
    } else if (r->ok_to_drop) {
        r->drops++;
        p = rfc_dodequeue(r, now);
        r->dropping = true;
        uint32_t delta = r->count - r->lastcount;
        r->count = delta > 1 && now - r->drop_next < 1600 * MS ? delta : 1;
        r->drop_next = rfc_law(now, r->count);
        r->lastcount = r->count;
    }
    return p;
}

/* Arrivals faster than service, then slower, again and again. */
static void codel(void **state)
{
    struct fixture *f = *state;
    open_shelf(f, "codel");
    struct rfc r = { .head = 0 };
    uint64_t x = 88172645463325252u;
    int drops = 0;
    sq_time_t next_arrival = 0;
    for (sq_time_t now = 0; now < 60000 * MS; now += 4 * MS) { /* one service each 4 ms */
        while (next_arrival <= now) {
            (void)push(f, next_arrival, 0);
            r.queue[r.tail++ % 4096] = next_arrival;
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            bool busy = next_arrival / (3000 * MS) % 2 == 0;
            next_arrival += (sq_time_t)(x % (uint64_t)(busy ? 6 * MS : 9 * MS)) + 1;
        }
        if (f->shelf.count == 0) {
            continue;
        }
        sq_time_t got;
        while ((got = take(f, now)) < 0) {
            drops++;
        }
        assert_int_equal(got, rfc_dequeue(&r, now));
        assert_int_equal(drops, r.drops);
        assert_int_equal(f->shelf.count, r.tail - r.head);
    }
    assert_true(drops > 100);
}

static int setup(void **state)
{
    static struct fixture f;
    *state = &f;
    sq_pool_init(&f.pool, sizeof(struct record), 100000);
    return blocks_bind(&f.b, &mdl_discipline_family, yaml) == SQ_OK ? 0 : 1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    sq_pool_fini(&f->pool);
    blocks_fini(&f->b);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders),   cmocka_unit_test(adaptive), cmocka_unit_test(strict),
        cmocka_unit_test(weighted), cmocka_unit_test(codel),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
