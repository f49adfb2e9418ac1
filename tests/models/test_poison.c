/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_poison.c - jobs that can never succeed: how many, which, and what they cost. */
#include "tests/models/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Three poison jobs: one call each, or as many as there are attempts for a layer that retries
 * everything. */
static void test_every_call_fails(void **state)
{
    (void)state;
    static const struct {
        const char *retry;
        double calls;
    } cases[] = {
        { "{max_attempts: 4, backoff: 1s}", 3 },
        { "{max_attempts: 4, backoff: 1s, retry_on: everything}", 12 },
        { "{max_attempts: 4, backoff: 1s, retry_on: [permanent]}", 12 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[512];
        snprintf(text, sizeof(text),
                 "squall: 1\nduration: 1m\n"
                 "producers: {p: {queue: q, arrivals: 3, permanent: 100%%}}\n"
                 "queues: {q: {}}\n"
                 "workers: {w: {queue: q, calls: {d: {}}, retry: %s}}\n"
                 "dependencies: {d: {service: 10ms}}\n",
                 cases[i].retry);
        struct wld t;
        wld_run(&t, text);
        assert_true(wld_get(&t, "dependency.d.calls") == cases[i].calls);
        assert_true(wld_get(&t, "dependency.d.errors") == cases[i].calls);
        assert_true(wld_get(&t, "dependency.d.goodput") == 0);
        assert_true(wld_get(&t, "jobs.dead_lettered") == 3);
        wld_fini(&t);
    }
}

static double poison_of(const char *retry)
{
    char text[512];
    snprintf(text, sizeof(text),
             "squall: 1\nduration: 1000s\ntail: 1m\n"
             "clients: {c: {arrivals: {kind: regular, rate: 20/s}, permanent: 10%%,\n"
             "  calls: {d: {}}, retry: %s}}\n"
             "dependencies: {d: {service: 10ms, errors: {error: 20%%}}}\n",
             retry);
    struct wld t;
    wld_run(&t, text);
    double dropped = wld_get(&t, "jobs.dropped");
    assert_true(wld_get(&t, "jobs.arrived") == 20000);
    wld_fini(&t);
    return dropped;
}

/* 20,000 jobs, a tenth of them poison: 2,000 with a standard deviation of sqrt(20000 x 0.1 x 0.9) =
 * 42.4. Other failures are all overcome, so those given up are the poison, and whichever the
 * policy, the same ones. */
static void test_share(void **state)
{
    (void)state;
    double first = poison_of("{max_attempts: unlimited, backoff: 100ms}");
    assert_true(first > 2000 - 4 * 42.4 && first < 2000 + 4 * 42.4);
    assert_true(poison_of("{max_attempts: unlimited, backoff: none, jitter: none}") == first);
}

/* Five jobs wait in one second of service each when the share becomes 100 %: they came before. */
static void test_set(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 20s\ntail: 1m\n"
                "clients: {c: {arrivals: {kind: regular, rate: 0.5/s, phase: same}, backlog: 5,\n"
                "  calls: {d: {}}}}\n"
                "dependencies: {d: {servers: 1, service: 1s}}\n"
                "actions: [{at: 1s, set: {clients.c.permanent: 100%}},\n"
                "          {at: 9s, set: {clients.c.permanent: 0%}}]\n");
    /* Arrivals at 0, 2, 4, 6, 8 ... 18 s: those from 2 to 8 s are poison. */
    assert_true(wld_get(&t, "jobs.arrived") == 15);
    assert_true(wld_get(&t, "jobs.dropped") == 4);
    assert_true(wld_get(&t, "jobs.completed") == 11);
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call_fails),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
