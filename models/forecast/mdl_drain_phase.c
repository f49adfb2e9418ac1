/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain_phase.c - a whole run by the walk: outages that come and go, the warm-up after each,
 * trouble that sends a ramp to its bottom, collapses, and what is counted in each second. */
#include "models/forecast/mdl_drain_priv.h"

#include "sim/base/sq_mem.h"

#define GRAIN      1e-9
#define CALLS_MIN  5.0 /* in the window, for trouble to begin (SCENARIO §8) */
#define CALLS_MOST 100000

const struct mdl_drain_outage *mdl_drain_outage_at(const struct mdl_drain_input *in, double t)
{
    for (size_t i = 0; i < in->outage_count; i++) {
        if (t + GRAIN >= in->outages[i].from_s && t + GRAIN < in->outages[i].until_s) {
            return &in->outages[i];
        }
    }
    return NULL;
}

double mdl_drain_outages_jump(const struct mdl_drain_input *in, double t)
{
    double next = in->service.down_until_s > t + GRAIN ? in->service.down_until_s : INFINITY;
    for (size_t i = 0; i < in->outage_count; i++) {
        double from = in->outages[i].from_s, until = in->outages[i].until_s;
        next = from > t + GRAIN ? fmin(next, from) : next;
        next = until > t + GRAIN ? fmin(next, until) : next;
    }
    if (in->whole != NULL) {
        next = in->whole->t1_s > t + GRAIN ? fmin(next, in->whole->t1_s) : next;
        next = in->whole->end_s > t + GRAIN ? fmin(next, in->whole->end_s) : next;
    }
    return next;
}

enum sq_status mdl_drain_phase_init(struct mdl_drain_walk *w)
{
    struct mdl_drain_phase *p = &w->phase;
    if (w->in->whole == NULL) {
        return SQ_OK;
    }
    p->arrived = sq_arena_alloc(w->memory, w->in->class_count + 1, sizeof(*p->arrived));
    if (p->arrived == NULL) {
        return SQ_NOMEM;
    }
    p->gate = w->in->gate;
    w->known->service.warm_age_s = INFINITY; /* warm at time 0 */
    if (!w->in->whole->ramp_first) {
        w->known->gate.step_count = 0; /* no limit before the first trouble */
    } else {
        w->known->gate.ramp_from_s = INFINITY;
    }
    return SQ_OK;
}

/* ---- trouble, as a ramp sees it ---- */

static void trouble_begins(struct mdl_drain_walk *w)
{
    struct mdl_drain_phase *p = &w->phase;
    p->trouble = true;
    p->over = 0;
    for (int i = 0; i < MDL_DRAIN_ROW; i++) {
        p->row[i] = i == 0 ? 1 : 0;
    }
    w->known->gate = p->gate;
    w->known->gate.ramp_from_s = INFINITY;
}

/* `calls` of the piece end evenly in it; five in a row succeed, more likely than not, with one of
 * them. */
static void trouble_goes_on(struct mdl_drain_walk *w, double calls)
{
    struct mdl_drain_phase *p = &w->phase;
    double fails = w->capacity.fail_share;
    if (fails >= 1) {
        p->over = 0;
        p->row[0] = 1;
        for (int i = 1; i < MDL_DRAIN_ROW; i++) {
            p->row[i] = 0;
        }
        return;
    }
    for (int k = 0; k < CALLS_MOST && k + 1 <= calls + GRAIN; k++) {
        p->over += mdl_drain_one_more_call(p->row, fails);
        if (p->over < 0.5) {
            continue;
        }
        p->trouble = false;
        w->known->gate.ramp_from_s =
            w->t0 + (w->t1 - w->t0) * (k + 1) / calls + w->capacity.latency_s;
        for (int i = 0; i <= MDL_DRAIN_WINDOW_S; i++) {
            p->window[i].ended = p->window[i].failed = 0;
        }
        p->ending_count = 0;
        return;
    }
}

static size_t window_at(double second)
{
    return (size_t)second % (MDL_DRAIN_WINDOW_S + 1);
}

