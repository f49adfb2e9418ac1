/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_compare.c - the page of a comparison and its Markdown: lines, widths, and texts that would
 * steer a terminal or break a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "plots/plt_compare.h"
#include "plots/plt_markdown.h"
#include "plots/plt_rows.h"
#include "sim/core/sq_math.h"
#include "tests/core/made_runs.h"

static const struct plt_term blocks = { 80, false, true };

/* Sentences, which others make, are given here. */
static void make(struct made *m, size_t count, struct sq_comparison *c)
{
    *c = (struct sq_comparison){ 0 };
    assert_int_equal(sq_comparison_make(m->results, count, c), SQ_OK);
    for (size_t v = 0; v < count; v++) {
        c->variants[v].verdict = "does what it does [1s, 2s]";
    }
    c->proof = "That proves little.";
}

static void has(const char *page, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(page, lines[i]) == NULL) {
            fail_msg("not on the page: %s\n%s", lines[i], page);
        }
    }
}

static unsigned widest(const char *page)
{
    unsigned max = 0, columns = 0;
    for (const char *p = page; *p != '\0'; p++) {
        columns += ((unsigned char)*p & 0xC0) != 0x80 ? 1 : 0;
        columns = *p == '\n' ? 0 : columns;
        max = columns > max ? columns : max;
    }
    return max;
}

static void page(void **state)
{
    (void)state;
    static const char *const files[] = { "out/comparison.json" };
    static const char *const lines[] = {
        "A <small> | world: 3 variants on the same luck, 4 runs each, seed 7\n"
        "new collapses in 1 of 4 runs, old in 3, stuck in all.\n\n"
        "Verdicts\n  old: does what it does [1s, 2s].\n",
        "                          old     new     stuck\n"
        "  P(collapse)            75 %    25 %     100 %\n"
        "    95 % interval     30-95 %  5-70 %  51-100 %\n"
        "  backlog          clears 2/4  clears   stalled\n"
        "  queue clear       1m50s (3)    1m2s         -\n"
        "  jobs completed        1,000   1,000       900\n",
        "Difference to old on the same luck: mean of the pairs of runs, 95 % interval\n"
        "                               new     stuck\n"
        "  queue clear     -39.7s ±3.8s (3)         -\n"
        "  jobs completed                 0  -101 ±10\n",
        "(n): only so many runs, or pairs of runs, have a value.\n",
        "That proves little.\n\nFiles\n  out/comparison.json\n",
    };
    struct made m;
    struct sq_comparison c;
    struct sq_buf b = { 0 };
    made_fill(&m, MADE_RUNS);
    make(&m, MADE_VARIANTS, &c);
    assert_int_equal(plt_compare(&c, &blocks, files, 1, &b), SQ_OK);
    has(b.text, lines, SQ_COUNT(lines));
    assert_null(strstr(b.text, "INTERRUPTED"));
    assert_null(strchr(b.text, '\x1b'));
    sq_buf_fini(&b);
    sq_arena_fini(&c.arena);
}

/* Twelve variants with long names, and a title that would colour the terminal. */
static void wide(void **state)
{
    (void)state;
    enum { MANY = 12 };
    static const struct plt_term terms[] = { { 60, false, false }, { 80, true, true } };
    struct made m;
    made_fill(&m, MADE_RUNS);
    struct sq_result many[MANY];
    char names[MANY][32];
    for (size_t v = 0; v < MANY; v++) {
        many[v] = m.results[v % 2];
        (void)snprintf(names[v], sizeof names[v], "a-rather-long-name-%zu", v);
        many[v].variant = names[v];
        many[v].title = "red \x1b[31m alert";
    }
    for (size_t i = 0; i < SQ_COUNT(terms); i++) {
        struct sq_comparison c = { 0 };
        struct sq_buf b = { 0 };
        assert_int_equal(sq_comparison_make(many, MANY, &c), SQ_OK);
        for (size_t v = 0; v < MANY; v++) {
            c.variants[v].verdict = "-";
        }
        c.proof = "-";
        assert_int_equal(plt_compare(&c, &terms[i], NULL, 0, &b), SQ_OK);
        assert_null(strstr(b.text, "\x1b[31m"));
        assert_non_null(strstr(b.text, "a-rather-lon.."));
        if (!terms[i].colour) {
            assert_true(widest(b.text) <= terms[i].width);
            assert_null(strstr(b.text, "±"));
            assert_non_null(strstr(b.text, "+-"));
        }
        sq_buf_fini(&b);
        sq_arena_fini(&c.arena);
    }
}

static void interrupted(void **state)
{
    (void)state;
    struct made m;
    struct sq_comparison c;
    struct sq_buf b = { 0 };
    made_fill(&m, 2);
    m.results[0].interrupted = true;
    m.results[0].runs_wanted = 20;
    make(&m, 2, &c);
    assert_int_equal(plt_compare(&c, &blocks, NULL, 0, &b), SQ_OK);
    const char first[] = "INTERRUPTED after 2 of 20 runs: what follows is of the finished ones.\n";
    assert_memory_equal(b.text, first, sizeof first - 1);
    assert_int_equal(plt_markdown(&c, &b), SQ_OK);
    assert_non_null(strstr(b.text, "\n\n**INTERRUPTED after 2 of 20 runs**"));
    sq_buf_fini(&b);
    sq_arena_fini(&c.arena);
}

static void markdown(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "## A &lt;small> \\| world\n\n",
        "\n- **new**: does what it does \\[1s, 2s\\].\n",
        "| median, and paired difference | old | new | stuck |\n|:--|--:|--:|--:|\n"
        "| P(collapse) | 75 % \\[30-95 %\\] | 25 % \\[5-70 %\\] | 100 % \\[51-100 %\\] |\n",
        "| queue clear | 1m50s (3) | 1m2s<br>-39.7s ±3.8s (3) | - |\n",
        "\nsmall.yaml, seed 7, 4 runs each; squall 0.1.0. Scenarios: old 00ff00ff00ff00ff, new ",
        "| control.api.in\\_use\\_max | - | 10 | - |\n",
        "\n</details>\n",
    };
    struct made m;
    struct sq_comparison c;
    struct sq_buf b = { 0 };
    made_fill(&m, MADE_RUNS);
    make(&m, MADE_VARIANTS, &c);
    assert_int_equal(plt_markdown(&c, &b), SQ_OK);
    has(b.text, lines, SQ_COUNT(lines));
    assert_null(strstr(b.text, "/home"));
    sq_buf_fini(&b);
    sq_arena_fini(&c.arena);
}

static void units(void **state)
{
    (void)state;
    static const struct {
        const char *metric;
        enum plt_unit unit;
    } rows[] = {
        { "dependency.api.calls", PLT_UNIT_COUNT },
        { "dependency.api.amplification", PLT_UNIT_RATIO },
        { "dependency.api.utilisation", PLT_UNIT_RATIO },
        { "dependency.api.peak_rate_per_s", PLT_UNIT_RATE },
        { "drain.healthy_s", PLT_UNIT_SPAN },
        { "workers.w.deaths", PLT_UNIT_COUNT },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        assert_int_equal(plt_unit_of(rows[i].metric), rows[i].unit);
    }
}

int main(void)
{
    sq_math_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page),     cmocka_unit_test(wide),  cmocka_unit_test(interrupted),
        cmocka_unit_test(markdown), cmocka_unit_test(units),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
