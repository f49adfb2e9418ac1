/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_save_comparison.c - comparison.csv byte by byte, and comparison.json key by key. The figures
 * are those of made_runs.h, reckoned by hand in test_comparison.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "sim/base/sq_json.h"
#include "sim/conf/sq_save_comparison.h"
#include "sim/core/sq_math.h"
#include "tests/core/made_runs.h"

static void make(size_t runs, size_t variants, struct sq_comparison *c, struct made *m)
{
    made_fill(m, runs);
    *c = (struct sq_comparison){ 0 };
    assert_int_equal(sq_comparison_make(m->results, variants, c), SQ_OK);
    for (size_t v = 0; v < variants; v++) {
        c->variants[v].verdict = "is \"fine\"";
    }
    c->proof = "little";
}

static const char csv[] =
    "metric,variant,n,mean,min,p10,p50,p90,max,ci95_lo,ci95_hi,bimodal,paired_n,paired_mean,"
    "paired_lo,paired_hi,only_here,only_first,mcnemar_p,words\n"
    "outcome.p_collapse,old,4,0.75,,,,,,0.300641843,0.954412739,,,,,,,,,\n"
    "outcome.p_collapse,new,4,0.25,,,,,,0.0455872608,0.699358157,,4,,,,0,2,0.5,\n"
    "drain.state,old,,,,,,,,,,,,,,,,,,clears 2; stalled 1; will not drain 1\n"
    "drain.state,new,,,,,,,,,,,,,,,,,,clears 4\n"
    "drain.queue_clear_s,old,3,110,100,100,110,120,120,85.1586229,134.841377,,,,,,,,,\n"
    "drain.queue_clear_s,new,4,65.25,50,50,62,79,79,45.6589905,84.8410095,,3,-39.6666667,"
    "-43.4612497,-35.8720836,,,,\n"
    "jobs.completed,old,4,1000,990,990,1000,1010,1010,987.007717,1012.99228,,,,,,,,,\n"
    "jobs.completed,new,4,1000,990,990,1000,1010,1010,987.007717,1012.99228,,4,0,0,0,,,,\n"
    "control.api.in_use_max,new,4,9.75,9,9,10,10,10,8.95438842,10.5456116,,0,,,,,,,\n"
    "queue.jobs.ready_max,old,4,1.125,0,0,0.5,2,2,-0.515195283,2.76519528,,,,,,,,,\n"
    "queue.jobs.ready_max,new,4,2.125,0.5,0.5,2,4,4,-0.160220271,4.41022027,,4,1,-2.18244631,"
    "4.18244631,,,,\n";

static void test_csv(void **state)
{
    (void)state;
    struct made m;
    struct sq_comparison c;
    struct sq_buf b = { 0 };
    make(MADE_RUNS, 2, &c, &m);
    assert_int_equal(sq_save_comparison_csv(&c, &b), SQ_OK);
    assert_string_equal(b.text, csv);
    sq_buf_fini(&b);
    sq_arena_fini(&c.arena);
}

/* Every row has as many cells as the head. */
static void test_csv_width(void **state)
{
    (void)state;
    for (size_t runs = 1; runs <= MADE_RUNS; runs++) {
        struct made m;
        struct sq_comparison c;
        struct sq_buf b = { 0 };
        make(runs, MADE_VARIANTS, &c, &m);
        assert_int_equal(sq_save_comparison_csv(&c, &b), SQ_OK);
        size_t commas = 0;
        for (const char *p = b.text; *p != '\0'; p++) {
            commas += *p == ',';
            if (*p == '\n') {
                assert_int_equal(commas, 19);
                commas = 0;
            }
        }
        sq_buf_fini(&b);
        sq_arena_fini(&c.arena);
    }
}

static struct sq_json *parse(const struct sq_comparison *c)
{
    struct sq_buf b = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_json *root = NULL;
    assert_int_equal(sq_save_comparison_json(c, &b), SQ_OK);
    assert_int_equal(sq_json_parse("comparison.json", b.text, b.len, &diag, &root), SQ_OK);
    sq_buf_fini(&b);
    sq_diag_fini(&diag);
    return root;
}

static const struct sq_json *cell_of(const struct sq_json *root, const char *metric,
                                     const char *variant)
{
    return sq_json_get(sq_json_get(sq_json_get(root, "metrics"), metric), variant);
}

static void test_json(void **state)
{
    (void)state;
    struct made m;
    struct sq_comparison c;
    make(MADE_RUNS, MADE_VARIANTS, &c, &m);
    struct sq_json *root = parse(&c);
    const struct sq_json *head = sq_json_get(root, "comparison");
    assert_int_equal((int)sq_json_number(sq_json_get(sq_json_get(root, "squall"), "format")), 1);
    assert_string_equal(sq_json_text(sq_json_get(head, "file")), "small.yaml");
    assert_string_equal(sq_json_text(sq_json_get(head, "first")), "old");
    assert_int_equal((int)sq_json_number(sq_json_get(head, "runs")), 4);
    assert_null(sq_json_get(root, "interrupted"));
    const struct sq_json *one = sq_json_at(sq_json_get(root, "variants"), 1);
    assert_string_equal(sq_json_text(sq_json_get(one, "name")), "new");
    assert_string_equal(sq_json_text(sq_json_get(one, "verdict")), "is \"fine\"");
    const struct sq_json *share = sq_json_get(one, "collapse");
    assert_true(sq_json_number(sq_json_get(share, "value")) == 0.25);
    share = sq_json_get(share, "paired");
    assert_true(sq_json_number(sq_json_get(share, "mcnemar_p")) == 0.5);
    const struct sq_json *cell = cell_of(root, "drain.queue_clear_s", "new");
    assert_true(sq_json_number(sq_json_get(cell, "p50")) == 62);
    cell = sq_json_get(cell, "paired");
    assert_true(sq_json_number(sq_json_get(cell, "n")) == 3);
    assert_true(sq_json_number(sq_json_at(sq_json_get(cell, "ci95"), 1)) == -35.8720836);
    assert_null(sq_json_get(cell_of(root, "drain.queue_clear_s", "old"), "paired"));
    assert_null(cell_of(root, "control.api.in_use_max", "old"));
    assert_null(sq_json_get(sq_json_get(root, "metrics"), "run.hash"));
    cell = sq_json_get(cell_of(root, "drain.state", "old"), "counts");
    assert_true(sq_json_number(sq_json_get(cell, "clears")) == 2);
    sq_json_free(root);
    sq_arena_fini(&c.arena);
}

static void test_interrupted(void **state)
{
    (void)state;
    struct made m;
    struct sq_comparison c;
    make(2, 2, &c, &m);
    c.interrupted = true;
    c.runs_wanted = 50;
    struct sq_json *root = parse(&c);
    assert_true(sq_json_true(sq_json_get(root, "interrupted")));
    assert_int_equal((int)sq_json_number(sq_json_get(root, "runs_wanted")), 50);
    sq_json_free(root);
    sq_arena_fini(&c.arena);
}

int main(void)
{
    sq_math_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_width),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests_name("save-comparison", tests, NULL, NULL);
}
