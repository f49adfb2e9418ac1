/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_trouble.h - when trouble begins and ends (SCENARIO 8, `starts: errors-stop`): it begins when
 * of the calls that ended within the last 10 s, at least 5, half or more had failed, and ends when
 * 5 in a row succeeded; then the window is emptied. A call exactly 10 s ago is outside.
 *
 * A zeroed one is empty. Its ring grows with the calls of 10 s. */
#ifndef MDL_TROUBLE_H
#define MDL_TROUBLE_H

#include "sim/base/sq_base.h"

/* The calls that ended within the window, oldest first. */
struct mdl_ended {
    sq_time_t at;
    bool failed;
};
struct mdl_trouble {
    struct mdl_ended *ring;
    uint32_t head, count, size; /* size: a power of two */
    uint32_t failed;            /* of the count */
    uint32_t ok_in_row;
    bool on;
};

enum mdl_turn { MDL_TURN_NONE, MDL_TURN_BEGINS, MDL_TURN_ENDS, MDL_TURN_NO_MEMORY };

/* A call ended. `now` never goes back. */
enum mdl_turn mdl_trouble_note(struct mdl_trouble *t, sq_time_t now, bool failed);
void mdl_trouble_fini(struct mdl_trouble *t);

#endif
