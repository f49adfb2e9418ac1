/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_replicate.c - runs side by side, and their figures put together. */
#include "models/study/mdl_replicate.h"

#include "models/forecast/mdl_plan.h"
#include "models/mdl_metrics.h"
#include "models/mdl_probe.h"
#include "models/mdl_timeline.h"
#include "sim/base/sq_par.h"
#include "sim/core/sq_band.h"

#include <string.h>

enum { BAND_BYTES = 256 << 20 }; /* memory for the columns that bands are made of */

/* What is kept of one run. */
struct kept {
    struct sq_value *values;
    size_t value_count;
    float **columns; /* banded ones */
    size_t bin_count;
    sq_time_t end_ns;
    struct sq_arena arena;
    struct sq_diag diag;
};

struct job {
    const struct mdl_scenario *s;
    const struct mdl_replicate_ask *ask;
    struct sq_result *out;
    struct kept *runs;
    size_t band_runs, band_count;
};

/* ---- one run ---- */

struct collector {
    struct kept *k;
    size_t next;
    bool failed;
};

static void collect(void *ctx, const char *name, double number, const char *word)
{
    (void)name;
    struct collector *c = ctx;
    struct sq_value *v = &c->k->values[c->next++];
    v->number = number;
    if (word != NULL) {
        v->word = sq_arena_text(&c->k->arena, word, strlen(word));
        c->failed = c->failed || v->word == NULL;
    }
}

static void count_metric(void *ctx, const char *name, double number, const char *word)
{
    (void)name, (void)number, (void)word;
    ++*(size_t *)ctx;
}

static enum sq_status keep_values(struct mdl_world *w, struct kept *k)
{
    size_t count = 0;
    mdl_metrics_each(w, count_metric, &count);
    k->values = sq_arena_alloc(&k->arena, count, sizeof(*k->values));
    if (k->values == NULL) {
        return SQ_NOMEM;
    }
    struct collector c = { .k = k };
    mdl_metrics_each(w, collect, &c);
    k->value_count = count;
    return c.failed ? SQ_NOMEM : SQ_OK;
}

static enum sq_status keep_columns(struct mdl_world *w, struct kept *k, size_t count)
{
    const struct mdl_timeline *t = w->probe->timeline;
    k->bin_count = t->series.bin_count;
    k->columns = sq_arena_alloc(&k->arena, count + 1, sizeof(*k->columns));
    if (k->columns == NULL) {
        return SQ_NOMEM;
    }
    size_t n = 0;
    for (size_t i = 0; i < t->series.column_count; i++) {
        if (!t->watched[i].banded) {
            continue;
        }
        float *bins = sq_arena_alloc(&k->arena, k->bin_count + 1, sizeof(*bins));
        if (bins == NULL) {
            return SQ_NOMEM;
        }
        memcpy(bins, t->series.columns[i].bins, k->bin_count * sizeof(*bins));
        k->columns[n++] = bins;
    }
    return SQ_OK;
}

/* ---- what only the first run tells ---- */

struct names {
    struct sq_result *r;
    size_t next;
    bool failed;
};

static void take_name(void *ctx, const char *name, double number, const char *word)
{
    (void)number, (void)word;
    struct names *n = ctx;
    char *copy = sq_arena_text(&n->r->arena, name, strlen(name));
    n->failed = n->failed || copy == NULL;
    n->r->metric_names[n->next++] = copy;
}

static const char *copy_text(struct sq_result *r, const char *text, bool *failed)
{
    if (text == NULL) {
        return NULL;
    }
    const char *copy = sq_arena_text(&r->arena, text, strlen(text));
    *failed = *failed || copy == NULL;
    return copy;
}

static enum sq_status tell_series(const struct mdl_timeline *t, struct sq_result *r)
{
    bool failed = false;
    r->series = t->series;
    r->series.columns =
        sq_arena_alloc(&r->arena, t->series.column_count + 1, sizeof(*r->series.columns));
    for (size_t i = 0; r->series.columns != NULL && i < t->series.column_count; i++) {
        struct sq_column *c = &r->series.columns[i];
        c->name = copy_text(r, t->series.columns[i].name, &failed);
        c->bins = sq_arena_alloc(&r->arena, t->series.bin_count + 1, sizeof(*c->bins));
        if (c->bins == NULL) {
            return SQ_NOMEM;
        }
        memcpy(c->bins, t->series.columns[i].bins, t->series.bin_count * sizeof(*c->bins));
    }
    return failed || r->series.columns == NULL ? SQ_NOMEM : SQ_OK;
}

