/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_compare.c - reading what is compared, and its runs. */
#include "models/study/mdl_compare.h"

#include "models/study/mdl_compare_in.h"
#include "models/study/mdl_modes.h"
#include "models/study/mdl_verdict.h"
#include "sim/base/sq_file.h"

#include <string.h>

/* ---- reading ---- */

static enum sq_status open_file(struct mdl_compare_file *f, const char *path,
                                const struct mdl_compare_ask *ask, struct sq_diag *diag)
{
    struct mdl_ask base = ask->scenario;
    f->path = path;
    base.file = path;
    base.variant = NULL;
    enum sq_status status = mdl_scenario_load(&f->base, &base, diag);
    return status == SQ_OK ? mdl_expects_open(&f->expects, &f->base, &base, diag) : status;
}

enum sq_status mdl_compare_open(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                                struct sq_diag *diag)
{
    const char *const *paths = ask->files != NULL ? ask->files : &ask->scenario.file;
    *c = (struct mdl_compare){ .file_count = ask->files != NULL ? ask->file_count : 1 };
    c->files = sq_arena_alloc(&c->arena, c->file_count, sizeof(*c->files));
    enum sq_status status = c->files != NULL ? SQ_OK : SQ_NOMEM;
    c->file_count = c->files != NULL ? c->file_count : 0;
    for (size_t f = 0; f < c->file_count && status == SQ_OK; f++) {
        status = open_file(&c->files[f], paths[f], ask, diag);
    }
    status = status == SQ_OK ? mdl_compare_pick(c, ask, diag) : status;
    status = status == SQ_OK ? mdl_compare_load(c, ask, diag) : status;
    return status == SQ_OK ? mdl_compare_metrics(c, ask->metrics, diag) : status;
}

void mdl_compare_fini(struct mdl_compare *c)
{
    sq_arena_fini(&c->comparison.arena);
    for (size_t i = 0; i < c->count; i++) {
        if (c->results != NULL) {
            sq_arena_fini(&c->results[i].arena);
        }
        if (c->scenarios != NULL) {
            mdl_scenario_fini(&c->scenarios[i]);
        }
    }
    for (size_t f = 0; f < c->file_count; f++) {
        mdl_expects_fini(&c->files[f].expects);
        mdl_scenario_fini(&c->files[f].base);
    }
    sq_arena_fini(&c->arena);
}

/* ---- running ---- */

/* The evidence of a compared variant. */
static struct mdl_evidence *evidence_of(const struct mdl_compare *c, size_t i)
{
    const struct mdl_compare_file *f = &c->files[c->of[i]];
    long at = mdl_expects_variant(&f->expects, c->names[i]);
    SQ_ASSERT(at >= 0);
    return &f->evidence[at];
}

static void take(void *ctx, size_t i, struct mdl_world *w)
{
    const struct mdl_compare *c = ctx;
    mdl_evidence_take(evidence_of(c, i % c->count), i / c->count, w);
}

static enum sq_status judge(struct mdl_compare *c)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < c->count; i++) { /* fewer than wanted when it was stopped */
        evidence_of(c, i)->run_count = c->results[i].run_count;
    }
    for (size_t i = 0; i < c->count && status == SQ_OK; i++) {
        const struct mdl_compare_file *f = &c->files[c->of[i]];
        size_t variant = evidence_of(c, i)->variant;
        status = mdl_judge_into(&f->expects, f->evidence, variant, &c->results[i]);
    }
    return status;
}

static enum sq_status run_all(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                              struct sq_diag *diag)
{
    const struct mdl_scenario **scenarios = sq_arena_alloc(&c->arena, c->count, sizeof(*scenarios));
    struct mdl_replicate_ask runs = { .first = 1,
                                      .count = (size_t)c->scenarios[0].cfg.runs,
                                      .threads = ask->threads,
                                      .check_every = ask->check_every,
                                      .stop = ask->stop,
                                      .after = take,
                                      .after_ctx = c,
                                      .shows = ask->shows };
    enum sq_status status = scenarios != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t i = 0; i < c->count && status == SQ_OK; i++) {
        const struct mdl_expects *x = &c->files[c->of[i]].expects;
        struct mdl_evidence *e = evidence_of(c, i);
        scenarios[i] = &c->scenarios[i];
        status = mdl_evidence_init(e, x, (size_t)mdl_expects_variant(x, c->names[i]), runs.count);
    }
    if (status == SQ_OK) {
        status = mdl_replicate_all(scenarios, c->count, &runs, c->results, diag);
    }
    return status == SQ_OK ? judge(c) : status;
}

/* ---- the comparison ---- */

/* The results keep their own names; the comparison has the labels. */
static enum sq_status compare(struct mdl_compare *c)
{
    for (size_t i = 0; i < c->count; i++) {
        c->results[i].variant = c->labels[i];
    }
    enum sq_status status = sq_comparison_make(c->results, c->count, &c->comparison);
    for (size_t i = 0; i < c->count; i++) {
        struct sq_compared *one = status == SQ_OK ? &c->comparison.variants[i] : NULL;
        c->results[i].variant = c->scenarios[i].variant;
        for (size_t k = 0; one != NULL && k < one->judged_count; k++) {
            one->judged[k].variant = one->name;
        }
    }
    return status;
}

/* The names of the files stand for the title. */
static enum sq_status name_files(struct mdl_compare *c)
{
    struct sq_buf b = { 0 };
    for (size_t f = 0; f < c->file_count && c->file_count > 1; f++) {
        sq_buf_printf(&b, "%s%s", f > 0 ? ", " : "", sq_file_name(c->files[f].path));
    }
    if (b.len > 0 && !b.failed) {
        c->comparison.title = sq_arena_text(&c->comparison.arena, b.text, b.len);
        c->comparison.notes = NULL;
    }
    bool failed = b.failed || c->comparison.title == NULL;
    sq_buf_fini(&b);
    return failed ? SQ_NOMEM : SQ_OK;
}

static enum sq_status copy_metrics(struct mdl_compare *c)
{
    struct sq_comparison *to = &c->comparison;
    to->chosen = sq_arena_alloc(&to->arena, c->metric_count + 1, sizeof(*to->chosen));
    if (to->chosen == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < c->metric_count; i++) {
        long at = sq_comparison_metric(to, c->metrics[i]);
        if (at >= 0) {
            to->chosen[to->chosen_count++] = (size_t)at;
        }
    }
    return SQ_OK;
}

enum sq_status mdl_compare_run(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                               struct sq_diag *diag)
{
    enum sq_status status = SQ_OK;
    for (size_t f = 0; f < c->file_count && status == SQ_OK; f++) {
        struct mdl_compare_file *file = &c->files[f];
        file->evidence = sq_mem_alloc(file->expects.variant_count, sizeof(*file->evidence));
        status = file->evidence != NULL ? SQ_OK : SQ_NOMEM;
    }
    status = status == SQ_OK ? run_all(c, ask, diag) : status;
    for (size_t f = 0; f < c->file_count; f++) {
        struct mdl_compare_file *file = &c->files[f];
        for (size_t i = 0; file->evidence != NULL && i < file->expects.variant_count; i++) {
            mdl_evidence_fini(&file->evidence[i]);
        }
        sq_mem_free(file->evidence);
        file->evidence = NULL;
    }
    status = status == SQ_OK ? compare(c) : status;
    status = status == SQ_OK ? name_files(c) : status;
    status = status == SQ_OK ? copy_metrics(c) : status;
    status = status == SQ_OK ? mdl_verdicts(&c->comparison) : status;
    return status == SQ_OK ? mdl_modes(c->scenarios, c->results, &c->comparison) : status;
}
