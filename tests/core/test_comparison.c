/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_comparison.c - variants side by side. Figures were reckoned by hand: Student t(0.975, 2) =
 * 4.30265273, Wilson's formula, binomial coefficients. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/core/sq_comparison.h"
#include "sim/core/sq_math.h"
#include "tests/core/made_runs.h"

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-8 * (1 + fabs(want)))) {
        fail_msg("%.10g instead of %.10g", got, want);
    }
}

static void names(void **state)
{
    (void)state;
    static const char *const want[] = { "outcome.p_collapse",     "drain.state",
                                        "drain.queue_clear_s",    "jobs.completed",
                                        "control.api.in_use_max", "queue.jobs.ready_max" };
    struct made m;
    struct sq_comparison c = { 0 };
    made_fill(&m, MADE_RUNS);
    assert_int_equal(sq_comparison_make(m.results, MADE_VARIANTS, &c), SQ_OK);
    assert_int_equal(c.metric_count, SQ_COUNT(want));
    for (size_t i = 0; i < SQ_COUNT(want); i++) {
        assert_string_equal(c.metric_names[i], want[i]);
        assert_int_equal(sq_comparison_metric(&c, want[i]), i);
    }
    assert_int_equal(sq_comparison_metric(&c, "run.hash"), -1);
    assert_null(sq_comparison_cell(&c, 0, "control.api.in_use_max"));
    assert_non_null(sq_comparison_cell(&c, 1, "control.api.in_use_max"));
    assert_null(sq_comparison_cell(&c, 2, "control.api.in_use_max"));
    assert_string_equal(c.title, "A <small> | world");
    assert_int_equal(c.run_count, MADE_RUNS);
    assert_false(c.interrupted);
    sq_arena_fini(&c.arena);
}

static void shares(void **state)
{
    (void)state;
    static const struct {
        int64_t hits, pairs, only_here, only_first;
        double lo, hi, p;
    } want[MADE_VARIANTS] = {
        { 3, 0, 0, 0, 0.300641843, 0.954412739, 1 },
        { 1, 4, 0, 2, 0.0455872608, 0.699358157, 0.5 },
        { 4, 4, 1, 0, 0.510109164, 1, 1 },
    };
    struct made m;
    struct sq_comparison c = { 0 };
    made_fill(&m, MADE_RUNS);
    assert_int_equal(sq_comparison_make(m.results, MADE_VARIANTS, &c), SQ_OK);
    for (size_t v = 0; v < MADE_VARIANTS; v++) {
        const struct sq_share *s = &c.variants[v].collapse;
        assert_int_equal(s->n, 4);
        assert_int_equal(s->hits, want[v].hits);
        assert_int_equal(s->pairs, want[v].pairs);
        assert_int_equal(s->only_here, want[v].only_here);
        assert_int_equal(s->only_first, want[v].only_first);
        near(s->lo, want[v].lo);
        near(s->hi, want[v].hi);
        near(s->p, want[v].p);
    }
    /* a share is never compared by t */
    assert_int_equal(sq_comparison_cell(&c, 1, "outcome.p_collapse")->paired.n, 0);
    sq_arena_fini(&c.arena);
}

static void pairs(void **state)
{
    (void)state;
    struct made m;
    struct sq_comparison c = { 0 };
    made_fill(&m, MADE_RUNS);
    assert_int_equal(sq_comparison_make(m.results, MADE_VARIANTS, &c), SQ_OK);
    /* run 1 of "old" has no value: the differences are -38, -40, -41 */
    const struct sq_paired *p = &sq_comparison_cell(&c, 1, "drain.queue_clear_s")->paired;
    assert_int_equal(p->n, 3);
    near(p->mean, -39.6666666667);
    near(p->lo, -43.4612497);
    near(p->hi, -35.8720836);
    assert_int_equal(sq_comparison_cell(&c, 0, "drain.queue_clear_s")->paired.n, 0);
    assert_int_equal(sq_comparison_cell(&c, 2, "drain.queue_clear_s")->paired.n, 0);
    assert_true(isnan(sq_comparison_cell(&c, 2, "drain.queue_clear_s")->paired.mean));
    /* no difference at all, although the runs differ among themselves */
    p = &sq_comparison_cell(&c, 1, "jobs.completed")->paired;
    assert_int_equal(p->n, 4);
    near(p->mean, 0);
    near(p->hi - p->lo, 0);
    /* one variant has the metric: nothing to pair */
    assert_int_equal(sq_comparison_cell(&c, 1, "control.api.in_use_max")->paired.n, 0);
    assert_int_equal(sq_comparison_cell(&c, 1, "control.api.in_use_max")->spread.n, 4);
    sq_arena_fini(&c.arena);
}

