/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_drain_rate.c - what the callers, the gate and the dependency can do at an instant, and when
 * that changes. */
#include "models/forecast/mdl_drain_priv.h"

#define GRAIN      1e-9  /* instants closer than a nanosecond are one */
#define ROUNDING   1e-9  /* servers: 0.3 x 40 is 12, not 13 */
#define SPIN_S     1e-3  /* a refusal takes at least so long: callers do not spin without end */
#define PATIENCE_S 600.0 /* trouble that lasts longer than so, once warm, has no end */

double mdl_drain_limit_at(const struct mdl_drain_input *in, double t)
{
    const struct mdl_drain_gate *g = &in->gate;
    if (t + GRAIN < g->shut_until_s) {
        return 0;
    }
    if (g->step_count == 0) {
        return g->limit;
    }
    double since = t - in->gate.ramp_from_s + GRAIN;
    size_t step = 0;
    if (since > 0) {
        double whole = floor(since / g->step_s);
        step = whole < (double)g->step_count ? (size_t)whole : g->step_count - 1;
    }
    return fmin(g->limit, g->steps[step]);
}

static double limit_jump(const struct mdl_drain_input *in, double t)
{
    const struct mdl_drain_gate *g = &in->gate;
    if (g->step_count < 2) {
        return INFINITY;
    }
    double from = in->gate.ramp_from_s;
    double step = fmax(1, floor((t - from + GRAIN) / g->step_s) + 1);
    return step < (double)g->step_count ? from + step * g->step_s : INFINITY;
}

static double warm_share(const struct mdl_drain_service *s, double t)
{
    double age = s->warm_age_s + t;
    if (s->warm_from >= 1 || age >= s->warm_over_s) {
        return 1;
    }
    double done = age / s->warm_over_s;
    if (s->warm_quarters) {
        done = floor(4 * done + GRAIN) / 4;
    }
    return s->warm_from + (1 - s->warm_from) * done;
}

/* ceil(share x servers) rises just after the share passes a whole server. */
static double warm_jump(const struct mdl_drain_service *s, double t)
{
    double age = s->warm_age_s + t;
    if (s->warm_from >= 1 || age + GRAIN >= s->warm_over_s) {
        return INFINITY;
    }
    if (s->warm_quarters) {
        double quarter = floor(4 * age / s->warm_over_s + GRAIN) + 1;
        return quarter * s->warm_over_s / 4 - s->warm_age_s;
    }
    if (s->warm_speed || isinf(s->servers)) {
        return s->warm_over_s - s->warm_age_s;
    }
    double per_server_s = s->warm_over_s / ((1 - s->warm_from) * s->servers);
    double first = s->warm_from * s->servers;
    double whole = floor(first + age / per_server_s + ROUNDING);
    double at = (whole - first) * per_server_s - s->warm_age_s;
    return at > t + GRAIN ? at : at + per_server_s;
}

static double slots_at(const struct mdl_drain_callers *c, double t)
{
    if (t >= c->grow_s) {
        return c->slots_max;
    }
    return c->slots_now + (c->slots_max - c->slots_now) * t / c->grow_s;
}

/* The share of services that take longer than x times the mean of the distribution as it is given;
 * `kept_s`: the mean of what is below it, when longer ones are cut there. */
static double share_above(const struct sq_dist *d, double x_s, double *kept_s)
{
    enum { POINTS = 64, HALVINGS = 48 };
    double low = 0, high = 1, sum = 0;
    for (int i = 0; i < HALVINGS; i++) {
        double u = (low + high) / 2;
        if (sq_time_to_s(sq_dist_at(d, u)) > x_s) {
            high = u;
        } else {
            low = u;
        }
    }
    double above = 1 - (low + high) / 2;
    if (above < 1e-12) {
        *kept_s = sq_dist_mean_s(d);
        return 0;
    }
    for (int i = 0; i < POINTS; i++) {
        sum += fmin(x_s, sq_time_to_s(sq_dist_at(d, (i + 0.5) / POINTS)));
    }
    *kept_s = above < 1e-3 ? sq_dist_mean_s(d) : sum / POINTS;
    return above;
}

