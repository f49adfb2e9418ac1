/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dependencies of several nodes: dealing, outages of some, probes, scaling. Instants and counts are
 * calculated by hand, mean times by the formulas of M/M/1 and E4/M/1. */
#include "tests/models/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

static void run(struct wld *t, const char *top, const char *clients, const char *dependency)
{
    struct sq_buf yaml = { 0 };
    sq_buf_printf(&yaml, "squall: 1\n%s\nclients: {%s}\ndependencies: {d: {%s}}\n", top, clients,
                  dependency);
    wld_run(t, yaml.text);
    sq_buf_fini(&yaml);
}

static void expect_ends(const struct wld *t, int outcome, const int64_t *ms, size_t count)
{
    sq_time_t at[32];
    assert_int_equal(wld_times(t, MDL_REC_CALL_ENDED, outcome, at, 32), count);
    for (size_t i = 0; i < count; i++) {
        if (at[i] != ms[i] * MS) {
            fail_msg("call %zu ended at %lld ns, not at %lld ms", i, (long long)at[i],
                     (long long)ms[i]);
        }
    }
}

/* One server per node, 100 ms each; calls come every 10 ms, from 0. Least loaded, ties to the
 * first: to 0, 1, 2, then 0 again. */
#define STREAM \
    "c: {arrivals: {kind: regular, rate: 100/s, sources: 1, phase: same}, calls: {d: {}}}"

static void test_least_loaded(void **state)
{
    (void)state;
    static const int64_t ends[] = { 100, 110, 120, 200, 210, 220, 300 };
    struct wld t;
    run(&t, "duration: 65ms\ntail: 10s", STREAM, "nodes: 3, servers: 1, service: 100ms");
    expect_ends(&t, MDL_ERR_OK, ends, 7);
    assert_true(wld_get(&t, "dependency.d.in_flight_max") == 7);
    wld_fini(&t);
}

/* The first two nodes go down at 65 ms, with five calls inside: reset. The third goes on with
 * its two; what comes later, at 70 ms and so on, goes there too. It is never down as a whole. */
static void test_some_down(void **state)
{
    (void)state;
    static const int64_t reset[] = { 65, 65, 65, 65, 65 };
    static const int64_t ok[] = { 120, 220, 320, 420 };
    struct wld t;
    run(&t, "duration: 85ms\ntail: 10s", STREAM,
        "nodes: 3, servers: 1, service: 100ms, outages: [{at: 65ms, for: 1s, nodes: 2}]");
    expect_ends(&t, MDL_ERR_RESET, reset, 5);
    expect_ends(&t, MDL_ERR_OK, ok, 4);
    assert_true(wld_get(&t, "dependency.d.downtime_s") == 0);
    assert_true(wld_get(&t, "dependency.d.refused") == 0);
    wld_fini(&t);
}

/* With none left, calls are refused as by any dependency that is down. */
static void test_all_down(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "duration: 2s", STREAM,
        "nodes: 3, servers: 1, service: 1ms, outages: [{at: 500ms, for: 1s, nodes: 9, answer_in: "
        "3ms}]");
    assert_true(wld_get(&t, "dependency.d.downtime_s") == 1);
    assert_true(wld_get(&t, "dependency.d.refused") == 100);
    sq_time_t at;
    assert_true(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_UNAVAILABLE, &at, 1) == 100);
    assert_true(at == 503 * MS);
    wld_fini(&t);
}

/* A hanging node is found out by nobody; a slow one, and one that fails, only concern their own
 * calls. */
