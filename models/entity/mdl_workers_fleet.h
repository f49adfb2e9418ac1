/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_fleet.h - the replicas of a worker pool: part of mdl_workers.c, not for others.
 *
 *     created --start_up--> ready --retired--> retiring --last job or grace--> gone */
#ifndef MDL_WORKERS_FLEET_H
#define MDL_WORKERS_FLEET_H

#include "models/entity/mdl_workers.h"

/* The replicas of time 0, ready at once. */
void mdl_fleet_open(struct mdl_workers *w);

/* Wants so many replicas: creates new ones, or retires starting ones, then the youngest. */
void mdl_fleet_scale(struct mdl_workers *w, int64_t wanted);

void mdl_fleet_started(struct mdl_workers *w, uint32_t replica, uint64_t seq);
void mdl_fleet_grace(struct mdl_workers *w, uint32_t replica, uint64_t seq);

/* `replicas` or `slots` were set by an action. */
void mdl_fleet_changed(struct mdl_workers *w);

/* Paused: nothing new is fetched; what runs goes on. */
void mdl_fleet_pause(struct mdl_workers *w, bool paused);

/* A run takes a slot of the replica; gives it back, and the slot asks for the next job. */
void mdl_fleet_occupy(struct mdl_workers *w, uint32_t replica, uint32_t run);
void mdl_fleet_release(struct mdl_workers *w, uint32_t run);

/* Asks the queue for so many jobs (negative: for fewer). */
void mdl_fleet_fetch(struct mdl_workers *w, int64_t count);

#endif
