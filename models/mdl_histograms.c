/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_histograms.c - distributions of a run. */
#include "models/mdl_histograms.h"

#include <math.h>

enum { SOURCES_MAX = 16, DEPENDENCIES_MAX = 8, STEPS = 200 };

enum sq_status mdl_spread_open(struct mdl_spread *s, size_t dependencies)
{
    sq_mem_free(s->herd);
    s->herd = sq_mem_alloc(dependencies * 2 * MDL_HERD_BINS + 1, sizeof(*s->herd));
    return s->herd != NULL ? SQ_OK : SQ_NOMEM;
}

void mdl_spread_fini(struct mdl_spread *s)
{
    sq_mem_free(s->herd);
    s->herd = NULL;
}

void mdl_spread_call(struct mdl_spread *s, size_t dependency, bool first, sq_time_t after)
{
    int64_t bin = after / (MDL_HERD_MS * (SQ_NS_PER_S / 1000));
    if (s->herd != NULL && after >= 0 && bin < MDL_HERD_BINS) {
        s->herd[(dependency * 2 + (first ? 0 : 1)) * MDL_HERD_BINS + (size_t)bin]++;
    }
}

void mdl_spread_job(struct mdl_spread *s, uint32_t attempts)
{
    s->attempts[attempts < MDL_ATTEMPTS_BINS ? attempts : MDL_ATTEMPTS_BINS - 1]++;
}

/* An empty histogram with room for `bins` bins, or NULL. */
static struct sq_histogram *add(struct sq_result *r, size_t bins, const char *name)
{
    struct sq_histogram *h = &r->histograms[r->histogram_count];
    h->name = name;
    h->limit = NAN;
    h->upto = sq_arena_alloc(&r->arena, bins + 1, sizeof(*h->upto));
    h->counts = sq_arena_alloc(&r->arena, bins + 1, sizeof(*h->counts));
    if (name == NULL || h->upto == NULL || h->counts == NULL) {
        return NULL;
    }
    r->histogram_count++;
    return h;
}

static void put(struct sq_histogram *h, double upto, uint64_t count)
{
    if (h->count > 0 && h->upto[h->count - 1] == upto) {
        h->counts[h->count - 1] += count;
    } else {
        h->upto[h->count] = upto;
        h->counts[h->count++] = count;
    }
}

/* Bins of equal share, half a percent each: wherever the delays lie, their curve is as fine. */
static enum sq_status tell_delay(struct mdl_world *w, size_t source, const char *kind,
                                 const char *name, struct sq_result *r)
{
    struct sq_sample *s = &w->probe->producers[source].delay;
    struct sq_histogram *h = add(r, STEPS, sq_arena_printf(&r->arena, "%s.%s.delay_s", kind, name));
    if (h == NULL) {
        return SQ_NOMEM;
    }
    int64_t before = 0;
    for (int k = 1; k <= STEPS && s->count > 0 && !s->failed; k++) {
        double q = (double)k / STEPS;
        int64_t rank = sq_stat_rank(q, s->count);
        if (rank > before) {
            put(h, sq_sample_quantile_s(s, q), (uint64_t)(rank - before));
            before = rank;
        }
    }
    return SQ_OK;
}

static enum sq_status tell_attempts(const struct mdl_spread *s, struct sq_result *r)
{
    size_t bins = MDL_ATTEMPTS_BINS;
    while (bins > 1 && s->attempts[bins - 1] == 0) {
        bins--;
    }
    struct sq_histogram *h = add(r, bins, "jobs.attempts");
    for (size_t k = 0; k < bins && h != NULL; k++) {
        put(h, (double)k, s->attempts[k]);
    }
    return h != NULL ? SQ_OK : SQ_NOMEM;
}

static enum sq_status tell_herd(const struct mdl_world *w, size_t i, struct sq_result *r)
{
    static const char *const words[] = { "first", "retry" };
    const struct mdl_spread *s = &w->probe->spread;
    for (size_t k = 0; k < 2 && s->herd != NULL; k++) {
        const uint64_t *bins = &s->herd[(i * 2 + k) * MDL_HERD_BINS];
        struct sq_histogram *h = add(r, MDL_HERD_BINS,
                                     sq_arena_printf(&r->arena, "dependency.%s.calls_%s_after_t1_s",
                                                     w->dependencies[i].name, words[k]));
        for (size_t b = 0; b < MDL_HERD_BINS && h != NULL; b++) {
            put(h, (double)((b + 1) * MDL_HERD_MS) / 1000, bins[b]);
        }
        if (h == NULL) {
            return SQ_NOMEM;
        }
    }
    return SQ_OK;
}

enum sq_status mdl_histograms_tell(struct mdl_world *w, struct sq_result *r)
{
    size_t room = SOURCES_MAX + 1 + 2 * DEPENDENCIES_MAX;
    r->histograms = sq_arena_alloc(&r->arena, room, sizeof(*r->histograms));
    if (r->histograms == NULL) {
        return SQ_NOMEM;
    }
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < w->producer_count && i < SOURCES_MAX && status == SQ_OK; i++) {
        status = tell_delay(w, i, "producer", w->producers[i].name, r);
        sq_time_t deadline = w->producers[i].cfg->deadline;
        if (status == SQ_OK && deadline != SQ_NEVER) {
            r->histograms[r->histogram_count - 1].limit = sq_time_to_s(deadline);
        }
    }
    size_t left = w->producer_count < SOURCES_MAX ? SOURCES_MAX - w->producer_count : 0;
    for (size_t i = 0; i < w->client_count && i < left && status == SQ_OK; i++) {
        status = tell_delay(w, w->clients[i].index, "client", w->clients[i].name, r);
    }
    status = status == SQ_OK ? tell_attempts(&w->probe->spread, r) : status;
    for (size_t i = 0; i < w->dependency_count && i < DEPENDENCIES_MAX && status == SQ_OK; i++) {
        status = tell_herd(w, i, r);
    }
    return status;
}
