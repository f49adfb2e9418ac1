/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_expect.c - expectations of a small scenario: what they are bound to, what is refused and
 * where, and verdicts against figures that the result of the same runs gives. */
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

#include "models/study/mdl_judge.h"
#include "models/study/mdl_single.h"
#include "sim/base/sq_file.h"
#include "sim/core/sq_math.h"

/* 100 jobs in ten seconds; 200 in `double`; `fewer` has two runs instead of four. */
static const char world[] = "squall: 1\n"
                            "duration: 10s\n"
                            "tail: 1m\n"
                            "runs: 4\n"
                            "producers: {p: {queue: q, arrivals: {kind: regular, rate: 10/s}}}\n"
                            "queues: {q: {}}\n"
                            "workers: {w: {queue: q, slots: 1, calls: {d-1: {timeout: 1s}}}}\n"
                            "dependencies:\n"
                            "  d-1:\n"
                            "    servers: 4\n"
                            "    service: {kind: exponential, mean: 80ms}\n"
                            "    outages: [{at: 3s, for: 2s}]\n"
                            "variants:\n"
                            "  double: {producers: {p: {arrivals: {rate: 20/s}}}}\n"
                            "  fewer: {runs: 2}\n"
                            "  calm: {dependencies: {d-1: {outages: []}}}\n"
                            "  capped: {controls: {d-1: {concurrency: 2}}}\n"
                            "expect:\n"
                            "  - ";
enum { EXPECT_LINE = 19, EXPECT_COL = 5 };

struct fixture {
    char path[64];
    struct mdl_ask ask;
    struct mdl_scenario s;
    struct mdl_expects x;
    struct sq_diag diag;
};

static enum sq_status open_fixture(struct fixture *f, const char *entry, const char *variant)
{
    *f = (struct fixture){ .path = "/tmp/squall-test-expect-XXXXXX" };
    int fd = mkstemp(f->path);
    assert_true(fd >= 0);
    close(fd);
    struct sq_buf b = { 0 };
    sq_buf_printf(&b, "%s%s\n", world, entry);
    assert_int_equal(sq_file_write(f->path, b.text, b.len, &f->diag), SQ_OK);
    sq_buf_fini(&b);
    f->ask = (struct mdl_ask){ .file = f->path, .variant = variant, .runs = -1 };
    enum sq_status status = mdl_scenario_load(&f->s, &f->ask, &f->diag);
    return status == SQ_OK ? mdl_expects_open(&f->x, &f->s, &f->ask, &f->diag) : status;
}

static void close_fixture(struct fixture *f)
{
    mdl_expects_fini(&f->x);
    mdl_scenario_fini(&f->s);
    sq_diag_fini(&f->diag);
    unlink(f->path);
}

static struct mdl_replicate_ask runs_of(size_t count)
{
    return (struct mdl_replicate_ask){ .first = 1, .count = count, .threads = 2, .check_every = 1 };
}

/* ---- mistakes ---- */

