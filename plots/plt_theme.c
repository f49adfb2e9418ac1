/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_theme.c - the tables of colours, and reckoning with colours. */
#include "plots/plt_theme.h"

#include <math.h>
#include <string.h>

#define RGB(r, g, b)                             \
    {                                            \
        (r) / 255.0, (g) / 255.0, (b) / 255.0, 1 \
    }
#define RGBA(r, g, b, a)                           \
    {                                              \
        (r) / 255.0, (g) / 255.0, (b) / 255.0, (a) \
    }

const struct plt_theme plt_theme_light = {
    .name = "light",
    .paper = RGB(255, 255, 255),
    .text = RGB(30, 30, 34),
    .faint = RGB(95, 95, 100),
    .grid = RGB(228, 228, 230),
    .mark = RGB(80, 80, 84),
    .first = RGB(62, 104, 152),
    .retry = RGB(253, 218, 158),
    .again = RGB(238, 146, 42),
    .goodput = RGB(8, 24, 48),
    .capacity = RGB(105, 105, 110),
    .outage = RGBA(120, 120, 124, 0.20),
    .collapse = RGBA(120, 60, 90, 0.20),
    .hatch = RGBA(120, 60, 90, 0.30),
    .trip = RGB(150, 90, 20),
    .ready = RGB(52, 104, 104),
    .delayed = RGB(172, 208, 202),
    .held = RGB(25, 55, 58),
    .replicas = RGB(172, 154, 196),
    .starting = RGB(78, 50, 120),
    .wanted = RGB(110, 110, 114),
    .band = RGB(176, 202, 226),
    .strong = RGB(20, 58, 104),
    .good = RGB(238, 243, 248),
    .bad = RGB(118, 24, 62),
    .series = { RGB(40, 40, 44), RGB(0, 108, 172), RGB(205, 88, 0), RGB(0, 128, 96),
                RGB(150, 70, 140), RGB(150, 112, 0), RGB(70, 150, 200) },
};

const struct plt_theme plt_theme_dark = {
    .name = "dark",
    .paper = RGB(22, 25, 30),
    .text = RGB(232, 233, 236),
    .faint = RGB(164, 168, 176),
    .grid = RGB(50, 55, 63),
    .mark = RGB(176, 180, 188),
    .first = RGB(60, 104, 156),
    .retry = RGB(238, 198, 138),
    .again = RGB(210, 118, 22),
    .goodput = RGB(240, 247, 255),
    .capacity = RGB(158, 162, 170),
    .outage = RGBA(160, 165, 175, 0.20),
    .collapse = RGBA(206, 110, 150, 0.20),
    .hatch = RGBA(226, 130, 170, 0.34),
    .trip = RGB(222, 170, 90),
    .ready = RGB(60, 122, 120),
    .delayed = RGB(168, 208, 200),
    .held = RGB(236, 250, 246),
    .replicas = RGB(104, 84, 140),
    .starting = RGB(206, 188, 236),
    .wanted = RGB(160, 164, 172),
    .band = RGB(48, 78, 112),
    .strong = RGB(150, 200, 250),
    .good = RGB(36, 42, 52),
    .bad = RGB(246, 140, 170),
    .series = { RGB(225, 226, 230), RGB(90, 170, 235), RGB(240, 140, 60), RGB(70, 190, 150),
                RGB(214, 140, 206), RGB(216, 180, 60), RGB(150, 205, 240) },
};

const struct plt_theme *plt_theme_find(const char *name)
{
    if (strcmp(name, plt_theme_light.name) == 0) {
        return &plt_theme_light;
    }
    return strcmp(name, plt_theme_dark.name) == 0 ? &plt_theme_dark : NULL;
}

struct plt_ink plt_ink_mix(struct plt_ink a, struct plt_ink b, double share)
{
    double rest = 1 - share;
    return (struct plt_ink){ a.r * rest + b.r * share, a.g * rest + b.g * share,
                             a.b * rest + b.b * share, a.a * rest + b.a * share };
}

struct plt_ink plt_ink_over(struct plt_ink ink, struct plt_ink ground)
{
    double share = ink.a;
    ink.a = 1;
    return plt_ink_mix(ground, ink, share);
}

static double linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

double plt_ink_luminance(struct plt_ink ink)
{
    return 0.2126 * linear(ink.r) + 0.7152 * linear(ink.g) + 0.0722 * linear(ink.b);
}

double plt_ink_contrast(struct plt_ink a, struct plt_ink b)
{
    double one = plt_ink_luminance(a) + 0.05;
    double two = plt_ink_luminance(b) + 0.05;
    return one > two ? one / two : two / one;
}
