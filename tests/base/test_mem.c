/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_mem.c - the allocation hook, arenas, pools, and that assertions end the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/sq_mem.h"

static bool all_zero(const void *p, size_t len)
{
    const unsigned char *at = p;
    for (size_t i = 0; i < len; i++) {
        if (at[i] != 0) {
            return false;
        }
    }
    return true;
}

static void alloc(void **state)
{
    (void)state;
    char *p = sq_mem_alloc(100, 8);
    assert_non_null(p);
    assert_true(all_zero(p, 800));
    memset(p, 7, 800);
    p = sq_mem_resize(p, 1000, 8);
    assert_non_null(p);
    assert_int_equal(p[799], 7);
    sq_mem_free(p);
    sq_mem_free(NULL);
    void *none = sq_mem_alloc(0, 8); /* not NULL, which would read as a failure */
    assert_non_null(none);
    sq_mem_free(none);
    volatile size_t huge = SIZE_MAX / 2 + 1; /* volatile: the compiler warns of what it can see */
    assert_null(sq_mem_alloc(huge, 2));
    p = sq_mem_resize(NULL, 4, 1);
    assert_non_null(p);
    assert_null(sq_mem_resize(p, huge, 2));
    p[3] = 1; /* still ours */
    sq_mem_free(p);
}

static void fail_after(void **state)
{
    (void)state;
    for (long n = 0; n < 4; n++) {
        sq_mem_fail_after(n);
        for (long i = 0; i < 6; i++) {
            void *p = i % 2 != 0 ? sq_mem_alloc(1, 1) : sq_mem_resize(NULL, 1, 1);
            assert_int_equal(p != NULL, i < n);
            sq_mem_free(p);
        }
    }
    sq_mem_fail_after(-1);
    void *p = sq_mem_alloc(1, 1);
    assert_non_null(p);
    sq_mem_free(p);
}

static void fail_once(void **state)
{
    (void)state;
    for (long n = 0; n < 4; n++) {
        sq_mem_fail_once(n);
        for (long i = 0; i < 6; i++) {
            void *p = sq_mem_alloc(1, 1);
            assert_int_equal(p != NULL, i != n);
            sq_mem_free(p);
        }
    }
    sq_mem_fail_after(-1);
}

/* What is in use never exceeds the limit, and what is given back can be taken again. */
static void limit(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    size_t before = sq_mem_used();
    assert_true(sq_mem_limit() == SIZE_MAX && !sq_mem_is_over());
    sq_mem_set_limit(before + 8 * MIB);
    char *p = sq_mem_alloc(6 * MIB, 1);
    assert_non_null(p);
    assert_true(sq_mem_used() >= before + 6 * MIB);
    assert_null(sq_mem_alloc(3 * MIB, 1));
    assert_true(sq_mem_is_over());
    void *small = sq_mem_alloc(100, 1); /* to say why */
    assert_non_null(small);
    assert_null(sq_mem_resize(p, 9 * MIB, 1)); /* the old one stays */
    p[6 * MIB - 1] = 1;
    p = sq_mem_resize(p, MIB / 2, 1);
    assert_non_null(p);
    assert_true(sq_mem_used() < before + MIB);
    void *again = sq_mem_alloc(5 * MIB, 1);
    assert_non_null(again);
    sq_mem_free(again);
    sq_mem_free(small);
    sq_mem_free(p);
    assert_int_equal(sq_mem_used(), before);
    sq_mem_set_limit(SIZE_MAX);
    assert_false(sq_mem_is_over());
    assert_in_range(sq_mem_default_limit(), MIB, (uintmax_t)8 << 30);
}

