/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_gate_budget.c - retry budgets in a world: who asks, what it costs, what becomes of a retry
 * that may not go. */
#include "tests/models/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* A metric of a world; @@ in its text stands for what is inserted. */
static double get(const char *metric, const char *yaml, const char *insert)
{
    char text[1200];
    const char *at = strstr(yaml, "@@");
    (void)snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - yaml), yaml, insert, at + 2);
    struct wld t;
    wld_run(&t, text);
    double value = wld_get(&t, metric);
    wld_fini(&t);
    return value;
}

/* Everything fails, and a budget of 20 % is spent: 1/(1-r) calls per first call where it is a share
 * of calls, 1+r of first calls, 1 of successes; in a job layer as in a call layer. */
static void amplification_of_a_spent_budget(void **state)
{
    (void)state;
    static const char *const layers[] = {
        "squall: 1\nduration: 5m\n"
        "clients: {c: {arrivals: {kind: regular, rate: 500/s}, calls: {d: {retry: {backoff: none,\n"
        "  max_attempts: 9, jitter: none}}}}}\n"
        "dependencies: {d: {service: 1ms, errors: {error: 100%}}}\n"
        "controls: {d: {budget: {ratio: 20%, floor: 0, @@}}}\n",
        "squall: 1\nduration: 5m\n"
        "producers: {p: {queue: q, arrivals: {kind: regular, rate: 500/s}}}\nqueues: {q: {}}\n"
        "workers: {w: {queue: q, slots: 50, calls: {d: {}}, retry: {max_attempts: 9,\n"
        "  backoff: 100ms, jitter: full}}}\n"
        "dependencies: {d: {service: 1ms, errors: {error: 100%}}}\n"
        "controls: {d: {budget: {ratio: 20%, floor: 0, @@}}}\n",
    };
    static const struct {
        const char *of;
        double bound;
    } rows[] = { { "of: calls", 1.25 }, { "of: first", 1.2 }, { "of: successes", 1 } };
    for (size_t k = 0; k < SQ_COUNT(layers); k++) {
        for (size_t i = 0; i < SQ_COUNT(rows); i++) {
            double a = get("dependency.d.amplification", layers[k], rows[i].of);
            if (fabs(a - rows[i].bound) > 2e-4) {
                fail_msg("layer %zu, %s: %g, expected %g", k, rows[i].of, a, rows[i].bound);
            }
        }
    }
}

/* 100 jobs fail at 1 s; ten retries may go. */
#define HERD(budget)                                                             \
    "squall: 1\nduration: 1h\n"                                                  \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: 100, at: 1s}}}\n" \
    "queues: {q: {}}\nworkers: {w: {queue: q, slots: 100, calls: {d: {}},\n"     \
    "  retry: {max_attempts: 5, backoff: 1s, jitter: none}}}\n"                  \
    "dependencies: {d: {service: 1ms, outages: [{at: 0s, for: 1500ms}]}}\n"      \
    "controls: {d: {budget: {ratio: 0%, floor: 10, window: 1m, " budget "}}}\n"

