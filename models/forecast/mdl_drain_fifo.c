/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain_fifo.c - the ready queue of the drain forecast: buckets of alike jobs in order, and
 * how a piece of capacity is spent on them. */
#include "models/forecast/mdl_drain_priv.h"

#include "sim/base/sq_mem.h"
#include "sim/core/sq_fn.h"

#include <string.h>

#define FINE_S      16384.0 /* up to this instant arrivals are kept by the second, then coarser */
#define GRAIN       1e-9
#define DUST        1e-12  /* jobs: a bucket with less is empty */
#define POOL_GRAINS 256.0  /* deadlines of deferred jobs are kept to this share of their length */
#define LOSS_EXACT  2048.0 /* permits up to which blocking is computed, not neglected */

static bool fifo_room(struct mdl_drain_walk *w)
{
    if (w->len < w->size) {
        return true;
    }
    if (w->head > w->size / 2) {
        memmove(w->fifo, w->fifo + w->head, (w->len - w->head) * sizeof(w->fifo[0]));
        w->base += w->head;
        w->len -= w->head;
        w->head = 0;
        return true;
    }
    size_t size = w->size ? 2 * w->size : 1024 + w->in->ready_count + w->in->timer_count;
    struct mdl_drain_bucket *more = sq_arena_alloc(w->memory, size, sizeof(w->fifo[0]));
    if (!more) {
        w->no_memory = true;
        return false;
    }
    if (w->len > 0) {
        memcpy(more, w->fifo, w->len * sizeof(w->fifo[0]));
    }
    w->fifo = more;
    w->size = size;
    return true;
}

bool mdl_drain_fifo_add(struct mdl_drain_walk *w, const struct mdl_drain_bucket *b)
{
    struct mdl_drain_class_now *c = &w->cls[b->cls];
    if (!(b->count > 0) || !fifo_room(w)) {
        return false;
    }
    w->fifo[w->len] = *b;
    w->fifo[w->len].joined = w->in->whole != NULL ? (uint32_t)(w->t0 + GRAIN) + 1 : 0;
    w->fifo[w->len++].fresh = true;
    c->ready += b->count;
    if (b->affected) {
        c->ready_affected += b->count;
    }
    return true;
}

void mdl_drain_fifo_arrive(struct mdl_drain_walk *w, uint32_t cls)
{
    struct mdl_drain_class_now *c = &w->cls[cls];
    double slot = floor(w->t0 / (1 + floor(w->t0 / FINE_S)));
    if (c->tail > w->base + w->head && c->tail_slot == slot &&
        w->fifo[c->tail - 1 - w->base].affected == mdl_drain_affects(w->in, w->t0)) {
        struct mdl_drain_bucket *b = &w->fifo[c->tail - 1 - w->base];
        if (c->hazard - b->h0 < 1) {
            b->count += c->inflow * sq_fn_exp(c->hazard - b->h0);
            c->ready += c->inflow;
            c->ready_affected += b->affected ? c->inflow : 0;
            return;
        }
    }
    struct mdl_drain_bucket fresh = {
        .count = c->inflow,
        .h0 = c->hazard,
        .deadline_s = w->t0 + w->in->classes[cls].deadline_s,
        .cls = cls,
        .affected = mdl_drain_affects(w->in, w->t0),
    };
    if (mdl_drain_fifo_add(w, &fresh)) {
        c->tail = w->base + w->len;
        c->tail_slot = slot;
    }
}

void mdl_drain_fifo_turn(struct mdl_drain_walk *w, double jobs)
{
    while (jobs > DUST && w->head < w->len && fifo_room(w)) {
        struct mdl_drain_bucket *b = &w->fifo[w->head];
        struct mdl_drain_bucket moved = *b;
        moved.count = fmin(jobs, b->count);
        moved.joined = 0;
        b->count -= moved.count;
        jobs -= moved.count;
        if (b->count <= DUST) {
            moved.count += b->count;
            w->head++;
        }
        w->fifo[w->len++] = moved;
    }
}

double mdl_drain_used(const struct mdl_drain_walk *w)
{
    double calls = isinf(w->calls_all) || w->calls_all <= 0 ? 0 : 1 - w->calls_left / w->calls_all;
    double slots = isinf(w->slots_all) || w->slots_all <= 0 ? 0 : 1 - w->slots_left / w->slots_all;
    return fmax(calls, slots);
}

/* How far the piece is through, by the capacity spent. */
static double serve_now(const struct mdl_drain_walk *w)
{
    return w->t0 + (w->t1 - w->t0) * mdl_drain_used(w);
}

