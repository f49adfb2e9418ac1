/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_theme.c - colours by figures: what must be read can be read, what lies side by side stays
 * apart, in grey and for eyes that do not tell red from green. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "plots/plt_theme.h"

static const struct plt_theme *const themes[] = { &plt_theme_light, &plt_theme_dark };

/* Published pairs: black on white is 21, #767676 on white 4.54, #777 on white 4.48. */
static void contrast_is_that_of_wcag(void **state)
{
    (void)state;
    const struct plt_ink white = { 1, 1, 1, 1 }, black = { 0, 0, 0, 1 };
    const struct plt_ink grey = { 0x76 / 255.0, 0x76 / 255.0, 0x76 / 255.0, 1 };
    const struct plt_ink half = { 0x77 / 255.0, 0x77 / 255.0, 0x77 / 255.0, 1 };
    assert_true(fabs(plt_ink_contrast(white, black) - 21) < 1e-9);
    assert_true(fabs(plt_ink_contrast(grey, white) - 4.54) < 0.005);
    assert_true(fabs(plt_ink_contrast(white, half) - 4.48) < 0.005);
}

static void texts_and_lines_can_be_seen(void **state)
{
    (void)state;
    for (size_t t = 0; t < SQ_COUNT(themes); t++) {
        const struct plt_theme *k = themes[t];
        assert_true(plt_ink_contrast(k->text, k->paper) >= 7);
        assert_true(plt_ink_contrast(k->faint, k->paper) >= 4.5);
        assert_true(plt_ink_contrast(k->paper, k->mark) >= 4.5); /* words on bars */
        struct plt_ink bar = k->collapse;
        bar.a = 1;
        assert_true(plt_ink_contrast(k->paper, bar) >= 4.5);
        const struct plt_ink lines[] = { k->goodput,  k->capacity, k->first, k->ready,
                                         k->starting, k->wanted,   k->strong };
        for (size_t i = 0; i < SQ_COUNT(lines); i++) {
            assert_true(plt_ink_contrast(lines[i], k->paper) >= 2.9);
        }
        for (size_t i = 0; i < PLT_SERIES_MAX; i++) {
            assert_true(plt_ink_contrast(k->series[i], k->paper) >= 3);
        }
        assert_true(plt_ink_contrast(plt_ink_over(k->outage, k->paper), k->text) >= 7);
    }
}

static double linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double lab(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

struct seen {
    double l, a, b;
};

/* CIE L*a*b* of a colour as seen through a matrix on linear sRGB. */
static struct seen look(struct plt_ink ink, const double m[9])
{
    double in[3] = { linear(ink.r), linear(ink.g), linear(ink.b) }, out[3];
    for (size_t i = 0; i < 3; i++) {
        double v = m[3 * i] * in[0] + m[3 * i + 1] * in[1] + m[3 * i + 2] * in[2];
        out[i] = fmin(fmax(v, 0), 1);
    }
    double x = lab((0.4124 * out[0] + 0.3576 * out[1] + 0.1805 * out[2]) / 0.9505);
    double y = lab(0.2126 * out[0] + 0.7152 * out[1] + 0.0722 * out[2]);
    double z = lab((0.0193 * out[0] + 0.1192 * out[1] + 0.9505 * out[2]) / 1.089);
    return (struct seen){ 116 * y - 16, 500 * (x - y), 200 * (y - z) };
}

static double distance(struct seen p, struct seen q)
{
    return sqrt((p.l - q.l) * (p.l - q.l) + (p.a - q.a) * (p.a - q.a) + (p.b - q.b) * (p.b - q.b));
}

/* Machado, Oliveira and Fernandes 2009, severity 1; and grey. */
static const double eyes[][9] = {
    { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
    { 0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998 },
    { 0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881 },
    { 0.2126, 0.7152, 0.0722, 0.2126, 0.7152, 0.0722, 0.2126, 0.7152, 0.0722 },
};

static void keep_apart(const struct plt_ink *inks, size_t count, double least)
{
    for (size_t e = 0; e < SQ_COUNT(eyes); e++) {
        for (size_t i = 0; i < count; i++) {
            for (size_t k = i + 1; k < count; k++) {
                double d = distance(look(inks[i], eyes[e]), look(inks[k], eyes[e]));
                if (d < least) {
                    fail_msg("eyes %zu: colours %zu and %zu are %d apart", e, i, k, (int)d);
                }
            }
        }
    }
}

/* Two greys that are 10 steps of L* apart are told apart at a glance when they touch. */
static void neighbours_stay_apart(void **state)
{
    (void)state;
    for (size_t t = 0; t < SQ_COUNT(themes); t++) {
        const struct plt_theme *k = themes[t];
        const struct plt_ink calls[] = { k->first, k->retry, k->again };
        const struct plt_ink jobs[] = { k->ready, k->delayed, k->held };
        const struct plt_ink fleet[] = { k->replicas, k->starting };
        const struct plt_ink share[] = { k->good, k->bad };
        const struct plt_ink lines[] = { k->goodput, k->first, k->again, k->retry };
        keep_apart(calls, SQ_COUNT(calls), 15);
        keep_apart(jobs, SQ_COUNT(jobs), 15);
        keep_apart(fleet, SQ_COUNT(fleet), 25);
        keep_apart(share, SQ_COUNT(share), 45);
        keep_apart(lines, SQ_COUNT(lines), 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contrast_is_that_of_wcag),
        cmocka_unit_test(texts_and_lines_can_be_seen),
        cmocka_unit_test(neighbours_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
