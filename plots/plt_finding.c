/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_finding.c - sentences from the figures of a comparison. */
#include "plots/plt_finding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plots/plt_rows.h"
#include "plots/plt_runs.h"
#include "plots/plt_words.h"

static const struct sq_share *share_of(const struct plt_finding *f, size_t variant)
{
    return &f->c->variants[variant].collapse;
}

static const char *name_of(const struct plt_finding *f, size_t variant)
{
    return f->c->variants[variant].name;
}

/* Median in seconds of a mark of the drain, if all runs have it; else infinite. */
static double mark_of(const struct sq_comparison *c, size_t variant, const char *metric)
{
    const struct sq_cell *cell = sq_comparison_cell(c, variant, metric);
    bool all = cell != NULL && cell->spread.n == (int64_t)c->run_count && c->run_count > 0;
    return all ? cell->spread.p50 : (double)INFINITY;
}

static double clear_of(const struct sq_comparison *c, size_t variant)
{
    return mark_of(c, variant, "drain.queue_clear_s");
}

void plt_finding_make(struct plt_finding *f, const struct sq_comparison *c)
{
    *f = (struct plt_finding){ .c = c };
    for (size_t v = 1; v < c->variant_count; v++) {
        bool fewer = c->variants[v].collapse.hits < c->variants[f->best].collapse.hits;
        f->best = fewer ? v : f->best;
    }
    f->first_collapses = c->variants[0].collapse.hits > 0;
    f->prevents = f->first_collapses && share_of(f, f->best)->hits == 0;
    double least = (double)INFINITY;
    for (size_t v = 0; v < c->variant_count; v++) {
        double clear = clear_of(c, v);
        if (share_of(f, v)->hits == share_of(f, f->best)->hits && clear < least) {
            f->fastest = v;
            least = clear;
        }
    }
}

/* ---- the question ---- */

/* The last outage that was planned: the one that ends at T1. */
static const struct sq_moment *last_outage(const struct sq_result *r)
{
    const struct sq_moment *found = NULL;
    for (size_t i = 0; i < r->moment_count; i++) {
        const struct sq_moment *m = &r->moments[i];
        bool planned = m->kind == SQ_MOMENT_OUTAGE && m->text != NULL &&
                       strstr(m->text, ", as planned") != NULL && m->until_ns != SQ_NEVER;
        found = planned ? m : found;
    }
    return found;
}

static void put_which(struct sq_buf *b, size_t variant_count)
{
    if (variant_count > 2) {
        sq_buf_printf(b, ", and which of the other %zu variants prevents that?", variant_count - 1);
    } else if (variant_count == 2) {
        sq_buf_puts(b, ", and does the change prevent that?");
    } else {
        sq_buf_puts(b, ", and when is the backlog gone?");
    }
}

void plt_put_question(struct sq_buf *b, const struct sq_result *r, size_t variant_count)
{
    const struct sq_moment *outage = last_outage(r);
    if (outage == NULL) {
        sq_buf_puts(b, "Does anything fall over under its own load");
        put_which(b, variant_count);
        return;
    }
    const char *end = strstr(outage->text, ", as planned");
    sq_buf_add(b, outage->text, (size_t)(end - outage->text));
    sq_buf_puts(b, " for ");
    plt_put_span(b, sq_time_to_s(outage->until_ns - outage->at_ns));
    sq_buf_puts(b, ". Does it fall over again when it comes back");
    put_which(b, variant_count);
}

/* ---- the answer ---- */

/* "in all", "in 3", "in none". */
static void put_hits(struct sq_buf *b, const struct sq_share *s)
{
    if (s->hits == 0 || s->hits == s->n) {
        sq_buf_puts(b, s->hits == 0 ? "in none" : "in all");
    } else {
        sq_buf_printf(b, "in %lld", (long long)s->hits);
    }
}

static void put_range(struct sq_buf *b, const struct sq_share *s)
{
    if (s->n > 1) {
        sq_buf_puts(b, " (95 % interval ");
        plt_put_share_range(b, s);
        sq_buf_putc(b, ')');
    }
}

