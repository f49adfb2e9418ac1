/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_mem.c - the one door to malloc, and the two allocators built on it. */
#define _DEFAULT_SOURCE /* madvise */
#include "sim/base/sq_mem.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define MEM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEM_ASAN 1
#endif
#endif
#ifdef MEM_ASAN
#include <sanitizer/asan_interface.h>
#define MEM_POISON(p, n)   __asan_poison_memory_region(p, n)
#define MEM_UNPOISON(p, n) __asan_unpoison_memory_region(p, n)
#else
#define MEM_POISON(p, n)   ((void)(p), (void)(n))
#define MEM_UNPOISON(p, n) ((void)(p), (void)(n))
#endif

/* Successful allocations left before the first failure; negative: no failures. Written by tests
 * only; the product never changes it. */
static atomic_long mem_left = -1;
static atomic_bool mem_once; /* only that one fails */

/* The budget of all threads together, set once before work begins. */
static atomic_size_t mem_budget = SIZE_MAX, mem_used;
static atomic_bool mem_over;

static bool mem_refused(void)
{
    long left = atomic_load_explicit(&mem_left, memory_order_relaxed);
    while (left > 0) {
        if (atomic_compare_exchange_weak(&mem_left, &left, left - 1)) {
            return false;
        }
    }
    if (left == 0 && atomic_load(&mem_once)) {
        atomic_store(&mem_left, -1);
    }
    return left == 0;
}

void sq_mem_fail_after(long n)
{
    atomic_store(&mem_once, false);
    atomic_store(&mem_left, n < 0 ? -1 : n);
}

void sq_mem_fail_once(long n)
{
    atomic_store(&mem_once, true);
    atomic_store(&mem_left, n < 0 ? -1 : n);
}

long sq_mem_fails_left(void)
{
    return atomic_load(&mem_left);
}

void sq_mem_set_limit(size_t bytes)
{
    atomic_store(&mem_budget, bytes);
    atomic_store(&mem_over, false);
}

size_t sq_mem_limit(void)
{
    return atomic_load(&mem_budget);
}

size_t sq_mem_used(void)
{
    return atomic_load(&mem_used);
}

bool sq_mem_is_over(void)
{
    return atomic_load(&mem_over);
}

/* Every allocation starts with its size, so that giving it back can be counted. Of huge pages there
 * is the head alone, which says where they are. */
struct mem_head {
    _Alignas(16) size_t bytes;
    void *pages; /* NULL: what follows is all */
};
_Static_assert(sizeof(struct mem_head) == 16, "the alignment of what follows");

/* The last of it is for small allocations: what a program needs to say why it cannot go on. */
enum { MEM_SMALL = 16 << 10, MEM_LAST = 1 << 20 };

static bool mem_reserve(size_t bytes)
{
    size_t before = atomic_fetch_add_explicit(&mem_used, bytes, memory_order_relaxed);
    size_t limit = atomic_load_explicit(&mem_budget, memory_order_relaxed);
    limit -= limit != SIZE_MAX && limit > 4 * MEM_LAST && bytes > MEM_SMALL ? MEM_LAST : 0;
    if (before <= limit && bytes <= limit - before) {
        return true;
    }
    atomic_fetch_sub_explicit(&mem_used, bytes, memory_order_relaxed);
    atomic_store(&mem_over, true);
    return false;
}

static void mem_unreserve(size_t bytes)
{
    atomic_fetch_sub_explicit(&mem_used, bytes, memory_order_relaxed);
}

/* The size of the whole block, head included; false when that is too much for a size_t. */
static bool mem_size(size_t count, size_t size, size_t *whole)
{
    return !__builtin_mul_overflow(count, size, whole) &&
           !__builtin_add_overflow(*whole, sizeof(struct mem_head), whole);
}

void *sq_mem_alloc(size_t count, size_t size)
{
    size_t whole;
    if (!mem_size(count, size, &whole) || mem_refused() || !mem_reserve(whole)) {
        return NULL;
    }
    struct mem_head *head = calloc(whole, 1);
    if (head == NULL) {
        mem_unreserve(whole);
        return NULL;
    }
    head->bytes = whole;
    return head + 1;
}

void *sq_mem_resize(void *old, size_t count, size_t size)
{
    size_t whole;
    if (!mem_size(count, size, &whole) || mem_refused() || !mem_reserve(whole)) {
        return NULL;
    }
    struct mem_head *head = old != NULL ? (struct mem_head *)old - 1 : NULL;
    size_t before = head != NULL ? head->bytes : 0;
    struct mem_head *grown = realloc(head, whole);
    if (grown == NULL) {
        mem_unreserve(whole);
        return NULL;
    }
    mem_unreserve(before);
    grown->bytes = whole;
    grown->pages = NULL;
    return grown + 1;
}