/* A share of a bucket leaves the queue; `present` jobs of it, of which `live` are not overtaken. */
static void serve_leave(struct mdl_drain_walk *w, const struct mdl_drain_bucket *b, double present)
{
    struct mdl_drain_class_now *c = &w->cls[b->cls];
    c->ready = fmax(0, c->ready - present);
    if (!b->affected) {
        return;
    }
    c->ready_affected = fmax(0, c->ready_affected - present);
    w->affected = fmax(0, w->affected - present);
}

struct portion {
    double present, live; /* jobs in the bucket; those not overtaken */
    double calls, slots;  /* what the live ones cost */
    bool free; /* all of them end at delivery, without a call: stale, or delivered too often */
    bool stale;
};

static struct portion serve_portion(const struct mdl_drain_walk *w,
                                    const struct mdl_drain_bucket *b)
{
    const struct mdl_drain_class *c = &w->in->classes[b->cls];
    double hazard = w->cls[b->cls].hazard - b->h0;
    struct portion p = { .present = b->count, .live = b->count };
    if (hazard > 0) {
        p.live *= sq_fn_exp(-hazard);
    }
    if (mdl_drain_eager(w->in, b->cls)) {
        p.present = p.live;
    }
    p.stale = !c->served_stale && b->deadline_s < serve_now(w);
    bool spent = c->receives_max > 0 && (double)b->failures >= c->receives_max;
    p.free = p.stale || spent || b->dead;
    p.calls = p.live * c->calls_per_job;
    p.slots = p.calls * w->capacity.latency_s + p.live * c->work_s;
    return p;
}

/* Jobs are done with their call: a forecast takes them for served when it leaves. */
static void serve_call(struct mdl_drain_walk *w, const struct mdl_drain_bucket *b,
                       const struct mdl_drain_leave *l)
{
    if (w->in->whole == NULL) {
        w->out->work.served += l->good;
        return;
    }
    w->phase.second.first += b->failures == 0 ? l->calls : 0;
    w->phase.second.retry += b->failures == 0 ? 0 : l->calls;
    mdl_drain_flight_leave(w, b, l);
}

/* Books `share` of the portion. Stale and dead jobs end for nothing. */
static void serve_book(struct mdl_drain_walk *w, const struct mdl_drain_bucket *b,
                       const struct portion *p, double share)
{
    struct mdl_drain_work *work = &w->out->work;
    if (b->dead) {
        work->superseded += share * p->present;
    } else if (p->stale) {
        work->stale += share * p->live;
        work->superseded += share * (p->present - p->live);
    } else if (p->free) {
        work->dead += share * p->live;
        work->superseded += share * (p->present - p->live);
    } else {
        double fails = w->again.failed != NULL ? w->capacity.fail_share * share * p->live : 0;
        double good = share * p->live - fails, back = mdl_drain_fail(w, b, fails);
        work->superseded += share * (p->present - p->live);
        serve_call(w, b, &(struct mdl_drain_leave){ share * p->calls, good, back });
        w->calls_left = fmax(0, w->calls_left - share * p->calls);
        w->slots_left = fmax(0, w->slots_left - share * p->slots);
    }
    serve_leave(w, b, share * p->present);
}

static double affordable(double left, double cost)
{
    return cost > left ? left / cost : 1;
}

/* In a whole run buckets that joined in the same second stand there well mixed, and are served
 * alike. Returns where those at the head end. */
static size_t serve_mixed(const struct mdl_drain_walk *w)
{
    size_t end = w->head + 1;
    uint32_t joined = w->fifo[w->head].joined;
    while (joined != 0 && end < w->len && w->fifo[end].joined == joined) {
        end++;
    }
    return end;
}

/* What buckets cost together; `present`: the affected jobs of them. */
static struct portion serve_cost(const struct mdl_drain_walk *w, size_t end)
{
    struct portion all = { 0 };
    for (size_t i = w->head; i < end; i++) {
        const struct mdl_drain_bucket *b = &w->fifo[i];
        struct portion p = serve_portion(w, b);
        all.present += b->affected ? p.present : 0;
        if (!p.free) {
            all.calls += p.calls;
            all.slots += p.slots;
        }
    }
    return all;
}

