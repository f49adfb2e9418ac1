/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_load.c - results written and read back: what is told of them is the same, and what is wrong
 * in a file is said with its path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/sq_file.h"
#include "sim/conf/sq_load.h"
#include "sim/conf/sq_save.h"
#include "sim/conf/sq_save_comparison.h"
#include "sim/core/sq_math.h"
#include "tests/core/made_runs.h"

static struct sq_moment moments[] = {
    { SQ_MOMENT_OUTAGE, 60 * SQ_NS_PER_S, 120 * SQ_NS_PER_S, "api", "api goes <down>" },
    { SQ_MOMENT_COLLAPSE, 130 * SQ_NS_PER_S, SQ_NEVER, "api", "api \"falls\"" },
    { SQ_MOMENT_QUEUE_CLEAR, 200500000000, 200500000000, NULL, "clear" },
};

static struct sq_life_step steps[] = {
    { 61 * SQ_NS_PER_S, "arrives" },
    { 61500000000, "ends: <completed>" },
};

static struct sq_layer layers[] = {
    { "workers", "pool", "api", 12, 3, 0.3, 36 },
    { "dependencies", "api", "<store>", 1, INFINITY, 1, INFINITY },
};

static struct sq_verdict verdicts[] = {
    { .that = "a < 3",
      .variant = "old",
      .when = "at 40m",
      .state = SQ_VERDICT_FAILED,
      .runs = 4,
      .runs_passed = 3,
      .runs_needed = 4,
      .observed = { .median = 2.5 },
      .limit = { .median = 3 },
      .margin = 0.5 },
    { .that = "outcome.p_collapse == 0",
      .variant = "old",
      .state = SQ_VERDICT_PASSED,
      .of_outcome = true,
      .runs = 1,
      .runs_passed = 1,
      .runs_needed = 1,
      .margin = 0 },
    { .that = "drain.state == clears",
      .variant = "old",
      .warns = true,
      .state = SQ_VERDICT_FAILED,
      .runs = 4,
      .runs_needed = 4,
      .observed = { .word = "stalled" },
      .limit = { .word = "clears" },
      .margin = NAN },
    { .that = "a@new > a", .variant = "old", .state = SQ_VERDICT_OPEN, .why = "new was not run" },
};

struct place {
    char folder[40], path[80];
};

static const char *in_place(struct place *p, const char *name)
{
    (void)snprintf(p->path, sizeof p->path, "%s/%s", p->folder, name);
    return p->path;
}

/* Runs of the first `count` variants, and their comparison, in a folder of its own. */
static void put_folder(struct place *p, size_t count)
{
    struct made m;
    struct sq_comparison c = { 0 };
    struct sq_buf b = { 0 };
    struct sq_diag diag = { 0 };
    *p = (struct place){ .folder = "/tmp/squall-load-XXXXXX" };
    assert_non_null(mkdtemp(p->folder));
    made_fill(&m, MADE_RUNS);
    for (size_t v = 0; v < count; v++) {
        struct sq_result *r = &m.results[v];
        r->echo = "squall: 1\nnotes: \"two\\nlines\"\n";
        r->moments = moments;
        r->moment_count = SQ_COUNT(moments);
        r->layers = layers;
        r->layer_count = SQ_COUNT(layers);
        r->life = (struct sq_life){ "orders:17", v == 0 ? "so" : NULL, SQ_COUNT(steps), steps };
        r->verdicts = verdicts;
        r->verdict_count = v == 0 ? SQ_COUNT(verdicts) : 0;
        assert_int_equal(sq_save_all(r, in_place(p, r->variant), &diag), SQ_OK);
    }
    assert_int_equal(sq_comparison_make(m.results, count, &c), SQ_OK);
    for (size_t v = 0; v < count; v++) {
        c.variants[v].verdict = "is <so>";
    }
    c.proof = "little";
    assert_int_equal(sq_save_comparison_json(&c, &b), SQ_OK);
    assert_int_equal(sq_file_write(in_place(p, "comparison.json"), b.text, b.len, &diag), SQ_OK);
    sq_buf_fini(&b);
    sq_arena_fini(&c.arena);
}

static void drop_folder(const struct place *p)
{
    char command[64];
    (void)snprintf(command, sizeof command, "rm -r %s", p->folder);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    assert_int_equal(pclose(f), 0);
}