double mdl_drain_slow(const struct mdl_drain_input *in, double ready)
{
    double hands = in->callers.slots_now;
    return mdl_contention_factor(in->service.contention, (int64_t)fmax(0, ready - hands));
}

struct mdl_drain_late mdl_drain_late(const struct mdl_drain_service *s, double factor)
{
    struct mdl_drain_late l = { 0, s->service_s * factor };
    if (s->dist != NULL && !isinf(s->timeout_s)) {
        double most = (s->timeout_s - s->network_s) / factor;
        l.share = most > 0 ? share_above(s->dist, most, &l.seen_s) : 1;
        l.seen_s = most > 0 ? fmin(l.seen_s * factor, s->service_s * factor) : 0;
    }
    return l;
}

/* What fails, and how long callers wait for an answer: no longer than their timeout. */
static void set_failures(const struct mdl_drain_input *in, struct mdl_drain_capacity *p)
{
    const struct mdl_drain_service *s = &in->service;
    double factor = p->service_s / s->service_s;
    struct mdl_drain_late l =
        factor > 1 || s->warm_late.seen_s <= 0 ? mdl_drain_late(s, factor) : s->warm_late;
    p->latency_s = l.seen_s + s->network_s;
    if (s->dist != NULL) {
        p->latency_s = fmin(p->latency_s, s->timeout_s);
    }
    p->late_share = l.share;
    p->fail_share = l.share + (1 - l.share) * s->error_share;
}

static void set_outage(const struct mdl_drain_input *in, const struct mdl_drain_outage *outage,
                       double t, struct mdl_drain_capacity *p)
{
    bool down = outage != NULL && outage->down;
    if (down || t < in->service.down_until_s) {
        p->down = true;
        p->latency_s = fmax(SPIN_S, down ? outage->answer_s : in->whole->down_answer_s);
        p->servers = INFINITY;
        p->fail_share = 1;
        p->late_share = 0;
    } else if (outage != NULL && outage->errors > 0) {
        p->fail_share += (1 - p->fail_share) * outage->errors;
        if (!isnan(outage->answer_s)) { /* told at once, instead of after the service */
            p->latency_s += outage->errors * (outage->answer_s - p->latency_s);
        }
    }
}

struct mdl_drain_capacity mdl_drain_capacity_at(const struct mdl_drain_input *in, double t,
                                                double in_hand)
{
    const struct mdl_drain_service *s = &in->service;
    double share = warm_share(s, t);
    struct mdl_drain_capacity p = { .servers = s->servers };
    p.slots = fmax(0, slots_at(&in->callers, t) - in_hand);
    p.service_s = s->service_s * s->slow;
    if (s->warm_speed) {
        p.service_s /= share;
    } else if (!isinf(s->servers)) {
        p.servers = ceil(share * s->servers - ROUNDING);
    }
    const struct mdl_drain_outage *outage = mdl_drain_outage_at(in, t);
    if (outage != NULL && !outage->down) {
        p.service_s *= outage->slow;
        p.servers = outage->servers < 1 ? fmax(1, floor(outage->servers * p.servers)) : p.servers;
    }
    set_failures(in, &p);
    set_outage(in, outage, t, &p);
    double limit = fmax(0, mdl_drain_limit_at(in, t) - in_hand);
    p.callers = fmin(limit, p.slots);
    double served = isinf(p.servers) ? INFINITY : p.servers / p.service_s;
    p.calls_per_s = fmin(fmin(limit / p.latency_s, served), in->gate.rate_per_s);
    return p;
}

struct mdl_drain_capacity mdl_drain_capacity_final(const struct mdl_drain_input *in)
{
    return mdl_drain_capacity_at(in, mdl_drain_steady_from(in) + 1, 0);
}

