/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_timeline.c - the chart of a run: what it says, and that it is the same file every time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plots/plt_pick.h"
#include "plots/plt_timeline.h"
#include "tests/plots/storm.h"

static void draw(const struct sq_result *r, enum plt_format format, struct sq_buf *out)
{
    assert_int_equal(plt_timeline(r, format, out), SQ_OK);
    assert_non_null(out->text);
}

static void chart_says_what_happened(void **state)
{
    (void)state;
    static const char *const words[] = {
        "as-it-was: falls over 3 more times",
        "Template API goes down for 20 minutes. Queue clear after T1",
        "; queue clear 41m after recovery",
        "naive 12m, planned 35m, simulated 41m",
        "This is run 1 of 3; all of them collapse",
        "first calls",
        "retries",
        "goodput",
        "capacity 125/s",
        "peak 1,600/s = 32× normal",
        "enlarged: cut at 250/s",
        "template-api: outage, 20m",
        "collapse 3",
        "T1: back up",
        "T2: healthy for good",
        "queue clear",
        "on-call bounds the fleet",
        "Jobs of queue renders",
        "delayed",
        "Replicas of renderers",
        "limit 40",
        "1h10m",
        "flagship.yaml · variant as-it-was · seed 1 · 3 runs",
        "squall 0.1.0",
        "cut at 1h14m38s of 1h30m00s",
    };
    struct sq_result r;
    struct sq_buf svg = { 0 };
    assert_true(storm_make(&r, 3));
    draw(&r, PLT_SVG, &svg);
    for (size_t i = 0; i < SQ_COUNT(words); i++) {
        if (strstr(svg.text, words[i]) == NULL) {
            fail_msg("the chart does not say: %s", words[i]);
        }
    }
    assert_true(svg.len > 20000 && svg.len < 200000);
    assert_memory_equal(svg.text, "<?xml", 5);
    assert_string_equal(svg.text + svg.len - 7, "</svg>\n");
    sq_buf_fini(&svg);
    sq_arena_fini(&r.arena);
}

/* T2 at 0 and nothing else: the chart is of the whole run. */
static void well_from_the_start(void **state)
{
    (void)state;
    struct sq_moment well = { .kind = SQ_MOMENT_T2 };
    struct sq_result r;
    struct sq_buf svg = { 0 };
    assert_true(storm_make(&r, 1));
    r.moments = &well;
    r.moment_count = 1;
    assert_int_equal(plt_interesting_end(&r), r.series.end_ns);
    draw(&r, PLT_SVG, &svg);
    sq_buf_fini(&svg);
    sq_arena_fini(&r.arena);
}

/* Unlimited servers: the column of the capacity is there and holds no figure. */
static void no_capacity_is_not_down(void **state)
{
    (void)state;
    struct sq_result r;
    struct sq_buf svg = { 0 };
    assert_true(storm_make(&r, 1));
    for (size_t k = 0; k < STORM_COLUMNS; k++) {
        bool capacity = strcmp(storm_columns[k], "dependency.template-api.capacity_per_s") == 0;
        for (size_t i = 0; capacity && i < STORM_BINS; i++) {
            r.series.columns[k].bins[i] = NAN;
        }
    }
    draw(&r, PLT_SVG, &svg);
    assert_null(strstr(svg.text, ">down<"));
    assert_null(strstr(svg.text, ">capacity"));
    sq_buf_fini(&svg);
    sq_arena_fini(&r.arena);
}

static void same_result_same_bytes(void **state)
{
    (void)state;
    static const char *const signatures[] = { "<?xml", "\x89PNG\r\n\x1a\n", "%PDF-" };
    struct sq_result r;
    assert_true(storm_make(&r, 1));
    for (int format = PLT_SVG; format <= PLT_PDF; format++) {
        struct sq_buf one = { 0 }, two = { 0 };
        draw(&r, (enum plt_format)format, &one);
        draw(&r, (enum plt_format)format, &two);
        assert_int_equal(one.len, two.len);
        assert_memory_equal(one.text, two.text, one.len);
        assert_memory_equal(one.text, signatures[format], strlen(signatures[format]));
        sq_buf_fini(&one);
        sq_buf_fini(&two);
    }
    sq_arena_fini(&r.arena);
}

