/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_marks.c - queue clear, unhealthy bins, T2, how it ends, and whether a run collapsed, of
 * made-up histories: one bin a second, one queue, one dependency, settle 60 s, T1 at 100 s. */
#include "tests/models/world.h"

#include "models/mdl_marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { T1 = 100, LONGEST = 2000 };

/* What happens, second by second; applied by `live`. Times in s; count 0 ends a list. */
struct backlog {
    double at;
    int64_t value;
};
struct down {
    int from, until;
};
struct tries { /* in each second of [from, until): so many, of which so many failed */
    int from, until;
    uint32_t all, failed;
};
struct history {
    const char *what;
    struct backlog backlog[8];
    struct down down[4];
    struct tries tries[4];
    int end;
    double clear, t2; /* -1: null */
    bool collapsed;
    bool relapsed;
};

struct marks {
    struct mdl_marks m;
    struct sq_arena arena;
};

static void open_marks(struct marks *x, const struct mdl_marks_ask *ask)
{
    *x = (struct marks){ 0 };
    assert_int_equal(mdl_marks_init(&x->m, ask, &x->arena), SQ_OK);
    x->m.called[0] = true;
}

static void close_marks(struct marks *x)
{
    assert_false(x->m.failed);
    mdl_marks_fini(&x->m);
    sq_arena_fini(&x->arena);
}

static struct mdl_marks_ask usual(void)
{
    return (struct mdl_marks_ask){ .bin = WLD_S(1),
                                   .window = WLD_S(30),
                                   .settle = WLD_S(60),
                                   .t1 = WLD_S(T1),
                                   .longest = WLD_S(LONGEST),
                                   .failure_share = 0.05,
                                   .backlog = 20,
                                   .queue_count = 1,
                                   .dependency_count = 1 };
}

static void live_second(struct marks *x, const struct history *h, int s)
{
    for (size_t i = 0; i < SQ_COUNT(h->backlog); i++) {
        double at = h->backlog[i].at;
        if (at >= s && at < s + 1 && (at > 0 || h->backlog[i].value > 0)) {
            mdl_marks_backlog(&x->m, 0, WLD_S(at), h->backlog[i].value);
        }
    }
    for (size_t i = 0; i < SQ_COUNT(h->down); i++) {
        if (h->down[i].until > 0 && h->down[i].from == s) {
            mdl_marks_down(&x->m, 0, WLD_S(s), true);
        }
        if (h->down[i].until > 0 && h->down[i].until == s) {
            mdl_marks_down(&x->m, 0, WLD_S(s), false);
        }
    }
    for (size_t i = 0; i < SQ_COUNT(h->tries); i++) {
        for (uint32_t k = 0; k < h->tries[i].all && s >= h->tries[i].from; k++) {
            if (s < h->tries[i].until) {
                mdl_marks_try(&x->m, 0, k < h->tries[i].failed);
            }
        }
    }
}

static void live(struct marks *x, const struct history *h)
{
    mdl_marks_baseline(&x->m, 0, 0);
    for (int s = 0; s < h->end; s++) {
        live_second(x, h, s);
        mdl_marks_bin(&x->m, (struct mdl_bin_sums){ 5, 10, 10, 10 });
    }
    mdl_marks_judge(&x->m, WLD_S(h->end), h->relapsed);
}