static void words(void **state)
{
    (void)state;
    struct made m;
    struct sq_comparison c = { 0 };
    made_fill(&m, MADE_RUNS);
    assert_int_equal(sq_comparison_make(m.results, MADE_VARIANTS, &c), SQ_OK);
    const struct sq_cell *cell = sq_comparison_cell(&c, 0, "drain.state");
    assert_int_equal(cell->word_count, 3);
    assert_string_equal(cell->words[0].word, "clears");
    assert_int_equal(cell->words[0].runs, 2);
    assert_string_equal(cell->words[1].word, "stalled");
    assert_string_equal(cell->words[2].word, "will not drain");
    assert_int_equal(cell->spread.n, 0);
    assert_int_equal(sq_comparison_cell(&c, 1, "drain.state")->paired.n, 0);
    sq_arena_fini(&c.arena);
}

static void one_run(void **state)
{
    (void)state;
    struct made m;
    struct sq_comparison c = { 0 };
    made_fill(&m, 1);
    m.results[0].interrupted = true;
    m.results[0].runs_wanted = 20;
    assert_int_equal(sq_comparison_make(m.results, 2, &c), SQ_OK);
    const struct sq_paired *p = &sq_comparison_cell(&c, 1, "jobs.completed")->paired;
    assert_int_equal(p->n, 1);
    near(p->mean, 0);
    assert_true(isnan(p->lo));
    assert_true(c.interrupted);
    assert_int_equal(c.runs_wanted, 20);
    sq_arena_fini(&c.arena);
}

/* Every allocation in turn fails: a status, no leak, no crash. */
static void no_memory(void **state)
{
    (void)state;
    struct made m;
    made_fill(&m, MADE_RUNS);
    enum sq_status status = SQ_NOMEM;
    for (long n = 0; status != SQ_OK; n++) {
        struct sq_comparison c = { 0 };
        assert_true(n < 2000);
        sq_mem_fail_after(n);
        status = sq_comparison_make(m.results, MADE_VARIANTS, &c);
        sq_mem_fail_after(-1);
        assert_true(status == SQ_OK || status == SQ_NOMEM);
        sq_arena_fini(&c.arena);
    }
}

static void mcnemar(void **state)
{
    (void)state;
    static const struct {
        int64_t here, there;
        double p;
    } rows[] = {
        { 0, 0, 1 },
        { 1, 0, 1 },
        { 1, 1, 1 },
        { 0, 2, 0.5 },
        { 5, 0, 0.0625 },
        { 0, 6, 0.03125 },
        { 1, 4, 0.375 },          /* 2 (5 + 1) / 32 */
        { 2, 10, 0.03857421875 }, /* 2 (66 + 12 + 1) / 4096 */
        { 0, 20, 1.9073486328125e-06 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        near(sq_mcnemar(rows[i].here, rows[i].there), rows[i].p);
        near(sq_mcnemar(rows[i].there, rows[i].here), rows[i].p);
    }
}

/* z^2 / (n + z^2) <= share, so n >= z^2 (1 - share) / share with z^2 = 3.84145882. */
static void runs_to_show(void **state)
{
    (void)state;
    assert_int_equal(sq_runs_to_show(0.01), 381); /* 380.304 */
    assert_int_equal(sq_runs_to_show(0.05), 73);  /* 72.988 */
    assert_int_equal(sq_runs_to_show(0.1), 35);   /* 34.573 */
    assert_int_equal(sq_runs_to_show(0.5), 4);    /* 3.841 */
    assert_int_equal(sq_runs_to_show(1), 1);
}

int main(void)
{
    sq_math_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),   cmocka_unit_test(shares),       cmocka_unit_test(pairs),
        cmocka_unit_test(words),   cmocka_unit_test(one_run),      cmocka_unit_test(no_memory),
        cmocka_unit_test(mcnemar), cmocka_unit_test(runs_to_show),
    };
    return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
