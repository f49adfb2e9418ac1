/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_refusal_cost.c - saying no takes a server: by hand, and against the closed form of what is
 * left for calls that are served. */
#include "tests/models/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* One server of 100 ms, no waiting room. A comes at 1 s; B and C are refused and cost 30 ms each,
 * which is paid from 1.1 s, when A is served, to 1.16 s. So D at 1.11 s is refused too, and E a
 * moment before D's part is paid at 1.19 s; E's is paid at 1.22 s, and F comes at that instant. */
static void by_hand(void **state)
{
    (void)state;
    static const struct {
        int ms;
        bool served;
    } calls[] = { { 1000, true },  { 1010, false }, { 1020, false },
                  { 1110, false }, { 1189, false }, { 1220, true } };
    char yaml[2000];
    int len = snprintf(yaml, sizeof(yaml), "squall: 1\nduration: 10s\nclients:\n");
    for (size_t i = 0; i < SQ_COUNT(calls); i++) {
        len +=
            snprintf(yaml + len, sizeof(yaml) - (size_t)len,
                     "  c%zu: {arrivals: {kind: cohort, count: 1, at: %dms}, calls: {api: {}}}\n",
                     i, calls[i].ms);
    }
    (void)snprintf(yaml + len, sizeof(yaml) - (size_t)len,
                   "dependencies: {api: {servers: 1, waiting_room: 0, service: 100ms, answer_in: "
                   "1ms, refusal_cost: 30ms}}\n");
    struct wld t;
    wld_run(&t, yaml);
    for (size_t i = 0; i < SQ_COUNT(calls); i++) {
        char metric[40];
        (void)snprintf(metric, sizeof(metric), "client.c%zu.completed", i);
        if (!(wld_get(&t, metric) == (calls[i].served ? 1 : 0))) {
            fail_msg("call %zu", i);
        }
    }
    /* 2 x 100 ms of service, 4 x 30 ms of refusals, of 10 s */
    assert_true(fabs(wld_get(&t, "dependency.api.utilisation") - 0.032) < 1e-9);
    wld_fini(&t);
}

/* Accepted = (C - r offered) / (1 - r), with r the cost of a refusal in services: none at C / r. */
static void closed_form(void **state)
{
    (void)state;
    static const struct {
        double offered, cost_ms;
    } rows[] = { { 150, 1 }, { 150, 10 }, { 200, 20 }, { 300, 10 }, { 300, 25 }, { 600, 10 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char yaml[600];
        struct wld t;
        (void)snprintf(
            yaml, sizeof(yaml),
            "squall: 1\nduration: 220s\nmeasure_from: 20s\n"
            "clients: {c: {arrivals: %g/s, calls: {api: {}}}}\n"
            "dependencies: {api: {servers: 10, waiting_room: 40, service: {kind: "
            "exponential, mean: 100ms}, refusal_cost: {kind: exponential, mean: %gms}}}\n",
            rows[i].offered, rows[i].cost_ms);
        wld_run(&t, yaml);
        double r = rows[i].cost_ms / 100, rate = wld_get(&t, "dependency.api.calls") / 200;
        double want = (100 - r * rate) / (1 - r);
        double got = wld_get(&t, "dependency.api.goodput") / 200;
        if (fabs(got - want) > 0.02 * want + 1) {
            fail_msg("%g/s, %g ms: %g/s are served, not %g/s", rows[i].offered, rows[i].cost_ms,
                     got, want);
        }
        wld_fini(&t);
    }
}

/* A limit at the server costs as well; nothing is owed any more after an outage. */
static void limits_and_outages(void **state)
{
    (void)state;
    struct wld t;
    wld_run(
        &t,
        "squall: 1\nduration: 100s\n"
        "clients: {c: {arrivals: {kind: regular, rate: 100/s, phase: same}, calls: {api: {}}}}\n"
        "dependencies: {api: {servers: 1, service: 0s, rate_limit: {rate: 1/h, burst: 1}, "
        "refusal_cost: 5ms, outages: [{at: 50s, for: 10s}]}}\n");
    /* 100 refusals of 5 ms each second, but in the outage */
    double busy = wld_get(&t, "dependency.api.utilisation");
    assert_true(fabs(busy - 0.5) < 0.001);
    wld_fini(&t);
    wld_run(&t,
            "squall: 1\nduration: 100s\n"
            "producers: {p: {queue: q, arrivals: {kind: cohort, count: 50, at: 1s}}, r: {queue: q, "
            "arrivals: {kind: cohort, count: 1, at: 5s}}}\n"
            "queues: {q: {}}\nworkers: {w: {queue: q, slots: 60, calls: {api: {}}}}\n"
            "dependencies: {api: {servers: 1, waiting_room: 0, service: 1ms, refusal_cost: 1s, "
            "outages: [{at: 3s, for: 1s}]}}\n");
    assert_true(wld_get(&t, "producer.r.completed") == 1); /* 49 s were owed before */
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(closed_form),
        cmocka_unit_test(limits_and_outages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
