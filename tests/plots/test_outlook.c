/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_outlook.c - forecasts beside what came, from made-up figures; nothing is simulated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "plots/plt_compare.h"
#include "plots/plt_markdown.h"
#include "plots/plt_outlook.h"
#include "plots/plt_words.h"
#include "plots/plt_page.h"
#include "plots/plt_runs.h"
#include "sim/core/sq_math.h"

enum { RUNS = 20 };
enum {
    COLLAPSE,
    DRAIN,
    CLEAR,
    LAST,
    WELL,
    STATE,
    NAIVE,
    PLANNED,
    PLANNED_LAST,
    READY,
    OPEN,
    METRICS
};

static const char *names[METRICS] = {
    "outcome.p_collapse",      "drain.state",        "drain.queue_clear_s",
    "drain.last_job_s",        "drain.healthy_s",    "forecast.state",
    "forecast.naive_s",        "forecast.planned_s", "forecast.planned_last_job_s",
    "queue.renders.ready_max", "jobs.unfinished",
};

struct made {
    struct sq_result r;
    struct sq_run runs[RUNS];
    struct sq_value values[RUNS][METRICS];
    struct sq_moment t1;
};

/* As many runs that clear after 1,010 s, as planned, and in 790 s by the naive sum. */
static void make(struct made *m, size_t runs)
{
    *m = (struct made){ 0 };
    m->t1 = (struct sq_moment){ .kind = SQ_MOMENT_T1,
                                .at_ns = SQ_NS_PER_S,
                                .until_ns = SQ_NS_PER_S,
                                .text = "the scheduled outage is over: 59,976 jobs are unfinished; "
                                        "forecast: clears in 16m50s" };
    m->r = (struct sq_result){ .version = "0",
                               .title = "t",
                               .variant = "cap",
                               .scenario_hash = "h",
                               .duration_ns = 600 * SQ_NS_PER_S,
                               .metric_count = METRICS,
                               .metric_names = names,
                               .run_count = runs,
                               .runs_wanted = runs,
                               .runs = m->runs,
                               .moment_count = 1,
                               .moments = &m->t1 };
    for (size_t k = 0; k < runs; k++) {
        struct sq_value *v = m->values[k];
        const double numbers[METRICS] = { 0, NAN, 1010, 860, 990, NAN, 790, 1010, 850, 60000, 0 };
        for (size_t i = 0; i < METRICS; i++) {
            v[i].number = numbers[i];
        }
        v[DRAIN].word = v[STATE].word = "clears";
        m->runs[k] = (struct sq_run){ .replication = k + 1, .values = v };
    }
}

/* 12 runs in which the queue is clear after 470, 471 ... s, 8 in which it is after 540, 541 ... */
static void make_branches(struct made *m)
{
    make(m, RUNS);
    for (size_t k = 0; k < RUNS; k++) {
        bool late = k % 5 > 2; /* 8 of 20 */
        m->values[k][CLEAR].number = (late ? 540 : 470) + (double)(k % 4);
        m->values[k][PLANNED].number = 472;
    }
}

static void relapse(struct made *m, size_t first)
{
    m->t1.text = "the scheduled outage is over: 1 job is unfinished; forecast: would relapse: 160 "
                 "callers at once";
    for (size_t k = first; k < m->r.run_count; k++) {
        m->values[k][STATE].word = "would relapse";
        m->values[k][NAIVE].number = m->values[k][PLANNED].number = NAN;
        m->values[k][PLANNED_LAST].number = NAN;
    }
}

/* ---- words ---- */

/* The same from the result and from a comparison of it alone. */
static void expect_forecast(struct made *m, const char *want)
{
    struct plt_outlook o;
    struct sq_comparison c = { 0 };
    struct sq_buf b = { 0 };
    bool failed = false;
    plt_outlook_of_result(&o, &m->r, &failed);
    assert_false(failed);
    plt_put_forecast(&b, &o);
    assert_string_equal(b.text != NULL ? b.text : "", want);
    sq_buf_fini(&b);
    assert_int_equal(sq_comparison_make(&m->r, 1, &c), SQ_OK);
    plt_outlook_of_variant(&o, &c, 0);
    plt_put_forecast(&b, &o);
    assert_string_equal(b.text != NULL ? b.text : "", want);
    sq_buf_fini(&b);
    sq_arena_fini(&c.arena);
}

