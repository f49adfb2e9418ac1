/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain_walk.c - the walk of the drain forecast. It goes from piece to piece; a piece ends at
 * the next whole second or where something jumps (a ramp step, a server that got warm, a rate); in
 * a whole run in which trouble is near, after a tenth of a second.
 *
 *     overtake -> due timers and arrivals join -> serve -> marks
 */
#include "models/forecast/mdl_drain_priv.h"

#include "sim/core/sq_fn.h"

#define GRAIN  1e-9
#define LOOK_S 600.0 /* the progress is judged once in so long */

bool mdl_drain_eager(const struct mdl_drain_input *in, uint32_t cls)
{
    enum mdl_drain_keep keep = in->classes[cls].keep;
    return keep == MDL_DRAIN_KEEP_NEWEST ||
           (keep == MDL_DRAIN_KEEP_LAZY && in->gate.throttled != MDL_DRAIN_WAIT);
}

static double walk_actionable(const struct mdl_drain_walk *w)
{
    double sum = 0;
    for (size_t i = 0; i < w->in->class_count; i++) {
        bool backoff = w->in->gate.throttled == MDL_DRAIN_FAIL;
        sum += w->cls[i].deferred + (backoff ? 0 : w->cls[i].ready);
    }
    return sum;
}

double mdl_drain_ready(const struct mdl_drain_walk *w)
{
    double sum = 0;
    for (size_t i = 0; i < w->in->class_count; i++) {
        sum += w->cls[i].ready;
    }
    return sum;
}

static double walk_affected(const struct mdl_drain_walk *w)
{
    double sum = w->in_hand_affected;
    for (size_t i = 0; i < w->in->class_count; i++) {
        sum += w->cls[i].ready_affected + w->cls[i].delayed_affected;
    }
    return sum;
}

static double walk_left(const struct mdl_drain_walk *w)
{
    double sum = w->in_hand + w->flight.good;
    for (size_t i = 0; i < w->in->class_count; i++) {
        sum += w->cls[i].ready + w->cls[i].delayed;
    }
    return sum;
}

/* Calls from before that still hold permits and slots, on average over the piece. */
static double walk_in_hand(const struct mdl_drain_walk *w)
{
    if (w->t0 >= w->hands_end) {
        return w->in->whole != NULL ? mdl_drain_flight_held(w) : 0;
    }
    double sum = 0;
    for (size_t i = 0; i < w->in->hand_count; i++) {
        const struct mdl_drain_hand *h = &w->in->hands[i];
        sum += h->count * fmax(0, fmin(h->ends_s, w->t1) - w->t0);
    }
    return sum / (w->t1 - w->t0);
}

/* Arrivals of the piece and what they overtake. */
static void piece_overtake(struct mdl_drain_walk *w, uint32_t cls)
{
    const struct mdl_drain_class *c = &w->in->classes[cls];
    struct mdl_drain_class_now *now = &w->cls[cls];
    double jobs = mdl_drain_class_rate(w->in, c, (w->t0 + w->t1) / 2) * (w->t1 - w->t0);
    w->out->work.arrived += jobs;
    now->inflow = jobs;
    if (c->keep == MDL_DRAIN_KEEP_ALL || jobs <= 0) {
        return;
    }
    if (c->keep == MDL_DRAIN_KEEP_OLDEST) {
        now->inflow = jobs * fmax(0, 1 - (now->ready + now->delayed) / c->keys);
        w->out->work.superseded += jobs - now->inflow;
        return;
    }
    now->hazard += jobs / c->keys;
    if (!mdl_drain_eager(w->in, cls)) {
        return;
    }
    double stay = sq_fn_exp(-jobs / c->keys);
    w->out->work.superseded += (1 - stay) * (now->ready + now->delayed);
    now->ready *= stay;
    now->delayed *= stay;
    now->deferred *= stay;
    now->ready_affected *= stay;
    now->delayed_affected *= stay;
}

