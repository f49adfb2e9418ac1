/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions as a user writes them: every kind against its formula, tables made once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/policy/mdl_dist.h"
#include "sim/conf/sq_conf.h"
#include "sim/conf/sq_each.h"
#include "sim/conf/sq_rows.h"

/* A file with a map of distributions. */
struct root {
    struct sq_map all; /* of struct sq_block */
};
static const struct sq_field element = {
    .key = "d", .type = SQ_BLOCK, .more = &mdl_dist_family, .flags = SQ_F_LIVE, .doc = "One."
};
static const struct sq_field root_rows[] = {
    SQ_ROW_MAP(struct root, all, "all", &element, 0, "Many."),
};
static const struct sq_table root_table = { .rows = SQ_ROWS(root_rows),
                                            .size = sizeof(struct root) };

struct bound {
    struct sq_arena arena;
    struct sq_diag diag;
    struct root root;
    struct mdl_tables tables;
};

static enum sq_status bind(struct bound *b, const char *yaml)
{
    *b = (struct bound){ 0 };
    struct sq_conf conf = { .arena = &b->arena, .diag = &b->diag };
    struct sq_node *tree;
    enum sq_status status =
        sq_doc_parse("test.yaml", yaml, strlen(yaml), &b->arena, &b->diag, &tree);
    if (status == SQ_OK) {
        status = sq_conf_expand(&conf, tree, &root_table, "");
    }
    if (status == SQ_OK) {
        status = sq_conf_fill(&conf, tree, &root_table, "");
    }
    if (status == SQ_OK) {
        status = sq_conf_bind(&conf, tree, &root_table, "", &b->root);
    }
    b->tables.arena = &b->arena;
    return status;
}

static void unbind(struct bound *b)
{
    sq_diag_fini(&b->diag);
    sq_arena_fini(&b->arena);
}

static const struct sq_block *block(const struct bound *b, const char *name)
{
    int i = sq_map_find(&b->root.all, name);
    assert_true(i >= 0);
    return sq_map_at(&b->root.all, (size_t)i);
}

static const char every_kind[] =
    "all:\n"
    "  constant: 20ms\n"
    "  exponential: {kind: exponential, mean: 320ms}\n"
    "  uniform: 10ms..50ms\n"
    "  lognormal: {kind: lognormal, mean: 250ms, cv: 0.8}\n"
    "  gamma: {kind: gamma, mean: 250ms, cv: 0.5}\n"
    "  weibull: {kind: weibull, mean: 250ms, shape: 2}\n"
    "  normal: {kind: normal, mean: 100ms, sd: 5ms}\n"
    "  pareto: {kind: pareto, min: 10ms, shape: 2, max: 1s}\n"
    "  empirical: {kind: empirical, points: [[0, 0s], [20%, 10ms], [0.5, 10ms], [1, 110ms]]}\n";

/* Mean and distribution function of each, in seconds, by textbook formula. */
static double cdf(const char *name, double x)
{
    if (strcmp(name, "exponential") == 0) {
        return 1 - exp(-x / 0.32);
    }
    if (strcmp(name, "uniform") == 0) {
        return (x - 0.01) / 0.04;
    }
    if (strcmp(name, "lognormal") == 0) {
        double v = log(1 + 0.64);
        return 0.5 * erfc(-(log(x / 0.25) + v / 2) / sqrt(2 * v));
    }
    if (strcmp(name, "gamma") == 0) { /* Erlang-4 */
        double y = x / 0.25 * 4;
        return 1 - exp(-y) * (1 + y + y * y / 2 + y * y * y / 6);
    }
    if (strcmp(name, "weibull") == 0) { /* Rayleigh: Gamma(3/2) = sqrt(pi) / 2 */
        double scale = 0.25 / (0.5 * sqrt(acos(-1)));
        return 1 - exp(-(x / scale) * (x / scale));
    }
    if (strcmp(name, "normal") == 0) {
        return 0.5 * erfc(-(x - 0.1) / 0.005 / sqrt(2));
    }
    if (strcmp(name, "pareto") == 0) {
        return (1 - 0.0001 / (x * x)) / (1 - 0.0001);
    }
    return x < 0.01 ? x * 20 : 0.5 + (x - 0.01) * 5; /* empirical */
}

