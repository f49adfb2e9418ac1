/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_batch.c - jobs that share a slot: run one after the other, and, unless each fails for
 * itself, they succeed only if all do. */
#include "models/entity/mdl_workers_in.h"

void mdl_batch_drop(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_slot_batch *b = mdl_batch_at(w, slot);
    struct mdl_replica *r = mdl_replica_at(w, b->replica);
    SQ_ASSERT(b->members.count == 0);
    mdl_line_remove(&r->batches, mdl_batch_links(w), slot);
    r->busy--;
    sq_level_move(&w->busy, mdl_now(w->ctx), -1);
    sq_pool_give(&w->batches, slot);
}

/* All have run: what is kept until now is settled as one. */
static void finish(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_slot_batch *b = mdl_batch_at(w, slot);
    uint32_t replica = b->replica;
    struct mdl_verdict v = { .step = b->failed ? MDL_STEP_FAILED : MDL_STEP_DONE,
                             .error = MDL_ERR_ERROR,
                             .hint = SQ_NEVER };
    while (b->members.head != 0) {
        v.run = b->members.head;
        const struct mdl_run *member = mdl_run_at(&w->caller, v.run);
        if (b->failed && member->phase == MDL_HAND_DONE) { /* it comes back for another's failure */
            mdl_job_at(w->ctx, member->job)->flags |= MDL_JOB_RETURNED;
        }
        if (mdl_hand_conclude(w, v.run, &v)) {
            mdl_slots_drop(w, v.run);
        }
    }
    mdl_batch_drop(w, slot);
    mdl_slots_serve(w, replica);
}

/* The loop sees to the next one when a member is over at once. */
void mdl_batch_next(struct mdl_workers *w, uint32_t slot)
{
    struct mdl_slot_batch *b = mdl_batch_at(w, slot);
    if (b->going) {
        return;
    }
    b->going = true;
    while (b->current == 0 && b->turn != 0) {
        b->current = b->turn;
        b->turn = mdl_run_at(&w->caller, b->current)->next;
        mdl_hand_start(w, b->current);
    }
    b->going = false;
    if (b->current == 0) {
        finish(w, slot);
    }
}

void mdl_batch_start(struct mdl_workers *w, uint32_t replica)
{
    struct mdl_replica *r = mdl_replica_at(w, replica);
    uint32_t slot = sq_pool_take(&w->batches);
    if (slot == 0) {
        w->ctx->failed = true;
        sq_sim_stop(&w->ctx->sim);
        return;
    }
    struct mdl_slot_batch *b = mdl_batch_at(w, slot);
    *b = (struct mdl_slot_batch){ .replica = replica };
    mdl_line_push(&r->batches, mdl_batch_links(w), slot);
    r->busy++;
    sq_level_move(&w->busy, mdl_now(w->ctx), 1);
    while (r->line.count > 0 && b->members.count < w->cfg->batch->size) {
        uint32_t run = mdl_line_pop(&r->line, mdl_hand_links(w));
        struct mdl_run *member = mdl_run_at(&w->caller, run);
        member->phase = MDL_HAND_TURN;
        member->batch = slot;
        mdl_line_push(&b->members, mdl_hand_links(w), run);
        w->in_line--;
        w->in_batches++;
    }
    b->turn = b->members.head;
    mdl_batch_next(w, slot);
}
