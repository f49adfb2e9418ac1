/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_save_limits.h - a search for a limit as limits.csv: one row per value that was tried.
 *
 *     way         limit; falls and returns for a study of both ways
 *     key, text   the key, and the value as a person writes it
 *     value       the same as a number: seconds, per second, or as it is
 *     holds       yes or no
 *     runs, held, held_lo, held_hi                 share of runs in which it holds, 95 % Wilson
 *     collapsed, collapsed_lo, collapsed_hi        share of runs that collapse
 *     observed    median of the side that is compared; empty when null or a word
 *     edge        holds and fails at the two values between which the limit lies
 *
 * and beside it limits.json, what was looked for:
 *     "squall": {"version", "format": 1}
 *     "limits": {"title", "file", "variant", "hash", "seed", "runs", "key", "unit", "until", "in"}
 *     "files": the length and a hash of limits.csv (sq_seal.h) */
#ifndef SQ_SAVE_LIMITS_H
#define SQ_SAVE_LIMITS_H

#include "sim/core/sq_tipping.h"
#include "sim/base/sq_buf.h"

enum sq_status sq_save_limits_csv(const struct sq_limits *l, struct sq_buf *out) SQ_MUST_USE;

enum sq_status sq_save_limits_json(const struct sq_limits *l, struct sq_buf *out) SQ_MUST_USE;

#endif
