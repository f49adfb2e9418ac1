/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_modes.c - runs that came out alike, and how near to a collapse they came. */
#include "models/study/mdl_modes.h"

#include "sim/base/sq_unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAY_SIZE = 80, COUNTED = 3, TIMES = 10 };

/* How a run came out, in words: equal words are one mode. */
struct way {
    char text[WAY_SIZE];
    bool collapsed;
};

/* The variant at hand. */
struct looker {
    const struct sq_result *r;
    struct sq_arena *arena;
    struct way *ways; /* by run */
    bool *taken;      /* by run */
    double *numbers;  /* of a metric */
    bool failed;
};

/* ---- values ---- */

static double number_of(const struct sq_result *r, size_t run, const char *metric)
{
    long at = sq_result_metric(r, metric);
    return at >= 0 ? r->runs[run].values[at].number : (double)NAN;
}

static const char *word_of(const struct sq_result *r, size_t run, const char *metric)
{
    long at = sq_result_metric(r, metric);
    const char *word = at >= 0 ? r->runs[run].values[at].word : NULL;
    return word != NULL ? word : "null";
}

static bool is_of(const char *metric, const char *kind, const char *quantity)
{
    size_t head = strlen(kind), len = strlen(metric), tail = strlen(quantity);
    return len > head + tail && strncmp(metric, kind, head) == 0 &&
           strcmp(metric + len - tail, quantity) == 0;
}

/* Collapses of all dependencies together. */
static double falls_of(const struct sq_result *r, size_t run)
{
    double sum = 0;
    for (size_t m = 0; m < r->metric_count; m++) {
        if (is_of(r->metric_names[m], "dependency.", ".secondary_outages")) {
            double falls = r->runs[run].values[m].number;
            sum += isnan(falls) ? 0 : falls;
        }
    }
    return sum;
}

/* ---- ways ---- */

static const char *end_of(const char *state)
{
    static const struct {
        const char *state, *text;
    } ends[] = { { "clears", ", then clears" },
                 { "stalled", ", then stalls" },
                 { "will not drain", ", then does not drain" } };
    for (size_t i = 0; i < SQ_COUNT(ends); i++) {
        if (strcmp(state, ends[i].state) == 0) {
            return ends[i].text;
        }
    }
    return "";
}

static void tell(struct looker *l, size_t run)
{
    static const char *const times[COUNTED + 1] = { "", "once", "twice", "3 times" };
    struct way *w = &l->ways[run];
    struct sq_buf b = { 0 };
    const char *state = word_of(l->r, run, "drain.state");
    double falls = falls_of(l->r, run);
    w->collapsed = number_of(l->r, run, "outcome.p_collapse") > 0;
    if (!w->collapsed) {
        sq_buf_puts(&b, "no collapse");
    } else if (falls > 0) {
        sq_buf_printf(&b, "falls over %s%s",
                      falls <= COUNTED ? times[(size_t)falls] : "more than 3 times", end_of(state));
    } else {
        bool clears = strcmp(state, "clears") == 0 || strcmp(state, "null") == 0;
        sq_buf_puts(&b, clears ? "does not fall over, but is not well again" : end_of(state) + 7);
    }
    l->failed = l->failed || b.failed || b.len >= WAY_SIZE;
    if (!l->failed) {
        memcpy(w->text, b.text, b.len + 1);
    }
    sq_buf_fini(&b);
}

