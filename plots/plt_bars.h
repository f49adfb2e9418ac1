/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_bars.h - a row of bars per variant, one below the other, on the same scale of x and, unless
 * a row says otherwise, of y. */
#ifndef PLT_BARS_H
#define PLT_BARS_H

#include "plots/plt_axes.h"

/* A bar from x `from` to `to`: `low` high and on it `high`. */
struct plt_bar {
    double from, to, low, high;
};

struct plt_bar_row {
    const char *name, *note; /* note: at the right end above the bars */
    double top;              /* where its y axis ends; 0: where that of all ends */
    size_t count;
    struct plt_bar *bars;
    double *levels; /* [count]: what each bar is compared with, NaN: nothing; NULL: none is */
};

struct plt_bars {
    struct plt_sheet *sheet; /* begun: plt_bars_height is the height of its picture */
    struct plt_axis x, y;
    struct plt_ink low, high;
    size_t count;
    const struct plt_bar_row *rows;
};

double plt_bars_height(size_t rows);
void plt_bars_draw(const struct plt_bars *b);

#endif
