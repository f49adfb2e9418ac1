/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_compare_runs.c - replications of several variants: that they meet the same luck, that the
 * number of threads does not show, and what is kept of a study that is stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/study/mdl_compare.h"
#include "sim/base/sq_file.h"
#include "sim/conf/sq_save.h"
#include "sim/conf/sq_timeline_file.h"
#include "sim/conf/sq_save_comparison.h"
#include "sim/core/sq_math.h"

static const char scenario[] =
    "squall: 1\n"
    "title: A small storm\n"
    "duration: 4m\n"
    "tail: 10m\n"
    "runs: 12\n"
    "producers:\n"
    "  orders: {queue: jobs, arrivals: 8/s}\n"
    "queues:\n"
    "  jobs: {max_receives: 14}\n"
    "workers:\n"
    "  pool:\n"
    "    queue: jobs\n"
    "    replicas: 4\n"
    "    slots: 5\n"
    "    calls: {db: {timeout: 1s}}\n"
    "    retry: {max_attempts: 12, backoff: {kind: exponential, base: 1s, cap: 1m}, jitter: none}\n"
    "dependencies:\n"
    "  db:\n"
    "    servers: 10\n"
    "    service: {kind: lognormal, mean: 200ms, cv: 0.3}\n"
    "    answer_in: 50ms\n"
    "    outages: [{at: 60s, for: 60s}]\n"
    "variants:\n"
    "  plain: {}\n"
    "  jitter: {workers: {pool: {retry: {jitter: full}}}}\n"
    "  cap: {controls: {db: {concurrency: 6}}}\n";

/* A scenario file that goes away with the test. */
struct place {
    char path[32];
};

static void put_file(struct place *p, const char *text)
{
    struct sq_diag diag = { 0 };
    *p = (struct place){ "/tmp/squall-compare-XXXXXX" };
    int fd = mkstemp(p->path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(sq_file_write(p->path, text, strlen(text), &diag), SQ_OK);
}

static struct mdl_compare_ask ask_for(const struct place *p, const char *variants, int64_t runs)
{
    return (struct mdl_compare_ask){ .scenario = { .file = p->path, .runs = runs },
                                     .variants = variants,
                                     .threads = 2,
                                     .check_every = MDL_CHECK_EVERY };
}

static void open_it(struct mdl_compare *c, const struct mdl_compare_ask *ask)
{
    struct sq_diag diag = { 0 };
    struct sq_buf b = { 0 };
    enum sq_status status = mdl_compare_open(c, ask, &diag);
    sq_diag_print(&diag, &b);
    if (status != SQ_OK) {
        fail_msg("status %d: %s", (int)status, b.text != NULL ? b.text : "");
    }
    sq_buf_fini(&b);
    sq_diag_fini(&diag);
}

static void run_it(struct mdl_compare *c, const struct mdl_compare_ask *ask)
{
    struct sq_diag diag = { 0 };
    assert_int_equal(mdl_compare_run(c, ask, &diag), SQ_OK);
    assert_int_equal(diag.count, 0);
    sq_diag_fini(&diag);
}

/* Everything a comparison yields, as text. */
static void put_all(const struct mdl_compare *c, struct sq_buf *out)
{
    assert_int_equal(sq_save_comparison_json(&c->comparison, out), SQ_OK);
    assert_int_equal(sq_save_comparison_csv(&c->comparison, out), SQ_OK);
    for (size_t i = 0; i < c->count; i++) {
        assert_int_equal(sq_save_summary(&c->results[i], out), SQ_OK);
        assert_int_equal(sq_save_runs(&c->results[i], out), SQ_OK);
        assert_int_equal(sq_save_timeline(&c->results[i], out), SQ_OK);
    }
}

/* ---- which variants ---- */

static void which(void **state)
{
    (void)state;
    static const struct {
        const char *variants, *names;
    } rows[] = {
        { NULL, "plain jitter cap " },
        { "cap,plain", "cap plain " },
        { " base , jitter", "base jitter " },
    };
    struct place p;
    put_file(&p, scenario);
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct mdl_compare c;
        struct sq_buf b = { 0 };
        struct mdl_compare_ask ask = ask_for(&p, rows[i].variants, 2);
        open_it(&c, &ask);
        for (size_t k = 0; k < c.count; k++) {
            sq_buf_printf(&b, "%s ", c.scenarios[k].variant);
        }
        assert_string_equal(b.text, rows[i].names);
        sq_buf_fini(&b);
        mdl_compare_fini(&c);
    }
    unlink(p.path);
}

