/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_labels.h - finding places for words: what is taken, and words pushed apart. Pure numbers. */
#ifndef PLT_LABELS_H
#define PLT_LABELS_H

#include "plots/plt_shapes.h"

enum { PLT_TAKEN_MAX = 512 };

/* Boxes in which something stands already. A zeroed struct is empty; when it is full further boxes
 * are forgotten. */
struct plt_taken {
    size_t count;
    struct plt_box list[PLT_TAKEN_MAX];
};

bool plt_boxes_meet(struct plt_box a, struct plt_box b);
bool plt_taken_free(const struct plt_taken *t, struct plt_box box);
void plt_taken_add(struct plt_taken *t, struct plt_box box);

/* Moves the middles of words that stand one above the other so that each is `apart` from the next,
 * keeping their order, inside [lo, hi] if they all fit. Equal ones keep their order. */
void plt_spread_apart(double *middles, size_t count, double apart, double lo, double hi);

/* A stack of places where an area is drawn: its upper and lower edge by column of pixels. */
struct plt_ribbon {
    const double *upper, *lower; /* y; upper <= lower */
    size_t count;
    double left, step; /* x of the first column, and their width */
};

/* The upper left corner at which a text of this size stands inside the ribbon, where that is
 * thickest and nothing is taken; false when there is no such place. */
bool plt_ribbon_place(const struct plt_ribbon *r, const struct plt_taken *t, struct plt_point size,
                      struct plt_point *out);

#endif
