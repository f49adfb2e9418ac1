/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_probe_forecast.c - the planned forecast made again, at most once a minute from T1 on, and how
 * far each was off in the end. */
#include "models/mdl_probe.h"

#include "sim/base/sq_unit.h"

#include <math.h>

#define EVERY (60 * SQ_NS_PER_S)

/* What a forecast costs, counted in events so that every machine makes the same ones: its walk
 * looks at every unfinished job and at every second until the queue is clear. All of them together
 * may cost a small share of the run. */
#define EVENTS_PER_JOB    0.5
#define EVENTS_PER_SECOND 10.0
#define SHARE             0.02

static bool is_clear(const struct mdl_probe *p)
{
    const struct mdl_world *w = p->world;
    for (size_t i = 0; i < w->queue_count; i++) {
        const struct mdl_queue *q = &w->queues[i];
        if (q->ready.now > p->marks.queues[i].limit) {
            return false;
        }
    }
    return true;
}

static void keep(struct mdl_probe *p, sq_time_t now, double drain_s)
{
    struct mdl_foresight *f = &p->foresight;
    if (f->made == NULL) {
        f->made = sq_arena_alloc(&p->world->ctx.arena, MDL_FORECASTS_MAX, sizeof(*f->made));
        p->failed = p->failed || f->made == NULL;
    }
    if (f->made != NULL && f->count < MDL_FORECASTS_MAX) {
        f->made[f->count++] = (struct mdl_forecast_made){ now, drain_s };
    }
    f->now_s = drain_s;
}

void mdl_probe_foresee(struct mdl_probe *p, sq_time_t now)
{
    struct mdl_foresight *f = &p->foresight;
    struct mdl_world *w = p->world;
    if (f->next == SQ_NEVER || now < f->next || now < w->ctx.t1_ns) {
        return;
    }
    bool first = f->count == 0;
    f->next = f->count == 0 ? w->ctx.t1_ns + EVERY : f->next + EVERY;
    if (first) { /* the one of T1 itself, in the bin that ends after it */
        keep(p, w->ctx.t1_ns, p->forecast.planned_s);
        return;
    }
    if (w->ctx.draining && w->ctx.alive == 0) {
        f->next = SQ_NEVER;
        return;
    }
    if (is_clear(p)) {
        keep(p, now, 0);
        return;
    }
    double span = isnan(f->made != NULL ? f->made[f->count - 1].drain_s : (double)NAN)
                      ? sq_time_to_s(EVERY) * 10
                      : f->made[f->count - 1].drain_s;
    double cost = (double)w->ctx.jobs.used * EVENTS_PER_JOB + span * EVENTS_PER_SECOND;
    if (f->spent + cost > SHARE * (double)w->ctx.sim.events) {
        return;
    }
    f->spent += cost;
    for (size_t i = 0; i < w->dependency_count; i++) {
        if (!mdl_dependency_is_up(&w->dependencies[i])) {
            keep(p, now, (double)NAN); /* who knows when it comes back */
            return;
        }
    }
    struct mdl_forecasts again = { .planned_s = (double)NAN };
    if (p->plan(w, &again) != SQ_OK) {
        p->failed = true;
    }
    keep(p, now, again.planned_s);
}

static void put_off(struct sq_buf *out, double off_s, double of_s)
{
    sq_buf_puts(out, off_s < 0 ? "-" : "+");
    sq_unit_put_span(out, fabs(off_s));
    sq_buf_puts(out, " (");
    sq_buf_number(out, 100 * fabs(off_s) / of_s, 2);
    sq_buf_puts(out, " %)");
}

bool mdl_probe_foresight(const struct mdl_probe *p, struct sq_buf *out)
{
    const struct mdl_foresight *f = &p->foresight;
    sq_time_t clear = p->marks.queue_clear, t1 = p->world->ctx.t1_ns;
    double worst = 0, then = 0;
    size_t later = 0;
    if (f->count == 0 || clear == SQ_NEVER || clear <= t1 || isnan(f->made[0].drain_s)) {
        return false;
    }
    for (size_t i = 1; i < f->count && f->made[i].at < clear; i++) {
        double off = f->made[i].drain_s - sq_time_to_s(clear - f->made[i].at);
        later += isnan(off) ? 0 : 1;
        if (fabs(off) > fabs(worst)) {
            worst = off;
            then = sq_time_to_s(f->made[i].at - t1);
        }
    }
    double span = sq_time_to_s(clear - t1);
    sq_buf_puts(out, "the forecast at T1 missed the queue clear by ");
    put_off(out, f->made[0].drain_s - span, span);
    if (later > 0) {
        sq_buf_printf(out, "; of %zu later ones the worst, made ", later);
        sq_unit_put_span(out, then);
        sq_buf_puts(out, " after it, by ");
        put_off(out, worst, span);
    }
    return !out->failed;
}
