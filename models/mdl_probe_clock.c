/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_probe_clock.c - what the probe does at certain instants: the end of a bin, the start of
 * measurement, the end of the baseline, T1, the end of the run. */
#include "models/mdl_histograms.h"
#include "models/mdl_moments.h"
#include "models/mdl_probe.h"
#include "models/mdl_timeline.h"
#include "models/part/mdl_copy.h"

#include <math.h>

/* ---- bins ---- */

static void close_bin(struct mdl_probe *p, sq_time_t end)
{
    struct mdl_bin_sums sums = { .alive = p->jobs.now };
    for (size_t i = 0; i < p->world->ctx.source_count; i++) {
        sums.arrived += p->producers[i].bin_arrived;
    }
    for (size_t i = 0; i < p->world->dependency_count; i++) {
        sums.goodput += p->deps[i].bin.seen[MDL_SEEN_GOODPUT];
        sums.first += p->deps[i].bin.first;
    }
    mdl_marks_bin(&p->marks, sums);
    mdl_probe_foresee(p, end);
    mdl_timeline_close_bin(p->timeline, end);
    p->foresight.now_s = (double)NAN;
}

void mdl_probe_advance(void *self, sq_time_t now)
{
    struct mdl_probe *p = self;
    struct sq_sim *s = &p->world->ctx.sim;
    while (s->advance_at <= now) {
        close_bin(p, s->advance_at);
        s->advance_at += p->timeline->series.bin_ns;
    }
}

/* ---- the clock ---- */

static void restart_levels(struct mdl_probe *p, sq_time_t now)
{
    struct mdl_world *w = p->world;
    for (size_t i = 0; i < w->queue_count; i++) {
        sq_level_restart(&w->queues[i].ready, now);
        sq_level_restart(&w->queues[i].delayed, now);
        sq_level_restart(&w->queues[i].leased, now);
        sq_level_restart(&w->queues[i].blocked, now);
        w->queues[i].oldest_max = 0;
    }
    for (size_t i = 0; i < w->dependency_count; i++) {
        struct mdl_levels *r = &w->dependencies[i].load;
        sq_level_restart(&r->in_flight, now);
        sq_level_restart(&r->waiting, now);
        sq_level_restart(&r->busy, now);
        sq_level_restart(&r->in_force, now);
        sq_level_restart(&w->dependencies[i].gate.in_use, now);
        sq_level_restart(&p->deps[i].down, now);
    }
    for (size_t i = 0; i < w->pool_count; i++) {
        sq_level_restart(&w->pools[i].existing, now);
        p->pools[i] = (struct mdl_pool_tally){ w->pools[i].wanted_changes, w->pools[i].deaths };
    }
}

void mdl_probe_measure(struct mdl_probe *p)
{
    restart_levels(p, mdl_now(&p->world->ctx));
    mdl_marks_measure(&p->marks);
}

void mdl_probe_baseline(struct mdl_probe *p)
{
    const struct mdl_ctx *c = &p->world->ctx;
    mdl_marks_baseline(&p->marks, mdl_now(c), mdl_now(c) - c->measure_from_ns);
    mdl_probe_backlogs(p);
}

/* What became of the jobs that arrived inside the outages. */
static void see_recovery(struct mdl_probe *p)
{
    const struct mdl_ctx *c = &p->world->ctx;
    struct mdl_recovery *r = &p->recovery;
    const unsigned both = MDL_JOB_OUTAGE | MDL_JOB_MEASURED;
    for (size_t i = 0; i < MDL_END_COUNT; i++) {
        r->all += p->outage_ends[i];
    }
    r->past_deadline = p->outage_ends[MDL_END_STALE];
    r->superseded = p->outage_ends[MDL_END_SUPERSEDED];
    r->done = r->all - r->past_deadline - r->superseded;
    for (uint32_t slot = 1; slot <= c->jobs.fresh; slot++) {
        const struct mdl_job *job = mdl_job_at(c, slot);
        if (!mdl_job_lives(c, slot) || !mdl_copy_is_current(c, slot) ||
            (job->flags & both) != both) {
            continue;
        }
        r->all++;
        if (mdl_now(c) > mdl_job_deadline(c, job)) {
            r->past_deadline++;
        } else if ((job->flags & MDL_JOB_OVERTAKEN) != 0) {
            r->superseded++;
        } else {
            r->useful++;
        }
    }
}

void mdl_probe_t1(struct mdl_probe *p)
{
    p->alive_at_t1 = p->jobs.now;
    p->arrived_after_t1 = 0;
    see_recovery(p);
    p->forecast = (struct mdl_forecasts){ .naive_s = (double)NAN,
                                          .planned_s = (double)NAN,
                                          .planned_last_s = (double)NAN };
    if (p->plan != NULL && p->plan(p->world, &p->forecast) != SQ_OK) {
        p->failed = true;
    }
    p->foresight.next = p->plan != NULL ? mdl_now(&p->world->ctx) : SQ_NEVER;
    if (p->tells) {
        if (mdl_spread_open(&p->spread, p->world->dependency_count) != SQ_OK) {
            p->failed = true;
        }
        mdl_moments_t1(p);
    }
}

void mdl_probe_end(struct mdl_probe *p)
{
    sq_time_t end = mdl_now(&p->world->ctx);
    mdl_probe_advance(p, end);
    if (p->timeline->series.end_ns < end) {
        close_bin(p, end);
    }
    uint64_t relapses = 0;
    for (size_t i = 0; i < p->world->dependency_count; i++) {
        mdl_probe_close_second(&p->deps[i], p->world->ctx.t1_ns);
        p->deps[i].second = (struct mdl_second){ .number = -1 };
        relapses += p->deps[i].secondary;
    }
    mdl_marks_judge(&p->marks, end, relapses > 0);
    if (p->tells) {
        mdl_moments_end(p);
    }
}
