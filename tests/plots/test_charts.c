/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_charts.c - what holds of every chart of runs: no two texts meet and none leaves the paper,
 * hostile names are laid out and escaped, the bytes do not depend on what was drawn before, and
 * missing memory is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "plots/plt_charts.h"
#include "plots/plt_layers.h"
#include "plots/plt_timeline.h"
#include "plots/plt_variants.h"
#include "tests/plots/picture.h"
#include "tests/plots/storm.h"

enum { VARIANTS = 3 };

static double upto[] = { 0.5, 1, 1.5, 60, 120 };
static uint64_t counts[] = { 40, 900, 0, 30, 5 };
static struct sq_histogram histograms[] = {
    { "producer.login-codes.delay_s", 300, 5, upto, counts },
    { "jobs.attempts", NAN, 5, upto, counts },
    { "dependency.template-api.calls_first_after_t1_s", NAN, 5, upto, counts },
    { "dependency.template-api.calls_retry_after_t1_s", NAN, 0, upto, counts },
};

static const struct sq_layer layers[] = {
    { "workers", "renderers", "template-api", 12, 1, 1, 12 },
    { "clients", "front", "template-api", 1, INFINITY, 0.3, INFINITY },
    { "dependencies", "template-api", "store", 1, 3, 2, INFINITY },
    { "dependencies", "template-api", "log", 1, 1, 1, INFINITY },
};

struct stuff {
    struct sq_layer layers[VARIANTS][SQ_COUNT(layers)];
    struct sq_result r[VARIANTS];
    const struct sq_result *list[VARIANTS];
};

static void make(struct stuff *s, size_t runs)
{
    static const char *const names[] = { "as-it-was", "full-jitter", "cap" };
    for (size_t i = 0; i < VARIANTS; i++) {
        assert_true(storm_make(&s->r[i], runs));
        s->r[i].variant = names[i];
        s->r[i].histograms = histograms;
        s->r[i].histogram_count = SQ_COUNT(histograms);
        memcpy(s->layers[i], layers, sizeof layers);
        s->r[i].layers = s->layers[i];
        s->r[i].layer_count = SQ_COUNT(layers);
        s->list[i] = &s->r[i];
    }
}

static void unmake(struct stuff *s)
{
    for (size_t i = 0; i < VARIANTS; i++) {
        sq_arena_fini(&s->r[i].arena);
    }
}

static enum sq_status draw_timeline(const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_timeline(s->list[0], look, out);
}

static enum sq_status draw_variants(const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_variants(s->list, VARIANTS, "one collapses, two do not", look, out);
}

static enum sq_status draw_drain(const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_drain(s->list[0], look, out);
}

static enum sq_status draw_ends(const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_ends(s->list, VARIANTS, look, out);
}

static enum sq_status draw_load(const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_load(s->list[0], look, out);
}

static enum sq_status draw_delays(const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_delays(s->list, VARIANTS, look, out);
}

static enum sq_status draw_attempts(const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_attempts(s->list, VARIANTS, look, out);
}

static enum sq_status draw_herd(const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_herd(s->list, VARIANTS, look, out);
}

static enum sq_status draw_layers(const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    return plt_chart_layers(s->list[0], look, out);
}

/* Six cells of two keys; where the second one is large most runs collapse. */
static enum sq_status draw_heat(const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    const char *slots[] = { "2", s->list[0]->variant, "8" }, *rates[] = { "10/s", "1,000,000/s" };
    struct sq_grid_key keys[] = { { s->list[0]->variant, 2, rates },
                                  { "workers.slots", 3, slots } };
    struct sq_grid_row rows[6];
    struct sq_grid_cell cells[6];
    for (size_t i = 0; i < 6; i++) {
        rows[i] = (struct sq_grid_row){ "outcome.p_collapse", 5, (double)i / 5, 0, 1, 0, 0, 1 };
        cells[i] = (struct sq_grid_cell){ i != 3, "abc", 1, &rows[i] };
    }
    const struct sq_grid g = { .title = s->list[0]->title,
                               .file = "x.yaml",
                               .runs = 5,
                               .key_count = 2,
                               .keys = keys,
                               .cell_count = 6,
                               .cells = cells };
    return plt_chart_heat(&g, NULL, look, out);
}

static enum sq_status draw_limits(const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    struct sq_trial trials[] = { { 1, "1", true, 9, 9, 0, 0.7, 1, 0, 0.3, 1 },
                                 { 4, "4", true, 9, 8, 1, 0.6, 0.97, 0.1, 0.4, 1 },
                                 { 5, "5", false, 9, 2, 7, 0.1, 0.5, 0.5, 0.9, 1 } };
    struct sq_limits l = { .title = s->list[0]->title,
                           .key = s->list[0]->variant,
                           .unit = "",
                           .unit_value = 1,
                           .until = s->list[0]->file,
                           .runs = 9,
                           .way_count = 1 };
    l.ways[0].tipping = (struct sq_tipping){
        .state = SQ_TIPPING_FOUND, .count = 3, .trials = trials, .below = 1, .holds_low = true
    };
    return plt_chart_limits(&l, look, out);
}

static const struct {
    const char *name;
    enum sq_status (*draw)(const struct stuff *s, struct plt_look look, struct sq_buf *out);
} charts[] = {
    { "timeline", draw_timeline }, { "variants", draw_variants }, { "drain", draw_drain },
    { "ends", draw_ends },         { "load", draw_load },         { "heat", draw_heat },
    { "limits", draw_limits },     { "delays", draw_delays },     { "attempts", draw_attempts },
    { "herd", draw_herd },         { "layers", draw_layers },
};

