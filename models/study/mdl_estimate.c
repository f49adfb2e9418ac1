/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_estimate.c - what runs will surely need. */
#include "models/study/mdl_estimate.h"

#include "models/mdl_marks.h"
#include "models/mdl_metrics.h"
#include "models/mdl_probe.h"
#include "models/mdl_timeline.h"
#include "models/study/mdl_gather.h"
#include "sim/base/sq_limits.h"
#include "sim/base/sq_unit.h"

#include <math.h>
#include <string.h>

enum { LOOKS = 64, EVENT_BYTES = 24, EVENTS_PER_JOB = 2 };

/* What the event list holds of each job that is there at time 0, in rings that grow by doubling; of
 * each member of a population; of each call that leaves at once, its time-out included; and its
 * last block, of which little may be used. */
enum { BACKLOG_BYTES = 36, MEMBER_BYTES = 60, CALL_BYTES = 7 * EVENT_BYTES, LAST_BYTES = 1 << 25 };
enum { SMALL_BYTES = 1 << 19 }; /* of events: they have room in the first blocks */
#define BLOCK_WASTE 1.1         /* slots of calls do not fill a huge page to the end */

/* Of a run with next to nothing in it: the first blocks of its pools and of its event list. */
enum { RUN_BYTES = 1 << 22, PROGRAM_BYTES = 1 << 21 };

/* ---- jobs ---- */

/* Jobs that arrive in [from, to), as far as the rate tells: none of bursts, cohorts, populations.
 */
static double arriving(const struct sq_block *arrivals, const struct sq_trace *trace,
                       sq_time_t from, sq_time_t to)
{
    struct mdl_arrivals a = { .cfg = arrivals, .trace = trace };
    double sum = 0, width = (double)(to - from);
    if (mdl_arrivals_is_closed(arrivals) || strcmp(arrivals->kind->name, "bursts") == 0) {
        return 0;
    }
    for (int i = 0; i < LOOKS && to > from; i++) {
        sum += mdl_arrivals_rate(&a, from + (sq_time_t)(((double)i + 0.5) / LOOKS * width));
    }
    return sum / LOOKS * sq_time_to_s(to - from);
}

struct window {
    sq_time_t from, to;
    const char *name; /* the dependency; NULL: none */
};

/* The longest time, before arrivals end, in which no call of these can succeed. */
static struct window longest_outage(const struct mdl_scenario *s, const struct sq_map *calls)
{
    struct window most = { 0 };
    for (size_t k = 0; k < calls->count; k++) {
        int at = sq_map_find(&s->cfg.dependencies, calls->names[k]);
        const struct mdl_dependency_cfg *d =
            at >= 0 ? sq_map_at(&s->cfg.dependencies, (size_t)at) : NULL;
        for (size_t i = 0; d != NULL && d->cache == NULL && i < d->outages.count; i++) {
            const struct mdl_outage_cfg *o = mdl_outage_at(&d->outages, i);
            enum mdl_outage_kind kind = mdl_outage_kind(&d->outages, i);
            bool total = mdl_outage_is_planned(o) && o->nodes < 0 &&
                         (kind == MDL_OUTAGE_DOWN || kind == MDL_OUTAGE_HANG);
            sq_time_t to = total ? sq_min_i64(mdl_outage_over(o), s->cfg.duration) : 0;
            if (to > o->at && to - o->at > most.to - most.from) {
                most = (struct window){ o->at, to, calls->names[k] };
            }
        }
    }
    return most;
}

static bool is_kept_trying(const struct mdl_retry_cfg *retry)
{
    return retry != NULL && mdl_retry_limit(retry) == SQ_UNLIMITED &&
           retry->max_elapsed == SQ_NEVER;
}

static bool works_for(const struct mdl_workers_cfg *w, const char *queue)
{
    bool works = false;
    for (size_t k = 0; k < w->queue.count && !works; k++) {
        const struct sq_ref *ref = sq_list_at(&w->queue, k);
        works = strcmp(ref->name, queue) == 0;
    }
    return works;
}