static void test_other_outages(void **state)
{
    (void)state;
    static const struct {
        const char *outage;
        int64_t ends[4];
        double errors;
    } rows[] = {
        { "{at: 0s, for: 400ms, kind: hang, nodes: 1}", { 110, 210, 500, 600 }, 0 },
        { "{at: 0s, for: 15ms, kind: slow, factor: 3, nodes: 1}", { 110, 210, 300, 400 }, 0 },
        { "{at: 0s, for: 400ms, kind: errors, ratio: 100%, nodes: 1}", { 110, 210 }, 2 },
        { "{at: 0s, for: 400ms, kind: brownout, capacity: 50%, nodes: 1}",
          { 100, 110, 200, 210 },
          0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf d = { 0 };
        sq_buf_printf(&d,
                      "nodes: 2, balance: round-robin, servers: 1, service: 100ms, outages: [%s]",
                      rows[i].outage);
        struct wld t;
        run(&t, "duration: 35ms\ntail: 10s", STREAM, d.text);
        expect_ends(&t, MDL_ERR_OK, rows[i].ends, 4 - (size_t)rows[i].errors);
        assert_true(wld_get(&t, "dependency.d.errors") == rows[i].errors);
        wld_fini(&t);
        sq_buf_fini(&d);
    }
}

/* More than two calls inside one node take it down for 1 s, and the rest goes to the other one,
 * which then falls too. Calls come every 10 ms and stay: nodes 0, 1, 0, 1, and the fifth, at 40 ms,
 * is the third of node 0. The next, at 50 ms, is the third of node 1. Both are back 1 s later. */
static void test_cascade(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "duration: 1055ms\ntail: 100s\nhealth: {t1: 0s}", STREAM,
        "nodes: 2, service: 10s, overload: {in_flight: 2, per: node, down_for: 1s, repeat: false}");
    sq_time_t fell[3], back[3];
    assert_int_equal(wld_times(&t, MDL_REC_COLLAPSE, -1, fell, 3), 2);
    assert_int_equal(wld_times(&t, MDL_REC_COLLAPSE_OVER, -1, back, 3), 2);
    assert_true(fell[0] == 40 * MS && fell[1] == 50 * MS);
    assert_true(back[0] == 1040 * MS && back[1] == 1050 * MS);
    assert_true(wld_get(&t, "dependency.d.secondary_outages") == 2);
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_RESET, NULL, 0), 6);
    /* From 60 ms to 1.03 s: 98 calls; the one at 1.04 s finds node 0 back. */
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_UNAVAILABLE, NULL, 0), 98);
    assert_true(fabs(wld_get(&t, "dependency.d.downtime_s") - 0.99) < 1e-9);
    wld_fini(&t);
}

/* 100 calls in a second are not above 100/s. They are above 99/s from the 100th on, at 990 ms, and
 * above 49/s from the 50th on. */
static void test_offered(void **state)
{
    (void)state;
    static const struct {
        const char *limit;
        size_t falls;
        int64_t first_ms;
    } rows[] = { { "100/s", 0, 0 }, { "99/s", 1, 1490 }, { "49/s", 1, 990 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf d = { 0 };
        sq_buf_printf(&d, "service: 1ms, overload: {offered: %s, for: 500ms, down_for: 9s}",
                      rows[i].limit);
        struct wld t;
        run(&t, "duration: 5s", STREAM, d.text);
        sq_time_t at = 0;
        assert_int_equal(wld_times(&t, MDL_REC_COLLAPSE, -1, &at, 1), rows[i].falls);
        assert_true(at == rows[i].first_ms * MS);
        wld_fini(&t);
        sq_buf_fini(&d);
    }
    /* A burst of 60 every 900 ms is above 100/s for 100 ms at a time, which is not 200 ms. */
    struct wld t;
    run(&t, "duration: 20s",
        "c: {arrivals: {kind: bursts, size: 60, every: 900ms}, calls: {d: {}}}",
        "service: 1ms, overload: {offered: 100/s, for: 200ms, down_for: 9s}");
    assert_int_equal(wld_times(&t, MDL_REC_COLLAPSE, -1, NULL, 0), 0);
    wld_fini(&t);
    run(&t, "duration: 20s",
        "c: {arrivals: {kind: bursts, size: 60, every: 900ms}, calls: {d: {}}}",
        "service: 1ms, overload: {offered: 100/s, for: 99ms, down_for: 9s}");
    assert_true(wld_times(&t, MDL_REC_COLLAPSE, -1, NULL, 0) > 0);
    wld_fini(&t);
}

/* Node 0 is down from 500 ms to 10.5 s. Probes at 1, 2, 3 s fail, so it is out from 3 s on; the one
 * at 11 s passes, and `rise` wants two: it is back at 12 s. While it is down but not out it is
 * always the least loaded: all calls from 500 ms to 2.99 s are refused. */
static void test_probe(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "duration: 20s", STREAM,
        "nodes: 2, servers: 1, service: 9ms, outages: [{at: 500ms, for: 10s, nodes: 1}],\n"
        "  probe: {every: 1s, rise: 2}");
    sq_time_t out, in;
    assert_int_equal(wld_times(&t, MDL_REC_NODE_OUT, -1, &out, 1), 1);
    assert_int_equal(wld_times(&t, MDL_REC_NODE_IN, -1, &in, 1), 1);
    assert_true(out == WLD_S(3) && in == WLD_S(12));
    /* At one instant arrivals come before ticks: the call at 3 s is refused too. */
    assert_true(wld_get(&t, "dependency.d.refused") == 251);
    wld_fini(&t);
}

