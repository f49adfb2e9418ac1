/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_save.c - the files of a result, byte by byte. Intervals were worked out apart from this
 * code: Student t(0.975, 2) = 4.30265273, Wilson's formula by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/sq_file.h"
#include "sim/base/sq_json.h"
#include "sim/conf/sq_csv.h"
#include "sim/conf/sq_save.h"
#include "sim/conf/sq_timeline_file.h"

static float calls[] = { 0, 24.4F, 1600, 16777216, NAN };
static float backlog[] = { 1, 0.1F, 33.333333F, 1.5e12F, 0 };
static float backlog_p10[] = { 0.5F, NAN, 1, 2, 3, 4 };

static struct sq_column columns[] = { { "dependency.api.calls_per_s", calls },
                                      { "queue.q.ready", backlog } };
static struct sq_column band_columns[] = { { "queue.q.ready_p10", backlog_p10 } };

static const char *metric_names[] = { "outcome.p_collapse", "drain.state", "jobs.completed",
                                      "drain.healthy_s" };

static struct sq_value values[3][4] = {
    { { 1, NULL }, { NAN, "will not drain" }, { 1, NULL }, { NAN, NULL } },
    { { 0, NULL }, { NAN, "clears" }, { 2, NULL }, { NAN, NULL } },
    { { 0, NULL }, { NAN, "clears" }, { 6, NULL }, { 1.0 / 3, NULL } },
};

static struct sq_run runs[] = { { 4, values[0] }, { 5, values[1] }, { 6, values[2] } };

static struct sq_moment moments[] = {
    { SQ_MOMENT_OUTAGE, 600 * SQ_NS_PER_S, 1800 * SQ_NS_PER_S, "api", "api goes down (planned)" },
    { SQ_MOMENT_T1, 1800 * SQ_NS_PER_S, 1800 * SQ_NS_PER_S, NULL, "the outage ends" },
    { SQ_MOMENT_COLLAPSE, 1834123456789, SQ_NEVER, "api", "api collapses" },
    { SQ_MOMENT_QUEUE_CLEAR, 2000 * SQ_NS_PER_S, 2000 * SQ_NS_PER_S, "q", "q is empty" },
};

static struct sq_verdict verdicts[] = {
    { .that = "jobs.completed >= 2",
      .variant = "base",
      .state = SQ_VERDICT_FAILED,
      .runs = 3,
      .runs_passed = 2,
      .runs_needed = 3,
      .observed = { .median = 2, .min = 1, .max = 6 },
      .limit = { .constant = true, .median = 2, .min = 2, .max = 2 },
      .margin = 0,
      .margin_worst = -1 },
    { .that = "drain.state == clears",
      .variant = "base",
      .when = "at 40m",
      .warns = true,
      .state = SQ_VERDICT_PASSED,
      .of_outcome = true,
      .runs = 1,
      .runs_passed = 1,
      .runs_needed = 1,
      .observed = { .median = NAN, .word = "clears", .word_runs = 1, .word_kinds = 1 },
      .limit = { .median = NAN, .word = "clears", .word_runs = 1, .word_kinds = 1 },
      .margin = NAN,
      .margin_worst = NAN },
    { .that = "jobs.completed < jobs.completed@b",
      .variant = "base",
      .state = SQ_VERDICT_OPEN,
      .why = "looks at variant b too" },
};

static struct sq_result result_of(size_t run_count)
{
    struct sq_result r = {
        .version = "0.1.0",
        .title = "A \"small\" world",
        .file = "/home/someone/scenarios/small.yaml",
        .variant = "base",
        .scenario_hash = "00ff00ff00ff00ff",
        .echo = "squall: 1\n",
        .seed = 1099511627775,
        .duration_ns = 5400 * SQ_NS_PER_S,
        .metric_count = SQ_COUNT(metric_names),
        .metric_names = metric_names,
        .run_count = run_count,
        .runs = runs,
        .series = { SQ_NS_PER_S / 4, SQ_NS_PER_S, 5, SQ_COUNT(columns), columns },
        .moment_count = SQ_COUNT(moments),
        .moments = moments,
        .verdict_count = SQ_COUNT(verdicts),
        .verdicts = verdicts,
    };
    if (run_count > 1) {
        r.bands = (struct sq_series){ SQ_NS_PER_S / 4, 2 * SQ_NS_PER_S, 6, SQ_COUNT(band_columns),
                                      band_columns };
        r.band_runs = run_count;
    }
    return r;
}

