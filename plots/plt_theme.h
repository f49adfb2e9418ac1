/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_theme.h - the look of all charts: one table of colours for paper, one for dark screens.
 *
 * What lies side by side stays apart in grey and for red-green colour blindness: neighbours differ
 * in luminance, not only in hue. The tests hold the tables to figures. */
#ifndef PLT_THEME_H
#define PLT_THEME_H

#include "sim/base/sq_base.h"

/* sRGB, 0 to 1; `a` is how much of it covers what is below. */
struct plt_ink {
    double r, g, b, a;
};

enum { PLT_SERIES_MAX = 7 };

struct plt_theme {
    const char *name;
    struct plt_ink paper, text, faint, grid, mark;
    struct plt_ink first, retry, again; /* calls: first, first retry, later retries */
    struct plt_ink goodput, capacity;
    struct plt_ink outage, collapse, hatch, trip; /* trip: a breaker that is open */
    struct plt_ink ready, delayed, held;          /* a queue's jobs; held: in workers' hands */
    struct plt_ink replicas, starting, wanted;
    struct plt_ink band, strong; /* a range of quantiles, and the line that counts */
    struct plt_ink good, bad;    /* of shares of runs, the ends of the scale */
    struct plt_ink series[PLT_SERIES_MAX];
};
extern const struct plt_theme plt_theme_light, plt_theme_dark;

/* "light", "dark"; NULL for another word. */
const struct plt_theme *plt_theme_find(const char *name);

/* `ink` on the ground, as an opaque colour. */
struct plt_ink plt_ink_over(struct plt_ink ink, struct plt_ink ground);

/* Between two colours: `share` of `b`, by components. */
struct plt_ink plt_ink_mix(struct plt_ink a, struct plt_ink b, double share);

/* Relative luminance and the contrast of two opaque colours, 1 to 21 (WCAG 2.1). */
double plt_ink_luminance(struct plt_ink ink);
double plt_ink_contrast(struct plt_ink a, struct plt_ink b);

#endif
