/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain_flight.c - whole runs: calls under way. A call is counted when it leaves and its
 * outcome when the caller sees it; what lies between is in flight, by the second in which it ends.
 *
 *     leaves in [t0, t1)              ends in [t0 + L, t1 + L): at most two seconds
 *     |----|----|----|----|----|
 *        ^ leave          ^ land
 *
 * A dependency that goes down resets the calls inside. One that comes back finds callers that still
 * wait for a refusal: they hold their permits and slots until it is told. */
#include "models/forecast/mdl_drain_priv.h"

#include "sim/base/sq_mem.h"

#define GRAIN 1e-9

enum { SECONDS_MAX = 4096 };

/* The longest that a caller waits for an outcome, as far as is known before. */
static double longest_s(const struct mdl_drain_input *in)
{
    const struct mdl_drain_service *s = &in->service;
    double most = fmax(in->whole->down_answer_s, s->service_s + s->network_s);
    for (size_t i = 0; i < in->outage_count; i++) {
        most = fmax(most, isnan(in->outages[i].answer_s) ? 0 : in->outages[i].answer_s);
    }
    return isinf(s->timeout_s) ? 10 * most : fmax(most, s->timeout_s);
}

enum sq_status mdl_drain_flight_init(struct mdl_drain_walk *w)
{
    struct mdl_drain_flight *f = &w->flight;
    if (w->in->whole == NULL) {
        return SQ_OK;
    }
    f->seconds = (size_t)fmin(longest_s(w->in), SECONDS_MAX) + 3;
    f->jobs = sq_arena_alloc(w->memory, f->seconds * w->again.cells, sizeof(*f->jobs));
    f->ends = sq_arena_alloc(w->memory, f->seconds, sizeof(*f->ends));
    return f->jobs != NULL && f->ends != NULL ? SQ_OK : SQ_NOMEM;
}

static size_t slot_at(const struct mdl_drain_flight *f, double second)
{
    return (size_t)second % f->seconds;
}

static void add_end(struct mdl_drain_end *e, const struct mdl_drain_end *more, double share)
{
    e->goodput += share * more->goodput;
    e->refused += share * more->refused;
    e->errors += share * more->errors;
    e->timeouts += share * more->timeouts;
    e->back += share * more->back;
}

void mdl_drain_flight_leave(struct mdl_drain_walk *w, const struct mdl_drain_bucket *b,
                            const struct mdl_drain_leave *l)
{
    struct mdl_drain_flight *f = &w->flight;
    double failed = l->calls * w->capacity.fail_share, late = l->calls * w->capacity.late_share;
    struct mdl_drain_end e = { .goodput = l->calls - failed, .back = l->back };
    if (w->capacity.down) {
        e.refused = failed;
    } else {
        e.timeouts = late;
        e.errors = failed - late;
    }
    double second = floor(w->t0 + GRAIN), most = (double)(f->seconds - 2);
    double wait = fmin(w->capacity.latency_s, most), from = w->t0 + wait, until = w->t1 + wait;
    double first = floor(from + GRAIN), end = w->in->whole->end_s;
    double edge = from < end ? fmin(first + 1, end) : first + 1; /* what ends later is awaited */
    double share = until > edge ? (edge - from) / (until - from) : 1;
    first = fmax(first, second);
    size_t cell = mdl_drain_cell(w, b);
    double deadline = isinf(b->deadline_s) ? 0 : l->good * b->deadline_s;
    for (int i = 0; i < 2; i++) {
        size_t slot = slot_at(f, first + i);
        struct mdl_drain_flow *jobs = &f->jobs[slot * w->again.cells + cell];
        jobs->count += share * l->good;
        jobs->deadline += share * deadline;
        add_end(&f->ends[slot], &e, share);
        share = 1 - share;
    }
    f->good += l->good;
    f->back += l->back;
}