static const char timeline_one[] = "time_s,dependency.api.calls_per_s,queue.q.ready\n"
                                   "0,0,1\n"
                                   "0.25,24.4,0.1\n"
                                   "0.5,1600,33.33333\n"
                                   "0.75,16777216,1500000000000\n"
                                   "1,,0\n";

static const char timeline_three[] =
    "time_s,dependency.api.calls_per_s,queue.q.ready,queue.q.ready_p10\n"
    "0,0,1,0.5\n"
    "0.25,24.4,0.1,\n"
    "0.5,1600,33.33333,1\n"
    "0.75,16777216,1500000000000,2\n"
    "1,,0,3\n"
    "1.25,,,4\n";

static const char runs_three[] =
    "replication,outcome.p_collapse,drain.state,jobs.completed,drain.healthy_s\n"
    "4,1,will not drain,1,\n"
    "5,0,clears,2,\n"
    "6,0,clears,6,0.333333333\n";

#define HEAD(runs)                                \
    "{\n"                                         \
    "  \"squall\": {\n"                           \
    "    \"version\": \"0.1.0\",\n"               \
    "    \"format\": 1\n"                         \
    "  },\n"                                      \
    "  \"scenario\": {\n"                         \
    "    \"title\": \"A \\\"small\\\" world\",\n" \
    "    \"file\": \"small.yaml\",\n"             \
    "    \"variant\": \"base\",\n"                \
    "    \"hash\": \"00ff00ff00ff00ff\",\n"       \
    "    \"seed\": 1099511627775,\n"              \
    "    \"runs\": " runs ",\n"                   \
    "    \"duration_s\": 5400\n"                  \
    "  },\n"

#define MOMENTS                                                \
    "  \"moments\": [\n"                                       \
    "    {\n"                                                  \
    "      \"t_s\": 600,\n"                                    \
    "      \"kind\": \"outage\",\n"                            \
    "      \"text\": \"api goes down (planned)\",\n"           \
    "      \"until_s\": 1800,\n"                               \
    "      \"entity\": \"api\"\n"                              \
    "    },\n"                                                 \
    "    {\n"                                                  \
    "      \"t_s\": 1800,\n"                                   \
    "      \"kind\": \"t1\",\n"                                \
    "      \"text\": \"the outage ends\"\n"                    \
    "    },\n"                                                 \
    "    {\n"                                                  \
    "      \"t_s\": 1834.12346,\n"                             \
    "      \"kind\": \"collapse\",\n"                          \
    "      \"text\": \"api collapses\",\n"                     \
    "      \"until_s\": null,\n"                               \
    "      \"entity\": \"api\"\n"                              \
    "    },\n"                                                 \
    "    {\n"                                                  \
    "      \"t_s\": 2000,\n"                                   \
    "      \"kind\": \"queue-clear\",\n"                       \
    "      \"text\": \"q is empty\",\n"                        \
    "      \"entity\": \"q\"\n"                                \
    "    }\n"                                                  \
    "  ],\n"                                                   \
    "  \"expect\": [\n"                                        \
    "    {\n"                                                  \
    "      \"that\": \"jobs.completed >= 2\",\n"               \
    "      \"variant\": \"base\",\n"                           \
    "      \"severity\": \"error\",\n"                         \
    "      \"passed\": false,\n"                               \
    "      \"observed\": 2,\n"                                 \
    "      \"limit\": 2,\n"                                    \
    "      \"margin\": 0,\n"                                   \
    "      \"runs\": 3,\n"                                     \
    "      \"runs_passed\": 2,\n"                              \
    "      \"runs_needed\": 3\n"                               \
    "    },\n"                                                 \
    "    {\n"                                                  \
    "      \"that\": \"drain.state == clears\",\n"             \
    "      \"variant\": \"base\",\n"                           \
    "      \"when\": \"at 40m\",\n"                            \
    "      \"severity\": \"warn\",\n"                          \
    "      \"passed\": true,\n"                                \
    "      \"observed\": \"clears\",\n"                        \
    "      \"limit\": \"clears\",\n"                           \
    "      \"margin\": null,\n"                                \
    "      \"runs_passed\": null\n"                            \
    "    },\n"                                                 \
    "    {\n"                                                  \
    "      \"that\": \"jobs.completed < jobs.completed@b\",\n" \
    "      \"variant\": \"base\",\n"                           \
    "      \"severity\": \"error\",\n"                         \
    "      \"passed\": null,\n"                                \
    "      \"observed\": null,\n"                              \
    "      \"why\": \"looks at variant b too\"\n"              \
    "    }\n"                                                  \
    "  ]\n"                                                    \
    "}\n"