static enum sq_status tell_moments(const struct mdl_probe *p, struct sq_result *r)
{
    bool failed = false;
    r->moments = sq_arena_alloc(&r->arena, p->moment_count + 1, sizeof(*r->moments));
    for (size_t i = 0; r->moments != NULL && i < p->moment_count; i++) {
        r->moments[i] = p->moments[i];
        r->moments[i].text = copy_text(r, p->moments[i].text, &failed);
        r->moments[i].entity = copy_text(r, p->moments[i].entity, &failed);
    }
    r->moment_count = p->moment_count;
    return failed || r->moments == NULL ? SQ_NOMEM : SQ_OK;
}

static enum sq_status tell(struct mdl_world *w, struct sq_result *r)
{
    size_t count = 0;
    mdl_metrics_each(w, count_metric, &count);
    r->metric_count = count;
    r->metric_names = sq_arena_alloc(&r->arena, count + 1, sizeof(*r->metric_names));
    if (r->metric_names == NULL) {
        return SQ_NOMEM;
    }
    struct names n = { .r = r };
    mdl_metrics_each(w, take_name, &n);
    enum sq_status status = n.failed ? SQ_NOMEM : tell_series(w->probe->timeline, r);
    return status == SQ_OK ? tell_moments(w->probe, r) : status;
}

/* ---- all runs ---- */

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
        status = mdl_world_run(w, ask->check_every, ask->stop, diag);
    }
    if (status == SQ_BROKEN) {
        note_broken(w, diag);
    }
    return status;
}

static enum sq_status run_one(void *ctx, size_t i)
{
    struct job *j = ctx;
    struct kept *k = &j->runs[i];
    struct mdl_world w;
    struct mdl_run_ask ask = { .s = j->s,
                               .replication = j->ask->first + i,
                               .check_every = j->ask->check_every,
                               .tells = i == 0,
                               .stop = j->ask->stop };
    enum sq_status status = mdl_run_once(&w, &ask, &k->diag);
    if (status == SQ_OK && j->ask->after != NULL) {
        j->ask->after(j->ask->after_ctx, i, &w);
    }
    if (status == SQ_OK) {
        status = keep_values(&w, k);
    }
    if (status == SQ_OK && j->ask->count > 1 && i < j->band_runs) {
        status = keep_columns(&w, k, j->band_count);
    }
    if (status == SQ_OK && i == 0) {
        status = tell(&w, j->out);
    }
    mdl_world_fini(&w);
    return status;
}

static enum sq_status take_runs(struct job *j)
{
    struct sq_result *r = j->out;
    bool failed = false;
    r->run_count = j->ask->count;
    r->runs = sq_arena_alloc(&r->arena, r->run_count, sizeof(*r->runs));
    for (size_t i = 0; r->runs != NULL && i < r->run_count; i++) {
        SQ_ASSERT(j->runs[i].value_count == r->metric_count);
        r->runs[i].replication = j->ask->first + i;
        r->runs[i].values = sq_arena_alloc(&r->arena, r->metric_count, sizeof(struct sq_value));
        if (r->runs[i].values == NULL) {
            return SQ_NOMEM;
        }
        for (size_t k = 0; k < r->metric_count; k++) {
            struct sq_value *v = &r->runs[i].values[k];
            *v = j->runs[i].values[k];
            v->word = copy_text(r, v->word, &failed);
        }
    }
    return failed || r->runs == NULL ? SQ_NOMEM : SQ_OK;
}

/* One banded column: three columns of the result. */
static enum sq_status make_band(struct job *j, struct sq_track *tracks, size_t column,
                                const char *name)
{
    static const char *const suffixes[] = { "_p10", "_p50", "_p90" };
    struct sq_result *r = j->out;
    float *arrays[3];
    for (size_t q = 0; q < 3; q++) {
        struct sq_column *c = &r->bands.columns[r->bands.column_count + q];
        c->name = sq_arena_printf(&r->arena, "%s%s", name, suffixes[q]);
        c->bins = arrays[q] = sq_arena_alloc(&r->arena, r->bands.bin_count + 1, sizeof(float));
        if (c->name == NULL || c->bins == NULL) {
            return SQ_NOMEM;
        }
    }
    for (size_t i = 0; i < j->band_runs; i++) {
        tracks[i] = (struct sq_track){ j->runs[i].columns[column], j->runs[i].bin_count };
    }
    r->bands.column_count += 3;
    struct sq_band band = { arrays[0], arrays[1], arrays[2] };
    return sq_bands(tracks, j->band_runs, r->bands.bin_count, &band);
}

