/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_single.h - the runs of one variant, with the expectations about it judged. */
#ifndef MDL_SINGLE_H
#define MDL_SINGLE_H

#include "models/study/mdl_judge.h"
#include "models/study/mdl_replicate.h"

/* As mdl_replicate (`after` is used here); fills the verdicts of the result: the expectations about
 * the variant of `s`, in file order. Those that look at another variant stay open. */
enum sq_status mdl_single(const struct mdl_scenario *s, const struct mdl_expects *x,
                          const struct mdl_replicate_ask *ask, struct sq_result *out,
                          struct sq_diag *diag) SQ_MUST_USE;

/* Fills the verdicts of a result from the evidence: the expectations about `variant`. Their texts
 * are copied, so that they outlive the expectations. */
enum sq_status mdl_judge_into(const struct mdl_expects *x, const struct mdl_evidence *by_variant,
                              size_t variant, struct sq_result *out) SQ_MUST_USE;

#endif
