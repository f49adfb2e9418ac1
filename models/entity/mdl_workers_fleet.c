/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_fleet.c - replicas: created, ready, retiring, gone. */
#include "models/entity/mdl_workers_in.h"

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
    return mdl_replica_at(w, slot);
}

/* ---- asking the queues ---- */

/* Asks for so many jobs (negative: for fewer). They come from whichever queue has one: the count is
 * kept at the first, and the others are told that it has grown, in the order of the list. */
static void fetch(struct mdl_workers *w, int64_t count)
{
    enum { AT_ONCE = 0xffff };
    unsigned fewer = count < 0 ? 1 : 0;
    int64_t left = count < 0 ? -count : count;
    while (left > 0) {
        uint32_t part = (uint32_t)sq_min_i64(left, AT_ONCE);
        mdl_tell(w->ctx, w->queues[0], MDL_EV_FETCH, fewer, (uint32_t)w->id << 16 | part);
        left -= part;
    }
    for (size_t i = 1; i < w->queue_count && count > 0; i++) {
        mdl_tell(w->ctx, w->queues[i], MDL_EV_FETCH, 0, (uint32_t)w->id << 16);
    }
}

/* Jobs that the replica could take: free slots, and prefetched ones beyond. */
static int64_t room(const struct mdl_workers *w, const struct mdl_replica *r)
{
    if (r->state != MDL_REPLICA_READY) {
        return 0;
    }
    int64_t slots = sq_max_i64(w->slots - r->busy, 0);
    return sq_max_i64(slots + w->prefetch - r->line.count, 0);
}

/* Brings what the replica has asked for in line with its room. Returns how many more to fetch. */
static int64_t regard(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    int64_t can = room(w, r);
    if (can > 0 && !r->listed) {
        mdl_line_push(&w->idle, idle_links(w), slot);
    } else if (can == 0 && r->listed) {
        mdl_line_remove(&w->idle, idle_links(w), slot);
    }
    r->listed = can > 0;
    int64_t want = w->paused ? 0 : can;
    int64_t more = want - r->asked;
    r->asked = want;
    return more;
}

static void ask(struct mdl_workers *w, uint32_t slot)
{
    fetch(w, regard(w, slot));
}

static void ask_all(struct mdl_workers *w)
{
    int64_t more = 0;
    for (uint32_t slot = w->all.head; slot != 0; slot = replica_at(w, slot)->next) {
        more += regard(w, slot);
    }
    fetch(w, more);
}

/* ---- slots ---- */

static bool is_empty(const struct mdl_replica *r)
{
    return r->line.count == 0 && r->runs.count == 0;
}

/* What controls of scope replica keep of it is of no use any more. */
static void forget(struct mdl_workers *w, const struct mdl_replica *r)
{
    for (size_t i = 0; i < w->caller.entry_count && w->ctx->replica_scopes; i++) {
        mdl_tell(w->ctx, w->caller.entries[i].dependency, MDL_EV_GONE, 0, r->asker);
    }
}

static void gone(struct mdl_workers *w, uint32_t slot, unsigned crashed)
{
    struct mdl_replica *r = replica_at(w, slot);
    r->seq = r->crash_seq = 0;
    forget(w, r);
    mdl_emit_entity(w->ctx, MDL_REC_REPLICA_GONE, w->id, crashed, w->existing.now);
    sq_pool_give(&w->replicas, slot);
}

/* Takes jobs from the line into free slots; then asks for more, or is gone. A job that ends at once
 * comes back here while this goes on: the loop sees to the next one. */
static void serve(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    if (r->serving) {
        return;
    }
    r->serving = true;
    while (r->line.count > 0 && r->busy < w->slots) {
        uint32_t run = mdl_line_pop(&r->line, run_links(w));
        w->in_line--;
        mdl_hand_start(w, run);
    }
    r->serving = false;
    if (r->state == MDL_REPLICA_RETIRING && is_empty(r)) {
        gone(w, slot, 0);
    } else {
        ask(w, slot);
    }
}

bool mdl_fleet_receive(struct mdl_workers *w, uint32_t job)
{
    uint32_t slot = w->idle.head;
    if (slot == 0) {
        return false;
    }
    uint32_t run = mdl_caller_start(&w->caller, job, slot);
    if (run == 0) {
        return true; /* the run stops */
    }
    struct mdl_replica *r = replica_at(w, slot);
    r->asked = sq_max_i64(r->asked - 1, 0);
    mdl_run_at(&w->caller, run)->phase = MDL_HAND_WAITS;
    mdl_line_push(&r->line, run_links(w), run);
    w->in_line++;
    if (w->prefetch > 0) { /* brokers serve their consumers in turn */
        mdl_line_remove(&w->idle, idle_links(w), slot);
        mdl_line_push(&w->idle, idle_links(w), slot);
    }
    serve(w, slot);
    return true;
}