static const char summary_one[] = HEAD("1") "  \"metrics\": {\n"
                                            "    \"outcome.p_collapse\": {\n"
                                            "      \"n\": 1,\n"
                                            "      \"value\": 1,\n"
                                            "      \"wilson95\": [0.206549314, 1]\n"
                                            "    },\n"
                                            "    \"drain.state\": {\n"
                                            "      \"value\": \"will not drain\"\n"
                                            "    },\n"
                                            "    \"jobs.completed\": {\n"
                                            "      \"value\": 1\n"
                                            "    },\n"
                                            "    \"drain.healthy_s\": {\n"
                                            "      \"value\": null\n"
                                            "    }\n"
                                            "  },\n" MOMENTS;

static const char summary_three[] = HEAD("3") "  \"interrupted\": true,\n"
                                              "  \"runs_wanted\": 5,\n"
                                              "  \"metrics\": {\n"
                                              "    \"outcome.p_collapse\": {\n"
                                              "      \"n\": 3,\n"
                                              "      \"value\": 0.333333333,\n"
                                              "      \"wilson95\": [0.0614919447, 0.792340399]\n"
                                              "    },\n"
                                              "    \"drain.state\": {\n"
                                              "      \"counts\": {\n"
                                              "        \"clears\": 2,\n"
                                              "        \"will not drain\": 1\n"
                                              "      }\n"
                                              "    },\n"
                                              "    \"jobs.completed\": {\n"
                                              "      \"n\": 3,\n"
                                              "      \"mean\": 3,\n"
                                              "      \"min\": 1,\n"
                                              "      \"p10\": 1,\n"
                                              "      \"p50\": 2,\n"
                                              "      \"p90\": 6,\n"
                                              "      \"max\": 6,\n"
                                              "      \"ci95\": [-3.57241061, 9.57241061]\n"
                                              "    },\n"
                                              "    \"drain.healthy_s\": {\n"
                                              "      \"n\": 1,\n"
                                              "      \"mean\": 0.333333333,\n"
                                              "      \"min\": 0.333333333,\n"
                                              "      \"p10\": 0.333333333,\n"
                                              "      \"p50\": 0.333333333,\n"
                                              "      \"p90\": 0.333333333,\n"
                                              "      \"max\": 0.333333333,\n"
                                              "      \"ci95\": [null, null]\n"
                                              "    }\n"
                                              "  },\n" MOMENTS;

static void expect(enum sq_status (*save)(const struct sq_result *, struct sq_buf *),
                   const struct sq_result *r, const char *want)
{
    struct sq_buf out = { 0 };
    assert_int_equal(save(r, &out), SQ_OK);
    assert_string_equal(out.text, want);
    sq_buf_fini(&out);
}

static void test_one_run(void **state)
{
    (void)state;
    struct sq_result r = result_of(1);
    expect(sq_save_timeline, &r, timeline_one);
    expect(sq_save_summary, &r, summary_one);
}

static void test_several_runs(void **state)
{
    (void)state;
    struct sq_result r = result_of(3);
    r.interrupted = true;
    r.runs_wanted = 5;
    expect(sq_save_timeline, &r, timeline_three);
    expect(sq_save_runs, &r, runs_three);
    expect(sq_save_summary, &r, summary_three);
}