/* Items of all sizes: aligned, zeroed, apart from each other, and still there at the end. */
static void arena(void **state)
{
    (void)state;
    enum { ITEMS = 3000 };
    struct sq_arena a = { 0 };
    static unsigned char *items[ITEMS];
    for (size_t i = 0; i < ITEMS; i++) {
        size_t len = i % 97 == 0 ? i * 40 : i % 50;
        items[i] = sq_arena_alloc(&a, len, 1);
        assert_non_null(items[i]);
        assert_int_equal((uintptr_t)items[i] % 16, 0);
        assert_true(all_zero(items[i], len));
        memset(items[i], (int)(i % 251) + 1, len);
    }
    for (size_t i = 0; i < ITEMS; i++) {
        size_t len = i % 97 == 0 ? i * 40 : i % 50;
        for (size_t k = 0; k < len; k++) {
            assert_int_equal(items[i][k], i % 251 + 1);
        }
    }
    volatile size_t huge = SIZE_MAX / 2 + 1;
    assert_null(sq_arena_alloc(&a, huge, 1));
    assert_null(sq_arena_alloc(&a, huge, 2));
    sq_arena_fini(&a);
    assert_null(a.head);
    sq_arena_fini(&a); /* an empty one, again */
}

/* Work done again and again: from the second time on it asks for nothing, and finds zeros. */
static void arena_reset(void **state)
{
    (void)state;
    struct sq_arena a = { 0 };
    sq_arena_reset(&a); /* an empty one */
    for (int round = 0; round < 4; round++) {
        sq_mem_fail_after(round > 0 ? 0 : -1);
        for (size_t i = 0; i < 400; i++) {
            size_t len = i % 40 == 0 ? 60000 : 16;
            unsigned char *item = sq_arena_alloc(&a, len, 1);
            assert_non_null(item);
            assert_true(item[0] == 0 && item[len - 1] == 0);
            memset(item, 255, len);
        }
        sq_mem_fail_after(-1);
        sq_arena_reset(&a);
    }
    assert_non_null(sq_arena_alloc(&a, 1200000, 1)); /* more than it has kept */
    sq_mem_fail_after(0);
    sq_arena_reset(&a); /* no memory to keep: it is empty, and of use */
    sq_mem_fail_after(-1);
    assert_non_null(sq_arena_alloc(&a, 16, 1));
    sq_arena_fini(&a);
    assert_int_equal(sq_mem_used(), 0);
}

static void arena_text(void **state)
{
    (void)state;
    struct sq_arena a = { 0 };
    char *text = sq_arena_text(&a, "queue.visibility", 5);
    assert_string_equal(text, "queue");
    assert_string_equal(sq_arena_text(&a, "", 0), "");
    char *formed = sq_arena_printf(&a, "%s[%d].%0*d", "outages", 3, 9000, 7);
    assert_int_equal(strlen(formed), 9011);
    assert_memory_equal(formed, "outages[3].000", 14);
    assert_string_equal(text, "queue");
    sq_mem_fail_after(0);
    assert_null(sq_arena_alloc(&a, 1 << 20, 1));
    assert_null(sq_arena_printf(&a, "%0*d", 9000, 7));
    sq_mem_fail_after(-1);
    assert_string_equal(text, "queue"); /* a failure harms nothing */
    sq_arena_fini(&a);
}

static void pool_reuse(void **state)
{
    (void)state;
    struct sq_pool p;
    sq_pool_init(&p, 12, 100);
    for (uint32_t i = 1; i <= 5; i++) {
        assert_int_equal(sq_pool_take(&p), i); /* fresh slots count up from 1 */
        memset(sq_pool_at(&p, i), 0xff, 16);
    }
    sq_pool_give(&p, 2);
    sq_pool_give(&p, 4);
    assert_int_equal(p.used, 3);
    assert_int_equal(sq_pool_take(&p), 4); /* last in, first out */
    assert_true(all_zero(sq_pool_at(&p, 4), 16));
    assert_int_equal(sq_pool_take(&p), 2);
    assert_true(all_zero(sq_pool_at(&p, 2), 16));
    assert_int_equal(sq_pool_take(&p), 6);
    assert_int_equal(((unsigned char *)sq_pool_at(&p, 3))[15], 0xff); /* its neighbour is whole */
    sq_pool_fini(&p);
}

