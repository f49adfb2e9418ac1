/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Caches in front of dependencies, and slow capacities, against closed forms: the curve of a cold
 * cache h = H (1 - exp(-n / tau)), M/M/c/K, the universal scalability law. */
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

static double hit_ratio(const struct wld *t)
{
    return t->w.dependencies[0].cfg->cache->now;
}

struct point {
    size_t misses; /* waited for, before the 1000 calls in which hits are counted */
    double share;
};

/* A hit takes 5 ms and a miss 105 ms: the records say which was which. The share of hits after n
 * misses that were waited for is that of the curve, step by step, and of the 1000 calls around it
 * about that share were hits. */
static void follow(double fill, const struct point *curve, size_t count)
{
    struct wld t;
    struct sq_buf d = { 0 };
    sq_buf_printf(&d, "service: 105ms, cache: {hit: 90%%, now: 0%%, fill: %.0f, answer_in: 5ms}",
                  fill);
    run(&t, "duration: 1000s\ntimeline: 10s",
        "c: {arrivals: {kind: regular, rate: 100/s}, calls: {d: {}}}", d.text);
    size_t misses = 0, step = 0, hits = 0, calls = 0;
    for (size_t i = 0; i < t.rec_count; i++) {
        const struct mdl_rec *r = &t.recs[i].r;
        if (r->kind != MDL_REC_CALL_ENDED) {
            continue;
        }
        assert_true(r->value == 5 * MS || r->value == 105 * MS);
        bool hit = r->value == 5 * MS;
        misses += hit ? 0 : 1;
        if (step < count && misses >= curve[step].misses) {
            calls++;
            hits += hit ? 1 : 0;
        }
        if (calls == 1000) {
            assert_true(fabs((double)hits / 1000 - curve[step].share) < 0.06);
            calls = hits = 0;
            step++;
        }
    }
    assert_int_equal(step, count);
    double whole = 0.9 * (1 - pow(1 - 1 / fill, (double)misses));
    assert_true(fabs(hit_ratio(&t) - whole) < 1e-9);
    for (size_t i = 0; i < count; i++) {
        double h = 0.9 * (1 - pow(1 - 1 / fill, (double)curve[i].misses));
        assert_true(fabs(h - curve[i].share) < 0.3 / fill); /* steps of one, a smooth curve */
    }
    wld_fini(&t);
    sq_buf_fini(&d);
}

/* The curve depends on n / fill alone: its far end is reached with a cache a tenth as slow. */
static void test_cold(void **state)
{
    (void)state;
    static const struct point near[] = {
        { 1000, 0.085646 }, { 5000, 0.354122 }, { 10000, 0.568909 }, { 20000, 0.778198 }
    };
    static const struct point far[] = { { 0, 0 }, { 5000, 0.893936 }, { 10000, 0.899959 } };
    follow(10000, near, SQ_COUNT(near));
    follow(1000, far + 1, 2);
    follow(1e6, far, 1);
}

/* Misses that nobody waits for fill nothing: with a service above the timeout it stays as cold as
 * the outage left it, and the servers stay busy. */
static void test_awaited_only(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "duration: 60s", "c: {arrivals: 50/s, calls: {d: {timeout: 100ms}}}",
        "service: 200ms, cache: {hit: 90%, fill: 100}, outages: [{at: 10s, for: 5s}]");
    assert_true(hit_ratio(&t) == 0);
    assert_true(wld_get(&t, "dependency.d.wasted") > 0.95 * 50 * 45);
    wld_fini(&t);
}

/* It is as a return leaves it, whichever kind of outage it was; an outage of some nodes is none. */
static void test_return(void **state)
{
    (void)state;
    static const struct {
        const char *outage;
        double share;
    } rows[] = {
        { "{at: 5s, for: 1s}", 0.25 },
        { "{at: 5s, for: 1s, kind: hang}", 0.25 },
        { "{at: 5s, for: 1s, kind: slow, factor: 2}", 0.5 },
        { "{at: 5s, for: 1s, nodes: 1}", 0.5 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf d = { 0 };
        sq_buf_printf(&d,
                      "nodes: 2, service: 1ms, outages: [%s],\n"
                      "  cache: {hit: 50%%, fill: 1000000000, after_return: 25%%}",
                      rows[i].outage);
        struct wld t;
        run(&t, "duration: 10s", "c: {arrivals: 10/s, calls: {d: {}}}", d.text);
        assert_true(fabs(hit_ratio(&t) - rows[i].share) < 1e-6);
        wld_fini(&t);
        sq_buf_fini(&d);
    }
}

/* An operator may set the state and the ceiling. */
static void test_set(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "duration: 10s\nactions: [{at: 5s, set: {dependencies.d.cache.now: 30%}}]",
        "c: {arrivals: {kind: regular, rate: 100/s}, calls: {d: {}}}",
        "service: 10ms, cache: {hit: 100%, fill: 1000000000}");
    sq_time_t first = 0;
    for (size_t i = 0; i < t.rec_count && first == 0; i++) {
        const struct mdl_rec *r = &t.recs[i].r;
        first = r->kind == MDL_REC_CALL_ENDED && r->value == 10 * MS ? t.recs[i].at : 0;
    }
    assert_true(first > WLD_S(5) && first < WLD_S(5.2));
    assert_true(fabs(hit_ratio(&t) - 0.3) < 1e-6);
    wld_fini(&t);
}