static const struct plt_look light = { PLT_SVG, &plt_theme_light };
static const struct plt_look dark = { PLT_SVG, &plt_theme_dark };

static void draw(size_t chart, const struct stuff *s, struct plt_look look, struct sq_buf *out)
{
    assert_int_equal(charts[chart].draw(s, look, out), SQ_OK);
    assert_false(out->failed);
}

static void check_texts(const char *name, const char *svg)
{
    struct picture *p = malloc(sizeof *p);
    assert_non_null(p);
    picture_read(p, svg);
    assert_true(p->count > 5);
    size_t faults = picture_faults(p);
    free(p);
    if (faults > 0) {
        fail_msg("%s: %zu faults", name, faults);
    }
}

static void no_two_texts_meet(void **state)
{
    (void)state;
    struct stuff s;
    make(&s, 5);
    for (size_t i = 0; i < SQ_COUNT(charts); i++) {
        struct sq_buf svg = { 0 };
        draw(i, &s, light, &svg);
        check_texts(charts[i].name, svg.text);
        sq_buf_fini(&svg);
    }
    unmake(&s);
}

/* A file is the same after the same chart, other charts, other formats and other themes. */
static void bytes_do_not_depend_on_what_was_drawn_before(void **state)
{
    (void)state;
    struct stuff s;
    make(&s, 2);
    struct sq_buf first[SQ_COUNT(charts)] = { { 0 } };
    for (size_t i = 0; i < SQ_COUNT(charts); i++) {
        draw(i, &s, light, &first[i]);
    }
    for (size_t i = SQ_COUNT(charts); i-- > 0;) {
        struct sq_buf again = { 0 }, other = { 0 }, png = { 0 };
        draw(i, &s, dark, &other);
        draw(i, &s, (struct plt_look){ PLT_PNG, &plt_theme_light }, &png);
        draw(i, &s, light, &again);
        assert_int_equal(again.len, first[i].len);
        assert_memory_equal(again.text, first[i].text, again.len);
        assert_true(other.len != again.len || memcmp(other.text, again.text, again.len) != 0);
        assert_null(strstr(again.text, " id="));
        sq_buf_fini(&again);
        sq_buf_fini(&other);
        sq_buf_fini(&png);
        sq_buf_fini(&first[i]);
    }
    unmake(&s);
}

static void hostile_names_are_laid_out(void **state)
{
    (void)state;
    static char endless[501];
    memset(endless, 'W', 500);
    static const char *const names[] = {
        "<script>alert(1)</script>", "\"quotes\" & 'more'", endless,
        "شبكة الخدمات الكبيرة",      "🔥🧯 fire",       "a\nline\tand \x01 control"
    };
    for (size_t n = 0; n < SQ_COUNT(names); n++) {
        struct stuff s;
        make(&s, 2);
        for (size_t i = 0; i < VARIANTS; i++) {
            s.r[i].variant = s.r[i].title = s.r[i].file = names[n];
            for (size_t k = 0; k < s.r[i].moment_count; k++) {
                s.r[i].moments[k].text = names[n];
            }
            s.layers[i][0].caller = s.layers[i][2].dependency = names[n];
        }
        for (size_t i = 0; i < SQ_COUNT(charts); i++) {
            struct sq_buf svg = { 0 };
            draw(i, &s, light, &svg);
            check_texts(names[n], svg.text);
            assert_null(strstr(svg.text, "<script"));
            assert_null(strchr(svg.text, '\x01'));
            sq_buf_fini(&svg);
        }
        unmake(&s);
    }
}

/* 900 calls in a fifth of a second are 4,500/s; a herd of ten is below the capacity of 125/s, and
 * is drawn on a scale up to 1.15 times that: 4,590 / 143.75 = 31.9 times as large. */
static void low_herds_have_a_scale_of_their_own(void **state)
{
    (void)state;
    static uint64_t few[] = { 4, 10, 0, 3, 5 };
    struct sq_histogram low = histograms[2];
    struct stuff s;
    struct sq_buf svg = { 0 };
    low.counts = few;
    make(&s, 2);
    s.r[1].histograms = &low;
    s.r[1].histogram_count = 1;
    assert_int_equal(draw_herd(&s, light, &svg), SQ_OK);
    const char *note = strstr(svg.text, "; scale 32 times as large</text>");
    assert_non_null(note);
    assert_null(strstr(note + 30, "times as large</text>"));
    sq_buf_fini(&svg);
    unmake(&s);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    struct stuff s;
    make(&s, 2);
    for (size_t i = 0; i < SQ_COUNT(charts); i++) {
        enum sq_status status = SQ_NOMEM;
        for (long n = 0; status == SQ_NOMEM; n += 1 + n / 16) {
            struct sq_buf svg = { 0 };
            sq_mem_fail_after(n);
            status = charts[i].draw(&s, light, &svg);
            sq_mem_fail_after(-1);
            assert_true(status == SQ_OK || svg.len == 0);
            sq_buf_fini(&svg);
        }
        assert_int_equal(status, SQ_OK);
    }
    unmake(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_texts_meet),
        cmocka_unit_test(bytes_do_not_depend_on_what_was_drawn_before),
        cmocka_unit_test(hostile_names_are_laid_out),
        cmocka_unit_test(low_herds_have_a_scale_of_their_own),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