static void refused(const char *text, const char *variants, const char *complaint)
{
    struct place p;
    struct mdl_compare c;
    struct sq_diag diag = { 0 };
    struct sq_buf b = { 0 };
    put_file(&p, text);
    struct mdl_compare_ask ask = ask_for(&p, variants, 2);
    assert_int_equal(mdl_compare_open(&c, &ask, &diag), SQ_USER);
    sq_diag_print(&diag, &b);
    if (strstr(b.text, complaint) == NULL) {
        fail_msg("not said: %s\n%s", complaint, b.text);
    }
    sq_buf_fini(&b);
    sq_diag_fini(&diag);
    mdl_compare_fini(&c);
    unlink(p.path);
}

static void mistakes(void **state)
{
    (void)state;
    struct sq_buf b = { 0 };
    refused(scenario, "plain,jiter", "there is no variant jiter\n    hint: did you mean `jitter`?");
    refused(scenario, "plain,", "there is no variant ``");
    refused(scenario, "plain,cap,plain", "a variant is named twice: plain");
    refused(scenario, "cap", "one variant is nothing to compare: cap");
    sq_buf_add(&b, scenario, (size_t)(strstr(scenario, "variants:") - scenario));
    refused(b.text, NULL, "the file has no variants to compare");
    sq_buf_puts(&b, "variants: {a: {}, b: {seed: 5}}\n");
    refused(b.text, NULL, "variants have different seeds");
    sq_buf_fini(&b);
}

/* ---- luck ---- */

/* Half the width of the 95 % interval of the difference if the runs were not paired (Welch). */
static double unpaired_half(const struct sq_cell *a, const struct sq_cell *b, size_t runs)
{
    double t = sq_infer_student_quantile(0.975, (double)(runs - 1));
    double ea = (a->spread.hi - a->spread.lo) / 2 / t, eb = (b->spread.hi - b->spread.lo) / 2 / t;
    double both = ea * ea + eb * eb, n = (double)(runs - 1);
    double df = both * both / (ea * ea * ea * ea / n + eb * eb * eb * eb / n);
    return sq_infer_student_quantile(0.975, df) * sqrt(both);
}

static void shared_luck(void **state)
{
    (void)state;
    struct place p;
    struct mdl_compare c;
    put_file(&p, scenario);
    struct mdl_compare_ask ask = ask_for(&p, NULL, -1);
    open_it(&c, &ask);
    run_it(&c, &ask);
    assert_int_equal(c.comparison.run_count, 12);
    for (size_t v = 1; v < c.count; v++) {
        /* the same arrivals in every run: not one job more or less */
        const struct sq_cell *cell = sq_comparison_cell(&c.comparison, v, "jobs.arrived");
        assert_true(cell->paired.n == 12);
        assert_true(cell->paired.mean == 0);
        assert_true(cell->paired.hi - cell->paired.lo == 0);
        const struct sq_cell *first = sq_comparison_cell(&c.comparison, 0, "jobs.arrived");
        assert_true(first->spread.max > first->spread.min);
        /* and so the difference in calls is known much better than from runs apart */
        cell = sq_comparison_cell(&c.comparison, v, "dependency.db.calls");
        first = sq_comparison_cell(&c.comparison, 0, "dependency.db.calls");
        double paired = (cell->paired.hi - cell->paired.lo) / 2;
        double apart = unpaired_half(first, cell, 12);
        if (!(apart >= 3 * paired)) {
            fail_msg("%s: paired +-%g, apart +-%g", c.names[v], paired, apart);
        }
    }
    mdl_compare_fini(&c);
    unlink(p.path);
}

/* One, three and five threads: the same bytes. */
static void threads(void **state)
{
    (void)state;
    struct place p;
    struct sq_buf texts[3] = { { 0 } };
    put_file(&p, scenario);
    for (size_t i = 0; i < SQ_COUNT(texts); i++) {
        struct mdl_compare c;
        struct mdl_compare_ask ask = ask_for(&p, NULL, 3);
        ask.threads = (unsigned)(2 * i + 1);
        open_it(&c, &ask);
        run_it(&c, &ask);
        put_all(&c, &texts[i]);
        mdl_compare_fini(&c);
    }
    assert_string_equal(texts[0].text, texts[1].text);
    assert_string_equal(texts[0].text, texts[2].text);
    for (size_t i = 0; i < SQ_COUNT(texts); i++) {
        sq_buf_fini(&texts[i]);
    }
    unlink(p.path);
}

