/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_room.c - servers, the waiting room and warm-up; and outages that may not overlap. */
#include "tests/models/world.h"

#include "models/part/mdl_calendar.h"
#include "models/part/mdl_room.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void shares(void **state)
{
    (void)state;
    static const struct {
        struct mdl_warm_cfg w;
        double since, share;
    } rows[] = {
        { { 0.2, WLD_S(100), MDL_WARM_LINEAR, 0 }, 0, 0.2 },
        { { 0.2, WLD_S(100), MDL_WARM_LINEAR, 0 }, 50, 0.6 },
        { { 0.2, WLD_S(100), MDL_WARM_LINEAR, 0 }, 100, 1 },
        { { 0.2, WLD_S(100), MDL_WARM_LINEAR, 0 }, 1e6, 1 },
        { { 0.2, WLD_S(100), MDL_WARM_QUARTERS, 0 }, 0, 0.2 },
        { { 0.2, WLD_S(100), MDL_WARM_QUARTERS, 0 }, 24.999999999, 0.2 },
        { { 0.2, WLD_S(100), MDL_WARM_QUARTERS, 0 }, 25, 0.4 },
        { { 0.2, WLD_S(100), MDL_WARM_QUARTERS, 0 }, 75, 0.8 },
        { { 0.2, WLD_S(100), MDL_WARM_QUARTERS, 0 }, 99.999999999, 0.8 },
        { { 0.2, WLD_S(100), MDL_WARM_QUARTERS, 0 }, 100, 1 },
        { { 0.2, 0, MDL_WARM_LINEAR, 0 }, 0, 1 },
        { { 1, WLD_S(100), MDL_WARM_LINEAR, 0 }, 1, 1 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        double got = mdl_warm_share(&rows[i].w, WLD_S(rows[i].since));
        assert_true(fabs(got - rows[i].share) < 1e-9);
    }
}

/* Servers in force over time, as the busy ones of a full room: a flood meets a dependency that
 * returns at 1 s, and every call lasts longer than the run. */
#define FLOOD(servers, warm)                                                     \
    "squall: 1\nduration: 300s\n"                                                \
    "producers: {p: {queue: q, arrivals: {kind: cohort, count: 300, at: 1s}}}\n" \
    "queues: {q: {}}\nworkers: {w: {queue: q, slots: 300, calls: {api: {}}}}\n"  \
    "dependencies: {api: {servers: " #servers ", service: 1h,\n"                 \
    "  outages: [{at: 0s, for: 1s}], warm_up: " warm "}}\n"

struct seen {
    int64_t busy[101];
};

static struct wld *watched; /* of the test that runs: cmocka has no other way in */
static struct seen watched_seen;
static sq_time_t watched_from;

static void look(void *ctx, sq_time_t now)
{
    (void)ctx;
    struct sq_sim *s = &watched->w.ctx.sim;
    while (s->advance_at <= now) {
        /* The level just before each whole second after the return. */
        int64_t i = (s->advance_at - watched_from) / SQ_NS_PER_S;
        if (i >= 0 && i <= 100) {
            watched_seen.busy[i] = watched->w.dependencies[0].load.busy.now;
        }
        s->advance_at += SQ_NS_PER_S;
    }
}

static void watch(struct wld *t, const char *yaml)
{
    if (wld_load(t, yaml, NULL) != SQ_OK) {
        fail_msg("%s", wld_complaints(t));
    }
    wld_build(t, 1);
    watched = t;
    watched_from = WLD_S(1);
    memset(&watched_seen, 0, sizeof(watched_seen));
    t->w.ctx.sim.advance = look;
    assert_int_equal(mdl_world_run(&t->w, 1, NULL, &t->diag), SQ_OK);
}

static void servers_come_into_force(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        int servers;
        double from, over;
        bool quarters;
    } rows[] = {
        { FLOOD(40, "{from: 30%, over: 70s}"), 40, 0.3, 70, false },
        { FLOOD(100, "{from: 7%, over: 93s}"), 100, 0.07, 93, false },
        { FLOOD(100, "{from: 7%, over: 40s, curve: quarters}"), 100, 0.07, 40, true },
        { FLOOD(3, "{from: 10%, over: 60s}"), 3, 0.1, 60, false },
        { FLOOD(1, "10%"), 1, 0.1, 120, false },
        { FLOOD(40, "100%"), 40, 1, 120, false },
        { FLOOD(40, "{from: 50%, over: 0s}"), 40, 0.5, 0, false },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct wld t;
        watch(&t, rows[i].yaml);
        for (int s = 1; s <= 100; s++) {
            /* Just before second s: a server that comes at exactly s is not seen yet. */
            double x = rows[i].over > 0 ? (s - 1e-6) / rows[i].over : 1;
            x = x > 1 ? 1 : x;
            x = rows[i].quarters ? floor(4 * x) / 4 : x;
            double share = rows[i].from + (1 - rows[i].from) * x;
            int64_t want = (int64_t)ceil(share * rows[i].servers - 1e-9);
            if (watched_seen.busy[s] != want) {
                fail_msg("row %zu, %d s after the return: %lld servers and not %lld", i, s,
                         (long long)watched_seen.busy[s], (long long)want);
            }
        }
        assert_true(t.w.ctx.sim.events < 3000);
        wld_fini(&t);
    }
}

