/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_in.h - what the files of a worker pool share, not for others.
 *
 *     created --start_up--> ready --retired--> retiring --last job or grace--> gone
 *                 ^---- crash --+ */
#ifndef MDL_WORKERS_IN_H
#define MDL_WORKERS_IN_H

#include "models/entity/mdl_workers.h"

/* ---- replicas: mdl_workers_fleet.c ---- */

/* The replicas of time 0, ready at once. */
void mdl_fleet_open(struct mdl_workers *w);

/* Wants so many replicas: creates new ones, or retires starting ones, then the youngest. */
void mdl_fleet_scale(struct mdl_workers *w, int64_t wanted);

void mdl_fleet_started(struct mdl_workers *w, uint32_t replica, uint64_t seq);
void mdl_fleet_grace(struct mdl_workers *w, uint32_t replica, uint64_t seq);
void mdl_fleet_crash(struct mdl_workers *w, uint32_t replica, uint64_t seq);

/* `replicas`, `slots` or `prefetch` were set by an action. */
void mdl_fleet_changed(struct mdl_workers *w);

/* Paused: nothing new is fetched; what runs goes on. */
void mdl_fleet_pause(struct mdl_workers *w, bool paused);

/* A delivered job goes to a replica with room. False: there is none any more. */
bool mdl_fleet_receive(struct mdl_workers *w, uint32_t job);

/* The run takes a slot of its replica; gives it back, and the replica goes on with its line, or
 * asks for more. */
void mdl_fleet_occupy(struct mdl_workers *w, uint32_t run);
void mdl_fleet_release(struct mdl_workers *w, uint32_t run);

/* The run has begun to wait: at a control, in a retired replica, it goes back at once. */
void mdl_fleet_look(struct mdl_workers *w, uint32_t run);

static inline struct mdl_replica *mdl_replica_at(const struct mdl_workers *w, uint32_t slot)
{
    return sq_pool_at(&w->replicas, slot);
}

/* ---- a job in a replica's hands, from the start of its run to its end: mdl_workers_hand.c ---- */

/* What the run of a job in hand is about. */
enum mdl_hand {
    MDL_HAND_NONE,  /* the run record is free */
    MDL_HAND_WAITS, /* for a slot */
    MDL_HAND_PAYS,  /* the cost of its delivery */
    MDL_HAND_RUNS,
};

/* The job's turn has come in a slot of its replica: runs it, or ends it when it is too late. */
void mdl_hand_start(struct mdl_workers *w, uint32_t run);

/* Its own work, or the cost of its delivery, is over. */
void mdl_hand_worked(struct mdl_workers *w, uint32_t run, uint64_t seq);

/* Ends a run unless it waits; then the slot is free for the next job. */
void mdl_hand_act(struct mdl_workers *w, struct mdl_verdict v);

/* The job leaves a replica that goes away: back to its queue, or lost. The run is still to be taken
 * out and finished. */
void mdl_hand_give_back(struct mdl_workers *w, uint32_t run, bool crashed);

#endif
