/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_in.h - what the files of a worker pool share, not for others.
 *
 *     created --start_up--> ready --retired--> retiring --last job or grace--> gone
 *                 ^---- crash --+ */
#ifndef MDL_WORKERS_IN_H
#define MDL_WORKERS_IN_H

#include "models/entity/mdl_workers.h"
#include "models/entity/mdl_workers_paused.h"
#include "models/policy/mdl_scaler.h"

/* What the run record of a job in hand is about. */
enum mdl_hand {
    MDL_HAND_NONE,   /* it is free */
    MDL_HAND_WAITS,  /* for a slot, in the line of its replica */
    MDL_HAND_TURN,   /* in a batch, for its turn */
    MDL_HAND_PAYS,   /* the cost of its delivery, in a slot */
    MDL_HAND_RUNS,   /* in a slot */
    MDL_HAND_DONE,   /* in a batch that ends as a whole */
    MDL_HAND_FAILED, /* likewise */
    MDL_HAND_SLEEPS, /* its delay, in a slot */
    MDL_HAND_HELD,   /* its delay lives in memory */
};

static inline struct mdl_replica *mdl_replica_at(const struct mdl_workers *w, uint32_t slot)
{
    return sq_pool_at(&w->replicas, slot);
}

static inline struct mdl_slot_batch *mdl_batch_at(const struct mdl_workers *w, uint32_t slot)
{
    return sq_pool_at(&w->batches, slot);
}

/* Links of runs, whichever line of a replica or batch they stand in. */
static inline struct mdl_links mdl_hand_links(const struct mdl_workers *w)
{
    return (struct mdl_links){ &w->caller.runs, offsetof(struct mdl_run, next) };
}

static inline struct mdl_links mdl_batch_links(const struct mdl_workers *w)
{
    return (struct mdl_links){ &w->batches, offsetof(struct mdl_slot_batch, next) };
}

/* ---- replicas: mdl_workers_fleet.c ---- */

/* The replicas of time 0, ready at once. */
void mdl_fleet_open(struct mdl_workers *w);

/* Wants so many replicas: creates new ones, or retires starting ones, then the youngest. */
void mdl_fleet_scale(struct mdl_workers *w, int64_t wanted);

/* Replaces all replicas that exist now, this share of them at a time. */
void mdl_fleet_deploy(struct mdl_workers *w, double at_once);

void mdl_fleet_started(struct mdl_workers *w, uint32_t replica, uint64_t seq);
void mdl_fleet_grace(struct mdl_workers *w, uint32_t replica, uint64_t seq);
void mdl_fleet_crashes(struct mdl_workers *w, uint32_t replica, uint64_t seq);

/* It crashes: a ready one starts again, a retiring one is gone. */
void mdl_fleet_crash(struct mdl_workers *w, uint32_t replica);

/* A ready replica that has run once: it ends, and nobody wants it back. */
void mdl_fleet_finish(struct mdl_workers *w, uint32_t replica);

/* A retiring replica is gone. */
void mdl_fleet_gone(struct mdl_workers *w, uint32_t replica, unsigned crashed);

/* `replicas`, `slots`, `prefetch` or `held_limit` were set by an action. */
void mdl_fleet_changed(struct mdl_workers *w);

/* The run has begun to wait: at a control, in a retired replica, it goes back at once. */
void mdl_fleet_look(struct mdl_workers *w, uint32_t run);

/* ---- lines and slots of replicas: mdl_workers_slots.c ---- */

/* Brings what the queues are asked for in line with the room there is. */
void mdl_slots_ask(struct mdl_workers *w, uint32_t replica);
void mdl_slots_ask_all(struct mdl_workers *w);

/* Slots have changed: replicas go on with their lines, and ask for what they have room for. */
void mdl_slots_go_on(struct mdl_workers *w);

/* So many slots and so on, from now on. */
void mdl_slots_set(struct mdl_workers *w);

/* A delivered job goes to a replica with room. False: there is none any more. */
bool mdl_slots_receive(struct mdl_workers *w, uint32_t job);

/* Takes jobs from the line into free slots; then asks for more, or is gone. */
void mdl_slots_serve(struct mdl_workers *w, uint32_t replica);