/* The part of a timer that falls due in this piece. Past its deadline it ends. */
static void piece_due_jobs(struct mdl_drain_walk *w, const struct mdl_drain_jobs *jobs, double part)
{
    struct mdl_drain_class_now *now = &w->cls[jobs->cls];
    struct mdl_drain_bucket b = { .count = jobs->count * part, .h0 = 0 };
    if (mdl_drain_eager(w->in, jobs->cls)) {
        b.count *= sq_fn_exp(-now->hazard);
        b.h0 = now->hazard;
    }
    b.deadline_s = jobs->deadline_s;
    b.cls = jobs->cls;
    b.affected = jobs->affected;
    b.dead = jobs->dead;
    b.failures = jobs->failures;
    now->delayed = fmax(0, now->delayed - b.count);
    if (jobs->deferred) {
        now->deferred = fmax(0, now->deferred - b.count);
    }
    if (jobs->affected) {
        now->delayed_affected = fmax(0, now->delayed_affected - b.count);
    }
    if (!b.dead && b.deadline_s < w->t0) {
        w->out->work.stale += b.count;
        return;
    }
    mdl_drain_fifo_add(w, &b);
}

/* A call from before ends, and fails: it goes back by the kernels. */
static void piece_due_failed(struct mdl_drain_walk *w, const struct mdl_drain_hand *h, double part)
{
    struct mdl_drain_class_now *now = &w->cls[h->cls];
    struct mdl_drain_bucket b = { .count = h->count * part, .deadline_s = h->deadline_s };
    b.cls = h->cls;
    b.affected = h->affected;
    b.failures = h->failures;
    now->delayed = fmax(0, now->delayed - b.count);
    now->delayed_affected = fmax(0, now->delayed_affected - (h->affected ? b.count : 0));
    mdl_drain_fail(w, &b, b.count);
}

static void piece_due(struct mdl_drain_walk *w)
{
    double second = floor(w->t0 + GRAIN);
    while (w->timer_end < w->timer_count && w->timers[w->timer_end].due_s < second + 1) {
        w->timer_end++;
    }
    double part = w->t1 - w->t0;
    for (size_t i = w->timer_next; i < w->timer_end; i++) {
        const struct mdl_drain_timer *timer = &w->timers[i];
        if (!timer->from_hand) {
            piece_due_jobs(w, &w->in->timers[timer->index], part);
            continue;
        }
        const struct mdl_drain_hand *h = &w->in->hands[timer->index];
        if (isinf(h->again_s)) {
            w->out->work.served += h->count * part;
            w->in_hand -= h->count * part;
            w->in_hand_affected -= h->affected ? h->count * part : 0;
            continue;
        }
        struct mdl_drain_jobs again = { .count = h->count, .cls = h->cls, .affected = h->affected };
        again.deadline_s = h->deadline_s;
        again.failures = h->failures + 1;
        if (!isnan(h->again_s)) {
            piece_due_jobs(w, &again, part);
            continue;
        }
        piece_due_failed(w, h, part);
    }
    mdl_drain_again_due(w, w->t1 + GRAIN >= second + 1);
    if (w->t1 + GRAIN >= second + 1) {
        w->timer_next = w->timer_end;
    }
}

/* Callers that outnumber what is served within the timeout get nothing: every call that is served
 * was given up before. Calls pile up inside until the servers have got warm enough. */
static bool piece_times_out(struct mdl_drain_walk *w, double backlog)
{
    const struct mdl_drain_input *in = w->in;
    double dt = w->t1 - w->t0, senders = backlog >= 1 ? w->capacity.callers : 0;
    double inside = fmax(w->in_flight, senders);
    double limit = in->service.overload_in_flight;
    double given_up =
        fmax(1, w->capacity.service_s / in->service.timeout_s); /* served all the same */
    if (in->service.dist != NULL && inside * given_up <= w->capacity.servers) {
        w->in_flight = 0; /* nobody waits: which share is late is known */
        w->overload_since = NAN;
        return false;
    }
    if (!(mdl_drain_latency(in, &w->capacity, inside) > in->service.timeout_s)) {
        w->in_flight = 0;
        w->overload_since = NAN;
        return false;
    }
    double gone = w->capacity.servers / w->capacity.service_s;
    w->in_flight = fmax(0, inside + (senders / in->service.timeout_s - gone) * dt);
    if (w->in_flight <= limit) {
        w->overload_since = NAN;
    } else if (isnan(w->overload_since)) {
        w->overload_since = w->t1;
    } else if (w->t1 - w->overload_since >= in->service.overload_for_s) {
        mdl_drain_phase_trip(w);
    }
    return true;
}

