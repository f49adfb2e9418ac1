/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_judge.c - evidence of runs, and verdicts over them. */
#include "models/study/mdl_judge.h"

#include "models/mdl_metrics.h"
#include "models/mdl_probe.h"
#include "models/mdl_timeline.h"
#include "sim/core/sq_infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- evidence ---- */

enum sq_status mdl_evidence_init(struct mdl_evidence *e, const struct mdl_expects *x,
                                 size_t variant, size_t runs)
{
    *e = (struct mdl_evidence){ .x = x, .variant = variant, .run_count = runs };
    size_t asked = x->variants[variant].asked.count;
    e->facts = sq_mem_alloc(runs * asked + 1, sizeof(*e->facts));
    e->watched = sq_mem_alloc(runs * x->count + 1, sizeof(*e->watched));
    if (e->facts == NULL || e->watched == NULL) {
        mdl_evidence_fini(e);
        return SQ_NOMEM;
    }
    return SQ_OK;
}

void mdl_evidence_fini(struct mdl_evidence *e)
{
    sq_mem_free(e->facts);
    sq_mem_free(e->watched);
    *e = (struct mdl_evidence){ 0 };
}

struct taker {
    const struct mdl_names *asked;
    struct mdl_fact *facts;
};

static void take_metric(void *ctx, const char *name, double number, const char *word)
{
    struct taker *t = ctx;
    for (size_t i = 0; i < t->asked->count; i++) {
        if (strcmp(t->asked->items[i], name) != 0) {
            continue;
        }
        struct mdl_fact *f = &t->facts[i];
        *f = (struct mdl_fact){ .number = number, .present = true };
        if (word != NULL && strcmp(word, "null") != 0) {
            size_t len = strlen(word);
            SQ_ASSERT(len < MDL_WORD_SIZE);
            memcpy(f->word, word, len + 1);
        }
    }
}

/* A bin of the timeline, as an expression looks at it. */
struct bin_view {
    const struct sq_series *series;
    const long *columns; /* by reference */
    size_t bin;
};

static struct sq_value look_at_bin(const void *ctx, size_t ref)
{
    const struct bin_view *b = ctx;
    return (struct sq_value){ (double)b->series->columns[b->columns[ref]].bins[b->bin], NULL };
}

/* Whether a bin comes closer to breaking the expectation: one that breaks it before one that does
 * not, nulls first, then the smaller margin. */
static bool is_worse(const struct sq_expr_verdict *v, const struct mdl_watched_fact *f)
{
    if (v->holds != f->holds) {
        return f->holds;
    }
    if (isnan(v->margin) || isnan(f->margin)) {
        return isnan(v->margin) && !isnan(f->margin);
    }
    return v->margin < f->margin;
}

static void watch(const struct mdl_expectation *e, const struct sq_series *s, sq_time_t t1_ns,
                  struct mdl_watched_fact *out)
{
    long columns[64];
    SQ_ASSERT(e->expr->ref_count <= SQ_COUNT(columns));
    *out = (struct mdl_watched_fact){ .left = (double)NAN,
                                      .right = (double)NAN,
                                      .margin = (double)NAN };
    for (size_t i = 0; i < e->expr->ref_count; i++) {
        columns[i] = sq_series_column(s, e->expr->refs[i].name);
        if (columns[i] < 0) {
            return;
        }
    }
    bool from_t1 = e->window.from.from_t1 || e->window.until.from_t1;
    if (from_t1 && t1_ns == SQ_NEVER) {
        return;
    }
    size_t first, last;
    out->present = true;
    mdl_window_bins(&e->window, s, t1_ns, &first, &last);
    for (size_t bin = first; bin < last; bin++) {
        struct bin_view view = { s, columns, bin };
        struct sq_expr_verdict v = sq_expr_eval(e->expr, look_at_bin, &view);
        if (bin == first || is_worse(&v, out)) {
            *out =
                (struct mdl_watched_fact){ true, v.holds, v.left.number, v.right.number, v.margin };
        }
    }
}

static void watch_all(struct mdl_evidence *e, size_t run, const struct sq_series *s,
                      sq_time_t t1_ns)
{
    for (size_t i = 0; i < e->x->count; i++) {
        const struct mdl_expectation *x = &e->x->items[i];
        if (x->variant == e->variant && x->window.kind != MDL_WHOLE_RUN) {
            watch(x, s, t1_ns, &e->watched[run * e->x->count + i]);
        }
    }
}

void mdl_evidence_take_result(struct mdl_evidence *e, const struct sq_result *r, sq_time_t t1_ns)
{
    SQ_ASSERT(e->run_count == 1 && r->run_count == 1);
    struct taker t = { &e->x->variants[e->variant].asked, e->facts };
    e->model = r->model;
    for (size_t i = 0; i < r->metric_count; i++) {
        const struct sq_value *v = &r->runs[0].values[i];
        take_metric(&t, r->metric_names[i], v->number, v->word);
    }
    watch_all(e, 0, &r->series, t1_ns);
}