static const struct history histories[] = {
    { .what = "nothing ever", .end = 600, .clear = 100, .t2 = 100 },
    { .what = "an outage until T1", .down = { { 40, 100 } }, .end = 600, .clear = 100, .t2 = 100 },
    { .what = "a backlog until 150 s",
      .backlog = { { 50, 500 }, { 150, 20 } },
      .end = 600,
      .clear = 150,
      .t2 = 146 }, /* T2: four unhealthy bins of 454 are fewer than 1 %, five of 455 are not */
    { .what = "21 is above 20, 20 is not",
      .backlog = { { 110, 21 }, { 150, 20 } },
      .end = 600,
      .clear = 150,
      .t2 = 146 },
    { .what = "equal to the limit",
      .backlog = { { 110, 20 } },
      .end = 600,
      .clear = 100,
      .t2 = 100 },
    { .what = "bursts shorter than 10 s",
      .backlog = { { 110, 99 }, { 119.999, 3 }, { 130, 99 }, { 139.9, 3 } },
      .end = 600,
      .clear = 100,
      .t2 = 100 },
    { .what = "a burst of exactly 10 s",
      .backlog = { { 110, 99 }, { 120, 3 } },
      .end = 600,
      .clear = 120,
      .t2 = 116 },
    { .what = "two bursts with nothing between them",
      .backlog = { { 110, 99 }, { 116, 3 }, { 116, 99 }, { 122, 3 } },
      .end = 600,
      .clear = 122,
      .t2 = 118 },
    { .what = "a burst later than settle after T1",
      .backlog = { { 161, 99 }, { 175, 3 } },
      .end = 1200,
      .clear = 100,
      .t2 = 165 },
    { .what = "a burst within settle after T1",
      .backlog = { { 159, 99 }, { 175, 3 } },
      .end = 1200,
      .clear = 175,
      .t2 = 165 },
    { .what = "a burst that begins at settle after T1",
      .backlog = { { 160, 99 }, { 175, 3 } },
      .end = 1200,
      .clear = 100,
      .t2 = 165 },
    { .what = "a backlog to the end",
      .backlog = { { 50, 500 } },
      .end = 600,
      .clear = -1,
      .t2 = -1,
      .collapsed = true },
    { .what = "a burst that ends the run",
      .backlog = { { 595, 500 } },
      .end = 600,
      .clear = 100,
      .t2 = 100 },
    { .what = "a relapse",
      .down = { { 40, 100 }, { 130, 170 } },
      .relapsed = true,
      .end = 1200,
      .clear = 170,
      .t2 = 160,
      .collapsed = true },
    { .what = "unhealthy within settle before the end",
      .down = { { 560, 561 } },
      .end = 600,
      .clear = 100,
      .t2 = -1,
      .collapsed = true },
    { .what = "unhealthy just before that",
      .down = { { 539, 540 } },
      .end = 600,
      .clear = 100,
      .t2 = 100 },
    { .what = "down at the end",
      .down = { { 560, 9999 } },
      .end = 600,
      .clear = 100,
      .t2 = -1,
      .collapsed = true },
    { .what = "less than 1 % of the bins",
      .down = { { 300, 309 } },
      .end = 1100,
      .clear = 100,
      .t2 = 100 },
    { .what = "1 % of the bins", .down = { { 300, 310 } }, .end = 1100, .clear = 100, .t2 = 303 },
    { .what = "a base of 4 % errors",
      .tries = { { 0, 600, 25, 1 } },
      .end = 600,
      .clear = 100,
      .t2 = 100 },
    /* 20 of 600 tries in some windows, 6.7 %: above 5 %, but not by more than chance */
    { .what = "above the share by chance",
      .tries = { { 0, 600, 10, 0 }, { 200, 220, 1, 1 } },
      .end = 900,
      .clear = 100,
      .t2 = 100 },
    { .what = "all fail, 19 in a window",
      .tries = { { 200, 219, 1, 1 } },
      .end = 900,
      .clear = 100,
      .t2 = 100 },
    /* windows that start with bins 190 ... 200 see all 20 */
    { .what = "all fail, 20 in a window",
      .tries = { { 200, 220, 1, 1 } },
      .end = 900,
      .clear = 100,
      .t2 = 194 },
    { .what = "T1 after the end", .end = 100, .clear = -1, .t2 = -1, .collapsed = true },
};

static void marks_of_histories(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQ_COUNT(histories); i++) {
        const struct history *h = &histories[i];
        struct mdl_marks_ask ask = usual();
        struct marks x;
        open_marks(&x, &ask);
        live(&x, h);
        sq_time_t clear = h->clear < 0 ? SQ_NEVER : WLD_S(h->clear);
        sq_time_t t2 = h->t2 < 0 ? SQ_NEVER : WLD_S(h->t2);
        if (x.m.queue_clear != clear || x.m.t2 != t2 || x.m.collapsed != h->collapsed) {
            fail_msg("%s: clear %.3f, T2 %.3f, collapsed %d", h->what,
                     sq_time_to_s(x.m.queue_clear), sq_time_to_s(x.m.t2), x.m.collapsed);
        }
        close_marks(&x);
    }
}

/* Without T1 there is no clear, no T2 and no state; a run collapsed if a rule tripped or its last
 * bins are unhealthy. */
static void without_t1(void **state)
{
    (void)state;
    static const struct history rows[] = {
        { .what = "well", .backlog = { { 50, 500 }, { 90, 0 } }, .end = 600 },
        { .what = "a rule tripped", .relapsed = true, .end = 600, .collapsed = true },
        { .what = "unwell at the end", .backlog = { { 550, 500 } }, .end = 600, .collapsed = true },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct mdl_marks_ask ask = usual();
        ask.t1 = SQ_NEVER;
        struct marks x;
        open_marks(&x, &ask);
        live(&x, &rows[i]);
        assert_int_equal(x.m.queue_clear, SQ_NEVER);
        assert_int_equal(x.m.t2, SQ_NEVER);
        assert_null(x.m.state);
        assert_true(x.m.collapsed == rows[i].collapsed);
        close_marks(&x);
    }
}

