/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_fleet.c - replicas: created, ready, retiring, gone. */
#include "models/entity/mdl_workers_fleet.h"

#include "models/policy/mdl_dist.h"

static struct mdl_links idle_links(const struct mdl_workers *w)
{
    return (struct mdl_links){ &w->replicas, offsetof(struct mdl_replica, idle_next) };
}

static struct mdl_links all_links(const struct mdl_workers *w)
{
    return (struct mdl_links){ &w->replicas, offsetof(struct mdl_replica, next) };
}

static struct mdl_links run_links(const struct mdl_workers *w)
{
    return (struct mdl_links){ &w->caller.runs, offsetof(struct mdl_run, next) };
}

static struct mdl_replica *replica_at(const struct mdl_workers *w, uint32_t slot)
{
    return sq_pool_at(&w->replicas, slot);
}

void mdl_fleet_fetch(struct mdl_workers *w, int64_t count)
{
    enum { AT_ONCE = 0xffff };
    unsigned fewer = count < 0 ? 1 : 0;
    int64_t left = count < 0 ? -count : count;
    while (left > 0) {
        uint32_t part = (uint32_t)sq_min_i64(left, AT_ONCE);
        mdl_tell(w->ctx, w->queue, MDL_EV_FETCH, fewer, (uint32_t)w->id << 16 | part);
        left -= part;
    }
}

/* ---- slots ---- */

static bool has_room(const struct mdl_workers *w, const struct mdl_replica *r)
{
    return r->state == MDL_REPLICA_READY && r->busy < w->slots;
}

/* Slots that ask the queue for a job. */
static int64_t free_slots(const struct mdl_workers *w, const struct mdl_replica *r)
{
    return has_room(w, r) && !w->paused ? w->slots - r->busy : 0;
}

static void become_ready(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    r->state = MDL_REPLICA_READY;
    r->seq = 0;
    sq_level_move(&w->ready, mdl_now(w->ctx), 1);
    mdl_line_push(&w->idle, idle_links(w), slot);
    mdl_fleet_fetch(w, free_slots(w, r));
}

void mdl_fleet_occupy(struct mdl_workers *w, uint32_t slot, uint32_t run)
{
    struct mdl_replica *r = replica_at(w, slot);
    SQ_ASSERT(has_room(w, r));
    mdl_line_push(&r->runs, run_links(w), run);
    mdl_run_at(&w->caller, run)->asker = r->asker;
    r->busy++;
    sq_level_move(&w->busy, mdl_now(w->ctx), 1);
    if (!has_room(w, r)) {
        mdl_line_remove(&w->idle, idle_links(w), slot);
    }
}

static void gone(struct mdl_workers *w, uint32_t slot, unsigned crashed)
{
    struct mdl_replica *r = replica_at(w, slot);
    r->seq = 0;
    for (size_t i = 0; i < w->caller.entry_count && w->ctx->replica_scopes; i++) {
        mdl_tell(w->ctx, w->caller.entries[i].dependency, MDL_EV_GONE, 0, r->asker);
    }
    mdl_emit_entity(w->ctx, MDL_REC_REPLICA_GONE, w->id, crashed, w->existing.now);
    sq_pool_give(&w->replicas, slot);
}

static void take_out(struct mdl_workers *w, uint32_t run)
{
    struct mdl_replica *r = replica_at(w, mdl_run_at(&w->caller, run)->owner);
    mdl_line_remove(&r->runs, run_links(w), run);
    r->busy--;
    sq_level_move(&w->busy, mdl_now(w->ctx), -1);
    mdl_caller_finish(&w->caller, run);
}

void mdl_fleet_release(struct mdl_workers *w, uint32_t run)
{
    uint32_t slot = mdl_run_at(&w->caller, run)->owner;
    struct mdl_replica *r = replica_at(w, slot);
    bool had_room = has_room(w, r);
    take_out(w, run);
    if (r->state == MDL_REPLICA_RETIRING) {
        if (r->busy == 0) {
            gone(w, slot, 0);
        }
        return;
    }
    if (has_room(w, r)) {
        if (!had_room) {
            mdl_line_push(&w->idle, idle_links(w), slot);
        }
        mdl_fleet_fetch(w, w->paused ? 0 : 1);
    }
}

/* ---- coming and going ---- */

static uint32_t create(struct mdl_workers *w)
{
    uint32_t slot = sq_pool_take(&w->replicas);
    if (slot == 0) {
        w->ctx->failed = true;
        sq_sim_stop(&w->ctx->sim);
        return 0;
    }
    replica_at(w, slot)->state = MDL_REPLICA_STARTING;
    replica_at(w, slot)->asker = w->ctx->askers++;
    mdl_line_push(&w->all, all_links(w), slot);
    sq_level_move(&w->existing, mdl_now(w->ctx), 1);
    w->born++;
    return slot;
}

static void create_starting(struct mdl_workers *w)
{
    uint32_t slot = create(w);
    if (slot != 0) {
        sq_time_t time = mdl_draw(w->ctx, &w->start_up, w->start_stream, (uint64_t)w->born, 0, 0);
        sq_time_t at = sq_time_add(mdl_now(w->ctx), time);
        replica_at(w, slot)->seq = mdl_post(w->ctx, at, w->id, MDL_EV_STARTED, slot);
    }
}