static const struct {
    const char *name;
    double mean;
} means[] = {
    { "constant", 0.02 },
    { "exponential", 0.32 },
    { "uniform", 0.03 },
    { "lognormal", 0.25 },
    { "gamma", 0.25 },
    { "weibull", 0.25 },
    { "normal", 0.1 },
    { "pareto", 2 * 0.01 * 0.99 / 0.9999 }, /* 2 L (1 - L/H) / (1 - (L/H)^2) */
    { "empirical", 0.2 * 0.005 + 0.3 * 0.01 + 0.5 * 0.06 },
};

/* On an even grid of uniforms the largest distance between the distribution of the draws and the
 * formula is half a step, as in a Kolmogorov-Smirnov test without chance. */
static void formulas(void **state)
{
    (void)state;
    enum { GRID = 20000 };
    struct bound b;
    assert_int_equal(bind(&b, every_kind), SQ_OK);
    assert_int_equal(mdl_dist_prepare(&root_table, &b.root, &b.tables), SQ_OK);
    assert_int_equal(b.root.all.count, SQ_COUNT(means));
    for (size_t i = 0; i < SQ_COUNT(means); i++) {
        struct sq_dist d = mdl_dist_make(block(&b, means[i].name));
        double sum = 0, worst = 0;
        for (int k = 0; k < GRID; k++) {
            double u = (k + 0.5) / GRID, x = sq_time_to_s(sq_dist_at(&d, u));
            sum += x;
            bool flat = d.kind == SQ_DIST_TABLE && u >= 0.2 && u <= 0.5; /* an atom at 10 ms */
            if (i > 0 && !flat) {
                worst = fmax(worst, fabs(cdf(means[i].name, x) - u));
            }
        }
        if (!(worst < 2e-6) || !(fabs(sum / GRID / means[i].mean - 1) < 2e-4) ||
            !(fabs(sq_dist_mean_s(&d) / means[i].mean - 1) < 1e-12)) {
            fail_msg("%s: distance %g, mean %.12g of the grid %.12g", means[i].name, worst,
                     sq_dist_mean_s(&d), sum / GRID);
        }
    }
    unbind(&b);
}

static enum sq_status see(void *ctx, const struct sq_block *blk)
{
    assert_non_null(blk->kind);
    ++*(size_t *)ctx;
    return SQ_OK;
}

/* Every kind of the family is in the text above, so that a new one cannot be forgotten. */
static void complete(void **state)
{
    (void)state;
    struct bound b;
    assert_int_equal(bind(&b, every_kind), SQ_OK);
    for (size_t i = 0; i < mdl_dist_family.kind_count; i++) {
        const struct sq_kind *kind = sq_family_kind(&mdl_dist_family, i);
        assert_false(kind->later);
        assert_ptr_equal(block(&b, kind->name)->kind, kind);
    }
    size_t count = 0;
    assert_int_equal(sq_each_block(&root_table, &b.root, &mdl_dist_family, see, &count), SQ_OK);
    assert_int_equal(count, mdl_dist_family.kind_count);
    unbind(&b);
}

/* One table for all that share a cv, found again, and a shared one before one's own. */
static void tables_are_shared(void **state)
{
    (void)state;
    struct bound b;
    assert_int_equal(bind(&b, "all: {a: {kind: gamma, mean: 1s, cv: 0.5},\n"
                              "      b: {kind: gamma, mean: 2s, cv: 0.5},\n"
                              "      c: {kind: gamma, mean: 2s, cv: 0.25}}\n"),
                     SQ_OK);
    assert_int_equal(mdl_dist_prepare(&root_table, &b.root, &b.tables), SQ_OK);
    struct sq_dist a = mdl_dist_make(block(&b, "a")), two = mdl_dist_make(block(&b, "b"));
    struct sq_dist c = mdl_dist_make(block(&b, "c"));
    assert_ptr_equal(a.table, two.table);
    assert_ptr_not_equal(a.table, c.table);
    const struct mdl_table *newest = b.tables.first;
    struct mdl_tables own = { .arena = &b.arena, .shared = &b.tables };
    assert_int_equal(mdl_dist_prepare(&root_table, &b.root, &own), SQ_OK);
    assert_ptr_equal(mdl_dist_make(block(&b, "c")).table, c.table);
    assert_null(own.first);
    *(double *)((char *)block(&b, "c")->cfg + sizeof(sq_time_t)) = 0.75; /* as a `set` does: cv */
    assert_int_equal(mdl_dist_prepare(&root_table, &b.root, &own), SQ_OK);
    assert_non_null(own.first);
    assert_ptr_equal(b.tables.first, newest);
    struct sq_dist changed = mdl_dist_make(block(&b, "c"));
    assert_true(sq_dist_at(&changed, 0.99) > sq_dist_at(&c, 0.99));
    unbind(&b);
}

