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
#include "sim/conf/sq_each.h"
#include "tests/models/blocks.h"

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
    struct blocks b;
    struct mdl_tables tables = { .arena = &b.arena };
    assert_int_equal(blocks_bind(&b, &mdl_dist_family, every_kind), SQ_OK);
    assert_int_equal(mdl_dist_prepare(&b.table, &b.root, &tables), SQ_OK);
    assert_int_equal(b.root.all.count, SQ_COUNT(means));
    for (size_t i = 0; i < SQ_COUNT(means); i++) {
        struct sq_dist d = mdl_dist_make(blocks_get(&b, means[i].name));
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
    blocks_fini(&b);
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
    struct blocks b;
    assert_int_equal(blocks_bind(&b, &mdl_dist_family, every_kind), SQ_OK);
    for (size_t i = 0; i < mdl_dist_family.kind_count; i++) {
        const struct sq_kind *kind = sq_family_kind(&mdl_dist_family, i);
        assert_false(kind->later);
        assert_ptr_equal(blocks_get(&b, kind->name)->kind, kind);
    }
    size_t count = 0;
    assert_int_equal(sq_each_block(&b.table, &b.root, &mdl_dist_family, see, &count), SQ_OK);
    assert_int_equal(count, mdl_dist_family.kind_count);
    blocks_fini(&b);
}

/* One table for all that share a cv, found again, and a shared one before one's own. */
static void tables_are_shared(void **state)
{
    (void)state;
    struct blocks b;
    struct mdl_tables tables = { .arena = &b.arena };
    assert_int_equal(blocks_bind(&b, &mdl_dist_family,
                                 "all: {a: {kind: gamma, mean: 1s, cv: 0.5},\n"
                                 "      b: {kind: gamma, mean: 2s, cv: 0.5},\n"
                                 "      c: {kind: gamma, mean: 2s, cv: 0.25}}\n"),
                     SQ_OK);
    assert_int_equal(mdl_dist_prepare(&b.table, &b.root, &tables), SQ_OK);
    struct sq_dist a = mdl_dist_make(blocks_get(&b, "a")), two = mdl_dist_make(blocks_get(&b, "b"));
    struct sq_dist c = mdl_dist_make(blocks_get(&b, "c"));
    assert_ptr_equal(a.table, two.table);
    assert_ptr_not_equal(a.table, c.table);
    const struct mdl_table *newest = tables.first;
    struct mdl_tables own = { .arena = &b.arena, .shared = &tables };
    assert_int_equal(mdl_dist_prepare(&b.table, &b.root, &own), SQ_OK);
    assert_ptr_equal(mdl_dist_make(blocks_get(&b, "c")).table, c.table);
    assert_null(own.first);
    *(double *)((char *)blocks_get(&b, "c")->cfg + sizeof(sq_time_t)) =
        0.75; /* as a `set` does: cv */
    assert_int_equal(mdl_dist_prepare(&b.table, &b.root, &own), SQ_OK);
    assert_non_null(own.first);
    assert_ptr_equal(tables.first, newest);
    struct sq_dist changed = mdl_dist_make(blocks_get(&b, "c"));
    assert_true(sq_dist_at(&changed, 0.99) > sq_dist_at(&c, 0.99));
    blocks_fini(&b);
}

/* A sample is put in order; its i-th of n values is the quantile at i / (n - 1). */
static void samples(void **state)
{
    (void)state;
    struct blocks b;
    struct mdl_tables tables = { .arena = &b.arena };
    assert_int_equal(
        blocks_bind(&b, &mdl_dist_family,
                    "all: {a: {kind: empirical, file: f.csv, column: took}, b: 5ms}\n"),
        SQ_OK);
    const struct mdl_sample_ask *ask = mdl_dist_sample(blocks_get(&b, "a"));
    assert_non_null(ask);
    assert_string_equal(ask->file, "f.csv");
    assert_string_equal(ask->column, "took");
    assert_null(mdl_dist_sample(blocks_get(&b, "b")));
    assert_false(mdl_tables_has(&tables, ask));
    double seconds[] = { 0.03, 0.01, 0.05, 0.01, 0.02 };
    assert_int_equal(mdl_tables_add(&tables, ask, seconds, 5), SQ_OK);
    assert_true(mdl_tables_has(&tables, ask));
    assert_false(mdl_tables_has(&tables, &(struct mdl_sample_ask){ "f.csv", "other" }));
    assert_int_equal(mdl_dist_prepare(&b.table, &b.root, &tables), SQ_OK);
    struct sq_dist d = mdl_dist_make(blocks_get(&b, "a"));
    assert_int_equal(sq_dist_at(&d, 0.125), 10000000);
    assert_int_equal(sq_dist_at(&d, 0.5), 20000000);
    assert_int_equal(sq_dist_at(&d, 0.875), 40000000);
    blocks_fini(&b);
}

static void constants(void **state)
{
    (void)state;
    struct blocks b;
    sq_time_t value = 1;
    assert_int_equal(blocks_bind(&b, &mdl_dist_family, every_kind), SQ_OK);
    assert_true(mdl_dist_is_constant(blocks_get(&b, "constant"), &value));
    assert_int_equal(value, 20000000);
    assert_false(mdl_dist_is_constant(blocks_get(&b, "gamma"), &value));
    assert_int_equal(value, 20000000);
    assert_true(mdl_dist_is_constant(&(struct sq_block){ 0 }, &value));
    assert_int_equal(value, 0);
    blocks_fini(&b);
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
        struct blocks b;
        assert_int_equal(blocks_bind(&b, &mdl_dist_family, rows[i].yaml), SQ_USER);
        const char *says = blocks_complaints(&b);
        if (strstr(says, rows[i].says) == NULL) {
            fail_msg("%s: %s", rows[i].yaml, says);
        }
        blocks_fini(&b);
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
