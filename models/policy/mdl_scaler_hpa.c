/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scaler_hpa.c - Kubernetes HPA v2 (autoscaling/v2, controller of Kubernetes 1.3x).
 *
 *   AverageValue  ratio = total / (target * current); inside the tolerance: keep; else
 *                 ceil(total / target)
 *   Value         ratio = value / target; inside the tolerance: keep; else ceil(ratio * ready)
 *   utilisation   a metric of the pods: ratio = mean over the ready ones / target; while some are
 *                 not ready and the ratio is above 1 they count as idle; inside the tolerance, or
 *                 when that turns the direction: keep; else ceil(ratio * pods counted)
 *
 * then stabilisation (the lowest recommendation of the up window, the highest of the down window;
 * entries strictly younger than the window count; the count found at the first look is the first
 * one) and the rate policies (changes strictly younger than `every` count). A count outside [min,
 * max] goes to the bound at once; an unknown metric changes nothing. */
#include "models/policy/mdl_scaler_in.h"

#include <math.h>

/* Rings of (time, number) pairs; they live in the state after struct hpa_state. */
struct entry {
    sq_time_t at;
    int64_t value;
};
struct hpa_state {
    uint32_t rec_count, change_count; /* entries ever written */
    struct entry entries[];           /* `room` recommendations, then `room` changes */
};

static sq_time_t longest(const struct mdl_scale_limits *d)
{
    sq_time_t most = d->stabilise;
    for (size_t i = 0; i < d->policies.count; i++) {
        const struct mdl_scale_policy *p = sq_list_at(&d->policies, i);
        most = sq_max_i64(most, p->every);
    }
    return most;
}

/* Entries that can still matter: one per sync within the longest window. */
static uint32_t room(const struct mdl_hpa *h)
{
    sq_time_t window = sq_max_i64(longest(h->up), longest(h->down));
    return (uint32_t)sq_min_i64(window / h->sync + 2, 1 << 20);
}

size_t mdl_hpa_state_size(const void *cfg)
{
    return sizeof(struct hpa_state) + 2 * (size_t)room(cfg) * sizeof(struct entry);
}

sq_time_t mdl_hpa_period(const void *cfg)
{
    return ((const struct mdl_hpa *)cfg)->sync;
}

static void note(struct entry *ring, uint32_t size, uint32_t *count, sq_time_t at, int64_t value)
{
    ring[*count % size] = (struct entry){ at, value };
    ++*count;
}

/* ---- from the metric to a proposal ---- */

static bool is_close(const struct mdl_hpa *h, double ratio)
{
    return fabs(1 - ratio) <= h->tolerance;
}

static int64_t propose_by_pods(const struct mdl_hpa *h, const struct mdl_scaler_view *v)
{
    double ratio = v->metric / h->common.target.value;
    int64_t starting = v->current - v->ready;
    if (starting <= 0 || ratio <= 1) {
        return is_close(h, ratio) ? v->current : (int64_t)ceil(ratio * (double)v->ready);
    }
    double with_all = ratio * (double)v->ready / (double)v->current;
    int64_t want = (int64_t)ceil(with_all * (double)v->current);
    bool turned = with_all < 1 || want < v->current;
    return is_close(h, with_all) || turned ? v->current : want;
}

static int64_t propose(const struct mdl_hpa *h, const struct mdl_scaler_view *v)
{
    double target = h->common.target.value;
    if (h->target_type == MDL_TARGET_AVERAGE) {
        if (h->common.metric == MDL_METRIC_UTILISATION) {
            return propose_by_pods(h, v);
        }
        double ratio = v->metric / (target * (double)v->current);
        return is_close(h, ratio) ? v->current : (int64_t)ceil(v->metric / target);
    }
    double ratio = v->metric / target;
    return is_close(h, ratio) ? v->current : (int64_t)ceil(ratio * (double)v->ready);
}

/* ---- stabilisation and rate policies ---- */

