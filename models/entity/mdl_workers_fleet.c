/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_fleet.c - replicas: created, ready, retiring, gone. */
#include "models/entity/mdl_workers_in.h"

static struct mdl_links all_links(const struct mdl_workers *w)
{
    return (struct mdl_links){ &w->replicas, offsetof(struct mdl_replica, next) };
}

static struct mdl_replica *replica_at(const struct mdl_workers *w, uint32_t slot)
{
    return mdl_replica_at(w, slot);
}

/* ---- coming and going ---- */

/* What controls of scope replica keep of it is of no use any more. */
static void forget(struct mdl_workers *w, const struct mdl_replica *r)
{
    for (size_t i = 0; i < w->caller.entry_count && w->ctx->replica_scopes; i++) {
        mdl_tell(w->ctx, w->caller.entries[i].dependency, MDL_EV_GONE, 0, r->asker);
    }
}

void mdl_fleet_gone(struct mdl_workers *w, uint32_t slot, unsigned crashed)
{
    struct mdl_replica *r = replica_at(w, slot);
    r->seq = r->crash_seq = r->fill_seq = 0;
    forget(w, r);
    mdl_emit_entity(w->ctx, MDL_REC_REPLICA_GONE, w->id, crashed, w->existing.now);
    sq_pool_give(&w->replicas, slot);
}

static void unready(struct mdl_workers *w, const struct mdl_replica *r)
{
    sq_level_move(&w->ready, mdl_now(w->ctx), -1);
    sq_level_move(&w->ready_slots, mdl_now(w->ctx), -r->slots);
}

/* Out of the count of existing replicas. */
static void uncount(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    mdl_line_remove(&w->all, all_links(w), slot);
    sq_level_move(&w->existing, mdl_now(w->ctx), -1);
    if (r->state == MDL_REPLICA_READY) {
        unready(w, r);
    }
}

void mdl_fleet_finish(struct mdl_workers *w, uint32_t slot)
{
    uncount(w, slot);
    replica_at(w, slot)->state = MDL_REPLICA_RETIRING;
    mdl_slots_ask(w, slot);
    w->wanted = w->all.count;
    mdl_fleet_gone(w, slot, 0);
}

static void become_ready(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    r->state = MDL_REPLICA_READY;
    r->seq = 0;
    r->lives++;
    r->taken = 0;
    sq_level_move(&w->ready, mdl_now(w->ctx), 1);
    sq_level_move(&w->ready_slots, mdl_now(w->ctx), r->slots);
    if (w->cfg->crashes != NULL) {
        sq_time_t uptime =
            mdl_draw(w->ctx, &w->uptime, w->crash_stream, (uint64_t)r->born, r->lives, 0);
        sq_time_t at = sq_time_add(mdl_now(w->ctx), uptime);
        r->crash_seq = mdl_post(w->ctx, at, w->id, MDL_EV_CRASH, slot);
    }
    mdl_slots_ask(w, slot);
}

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
    replica_at(w, slot)->slots = mdl_scale_first(w);
    mdl_line_push(&w->all, all_links(w), slot);
    sq_level_move(&w->existing, mdl_now(w->ctx), 1);
    replica_at(w, slot)->born = ++w->born;
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
static void put_down(struct mdl_workers *w, uint32_t run, bool crashed)
{
    mdl_hand_give_back(w, run, crashed);
    mdl_slots_drop(w, run);
}

/* Jobs of a retiring replica that have not begun, or wait at a control, go back at once. */
static void put_down_waiting(struct mdl_workers *w, struct mdl_replica *r)
{
    r->serving = true; /* nothing of this makes it look for more */
    while (r->line.head != 0) {
        put_down(w, r->line.head, false);
    }
    for (uint32_t slot = r->batches.head; slot != 0;) {
        uint32_t next = mdl_batch_at(w, slot)->next, run = mdl_batch_at(w, slot)->current;
        if (run != 0 && mdl_caller_waits(&w->caller, run)) {
            put_down(w, run, false);
            mdl_batch_next(w, slot);
        }
        slot = next;
    }
    uint32_t run = r->runs.head;
    while (run != 0) {
        uint32_t next = mdl_run_at(&w->caller, run)->next;
        if (mdl_caller_waits(&w->caller, run)) {
            put_down(w, run, false);
        }
        run = next;
    }
    r->serving = false;
}

static bool waits_at_control(const struct mdl_workers *w, uint32_t run)
{
    uint8_t phase = sq_pool_peek8(&w->caller.runs, run, offsetof(struct mdl_run, phase));
    return phase == MDL_HAND_RUNS && mdl_caller_waits(&w->caller, run);
}

void mdl_fleet_look(struct mdl_workers *w, uint32_t run)
{
    if (!waits_at_control(w, run)) {
        return;
    }
    uint32_t slot = mdl_run_at(&w->caller, run)->owner;
    uint32_t batch = mdl_run_at(&w->caller, run)->batch;
    if (replica_at(w, slot)->state == MDL_REPLICA_RETIRING) {
        put_down(w, run, false);
        mdl_slots_next(w, slot, batch);
    }
}

