/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_expr.c - expressions of expectations: values, nulls, words, units, and the column of every
 * mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "sim/conf/sq_expr.h"

static const struct {
    const char *name;
    struct sq_value value;
} metrics[] = {
    { "jobs.completed", { 100, NULL } },
    { "dependency.template-api.calls", { 250, NULL } },
    { "dependency.template-api.calls_first", { 200, NULL } },
    { "drain.healthy_s", { 150, NULL } },
    { "drain.queue_clear_s", { NAN, NULL } },
    { "outcome.p_collapse", { 0.25, NULL } },
    { "drain.state", { NAN, "clears" } },
    { "control.api.zero", { 0, NULL } },
};

static struct sq_value look(const void *ctx, size_t ref)
{
    const struct sq_expr *e = ctx;
    for (size_t i = 0; i < SQ_COUNT(metrics); i++) {
        if (strcmp(metrics[i].name, e->refs[ref].name) == 0) {
            return metrics[i].value;
        }
    }
    fail_msg("unexpected name %s", e->refs[ref].name);
    return (struct sq_value){ NAN, NULL };
}

/* Parses and checks `text` as it stands in line 7, column 20 of a file. */
static enum sq_status parse(struct sq_node *node, struct sq_arena *arena, struct sq_diag *diag,
                            const struct sq_expr **out)
{
    node->kind = SQ_NODE_SCALAR;
    node->where = (struct sq_where){ "f.yaml", 7, 20 };
    node->verbatim = true;
    enum sq_status status = sq_expr_parse(node, "expect[0].that", arena, diag, out);
    if (status != SQ_OK) {
        return status;
    }
    bool words[64] = { false };
    for (size_t i = 0; i < (*out)->ref_count; i++) {
        words[i] = strcmp((*out)->refs[i].name, "drain.state") == 0;
    }
    return sq_expr_check(*out, words, "expect[0].that", diag);
}

/* ---- values ---- */

static const struct {
    const char *text;
    bool holds;
    double margin; /* NaN: none */
} truths[] = {
    { "jobs.completed == 100", true, 0 },
    { "jobs.completed != 100", false, 0 },
    { "jobs.completed != 90", true, 10 },
    { "jobs.completed == 99", false, -1 },
    { "jobs.completed < 100", false, 0 },
    { "jobs.completed <= 100", true, 0 },
    { "jobs.completed > 99", true, 1 },
    { "jobs.completed >= 101", false, -1 },
    { "101 > jobs.completed", true, 1 }, /* mirrored: the name is what is observed */
    { "100 < jobs.completed", false, 0 },
    { "jobs.completed==100", true, 0 },
    { "  jobs.completed   ==\n100 ", true, 0 },
    /* arithmetic: precedence, association, signs */
    { "jobs.completed == 40 + 20 * 3", true, 0 },
    { "jobs.completed == (40 + 10) * 2", true, 0 },
    { "jobs.completed == 120 - 15 - 5", true, 0 },
    { "jobs.completed == 800 / 4 / 2", true, 0 },
    { "-jobs.completed == -100", true, 0 },
    { "jobs.completed - -5 == 105", true, 0 },
    { "1.1 * jobs.completed > 109", true, 1 },
    { "dependency.template-api.calls - dependency.template-api.calls_first == 50", true, 0 },
    { "dependency.template-api.calls/dependency.template-api.calls_first == 1.25", true, 0 },
    /* amounts */
    { "drain.healthy_s < 3m", true, 30 },
    { "drain.healthy_s <= 2m30s", true, 0 },
    { "drain.healthy_s * 1000 == 150k", true, 0 },
    { "drain.healthy_s > 20ms", true, 149.98 },
    { "outcome.p_collapse == 25%", true, 0 },
    { "outcome.p_collapse < 150%", true, 1.25 },
    { "jobs.completed > 24/s", true, 76 },
    { "jobs.completed > 30/m", true, 99.5 },
    { "jobs.completed < 1kB", true, 900 },
    { "jobs.completed > 1e-2", true, 99.99 },
    { "jobs.completed < 1.5e3", true, 1400 },
    /* null satisfies nothing but null */
    { "drain.queue_clear_s == null", true, NAN },
    { "drain.queue_clear_s != null", false, NAN },
    { "null == drain.queue_clear_s", true, NAN },
    { "drain.healthy_s == null", false, NAN },
    { "drain.healthy_s != null", true, NAN },
    { "drain.queue_clear_s < 1h", false, NAN },
    { "drain.queue_clear_s >= 0", false, NAN },
    { "drain.queue_clear_s != 5", false, NAN },
    { "drain.queue_clear_s == drain.queue_clear_s", false, NAN },
    { "drain.queue_clear_s - drain.queue_clear_s == 0", false, NAN },
    { "drain.queue_clear_s + 1 == null", true, NAN },
    { "jobs.completed / control.api.zero == null", true, NAN },
    { "jobs.completed / control.api.zero > 5", false, NAN },
    /* words */
    { "drain.state == clears", true, NAN },
    { "drain.state != clears", false, NAN },
    { "drain.state == \"clears\"", true, NAN },
    { "drain.state != 'will not drain'", true, NAN },
    { "stalled != drain.state", true, NAN },
    { "drain.state == null", false, NAN },
    { "drain.state != null", true, NAN },
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(truths); i++) {
        struct sq_arena arena = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_node node = { .text = truths[i].text };
        const struct sq_expr *e = NULL;
        if (parse(&node, &arena, &diag, &e) != SQ_OK) {
            fail_msg("%s: %s", truths[i].text, diag.count > 0 ? diag.items[0].text : "?");
        }
        struct sq_expr_verdict v = sq_expr_eval(e, look, e);
        bool same = isnan(truths[i].margin) ? isnan(v.margin) != 0
                                            : fabs(v.margin - truths[i].margin) < 1e-9;
        if (v.holds != truths[i].holds || !same) {
            fail_msg("%s: holds %d", truths[i].text, v.holds);
        }
        sq_arena_fini(&arena);
        sq_diag_fini(&diag);
    }
}

