/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_order.c - samples in order. They gather in a window; when it is full for the first
 * time, or the file ends, it is sorted, what the values are is judged, and from then on the
 * earliest one leaves for each that comes: a heap. Counted arrivals need no order, only bins. */
#include "models/import/mdl_import_in.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/sq_limits.h"
#include "sim/base/sq_unit.h"

static bool before(const struct mdl_import_sample *a, const struct mdl_import_sample *b)
{
    return a->at < b->at || (a->at == b->at && a->line < b->line);
}

static int compare(const void *a, const void *b)
{
    return before(a, b) ? -1 : before(b, a);
}

/* Puts a sample at the top, in place of the one that left, and lets it sink. */
static void heap_sink(struct mdl_import_window *w, struct mdl_import_sample s)
{
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= w->count) {
            break;
        }
        child += child + 1 < w->count && before(&w->heap[child + 1], &w->heap[child]);
        if (!before(&w->heap[child], &s)) {
            break;
        }
        w->heap[at] = w->heap[child];
        at = child;
    }
    w->heap[at] = s;
}

static enum sq_status window_room(struct mdl_import_window *w)
{
    if (w->count < w->max) {
        return SQ_OK;
    }
    size_t max = w->max == 0 ? 1024 : 2 * w->max;
    struct mdl_import_sample *heap = sq_mem_resize(w->heap, max, sizeof *heap);
    if (heap == NULL) {
        return SQ_NOMEM;
    }
    w->heap = heap;
    w->max = max;
    return SQ_OK;
}

/* A sorted array is a heap. */
static enum sq_status window_begin(struct mdl_import *im)
{
    struct mdl_import_window *w = &im->window;
    if (w->count > 0) {
        qsort(w->heap, w->count, sizeof *w->heap, compare);
    }
    w->ordered = true;
    return mdl_import_judge(im, w->heap, w->count);
}

static enum sq_status give(struct mdl_import *im, const struct mdl_import_sample *s)
{
    im->window.given = s->at;
    im->window.any = true;
    return mdl_import_shape(im, s);
}

enum sq_status mdl_import_order(struct mdl_import *im, const struct mdl_import_sample *s)
{
    struct mdl_import_window *w = &im->window;
    enum sq_status status = SQ_OK;
    if (w->count < SQ_MAX_TRACE_WINDOW && !w->ordered) {
        status = window_room(w);
        if (status == SQ_OK) {
            w->heap[w->count++] = *s;
        }
        return status;
    }
    if (!w->ordered) {
        status = window_begin(im);
    }
    if (status == SQ_OK && w->any && s->at < w->given) {
        return sq_diag_error(im->diag, mdl_import_place(im, (uint32_t)s->line), im->found.time,
                             "sort the file by time, or count its arrivals with --bin",
                             "is earlier than rows more than %d before it", SQ_MAX_TRACE_WINDOW);
    }
    if (status == SQ_OK) {
        struct mdl_import_sample top = w->heap[0];
        bool first = before(s, &top);
        status = give(im, first ? s : &top);
        if (!first) {
            heap_sink(w, *s);
        }
    }
    return status;
}

enum sq_status mdl_import_order_end(struct mdl_import *im)
{
    struct mdl_import_window *w = &im->window;
    enum sq_status status = w->ordered ? SQ_OK : window_begin(im);
    if (w->count > 0) {
        qsort(w->heap, w->count, sizeof *w->heap, compare);
    }
    for (size_t i = 0; i < w->count && status == SQ_OK; i++) {
        status = give(im, &w->heap[i]);
    }
    return status;
}

/* ---- bins ---- */

enum { SILENCE_MIN = 3600 };

static int64_t bin_of(sq_time_t width, int64_t at)
{
    return at >= 0 ? at / width : -((-at + width - 1) / width);
}

static enum sq_status bins_full(struct mdl_import *im, uint32_t line)
{
    struct sq_buf hint = { 0 };
    sq_buf_puts(&hint, "a wider one: --bin ");
    sq_unit_put_duration(&hint, im->bins.width * 60);
    enum sq_status status = sq_diag_error(
        im->diag, mdl_import_place(im, line), im->found.time, hint.failed ? NULL : hint.text,
        "the arrivals span more than the maximum of %d bins", SQ_MAX_TRACE_BINS);
    sq_buf_fini(&hint);
    return status;
}

/* Room for bin `number`, at whichever end. */
static enum sq_status bins_reach(struct mdl_import *im, int64_t number, uint32_t line)
{
    struct mdl_import_bins *b = &im->bins;
    if (b->count == 0) {
        b->base = b->first = number;
    }
    int64_t base = sq_min_i64(b->base, number);
    int64_t end = sq_max_i64(b->base + (int64_t)b->count, number + 1);
    if (end - base > SQ_MAX_TRACE_BINS) {
        return bins_full(im, line);
    }
    if (number < b->base) { /* room for more of a file that runs backwards */
        base = sq_max_i64(base - (int64_t)b->count, end - SQ_MAX_TRACE_BINS);
    }
    size_t count = (size_t)(end - base), shift = (size_t)(b->base - base);
    if (count > b->max) {
        size_t max = 2 * count;
        double *counts = sq_mem_resize(b->counts, max, sizeof *counts);
        if (counts == NULL) {
            return SQ_NOMEM;
        }
        b->counts = counts;
        b->max = max;
    }
    if (shift > 0) {
        memmove(b->counts + shift, b->counts, b->count * sizeof *b->counts);
        memset(b->counts, 0, shift * sizeof *b->counts);
    }
    memset(b->counts + shift + b->count, 0, (count - shift - b->count) * sizeof *b->counts);
    b->base = base;
    b->count = count;
    return SQ_OK;
}

enum sq_status mdl_import_bin(struct mdl_import *im, int64_t at, double value, uint32_t line)
{
    struct mdl_import_bins *b = &im->bins;
    int64_t number = bin_of(b->width, at);
    if (b->count == 0 || number < b->base || number >= b->base + (int64_t)b->count) {
        enum sq_status status = bins_reach(im, number, line);
        if (status != SQ_OK) {
            return status;
        }
    }
    b->first = sq_min_i64(b->first, number);
    b->counts[number - b->base] += value;
    return SQ_OK;
}

/* How many bins from `i` on are empty. */
static size_t empty_from(const struct mdl_import_bins *b, size_t i)
{
    size_t n = 0;
    while (i + n < b->count && !(b->counts[i + n] > 0)) {
        n++;
    }
    return n;
}

/* Of a very long silence the first and the last bin are enough: a row holds until the next one. */
enum sq_status mdl_import_bin_end(struct mdl_import *im)
{
    struct mdl_import_bins *b = &im->bins;
    enum sq_status status = mdl_import_judge(im, NULL, b->count);
    size_t silence = 0; /* bins that are left out once the next one was given */
    size_t start = (size_t)(b->first - b->base);
    for (size_t i = start; i < b->count && status == SQ_OK; i++) {
        size_t empty = silence == 0 && i > start && b->counts[i - 1] > 0 ? empty_from(b, i) : 0;
        if (silence > 0) {
            i += silence;
            silence = 0;
        } else if (empty > SILENCE_MIN) {
            silence = empty - 2;
        }
        struct mdl_import_sample s = { .at = (b->base + (int64_t)i) * b->width,
                                       .value = b->counts[i] };
        status = mdl_import_shape(im, &s);
    }
    return status;
}
