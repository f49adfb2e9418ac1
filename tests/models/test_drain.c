/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the drain forecast: exact fluid drains, hand calculations, balances, words. */
#include "tests/models/drained.h"

#include "sim/base/sq_mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void expect_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance)) {
        fail_msg("got %.9g, want %.9g +- %g", got, want, tolerance);
    }
}

static void expect_says(const struct mdl_drain_result *r, const char *want)
{
    struct sq_buf b = { 0 };
    mdl_drain_say(r, &b);
    assert_string_equal(b.text, want);
    sq_buf_fini(&b);
}

/* Piecewise linear drains, derived apart from this program; NaN: never, or not stated. */
static const struct {
    double backlog, rate, service_s;
    bool ramp;
    double drain_s, peak;
} fluid[] = {
    { 30000, 0, 0.5, true, 502.5, 30000 }, { 30000, 0, 0.5, false, 375, 30000 },
    { 30000, 50, 0.5, true, 1340, 34800 }, { 30000, 50, 0.5, false, 1000, NAN },
    { 30000, 25, 0.8, true, 1455, NAN },   { 30000, 25, 0.8, false, 1200, NAN },
    { 30000, 0, 1, true, NAN, 30000 },     { 30000, 0, 1, false, 750, NAN },
    { 30000, 30, 1, false, 3000, NAN },    { 60000, 50, 0.2, true, NAN, 61500 },
    { 60000, 50, 0.2, false, 400, NAN },   { 30000, 50, 0.1, true, 231.42857142857144, 30000 },
    { 600, 0, 0.5, true, NAN, 600 },       { 600, 0, 0.5, false, 7.5, NAN },
};

static void test_fluid(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(fluid); i++) {
        struct drained w;
        drained_init(&w, fluid[i].backlog, fluid[i].rate, fluid[i].service_s);
        if (fluid[i].ramp) {
            drained_ramp(&w);
        }
        struct mdl_drain_result r = drained_run(&w);
        assert_int_equal(r.state, MDL_DRAIN_CLEARS);
        if (!isnan(fluid[i].drain_s)) {
            expect_near(r.planned_s, fluid[i].drain_s, 1e-9 * fluid[i].drain_s);
        }
        if (!isnan(fluid[i].peak)) {
            expect_near(r.peak_backlog, fluid[i].peak, 1e-9 * fluid[i].peak);
        }
        if (!fluid[i].ramp) {
            expect_near(r.naive_s, r.planned_s, 1e-6);
        }
    }
}

/* The ramp 5, 10, 20, 40 costs 40 x 180 - 2100 slot seconds: 5,100 / s jobs. */
static void test_ramp_deficit(void **state)
{
    (void)state;
    struct drained flat, ramp;
    drained_init(&flat, 30000, 50, 0.5);
    drained_init(&ramp, 30000, 50, 0.5);
    drained_ramp(&ramp);
    double cost = (40 * 180 - 2100) / 0.5;
    double more = drained_run(&ramp).planned_s - drained_run(&flat).planned_s;
    expect_near(more, cost / (40 / 0.5 - 50), 1e-6);
    /* A start off the whole seconds moves it by 35 slots of one bottom: exactly so. */
    ramp.in.gate.ramp_from_s = 0.75;
    double late = drained_run(&ramp).planned_s - drained_run(&flat).planned_s;
    expect_near(late, (cost + 35 * 0.75 / 0.5) / 30, 1e-6);
    /* Five successes in a row: one call's time with five slots, three with two. */
    ramp.in.gate.ramp_from_s = NAN;
    late = drained_run(&ramp).planned_s - drained_run(&flat).planned_s;
    expect_near(late, (cost + 35 * 0.5 / 0.5) / 30, 1e-6);
}