static const struct {
    const char *entry;
    unsigned col; /* in the entry, from 1 */
    const char *says, *hint;
} mistakes[] = {
    { "{that: jobs.compleeted > 1}", 8, "no metric `jobs.compleeted` in variant `base`",
      "`jobs.completed`" },
    { "{that: 1 < dependency.d1.calls}", 12, "no metric `dependency.d1.calls`",
      "`dependency.d-1.calls`" },
    { "{that: jobs.arrived-jobs.completed == 0}", 8, "no metric", "needs a blank before it" },
    { "{that: jobs.completed@duble > 1}", 23, "no variant `duble`", "`double`" },
    { "{variant: duble, that: jobs.completed > 1}", 11, "no variant `duble`", "`double`" },
    { "{variant: all, that: control.d-1.in_use_max <= 2}", 22, "in variant `base`", NULL },
    { "{that: control.d-1.in_use_max@calm <= 2}", 8, "in variant `calm`", NULL },
    { "{that: drain.state == cleared}", 23, "never `cleared`", "clears" },
    { "{that: drain.state == 'would relapse'}", 23, "drain.state is never", "clears" },
    { "{that: forecast.state == relapses}", 26, "forecast.state is never", "would relapse" },
    { "{that: drain.state > 5}", 8, "is a word", NULL },
    { "{that: queue.q.ready < 5}", 8, "is a timeline column", "add `when`" },
    { "{that: queue.q.ready_max < 5, when: always}", 8, "is a metric of the whole run",
      "timeline.csv" },
    { "{that: queue.q.ready@calm < 5, when: always}", 22, "there is no @", NULL },
    { "{that: queue.q.redy < 5, when: always}", 8, "no timeline column", "`queue.q.ready`" },
    { "{that: queue.q.ready < 5, when: sometimes}", 33, "one of three forms", "always" },
    { "{that: queue.q.ready < 5, when: {on: 5s}}", 34, "unknown key `on`", "always" },
    { "{that: queue.q.ready < 5, when: {at: 5}}", 38, "needs a unit", "T1+30m" },
    { "{that: queue.q.ready < 5, when: {at: T1*2}}", 38, "other than + or -", "T1+30m" },
    { "{that: queue.q.ready < 5, when: {at: 2m}}", 33, "after the end", NULL },
    { "{that: queue.q.ready < 5, when: {between: 5s}}", 43, "a list of two times", NULL },
    { "{that: queue.q.ready < 5, when: {between: [5s, 4s]}}", 33, "ends before it begins", NULL },
    { "{that: queue.q.ready < 5, variant: calm, when: {at: T1}}", 48, "no T1 in variant `calm`",
      "health.t1" },
    { "{that: jobs.completed > 1, in: 120%}", 32, "120%", NULL },
    { "{that: jobs.completed > 1, severity: fatal}", 38, "`fatal` is not one of", NULL },
    { "{variant: base}", 1, "the required key `that` is missing", NULL },
    { "{that: jobs.completed > 1, wen: always}", 28, "unknown key `wen`", "`when`" },
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(mistakes); i++) {
        struct fixture f;
        assert_int_equal(open_fixture(&f, mistakes[i].entry, NULL), SQ_USER);
        const struct sq_complaint *c = &f.diag.items[0];
        bool hint = mistakes[i].hint == NULL ||
                    (c->hint != NULL && strstr(c->hint, mistakes[i].hint) != NULL);
        if (c->where.line != EXPECT_LINE || c->where.col != EXPECT_COL - 1 + mistakes[i].col ||
            strstr(c->text, mistakes[i].says) == NULL || !hint || f.diag.errors != 1) {
            fail_msg("%s: %u:%u: %s (%s)", mistakes[i].entry, (unsigned)c->where.line,
                     (unsigned)c->where.col, c->text, c->hint != NULL ? c->hint : "");
        }
        close_fixture(&f);
    }
}

/* Every entry that is wrong is told, whichever variant is asked for. */
static void test_all_mistakes(void **state)
{
    (void)state;
    struct fixture f;
    assert_int_equal(open_fixture(&f,
                                  "{that: a.b > 1}\n"
                                  "  - {variant: double, that: c.d > 1}\n"
                                  "  - {variant: none-such, that: jobs.completed > 1}",
                                  "calm"),
                     SQ_USER);
    assert_int_equal(f.diag.errors, 3);
    assert_int_equal(f.diag.items[2].where.line, EXPECT_LINE + 2);
    close_fixture(&f);
}

/* ---- verdicts ---- */

