/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scaler_cloud.c - AWS target tracking and step scaling, Lambda on SQS; Celery's autoscale. */
#include "models/policy/mdl_scaler_in.h"

#include <math.h>
#include <string.h>

/* ---- target tracking ----
 *
 * Two alarms look at the metric once a period: above the target for `out_after` periods in a row,
 * below 90 % of it for `in_after`. A depth, arrivals and work processed are counted per replica in
 * service. While an alarm lasts, every period asks for ceil(existing * metric / target), unless the
 * last change in the same direction is less than its cooldown ago; growing ends the cooldown of
 * shrinking. */

struct tracking_state {
    int64_t above, below; /* periods in a row */
    sq_time_t out_at, in_at;
    bool was_out, was_in;
};

size_t mdl_tracking_state_size(const void *cfg)
{
    (void)cfg;
    return sizeof(struct tracking_state);
}

sq_time_t mdl_tracking_period(const void *cfg)
{
    return ((const struct mdl_tracking *)cfg)->period;
}

static double per_replica(const struct mdl_scaler_common *c, const struct mdl_scaler_view *v)
{
    bool whole = c->metric == MDL_METRIC_OLDEST || c->metric == MDL_METRIC_UTILISATION;
    return whole ? v->metric : v->metric / (double)sq_max_i64(v->ready, 1);
}

static int64_t track(const struct mdl_scaler_common *c, const struct mdl_scaler_view *v,
                     double metric)
{
    double want = (double)sq_max_i64(v->current, 1) * metric / c->target.value;
    return mdl_scaler_clamp(c, (int64_t)fmin(ceil(want), (double)c->max));
}

int64_t mdl_tracking_decide(const void *cfg, void *state, const struct mdl_scaler_view *v)
{
    const double low = 0.9;
    const struct mdl_tracking *t = cfg;
    struct tracking_state *s = state;
    double metric = per_replica(&t->common, v), target = t->common.target.value;
    s->above = metric > target ? s->above + 1 : 0; /* an unknown metric is neither */
    s->below = metric < low * target ? s->below + 1 : 0;
    int64_t bounded = mdl_scaler_clamp(&t->common, v->current);
    if (bounded != v->current || isnan(metric)) {
        return bounded;
    }
    int64_t want = track(&t->common, v, metric);
    bool out_cools = s->was_out && v->now - s->out_at < t->cooldown_out;
    bool in_cools = s->was_in && v->now - s->in_at < t->cooldown_in;
    if (s->above >= t->out_after && want > v->current && !out_cools && !v->gated) {
        s->out_at = v->now;
        s->was_out = true;
        s->was_in = false;
        return want;
    }
    if (s->below >= t->in_after && want < v->current && !in_cools) {
        s->in_at = v->now;
        s->was_in = true;
        return want;
    }
    return v->current;
}

/* ---- step scaling ----
 *
 * The change of the highest step that the metric has reached, at most once in `cooldown`. */

struct steps_state {
    sq_time_t at;
    bool acted;
};

size_t mdl_steps_state_size(const void *cfg)
{
    (void)cfg;
    return sizeof(struct steps_state);
}

sq_time_t mdl_steps_period(const void *cfg)
{
    return ((const struct mdl_steps *)cfg)->period;
}

int64_t mdl_steps_decide(const void *cfg, void *state, const struct mdl_scaler_view *v)
{
    const struct mdl_steps *c = cfg;
    struct steps_state *s = state;
    int64_t bounded = mdl_scaler_clamp(&c->common, v->current);
    if (bounded != v->current) {
        return bounded;
    }
    int64_t change = 0;
    for (size_t i = 0; i < c->steps.count; i++) {
        const struct mdl_step *step = sq_list_at(&c->steps, i);
        change = v->metric >= step->from.value ? step->change : change;
    }
    int64_t want = mdl_scaler_clamp(&c->common, v->current + change);
    bool cools = s->acted && v->now - s->at < c->cooldown;
    if (want == v->current || cools || (want > v->current && v->gated)) {
        return v->current;
    }
    *s = (struct steps_state){ v->now, true };
    return want;
}

/* ---- Lambda's pollers of an SQS queue ----
 *
 * While messages wait: at least `start` concurrent batches, then `add` more at every look. Nothing
 * waits: back to `start`. */

size_t mdl_lambda_state_size(const void *cfg)
{
    (void)cfg;
    return 1;
}

sq_time_t mdl_lambda_period(const void *cfg)
{
    return ((const struct mdl_lambda *)cfg)->every;
}

int64_t mdl_lambda_decide(const void *cfg, void *state, const struct mdl_scaler_view *v)
{
    (void)state;
    const struct mdl_lambda *l = cfg;
    int64_t want = sq_min_i64(v->current, l->start);
    if (v->metric > 0) {
        want = v->current < l->start ? l->start : v->current + l->add;
        want = v->gated ? v->current : want;
    }
    return mdl_scaler_clamp(&l->common, want);
}

/* ---- Celery's --autoscale=max,min ----
 *
 * Follows the tasks that one worker has reserved: grows at once to as many slots, shrinks only when
 * it last grew more than `keep` ago; one that never grew never shrinks. */

struct celery_state {
    sq_time_t grown_at;
    bool grew;
};

size_t mdl_celery_state_size(const void *cfg)
{
    (void)cfg;
    return sizeof(struct celery_state);
}

sq_time_t mdl_celery_period(const void *cfg)
{
    return ((const struct mdl_celery *)cfg)->keep;
}

int64_t mdl_celery_decide(const void *cfg, void *state, const struct mdl_scaler_view *v)
{
    const struct mdl_celery *c = cfg;
    struct celery_state *s = state;
    int64_t reserved = (int64_t)v->metric;
    if (sq_min_i64(reserved, c->common.max) > v->current) {
        *s = (struct celery_state){ v->now, true };
        return sq_min_i64(reserved, c->common.max);
    }
    int64_t least = sq_max_i64(reserved, c->common.min);
    bool kept = !s->grew || v->now - s->grown_at <= c->keep;
    return least < v->current && !kept ? least : v->current;
}