static void test_references(void **state)
{
    (void)state;
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_node node = { .text =
                                "2 < dependency.template-api.calls@full-jitter - jobs.completed" };
    const struct sq_expr *e = NULL;
    assert_int_equal(parse(&node, &arena, &diag, &e), SQ_OK);
    assert_int_equal(e->ref_count, 2);
    assert_string_equal(e->refs[0].name, "dependency.template-api.calls");
    assert_string_equal(e->refs[0].variant, "full-jitter");
    assert_int_equal(e->refs[0].where.col, 24);
    assert_int_equal(e->refs[0].at_variant.col, 54);
    assert_null(e->refs[1].variant);
    assert_int_equal(e->refs[1].where.col, 68);
    assert_int_equal(e->cmp, SQ_EXPR_GT);
    assert_true(sq_expr_is_constant(e->right));
    assert_false(sq_expr_is_constant(e->left));
    sq_arena_fini(&arena);
}

static void test_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum sq_expr_unit unit;
    } rows[] = {
        { "drain.healthy_s < 1", SQ_EXPR_SECONDS },
        { "1.1 * drain.healthy_s < 1", SQ_EXPR_SECONDS },
        { "drain.healthy_s / 2 < 1", SQ_EXPR_SECONDS },
        { "drain.healthy_s / 2m < 1", SQ_EXPR_NUMBER },
        { "drain.healthy_s - drain.queue_clear_s < 1", SQ_EXPR_SECONDS },
        { "drain.healthy_s + jobs.completed < 1", SQ_EXPR_NUMBER },
        { "outcome.p_collapse < 1", SQ_EXPR_SHARE },
        { "jobs.completed < 1", SQ_EXPR_NUMBER },
        { "dependency.a.peak_rate_per_s < 1", SQ_EXPR_NUMBER },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_arena arena = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_node node = { .text = rows[i].text };
        const struct sq_expr *e = NULL;
        assert_int_equal(parse(&node, &arena, &diag, &e), SQ_OK);
        assert_int_equal(sq_expr_unit(e->left), rows[i].unit);
        sq_arena_fini(&arena);
    }
}

/* ---- mistakes ---- */

