/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_herd.c - two histograms with a row of bars per variant: when calls came after recovery, in
 * bins fine enough to see whether they came together; and how many attempts jobs needed. */
#include "plots/plt_charts.h"

#include <math.h>
#include <string.h>

#include "plots/plt_bars.h"
#include "plots/plt_pick.h"
#include "plots/plt_words.h"

enum { ROWS_MAX = 16 };

struct chart {
    const struct sq_result *const *results;
    size_t count;
    struct plt_sheet sheet;
    struct plt_bars bars;
    struct plt_bar_row rows[ROWS_MAX];
    double highest[ROWS_MAX];  /* bar, by row */
    double repeated[ROWS_MAX]; /* share of the jobs with more than one attempt */
    double most;               /* highest bar */
    double capacity;           /* the most that the dependency of a herd can do; NaN: unlimited */
    size_t at;                 /* of this row */
};

static const char *name_of(const struct sq_result *r)
{
    return r->variant != NULL ? r->variant : "base";
}

static const char *title_of(const struct sq_result *r)
{
    return r->title != NULL && r->title[0] != '\0' ? r->title : "Untitled scenario";
}

static struct plt_bar_row *add_row(struct chart *c, size_t i, size_t bars)
{
    struct plt_bar_row *row = &c->rows[i];
    row->name = name_of(c->results[i]);
    row->note = "";
    row->bars = sq_arena_alloc(&c->sheet.arena, bars + 1, sizeof *row->bars);
    c->sheet.failed = c->sheet.failed || row->bars == NULL;
    return row->bars != NULL ? row : NULL;
}

static void add_bar(struct chart *c, size_t i, struct plt_bar bar)
{
    c->rows[i].bars[c->rows[i].count++] = bar;
    c->highest[i] = fmax(c->highest[i], bar.low + bar.high);
    if (bar.low + bar.high > c->most) {
        c->most = bar.low + bar.high;
        c->at = i;
    }
}

/* ---- calls after T1 ---- */

static const struct sq_histogram *herd_of(const struct sq_result *r, const struct plt_entity *e,
                                          const char *word)
{
    struct sq_buf name = { 0 };
    sq_buf_printf(&name, "dependency.%.*s.calls_%s_after_t1_s", (int)e->len, e->name, word);
    const struct sq_histogram *h = name.failed ? NULL : sq_result_histogram(r, name.text);
    sq_buf_fini(&name);
    return h;
}

/* Empty bins may be left out of a file: the count of the bin that ends at `upto`. */
static double count_at(const struct sq_histogram *h, double upto, size_t *hint)
{
    while (h != NULL && *hint < h->count && h->upto[*hint] < upto - 1e-6) {
        (*hint)++;
    }
    bool there = h != NULL && *hint < h->count && h->upto[*hint] < upto + 1e-6;
    return there ? (double)h->counts[*hint] : 0;
}

/* Rates over bins of a tenth of a second, `step` of them to a bar. */
static void take_herd(struct chart *c, size_t i, const struct plt_entity *e)
{
    enum { BINS = 1200, STEP = 2 };
    const struct sq_histogram *first = herd_of(c->results[i], e, "first");
    const struct sq_histogram *retry = herd_of(c->results[i], e, "retry");
    size_t one = 0, two = 0;
    double all = 0, retries = 0;
    struct sq_buf b = { 0 };
    if (add_row(c, i, BINS / STEP) == NULL) {
        return;
    }
    for (size_t k = 0; k < BINS; k += STEP) {
        struct plt_bar bar = { (double)k / 10, (double)(k + STEP) / 10, 0, 0 };
        for (size_t n = 1; n <= STEP; n++) {
            bar.low += count_at(first, (double)(k + n) / 10, &one);
            bar.high += count_at(retry, (double)(k + n) / 10, &two);
        }
        all += bar.low + bar.high;
        retries += bar.high;
        bar.low *= 10.0 / STEP;
        bar.high *= 10.0 / STEP;
        add_bar(c, i, bar);
    }
    plt_put_count(&b, all);
    sq_buf_puts(&b, " calls in 2m, retries ");
    plt_put_percent(&b, all > 0 ? retries / all : 0);
    c->rows[i].note = plt_sheet_keep(&c->sheet, &b);
}