static const struct {
    const char *entry, *variant; /* NULL: base */
    enum sq_verdict_state state;
    size_t runs, passed, needed;
    double observed, margin, worst; /* NaN: none */
} verdicts[] = {
    { "{that: jobs.arrived == 100}", NULL, SQ_VERDICT_PASSED, 4, 4, 4, 100, 0, 0 },
    { "{that: jobs.arrived < 99}", NULL, SQ_VERDICT_FAILED, 4, 0, 4, 100, -1, -1 },
    { "{that: jobs.arrived < 99, in: 0%}", NULL, SQ_VERDICT_PASSED, 4, 0, 0, 100, -1, -1 },
    { "{that: jobs.arrived > 99, in: 50%}", NULL, SQ_VERDICT_PASSED, 4, 4, 2, 100, 1, 1 },
    { "{that: jobs.arrived > 99, in: 51%}", NULL, SQ_VERDICT_PASSED, 4, 4, 3, 100, 1, 1 },
    { "{that: jobs.arrived == 200, variant: double}", "double", SQ_VERDICT_PASSED, 4, 4, 4, 200, 0,
      0 },
    { "{that: jobs.arrived == 100, variant: fewer}", "fewer", SQ_VERDICT_PASSED, 2, 2, 2, 100, 0,
      0 },
    { "{that: drain.queue_clear_s == null, variant: calm}", "calm", SQ_VERDICT_PASSED, 4, 4, 4, NAN,
      NAN, NAN },
    { "{that: drain.queue_clear_s < 1h, variant: calm}", "calm", SQ_VERDICT_FAILED, 4, 0, 4, NAN,
      NAN, NAN },
    /* Well again from T1 on: no run collapsed. */
    { "{that: outcome.p_collapse == 0%, in: 50%}", NULL, SQ_VERDICT_PASSED, 1, 1, 1, 0, 0, 0 },
    { "{that: outcome.p_collapse > 10%}", NULL, SQ_VERDICT_FAILED, 1, 0, 1, 0, -0.1, -0.1 },
    { "{that: jobs.arrived < jobs.arrived@double}", NULL, SQ_VERDICT_OPEN, 4, 0, 4, NAN, NAN, NAN },
    /* The dependency is down in [3 s, 5 s): nothing succeeds in the whole bin of second 4. */
    { "{that: dependency.d-1.goodput_per_s == 0, when: {at: 4s}}", NULL, SQ_VERDICT_PASSED, 4, 4, 4,
      0, 0, 0 },
    { "{that: dependency.d-1.goodput_per_s == 0, when: {at: T1-1ms}}", NULL, SQ_VERDICT_PASSED, 4,
      4, 4, 0, 0, 0 },
    { "{that: dependency.d-1.goodput_per_s > 0, when: {at: T1+500ms}}", NULL, SQ_VERDICT_PASSED, 4,
      4, 4, NAN, NAN, NAN },
    { "{that: dependency.d-1.goodput_per_s > 0, when: {between: [1s, T1]}}", NULL,
      SQ_VERDICT_FAILED, 4, 0, 4, 0, 0, 0 },
    { "{that: dependency.d-1.goodput_per_s > 0, when: {between: [1s, 3s]}}", NULL,
      SQ_VERDICT_PASSED, 4, 4, 4, NAN, NAN, NAN },
    { "{that: producer.p.arrivals_per_s <= 10, when: always}", NULL, SQ_VERDICT_PASSED, 4, 4, 4, 10,
      0, 0 },
    { "{that: producer.p.arrivals_per_s == 10, when: {between: [0s, 10s]}}", NULL,
      SQ_VERDICT_PASSED, 4, 4, 4, 10, 0, 0 },
    { "{that: producer.p.arrivals_per_s > 0, when: {at: 65s}}", NULL, SQ_VERDICT_FAILED, 4, 0, 4,
      NAN, NAN, NAN }, /* the run is over by then */
};

static bool same(double want, double got)
{
    return isnan(want) || fabs(want - got) < 1e-9;
}

static void test_verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(verdicts); i++) {
        struct fixture f;
        struct sq_result r = { 0 };
        if (open_fixture(&f, verdicts[i].entry, verdicts[i].variant) != SQ_OK) {
            fail_msg("%s: %s", verdicts[i].entry, f.diag.items[0].text);
        }
        struct mdl_replicate_ask ask = runs_of((size_t)f.s.cfg.runs);
        assert_int_equal(mdl_single(&f.s, &f.x, &ask, &r, &f.diag), SQ_OK);
        assert_int_equal(r.verdict_count, 1);
        const struct sq_verdict *v = &r.verdicts[0];
        if (v->state != verdicts[i].state || v->runs != verdicts[i].runs ||
            v->runs_passed != verdicts[i].passed || v->runs_needed != verdicts[i].needed ||
            !same(verdicts[i].observed, v->observed.median) ||
            !same(verdicts[i].margin, v->margin) || !same(verdicts[i].worst, v->margin_worst)) {
            struct sq_buf b = { 0 };
            sq_verdict_put_figures(v, &b);
            fail_msg("%s: state %d, %s", verdicts[i].entry, (int)v->state, b.text);
        }
        sq_arena_fini(&r.arena);
        close_fixture(&f);
    }
}