/* The pool that alone works for a queue whose jobs cannot get lost; NULL: none. */
static const struct mdl_workers_cfg *patient_pool(const struct mdl_scenario *s, const char *queue)
{
    const struct mdl_workers_cfg *found = NULL;
    for (size_t i = 0; i < s->cfg.workers.count; i++) {
        const struct mdl_workers_cfg *w = sq_map_at(&s->cfg.workers, i);
        if (!works_for(w, queue)) {
            continue;
        }
        if (found != NULL || !is_kept_trying(w->retry)) {
            return NULL;
        }
        found = w;
    }
    return found;
}

static void add_pile(struct mdl_estimate *e, const struct window *w, double jobs, double each)
{
    if (w->name != NULL && jobs * each > 0) {
        e->pile += jobs * each;
        e->down = w->name;
    }
}

/* Jobs that come at one instant, all of which are there before the first can end. */
struct crowd {
    double backlog, come; /* at time 0; whenever it is */
    double each;          /* bytes besides the job's own */
    bool closed;          /* they are members of a population */
    bool held;            /* by a queue without a bound that supersedes none, or by a client */
};

static void add_crowd(struct mdl_estimate *e, const struct crowd *c)
{
    double beside = c->closed ? MEMBER_BYTES : 0;
    double first = c->backlog * (sizeof(struct mdl_job) + c->each + BACKLOG_BYTES);
    double then = c->come * (sizeof(struct mdl_job) + c->each + beside);
    double jobs = fmax(c->backlog, c->come);
    bool listed = c->each > 0 || c->closed || c->backlog > 0; /* each has an event of its own */
    e->crowd += c->held ? fmax(first, then) : c->come * beside;
    e->crowd += listed && jobs * EVENT_BYTES > SMALL_BYTES ? LAST_BYTES : 0;
    e->at_once = fmax(e->at_once, jobs);
}

static void estimate_producers(struct mdl_estimate *e, const struct mdl_scenario *s)
{
    for (size_t i = 0; i < s->cfg.producers.count; i++) {
        const struct mdl_producer_cfg *p = sq_map_at(&s->cfg.producers, i);
        int at = sq_map_find(&s->cfg.queues, p->queue.name);
        const struct mdl_queue_cfg *q = at >= 0 ? sq_map_at(&s->cfg.queues, (size_t)at) : NULL;
        const struct mdl_workers_cfg *pool = patient_pool(s, p->queue.name);
        e->arrivals += arriving(&p->arrivals, s->traces[i], 0, s->cfg.duration);
        bool held = q != NULL && q->capacity == SQ_UNLIMITED && p->supersede == NULL;
        struct crowd crowd = { .backlog = (double)p->backlog,
                               .come = mdl_arrivals_at_once(&p->arrivals, s->cfg.duration),
                               .closed = mdl_arrivals_is_closed(&p->arrivals),
                               .held = held };
        add_crowd(e, &crowd);
        if (!held || pool == NULL || q->max_receives != SQ_UNLIMITED || p->deadline != SQ_NEVER) {
            continue;
        }
        struct window w = longest_outage(s, &pool->calls);
        add_pile(e, &w, arriving(&p->arrivals, s->traces[i], w.from, w.to), sizeof(struct mdl_job));
    }
}

static void estimate_clients(struct mdl_estimate *e, const struct mdl_scenario *s)
{
    for (size_t i = 0; i < s->cfg.clients.count; i++) {
        const struct mdl_client_cfg *c = sq_map_at(&s->cfg.clients, i);
        const struct sq_trace *trace = s->traces[s->cfg.producers.count + i];
        e->arrivals += arriving(&c->arrivals, trace, 0, s->cfg.duration);
        double call = (sizeof(struct mdl_call) + sizeof(struct mdl_run)) * BLOCK_WASTE + CALL_BYTES;
        struct crowd crowd = { .backlog = (double)c->backlog,
                               .come = mdl_arrivals_at_once(&c->arrivals, s->cfg.duration),
                               .each = call,
                               .closed = mdl_arrivals_is_closed(&c->arrivals),
                               .held = true };
        add_crowd(e, &crowd);
        if (is_kept_trying(c->retry) && c->deadline == SQ_NEVER) {
            struct window w = longest_outage(s, &c->calls);
            add_pile(e, &w, arriving(&c->arrivals, trace, w.from, w.to),
                     sizeof(struct mdl_job) + EVENT_BYTES);
        }
    }
}