void mdl_evidence_take(struct mdl_evidence *e, size_t run, struct mdl_world *w)
{
    SQ_ASSERT(run < e->run_count);
    const struct mdl_names *asked = &e->x->variants[e->variant].asked;
    struct taker t = { asked, e->facts + run * asked->count };
    if (asked->count > 0) {
        mdl_metrics_each(w, take_metric, &t);
    }
    watch_all(e, run, &w->probe->timeline->series, w->ctx.t1_ns);
}

/* ---- one expectation in one run ---- */

struct run_view {
    const struct mdl_expectation *e;
    const struct mdl_evidence *by_variant;
    size_t run;
};

static const struct mdl_fact *find_fact(const struct mdl_evidence *e, size_t run, const char *name)
{
    const struct mdl_names *asked = &e->x->variants[e->variant].asked;
    for (size_t i = 0; i < asked->count; i++) {
        if (strcmp(asked->items[i], name) == 0) {
            return &e->facts[run * asked->count + i];
        }
    }
    SQ_UNREACHABLE("every metric that is looked at was asked for");
}

/* outcome.* is the share over all runs. */
static struct sq_value share_of(const struct mdl_evidence *e, const char *name)
{
    double sum = 0;
    for (size_t r = 0; r < e->run_count; r++) {
        sum += find_fact(e, r, name)->number;
    }
    return (struct sq_value){ sum / (double)e->run_count, NULL };
}

static struct sq_value look_at_run(const void *ctx, size_t ref)
{
    const struct run_view *v = ctx;
    const char *name = v->e->expr->refs[ref].name;
    const struct mdl_evidence *e = &v->by_variant[v->e->of[ref]];
    if (mdl_is_outcome(name)) {
        return share_of(e, name);
    }
    if (v->run >= e->run_count) {
        return (struct sq_value){ (double)NAN, NULL }; /* the other variant has fewer runs */
    }
    const struct mdl_fact *f = find_fact(e, v->run, name);
    return (struct sq_value){ f->number, f->word[0] != '\0' ? f->word : NULL };
}

static struct sq_expr_verdict judge_run(const struct mdl_expects *x, size_t item,
                                        const struct mdl_evidence *by_variant, size_t run)
{
    const struct mdl_expectation *e = &x->items[item];
    if (e->window.kind == MDL_WHOLE_RUN) {
        struct run_view view = { e, by_variant, run };
        return sq_expr_eval(e->expr, look_at_run, &view);
    }
    const struct mdl_watched_fact *f = &by_variant[e->variant].watched[run * x->count + item];
    return (struct sq_expr_verdict){ .holds = f->holds,
                                     .left = { f->left, NULL },
                                     .right = { f->right, NULL },
                                     .margin = f->margin };
}

/* ---- over the runs ---- */

/* One side, or the margin, of every run. */
struct sample {
    double *left, *right, *margin;
    const char **left_words, **right_words;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The most frequent word; `words` is sorted by it. */
static enum sq_status sum_words(const char **words, size_t runs, struct sq_arena *arena,
                                struct sq_verdict_side *out)
{
    size_t count = 0;
    for (size_t i = 0; i < runs; i++) {
        if (words[i] != NULL) {
            words[count++] = words[i];
        }
    }
    if (count == 0) {
        return SQ_OK; /* numbers */
    }
    out->nulls = runs - count;
    qsort(words, count, sizeof(*words), by_text);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && strcmp(words[first], words[end]) == 0; end++) {
        }
        out->word_kinds++;
        if (end - first > out->word_runs) {
            out->word_runs = end - first;
            out->word = words[first];
        }
    }
    out->word = sq_arena_text(arena, out->word, strlen(out->word));
    return out->word != NULL ? SQ_OK : SQ_NOMEM;
}

static enum sq_status sum_side(const struct sq_expr_node *side, const double *numbers, size_t runs,
                               struct sq_verdict_side *out)
{
    static const enum sq_verdict_unit units[] = { [SQ_EXPR_NUMBER] = SQ_VERDICT_NUMBER,
                                                  [SQ_EXPR_SECONDS] = SQ_VERDICT_SECONDS,
                                                  [SQ_EXPR_SHARE] = SQ_VERDICT_SHARE };
    struct sq_spread spread;
    enum sq_status status = sq_infer_spread(numbers, runs, &spread);
    if (status != SQ_OK) {
        return status;
    }
    *out = (struct sq_verdict_side){ .constant = sq_expr_is_constant(side),
                                     .unit = units[sq_expr_unit(side)],
                                     .median = spread.p50,
                                     .min = spread.min,
                                     .max = spread.max,
                                     .nulls = runs - (size_t)spread.n };
    return SQ_OK;
}

