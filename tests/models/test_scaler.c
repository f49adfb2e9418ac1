/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_scaler.c - the HPA's and KEDA's decisions, sync by sync.
 *
 * The traces come from the limit, stabilisation and event code of the Kubernetes controller. The
 * ones of an HPA without a `behavior` field have no counterpart: its fixed limit of
 * max(2 * current, 4) per sync and its own stabilisation are not in the language. */
#include "tests/models/world.h"

#include "models/policy/mdl_scaler.h"

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
};

static void open_scaler(struct scaler *s, const char *yaml)
{
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
    struct mdl_scaler_view v = { WLD_S(t), metric, current, ready };
    return s->row->decide(s->p.block.cfg, s->state, &v);
}

static int64_t poll_at(struct scaler *s, double t, double metric, int64_t current)
{
    struct mdl_scaler_view v = { WLD_S(t), metric, current, current };
    return s->row->decide_poll(s->p.block.cfg, s->state, &v);
}

/* hpa-downscale-stabilization: scaling down waits until the highest recommendation of the last
 * 300 s is out; entries strictly younger count. */
static const struct step stabilised[] = {
    { 0, 10, 100, 10 },  { 15, 10, 100, 10 }, { 30, 10, 20, 10 },  { 45, 10, 20, 10 },
    { 60, 10, 20, 10 },  { 75, 10, 20, 10 },  { 90, 10, 20, 10 },  { 105, 10, 20, 10 },
    { 120, 10, 20, 10 }, { 135, 10, 20, 10 }, { 150, 10, 20, 10 }, { 165, 10, 20, 10 },
    { 180, 10, 20, 10 }, { 195, 10, 20, 10 }, { 210, 10, 20, 10 }, { 225, 10, 20, 10 },
    { 240, 10, 20, 10 }, { 255, 10, 20, 10 }, { 270, 10, 20, 10 }, { 285, 10, 20, 10 },
    { 300, 10, 20, 10 }, { 315, 10, 20, 2 },  { 330, 2, 20, 2 },   { 345, 2, 20, 2 },
    { 360, 2, 20, 2 },
};
/* hpa-downscale-policies: 4 pods or 10 % in 60 s, the larger; a percent limit is cut off towards
 * zero, so the change rounds up. */
static const struct step down_policies[] = {
    { 0, 80, 100, 72 },   { 15, 72, 100, 72 },  { 30, 72, 100, 72 },  { 45, 72, 100, 72 },
    { 60, 72, 100, 64 },  { 75, 64, 100, 64 },  { 90, 64, 100, 64 },  { 105, 64, 100, 64 },
    { 120, 64, 100, 57 }, { 135, 57, 100, 57 }, { 150, 57, 100, 57 }, { 165, 57, 100, 57 },
    { 180, 57, 100, 51 }, { 195, 51, 100, 51 },
};
/* hpa-scaleup-min-policy-stab */
static const struct step min_policy[] = {
    { 0, 4, 40, 4 },      { 15, 4, 40, 4 },     { 30, 4, 200, 4 },    { 45, 4, 200, 4 },
    { 60, 4, 200, 4 },    { 75, 4, 200, 6 },    { 90, 6, 200, 6 },    { 105, 6, 200, 8 },
    { 120, 8, 200, 8 },   { 135, 8, 200, 10 },  { 150, 10, 200, 10 }, { 165, 10, 200, 12 },
    { 180, 12, 200, 12 }, { 195, 12, 200, 14 },
};
/* hpa-scaledown-disabled */
static const struct step disabled[] = {
    { 0, 10, 20, 10 },   { 15, 10, 20, 10 },  { 300, 10, 20, 10 },
    { 315, 10, 20, 10 }, { 330, 10, 20, 10 }, { 345, 10, 20, 10 },
};
/* hpa-value-metric-feedback: a value that does not fall as replicas rise compounds to max. */
static const struct step value[] = {
    { 0, 3, 20, 7 },    { 15, 7, 20, 14 },  { 30, 14, 20, 28 },
    { 45, 28, 20, 56 }, { 60, 56, 20, 80 }, { 75, 80, 20, 80 },
};
/* seed-keda-outage-20 */
static const struct step outage_20[] = {
    { 0, 10, 0, 10 },       { 15, 10, 750, 10 },    { 30, 10, 1500, 10 },   { 45, 10, 2250, 10 },
    { 60, 10, 3000, 10 },   { 75, 10, 3750, 10 },   { 90, 10, 4500, 10 },   { 105, 10, 5250, 10 },
    { 120, 10, 6000, 10 },  { 135, 10, 6750, 10 },  { 150, 10, 7500, 10 },  { 165, 10, 8250, 11 },
    { 180, 11, 9000, 11 },  { 195, 11, 9750, 13 },  { 210, 13, 10500, 13 }, { 225, 13, 11250, 15 },
    { 240, 15, 12000, 15 }, { 255, 15, 12750, 17 }, { 270, 17, 13500, 17 }, { 285, 17, 14250, 19 },
    { 300, 19, 15000, 19 }, { 315, 19, 15750, 20 }, { 330, 20, 16500, 20 }, { 345, 20, 17250, 20 },
    { 360, 20, 18000, 20 }, { 375, 20, 18750, 20 },
};
/* Scaling up by v2 defaults: four pods or double in 15 s, the larger. */
static const struct step up_defaults[] = {
    { 0, 1, 1000, 5 },    { 15, 5, 1000, 10 },  { 30, 10, 1000, 20 },
    { 45, 20, 1000, 40 }, { 60, 40, 1000, 80 }, { 75, 80, 1000, 100 },
};
/* Inside the tolerance nothing changes, (the traces above have its edge: 8250 / 7500 is outside); a
 * count out of bounds goes to the bound at once, whatever the metric and the stabilisation say. */
