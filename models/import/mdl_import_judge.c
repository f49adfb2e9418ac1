/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_judge.c - what the values of a trace are: arrivals per second, per row, or since some
 * start. A unit or a name that says it decides; else only numbers that allow one answer. A count
 * read as a rate would be wrong by the length of a row, so whatever is left open is refused. */
#include "models/import/mdl_import_in.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/sq_unit.h"

const char *const mdl_import_reads_words[] = { "times", "counts", "rate", "total", NULL };
const char *const mdl_import_gaps_words[] = { "zero", "hold", "interpolate", "error", NULL };

enum { ROWS_ENOUGH = 20 };

static int compare_steps(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* What the numbers themselves say. */
struct evidence {
    size_t steps;                /* between different times */
    size_t regular;              /* as long as the median, to a tenth */
    size_t rises, falls, resets; /* resets: falls to less than half */
    bool whole;                  /* no value has a fraction */
    bool varies;
};

/* The median step, and the evidence. SQ_NOMEM possible. */
static enum sq_status look(struct mdl_import *im, const struct mdl_import_sample *s, size_t count,
                           struct evidence *e)
{
    int64_t *steps = sq_mem_alloc(count + 1, sizeof *steps);
    *e = (struct evidence){ .whole = true };
    if (steps == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        e->whole = e->whole && s[i].value < 1e15 && !((double)(int64_t)s[i].value < s[i].value);
        if (i == 0 || s[i].at == s[i - 1].at) {
            continue;
        }
        steps[e->steps++] = s[i].at - s[i - 1].at;
        e->rises += s[i].value > s[i - 1].value;
        e->falls += s[i].value < s[i - 1].value;
        e->resets += s[i].value < s[i - 1].value && s[i].value < s[i - 1].value / 2;
    }
    e->varies = e->rises + e->falls > 0;
    if (e->steps > 0) {
        qsort(steps, e->steps, sizeof *steps, compare_steps);
        im->found.step = steps[(e->steps - 1) / 2];
    }
    for (size_t i = 0; i < e->steps; i++) {
        int64_t off = steps[i] - im->found.step;
        e->regular += off <= im->found.step / 10 && off >= -im->found.step / 10;
    }
    sq_mem_free(steps);
    return SQ_OK;
}

static bool has_word(const char *name, const char *const *words)
{
    for (; *words != NULL; words++) {
        size_t len = strlen(*words);
        for (const char *s = name; *s != '\0'; s++) {
            size_t k = 0;
            while (k < len && s[k] != '\0' &&
                   ((s[k] | 0x20) == (*words)[k] || s[k] == (*words)[k])) {
                k++;
            }
            if (k == len) {
                return true;
            }
        }
    }
    return false;
}

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), n = strlen(end);
    return len >= n && strcmp(name + len - n, end) == 0;
}

static enum mdl_import_reads by_name(struct mdl_import *im, const char *name)
{
    static const char *const rates[] = { "/s",  "per_s", "per second", "rps",
                                         "qps", "reqps", "rate(",      NULL };
    static const char *const minutes[] = { "/min", "per minute", "per_min", "rpm", NULL };
    static const char *const hours[] = { "/hour", "per hour", "per_hour", NULL };
    static const char *const counts[] = { "increase(", "count",       "requests",  "hits",
                                          "sum",       "invocations", "number of", "arrivals",
                                          "records",   "views",       NULL };
    if (has_word(name, minutes)) {
        im->per = MDL_IMPORT_PER_MIN;
        return MDL_IMPORT_RATE;
    }
    if (has_word(name, hours)) {
        im->per = MDL_IMPORT_PER_H;
        return MDL_IMPORT_RATE;
    }
    if (has_word(name, rates)) {
        im->per = MDL_IMPORT_PER_S;
        return MDL_IMPORT_RATE;
    }
    if (ends_with(name, "_total")) {
        return MDL_IMPORT_TOTAL;
    }
    return has_word(name, counts) ? MDL_IMPORT_COUNTS : MDL_IMPORT_AS_FOUND;
}

/* Rising all the way, but for falls back to nearly nothing. */
static bool looks_total(const struct evidence *e)
{
    return e->steps + 1 >= ROWS_ENOUGH && e->whole && e->varies && e->falls == e->resets &&
           e->falls * 20 <= e->steps && e->rises * 2 >= e->steps;
}