static int64_t stabilise(const struct mdl_hpa *h, struct hpa_state *s, sq_time_t now, int64_t raw,
                         int64_t current)
{
    int64_t up = raw, down = raw;
    uint32_t size = room(h), count = s->rec_count < size ? s->rec_count : size;
    for (uint32_t i = 0; i < count; i++) {
        const struct entry *e = &s->entries[i];
        if (e->at > now - h->up->stabilise && e->value < up) {
            up = e->value;
        }
        if (e->at > now - h->down->stabilise && e->value > down) {
            down = e->value;
        }
    }
    note(s->entries, size, &s->rec_count, now, raw);
    int64_t result = current < up ? up : current;
    return result > down ? down : result;
}

/* Replicas added (sign 1) or removed (sign -1) strictly within the last `every`. */
static int64_t changed(const struct mdl_hpa *h, const struct hpa_state *s, sq_time_t now,
                       sq_time_t every, int sign)
{
    uint32_t size = room(h), count = s->change_count < size ? s->change_count : size;
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct entry *e = &s->entries[size + i];
        if (e->at > now - every && e->value * sign > 0) {
            sum += e->value * sign;
        }
    }
    return sum;
}

static int64_t bound_up(const struct mdl_scale_policy *p, int64_t start)
{
    return p->pods >= 0 ? start + p->pods : (int64_t)ceil((double)start * (1 + p->percent));
}

static int64_t bound_down(const struct mdl_scale_policy *p, int64_t start)
{
    return p->pods >= 0 ? start - p->pods : (int64_t)((double)start * (1 - p->percent));
}

/* The furthest that the policies of a direction allow. */
static int64_t limit(const struct mdl_hpa *h, const struct hpa_state *s,
                     const struct mdl_scaler_view *v, bool rising)
{
    const struct mdl_scale_limits *d = rising ? h->up : h->down;
    if (d->select == MDL_SELECT_DISABLED) {
        return v->current;
    }
    bool widest = d->select == MDL_SELECT_MAX;
    int64_t best = v->current;
    for (size_t i = 0; i < d->policies.count; i++) {
        const struct mdl_scale_policy *p = sq_list_at(&d->policies, i);
        int64_t added = changed(h, s, v->now, p->every, 1);
        int64_t removed = changed(h, s, v->now, p->every, -1);
        int64_t start = rising ? v->current - added : v->current + removed;
        int64_t to = rising ? bound_up(p, start) : bound_down(p, start);
        bool further = rising == widest ? to > best : to < best;
        best = i == 0 || further ? to : best;
    }
    return best;
}

/* What the limits leave of the wish. */
static int64_t restrain(const struct mdl_hpa *h, const struct hpa_state *s,
                        const struct mdl_scaler_view *v, int64_t want, int64_t min)
{
    if (want > v->current) {
        int64_t top = sq_max_i64(limit(h, s, v, true), v->current);
        want = v->gated ? v->current : sq_min_i64(want, top);
        return sq_min_i64(want, h->common.max);
    }
    if (want < v->current) {
        int64_t floor = sq_min_i64(limit(h, s, v, false), v->current);
        return sq_max_i64(sq_max_i64(want, floor), min);
    }
    return want;
}

int64_t mdl_hpa_decide_from(const struct mdl_hpa *h, void *state, const struct mdl_scaler_view *v,
                            int64_t min)
{
    struct hpa_state *s = state;
    if (s->rec_count == 0) { /* the controller starts with what it finds as a recommendation */
        note(s->entries, room(h), &s->rec_count, v->now, v->current);
    }
    if (v->current == 0) {
        return 0; /* scaled to zero: the HPA is off */
    }
    if (v->current > h->common.max || v->current < min) {
        return v->current > h->common.max ? h->common.max : min;
    }
    if (isnan(v->metric)) {
        return v->current;
    }
    int64_t raw = propose(h, v);
    int64_t want = restrain(h, s, v, stabilise(h, s, v->now, raw, v->current), min);
    if (want != v->current) {
        note(s->entries + room(h), room(h), &s->change_count, v->now, want - v->current);
    }
    return want;
}

int64_t mdl_hpa_decide(const void *cfg, void *state, const struct mdl_scaler_view *v)
{
    const struct mdl_hpa *h = cfg;
    return mdl_hpa_decide_from(h, state, v, h->common.min);
}