/* Walks the chunks of a PNG: 2,400 dots wide, and none that holds a time or a text. */
static void png_has_no_time(void **state)
{
    (void)state;
    struct sq_result r;
    struct sq_buf png = { 0 };
    assert_true(storm_make(&r, 1));
    draw(&r, PLT_PNG, &png);
    const unsigned char *at = (const unsigned char *)png.text + 8;
    const unsigned char *end = (const unsigned char *)png.text + png.len;
    assert_int_equal(at[8] << 24 | at[9] << 16 | at[10] << 8 | at[11], 2400);
    while (at + 12 <= end) {
        assert_true(memcmp(at + 4, "tIME", 4) != 0 && memcmp(at + 4, "tEXt", 4) != 0);
        at += 12 + ((size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3]);
    }
    assert_ptr_equal(at, end);
    sq_buf_fini(&png);
    sq_arena_fini(&r.arena);
}

/* Results as small as they come: one bin, nulls everywhere, no columns, no metrics, no moments. */
static void poor_results_are_drawn(void **state)
{
    (void)state;
    float null[] = { NAN }, one[] = { 3 };
    struct sq_column columns[] = { { "dependency.d.calls_first_per_s", null },
                                   { "dependency.d.goodput_per_s", null },
                                   { "queue.q.ready", one } };
    for (size_t count = 0; count <= SQ_COUNT(columns); count++) {
        struct sq_result r = { .seed = 1 };
        r.series = (struct sq_series){ SQ_NS_PER_S, 400000000, 1, count, columns };
        struct sq_buf svg = { 0 };
        draw(&r, PLT_SVG, &svg);
        assert_non_null(strstr(svg.text, "Untitled scenario."));
        assert_true((strstr(svg.text, "Jobs of queue q") != NULL) == (count == 3));
        sq_buf_fini(&svg);
    }
}

/* Draws ten bins of one dependency `d` and workers `w` of two slots; true if `text` is in it. */
static bool fleet_says(const struct sq_layer *layers, size_t count, const char *control,
                       const char *text)
{
    static float replicas[10], slots[10], limit[10], states[] = { 0, 1, 1, 1, 1, 1, 1, 2, 0, 0 };
    for (size_t i = 0; i < 10; i++) {
        replicas[i] = 12;
        slots[i] = 24;
        limit[i] = 20;
    }
    struct sq_column columns[] = {
        { "dependency.d.calls_first_per_s", replicas },
        { control, limit },
        { "control.d.breaker", states },
        { "workers.w.replicas", replicas },
        { "workers.w.ready_replicas", replicas },
        { "workers.w.slots", slots },
    };
    const char *names[] = { "control.d.breaker_opens" };
    struct sq_value opens = { 3, NULL };
    struct sq_run run = { 1, &opens };
    struct sq_layer copies[4];
    memcpy(copies, layers, count * sizeof *layers);
    struct sq_result r = { .seed = 1,
                           .metric_count = 1,
                           .metric_names = names,
                           .run_count = 1,
                           .runs = &run,
                           .layer_count = count,
                           .layers = copies };
    r.series = (struct sq_series){ SQ_NS_PER_S, STORM_S(10), 10, SQ_COUNT(columns), columns };
    struct sq_buf svg = { 0 };
    draw(&r, PLT_SVG, &svg);
    bool found = strstr(svg.text, text) != NULL;
    sq_buf_fini(&svg);
    return found;
}

