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

#endif
