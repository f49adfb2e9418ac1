/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain_again.c - jobs whose call fails during the drain: they come back by the delay kernels
 * of their retry layer, and join the tail then. */
#include "models/forecast/mdl_drain_priv.h"

#include "sim/base/sq_mem.h"
#include "sim/core/sq_fn.h"

#define GRAIN 1e-9
#define DUST  1e-9 /* jobs: less is not carried on by itself */
#define FEW \
    1e-3 /* jobs: fewer wait for others that go with them, for a tenth of their longest delay */

enum { FAILURES_MAX = 32, SECONDS_MAX = 16384, SHORT_BINS = 64, CALL_S_MAX = 64 };

enum sq_status mdl_drain_again_init(struct mdl_drain_walk *w)
{
    struct mdl_drain_again *a = &w->again;
    size_t longest = 0;
    double most = 0;
    for (size_t i = 0; i < w->in->class_count; i++) {
        const struct mdl_drain_class *c = &w->in->classes[i];
        if (c->kernels == NULL || c->attempts_max <= 1) {
            continue;
        }
        most = fmax(most, c->attempts_max);
        for (size_t k = 0; k < c->kernels->count; k++) {
            longest = c->kernels->after[k].count > longest ? c->kernels->after[k].count : longest;
        }
    }
    if (longest == 0 && w->in->whole == NULL) {
        return SQ_OK;
    }
    a->failures_max = (size_t)fmin(most, FAILURES_MAX);
    a->seconds = (longest < SECONDS_MAX ? longest : SECONDS_MAX) + CALL_S_MAX + 2;
    a->cells = w->in->class_count * 2 * (a->failures_max + 1);
    a->wheel = sq_arena_alloc(w->memory, a->cells + 1, sizeof(struct mdl_drain_flow *));
    a->failed = sq_arena_alloc(w->memory, a->cells, sizeof(*a->failed));
    return a->wheel != NULL && a->failed != NULL ? SQ_OK : SQ_NOMEM;
}

size_t mdl_drain_cell(const struct mdl_drain_walk *w, const struct mdl_drain_bucket *b)
{
    const struct mdl_drain_again *a = &w->again;
    size_t n = b->failures < a->failures_max ? b->failures : a->failures_max;
    return (b->cls * 2 + b->affected) * (a->failures_max + 1) + n;
}

struct mdl_drain_bucket mdl_drain_cell_bucket(const struct mdl_drain_walk *w, size_t cell)
{
    size_t rows = w->again.failures_max + 1;
    uint32_t cls = (uint32_t)(cell / rows / 2);
    struct mdl_drain_bucket b = { .cls = cls, .h0 = w->cls[cls].hazard };
    b.failures = (uint32_t)(cell % rows);
    b.affected = cell / rows % 2 == 1;
    return b;
}

double mdl_drain_fail(struct mdl_drain_walk *w, const struct mdl_drain_bucket *b, double count)
{
    const struct mdl_drain_class *c = &w->in->classes[b->cls];
    struct mdl_drain_class_now *now = &w->cls[b->cls];
    if (!(count > 0)) {
        return 0;
    }
    if (c->kernels == NULL || (double)b->failures + 1 >= c->attempts_max) {
        w->out->work.dead += count;
        return 0;
    }
    struct mdl_drain_bucket next = *b;
    next.failures = b->failures + 1;
    struct mdl_drain_flow *f = &w->again.failed[mdl_drain_cell(w, &next)];
    f->count += count;
    f->deadline += isinf(b->deadline_s) ? 0 : count * b->deadline_s;
    now->delayed += count;
    now->delayed_affected += b->affected ? count : 0;
    return count;
}

/* `hazard`: of being overtaken, per second, for jobs that leave at once when they are. `call_s`:
 * the call itself took a while. */
