/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_verdict.c - what is said about variants, word by word. The figures behind the sentences are
 * those of made_runs.h, reckoned by hand in test_comparison.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "models/study/mdl_verdict.h"
#include "sim/core/sq_math.h"
#include "tests/core/made_runs.h"

static void says(struct made *m, size_t count, const char *const *sentences, const char *proof)
{
    struct sq_comparison c = { 0 };
    assert_int_equal(sq_comparison_make(m->results, count, &c), SQ_OK);
    assert_int_equal(mdl_verdicts(&c), SQ_OK);
    for (size_t v = 0; v < count; v++) {
        assert_string_equal(c.variants[v].verdict, sentences[v]);
    }
    if (proof != NULL) {
        assert_string_equal(c.proof, proof);
    }
    sq_arena_fini(&c.arena);
}

static void four_runs(void **state)
{
    (void)state;
    static const char *const sentences[] = {
        "collapses in 3 of 4 runs (P(collapse) 75 %, 95 %: 30 % to 95 %); queue clear 1m50s after "
        "recovery (3 of 4 runs)",
        "collapses in 1 of 4 runs (P(collapse) 25 %, 95 %: 5 % to 70 %), in 2 runs fewer than old "
        "(McNemar p = 0.5: chance may explain it); queue clear 39.7s sooner than old [35.9s, "
        "43.5s] (3 of 4 pairs)",
        "collapses in all 4 runs (P(collapse) 100 %, 95 %: at least 51 %), in 1 run more than old "
        "(McNemar p = 1: chance may explain it); the queue does not clear; completes 10 % fewer "
        "jobs",
    };
    struct made m;
    made_fill(&m, MADE_RUNS);
    says(&m, MADE_VARIANTS, sentences,
         "What 4 runs prove is little: a variant that collapses in none of them may still collapse "
         "in up to 49 % of all runs (0 of 4 is [0 %, 49 %] at 95 %). To show less than 1 % takes "
         "381 runs without a collapse.");
}

/* Three runs are too few for two groups; the marks of more are put in by hand. */
static void two_groups(void **state)
{
    (void)state;
    struct made m;
    struct sq_comparison c = { 0 };
    made_fill(&m, MADE_RUNS);
    assert_int_equal(sq_comparison_make(m.results, 1, &c), SQ_OK);
    long at = sq_comparison_metric(&c, "drain.queue_clear_s");
    assert_true(at >= 0);
    struct sq_spread *s = &c.variants[0].cells[at].spread;
    s->bimodal = true;
    s->group[0] = (struct sq_group){ 1, 474 };
    s->group[1] = (struct sq_group){ 2, 543 };
    assert_int_equal(mdl_verdicts(&c), SQ_OK);
    assert_string_equal(c.variants[0].verdict,
                        "collapses in 3 of 4 runs (P(collapse) 75 %, 95 %: 30 % to 95 %); queue "
                        "clear after 7m54s in 1 of 4 runs, 9m3s in 2");
    sq_arena_fini(&c.arena);
}

static void one_run(void **state)
{
    (void)state;
    static const char *const sentences[] = {
        "collapses in its one run; the queue does not clear",
        "no collapse in its one run; queue clear 50s after recovery, which old never is",
        "collapses in its one run; the queue does not clear; completes 10 % fewer jobs",
    };
    struct made m;
    made_fill(&m, 1);
    says(&m, MADE_VARIANTS, sentences,
         "One run of each variant says nothing about chance: P(collapse) and all intervals need "
         "more, for example --runs 20.");
}

/* "new" against itself with one run later and one sooner: no difference is claimed. */
static void chance(void **state)
{
    (void)state;
    static const char *const sentences[] = {
        "collapses in 1 of 4 runs (P(collapse) 25 %, 95 %: 5 % to 70 %); queue clear 1m2s after "
        "recovery",
        "collapses in 1 of 4 runs (P(collapse) 25 %, 95 %: 5 % to 70 %), not in 1 in which new "
        "does "
        "but in 1 in which it does not (McNemar p = 1: chance may explain it); queue clear not "
        "clearly "
        "sooner or later than new [-13s, 13s]",
    };
    struct made m, other;
    made_fill(&m, MADE_RUNS);
    made_fill(&other, MADE_RUNS);
    m.results[0] = m.results[1];
    m.results[1] = other.results[1];
    other.values[1][0][2].number += 10; /* t(0.975, 3) sd / 2 = 3.18245 * 8.16497 / 2 = 12.99 */
    other.values[1][1][2].number -= 10;
    other.values[1][2][0].number = 0;
    other.values[1][3][0].number = 1;
    says(&m, 2, sentences, NULL);
}

/* No outage, so no recovery and no mark: only collapses and jobs are spoken of. */
static void no_recovery(void **state)
{
    (void)state;
    static const char *const sentences[] = {
        "no collapse in 4 of 4 runs (P(collapse) 0 %, 95 %: at most 49 %)",
        "collapses in all 4 runs (P(collapse) 100 %, 95 %: at least 51 %), in 4 runs more than old "
        "(McNemar p = 0.12: chance may explain it)",
    };
    struct made m;
    made_fill(&m, MADE_RUNS);
    for (size_t v = 0; v < 2; v++) {
        for (size_t k = 0; k < MADE_RUNS; k++) {
            m.values[v][k][0].number = (double)v;
            m.values[v][k][1].word = "null";
            m.values[v][k][2].number = (double)NAN;
        }
    }
    says(&m, 2, sentences, NULL);
}

int main(void)
{
    sq_math_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_runs), cmocka_unit_test(two_groups),  cmocka_unit_test(one_run),
        cmocka_unit_test(chance),    cmocka_unit_test(no_recovery),
    };
    return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
