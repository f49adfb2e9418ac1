/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_evq_chunk.c - lists of events in chunks of 512 bytes. */
#include "sim/core/sq_evq_chunk.h"

#include "sim/base/sq_mem.h"

enum {
    BLOCK_MIN = 1 << 16, /* a small run needs no more */
    BLOCK_MAX = 1 << 25, /* one allocation per 1.4 million events */
    BLOCK_GROWTH = 8,
};

/* What the first chunk of a block remembers. */
struct block {
    struct sq_chunk *prev; /* of the block before */
    void *memory;          /* what sq_mem_alloc returned */
};
_Static_assert(sizeof(struct block) <= sizeof(struct sq_chunk), "a chunk holds it");

static char *small_block(size_t size, void **memory)
{
    char *all = sq_mem_alloc(1, size + SQ_CHUNK_BYTES);
    *memory = all;
    return all ? all + (SQ_CHUNK_BYTES - ((uintptr_t)all & (SQ_CHUNK_BYTES - 1))) : NULL;
}

/* Each block is eight times the one before: a run of a hundred thousand events comes to huge pages
 * with its third. */
static bool store_grow(struct sq_chunk_store *s)
{
    size_t size = s->block_size ? s->block_size * BLOCK_GROWTH : BLOCK_MIN;
    size = size > BLOCK_MAX ? BLOCK_MAX : size;
    void *memory = NULL;
    char *start = size >= SQ_HUGE_PAGE ? sq_mem_huge(size, &memory) : small_block(size, &memory);
    if (!start) {
        return false;
    }
    struct sq_chunk *first = (struct sq_chunk *)(void *)start;
    *(struct block *)(void *)first = (struct block){ .prev = s->blocks, .memory = memory };
    s->blocks = first;
    s->block_size = size;
    s->fresh = first + 1;
    s->top = first + size / SQ_CHUNK_BYTES;
    return true;
}

void sq_chunk_fini(struct sq_chunk_store *s)
{
    while (s->blocks) {
        struct block b = *(struct block *)(void *)s->blocks;
        sq_mem_free(b.memory);
        s->blocks = b.prev;
    }
    *s = (struct sq_chunk_store){ 0 };
}

static struct sq_chunk *chunk_take(struct sq_chunk_store *s)
{
    if (s->spare) {
        struct sq_chunk *c = s->spare;
        s->spare = c->next;
        return c;
    }
    if (s->fresh == s->top && !store_grow(s)) {
        return NULL;
    }
    return s->fresh++;
}

bool sq_evlist_grow(struct sq_chunk_store *s, struct sq_evlist *l)
{
    struct sq_chunk *c = chunk_take(s);
    if (!c) {
        return false;
    }
    if (l->end) {
        struct sq_chunk *last = sq_chunk_of(l->end);
        c->next = last->next;
        last->next = c;
    } else {
        c->next = c;
    }
    l->end = c->ev;
    return true;
}

bool sq_evfifo_grow(struct sq_chunk_store *s, struct sq_evfifo *f)
{
    if (!sq_evlist_grow(s, &f->list)) {
        return false;
    }
    f->first = f->first ? f->first : f->list.end;
    return true;
}

void sq_evfifo_turn(struct sq_chunk_store *s, struct sq_evfifo *f)
{
    struct sq_chunk *old = sq_chunk_of(f->first);
    struct sq_chunk *head = old->next;
    sq_chunk_of(f->list.end)->next = head;
    f->first = head->ev;
    sq_chunk_give(s, old);
}

/* A position to write at that never overtakes the one to read from. */
struct filter {
    struct sq_event *read, *write, *end;
    size_t dropped;
};

static struct sq_event *next_chunk(struct sq_event *edge)
{
    return sq_chunk_of(edge)->next->ev;
}

static void filter_pass(struct filter *p, sq_evlist_keep *keep, void *ctx)
{
    for (;;) {
        if (keep(ctx, p->read)) {
            p->write = sq_chunk_edge(p->write) ? next_chunk(p->write) : p->write;
            *p->write++ = *p->read;
        } else {
            p->dropped++;
        }
        if (++p->read == p->end) {
            return;
        }
        p->read = sq_chunk_edge(p->read) ? next_chunk(p->read) : p->read;
    }
}

/* Gives back the chunks behind the one `write` stands in, up to the last of the list. */
static void filter_cut(struct sq_chunk_store *s, struct filter *p, struct sq_chunk *here)
{
    struct sq_chunk *head = sq_chunk_of(p->end)->next;
    struct sq_chunk *c = here->next;
    while (c != head) {
        struct sq_chunk *next = c->next;
        sq_chunk_give(s, c);
        c = next;
    }
    here->next = head;
}

size_t sq_evlist_filter(struct sq_chunk_store *s, struct sq_evlist *l, sq_evlist_keep *keep,
                        void *ctx)
{
    SQ_DEBUG_ASSERT(l->end != NULL);
    struct sq_event *start = sq_chunk_of(l->end)->next->ev;
    struct filter p = { start, start, l->end, 0 };
    filter_pass(&p, keep, ctx);
    if (p.write == start) {
        struct sq_chunk *head = sq_chunk_of(start);
        filter_cut(s, &p, head);
        sq_chunk_give(s, head);
        l->end = NULL;
    } else {
        filter_cut(s, &p, sq_chunk_of(p.write));
        l->end = p.write;
    }
    return p.dropped;
}

size_t sq_evfifo_filter(struct sq_chunk_store *s, struct sq_evfifo *f, sq_evlist_keep *keep,
                        void *ctx)
{
    if (sq_evfifo_empty(f)) {
        return 0;
    }
    struct filter p = { f->first, f->first, f->list.end, 0 };
    filter_pass(&p, keep, ctx);
    filter_cut(s, &p, sq_chunk_of(p.write));
    f->list.end = p.write;
    return p.dropped;
}