static const struct step edges[] = {
    { 0, 10, 109, 10 },   { 15, 10, 111, 12 }, { 30, 12, 131, 12 },
    { 45, 150, 20, 100 }, { 60, 2, 1000, 3 },
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
        TRACE("{kind: hpa, target: 10, max: 100}", stabilised),
        TRACE("{kind: keda, target: 10, max: 100}", stabilised),
        TRACE("{kind: hpa, target: 10, max: 100, down: {stabilise: 0s, policies: "
              "[{pods: 4, every: 60s}, {percent: 10%, every: 60s}]}}",
              down_policies),
        TRACE("{kind: hpa, target: 10, max: 100, up: {stabilise: 60s, select: min, policies: "
              "[{pods: 2, every: 30s}, {percent: 50%, every: 30s}]}}",
              min_policy),
        TRACE("{kind: hpa, target: 10, max: 100, down: {select: disabled}}", disabled),
        TRACE("{kind: hpa, target: 5, target_type: value, max: 80}", value),
        TRACE("{kind: hpa, target: 750, min: 10, max: 20}", outage_20),
        TRACE("{kind: keda, target: 750, min: 10, max: 20}", outage_20),
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

/* seed-keda-outage-80: the backlog rises by 50/s to 60,000; these are the syncs at which the count
 * changes, and it stays the same at all others. */
static void backlog_of_an_outage(void **state)
{
    (void)state;
    static const int changes[][2] = {
        { 165, 11 }, { 195, 13 }, { 225, 15 }, { 255, 17 }, { 285, 19 },  { 315, 21 },
        { 360, 24 }, { 405, 27 }, { 450, 30 }, { 495, 33 }, { 555, 37 },  { 615, 41 },
        { 690, 46 }, { 765, 51 }, { 855, 57 }, { 945, 63 }, { 1050, 70 }, { 1155, 77 },
    };
    struct scaler s;
    open_scaler(&s, "{kind: keda, target: 750, min: 10, max: 80}");
    int64_t current = 10;
    size_t next = 0;
    for (int t = 0; t <= 1245; t += 15) {
        int64_t metric = sq_min_i64(50 * (int64_t)t, 60000);
        int64_t got = sync_at(&s, t, (double)metric, current, current);
        if (got != current) {
            assert_true(next < SQ_COUNT(changes));
            assert_int_equal(t, changes[next][0]);
            assert_int_equal(got, changes[next][1]);
            next++;
        }
        current = got;
    }
    assert_int_equal(next, SQ_COUNT(changes));
    close_scaler(&s);
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
        cmocka_unit_test(traces),     cmocka_unit_test(backlog_of_an_outage),
        cmocka_unit_test(who_counts), cmocka_unit_test(keda_and_zero),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