static const struct {
    const char *text;
    unsigned col; /* of the first character of the text: 20 */
    const char *says;
} mistakes[] = {
    { "", 20, "is empty" },
    { "   ", 20, "is empty" },
    { "jobs.completed", 34, "a comparison is missing" },
    { "jobs.completed = 5", 35, "`=` is no comparison" },
    { "jobs.completed =< 5", 35, "`=<` is no comparison" },
    { "jobs.completed ==", 37, "missing at the end" },
    { "== 5", 20, "missing before `==`" },
    { "jobs.completed == 5 == 5", 40, "`==` cannot follow" },
    { "jobs.completed > 5 && jobs.completed < 9", 39, "`&&` cannot follow" },
    { "jobs.completed == 5 6", 40, "`6` cannot stand here" },
    { "drain.state == will not drain", 40, "`not` cannot stand here" },
    { "jobs.completed == (5 + 1", 38, "the parenthesis is not closed" },
    { "jobs.completed == 5)", 39, "`)` cannot stand here" },
    { "jobs.completed == 5x", 38, "`5x` is no amount" },
    { "jobs.completed ~ 5", 35, "`~` cannot stand here" },
    { "jobs.completed \xE2\x89\xA4 5", 35, "`\xE2\x89\xA4` cannot stand here" },
    { "drain.state == 'clears", 35, "is not closed" },
    { "5 == 5", 20, "names no metric" },
    { "calls == 5", 20, "names no metric" },
    { "calls@base == jobs.completed", 20, "`calls` is a word, not a metric" },
    { "jobs.completed@ == 5", 34, "missing behind the @" },
    { "jobs.completed < null", 37, "null can be compared with" },
    { "jobs.completed + null == 5", 37, "`null` cannot be calculated with" },
    { "jobs.completed + clears == 5", 37, "`clears` is a word" },
    { "drain.state + 1 == 5", 20, "`drain.state` is a word" },
    { "drain.state < clears", 20, "== and != alone" },
    { "drain.state == 5", 35, "can never be a number" },
    { "jobs.completed == clears", 38, "can never be the word `clears`" },
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(mistakes); i++) {
        struct sq_arena arena = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_node node = { .text = mistakes[i].text };
        const struct sq_expr *e = NULL;
        assert_int_equal(parse(&node, &arena, &diag, &e), SQ_USER);
        assert_int_equal(diag.count, 1);
        const struct sq_complaint *c = &diag.items[0];
        if (c->where.line != 7 || c->where.col != mistakes[i].col ||
            strstr(c->text, mistakes[i].says) == NULL) {
            fail_msg("%s: %u: %s", mistakes[i].text, (unsigned)c->where.col, c->text);
        }
        sq_arena_fini(&arena);
        sq_diag_fini(&diag);
    }
}

/* Where the text stands in the file as it is the column is exact; elsewhere it is the scalar's. */
static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        unsigned line, col;
    } rows[] = {
        { "that: jobs.done = 5\n", 1, 17 },
        { "that: \"jobs.done = 5\"\n", 1, 18 },
        { "that: 'jobs.done = 5'\n", 1, 18 },
        { "that: \"\\x6aobs.done = 5\"\n", 1, 7 },
        { "that: >\n  jobs.done = 5\n", 1, 7 },
        { "that: jobs.done\n  = 5\n", 1, 7 },
        { "x: \xC3\xA4\xC3\xA4\nthat: \"'\xC3\xA4' == jobs.done = 5\"\n", 2, 25 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_arena arena = { 0 };
        struct sq_diag diag = { 0 };
        struct sq_node *root = NULL;
        const struct sq_expr *e = NULL;
        assert_int_equal(
            sq_doc_parse("f.yaml", rows[i].yaml, strlen(rows[i].yaml), &arena, &diag, &root),
            SQ_OK);
        const struct sq_node *that = sq_node_get(root, "that");
        assert_int_equal(sq_expr_parse(that, "that", &arena, &diag, &e), SQ_USER);
        assert_int_equal(diag.items[0].where.line, rows[i].line);
        assert_int_equal(diag.items[0].where.col, rows[i].col);
        sq_arena_fini(&arena);
        sq_diag_fini(&diag);
    }
}

static void test_depth(void **state)
{
    (void)state;
    static char text[4096];
    memset(text, '(', 2000);
    memcpy(text + 2000, "jobs.completed == 1", 20);
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_node node = { .text = text };
    const struct sq_expr *e = NULL;
    assert_int_equal(parse(&node, &arena, &diag, &e), SQ_USER);
    assert_non_null(strstr(diag.items[0].text, "too deep"));
    sq_arena_fini(&arena);
    sq_diag_fini(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_references),
        cmocka_unit_test(test_units),  cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_places), cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