/* Which share of them ends the last affected job, if it does: a part of a job may remain. */
static void serve_mark(struct mdl_drain_walk *w, const struct portion *all, double share)
{
    if (!isnan(w->affected_done_at) || w->affected < MDL_DRAIN_NONE || all->present <= 0) {
        return;
    }
    if (mdl_drain_affects(w->in, w->t0)) {
        return; /* more of them are still to come */
    }
    double enough = (w->affected - MDL_DRAIN_NONE) / all->present;
    if (enough >= share) {
        return;
    }
    struct mdl_drain_walk then = *w;
    then.calls_left -= enough * all->calls;
    then.slots_left -= enough * all->slots;
    w->affected_done_at = serve_now(&then) + mdl_drain_call_s(w);
}

static void serve_fifo(struct mdl_drain_walk *w)
{
    while (w->head < w->len) {
        size_t end = serve_mixed(w);
        struct portion all = serve_cost(w, end);
        double share =
            fmin(affordable(w->calls_left, all.calls), affordable(w->slots_left, all.slots));
        serve_mark(w, &all, share);
        for (size_t i = w->head; i < end; i++) {
            struct portion p = serve_portion(w, &w->fifo[i]);
            serve_book(w, &w->fifo[i], &p, share);
            w->fifo[i].count *= 1 - share;
        }
        if (share < 1) {
            return;
        }
        w->head = end;
    }
    w->base += w->len;
    w->head = w->len = 0;
    for (size_t i = 0; i < w->in->class_count; i++) {
        w->cls[i].ready = w->cls[i].ready_affected = 0; /* no rounding is carried on */
    }
}

/* Erlang's loss formula for c permits and the offered load a, linear between whole c. */
static double pool_blocking(double c, double a)
{
    if (c > LOSS_EXACT) {
        return a > c ? 1 - c / a : 0;
    }
    double b = 1, below = 1;
    int top = (int)ceil(c);
    for (int k = 1; k <= top; k++) {
        below = b;
        b = a * b / (k + a * b);
    }
    return ceil(c) > c ? below + (b - below) * (c - floor(c)) : b;
}

static bool pool_alike(const struct mdl_drain_walk *w, const struct mdl_drain_bucket *a,
                       const struct mdl_drain_bucket *b)
{
    if (a->cls != b->cls || a->affected != b->affected || a->dead != b->dead ||
        a->failures != b->failures) {
        return false;
    }
    if (isinf(a->deadline_s) || isinf(b->deadline_s)) {
        return isinf(a->deadline_s) && isinf(b->deadline_s);
    }
    double grain = fmax(1, w->in->classes[a->cls].deadline_s / POOL_GRAINS);
    return floor(a->deadline_s / grain) == floor(b->deadline_s / grain);
}

/* Puts what is left of fresh buckets to their like, and drops empty ones. */
static void pool_fold(struct mdl_drain_walk *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->len; i++) {
        struct mdl_drain_bucket b = w->fifo[i];
        b.count = serve_portion(w, &b).present; /* overtaken ones are out */
        b.h0 = w->cls[b.cls].hazard;
        size_t at = b.fresh ? 0 : kept;
        while (at < kept && !pool_alike(w, &w->fifo[at], &b)) {
            at++;
        }
        if (at < kept) {
            w->fifo[at].count += b.count;
        } else if (b.count > DUST) {
            b.fresh = false;
            w->fifo[kept++] = b;
        }
    }
    w->base += w->len + 1; /* no bucket is the open tail of its class */
    w->len = kept;
}

static void serve_pool(struct mdl_drain_walk *w)
{
    double dt = w->t1 - w->t0;
    double back = 1 - sq_fn_exp(-dt / w->in->gate.delay_s);
    double calls = 0, slots = 0;
    for (size_t i = 0; i < w->len; i++) {
        struct portion p = serve_portion(w, &w->fifo[i]);
        if (!p.free) {
            double offered = w->fifo[i].fresh ? 1 : back;
            calls += offered * p.calls;
            slots += offered * p.slots;
        }
    }
    double permits = w->calls_all / dt * w->capacity.latency_s;
    double taken =
        isinf(permits) ? 1 : 1 - pool_blocking(permits, calls / dt * w->capacity.latency_s);
    taken = fmin(taken, fmin(affordable(w->calls_left, calls), affordable(w->slots_left, slots)));
    for (size_t i = 0; i < w->len; i++) {
        struct mdl_drain_bucket *b = &w->fifo[i];
        struct portion p = serve_portion(w, b);
        double share = (b->fresh ? 1 : back) * (p.free ? 1 : taken);
        serve_book(w, b, &p, share);
        b->count *= 1 - share;
    }
    pool_fold(w);
}

void mdl_drain_serve(struct mdl_drain_walk *w)
{
    if (w->in->gate.throttled == MDL_DRAIN_WAIT) {
        serve_fifo(w);
    } else {
        serve_pool(w);
    }
}