/* Nothing for a median that is not there for both. */
static void put_clear(struct sq_buf *b, const struct plt_finding *f, size_t variant)
{
    double here = clear_of(f->c, variant), first = clear_of(f->c, 0);
    if (!isfinite(here)) {
        return;
    }
    const struct sq_cell *cell = sq_comparison_cell(f->c, variant, "drain.queue_clear_s");
    bool groups = cell != NULL && cell->spread.bimodal;
    sq_buf_printf(b, " The queue is clear %s", groups ? "after " : "");
    if (groups) {
        plt_put_groups(b, &cell->spread, (int64_t)f->c->run_count);
    } else {
        plt_put_span(b, here);
        sq_buf_puts(b, " after recovery");
    }
    if (isfinite(first)) {
        sq_buf_puts(b, " instead of ");
        plt_put_span(b, first);
    } else {
        sq_buf_printf(b, "; in %s it does not clear in every run", name_of(f, 0));
    }
    sq_buf_putc(b, '.');
}

/* Few runs, or a variant that is hardly better: McNemar's test does not tell the two apart. */
static void put_chance(struct sq_buf *b, const struct sq_share *s)
{
    if (s->n > 1 && s->p > 0.05) {
        sq_buf_puts(b, " So few runs do not rule out that this is chance.");
    }
}

void plt_put_finding(struct sq_buf *b, const struct plt_finding *f)
{
    const struct sq_share *best = share_of(f, f->best), *first = share_of(f, 0);
    if (f->best == 0) { /* nothing is better than the first */
        plt_put_headline(b, f->c);
        sq_buf_puts(b, f->first_collapses ? ": no variant does better." : ".");
        return;
    }
    if (best->n == 1) {
        sq_buf_printf(b, "%s prevents the collapse of %s, in the one run that was made.",
                      name_of(f, f->best), name_of(f, 0));
    } else if (f->prevents) {
        sq_buf_printf(b, "%s prevents the collapse: it happens in none of %lld runs",
                      name_of(f, f->best), (long long)best->n);
        put_range(b, best);
        sq_buf_printf(b, ", in %s ", name_of(f, 0));
        put_hits(b, first);
        sq_buf_putc(b, '.');
    } else {
        sq_buf_printf(b, "No variant prevents the collapse for sure. %s comes nearest: it happens ",
                      name_of(f, f->best));
        put_hits(b, best);
        sq_buf_printf(b, " of %lld runs", (long long)best->n);
        put_range(b, best);
        sq_buf_printf(b, ", in %s ", name_of(f, 0));
        put_hits(b, first);
        sq_buf_putc(b, '.');
    }
    put_chance(b, best);
    put_clear(b, f, f->best);
}

/* ---- what it costs ---- */

/* More of it is worse. `job`: "9 dead-lettered jobs more"; else "the last job 2m later". */
static const struct cost {
    const char *metric, *words;
    bool job;
} costs[] = {
    { "jobs.lost", "lost", true },
    { "jobs.dropped", "dropped", true },
    { "jobs.dead_lettered", "dead-lettered", true },
    { "jobs.stale", "stale", true },
    { "jobs.superseded", "superseded", true },
    { "jobs.unfinished", "unfinished", true },
    { "drain.queue_clear_s", "the queue is clear", false },
    { "drain.last_job_s", "the last affected job is done", false },
    { "drain.healthy_s", "the system is healthy", false },
};

static const struct sq_paired *cost_of(const struct plt_finding *f, size_t variant,
                                       const struct cost *cost)
{
    const struct sq_cell *cell = sq_comparison_cell(f->c, variant, cost->metric);
    if (cell == NULL || cell->paired.n == 0) {
        return NULL;
    }
    const struct sq_paired *p = &cell->paired;
    return p->mean >= (cost->job ? 0.5 : 1) && !plt_may_be_chance(p) ? p : NULL;
}

