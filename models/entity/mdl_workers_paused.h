/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_workers_paused.h - a pool that a control has paused: part of mdl_workers.c, not for others.
 *
 *     runs --refused--> stopped --would admit some--> probes --would admit all slots--> runs
 *                          ^---------refused------------+
 *
 * A pool that probes asks for one job at a time, the next one when the call of the last has left.
 */
#ifndef MDL_WORKERS_PAUSED_H
#define MDL_WORKERS_PAUSED_H

#include "models/entity/mdl_workers.h"

enum mdl_pause { MDL_PAUSE_RUNS, MDL_PAUSE_STOPPED, MDL_PAUSE_PROBES };

/* A control has turned the call of this run away. */
void mdl_pause_begin(struct mdl_workers *w, uint32_t run);

/* A control would admit so many. */
void mdl_pause_admits(struct mdl_workers *w, uint16_t control, uint32_t calls);

/* Jobs that the pool may ask for in all. */
static inline int64_t mdl_pause_bound(const struct mdl_workers *w)
{
    if (w->pause == MDL_PAUSE_RUNS) {
        return SQ_UNLIMITED;
    }
    return w->pause == MDL_PAUSE_PROBES && w->scout == 0 ? 1 : 0;
}

#endif