/* The same for batches, when all that comes at this instant has come. */
void mdl_slots_fill(struct mdl_workers *w, uint32_t replica, uint64_t seq);

/* The run takes a slot; gives it back, and the replica goes on. */
void mdl_slots_occupy(struct mdl_workers *w, uint32_t run);
void mdl_slots_release(struct mdl_workers *w, uint32_t run);

/* A job has left its slot, or its batch (0: none): what comes next there. */
void mdl_slots_next(struct mdl_workers *w, uint32_t replica, uint32_t batch);

/* Out of the line or slot it is in, and freed; nothing else happens. */
void mdl_slots_drop(struct mdl_workers *w, uint32_t run);

/* Its delay, until then, lives in memory from now on. The slot is free, and not asked for. */
void mdl_slots_hold(struct mdl_workers *w, uint32_t run, sq_time_t until);
void mdl_slots_resume(struct mdl_workers *w, uint32_t run, uint64_t seq);

/* Nothing is in its hands. */
bool mdl_slots_empty(const struct mdl_replica *r);

/* Delays of its job layer are slept in the slot. */
static inline bool mdl_workers_sleep(const struct mdl_workers *w)
{
    return w->cfg->retry != NULL && w->cfg->retry->held_by == MDL_HELD_SLOT;
}

/* All that a replica takes, if it runs once: whether it has had it. */
bool mdl_slots_filled(const struct mdl_workers *w, const struct mdl_replica *r);

/* ---- slots that follow the jobs in a replica's hands: mdl_workers_scale.c ---- */

/* Celery's autoscale; the first look comes after one period. */
void mdl_scale_start(struct mdl_workers *w);

/* Its clock: looks at every ready replica. */
void mdl_scale_sync(struct mdl_workers *w);

/* Whether the pool has such a scaler. */
static inline bool mdl_scale_is_on(const struct mdl_workers *w)
{
    const struct sq_block *s = &w->cfg->autoscaler;
    return s->kind != NULL && mdl_scaler_row(s)->slots;
}

/* The slots of a new replica. */
int64_t mdl_scale_first(const struct mdl_workers *w);

/* A job has come into its hands, or time has passed: the slots of a ready replica may change. */
void mdl_scale_look(struct mdl_workers *w, struct mdl_replica *r);

/* So many slots are in force in a replica from now on; who calls this sees to its line. */
void mdl_scale_set(struct mdl_workers *w, struct mdl_replica *r, int64_t slots);

/* ---- batches: mdl_workers_batch.c ---- */

/* A batch of jobs from the line takes a slot. */
void mdl_batch_start(struct mdl_workers *w, uint32_t replica);

/* The member whose turn it was is over: the next one, or the end of the batch. */
void mdl_batch_next(struct mdl_workers *w, uint32_t batch);

/* One without members, in a replica that crashes. */
void mdl_batch_drop(struct mdl_workers *w, uint32_t batch);

static inline bool mdl_batch_is_whole(const struct mdl_workers *w)
{
    return w->cfg->batch != NULL && w->cfg->batch->failure == MDL_BATCH_WHOLE;
}

/* ---- a job in a replica's hands, from the start of its run to its end: mdl_workers_hand.c ---- */

/* The job's turn has come in a slot of its replica: runs it, or ends it when it is too late. */
void mdl_hand_start(struct mdl_workers *w, uint32_t run);

/* Its own work, or the cost of its delivery, is over. */
void mdl_hand_worked(struct mdl_workers *w, uint32_t run, uint64_t seq);

/* A delay in its slot is over. */
void mdl_hand_awake(struct mdl_workers *w, uint32_t run);

/* Ends a run unless it waits; then the slot is free for the next job. */
void mdl_hand_act(struct mdl_workers *w, struct mdl_verdict v);

/* How a job ends after its run: settled, back at the broker, or (false) kept in hand. The run is
 * still to be dropped. */
bool mdl_hand_conclude(struct mdl_workers *w, uint32_t run, const struct mdl_verdict *v);

/* The job leaves a replica that goes away: back to its queue, or lost. The run is still to be
 * dropped. */
void mdl_hand_give_back(struct mdl_workers *w, uint32_t run, bool crashed);

#endif