/* It is also out when its oldest waiting call has waited too long, and in when that is over. */
static void test_probe_waiting(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "duration: 30s", "c: {arrivals: {kind: cohort, count: 10}, calls: {d: {}}}",
        "servers: 1, service: 1s, probe: {every: 2s, timeout: 3s, fall: 2}");
    sq_time_t out, in;
    assert_int_equal(wld_times(&t, MDL_REC_NODE_OUT, -1, &out, 1), 1);
    assert_int_equal(wld_times(&t, MDL_REC_NODE_IN, -1, &in, 1), 1);
    assert_true(out == WLD_S(6)); /* 4 s and 6 s, both above 3 s */
    assert_true(in == WLD_S(10)); /* until 9 s one waits */
    wld_fini(&t);
}

/* From one node to three at 1 s, ready 2 s later, and back at 10 s, when those made last take no
 * new calls but end what they have. */
static void test_set(void **state)
{
    (void)state;
    struct wld t;
    run(&t,
        "duration: 20s\nactions: [{at: 1s, set: {dependencies.d.nodes: 3}},\n"
        "  {at: 10s, set: {dependencies.d.nodes: 1}}]",
        "c: {arrivals: {kind: cohort, count: 9, at: 9900ms}, calls: {d: {}}}",
        "servers: 1, service: 1s, start_up: 2s");
    const struct wld_rec *r = wld_rec_at(&t, MDL_REC_REPLICA_READY, 1);
    assert_non_null(r);
    assert_true(r->at == WLD_S(3));
    static const int64_t ends[] = { 10900, 10900, 10900, 11900, 11900, 11900, 12900, 12900, 12900 };
    expect_ends(&t, MDL_ERR_OK, ends, 9);
    sq_time_t gone[2];
    assert_int_equal(wld_times(&t, MDL_REC_REPLICA_GONE, -1, gone, 2), 2);
    assert_true(gone[0] == 12900 * MS && gone[1] == 12900 * MS);
    assert_true(t.w.dependencies[0].existing.now == 1);
    /* In force: 3 servers from 3 s to 12.9 s, else 1. */
    double force = (3 * 9.9 + 1 * 10.1) / 20;
    assert_true(fabs(wld_get(&t, "dependency.d.utilisation") - 9 / (20 * force)) < 1e-9);
    wld_fini(&t);
}

/* 45 calls, of which one is in service: at the first look, at 15 s, 44 wait, and 10 per node want
 * five nodes. They are ready 5 s later, and take what comes then. At 30 s, 40 that came at 20 s
 * have been taken by the four new ones: 36 of them wait, 80 in all, so eight nodes. */
static void test_autoscaler(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "duration: 31s",
        "a: {arrivals: {kind: cohort, count: 45}, calls: {d: {}}},\n"
        "  b: {arrivals: {kind: cohort, count: 40, at: 21s}, calls: {d: {}}}",
        "servers: 1, service: 1000s, start_up: 5s, autoscaler: {kind: hpa, max: 50, target: 10}");
    const struct wld_rec *first = wld_rec_at(&t, MDL_REC_WANTED, 0);
    const struct wld_rec *second = wld_rec_at(&t, MDL_REC_WANTED, 1);
    assert_true(first != NULL && second != NULL);
    assert_true(first->at == WLD_S(15) && first->r.value == 5);
    assert_true(second->at == WLD_S(30) && second->r.value == 8);
    const struct wld_rec *ready = wld_rec_at(&t, MDL_REC_REPLICA_READY, 3);
    assert_true(ready != NULL && ready->at == WLD_S(20));
    for (uint32_t i = 1; i < 5; i++) {
        assert_true(mdl_room_in_flight(&t.w.dependencies[0].nodes[i]->room) == 10);
    }
    wld_fini(&t);
    /* Half busy at a target of 25 %: twice as many at the first look. */
    run(&t, "duration: 20s", "a: {arrivals: {kind: cohort, count: 5}, calls: {d: {}}}",
        "servers: 10, service: 1000s, start_up: 5s,\n"
        "  autoscaler: {kind: hpa, max: 50, metric: utilisation, target: 25%}");
    first = wld_rec_at(&t, MDL_REC_WANTED, 0);
    assert_true(first != NULL && first->at == WLD_S(15) && first->r.value == 2);
    wld_fini(&t);
}