/* All calls are given up, and fail; where no job fails in this walk, none is made. */
static void piece_give_up(struct mdl_drain_walk *w)
{
    const struct mdl_drain_input *in = w->in;
    w->capacity.fail_share = w->capacity.late_share = 1;
    w->capacity.latency_s = in->service.timeout_s;
    w->capacity.calls_per_s =
        fmin(w->capacity.callers / in->service.timeout_s, in->gate.rate_per_s);
    if (w->again.failed == NULL) {
        w->capacity.calls_per_s = w->capacity.slots = 0;
    }
}

/* When the level crossed `line` in the piece; it went from `from` to `to` in a straight line up to
 * the share `bend` of the piece, and stayed there. */
static double piece_crossing(const struct mdl_drain_walk *w, double from, double to, double bend)
{
    double line = w->in->backlog_max;
    double share = from == to ? 0 : (from - line) / (from - to);
    return w->t0 + (w->t1 - w->t0) * bend * fmin(1, fmax(0, share));
}

/* Follows the definition of queue clear (SCENARIO §12.4). */
static void piece_mark_clear(struct mdl_drain_walk *w, double from, double to, double bend)
{
    double line = w->in->backlog_max;
    if (w->clear) {
        return;
    }
    if (to > line || w->capacity.down) {
        if (isnan(w->over_since)) {
            w->over_since = from > line ? w->t0 : piece_crossing(w, from, to, bend);
        }
        if (w->t1 - w->over_since >= MDL_DRAIN_BURST_S - GRAIN) {
            w->clear_at = NAN;
        }
        return;
    }
    w->over_since = NAN;
    if (isnan(w->clear_at)) {
        w->clear_at = from > line ? piece_crossing(w, from, to, bend) : w->t0;
    }
    w->clear = w->t1 - w->clear_at >= w->in->settle_s;
}

/* Which share of the piece the queue lasts when it was emptied: what stood there and what joins
 * evenly, against the capacity. */
static double piece_bend(const struct mdl_drain_walk *w, double stood, double joined)
{
    if (w->head < w->len || stood <= 0) {
        return 1;
    }
    double used = mdl_drain_used(w); /* on stood + joined */
    double on_joined = used * joined / (stood + joined);
    return on_joined < 1 ? fmin(1, (used - on_joined) / (1 - on_joined)) : 1;
}

/* Callers that were held and let go begin a call each at once, and the next ones at its end: half a
 * call more than their share of the time. */
static void walk_let_go(struct mdl_drain_walk *w)
{
    double more = w->in->whole != NULL ? mdl_drain_flight_released(w) / 2 / (w->t1 - w->t0) : 0;
    if (more > 0) {
        w->capacity.calls_per_s = fmax(
            w->capacity.calls_per_s, fmin(w->capacity.calls_per_s + more, w->in->gate.rate_per_s));
        w->capacity.slots += more * w->capacity.latency_s;
    }
}

static void walk_piece(struct mdl_drain_walk *w)
{
    double dt = w->t1 - w->t0;
    double before = walk_actionable(w), stood = 0, all = 0;
    mdl_drain_phase_begin(w);
    mdl_drain_fleet_step(w);
    if (w->in->service.contention != NULL) {
        w->known->service.slow = mdl_drain_slow(w->in, mdl_drain_ready(w));
    }
    w->capacity = mdl_drain_capacity_at(w->in, (w->t0 + w->t1) / 2, walk_in_hand(w));
    for (uint32_t i = 0; i < w->in->class_count; i++) {
        piece_overtake(w, i);
        stood += w->cls[i].ready;
    }
    piece_due(w);
    for (uint32_t i = 0; i < w->in->class_count; i++) {
        mdl_drain_fifo_arrive(w, i);
        all += w->cls[i].ready;
    }
    bool times_out = !w->capacity.down && piece_times_out(w, before);
    if (times_out) {
        piece_give_up(w);
    }
    walk_let_go(w);
    w->calls_all = w->calls_left = w->capacity.calls_per_s * dt;
    w->slots_all = w->slots_left = w->capacity.slots * dt;
    w->affected = walk_affected(w);
    mdl_drain_serve(w);
    mdl_drain_again_scatter(w, w->capacity.latency_s);
    double after = walk_actionable(w);
    double peak = fmax(before, after);
    w->out->peak_backlog = fmax(w->out->peak_backlog, peak);
    if (w->in->whole == NULL || w->t0 >= w->in->whole->t1_s) {
        piece_mark_clear(w, before, after, piece_bend(w, stood, all - stood));
        if (isnan(w->affected_done_at) && walk_affected(w) < MDL_DRAIN_NONE) {
            w->affected_done_at = w->t1 + mdl_drain_call_s(w);
        }
    }
    mdl_drain_phase_end(w);
}