static void result(void **state)
{
    (void)state;
    struct place p;
    struct sq_result r = { 0 };
    struct sq_diag diag = { 0 };
    struct sq_buf again = { 0 }, before = { 0 };
    put_folder(&p, 2);
    assert_int_equal(sq_load_result(in_place(&p, "old"), &r, &diag), SQ_OK);
    assert_string_equal(r.title, "A <small> | world");
    assert_string_equal(r.notes, "two\nlines");
    assert_int_equal(r.seed, 7);
    assert_int_equal(r.run_count, MADE_RUNS);
    assert_int_equal(r.runs[3].replication, 4);
    assert_int_equal(r.moment_count, SQ_COUNT(moments));
    assert_true(r.moments[1].kind == SQ_MOMENT_COLLAPSE);
    assert_true(r.moments[1].until_ns == SQ_NEVER);
    assert_true(r.moments[2].until_ns == r.moments[2].at_ns);
    assert_string_equal(r.life.job, "orders:17");
    assert_string_equal(r.life.why, "so");
    assert_int_equal(r.life.step_count, SQ_COUNT(steps));
    assert_true(r.life.steps[1].at_ns == steps[1].at_ns);
    assert_string_equal(r.life.steps[1].text, steps[1].text);
    assert_int_equal(r.layer_count, SQ_COUNT(layers));
    assert_string_equal(r.layers[0].section, "workers");
    assert_string_equal(r.layers[0].caller, "pool");
    assert_string_equal(r.layers[1].dependency, "<store>");
    assert_true(r.layers[0].attempts == 12 && r.layers[0].tries == 3 && r.layers[0].times == 0.3);
    assert_true(r.layers[0].calls_per_job == 36);
    assert_true(isinf(r.layers[1].tries) && isinf(r.layers[1].calls_per_job));
    assert_int_equal(r.verdict_count, SQ_COUNT(verdicts));
    assert_true(r.verdicts[1].of_outcome);
    assert_string_equal(r.verdicts[3].why, "new was not run");
    /* what was read is written as it was */
    assert_int_equal(sq_save_summary(&r, &again), SQ_OK);
    assert_int_equal(sq_file_read(in_place(&p, "old/summary.json"), 1 << 20, &before, &diag),
                     SQ_OK);
    assert_string_equal(again.text, before.text);
    again.len = 0;
    assert_int_equal(sq_save_runs(&r, &again), SQ_OK);
    assert_int_equal(sq_file_read(in_place(&p, "old/runs.csv"), 1 << 20, &before, &diag), SQ_OK);
    assert_string_equal(again.text, before.text);
    sq_buf_fini(&again);
    sq_buf_fini(&before);
    sq_arena_fini(&r.arena);
    drop_folder(&p);
}

static void comparison(void **state)
{
    (void)state;
    struct place p;
    struct sq_loaded l;
    struct sq_diag diag = { 0 };
    struct sq_buf again = { 0 }, before = { 0 };
    put_folder(&p, MADE_VARIANTS);
    assert_int_equal(sq_load_folder(p.folder, &l, &diag), SQ_OK);
    assert_int_equal(l.result_count, MADE_VARIANTS);
    assert_string_equal(l.comparison.variants[1].name, "new");
    assert_string_equal(l.comparison.variants[1].verdict, "is <so>");
    assert_string_equal(l.comparison.proof, "little");
    assert_int_equal(l.comparison.variants[0].judged_count, SQ_COUNT(verdicts));
    l.comparison.notes = NULL; /* the made ones have none of their own */
    assert_int_equal(sq_save_comparison_json(&l.comparison, &again), SQ_OK);
    assert_int_equal(sq_file_read(in_place(&p, "comparison.json"), 1 << 20, &before, &diag), SQ_OK);
    assert_string_equal(again.text, before.text);
    sq_buf_fini(&again);
    sq_buf_fini(&before);
    sq_loaded_fini(&l);
    /* a folder of a run is a comparison of one */
    assert_int_equal(sq_load_folder(in_place(&p, "new"), &l, &diag), SQ_OK);
    assert_int_equal(l.comparison.variant_count, 1);
    assert_string_equal(l.comparison.variants[0].name, "new");
    sq_loaded_fini(&l);
    drop_folder(&p);
}

