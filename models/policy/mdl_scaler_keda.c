/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scaler_keda.c - KEDA 2.20: ScaledObject and ScaledJob. */
#include "models/policy/mdl_scaler_in.h"

#include <math.h>

/* ---- ScaledObject: an HPA that leaves zero to KEDA's operator ----
 *
 * At a poll: active with a metric above `activation`. 0 -> 1 (or min) when active; n -> 0 when not
 * and `cooldown` has passed since it was last seen active, whatever the HPA's stabilisation says.
 * One that was never active does not wait. */

struct keda_state {
    sq_time_t last_active;
    bool was_active;
    /* the HPA's state follows, see hpa_of */
};

/* Behind the own one, aligned for anything. */
enum { HPA_OFFSET = (sizeof(struct keda_state) + 15) / 16 * 16 };

static void *hpa_of(void *state)
{
    return (char *)state + HPA_OFFSET;
}

size_t mdl_keda_state_size(const void *cfg)
{
    return HPA_OFFSET + mdl_hpa_state_size(cfg);
}

int64_t mdl_keda_decide(const void *cfg, void *state, const struct mdl_scaler_view *v)
{
    const struct mdl_hpa *h = cfg;
    return mdl_hpa_decide_from(h, hpa_of(state), v, sq_max_i64(h->common.min, 1));
}

sq_time_t mdl_keda_poll(const void *cfg)
{
    return ((const struct mdl_hpa *)cfg)->poll;
}

int64_t mdl_keda_decide_poll(const void *cfg, void *state, const struct mdl_scaler_view *v)
{
    const struct mdl_hpa *h = cfg;
    struct keda_state *s = state;
    if (v->metric > h->activation.value) { /* an unknown metric is not */
        s->last_active = v->now;
        s->was_active = true;
        bool held = v->gated && h->common.min == 0;
        return v->current == 0 && !held ? sq_max_i64(h->common.min, 1) : v->current;
    }
    bool cold = !s->was_active || sq_time_add(s->last_active, h->cooldown) < v->now;
    return h->common.min == 0 && cold ? 0 : v->current;
}

/* ---- ScaledJob: starts replicas that end with their work ----
 *
 * maxScale = min(max, ceil(metric / target)). Of the jobs that run, those of `min` do not count;
 * pending ones are not ready yet.
 *   default   creates maxScale - running
 *   accurate  max - running when maxScale + running - pending is above max, else maxScale - pending
 *   eager     min(max - running - pending, maxScale)
 * never more than ceil(metric / target), and never takes one away. */

size_t mdl_jobs_state_size(const void *cfg)
{
    (void)cfg;
    return 1;
}

sq_time_t mdl_jobs_period(const void *cfg)
{
    return ((const struct mdl_jobs *)cfg)->poll;
}

static int64_t effective(const struct mdl_jobs *j, int64_t max_scale, int64_t running,
                         int64_t pending)
{
    int64_t max = j->common.max;
    if (j->strategy == MDL_JOBS_ACCURATE) {
        return max_scale + running - pending > max ? max - running : max_scale - pending;
    }
    if (j->strategy == MDL_JOBS_EAGER) {
        return sq_min_i64(max - running - pending, max_scale);
    }
    return max_scale - running;
}

int64_t mdl_jobs_decide(const void *cfg, void *state, const struct mdl_scaler_view *v)
{
    (void)state;
    const struct mdl_jobs *j = cfg;
    if (v->current < j->common.min) {
        return j->common.min;
    }
    if (isnan(v->metric) || v->gated) {
        return v->current;
    }
    double wanted = ceil(v->metric / j->common.target.value);
    int64_t most = (int64_t)fmin(wanted, (double)j->common.max);
    int64_t create = effective(j, most, v->current - j->common.min, v->current - v->ready);
    create = sq_min_i64(create, (int64_t)fmin(wanted, 1e12));
    create = sq_min_i64(create, j->common.max - v->current);
    return v->current + sq_max_i64(create, 0);
}