static void breakers_and_what_a_dependency_bears(void **state)
{
    (void)state;
    static const struct sq_layer layers[] = {
        { "workers", "w", "d", 3, 1, 1, 3 },
        { "clients", "c", "d", 1, 1, 1, 1 },
    };
    static const char cap[] = "control.d.limit", overload[] = "dependency.d.overload_in_flight";
    assert_true(fleet_says(layers, 1, cap, "Breaker of d: opens 3 times; a notch"));
    assert_true(fleet_says(layers, 1, cap, ">open</text>"));
    assert_true(fleet_says(layers, 1, cap, "Replicas of w, and how many of them d bears"));
    assert_true(fleet_says(layers, 1, cap, "limit 20 ÷ 2 slots"));
    assert_true(fleet_says(layers, 1, overload, "it falls above 10<"));
    /* who calls it too has his share of it: nothing is said */
    assert_false(fleet_says(layers, 2, cap, "bears"));
    assert_false(fleet_says(layers, 0, overload, "bears"));
}

static void many_marks_and_hostile_words(void **state)
{
    (void)state;
    struct sq_result r;
    struct sq_buf svg = { 0 };
    assert_true(storm_make(&r, 1));
    for (size_t i = 0; i < STORM_MOMENTS_MAX; i++) {
        r.moments[i] = (struct sq_moment){ SQ_MOMENT_ACTION, STORM_S(60 * i), STORM_S(60 * i), NULL,
                                           "<b>&amp; a note that goes on and on and on: ÄÖÜ ÄÖÜ" };
    }
    r.moment_count = STORM_MOMENTS_MAX;
    draw(&r, PLT_SVG, &svg);
    assert_non_null(strstr(svg.text, "marks without a label"));
    assert_non_null(strstr(svg.text, "&lt;b&gt;&amp;amp; a note"));
    assert_null(strstr(svg.text, "<b>"));
    sq_buf_fini(&svg);
    sq_arena_fini(&r.arena);
}

/* An outage too short to be written into is written beside. */
static void short_spans_have_words(void **state)
{
    (void)state;
    struct sq_result r;
    struct sq_buf svg = { 0 };
    assert_true(storm_make(&r, 1));
    r.moments[0].until_ns = STORM_S(610);
    draw(&r, PLT_SVG, &svg);
    assert_non_null(strstr(svg.text, "template-api: outage, 10s"));
    sq_buf_fini(&svg);
    sq_arena_fini(&r.arena);
}

/* A spike of one second must survive when a column of pixels stands for many seconds. */
static void columns_keep_spikes(void **state)
{
    (void)state;
    float a[1000], b[1000];
    for (size_t i = 0; i < 1000; i++) {
        a[i] = 1;
        b[i] = NAN;
    }
    b[537] = 99;
    const struct plt_view v = { NULL, 1000, 10 };
    const struct plt_stack stack = { { a, b, NULL } };
    assert_int_equal(plt_view_first(&v, 5), 500);
    assert_int_equal(plt_view_first(&v, 10), 1000);
    assert_int_equal(plt_view_top(&v, 5, &stack), 537);
    assert_int_equal(plt_view_top(&v, 4, &stack), 400);
    size_t bin = 0;
    assert_true(plt_view_max(&v, &stack, &bin) == 100);
    assert_int_equal(bin, 537);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    struct sq_result r;
    assert_true(storm_make(&r, 1));
    enum sq_status status = SQ_NOMEM;
    long n = 0;
    for (; status == SQ_NOMEM; n++) {
        struct sq_buf svg = { 0 };
        sq_mem_fail_after(n);
        status = plt_timeline(&r, PLT_SVG, &svg);
        sq_mem_fail_after(-1);
        assert_true(status == SQ_OK || svg.len == 0);
        sq_buf_fini(&svg);
    }
    assert_int_equal(status, SQ_OK);
    assert_true(n > 5);
    sq_arena_fini(&r.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chart_says_what_happened),
        cmocka_unit_test(well_from_the_start),
        cmocka_unit_test(no_capacity_is_not_down),
        cmocka_unit_test(same_result_same_bytes),
        cmocka_unit_test(png_has_no_time),
        cmocka_unit_test(poor_results_are_drawn),
        cmocka_unit_test(breakers_and_what_a_dependency_bears),
        cmocka_unit_test(many_marks_and_hostile_words),
        cmocka_unit_test(short_spans_have_words),
        cmocka_unit_test(columns_keep_spikes),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
