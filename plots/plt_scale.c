/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_scale.c - linear scales, nice ticks, ticks of time. */
#include "plots/plt_scale.h"

#include <math.h>

#include "sim/base/sq_unit.h"

double plt_scale_at(const struct plt_scale *s, double value)
{
    if (!(value > s->lo)) {
        return s->from;
    }
    if (value >= s->hi) {
        return s->to;
    }
    return s->from + (value - s->lo) / (s->hi - s->lo) * (s->to - s->from);
}

/* The power of ten at or below value > 0, by multiplication only, so that it is the same number
 * on every machine. */
static double decade(double value)
{
    double power = 1;
    while (power > value) {
        power /= 10;
    }
    while (power <= value / 10) {
        power *= 10;
    }
    return power;
}

static void fill(struct plt_ticks *t, double hi)
{
    t->count = 0;
    while (t->count < PLT_TICKS_MAX) {
        double at = (double)t->count * t->step;
        if (at > hi * (1 + 1e-9)) {
            break;
        }
        t->at[t->count++] = at;
    }
}

static bool fits(double hi, double step, size_t most)
{
    return hi * (1 + 1e-9) / step < (double)most;
}

void plt_ticks_linear(struct plt_ticks *t, double hi, size_t most)
{
    static const double steps[] = { 1, 2, 5 };
    SQ_ASSERT(hi > 0 && hi <= 1e300);
    SQ_ASSERT(most >= 2 && most <= PLT_TICKS_MAX);
    /* hi / 16 rounded down to a power of ten is finer than anything that fits; a step above hi
     * always does. */
    double power = decade(hi / PLT_TICKS_MAX);
    size_t i = 0;
    t->step = power;
    while (!fits(hi, t->step, most)) {
        i++;
        power *= i % SQ_COUNT(steps) == 0 ? 10 : 1;
        t->step = steps[i % SQ_COUNT(steps)] * power;
    }
    fill(t, hi);
}

void plt_ticks_time(struct plt_ticks *t, double end_s, size_t most)
{
    static const double steps[] = { 1,    2,     5,     10,    15,    30,     60,
                                    120,  300,   600,   900,   1200,  1800,   3600,
                                    7200, 10800, 21600, 43200, 86400, 172800, 604800 };
    SQ_ASSERT(end_s > 0 && end_s <= 1e300);
    SQ_ASSERT(most >= 2 && most <= PLT_TICKS_MAX);
    if (fits(end_s, 0.5, most)) {
        plt_ticks_linear(t, end_s, most);
        return;
    }
    for (size_t i = 0; i < SQ_COUNT(steps); i++) {
        t->step = steps[i];
        if (fits(end_s, t->step, most)) {
            fill(t, end_s);
            return;
        }
    }
    plt_ticks_linear(t, end_s / 86400, most);
    t->step *= 86400;
    fill(t, end_s);
}

double plt_round_up(double value)
{
    static const double steps[] = { 1, 2, 2.5, 5, 10 };
    if (!(value > 0) || value > 1e300) {
        return 1;
    }
    double power = decade(value);
    size_t i = 0;
    while (i + 1 < SQ_COUNT(steps) && steps[i] * power < value * (1 - 1e-12)) {
        i++;
    }
    return steps[i] * power;
}

void plt_put_time_tick(struct sq_buf *b, double seconds)
{
    if (!(seconds > 0)) {
        sq_buf_putc(b, '0');
        return;
    }
    sq_unit_put_duration(b, sq_time_from_s(seconds));
}