void mdl_drain_flight_land(struct mdl_drain_walk *w, double second)
{
    struct mdl_drain_flight *f = &w->flight;
    struct mdl_drain_second *s = &w->phase.second;
    size_t slot = slot_at(f, second);
    struct mdl_drain_end *e = &f->ends[slot];
    struct mdl_drain_flow *jobs = &f->jobs[slot * w->again.cells];
    s->goodput += e->goodput;
    s->refused += e->refused;
    s->errors += e->errors;
    s->timeouts += e->timeouts;
    f->back = fmax(0, f->back - e->back);
    *e = (struct mdl_drain_end){ 0 };
    for (size_t cell = 0; cell < w->again.cells; cell++) {
        w->out->work.served += jobs[cell].count;
        f->good = fmax(0, f->good - jobs[cell].count);
        jobs[cell] = (struct mdl_drain_flow){ 0 };
    }
}

double mdl_drain_flight_calls(const struct mdl_drain_walk *w)
{
    double sum = 0;
    for (size_t i = 0; i < w->flight.seconds; i++) {
        const struct mdl_drain_end *e = &w->flight.ends[i];
        sum += e->goodput + e->refused + e->errors + e->timeouts;
    }
    return sum;
}

/* Jobs of a cell whose call would have succeeded fail now. */
static void reset_cell(struct mdl_drain_walk *w, size_t cell, struct mdl_drain_flow *jobs,
                       double share)
{
    struct mdl_drain_bucket b = mdl_drain_cell_bucket(w, cell);
    double count = share * jobs->count;
    if (!(count > 0)) {
        return;
    }
    b.deadline_s =
        isinf(w->in->classes[b.cls].deadline_s) ? (double)INFINITY : jobs->deadline / jobs->count;
    jobs->count -= count;
    jobs->deadline *= 1 - share;
    w->flight.good = fmax(0, w->flight.good - count);
    mdl_drain_fail(w, &b, count);
}

void mdl_drain_flight_reset(struct mdl_drain_walk *w)
{
    struct mdl_drain_flight *f = &w->flight;
    double second = floor(w->t0 + GRAIN), reset = 0;
    for (size_t i = 0; i < f->seconds; i++) {
        double share = i == 0 ? second + 1 - w->t0 : 1; /* the rest of this second has ended */
        struct mdl_drain_end *e = &f->ends[slot_at(f, second + (double)i)];
        double calls = share * (e->goodput + e->errors + e->timeouts);
        e->goodput *= 1 - share;
        e->errors *= 1 - share;
        e->timeouts *= 1 - share;
        w->phase.second.errors += calls;
        reset += calls;
        for (size_t cell = 0; cell < w->again.cells; cell++) {
            reset_cell(w, cell, &f->jobs[slot_at(f, second + (double)i) * w->again.cells + cell],
                       share);
        }
    }
    mdl_drain_again_scatter(w, 0);
    mdl_drain_phase_failed(w, reset);
    f->held = 0;
}

void mdl_drain_flight_hold(struct mdl_drain_walk *w)
{
    struct mdl_drain_flight *f = &w->flight;
    f->held = mdl_drain_flight_calls(w);
    f->held_from = w->t0;
    f->held_until = w->t0 + w->capacity.latency_s;
}

/* Those who hold on at t: they let go evenly. */
static double held_at(const struct mdl_drain_flight *f, double t)
{
    return t < f->held_until ? f->held * (f->held_until - t) / (f->held_until - f->held_from) : 0;
}

double mdl_drain_flight_held(const struct mdl_drain_walk *w)
{
    double until = fmin(w->t1, w->flight.held_until);
    if (!(w->flight.held > 0) || until <= w->t0) {
        return 0;
    }
    double mean = (held_at(&w->flight, w->t0) + held_at(&w->flight, until)) / 2;
    return mean * (until - w->t0) / (w->t1 - w->t0);
}

double mdl_drain_flight_released(const struct mdl_drain_walk *w)
{
    const struct mdl_drain_flight *f = &w->flight;
    return f->held > 0 ? held_at(f, w->t0) - held_at(f, w->t1) : 0;
}