/* So many bytes from the start of a huge page on: a page too many is asked for, and what lies
 * before and behind is given back, so that it counts nowhere, not as address space either. */
static void *map_pages(size_t bytes)
{
    char *all = mmap(NULL, bytes + SQ_HUGE_PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        return NULL;
    }
    size_t before = -(uintptr_t)all & (SQ_HUGE_PAGE - 1);
    char *start = all + before;
    if (before > 0) {
        (void)munmap(all, before);
    }
    if (before < SQ_HUGE_PAGE) {
        (void)munmap(start + bytes, SQ_HUGE_PAGE - before);
    }
#ifdef MADV_HUGEPAGE
    (void)madvise(start, bytes, MADV_HUGEPAGE); /* a wish: without it all still works */
#endif
    return start;
}

void *sq_mem_huge(size_t bytes, void **memory)
{
    struct mem_head *head = sq_mem_alloc(0, 0);
    if (head == NULL) {
        return NULL;
    }
    head--;
    bool room = mem_reserve(bytes);
    void *pages = room ? map_pages(bytes) : NULL;
    if (pages == NULL) {
        mem_unreserve(room ? bytes : 0);
        sq_mem_free(head + 1);
        return NULL;
    }
    head->bytes += bytes;
    head->pages = pages;
    *memory = head + 1;
    return pages;
}

void sq_mem_free(void *p)
{
    if (p != NULL) {
        struct mem_head *head = (struct mem_head *)p - 1;
        mem_unreserve(head->bytes);
        if (head->pages != NULL) {
            (void)munmap(head->pages, head->bytes - sizeof *head);
        }
        free(head);
    }
}

/* Arena: a chain of blocks, newest first; only the head block has room that is still given out.
 *
 *     head -> [older|item|item|....free....] -> [older|item|item|item] -> NULL */
struct sq_arena_block {
    _Alignas(16) struct sq_arena_block *older;
    _Alignas(16) char bytes[];
};

_Static_assert(_Alignof(max_align_t) >= 16, "calloc must align to 16 bytes");

enum { ARENA_ALIGN = 16, ARENA_FIRST = 4096, ARENA_MOST = 1 << 18 };

void sq_arena_fini(struct sq_arena *a)
{
    struct sq_arena_block *block = a->head;
    while (block != NULL) {
        struct sq_arena_block *older = block->older;
        sq_mem_free(block);
        block = older;
    }
    *a = (struct sq_arena){ 0 };
}

void sq_arena_reset(struct sq_arena *a)
{
    if (a->head == NULL) {
        return;
    }
    if (a->head->older == NULL) {
        memset(a->head->bytes, 0, a->used);
        a->used = 0;
        return;
    }
    size_t all = 2 * a->all; /* the need may go on growing */
    sq_arena_fini(a);
    struct sq_arena_block *block = sq_mem_alloc(1, sizeof *block + all);
    if (block != NULL) { /* else what comes next asks for itself */
        *a = (struct sq_arena){ .head = block, .size = all, .all = all };
    }
}

/* An item of more than a quarter block gets a block of its own, hung behind the head, so that the
 * room left in the head is not lost. */
static void *arena_alone(struct sq_arena *a, size_t bytes)
{
    struct sq_arena_block *block = sq_mem_alloc(1, sizeof *block + bytes);
    if (block == NULL) {
        return NULL;
    }
    if (a->head != NULL) {
        block->older = a->head->older;
        a->head->older = block;
    } else {
        a->head = block;
        a->used = a->size = bytes;
    }
    a->all += bytes;
    return block->bytes;
}

void *sq_arena_alloc(struct sq_arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) {
        return NULL;
    }
    bytes = ((bytes > 0 ? bytes : 1) + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (bytes > a->size - a->used) {
        size_t want = a->size < ARENA_FIRST ? ARENA_FIRST : a->size * 2;
        want = want > ARENA_MOST ? ARENA_MOST : want;
        if (bytes > want / 4) {
            return arena_alone(a, bytes);
        }
        struct sq_arena_block *block = sq_mem_alloc(1, sizeof *block + want);
        if (block == NULL) {
            return NULL;
        }
        block->older = a->head;
        *a = (struct sq_arena){ .head = block, .size = want, .all = a->all + want };
    }
    void *item = a->head->bytes + a->used;
    a->used += bytes;
    return item;
}

char *sq_arena_text(struct sq_arena *a, const char *s, size_t len)
{
    char *copy = len < SIZE_MAX ? sq_arena_alloc(a, len + 1, 1) : NULL;
    if (copy != NULL && len > 0) {
        memcpy(copy, s, len);
    }
    return copy;
}