static void pool_limit(void **state)
{
    (void)state;
    enum { LIMIT = 3 << SQ_POOL_SHIFT };
    struct sq_pool p;
    sq_pool_init(&p, 8, LIMIT);
    uint64_t *first = NULL;
    for (uint32_t i = 1; i <= LIMIT; i++) {
        assert_int_equal(sq_pool_take(&p), i);
        uint64_t *slot = sq_pool_at(&p, i);
        assert_int_equal((uintptr_t)slot % 8, 0);
        assert_int_equal(*slot, 0);
        *slot = i;
        first = first == NULL ? slot : first;
    }
    assert_int_equal(sq_pool_take(&p), 0);
    assert_int_equal(p.used, p.limit);
    assert_ptr_equal(sq_pool_at(&p, 1), first); /* growing moved nothing */
    for (uint32_t i = 1; i <= LIMIT; i++) {
        assert_int_equal(*(uint64_t *)sq_pool_at(&p, i), i);
        sq_pool_give(&p, i);
    }
    assert_int_equal(p.used, 0);
    assert_int_equal(sq_pool_take(&p), LIMIT);
    sq_pool_fini(&p);
    sq_pool_init(&p, 8, 0);
    assert_int_equal(sq_pool_take(&p), 0);
    sq_pool_fini(&p);
}

static void pool_no_memory(void **state)
{
    (void)state;
    struct sq_pool p;
    sq_pool_init(&p, 64, 10);
    for (long n = 0; n < 3; n++) { /* the two tables of chunks, then the chunk */
        sq_mem_fail_after(n);
        assert_int_equal(sq_pool_take(&p), 0);
        sq_mem_fail_after(-1);
        assert_int_equal(p.used, 0);
    }
    assert_int_equal(sq_pool_take(&p), 1);
    sq_pool_fini(&p);
}

/* Slots of all sizes, in blocks that hold one chunk or many, do not overlap, and a block that
 * cannot be had is asked for again. Each slot holds its number at both ends. */
static void pool_blocks(void **state)
{
    (void)state;
    static const struct {
        size_t slot;
        uint32_t count;
    } rows[] = { { 8, 70 << SQ_POOL_SHIFT },
                 { 64, 20 << SQ_POOL_SHIFT },
                 { 200, 8 << SQ_POOL_SHIFT },
                 { 1000, 3 << SQ_POOL_SHIFT } };
    for (size_t k = 0; k < SQ_COUNT(rows); k++) {
        size_t last = rows[k].slot / sizeof(uint32_t) - 1, before = sq_mem_used();
        struct sq_pool p;
        sq_pool_init(&p, rows[k].slot, rows[k].count);
        for (uint32_t i = 1; i <= rows[k].count; i++) {
            sq_mem_fail_after(0);
            uint32_t without = sq_pool_take(&p);
            sq_mem_fail_after(-1);
            uint32_t slot = without != 0 ? without : sq_pool_take(&p);
            uint32_t *at = sq_pool_at(&p, slot);
            assert_int_equal(slot, i);
            assert_true(all_zero(at, rows[k].slot));
            at[0] = at[last] = i;
        }
        for (uint32_t i = 1; i <= rows[k].count; i++) {
            const uint32_t *at = sq_pool_at(&p, i);
            assert_true(at[0] == i && at[last] == i);
        }
        sq_pool_fini(&p);
        assert_int_equal(sq_mem_used(), before);
    }
}

