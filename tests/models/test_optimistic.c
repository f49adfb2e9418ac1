/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimistic rows in small worlds: to the nanosecond, and what does not apply to them. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

/* Reads are at 10 ms and writes at 30 ms: one wins, two lose. They know it at 40 ms, and try again
 * 5 ms later, when one more wins; the last one is alone. */
static void test_race(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 1s\n"
                "clients: {c: {arrivals: {kind: closed, population: 3, jobs_each: 1},\n"
                "  calls: {d: {}}, retry: {max_attempts: unlimited, backoff: 5ms, jitter: none}}}\n"
                "dependencies: {d: {kind: optimistic, network: 10ms}}\n");
    sq_time_t won[4], lost[4];
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_OK, won, 4), 3);
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_CONFLICT, lost, 4), 3);
    const sq_time_t at[] = { 40 * MS, 85 * MS, 130 * MS };
    assert_memory_equal(won, at, sizeof(at));
    assert_true(lost[0] == 40 * MS && lost[1] == 40 * MS && lost[2] == 85 * MS);
    assert_true(wld_get(&t, "dependency.d.calls") == 6);
    assert_true(wld_get(&t, "dependency.d.errors") == 3);
    wld_fini(&t);
}

/* A caller that gave up after 35 ms is served all the same: its write makes the other one lose,
 * which has read before it. */
static void test_given_up(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 1s\n"
                "clients:\n"
                "  a: {arrivals: {kind: cohort, count: 1}, calls: {d: {timeout: 35ms}}}\n"
                "  b: {arrivals: {kind: cohort, count: 1, at: 15ms}, calls: {d: {}}}\n"
                "dependencies: {d: {kind: optimistic, network: 10ms}}\n");
    assert_true(wld_get(&t, "dependency.d.timeouts") == 1);
    assert_true(wld_get(&t, "dependency.d.goodput") == 0);
    assert_true(wld_get(&t, "dependency.d.errors") == 1);
    wld_fini(&t);
}

/* While it hangs, reads and writes wait; then they go on in order. The write that comes at 30 ms
 * waits until 100 ms. */
static void test_hang(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 1s\n"
                "clients: {c: {arrivals: {kind: cohort, count: 1}, calls: {d: {}}}}\n"
                "dependencies: {d: {kind: optimistic, network: 10ms,\n"
                "  outages: [{at: 20ms, for: 80ms, kind: hang}]}}\n");
    sq_time_t at;
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_OK, &at, 1), 1);
    assert_true(at == 110 * MS);
    wld_fini(&t);
}

/* A failing write has no effect: with all failing nothing ever changes, so nobody has a conflict.
 */
static void test_errors(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 1s\n"
                "clients: {c: {arrivals: {kind: cohort, count: 50}, calls: {d: {}}}}\n"
                "dependencies: {d: {kind: optimistic, network: 10ms, errors: {error: 100%}}}\n");
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_ERROR, NULL, 0), 50);
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_CONFLICT, NULL, 0), 0);
    wld_fini(&t);
}

static void expect_refused(const char *dependency, const char *says)
{
    struct sq_buf yaml = { 0 };
    sq_buf_printf(&yaml,
                  "squall: 1\nduration: 1s\n"
                  "clients: {c: {arrivals: 1/s, calls: {d: {}}}}\ndependencies: {d: %s}\n",
                  dependency);
    struct wld t;
    struct mdl_ask ask = { .runs = -1 };
    assert_int_equal(wld_load(&t, yaml.text, &ask), SQ_USER);
    if (strstr(wld_complaints(&t), says) == NULL) {
        fail_msg("`%s` is not in: %s", says, wld_complaints(&t));
    }
    wld_fini(&t);
    sq_buf_fini(&yaml);
}

static void test_refused(void **state)
{
    (void)state;
    expect_refused("{}", "dependencies.d: the required key `service` is missing");
    expect_refused("{kind: optimistic, service: 1s}", "kind: optimistic has no `service`");
    expect_refused("{kind: optimistic, servers: 2}", "kind: optimistic has no `servers`");
    expect_refused("{kind: optimistic, waiting_room: 2}", "kind: optimistic has no `waiting_room`");
    expect_refused("{kind: optimistic, rate_limit: 1/s}", "kind: optimistic has no `rate_limit`");
    expect_refused("{kind: optimistic, warm_up: 10%}", "kind: optimistic has no `warm_up`");
    expect_refused("{kind: optimistic, abandoned: skip}", "kind: optimistic has no `abandoned`");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_race),   cmocka_unit_test(test_given_up), cmocka_unit_test(test_hang),
        cmocka_unit_test(test_errors), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("optimistic", tests, NULL, NULL);
}
