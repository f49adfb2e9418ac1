/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_stuff.h - what charts are made of: folders, read back. */
#ifndef PLT_STUFF_H
#define PLT_STUFF_H

#include "sim/conf/sq_load.h"
#include "sim/core/sq_grid.h"
#include "sim/core/sq_tipping.h"

enum plt_stuff_kind { PLT_OF_RUN, PLT_OF_COMPARISON, PLT_OF_SWEEP, PLT_OF_LIMITS };

/* Of runs and comparisons: the results of all folders, with their timelines; of a sweep the grid,
 * of a search for a limit its trials. A zeroed struct is empty. */
struct plt_stuff {
    enum plt_stuff_kind kind;
    struct sq_arena arena;
    struct sq_loaded *loaded; /* by folder */
    size_t loaded_count;
    size_t count; /* > 0: of runs and comparisons */
    const struct sq_result **results;
    const char **verdicts; /* by result: a sentence, or NULL */
    const char *metric;    /* what was asked for of a sweep; NULL: P(collapse) */
    struct sq_grid grid;
    struct sq_limits limits;
};

/* Reads the folders. With `variant` only the results of this name remain. SQ_USER, SQ_NOMEM. */
enum sq_status plt_stuff_read(struct plt_stuff *s, const char *const *folders, size_t count,
                              const char *variant, struct sq_diag *diag) SQ_MUST_USE;
void plt_stuff_fini(struct plt_stuff *s); /* also after failure */

#endif
