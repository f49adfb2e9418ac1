/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check.c - reading, running and judging scenario files. */
#include "models/study/mdl_check.h"

#include "models/study/mdl_check_line.h"
#include "models/study/mdl_estimate.h"
#include "models/study/mdl_replicate.h"
#include "sim/base/sq_par.h"
#include "sim/base/sq_progress.h"

#include <string.h>

/* ---- reading ---- */

/* Which expectations the filter takes. A file without any is taken by its path. */
static enum sq_status choose(struct mdl_check *c, struct mdl_check_file *f, const char *filter)
{
    f->runs_bare = f->expects.count == 0 && (filter == NULL || strstr(f->path, filter) != NULL);
    f->chosen = sq_arena_alloc(&c->arena, f->expects.count + 1, sizeof(*f->chosen));
    f->verdicts = sq_arena_alloc(&c->arena, f->expects.count + 1, sizeof(*f->verdicts));
    if (f->chosen == NULL || f->verdicts == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < f->expects.count; i++) {
        struct sq_buf line = { 0 };
        mdl_check_line(f, i, &line);
        bool failed = line.failed;
        f->chosen[i] = !failed && (filter == NULL || strstr(line.text, filter) != NULL);
        f->chosen_count += f->chosen[i];
        sq_buf_fini(&line);
        if (failed) {
            return SQ_NOMEM;
        }
    }
    return SQ_OK;
}

static enum sq_status read_file(struct mdl_check *c, struct mdl_check_file *f,
                                const struct mdl_check_ask *ask, struct sq_diag *diag)
{
    struct mdl_ask load = { .file = f->path, .seed = -1, .runs = ask->runs };
    enum sq_status status = mdl_scenario_load(&f->scenario, &load, diag);
    if (status == SQ_OK) {
        status = mdl_expects_open(&f->expects, &f->scenario, &load, diag);
    }
    return status == SQ_OK ? choose(c, f, ask->filter) : status;
}

enum sq_status mdl_check_open(struct mdl_check *c, const struct mdl_check_ask *ask,
                              struct sq_diag *diag)
{
    *c = (struct mdl_check){ 0 };
    struct sq_paths paths = { 0 };
    struct sq_find_ask find = { .suffix = ".yaml", .skip = "presets", .arena = &c->arena };
    enum sq_status worst = SQ_OK;
    bool chosen = false;
    for (size_t i = 0; i < ask->path_count && (worst == SQ_OK || worst == SQ_USER); i++) {
        enum sq_status status = sq_find(&find, ask->paths[i], &paths, diag);
        worst = status != SQ_OK ? status : worst;
    }
    c->files = sq_arena_alloc(&c->arena, paths.count + 1, sizeof(*c->files));
    if (c->files == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < paths.count && (worst == SQ_OK || worst == SQ_USER); i++) {
        c->files[i].path = paths.items[i];
        c->file_count = i + 1;
        enum sq_status status = read_file(c, &c->files[i], ask, diag);
        worst = status != SQ_OK ? status : worst;
        chosen = chosen || c->files[i].chosen_count > 0 || c->files[i].runs_bare;
    }
    if (worst == SQ_OK && !chosen) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--filter",
                             "--list shows the lines it looks at", "`%s` is in no line",
                             ask->filter);
    }
    return worst;
}

void mdl_check_fini(struct mdl_check *c)
{
    for (size_t i = 0; i < c->file_count; i++) {
        mdl_expects_fini(&c->files[i].expects);
        mdl_scenario_fini(&c->files[i].scenario);
    }
    sq_arena_fini(&c->arena);
}

/* ---- running one file ---- */

/* A variant to run; base without evidence for a file without expectations. */
struct part {
    const struct mdl_scenario *s;
    struct mdl_evidence *evidence; /* NULL: none is taken */
    size_t first;                  /* number of its first run among those of all parts */
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
    const struct part *part = &j->parts[p];
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

static enum sq_status make_parts(struct mdl_check_file *f, struct job *j,
                                 struct mdl_evidence *evidence)
{
    if (f->runs_bare) {
        j->parts[j->part_count++] = (struct part){ &f->scenario, NULL, 0 };
        j->run_count = (size_t)f->scenario.cfg.runs;
        return SQ_OK;
    }
    for (size_t v = 0; v < f->expects.variant_count; v++) {
        if (!needs(f, v)) {
            continue;
        }
        const struct mdl_scenario *s = &f->expects.variants[v].scenario;
        size_t runs = (size_t)s->cfg.runs;
        enum sq_status status = mdl_evidence_init(&evidence[v], &f->expects, v, runs);
        if (status != SQ_OK) {
            return status;
        }
        j->parts[j->part_count++] = (struct part){ s, &evidence[v], j->run_count };
        j->run_count += runs;
    }
    return SQ_OK;
}

static enum sq_status judge_file(struct mdl_check *c, struct mdl_check_file *f,
                                 const struct mdl_evidence *evidence, bool *failed)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < f->expects.count && status == SQ_OK; i++) {
        if (f->chosen[i]) {
            status = mdl_judge(&f->expects, i, evidence, &c->arena, &f->verdicts[i]);
            *failed =
                *failed || (f->verdicts[i].state != SQ_VERDICT_PASSED && !f->verdicts[i].warns);
        }
    }
    return status;
}

static enum sq_status check_file(struct mdl_check *c, struct mdl_check_file *f,
                                 const struct mdl_check_ask *ask, struct sq_diag *diag,
                                 bool *failed)
{
    size_t variants = f->expects.variant_count;
    struct job j = { .ask = ask, .path = f->path };
    struct mdl_evidence *evidence = sq_mem_alloc(variants + 1, sizeof(*evidence));
    j.parts = sq_mem_alloc(variants + 1, sizeof(*j.parts));
    enum sq_status status = evidence != NULL && j.parts != NULL ? SQ_OK : SQ_NOMEM;
    if (status == SQ_OK) {
        status = make_parts(f, &j, evidence);
    }
    if (status == SQ_OK) {
        status = run_parts(&j, diag);
    }
    if (status == SQ_OK) {
        status = judge_file(c, f, evidence, failed);
        f->done = status == SQ_OK;
        f->run_count = j.run_count;
    }
    for (size_t v = 0; evidence != NULL && v < variants; v++) {
        mdl_evidence_fini(&evidence[v]);
    }
    sq_mem_free(evidence);
    sq_mem_free(j.parts);
    return status;
}

enum sq_status mdl_check_run(struct mdl_check *c, const struct mdl_check_ask *ask,
                             struct sq_diag *diag)
{
    bool failed = false;
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < c->file_count && status == SQ_OK; i++) {
        struct mdl_check_file *f = &c->files[i];
        if (f->chosen_count == 0 && !f->runs_bare) {
            continue;
        }
        status = check_file(c, f, ask, diag, &failed);
        if (failed && ask->fail_fast) {
            break;
        }
    }
    return status == SQ_OK && failed ? SQ_FAILED : status;
}