static void words(void **state)
{
    (void)state;
    struct made m;
    make(&m, 1);
    expect_forecast(&m, "clears in 16m50s");
    m.t1.text = "the scheduled outage is over: 9 jobs are unfinished; forecast: will not drain: "
                "arrivals exceed capacity by 12/s";
    m.values[0][STATE].word = "will not drain";
    expect_forecast(&m, "will not drain: arrivals exceed capacity by 12/s");
    for (size_t runs = 1; runs <= RUNS; runs += RUNS - 1) { /* no plan: the words say why */
        make(&m, runs);
        m.t1.text = "the scheduled outage is over: 9 jobs are unfinished; forecast: none: api "
                    "limits calls at the server";
        for (size_t k = 0; k < runs; k++) {
            m.values[k][STATE].word = "null";
        }
        expect_forecast(&m, "none: api limits calls at the server");
        assert_string_equal(plt_no_forecast(&m.r), "none");
    }
    make(&m, RUNS);
    expect_forecast(&m, "clears in 16m50s");
    relapse(&m, 0);
    expect_forecast(&m, "would relapse in 20 of 20 runs: 160 callers at once");
    make(&m, RUNS);
    relapse(&m, 17);
    m.t1.text = "over: 1 job is unfinished; forecast: clears in 16m50s";
    expect_forecast(&m, "clears in 16m50s in 17 of 20 runs; would relapse in 3 of 20 runs");
    make(&m, RUNS);
    for (size_t k = 0; k < RUNS; k++) { /* clear at T1 */
        m.values[k][PLANNED].number = 0;
    }
    expect_forecast(&m, "clears at once");
    make(&m, RUNS);
    m.t1.text = "the scheduled outage is over: 1 job is unfinished";
    for (size_t k = 0; k < RUNS; k++) { /* no model of this world */
        m.values[k][STATE].word = "null";
    }
    expect_forecast(&m, "");
}

/* 12 of 20 runs are clear after 470 to 473 s, 8 after 540 to 543: the middle of each is told. */
static void branches(void **state)
{
    (void)state;
    struct made m;
    make_branches(&m);
    expect_forecast(&m, "clears in 7m52s; simulated 7m51s in 12 of 20 runs, 9m1s in 8");
    for (size_t k = 0; k < RUNS; k++) { /* a plan of two branches: the state at T1 says which */
        m.values[k][PLANNED].number = m.values[k][CLEAR].number;
        m.values[k][CLEAR].number = 480;
    }
    expect_forecast(&m, "clears in 7m51s in 12 of 20 runs, 9m1s in 8");
    make_branches(&m);
    struct sq_buf b = { 0 };
    plt_put_short_verdict(&b, &m.r);
    assert_string_equal(b.text, "no collapse in 20 runs; queue clear after 7m51s in 12 of 20 runs, "
                                "9m1s in 8");
    sq_buf_fini(&b);
}

/* Without a last job there are two cases: one is still unfinished, or there never was one. */
static void no_last_job(void **state)
{
    (void)state;
    for (int unfinished = 0; unfinished < 2; unfinished++) {
        struct made m;
        struct plt_outlook o;
        bool failed = false;
        make(&m, RUNS);
        for (size_t k = 0; k < RUNS; k++) {
            m.values[k][LAST].number = NAN;
        }
        m.values[3][OPEN].number = unfinished;
        plt_outlook_of_result(&o, &m.r, &failed);
        assert_string_equal(o.marks[1].not_simulated, unfinished ? "never" : "-");
        assert_string_equal(o.marks[0].not_simulated, "never");
        assert_string_equal(o.marks[2].not_simulated, "never");
        assert_false(failed);
    }
}

/* ---- pages ---- */

static void has(const char *page, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(page, lines[i]) == NULL) {
            fail_msg("not on the page: %s\n%s", lines[i], page);
        }
    }
}

