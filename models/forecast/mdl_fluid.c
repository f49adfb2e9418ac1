/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_fluid.c - a world that has not begun, as input of the walk. */
#include "models/forecast/mdl_fluid.h"

#include "models/forecast/mdl_plan_in.h"
#include "models/mdl_probe.h"
#include "models/policy/mdl_ramp.h"

/* Of a queue that counts as clear, at the least (SCENARIO §2); without luck a baseline has none. */
#define LEAST_BACKLOG 20.0

struct fluid {
    struct mdl_plan plan;
    struct mdl_drain_whole whole;
    struct mdl_drain_outage *outages;
    struct mdl_drain_jobs *backlog;
};

static double answer_s(const struct mdl_plan *p, sq_time_t own)
{
    return sq_time_to_s(own != SQ_NEVER ? own : p->dep->cfg->answer_in);
}

static struct mdl_drain_outage outage_of(const struct mdl_plan *p, size_t i)
{
    const struct sq_list *outages = &p->dep->cfg->outages;
    const struct mdl_outage_cfg *o = mdl_outage_at(outages, i);
    enum mdl_outage_kind kind = mdl_outage_kind(outages, i);
    double amount = mdl_outage_amount(outages, i);
    struct mdl_drain_outage s = { .from_s = sq_time_to_s(o->at),
                                  .until_s = sq_time_to_s(mdl_outage_over(o)),
                                  .down = kind == MDL_OUTAGE_DOWN,
                                  .answer_s = answer_s(p, o->answer_in),
                                  .slow = 1,
                                  .servers = 1 };
    if (kind == MDL_OUTAGE_SLOW) {
        s.slow = amount;
    } else if (kind == MDL_OUTAGE_ERRORS) {
        s.errors = amount;
        s.answer_s = o->answer_in != SQ_NEVER ? sq_time_to_s(o->answer_in) : (double)NAN;
    } else if (kind == MDL_OUTAGE_BROWNOUT) {
        s.servers = amount;
    }
    return s;
}

static enum sq_status set_outages(struct fluid *f)
{
    size_t count = f->plan.dep->cfg->outages.count;
    f->outages = sq_arena_alloc(f->plan.arena, count + 1, sizeof(*f->outages));
    if (f->outages == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        f->outages[i] = outage_of(&f->plan, i);
    }
    f->plan.in.outages = f->outages;
    f->plan.in.outage_count = count;
    return SQ_OK;
}

/* Jobs that arrive at time 0. */
static enum sq_status set_backlog(struct fluid *f)
{
    const struct mdl_world *w = f->plan.w;
    f->backlog = sq_arena_alloc(f->plan.arena, w->producer_count + 1, sizeof(*f->backlog));
    if (f->backlog == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < w->producer_count; i++) {
        f->backlog[i] = (struct mdl_drain_jobs){ .count = (double)w->producers[i].cfg->backlog,
                                                 .cls = (uint32_t)i,
                                                 .affected = f->whole.t1_s > 0,
                                                 .deadline_s = f->plan.in.classes[i].deadline_s };
    }
    f->plan.in.ready = f->backlog;
    f->plan.in.ready_count = w->producer_count;
    f->plan.in.timer_count = f->plan.in.hand_count = 0;
    return SQ_OK;
}

static enum sq_status set_whole(struct fluid *f)
{
    struct mdl_plan *p = &f->plan;
    const struct mdl_overload_cfg *o = p->dep->cfg->overload;
    const struct mdl_control_cfg *control = p->dep->gate.active ? p->dep->gate.cfg : NULL;
    sq_time_t end = sq_time_add(p->w->ctx.duration_ns, p->w->ctx.tail_ns), t1 = p->w->ctx.t1_ns;
    f->whole.t1_s = t1 < end ? sq_time_to_s(t1) : (double)INFINITY;
    f->whole.end_s = sq_time_to_s(end);
    if (o != NULL) {
        struct sq_dist down = mdl_dist_make(&o->down_for);
        f->whole.down_for_s = sq_dist_mean_s(&down);
        f->whole.down_answer_s = answer_s(p, o->answer_in);
        f->whole.repeats = o->repeat;
    }
    p->in.whole = &f->whole;
    int64_t backlog = p->w->cfg.health->backlog;
    p->in.backlog_max = backlog >= 0 ? (double)backlog : LEAST_BACKLOG;
    if (control == NULL || control->ramp.kind == NULL) {
        return SQ_OK;
    }
    f->whole.ramp = true;
    f->whole.ramp_first = mdl_ramp_common(&control->ramp)->at_start == 1;
    return mdl_plan_ramp(p);
}

enum sq_status mdl_fluid_run(struct mdl_world *w, const struct mdl_fluid_note *note,
                             struct mdl_drain_result *out)
{
    struct sq_arena scratch = { 0 };
    struct fluid f = { .whole = { .note = note->note, .ctx = note->ctx, .stop = note->stop } };
    enum sq_status status = mdl_plan_open(&f.plan, w, &scratch);
    SQ_ASSERT(status != SQ_OK || f.plan.dep != NULL); /* mdl_fluid_check */
    status = status == SQ_OK ? set_whole(&f) : status;
    status = status == SQ_OK ? set_outages(&f) : status;
    status = status == SQ_OK ? set_backlog(&f) : status;
    status = status == SQ_OK ? mdl_drain(&f.plan.in, NULL, out) : status;
    mdl_plan_fini(&f.plan);
    sq_arena_fini(&scratch);
    return status;
}
