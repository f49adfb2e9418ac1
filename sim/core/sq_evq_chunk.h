/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_evq_chunk.h - lists of events in chunks of 512 bytes, for sq_evq alone.
 *
 *     end -----------------------------+
 *                                      v
 *     [next | 21 events] -> [next | 5 events, free ...]
 *       ^                      |
 *       +----------------------+         the last chunk points back at the first
 *
 * Chunks are aligned to 512 bytes and the events fill them up to the last byte. So a list is one
 * pointer, `end`, where the next event goes: its low nine bits are zero exactly when there is no
 * room (no chunk at all, or a full one), and the last chunk is found by rounding down.
 *
 * The store hands out chunks from big blocks and takes them back on a stack. It owns everything:
 * lists need no fini. Nothing depends on the values of addresses. */
#ifndef SQ_EVQ_CHUNK_H
#define SQ_EVQ_CHUNK_H

#include "sim/core/sq_evq.h"

enum { SQ_CHUNK_BYTES = 512, SQ_CHUNK_EVENTS = 21 };

struct sq_chunk {
    struct sq_chunk *next;
    struct sq_event ev[SQ_CHUNK_EVENTS];
};
_Static_assert(sizeof(struct sq_chunk) == SQ_CHUNK_BYTES, "the end of a full chunk is aligned");

/* A zeroed store is a valid empty one. */
struct sq_chunk_store {
    struct sq_chunk *spare;       /* given back, last in first out */
    struct sq_chunk *fresh, *top; /* the untouched rest of the newest block */
    struct sq_chunk *blocks;      /* first chunk of each block: its bookkeeping */
    size_t block_size;
};

/* A zeroed list is a valid empty one. */
struct sq_evlist {
    struct sq_event *end;
};

/* First in, first out: `first` is the oldest event; first == end when empty. */
struct sq_evfifo {
    struct sq_event *first;
    struct sq_evlist list;
};

void sq_chunk_fini(struct sq_chunk_store *s);

/* Appends an empty chunk to the list. False when out of memory: the list is unchanged. */
bool sq_evlist_grow(struct sq_chunk_store *s, struct sq_evlist *l) SQ_MUST_USE;

static inline void sq_chunk_give(struct sq_chunk_store *s, struct sq_chunk *c)
{
    c->next = s->spare;
    s->spare = c;
}

/* True if the position is the end of a full chunk, or NULL. */
static inline bool sq_chunk_edge(const struct sq_event *e)
{
    return ((uintptr_t)e & (SQ_CHUNK_BYTES - 1)) == 0;
}

/* The chunk of a list's end, or of a place inside it. */
static inline struct sq_chunk *sq_chunk_of(struct sq_event *end)
{
    return (struct sq_chunk *)(((uintptr_t)end - 1) & ~(uintptr_t)(SQ_CHUNK_BYTES - 1));
}

/* False when out of memory. */
static inline bool sq_evlist_add(struct sq_chunk_store *s, struct sq_evlist *l,
                                 const struct sq_event *e)
{
    if (sq_chunk_edge(l->end) && !sq_evlist_grow(s, l)) {
        return false;
    }
    *l->end++ = *e;
    return true;
}

/* How many events of chunk `c` are in use, when the list ends at `end`. */
static inline size_t sq_chunk_used(struct sq_chunk *c, struct sq_event *end)
{
    return c == sq_chunk_of(end) ? (size_t)(end - c->ev) : SQ_CHUNK_EVENTS;
}

static inline bool sq_evfifo_empty(const struct sq_evfifo *f)
{
    return f->first == f->list.end;
}

/* As sq_evlist_grow. */
bool sq_evfifo_grow(struct sq_chunk_store *s, struct sq_evfifo *f) SQ_MUST_USE;

/* The oldest event was the last of its chunk: goes on to the next one. */
void sq_evfifo_turn(struct sq_chunk_store *s, struct sq_evfifo *f);

/* False when out of memory. */
SQ_MUST_USE static inline bool sq_evfifo_add(struct sq_chunk_store *s, struct sq_evfifo *f,
                                             const struct sq_event *e)
{
    if (sq_chunk_edge(f->list.end) && !sq_evfifo_grow(s, f)) {
        return false;
    }
    *f->list.end++ = *e;
    return true;
}

/* The oldest event leaves; there must be one. An empty fifo keeps its last chunk, from the start.
 */
static inline void sq_evfifo_drop(struct sq_chunk_store *s, struct sq_evfifo *f)
{
    SQ_DEBUG_ASSERT(!sq_evfifo_empty(f));
    f->first++;
    if (sq_evfifo_empty(f)) {
        f->first = f->list.end = sq_chunk_of(f->list.end)->ev;
    } else if (sq_chunk_edge(f->first)) {
        sq_evfifo_turn(s, f);
    }
}

/* Keeps the events `keep` wants, in their order, and returns how many were dropped. The list
 * must not be empty; the fifo may be. */
typedef bool sq_evlist_keep(void *ctx, const struct sq_event *e);
size_t sq_evlist_filter(struct sq_chunk_store *s, struct sq_evlist *l, sq_evlist_keep *keep,
                        void *ctx);
size_t sq_evfifo_filter(struct sq_chunk_store *s, struct sq_evfifo *f, sq_evlist_keep *keep,
                        void *ctx);

#endif