static void beyond_the_budget(void **state)
{
    (void)state;
    struct {
        const char *yaml;
        double completed, dead, last_s;
    } rows[] = {
        { HERD("beyond: fail"), 10, 90, 2.003 },
        { HERD("beyond: dead-letter"), 10, 90, 2.003 },
        /* parked ones come again without asking, and all is well then */
        { HERD("beyond: {kind: park, delay: 5m}"), 100, 0, 301.003 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        wld_run(&t, rows[i].yaml);
        assert_true(wld_get(&t, "jobs.completed") == rows[i].completed);
        assert_true(wld_get(&t, "jobs.dead_lettered") == rows[i].dead);
        assert_true(wld_get(&t, "control.d.budget_denied") == 90);
        assert_true(wld_get(&t, "dependency.d.calls_retry") == rows[i].completed);
        assert_true(fabs(wld_get(&t, "producer.p.delay_max_s") - (rows[i].last_s - 1)) < 0.002);
        wld_fini(&t);
    }
}

/* Two places at a time, held from the failure to the answer: through the delay of 10 s, and given
 * back when the job goes stale instead. */
static void places_are_held(void **state)
{
    (void)state;
    static const char text[] =
        "squall: 1\nduration: 10m\n"
        "producers: {p: {queue: q, deadline: @@,\n"
        "  arrivals: {kind: regular, rate: 1/s, phase: same}}}\n"
        "queues: {q: {}}\nworkers: {w: {queue: q, slots: 100, calls: {d: {}},\n"
        "  retry: {max_attempts: 2, backoff: 10s, jitter: none}}}\n"
        "dependencies: {d: {service: 1ms, errors: {error: 100%}}}\n"
        "controls: {d: {budget: {kind: concurrent, ratio: 0%, floor: 2}}}\n";
    /* Those of jobs 0 and 1 are held until 10.002 and 11.002 s, so jobs 11 and 12 have the next
     * ones, and so on: two in eleven. */
    double calls = get("dependency.d.calls_retry", text, "none");
    assert_true(calls >= 2 * 53 && calls <= 2 * 55);
    double denied = get("control.d.budget_denied", text, "none");
    double arrived = get("jobs.arrived", text, "none");
    assert_true(calls + denied <= arrived && calls + denied >= arrived - 2);
    /* With a deadline of 5 s no retry is made, and every place comes back all the same. */
    assert_true(get("dependency.d.calls_retry", text, "5s") == 0);
    assert_true(get("jobs.stale", text, "5s") >= 2 * 53);
}

/* gRPC: 10 tokens, of which failures cost one. Five jobs fail together: four leave more than half.
 */
static void tokens_at_failure_and_at_send(void **state)
{
    (void)state;
    static const char text[] =
        "squall: 1\nduration: 60s\n"
        "clients:\n"
        "  c: {arrivals: {kind: cohort, count: 5, at: 1s}, calls: {d: {only: [c], retry: {\n"
        "    max_attempts: 2, backoff: 10s, jitter: none}}}}\n"
        "  e: {arrivals: {kind: cohort, count: @@, at: 5s}, calls: {d: {}}}\n"
        "dependencies: {d: {service: 1ms, outages: [{at: 0s, for: 2s}]}}\n"
        "controls: {d: {budget: grpc}}\n";
    static const char later[] =
        "squall: 1\nduration: 60s\n"
        "clients:\n"
        "  c: {arrivals: {kind: cohort, count: 5, at: 1s}, calls: {d: {only: [c], retry: {\n"
        "    max_attempts: 2, backoff: 10s, jitter: none}}}}\n"
        "  e: {arrivals: {kind: cohort, count: @@, at: 5s}, calls: {d: {}}}\n"
        "dependencies: {d: {service: 1ms, outages: [{at: 0s, for: 2s}]}}\n"
        "controls: {d: {budget: grpc-js}}\n";
    assert_true(get("dependency.d.calls_retry", text, "1") == 4);
    assert_true(get("control.d.budget_denied", text, "1") == 1);
    /* Asked when the delay is over, after one success of another job: 5.1 tokens, all five go. */
    assert_true(get("dependency.d.calls_retry", later, "1") == 5);
    assert_true(get("control.d.budget_denied", later, "1") == 0);
}

/* AWS: what a retry costs comes back when it succeeds, and a first success brings one. */
static void tokens_come_back(void **state)
{
    (void)state;
    static const char text[] =
        "squall: 1\nduration: 5m\n"
        "producers: {p: {queue: q, work: 970ms,\n"
        "  arrivals: {kind: regular, rate: 1/s, phase: same}}}\n"
        "queues: {q: {}}\nworkers: {w: {queue: q, slots: 9, calls: {d: {}},\n"
        "  retry: {max_attempts: 2, backoff: 100ms, jitter: none}}}\n"
        "dependencies: {d: {service: 1ms, outages: [{every: 960ms, for: 40ms}]}}\n"
        "controls: {d: {budget: {preset: aws-standard, max: 10@@}}}\n";
    /* Every first try fails, every retry succeeds a second later: tokens for two are enough. */
    assert_true(get("control.d.budget_denied", text, "") == 0);
    assert_true(get("control.d.budget_denied", text, ", refund: none, per_success: 0") >= 290);
}

/* What never left is no retry, and a deferred retry is still the same one: nobody asks twice. */
static void deferrals_do_not_ask(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 10m\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: 20, at: 1s}}}\n"
                "queues: {q: {}}\nworkers: {w: {queue: q, slots: 50, calls: {d: {}},\n"
                "  retry: {max_attempts: 2, backoff: 1s, jitter: none}}}\n"
                "dependencies: {d: {service: 100ms, errors: {error: 100%}}}\n"
                "controls: {d: {concurrency: 1, throttled: {kind: defer, delay: 1s},\n"
                "  budget: {kind: tokens, max: 20, cost: 1, per_success: 0, refund: none}}}\n");
    assert_true(wld_get(&t, "control.d.deferred") > 100);
    assert_true(wld_get(&t, "dependency.d.calls_retry") == 20);
    assert_true(wld_get(&t, "control.d.budget_denied") == 0);
    assert_true(wld_get(&t, "jobs.dead_lettered") == 20);
    wld_fini(&t);
}

