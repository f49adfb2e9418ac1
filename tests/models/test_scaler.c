/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_scaler.c - the decisions of autoscalers, look by look, by hand; those of real ones are in
 * test_scaler_traces.c. */
#include "tests/models/world.h"

#include "models/policy/mdl_scaler.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

struct step {
    int t, current, metric, result;
};

struct scaler {
    struct wld_piece p;
    const struct mdl_scaler_row *row;
    void *state;
    bool gated;
};

static void open_scaler(struct scaler *s, const char *yaml)
{
    s->gated = false;
    if (wld_block(&s->p, &mdl_scaler_family, yaml) != SQ_OK) {
        struct sq_buf b = { 0 };
        sq_diag_print(&s->p.diag, &b);
        fail_msg("%s: %s", yaml, b.text);
    }
    s->row = mdl_scaler_row(&s->p.block);
    s->state = sq_mem_alloc(1, s->row->state_size(s->p.block.cfg));
    assert_non_null(s->state);
}

static void close_scaler(struct scaler *s)
{
    sq_mem_free(s->state);
    wld_piece_fini(&s->p);
}

static int64_t sync_at(struct scaler *s, double t, double metric, int64_t current, int64_t ready)
{
    struct mdl_scaler_view v = {
        .now = WLD_S(t), .metric = metric, .current = current, .ready = ready, .gated = s->gated
    };
    return s->row->decide(s->p.block.cfg, s->state, &v);
}

static int64_t poll_at(struct scaler *s, double t, double metric, int64_t current)
{
    struct mdl_scaler_view v = {
        .now = WLD_S(t), .metric = metric, .current = current, .ready = current, .gated = s->gated
    };
    return s->row->decide_poll(s->p.block.cfg, s->state, &v);
}

/* Scaling up by v2 defaults: four pods or double in 15 s, the larger. */
static const struct step up_defaults[] = {
    { 0, 1, 1000, 5 },    { 15, 5, 1000, 10 },  { 30, 10, 1000, 20 },
    { 45, 20, 1000, 40 }, { 60, 40, 1000, 80 }, { 75, 80, 1000, 100 },
};
/* Inside the tolerance nothing changes; a ratio of 1.1 is just outside in binary, 0.9 is inside. A
 * count out of bounds goes to the bound at once, whatever the metric and the stabilisation say. */
static const struct step edges[] = {
    { 0, 10, 109, 10 },  { 5, 10, 90, 10 },    { 10, 10, 110, 11 }, { 15, 10, 111, 12 },
    { 30, 12, 131, 12 }, { 45, 150, 20, 100 }, { 60, 2, 1000, 3 },
};

/* The count found at the first look is a recommendation like any other. */
static const struct step first_look[] = {
    { 15, 10, 20, 10 },
    { 30, 10, 20, 10 },
    { 314, 10, 20, 10 },
    { 315, 10, 20, 2 },
};
static const struct step first_look_up[] = {
    { 15, 10, 200, 10 },
    { 30, 10, 200, 10 },
    { 45, 10, 200, 20 },
};

static void traces(void **state)
{
    (void)state;
#define TRACE(yaml, steps)           \
    {                                \
        yaml, steps, SQ_COUNT(steps) \
    }
    static const struct {
        const char *yaml;
        const struct step *steps;
        size_t count;
    } rows[] = {
        TRACE("{kind: hpa, target: 10, max: 100}", up_defaults),
        TRACE("{kind: hpa, target: 10, min: 3, max: 100}", edges),
        TRACE("{kind: hpa, target: 10, max: 100}", first_look),
        TRACE("{kind: hpa, target: 10, max: 100, up: {stabilise: 30s}}", first_look_up),
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct scaler s;
        open_scaler(&s, rows[i].yaml);
        assert_int_equal(s.row->period(s.p.block.cfg), WLD_S(15));
        for (size_t k = 0; k < rows[i].count; k++) {
            const struct step *step = &rows[i].steps[k];
            int64_t got = sync_at(&s, step->t, step->metric, step->current, step->current);
            if (got != step->result) {
                fail_msg("trace %zu at %d s: %lld and not %d", i, step->t, (long long)got,
                         step->result);
            }
        }
        close_scaler(&s);
    }
}

