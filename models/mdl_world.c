/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_world.c - from a bound scenario to wired entities, and the run itself. */
#include "models/mdl_world.h"

#include "models/mdl_excess.h"
#include "models/mdl_probe.h"
#include "models/mdl_wiring.h"
#include "models/part/mdl_copy.h"
#include "sim/base/sq_limits.h"

/* ---- the clock of the run ---- */

static void on_clock(void *self, struct sq_msg m, uint64_t seq)
{
    (void)seq;
    struct mdl_world *w = self;
    switch (m.kind) {
    case MDL_EV_END:
        sq_sim_stop(&w->ctx.sim);
        break;
    case MDL_EV_DRAIN:
        w->ctx.draining = true;
        if (w->ctx.alive == 0) {
            sq_sim_stop(&w->ctx.sim);
        }
        break;
    case MDL_EV_MEASURE:
        mdl_probe_measure(w->probe);
        break;
    case MDL_EV_BASELINE:
        mdl_probe_baseline(w->probe);
        break;
    case MDL_EV_T1:
        mdl_probe_t1(w->probe);
        break;
    default:
        SQ_UNREACHABLE("the clock gets no such event");
    }
}

static void start_clock(struct mdl_world *w)
{
    struct mdl_ctx *c = &w->ctx;
    sq_time_t last = sq_time_add(c->duration_ns, c->tail_ns);
    if (c->tail_ns > 0) {
        (void)mdl_post(c, c->duration_ns, w->clock, MDL_EV_DRAIN, 0);
    }
    (void)mdl_post(c, last, w->clock, MDL_EV_END, 0);
    if (w->scenario->t0 < last) { /* before T1, which may be the same instant: the plan needs it */
        (void)mdl_post(c, w->scenario->t0, w->clock, MDL_EV_BASELINE, 0);
    }
    if (c->t1_ns < last) {
        (void)mdl_post(c, c->t1_ns, w->clock, MDL_EV_T1, 0);
    }
    if (c->measure_from_ns > 0) {
        (void)mdl_post(c, c->measure_from_ns, w->clock, MDL_EV_MEASURE, 0);
    }
}

/* Which pending entries are still wanted: the sequence number stands in the record. */
static bool is_alive(const void *ctx, const struct sq_event *e)
{
    const struct mdl_ctx *c = ctx;
    struct sq_msg m = sq_msg_unpack(e->load);
    switch (m.kind) {
    case MDL_EV_TIMEOUT:
    case MDL_EV_WAITED:
        return mdl_call_times_out(c, m.slot, sq_event_seq(e));
    case MDL_EV_SERVED:
        return mdl_call_is_served(c, m.slot, sq_event_seq(e));
    case MDL_EV_DUE:
    case MDL_EV_OFFER:
        return mdl_job_is_due(c, m.slot, sq_event_seq(e));
    case MDL_EV_EXPIRE:
        return mdl_lease_runs(c, m.slot, sq_event_seq(e));
    default:
        return true;
    }
}

static enum sq_status init_context(struct mdl_world *w, uint64_t replication)
{
    struct mdl_ctx *c = &w->ctx;
    sq_pool_init(&c->jobs, sizeof(struct mdl_job), SQ_MAX_JOBS);
    sq_pool_init(&c->calls, sizeof(struct mdl_call), SQ_MAX_CALLS);
    sq_pool_init(&c->families, sizeof(struct mdl_family), SQ_MAX_CALLS);
    mdl_paths_init(&c->paths);
    enum sq_status status = sq_sim_init(&c->sim, is_alive, c);
    if (status == SQ_OK) {
        status = mdl_scenario_bind(w->scenario, &c->arena, &w->cfg);
    }
    w->tables = (struct mdl_tables){ .arena = &c->arena, .shared = &w->scenario->tables };
    if (status == SQ_OK) {
        status = mdl_dist_prepare(&mdl_root_table, &w->cfg, &w->tables);
    }
    c->luck = sq_luck_init(w->cfg.seed, replication);
    c->duration_ns = w->cfg.duration;
    c->tail_ns = w->cfg.tail;
    c->measure_from_ns = w->cfg.measure_from;
    c->t1_ns = w->scenario->t1;
    return status;
}

enum sq_status mdl_world_init(struct mdl_world *w, const struct mdl_scenario *s,
                              uint64_t replication)
{
    *w = (struct mdl_world){ .scenario = s, .replication = replication };
    enum sq_status status = init_context(w, replication);
    if (status == SQ_OK) {
        status = mdl_wiring_build(w);
    }
    if (status == SQ_OK) {
        status = sq_sim_add(&w->ctx.sim, on_clock, w, &w->clock);
    }
    if (status == SQ_OK) {
        status = mdl_probe_open(w);
    }
    if (status == SQ_OK) {
        start_clock(w);
        status = mdl_wiring_start(w);
    }
    return status;
}

void mdl_world_fini(struct mdl_world *w)
{
    for (size_t i = 0; i < w->dependency_count; i++) {
        mdl_dependency_fini(&w->dependencies[i]);
    }
    for (size_t i = 0; i < w->pool_count; i++) {
        mdl_workers_fini(&w->pools[i]);
    }
    for (size_t i = 0; i < w->client_count; i++) {
        mdl_client_fini(&w->clients[i]);
    }
    for (size_t i = 0; i < w->queue_count; i++) {
        mdl_queue_fini(&w->queues[i]);
    }
    mdl_operator_fini(&w->operator_);
    mdl_probe_close(w->probe);
    sq_mem_free(w->ctx.firsts);
    sq_mem_free(w->ctx.grants.jobs);
    mdl_more_fini(&w->ctx);
    sq_pool_fini(&w->ctx.jobs);
    sq_pool_fini(&w->ctx.calls);
    mdl_paths_fini(&w->ctx.paths);
    sq_sim_fini(&w->ctx.sim);
    sq_arena_fini(&w->ctx.arena);
}

/* ---- running ---- */

static bool check_laws(void *ctx)
{
    struct mdl_world *w = ctx;
    w->broken = mdl_laws_check(w);
    return w->broken == NULL;
}

enum sq_status mdl_world_run(struct mdl_world *w, uint32_t check_every, bool (*stop)(void),
                             struct sq_diag *diag)
{
    struct sq_sim *s = &w->ctx.sim;
    s->check = check_laws;
    s->check_ctx = w;
    s->check_every = check_every;
    enum sq_status status = sq_sim_run(s, stop);
    if (status == SQ_OK && (w->ctx.failed || mdl_probe_failed(w->probe))) {
        status = SQ_NOMEM;
    }
    if (status == SQ_LIMIT || status == SQ_NOMEM) {
        return mdl_excess_note(w, status, diag);
    }
    if (status == SQ_OK) {
        mdl_probe_end(w->probe);
        if (mdl_probe_failed(w->probe)) {
            return mdl_excess_note(w, SQ_NOMEM, diag);
        }
        w->broken = mdl_laws_end(w);
        status = w->broken != NULL ? SQ_BROKEN : SQ_OK;
    }
    return status;
}
