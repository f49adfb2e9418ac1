/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_oom.c - memory ends at every single allocation, from reading a scenario over its runs to the
 * pages of the result: the status says so, nothing crashes, nothing leaks (under the sanitizers),
 * and what nevertheless succeeds is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "models/study/mdl_compare.h"
#include "models/study/mdl_explain.h"
#include "models/study/mdl_single.h"
#include "sim/base/sq_mem.h"
#include "sim/conf/sq_save.h"
#include "sim/conf/sq_timeline_file.h"
#include "sim/conf/sq_save_comparison.h"

/* A bit of everything that allocates: leases, keys, dead letters, samples of every policy. */
static const char *const scenarios[] = {
    "squall: 1\ntitle: Workers\nduration: 16s\ntail: 20s\ntimeline: 4s\nruns: 2\n"
    "producers:\n"
    "  orders: {queue: jobs, arrivals: 6/s, deadline: 20s, supersede: 5}\n"
    "queues: {jobs: {visibility_timeout: 3s, max_receives: 3, dead_letter: {}}}\n"
    "workers:\n"
    "  pool: {queue: jobs, replicas: 2, slots: 2, calls: {db: {timeout: 1s}},\n"
    "         crashes: {every: 9s}, retry: {max_attempts: 4, backoff: 1s, jitter: full},\n"
    "         autoscaler: {kind: keda, min: 1, max: 5, target: 3}}\n"
    "dependencies:\n"
    "  db: {servers: 3, service: {kind: gamma, mean: 200ms, cv: 2}, outages: [{at: 8s, for: 4s}]}\n"
    "controls:\n"
    "  db: {concurrency: 4, ramp: {steps: [1, 2, 4], every: 2s}, breaker: resilience4j,\n"
    "       budget: {kind: ratio, ratio: 20%, beyond: fail}}\n"
    "variants: {plain: {controls: null}}\n"
    "expect: [{that: 'jobs.arrived > 3'}, {that: 'jobs.arrived == jobs.arrived@plain', variant: "
    "base}]\n",
    "squall: 1\ntitle: Clients\nduration: 10s\ntail: 20s\nruns: 2\n"
    "clients:\n"
    "  web: {arrivals: {kind: bursts, size: 5, every: 2s}, calls: {api: {timeout: 2s}},\n"
    "        retry: {max_attempts: 3, backoff: {kind: decorrelated, base: 500ms, cap: 5s}}}\n"
    "dependencies:\n"
    "  api: {servers: 4, nodes: 2, service: 100ms, calls: {db: {timeout: 1s}, row: {timeout: "
    "1s}}}\n"
    "  db: {servers: 3, service: 50ms, rate_limit: 20/s}\n  row: {kind: optimistic, network: 5ms}\n"
    "controls: {api: {adaptive: gradient2}}\n"
    "actions: [{at: 3s, burst: {web: 20}}]\n",
};

/* All that is told of a scenario: its pages one after the other. */
static enum sq_status tell_run(const char *file, struct sq_buf *out, struct sq_diag *diag)
{
    struct mdl_scenario s = { 0 };
    struct mdl_expects x = { 0 };
    struct sq_result r = { 0 };
    struct mdl_ask ask = { .file = file, .runs = -1 };
    struct mdl_replicate_ask runs = { .first = 1, .count = 2, .threads = 1, .check_every = 1000 };
    enum sq_status status = mdl_scenario_load(&s, &ask, diag);
    status = status == SQ_OK ? mdl_expects_open(&x, &s, &ask, diag) : status;
    status = status == SQ_OK ? mdl_single(&s, &x, &runs, &r, diag) : status;
    status = status == SQ_OK ? sq_save_summary(&r, out) : status;
    status = status == SQ_OK ? sq_save_runs(&r, out) : status;
    status = status == SQ_OK ? sq_save_timeline(&r, out) : status;
    sq_arena_fini(&r.arena);
    mdl_expects_fini(&x);
    mdl_scenario_fini(&s);
    return status;
}

