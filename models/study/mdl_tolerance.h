/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_tolerance.h - how far a metric may move from its baseline: --tolerance METRIC=SHARE[,AMOUNT]
 * or METRIC=off, where METRIC may have * for any text. Without one a metric may move by 5 %, and
 * run.*, which is about the program, is not compared. Of several that fit the last one counts. */
#ifndef MDL_TOLERANCE_H
#define MDL_TOLERANCE_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_shift.h"

enum { MDL_MAX_TOLERANCES = 64 };

struct mdl_tolerance {
    const char *text; /* as given */
    size_t len;       /* of METRIC */
    struct sq_tolerance is;
};

struct mdl_tolerances {
    size_t count;
    struct mdl_tolerance items[MDL_MAX_TOLERANCES];
};

/* Adds what the text says; `text` is borrowed. SQ_USER with what is wrong. */
enum sq_status mdl_tolerance_add(struct mdl_tolerances *t, const char *text,
                                 struct sq_diag *diag) SQ_MUST_USE;

struct sq_tolerance mdl_tolerance_of(const struct mdl_tolerances *t, const char *metric);

/* Whether METRIC of an item fits the name. */
bool mdl_tolerance_fits(const struct mdl_tolerance *t, const char *metric);

#endif