static void huge(void **state)
{
    (void)state;
    size_t before = sq_mem_used();
    void *memory[2];
    unsigned char *a = sq_mem_huge(SQ_HUGE_PAGE, &memory[0]);
    unsigned char *b = sq_mem_huge(2 * SQ_HUGE_PAGE, &memory[1]);
    assert_true(a != NULL && b != NULL && sq_mem_used() >= before + 3 * (size_t)SQ_HUGE_PAGE);
    assert_int_equal((uintptr_t)a % SQ_HUGE_PAGE, 0);
    assert_int_equal((uintptr_t)b % SQ_HUGE_PAGE, 0);
    assert_true(all_zero(a, SQ_HUGE_PAGE));
    memset(a, 0xff, SQ_HUGE_PAGE);
    assert_true(all_zero(b, 2 * (size_t)SQ_HUGE_PAGE));
    memset(b, 0xff, 2 * (size_t)SQ_HUGE_PAGE);
    sq_mem_free(memory[0]);
    sq_mem_free(memory[1]);
    sq_mem_fail_after(0);
    assert_null(sq_mem_huge(SQ_HUGE_PAGE, &memory[0]));
    sq_mem_fail_after(-1);
    assert_int_equal(sq_mem_used(), before);
}

/* Runs `act` in a child and returns what it wrote to stderr and its exit status. */
static int child(void (*act)(void), char *text, size_t size)
{
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        act();
        _exit(99);
    }
    close(ends[1]);
    size_t len = 0;
    for (ssize_t n; (n = read(ends[0], text + len, size - 1 - len)) > 0;) {
        len += (size_t)n;
    }
    text[len] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void act_panic(void)
{
    sq_panic("sim/core/sq_evq.c", 207, "at >= now");
}

static void act_long_panic(void)
{
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    sq_panic("file.c", 0, text);
}

static void act_assert(void)
{
    SQ_ASSERT(1 > 2);
}

static void act_debug_assert(void)
{
    SQ_DEBUG_ASSERT(1 > 2);
}

static void panic(void **state)
{
    (void)state;
    char text[2048];
    assert_int_equal(child(act_panic, text, sizeof text), 4);
    assert_string_equal(text, "sim/core/sq_evq.c:207: assertion failed: at >= now\n");
    assert_int_equal(child(act_long_panic, text, sizeof text), 4);
    assert_int_equal(strlen(text), 513);
    assert_int_equal(text[512], '\n');
    assert_memory_equal(text, "file.c:0: assertion failed: xxx", 31);
    assert_int_equal(child(act_assert, text, sizeof text), 4);
    assert_non_null(strstr(text, "test_mem.c:"));
    assert_non_null(strstr(text, ": assertion failed: 1 > 2\n"));
#ifdef SQ_DEBUG
    assert_int_equal(child(act_debug_assert, text, sizeof text), 4);
#else
    assert_int_equal(child(act_debug_assert, text, sizeof text), 99);
#endif
}

static void time_words(void **state)
{
    (void)state;
    assert_int_equal(sq_time_add(5, 6), 11);
    assert_int_equal(sq_time_add(5, SQ_NEVER), SQ_NEVER);
    assert_int_equal(sq_time_add(SQ_NEVER, SQ_NEVER), SQ_NEVER);
    assert_int_equal(sq_time_add(SQ_NEVER - 5, 6), SQ_NEVER);
    assert_int_equal(sq_time_add(SQ_NEVER - 6, 5), SQ_NEVER - 1);
    assert_int_equal(sq_time_from_s(0.32), 320000000);
    assert_int_equal(sq_time_from_s(-1), 0);
    assert_int_equal(sq_time_from_s(strtod("nan", NULL)), 0);
    assert_int_equal(sq_time_from_s(1e10), SQ_NEVER);
    assert_int_equal(sq_time_from_s(9.2e9), INT64_C(9200000000000000000));
    assert_int_equal(sq_time_from_s(1.5e-9), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alloc),      cmocka_unit_test(fail_after),
        cmocka_unit_test(arena),      cmocka_unit_test(arena_text),
        cmocka_unit_test(pool_reuse), cmocka_unit_test(pool_limit),
        cmocka_unit_test(panic),      cmocka_unit_test(pool_no_memory),
        cmocka_unit_test(time_words), cmocka_unit_test(fail_once),
        cmocka_unit_test(limit),      cmocka_unit_test(pool_blocks),
        cmocka_unit_test(huge),       cmocka_unit_test(arena_reset),
    };
    return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
