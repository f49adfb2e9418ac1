/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain.c - the drain forecast: checks of the input, the naive division, the verdict and its
 * words. The walk itself is in mdl_drain_walk.c. */
#include "models/forecast/mdl_drain_priv.h"

#include "sim/base/sq_mem.h"
#include "sim/base/sq_unit.h"

#include <stdlib.h>

static void check_jobs(const struct mdl_drain_input *in, const struct mdl_drain_jobs *jobs,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        SQ_ASSERT(jobs[i].cls < in->class_count);
        SQ_ASSERT(jobs[i].count >= 0);
        SQ_ASSERT(!isnan(jobs[i].deadline_s));
        SQ_ASSERT(!isnan(jobs[i].due_s));
    }
}

static void check_classes(const struct mdl_drain_input *in)
{
    for (size_t i = 0; i < in->class_count; i++) {
        const struct mdl_drain_class *c = &in->classes[i];
        SQ_ASSERT(c->deadline_s >= 0);
        SQ_ASSERT(c->calls_per_job >= 0);
        SQ_ASSERT(c->work_s >= 0);
        SQ_ASSERT(c->keep == MDL_DRAIN_KEEP_ALL || c->keys > 0);
        for (size_t k = 0; k < c->rate_count; k++) {
            SQ_ASSERT(c->rates[k].per_s >= 0);
            SQ_ASSERT(k == 0 || c->rates[k].from_s >= c->rates[k - 1].from_s);
        }
    }
}

static void check_gate(const struct mdl_drain_gate *g)
{
    SQ_ASSERT(g->limit >= 0);
    SQ_ASSERT(g->rate_per_s >= 0);
    SQ_ASSERT(g->step_count == 0 || g->step_s > 0);
    SQ_ASSERT(g->throttled == MDL_DRAIN_WAIT || g->delay_s > 0);
    for (size_t i = 0; i < g->step_count; i++) {
        SQ_ASSERT(g->steps[i] >= 0);
    }
}

static void check_input(const struct mdl_drain_input *in)
{
    const struct mdl_drain_service *s = &in->service;
    check_classes(in);
    check_gate(&in->gate);
    check_jobs(in, in->ready, in->ready_count);
    check_jobs(in, in->timers, in->timer_count);
    for (size_t i = 0; i < in->hand_count; i++) {
        SQ_ASSERT(in->hands[i].cls < in->class_count);
        SQ_ASSERT(in->hands[i].count >= 0);
        SQ_ASSERT(in->hands[i].ends_s >= 0);
        SQ_ASSERT(!(in->hands[i].again_s < in->hands[i].ends_s));
    }
    SQ_ASSERT(s->servers >= 0);
    SQ_ASSERT(s->service_s >= 0);
    SQ_ASSERT(s->network_s >= 0);
    SQ_ASSERT(s->service_s + s->network_s > 0);
    SQ_ASSERT(s->timeout_s > 0);
    SQ_ASSERT(s->warm_from >= 1 || s->warm_from > 0);
    SQ_ASSERT(s->warm_from >= 1 || s->warm_over_s >= 0);
    SQ_ASSERT(in->callers.slots_now >= 0);
    SQ_ASSERT(in->callers.slots_max >= 0);
    SQ_ASSERT(in->callers.grow_s >= 0);
    SQ_ASSERT(in->backlog_max >= 0);
    SQ_ASSERT(in->settle_s >= 0);
}

/* The mix of classes a figure is a mean of: by arrivals, else by what stands there. */
struct mix {
    double jobs, calls, work_s;
};

static void mix_add(struct mix *m, const struct mdl_drain_class *c, double jobs)
{
    m->jobs += jobs;
    m->calls += jobs * c->calls_per_job;
    m->work_s += jobs * c->work_s;
}

/* Mean arrival rate of a class from now until arrivals end; the last one when they never do. */
static double mean_rate(const struct mdl_drain_input *in, const struct mdl_drain_class *c)
{
    double end = in->arrivals_end_s, sum = 0;
    if (c->rate_count == 0 || end <= 0) {
        return 0;
    }
    if (isinf(end)) {
        return c->rates[c->rate_count - 1].per_s;
    }
    for (size_t k = 0; k < c->rate_count; k++) {
        double from = fmax(0, c->rates[k].from_s);
        double until = k + 1 < c->rate_count ? fmax(0, c->rates[k + 1].from_s) : end;
        sum += c->rates[k].per_s * fmax(0, fmin(until, end) - from);
    }
    return sum / end;
}

