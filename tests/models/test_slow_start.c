/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_slow_start.c - nodes that return get less than their share: the weights against the sources
 * of the load balancers, step by step, and how the three ways of dealing calls obey them. */
#include "models/policy/mdl_slow_start.h"

#include "tests/models/blocks.h"
#include "tests/models/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

static const char yaml[] = "all:\n"
                           "  plain: 10s\n"
                           "  haproxy: {kind: haproxy, over: 60s}\n"
                           "  envoy: {kind: envoy, over: 60s}\n"
                           "  curved: {kind: envoy, over: 60s, aggression: 2, floor: 0%}\n"
                           "  angie: {kind: angie, over: 60s}\n";

/* haproxy: w = (16 t + S) div S sixteenths; envoy: max((max(1 ms, t) / W)^(1 / aggression), floor);
 * angie: floor(100 t / S) percent. By hand from the sources that the header names. */
static void weights(void **state)
{
    static const struct {
        const char *name;
        int64_t ms;
        double share;
    } rows[] = {
        { "plain", 0, 0 },
        { "plain", 2500, 0.25 },
        { "plain", 10000, 1 },
        { "plain", 99999, 1 },
        { "haproxy", 0, 1. / 16 },
        { "haproxy", 1000, 1. / 16 },
        { "haproxy", 3999, 1. / 16 },
        { "haproxy", 5000, 2. / 16 },
        { "haproxy", 10000, 3. / 16 },
        { "haproxy", 15000, 5. / 16 },
        { "haproxy", 20000, 6. / 16 },
        { "haproxy", 30000, 9. / 16 },
        { "haproxy", 45000, 13. / 16 },
        { "haproxy", 59000, 1 },
        { "haproxy", 60000, 1 },
        { "envoy", 0, 0.1 },
        { "envoy", 3000, 0.1 },
        { "envoy", 6000, 0.1 },
        { "envoy", 15000, 0.25 },
        { "envoy", 30000, 0.5 },
        { "envoy", 59999, 59.999 / 60 },
        { "envoy", 60000, 1 },
        { "curved", 15000, 0.5 },
        { "curved", 60, 0.0316227766 },
        { "angie", 0, 0 },
        { "angie", 100, 0 },
        { "angie", 599, 0 },
        { "angie", 600, 0.01 },
        { "angie", 3000, 0.05 },
        { "angie", 15000, 0.25 },
        { "angie", 30000, 0.5 },
        { "angie", 45000, 0.75 },
        { "angie", 59999, 0.99 },
        { "angie", 60000, 1 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        double share =
            mdl_slow_start_share(blocks_get(*state, rows[i].name), rows[i].ms * MS + MS / 2);
        double inside = rows[i].name[0] == 'p' ? 0.5 * MS / 10e9 : 0; /* linear counts every ns */
        if (fabs(share - fmin(1, rows[i].share + inside)) > 1e-9) {
            fail_msg("%s at %lld ms: %.9f, not %.9f", rows[i].name, (long long)rows[i].ms, share,
                     rows[i].share);
        }
    }
}

static void never_falls(void **state)
{
    static const char *const names[] = { "plain", "haproxy", "envoy", "curved", "angie" };
    for (size_t i = 0; i < SQ_COUNT(names); i++) {
        const struct sq_block *b = blocks_get(*state, names[i]);
        double before = 0;
        for (sq_time_t t = 0; t <= mdl_slow_start_over(b); t += 77 * MS) {
            double share = mdl_slow_start_share(b, t);
            assert_true(share >= before && share <= 1);
            before = share;
        }
        assert_true(mdl_slow_start_share(b, mdl_slow_start_over(b)) >= 1);
    }
}

/* Two nodes, a call each millisecond. Node 0 is down from 1 s to 2 s; right after its return it
 * begins to answer with errors: so errors are the calls that it gets. Counts those in the seconds
 * after the return. */
static void count_errors(const char *keys, const char *nodes, double *errors, size_t seconds)
{
    struct sq_buf text = { 0 };
    struct wld t;
    sq_buf_printf(&text,
                  "squall: 1\nduration: 12s\n"
                  "clients: {c: {arrivals: {kind: regular, rate: 1000/s, sources: 1, phase: same},"
                  " calls: {d: {}}}}\n"
                  "dependencies: {d: {nodes: 2, service: 100us, %s, outages: ["
                  "{at: 1s, for: 1s, nodes: %s},"
                  "{at: 2000500us, for: 1h, kind: errors, ratio: 100%%, nodes: 1}]}}\n",
                  keys, nodes);
    wld_run(&t, text.text);
    sq_time_t at[12000];
    size_t count = wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_ERROR, at, 12000);
    for (size_t s = 0; s < seconds; s++) {
        errors[s] = 0;
        for (size_t i = 0; i < count; i++) {
            errors[s] += at[i] / SQ_NS_PER_S == (sq_time_t)s + 2 ? 1 : 0;
        }
    }
    wld_fini(&t);
    sq_buf_fini(&text);
}