/* A file of the folder is replaced by a text, or removed; then reading says what is wrong. */
static void mistakes(void **state)
{
    (void)state;
    static const char head[] = "{\"squall\": {\"version\": \"1\", \"format\": 1}}";
    static const struct {
        const char *file, *text, *complaint;
    } rows[] = {
        { "comparison.json", "{", "comparison.json:1" },
        { "comparison.json", "[]", "comparison.json: this is no result of squall" },
        { "comparison.json", "{\"squall\": {\"format\": 2}}", "is of a newer format" },
        { "comparison.json", head, "there are no runs in it" },
        { "comparison.json",
          "{\"squall\": {\"format\": 1}, \"variants\": [{\"name\": \"../old\"}]}",
          "`variants` is not complete" },
        { "comparison.json", "{\"squall\": {\"format\": 1}, \"variants\": [{\"name\": \"none\"}]}",
          "none/summary.json" },
        { "new/summary.json", head, "new/summary.json: `scenario` is not complete" },
        { "new/summary.json",
          "{\"squall\": {\"version\": \"1\", \"format\": 1}, \"scenario\": {\"title\": \"t\", "
          "\"file\": \"f\", \"variant\": \"new\", \"hash\": \"0\", \"seed\": 7, \"runs\": 4, "
          "\"duration_s\": 600}, \"moments\": [], \"expect\": [], \"job\": {\"job\": \"a:1\", "
          "\"steps\": [{\"t_s\": 1}]}}",
          "new/summary.json: a step of the job has no time or no text" },
        { "new/summary.json",
          "{\"squall\": {\"version\": \"1\", \"format\": 1}, \"scenario\": {\"title\": \"t\", "
          "\"file\": \"f\", \"variant\": \"new\", \"hash\": \"0\", \"seed\": 7, \"runs\": 4, "
          "\"duration_s\": 600}, \"layers\": [{\"section\": \"clients\", \"caller\": \"a\", "
          "\"dependency\": \"b\", \"attempts\": \"many\", \"tries\": 1, \"times\": 1, "
          "\"calls_per_job\": 1}]}",
          "new/summary.json: `layers` is not complete" },
        { "new/summary.json", NULL, "new/summary.json" },
        { "new/runs.csv", "a,b\n1,2\n", "runs.csv: its rows are not the runs of summary.json" },
        { "new/runs.csv", "replication,jobs.completed\n1,2\n2,x\n3,1\n4,1\n",
          "runs.csv:3: a number" },
        { "new/runs.csv", "replication,jobs.\xe4\n1,2\n2,1\n3,1\n4,1\n",
          "runs.csv:1: the byte 0xe4 is not UTF-8 text" },
        { "new/runs.csv", "replication,a,b,a\n1,2,1,2\n2,1,1,1\n3,1,1,1\n4,1,1,1\n",
          "runs.csv:1: a: this metric has two columns" },
        { "new/runs.csv", NULL, "new/runs.csv" },
        { "new/scenario.yaml", "a: [", "new/scenario.yaml" },
        { "new/scenario.yaml", "squall: 1\n",
          "new/scenario.yaml: this is not the file that was written with this result" },
        { "new/runs.csv", "replication,jobs.completed\n1,2\n2,3\n3,1\n4,1\n",
          "new/runs.csv: this is not the file that was written with this result" },
        { "comparison.json",
          "{\"squall\": {\"format\": 1}, \"comparison\": {\"seed\": 7}, \"variants\": "
          "[{\"name\": \"new\", \"hash\": \"0badc0de\"}]}",
          "/new: this is not the run that was compared: its scenario hash is" },
        { "comparison.json",
          "{\"squall\": {\"format\": 1}, \"comparison\": {\"seed\": 8}, \"variants\": "
          "[{\"name\": \"new\"}]}",
          "/new: this is not the run that was compared: its seed is 7, not 8" },
        { "new/summary.json",
          "{\"squall\": {\"version\": \"1\", \"format\": 1}, \"scenario\": {\"title\": \"t\", "
          "\"file\": \"f\", \"variant\": \"new\", \"hash\": \"0\", \"seed\": 7, \"runs\": 4, "
          "\"duration_s\": 600}, \"files\": [{\"name\": \"runs.csv\"}]}",
          "new/summary.json: `files` is not complete" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct place p;
        struct sq_loaded l;
        struct sq_diag diag = { 0 };
        struct sq_buf b = { 0 };
        put_folder(&p, 2);
        const char *path = in_place(&p, rows[i].file);
        if (rows[i].text == NULL) {
            assert_int_equal(unlink(path), 0);
        } else {
            assert_int_equal(sq_file_write(path, rows[i].text, strlen(rows[i].text), &diag), SQ_OK);
        }
        assert_int_equal(sq_load_folder(p.folder, &l, &diag), SQ_USER);
        sq_diag_print(&diag, &b);
        if (b.text == NULL || strstr(b.text, rows[i].complaint) == NULL) {
            fail_msg("%s: %s\nnot said: %s", rows[i].file, b.text != NULL ? b.text : "",
                     rows[i].complaint);
        }
        sq_loaded_fini(&l);
        sq_buf_fini(&b);
        sq_diag_fini(&diag);
        drop_folder(&p);
    }
    struct sq_loaded l;
    struct sq_diag diag = { 0 };
    assert_int_equal(sq_load_folder("/nonexistent", &l, &diag), SQ_USER);
    sq_loaded_fini(&l);
    sq_diag_fini(&diag);
}

/* Every allocation in turn fails: a status, no leak, no crash. */
static void no_memory(void **state)
{
    (void)state;
    struct place p;
    put_folder(&p, 2);
    enum sq_status status = SQ_NOMEM;
    for (long n = 0; status != SQ_OK; n++) {
        struct sq_loaded l;
        struct sq_diag diag = { 0 };
        assert_true(n < 5000);
        sq_mem_fail_after(n);
        status = sq_load_folder(p.folder, &l, &diag);
        sq_mem_fail_after(-1);
        assert_true(status == SQ_OK || status == SQ_NOMEM);
        sq_loaded_fini(&l);
        sq_diag_fini(&diag);
    }
    drop_folder(&p);
}

int main(void)
{
    sq_math_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(result),
        cmocka_unit_test(comparison),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
