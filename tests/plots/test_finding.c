/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_finding.c - the answer of a report, from figures made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "plots/plt_finding.h"
#include "sim/core/sq_math.h"

enum { RUNS = 4, METRICS = 4, VARIANTS_MAX = 4 };

/* P(collapse), queue clear, last job, dead letters of each run. */
struct variant {
    const char *name;
    double collapse[RUNS], clear[RUNS], last[RUNS], letters[RUNS];
};

#define ALL(x)     \
    {              \
        x, x, x, x \
    }

/* Sixteen runs instead of four by repeating them: then McNemar's test tells. */
struct world {
    struct sq_comparison c;
    struct sq_result results[VARIANTS_MAX];
    struct sq_run runs[VARIANTS_MAX][4 * RUNS];
    struct sq_value values[VARIANTS_MAX][4 * RUNS][METRICS];
    struct plt_finding f;
};

static void make(struct world *w, const struct variant *variants, size_t count, size_t runs)
{
    static const char *names[METRICS] = { "outcome.p_collapse", "drain.queue_clear_s",
                                          "drain.last_job_s", "jobs.dead_lettered" };
    *w = (struct world){ 0 };
    for (size_t v = 0; v < count; v++) {
        const double *of[METRICS] = { variants[v].collapse, variants[v].clear, variants[v].last,
                                      variants[v].letters };
        for (size_t k = 0; k < runs; k++) {
            w->runs[v][k] = (struct sq_run){ k + 1, w->values[v][k] };
            for (size_t m = 0; m < METRICS; m++) {
                w->values[v][k][m].number = of[m][k % RUNS];
            }
        }
        w->results[v] = (struct sq_result){ .version = "0",
                                            .variant = variants[v].name,
                                            .metric_count = METRICS,
                                            .metric_names = names,
                                            .run_count = runs,
                                            .runs = w->runs[v] };
    }
    assert_int_equal(sq_comparison_make(w->results, count, &w->c), SQ_OK);
    plt_finding_make(&w->f, &w->c);
}

static const struct variant bad = { "bad", ALL(1), ALL(600), ALL(900), ALL(0) };
static const struct variant worse = { "worse", ALL(1), ALL(NAN), ALL(900), ALL(7) };
static const struct variant some = { "some", { 1, 0, 0, 0 }, ALL(100), ALL(900), ALL(0) };
static const struct variant good = { "good", ALL(0), ALL(120), ALL(960), { 8, 10, 9, 9 } };
static const struct variant quick = { "quick", ALL(0), ALL(60), ALL(300), ALL(0) };
static const struct variant slow = { "slow", ALL(0), ALL(300), ALL(900), ALL(0) };

struct row {
    struct variant variants[VARIANTS_MAX];
    size_t count, runs;
    const char *finding, *cost, *faster, *others, *useless;
};

static void said(const char *what, size_t row, const struct sq_buf *b, const char *want)
{
    const char *text = b->text != NULL ? b->text : "";
    if (strcmp(text, want) != 0) {
        fail_msg("row %zu: %s: \"%s\" instead of \"%s\"", row, what, text, want);
    }
}

