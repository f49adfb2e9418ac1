/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dependencies as servers, in small worlds: single calls to the nanosecond, and queues against
 * their formulas (fixed seeds, so a tolerance never flakes). */
#include "tests/models/server.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The i-th thing kept. */
static void expect(const struct server *t, size_t i, unsigned outcome, sq_time_t at)
{
    if (i >= t->count || t->kept[i].outcome != outcome || t->kept[i].at != at) {
        fail_msg("%zu of %zu: outcome %u at %lld ns, not %u at %lld", i, t->count,
                 t->kept[i].outcome, (long long)t->kept[i].at, outcome, (long long)at);
    }
}

static void near(double got, double want, double share)
{
    if (!(fabs(got - want) <= share * want)) {
        fail_msg("%.6g is not within %.3g of %.6g", got, share, want);
    }
}

static double mean(const struct server *t, int producer)
{
    return t->sum[producer] / t->n[producer];
}

/* One call each at 0 s, 1 s and 2 s. */
#define THREE                                                             \
    "  a: {arrivals: {kind: cohort, count: 1}, calls: {d: {}}}\n"         \
    "  b: {arrivals: {kind: cohort, count: 1, at: 1s}, calls: {d: {}}}\n" \
    "  c: {arrivals: {kind: cohort, count: 1, at: 2s}, calls: {d: {}}}"
#define SHORT "duration: 100s"

/* ---- contention ---- */

/* Three calls of 3 s on one shared server: a has it alone for 1 s, a and b half each until 2 s,
 * then all a third. */
static void sharing_by_hand(void **state)
{
    (void)state;
    struct server t;
    server_run(&t, SHORT, THREE, "{service: 3s, contention: {kind: sharing, among: 1}}");
    /* at 2 s: a has 1.5, b 0.5. a ends at 2 + 3 * 1.5 = 6.5 s (b 2, c 1.5);
     * b ends at 6.5 + 2 * 1 = 8.5 s (c 2.5); c at 9 s. */
    expect(&t, 0, MDL_ERR_OK, 6500 * MS);
    expect(&t, 1, MDL_ERR_OK, 8500 * MS);
    expect(&t, 2, MDL_ERR_OK, 9000 * MS);
    server_close(&t);
    /* two servers: a and b have one each until 2 s, then all two thirds */
    server_run(&t, SHORT, THREE, "{service: 3s, contention: {kind: sharing, among: 2}}");
    expect(&t, 0, MDL_ERR_OK, 3500 * MS); /* at 2 s a has 2, b 1: a ends at 2 + 1.5 */
    expect(&t, 1, MDL_ERR_OK, 4500 * MS); /* b has 2, alone from now on */
    expect(&t, 2, MDL_ERR_OK, 5500 * MS); /* c has 1 at 3.5 */
    server_close(&t);
}

/* A hang stops the shared clock; going down throws all out. */
static void sharing_stops(void **state)
{
    (void)state;
    struct server t;
    server_run(&t, SHORT, THREE,
               "{service: 3s, contention: {kind: sharing, among: 1}, "
               "outages: [{at: 3s, for: 10s, kind: hang}]}");
    expect(&t, 2, MDL_ERR_OK, 16500 * MS);
    expect(&t, 3, MDL_ERR_OK, 18500 * MS);
    expect(&t, 4, MDL_ERR_OK, 19000 * MS);
    server_close(&t);
    server_run(
        &t, SHORT, THREE,
        "{service: 3s, contention: {kind: sharing, among: 1}, outages: [{at: 3s, for: 10s}]}");
    expect(&t, 1, MDL_ERR_RESET, 3000 * MS);
    expect(&t, 3, MDL_ERR_RESET, 3000 * MS);
    server_close(&t);
}

