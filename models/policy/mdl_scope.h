/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_scope.h - the key `scope` of every control (SCENARIO 8). */
#ifndef MDL_SCOPE_H
#define MDL_SCOPE_H

#include "sim/conf/sq_rows.h"

enum mdl_scope { MDL_SCOPE_FLEET, MDL_SCOPE_CALLER, MDL_SCOPE_REPLICA };
extern const char *const mdl_scope_words[]; /* models/part/mdl_state.c */

/* Its row; `m` is an int member. */
#define MDL_ROW_SCOPE(T, m)                                               \
    SQ_ROW_CHOICE(T, m, "scope", "fleet", mdl_scope_words, 0,             \
                  "Whose state it is: one in all, one per caller entry, " \
                  "or one per replica, client process, member or node.")

#endif