/* Stopped before the first run was done: nothing is known, and that is what the files say. */
static void test_no_runs(void **state)
{
    (void)state;
    struct sq_result r = result_of(0);
    r.series = (struct sq_series){ 0 };
    expect(sq_save_timeline, &r, "time_s\n");
    expect(sq_save_runs, &r,
           "replication,outcome.p_collapse,drain.state,jobs.completed,drain.healthy_s\n");
    struct sq_buf out = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_json *root = NULL;
    assert_int_equal(sq_save_summary(&r, &out), SQ_OK);
    assert_int_equal(sq_json_parse("summary.json", out.text, out.len, &diag, &root), SQ_OK);
    struct sq_json *metrics = sq_json_get(root, "metrics");
    for (size_t i = 0; i < SQ_COUNT(metric_names); i++) {
        struct sq_json *metric = sq_json_get(metrics, metric_names[i]);
        assert_true(sq_json_number(sq_json_get(metric, "n")) == 0);
        const char *mean = i == 0 ? "value" : "mean";
        assert_int_equal(sq_json_kind(sq_json_get(metric, mean)), SQ_JSON_NULL);
    }
    sq_json_free(root);
    sq_buf_fini(&out);
}

/* Two groups of runs far apart are marked, and only then. */
static void test_bimodal(void **state)
{
    (void)state;
    static const char *names[] = { "drain.last_job_s" };
    for (int apart = 0; apart < 2; apart++) {
        struct sq_value v[10];
        struct sq_run many[10];
        for (size_t k = 0; k < 10; k++) {
            v[k] = (struct sq_value){ (double)k + (apart && k >= 5 ? 1000 : 0), NULL };
            many[k] = (struct sq_run){ k + 1, &v[k] };
        }
        struct sq_result r = result_of(0);
        r.metric_count = 1;
        r.metric_names = names;
        r.run_count = 10;
        r.runs = many;
        struct sq_buf out = { 0 };
        assert_int_equal(sq_save_summary(&r, &out), SQ_OK);
        bool marked = strstr(out.text, "\"bimodal\": true") != NULL;
        assert_int_equal(marked, apart);
        sq_buf_fini(&out);
    }
}

/* Names and words that need quotes come back as they were. */
static void test_quoting(void **state)
{
    (void)state;
    static const char *names[] = { "a,b", "say \"hi\"" };
    struct sq_value v[] = { { NAN, "x, y" }, { NAN, "two\nlines" } };
    struct sq_run run = { 1, v };
    struct sq_result r = result_of(0);
    r.metric_count = 2;
    r.metric_names = names;
    r.run_count = 1;
    r.runs = &run;
    struct sq_buf out = { 0 };
    assert_int_equal(sq_save_runs(&r, &out), SQ_OK);
    struct sq_arena arena = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_csv csv = { 0 };
    assert_int_equal(sq_csv_parse("runs.csv", &out, &arena, &diag, &csv), SQ_OK);
    assert_int_equal(sq_csv_column(&csv, names[1]), 2);
    assert_string_equal(csv.rows[0].cells[1], "x, y");
    assert_string_equal(csv.rows[0].cells[2], "two\nlines");
    sq_arena_fini(&arena);
    sq_buf_fini(&out);
}

/* Bins whose starts need more than nine digits stay apart. */
static void test_odd_bins(void **state)
{
    (void)state;
    float bins[] = { 1, 2, 3 };
    struct sq_column column = { "x", bins };
    struct sq_result r = result_of(0);
    r.series = (struct sq_series){ 1000000000000001, 3000000000000003, 3, 1, &column };
    expect(sq_save_timeline, &r, "time_s,x\n0,1\n1000000.000000001,2\n2000000.000000002,3\n");
}

struct place {
    char folder[64];
    struct sq_buf path;
};

static const char *in_place(struct place *p, const char *name)
{
    p->path.len = 0;
    sq_buf_printf(&p->path, "%s/%s", p->folder, name);
    return p->path.text;
}