static void walk_note(struct mdl_drain_walk *w)
{
    struct mdl_drain_track *track = w->track;
    double second = floor(w->t1 + GRAIN);
    if (track && w->t1 - second < GRAIN && track->len < track->size) {
        track->backlog[track->len++] = (float)walk_actionable(w);
    }
}

/* Whether it is no use to go on: nothing changes any more, and the queue does not shrink by a
 * hundredth of the arrivals (§12.4), or not within the horizon. */
static bool walk_hopeless(struct mdl_drain_walk *w, double steady)
{
    if (w->t1 < w->checked_at + LOOK_S) {
        return false;
    }
    double left = walk_left(w), slope = (left - w->checked) / (w->t1 - w->checked_at);
    bool first = w->checked_at <= 0;
    w->checked_at = w->t1;
    w->checked = left;
    if (first || w->t1 < steady + LOOK_S || w->timer_next < w->timer_count) {
        return false;
    }
    double last = 0;
    for (size_t i = 0; i < w->in->class_count; i++) {
        last += mdl_drain_class_rate(w->in, &w->in->classes[i], w->t1);
    }
    if (slope > -fmax(last / 100, 1e-6)) {
        bool grows = slope > last / 100;
        w->out->state = grows ? MDL_DRAIN_WILL_NOT : MDL_DRAIN_STALLED;
        w->out->reason = grows ? MDL_DRAIN_GROWS : w->out->reason;
        w->out->growth_per_s = grows ? slope : 0;
        return true;
    }
    w->out->state = MDL_DRAIN_STALLED;
    w->out->reason = MDL_DRAIN_HORIZON;
    return w->t1 - left / slope > MDL_DRAIN_HORIZON_S;
}

static bool walk_over(const struct mdl_drain_walk *w)
{
    if (w->in->whole != NULL) {
        return mdl_drain_phase_over(w);
    }
    return w->t1 >= MDL_DRAIN_HORIZON_S ||
           (w->clear && (w->in->clear_only || !isnan(w->affected_done_at)));
}

enum sq_status mdl_drain_walk_run(struct mdl_drain_walk *w)
{
    double steady = mdl_drain_steady_from(w->in);
    w->out->state = MDL_DRAIN_STALLED;
    w->out->reason = MDL_DRAIN_HORIZON;
    if (walk_actionable(w) <= w->in->backlog_max && w->in->whole == NULL) {
        w->clear_at = 0;
    }
    if (walk_affected(w) < MDL_DRAIN_NONE && w->in->whole == NULL) {
        w->affected_done_at = 0;
    }
    w->out->peak_backlog = walk_actionable(w);
    while (!walk_over(w)) {
        w->t0 = w->t1;
        double next = mdl_drain_next_jump(w->in, w->t0);
        w->t1 = fmin(floor(w->t0 + GRAIN) + 1, next);
        w->t1 = w->phase.near ? fmin(w->t1, w->t0 + MDL_DRAIN_FINE_S) : w->t1;
        walk_piece(w);
        walk_note(w);
        if (w->no_memory) {
            return SQ_NOMEM;
        }
        if (w->in->whole != NULL && w->in->whole->stop != NULL && w->in->whole->stop()) {
            return SQ_STOPPED;
        }
        if (w->in->whole == NULL &&
            (w->out->state == MDL_DRAIN_RELAPSE || walk_hopeless(w, steady))) {
            break;
        }
    }
    w->clear = w->clear || (w->in->whole != NULL && !isnan(w->clear_at)); /* cut at the end */
    w->out->work.left = walk_left(w);
    w->out->awaited = mdl_drain_flight_calls(w);
    return SQ_OK;
}
