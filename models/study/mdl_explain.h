/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_explain.h - a scenario with every shorthand, preset and default written out. */
#ifndef MDL_EXPLAIN_H
#define MDL_EXPLAIN_H

#include "models/mdl_scenario.h"
#include "sim/base/sq_opt.h"

/* Loads and checks it, expectations included, and appends the text: YAML that reads back. */
enum sq_status mdl_explain(const struct mdl_ask *ask, struct sq_buf *out,
                           struct sq_diag *diag) SQ_MUST_USE;

/* The page of `squall explain`. */
enum sq_status mdl_explain_page(const struct sq_args *args, struct sq_buf *out,
                                struct sq_diag *diag) SQ_MUST_USE;

#endif
