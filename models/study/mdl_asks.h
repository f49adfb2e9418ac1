/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_asks.h - the command lines of studies as what those studies ask for. */
#ifndef MDL_ASKS_H
#define MDL_ASKS_H

#include "models/study/mdl_args.h"
#include "models/study/mdl_check.h"
#include "models/study/mdl_compare.h"
#include "models/study/mdl_limits.h"
#include "models/study/mdl_sweep.h"

/* Fills in what the options say; check_every, stop and shows are the caller's. `a` must outlive the
 * ask. SQ_USER with what is wrong. */
enum sq_status mdl_asks_limits(const struct sq_args *args, struct mdl_args *a,
                               struct mdl_limits_ask *ask, struct sq_diag *diag) SQ_MUST_USE;

enum sq_status mdl_asks_compare(const struct sq_args *args, struct mdl_args *a,
                                struct mdl_compare_ask *ask, struct sq_diag *diag) SQ_MUST_USE;
enum sq_status mdl_asks_check(const struct sq_args *args, struct mdl_args *a,
                              struct mdl_check_ask *ask, struct sq_diag *diag) SQ_MUST_USE;

/* The environment is looked up by ask->env. */
enum sq_status mdl_asks_sweep(const struct sq_args *args, struct mdl_args *a,
                              struct mdl_sweep_ask *ask, struct sq_diag *diag) SQ_MUST_USE;

#endif