static void test_never(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 30000, 50, 0.8);
    w.in.gate.limit = 30.4; /* 38/s */
    struct mdl_drain_result r = drained_run(&w);
    assert_int_equal(r.state, MDL_DRAIN_WILL_NOT);
    assert_true(isnan(r.naive_s));
    assert_true(isnan(r.planned_s));
    expect_near(r.planned_last_job_s, (30000 - log(2)) / 38, 1e-6);
    expect_says(&r, "will not drain: arrivals exceed capacity by 12/s");
    drained_init(&w, 30000, 50, 0.8); /* 50/s: neither grows nor shrinks */
    r = drained_run(&w);
    assert_int_equal(r.state, MDL_DRAIN_STALLED);
    assert_true(isnan(r.naive_s));
    drained_init(&w, 1e12, 50, 0.5); /* shrinks, for a thousand years */
    r = drained_run(&w);
    assert_int_equal(r.state, MDL_DRAIN_STALLED);
    assert_true(isnan(r.planned_s));
    assert_true(isnan(r.planned_last_job_s));
    expect_says(&r, "stalled: it would take longer than 30 days");
    drained_init(&w, 100, 0, 0.5);
    w.in.gate.limit = 0;
    r = drained_run(&w);
    expect_says(&r, "stalled: no call can be made");
}

static void test_words(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 0, 50, 0.5);
    struct mdl_drain_result r = drained_run(&w);
    expect_near(r.planned_s + r.planned_last_job_s, 0, 0);
    expect_says(&r, "clears at once");
    drained_init(&w, 30000, 80 - 100 / 7.0, 0.5);
    r = drained_run(&w);
    expect_near(r.planned_s, 2100, 1e-6);
    expect_says(&r, "clears in 35m");
}

/* More callers than the overload rule bears: nothing is planned. */
static void test_relapse(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 30000, 50, 0.32);
    w.in.gate.limit = INFINITY;
    w.in.callers = (struct mdl_drain_callers){ 20, 160, 60 };
    w.in.service.servers = 40;
    w.in.service.timeout_s = 1;
    w.in.service.overload_in_flight = 100;
    w.in.service.overload_for_s = 45;
    struct mdl_drain_result r = drained_run(&w);
    assert_int_equal(r.state, MDL_DRAIN_RELAPSE);
    assert_true(isnan(r.naive_s));
    assert_true(isnan(r.planned_s));
    assert_true(isnan(r.planned_last_job_s));
    expect_says(&r, "would relapse: 160 callers at once, more than 100 calls inside take the "
                    "dependency down");
    w.in.callers = (struct mdl_drain_callers){ 20, 100, 0 }; /* 0.8 s: in time */
    assert_int_equal(drained_run(&w).state, MDL_DRAIN_CLEARS);
    w.in.service.overload_in_flight = INFINITY;
    w.in.callers.slots_max = 160; /* 1.28 s: every call is given up */
    r = drained_run(&w);
    assert_int_equal(r.state, MDL_DRAIN_WILL_NOT);
    expect_says(&r, "will not drain: 160 callers at once make a call take 1.28s, longer than its "
                    "timeout");
}

/* Four of forty servers at first: forty callers wait 3.2 s and give up after one. Calls are sent
 * at 40/s and served at 12.5/s and more, so those inside pass 100 after a few seconds. */
static void test_cold(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 30000, 50, 0.32);
    w.in.service.servers = 40;
    w.in.service.timeout_s = 1;
    w.in.service.warm_from = 0.1;
    w.in.service.warm_over_s = 120;
    w.in.service.overload_in_flight = 100;
    w.in.service.overload_for_s = 30;
    struct mdl_drain_result r = drained_run(&w);
    assert_int_equal(r.state, MDL_DRAIN_RELAPSE);
    assert_true(isnan(r.planned_s));
    assert_true(r.relapse_s > 30 && r.relapse_s < 60);
    drained_ramp(&w);
    r = drained_run(&w);
    assert_int_equal(r.state, MDL_DRAIN_CLEARS);
    assert_true(r.planned_s > 400);
    /* By speed even five calls take over a second until the share is 0.325, at 30 s: trouble. */
    w.in.service.warm_speed = true;
    w.in.gate.ramp_from_s = NAN;
    double found = drained_run(&w).planned_s;
    w.in.gate.ramp_from_s = 30 + 0.32 / 0.325;
    expect_near(drained_run(&w).planned_s, found, 1e-6);
}