/* The calls of the piece will end; what has ended by now joins the window. */
static void window_fill(struct mdl_drain_walk *w, double calls)
{
    struct mdl_drain_phase *p = &w->phase;
    size_t now = window_at(floor(w->t0 + GRAIN)), kept = 0;
    if (p->ending_count < MDL_DRAIN_ENDING) {
        size_t k = p->ending_count++;
        p->ending[k].from_s = w->t0 + w->capacity.latency_s;
        p->ending[k].until_s = w->t1 + w->capacity.latency_s;
        p->ending[k].ended = calls;
        p->ending[k].failed = calls * w->capacity.fail_share;
    }
    for (size_t i = 0; i < p->ending_count; i++) {
        double from = p->ending[i].from_s, until = p->ending[i].until_s;
        double part = fmin(1, fmax(0, (w->t1 - from) / (until - from)));
        p->window[now].ended += part * p->ending[i].ended;
        p->window[now].failed += part * p->ending[i].failed;
        p->ending[i].ended *= 1 - part;
        p->ending[i].failed *= 1 - part;
        p->ending[i].from_s = fmax(from, w->t1);
        if (part < 1) {
            p->ending[kept++] = p->ending[i];
        }
    }
    p->ending_count = kept;
}

void mdl_drain_phase_failed(struct mdl_drain_walk *w, double calls)
{
    size_t now = window_at(floor(w->t0 + GRAIN));
    w->phase.window[now].ended += calls;
    w->phase.window[now].failed += calls;
    w->phase.ending_count = 0; /* they were on their way */
}

static void trouble_step(struct mdl_drain_walk *w, double calls)
{
    struct mdl_drain_phase *p = &w->phase;
    double second = floor(w->t0 + GRAIN), ended = 0, failed = 0;
    if (p->gate.step_count == 0 || !w->in->whole->ramp) {
        return;
    }
    if (p->trouble) {
        p->near = false;
        trouble_goes_on(w, calls);
        return;
    }
    window_fill(w, calls);
    for (int i = 0; i <= MDL_DRAIN_WINDOW_S; i++) { /* of the oldest second some is out */
        double share = i == MDL_DRAIN_WINDOW_S ? second + 1 - w->t1 : 1;
        size_t at = window_at(second + 2 * (MDL_DRAIN_WINDOW_S + 1) - i);
        ended += share * p->window[at].ended;
        failed += share * p->window[at].failed;
    }
    p->near = ended >= CALLS_MIN && failed >= ended / 4;
    if (ended >= CALLS_MIN && failed >= ended / 2) {
        trouble_begins(w);
    }
    if (w->t1 + GRAIN >= second + 1) { /* the next second takes the place of the oldest */
        size_t next = window_at(second + 1);
        p->window[next].ended = p->window[next].failed = 0;
    }
}

/* ---- the piece ---- */

void mdl_drain_phase_begin(struct mdl_drain_walk *w)
{
    struct mdl_drain_phase *p = &w->phase;
    if (w->in->whole == NULL) {
        return;
    }
    const struct mdl_drain_outage *outage = mdl_drain_outage_at(w->in, w->t0);
    bool down = (outage != NULL && outage->down) || w->t0 + GRAIN < w->in->service.down_until_s;
    if (!p->was_down && down) {
        mdl_drain_flight_reset(w);
    } else if (p->was_down && !down) {
        mdl_drain_flight_hold(w);
        w->known->service.warm_age_s = -w->t0;
        w->in_flight = 0;
        w->overload_since = NAN;
    }
    p->was_down = down;
}

/* More calls inside than the rule allows, without a break for as long as it says. */
static void look_at_load(struct mdl_drain_walk *w)
{
    const struct mdl_drain_service *s = &w->in->service;
    bool over = w->phase.second.inside > s->overload_in_flight;
    if (isinf(s->overload_in_flight) || w->capacity.down || w->in_flight > s->overload_in_flight) {
        return; /* the last: seen to where calls time out */
    }
    if (!over) {
        w->overload_since = NAN;
    } else if (isnan(w->overload_since)) {
        w->overload_since = w->t0;
    } else if (w->t1 - w->overload_since >= s->overload_for_s - GRAIN) {
        mdl_drain_phase_trip(w);
    }
}

