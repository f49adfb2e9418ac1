/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_mem.h - all memory of the program: checked allocation, arenas, and pools of equal slots.
 *
 * Nothing outside sim/base calls malloc or free. Every allocation passes one hook, so that a
 * test can let the n-th one fail. */
#ifndef SQ_MEM_H
#define SQ_MEM_H

#include "sim/base/sq_base.h"

/* Zeroed memory for `count` items of `size` bytes, or NULL (out of memory or overflow).
 * Free with sq_mem_free. */
void *sq_mem_alloc(size_t count, size_t size) SQ_MUST_USE;

/* Resizes like realloc, new bytes uninitialised; on failure NULL, and `old` stays valid. */
void *sq_mem_resize(void *old, size_t count, size_t size) SQ_MUST_USE;

enum { SQ_HUGE_PAGE = 1 << 21 };

/* Zeroed memory of `bytes`, a multiple of SQ_HUGE_PAGE, or NULL. It starts at a huge page and asks
 * the system for such: a jump into a large table then costs one cache miss, not two, and one page
 * fault instead of 512. Where the system has none it works all the same. What is never touched
 * costs address space only. `*memory` is for sq_mem_free. */
void *sq_mem_huge(size_t bytes, void **memory) SQ_MUST_USE;

void sq_mem_free(void *p);

/* All allocations together may take so many bytes, SIZE_MAX (as at the start): any number. One that
 * would take more fails as if the machine had none, and sq_mem_is_over says from then on that this
 * was the reason. Shared by all threads; set before work begins. */
void sq_mem_set_limit(size_t bytes);
size_t sq_mem_limit(void);
size_t sq_mem_used(void);
bool sq_mem_is_over(void);

/* What a program may take unless told otherwise: 8 GiB, or three quarters of what this machine,
 * container, service or `ulimit -v` gives, if that is less. */
size_t sq_mem_default_limit(void);

/* Tests only: the allocation after `n` more successful ones fails, and all later ones (_once: later
 * ones do not); a negative n switches it off. The count is shared by all threads. */
void sq_mem_fail_after(long n);
void sq_mem_fail_once(long n);
long sq_mem_fails_left(void); /* until the first failure; -1: it is switched off, or over */

/* Arena: many small allocations, freed together. Memory is zeroed, aligned to 16 bytes and
 * stays at its address until sq_arena_fini. A zeroed struct sq_arena is a valid empty one. */
struct sq_arena {
    struct sq_arena_block *head;
    size_t used, size; /* of the head block */
    size_t all;        /* bytes of all blocks */
};

void sq_arena_fini(struct sq_arena *a);

/* Frees everything in it, and keeps the memory, in one piece, for what comes next: for work that
 * is done again and again and needs about as much each time. */
void sq_arena_reset(struct sq_arena *a);

/* NULL when out of memory. */
void *sq_arena_alloc(struct sq_arena *a, size_t count, size_t size) SQ_MUST_USE;

/* A copy of the first `len` bytes with a terminating NUL. NULL when out of memory. */
char *sq_arena_text(struct sq_arena *a, const char *s, size_t len) SQ_MUST_USE;
char *sq_arena_printf(struct sq_arena *a, const char *fmt, ...) SQ_PRINTF(2, 3) SQ_MUST_USE;

/* Pool: slots of one size, named by a 32-bit number. A slot keeps its address while it is in use
 * (chunks are never moved), so growing copies nothing. Slot 0 is never handed out: 0 means
 * "none". Freed slots are reused last-in first-out, so the numbers depend on the calls alone. */
struct sq_pool {
    char **chunks;
    void **blocks; /* [chunk]: the memory that it is the first chunk of, or NULL */
    size_t slot_size;
    uint32_t chunk_count, chunk_max, free_head, used, fresh, limit;
    uint32_t spare; /* chunks left in the newest block, behind the newest one */
};

#define SQ_UNCHECKED __attribute__((no_sanitize("address")))

enum { SQ_POOL_SHIFT = 12 }; /* slots per chunk, as a power of two */

/* `limit`: the most slots in use at once. Allocates nothing yet. slot_size is rounded up to 8. */
void sq_pool_init(struct sq_pool *p, size_t slot_size, uint32_t limit);
void sq_pool_fini(struct sq_pool *p);

/* A zeroed slot, or 0 when memory or the limit is exhausted (p->used == p->limit tells which). */
uint32_t sq_pool_take(struct sq_pool *p) SQ_MUST_USE;
void sq_pool_give(struct sq_pool *p, uint32_t slot);

/* Address of a slot in use. O(1). */
static inline void *sq_pool_at(const struct sq_pool *p, uint32_t slot)
{
    SQ_DEBUG_ASSERT(slot > 0 && slot <= p->fresh);
    return p->chunks[slot >> SQ_POOL_SHIFT] +
           (size_t)(slot & ((1u << SQ_POOL_SHIFT) - 1)) * p->slot_size;
}

/* Reads a 64-bit or 8-bit member of a slot that may be free again: a late event tells by the number
 * in its record that nobody waits for it. A free slot keeps what it held, but for its first four
 * bytes. The one way to read a free slot that the address sanitizer lets pass. */
SQ_UNCHECKED static inline uint64_t sq_pool_peek64(const struct sq_pool *p, uint32_t slot,
                                                   size_t off)
{
    return *(const uint64_t *)(const void *)((const char *)sq_pool_at(p, slot) + off);
}

SQ_UNCHECKED static inline uint8_t sq_pool_peek8(const struct sq_pool *p, uint32_t slot, size_t off)
{
    return *((const uint8_t *)sq_pool_at(p, slot) + off);
}

#endif
