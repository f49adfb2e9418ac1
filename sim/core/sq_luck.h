/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_luck.h - keyed randomness: a draw is a pure function of who draws, for what and the how-many-
 * eth time, never of what was drawn before. So job 17's third service time is the same number
 * whatever policy is under test, and adding an entity disturbs no other.
 *
 * One draw is one block of Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC'11; Random123 1.14):
 *   key     = splitmix64 finaliser over (seed, replication), 64 bits
 *   counter = stream:32 | ordinal:48 | attempt:24 | call:24   (attempt and call saturate)
 * A stream is the hash of (entity, purpose, producer) and is computed once at load; the loader
 * refuses two streams with one hash. */
#ifndef SQ_LUCK_H
#define SQ_LUCK_H

#include "sim/base/sq_base.h"

struct sq_luck {
    uint32_t key[2];
};

struct sq_luck sq_luck_init(uint64_t seed, uint64_t replication);

/* FNV-1a over the three texts with separators, folded to 32 bits. NULL counts as "". */
uint32_t sq_luck_stream(const char *entity, const char *purpose, const char *producer);

/* 64 random bits. */
uint64_t sq_luck_bits(const struct sq_luck *luck, uint32_t stream, uint64_t ordinal,
                      uint32_t attempt, uint32_t call);

/* Uniform in the open interval (0, 1): (k + 1/2) 2^-52. */
double sq_luck_uniform(const struct sq_luck *luck, uint32_t stream, uint64_t ordinal,
                       uint32_t attempt, uint32_t call);

#endif