/* Warm-up by whole servers, by quarters and by speed, against sums by hand. */
static void test_warm_up(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 30000, 0, 0.5);
    w.in.service.servers = 40;
    w.in.service.warm_from = 0.3;
    w.in.service.warm_over_s = 120;
    /* 12 servers at one instant, then 13, 14 ... 40 for 120/28 s each. */
    double missing = (27 + 0) * 28 / 2 * 120.0 / 28;
    expect_near(drained_run(&w).planned_s, 375 + missing / 40, 1e-6);
    w.in.service.warm_quarters = true; /* 12, 19, 26, 33 for half a minute each */
    missing = 30 * (28 + 21 + 14 + 7);
    expect_near(drained_run(&w).planned_s, 375 + missing / 40, 1e-6);
    w.in.service.warm_age_s = 45; /* half of the second quarter is over */
    missing = 15 * 21 + 30 * (14 + 7);
    expect_near(drained_run(&w).planned_s, 375 + missing / 40, 1e-6);
    w.in.service.warm_age_s = 0;
    w.in.service.warm_quarters = false;
    w.in.service.warm_speed = true; /* mean speed 0.65 over two minutes */
    expect_near(drained_run(&w).planned_s, 375 + 120 * 0.35, 1e-6);
}

/* The least of slots, servers, permits and the rate limit counts. */
static void test_capacity(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 30000, 0, 0.5);
    w.in.gate.rate_per_s = 50;
    expect_near(drained_run(&w).planned_s, 600, 1e-6);
    drained_init(&w, 30000, 0, 0.5);
    w.in.service.servers = 20;
    expect_near(drained_run(&w).planned_s, 750, 1e-6);
    w.in.service.network_s = 0.5; /* a permit is held for a second: 40/s all the same */
    expect_near(drained_run(&w).planned_s, 750, 1e-6);
    w.in.gate.limit = 10;
    expect_near(drained_run(&w).planned_s, 3000, 1e-6);
    drained_init(&w, 30000, 0, 0.5);
    w.in.callers = (struct mdl_drain_callers){ 20, 20, 0 };
    w.classes[0].work_s = 0.5; /* 20 slots / (0.5 + 0.5) */
    struct mdl_drain_result r = drained_run(&w);
    expect_near(r.planned_s, 1500, 1e-6);
    expect_near(r.naive_s, 1500, 1e-6);
    w.in.callers = (struct mdl_drain_callers){ 10, 30, 100 }; /* 20 on average, then 30 */
    expect_near(drained_run(&w).planned_s, 100 + (30000 - 100 * 20) / 30.0, 1e-6);
    w.classes[0].work_s = 0;
    w.classes[0].calls_per_job = 2.5; /* 30 slots / 1.25 s = 24/s */
    w.in.callers.grow_s = 0;
    expect_near(drained_run(&w).planned_s, 1250, 1e-6);
}

/* Half of the queue is stale when its turn comes; it costs nothing. */
static void test_deadline(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 8000, 0, 0.5); /* 80/s */
    w.in.class_count = 2;
    w.in.ready_count = 3;
    w.ready[1] = drained_jobs(4000, 1, 0); /* its turn: second 100 to 150 if it lives */
    w.ready[2] = drained_jobs(800, 0, 0);
    w.ready[1].deadline_s = 99;
    struct mdl_drain_result r = drained_run(&w);
    expect_near(r.planned_s, 110, 1e-6);
    expect_near(r.work.stale, 4000, 1e-9);
    expect_near(r.naive_s, 12800 / 80.0, 1e-9); /* not past it yet */
    w.ready[1].deadline_s = 151;
    r = drained_run(&w);
    expect_near(r.planned_s, 160, 1e-6);
    expect_near(r.work.stale, 0, 0);
    w.ready[1].deadline_s = 125.5; /* the rest of it goes when half was served */
    r = drained_run(&w);
    expect_near(r.work.stale, 4000 - 25.5 * 80, 80);
    expect_near(r.planned_s, 135.5, 1.01);
    w.ready[1].deadline_s = -1;
    r = drained_run(&w);
    expect_near(r.naive_s, 8800 / 80.0, 1e-9);
    w.classes[1].served_stale = true; /* deadline_check: enqueue looks no more */
    r = drained_run(&w);
    expect_near(r.planned_s, 160, 1e-6);
    /* In a timer it is stale when due. */
    w.in.ready_count = 1;
    w.timers[0] = w.ready[1];
    w.timers[0].due_s = 50;
    w.in.timer_count = 1;
    r = drained_run(&w);
    expect_near(r.planned_s, 100, 1e-6);
    expect_near(r.work.stale, 4000, 1e-9);
}

