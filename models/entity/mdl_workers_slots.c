/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_slots.c - what a replica has in its hands: jobs in its line, in its slots, and delays
 * in its memory; and what it asks the queues for. */
#include "models/entity/mdl_workers_in.h"
#include "models/part/mdl_copy.h"

static struct mdl_links idle_links(const struct mdl_workers *w)
{
    return (struct mdl_links){ &w->replicas, offsetof(struct mdl_replica, idle_next) };
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

static int64_t batch_size(const struct mdl_workers *w)
{
    return w->cfg->batch != NULL ? w->cfg->batch->size : 1;
}

/* Jobs that the replica could take: for its free slots, and prefetched ones beyond. */
static int64_t room(const struct mdl_workers *w, const struct mdl_replica *r)
{
    if (r->state != MDL_REPLICA_READY || r->held.count >= w->held_limit) {
        return 0;
    }
    if (w->once) {
        return sq_max_i64(r->slots * batch_size(w) - r->taken, 0);
    }
    int64_t slots = sq_max_i64(r->slots - r->busy, 0);
    return sq_max_i64(slots * batch_size(w) + w->prefetch - r->line.count, 0);
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
    int64_t bound = mdl_pause_bound(w);
    int64_t want = w->paused ? 0 : can;
    if (bound != SQ_UNLIMITED) {
        want = sq_min_i64(want, sq_max_i64(bound - (w->asked - r->asked), 0));
    }
    int64_t more = want - r->asked;
    w->asked += more;
    r->asked = want;
    return more;
}

void mdl_slots_ask(struct mdl_workers *w, uint32_t slot)
{
    fetch(w, regard(w, slot));
}

void mdl_slots_ask_all(struct mdl_workers *w)
{
    int64_t more = 0;
    for (uint32_t slot = w->all.head; slot != 0; slot = replica_at(w, slot)->next) {
        more += regard(w, slot);
    }
    fetch(w, more);
}

bool mdl_slots_filled(const struct mdl_workers *w, const struct mdl_replica *r)
{
    return w->once && r->taken >= r->slots * batch_size(w);
}

void mdl_slots_go_on(struct mdl_workers *w)
{
    uint32_t next;
    for (uint32_t slot = w->all.head; slot != 0; slot = next) {
        next = replica_at(w, slot)->next;
        if (replica_at(w, slot)->line.count > 0) {
            mdl_slots_serve(w, slot);
        }
    }
    mdl_slots_ask_all(w);
}

/* More slots: every ready replica asks for as many jobs more. Fewer: it runs down to them. */
void mdl_slots_set(struct mdl_workers *w)
{
    for (uint32_t slot = w->all.head; slot != 0; slot = replica_at(w, slot)->next) {
        mdl_scale_set(w, replica_at(w, slot), w->cfg->slots);
    }
    while (w->idle.head != 0) {
        uint32_t slot = mdl_line_pop(&w->idle, idle_links(w));
        replica_at(w, slot)->listed = false;
    }
    w->slots = w->cfg->slots;
    w->prefetch = w->cfg->prefetch;
    w->held_limit = w->cfg->held_limit;
    mdl_slots_go_on(w);
}

/* ---- slots ---- */

bool mdl_slots_empty(const struct mdl_replica *r)
{
    return r->jobs == 0 && r->busy == 0;
}

static void push_line(struct mdl_workers *w, struct mdl_replica *r, uint32_t run)
{
    mdl_run_at(&w->caller, run)->phase = MDL_HAND_WAITS;
    mdl_line_push(&r->line, mdl_hand_links(w), run);
    w->in_line++;
}

static void push_held(struct mdl_workers *w, uint32_t run, sq_time_t until)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    r->phase = MDL_HAND_HELD;
    r->work_seq = mdl_post(w->ctx, until, w->id, MDL_EV_RESUME, run);
    mdl_line_push(&replica_at(w, r->owner)->held, mdl_hand_links(w), run);
    sq_level_move(&w->held, mdl_now(w->ctx), 1);
}

/* Takes jobs from the line into free slots. A job that ends at once comes back to `serve` while
 * this goes on: the loop sees to the next one. */
static void fill_slots(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    r->serving = true;
    while (r->line.count > 0 && r->busy < r->slots && !w->ctx->failed) {
        if (w->cfg->batch != NULL) {
            mdl_batch_start(w, slot);
            continue;
        }
        uint32_t run = mdl_line_pop(&r->line, mdl_hand_links(w));
        w->in_line--;
        mdl_hand_start(w, run);
    }
    r->serving = false;
}

/* What a replica does after it has served its line. */
static void go_on(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    if (r->state == MDL_REPLICA_RETIRING && mdl_slots_empty(r)) {
        mdl_fleet_gone(w, slot, 0);
    } else if (r->state == MDL_REPLICA_READY && mdl_slots_filled(w, r) && mdl_slots_empty(r)) {
        mdl_fleet_finish(w, slot);
    } else {
        mdl_slots_ask(w, slot);
    }
}

void mdl_slots_serve(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    if (r->serving) {
        return;
    }
    if (w->cfg->batch == NULL) {
        fill_slots(w, slot);
    } else if (r->line.count > 0 && r->busy < r->slots && r->fill_seq == 0) {
        r->fill_seq = mdl_post(w->ctx, mdl_now(w->ctx), w->id, MDL_EV_FILL, slot);
    }
    go_on(w, slot);
}

void mdl_slots_fill(struct mdl_workers *w, uint32_t slot, uint64_t seq)
{
    if (sq_pool_peek64(&w->replicas, slot, offsetof(struct mdl_replica, fill_seq)) == seq) {
        replica_at(w, slot)->fill_seq = 0;
        fill_slots(w, slot);
        go_on(w, slot);
    }
}