/* Hits need no server: with all calls hits, one server is never busy. */
static void test_no_server(void **state)
{
    (void)state;
    struct wld t;
    run(&t, "duration: 10s", "c: {arrivals: 100/s, calls: {d: {}}}",
        "servers: 1, waiting_room: 0, service: 10s, cache: {hit: 100%, fill: 1, answer_in: 2ms}");
    assert_true(wld_get(&t, "dependency.d.utilisation") == 0);
    assert_true(wld_get(&t, "dependency.d.refused") == 0);
    assert_true(fabs(wld_get(&t, "dependency.d.latency_mean_s") - 0.002) < 1e-12);
    wld_fini(&t);
}

/* Check values of M/M/c/K: blocked share, mean number inside, throughput, mean time, utilisation.
 */
static void test_mmck(void **state)
{
    (void)state;
    static const struct {
        int rate, servers, places;
        double blocked, inside, through, time, busy;
    } rows[] = {
        { 8, 1, 5, 0.0888195, 1.868332, 7.289444, 0.256307, 0.728944 },
        { 10, 1, 5, 0.16666667, 2.5, 8.333333, 0.3, 0.833333 },
        { 20, 1, 5, 0.50793651, 4.095238, 9.84127, 0.416129, 0.984127 },
        { 300, 40, 40, 0.01440901, 29.56773, 295.677296, 0.1, 0.739193 },
        { 390, 40, 40, 0.10279828, 34.990867, 349.908672, 0.1, 0.874772 },
        { 390, 40, 140, 0.00174278, 63.607007, 389.320315, 0.16338, 0.973301 },
        { 400, 40, 140, 0.00920733, 86.128726, 396.317068, 0.217323, 0.990793 },
        { 800, 40, 140, 0.5, 139.0, 400.0, 0.3475, 1.0 },
        { 1600, 40, 140, 0.75, 139.666667, 400.0, 0.349167, 1.0 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf top = { 0 }, c = { 0 }, d = { 0 };
        sq_buf_printf(&top, "duration: %ds\nmeasure_from: 20s\ntimeline: 10s",
                      20 + 200000 / rows[i].rate);
        sq_buf_printf(&c, "c: {arrivals: %d/s, calls: {d: {}}}", rows[i].rate);
        sq_buf_printf(&d,
                      "servers: %d, waiting_room: %d, service: {kind: exponential, mean: 100ms}",
                      rows[i].servers, rows[i].places - rows[i].servers);
        struct wld t;
        run(&t, top.text, c.text, d.text);
        double span = 200000 / rows[i].rate;
        double calls = wld_get(&t, "dependency.d.calls");
        double blocked = wld_get(&t, "dependency.d.refused") / calls;
        double tolerance = 0.03;
        assert_true(fabs(blocked - rows[i].blocked) < 0.002 + tolerance * rows[i].blocked);
        assert_true(fabs(wld_get(&t, "dependency.d.in_flight_mean") / rows[i].inside - 1) <
                    tolerance);
        assert_true(fabs(wld_get(&t, "dependency.d.goodput") / span / rows[i].through - 1) <
                    tolerance);
        assert_true(fabs(wld_get(&t, "dependency.d.latency_mean_s") / rows[i].time - 1) <
                    tolerance);
        assert_true(fabs(wld_get(&t, "dependency.d.utilisation") - rows[i].busy) < 0.01);
        wld_fini(&t);
        sq_buf_fini(&top);
        sq_buf_fini(&c);
        sq_buf_fini(&d);
    }
}

/* N callers without thinking: throughput is X(N) = 20 N / (1 + 0.02 (N-1) + 0.0005 N (N-1)). */
static void test_usl(void **state)
{
    (void)state;
    static const struct {
        int callers;
        double rate;
    } rows[] = { { 1, 20.0 },      { 2, 39.1773 },    { 5, 91.7431 },   { 10, 163.2653 },
                 { 20, 254.7771 }, { 40, 312.5 },     { 44, 313.6137 }, { 45, 313.5889 },
                 { 80, 278.7456 }, { 160, 189.3491 }, { 320, 109.5515 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf c = { 0 };
        sq_buf_printf(&c, "c: {arrivals: {kind: closed, population: %d}, calls: {d: {}}}",
                      rows[i].callers);
        struct wld t;
        run(&t, "duration: 250s\nmeasure_from: 50s\ntimeline: 10s", c.text,
            "service: 50ms, contention: {kind: usl, alpha: 0.02, beta: 0.0005}");
        double rate = wld_get(&t, "dependency.d.goodput") / 200;
        if (fabs(rate / rows[i].rate - 1) > 0.015) {
            fail_msg("%d callers: %g per second, not %g", rows[i].callers, rate, rows[i].rate);
        }
        wld_fini(&t);
        sq_buf_fini(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cold),      cmocka_unit_test(test_awaited_only),
        cmocka_unit_test(test_return),    cmocka_unit_test(test_set),
        cmocka_unit_test(test_no_server), cmocka_unit_test(test_mmck),
        cmocka_unit_test(test_usl),
    };
    return cmocka_run_group_tests_name("caches and capacities", tests, NULL, NULL);
}