/* A new node warms up: of ten servers one is in force at first. */
static void test_new_node_warms(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "duration: 20s\nactions: [{at: 0s, set: {dependencies.d.nodes: 2}}]",
        "c: {arrivals: {kind: cohort, count: 40, at: 5s}, calls: {d: {}}}",
        "servers: 10, service: 1s, start_up: 5s, warm_up: {from: 10%, over: 100s}");
    /* The cohort comes before the tick that makes the node ready: all go to the first one, in four
     * rounds. */
    sq_time_t at[40];
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_OK, at, 40), 40);
    assert_true(at[39] == WLD_S(9));
    wld_fini(&t);
    run(&t, "duration: 20s\nactions: [{at: 0s, set: {dependencies.d.nodes: 2}}]",
        "c: {arrivals: {kind: cohort, count: 20, at: 6s}, calls: {d: {}}}",
        "servers: 10, service: 1s, start_up: 5s, warm_up: {from: 10%, over: 900s}");
    /* Ten go to each. The new one has one server until 6 s, and then ceil(0.101 * 10) = 2. */
    assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_OK, at, 20), 20);
    assert_true(at[9] == WLD_S(7) && at[11] == WLD_S(7) && at[12] == WLD_S(8));
    wld_fini(&t);
}

/* Nodes that are dealt to at random are M/M/1 each; in turn, E4/M/1, whose calls wait less; to the
 * least loaded, less again. */
static void test_formulas(void **state)
{
    (void)state;
    const double mu = 10, each = 7;
    double sigma = 0.5;
    for (int i = 0; i < 200; i++) {
        sigma = pow(4 * each / (4 * each + mu * (1 - sigma)), 4);
    }
    const char *const balance[] = { "random", "round-robin", "least-loaded" };
    double mean[3];
    for (size_t i = 0; i < 3; i++) {
        struct sq_buf d = { 0 };
        sq_buf_printf(
            &d, "nodes: 4, balance: %s, servers: 1, service: {kind: exponential, mean: 100ms}",
            balance[i]);
        struct wld t;
        run(&t, "duration: 10000s\nmeasure_from: 100s\ntimeline: 100s",
            "c: {arrivals: 28/s, calls: {d: {}}}", d.text);
        mean[i] = wld_get(&t, "dependency.d.latency_mean_s");
        assert_true(fabs(wld_get(&t, "dependency.d.utilisation") - 0.7) < 0.01);
        wld_fini(&t);
        sq_buf_fini(&d);
    }
    assert_true(fabs(mean[0] * (mu - each) - 1) < 0.03);
    assert_true(fabs(mean[1] * mu * (1 - sigma) - 1) < 0.03);
    assert_true(mean[2] < 0.9 * mean[1]);
}

/* One node with n times the servers is the same as n nodes that nothing waits for. */
static void test_one_or_many(void **state)
{
    (void)state;
    struct wld a, b;
    run(&a, "duration: 100s", "c: {arrivals: 20/s, calls: {d: {}}}", "servers: 300, service: 1s");
    run(&b, "duration: 100s", "c: {arrivals: 20/s, calls: {d: {}}}",
        "nodes: 3, servers: 100, service: 1s");
    assert_true(wld_hash(&a) == wld_hash(&b));
    wld_same_metrics(&a, &b, (const char *const[]){ "forecast", NULL });
    wld_fini(&a);
    wld_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_loaded),
        cmocka_unit_test(test_some_down),
        cmocka_unit_test(test_all_down),
        cmocka_unit_test(test_other_outages),
        cmocka_unit_test(test_cascade),
        cmocka_unit_test(test_offered),
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_probe_waiting),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_autoscaler),
        cmocka_unit_test(test_new_node_warms),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_one_or_many),
    };
    return cmocka_run_group_tests_name("nodes", tests, NULL, NULL);
}