static void factors(void **state)
{
    (void)state;
    struct server t;
    server_run(&t, SHORT, THREE, "{service: 10s, contention: {kind: linear, per_call: 0.5}}");
    expect(&t, 0, MDL_ERR_OK, 15000 * MS); /* N = 1: 1.5 */
    expect(&t, 1, MDL_ERR_OK, 21000 * MS); /* N = 2: 2 */
    expect(&t, 2, MDL_ERR_OK, 27000 * MS); /* N = 3: 2.5 */
    server_close(&t);
    server_run(&t, SHORT, THREE, "{service: 10s, contention: {kind: usl, alpha: 0.1, beta: 0.05}}");
    expect(&t, 0, MDL_ERR_OK, 10000 * MS);
    expect(&t, 1, MDL_ERR_OK, 13000 * MS); /* 1 + 0.1 + 0.1 */
    expect(&t, 2, MDL_ERR_OK, 17000 * MS); /* 1 + 0.2 + 0.3 */
    server_close(&t);
    server_run(
        &t, SHORT, THREE,
        "{service: 10s, servers: 1, contention: {kind: power, scale: 2, power: 3, of: in_flight}}");
    expect(&t, 0, MDL_ERR_OK, 11250 * MS);           /* N = 1 */
    expect(&t, 1, MDL_ERR_OK, (11250 + 20000) * MS); /* N = 2: one waits behind it */
    expect(&t, 2, MDL_ERR_OK, (31250 + 11250) * MS);
    server_close(&t);
}

/* ---- outages ---- */

static void hang_keeps_order(void **state)
{
    (void)state;
    struct server t;
    server_run(&t, SHORT, THREE,
               "{servers: 1, service: 1500ms, outages: [{at: 1s, for: 10s, kind: hang}]}");
    expect(&t, 0, MDL_OUTAGE_HANG, 1000 * MS);
    expect(&t, 1, MDL_OUTAGE_HANG, 11000 * MS);
    expect(&t, 2, MDL_ERR_OK, 11500 * MS); /* half a second was left */
    expect(&t, 3, MDL_ERR_OK, 13000 * MS);
    expect(&t, 4, MDL_ERR_OK, 14500 * MS);
    server_close(&t);
    /* A server that nobody stands before is a place to wait; then there is none. */
    server_run(
        &t, SHORT, THREE,
        "{servers: 2, waiting_room: 0, service: 1500ms, outages: [{at: 500ms, for: 10s, kind: "
        "hang}]}");
    expect(&t, 1, MDL_ERR_REFUSED, 2001 * MS);
    expect(&t, 3, MDL_ERR_OK, 11500 * MS);
    expect(&t, 4, MDL_ERR_OK, 12000 * MS);
    server_close(&t);
    server_run(
        &t, SHORT, THREE,
        "{servers: 1, service: 1500ms, outages: [{at: 1s, for: 10s, kind: hang, held: lost}]}");
    assert_int_equal(t.count, 2); /* no call ever ends */
    server_close(&t);
}

static void weather(void **state)
{
    (void)state;
    struct server t;
    server_run(&t, SHORT, THREE,
               "{service: 2s, outages: [{at: 1s, for: 500ms, kind: slow, factor: 3},"
               " {at: 1s, for: 10s, kind: slow, factor: 2}]}");
    expect(&t, 3, MDL_ERR_OK, 2000 * MS);  /* started before */
    expect(&t, 4, MDL_ERR_OK, 6000 * MS);  /* c: twice as long */
    expect(&t, 6, MDL_ERR_OK, 13000 * MS); /* b: six times */
    server_close(&t);
}

static void errors(void **state)
{
    (void)state;
    struct server t;
    server_run(&t, SHORT, THREE, "{service: 2s, errors: {conflict: 100%}}");
    expect(&t, 0, MDL_ERR_CONFLICT, 2000 * MS);
    server_close(&t);
    server_run(
        &t, SHORT, THREE,
        "{service: 2s, outages: [{at: 1s, for: 1s, kind: errors, ratio: 100%, error: unavailable},"
        " {at: 2s, for: 1s, kind: errors, ratio: 100%, answer_in: 7ms}]}");
    expect(&t, 2, MDL_OUTAGE_ERRORS, 2000 * MS);
    expect(&t, 3, MDL_ERR_OK, 2000 * MS);    /* a ends as the first outage does */
    expect(&t, 4, MDL_ERR_ERROR, 2007 * MS); /* c, at once */
    expect(&t, 6, MDL_ERR_OK, 3000 * MS);    /* b */
    server_close(&t);
    server_run(&t, "duration: 2000s", "  a: {arrivals: 50/s, calls: {d: {}}}",
               "{service: 2ms, errors: {conflict: 10%, error: 20%}}");
    double all = t.n[0] + t.outcomes[MDL_ERR_CONFLICT] + t.outcomes[MDL_ERR_ERROR];
    near(t.outcomes[MDL_ERR_CONFLICT] / all, 0.1, 0.04);
    near(t.outcomes[MDL_ERR_ERROR] / all, 0.2, 0.03);
    server_close(&t);
}