/* Brokers serve their consumers in turn: the next delivery is for another replica, once a batch is
 * complete. Without prefetching one replica is as good as another. */
static void give_turn(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_replica *r = replica_at(w, slot);
    if (w->prefetch > 0 && r->line.count % batch_size(w) == 0) {
        mdl_line_remove(&w->idle, idle_links(w), slot);
        mdl_line_push(&w->idle, idle_links(w), slot);
    }
}

/* Whether the jobs in its hands are more than its memory takes. */
static bool is_too_full(const struct mdl_workers *w, const struct mdl_replica *r)
{
    return w->cfg->memory != SQ_UNLIMITED && w->cfg->job_memory > 0 &&
           r->jobs > w->cfg->memory / w->cfg->job_memory;
}

/* Who takes the next job: the first in turn of those that have asked. A pool that fetches one job
 * at a time asks for one replica only, which need not be the first; one that has just stopped has
 * asked for none. */
static uint32_t taker(const struct mdl_workers *w)
{
    for (uint32_t slot = w->idle.head; slot != 0; slot = *mdl_line_links(idle_links(w), slot)) {
        if (replica_at(w, slot)->asked > 0) {
            return slot;
        }
    }
    return w->idle.head;
}

bool mdl_slots_receive(struct mdl_workers *w, uint32_t job)
{
    uint32_t slot = taker(w);
    if (slot == 0) {
        return false;
    }
    uint32_t run = mdl_caller_start(&w->caller, job, slot);
    if (run == 0) {
        return true; /* the run stops */
    }
    struct mdl_replica *r = replica_at(w, slot);
    sq_time_t due = mdl_job_due(w->ctx, job);
    w->asked -= r->asked > 0 ? 1 : 0;
    r->asked = sq_max_i64(r->asked - 1, 0);
    w->scout = w->pause == MDL_PAUSE_PROBES && w->scout == 0 ? run : w->scout;
    r->jobs++;
    r->taken++;
    mdl_scale_look(w, r);
    mdl_run_at(&w->caller, run)->asker = r->asker;
    if (due > mdl_now(w->ctx) && !mdl_workers_sleep(w)) {
        mdl_job_at(w->ctx, job)->since_ns = due;
        push_held(w, run, due);
    } else {
        push_line(w, r, run);
    }
    give_turn(w, slot);
    if (is_too_full(w, r)) {
        mdl_fleet_crash(w, slot);
    } else {
        mdl_slots_serve(w, slot);
    }
    return true;
}

void mdl_slots_occupy(struct mdl_workers *w, uint32_t run)
{
    struct mdl_replica *r = replica_at(w, mdl_run_at(&w->caller, run)->owner);
    mdl_line_push(&r->runs, mdl_hand_links(w), run);
    r->busy++;
    w->in_slots++;
    sq_level_move(&w->busy, mdl_now(w->ctx), 1);
}

/* Out of its line, wherever it is. A batch keeps its slot. */
static void take_out(struct mdl_workers *w, uint32_t run)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    struct mdl_replica *owner = replica_at(w, r->owner);
    struct mdl_links links = mdl_hand_links(w);
    if (r->phase == MDL_HAND_WAITS) {
        mdl_line_remove(&owner->line, links, run);
        w->in_line--;
    } else if (r->phase == MDL_HAND_HELD) {
        mdl_line_remove(&owner->held, links, run);
        sq_level_move(&w->held, mdl_now(w->ctx), -1);
    } else if (r->batch != 0) {
        struct mdl_slot_batch *b = mdl_batch_at(w, r->batch);
        mdl_line_remove(&b->members, links, run);
        b->current = b->current == run ? 0 : b->current;
        r->batch = 0;
        w->in_batches--;
    } else {
        mdl_line_remove(&owner->runs, links, run);
        w->in_slots--;
        owner->busy--;
        sq_level_move(&w->busy, mdl_now(w->ctx), -1);
    }
}

void mdl_slots_drop(struct mdl_workers *w, uint32_t run)
{
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    bool scouts = w->scout == run;
    take_out(w, run);
    replica_at(w, r->owner)->jobs--;
    r->phase = MDL_HAND_NONE;
    mdl_caller_finish(&w->caller, run);
    if (scouts) { /* it has not come to the call: another one goes */
        w->scout = 0;
        mdl_slots_ask_all(w);
    }
}

void mdl_slots_release(struct mdl_workers *w, uint32_t run)
{
    uint32_t slot = mdl_run_at(&w->caller, run)->owner;
    uint32_t batch = mdl_run_at(&w->caller, run)->batch;
    mdl_slots_drop(w, run);
    mdl_slots_next(w, slot, batch);
}

void mdl_slots_next(struct mdl_workers *w, uint32_t slot, uint32_t batch)
{
    if (batch != 0) {
        mdl_batch_next(w, batch);
    } else {
        mdl_slots_serve(w, slot);
    }
}

/* ---- delays in memory ---- */

void mdl_slots_hold(struct mdl_workers *w, uint32_t run, sq_time_t until)
{
    take_out(w, run);
    push_held(w, run, until);
}

void mdl_slots_resume(struct mdl_workers *w, uint32_t run, uint64_t seq)
{
    if (!MDL_RUN_WAITS_FOR(&w->caller, run, work_seq, seq)) {
        return;
    }
    struct mdl_run *r = mdl_run_at(&w->caller, run);
    r->work_seq = 0;
    if (r->phase == MDL_HAND_SLEEPS) {
        mdl_hand_awake(w, run);
        return;
    }
    uint32_t slot = r->owner;
    take_out(w, run);
    push_line(w, replica_at(w, slot), run);
    mdl_slots_serve(w, slot);
}