/* A job leaves a replica that goes away: back to its queue. */
static void give_back(struct mdl_workers *w, uint32_t run, unsigned crashed)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    uint32_t job = r->job;
    r->work_seq = 0;
    mdl_caller_abort(&w->caller, run);
    if (crashed != 0) {
        mdl_job_at(w->ctx, job)->flags &= (uint8_t)~MDL_JOB_OPEN;
    }
    take_out(w, run);
    mdl_tell(w->ctx, w->queue, MDL_EV_GIVE_BACK, crashed, job);
}

/* Jobs of a retiring replica that wait at a control go back at once. */
static void give_back_waiting(struct mdl_workers *w, struct mdl_replica *r)
{
    uint32_t run = r->runs.head;
    while (run != 0) {
        uint32_t next = mdl_run_at(&w->caller, run)->next;
        if (mdl_caller_waits(&w->caller, run)) {
            give_back(w, run, 0);
        }
        run = next;
    }
}

static void retire(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    mdl_line_remove(&w->all, all_links(w), slot);
    sq_level_move(&w->existing, mdl_now(w->ctx), -1);
    if (r->state == MDL_REPLICA_STARTING) {
        gone(w, slot, 0);
        return;
    }
    sq_level_move(&w->ready, mdl_now(w->ctx), -1);
    if (has_room(w, r)) {
        mdl_fleet_fetch(w, -free_slots(w, r));
        mdl_line_remove(&w->idle, idle_links(w), slot);
    }
    r->state = MDL_REPLICA_RETIRING;
    give_back_waiting(w, r);
    if (r->busy == 0) {
        gone(w, slot, 0);
    } else if (w->cfg->grace != SQ_NEVER) {
        sq_time_t at = sq_time_add(mdl_now(w->ctx), w->cfg->grace);
        r->seq = mdl_post(w->ctx, at, w->id, MDL_EV_GRACE, slot);
    }
}

/* The one to retire next: the youngest that is not ready, else the youngest. */
static uint32_t retire_next(const struct mdl_workers *w)
{
    for (uint32_t slot = w->all.tail; slot != 0; slot = replica_at(w, slot)->prev) {
        if (replica_at(w, slot)->state == MDL_REPLICA_STARTING) {
            return slot;
        }
    }
    return w->all.tail;
}

void mdl_fleet_scale(struct mdl_workers *w, int64_t wanted)
{
    if (wanted != w->wanted) {
        w->wanted = wanted;
        w->wanted_changes++;
        mdl_emit_entity(w->ctx, MDL_REC_WANTED, w->id, 0, wanted);
    }
    while (w->all.count < wanted && !w->ctx->failed) {
        create_starting(w);
    }
    while (w->all.count > wanted) {
        retire(w, retire_next(w));
    }
}

/* Whether the replica waits for this event; it may be gone. */
static bool waits_for(const struct mdl_workers *w, uint32_t slot, uint64_t seq)
{
    return sq_pool_peek64(&w->replicas, slot, offsetof(struct mdl_replica, seq)) == seq;
}

void mdl_fleet_started(struct mdl_workers *w, uint32_t slot, uint64_t seq)
{
    if (waits_for(w, slot, seq)) {
        become_ready(w, slot);
        mdl_emit_entity(w->ctx, MDL_REC_REPLICA_READY, w->id, 0, w->ready.now);
    }
}

void mdl_fleet_grace(struct mdl_workers *w, uint32_t slot, uint64_t seq)
{
    if (!waits_for(w, slot, seq)) {
        return;
    }
    struct mdl_replica *r = replica_at(w, slot);
    r->seq = 0;
    while (r->runs.head != 0) {
        give_back(w, r->runs.head, 1);
    }
    w->deaths++;
    gone(w, slot, 1);
}

static int64_t all_free_slots(const struct mdl_workers *w)
{
    int64_t sum = 0;
    for (uint32_t slot = w->all.head; slot != 0; slot = replica_at(w, slot)->next) {
        sum += free_slots(w, replica_at(w, slot));
    }
    return sum;
}

/* More slots: every ready replica asks for as many jobs more. Fewer: it runs down to them. */
static void set_slots(struct mdl_workers *w, int64_t slots)
{
    int64_t before = all_free_slots(w);
    while (w->idle.head != 0) {
        (void)mdl_line_pop(&w->idle, idle_links(w));
    }
    w->slots = slots;
    for (uint32_t slot = w->all.head; slot != 0; slot = replica_at(w, slot)->next) {
        if (has_room(w, replica_at(w, slot))) {
            mdl_line_push(&w->idle, idle_links(w), slot);
        }
    }
    mdl_fleet_fetch(w, all_free_slots(w) - before);
}

void mdl_fleet_pause(struct mdl_workers *w, bool paused)
{
    int64_t before = all_free_slots(w);
    w->paused = paused;
    mdl_fleet_fetch(w, all_free_slots(w) - before);
}

void mdl_fleet_changed(struct mdl_workers *w)
{
    if (w->cfg->slots != w->slots) {
        set_slots(w, w->cfg->slots);
    }
    if (w->cfg->replicas != w->replicas_seen) {
        w->replicas_seen = w->cfg->replicas; /* an autoscaler overrules it at its next sync */
        mdl_fleet_scale(w, w->cfg->replicas);
    }
}

void mdl_fleet_open(struct mdl_workers *w)
{
    w->slots = w->cfg->slots;
    w->wanted = w->replicas_seen = w->cfg->replicas;
    for (int64_t i = 0; i < w->cfg->replicas; i++) {
        uint32_t slot = create(w);
        if (slot == 0) {
            return;
        }
        become_ready(w, slot);
    }
}