static enum sq_status make_bands(struct job *j, const char *const *names)
{
    struct sq_result *r = j->out;
    for (size_t i = 0; i < j->band_runs; i++) {
        if (j->runs[i].bin_count > r->bands.bin_count) {
            r->bands.bin_count = j->runs[i].bin_count;
        }
    }
    r->bands.bin_ns = r->series.bin_ns;
    r->bands.end_ns = (sq_time_t)r->bands.bin_count * r->series.bin_ns;
    r->band_runs = j->band_runs;
    r->bands.columns = sq_arena_alloc(&r->arena, 3 * j->band_count + 1, sizeof(struct sq_column));
    struct sq_track *tracks = sq_mem_alloc(j->band_runs, sizeof(*tracks));
    enum sq_status status = r->bands.columns != NULL && tracks != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t c = 0; c < j->band_count && status == SQ_OK; c++) {
        status = make_band(j, tracks, c, names[c]);
    }
    sq_mem_free(tracks);
    return status;
}

/* Names of the banded columns and how many runs fit: asked of a world that is never run. */
static enum sq_status plan_bands(struct job *j, const char ***names)
{
    struct mdl_world w;
    enum sq_status status = mdl_world_init(&w, j->s, j->ask->first);
    const struct mdl_timeline *t = status == SQ_OK ? w.probe->timeline : NULL;
    bool failed = false;
    *names = NULL;
    if (t != NULL) {
        *names = sq_arena_alloc(&j->out->arena, t->series.column_count + 1, sizeof(**names));
        for (size_t i = 0; *names != NULL && i < t->series.column_count; i++) {
            if (t->watched[i].banded) {
                (*names)[j->band_count++] = copy_text(j->out, t->series.columns[i].name, &failed);
            }
        }
        size_t per_run = (j->band_count + 1) * t->bin_size * sizeof(float);
        size_t fit = BAND_BYTES / per_run;
        j->band_runs = j->ask->count < fit ? j->ask->count : (fit > 0 ? fit : 1);
        status = failed || *names == NULL ? SQ_NOMEM : SQ_OK;
    }
    mdl_world_fini(&w);
    return status;
}

static void take_diags(struct job *j, struct sq_diag *diag)
{
    for (size_t i = 0; i < j->ask->count; i++) {
        const struct sq_diag *d = &j->runs[i].diag;
        for (size_t k = 0; k < d->count && diag->errors == 0; k++) {
            sq_diag_error(diag, d->items[k].where, NULL, d->items[k].hint, "%s", d->items[k].text);
        }
    }
}

static enum sq_status describe(const struct mdl_scenario *s, struct sq_result *r)
{
    bool failed = false;
    r->version = SQ_VERSION;
    r->title = copy_text(r, s->cfg.title != NULL ? s->cfg.title : s->file, &failed);
    r->notes = copy_text(r, s->cfg.notes, &failed);
    r->file = copy_text(r, s->file, &failed);
    r->variant = copy_text(r, s->variant, &failed);
    r->scenario_hash = copy_text(r, s->hash, &failed);
    r->echo = copy_text(r, s->echo, &failed);
    r->seed = (uint64_t)s->cfg.seed;
    r->duration_ns = s->cfg.duration;
    return failed ? SQ_NOMEM : SQ_OK;
}

enum sq_status mdl_replicate(const struct mdl_scenario *s, const struct mdl_replicate_ask *ask,
                             struct sq_result *out, struct sq_diag *diag)
{
    SQ_ASSERT(ask->count >= 1 && ask->first >= 1);
    struct job j = { .s = s, .ask = ask, .out = out };
    j.runs = sq_mem_alloc(ask->count, sizeof(*j.runs));
    if (j.runs == NULL) {
        return SQ_NOMEM;
    }
    const char **names = NULL;
    enum sq_status status = describe(s, out);
    if (status == SQ_OK && ask->count > 1) {
        status = plan_bands(&j, &names);
    }
    if (status == SQ_OK) {
        status = sq_par_for(ask->threads, ask->count, run_one, &j);
        take_diags(&j, diag);
    }
    if (status == SQ_OK) {
        status = take_runs(&j);
    }
    if (status == SQ_OK && ask->count > 1) {
        status = make_bands(&j, names);
    }
    for (size_t i = 0; i < ask->count; i++) {
        sq_arena_fini(&j.runs[i].arena);
        sq_diag_fini(&j.runs[i].diag);
    }
    sq_mem_free(j.runs);
    return status;
}
