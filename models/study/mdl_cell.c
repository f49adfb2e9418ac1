/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_cell.c - what is kept of the runs of one cell. */
#include "models/study/mdl_cell.h"

#include "models/mdl_metrics.h"
#include "sim/core/sq_infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char collapse[] = "outcome.p_collapse";

/* ---- names ---- */

struct names {
    struct sq_arena *arena;
    const char **items;
    size_t count, size;
    bool failed;
};

static void take_name(void *ctx, const char *name, double number, const char *word)
{
    (void)number, (void)word;
    struct names *n = ctx;
    if (n->items != NULL && n->count < n->size) {
        n->items[n->count] = sq_arena_text(n->arena, name, strlen(name));
        n->failed = n->failed || n->items[n->count] == NULL;
    }
    n->count++;
}

/* The names of all metrics, in their order: asked of a world that is never run. */
static enum sq_status read_names(const struct mdl_scenario *s, struct names *n)
{
    struct mdl_world w;
    enum sq_status status = mdl_world_init(&w, s, 1);
    if (status == SQ_OK) {
        mdl_metrics_each(&w, take_name, n);
        n->size = n->count;
        n->count = 0;
        n->items = sq_arena_alloc(n->arena, n->size + 1, sizeof(*n->items));
        n->failed = n->items == NULL;
        mdl_metrics_each(&w, take_name, n);
        status = n->failed ? SQ_NOMEM : SQ_OK;
    }
    mdl_world_fini(&w);
    return status;
}

enum sq_status mdl_cell_knows(const struct mdl_scenario *s, const char *metric,
                              struct sq_arena *arena, const char **close, bool *knows)
{
    struct names n = { .arena = arena };
    enum sq_status status = read_names(s, &n);
    *knows = false;
    *close = NULL;
    for (size_t i = 0; status == SQ_OK && i < n.count; i++) {
        *knows = *knows || strcmp(n.items[i], metric) == 0;
    }
    if (status == SQ_OK && !*knows) {
        *close = sq_diag_closest(metric, n.items, n.count);
    }
    return status;
}

/* ---- values ---- */

struct value {
    double number;
    char word[32]; /* "" for numbers */
};

/* Everything of all runs: values[run * count + metric]. */
struct keeper {
    struct names names;
    struct value *values;
};

struct taker {
    struct value *at;
    size_t next, count;
};

static void take_value(void *ctx, const char *name, double number, const char *word)
{
    (void)name;
    struct taker *t = ctx;
    SQ_ASSERT(t->next < t->count);
    struct value *v = &t->at[t->next++];
    v->number = number;
    if (word != NULL && strcmp(word, "null") != 0) {
        size_t len = strlen(word);
        SQ_ASSERT(len < sizeof(v->word));
        memcpy(v->word, word, len + 1);
    }
}

static void take(void *ctx, size_t run, struct mdl_world *w)
{
    const struct keeper *k = ctx;
    struct taker t = { k->values + run * k->names.count, 0, k->names.count };
    mdl_metrics_each(w, take_value, &t);
}

/* ---- rows ---- */

struct writer {
    const struct mdl_cell_ask *ask;
    const struct keeper *keeper;
    size_t runs;
    struct sq_arena *arena;
    struct sq_grid_cell *out;
    double *numbers; /* of one metric */
};

static struct sq_grid_row *share_row(struct writer *w, const char *metric, int64_t hits)
{
    struct sq_grid_row *r = &w->out->rows[w->out->row_count++];
    *r = (struct sq_grid_row){ .metric = metric,
                               .n = (int64_t)w->runs,
                               .mean = (double)hits / (double)w->runs,
                               .p10 = (double)NAN,
                               .p50 = (double)NAN,
                               .p90 = (double)NAN };
    sq_infer_wilson(hits, (int64_t)w->runs, &r->lo, &r->hi);
    return r;
}