/* `affects: speed`: the service that starts at the return takes 1/share of its time. */
static void warm_up_of_speed(void **state)
{
    (void)state;
    struct wld t;
    sq_time_t at[3];
    wld_run(&t, "squall: 1\nduration: 300s\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: 3, at: 1s}}}\n"
                "queues: {q: {}}\nworkers: {w: {queue: q, slots: 3, calls: {api: {}}}}\n"
                "dependencies: {api: {servers: 1, service: 8s, outages: [{at: 0s, for: 1s}],\n"
                "  warm_up: {from: 25%, over: 48s, affects: speed}}}\n");
    assert_int_equal(wld_times(&t, MDL_REC_JOB_ENDED, -1, at, 3), 3);
    assert_int_equal(at[0], WLD_S(1 + 32));               /* 8 s / 25 % */
    assert_int_equal(at[1], WLD_S(33) + WLD_S(8 / 0.75)); /* 32 s after the return: 75 % */
    assert_int_equal(at[2], at[1] + WLD_S(8 / (0.25 + 0.75 * (32 + 8 / 0.75) / 48)));
    wld_fini(&t);
}

/* Without a return nothing is cold. */
static void warm_at_time_0(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 10s\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: 4, at: 0s}}}\n"
                "queues: {q: {}}\nworkers: {w: {queue: q, slots: 9, calls: {api: {}}}}\n"
                "dependencies: {api: {servers: 4, service: 1s, warm_up: 25%}}\n");
    assert_true(wld_get(&t, "producer.p.delay_max_s") == 1);
    wld_fini(&t);
}

static void waiting_room_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *room;
        double refused, in_flight;
    } rows[] = {
        { "waiting_room: 0", 8, 2 },
        { "waiting_room: 3", 5, 5 },
        { "waiting_room: 8", 0, 10 },
        { "waiting_room: unlimited", 0, 10 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[600];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 10s\ntail: 1m\n"
                       "producers: {p: {queue: q, arrivals: {kind: cohort, count: 10, at: 1s}}}\n"
                       "queues: {q: {}}\nworkers: {w: {queue: q, slots: 20, calls: {api: {}}}}\n"
                       "dependencies: {api: {servers: 2, service: 1s, answer_in: 250ms, %s}}\n",
                       rows[i].room);
        struct wld t;
        sq_time_t at[1];
        wld_run(&t, text);
        assert_true(wld_get(&t, "dependency.api.refused") == rows[i].refused);
        assert_true(wld_get(&t, "dependency.api.goodput") == 10 - rows[i].refused);
        assert_true(wld_get(&t, "dependency.api.in_flight_max") == rows[i].in_flight);
        if (rows[i].refused > 0) { /* refused ones learn it after answer_in */
            (void)wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_REFUSED, at, 1);
            assert_int_equal(at[0], WLD_S(1.25));
        }
        wld_fini(&t);
    }
}