/* target_type value multiplies the ready replicas, average does not look at them. */
static void who_counts(void **state)
{
    (void)state;
    struct scaler s;
    open_scaler(&s, "{kind: hpa, target: 5, target_type: value, max: 80}");
    assert_int_equal(sync_at(&s, 15, 10, 10, 4), 10); /* ceil(2 * 4) = 8 waits */
    assert_int_equal(sync_at(&s, 30, 20, 10, 4), 16);
    close_scaler(&s);
    open_scaler(&s, "{kind: hpa, target: 5, max: 80}");
    assert_int_equal(sync_at(&s, 15, 100, 10, 1), 20);
    close_scaler(&s);
    static const struct {
        const char *counts;
        unsigned bits;
    } rows[] = {
        { "", MDL_COUNTS_READY },
        { ", counts: delayed", MDL_COUNTS_DELAYED },
        { ", counts: [ready, delayed]", MDL_COUNTS_READY | MDL_COUNTS_DELAYED },
        { ", counts: [leased, ready]", MDL_COUNTS_READY | MDL_COUNTS_LEASED },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        char yaml[128];
        (void)snprintf(yaml, sizeof(yaml), "{kind: hpa, target: 5, max: 80%s}", rows[i].counts);
        open_scaler(&s, yaml);
        assert_int_equal(mdl_scaler_counts(&s.p.block), rows[i].bits);
        close_scaler(&s);
    }
}

/* Zero and back: at polls only, up with a metric above `activation`, down when the last activity
 * is more than `cooldown` ago, whatever the stabilisation of the HPA says. */
static void keda_and_zero(void **state)
{
    (void)state;
    struct scaler s;
    open_scaler(&s, "{kind: keda, target: 5, max: 10, activation: 3}");
    assert_int_equal(s.row->poll(s.p.block.cfg), WLD_S(30));
    assert_int_equal(sync_at(&s, 15, 1000, 0, 0), 0); /* the HPA is off at 0 */
    assert_int_equal(poll_at(&s, 30, 3, 0), 0);       /* not above */
    assert_int_equal(poll_at(&s, 60, 4, 0), 1);
    assert_int_equal(sync_at(&s, 75, 23, 1, 1), 5);
    assert_int_equal(poll_at(&s, 90, 23, 5), 5);
    for (int t = 120; t <= 390; t += 30) {
        assert_int_equal(poll_at(&s, t, 0, 5), 5); /* 390: exactly cooldown ago */
    }
    assert_int_equal(poll_at(&s, 390.000000001, 0, 5), 0);
    close_scaler(&s);
    open_scaler(&s, "{kind: keda, target: 5, min: 2, max: 10}");
    assert_int_equal(poll_at(&s, 3000, 0, 5), 5); /* min above 0: never to 0 */
    assert_int_equal(poll_at(&s, 3030, 1, 0), 2);
    close_scaler(&s);
    open_scaler(&s, "{kind: keda, target: 5, max: 10, down: {stabilise: 0s}}");
    assert_int_equal(sync_at(&s, 15, 0, 5, 5), 1); /* the HPA of a ScaledObject stops at 1 */
    close_scaler(&s);
}

/* One that was never active goes to zero at its first poll; a metric of nothing is not above
 * nothing. */
static void keda_never_active(void **state)
{
    (void)state;
    struct scaler s;
    open_scaler(&s, "{kind: keda, target: 5, max: 10}");
    assert_int_equal(poll_at(&s, 30, 0, 4), 0);
    assert_int_equal(poll_at(&s, 60, (double)NAN, 1), 0);
    assert_int_equal(poll_at(&s, 90, 1, 1), 1);
    assert_int_equal(poll_at(&s, 120, 0, 1), 1); /* now it waits */
    close_scaler(&s);
}

