/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_verdict.c - sentences about variants. A sentence has up to three parts: whether it collapses,
 * when it is over, and whether fewer jobs were done in exchange. What chance may explain is not
 * called a difference. */
#include "models/study/mdl_verdict.h"

#include "sim/base/sq_unit.h"

#include <math.h>
#include <string.h>

enum { PROVEN_PERCENT = 1 }; /* the share whose absence is worth proving */

/* A mark that says when it is over. */
struct mark {
    const char *metric;
    const char *is, *is_not; /* "queue clear", "the queue does not clear" */
};

static const struct mark marks[] = {
    { "drain.queue_clear_s", "queue clear", "the queue does not clear" },
    { "drain.healthy_s", "healthy for good", "it does not become healthy for good" },
};

static void put_percent(struct sq_buf *b, double share)
{
    double percent = share * 100;
    if (percent > 0 && percent < 1) {
        sq_buf_puts(b, "below 1 %");
    } else if (percent > 99 && percent < 100) {
        sq_buf_puts(b, "above 99 %");
    } else {
        sq_buf_number(b, floor(percent + 0.5), 3);
        sq_buf_puts(b, " %");
    }
}

/* ---- whether it collapses ---- */

static void put_collapse(struct sq_buf *b, const struct sq_share *s)
{
    long long n = (long long)s->n, hits = (long long)s->hits;
    if (n == 1) {
        sq_buf_puts(b, hits > 0 ? "collapses in its one run" : "no collapse in its one run");
        return;
    }
    if (hits == 0) {
        sq_buf_printf(b, "no collapse in %lld of %lld runs (P(collapse) 0 %%, 95 %%: at most ", n,
                      n);
        put_percent(b, s->hi);
    } else if (hits == n) {
        sq_buf_printf(b, "collapses in all %lld runs (P(collapse) 100 %%, 95 %%: at least ", n);
        put_percent(b, s->lo);
    } else {
        sq_buf_printf(b, "collapses in %lld of %lld runs (P(collapse) ", hits, n);
        put_percent(b, (double)hits / (double)n);
        sq_buf_puts(b, ", 95 %: ");
        put_percent(b, s->lo);
        sq_buf_puts(b, " to ");
        put_percent(b, s->hi);
    }
    sq_buf_putc(b, ')');
}

/* How the runs of the same number came out here and in the first variant. */
static void put_split(struct sq_buf *b, const struct sq_share *s, const char *first)
{
    long long here = (long long)s->only_here, there = (long long)s->only_first;
    if (s->pairs < 2 || here + there == 0) {
        return;
    }
    if (here == 0 || there == 0) {
        sq_buf_printf(b, ", in %lld run%s %s than %s", here + there, here + there == 1 ? "" : "s",
                      here == 0 ? "fewer" : "more", first);
    } else {
        sq_buf_printf(b, ", not in %lld in which %s does but in %lld in which it does not", there,
                      first, here);
    }
    sq_buf_puts(b, " (McNemar p ");
    if (s->p < 1e-4) {
        sq_buf_puts(b, "< 0.0001)");
    } else {
        sq_buf_puts(b, "= ");
        sq_buf_number(b, s->p, 2);
        sq_buf_puts(b, s->p > 0.05 ? ": chance may explain it)" : ")");
    }
}

/* ---- when it is over ---- */

/* The first mark that any variant reaches; the last one when none does. NULL without marks. */
static const struct mark *find_mark(const struct sq_comparison *c)
{
    const struct mark *of = NULL;
    bool queues = false;
    for (size_t i = 0; i < c->metric_count; i++) {
        queues = queues || strncmp(c->metric_names[i], "queue.", 6) == 0;
    }
    for (size_t i = queues ? 0 : 1; i < SQ_COUNT(marks); i++) {
        for (size_t v = 0; v < c->variant_count; v++) {
            const struct sq_cell *cell = sq_comparison_cell(c, v, marks[i].metric);
            if (cell != NULL && cell->spread.n > 0) {
                return &marks[i];
            }
            of = cell != NULL && of == NULL ? &marks[i] : of;
        }
    }
    return of;
}

static void put_range(struct sq_buf *b, double lo, double hi)
{
    sq_buf_puts(b, " [");
    sq_unit_put_span(b, lo);
    sq_buf_puts(b, ", ");
    sq_unit_put_span(b, hi);
    sq_buf_putc(b, ']');
}

static void put_part_of(struct sq_buf *b, int64_t n, size_t of)
{
    if (n < (int64_t)of) {
        sq_buf_printf(b, " (%lld of %zu runs)", (long long)n, of);
    }
}

/* "queue clear 41m after recovery". */
static void put_own_time(struct sq_buf *b, const struct mark *m, const struct sq_cell *cell,
                         size_t runs)
{
    const struct sq_spread *s = &cell->spread;
    if (s->bimodal) { /* the median is a time that few runs have */
        sq_buf_printf(b, "%s after ", m->is);
        sq_unit_put_span(b, s->group[0].p50);
        sq_buf_printf(b, " in %lld of %zu runs, ", (long long)s->group[0].n, runs);
        sq_unit_put_span(b, s->group[1].p50);
        sq_buf_printf(b, " in %lld", (long long)s->group[1].n);
        return;
    }
    sq_buf_printf(b, "%s ", m->is);
    sq_unit_put_span(b, s->p50);
    sq_buf_puts(b, " after recovery");
    put_part_of(b, s->n, runs);
}