/* How many rows of the class's rates have begun at t. */
static size_t rows_begun(const struct mdl_drain_class *c, double t)
{
    size_t low = 0, high = c->rate_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (c->rates[mid].from_s <= t + GRAIN) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

double mdl_drain_next_jump(const struct mdl_drain_input *in, double t)
{
    double next = fmin(limit_jump(in, t), warm_jump(&in->service, t));
    next = fmin(next, mdl_drain_outages_jump(in, t));
    next = t + GRAIN < in->gate.shut_until_s ? fmin(next, in->gate.shut_until_s) : next;
    if (t + GRAIN < in->callers.grow_s) {
        next = fmin(next, in->callers.grow_s);
    }
    for (size_t i = 0; i < in->class_count; i++) {
        const struct mdl_drain_class *c = &in->classes[i];
        size_t row = rows_begun(c, t);
        if (row < c->rate_count) {
            next = fmin(next, c->rates[row].from_s);
        }
    }
    return in->arrivals_end_s > t + GRAIN ? fmin(next, in->arrivals_end_s) : next;
}

double mdl_drain_steady_from(const struct mdl_drain_input *in)
{
    double from = fmax(in->callers.grow_s, in->gate.shut_until_s);
    if (in->service.warm_from < 1) {
        from = fmax(from, in->service.warm_over_s - in->service.warm_age_s);
    }
    if (in->gate.step_count > 0 && !isinf(in->gate.ramp_from_s)) {
        from =
            fmax(from, in->gate.ramp_from_s + (double)(in->gate.step_count - 1) * in->gate.step_s);
    }
    for (size_t i = 0; i < in->class_count; i++) {
        const struct mdl_drain_class *c = &in->classes[i];
        if (c->rate_count > 0) {
            from = fmax(from, c->rates[c->rate_count - 1].from_s);
        }
    }
    return isinf(in->arrivals_end_s) ? from : fmax(from, in->arrivals_end_s);
}

double mdl_drain_latency(const struct mdl_drain_input *in, const struct mdl_drain_capacity *p,
                         double callers)
{
    double wait = isinf(p->servers) ? 1 : fmax(1, callers / p->servers);
    return in->service.network_s + p->service_s * wait;
}

static double warm_end(const struct mdl_drain_service *s)
{
    return s->warm_from < 1 ? s->warm_over_s - s->warm_age_s : 0;
}

double mdl_drain_one_more_call(double *row, double fails)
{
    int last = MDL_DRAIN_ROW - 1;
    double broken = 0, ends = row[last] * (1 - fails);
    for (int k = last; k >= 0; k--) {
        broken += row[k] * fails;
        row[k] = k > 0 ? row[k - 1] * (1 - fails) : 0;
    }
    row[0] = broken;
    return ends;
}

/* The bottom's calls go on until five in a row have succeeded, more likely than not. */
double mdl_drain_ramp_from(const struct mdl_drain_input *in)
{
    const struct mdl_drain_gate *g = &in->gate;
    if (g->step_count == 0 || !isnan(g->ramp_from_s)) {
        return g->ramp_from_s;
    }
    double bottom = fmax(1, g->steps[0]), row[MDL_DRAIN_ROW] = { 1 };
    double over = 0, t = g->shut_until_s, end = fmax(t, warm_end(&in->service)) + PATIENCE_S;
    while (over < 0.5 && t < end) {
        struct mdl_drain_capacity p = mdl_drain_capacity_at(in, t, 0);
        bool late = mdl_drain_latency(in, &p, bottom) > in->service.timeout_s;
        double fails = in->service.dist != NULL ? p.fail_share : (late ? 1 : 0);
        for (int k = 0; k < (int)bottom; k++) {
            over += mdl_drain_one_more_call(row, fails);
        }
        t += fmin(fmax(p.latency_s, GRAIN), in->service.timeout_s);
    }
    return over < 0.5 ? INFINITY : t;
}

double mdl_drain_class_rate(const struct mdl_drain_input *in, const struct mdl_drain_class *c,
                            double t)
{
    if (t + GRAIN >= in->arrivals_end_s) {
        return 0;
    }
    size_t row = rows_begun(c, t);
    return row > 0 ? c->rates[row - 1].per_s : 0;
}
