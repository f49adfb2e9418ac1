/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_runs.c - runs side by side, of which nothing is kept. */
#include "models/study/mdl_runs.h"

#include "models/study/mdl_estimate.h"
#include "sim/base/sq_par.h"
#include "sim/base/sq_progress.h"

struct batch {
    const struct mdl_scenario *s;
    const struct mdl_replicate_ask *ask;
    struct sq_progress *progress; /* NULL: none is shown */
    struct sq_diag *diags;        /* by run */
};

static enum sq_status run_one(void *ctx, size_t i)
{
    struct batch *b = ctx;
    struct mdl_world w;
    struct mdl_run_ask ask = { .s = b->s,
                               .replication = b->ask->first + i,
                               .check_every = b->ask->check_every,
                               .stop = b->ask->stop };
    enum sq_status status = mdl_run_once(&w, &ask, &b->diags[i]);
    if (status == SQ_OK) {
        b->ask->after(b->ask->after_ctx, i, &w);
        sq_progress_step(b->progress);
    }
    mdl_world_fini(&w);
    return status;
}

void mdl_runs_pass_on(const struct sq_diag *part, const struct sq_where *where, const char *path,
                      struct sq_diag *diag)
{
    for (size_t i = 0; i < part->count; i++) {
        const struct sq_complaint *c = &part->items[i];
        if (c->severity == SQ_ERROR) {
            (void)sq_diag_error(diag, where != NULL ? *where : c->where,
                                path != NULL ? path : c->path, c->hint, "%s", c->text);
        }
    }
}

enum sq_status mdl_runs(const struct mdl_scenario *s, const struct mdl_replicate_ask *ask,
                        const char *what, struct sq_diag *diag)
{
    enum sq_status fits = mdl_estimate_check(&s, 1, ask, diag);
    if (fits != SQ_OK) {
        return fits;
    }
    struct sq_progress_plan plan = { what, ask->count, ask->threads };
    struct batch b = { .s = s, .ask = ask };
    b.diags = sq_mem_alloc(ask->count, sizeof(*b.diags));
    if (b.diags == NULL) {
        return SQ_NOMEM;
    }
    b.progress = ask->shows ? sq_progress_begin(&plan) : NULL;
    enum sq_status status = sq_par_for(ask->threads, ask->count, run_one, &b);
    sq_progress_end(b.progress);
    bool noted = false; /* the first that failed speaks: the same for any number of threads */
    for (size_t i = 0; i < ask->count; i++) {
        if (!noted && b.diags[i].errors > 0) {
            mdl_runs_pass_on(&b.diags[i], NULL, NULL, diag);
            noted = true;
        }
        sq_diag_fini(&b.diags[i]);
    }
    sq_mem_free(b.diags);
    return status;
}