/* Weights by the second of haproxy over 4 s: 1, 5, 9, 13 and 16 sixteenths. Node 0 gets w / (1 + w)
 * of 1,000 calls, in turns to within a call or two of the edges. */
static void turns(void **state)
{
    (void)state;
    static const double sixteenths[] = { 1, 5, 9, 13, 16, 16 };
    double errors[6];
    count_errors("balance: round-robin, slow_start: {kind: haproxy, over: 4s}", "1", errors, 6);
    for (size_t i = 0; i < 6; i++) {
        double w = sixteenths[i] / 16;
        assert_true(fabs(errors[i] - 1000 * w / (1 + w)) <= 2);
    }
}

/* 1/17 of the calls by chance: binomial, within 4 standard deviations. */
static void chances(void **state)
{
    (void)state;
    double errors[9], sum = 0, p = 1. / 17;
    count_errors("balance: random, slow_start: {kind: haproxy, over: 1h}", "1", errors, 9);
    for (size_t i = 0; i < 9; i++) {
        sum += errors[i];
    }
    assert_true(fabs(sum - 9000 * p) <= 4 * sqrt(9000 * p * (1 - p)) + 1);
}

/* During the first percent of angie there is no call at all; then 1, 2, 3 ... percent. */
static void nothing_at_first(void **state)
{
    (void)state;
    double errors[2];
    count_errors("balance: round-robin, slow_start: {kind: angie, over: 100s}", "1", errors, 2);
    assert_true(errors[0] == 0);
    assert_true(fabs(errors[1] - 1000 * 0.01 / 1.01) <= 2);
}

/* When all return at once a share changes nothing: half of the calls each, from the start. */
static void all_at_once(void **state)
{
    (void)state;
    static const char *const kinds[] = { "{kind: haproxy, over: 10s}",
                                         "{kind: angie, over: 100s}" };
    for (size_t i = 0; i < SQ_COUNT(kinds); i++) {
        struct sq_buf keys = { 0 };
        double errors[3];
        sq_buf_printf(&keys, "balance: round-robin, slow_start: %s", kinds[i]);
        count_errors(keys.text, "2", errors, 3);
        assert_true(fabs(errors[0] - 500) <= 2 && fabs(errors[1] - 500) <= 2);
        sq_buf_fini(&keys);
    }
}

/* With a probe the slow start begins when the probe takes the node back: down from 1 s, out at
 * 1.5 s, up at 2 s but in again only at 2.5 s. Weights 1/16 for one second, then 9/16. */