static bool looks_counts(const struct evidence *e)
{
    return e->steps + 1 >= ROWS_ENOUGH && e->whole && e->falls > e->resets / 2 &&
           e->falls * 20 > e->steps && e->regular * 10 >= e->steps * 9;
}

static enum sq_status refuse(struct mdl_import *im, const char *text)
{
    struct sq_buf hint = { 0 };
    sq_buf_printf(&hint, "say it: --reads rate (per second), --reads counts (per row of ");
    sq_unit_put_span(&hint, sq_time_to_s(im->found.step));
    sq_buf_puts(&hint, "), --reads total (a counter), or --reads times (each row is an arrival)");
    enum sq_status status = sq_diag_error(im->diag, mdl_import_place(im, 0), im->found.value,
                                          hint.failed ? NULL : hint.text, "%s", text);
    sq_buf_fini(&hint);
    return status;
}

static enum sq_status decide(struct mdl_import *im, const struct evidence *e)
{
    struct mdl_import_found *f = &im->found;
    if (f->reads != MDL_IMPORT_AS_FOUND) {
        f->why = im->ask.reads != MDL_IMPORT_AS_FOUND ? "as asked" : "by the format";
        return SQ_OK;
    }
    if (im->per != MDL_IMPORT_PER_NOTHING) {
        f->reads = MDL_IMPORT_RATE;
        f->why = "by the unit";
        return SQ_OK;
    }
    f->reads = by_name(im, f->value);
    f->why = "by the name";
    if (f->reads == MDL_IMPORT_COUNTS && looks_total(e)) {
        return refuse(im, "its name is that of a count per row, but it rises like a counter");
    }
    if (f->reads != MDL_IMPORT_AS_FOUND) {
        return SQ_OK;
    }
    bool total = looks_total(e), counts = looks_counts(e);
    f->reads = total ? MDL_IMPORT_TOTAL : counts ? MDL_IMPORT_COUNTS : MDL_IMPORT_AS_FOUND;
    f->why = total ? "whole numbers that rise" : "whole numbers at equal steps";
    return total || counts
               ? SQ_OK
               : refuse(im,
                        "is it a rate, a count per row or a counter? Nothing in the file tells");
}

enum sq_status mdl_import_judge(struct mdl_import *im, const struct mdl_import_sample *samples,
                                size_t count)
{
    static const double per[] = { 1, 1, 60, 3600 };
    struct mdl_import_found *f = &im->found;
    if (im->diag->errors > 0) {
        return SQ_USER;
    }
    if (count == 0) {
        return sq_diag_error(im->diag, mdl_import_place(im, 0), NULL, NULL,
                             f->filtered > 0 ? "no row passes the filter %s"
                                             : "no row has a time and a value%s",
                             f->filtered > 0 ? f->where : "");
    }
    im->shape.scale = 1;
    if (samples == NULL) { /* counted: bins of one width */
        f->reads = MDL_IMPORT_COUNTS;
        f->step = im->bins.width;
    } else if (f->reads != MDL_IMPORT_TIMES) {
        struct evidence e;
        enum sq_status status = look(im, samples, count, &e);
        if (status == SQ_OK && e.steps == 0) {
            status = sq_diag_error(im->diag, mdl_import_place(im, 0), f->value, NULL,
                                   "rows of one time have no width: values need two at least");
        }
        status = status == SQ_OK ? decide(im, &e) : status;
        if (status == SQ_OK && f->reads == MDL_IMPORT_COUNTS && !e.whole && im->points_part) {
            status = sq_diag_error(im->diag, mdl_import_place(im, 0), f->value,
                                   "say it: --decimal comma or point",
                                   "counts like 1.234: does the point part decimals or thousands?");
        }
        if (status != SQ_OK) {
            return status;
        }
    }
    if (f->reads == MDL_IMPORT_RATE) {
        im->shape.scale = 1 / per[im->per];
        f->per = im->per;
    }
    f->gaps_by = im->ask.gaps != MDL_IMPORT_GAPS_AS_FOUND ? im->ask.gaps
                 : f->reads == MDL_IMPORT_RATE            ? MDL_IMPORT_GAPS_HOLD
                                                          : MDL_IMPORT_GAPS_ZERO;
    return im->sink.begin(im->sink.ctx, f);
}
