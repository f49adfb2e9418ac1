/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check_run.c - running and judging the files of a check, one after the other. */
#include "models/study/mdl_check.h"

#include "models/study/mdl_estimate.h"
#include "models/study/mdl_gather.h"
#include "models/study/mdl_replicate.h"
#include "sim/base/sq_par.h"
#include "sim/base/sq_progress.h"

/* ---- running one file ---- */

/* A variant to run; base without evidence for a file without expectations. */
struct part {
    const struct mdl_scenario *s;
    struct mdl_evidence *evidence; /* NULL: none is taken */
    size_t first;                  /* number of its first run among those of all parts */
    struct mdl_kept *kept;         /* by run; NULL: verdicts are all that is wanted */
    struct mdl_gather gather;
    struct sq_result result;
};

struct job {
    const struct mdl_check_ask *ask;
    const char *path;
    struct sq_progress *progress; /* NULL: none is shown */
    struct part *parts;
    size_t part_count, run_count;
    struct sq_diag *diags; /* by run of all parts */
};

static enum sq_status run_one(void *ctx, size_t i)
{
    struct job *j = ctx;
    size_t p = 0;
    while (p + 1 < j->part_count && j->parts[p + 1].first <= i) {
        p++;
    }
    struct part *part = &j->parts[p];
    size_t run = i - part->first;
    struct mdl_world w;
    struct mdl_run_ask ask = { .s = part->s,
                               .replication = run + 1,
                               .check_every = j->ask->check_every,
                               .stop = j->ask->stop };
    enum sq_status status = mdl_run_once(&w, &ask, &j->diags[i]);
    if (status == SQ_OK && part->evidence != NULL) {
        mdl_evidence_take(part->evidence, run, &w);
    }
    if (status == SQ_OK && part->kept != NULL) {
        status = mdl_gather_take(&part->gather, run, &w, &part->kept[run]);
    }
    mdl_world_fini(&w);
    if (status == SQ_OK) {
        sq_progress_step(j->progress);
    }
    return status;
}

static enum sq_status estimate_parts(const struct job *j, struct sq_diag *diag)
{
    struct mdl_replicate_ask all = { .count = j->run_count, .threads = j->ask->threads };
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < j->part_count && status == SQ_OK; i++) {
        status = mdl_estimate_check(&j->parts[i].s, 1, &all, diag);
    }
    return status;
}

static enum sq_status run_parts(struct job *j, struct sq_diag *diag)
{
    enum sq_status fits = estimate_parts(j, diag);
    if (fits != SQ_OK) {
        return fits;
    }
    j->diags = sq_mem_alloc(j->run_count + 1, sizeof(*j->diags));
    if (j->diags == NULL) {
        return SQ_NOMEM;
    }
    struct sq_progress_plan plan = { j->path, j->run_count, j->ask->threads };
    j->progress = j->ask->shows ? sq_progress_begin(&plan) : NULL;
    enum sq_status status = sq_par_for(j->ask->threads, j->run_count, run_one, j);
    sq_progress_end(j->progress);
    bool noted = false; /* the first that failed speaks: the same for any number of threads */
    for (size_t i = 0; i < j->run_count; i++) {
        const struct sq_diag *d = &j->diags[i];
        for (size_t k = 0; k < d->count && !noted; k++) {
            (void)sq_diag_error(diag, d->items[k].where, d->items[k].path, d->items[k].hint, "%s",
                                d->items[k].text);
        }
        noted = noted || d->count > 0;
        sq_diag_fini(&j->diags[i]);
    }
    sq_mem_free(j->diags);
    return status;
}

/* Whether a chosen expectation is about the variant or looks at it. */
static bool needs(const struct mdl_check_file *f, size_t variant)
{
    for (size_t i = 0; i < f->expects.count; i++) {
        const struct mdl_expectation *e = &f->expects.items[i];
        bool looks = e->variant == variant;
        for (size_t k = 0; k < e->expr->ref_count; k++) {
            looks = looks || e->of[k] == variant;
        }
        if (looks && f->chosen[i]) {
            return true;
        }
    }
    return false;
}

