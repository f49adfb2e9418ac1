/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_load_limits.h - a search for a limit back from the files that sq_save_limits.h writes. What
 * is not in them stays empty: the range, the file's own value, how narrow it was searched. */
#ifndef SQ_LOAD_LIMITS_H
#define SQ_LOAD_LIMITS_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_tipping.h"

/* Reads limits.json and limits.csv. Values are in the unit of the file (unit_value is 1), and of
 * words text and value come back. `out` is zeroed and freed with sq_arena_fini(&out->arena), also
 * after failure. SQ_USER when the files cannot be read. */
enum sq_status sq_load_limits(const char *folder, struct sq_limits *out,
                              struct sq_diag *diag) SQ_MUST_USE;

#endif