static enum sq_status tell_comparison(const char *file, struct sq_buf *out, struct sq_diag *diag)
{
    struct mdl_compare c = { 0 };
    struct mdl_compare_ask ask = { .scenario = { .file = file, .runs = -1 },
                                   .variants = "base,plain",
                                   .threads = 1,
                                   .check_every = 1000 };
    enum sq_status status = mdl_compare_open(&c, &ask, diag);
    status = status == SQ_OK ? mdl_compare_run(&c, &ask, diag) : status;
    status = status == SQ_OK ? sq_save_comparison_json(&c.comparison, out) : status;
    status = status == SQ_OK ? sq_save_comparison_csv(&c.comparison, out) : status;
    mdl_compare_fini(&c);
    return status;
}

static enum sq_status tell_explain(const char *file, struct sq_buf *out, struct sq_diag *diag)
{
    struct mdl_ask ask = { .file = file, .runs = -1 };
    return mdl_explain(&ask, out, diag);
}

typedef enum sq_status tell(const char *file, struct sq_buf *out, struct sq_diag *diag);

static void write_file(char *path, size_t size, const char *text)
{
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(path, size, "%s/squall-oom-%ld.yaml", tmp != NULL ? tmp : "/tmp",
                   (long)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* With OOM=all every allocation has its turn, else every seventh. */
static long every(void)
{
    const char *which = getenv("OOM");
    return which != NULL && strcmp(which, "all") == 0 ? 1 : 7;
}

/* Lets allocation n fail for every n, alone (`once`) or with all after it. Returns how many there
 * are. A status other than SQ_OK says that there is no memory, or that a complaint was lost. */
static long exhaust(tell *f, const char *text, bool once)
{
    char path[256];
    struct sq_buf want = { 0 };
    struct sq_diag none = { 0 };
    write_file(path, sizeof(path), text);
    enum sq_status whole = f(path, &want, &none);
    for (size_t i = 0; i < none.count && whole != SQ_OK; i++) {
        print_error("%u:%u: %s\n", none.items[i].where.line, none.items[i].where.col,
                    none.items[i].text);
    }
    assert_int_equal(whole, SQ_OK);
    long n = 0, step = every();
    for (bool through = false; !through; n += step) {
        struct sq_buf out = { 0 };
        struct sq_diag diag = { 0 };
        size_t before = sq_mem_used();
        if (once) {
            sq_mem_fail_once(n);
        } else {
            sq_mem_fail_after(n);
        }
        enum sq_status status = f(path, &out, &diag);
        through = sq_mem_fails_left() > 0;
        sq_mem_fail_after(-1);
        if (status != SQ_OK && status != SQ_NOMEM) {
            print_error("allocation %ld: status %d, %s\n", n, (int)status,
                        diag.count > 0 ? diag.items[0].text : "");
        }
        assert_true(status == SQ_NOMEM || status == SQ_OK);
        if (status == SQ_OK && !out.failed && strcmp(out.text, want.text) != 0) {
            print_error("allocation %ld: another result\n", n);
            assert_string_equal(out.text, want.text);
        }
        sq_buf_fini(&out);
        sq_diag_fini(&diag);
        assert_int_equal(sq_mem_used(), before);
        assert_true(n < 100000);
    }
    (void)unlink(path);
    sq_buf_fini(&want);
    sq_diag_fini(&none);
    return n - step;
}

static void each(tell *f, const char *text)
{
    long count = exhaust(f, text, false);
    assert_true(count > 50);
    assert_in_range(exhaust(f, text, true) + every(), count, count + 2 * every());
    print_message("%ld allocations\n", count);
}

static void workers(void **state)
{
    (void)state;
    each(tell_run, scenarios[0]);
}

static void clients(void **state)
{
    (void)state;
    each(tell_run, scenarios[1]);
}

static void comparison(void **state)
{
    (void)state;
    each(tell_comparison, scenarios[0]);
}

static void explain(void **state)
{
    (void)state;
    each(tell_explain, scenarios[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers),
        cmocka_unit_test(clients),
        cmocka_unit_test(comparison),
        cmocka_unit_test(explain),
    };
    return cmocka_run_group_tests_name("oom", tests, NULL, NULL);
}