static void scatter_cell(struct mdl_drain_walk *w, size_t cell, double hazard, double call_s)
{
    const struct mdl_drain_class *c = &w->in->classes[mdl_drain_cell_bucket(w, cell).cls];
    const struct sq_mass *m = mdl_kernels_after(c->kernels, cell % (w->again.failures_max + 1));
    struct mdl_drain_again *a = &w->again;
    struct mdl_drain_flow f = a->failed[cell];
    double stay = sq_fn_exp(-hazard), left = 1;
    double whole = fmin(floor(call_s), CALL_S_MAX), wait = fmin(call_s - whole, 1), before = 0;
    size_t least = call_s > 0 ? 1 : 0;
    if (a->wheel[cell] == NULL) {
        a->wheel[cell] = sq_arena_alloc(w->memory, a->seconds, sizeof(struct mdl_drain_flow));
    }
    if (a->wheel[cell] == NULL) {
        w->no_memory = true;
        return;
    }
    struct mdl_drain_flow *row = a->wheel[cell];
    size_t base = (size_t)floor(w->t0 + GRAIN) % a->seconds, most = a->seconds - 1;
    for (size_t i = 0; i <= m->count; i++, left *= stay) {
        double share = i < m->count ? m->bins[i] : 0;
        double part = left * (share * (1 - wait) + before * wait);
        size_t at = i + (size_t)whole;
        at = at < least ? least : (at < most ? at : most);
        struct mdl_drain_flow *to =
            &row[base + at < a->seconds ? base + at : base + at - a->seconds];
        to->count += f.count * part;
        to->deadline += f.deadline * part;
        before = share;
    }
}

void mdl_drain_again_scatter(struct mdl_drain_walk *w, double call_s)
{
    struct mdl_drain_again *a = &w->again;
    size_t rows = a->failures_max + 1;
    size_t second = (size_t)floor(w->t0 + GRAIN);
    for (size_t cell = 0; a->failed != NULL && cell < a->cells; cell++) {
        if (!(a->failed[cell].count > 0)) {
            continue;
        }
        uint32_t cls = (uint32_t)(cell / rows / 2);
        const struct mdl_drain_class *c = &w->in->classes[cls];
        const struct sq_mass *m = mdl_kernels_after(c->kernels, cell % rows);
        if (m->count > SHORT_BINS && a->failed[cell].count < FEW && second % (m->count / 10) != 0) {
            continue;
        }
        bool leaves = mdl_drain_eager(w->in, cls);
        double rate = mdl_drain_class_rate(w->in, c, (w->t0 + w->t1) / 2);
        scatter_cell(w, cell, leaves ? rate / c->keys : 0, call_s);
        a->failed[cell] = (struct mdl_drain_flow){ 0 };
    }
}

static void due_cell(struct mdl_drain_walk *w, size_t cell, struct mdl_drain_flow f)
{
    struct mdl_drain_bucket b = mdl_drain_cell_bucket(w, cell);
    struct mdl_drain_class_now *now = &w->cls[b.cls];
    b.count = f.count;
    b.deadline_s =
        isinf(w->in->classes[b.cls].deadline_s) ? (double)INFINITY : f.deadline / f.count;
    now->delayed = fmax(0, now->delayed - f.count);
    now->delayed_affected = fmax(0, now->delayed_affected - (b.affected ? f.count : 0));
    if (b.deadline_s < w->t0) {
        w->out->work.stale += f.count;
    } else if (f.count > DUST) {
        mdl_drain_fifo_add(w, &b);
    } else {
        w->out->work.served += f.count;
    }
}

void mdl_drain_again_due(struct mdl_drain_walk *w, bool done)
{
    struct mdl_drain_again *a = &w->again;
    if (a->wheel == NULL) {
        return;
    }
    double second = floor(w->t0 + GRAIN), left = second + 1 - w->t0;
    double part = done ? 1 : (w->t1 - w->t0) / left;
    size_t slot = (size_t)second % a->seconds;
    for (size_t cell = 0; cell < a->cells; cell++) {
        struct mdl_drain_flow *now = a->wheel[cell] != NULL ? &a->wheel[cell][slot] : NULL;
        if (now != NULL && now->count * part > 0) {
            struct mdl_drain_flow f = { now->count * part, now->deadline * part };
            now->count -= f.count;
            now->deadline -= f.deadline;
            due_cell(w, cell, f);
        }
    }
}