static void put_down_line(struct mdl_workers *w, struct mdl_line *line)
{
    while (line->head != 0) {
        put_down(w, line->head, true);
    }
}

static void put_down_all(struct mdl_workers *w, struct mdl_replica *r)
{
    put_down_line(w, &r->runs);
    while (r->batches.head != 0) {
        uint32_t batch = r->batches.head;
        put_down_line(w, &mdl_batch_at(w, batch)->members);
        mdl_batch_drop(w, batch);
    }
    put_down_line(w, &r->line);
    put_down_line(w, &r->held);
}

static void retire(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    uncount(w, slot);
    if (r->state == MDL_REPLICA_STARTING) {
        mdl_fleet_gone(w, slot, 0);
        return;
    }
    r->state = MDL_REPLICA_RETIRING;
    mdl_slots_ask(w, slot);
    put_down_waiting(w, r);
    if (mdl_slots_empty(r)) {
        mdl_fleet_gone(w, slot, 0);
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

/* ---- replacing them ---- */

/* Replicas of the old version that are left, and whether one of the new has still to start. */
static int64_t old_left(const struct mdl_workers *w, bool *starting)
{
    int64_t left = 0;
    *starting = false;
    for (uint32_t slot = w->all.head; slot != 0; slot = replica_at(w, slot)->next) {
        const struct mdl_replica *r = replica_at(w, slot);
        bool old = r->born <= w->deploy.before;
        left += old ? 1 : 0;
        *starting = *starting || (!old && r->state == MDL_REPLICA_STARTING);
    }
    return left;
}

/* The next batch, when the replacements of the last one are ready; the oldest first. */
static void deploy_next(struct mdl_workers *w)
{
    bool starting;
    int64_t left = w->deploy.on ? old_left(w, &starting) : 0;
    if (left == 0) {
        w->deploy.on = false;
        return;
    }
    if (starting) {
        return;
    }
    double share = w->deploy.at_once * (double)w->all.count;
    int64_t count = (int64_t)share + (share > (double)(int64_t)share ? 1 : 0);
    count = sq_min_i64(sq_max_i64(count, 1), left);
    uint32_t slot = w->all.head;
    for (int64_t i = 0; i < count;) {
        uint32_t next = replica_at(w, slot)->next;
        if (replica_at(w, slot)->born <= w->deploy.before) {
            retire(w, slot);
            i++;
        }
        slot = next;
    }
    for (int64_t i = 0; i < count && !w->ctx->failed; i++) {
        create_starting(w);
    }
}

void mdl_fleet_deploy(struct mdl_workers *w, double at_once)
{
    w->deploy = (struct mdl_deploy){ .on = true, .before = w->born, .at_once = at_once };
    deploy_next(w);
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
    deploy_next(w);
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
        deploy_next(w);
    }
}

void mdl_fleet_crash(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    bool restarts = r->state == MDL_REPLICA_READY;
    r->seq = r->crash_seq = r->fill_seq = 0;
    if (restarts) {
        unready(w, r);
        r->state = MDL_REPLICA_STARTING;
        mdl_slots_ask(w, slot);
    }
    put_down_all(w, r);
    w->deaths++;
    if (!restarts) {
        mdl_fleet_gone(w, slot, 1);
        return;
    }
    forget(w, r);
    r->asker = w->ctx->askers++; /* another process in its place */
    mdl_emit_entity(w->ctx, MDL_REC_REPLICA_GONE, w->id, 1, w->existing.now);
    sq_time_t time =
        mdl_draw(w->ctx, &w->restart, w->restart_stream, (uint64_t)r->born, r->lives, 0);
    r->seq = mdl_post(w->ctx, sq_time_add(mdl_now(w->ctx), time), w->id, MDL_EV_STARTED, slot);
}

void mdl_fleet_grace(struct mdl_workers *w, uint32_t slot, uint64_t seq)
{
    if (waits_for(w, slot, seq)) {
        mdl_fleet_crash(w, slot);
    }
}

void mdl_fleet_crashes(struct mdl_workers *w, uint32_t slot, uint64_t seq)
{
    if (sq_pool_peek64(&w->replicas, slot, offsetof(struct mdl_replica, crash_seq)) == seq) {
        mdl_fleet_crash(w, slot);
    }
}

void mdl_fleet_changed(struct mdl_workers *w)
{
    if (w->cfg->slots != w->slots || w->cfg->prefetch != w->prefetch ||
        w->cfg->held_limit != w->held_limit) {
        mdl_slots_set(w);
    }
    if (w->cfg->replicas != w->replicas_seen) {
        w->replicas_seen = w->cfg->replicas; /* an autoscaler overrules it at its next sync */
        mdl_fleet_scale(w, w->cfg->replicas);
    }
}

void mdl_fleet_open(struct mdl_workers *w)
{
    mdl_slots_set(w);
    w->wanted = w->replicas_seen = w->cfg->replicas;
    for (int64_t i = 0; i < w->cfg->replicas; i++) {
        uint32_t slot = create(w);
        if (slot == 0) {
            return;
        }
        become_ready(w, slot);
    }
}