/* Arrivals with a deadline of 60 s behind 100 s of backlog: those of the first 40 s are stale. */
static void test_deadline_of_arrivals(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 8000, 40, 0.5);
    w.classes[0].deadline_s = 60;
    struct mdl_drain_result r = drained_run(&w);
    expect_near(r.work.stale, 1600, 45);
    /* At 100 s what arrived since 40 s is left: 2,400 at 40/s net. */
    expect_near(r.planned_s, 160, 1.5);
}

/* Waiting jobs of 400 keys are overtaken at 8/400 per second each; against libm's exp. */
static void test_supersede(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 4000, 0, 0.5); /* 50 s of other work first */
    w.in.class_count = 2;
    w.in.ready_count = 2;
    w.ready[1] = drained_jobs(400, 1, 0);
    w.rates[1].per_s = 8;
    w.classes[1].keep = MDL_DRAIN_KEEP_NEWEST;
    w.classes[1].keys = 400;
    w.in.arrivals_end_s = 50;
    struct mdl_drain_result r = drained_run(&w);
    double old = 400 * exp(-1.0);
    expect_near(r.work.superseded, 400,
                4); /* at all times 400 wait: one goes for each that comes */
    expect_near(r.planned_s, 50 + 400 / 80.0, 0.1);
    expect_near(r.planned_last_job_s, 50 + (old - 0.5) / 80, 0.05);
    w.classes[1].keep = MDL_DRAIN_KEEP_LAZY; /* the dead stay in the count, at no cost */
    r = drained_run(&w);
    expect_near(r.work.superseded, 400, 4);
    expect_near(r.planned_s, 55, 0.1);
    expect_near(r.peak_backlog, 4400, 1e-6);
    w.classes[1].keep = MDL_DRAIN_KEEP_OLDEST; /* all 400 keys wait: every newcomer ends */
    r = drained_run(&w);
    expect_near(r.work.superseded, 400, 4);
    expect_near(r.planned_last_job_s, 55, 0.1);
    w.ready[1].dead = true;
    r = drained_run(&w);
    expect_near(r.planned_s, 50, 0.1);
}

/* Timers join when due; the last one is the last job, however long after the queue is clear. */
static void test_timers(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 8000, 40, 0.5);
    w.timers[0] = drained_jobs(3000, 0, 100.5);
    w.timers[1] = drained_jobs(1, 0, 3500.2);
    w.timers[2] = drained_jobs(200, 0, 260);
    w.in.timer_count = 3;
    struct mdl_drain_result r = drained_run(&w);
    expect_near(r.planned_s, (8000 + 3000 + 200) / 40.0, 1e-6);
    expect_near(r.planned_last_job_s, 3500.2, 1);
    expect_near(r.naive_s, 11201 / 40.0, 1e-9);
    w.timers[0].due_s = 320; /* 8,000 are gone at 205: clear, but not for two minutes */
    w.timers[2].due_s = 20;
    r = drained_run(&w);
    expect_near(r.planned_s, 321 + (3000 - 40) / 40.0, 1);
    w.in.settle_s = 110;
    expect_near(drained_run(&w).planned_s, 205, 1e-6);
    w.in.settle_s = 120;
    w.timers[0].count = 300; /* gone within ten seconds: no more than a burst */
    expect_near(drained_run(&w).planned_s, 205, 1e-6);
    w.timers[0].count = 3000;
    w.in.backlog_max = 3000;
    expect_near(drained_run(&w).planned_s, 130, 1e-6);
    w.timers[0].deferred = true; /* actionable all along: 3,200 wait in it or in the queue ... */
    w.in.backlog_max = 3200;
    expect_near(drained_run(&w).planned_s, 200, 1e-6);
}

/* Calls in hand hold permits until they end; what fails comes back. */
static void test_hands(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 8000, 0, 0.5);
    w.hands[0] = (struct mdl_drain_hand){ 30, 0, true, INFINITY, 20, INFINITY, 0 };
    w.in.hand_count = 1;
    struct mdl_drain_result r = drained_run(&w);
    expect_near(r.planned_s, 20 + (8000 - 20 * 20) / 80.0, 1e-6);
    expect_near(r.work.served, 8030, 1e-6);
    w.hands[0].again_s = 500;
    r = drained_run(&w);
    expect_near(r.planned_s, 115, 1e-6);
    expect_near(r.planned_last_job_s, 500.5, 0.6);
}