/* "queue clear 26m sooner than as-it-was [26m, 27m]". */
static void put_paired_time(struct sq_buf *b, const struct mark *m, const struct sq_paired *p,
                            const struct sq_comparison *c)
{
    const char *first = c->variants[0].name;
    sq_buf_printf(b, "%s ", m->is);
    if (p->mean == 0 && !(p->lo < p->hi)) {
        sq_buf_printf(b, "when %s is", first);
    } else if (p->n > 1 && p->lo <= 0 && p->hi >= 0) {
        sq_buf_printf(b, "not clearly sooner or later than %s", first);
        put_range(b, p->lo, p->hi);
    } else {
        sq_unit_put_span(b, fabs(p->mean));
        sq_buf_printf(b, " %s than %s", p->mean < 0 ? "sooner" : "later", first);
    }
    if (p->n > 1 && p->hi < 0) {
        put_range(b, -p->hi, -p->lo);
    } else if (p->n > 1 && p->lo > 0) {
        put_range(b, p->lo, p->hi);
    }
    if (p->n < (int64_t)c->run_count) {
        sq_buf_printf(b, " (%lld of %zu pairs)", (long long)p->n, c->run_count);
    }
}

/* A run without outage has no mark to speak of. */
static void put_time(struct sq_buf *b, const struct sq_comparison *c, size_t variant)
{
    const struct mark *m = find_mark(c);
    const struct sq_cell *cell = m != NULL ? sq_comparison_cell(c, variant, m->metric) : NULL;
    const struct sq_cell *first = m != NULL ? sq_comparison_cell(c, 0, m->metric) : NULL;
    const struct sq_cell *state = sq_comparison_cell(c, variant, "drain.state");
    bool recovers =
        state != NULL && state->word_count > 0 && strcmp(state->words[0].word, "null") != 0;
    if (cell == NULL || (cell->spread.n == 0 && !recovers)) {
        return;
    }
    sq_buf_puts(b, "; ");
    if (cell->spread.n == 0) {
        sq_buf_puts(b, m->is_not);
    } else if (variant == 0 || cell->paired.n == 0) {
        put_own_time(b, m, cell, c->run_count);
        if (variant > 0 && (first == NULL || first->spread.n == 0)) {
            sq_buf_printf(b, ", which %s never is", c->variants[0].name);
        }
    } else {
        put_paired_time(b, m, &cell->paired, c);
    }
}

/* ---- what it costs ---- */

static void put_cost(struct sq_buf *b, const struct sq_comparison *c, size_t variant)
{
    const struct sq_cell *cell = sq_comparison_cell(c, variant, "jobs.completed");
    const struct sq_cell *first = sq_comparison_cell(c, 0, "jobs.completed");
    if (variant == 0 || cell == NULL || first == NULL || !(first->spread.mean > 0)) {
        return;
    }
    const struct sq_paired *p = &cell->paired;
    double share = p->mean / first->spread.mean;
    bool chance = p->n > 1 && p->lo <= 0 && p->hi >= 0;
    if (p->n == 0 || chance || fabs(share) < 0.005) {
        return;
    }
    sq_buf_puts(b, "; completes ");
    sq_buf_number(b, fabs(share) * 100, 2);
    sq_buf_printf(b, " %% %s jobs", share < 0 ? "fewer" : "more");
}

/* ---- the sentences ---- */

static const char *take(struct sq_arena *arena, struct sq_buf *b)
{
    const char *text = b->failed ? NULL : sq_arena_text(arena, b->text, b->len);
    sq_buf_fini(b);
    return text;
}

static const char *verdict_of(struct sq_comparison *c, size_t variant)
{
    struct sq_buf b = { 0 };
    const struct sq_share *s = &c->variants[variant].collapse;
    put_collapse(&b, s);
    put_split(&b, s, c->variants[0].name);
    put_time(&b, c, variant);
    put_cost(&b, c, variant);
    return take(&c->arena, &b);
}

static const char *proof_of(struct sq_comparison *c)
{
    struct sq_buf b = { 0 };
    double lo, hi;
    if (c->run_count == 1) {
        sq_buf_puts(&b, "One run of each variant says nothing about chance: P(collapse) and all "
                        "intervals need more, for example --runs 20.");
        return take(&c->arena, &b);
    }
    sq_infer_wilson(0, (int64_t)c->run_count, &lo, &hi);
    bool few = hi > PROVEN_PERCENT / 100.0;
    sq_buf_printf(&b,
                  "What %zu runs prove%s: a variant that collapses in none of them may still "
                  "collapse in up to ",
                  c->run_count, few ? " is little" : "");
    put_percent(&b, hi);
    sq_buf_printf(&b, " of all runs (0 of %zu is [0 %%, ", c->run_count);
    put_percent(&b, hi);
    sq_buf_puts(&b, "] at 95 %).");
    if (few) {
        sq_buf_printf(&b, " To show less than %d %% takes %lld runs without a collapse.",
                      PROVEN_PERCENT, (long long)sq_runs_to_show(PROVEN_PERCENT / 100.0));
    }
    return take(&c->arena, &b);
}

enum sq_status mdl_verdicts(struct sq_comparison *c)
{
    bool failed = false;
    for (size_t v = 0; v < c->variant_count; v++) {
        c->variants[v].verdict = verdict_of(c, v);
        failed = failed || c->variants[v].verdict == NULL;
    }
    c->proof = proof_of(c);
    return failed || c->proof == NULL ? SQ_NOMEM : SQ_OK;
}