/* Outages every 10 s of 2 s each; the one at 10 s starts inside a planned one. */
static void skipped(void **state)
{
    (void)state;
    struct server t;
    server_run(
        &t, "duration: 40s", "  a: {arrivals: none, calls: {d: {}}}",
        "{service: 2s, outages: [{every: 10s, for: 2s}, {at: 9s, for: 2s, kind: slow, factor: "
        "2}]}");
    expect(&t, 0, MDL_OUTAGE_SLOW, 9000 * MS);
    expect(&t, 1, MDL_OUTAGE_SLOW, 11000 * MS);
    expect(&t, 2, MDL_OUTAGE_DOWN, 22000 * MS);
    expect(&t, 3, MDL_OUTAGE_DOWN, 24000 * MS);
    expect(&t, 4, MDL_OUTAGE_DOWN, 34000 * MS);
    assert_int_equal(t.count, 6);
    server_close(&t);
    /* and one that starts as the planned one ends is not inside it */
    server_run(
        &t, "duration: 20s", "  a: {arrivals: none, calls: {d: {}}}",
        "{service: 2s, outages: [{every: 10s, for: 2s}, {at: 9s, for: 1s, kind: slow, factor: "
        "2}]}");
    assert_int_equal(t.count, 4);
    expect(&t, 3, MDL_OUTAGE_DOWN, 12000 * MS);
    server_close(&t);
}

/* Two of four servers take new work. */
static void brownout(void **state)
{
    (void)state;
    struct server t;
    server_run(
        &t, SHORT, "  a: {arrivals: {kind: cohort, count: 8, at: 1s}, calls: {d: {}}}",
        "{servers: 4, service: 4s, outages: [{at: 500ms, for: 2500ms, kind: brownout, capacity: "
        "60%}]}");
    expect(&t, 1, MDL_OUTAGE_BROWNOUT, 3000 * MS);
    expect(&t, 2, MDL_ERR_OK, 5000 * MS); /* two, floor(2.4) */
    expect(&t, 3, MDL_ERR_OK, 5000 * MS);
    expect(&t, 4, MDL_ERR_OK, 7000 * MS); /* two from 3 s on */
    expect(&t, 6, MDL_ERR_OK, 9000 * MS);
    server_close(&t);
}

/* ---- network, refusals, abandoned calls ---- */

static void network(void **state)
{
    (void)state;
    struct server t;
    server_run(&t, SHORT, THREE, "{service: 50ms, network: 100ms}");
    expect(&t, 0, MDL_ERR_OK, 250 * MS);
    expect(&t, 1, MDL_ERR_OK, 1250 * MS);
    server_close(&t);
    /* The answer is on its way when the caller gives up: wasted. */
    server_run(&t, SHORT, "  a: {arrivals: {kind: cohort, count: 1}, calls: {d: {timeout: 200ms}}}",
               "{service: 50ms, network: 100ms}");
    expect(&t, 0, MDL_ERR_TIMEOUT, 200 * MS);
    assert_int_equal(t.wasted, 1);
    server_close(&t);
    /* answer_in is the whole time of a refusal, but it is not known before the call is there. */
    server_run(&t, SHORT, "  a: {arrivals: {kind: cohort, count: 3}, calls: {d: {}}}",
               "{servers: 1, waiting_room: 0, service: 50ms, network: 100ms, answer_in: 120ms}");
    expect(&t, 0, MDL_ERR_REFUSED, 120 * MS);
    expect(&t, 1, MDL_ERR_REFUSED, 120 * MS);
    expect(&t, 2, MDL_ERR_OK, 250 * MS);
    server_close(&t);
    server_run(&t, SHORT, "  a: {arrivals: {kind: cohort, count: 1}, calls: {d: {}}}",
               "{service: 5s, network: 100ms, outages: [{at: 1s, for: 1s}]}");
    expect(&t, 1, MDL_ERR_RESET, 1100 * MS);
    server_close(&t);
}

