/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gather.c - figures of runs put together. */
#include "models/study/mdl_gather.h"

#include "models/advice/mdl_layers.h"
#include "models/mdl_histograms.h"
#include "models/mdl_metrics.h"
#include "models/mdl_probe.h"
#include "models/mdl_timeline.h"
#include "sim/core/sq_band.h"

#include <string.h>

/* ---- one run ---- */

struct collector {
    struct mdl_kept *k;
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

static enum sq_status keep_values(struct mdl_world *w, struct mdl_kept *k)
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

static enum sq_status keep_columns(struct mdl_world *w, struct mdl_kept *k, size_t count)
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

static enum sq_status tell_life(const struct mdl_life *l, struct sq_result *r)
{
    bool failed = false;
    if (!l->found) {
        return SQ_OK;
    }
    r->life.job = copy_text(r, l->job, &failed);
    r->life.why = copy_text(r, l->why, &failed);
    r->life.steps = sq_arena_alloc(&r->arena, l->count + 1, sizeof(*r->life.steps));
    for (size_t i = 0; r->life.steps != NULL && i < l->count; i++) {
        r->life.steps[i] = l->steps[i];
        r->life.steps[i].text = copy_text(r, l->steps[i].text, &failed);
    }
    r->life.step_count = l->count;
    return failed || r->life.steps == NULL ? SQ_NOMEM : SQ_OK;
}

/* How far the forecasts of the first run were off. */
static enum sq_status tell_foresight(const struct mdl_probe *p, struct sq_result *r)
{
    struct sq_buf b = { 0 };
    bool failed = false;
    if (r->remarks == NULL && mdl_probe_foresight(p, &b)) {
        r->remarks = sq_arena_alloc(&r->arena, 1, sizeof(*r->remarks));
        if (r->remarks != NULL) {
            r->remarks[r->remark_count++] = copy_text(r, b.text, &failed);
        }
        failed = failed || r->remarks == NULL;
    }
    failed = failed || b.failed;
    sq_buf_fini(&b);
    return failed ? SQ_NOMEM : SQ_OK;
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
    status = status == SQ_OK ? tell_moments(w->probe, r) : status;
    status = status == SQ_OK ? mdl_histograms_tell(w, r) : status;
    status = status == SQ_OK ? tell_foresight(w->probe, r) : status;
    return status == SQ_OK ? tell_life(&w->probe->life, r) : status;
}

/* ---- all runs ---- */

enum sq_status mdl_gather_take(const struct mdl_gather *g, size_t run, struct mdl_world *w,
                               struct mdl_kept *k)
{
    enum sq_status status = keep_values(w, k);
    if (status == SQ_OK && g->ask.count > 1 && run < g->band_runs) {
        status = keep_columns(w, k, g->band_count);
    }
    if (status == SQ_OK && run == 0) {
        status = tell(w, g->out);
    }
    k->done = status == SQ_OK;
    return status;
}

void mdl_kept_fini(struct mdl_kept *k)
{
    sq_arena_fini(&k->arena);
    *k = (struct mdl_kept){ 0 };
}

/* Runs that are there: kept[i * stride]. */
struct runs {
    const struct mdl_kept *kept;
    size_t stride, count;
};

static const struct mdl_kept *run_at(const struct runs *runs, size_t i)
{
    return &runs->kept[i * runs->stride];
}

static enum sq_status take_runs(struct mdl_gather *g, const struct runs *runs)
{
    struct sq_result *r = g->out;
    bool failed = false;
    r->run_count = runs->count;
    r->runs = sq_arena_alloc(&r->arena, r->run_count, sizeof(*r->runs));
    for (size_t i = 0; r->runs != NULL && i < r->run_count; i++) {
        const struct mdl_kept *k = run_at(runs, i);
        SQ_ASSERT(k->done);
        SQ_ASSERT(k->value_count == r->metric_count);
        r->runs[i].replication = g->ask.first + i;
        r->runs[i].values = sq_arena_alloc(&r->arena, r->metric_count, sizeof(struct sq_value));
        if (r->runs[i].values == NULL) {
            return SQ_NOMEM;
        }
        for (size_t m = 0; m < r->metric_count; m++) {
            struct sq_value *v = &r->runs[i].values[m];
            *v = k->values[m];
            v->word = copy_text(r, v->word, &failed);
        }
    }
    return failed || r->runs == NULL ? SQ_NOMEM : SQ_OK;
}

/* One banded column: three columns of the result. */
static enum sq_status make_band(struct mdl_gather *g, const struct runs *runs,
                                struct sq_track *tracks, size_t column)
{
    static const char *const suffixes[] = { "_p10", "_p50", "_p90" };
    struct sq_result *r = g->out;
    float *arrays[3];
    for (size_t q = 0; q < 3; q++) {
        struct sq_column *c = &r->bands.columns[r->bands.column_count + q];
        c->name = sq_arena_printf(&r->arena, "%s%s", g->band_names[column], suffixes[q]);
        c->bins = arrays[q] = sq_arena_alloc(&r->arena, r->bands.bin_count + 1, sizeof(float));
        if (c->name == NULL || c->bins == NULL) {
            return SQ_NOMEM;
        }
    }
    for (size_t i = 0; i < r->band_runs; i++) {
        const struct mdl_kept *k = run_at(runs, i);
        tracks[i] = (struct sq_track){ k->columns[column], k->bin_count };
    }
    r->bands.column_count += 3;
    struct sq_band band = { arrays[0], arrays[1], arrays[2] };
    return sq_bands(tracks, r->band_runs, r->bands.bin_count, &band);
}

static enum sq_status make_bands(struct mdl_gather *g, const struct runs *runs)
{
    struct sq_result *r = g->out;
    r->band_runs = runs->count < g->band_runs ? runs->count : g->band_runs;
    for (size_t i = 0; i < r->band_runs; i++) {
        if (run_at(runs, i)->bin_count > r->bands.bin_count) {
            r->bands.bin_count = run_at(runs, i)->bin_count;
        }
    }
    r->bands.bin_ns = r->series.bin_ns;
    r->bands.end_ns = (sq_time_t)r->bands.bin_count * r->series.bin_ns;
    r->bands.columns = sq_arena_alloc(&r->arena, 3 * g->band_count + 1, sizeof(struct sq_column));
    struct sq_track *tracks = sq_mem_alloc(r->band_runs, sizeof(*tracks));
    enum sq_status status = r->bands.columns != NULL && tracks != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t c = 0; c < g->band_count && status == SQ_OK; c++) {
        status = make_band(g, runs, tracks, c);
    }
    sq_mem_free(tracks);
    return status;
}

