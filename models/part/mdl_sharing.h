/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_sharing.h - egalitarian processor sharing: `among` servers divided equally among all that are
 * in service, none getting more than one whole server.
 *
 * A clock of attained service runs at rate min(1, among / n) while n are in service: every one of
 * them attains service at just that rate. One that enters when the clock shows v and needs s ends
 * when it shows v + s, however the rate changes until then; so a heap in order of these ends knows
 * who ends next, and a change costs O(log n). Equal ends leave in order of entry.
 *
 * The clock counts 2^-64 ns and loses less than that with each change. An end is the first whole
 * nanosecond at or after the exact one (2^-32 ns are forgiven, so that what the clock lost does not
 * push an end that is whole to the next one); what the others attain in that fraction of a
 * nanosecond is counted at the old rate. */
#ifndef MDL_SHARING_H
#define MDL_SHARING_H

#include "models/part/mdl_line.h"

typedef unsigned __int128 mdl_attained; /* ns * 2^64 */

struct mdl_sharer {
    mdl_attained end;
    uint64_t order;
    uint32_t slot;
};

struct mdl_sharing {
    struct mdl_links links; /* `next` of a record is its place in the heap */
    int64_t among;
    struct mdl_sharer *heap;
    uint32_t count, size;
    mdl_attained clock;
    sq_time_t since; /* until when the clock has been run */
    uint64_t entered;
    bool frozen;
};

/* A zeroed struct with links and among is an empty one. */
void mdl_sharing_fini(struct mdl_sharing *s);

/* `need` is service with a whole server. False: out of memory, nothing changed. */
bool mdl_sharing_add(struct mdl_sharing *s, sq_time_t now, uint32_t slot,
                     sq_time_t need) SQ_MUST_USE;

/* O(log n). */
void mdl_sharing_remove(struct mdl_sharing *s, sq_time_t now, uint32_t slot);

/* Who ends next; 0 when nobody is in service. */
uint32_t mdl_sharing_head(const struct mdl_sharing *s);

/* When the head ends if nothing changes (>= now); SQ_NEVER when nobody does. */
sq_time_t mdl_sharing_due(struct mdl_sharing *s, sq_time_t now);

/* Stops and restarts the clock. */
void mdl_sharing_freeze(struct mdl_sharing *s, sq_time_t now, bool frozen);

#endif