/* Calls are taken from the line in order, abandoned ones too: they still take their server. */
static void abandoned_work_takes_its_server(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t, "squall: 1\nduration: 30s\n"
                "producers: {p: {queue: q, arrivals: {kind: cohort, count: 4, at: 0s}}}\n"
                "queues: {q: {}}\nworkers: {w: {queue: q, slots: 4, calls: {api: {timeout: "
                "2500ms}}}}\n"
                "dependencies: {api: {servers: 1, service: 1s}}\n");
    assert_true(wld_get(&t, "dependency.api.goodput") == 2);
    assert_true(wld_get(&t, "dependency.api.timeouts") == 2);
    assert_true(wld_get(&t, "dependency.api.wasted") == 2);
    assert_true(fabs(wld_get(&t, "dependency.api.utilisation") - 4.0 / 30) < 1e-12);
    assert_true(fabs(wld_get(&t, "dependency.api.in_flight_mean") - (4 + 3 + 2 + 1) / 30.0) <
                1e-12);
    wld_fini(&t);
}

/* While it is down: `unavailable` after its answer_in, that of the outage, that of the rule. */
static void how_long_a_refusal_takes(void **state)
{
    (void)state;
    static const struct {
        const char *dependency;
        double at; /* when the job of 5 s learns it */
    } rows[] = {
        { "outages: [{at: 4s, for: 9s}]", 5.001 },
        { "answer_in: 300ms, outages: [{at: 4s, for: 9s}]", 5.3 },
        { "answer_in: 300ms, outages: [{at: 4s, for: 9s, answer_in: 2s}]", 7 },
        { "answer_in: 300ms, outages: [{at: 4s, for: 9s, answer_in: 0s}]", 5 },
        { "answer_in: 300ms, servers: 1, overload: {in_flight: 1, down_for: 9s}", 5.3 },
        { "answer_in: 300ms, servers: 1, overload: {in_flight: 1, down_for: 9s, answer_in: 1s}",
          6 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[700];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 30s\n"
                       "producers:\n  a: {queue: q, arrivals: {kind: cohort, count: 2, at: 2s}}\n"
                       "  b: {queue: q, arrivals: {kind: cohort, count: 1, at: 5s}}\n"
                       "queues: {q: {}}\nworkers: {w: {queue: q, slots: 9, calls: {api: {}}}}\n"
                       "dependencies: {api: {service: 1s, %s}}\n",
                       rows[i].dependency);
        struct wld t;
        sq_time_t at[1];
        wld_run(&t, text);
        assert_int_equal(wld_times(&t, MDL_REC_CALL_ENDED, MDL_ERR_UNAVAILABLE, at, 1), 1);
        assert_int_equal(at[0], WLD_S(rows[i].at));
        wld_fini(&t);
    }
}

static void outages_may_not_overlap(void **state)
{
    (void)state;
    static const struct {
        const char *outages;
        bool right;
    } rows[] = {
        { "[{at: 1s, for: 2s}, {at: 3s, for: 2s}]", true },
        { "[{at: 3s, for: 2s}, {at: 1s, for: 2s}]", true },
        { "[{at: 1s, for: 2s}, {at: 2999ms, for: 2s}]", false },
        { "[{at: 2999ms, for: 2s}, {at: 1s, for: 2s}]", false },
        { "[{at: 1s, for: 9s}, {at: 3s, for: 2s}]", false },
        { "[{at: 1s, for: 0s}]", false },
        { "[{at: 1s, for: 1s..2s}]", false },
        { "[{at: 20s, for: 1s}]", false }, /* planned events lie in [0, duration) */
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char text[600];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 20s\n"
                       "producers: {p: {queue: q, arrivals: 1/s}}\n"
                       "queues: {q: {}}\nworkers: {w: {queue: q, calls: {api: {}}}}\n"
                       "dependencies: {api: {service: 1s, outages: %s}}\n",
                       rows[i].outages);
        struct wld t;
        enum sq_status status = wld_load(&t, text, NULL);
        if ((status == SQ_OK) != rows[i].right) {
            fail_msg("%s: status %d", rows[i].outages, status);
        }
        assert_true(rows[i].right || strstr(wld_complaints(&t), "outage") != NULL);
        wld_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares),
        cmocka_unit_test(servers_come_into_force),
        cmocka_unit_test(warm_up_of_speed),
        cmocka_unit_test(warm_at_time_0),
        cmocka_unit_test(waiting_room_bounds),
        cmocka_unit_test(abandoned_work_takes_its_server),
        cmocka_unit_test(how_long_a_refusal_takes),
        cmocka_unit_test(outages_may_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