/* What the dependency can do while the bars of the row last, its warm-up and relapses included. */
static void take_capacity(struct chart *c, size_t i, const struct plt_entity *e)
{
    const struct sq_result *r = c->results[i];
    const struct sq_moment *t1 = plt_moment(r, SQ_MOMENT_T1);
    const float *capacity = plt_column(&r->series, "dependency", e, "capacity_per_s");
    struct plt_bar_row *row = &c->rows[i];
    if (t1 == NULL || capacity == NULL || row->bars == NULL) {
        return;
    }
    row->levels = sq_arena_alloc(&c->sheet.arena, row->count + 1, sizeof *row->levels);
    c->sheet.failed = c->sheet.failed || row->levels == NULL;
    for (size_t k = 0; k < row->count && row->levels != NULL; k++) {
        double at_s = (row->bars[k].from + row->bars[k].to) / 2 + sq_time_to_s(t1->at_ns);
        size_t bin = (size_t)(at_s / sq_time_to_s(r->series.bin_ns));
        row->levels[k] = bin < r->series.bin_count ? (double)capacity[bin] : (double)NAN;
        c->capacity = isfinite(row->levels[k]) && !(c->capacity >= row->levels[k]) ? row->levels[k]
                                                                                   : c->capacity;
    }
}

/* Of many dependencies only some have a histogram: the busiest of these. */
static const struct plt_entity *herd_entity(const struct chart *c, const struct plt_entities *d)
{
    static const struct plt_entity none = { .name = "nothing", .len = 7 };
    for (size_t k = 0; k < d->count; k++) {
        for (size_t i = 0; i < c->count; i++) {
            if (herd_of(c->results[i], &d->list[k], "first") != NULL ||
                herd_of(c->results[i], &d->list[k], "retry") != NULL) {
                return &d->list[k];
            }
        }
    }
    return d->count > 0 ? &d->list[0] : &none;
}

static void put_herd_title(const struct chart *c, const struct plt_entity *e, struct sq_buf *out)
{
    if (plt_moment(c->results[c->at], SQ_MOMENT_T1) == NULL) {
        sq_buf_printf(out, "%s: there was no outage to return from", name_of(c->results[c->at]));
        return;
    }
    sq_buf_printf(out, "%s: up to ", name_of(c->results[c->at]));
    plt_put_rate(out, c->most);
    sq_buf_printf(out, " at %.*s in the two minutes after its return", (int)e->len, e->name);
    if (c->capacity > 0) {
        sq_buf_puts(out, "; it can do ");
        plt_put_rate(out, c->capacity);
    }
}

/* Beside a herd the calls of other variants are a line on the floor: these share a scale of their
 * own, and say so. */
static void enlarge_low_rows(struct chart *c, double top)
{
    enum { TIMES = 4 };
    double low = c->capacity > 0 ? c->capacity : 0;
    for (size_t i = 0; i < c->count; i++) {
        low = c->highest[i] * TIMES <= top ? fmax(low, c->highest[i]) : low;
    }
    low *= 1.15;
    if (!(low > 0) || low * TIMES > top) {
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        struct sq_buf b = { 0 };
        if (c->highest[i] > low) {
            continue;
        }
        c->rows[i].top = low;
        sq_buf_printf(&b, "%s; scale %.0f times as large", c->rows[i].note, top / low);
        c->rows[i].note = plt_sheet_keep(&c->sheet, &b);
    }
}

static void herd_texts(struct chart *c, const struct plt_entity *e)
{
    struct sq_buf b = { 0 };
    put_herd_title(c, e, &b);
    c->sheet.title = plt_sheet_keep(&c->sheet, &b);
    sq_buf_printf(&b,
                  "%s. Calls per second in bins of 200 ms, run 1: first calls dark, retries above "
                  "them; grey line: what the dependency can do then.",
                  title_of(c->results[0]));
    c->sheet.subtitle = plt_sheet_keep(&c->sheet, &b);
}

static enum sq_status finish(struct chart *c, struct sq_buf *out)
{
    struct sq_buf b = { 0 };
    plt_put_origin(&b, c->results, c->count);
    c->sheet.footer = plt_sheet_keep(&c->sheet, &b);
    plt_sheet_begin(&c->sheet, plt_bars_height(c->count));
    c->bars.sheet = &c->sheet;
    c->bars.count = c->count;
    c->bars.rows = c->rows;
    if (!c->sheet.failed) {
        plt_bars_draw(&c->bars);
    }
    return plt_sheet_close(&c->sheet, SQ_OK, out);
}

static enum sq_status open(struct chart **out, const struct sq_result *const *results, size_t count,
                           struct plt_look look)
{
    struct chart *c = sq_mem_alloc(1, sizeof *c);
    enum sq_status status = c != NULL ? plt_sheet_open(&c->sheet, look) : SQ_NOMEM;
    if (status != SQ_OK) {
        sq_mem_free(c);
        return status;
    }
    c->results = results;
    c->count = count < ROWS_MAX ? count : ROWS_MAX;
    c->capacity = NAN;
    *out = c;
    return SQ_OK;
}

