/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_layers.c - the tree of retry layers as numbers: products on every way, places, and what does
 * not fit. The expected products are reckoned by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plots/plt_layers.h"

/* shop -> front -> store; pool (5 attempts) -> front too, and -> mail with 2.5 calls each time. */
static struct sq_layer layers[] = {
    { "workers", "pool", "front", 5, 2, 1, 10 },
    { "workers", "pool", "mail", 5, 1, 2.5, 15 },
    { "clients", "shop", "front", 1, 3, 1, 3 },
    { "dependencies", "front", "store", 1, 4, 1, 40 },
};

static void make(struct plt_tree *t, size_t count)
{
    const struct sq_result r = { .layers = layers, .layer_count = count };
    plt_tree_make(t, &r);
}

static void products_are_multiplied_on_every_way(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t parent, depth;
        double product, row;
    } want[] = {
        { "pool", PLT_TREE_MAX, 0, 5, 0.5 },
        { "front", 0, 1, 10, 0 },
        { "store", 1, 2, 40, 0 },
        { "mail", 0, 1, 15, 1 },
        { "shop", PLT_TREE_MAX, 0, 1, 2 },
        { "front", 4, 1, 3, 2 },
        { "store", 5, 2, 12, 2 },
    };
    struct plt_tree t;
    make(&t, SQ_COUNT(layers));
    assert_int_equal(t.count, SQ_COUNT(want));
    assert_int_equal(t.depth, 3);
    assert_int_equal(t.rows, 3);
    assert_int_equal(t.left_out, 0);
    for (size_t i = 0; i < t.count; i++) {
        assert_string_equal(t.nodes[i].name, want[i].name);
        assert_int_equal(t.nodes[i].parent, want[i].parent);
        assert_int_equal(t.nodes[i].depth, want[i].depth);
        assert_true(t.nodes[i].product == want[i].product);
        assert_true(t.nodes[i].row == want[i].row);
    }
}

/* What the engine says of a call is the largest product of all ways to it. */
static void the_largest_way_is_what_the_result_says(void **state)
{
    (void)state;
    struct plt_tree t;
    make(&t, SQ_COUNT(layers));
    for (size_t i = 0; i < SQ_COUNT(layers); i++) {
        double most = 0;
        for (size_t k = 0; k < t.count; k++) {
            bool by = t.nodes[k].parent != PLT_TREE_MAX && t.nodes[k].layer == &layers[i];
            most = by ? fmax(most, t.nodes[k].product) : most;
        }
        assert_true(most == layers[i].calls_per_job);
    }
}

static void without_bound_is_without_bound(void **state)
{
    (void)state;
    struct plt_tree t;
    layers[0].tries = INFINITY;
    make(&t, SQ_COUNT(layers));
    assert_true(isinf(t.nodes[2].product));
    assert_true(t.nodes[3].product == 15);
    layers[0].tries = 2;
}

/* Many callers: none is drawn without its parent, and what is left out is counted. */
static void what_does_not_fit_is_counted(void **state)
{
    (void)state;
    enum { CALLERS = 40 };
    static struct sq_layer many[CALLERS];
    static char names[CALLERS][8];
    for (size_t i = 0; i < CALLERS; i++) {
        (void)snprintf(names[i], sizeof names[i], "c%zu", i);
        many[i] = (struct sq_layer){ "clients", names[i], "db", 1, 2, 1, 2 };
    }
    struct plt_tree t;
    plt_tree_make(&t, &(struct sq_result){ .layers = many, .layer_count = CALLERS });
    assert_int_equal(t.count, PLT_TREE_MAX);
    assert_int_equal(t.rows, PLT_TREE_MAX / 2);
    assert_int_equal(t.left_out, CALLERS - PLT_TREE_MAX / 2);
    for (size_t i = 0; i < t.count; i++) {
        assert_true(t.nodes[i].parent == PLT_TREE_MAX || t.nodes[i].parent < i);
    }
}

/* Seven dependencies in a chain: of the columns that there are the first is the caller's. The rest
 * is not passed over in silence. */
static void a_chain_that_is_too_long_is_counted(void **state)
{
    (void)state;
    static struct sq_layer chain[] = {
        { "clients", "shop", "d1", 1, 2, 1, 2 },      { "dependencies", "d1", "d2", 1, 2, 1, 4 },
        { "dependencies", "d2", "d3", 1, 2, 1, 8 },   { "dependencies", "d3", "d4", 1, 2, 1, 16 },
        { "dependencies", "d4", "d5", 1, 2, 1, 32 },  { "dependencies", "d5", "d6", 1, 2, 1, 64 },
        { "dependencies", "d6", "d7", 1, 2, 1, 128 }, { "dependencies", "d5", "e", 1, 1, 1, 32 },
    };
    struct plt_tree t;
    plt_tree_make(&t, &(struct sq_result){ .layers = chain, .layer_count = SQ_COUNT(chain) });
    assert_int_equal(t.count, PLT_TREE_DEPTH);
    assert_int_equal(t.depth, PLT_TREE_DEPTH);
    assert_int_equal(t.rows, 1);
    assert_true(t.nodes[5].product == 32);
    assert_int_equal(t.left_out, 2); /* d6 and e, both called by d5 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_multiplied_on_every_way),
        cmocka_unit_test(the_largest_way_is_what_the_result_says),
        cmocka_unit_test(without_bound_is_without_bound),
        cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(a_chain_that_is_too_long_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
