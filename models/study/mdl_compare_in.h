/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_compare_in.h - what the files of mdl_compare share. */
#ifndef MDL_COMPARE_IN_H
#define MDL_COMPARE_IN_H

#include "models/study/mdl_cell.h"
#include "models/study/mdl_compare.h"

/* Chooses variants; the files are read. */
enum sq_status mdl_compare_pick(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                                struct sq_diag *diag) SQ_MUST_USE;

/* Reads the chosen ones. */
enum sq_status mdl_compare_load(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                                struct sq_diag *diag) SQ_MUST_USE;

/* Takes the names of a list; one of the variants must have each. */
enum sq_status mdl_compare_metrics(struct mdl_compare *c, const char *list,
                                   struct sq_diag *diag) SQ_MUST_USE;

#endif
