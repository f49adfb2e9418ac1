/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_labels.c - places for words. */
#include "plots/plt_labels.h"

#include <math.h>

bool plt_boxes_meet(struct plt_box a, struct plt_box b)
{
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

bool plt_taken_free(const struct plt_taken *t, struct plt_box box)
{
    for (size_t i = 0; i < t->count; i++) {
        if (plt_boxes_meet(t->list[i], box)) {
            return false;
        }
    }
    return true;
}

void plt_taken_add(struct plt_taken *t, struct plt_box box)
{
    if (t->count < PLT_TAKEN_MAX) {
        t->list[t->count++] = box;
    }
}

enum { SPREAD_MAX = 64 };

/* Places in ascending order, without moving anything. */
static void sort(const double *middles, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && middles[order[at - 1]] > middles[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

void plt_spread_apart(double *middles, size_t count, double apart, double lo, double hi)
{
    size_t order[SPREAD_MAX];
    SQ_ASSERT(count <= SPREAD_MAX);
    sort(middles, count, order);
    double next = lo;
    for (size_t i = 0; i < count; i++) {
        double *m = &middles[order[i]];
        *m = fmax(*m, next);
        next = *m + apart;
    }
    next = hi; /* what was pushed out below goes up again */
    for (size_t i = count; i-- > 0;) {
        double *m = &middles[order[i]];
        *m = fmin(*m, next);
        next = *m - apart;
    }
}

bool plt_ribbon_place(const struct plt_ribbon *r, const struct plt_taken *t, struct plt_point size,
                      struct plt_point *out)
{
    size_t wide = (size_t)ceil((size.x + 8) / r->step);
    double best = size.y - 1;
    bool found = false;
    for (size_t first = 0; first + wide <= r->count; first += 3) {
        double upper = r->upper[first];
        double lower = r->lower[first];
        for (size_t i = first; i < first + wide && lower - upper > best; i++) {
            upper = fmax(upper, r->upper[i]);
            lower = fmin(lower, r->lower[i]);
        }
        struct plt_box box = { r->left + (double)first * r->step + 4, (upper + lower - size.y) / 2,
                               size.x, size.y };
        if (lower - upper > best && plt_taken_free(t, box)) {
            best = lower - upper + 4; /* a little thicker is no reason to go far */
            *out = (struct plt_point){ box.x, box.y };
            found = true;
        }
    }
    return found;
}