static void put_costs(struct sq_buf *b, const struct plt_finding *f, size_t variant, bool jobs)
{
    size_t count = 0, put = 0;
    for (size_t i = 0; i < SQ_COUNT(costs); i++) {
        count += costs[i].job == jobs && cost_of(f, variant, &costs[i]) != NULL;
    }
    for (size_t i = 0; i < SQ_COUNT(costs); i++) {
        const struct sq_paired *p = costs[i].job == jobs ? cost_of(f, variant, &costs[i]) : NULL;
        if (p == NULL) {
            continue;
        }
        sq_buf_puts(b, put == 0 ? "" : put + 1 == count ? " and " : ", ");
        if (jobs) {
            plt_put_count(b, floor(p->mean + 0.5));
            sq_buf_printf(b, " more %s", costs[i].words);
        } else {
            sq_buf_printf(b, "%s ", costs[i].words);
            plt_put_span(b, p->mean);
            sq_buf_puts(b, " later");
        }
        put++;
    }
    if (jobs && count > 0) {
        sq_buf_puts(b, f->c->run_count > 1 ? " jobs per run" : " jobs");
    }
}

void plt_put_cost(struct sq_buf *b, const struct plt_finding *f, size_t variant)
{
    struct sq_buf jobs = { 0 }, times = { 0 };
    if (variant == 0) {
        return;
    }
    put_costs(&jobs, f, variant, true);
    put_costs(&times, f, variant, false);
    sq_buf_printf(b, "Cost of %s against %s: ", name_of(f, variant), name_of(f, 0));
    if (jobs.len + times.len == 0) {
        sq_buf_puts(b,
                    "none that was measured. No more jobs end undone, and nothing is over later.");
    } else {
        sq_buf_puts(b, jobs.len > 0 ? jobs.text : "");
        sq_buf_puts(b, jobs.len > 0 && times.len > 0 ? "; " : "");
        sq_buf_puts(b, times.len > 0 ? times.text : "");
        sq_buf_putc(b, '.');
    }
    b->failed = b->failed || jobs.failed || times.failed;
    sq_buf_fini(&jobs);
    sq_buf_fini(&times);
}

/* ---- the others ---- */

void plt_put_faster(struct sq_buf *b, const struct plt_finding *f)
{
    double here = clear_of(f->c, f->fastest), best = clear_of(f->c, f->best);
    if (f->fastest == f->best || f->best == 0 || !(here < best)) {
        return;
    }
    sq_buf_printf(b, "%s %s, and its queue is clear ", name_of(f, f->fastest),
                  f->prevents ? "prevents it too" : "collapses no more often");
    plt_put_span(b, here);
    sq_buf_puts(b, " after recovery. ");
    plt_put_cost(b, f, f->fastest);
}

/* Names of the variants behind the first of which `wanted` is true, as "a, b and c"; how many. */
static size_t put_names(struct sq_buf *b, const struct plt_finding *f,
                        bool (*wanted)(const struct plt_finding *f, size_t variant))
{
    size_t count = 0, put = 0;
    for (size_t v = 1; v < f->c->variant_count; v++) {
        count += wanted(f, v);
    }
    for (size_t v = 1; v < f->c->variant_count; v++) {
        if (wanted(f, v)) {
            sq_buf_puts(b, put == 0 ? "" : put + 1 == count ? " and " : ", ");
            sq_buf_puts(b, name_of(f, v));
            put++;
        }
    }
    return count;
}

static bool is_other(const struct plt_finding *f, size_t v)
{
    return share_of(f, v)->hits == 0 && v != f->best && v != f->fastest;
}

void plt_put_others(struct sq_buf *b, const struct plt_finding *f)
{
    struct sq_buf names = { 0 };
    size_t count = f->prevents ? put_names(&names, f, is_other) : 0;
    if (count > 0) {
        sq_buf_puts(b, names.text);
        sq_buf_printf(b, " prevent%s it too.", count == 1 ? "s" : "");
    }
    b->failed = b->failed || names.failed;
    sq_buf_fini(&names);
}

/* Not better than the first. */
static bool is_useless(const struct plt_finding *f, size_t v)
{
    return share_of(f, v)->hits >= share_of(f, 0)->hits;
}

void plt_put_useless(struct sq_buf *b, const struct plt_finding *f)
{
    struct sq_buf names = { 0 };
    size_t count = f->best != 0 ? put_names(&names, f, is_useless) : 0;
    if (count > 0) {
        sq_buf_puts(b, names.text);
        sq_buf_printf(b, " %s not help: no fewer runs collapse than in %s.",
                      count == 1 ? "does" : "do", name_of(f, 0));
    }
    b->failed = b->failed || names.failed;
    sq_buf_fini(&names);
}
