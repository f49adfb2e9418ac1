/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_enough.c - how many runs `--runs auto` makes, reckoned by hand from made-up pilots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "models/study/mdl_enough.h"
#include "sim/core/sq_math.h"

enum { RUNS = MDL_PILOT_RUNS, METRICS = 3 };

struct pilot {
    struct sq_result result;
    struct sq_run runs[RUNS];
    struct sq_value values[RUNS][METRICS];
};

static const char *names[METRICS] = { "outcome.p_collapse", "drain.queue_clear_s", "run.events" };

/* A pilot in which the first `fallen` runs collapse and the queue clears after from + k * step. */
static void fill(struct pilot *p, size_t fallen, double from, double step)
{
    *p = (struct pilot){ 0 };
    for (size_t k = 0; k < RUNS; k++) {
        p->values[k][0].number = k < fallen ? 1 : 0;
        p->values[k][1].number = from + (double)k * step;
        p->values[k][2].number = (double)(k * k * 1000); /* varies wildly, and is not judged */
        p->runs[k] = (struct sq_run){ .replication = k + 1, .values = p->values[k] };
    }
    p->result.metric_count = METRICS;
    p->result.metric_names = names;
    p->result.run_count = RUNS;
    p->result.runs = p->runs;
}

static struct mdl_enough decide(const struct sq_result *results, size_t count)
{
    struct mdl_enough e = { 0 };
    assert_int_equal(mdl_enough(results, count, &e), SQ_OK);
    return e;
}

static void pilot_suffices(void **state)
{
    (void)state;
    struct pilot p;
    fill(&p, 0, 100, 0);
    struct mdl_enough e = decide(&p.result, 1);
    assert_int_equal(e.runs, RUNS);
    assert_null(e.metric);
}

/* Twenty values 60, 64 ... 136: mean 98, s = 4 sqrt((20^2 - 1) / 12 * 20 / 19) = 23.664; with
 * t(0.975; 19) = 2.0930 that is (2.0930 * 23.664 / 4.9)^2 = 102.2 runs. */
static void mean_by_stein(void **state)
{
    (void)state;
    struct pilot p;
    fill(&p, 0, 60, 4);
    struct mdl_enough e = decide(&p.result, 1);
    assert_int_equal(e.runs, 103);
    assert_string_equal(e.metric, "drain.queue_clear_s");
    assert_false(e.capped);
}

/* At a share of one half the Wilson interval is z / (2 sqrt(n + z^2)) wide on either side: within
 * 0.1 from n = (1.95996 / 0.2)^2 - 1.95996^2 = 92.2 on. */
static void share_by_wilson(void **state)
{
    (void)state;
    struct pilot p;
    fill(&p, RUNS / 2, 100, 0);
    struct mdl_enough e = decide(&p.result, 1);
    assert_int_equal(e.runs, 93);
    assert_string_equal(e.metric, "outcome.p_collapse");
}

/* Values in only twelve of twenty runs: the runs without one have to be made too. */
static void nulls_cost_runs(void **state)
{
    (void)state;
    struct pilot p;
    fill(&p, 0, 60, 4);
    for (size_t k = 12; k < RUNS; k++) {
        p.values[k][1].number = NAN;
    }
    /* mean 82, s = 4 sqrt(13) = 14.422, t(0.975; 11) = 2.2010: (31.743 / 4.1)^2 * 20 / 12 = 99.9 */
    assert_int_equal(decide(&p.result, 1).runs, 100);
    for (size_t k = 10; k < RUNS; k++) {
        p.values[k][1].number = NAN;
    }
    assert_int_equal(decide(&p.result, 1).runs,
                     RUNS); /* null in half of them: no metric of these */
}

/* Two groups: no mean to be known. The variant that asks for most counts. */
static void groups_and_variants(void **state)
{
    (void)state;
    struct pilot two[2];
    fill(&two[0], 0, 100, 0);
    for (size_t k = 0; k < RUNS / 2; k++) {
        two[0].values[k][1].number = 500;
    }
    assert_int_equal(decide(&two[0].result, 1).runs, RUNS);
    fill(&two[1], 0, 60, 4);
    struct sq_result results[2] = { two[0].result, two[1].result };
    assert_int_equal(decide(results, 2).runs, 103);
}

static void has_an_end(void **state)
{
    (void)state;
    struct pilot p;
    fill(&p, 0, 1, 1000);
    p.values[RUNS - 1][1].number = 1e6;
    struct mdl_enough e = decide(&p.result, 1);
    assert_int_equal(e.runs, MDL_AUTO_RUNS);
    assert_true(e.capped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pilot_suffices),      cmocka_unit_test(mean_by_stein),
        cmocka_unit_test(share_by_wilson),     cmocka_unit_test(nulls_cost_runs),
        cmocka_unit_test(groups_and_variants), cmocka_unit_test(has_an_end),
    };
    sq_math_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
