/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_shape.c - from samples in order to arrivals: samples of one time are put together,
 * holes are filled, counters become counts, and the figures of the report are summed up. */
#include "models/import/mdl_import_in.h"

enum { FILL_MAX = 10000000 };

static bool is_valued(const struct mdl_import *im)
{
    return im->found.reads != MDL_IMPORT_TIMES;
}

/* What the sample given away last came to, now that it is known how long it holds. */
static void account(struct mdl_import *im, int64_t until)
{
    struct mdl_import_shape *p = &im->shape;
    double seconds = sq_time_to_s(until - p->put_at);
    bool rate = im->found.reads == MDL_IMPORT_RATE;
    double per_s = rate ? p->put_value : seconds > 0 ? p->put_value / seconds : 0;
    im->found.peak_per_s = per_s > im->found.peak_per_s ? per_s : im->found.peak_per_s;
    p->area += rate ? p->put_value * seconds : p->put_value;
    p->seconds += seconds;
    p->width = until - p->put_at;
}

static enum sq_status put(struct mdl_import *im, int64_t at, double value)
{
    struct mdl_import_shape *p = &im->shape;
    if (!p->put_any) {
        p->first = at;
    } else if (is_valued(im)) {
        account(im, at);
    }
    p->put_any = true;
    p->put_at = at;
    p->put_value = value;
    im->found.put++;
    return im->sink.put(im->sink.ctx, at - p->first, value);
}

static bool is_hole(const struct mdl_import *im, int64_t a, int64_t b)
{
    return b - a - im->found.step > im->found.step / 2; /* a sum might not fit into 64 bits */
}

/* How many steps there are from a to b, to the nearest one. */
static int64_t steps_between(const struct mdl_import *im, int64_t a, int64_t b)
{
    sq_time_t step = im->found.step;
    return (b - a) / step + ((b - a) % step >= step - step / 2);
}

/* A value for each of the missing steps. */
static enum sq_status interpolate(struct mdl_import *im, const struct mdl_import_sample *a,
                                  const struct mdl_import_sample *b, int64_t missing)
{
    enum sq_status status = SQ_OK;
    if (missing > FILL_MAX) {
        return sq_diag_error(im->diag, mdl_import_place(im, (uint32_t)b->line), im->found.time,
                             "fill it with --gaps zero or hold",
                             "the hole before this row has more than %d steps", FILL_MAX);
    }
    for (int64_t k = 1; k <= missing && status == SQ_OK; k++) {
        double share = (double)k / (double)(missing + 1);
        int64_t at = a->at + (int64_t)((double)(b->at - a->at) * share);
        status = put(im, at, (a->value + (b->value - a->value) * share) * im->shape.scale);
    }
    return status;
}

/* Two rows are enough for a hole of any length, because a row holds until the next one; the second
 * one is a step wide, since the end of a trace is as wide as the row before it. */
static enum sq_status fill(struct mdl_import *im, const struct mdl_import_sample *a,
                           const struct mdl_import_sample *b)
{
    sq_time_t step = im->found.step;
    int64_t missing = steps_between(im, a->at, b->at) - 1;
    bool hold = im->found.gaps_by == MDL_IMPORT_GAPS_HOLD;
    double value = hold ? a->value * im->shape.scale : 0;
    bool spread = hold && im->found.reads == MDL_IMPORT_COUNTS; /* a wide row holds several */
    im->found.gaps++;
    im->found.missing += (uint64_t)missing;
    if (im->found.gaps_by == MDL_IMPORT_GAPS_INTERPOLATE) {
        return interpolate(im, a, b, missing);
    }
    if (im->found.gaps_by == MDL_IMPORT_GAPS_ERROR) {
        return sq_diag_error(im->diag, mdl_import_place(im, (uint32_t)b->line), im->found.time,
                             "fill holes with --gaps zero, hold or interpolate",
                             "%lld row%s missing before this one", (long long)missing,
                             missing == 1 ? " is" : "s are");
    }
    enum sq_status status =
        put(im, a->at + step, spread && missing > 1 ? value * (double)(missing - 1) : value);
    if (status == SQ_OK && missing > 1) {
        status = put(im, b->at - step, value);
    }
    return status;
}