/* An unknown metric changes nothing, except what is out of bounds. */
static void unknown(void **state)
{
    (void)state;
    static const char *const yaml[] = {
        "{kind: hpa, metric: utilisation, target: 50%, min: 2, max: 9, down: {stabilise: 0s}}",
        "{kind: keda, target: 5, min: 2, max: 9, down: {stabilise: 0s}}",
        "{kind: target-tracking, target: 5, min: 2, max: 9, out_after: 1, in_after: 1}",
        "{kind: step, min: 2, max: 9, steps: [[0, -1], [10, +1]]}",
    };
    for (size_t i = 0; i < SQ_COUNT(yaml); i++) {
        struct scaler s;
        open_scaler(&s, yaml[i]);
        assert_int_equal(sync_at(&s, 60, (double)NAN, 5, 0), 5);
        assert_int_equal(sync_at(&s, 120, (double)NAN, 12, 0), 9);
        assert_int_equal(sync_at(&s, 180, (double)NAN, 1, 0), 2);
        close_scaler(&s);
    }
}

/* A closed gate keeps the count where it is, lets it go down, and never below min. */
static void gate(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        int64_t up, down; /* of 4 with a metric of 1000, of 0 */
    } rows[] = {
        { "{kind: hpa, target: 5, min: 2, max: 9, down: {stabilise: 0s}}", 8, 2 },
        { "{kind: keda, target: 5, min: 2, max: 9, down: {stabilise: 0s}}", 8, 2 },
        { "{kind: keda-jobs, target: 5, min: 2, max: 9}", 9, 4 },
        { "{kind: target-tracking, target: 5, min: 2, max: 9, out_after: 1, in_after: 1}", 9, 2 },
        { "{kind: step, min: 2, max: 9, steps: [[0, -1], [10, +3]]}", 7, 3 },
        { "{kind: lambda-sqs, min: 2, max: 9, start: 2, add: 3}", 7, 2 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        for (int gated = 0; gated < 2; gated++) {
            struct scaler s;
            open_scaler(&s, rows[i].yaml);
            s.gated = gated == 1;
            assert_int_equal(sync_at(&s, 600, 1000, 4, 4), gated == 1 ? 4 : rows[i].up);
            close_scaler(&s);
            open_scaler(&s, rows[i].yaml);
            s.gated = gated == 1;
            assert_int_equal(sync_at(&s, 600, 0, 4, 4), rows[i].down);
            assert_int_equal(sync_at(&s, 1200, 1000, 1, 1), 2);
            close_scaler(&s);
        }
    }
    struct scaler s;
    open_scaler(&s, "{kind: keda, target: 5, max: 9}");
    s.gated = true;
    assert_int_equal(poll_at(&s, 30, 9, 0), 0); /* from zero is up, too */
    s.gated = false;
    assert_int_equal(poll_at(&s, 60, 9, 0), 1);
    close_scaler(&s);
}

/* ScaledJob: `min` of them are always there and do not count; nothing is ever taken away. */
static void jobs(void **state)
{
    (void)state;
    struct scaler s;
    open_scaler(&s, "{kind: keda-jobs, target: 2, min: 3, max: 10}");
    assert_int_equal(s.row->period(s.p.block.cfg), WLD_S(30));
    assert_true(s.row->runs_once);
    assert_int_equal(sync_at(&s, 30, 0, 1, 1), 3);
    assert_int_equal(sync_at(&s, 30, 0, 7, 7), 7);
    assert_int_equal(sync_at(&s, 30, 5, 3, 3), 6);   /* ceil(5 / 2) more */
    assert_int_equal(sync_at(&s, 30, 99, 3, 3), 10); /* up to max, those of min included */
    assert_int_equal(sync_at(&s, 30, 5, 5, 5), 6);   /* 3 wanted, 2 run */
    close_scaler(&s);
}

