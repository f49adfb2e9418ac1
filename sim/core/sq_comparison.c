/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_comparison.c - metrics of several variants side by side, and their paired differences. */
#include "sim/core/sq_comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is being made, and room for the numbers of one metric over the runs. */
struct maker {
    const struct sq_result *results;
    size_t count;
    struct sq_comparison *out;
    double *here, *there; /* run_count each */
    const char **words;   /* run_count */
};

static const char outcome_collapse[] = "outcome.p_collapse";

static bool is_share(const char *name)
{
    static const char prefix[] = "outcome.p_";
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

double sq_mcnemar(int64_t here, int64_t there)
{
    int64_t n = here + there, most = here > there ? here : there;
    double p = 2 * sq_infer_binomial_tail(most, n, 0.5);
    return p < 1 ? p : 1;
}

static bool shows(int64_t runs, double share)
{
    double lo, hi;
    sq_infer_wilson(0, runs, &lo, &hi);
    return hi <= share;
}

int64_t sq_runs_to_show(double share)
{
    SQ_ASSERT(share > 0);
    int64_t few = 0, enough = 1;
    while (!shows(enough, share)) {
        few = enough;
        enough *= 2;
    }
    while (enough - few > 1) {
        int64_t middle = few + (enough - few) / 2;
        if (shows(middle, share)) {
            enough = middle;
        } else {
            few = middle;
        }
    }
    return enough;
}

long sq_comparison_metric(const struct sq_comparison *c, const char *name)
{
    for (size_t i = 0; i < c->metric_count; i++) {
        if (strcmp(c->metric_names[i], name) == 0) {
            return (long)i;
        }
    }
    return -1;
}

const struct sq_cell *sq_comparison_cell(const struct sq_comparison *c, size_t variant,
                                         const char *name)
{
    SQ_ASSERT(variant < c->variant_count);
    long at = sq_comparison_metric(c, name);
    const struct sq_cell *cell = at < 0 ? NULL : &c->variants[variant].cells[at];
    return cell != NULL && cell->known ? cell : NULL;
}

/* ---- the names ---- */

static const char *copy_text(struct sq_arena *arena, const char *text, bool *failed)
{
    char *copy = text == NULL ? NULL : sq_arena_text(arena, text, strlen(text));
    *failed = *failed || (text != NULL && copy == NULL);
    return copy;
}

/* A metric that only some variants have stands behind the one it follows there. */
static enum sq_status merge_names(struct maker *m)
{
    struct sq_comparison *c = m->out;
    size_t most = 0;
    bool failed = false;
    for (size_t v = 0; v < m->count; v++) {
        most += m->results[v].metric_count;
    }
    c->metric_names = sq_arena_alloc(&c->arena, most + 1, sizeof *c->metric_names);
    for (size_t v = 0; v < m->count && c->metric_names != NULL; v++) {
        const struct sq_result *r = &m->results[v];
        size_t next = 0;
        for (size_t i = 0; i < r->metric_count; i++) {
            long at = sq_comparison_metric(c, r->metric_names[i]);
            if (at >= 0) {
                next = (size_t)at + 1;
            } else if (strcmp(r->metric_names[i], "run.hash") != 0) {
                memmove(c->metric_names + next + 1, c->metric_names + next,
                        (c->metric_count - next) * sizeof *c->metric_names);
                c->metric_names[next++] = copy_text(&c->arena, r->metric_names[i], &failed);
                c->metric_count++;
            }
            if (failed) {
                return SQ_NOMEM;
            }
        }
    }
    return c->metric_names == NULL ? SQ_NOMEM : SQ_OK;
}

/* ---- one cell ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_runs(const void *a, const void *b)
{
    const struct sq_word_count *x = a, *y = b;
    return x->runs != y->runs ? (x->runs < y->runs) - (x->runs > y->runs)
                              : strcmp(x->word, y->word);
}

static enum sq_status count_words(struct maker *m, const struct sq_result *r, size_t metric,
                                  struct sq_cell *cell)
{
    struct sq_arena *arena = &m->out->arena;
    size_t count = 0;
    bool failed = false;
    for (size_t k = 0; k < r->run_count; k++) {
        if (r->runs[k].values[metric].word != NULL) {
            m->words[count++] = r->runs[k].values[metric].word;
        }
    }
    if (count == 0) {
        return SQ_OK;
    }
    qsort(m->words, count, sizeof *m->words, by_text);
    cell->words = sq_arena_alloc(arena, count, sizeof *cell->words);
    if (cell->words == NULL) {
        return SQ_NOMEM;
    }
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && strcmp(m->words[first], m->words[end]) == 0; end++) {
        }
        cell->words[cell->word_count++] =
            (struct sq_word_count){ copy_text(arena, m->words[first], &failed),
                                    (int64_t)(end - first) };
    }
    if (failed) {
        return SQ_NOMEM;
    }
    qsort(cell->words, cell->word_count, sizeof *cell->words, by_runs);
    return SQ_OK;
}

static void take_numbers(const struct sq_result *r, long metric, double *numbers)
{
    for (size_t k = 0; k < r->run_count; k++) {
        numbers[k] = metric < 0 ? (double)NAN : r->runs[k].values[metric].number;
    }
}

/* Fills `here` with the differences to `there`. */
static enum sq_status pair_up(struct maker *m, struct sq_paired *out)
{
    struct sq_spread s;
    for (size_t k = 0; k < m->out->run_count; k++) {
        m->here[k] -= m->there[k]; /* NaN where either is */
    }
    enum sq_status status = sq_infer_spread(m->here, m->out->run_count, &s);
    if (status == SQ_OK) {
        *out = (struct sq_paired){ s.n, s.mean, s.lo, s.hi };
    }
    return status;
}

static enum sq_status make_cell(struct maker *m, size_t variant, size_t metric)
{
    const struct sq_result *r = &m->results[variant];
    const char *name = m->out->metric_names[metric];
    struct sq_cell *cell = &m->out->variants[variant].cells[metric];
    long at = sq_result_metric(r, name);
    cell->paired = (struct sq_paired){ 0, (double)NAN, (double)NAN, (double)NAN };
    cell->known = at >= 0;
    take_numbers(r, at, m->here);
    enum sq_status status = sq_infer_spread(m->here, r->run_count, &cell->spread);
    if (status == SQ_OK && cell->known) {
        status = count_words(m, r, (size_t)at, cell);
    }
    if (status == SQ_OK && variant > 0 && cell->word_count == 0 && !is_share(name)) {
        take_numbers(&m->results[0], sq_result_metric(&m->results[0], name), m->there);
        status = pair_up(m, &cell->paired);
    }
    return status;
}

/* ---- shares ---- */

static void count_share(struct maker *m, size_t variant, const char *name, struct sq_share *out)
{
    const struct sq_result *r = &m->results[variant];
    *out = (struct sq_share){ .p = 1 };
    take_numbers(r, sq_result_metric(r, name), m->here);
    take_numbers(&m->results[0], sq_result_metric(&m->results[0], name), m->there);
    for (size_t k = 0; k < r->run_count; k++) {
        bool here = m->here[k] > 0.5, there = m->there[k] > 0.5; /* false for NaN */
        out->n += !isnan(m->here[k]);
        out->hits += here;
        if (variant > 0 && !isnan(m->here[k]) && !isnan(m->there[k])) {
            out->pairs++;
            out->only_here += here && !there;
            out->only_first += there && !here;
        }
    }
    sq_infer_wilson(out->hits, out->n, &out->lo, &out->hi);
    out->p = sq_mcnemar(out->only_here, out->only_first);
}

/* ---- the whole ---- */

static enum sq_status copy_judged(struct maker *m, size_t variant)
{
    const struct sq_result *r = &m->results[variant];
    struct sq_arena *arena = &m->out->arena;
    struct sq_compared *one = &m->out->variants[variant];
    bool failed = false;
    one->judged = sq_arena_alloc(arena, r->verdict_count + 1, sizeof *one->judged);
    for (size_t i = 0; i < r->verdict_count && one->judged != NULL; i++) {
        struct sq_verdict *v = &one->judged[i];
        *v = r->verdicts[i];
        v->that = copy_text(arena, v->that, &failed);
        v->variant = copy_text(arena, v->variant, &failed);
        v->when = copy_text(arena, v->when, &failed);
        v->why = copy_text(arena, v->why, &failed);
        v->observed.word = copy_text(arena, v->observed.word, &failed);
        v->limit.word = copy_text(arena, v->limit.word, &failed);
    }
    one->judged_count = r->verdict_count;
    return one->judged == NULL || failed ? SQ_NOMEM : SQ_OK;
}

static enum sq_status make_cells(struct maker *m, size_t variant)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < m->out->metric_count && status == SQ_OK; i++) {
        status = make_cell(m, variant, i);
    }
    return status;
}