void mdl_drain_phase_trip(struct mdl_drain_walk *w)
{
    const struct mdl_drain_whole *whole = w->in->whole;
    if (whole == NULL) {
        w->out->state = MDL_DRAIN_RELAPSE;
        w->out->relapse_s = w->t1;
        return;
    }
    w->overload_since = NAN;
    w->in_flight = 0;
    if (!whole->repeats && w->out->trips > 0) {
        return;
    }
    w->out->trips++;
    w->out->relapses += w->t1 >= whole->t1_s || isinf(whole->t1_s) ? 1 : 0;
    w->known->service.down_until_s = w->t1 + whole->down_for_s;
}

static void note_levels(struct mdl_drain_walk *w, double calls)
{
    struct mdl_drain_second *s = &w->phase.second;
    double dt = w->t1 - w->t0, ready = mdl_drain_ready(w), held = mdl_drain_flight_held(w);
    double slots = w->capacity.slots + held;
    double served = isinf(w->capacity.servers) ? 1 : calls / dt * w->capacity.service_s;
    bool queued = ready >= 1;
    s->end_s = w->t1;
    s->in_use = queued ? fmin(w->capacity.callers + held, slots)
                       : fmin(calls / dt * w->capacity.latency_s, slots);
    s->leased = fmin(slots, s->in_use + (queued ? ready : 0));
    s->waiting = fmax(0, s->leased - s->in_use);
    s->ready = queued ? fmax(0, ready - s->waiting) : ready; /* who calls has left it */
    s->inside =
        w->capacity.down ? 0 : fmax(w->in_flight, queued ? s->in_use : fmin(s->in_use, served));
    s->delayed = 0;
    for (size_t i = 0; i < w->in->class_count; i++) {
        s->delayed += w->cls[i].delayed;
    }
    s->delayed = fmax(0, s->delayed - w->flight.back); /* these still call */
    s->limit = mdl_drain_limit_at(w->in, w->t0);
    s->capacity_per_s = w->capacity.down ? 0 : w->capacity.servers / w->capacity.service_s;
    s->slots = slots;
    s->existing = w->fleet.existing;
    s->ready_replicas = w->fleet.ready;
    s->down = w->capacity.down;
}

void mdl_drain_phase_end(struct mdl_drain_walk *w)
{
    struct mdl_drain_phase *p = &w->phase;
    struct mdl_drain_second *s = &p->second;
    const struct mdl_drain_whole *whole = w->in->whole;
    const struct mdl_drain_work *work = &w->out->work;
    if (whole == NULL) {
        return;
    }
    double second = floor(w->t1 + GRAIN);
    bool over = w->t1 - second <= GRAIN || w->t1 + GRAIN >= whole->end_s;
    if (over) {
        mdl_drain_flight_land(w, floor(w->t0 + GRAIN));
    }
    double calls = isinf(w->calls_all) ? s->first + s->retry : w->calls_all - w->calls_left;
    note_levels(w, calls);
    look_at_load(w);
    trouble_step(w, calls);
    for (size_t i = 0; i < w->in->class_count; i++) {
        double rate = mdl_drain_class_rate(w->in, &w->in->classes[i], (w->t0 + w->t1) / 2);
        p->arrived[i] += rate * (w->t1 - w->t0);
    }
    if (!over) {
        return;
    }
    s->completed = work->served - p->before.served;
    s->dead = work->dead - p->before.dead;
    s->stale = work->stale - p->before.stale;
    s->superseded = work->superseded - p->before.superseded;
    s->arrived = p->arrived;
    whole->note(whole->ctx, s);
    p->before = *work;
    *s = (struct mdl_drain_second){ 0 };
    for (size_t i = 0; i < w->in->class_count; i++) {
        p->arrived[i] = 0;
    }
}

bool mdl_drain_phase_over(const struct mdl_drain_walk *w)
{
    double left = w->flight.good;
    for (size_t i = 0; i < w->in->class_count; i++) {
        left += w->cls[i].ready + w->cls[i].delayed;
    }
    bool told = w->t1 - floor(w->t1 + GRAIN) <= GRAIN; /* the second is noted */
    bool over = w->t1 + GRAIN >= w->in->whole->end_s ||
                (told && w->t1 + GRAIN >= w->in->arrivals_end_s && left < MDL_DRAIN_NONE);
    w->out->end_s = w->t1;
    return over;
}