/* Two alarms. Depth is per replica in service: 80 jobs, 4 replicas, 2 of them ready: 40 each. */
static void tracking(void **state)
{
    (void)state;
    struct scaler s;
    open_scaler(&s, "{kind: target-tracking, target: 10, max: 100}");
    assert_int_equal(s.row->period(s.p.block.cfg), WLD_S(60));
    assert_int_equal(sync_at(&s, 60, 80, 4, 4), 4);
    assert_int_equal(sync_at(&s, 120, 80, 4, 4), 4);
    assert_int_equal(sync_at(&s, 180, 80, 4, 4), 8); /* the third in a row: 4 * 20 / 10 */
    assert_int_equal(sync_at(&s, 240, 80, 8, 4), 8); /* cools */
    assert_int_equal(sync_at(&s, 420, 160, 8, 4), 8);
    assert_int_equal(sync_at(&s, 480, 160, 8, 4), 32); /* 8 * 40 / 10: starting ones multiply */
    for (int i = 0; i < 14; i++) {
        assert_int_equal(sync_at(&s, 540 + 60 * i, 160, 32, 32), 32);
    }
    assert_int_equal(sync_at(&s, 1380, 288, 32, 32), 32); /* 9 is not below 9 */
    for (int i = 0; i < 14; i++) {
        assert_int_equal(sync_at(&s, 1440 + 60 * i, 160, 32, 32), 32);
    }
    assert_int_equal(sync_at(&s, 2280, 160, 32, 32), 16); /* the fifteenth */
    assert_int_equal(sync_at(&s, 2340, 80, 16, 16), 16);  /* cools */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sync_at(&s, 2400 + 60 * i, 200, 16, 16),
                         i == 2 ? 20 : 16); /* up at once */
    }
    close_scaler(&s);
    open_scaler(&s, "{kind: target-tracking, metric: oldest, target: 10s, min: 0, max: 100, "
                    "out_after: 1, cooldown_out: 0s}");
    assert_int_equal(sync_at(&s, 60, 20, 4, 1), 8); /* an age is not shared */
    assert_int_equal(sync_at(&s, 120, 20, 0, 0), 2);
    close_scaler(&s);
}