static bool counts_as_backlog(const struct mdl_drain_jobs *jobs)
{
    return jobs->deadline_s >= 0 && !jobs->dead;
}

static struct mix backlog_mix(const struct mdl_drain_input *in)
{
    struct mix m = { 0 };
    for (size_t i = 0; i < in->ready_count; i++) {
        if (counts_as_backlog(&in->ready[i])) {
            mix_add(&m, &in->classes[in->ready[i].cls], in->ready[i].count);
        }
    }
    for (size_t i = 0; i < in->timer_count; i++) {
        if (counts_as_backlog(&in->timers[i])) {
            mix_add(&m, &in->classes[in->timers[i].cls], in->timers[i].count);
        }
    }
    for (size_t i = 0; i < in->hand_count; i++) {
        if (in->hands[i].deadline_s >= 0) {
            mix_add(&m, &in->classes[in->hands[i].cls], in->hands[i].count);
        }
    }
    return m;
}

/* SCENARIO §13, forecast.naive_s. */
static void naive(const struct mdl_drain_input *in, const struct mdl_drain_capacity *p,
                  struct mdl_drain_result *out)
{
    struct mix backlog = backlog_mix(in), arrivals = { 0 };
    for (size_t i = 0; i < in->class_count; i++) {
        mix_add(&arrivals, &in->classes[i], mean_rate(in, &in->classes[i]));
    }
    const struct mix *m = arrivals.jobs > 0 ? &arrivals : &backlog;
    double calls = m->jobs > 0 ? m->calls / m->jobs : 1;
    double slot_s = calls * p->latency_s + (m->jobs > 0 ? m->work_s / m->jobs : 0);
    double by_slots = slot_s > 0 ? p->slots / slot_s : INFINITY;
    out->capacity_per_s = fmin(calls > 0 ? p->calls_per_s / calls : INFINITY, by_slots);
    out->arrivals_per_s = arrivals.jobs;
    out->naive_backlog = backlog.jobs;
    if (out->capacity_per_s > arrivals.jobs) {
        out->naive_s = backlog.jobs / (out->capacity_per_s - arrivals.jobs);
    }
}