void mdl_fleet_occupy(struct mdl_workers *w, uint32_t run)
{
    struct mdl_replica *r = replica_at(w, mdl_run_at(&w->caller, run)->owner);
    mdl_line_push(&r->runs, run_links(w), run);
    mdl_run_at(&w->caller, run)->asker = r->asker;
    r->busy++;
    w->in_slots++;
    sq_level_move(&w->busy, mdl_now(w->ctx), 1);
}

static void take_out(struct mdl_workers *w, uint32_t run)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    struct mdl_replica *owner = replica_at(w, r->owner);
    if (r->phase == MDL_HAND_WAITS) {
        mdl_line_remove(&owner->line, run_links(w), run);
        w->in_line--;
    } else {
        mdl_line_remove(&owner->runs, run_links(w), run);
        w->in_slots--;
        owner->busy--;
        sq_level_move(&w->busy, mdl_now(w->ctx), -1);
    }
    r->phase = MDL_HAND_NONE;
    mdl_caller_finish(&w->caller, run);
}

void mdl_fleet_release(struct mdl_workers *w, uint32_t run)
{
    uint32_t slot = mdl_run_at(&w->caller, run)->owner;
    take_out(w, run);
    serve(w, slot);
}

/* ---- coming and going ---- */

static void become_ready(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    r->state = MDL_REPLICA_READY;
    r->seq = 0;
    r->lives++;
    sq_level_move(&w->ready, mdl_now(w->ctx), 1);
    if (w->cfg->crashes != NULL) {
        sq_time_t uptime =
            mdl_draw(w->ctx, &w->uptime, w->crash_stream, (uint64_t)r->born, r->lives, 0);
        sq_time_t at = sq_time_add(mdl_now(w->ctx), uptime);
        r->crash_seq = mdl_post(w->ctx, at, w->id, MDL_EV_CRASH, slot);
    }
    ask(w, slot);
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
    take_out(w, run);
}

/* Jobs of a retiring replica that have not begun, or wait at a control, go back at once. */
static void put_down_waiting(struct mdl_workers *w, struct mdl_replica *r)
{
    while (r->line.head != 0) {
        put_down(w, r->line.head, false);
    }
    uint32_t run = r->runs.head;
    while (run != 0) {
        uint32_t next = mdl_run_at(&w->caller, run)->next;
        if (mdl_caller_waits(&w->caller, run)) {
            put_down(w, run, false);
        }
        run = next;
    }
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
    if (replica_at(w, slot)->state == MDL_REPLICA_RETIRING) {
        put_down(w, run, false);
        serve(w, slot);
    }
}

static void put_down_all(struct mdl_workers *w, struct mdl_replica *r)
{
    while (r->runs.head != 0) {
        put_down(w, r->runs.head, true);
    }
    while (r->line.head != 0) {
        put_down(w, r->line.head, true);
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
    r->state = MDL_REPLICA_RETIRING;
    ask(w, slot);
    put_down_waiting(w, r);
    if (is_empty(r)) {
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

/* A ready replica starts again, a retiring one is gone. */
static void crash(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    bool restarts = r->state == MDL_REPLICA_READY;
    r->seq = r->crash_seq = 0;
    if (restarts) {
        sq_level_move(&w->ready, mdl_now(w->ctx), -1);
        r->state = MDL_REPLICA_STARTING;
        ask(w, slot);
    }
    put_down_all(w, r);
    w->deaths++;
    if (!restarts) {
        gone(w, slot, 1);
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
        crash(w, slot);
    }
}

void mdl_fleet_crash(struct mdl_workers *w, uint32_t slot, uint64_t seq)
{
    if (sq_pool_peek64(&w->replicas, slot, offsetof(struct mdl_replica, crash_seq)) == seq) {
        crash(w, slot);
    }
}

/* More slots: every ready replica asks for as many jobs more. Fewer: it runs down to them. */
static void set_room(struct mdl_workers *w, int64_t slots, int64_t prefetch)
{
    while (w->idle.head != 0) {
        uint32_t slot = mdl_line_pop(&w->idle, idle_links(w));
        replica_at(w, slot)->listed = false;
    }
    w->slots = slots;
    w->prefetch = prefetch;
    ask_all(w);
}

void mdl_fleet_pause(struct mdl_workers *w, bool paused)
{
    w->paused = paused;
    ask_all(w);
}

void mdl_fleet_changed(struct mdl_workers *w)
{
    if (w->cfg->slots != w->slots || w->cfg->prefetch != w->prefetch) {
        set_room(w, w->cfg->slots, w->cfg->prefetch);
    }
    if (w->cfg->replicas != w->replicas_seen) {
        w->replicas_seen = w->cfg->replicas; /* an autoscaler overrules it at its next sync */
        mdl_fleet_scale(w, w->cfg->replicas);
    }
}

void mdl_fleet_open(struct mdl_workers *w)
{
    w->slots = w->cfg->slots;
    w->prefetch = w->cfg->prefetch;
    w->wanted = w->replicas_seen = w->cfg->replicas;
    for (int64_t i = 0; i < w->cfg->replicas; i++) {
        uint32_t slot = create(w);
        if (slot == 0) {
            return;
        }
        become_ready(w, slot);
    }
}
