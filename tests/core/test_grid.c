/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_grid.c - which cell of a sweep is which, and whose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sim/core/sq_grid.h"

static const char *letters[] = { "a", "b" };
static const char *digits[] = { "1", "2", "3" };
static struct sq_grid_key keys[] = { { "letter", 2, letters }, { "digit", 3, digits } };

static struct sq_grid grid(struct sq_grid_cell *cells)
{
    return (struct sq_grid){
        .key_count = 2, .keys = keys, .cell_count = 6, .cells = cells, .shard = 1, .shards = 1
    };
}

/* a1 a2 a3 b1 b2 b3. */
static void numbers(void **state)
{
    (void)state;
    struct sq_grid_cell cells[6] = { 0 };
    struct sq_grid g = grid(cells);
    assert_int_equal(sq_grid_size(&g, 100), 6);
    assert_int_equal(sq_grid_size(&g, 5), 6);
    assert_int_equal(sq_grid_size(&g, 4), 5); /* one more than the most: too many */
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(sq_grid_value(&g, i, 0), letters[i / 3]);
        assert_string_equal(sq_grid_value(&g, i, 1), digits[i % 3]);
    }
    struct sq_buf b = { 0 };
    sq_grid_put_cell(&g, 4, &b);
    assert_string_equal(b.text, "cell 5 (letter=b, digit=2)");
    sq_buf_fini(&b);
}

/* Every cell is in exactly one shard, and shards differ by at most one cell. */
static void shards(void **state)
{
    (void)state;
    for (size_t of = 1; of <= 8; of++) {
        size_t owners[6] = { 0 }, least = 6, most = 0;
        for (size_t k = 1; k <= of; k++) {
            struct sq_grid_cell cells[6] = { 0 };
            struct sq_grid g = grid(cells);
            size_t done;
            g.shard = k;
            g.shards = of;
            cells[2].done = true;
            size_t own = sq_grid_own(&g, &done);
            assert_int_equal(done, sq_grid_has(&g, 2));
            least = own < least ? own : least;
            most = own > most ? own : most;
            for (size_t i = 0; i < 6; i++) {
                owners[i] += sq_grid_has(&g, i);
            }
        }
        for (size_t i = 0; i < 6; i++) {
            assert_int_equal(owners[i], 1);
        }
        assert_in_range(most - least, 0, 1);
    }
}

static void finds_rows(void **state)
{
    (void)state;
    struct sq_grid_row rows[] = { { .metric = "a.b", .n = 1 }, { .metric = "a.c", .n = 2 } };
    struct sq_grid_cell cell = { .row_count = 2, .rows = rows };
    assert_int_equal(sq_grid_find(&cell, "a.c")->n, 2);
    assert_null(sq_grid_find(&cell, "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(shards),
        cmocka_unit_test(finds_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