static int timer_order(const void *a, const void *b)
{
    const struct mdl_drain_timer *x = a, *y = b;
    if (x->due_s != y->due_s) {
        return x->due_s < y->due_s ? -1 : 1;
    }
    if (x->from_hand != y->from_hand) {
        return x->from_hand ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Puts those of one kind into their places: `next` is the first free one of each second. */
static void place_timers(const struct mdl_drain_walk *w, bool from_hand, size_t *next,
                         struct mdl_drain_timer *sorted)
{
    for (size_t i = 0; i < w->timer_count; i++) {
        if (w->timers[i].from_hand == from_hand) {
            sorted[next[(size_t)w->timers[i].due_s]++] = w->timers[i];
        }
    }
}

/* By timer_order: they stand in order of their index already, so that their seconds are counted
 * where these are few. */
static enum sq_status order_timers(struct mdl_drain_walk *w)
{
    double last = 0;
    for (size_t i = 0; i < w->timer_count; i++) {
        last = fmax(last, w->timers[i].due_s);
    }
    if (w->timer_count == 0) {
        return SQ_OK;
    }
    if (!(last < 4.0 * (double)w->timer_count)) {
        qsort(w->timers, w->timer_count, sizeof(w->timers[0]), timer_order);
        return SQ_OK;
    }
    size_t *next = sq_arena_alloc(w->memory, (size_t)last + 2, sizeof(*next));
    struct mdl_drain_timer *sorted = sq_arena_alloc(w->memory, w->timer_count, sizeof(*sorted));
    if (next == NULL || sorted == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < w->timer_count; i++) {
        next[(size_t)w->timers[i].due_s + 1]++;
    }
    for (size_t s = 1; s < (size_t)last + 2; s++) {
        next[s] += next[s - 1];
    }
    place_timers(w, true, next, sorted);
    place_timers(w, false, next, sorted);
    w->timers = sorted;
    return SQ_OK;
}

static void start_delayed(struct mdl_drain_walk *w, uint32_t cls, bool affected, double count)
{
    w->cls[cls].delayed += count;
    w->cls[cls].delayed_affected += affected ? count : 0;
    w->out->work.backlog += count;
}

static enum sq_status start_timers(struct mdl_drain_walk *w)
{
    const struct mdl_drain_input *in = w->in;
    for (size_t i = 0; i < in->timer_count; i++) {
        const struct mdl_drain_jobs *jobs = &in->timers[i];
        start_delayed(w, jobs->cls, jobs->affected, jobs->count);
        w->cls[jobs->cls].deferred += jobs->deferred ? jobs->count : 0;
        w->timers[w->timer_count++] = (struct mdl_drain_timer){ floor(jobs->due_s), i, false };
    }
    for (size_t i = 0; i < in->hand_count; i++) {
        const struct mdl_drain_hand *h = &in->hands[i];
        w->hands_end = fmax(w->hands_end, h->ends_s);
        double due = isfinite(h->again_s) ? h->again_s : h->ends_s;
        w->timers[w->timer_count++] = (struct mdl_drain_timer){ floor(due), i, true };
        if (!isinf(h->again_s)) {
            start_delayed(w, h->cls, h->affected, h->count);
            continue;
        }
        w->out->work.backlog += h->count;
        w->in_hand += h->count;
        w->in_hand_affected += h->affected ? h->count : 0;
    }
    return order_timers(w);
}

static enum sq_status plan(struct mdl_drain_walk *w)
{
    const struct mdl_drain_input *in = w->in;
    w->cls = sq_arena_alloc(w->memory, in->class_count + 1, sizeof(w->cls[0]));
    w->timers =
        sq_arena_alloc(w->memory, in->timer_count + in->hand_count + 1, sizeof(w->timers[0]));
    if (!w->cls || !w->timers) {
        return SQ_NOMEM;
    }
    w->affected_done_at = w->clear_at = w->over_since = w->overload_since = NAN;
    if (mdl_drain_again_init(w) != SQ_OK || mdl_drain_fleet_init(w) != SQ_OK ||
        mdl_drain_phase_init(w) != SQ_OK || mdl_drain_flight_init(w) != SQ_OK) {
        return SQ_NOMEM;
    }
    if (start_timers(w) != SQ_OK) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < in->ready_count; i++) {
        const struct mdl_drain_jobs *jobs = &in->ready[i];
        struct mdl_drain_bucket b = { .count = jobs->count, .deadline_s = jobs->deadline_s };
        b.cls = jobs->cls;
        b.affected = jobs->affected;
        b.dead = jobs->dead;
        b.failures = jobs->failures;
        w->out->work.backlog += jobs->count;
        mdl_drain_fifo_add(w, &b);
    }
    return w->no_memory ? SQ_NOMEM : mdl_drain_walk_run(w);
}

/* Turns what the walk found into state and reason. */
static void judge(const struct mdl_drain_walk *w)
{
    const struct mdl_drain_input *in = w->in;
    struct mdl_drain_result *out = w->out;
    if (out->state == MDL_DRAIN_RELAPSE) {
        out->reason = MDL_DRAIN_OVERLOAD;
        out->naive_s = NAN;
        return;
    }
    out->planned_last_job_s = w->affected_done_at;
    if (w->clear) {
        out->state = MDL_DRAIN_CLEARS;
        out->reason = MDL_DRAIN_FINE;
        out->planned_s = w->clear_at;
        return;
    }
    if (out->callers <= 0 || out->capacity_per_s <= 0) {
        out->reason = MDL_DRAIN_IDLE;
    } else if (out->latency_s > in->service.timeout_s) {
        out->reason = MDL_DRAIN_TIMEOUTS;
    } else if (out->excess_per_s > 0) {
        out->reason = MDL_DRAIN_ARRIVALS;
        if (out->excess_per_s > out->arrivals_per_s / 100) {
            out->state = MDL_DRAIN_WILL_NOT;
        }
    } else if (out->reason != MDL_DRAIN_GROWS) {
        out->state = MDL_DRAIN_STALLED;
    }
}

/* As many callers as trip the overload rule, now or when all slots are there. */
static bool trips(const struct mdl_drain_input *in, struct mdl_drain_result *out)
{
    struct mdl_drain_capacity now = mdl_drain_capacity_at(in, 0, 0);
    out->overload_in_flight = in->service.overload_in_flight;
    if (!(fmax(now.callers, out->callers) > in->service.overload_in_flight)) {
        return false;
    }
    out->callers = fmax(now.callers, out->callers);
    out->relapse_s = in->service.overload_for_s;
    out->state = MDL_DRAIN_RELAPSE;
    out->reason = MDL_DRAIN_OVERLOAD;
    out->naive_s = NAN;
    return true;
}

static double start_slow(const struct mdl_drain_input *in)
{
    double ready = 0;
    for (size_t i = 0; i < in->ready_count; i++) {
        ready += in->ready[i].count;
    }
    return in->service.contention != NULL ? mdl_drain_slow(in, ready) : 1;
}

enum sq_status mdl_drain(const struct mdl_drain_input *given, struct mdl_drain_track *track,
                         struct mdl_drain_result *out)
{
    check_input(given);
    struct mdl_drain_input known = *given;
    const struct mdl_drain_input *in = &known;
    known.service.slow = start_slow(given);
    known.service.warm_late = mdl_drain_late(&known.service, 1);
    known.gate.ramp_from_s = in->whole != NULL ? 0 : mdl_drain_ramp_from(in);
    struct mdl_drain_result r = { .naive_s = NAN, .planned_s = NAN, .planned_last_job_s = NAN };
    struct mdl_drain_capacity p = mdl_drain_capacity_final(in);
    r.relapse_s = NAN;
    r.callers = p.callers;
    r.latency_s = mdl_drain_latency(in, &p, p.callers);
    naive(in, &p, &r);
    double last = 0;
    for (size_t i = 0; i < in->class_count; i++) {
        const struct mdl_drain_class *c = &in->classes[i];
        last += c->rate_count > 0 ? c->rates[c->rate_count - 1].per_s : 0;
    }
    r.excess_per_s = last - r.capacity_per_s;
    if (track) {
        track->len = 0;
    }
    enum sq_status status = SQ_OK;
    if (in->whole != NULL || !trips(in, &r)) {
        struct sq_arena own = { 0 };
        struct mdl_drain_walk w = { .memory = in->memory != NULL ? in->memory : &own,
                                    .in = in,
                                    .known = &known,
                                    .out = &r,
                                    .track = track };
        status = plan(&w);
        if (status == SQ_OK) {
            judge(&w);
        }
        sq_arena_fini(&own);
    }
    if (status == SQ_OK) {
        *out = r;
    }
    return status;
}

const char *mdl_drain_word(enum mdl_drain_state state)
{
    switch (state) {
    case MDL_DRAIN_CLEARS:
        return "clears";
    case MDL_DRAIN_STALLED:
        return "stalled";
    case MDL_DRAIN_WILL_NOT:
        return "will not drain";
    case MDL_DRAIN_RELAPSE:
        return "would relapse";
    }
    SQ_ASSERT(false);
    return "";
}

static void say_callers(const struct mdl_drain_result *r, struct sq_buf *b)
{
    sq_buf_puts(b, ": ");
    sq_buf_number(b, r->callers, 3);
    sq_buf_puts(b, " callers at once");
}

void mdl_drain_say(const struct mdl_drain_result *r, struct sq_buf *b)
{
    sq_buf_puts(b, mdl_drain_word(r->state));
    switch (r->reason) {
    case MDL_DRAIN_FINE:
        sq_buf_puts(b, r->planned_s > 0 ? " in " : " at once");
        if (r->planned_s > 0) {
            sq_unit_put_span(b, r->planned_s);
        }
        return;
    case MDL_DRAIN_ARRIVALS:
        sq_buf_puts(b, ": arrivals exceed capacity by ");
        sq_buf_number(b, r->excess_per_s, 3);
        sq_buf_puts(b, "/s");
        return;
    case MDL_DRAIN_TIMEOUTS:
        say_callers(r, b);
        sq_buf_puts(b, " make a call take ");
        sq_unit_put_span(b, r->latency_s);
        sq_buf_puts(b, ", longer than its timeout");
        return;
    case MDL_DRAIN_OVERLOAD:
        say_callers(r, b);
        sq_buf_puts(b, r->callers > r->overload_in_flight ? ", more than "
                                                          : " time out, and more than ");
        sq_buf_number(b, r->overload_in_flight, 9);
        sq_buf_puts(b, " calls inside take the dependency down");
        return;
    case MDL_DRAIN_IDLE:
        sq_buf_puts(b, ": no call can be made");
        return;
    case MDL_DRAIN_HORIZON:
        sq_buf_puts(b, ": it would take longer than 30 days");
        return;
    case MDL_DRAIN_GROWS:
        sq_buf_puts(b, ": calls that fail and come back make it grow by ");
        sq_buf_number(b, r->growth_per_s, 3);
        sq_buf_puts(b, "/s");
        return;
    }
}
