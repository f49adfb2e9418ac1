/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_evq_inner.h - the inside of the event list, for its own two files: sq_evq.c and
 * sq_evq_purge.c.
 *
 *            base          covered
 *     --------|---------------|-------------------------------------------------> time
 *        rings at now, run    |  slots: level = highest byte that differs from base
 *
 * An event at `now` is in a ring or, if it came too late for its place there, in the run. Other
 * events up to `covered` are in the run, a small sorted array. All later ones are in the slots.
 * Always base <= now <= covered. A slot is not sorted by time, but its events of equal time and
 * rank stand in the order of their sequence; lane heads excepted, because a lane head enters when
 * the head before it has left, which may be long after it was posted.
 *
 * The last bits of `order` are the lane, so that a popped lane head is recognised by its own bits;
 * 0 stands for "none". They never decide a comparison. */
#ifndef SQ_EVQ_INNER_H
#define SQ_EVQ_INNER_H

#include "sim/base/sq_limits.h"
#include "sim/core/sq_evq_chunk.h"

enum {
    LEVELS = 8,
    SLOTS = 256,
    WORDS = SLOTS / 64,
    SORT_MAX = 32,  /* a slot with no more events is sorted at once */
    RUN_SPILL = 64, /* a longer run goes back to the slots, but for its start */
    RUN_MAX = RUN_SPILL + SQ_MAX_LANES + 2,
    PURGE_MIN = 1024, /* fewer dead ones are not worth a purge */
    LANE_BITS = SQ_EVQ_LANE_BITS,
    SEQ_BITS = SQ_EVQ_SEQ_BITS,
};
_Static_assert(SQ_MAX_LANES < 1 << LANE_BITS, "lane numbers from 1 fit");
_Static_assert(SQ_EVQ_RANKS <= 1 << (64 - SEQ_BITS - LANE_BITS), "ranks fit");

struct lane {
    sq_time_t delay;
    unsigned rank;
    bool busy;             /* its head is among the other events */
    struct sq_evfifo rest; /* the events behind the head, in order */
};

struct sq_evq {
    uint64_t base, covered, now; /* times; unsigned for the sake of xor and shift */
    uint64_t seq;
    size_t pending, dead;
    sq_evq_alive *alive;
    const void *ctx;
    bool failed;
    uint32_t rings;  /* bit set: ring is not empty */
    uint32_t levels; /* bit set: level is not empty */
    uint32_t run_head, run_end;
    int lane_count;
    uint64_t map[LEVELS][WORDS]; /* bit set: slot is not empty */
    struct sq_chunk_store store;
    struct sq_evfifo ring[SQ_EVQ_RANKS];
    struct sq_event run[RUN_MAX];
    struct sq_evlist slot[LEVELS][SLOTS];
    struct lane lane[SQ_MAX_LANES];
};

__extension__ typedef unsigned __int128 wide;

static inline bool before(const struct sq_event *a, const struct sq_event *b)
{
    wide ka = (wide)(uint64_t)a->at << 64 | a->order;
    wide kb = (wide)(uint64_t)b->at << 64 | b->order;
    return ka < kb;
}

static inline unsigned lane_of(const struct sq_event *e)
{
    return (unsigned)(e->order & ((1u << LANE_BITS) - 1));
}

static inline bool is_alive(const struct sq_evq *q, const struct sq_event *e)
{
    return q->alive(q->ctx, e);
}

static inline void slot_clear(struct sq_evq *q, unsigned level, unsigned s)
{
    uint64_t *map = q->map[level];
    q->slot[level][s].end = NULL;
    map[s >> 6] &= ~((uint64_t)1 << (s & 63));
    if (!(map[0] | map[1] | map[2] | map[3])) {
        q->levels &= ~(1u << level);
    }
}
_Static_assert(WORDS == 4, "slot_clear names four words");

/* Drops all dead entries but heads of lanes. Costs a visit to every entry. */
void sq_evq_purge(struct sq_evq *q);

#endif