/* `when` sees exactly the bins of the timeline: the largest of run 1 is a limit that just holds. */
static void test_when_is_the_timeline(void **state)
{
    (void)state;
    struct fixture f;
    struct sq_result r = { 0 };
    assert_int_equal(open_fixture(&f, "{that: queue.q.ready <= 1000, when: always}", NULL), SQ_OK);
    struct mdl_replicate_ask ask = runs_of(1);
    assert_int_equal(mdl_single(&f.s, &f.x, &ask, &r, &f.diag), SQ_OK);
    long column = sq_series_column(&r.series, "queue.q.ready");
    assert_true(column >= 0);
    double most = 0;
    for (size_t bin = 0; bin < r.series.bin_count; bin++) {
        most = fmax(most, (double)r.series.columns[column].bins[bin]);
    }
    assert_true(most > 0);
    assert_true(same(most, r.verdicts[0].observed.median));
    assert_true(same(1000 - most, r.verdicts[0].margin));
    sq_arena_fini(&r.arena);
    close_fixture(&f);
}

/* Figures over runs agree with the values that the result keeps of every run. */
static void test_figures(void **state)
{
    (void)state;
    struct fixture f;
    struct sq_result r = { 0 };
    assert_int_equal(open_fixture(&f, "{that: dependency.d-1.latency_mean_s < 1h}", NULL), SQ_OK);
    struct mdl_replicate_ask ask = runs_of(4);
    assert_int_equal(mdl_single(&f.s, &f.x, &ask, &r, &f.diag), SQ_OK);
    long metric = sq_result_metric(&r, "dependency.d-1.latency_mean_s");
    double least = INFINITY, most = 0;
    for (size_t k = 0; k < 4; k++) {
        least = fmin(least, r.runs[k].values[metric].number);
        most = fmax(most, r.runs[k].values[metric].number);
    }
    const struct sq_verdict *v = &r.verdicts[0];
    assert_true(least < most);
    assert_true(v->observed.min == least);
    assert_true(v->observed.max == most);
    assert_true(v->margin_worst == 3600 - most);
    assert_true(v->observed.median >= least);
    assert_true(v->observed.median <= most);
    sq_arena_fini(&r.arena);
    close_fixture(&f);
}

/* ---- several variants ---- */

/* Runs all variants that are needed, and judges everything. */
static void judge_everything(struct fixture *f, struct sq_arena *arena, struct sq_verdict *out)
{
    struct mdl_evidence evidence[8] = { { 0 } };
    assert_true(f->x.variant_count <= SQ_COUNT(evidence));
    for (size_t v = 0; v < f->x.variant_count; v++) {
        const struct mdl_scenario *s = &f->x.variants[v].scenario;
        if (!f->x.variants[v].needed) {
            continue;
        }
        size_t runs = (size_t)s->cfg.runs;
        assert_int_equal(mdl_evidence_init(&evidence[v], &f->x, v, runs), SQ_OK);
        for (size_t k = 0; k < runs; k++) {
            struct mdl_world w;
            struct mdl_run_ask ask = { .s = s, .replication = k + 1, .check_every = 64 };
            assert_int_equal(mdl_run_once(&w, &ask, &f->diag), SQ_OK);
            mdl_evidence_take(&evidence[v], k, &w);
            mdl_world_fini(&w);
        }
    }
    for (size_t i = 0; i < f->x.count; i++) {
        assert_int_equal(mdl_judge(&f->x, i, evidence, arena, &out[i]), SQ_OK);
    }
    for (size_t v = 0; v < f->x.variant_count; v++) {
        mdl_evidence_fini(&evidence[v]);
    }
}

static void test_all_variants(void **state)
{
    (void)state;
    struct fixture f;
    struct sq_arena arena = { 0 };
    struct sq_verdict v[8];
    assert_int_equal(open_fixture(&f, "{variant: all, that: jobs.arrived == 100}", NULL), SQ_OK);
    static const char *const names[] = { "base", "double", "fewer", "calm", "capped" };
    assert_int_equal(f.x.count, SQ_COUNT(names));
    judge_everything(&f, &arena, v);
    for (size_t i = 0; i < f.x.count; i++) {
        assert_string_equal(v[i].variant, names[i]);
        assert_int_equal(v[i].state, i == 1 ? SQ_VERDICT_FAILED : SQ_VERDICT_PASSED);
    }
    sq_arena_fini(&arena);
    close_fixture(&f);
}