static void pages(void **state)
{
    (void)state;
    static const struct plt_term term = { 80, false, true };
    static const char *const of_run[] = {
        "  Backlog          clears in 20 of 20 runs\n"
        "  Forecast at T1   clears in 7m52s; simulated 7m51s in 12 of 20 runs, 9m1s in 8\n",
        "  After recovery (T1)     naive         planned   simulated  p10 to p90\n"
        "  queue clear            13m10s           7m52s      7m53s*  7m50s to 9m2s\n"
        "  last affected job           -          14m10s      14m20s  14m20s to 14m20s\n"
        "    planned 14m to 14m20s\n"
        "  healthy for good            -               -      16m30s  16m30s to 16m30s\n",
        "* The runs fall into two groups",
    };
    static const char *const of_both[] = {
        "Backlog from T1 on        naive         planned   simulated  p10 to p90\n"
        "  two: clears in 20 of 20 runs; the forecast: clears in 7m52s; simulated 7m51s\n"
        "    in 12 of 20 runs, 9m1s in 8\n"
        "    queue clear          13m10s           7m52s      7m53s*  7m50s to 9m2s\n",
        "  cap: clears in 20 of 20 runs; the forecast: would relapse in 20 of 20 runs:\n"
        "    160 callers at once\n"
        "    queue clear   would relapse   would relapse      16m50s  16m50s to 16m50s\n"
        "    last affected job         -   would relapse      14m20s  14m20s to 14m20s\n"
        "    healthy for good          -               -      16m30s  16m30s to 16m30s\n",
    };
    static const char *const of_markdown[] = {
        "  - Forecast at T1: clears in 7m52s; simulated 7m51s in 12 of 20 runs, 9m1s in 8.\n",
        "  - Forecast at T1: would relapse in 20 of 20 runs: 160 callers at once.\n",
    };
    struct made m[2];
    struct sq_buf b = { 0 };
    make_branches(&m[0]);
    m[0].r.variant = "two";
    for (size_t k = 0; k < RUNS; k++) {
        m[0].values[k][PLANNED_LAST].number = 840 + (double)k; /* 14m to 14m19s */
    }
    make(&m[1], RUNS);
    relapse(&m[1], 0);
    assert_int_equal(plt_page(&m[0].r, &term, NULL, 0, &b), SQ_OK);
    has(b.text, of_run, SQ_COUNT(of_run));
    sq_buf_fini(&b);
    struct sq_comparison c = { 0 };
    const struct sq_result results[] = { m[0].r, m[1].r };
    assert_int_equal(sq_comparison_make(results, 2, &c), SQ_OK);
    c.variants[0].verdict = c.variants[1].verdict = c.proof = "so";
    assert_int_equal(plt_compare(&c, &term, NULL, 0, &b), SQ_OK);
    has(b.text, of_both, SQ_COUNT(of_both));
    sq_buf_fini(&b);
    assert_int_equal(plt_markdown(&c, &b), SQ_OK);
    has(b.text, of_markdown, SQ_COUNT(of_markdown));
    sq_buf_fini(&b);
    sq_arena_fini(&c.arena);
}

/* A world without queues has no row for them, and "-" where no forecast was made. */
static void without_queues(void **state)
{
    (void)state;
    static const struct plt_term term = { 80, false, true };
    struct made m;
    struct sq_buf b = { 0 };
    make(&m, 1);
    m.r.metric_count = READY;
    m.t1.text = "the scheduled outage is over: 1 job is unfinished";
    m.values[0][STATE].word = "null";
    m.values[0][NAIVE].number = m.values[0][PLANNED].number = NAN;
    m.values[0][PLANNED_LAST].number = m.values[0][CLEAR].number = NAN;
    assert_int_equal(plt_page(&m.r, &term, NULL, 0, &b), SQ_OK);
    assert_non_null(
        strstr(b.text, "  last affected job           -               -      14m20s\n"));
    assert_null(strstr(b.text, "  queue clear "));
    assert_null(strstr(b.text, "Forecast at T1"));
    sq_buf_fini(&b);
}

static int setup(void **state)
{
    (void)state;
    sq_math_init();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words), cmocka_unit_test(branches),       cmocka_unit_test(no_last_job),
        cmocka_unit_test(pages), cmocka_unit_test(without_queues),
    };
    return cmocka_run_group_tests_name("outlook", tests, setup, NULL);
}