static void steps(void **state)
{
    (void)state;
    struct scaler s;
    open_scaler(&s, "{kind: step, min: 2, max: 40, cooldown: 2m, steps: [[0, -2], [100, 0], [1000, "
                    "+5], [10k, 20]]}");
    assert_int_equal(s.row->period(s.p.block.cfg), WLD_S(60));
    static const struct step rows[] = {
        { 60, 3, 999, 3 },      { 120, 3, 1000, 8 },    { 180, 8, 10000, 8 },
        { 240, 8, 10000, 28 },  { 300, 28, 10000, 28 }, { 360, 28, 10000, 40 },
        { 420, 40, 10000, 40 }, { 480, 40, 99, 38 },    { 600, 38, 50000, 40 },
        { 720, 40, 100, 40 },   { 840, 3, 0, 2 },       { 960, 2, 0, 2 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        const struct step *r = &rows[i];
        int64_t got = sync_at(&s, r->t, r->metric, r->current, r->current);
        if (got != r->result) {
            fail_msg("%d s: %lld and not %d", r->t, (long long)got, r->result);
        }
    }
    close_scaler(&s);
}

static void lambda(void **state)
{
    (void)state;
    struct scaler s;
    open_scaler(&s, "{kind: lambda-sqs, max: 1000}");
    assert_int_equal(s.row->period(s.p.block.cfg), WLD_S(60));
    assert_int_equal(sync_at(&s, 60, 1, 1, 1), 5);
    assert_int_equal(sync_at(&s, 120, 1, 5, 5), 305);
    assert_int_equal(sync_at(&s, 180, 0, 305, 305), 5); /* nothing waits */
    assert_int_equal(sync_at(&s, 240, 0, 3, 3), 3);
    close_scaler(&s);
    open_scaler(&s, "{kind: lambda-sqs, min: 20, max: 100, start: 10, add: 60}");
    assert_int_equal(sync_at(&s, 60, 1, 20, 20), 80);
    assert_int_equal(sync_at(&s, 120, 1, 80, 80), 100);
    assert_int_equal(sync_at(&s, 180, 0, 100, 100), 20);
    close_scaler(&s);
}

/* Celery grows at once, shrinks only when it grew more than `keep` ago, never when it never grew.
 */
static void celery(void **state)
{
    (void)state;
    struct scaler s;
    open_scaler(&s, "{kind: celery, min: 2, max: 8}");
    assert_true(s.row->slots);
    assert_int_equal(sync_at(&s, 100, 1, 6, 0), 6);
    assert_int_equal(sync_at(&s, 101, 7, 6, 0), 7);
    assert_int_equal(sync_at(&s, 102, 30, 7, 0), 8);
    assert_int_equal(sync_at(&s, 132, 3, 8, 0), 8);
    assert_int_equal(sync_at(&s, 132.000000001, 3, 8, 0), 3);
    assert_int_equal(sync_at(&s, 133, 0, 3, 0), 2);
    close_scaler(&s);
}

/* A metric of the pods: starting ones are idle when that keeps the fleet from growing too far. */
static void pods(void **state)
{
    (void)state;
    struct scaler s;
    open_scaler(&s, "{kind: hpa, metric: utilisation, target: 0.5, max: 100, up: {policies: "
                    "[{pods: 90, every: 1s}]}, down: {stabilise: 0s}}");
    assert_int_equal(sync_at(&s, 15, 1, 10, 10), 20);
    assert_int_equal(sync_at(&s, 30, 1, 20, 10), 20);  /* 2 * 10 / 20 = 1: close */
    assert_int_equal(sync_at(&s, 45, 1, 30, 10), 30);  /* 2 * 10 / 30 would turn it round */
    assert_int_equal(sync_at(&s, 60, 0.2, 30, 10), 4); /* ceil(0.4 * 10): only the ready count */
    close_scaler(&s);
}

static void refuses(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{kind: hpa, target: 5}",
        "{kind: hpa, max: 5}",
        "{kind: hpa, target: 5, max: 4, min: 5}",
        "{kind: hpa, target: 5, max: 4, sync: 0s}",
        "{kind: hpa, target: 0, max: 4}",
        "{kind: hpa, target: 5, max: 4, cooldown: 1m}",
        "{kind: keda, target: 5, max: 4, poll: 0s}",
        "{kind: hpa, target: 5, max: 4, up: {policies: [{every: 15s}]}}",
        "{kind: hpa, target: 5, max: 4, up: {policies: [{pods: 1, percent: 5%, every: 15s}]}}",
        "{kind: hpa, target: 5, max: 4, counts: [redy]}",
        "{kind: hpa, target: 5s, max: 4}",
        "{kind: hpa, target: 50%, max: 4}",
        "{kind: hpa, metric: oldest, target: 5, max: 4}",
        "{kind: hpa, metric: arrivals, target: 5, max: 4}",
        "{kind: hpa, metric: processed, target: 5s, max: 4}",
        "{kind: hpa, metric: utilisation, target: 5/s, max: 4}",
        "{kind: keda, metric: oldest, target: 5s, activation: 3, max: 4}",
        "{kind: hpa, target: 5, max: 4, gate: {dependency: api}}",
        "{kind: hpa, target: 5, max: 4, gate: {dependency: api, utilisation: 120%}}",
        "{kind: keda-jobs, target: 5, max: 4, strategy: custom}",
        "{kind: target-tracking, max: 4}",
        "{kind: target-tracking, target: 5, max: 4, out_after: 0}",
        "{kind: step, max: 4, target: 5, steps: [[1, +1]]}",
        "{kind: step, max: 4, steps: []}",
        "{kind: step, max: 4, steps: [[9, +1], [9, +2]]}",
        "{kind: step, max: 4, metric: oldest, steps: [[9, +1]]}",
        "{kind: step, max: 4, steps: [[9, *2]]}",
        "{kind: lambda-sqs, max: 4, target: 5}",
        "{kind: celery, max: 4, counts: ready}",
        "{kind: celery, max: 4, min: 0}",
    };
    for (size_t i = 0; i < SQ_COUNT(bad); i++) {
        struct wld_piece p;
        if (wld_block(&p, &mdl_scaler_family, bad[i]) != SQ_USER) {
            fail_msg("%s is accepted", bad[i]);
        }
        assert_true(p.diag.errors > 0);
        wld_piece_fini(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces),        cmocka_unit_test(who_counts),
        cmocka_unit_test(keda_and_zero), cmocka_unit_test(keda_never_active),
        cmocka_unit_test(unknown),       cmocka_unit_test(gate),
        cmocka_unit_test(jobs),          cmocka_unit_test(tracking),
        cmocka_unit_test(steps),         cmocka_unit_test(lambda),
        cmocka_unit_test(celery),        cmocka_unit_test(pods),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