static void without_queues(void **state)
{
    (void)state;
    struct mdl_marks_ask ask = usual();
    ask.queue_count = 0;
    struct marks x;
    open_marks(&x, &ask);
    live(&x, &(struct history){ .end = 600 });
    assert_int_equal(x.m.queue_clear, SQ_NEVER);
    assert_int_equal(x.m.t2, WLD_S(T1));
    close_marks(&x);
}

/* A dependency that no workers call does not keep a queue from being clear; it is unhealthy. */
static void not_called(void **state)
{
    (void)state;
    struct mdl_marks_ask ask = usual();
    struct marks x;
    open_marks(&x, &ask);
    x.m.called[0] = false;
    live(&x, &(struct history){ .down = { { 90, 130 } }, .end = 400 });
    assert_int_equal(x.m.queue_clear, WLD_S(100));
    assert_int_equal(x.m.t2, WLD_S(128));
    close_marks(&x);
}

/* The baseline gives the limits: max(20, 2 * maximum), max(5 %, 2 * share), if it is 10 s long. */
static void limits_of_the_baseline(void **state)
{
    (void)state;
    static const struct {
        double length;
        int64_t backlog, limit;
        uint32_t failed; /* of 100 */
        double share;
    } rows[] = {
        { 60, 7, 20, 1, 0.05 },     { 60, 10, 20, 2, 0.05 },      { 60, 11, 22, 4, 0.08 },
        { 60, 500, 1000, 0, 0.05 }, { 9.999, 500, 20, 40, 0.05 }, { 10, 500, 1000, 40, 0.8 },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct mdl_marks_ask ask = usual();
        ask.backlog = -1;
        ask.failure_share = (double)NAN;
        struct marks x;
        open_marks(&x, &ask);
        mdl_marks_backlog(&x.m, 0, 0, rows[i].backlog);
        for (uint32_t k = 0; k < 100; k++) {
            mdl_marks_try(&x.m, 0, k < rows[i].failed);
        }
        mdl_marks_bin(&x.m, (struct mdl_bin_sums){ 0 });
        mdl_marks_backlog(&x.m, 0, WLD_S(1), 0);
        mdl_marks_baseline(&x.m, WLD_S(rows[i].length), WLD_S(rows[i].length));
        assert_int_equal(x.m.queues[0].limit, rows[i].limit);
        assert_true(fabs(x.m.failure_share - rows[i].share) < 1e-12);
        close_marks(&x);
    }
    /* Before measure_from is before the baseline: only what still waits then counts. */
    struct mdl_marks_ask ask = usual();
    ask.backlog = -1;
    ask.failure_share = (double)NAN;
    struct marks x;
    open_marks(&x, &ask);
    mdl_marks_backlog(&x.m, 0, 0, 500);
    mdl_marks_try(&x.m, 0, true);
    mdl_marks_backlog(&x.m, 0, WLD_S(1), 15);
    mdl_marks_bin(&x.m, (struct mdl_bin_sums){ 0 });
    mdl_marks_measure(&x.m);
    mdl_marks_try(&x.m, 0, false);
    mdl_marks_baseline(&x.m, WLD_S(30), WLD_S(29));
    assert_int_equal(x.m.queues[0].limit, 30);
    assert_true(x.m.failure_share == 0.05);
    close_marks(&x);
}

/* How it ends when there is no T2: by the slope of the unfinished jobs over the last tenth of
 * [T1, E) and the arrival rate then (10/s: a slope within 0.1/s is none). */
static void how_it_ends(void **state)
{
    (void)state;
    static const struct {
        double start, slope; /* of the jobs alive, per second */
        uint64_t arrivals;
        const char *state;
    } rows[] = {
        { 5000, 0, 10, "stalled" },          { 5000, 0.1, 10, "stalled" },
        { 5000, 0.2, 10, "will not drain" }, { 5000, -0.1, 10, "stalled" },
        { 8000, -1, 10, "clears" },          /* 7,000 left, at most 10 * 1,000 s away */
        { 30000, -1, 10, "will not drain" }, /* some day */
        { 5000, 0, 0, "stalled" },           { 5000, -1, 0, "clears" },
        { 1000, 5, 10, "will not drain" },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct mdl_marks_ask ask = usual();
        struct marks x;
        open_marks(&x, &ask);
        mdl_marks_baseline(&x.m, 0, 0);
        mdl_marks_backlog(&x.m, 0, 0, 1000); /* for good: no T2 */
        for (int s = 0; s < 1100; s++) {
            int64_t alive = (int64_t)(rows[i].start + rows[i].slope * s);
            mdl_marks_bin(&x.m, (struct mdl_bin_sums){ alive, rows[i].arrivals, 10, 10 });
        }
        mdl_marks_judge(&x.m, WLD_S(1100), false);
        assert_string_equal(x.m.state, rows[i].state);
        assert_true(x.m.collapsed);
        close_marks(&x);
    }
}