/* Three calls at once that wait 1 s each for one server. */
static void abandoned(void **state)
{
    (void)state;
    static const char three[] =
        "  a: {arrivals: {kind: cohort, count: 3}, calls: {d: {timeout: 1s}}}\n"
        "  z: {arrivals: {kind: cohort, count: 1, at: 1500ms}, calls: {d: {}}}";
    struct server t;
    server_run(&t, SHORT, three, "{servers: 1, service: 2s}");
    assert_int_equal(t.wasted, 3);
    expect(&t, 3, MDL_ERR_OK, 8000 * MS);
    server_close(&t);
    server_run(&t, SHORT, three, "{servers: 1, service: 2s, abandoned: skip}");
    assert_int_equal(t.wasted, 1); /* the one in service */
    expect(&t, 3, MDL_ERR_OK, 4000 * MS);
    server_close(&t);
    server_run(&t, SHORT, three, "{servers: 1, service: 2s, abandoned: cancel}");
    assert_int_equal(t.wasted, 0);
    expect(&t, 3, MDL_ERR_OK, 3500 * MS);
    server_close(&t);
    static const char silent[] = "  a: {arrivals: {kind: cohort, count: 3}, calls: {d: {timeout: "
                                 "1s, propagate_cancel: false}}}";
    server_run(&t, SHORT, silent, "{servers: 1, service: 2s, abandoned: cancel}");
    assert_int_equal(t.wasted, 3);
    server_close(&t);
}

static void rate_limited(void **state)
{
    (void)state;
    struct server t;
    server_run(&t, "duration: 100s",
               "  a: {arrivals: {kind: regular, rate: 20/s, phase: same}, calls: {d: {}}}",
               "{service: 1ms, rate_limit: 10/s}");
    assert_int_equal(t.outcomes[MDL_ERR_OK], 1000);
    assert_int_equal(t.outcomes[MDL_ERR_RATE_LIMITED], t.count - 1000);
    server_close(&t);
    /* Three at once, one token per second: the hint says when. */
    server_run(
        &t, SHORT,
        "  a: {arrivals: {kind: cohort, count: 2, at: 250ms}, calls: {d: {retry: {backoff: none, "
        "jitter: none, retry_after: exact}}}}",
        "{service: 1ms, rate_limit: {rate: 1/s, start: empty}, hint: reset, answer_in: 0s}");
    expect(&t, 0, MDL_ERR_RATE_LIMITED, 250 * MS);
    expect(&t, 1, MDL_ERR_RATE_LIMITED, 250 * MS);
    expect(&t, 2, MDL_ERR_RATE_LIMITED, 1000 * MS);
    expect(&t, 3, MDL_ERR_OK, 1001 * MS);
    expect(&t, 4, MDL_ERR_OK, 2001 * MS);
    server_close(&t);
}

/* ---- against formulas ---- */

#define LONG "duration: 4000s\ntimeline: 100s"
#define MM1  "servers: 1, service: {kind: exponential, mean: 10ms}"

static void shared_queue(void **state)
{
    (void)state;
    struct server t;
    server_run(&t, LONG, "  a: {arrivals: 60/s, calls: {d: {}}}",
               "{service: {kind: exponential, mean: 10ms}, contention: {kind: sharing, among: 1}}");
    near(mean(&t, 0), 0.01 / (1 - 0.6), 0.03);
    server_close(&t);
    /* The mean does not feel the distribution. */
    server_run(
        &t, LONG, "  a: {arrivals: 60/s, calls: {d: {}}}",
        "{service: {kind: lognormal, mean: 10ms, cv: 2}, contention: {kind: sharing, among: 1}}");
    near(mean(&t, 0), 0.01 / (1 - 0.6), 0.04);
    server_close(&t);
    /* Nor does M/M/2 differ from its first in first out: 1/(mu (1 - rho^2)), rho = 0.75. */
    server_run(&t, LONG, "  a: {arrivals: 150/s, calls: {d: {}}}",
               "{service: {kind: exponential, mean: 10ms}, contention: {kind: sharing, among: 2}}");
    near(mean(&t, 0), 0.01 / (1 - 0.75 * 0.75), 0.03);
    server_close(&t);
}

/* M/M/1, rho = 0.5: E[W] = 10 ms, E[W^2] = 4e-4 first in first out, twice that last in first out
 * (1/(1 - rho) times). T = W + S. */
static void lifo(void **state)
{
    (void)state;
    struct server t;
    static const char *const rules[] = { "fifo", "lifo" };
    for (int i = 0; i < 2; i++) {
        char d[200];
        (void)snprintf(d, sizeof(d), "{" MM1 ", discipline: %s}", rules[i]);
        server_run(&t, LONG, "  a: {arrivals: 50/s, calls: {d: {}}}", d);
        near(mean(&t, 0), 0.02, 0.03);
        near(t.squares[0] / t.n[0], (i == 0 ? 4e-4 : 8e-4) + 2 * 0.01 * 0.01 + 2e-4, 0.06);
        server_close(&t);
    }
}