/* One budget per client process: ten of them have ten floors. */
static void one_per_process(void **state)
{
    (void)state;
    static const char text[] =
        "squall: 1\nduration: 30s\n"
        "clients: {c: {replicas: 10, arrivals: {kind: cohort, count: 1000, at: 1s},\n"
        "  calls: {d: {retry: {max_attempts: 2, backoff: none, jitter: none}}}}}\n"
        "dependencies: {d: {service: 1ms, errors: {error: 100%}}}\n"
        "controls: {d: {budget: {ratio: 0%, floor: 10, scope: @@}}}\n";
    assert_true(get("dependency.d.calls_retry", text, "fleet") == 10);
    assert_true(get("dependency.d.calls_retry", text, "caller") == 10);
    assert_true(get("dependency.d.calls_retry", text, "replica") == 100);
}

/* It stands before one caller only: the other neither asks nor pays. */
static void only_one_caller(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 30s\n"
                "clients:\n"
                "  a: {arrivals: {kind: cohort, count: 100, at: 1s},\n"
                "    calls: {d: {retry: {max_attempts: 2, backoff: none, jitter: none}}}}\n"
                "  b: {arrivals: {kind: cohort, count: 100, at: 2s},\n"
                "    calls: {d: {retry: {max_attempts: 2, backoff: none, jitter: none}}}}\n"
                "dependencies: {d: {service: 1ms, errors: {error: 100%}}}\n"
                "controls: {d: {only: [a], budget: {ratio: 0%, floor: 10}}}\n");
    assert_true(wld_get(&t, "dependency.d.calls_retry") == 10 + 100);
    assert_true(wld_get(&t, "control.d.budget_denied") == 90);
    wld_fini(&t);
}

/* sre judges first calls too; they fail where they are, and no budget_denied is counted. */
static void sre_turns_first_calls_away(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 10m\n"
                "clients: {c: {arrivals: 100/s, calls: {d: {}}}}\n"
                "dependencies: {d: {service: 1ms, outages: [{at: 5m, for: 5m}]}}\n"
                "controls: {d: {throttled: fail, budget: sre}}\n");
    /* Nothing is turned away while half is accepted: the window of 2m is worked down to that after
     * 1m; from 7m on the share is n/(n+1). */
    double rejected = wld_get(&t, "control.d.rejected");
    assert_true(rejected > 0.7 * 24000 && rejected < 24000);
    assert_true(wld_get(&t, "control.d.budget_denied") == 0);
    assert_true(wld_get(&t, "dependency.d.calls") == wld_get(&t, "jobs.arrived") - rejected);
    sq_time_t first;
    assert_true(wld_times(&t, MDL_REC_DENIED, 1, &first, 1) == (size_t)rejected);
    assert_true(first > WLD_S(345) && first < WLD_S(375));
    wld_fini(&t);
}

/* An operator stops retries, and lets them go again. */
static void set_by_hand(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 60s\n"
                "clients: {c: {arrivals: {kind: regular, rate: 1/s, phase: same},\n"
                "  calls: {d: {retry: {max_attempts: 2, backoff: none, jitter: none}}}}}\n"
                "dependencies: {d: {service: 1ms, errors: {error: 100%}}}\n"
                "controls: {d: {budget: {ratio: 100%, floor: 0}}}\n"
                "actions:\n"
                "  - {at: 19500ms, set: {controls.d.budget.ratio: 0%}}\n"
                "  - {at: 39500ms, set: {controls.d.budget.ratio: 100%}}\n");
    assert_true(wld_get(&t, "control.d.budget_denied") == 20);
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amplification_of_a_spent_budget),
        cmocka_unit_test(beyond_the_budget),
        cmocka_unit_test(places_are_held),
        cmocka_unit_test(tokens_at_failure_and_at_send),
        cmocka_unit_test(tokens_come_back),
        cmocka_unit_test(deferrals_do_not_ask),
        cmocka_unit_test(one_per_process),
        cmocka_unit_test(only_one_caller),
        cmocka_unit_test(sre_turns_first_calls_away),
        cmocka_unit_test(set_by_hand),
    };
    return cmocka_run_group_tests_name("gate-budget", tests, NULL, NULL);
}