/* Goodput below 90 % of first calls over the last max(60 s, 5 %) with arrivals. */
static void useless(void **state)
{
    (void)state;
    static const struct {
        int seconds; /* in which goodput is `low` of 10 first calls */
        uint64_t low;
        int bin;
        bool collapsed;
    } rows[] = {
        { 60, 8, 1, true },  { 60, 9, 1, false }, { 40, 8, 1, true },    { 29, 8, 1, false },
        { 30, 8, 1, false }, { 31, 8, 1, true },  { 600, 8, 120, true }, { 600, 9, 120, false },
    };
    for (size_t i = 0; i < SQ_COUNT(rows); i++) {
        struct mdl_marks_ask ask = usual();
        ask.bin = WLD_S(rows[i].bin);
        struct marks x;
        open_marks(&x, &ask);
        mdl_marks_baseline(&x.m, 0, 0);
        for (int s = 0; s < 600; s += rows[i].bin) {
            uint64_t good = s >= 600 - rows[i].seconds ? rows[i].low : 10;
            mdl_marks_bin(&x.m, (struct mdl_bin_sums){ 0, 1, good, 10 });
        }
        sq_time_t end = WLD_S(600);
        for (int s = 0; s < 120 && rows[i].bin == 1; s++) { /* a tail without arrivals */
            mdl_marks_bin(&x.m, (struct mdl_bin_sums){ 0, 0, 0, 0 });
            end += WLD_S(1);
        }
        mdl_marks_judge(&x.m, end, false);
        assert_true(x.m.t2 != SQ_NEVER);
        if (x.m.collapsed != rows[i].collapsed) {
            fail_msg("row %zu", i);
        }
        close_marks(&x);
    }
}

/* In a run: T1 after the end, nothing in the way; all its marks are null. */
/* The width of the bins says nothing about health: an outage that ends inside a bin, shortly before
 * the end of a short run, is over. */
static void outage_inside_a_bin(void **state)
{
    (void)state;
    static const char *const bins[] = { "1s", "4s", "7s", "30s" };
    static const char *const lengths[] = { "5s", "4500ms" };
    for (size_t i = 0; i < SQ_COUNT(bins) * SQ_COUNT(lengths); i++) {
        struct wld t;
        char text[600];
        (void)snprintf(text, sizeof(text),
                       "squall: 1\nduration: 30s\ntail: 30s\ntimeline: %s\n"
                       "producers: {p: {queue: q, arrivals: {kind: regular, rate: 2/s}}}\n"
                       "queues: {q: {}}\n"
                       "workers: {w: {queue: q, slots: 4, calls: {d: {timeout: 1s}},\n"
                       "  retry: {max_attempts: 9, backoff: 1s, jitter: none}}}\n"
                       "dependencies: {d: {service: 10ms, outages: [{at: 10s, for: %s}]}}\n",
                       bins[i % SQ_COUNT(bins)], lengths[i / SQ_COUNT(bins)]);
        wld_run(&t, text);
        assert_true(wld_get(&t, "outcome.p_collapse") < 0.5);
        assert_true(wld_get(&t, "drain.healthy_s") == 0);
        wld_fini(&t);
    }
}

static void t1_never_comes(void **state)
{
    (void)state;
    struct wld t;
    wld_run(&t,
            "squall: 1\nduration: 1m\n"
            "producers: {p: {queue: q, arrivals: 9/s}}\nqueues: {q: {}}\n"
            "workers: {w: {queue: q, slots: 20, calls: {api: {timeout: 1ms}}}}\n"
            "dependencies: {api: {servers: 5, service: 200ms, outages: [{at: 50s, for: 1h}]}}\n");
    assert_true(wld_get(&t, "dependency.api.timeouts") > 100);
    assert_true(isnan(wld_get(&t, "drain.queue_clear_s")));
    assert_true(isnan(wld_get(&t, "drain.healthy_s")));
    assert_true(isnan(wld_get(&t, "drain.last_job_s")));
    assert_true(isnan(wld_get(&t, "forecast.naive_s")));
    assert_string_equal(wld_word(&t, "drain.state"), "null");
    wld_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_of_histories),
        cmocka_unit_test(without_t1),
        cmocka_unit_test(without_queues),
        cmocka_unit_test(not_called),
        cmocka_unit_test(limits_of_the_baseline),
        cmocka_unit_test(how_it_ends),
        cmocka_unit_test(useless),
        cmocka_unit_test(outage_inside_a_bin),
        cmocka_unit_test(t1_never_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
