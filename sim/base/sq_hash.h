/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_hash.h - FNV-1a with 64 bits (Fowler, Noll and Vo): a short hash of texts, against accidents
 * and not against somebody who wants two texts of the same one. The same on every machine. */
#ifndef SQ_HASH_H
#define SQ_HASH_H

#include <stdint.h>

#define SQ_HASH_BASIS UINT64_C(0xcbf29ce484222325) /* the hash of nothing */
#define SQ_HASH_PRIME UINT64_C(0x00000100000001b3)

/* Goes on with one byte. */
static inline uint64_t sq_hash_byte(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * SQ_HASH_PRIME;
}

/* Goes on with a text, without its end. */
static inline uint64_t sq_hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) {
        hash = sq_hash_byte(hash, (unsigned char)*text);
    }
    return hash;
}

#endif
