/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_member.h - the ordinals of the jobs of a closed population: member m's k-th job (from 0) has
 * one of its own, whatever the others do and however many they are, so that its luck is its own
 * too. In 48 bits:
 *
 *     0 m:16 k:31   members below 65536        1 0 m:23 k:23   the others
 *     1 1 n:46      the n-th job of no member: of the backlog, of a burst action
 *
 * k saturates. */
#ifndef MDL_MEMBER_H
#define MDL_MEMBER_H

#include <stdint.h>

#define MDL_MEMBERS_MAX (1 << 23)
#define MDL_NO_MEMBER   UINT32_MAX

static inline uint64_t mdl_member_ordinal(uint32_t member, uint64_t k)
{
    if (member < 1 << 16) {
        return (uint64_t)member << 31 | (k < 0x7fffffff ? k : 0x7fffffff);
    }
    return UINT64_C(1) << 47 | (uint64_t)member << 23 | (k < 0x7fffff ? k : 0x7fffff);
}

static inline uint64_t mdl_memberless_ordinal(uint64_t n)
{
    return UINT64_C(3) << 46 | n;
}

/* The member of such an ordinal, or MDL_NO_MEMBER. */
static inline uint32_t mdl_member_of(uint64_t ordinal)
{
    if (ordinal >> 47 == 0) {
        return (uint32_t)(ordinal >> 31);
    }
    return ordinal >> 46 == 3 ? MDL_NO_MEMBER : (uint32_t)(ordinal >> 23 & (MDL_MEMBERS_MAX - 1));
}

#endif