/* A sample is put in order; its i-th of n values is the quantile at i / (n - 1). */
static void samples(void **state)
{
    (void)state;
    struct bound b;
    assert_int_equal(bind(&b, "all: {a: {kind: empirical, file: f.csv, column: took}, b: 5ms}\n"),
                     SQ_OK);
    const struct mdl_sample_ask *ask = mdl_dist_sample(block(&b, "a"));
    assert_non_null(ask);
    assert_string_equal(ask->file, "f.csv");
    assert_string_equal(ask->column, "took");
    assert_null(mdl_dist_sample(block(&b, "b")));
    assert_false(mdl_tables_has(&b.tables, ask));
    double seconds[] = { 0.03, 0.01, 0.05, 0.01, 0.02 };
    assert_int_equal(mdl_tables_add(&b.tables, ask, seconds, 5), SQ_OK);
    assert_true(mdl_tables_has(&b.tables, ask));
    assert_false(mdl_tables_has(&b.tables, &(struct mdl_sample_ask){ "f.csv", "other" }));
    assert_int_equal(mdl_dist_prepare(&root_table, &b.root, &b.tables), SQ_OK);
    struct sq_dist d = mdl_dist_make(block(&b, "a"));
    assert_int_equal(sq_dist_at(&d, 0.125), 10000000);
    assert_int_equal(sq_dist_at(&d, 0.5), 20000000);
    assert_int_equal(sq_dist_at(&d, 0.875), 40000000);
    unbind(&b);
}

static void constants(void **state)
{
    (void)state;
    struct bound b;
    sq_time_t value = 1;
    assert_int_equal(bind(&b, every_kind), SQ_OK);
    assert_true(mdl_dist_is_constant(block(&b, "constant"), &value));
    assert_int_equal(value, 20000000);
    assert_false(mdl_dist_is_constant(block(&b, "gamma"), &value));
    assert_int_equal(value, 20000000);
    assert_true(mdl_dist_is_constant(&(struct sq_block){ 0 }, &value));
    assert_int_equal(value, 0);
    unbind(&b);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        { "all: {a: {kind: pareto, min: 2s, shape: 1, max: 1s}}", "max is below min" },
        { "all: {a: {kind: uniform, min: 2s, max: 1s}}", "max is below min" },
        { "all: {a: {kind: pareto, min: 2s, shape: 0}}", "below the minimum" },
        { "all: {a: {kind: empirical}}", "a first p of 0 and a last of 1" },
        { "all: {a: {kind: empirical, points: []}}", "a first p of 0 and a last of 1" },
        { "all: {a: {kind: empirical, points: [[0, 1s], [0.9, 2s]]}}", "a last of 1" },
        { "all: {a: {kind: empirical, points: [[0.1, 1s], [1, 2s]]}}", "a first p of 0" },
        { "all: {a: {kind: empirical, points: [[0, 3s], [1, 2s]]}}", "point 2" },
        { "all: {a: {kind: empirical, points: [[0, 1s], [0, 2s], [1, 2s]]}}", "point 2" },
        { "all: {a: {kind: empirical, file: f.csv}}", "both `file` and `column`" },
        { "all: {a: {kind: empirical, column: took}}", "both `file` and `column`" },
        { "all: {a: {kind: empirical, file: f, points: [[0, 1s], [1, 2s]]}}", "" },
        { "all: {a: {kind: gamma, mean: 1s}}", "cv" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct bound b;
        struct sq_buf text = { 0 };
        assert_int_equal(bind(&b, rows[i].yaml), SQ_USER);
        sq_diag_print(&b.diag, &text);
        if (strstr(text.text, rows[i].says) == NULL) {
            fail_msg("%s: %s", rows[i].yaml, text.text);
        }
        sq_buf_fini(&text);
        unbind(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas),          cmocka_unit_test(complete),
        cmocka_unit_test(tables_are_shared), cmocka_unit_test(samples),
        cmocka_unit_test(constants),         cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests_name("distributions", tests, NULL, NULL);
}