/* ---- the variants of a file ---- */

static bool wants_more(const struct mdl_check_ask *ask)
{
    return ask->sparks || ask->baseline.folder != NULL;
}

static enum sq_status add_part(struct job *j, const struct mdl_scenario *s,
                               struct mdl_evidence *evidence)
{
    struct part *p = &j->parts[j->part_count++];
    size_t runs = (size_t)s->cfg.runs;
    *p = (struct part){ .s = s, .evidence = evidence, .first = j->run_count };
    j->run_count += runs;
    if (!wants_more(j->ask)) {
        return SQ_OK;
    }
    p->kept = sq_mem_alloc(runs, sizeof(*p->kept));
    struct mdl_gather_ask ask = { .first = 1, .count = runs };
    return p->kept != NULL ? mdl_gather_open(&p->gather, s, &ask, &p->result) : SQ_NOMEM;
}

static void free_parts(struct job *j)
{
    for (size_t i = 0; j->parts != NULL && i < j->part_count; i++) {
        struct part *p = &j->parts[i];
        for (size_t k = 0; p->kept != NULL && k < (size_t)p->s->cfg.runs; k++) {
            mdl_kept_fini(&p->kept[k]);
        }
        sq_mem_free(p->kept);
        sq_arena_fini(&p->result.arena);
    }
    sq_mem_free(j->parts);
}

static enum sq_status make_parts(struct mdl_check_file *f, struct job *j,
                                 struct mdl_evidence *evidence)
{
    bool all = j->ask->baseline.folder != NULL && j->ask->filter == NULL;
    if (f->runs_bare && !all) {
        return add_part(j, &f->scenario, NULL);
    }
    enum sq_status status = SQ_OK;
    for (size_t v = 0; v < f->expects.variant_count && status == SQ_OK; v++) {
        if (!all && !needs(f, v)) {
            continue;
        }
        const struct mdl_scenario *s = &f->expects.variants[v].scenario;
        status = mdl_evidence_init(&evidence[v], &f->expects, v, (size_t)s->cfg.runs);
        status = status == SQ_OK ? add_part(j, s, &evidence[v]) : status;
    }
    return status;
}

/* ---- one file ---- */

/* What has become of a check so far. */
struct outcome {
    bool failed; /* an expectation or a baseline */
    bool wrong;  /* a baseline is missing, or none */
};

static enum sq_status judge_file(struct mdl_check *c, struct mdl_check_file *f,
                                 const struct mdl_evidence *evidence, struct outcome *o)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < f->expects.count && status == SQ_OK; i++) {
        if (f->chosen[i]) {
            status = mdl_judge(&f->expects, i, evidence, &c->arena, &f->verdicts[i]);
            o->failed =
                o->failed || (f->verdicts[i].state != SQ_VERDICT_PASSED && !f->verdicts[i].warns);
        }
    }
    return status;
}

static void count_baseline(const struct mdl_baseline_verdict *v, struct outcome *o)
{
    bool wrong = v->state == MDL_BASELINE_MISSING || v->state == MDL_BASELINE_WRONG;
    o->wrong = o->wrong || wrong;
    o->failed = o->failed || (mdl_baseline_fails(v) && !wrong);
}

static enum sq_status keep_part(struct mdl_check *c, struct mdl_check_file *f, struct job *j,
                                struct part *p, struct sq_diag *diag)
{
    struct mdl_check_variant *v = &f->variants[f->variant_count++];
    *v = (struct mdl_check_variant){ .name = p->s->variant };
    enum sq_status status = mdl_gather_close(&p->gather, p->kept, 1, (size_t)p->s->cfg.runs);
    if (status == SQ_OK && j->ask->sparks) {
        status = mdl_sparks_make(&p->result.series, &c->arena, &v->sparks);
    }
    if (status == SQ_OK && j->ask->baseline.folder != NULL) {
        struct mdl_baseline_at at = { f->path, &c->arena, &c->baselines };
        status = mdl_baseline_judge(&j->ask->baseline, &p->result, &at, &v->baseline, diag);
    }
    return status;
}

