/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_moments_scaling.c - wording of what autoscalers do, and why. */
#include "models/mdl_moments.h"

#include "models/policy/mdl_scaler.h"
#include "sim/base/sq_unit.h"

#include <math.h>

static const struct mdl_autoscaler *scaler_of(const struct mdl_probe *p, uint16_t pool)
{
    for (size_t i = 0; i < p->world->scaler_count; i++) {
        if (p->world->scalers[i].pool == pool) {
            return &p->world->scalers[i];
        }
    }
    return NULL;
}

/* 9750 as 9,750. */
static void put_grouped(struct sq_buf *b, double n)
{
    struct sq_buf digits = { 0 };
    sq_buf_number(&digits, round(n), 15);
    for (size_t i = 0; i < digits.len; i++) {
        if (i > 0 && (digits.len - i) % 3 == 0) {
            sq_buf_putc(b, ',');
        }
        sq_buf_putc(b, digits.text[i]);
    }
    b->failed = b->failed || digits.failed;
    sq_buf_fini(&digits);
}

/* What the autoscaler saw: the reason of the change. */
static void put_reason(struct sq_buf *b, enum mdl_metric metric, double seen, bool pool)
{
    if (isnan(seen)) {
        return;
    }
    sq_buf_printf(b, ": ");
    if (metric == MDL_METRIC_OLDEST) {
        sq_buf_printf(b, "the oldest job is ");
        sq_unit_put_span(b, seen);
        sq_buf_printf(b, " old");
        return;
    }
    put_grouped(b, metric == MDL_METRIC_UTILISATION ? 100 * seen : seen);
    static const char *const unit[] = { [MDL_METRIC_DEPTH] = " jobs in sight",
                                        [MDL_METRIC_ARRIVALS] = " jobs per second arrive",
                                        [MDL_METRIC_PROCESSED] = " attempts end per second",
                                        [MDL_METRIC_UTILISATION] = " % of its slots are busy" };
    static const char *const of_nodes[] = { [MDL_METRIC_DEPTH] = " calls in sight",
                                            [MDL_METRIC_ARRIVALS] = " calls per second come",
                                            [MDL_METRIC_PROCESSED] = " calls end per second",
                                            [MDL_METRIC_UTILISATION] =
                                                " % of its servers are busy" };
    sq_buf_printf(b, "%s", pool ? unit[metric] : of_nodes[metric]);
}

static const char *bound(const struct mdl_scaler_common *c, int64_t wanted)
{
    return wanted == c->max ? ", its max" : wanted == c->min ? ", its min" : "";
}

void mdl_moments_wanted(struct mdl_probe *p, const struct mdl_rec *r, struct sq_moment m)
{
    const struct mdl_actor *actor = &p->actors[r->entity];
    bool pool = actor->section == MDL_SEC_POOL;
    int64_t existing = pool ? p->world->pools[actor->index].existing.now
                            : p->world->dependencies[actor->index].existing.now;
    const struct mdl_autoscaler *a = scaler_of(p, r->entity);
    struct sq_buf b = { 0 };
    bool own = a != NULL && a->looked == mdl_now(&p->world->ctx); /* and no action's doing */
    sq_buf_printf(&b, "%s scale%s%s from %lld to %lld %s", m.entity, pool ? "" : "s",
                  r->value > existing ? " up" : " down", (long long)existing, (long long)r->value,
                  pool ? "replicas" : "nodes");
    if (own) {
        const struct mdl_scaler_common *c = mdl_scaler_common(a->cfg);
        sq_buf_printf(&b, "%s", bound(c, r->value));
        put_reason(&b, (enum mdl_metric)c->metric, a->seen, pool);
    }
    p->failed = p->failed || b.failed;
    mdl_probe_tell(p, m, "%s", b.failed ? m.entity : b.text);
    sq_buf_fini(&b);
}

void mdl_moments_gate(struct mdl_probe *p, const struct mdl_rec *r, struct sq_moment m)
{
    const struct mdl_autoscaler *a = scaler_of(p, r->entity);
    const struct mdl_scaler_gate *gate = mdl_scaler_common(a->cfg)->gate;
    struct sq_buf share = { 0 };
    sq_unit_put_ratio(&share, gate->utilisation);
    m.until_ns = SQ_NEVER;
    p->failed = p->failed || share.failed;
    mdl_probe_tell(p, m, "%s may not scale up: %s is %lld %% busy, more than %s", m.entity,
                   gate->dependency.name, (long long)(r->value / 10000),
                   share.failed ? "allowed" : share.text);
    sq_buf_fini(&share);
}