/* Cobham 1954: W0 = lambda E[S^2] / 2 = 6 ms; W = W0 / ((1 - s_before)(1 - s_with)). */
static void cobham(void **state)
{
    (void)state;
    struct server t;
    server_run(&t, LONG,
               "  a: {arrivals: 20/s, priority: 1, calls: {d: {}}}\n"
               "  b: {arrivals: 40/s, priority: 6, calls: {d: {}}}",
               "{" MM1 ", discipline: priority}");
    near(mean(&t, 0), 0.01 + 0.006 / 0.8, 0.03);
    near(mean(&t, 1), 0.01 + 0.006 / (0.8 * 0.4), 0.05);
    server_close(&t);
}

/* M/M/1 whose server breaks down at rate f and is repaired at rate r, going on where it stood:
 * L = lambda ((f + r)^2 + mu f) / ((f + r)(mu r - lambda (f + r))) (White and Christie 1958). */
static void breakdowns(void **state)
{
    (void)state;
    struct server t;
    server_run(&t, LONG, "  a: {arrivals: 30/s, calls: {d: {}}}",
               "{" MM1 ", outages: [{every: {kind: exponential, mean: 400ms}, "
               "for: {kind: exponential, mean: 100ms}, kind: hang}]}");
    double f = 2.5, r = 10, mu = 100, lambda = 30;
    double in_system =
        lambda * ((f + r) * (f + r) + mu * f) / ((f + r) * (mu * r - lambda * (f + r)));
    near(mean(&t, 0), in_system / lambda, 0.03);
    server_close(&t);
}

/* ---- what is refused ---- */

static void complaints(void **state)
{
    (void)state;
    static const struct {
        const char *d, *says;
    } rows[] = {
        { "{servers: 2, service: 1s, contention: {kind: sharing, among: 1}}",
          "servers: unlimited" },
        { "{service: 1s, outages: [{at: 1s, for: 1s, kind: brownout, capacity: 1%}]}",
          "a brownout needs finite servers" },
        { "{service: 1s, contention: {kind: linear, per_call: 1, of: moon}}", "nothing to count" },
        { "{service: 1s, contention: {kind: linear, per_call: 1, of: queue.q}}",
          "there is no queue" },
        { "{service: 1s, errors: {timeout: 1%}}", "cannot answer `timeout`" },
        { "{service: 1s, errors: {error: 60%, reset: 50%}}", "more than 100%" },
        { "{service: 1s, hint: reset}", "needs a rate_limit" },
        { "{service: 1s, outages: [{for: 1s}]}", "needs one of at, every" },
        { "{service: 1s, outages: [{at: 1s, for: 5s, kind: hang}, {at: 2s, for: 1s}]}",
          "overlaps" },
        { "{service: 1s, discipline: {kind: priority, weights: [1, 2]}}", "2 weights" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[1000];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 10s\nclients:\n  a: {arrivals: 1/s, calls: {d: {}}}\n"
                       "dependencies:\n  d: %s\n",
                       rows[i].d);
        struct server t;
        assert_int_not_equal(server_load(&t, text), SQ_OK);
        struct sq_buf b = { 0 };
        sq_diag_print(&t.diag, &b);
        if (strstr(b.text, rows[i].says) == NULL) {
            fail_msg("%s: %s", rows[i].d, b.text);
        }
        sq_buf_fini(&b);
        mdl_scenario_fini(&t.s);
        sq_diag_fini(&t.diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharing_by_hand),
        cmocka_unit_test(sharing_stops),
        cmocka_unit_test(factors),
        cmocka_unit_test(hang_keeps_order),
        cmocka_unit_test(weather),
        cmocka_unit_test(errors),
        cmocka_unit_test(skipped),
        cmocka_unit_test(brownout),
        cmocka_unit_test(network),
        cmocka_unit_test(abandoned),
        cmocka_unit_test(rate_limited),
        cmocka_unit_test(shared_queue),
        cmocka_unit_test(lifo),
        cmocka_unit_test(cobham),
        cmocka_unit_test(breakdowns),
        cmocka_unit_test(complaints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