static void answers(void **state)
{
    (void)state;
    /* of 16 runs none: Wilson 95 % is 0 to 19.4 % */
    const struct row rows[] = {
        { { bad, good },
          2,
          16,
          "good prevents the collapse: it happens in none of 16 runs (95 % interval 0-19 %), in "
          "bad in all. The queue is clear 2m after recovery instead of 10m.",
          "Cost of good against bad: 9 more dead-lettered jobs per run; the last affected job is "
          "done 1m later.",
          "",
          "",
          "" },
        { { bad, worse, slow, quick },
          4,
          16,
          "slow prevents the collapse: it happens in none of 16 runs (95 % interval 0-19 %), in "
          "bad in all. The queue is clear 5m after recovery instead of 10m.",
          "Cost of slow against bad: none that was measured. No more jobs end undone, and nothing "
          "is over later.",
          "quick prevents it too, and its queue is clear 1m after recovery. Cost of quick against "
          "bad: none that was measured. No more jobs end undone, and nothing is over later.",
          "",
          "worse does not help: no fewer runs collapse than in bad." },
        { { bad, quick, slow, good },
          4,
          16,
          "quick prevents the collapse: it happens in none of 16 runs (95 % interval 0-19 %), in "
          "bad in all. The queue is clear 1m after recovery instead of 10m.",
          "Cost of quick against bad: none that was measured. No more jobs end undone, and nothing "
          "is over later.",
          "",
          "slow and good prevent it too.",
          "" },
        /* 4 of 16 runs: Wilson 95 % is 10.2 to 49.498 % */
        { { bad, worse, some },
          3,
          16,
          "No variant prevents the collapse for sure. some comes nearest: it happens in 4 of 16 "
          "runs (95 % interval 10-49 %), in bad in all. The queue is clear 1m40s after recovery "
          "instead of 10m.",
          "Cost of some against bad: none that was measured. No more jobs end undone, and nothing "
          "is over later.",
          "",
          "",
          "worse does not help: no fewer runs collapse than in bad." },
        { { worse, bad },
          2,
          16,
          "worse and bad collapse in all of 16 runs: no variant does better.",
          "",
          "",
          "",
          "" },
        { { good, bad }, 2, 16, "good collapses in none of 16 runs, bad in all.", "", "", "", "" },
        { { bad, quick },
          2,
          1,
          "quick prevents the collapse of bad, in the one run that was made. The queue is clear 1m "
          "after recovery instead of 10m.",
          "Cost of quick against bad: none that was measured. No more jobs end undone, and nothing "
          "is over later.",
          "",
          "",
          "" },
        /* one of four against none: nothing to tell them apart by */
        { { some, quick },
          2,
          4,
          "quick prevents the collapse: it happens in none of 4 runs (95 % interval 0-49 %), in "
          "some in 1. So few runs do not rule out that this is chance. The queue is clear 1m after "
          "recovery instead of 1m40s.",
          "Cost of quick against some: none that was measured. No more jobs end undone, and "
          "nothing is over later.",
          "",
          "",
          "" },
        { { worse, quick },
          2,
          16,
          "quick prevents the collapse: it happens in none of 16 runs (95 % interval 0-19 %), in "
          "worse in all. The queue is clear 1m after recovery; in worse it does not clear in every "
          "run.",
          "Cost of quick against worse: none that was measured. No more jobs end undone, and "
          "nothing is over later.",
          "",
          "",
          "" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct world w;
        struct sq_buf b = { 0 };
        make(&w, rows[i].variants, rows[i].count, rows[i].runs);
        plt_put_finding(&b, &w.f);
        said("finding", i, &b, rows[i].finding);
        sq_buf_fini(&b);
        plt_put_cost(&b, &w.f, w.f.best);
        said("cost", i, &b, rows[i].cost);
        sq_buf_fini(&b);
        plt_put_faster(&b, &w.f);
        said("faster", i, &b, rows[i].faster);
        sq_buf_fini(&b);
        plt_put_others(&b, &w.f);
        said("others", i, &b, rows[i].others);
        sq_buf_fini(&b);
        plt_put_useless(&b, &w.f);
        said("useless", i, &b, rows[i].useless);
        sq_buf_fini(&b);
        sq_arena_fini(&w.c.arena);
    }
}

static void question(void **state)
{
    (void)state;
    struct sq_moment moments[] = {
        { SQ_MOMENT_OUTAGE, 60 * SQ_NS_PER_S, 70 * SQ_NS_PER_S, "db", "db hangs, as planned" },
        { SQ_MOMENT_OUTAGE, 600 * SQ_NS_PER_S, 1800 * SQ_NS_PER_S, "api",
          "api goes down, as planned" },
        { SQ_MOMENT_OUTAGE, 1900 * SQ_NS_PER_S, 1910 * SQ_NS_PER_S, "api",
          "api goes down, by chance" },
    };
    static const struct {
        size_t moments, variants;
        const char *text;
    } rows[] = {
        { 3, 6,
          "api goes down for 20m. Does it fall over again when it comes back, and which of the "
          "other 5 variants prevents that?" },
        { 1, 2,
          "db hangs for 10s. Does it fall over again when it comes back, and does the change "
          "prevent that?" },
        { 2, 1,
          "api goes down for 20m. Does it fall over again when it comes back, and when is the "
          "backlog gone?" },
        { 0, 1, "Does anything fall over under its own load, and when is the backlog gone?" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_result r = { .moments = moments, .moment_count = rows[i].moments };
        struct sq_buf b = { 0 };
        plt_put_question(&b, &r, rows[i].variants);
        said("question", i, &b, rows[i].text);
        sq_buf_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers), cmocka_unit_test(question) };
    sq_math_init();
    return cmocka_run_group_tests_name("finding", tests, NULL, NULL);
}