static const struct value *value_at(const struct writer *w, size_t run, size_t metric)
{
    return &w->keeper->values[run * w->keeper->names.count + metric];
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A row per word, in alphabetical order. Returns false for a metric that is no word. */
static bool add_words(struct writer *w, size_t metric, bool *failed)
{
    const char **words = sq_mem_alloc(w->runs, sizeof(*words));
    size_t count = 0;
    *failed = words == NULL;
    for (size_t r = 0; words != NULL && r < w->runs; r++) {
        const struct value *v = value_at(w, r, metric);
        if (v->word[0] != '\0') {
            words[count++] = v->word;
        }
    }
    if (count > 0) {
        qsort(words, count, sizeof(*words), by_text);
    }
    for (size_t first = 0, end; first < count && !*failed; first = end) {
        for (end = first + 1; end < count && strcmp(words[first], words[end]) == 0; end++) {
        }
        char *name =
            sq_arena_printf(w->arena, "%s=%s", w->keeper->names.items[metric], words[first]);
        *failed = name == NULL;
        (void)share_row(w, name, (int64_t)(end - first));
    }
    sq_mem_free(words);
    return count > 0;
}

static enum sq_status add_numbers(struct writer *w, size_t metric)
{
    struct sq_spread spread;
    for (size_t r = 0; r < w->runs; r++) {
        w->numbers[r] = value_at(w, r, metric)->number;
    }
    enum sq_status status = sq_infer_spread(w->numbers, w->runs, &spread);
    if (status == SQ_OK) {
        w->out->rows[w->out->row_count++] =
            (struct sq_grid_row){ .metric = w->keeper->names.items[metric],
                                  .n = spread.n,
                                  .mean = spread.mean,
                                  .lo = spread.lo,
                                  .hi = spread.hi,
                                  .p10 = spread.p10,
                                  .p50 = spread.p50,
                                  .p90 = spread.p90 };
    }
    return status;
}

/* The collapse has its row already; the hash is another in every run. */
static bool is_wanted(const struct mdl_cell_ask *ask, const char *name)
{
    if (strcmp(name, collapse) == 0 || strcmp(name, "run.hash") == 0) {
        return false;
    }
    bool wanted = ask->metric_count == 0;
    for (size_t i = 0; i < ask->metric_count && !wanted; i++) {
        wanted = strcmp(ask->metrics[i], name) == 0;
    }
    return wanted;
}

static enum sq_status write_rows(struct writer *w)
{
    const struct names *names = &w->keeper->names;
    enum sq_status status = SQ_OK;
    int64_t hits = 0;
    for (size_t m = 0; m < names->count; m++) {
        for (size_t r = 0; strcmp(names->items[m], collapse) == 0 && r < w->runs; r++) {
            hits += value_at(w, r, m)->number > 0;
        }
    }
    (void)share_row(w, collapse, hits);
    for (size_t m = 0; m < names->count && status == SQ_OK; m++) {
        bool failed = false;
        if (is_wanted(w->ask, names->items[m]) && !add_words(w, m, &failed)) {
            status = add_numbers(w, m);
        }
        status = failed ? SQ_NOMEM : status;
    }
    return status;
}

enum sq_status mdl_cell_run(const struct mdl_cell_ask *ask, struct sq_arena *arena,
                            struct sq_grid_cell *out, struct sq_diag *diag)
{
    struct keeper k = { .names = { .arena = arena } };
    struct mdl_replicate_ask runs = *ask->runs;
    struct writer w = { .ask = ask, .keeper = &k, .arena = arena, .out = out };
    runs.count = w.runs = (size_t)ask->s->cfg.runs;
    runs.after = take;
    runs.after_ctx = &k;
    enum sq_status status = read_names(ask->s, &k.names);
    if (status != SQ_OK) {
        return status;
    }
    k.values = sq_mem_alloc(w.runs * k.names.count + 1, sizeof(*k.values));
    w.numbers = sq_mem_alloc(w.runs, sizeof(*w.numbers));
    /* the metrics of many words are drain.state, which has three, and forecast.state, of four */
    out->rows = sq_arena_alloc(arena, 4 * k.names.count + 1, sizeof(*out->rows));
    bool ready = k.values != NULL && w.numbers != NULL && out->rows != NULL;
    status = ready ? mdl_runs(ask->s, &runs, "", diag) : SQ_NOMEM;
    status = status == SQ_OK ? write_rows(&w) : status;
    out->done = status == SQ_OK;
    sq_mem_free(k.values);
    sq_mem_free(w.numbers);
    return status;
}
