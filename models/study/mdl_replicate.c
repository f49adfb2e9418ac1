/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_replicate.c - runs side by side. */
#include "models/study/mdl_replicate.h"

#include "models/forecast/mdl_plan.h"
#include "models/mdl_excess.h"
#include "models/mdl_probe.h"
#include "models/study/mdl_estimate.h"
#include "models/study/mdl_gather.h"
#include "sim/base/sq_par.h"
#include "sim/base/sq_progress.h"

#include <stdio.h>

static void note_broken(const struct mdl_world *w, struct sq_diag *diag)
{
    struct sq_where where = { .file = w->scenario->file };
    struct sq_buf at = { 0 };
    sq_buf_number(&at, sq_time_to_s(w->ctx.sim.now), 9);
    sq_diag_error(diag, where, NULL,
                  "this is a fault of squall: please report it with the scenario file",
                  "a law of the simulation is broken at t = %s s in replication %llu: %s", at.text,
                  (unsigned long long)w->replication, w->broken);
    sq_buf_fini(&at);
}

enum sq_status mdl_run_once(struct mdl_world *w, const struct mdl_run_ask *ask,
                            struct sq_diag *diag)
{
    enum sq_status status = mdl_world_init(w, ask->s, ask->replication);
    if (status == SQ_OK) {
        w->probe->plan = mdl_plan_at_t1;
        w->probe->tells = ask->tells;
        w->probe->life.ask = ask->job;
        status = mdl_world_run(w, ask->check_every, ask->stop, diag);
    } else if (status == SQ_NOMEM) {
        status = mdl_excess_note(w, status, diag);
    }
    if (status == SQ_BROKEN) {
        note_broken(w, diag);
    }
    return status;
}

/* Item i is run i / count of scenario i % count: run 1 of all of them, then run 2 of all, so that
 * a study that is stopped has equally many of each. */
struct batch {
    const struct mdl_scenario *const *scenarios;
    size_t count, item_count;
    const struct mdl_replicate_ask *ask;
    struct mdl_gather *gathers; /* by scenario */
    struct mdl_kept *kept;      /* by item, as the next two */
    struct sq_diag *diags;
    enum sq_status *statuses;
    struct sq_progress *progress; /* NULL: none is shown */
};

static enum sq_status run_item(void *ctx, size_t i)
{
    struct batch *b = ctx;
    size_t scenario = i % b->count, run = i / b->count;
    struct mdl_world w;
    struct mdl_run_ask ask = { .s = b->scenarios[scenario],
                               .replication = b->ask->first + run,
                               .check_every = b->ask->check_every,
                               .tells = run == 0,
                               .stop = b->ask->stop,
                               .job = b->ask->job };
    enum sq_status status = mdl_run_once(&w, &ask, &b->diags[i]);
    if (status == SQ_OK && b->ask->after != NULL) {
        b->ask->after(b->ask->after_ctx, i, &w);
    }
    if (status == SQ_OK) {
        status = mdl_gather_take(&b->gathers[scenario], run, &w, &b->kept[i]);
        if (status == SQ_NOMEM) {
            status = mdl_excess_note_kept(ask.s->file, &b->diags[i]);
        }
    }
    mdl_world_fini(&w);
    b->statuses[i] = status;
    if (status == SQ_OK) {
        sq_progress_step(b->progress);
    }
    return status;
}

/* The first item that failed speaks, the same for any number of threads. One that was stopped has
 * not failed. */
static enum sq_status worst_of(const struct batch *b, struct sq_diag *diag)
{
    enum sq_status worst = SQ_OK;
    for (size_t i = 0; i < b->item_count; i++) {
        const struct sq_diag *d = &b->diags[i];
        bool failed = b->statuses[i] != SQ_OK && b->statuses[i] != SQ_STOPPED;
        if (failed) {
            for (size_t k = 0; k < d->count; k++) {
                (void)sq_diag_error(diag, d->items[k].where, NULL, d->items[k].hint, "%s",
                                    d->items[k].text);
            }
            return b->statuses[i];
        }
        worst = b->statuses[i] == SQ_STOPPED ? SQ_STOPPED : worst;
    }
    return worst;
}