/* Deferred jobs come back every 10 s: far from the end all permits are in use; at the end the
 * queue dies away as e^(-t / 10 s), not in a straight line. */
static void test_defer(void **state)
{
    (void)state;
    struct drained w;
    drained_init(&w, 30000, 50, 0.5);
    w.in.gate.throttled = MDL_DRAIN_DEFER;
    w.in.backlog_max = 20;
    struct mdl_drain_result r = drained_run(&w);
    assert_int_equal(r.state, MDL_DRAIN_CLEARS);
    assert_true(r.planned_s > 1000 && r.planned_s < 1100);
    w.in.gate.delay_s = 1;
    assert_true(drained_run(&w).planned_s < r.planned_s);
    w.in.gate.throttled = MDL_DRAIN_FAIL; /* the retry layer has them: nothing is actionable */
    expect_near(drained_run(&w).planned_s, 0, 1);
}

static void test_track(void **state)
{
    (void)state;
    struct drained w;
    float backlog[50];
    struct mdl_drain_track track = { backlog, SQ_COUNT(backlog), 7 };
    struct mdl_drain_result r;
    drained_init(&w, 30000, 50, 0.5);
    w.in.gate.ramp_from_s = 0.5;
    drained_ramp(&w);
    assert_int_equal(mdl_drain(&w.in, &track, &r), SQ_OK);
    assert_int_equal(track.len, 50);
    for (size_t i = 0; i < track.len; i++) {
        expect_near((double)track.backlog[i], 30000 + 40.0 * (double)(i + 1), 0.01);
    }
}

/* 80 calls a second of which half fail, and come back after 1 s, are 40 jobs a second: 50 are too
 * many, though they are less than 80. */
static void test_failures_use_it_up(void **state)
{
    (void)state;
    double bins[2] = { 0, 1 };
    struct sq_mass after = { .bins = bins, .count = 2, .bin_s = 1 };
    struct mdl_kernels kernels = { &after, 1 };
    struct drained w;
    drained_init(&w, 30000, 50, 0.5);
    w.classes[0].kernels = &kernels;
    w.classes[0].attempts_max = INFINITY;
    w.in.service.error_share = 0.5;
    struct mdl_drain_result r = drained_run(&w);
    assert_int_equal(r.state, MDL_DRAIN_WILL_NOT);
    expect_near(r.growth_per_s, 10, 0.01);
    expect_says(&r, "will not drain: calls that fail and come back make it grow by 10/s");
    w.in.service.error_share = 0.25; /* 60 jobs a second */
    r = drained_run(&w);
    assert_int_equal(r.state, MDL_DRAIN_CLEARS);
    expect_near(r.planned_s, 30000 / (80 * 0.75 - 50), 30);
}

/* Every allocation may fail; then the result is untouched. */
static void test_memory(void **state)
{
    (void)state;
    double bins[2] = { 0, 1 };
    struct sq_mass after = { .bins = bins, .count = 2, .bin_s = 1 };
    struct mdl_kernels kernels = { &after, 1 };
    struct drained w;
    struct mdl_drain_result r = { .planned_s = -7 };
    drained_init(&w, 30000, 50, 0.5);
    w.classes[0].kernels = &kernels; /* a row for each number of failures */
    w.classes[0].attempts_max = INFINITY;
    w.in.service.error_share = 0.25;
    long n = 0;
    enum sq_status status;
    do {
        sq_mem_fail_after(n++);
        status = mdl_drain(&w.in, NULL, &r);
        sq_mem_fail_after(-1);
        assert_true(status == SQ_OK || (status == SQ_NOMEM && r.planned_s < 0));
    } while (status != SQ_OK);
    assert_true(n > 3);
    expect_near(r.planned_s, 30000 / (80 * 0.75 - 50), 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fluid),     cmocka_unit_test(test_ramp_deficit),
        cmocka_unit_test(test_never),     cmocka_unit_test(test_words),
        cmocka_unit_test(test_relapse),   cmocka_unit_test(test_cold),
        cmocka_unit_test(test_warm_up),   cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_deadline),  cmocka_unit_test(test_deadline_of_arrivals),
        cmocka_unit_test(test_supersede), cmocka_unit_test(test_timers),
        cmocka_unit_test(test_hands),     cmocka_unit_test(test_defer),
        cmocka_unit_test(test_track),     cmocka_unit_test(test_failures_use_it_up),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