/* ---- timelines ---- */

/* What a run of this scenario has of each bin, and how many metrics. */
struct shape {
    double columns, banded; /* of the timeline; of these, in bands over the runs */
    double marks;           /* bytes */
    double metrics;
};

static void count_metric(void *ctx, const char *name, double number, const char *word)
{
    (void)name, (void)number, (void)word;
    ++((struct shape *)ctx)->metrics;
}

/* Asked of a world with one long bin, which is never run. Where not even that has room there is
 * nothing to tell: what fills it is counted elsewhere, or is told when the run begins. */
static struct shape shape_of(const struct mdl_scenario *s)
{
    struct shape shape = { 0 };
    struct mdl_scenario coarse = *s;
    struct mdl_world w;
    coarse.cfg.timeline = sq_time_add(s->cfg.duration, s->cfg.tail);
    if (mdl_world_init(&w, &coarse, 1) == SQ_OK) {
        const struct mdl_timeline *t = w.probe->timeline;
        for (size_t i = 0; i < t->series.column_count; i++) {
            shape.columns++;
            shape.banded += t->watched[i].banded;
        }
        shape.marks = (double)mdl_marks_bin_bytes(&w.probe->marks);
        mdl_metrics_each(&w, count_metric, &shape);
    }
    mdl_world_fini(&w);
    return shape;
}

static void estimate_timelines(struct mdl_estimate *e, const struct mdl_scenario *s, size_t count,
                               size_t band_bytes)
{
    struct shape shape = shape_of(s);
    sq_time_t whole_bins = sq_time_add(s->cfg.duration, s->cfg.tail) / s->cfg.timeline;
    double bins = (double)whole_bins + 3;
    double column = bins * sizeof(float);
    double band_runs =
        fmin((double)count, fmax(1, floor((double)band_bytes / column / (shape.banded + 1))));
    e->timeline = shape.columns * column + bins * shape.marks + column; /* one at the end */
    e->told = shape.columns * column;
    e->values = (double)count * shape.metrics * sizeof(struct sq_value);
    if (count > 1) {
        e->told += band_runs * shape.banded * column;
        e->bands = 3 * shape.banded * column;
        e->values *= 2; /* of the runs, and together */
    }
}

/* ---- the rest ---- */

struct mdl_estimate mdl_estimate(const struct mdl_scenario *s, size_t count, size_t band_bytes)
{
    const struct mdl_root_cfg *c = &s->cfg;
    struct mdl_estimate e = { 0 };
    for (size_t i = 0; i < c->workers.count; i++) {
        const struct mdl_workers_cfg *w = sq_map_at(&c->workers, i);
        e.fleet += (double)w->replicas * sizeof(struct mdl_replica);
    }
    for (size_t i = 0; i < c->dependencies.count; i++) {
        const struct mdl_dependency_cfg *d = sq_map_at(&c->dependencies, i);
        e.fleet += (double)d->nodes * sizeof(struct mdl_node);
    }
    estimate_producers(&e, s);
    estimate_clients(&e, s);
    if (e.fleet < (double)sq_mem_limit()) {
        estimate_timelines(&e, s, count, band_bytes);
    }
    return e;
}

static void put_bytes(struct sq_buf *b, double bytes)
{
    double unit = bytes < 1 << 30 ? 1 << 20 : 1 << 30;
    sq_buf_number(b, bytes / unit, bytes / unit < 10 ? 2 : 3);
    sq_buf_puts(b, bytes < 1 << 30 ? "MiB" : "GiB");
}

static void put_part(struct sq_buf *b, double bytes, double all, const char *what)
{
    if (bytes < all / 100) {
        return;
    }
    sq_buf_puts(b, ", ");
    if (bytes < all * 0.99) {
        put_bytes(b, bytes);
        sq_buf_puts(b, " of it ");
    }
    sq_buf_printf(b, "for %s", what);
}

/* All runs together: what is kept of those that are over, and those under way or, when all are
 * over, the bands. */
struct need {
    struct mdl_estimate most; /* the scenario with the largest runs */
    double at_once, told, values, bands, all;
    const char *file; /* of that scenario */
};

