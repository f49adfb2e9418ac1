/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_wiring.h - builds the entities of a world and wires them, each kind in order of name, so that
 * the order of declaration in the file means nothing. */
#ifndef MDL_WIRING_H
#define MDL_WIRING_H

#include "models/mdl_world.h"

/* Makes the entities and gives them their actor numbers. */
enum sq_status mdl_wiring_build(struct mdl_world *w) SQ_MUST_USE;

/* Connects them and lets them post their first events. */
enum sq_status mdl_wiring_start(struct mdl_world *w) SQ_MUST_USE;

/* Whom each control stands before, and which callers are worker pools. */
enum sq_status mdl_wiring_controls(struct mdl_world *w) SQ_MUST_USE;

/* Resolves the paths and names of actions and posts them. */
enum sq_status mdl_wiring_actions(struct mdl_world *w) SQ_MUST_USE;

/* Entities by name; references are checked at load. */
struct mdl_queue *mdl_wiring_queue(const struct mdl_world *w, const char *name);
struct mdl_dependency *mdl_wiring_dependency(const struct mdl_world *w, const char *name);

/* The autoscaler of a pool, if it has one. */
enum sq_status mdl_wiring_scaler(struct mdl_world *w, struct mdl_workers *p) SQ_MUST_USE;

/* The autoscaler of the nodes of a dependency, if it has one. */
enum sq_status mdl_wiring_node_scaler(struct mdl_world *w, struct mdl_dependency *d) SQ_MUST_USE;

/* The resolution of the age of a queue's oldest job: for charts the one of the timeline; what an
 * autoscaler sees are whole seconds, as long as those are not too many. */
sq_time_t mdl_wiring_age_bin(const struct mdl_world *w, const struct mdl_queue *q);

#endif