enum sq_status plt_chart_herd(const struct sq_result *const *results, size_t count,
                              struct plt_look look, struct sq_buf *out)
{
    struct chart *c = NULL;
    struct plt_entities d;
    enum sq_status status = open(&c, results, count, look);
    if (status != SQ_OK) {
        return status;
    }
    plt_pick_columns(&d, &results[0]->series, "dependency", "calls_first_per_s");
    const struct plt_entity *e = herd_entity(c, &d);
    for (size_t i = 0; i < c->count; i++) {
        take_herd(c, i, e);
        take_capacity(c, i, e);
    }
    c->bars.low = look.theme->first;
    c->bars.high = look.theme->again;
    c->bars.x = (struct plt_axis){ 0, 120, false, PLT_TIME, "after T1" };
    double top = c->capacity > 0 ? fmax(c->most, c->capacity * 1.1) : c->most;
    c->bars.y = (struct plt_axis){ 0, top > 0 ? top * 1.02 : 1, false, PLT_RATE, NULL };
    enlarge_low_rows(c, c->bars.y.hi);
    herd_texts(c, e);
    status = finish(c, out);
    sq_mem_free(c);
    return status;
}

/* ---- attempts ---- */

/* "; more than one at 41 % of the jobs (full-jitter), 7 % (shed)": the most and the least. */
static void put_repeated(const struct chart *c, struct sq_buf *out)
{
    size_t most = 0, least = 0;
    for (size_t i = 0; i < c->count; i++) {
        most = c->repeated[i] > c->repeated[most] ? i : most;
        least = c->repeated[i] < c->repeated[least] ? i : least;
    }
    if (c->count == 0 || !(c->repeated[most] > 0)) {
        return;
    }
    sq_buf_puts(out, "; more than one at ");
    plt_put_percent(out, c->repeated[most]);
    sq_buf_puts(out, " of the jobs");
    if (c->repeated[least] < c->repeated[most]) {
        sq_buf_printf(out, " (%s), ", name_of(c->results[most]));
        plt_put_percent(out, c->repeated[least]);
        sq_buf_printf(out, " (%s)", name_of(c->results[least]));
    }
}

static void take_attempts(struct chart *c, size_t i, double *longest)
{
    const struct sq_histogram *h = sq_result_histogram(c->results[i], "jobs.attempts");
    double all = 0;
    double sum = 0;
    struct sq_buf b = { 0 };
    size_t count = h != NULL ? h->count : 0;
    if (add_row(c, i, count) == NULL) {
        return;
    }
    for (size_t k = 0; k < count; k++) {
        all += (double)h->counts[k];
        sum += (double)h->counts[k] * h->upto[k];
        *longest = h->counts[k] > 0 ? fmax(*longest, h->upto[k]) : *longest;
    }
    for (size_t k = 0; k < count && all > 0; k++) {
        double share = (double)h->counts[k] / all;
        bool once = h->upto[k] <= 1;
        add_bar(c, i,
                (struct plt_bar){ h->upto[k] - 0.4, h->upto[k] + 0.4, once ? share : 0,
                                  once ? 0 : share });
    }
    sq_buf_puts(&b, "mean ");
    plt_put_ratio(&b, all > 0 ? sum / all : (double)NAN);
    if (count > 1 && all > 0) {
        sq_buf_puts(&b, ", more than one: ");
        c->repeated[i] = (all - (double)h->counts[0] - (double)h->counts[1]) / all;
        plt_put_percent(&b, c->repeated[i]);
        sq_buf_puts(&b, " of the jobs");
    }
    c->rows[i].note = plt_sheet_keep(&c->sheet, &b);
}

enum sq_status plt_chart_attempts(const struct sq_result *const *results, size_t count,
                                  struct plt_look look, struct sq_buf *out)
{
    struct chart *c = NULL;
    double longest = 0;
    struct sq_buf b = { 0 };
    enum sq_status status = open(&c, results, count, look);
    if (status != SQ_OK) {
        return status;
    }
    for (size_t i = 0; i < c->count; i++) {
        take_attempts(c, i, &longest);
    }
    c->bars.low = look.theme->first;
    c->bars.high = look.theme->again;
    c->bars.x =
        (struct plt_axis){ -0.5, fmax(longest, 4) + 0.5, false, PLT_COUNT, "attempts of a job" };
    c->bars.y = (struct plt_axis){ 0, 1, false, PLT_SHARE, NULL };
    sq_buf_puts(&b, "Attempts per job: up to ");
    plt_put_count(&b, longest);
    sq_buf_puts(&b, longest >= 64 ? " and more" : "");
    put_repeated(c, &b);
    c->sheet.title = plt_sheet_keep(&c->sheet, &b);
    sq_buf_printf(&b,
                  "%s. Share of the jobs that ended after so many attempts, run 1; 0: never tried.",
                  title_of(c->results[0]));
    c->sheet.subtitle = plt_sheet_keep(&c->sheet, &b);
    status = finish(c, out);
    sq_mem_free(c);
    return status;
}
