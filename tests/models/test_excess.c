/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_excess.c - the maxima of one run, made small enough to be reached: the run ends, and the
 * sentence names the maximum, the instant, and what fills it up. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Ten jobs a second, of which one a second is done. */
static const char queued[] = "squall: 1\ntitle: Pile\nduration: 1h\n"
                             "producers: {orders: {queue: jobs, arrivals: {kind: regular, "
                             "rate: 10/s}}}\n"
                             "queues: {jobs: {}}\n"
                             "workers: {pool: {queue: jobs, calls: {db: {}}}}\n"
                             "dependencies: {db: {service: 1s}}\n";
/* Ten calls a second, of which one a second is served. */
static const char called[] = "squall: 1\ntitle: Crowd\nduration: 1h\n"
                             "clients: {app: {arrivals: {kind: regular, rate: 10/s}, "
                             "calls: {db: {}}}}\n"
                             "dependencies: {db: {servers: 1, service: 1s}}\n";
/* Half of the time it is down: a random outage begins every 2 s. */
static const char flapping[] = "squall: 1\ntitle: Flapping\nduration: 10000d\ntimeline: 1d\n"
                               "clients: {app: {arrivals: none, calls: {db: {}}}}\n"
                               "dependencies: {db: {service: 1s, outages: [{every: 1s, "
                               "for: 1s}]}}\n";

static void expect_limit(struct wld *t, const char *const *said)
{
    assert_int_equal(mdl_world_run(&t->w, 1000, NULL, &t->diag), SQ_LIMIT);
    const char *text = wld_complaints(t);
    for (; *said != NULL; said++) {
        if (strstr(text, *said) == NULL) {
            fail_msg("it does not say \"%s\": %s", *said, text);
        }
    }
    wld_fini(t);
}

static void jobs(void **state)
{
    (void)state;
    struct wld t;
    assert_int_equal(wld_load(&t, queued, NULL), SQ_OK);
    wld_build(&t, 1);
    t.w.ctx.jobs.limit = 90; /* nine more of them every second */
    expect_limit(&t, (const char *const[]){ "90 unfinished jobs are the most that this program "
                                            "holds at t = ",
                                            " in the queue `jobs`", "give it a capacity", NULL });
}

static void calls(void **state)
{
    (void)state;
    struct wld t;
    assert_int_equal(wld_load(&t, called, NULL), SQ_OK);
    wld_build(&t, 1);
    t.w.ctx.calls.limit = 90;
    expect_limit(&t, (const char *const[]){ "90 calls are the most that this program holds at t = ",
                                            "inside `db`", "the storm is unbounded", NULL });
}

static void events(void **state)
{
    (void)state;
    struct wld t;
    assert_int_equal(wld_load(&t, called, NULL), SQ_OK);
    wld_build(&t, 1);
    t.w.ctx.sim.most_events = 1000;
    expect_limit(&t, (const char *const[]){
                         "there were more than 1000 events at t = ", "inside `db`", NULL });
}

/* 100,000 outages of a series, one every two seconds: the next would begin 200,001 s after the
 * start, which is 2 days and 7.56 hours. */
static void outages(void **state)
{
    (void)state;
    struct wld t;
    assert_int_equal(wld_load(&t, flapping, NULL), SQ_OK);
    wld_build(&t, 1);
    expect_limit(&t, (const char *const[]){ "more than 100000 random outages of `db` at t = 2d8h",
                                            "make its `every` longer", NULL });
}

/* The machine, not a stated maximum: the status says so, and what fills it is told all the same. */
static void machine(void **state)
{
    (void)state;
    struct wld t;
    assert_int_equal(wld_load(&t, queued, NULL), SQ_OK);
    wld_build(&t, 1);
    t.w.ctx.observe = t.observe; /* nothing is recorded here: what fails is the model's */
    sq_mem_fail_once(3);
    assert_int_equal(mdl_world_run(&t.w, 1000, NULL, &t.diag), SQ_NOMEM);
    assert_true(sq_mem_fails_left() < 0); /* it did fail */
    const char *text = wld_complaints(&t);
    assert_non_null(strstr(text, "the run needs more memory than this machine gives: "));
    assert_non_null(strstr(text, " in the queue `jobs`"));
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs),    cmocka_unit_test(calls),   cmocka_unit_test(events),
        cmocka_unit_test(outages), cmocka_unit_test(machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