static enum sq_status refuse_memory(const struct need *n, struct sq_diag *diag)
{
    struct sq_buf b = { 0 }, hint = { 0 };
    const struct mdl_estimate *e = &n->most;
    double lines = n->told + fmax(n->bands, e->timeline * n->at_once);
    put_bytes(&b, n->all);
    put_part(&b, lines, n->all, "timelines, which wider bins make smaller");
    put_part(&b, e->fleet * n->at_once, n->all, "replicas and nodes");
    put_part(&b, e->crowd * n->at_once, n->all, "jobs that are there at one instant");
    put_part(&b, e->pile * n->at_once, n->all, "jobs that pile up while ");
    if (e->down != NULL && e->pile * n->at_once >= n->all / 100) {
        sq_buf_printf(&b, "`%s` is down", e->down);
    }
    put_part(&b, n->values, n->all, "the metrics of every run");
    sq_buf_puts(&b, "; limit ");
    put_bytes(&b, (double)sq_mem_limit());
    sq_buf_puts(&hint, "raise it with --memory");
    if (n->at_once > 1) {
        sq_buf_printf(&hint, ", or make fewer than %.0f runs at a time with --threads", n->at_once);
    }
    (void)sq_diag_error(diag, (struct sq_where){ .file = n->file }, NULL, hint.text,
                        "would need about %s", b.text);
    sq_buf_fini(&b);
    sq_buf_fini(&hint);
    return SQ_LIMIT;
}

static enum sq_status refuse_events(const struct mdl_estimate *e, const char *file,
                                    struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    sq_buf_number(&b, e->arrivals / 1e9, 3);
    sq_buf_puts(&b, " billion");
    (void)sq_diag_error(diag, (struct sq_where){ .file = file }, NULL,
                        "lower the rates together with the servers, or shorten the run",
                        "about %s jobs would arrive, in a run of at most 100 billion events",
                        b.text);
    sq_buf_fini(&b);
    return SQ_LIMIT;
}

static enum sq_status refuse_instant(const struct mdl_estimate *e, const char *file,
                                     struct sq_diag *diag)
{
    struct sq_buf b = { 0 };
    sq_buf_number(&b, e->at_once / 1e6, 3);
    (void)sq_diag_error(diag, (struct sq_where){ .file = file }, NULL,
                        "spread them, as a cohort with `over: 10s` does",
                        "%s million jobs would come at one instant, each with %d events or more, "
                        "and an instant may have %d million",
                        b.failed ? "too many" : b.text, EVENTS_PER_JOB,
                        SQ_MAX_SAME_INSTANT / 1000000);
    sq_buf_fini(&b);
    return SQ_LIMIT;
}

enum sq_status mdl_estimate_check(const struct mdl_scenario *const *scenarios, size_t count,
                                  const struct mdl_replicate_ask *ask, struct sq_diag *diag)
{
    double items = (double)count * (double)ask->count, most = 0;
    struct need n = { .at_once = fmin(ask->threads > 0 ? ask->threads : 1, items),
                      .file = scenarios[0]->file };
    for (size_t i = 0; i < count; i++) {
        struct mdl_estimate e = mdl_estimate(scenarios[i], ask->count, MDL_BAND_BYTES / count);
        double one = e.timeline + e.pile + e.crowd + e.fleet;
        if (e.arrivals * EVENTS_PER_JOB > (double)SQ_MAX_EVENTS) {
            return refuse_events(&e, scenarios[i]->file, diag);
        }
        if (e.at_once * EVENTS_PER_JOB > SQ_MAX_SAME_INSTANT) {
            return refuse_instant(&e, scenarios[i]->file, diag);
        }
        if (one >= most) {
            most = one;
            n.most = e;
            n.file = scenarios[i]->file;
        }
        n.told += e.told;
        n.values += e.values;
        n.bands += e.bands;
    }
    n.all =
        n.told + n.values + fmax(n.bands, most * n.at_once) + RUN_BYTES * n.at_once + PROGRAM_BYTES;
    return n.all <= (double)sq_mem_limit() ? SQ_OK : refuse_memory(&n, diag);
}
