/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_luck.c - keyed draws; the one door to Random123. */
#include "sim/core/sq_luck.h"
#include "sim/base/sq_hash.h"

/* The library is written for many compilers and trips some of our stricter warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

#define ORDINAL_LIMIT (UINT64_C(1) << 48)
#define FIELD_MAX     UINT32_C(0xffffff) /* attempt and call: 24 bits each */

/* The finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014; constants: Stafford's mix 13). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* For a fixed seed the map replication -> key is one-to-one, so no two replications of a study
 * ever share their luck; the same holds for seeds at a fixed replication. */
struct sq_luck sq_luck_init(uint64_t seed, uint64_t replication)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio, odd */
    uint64_t key = mix(mix(seed + golden) + replication * golden);
    return (struct sq_luck){ .key = { (uint32_t)key, (uint32_t)(key >> 32) } };
}

/* Goes on with a text and the zero byte behind it, which no text contains: ("ab", "c") and
 * ("a", "bc") differ. */
static uint64_t hash_name(uint64_t hash, const char *s)
{
    return sq_hash_byte(sq_hash_text(hash, s != NULL ? s : ""), 0);
}

uint32_t sq_luck_stream(const char *entity, const char *purpose, const char *producer)
{
    uint64_t hash = hash_name(SQ_HASH_BASIS, entity);
    hash = hash_name(hash, purpose);
    hash = hash_name(hash, producer);
    return (uint32_t)(hash ^ (hash >> 32));
}

/* The counter is the 128-bit number stream:32 | ordinal:48 | attempt:24 | call:24, its most
 * significant word first. */
uint64_t sq_luck_bits(const struct sq_luck *luck, uint32_t stream, uint64_t ordinal,
                      uint32_t attempt, uint32_t call)
{
    SQ_ASSERT(ordinal < ORDINAL_LIMIT);
    attempt = attempt < FIELD_MAX ? attempt : FIELD_MAX;
    call = call < FIELD_MAX ? call : FIELD_MAX;
    philox4x32_ctr_t counter = { { stream, (uint32_t)(ordinal >> 16),
                                   (uint32_t)(ordinal & 0xffff) << 16 | attempt >> 8,
                                   (attempt & 0xff) << 24 | call } };
    philox4x32_key_t key = { { luck->key[0], luck->key[1] } };
    philox4x32_ctr_t block = philox4x32_R(10, counter, key);
    return (uint64_t)block.v[1] << 32 | block.v[0];
}

double sq_luck_uniform(const struct sq_luck *luck, uint32_t stream, uint64_t ordinal,
                       uint32_t attempt, uint32_t call)
{
    uint64_t k = sq_luck_bits(luck, stream, ordinal, attempt, call) >> 12;
    return ((double)k + 0.5) * 0x1p-52;
}
