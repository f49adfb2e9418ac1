/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_evq.h - the event list: a monotone radix heap with lanes.
 *
 * An event is 24 bytes of plain data. Events come out in the total order (at, rank, sequence),
 * one 128-bit comparison. Sequence numbers count the posts from 1. Time never runs backwards:
 * posting before the time of the last popped event is a bug (asserted).
 *
 * Where a post goes:
 *   - at the present instant: to one ring per rank, O(1);
 *   - a constant delay (timeouts, leases): to a lane, a ring per delay whose head alone is in the
 *     heap, O(1);
 *   - else to the radix heap: 8 levels of 256 slots, the level is the highest byte in which the
 *     time differs from the cursor `base`. Amortised O(1), at most 8 moves per event.
 *
 * Nothing is removed from the middle. An owner cancels by forgetting the sequence number it was
 * given; whoever handles an event compares and drops a stale one. `sq_evq_stale` tells the list
 * that one entry has died, and when the dead outnumber the living the list purges them by asking
 * the `alive` function given at init.
 *
 * Memory: lists of 512-byte chunks from big blocks; no copying peak. Out of memory is remembered
 * in `failed`: the list then takes no more posts and pop returns false, so the loop checks once.
 *
 * A zero sequence is never used: 0 means "no event" in the records of owners. */
#ifndef SQ_EVQ_H
#define SQ_EVQ_H

#include "sim/base/sq_base.h"

struct sq_event {
    sq_time_t at;
    uint64_t order; /* rank:4 | sequence:51 | 9 bits that are zero outside the list */
    uint64_t load;  /* whatever the owner packed in: destination, kind, slot */
};
_Static_assert(sizeof(struct sq_event) == 24, "events are moved by the million");

enum { SQ_EVQ_RANKS = 16, SQ_EVQ_LANE_BITS = 9, SQ_EVQ_SEQ_BITS = 51 };

static inline uint64_t sq_event_seq(const struct sq_event *e)
{
    return e->order >> SQ_EVQ_LANE_BITS & (((uint64_t)1 << SQ_EVQ_SEQ_BITS) - 1);
}

static inline unsigned sq_event_rank(const struct sq_event *e)
{
    return (unsigned)(e->order >> (SQ_EVQ_LANE_BITS + SQ_EVQ_SEQ_BITS));
}

struct sq_evq; /* opaque; on the heap because of its size (slot heads alone are 16 kB) */

/* True if the entry will still be wanted when its time comes. May be called at any pop. */
typedef bool sq_evq_alive(const void *ctx, const struct sq_event *e);

/* NULL when out of memory. `alive` may be NULL: nothing is ever purged then. */
struct sq_evq *sq_evq_open(sq_evq_alive *alive, const void *ctx) SQ_MUST_USE;
void sq_evq_close(struct sq_evq *q);

/* Posts an event; returns its sequence number (never 0). Asserts at >= now and rank < 16.
 * at == SQ_NEVER is allowed: it sorts last. */
uint64_t sq_evq_push(struct sq_evq *q, sq_time_t at, unsigned rank, uint64_t load);

/* The lane for this delay and rank, made if new; -1 when SQ_MAX_LANES are in use. */
int sq_evq_lane(struct sq_evq *q, sq_time_t delay, unsigned rank);

/* Like sq_evq_push(q, now + delay of the lane, its rank, load). */
uint64_t sq_evq_push_lane(struct sq_evq *q, int lane, uint64_t load);

/* The next event; false when there is none (or `failed`). Its time becomes now. */
bool sq_evq_pop(struct sq_evq *q, struct sq_event *out) SQ_MUST_USE;

/* One pending entry has become stale. */
void sq_evq_stale(struct sq_evq *q);

sq_time_t sq_evq_now(const struct sq_evq *q);
bool sq_evq_failed(const struct sq_evq *q);
size_t sq_evq_pending(const struct sq_evq *q); /* dead ones included */

#endif
