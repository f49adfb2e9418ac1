/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_fluid_single.h - `squall run --fluid`: one run by the fluid model as a neutral result, with
 * the columns, metrics and moments that it has. */
#ifndef MDL_FLUID_SINGLE_H
#define MDL_FLUID_SINGLE_H

#include "models/mdl_scenario.h"
#include "sim/core/sq_result.h"

/* Fills `out` (zeroed; freed with sq_arena_fini(&out->arena), also after failure). SQ_USER: the
 * scenario is outside of the model, `diag` says with which keys. Where its figures are not to be
 * trusted the remarks of the result say so. `stop` is polled and may be NULL; then SQ_STOPPED, and
 * there is no result. */
enum sq_status mdl_fluid_single(const struct mdl_scenario *s, bool (*stop)(void),
                                struct sq_result *out, struct sq_diag *diag) SQ_MUST_USE;

#endif