static void probed(void **state)
{
    (void)state;
    double errors[4];
    count_errors("balance: round-robin, probe: {every: 500ms, fall: 1, rise: 2}, "
                 "slow_start: {kind: haproxy, over: 2s}",
                 "1", errors, 4);
    double first = 1000. / 17, second = 1000 * 9. / 25; /* per second at those weights */
    assert_true(fabs(errors[0] - first / 2) <= 2);
    assert_true(fabs(errors[1] - (first / 2 + second / 2)) <= 2);
    assert_true(fabs(errors[2] - (second / 2 + 250)) <= 2);
}

/* Least loaded by (in flight + 1) / w: 100 calls that come after the return at 2 s, one by one, and
 * stay; w = 1/16 until 62 s later. With j calls at node 0 and k at node 1 node 0 gets the next one
 * when 16 (j + 1) <= k + 1 (a tie goes to the first): the 16th, 33rd, 50th, 67th and 84th. When
 * both return at once, each has w = 1/16, so it is half of them. */
static void least_loaded(void **state)
{
    (void)state;
    static const size_t errors[] = { 5, 50 }; /* by the number of nodes that were down, less 1 */
    for (size_t i = 0; i < SQ_COUNT(errors); i++) {
        struct sq_buf text = { 0 };
        struct wld t;
        sq_buf_printf(&text,
                      "squall: 1\nduration: 3s\ntail: 2m\n"
                      "clients: {c: {arrivals: {kind: cohort, count: 100, at: 2100ms, over: 800ms},"
                      " calls: {d: {}}}}\n"
                      "dependencies: {d: {nodes: 2, service: 30s,"
                      " slow_start: {kind: haproxy, over: 1000s},"
                      " outages: [{at: 0s, for: 2s, nodes: %zu},"
                      " {at: 2050ms, for: 1h, kind: errors, ratio: 100%%, nodes: 1}]}}\n",
                      i + 1);
        wld_run(&t, text.text);
        assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_ERROR, NULL, 0), errors[i]);
        wld_fini(&t);
        sq_buf_fini(&text);
    }
}

/* A node that is new: slow with envoy (floor 50 % here for its first 5 of 10 s, so it gets a third
 * and node 0 two thirds), not with haproxy. Node 0 is the one that errs. */
static void new_nodes(void **state)
{
    (void)state;
    static const struct {
        const char *slow;
        double errors;
    } rows[] = { { "{kind: envoy, over: 10s, floor: 50%}", 2. / 3 },
                 { "{kind: haproxy, over: 10s}", 1. / 2 } };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct sq_buf text = { 0 };
        struct wld t;
        sq_buf_printf(&text,
                      "squall: 1\nduration: 4s\n"
                      "clients: {c: {arrivals: {kind: regular, rate: 1000/s, sources: 1,"
                      " phase: same}, calls: {d: {}}}}\n"
                      "dependencies: {d: {service: 100us, balance: round-robin, start_up: 0s,"
                      " slow_start: %s, outages: [{at: 1000500us, for: 1h, kind: errors,"
                      " ratio: 100%%, nodes: 1}]}}\n"
                      "actions: [{at: 1s, set: {dependencies.d.nodes: 2}}]\n",
                      rows[i].slow);
        wld_run(&t, text.text);
        size_t count = wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_ERROR, NULL, 0);
        assert_true(fabs((double)count - 3000 * rows[i].errors) <= 2);
        wld_fini(&t);
        sq_buf_fini(&text);
    }
}

static int open_blocks(void **state)
{
    static struct blocks b;
    *state = &b;
    return blocks_bind(&b, &mdl_slow_start_family, yaml) == SQ_OK ? 0 : 1;
}

static int close_blocks(void **state)
{
    blocks_fini(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(weights, open_blocks, close_blocks),
        cmocka_unit_test_setup_teardown(never_falls, open_blocks, close_blocks),
        cmocka_unit_test(turns),
        cmocka_unit_test(chances),
        cmocka_unit_test(nothing_at_first),
        cmocka_unit_test(all_at_once),
        cmocka_unit_test(probed),
        cmocka_unit_test(least_loaded),
        cmocka_unit_test(new_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