char *sq_arena_printf(struct sq_arena *a, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    SQ_ASSERT(len >= 0);
    char *text = sq_arena_alloc(a, (size_t)len + 1, 1);
    if (text == NULL) {
        return NULL;
    }
    va_start(args, fmt);
    vsnprintf(text, (size_t)len + 1, fmt, args);
    va_end(args);
    return text;
}

/* Pool: a table of chunks; slot n lies in chunk n >> SHIFT. A free slot holds the number of the
 * next free one in its first four bytes; the rest is poisoned under the address sanitizer. */
enum { POOL_CHUNK = 1 << SQ_POOL_SHIFT };

void sq_pool_init(struct sq_pool *p, size_t slot_size, uint32_t limit)
{
    SQ_ASSERT(slot_size > 0 && slot_size < (1u << 20));
    *p = (struct sq_pool){ .slot_size = (slot_size + 7) & ~(size_t)7, .limit = limit };
}

void sq_pool_fini(struct sq_pool *p)
{
    for (uint32_t i = 0; i < p->chunk_count; i++) {
        MEM_UNPOISON(p->chunks[i], POOL_CHUNK * p->slot_size);
    }
    for (uint32_t i = 0; i < p->chunk_count; i++) {
        sq_mem_free(p->blocks[i]);
    }
    sq_mem_free(p->chunks);
    sq_mem_free(p->blocks);
    *p = (struct sq_pool){ 0 };
}

/* Room in the tables for one more chunk. */
static bool pool_grow_tables(struct sq_pool *p)
{
    if (p->chunk_count < p->chunk_max) {
        return true;
    }
    uint32_t max = p->chunk_max > 0 ? p->chunk_max * 2 : 8;
    char **chunks = sq_mem_resize(p->chunks, max, sizeof *chunks);
    p->chunks = chunks != NULL ? chunks : p->chunks;
    void **blocks = sq_mem_resize(p->blocks, max, sizeof *blocks);
    p->blocks = blocks != NULL ? blocks : p->blocks;
    if (chunks == NULL || blocks == NULL) {
        return false;
    }
    p->chunk_max = max;
    return true;
}

/* The first chunk is a block of its own, since most pools need no more; then as many as fill a huge
 * page share one. */
static char *pool_block(struct sq_pool *p, void **block)
{
    size_t bytes = POOL_CHUNK * p->slot_size;
    if (p->chunk_count == 0) {
        *block = sq_mem_alloc(1, bytes);
        return *block;
    }
    size_t count = bytes < SQ_HUGE_PAGE ? SQ_HUGE_PAGE / bytes : 1;
    size_t whole = (count * bytes + SQ_HUGE_PAGE - 1) / SQ_HUGE_PAGE * SQ_HUGE_PAGE;
    char *start = sq_mem_huge(whole, block);
    p->spare = start != NULL ? (uint32_t)count - 1 : 0;
    return start;
}

static bool pool_grow(struct sq_pool *p)
{
    if (!pool_grow_tables(p)) {
        return false;
    }
    size_t bytes = POOL_CHUNK * p->slot_size;
    void *block = NULL;
    char *chunk = NULL;
    if (p->spare > 0) {
        chunk = p->chunks[p->chunk_count - 1] + bytes;
        p->spare--;
    } else {
        chunk = pool_block(p, &block);
    }
    if (chunk == NULL) {
        return false;
    }
    MEM_POISON(chunk, bytes);
    p->chunks[p->chunk_count] = chunk;
    p->blocks[p->chunk_count++] = block;
    return true;
}

/* A slot that was never in use. */
SQ_APART static uint32_t pool_fresh(struct sq_pool *p)
{
    uint32_t slot = p->fresh + 1; /* <= limit, because everything below is in use */
    if ((slot >> SQ_POOL_SHIFT) >= p->chunk_count && !pool_grow(p)) {
        return 0;
    }
    p->fresh = slot;
    p->used++;
    MEM_UNPOISON(sq_pool_at(p, slot), p->slot_size);
    return slot;
}

uint32_t sq_pool_take(struct sq_pool *p)
{
    SQ_ASSERT(p->slot_size > 0);
    if (p->used == p->limit) {
        return 0;
    }
    if (p->free_head == 0) {
        return pool_fresh(p);
    }
    uint32_t slot = p->free_head;
    char *at = sq_pool_at(p, slot);
    MEM_UNPOISON(at, p->slot_size);
    memcpy(&p->free_head, at, sizeof p->free_head);
    memset(at, 0, p->slot_size);
    p->used++;
    return slot;
}

void sq_pool_give(struct sq_pool *p, uint32_t slot)
{
    SQ_ASSERT(slot > 0 && slot <= p->fresh && p->used > 0);
    char *at = sq_pool_at(p, slot);
    memcpy(at, &p->free_head, sizeof p->free_head);
    MEM_POISON(at, p->slot_size);
    p->free_head = slot;
    p->used--;
}