/* ---- stopping ---- */

/* Stops when so many runs were finished. */
static atomic_size_t finished, stop_at;

static bool enough(void)
{
    return atomic_load(&finished) >= atomic_load(&stop_at);
}

static void count_run(void *ctx, size_t i, struct mdl_world *w)
{
    (void)ctx, (void)i, (void)w;
    atomic_fetch_add(&finished, 1);
}

static enum sq_status replicate(const struct place *p, size_t stop_after, int64_t count,
                                unsigned on, struct sq_result *out)
{
    struct mdl_scenario s = { 0 };
    struct sq_diag diag = { 0 };
    struct mdl_ask ask = { .file = p->path, .runs = count };
    assert_int_equal(mdl_scenario_load(&s, &ask, &diag), SQ_OK);
    struct mdl_replicate_ask runs = { .first = 1,
                                      .count = (size_t)count,
                                      .threads = on,
                                      .check_every = MDL_CHECK_EVERY,
                                      .stop = enough,
                                      .after = count_run };
    atomic_store(&finished, 0);
    atomic_store(&stop_at, stop_after);
    enum sq_status status = mdl_replicate(&s, &runs, out, &diag);
    mdl_scenario_fini(&s);
    sq_diag_fini(&diag);
    return status;
}

static void put_result(const struct sq_result *r, struct sq_buf *out)
{
    assert_int_equal(sq_save_summary(r, out), SQ_OK);
    assert_int_equal(sq_save_runs(r, out), SQ_OK);
    assert_int_equal(sq_save_timeline(r, out), SQ_OK);
}

/* A study of 12 runs stopped after 1, 3 or 5 is that of so many runs, but for the mark. */
static void stopped(void **state)
{
    (void)state;
    static const size_t after[] = { 1, 3, 5 };
    struct place p;
    put_file(&p, scenario);
    for (size_t i = 0; i < SQ_COUNT(after); i++) {
        struct sq_result part = { 0 }, whole = { 0 };
        struct sq_buf a = { 0 }, b = { 0 };
        assert_int_equal(replicate(&p, after[i], 12, 1, &part), SQ_OK);
        assert_true(part.interrupted);
        assert_int_equal(part.runs_wanted, 12);
        assert_int_equal(part.run_count, after[i]);
        assert_int_equal(replicate(&p, SIZE_MAX, (int64_t)after[i], 1, &whole), SQ_OK);
        assert_false(whole.interrupted);
        part.interrupted = false;
        put_result(&part, &a);
        put_result(&whole, &b);
        assert_string_equal(a.text, b.text);
        sq_buf_fini(&a);
        sq_buf_fini(&b);
        sq_arena_fini(&part.arena);
        sq_arena_fini(&whole.arena);
    }
    unlink(p.path);
}

/* On several threads: a run is kept only if all before it are. */
static void stopped_threads(void **state)
{
    (void)state;
    struct place p;
    put_file(&p, scenario);
    for (size_t i = 4; i < 8; i++) {
        struct sq_result r = { 0 };
        enum sq_status status = replicate(&p, i, 60, 4, &r);
        assert_true(status == SQ_OK || status == SQ_STOPPED); /* the first may be the slowest */
        assert_true(r.interrupted == (status == SQ_OK));
        assert_true(r.run_count <= atomic_load(&finished));
        for (size_t k = 0; k < r.run_count; k++) {
            assert_int_equal(r.runs[k].replication, k + 1);
        }
        sq_arena_fini(&r.arena);
    }
    unlink(p.path);
}

static void stopped_at_once(void **state)
{
    (void)state;
    struct place p;
    struct sq_result r = { 0 };
    put_file(&p, scenario);
    assert_int_equal(replicate(&p, 0, 12, 2, &r), SQ_STOPPED);
    sq_arena_fini(&r.arena);
    unlink(p.path);
}

int main(void)
{
    sq_math_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which),           cmocka_unit_test(mistakes),
        cmocka_unit_test(shared_luck),     cmocka_unit_test(threads),
        cmocka_unit_test(stopped),         cmocka_unit_test(stopped_threads),
        cmocka_unit_test(stopped_at_once),
    };
    return cmocka_run_group_tests_name("compare-runs", tests, NULL, NULL);
}