static void test_other_variant(void **state)
{
    (void)state;
    struct fixture f;
    struct sq_arena arena = { 0 };
    struct sq_verdict v[8];
    assert_int_equal(open_fixture(&f,
                                  "{that: jobs.arrived@double - jobs.arrived == 100}\n"
                                  "  - {that: jobs.arrived@fewer == 100}\n"
                                  "  - {that: dependency.d-1.latency_mean_s@fewer == "
                                  "dependency.d-1.latency_mean_s, variant: base, in: 50%}\n"
                                  "  - {that: outcome.p_collapse >= outcome.p_collapse@calm}\n"
                                  "  - {that: control.d-1.in_use_max@capped <= 2}",
                                  NULL),
                     SQ_OK);
    judge_everything(&f, &arena, v);
    assert_int_equal(v[0].state, SQ_VERDICT_PASSED);
    assert_int_equal(v[0].runs_passed, 4);
    /* fewer has no third and fourth run: null there, and null satisfies nothing */
    assert_int_equal(v[1].state, SQ_VERDICT_FAILED);
    assert_int_equal(v[1].runs_passed, 2);
    assert_int_equal(v[1].observed.nulls, 2);
    /* the same luck: run k of both is the same run */
    assert_int_equal(v[2].state, SQ_VERDICT_PASSED);
    assert_int_equal(v[2].runs_passed, 2);
    assert_int_equal(v[3].state, SQ_VERDICT_PASSED);
    assert_true(v[3].of_outcome);
    assert_int_equal(v[4].state, SQ_VERDICT_PASSED);
    sq_arena_fini(&arena);
    close_fixture(&f);
}

/* What an assignment takes away is not judged, and not taken for a failure. */
static void test_gone(void **state)
{
    (void)state;
    struct fixture f;
    struct sq_result r = { 0 };
    assert_int_equal(
        open_fixture(&f, "{variant: capped, that: control.d-1.in_use_max <= 2}", "capped"), SQ_OK);
    mdl_scenario_fini(&f.s);
    mdl_expects_fini(&f.x);
    static const char *const sets[] = { "controls.d-1=null" };
    f.ask.sets = sets;
    f.ask.set_count = 1;
    assert_int_equal(mdl_scenario_load(&f.s, &f.ask, &f.diag), SQ_OK);
    assert_int_equal(mdl_expects_open(&f.x, &f.s, &f.ask, &f.diag), SQ_OK);
    struct mdl_replicate_ask ask = runs_of(1);
    assert_int_equal(mdl_single(&f.s, &f.x, &ask, &r, &f.diag), SQ_OK);
    assert_int_equal(r.verdicts[0].state, SQ_VERDICT_OPEN);
    assert_non_null(strstr(r.verdicts[0].why, "no metric control.d-1.in_use_max"));
    sq_arena_fini(&r.arena);
    close_fixture(&f);
}

/* Without memory at any point: a status, and nothing that is lost. */
static void test_no_memory(void **state)
{
    (void)state;
    struct fixture f;
    assert_int_equal(open_fixture(&f,
                                  "{that: drain.state@capped == clears}\n"
                                  "  - {that: queue.q.ready < 50, when: {between: [T1, 9s]}}",
                                  NULL),
                     SQ_OK);
    enum sq_status status = SQ_NOMEM;
    long n = 0;
    for (; status == SQ_NOMEM; n++) {
        mdl_expects_fini(&f.x);
        sq_mem_fail_after(n);
        status = mdl_expects_open(&f.x, &f.s, &f.ask, &f.diag);
        sq_mem_fail_after(-1);
    }
    assert_int_equal(status, SQ_OK);
    assert_true(n > 10);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),      cmocka_unit_test(test_all_mistakes),
        cmocka_unit_test(test_verdicts),      cmocka_unit_test(test_when_is_the_timeline),
        cmocka_unit_test(test_figures),       cmocka_unit_test(test_all_variants),
        cmocka_unit_test(test_other_variant), cmocka_unit_test(test_gone),
        cmocka_unit_test(test_no_memory),
    };
    sq_math_init();
    return cmocka_run_group_tests_name("expect", tests, NULL, NULL);
}