static bool all_alike(const struct looker *l)
{
    for (size_t k = 1; k < l->r->run_count; k++) {
        if (strcmp(l->ways[k].text, l->ways[0].text) != 0) {
            return false;
        }
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The middle of the widest gap between sorted values. */
static double widest_gap(const double *sorted, size_t count)
{
    double widest = -1, at = 0;
    for (size_t i = 1; i < count; i++) {
        if (sorted[i] - sorted[i - 1] > widest) {
            widest = sorted[i] - sorted[i - 1];
            at = sorted[i - 1] + widest / 2;
        }
    }
    return at;
}

/* Cuts the runs at a metric that falls into two groups. */
static enum sq_status cut_at(struct looker *l, const char *metric, const char *what, bool *cut)
{
    struct sq_spread spread;
    size_t count = 0;
    for (size_t k = 0; k < l->r->run_count; k++) {
        double value = number_of(l->r, k, metric);
        if (!isnan(value)) {
            l->numbers[count++] = value;
        }
    }
    enum sq_status status = sq_infer_spread(l->numbers, count, &spread);
    *cut = status == SQ_OK && spread.bimodal && count == l->r->run_count;
    if (!*cut) {
        return status;
    }
    qsort(l->numbers, count, sizeof(*l->numbers), by_value);
    double edge = widest_gap(l->numbers, count);
    for (size_t k = 0; k < l->r->run_count; k++) {
        struct way *w = &l->ways[k];
        size_t len = strlen(w->text);
        struct sq_buf b = { 0 };
        sq_buf_printf(&b, ", %s %s", what, number_of(l->r, k, metric) > edge ? "late" : "early");
        l->failed = l->failed || b.failed || len + b.len >= WAY_SIZE;
        if (!l->failed) {
            memcpy(w->text + len, b.text, b.len + 1);
        }
        sq_buf_fini(&b);
    }
    return SQ_OK;
}

static enum sq_status cut_times(struct looker *l)
{
    static const char *const times[][2] = { { "drain.queue_clear_s", "queue clear" },
                                            { "drain.healthy_s", "well" },
                                            { "drain.last_job_s", "last job" } };
    enum sq_status status = SQ_OK;
    bool cut = false;
    for (size_t i = 0; i < SQ_COUNT(times) && status == SQ_OK && !cut; i++) {
        status = cut_at(l, times[i][0], times[i][1], &cut);
    }
    return status;
}

/* ---- modes ---- */

/* "; queue clear 31m after recovery (29m to 33m)" of the runs of a mode. */
static enum sq_status put_time(struct looker *l, const char *way, struct sq_buf *out)
{
    static const char *const times[][2] = { { "drain.queue_clear_s", "queue clear" },
                                            { "drain.healthy_s", "healthy for good" } };
    for (size_t i = 0; i < SQ_COUNT(times); i++) {
        struct sq_spread s;
        size_t count = 0;
        for (size_t k = 0; k < l->r->run_count; k++) {
            if (strcmp(l->ways[k].text, way) == 0) {
                l->numbers[count++] = number_of(l->r, k, times[i][0]);
            }
        }
        enum sq_status status = sq_infer_spread(l->numbers, count, &s);
        if (status != SQ_OK) {
            return status;
        }
        if (s.n == 0 || s.n < (int64_t)count) {
            continue;
        }
        sq_buf_printf(out, "; %s ", times[i][1]);
        sq_unit_put_span(out, s.p50);
        sq_buf_puts(out, " after recovery");
        if (s.n > 1 && s.max > s.min) {
            sq_buf_puts(out, " (");
            sq_unit_put_span(out, s.min);
            sq_buf_puts(out, " to ");
            sq_unit_put_span(out, s.max);
            sq_buf_putc(out, ')');
        }
        return SQ_OK;
    }
    return SQ_OK;
}

static enum sq_status add_mode(struct looker *l, size_t first, struct sq_compared *out)
{
    struct sq_mode *mode = &out->modes[out->mode_count++];
    struct sq_buf b = { 0 };
    *mode = (struct sq_mode){ .example = l->r->runs[first].replication,
                              .collapsed = l->ways[first].collapsed };
    for (size_t k = first; k < l->r->run_count; k++) {
        if (strcmp(l->ways[k].text, l->ways[first].text) == 0) {
            l->taken[k] = true;
            mode->runs++;
        }
    }
    sq_buf_puts(&b, l->ways[first].text);
    enum sq_status status = put_time(l, l->ways[first].text, &b);
    mode->text = b.failed ? NULL : sq_arena_text(l->arena, b.text, b.len);
    sq_buf_fini(&b);
    return status == SQ_OK && mode->text == NULL ? SQ_NOMEM : status;
}

static int by_runs(const void *a, const void *b)
{
    const struct sq_mode *x = a, *y = b;
    if (x->runs != y->runs) {
        return x->runs < y->runs ? 1 : -1;
    }
    return (x->example > y->example) - (x->example < y->example);
}

static enum sq_status find_modes(struct looker *l, struct sq_compared *out)
{
    for (size_t k = 0; k < l->r->run_count; k++) {
        tell(l, k);
    }
    enum sq_status status = l->failed ? SQ_NOMEM : SQ_OK;
    if (status == SQ_OK && all_alike(l)) {
        status = cut_times(l);
    }
    if (status != SQ_OK || all_alike(l)) {
        return status;
    }
    out->modes = sq_arena_alloc(l->arena, l->r->run_count, sizeof(*out->modes));
    status = out->modes != NULL && !l->failed ? SQ_OK : SQ_NOMEM;
    for (size_t k = 0; k < l->r->run_count && status == SQ_OK; k++) {
        status = l->taken[k] ? SQ_OK : add_mode(l, k, out);
    }
    if (status == SQ_OK) {
        qsort(out->modes, out->mode_count, sizeof(*out->modes), by_runs);
    }
    return status;
}

/* ---- margins ---- */

/* "peak in flight of template-api is 40 % of its collapse limit (40 of 100; most in a run 41)". */
static const char *margin_of(const struct sq_cell *cell, const char *name, int64_t limit,
                             struct sq_arena *arena)
{
    struct sq_buf b = { 0 };
    double part = cell->spread.p50 / (double)limit;
    sq_buf_printf(&b, "Peak in flight of %s is ", name);
    sq_buf_number(&b, floor((part < TIMES ? 100 * part : part) + 0.5), 6);
    sq_buf_printf(&b, " %s its collapse limit (", part < TIMES ? "% of" : "times");
    sq_buf_number(&b, cell->spread.p50, 6);
    sq_buf_puts(&b, " of ");
    sq_buf_number(&b, (double)limit, 12);
    if (cell->spread.n > 1 && cell->spread.max > cell->spread.p50) {
        sq_buf_puts(&b, "; most in a run ");
        sq_buf_number(&b, cell->spread.max, 6);
    }
    sq_buf_puts(&b, ").");
    const char *text = b.failed ? NULL : sq_arena_text(arena, b.text, b.len);
    sq_buf_fini(&b);
    return text;
}

static enum sq_status find_margins(const struct mdl_scenario *s, struct sq_comparison *c,
                                   size_t variant)
{
    const struct sq_map *dependencies = &s->cfg.dependencies;
    struct sq_compared *out = &c->variants[variant];
    out->margins = sq_arena_alloc(&c->arena, dependencies->count + 1, sizeof(*out->margins));
    if (out->margins == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < dependencies->count; i++) {
        const struct mdl_dependency_cfg *d = sq_map_at(dependencies, i);
        const char *name = dependencies->names[i];
        char *metric = sq_arena_printf(&c->arena, "dependency.%s.in_flight_max", name);
        if (metric == NULL) {
            return SQ_NOMEM;
        }
        const struct sq_cell *cell = sq_comparison_cell(c, variant, metric);
        if (d->overload == NULL || d->overload->in_flight <= 0 || cell == NULL ||
            cell->spread.n == 0) {
            continue;
        }
        const char *text = margin_of(cell, name, d->overload->in_flight, &c->arena);
        if (text == NULL) {
            return SQ_NOMEM;
        }
        out->margins[out->margin_count++] = text;
    }
    return SQ_OK;
}

enum sq_status mdl_modes(const struct mdl_scenario *scenarios, const struct sq_result *results,
                         struct sq_comparison *c)
{
    enum sq_status status = SQ_OK;
    for (size_t v = 0; v < c->variant_count && status == SQ_OK; v++) {
        struct looker l = { .r = &results[v], .arena = &c->arena };
        l.ways = sq_mem_alloc(c->run_count, sizeof(*l.ways));
        l.taken = sq_mem_alloc(c->run_count, sizeof(*l.taken));
        l.numbers = sq_mem_alloc(c->run_count, sizeof(*l.numbers));
        bool ready = l.ways != NULL && l.taken != NULL && l.numbers != NULL;
        status = ready ? find_modes(&l, &c->variants[v]) : SQ_NOMEM;
        status = status == SQ_OK ? find_margins(&scenarios[v], c, v) : status;
        sq_mem_free(l.ways);
        sq_mem_free(l.taken);
        sq_mem_free(l.numbers);
    }
    return status;
}