static enum sq_status make_variants(struct maker *m)
{
    struct sq_comparison *c = m->out;
    bool failed = false;
    c->variants = sq_arena_alloc(&c->arena, m->count, sizeof *c->variants);
    if (c->variants == NULL) {
        return SQ_NOMEM;
    }
    c->variant_count = m->count;
    for (size_t v = 0; v < m->count; v++) {
        struct sq_compared *one = &c->variants[v];
        SQ_ASSERT(m->results[v].run_count == c->run_count);
        one->name = copy_text(&c->arena, m->results[v].variant, &failed);
        one->hash = copy_text(&c->arena, m->results[v].scenario_hash, &failed);
        one->forecast = copy_text(&c->arena, sq_result_forecast(&m->results[v]), &failed);
        one->cells = sq_arena_alloc(&c->arena, c->metric_count + 1, sizeof *one->cells);
        if (one->cells == NULL || failed) {
            return SQ_NOMEM;
        }
        count_share(m, v, outcome_collapse, &one->collapse);
        enum sq_status status = copy_judged(m, v);
        if (status == SQ_OK) {
            status = make_cells(m, v);
        }
        if (status != SQ_OK) {
            return status;
        }
    }
    return SQ_OK;
}

static enum sq_status describe(const struct sq_result *r, struct sq_comparison *c)
{
    bool failed = false;
    c->version = copy_text(&c->arena, r->version, &failed);
    c->title = copy_text(&c->arena, r->title, &failed);
    c->notes = copy_text(&c->arena, r->notes, &failed);
    c->file = copy_text(&c->arena, r->file, &failed);
    c->seed = r->seed;
    c->duration_ns = r->duration_ns;
    c->run_count = r->run_count;
    c->runs_wanted = r->runs_wanted;
    c->interrupted = r->interrupted;
    return failed ? SQ_NOMEM : SQ_OK;
}

enum sq_status sq_comparison_make(const struct sq_result *results, size_t count,
                                  struct sq_comparison *out)
{
    SQ_ASSERT(count >= 1);
    SQ_ASSERT(results[0].run_count >= 1);
    size_t runs = results[0].run_count;
    struct maker m = { .results = results, .count = count, .out = out };
    m.here = sq_mem_alloc(runs, sizeof *m.here);
    m.there = sq_mem_alloc(runs, sizeof *m.there);
    m.words = sq_mem_alloc(runs, sizeof *m.words);
    bool ready = m.here != NULL && m.there != NULL && m.words != NULL;
    enum sq_status status = ready ? describe(&results[0], out) : SQ_NOMEM;
    if (status == SQ_OK) {
        status = merge_names(&m);
    }
    if (status == SQ_OK) {
        status = make_variants(&m);
    }
    sq_mem_free(m.here);
    sq_mem_free(m.there);
    sq_mem_free(m.words);
    return status;
}