static enum sq_status sum_up(const struct mdl_expectation *e, const struct sample *s, size_t runs,
                             struct sq_arena *arena, struct sq_verdict *out)
{
    struct sq_spread margin;
    enum sq_status status = sum_side(e->expr->left, s->left, runs, &out->observed);
    if (status == SQ_OK) {
        status = sum_side(e->expr->right, s->right, runs, &out->limit);
    }
    if (status == SQ_OK) {
        status = sum_words(s->left_words, runs, arena, &out->observed);
    }
    if (status == SQ_OK) {
        status = sum_words(s->right_words, runs, arena, &out->limit);
    }
    if (status == SQ_OK) {
        status = sq_infer_spread(s->margin, runs, &margin);
    }
    if (status == SQ_OK) {
        out->margin = margin.p50;
        out->margin_worst = margin.min;
    }
    return status;
}

static enum sq_status judge_runs(const struct mdl_expects *x, size_t item,
                                 const struct mdl_evidence *by_variant, struct sq_arena *arena,
                                 struct sq_verdict *out)
{
    size_t runs = out->runs;
    double *numbers = sq_mem_alloc(3 * runs, sizeof(*numbers));
    const char **words = sq_mem_alloc(2 * runs, sizeof(*words));
    enum sq_status status = SQ_NOMEM;
    if (numbers != NULL && words != NULL) {
        struct sample s = { numbers, numbers + runs, numbers + 2 * runs, words, words + runs };
        for (size_t r = 0; r < runs; r++) {
            struct sq_expr_verdict v = judge_run(x, item, by_variant, r);
            out->runs_passed += v.holds;
            s.left[r] = v.left.word == NULL ? v.left.number : (double)NAN;
            s.right[r] = v.right.word == NULL ? v.right.number : (double)NAN;
            s.margin[r] = v.margin;
            s.left_words[r] = v.left.word;
            s.right_words[r] = v.right.word;
        }
        status = sum_up(&x->items[item], &s, runs, arena, out);
    }
    sq_mem_free(numbers);
    sq_mem_free(words);
    return status;
}

/* Why an expectation cannot be judged; *why stays NULL when it can. The text lives in the arena. */
static enum sq_status find_why(const struct mdl_expects *x, size_t item,
                               const struct mdl_evidence *by_variant, struct sq_arena *arena,
                               const char **why)
{
    const struct mdl_expectation *e = &x->items[item];
    if (e->window.kind != MDL_WHOLE_RUN) {
        const struct mdl_evidence *own = &by_variant[e->variant];
        *why = own->watched[item].present ? NULL
               : own->model == NULL
                   ? "this run has no such column, or no T1"
                   : "the fluid model has no such column, or there is no T1: leave out --fluid";
        return SQ_OK;
    }
    for (size_t i = 0; i < e->expr->ref_count; i++) {
        const struct mdl_evidence *of = &by_variant[e->of[i]];
        const char *name = e->expr->refs[i].name;
        if (of->facts == NULL) {
            *why = sq_arena_printf(arena, "looks at variant %s too: `squall check` judges it",
                                   x->variants[e->of[i]].name);
            return *why != NULL ? SQ_OK : SQ_NOMEM;
        }
        if (!find_fact(of, 0, name)->present) {
            *why = sq_arena_printf(arena,
                                   of->model == NULL
                                       ? "this run has no metric %s"
                                       : "the fluid model has no metric %s: leave out --fluid",
                                   name);
            return *why != NULL ? SQ_OK : SQ_NOMEM;
        }
    }
    return SQ_OK;
}

static size_t runs_needed(double share, size_t runs)
{
    double least = share * (double)runs;
    size_t whole = (size_t)least;
    return (double)whole < least - 1e-9 ? whole + 1 : whole; /* 95 % of 20 is 19 */
}

enum sq_status mdl_judge(const struct mdl_expects *x, size_t item,
                         const struct mdl_evidence *by_variant, struct sq_arena *arena,
                         struct sq_verdict *out)
{
    const struct mdl_expectation *e = &x->items[item];
    const struct mdl_evidence *own = &by_variant[e->variant];
    SQ_ASSERT(own->facts != NULL);
    *out = (struct sq_verdict){ .that = e->expr->text,
                                .variant = x->variants[e->variant].name,
                                .when = e->window.text,
                                .line = e->where.line,
                                .warns = e->cfg->severity == MDL_SEVERITY_WARN,
                                .of_outcome = e->of_outcome };
    out->runs = e->of_outcome ? 1 : own->run_count;
    out->runs_needed = e->of_outcome ? 1 : runs_needed(e->cfg->in, out->runs);
    enum sq_status status = find_why(x, item, by_variant, arena, &out->why);
    if (status != SQ_OK || out->why != NULL) {
        out->state = SQ_VERDICT_OPEN;
        return status;
    }
    status = judge_runs(x, item, by_variant, arena, out);
    out->state = out->runs_passed >= out->runs_needed ? SQ_VERDICT_PASSED : SQ_VERDICT_FAILED;
    return status;
}