enum sq_status mdl_gather_close(struct mdl_gather *g, const struct mdl_kept *kept, size_t stride,
                                size_t count)
{
    SQ_ASSERT(count >= 1);
    SQ_ASSERT(count <= g->ask.count);
    const struct runs runs = { kept, stride, count };
    g->out->runs_wanted = g->ask.count;
    g->out->interrupted = count < g->ask.count;
    enum sq_status status = take_runs(g, &runs);
    return status == SQ_OK && count > 1 ? make_bands(g, &runs) : status;
}

/* Names of the banded columns and how many runs fit: asked of a world that is never run. */
static enum sq_status plan_bands(struct mdl_gather *g, const struct mdl_scenario *s)
{
    struct mdl_world w;
    enum sq_status status = mdl_world_init(&w, s, g->ask.first);
    const struct mdl_timeline *t = status == SQ_OK ? w.probe->timeline : NULL;
    bool failed = false;
    if (t != NULL) {
        g->band_names =
            sq_arena_alloc(&g->out->arena, t->series.column_count + 1, sizeof(*g->band_names));
        for (size_t i = 0; g->band_names != NULL && i < t->series.column_count; i++) {
            if (t->watched[i].banded) {
                g->band_names[g->band_count++] =
                    copy_text(g->out, t->series.columns[i].name, &failed);
            }
        }
        size_t per_run = (g->band_count + 1) * t->bin_size * sizeof(float);
        size_t fit = g->ask.band_bytes / per_run;
        g->band_runs = g->ask.count < fit ? g->ask.count : (fit > 0 ? fit : 1);
        status = failed || g->band_names == NULL ? SQ_NOMEM : SQ_OK;
    }
    mdl_world_fini(&w);
    return status;
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
    r->seed = s->cfg.seed;
    r->duration_ns = s->cfg.duration;
    return failed ? SQ_NOMEM : SQ_OK;
}

enum sq_status mdl_gather_open(struct mdl_gather *g, const struct mdl_scenario *s,
                               const struct mdl_gather_ask *ask, struct sq_result *out)
{
    SQ_ASSERT(ask->count >= 1 && ask->first >= 1);
    *g = (struct mdl_gather){ .ask = *ask, .out = out };
    enum sq_status status = describe(s, out);
    status = status == SQ_OK ? mdl_layers_tell(s, out) : status;
    return status == SQ_OK && ask->count > 1 ? plan_bands(g, s) : status;
}