/* The seals of the four texts above; the hashes reckoned by a program of its own. */
static const char sealed[] = ",\n"
                             "  \"files\": [\n"
                             "    {\n"
                             "      \"name\": \"scenario.yaml\",\n"
                             "      \"bytes\": 10,\n"
                             "      \"hash\": \"0711514c3a72e30a\"\n"
                             "    },\n"
                             "    {\n"
                             "      \"name\": \"histograms.csv\",\n"
                             "      \"bytes\": 22,\n"
                             "      \"hash\": \"c29f7cb77dd8da6a\"\n"
                             "    },\n"
                             "    {\n"
                             "      \"name\": \"runs.csv\",\n"
                             "      \"bytes\": 135,\n"
                             "      \"hash\": \"f6d82ea877304f4d\"\n"
                             "    },\n"
                             "    {\n"
                             "      \"name\": \"timeline.csv\",\n"
                             "      \"bytes\": 157,\n"
                             "      \"hash\": \"344b4c47c0274a61\"\n"
                             "    }\n"
                             "  ]\n"
                             "}\n";

static void expect_file(struct place *p, const char *name, const char *want)
{
    struct sq_buf got = { 0 };
    struct sq_diag diag = { 0 };
    assert_int_equal(sq_file_read(in_place(p, name), 1 << 20, &got, &diag), SQ_OK);
    assert_string_equal(got.text, want);
    sq_buf_fini(&got);
    assert_int_equal(unlink(in_place(p, name)), 0);
}

static void test_all(void **state)
{
    (void)state;
    struct place p = { "/tmp/squall-save-XXXXXX", { 0 } };
    assert_non_null(mkdtemp(p.folder));
    struct sq_result r = result_of(3);
    struct sq_diag diag = { 0 };
    r.interrupted = true;
    r.runs_wanted = 5;
    char *out = strdup(in_place(&p, "a/b"));
    assert_int_equal(sq_save_all(&r, out, &diag), SQ_OK);
    assert_int_equal(diag.count, 0);
    expect_file(&p, "a/b/timeline.csv", timeline_three);
    expect_file(&p, "a/b/histograms.csv", "name,limit,upto,count\n");
    expect_file(&p, "a/b/runs.csv", runs_three);
    struct sq_buf summary = { 0 };
    sq_buf_add(&summary, summary_three, strlen(summary_three) - strlen("\n}\n"));
    sq_buf_puts(&summary, sealed);
    expect_file(&p, "a/b/summary.json", summary.text);
    sq_buf_fini(&summary);
    expect_file(&p, "a/b/scenario.yaml", "squall: 1\n");
    assert_int_equal(rmdir(out), 0); /* nothing else was left there */
    assert_int_equal(rmdir(in_place(&p, "a")), 0);

    /* a file where the folder should be */
    assert_int_equal(sq_file_write(in_place(&p, "a"), "x", 1, &diag), SQ_OK);
    assert_int_equal(sq_save_all(&r, out, &diag), SQ_USER);
    assert_int_equal(diag.errors, 1);
    assert_int_equal(unlink(in_place(&p, "a")), 0);
    assert_int_equal(rmdir(p.folder), 0);
    sq_diag_fini(&diag);
    sq_buf_fini(&p.path);
    free(out);
}

static void test_no_memory(void **state)
{
    (void)state;
    static enum sq_status (*const saves[])(const struct sq_result *,
                                           struct sq_buf *) = { sq_save_timeline, sq_save_runs,
                                                                sq_save_summary };
    for (size_t i = 0; i < SQ_COUNT(saves); i++) {
        struct sq_result r = result_of(3);
        long n = 0;
        for (enum sq_status got = SQ_NOMEM; got != SQ_OK; n++) {
            struct sq_buf out = { 0 };
            sq_mem_fail_after(n);
            got = saves[i](&r, &out);
            sq_mem_fail_after(-1);
            assert_true(got == SQ_OK || got == SQ_NOMEM);
            sq_buf_fini(&out);
            assert_true(n < 200);
        }
        assert_true(n > 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_run), cmocka_unit_test(test_several_runs),
        cmocka_unit_test(test_no_runs), cmocka_unit_test(test_bimodal),
        cmocka_unit_test(test_quoting), cmocka_unit_test(test_odd_bins),
        cmocka_unit_test(test_all),     cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