/* Runs that every scenario has finished, and all before them: later ones are no fair sample of
 * the rest, because the short ones are over first. */
static size_t runs_finished(const struct batch *b)
{
    size_t done = 0;
    while (done < b->item_count && b->kept[done].done) {
        done++;
    }
    return done / b->count;
}

static enum sq_status run_items(struct batch *b)
{
    char what[64];
    unsigned threads = b->ask->threads > 0 ? b->ask->threads : 1;
    struct sq_progress_plan plan = { what, b->item_count, threads };
    int len =
        snprintf(what, sizeof(what), "%zu run%s", b->ask->count, b->ask->count == 1 ? "" : "s");
    if (b->count > 1) {
        (void)snprintf(what + len, sizeof(what) - (size_t)len, " x %zu variants", b->count);
    }
    b->progress = b->ask->shows ? sq_progress_begin(&plan) : NULL;
    enum sq_status status = sq_par_for(threads, b->item_count, run_item, b);
    sq_progress_end(b->progress);
    return status;
}

static enum sq_status run_batch(struct batch *b, struct sq_result *outs, struct sq_diag *diag)
{
    struct mdl_gather_ask ask = { b->ask->first, b->ask->count, MDL_BAND_BYTES / b->count };
    enum sq_status status = SQ_OK;
    for (size_t s = 0; s < b->count && status == SQ_OK; s++) {
        status = mdl_gather_open(&b->gathers[s], b->scenarios[s], &ask, &outs[s]);
    }
    if (status != SQ_OK) {
        return status == SQ_NOMEM ? mdl_excess_note_kept(b->scenarios[0]->file, diag) : status;
    }
    status = run_items(b);
    if (status != SQ_OK) {
        status = worst_of(b, diag);
    }
    size_t runs = runs_finished(b);
    if (status == SQ_STOPPED && runs > 0) {
        status = SQ_OK;
    }
    for (size_t s = 0; s < b->count && status == SQ_OK; s++) {
        status = mdl_gather_close(&b->gathers[s], &b->kept[s], b->count, runs);
        if (status == SQ_NOMEM) {
            status = mdl_excess_note_kept(b->scenarios[s]->file, diag);
        }
    }
    return status;
}

enum sq_status mdl_replicate_all(const struct mdl_scenario *const *scenarios, size_t count,
                                 const struct mdl_replicate_ask *ask, struct sq_result *outs,
                                 struct sq_diag *diag)
{
    SQ_ASSERT(count >= 1);
    enum sq_status fits = mdl_estimate_check(scenarios, count, ask, diag);
    if (fits != SQ_OK) {
        return fits;
    }
    struct batch b = {
        .scenarios = scenarios, .count = count, .item_count = count * ask->count, .ask = ask
    };
    b.gathers = sq_mem_alloc(count, sizeof(*b.gathers));
    b.kept = sq_mem_alloc(b.item_count, sizeof(*b.kept));
    b.diags = sq_mem_alloc(b.item_count, sizeof(*b.diags));
    b.statuses = sq_mem_alloc(b.item_count, sizeof(*b.statuses));
    bool ready = b.gathers != NULL && b.kept != NULL && b.diags != NULL && b.statuses != NULL;
    enum sq_status status = ready ? run_batch(&b, outs, diag) : SQ_NOMEM;
    for (size_t i = 0; ready && i < b.item_count; i++) {
        mdl_kept_fini(&b.kept[i]);
        sq_diag_fini(&b.diags[i]);
    }
    sq_mem_free(b.gathers);
    sq_mem_free(b.kept);
    sq_mem_free(b.diags);
    sq_mem_free(b.statuses);
    return status;
}

enum sq_status mdl_replicate(const struct mdl_scenario *s, const struct mdl_replicate_ask *ask,
                             struct sq_result *out, struct sq_diag *diag)
{
    return mdl_replicate_all(&s, 1, ask, out, diag);
}
