/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_excess.h - why a run cannot go on: memory, a stated maximum, or time that stands still; what
 * fills it up, and what would help. */
#ifndef MDL_EXCESS_H
#define MDL_EXCESS_H

#include "models/mdl_world.h"

/* Notes it for a run that ended, or could not begin, with SQ_NOMEM or SQ_LIMIT. Returns SQ_LIMIT
 * when a stated maximum was the reason, SQ_NOMEM when the machine had no memory left (and then it
 * may be that there was none for the note either). */
enum sq_status mdl_excess_note(const struct mdl_world *w, enum sq_status status,
                               struct sq_diag *diag);

/* Notes that what is kept of finished runs found no room: timelines, bands, metrics. SQ_NOMEM. */
enum sq_status mdl_excess_note_kept(const char *file, struct sq_diag *diag);

#endif