/* A counter's rows become counts of the time between them. */
static enum sq_status put_delta(struct mdl_import *im, const struct mdl_import_sample *a,
                                const struct mdl_import_sample *b)
{
    bool reset = b->value < a->value;
    im->found.resets += reset;
    if (is_hole(im, a->at, b->at)) {
        im->found.gaps++;
        im->found.missing += (uint64_t)(steps_between(im, a->at, b->at) - 1);
    }
    return put(im, a->at, reset ? b->value : b->value - a->value);
}

/* The sample `a` leaves, because `b` has a later time. */
static enum sq_status leave(struct mdl_import *im, const struct mdl_import_sample *a,
                            const struct mdl_import_sample *b)
{
    if (im->found.reads == MDL_IMPORT_TOTAL) {
        return put_delta(im, a, b);
    }
    enum sq_status status = put(im, a->at, a->value * im->shape.scale);
    if (status == SQ_OK && im->bins.width == 0 && is_hole(im, a->at, b->at)) {
        status = fill(im, a, b);
    }
    return status;
}

/* Two samples of one time. */
static enum sq_status meet(struct mdl_import *im, const struct mdl_import_sample *s)
{
    struct mdl_import_sample *last = &im->shape.last;
    bool equal = !(s->value < last->value) && !(s->value > last->value);
    im->found.same++;
    if (im->ask.sums) {
        last->value += s->value;
        return SQ_OK;
    }
    if (equal) {
        return SQ_OK;
    }
    return sq_diag_error(im->diag, mdl_import_place(im, (uint32_t)s->line), im->found.time,
                         "choose one series with --where COLUMN=TEXT, or add them up with --sum",
                         "has the time of line %llu and another value",
                         (unsigned long long)last->line);
}

/* Arrivals that are told apart: the busiest minute stands for the peak. */
static enum sq_status arrive(struct mdl_import *im, const struct mdl_import_sample *s)
{
    struct mdl_import_shape *p = &im->shape;
    const int64_t minute = 60 * SQ_NS_PER_S;
    int64_t now = p->put_any ? (s->at - p->first) / minute : 0; /* from the first one on */
    if (!p->put_any || now != p->width) { /* width: the minute that is counted */
        p->width = now;
        p->area = 0;
    }
    p->area += 1;
    double per_s = p->area / 60;
    im->found.peak_per_s = per_s > im->found.peak_per_s ? per_s : im->found.peak_per_s;
    return put(im, s->at, 1);
}

enum sq_status mdl_import_shape(struct mdl_import *im, const struct mdl_import_sample *s)
{
    struct mdl_import_shape *p = &im->shape;
    if (!p->begun) {
        im->found.first = s->at;
    }
    p->begun = true;
    im->found.last = s->at;
    if (!is_valued(im)) {
        return arrive(im, s);
    }
    if (p->held && s->at == p->last.at) {
        return meet(im, s);
    }
    enum sq_status status = p->held ? leave(im, &p->last, s) : SQ_OK;
    p->held = true;
    p->last = *s;
    return status;
}

enum sq_status mdl_import_shape_end(struct mdl_import *im)
{
    struct mdl_import_shape *p = &im->shape;
    struct mdl_import_found *f = &im->found;
    enum sq_status status = SQ_OK;
    if (!is_valued(im)) {
        f->total = (double)f->put;
        double seconds = sq_time_to_s((sq_time_t)(f->last - f->first));
        f->mean_per_s = seconds > 0 ? f->total / seconds : 0;
        return SQ_OK;
    }
    if (f->reads != MDL_IMPORT_TOTAL) {
        status = put(im, p->last.at, p->last.value * p->scale);
        account(im, sq_time_add(p->last.at, p->width > 0 ? p->width : f->step));
    } else {
        int64_t before = p->width, now = p->last.at - p->put_at;
        account(im, p->last.at);
        if (before > 0 && (now - before > before / 10 || before - now > before / 10)) {
            status = put(im, p->last.at, 0); /* so that the last count keeps its width */
        }
    }
    f->total = p->area;
    f->mean_per_s = p->seconds > 0 ? p->area / p->seconds : 0;
    return status;
}