static enum sq_status keep_parts(struct mdl_check *c, struct mdl_check_file *f, struct job *j,
                                 struct sq_diag *diag)
{
    enum sq_status status = SQ_OK;
    if (!wants_more(j->ask)) {
        return SQ_OK;
    }
    f->variants = sq_arena_alloc(&c->arena, j->part_count + 1, sizeof(*f->variants));
    if (f->variants == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < j->part_count && status == SQ_OK; i++) {
        status = keep_part(c, f, j, &j->parts[i], diag);
    }
    return status;
}

static enum sq_status run_file(struct mdl_check *c, struct mdl_check_file *f, struct job *j,
                               struct mdl_evidence *evidence, struct sq_diag *diag)
{
    enum sq_status status = make_parts(f, j, evidence);
    status = status == SQ_OK ? run_parts(j, diag) : status;
    return status == SQ_OK ? keep_parts(c, f, j, diag) : status;
}

static enum sq_status check_file(struct mdl_check *c, struct mdl_check_file *f,
                                 const struct mdl_check_ask *ask, struct sq_diag *diag,
                                 struct outcome *o)
{
    size_t variants = f->expects.variant_count;
    struct job j = { .ask = ask, .path = f->path };
    struct mdl_evidence *evidence = sq_mem_alloc(variants + 1, sizeof(*evidence));
    j.parts = sq_mem_alloc(variants + 1, sizeof(*j.parts));
    enum sq_status status = evidence != NULL && j.parts != NULL ? SQ_OK : SQ_NOMEM;
    status = status == SQ_OK ? run_file(c, f, &j, evidence, diag) : status;
    if (status == SQ_OK) {
        status = judge_file(c, f, evidence, o);
        f->done = status == SQ_OK;
        f->run_count = j.run_count;
    }
    for (size_t v = 0; f->done && v < f->variant_count; v++) {
        count_baseline(&f->variants[v].baseline, o);
    }
    for (size_t v = 0; evidence != NULL && v < variants; v++) {
        mdl_evidence_fini(&evidence[v]);
    }
    sq_mem_free(evidence);
    free_parts(&j);
    return status;
}

/* ---- all files ---- */

/* Baselines of what is gone; nobody can tell when only a part was run. */
static enum sq_status sweep(struct mdl_check *c, const struct mdl_check_ask *ask, struct outcome *o,
                            struct sq_diag *diag)
{
    const char **paths = sq_arena_alloc(&c->arena, c->file_count + 1, sizeof(*paths));
    if (paths == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < c->file_count; i++) {
        paths[i] = c->files[i].path;
    }
    c->rest = (struct mdl_baseline_rest){ .scenarios = paths,
                                          .scenario_count = c->file_count,
                                          .judged = &c->baselines,
                                          .arena = &c->arena };
    enum sq_status status = mdl_baseline_sweep(&ask->baseline, &c->rest, diag);
    for (size_t i = 0; i < c->rest.count; i++) {
        count_baseline(&c->rest.items[i], o);
    }
    return status;
}

enum sq_status mdl_check_run(struct mdl_check *c, const struct mdl_check_ask *ask,
                             struct sq_diag *diag)
{
    struct outcome o = { false, false };
    enum sq_status status = SQ_OK;
    bool all = ask->baseline.folder != NULL && ask->filter == NULL;
    for (size_t i = 0; i < c->file_count && status == SQ_OK; i++) {
        struct mdl_check_file *f = &c->files[i];
        if (f->chosen_count == 0 && !f->runs_bare) {
            continue;
        }
        status = check_file(c, f, ask, diag, &o);
        if ((o.failed || o.wrong) && ask->fail_fast) {
            all = false;
            break;
        }
    }
    if (status == SQ_OK && all) {
        status = sweep(c, ask, &o, diag);
    }
    if (status == SQ_OK && o.wrong) {
        return SQ_USER;
    }
    return status == SQ_OK && o.failed ? SQ_FAILED : status;
}
