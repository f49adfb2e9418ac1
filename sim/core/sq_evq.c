/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_evq.c - the event list: a monotone radix heap with lanes. sq_evq_inner.h has the picture. */
#include "sim/core/sq_evq_inner.h"

#include <string.h>

#include "sim/base/sq_mem.h"

/* ---- slots ---- */

static inline unsigned level_of(uint64_t differing)
{
    return (63u - (unsigned)__builtin_clzll(differing)) >> 3;
}

static inline void slot_put(struct sq_evq *q, const struct sq_event *e)
{
    uint64_t at = (uint64_t)e->at;
    unsigned level = level_of(at ^ q->base);
    unsigned s = (unsigned)(at >> (8 * level)) & (SLOTS - 1);
    struct sq_evlist *l = &q->slot[level][s];
    if (!sq_evlist_add(&q->store, l, e)) {
        q->failed = true;
        return;
    }
    q->map[level][s >> 6] |= (uint64_t)1 << (s & 63);
    q->levels |= 1u << level;
}

/* ---- run ---- */

/* Moves the base up to now, if that leaves every event in its slot. It does unless the slot that
 * would become "the same as base" on the first differing level has events. */
static void raise_base(struct sq_evq *q)
{
    uint64_t differing = q->base ^ q->now;
    if (!differing) {
        return;
    }
    unsigned level = level_of(differing);
    unsigned s = (unsigned)(q->now >> (8 * level)) & (SLOTS - 1);
    if (!q->slot[level][s].end) {
        q->base = q->now;
    }
}

/* Sends the later part of the run to the slots. What stays: events at now, which have no slot, and
 * up to SORT_MAX events as far as they end with a whole instant. */
SQ_APART static void run_spill(struct sq_evq *q)
{
    const struct sq_event *run = q->run;
    uint32_t k = q->run_head + SORT_MAX;
    while (k > q->run_head && run[k - 1].at == run[k].at) {
        k--;
    }
    while (k < q->run_end && (uint64_t)run[k].at == q->now) {
        k++;
    }
    if (k == q->run_end) {
        return;
    }
    q->covered = (uint64_t)run[k].at - 1;
    raise_base(q);
    for (uint32_t i = k; i < q->run_end; i++) {
        slot_put(q, &run[i]);
    }
    q->run_end = k;
}

/* The run stays below RUN_MAX: beyond RUN_SPILL it holds events at now only, and those are heads
 * of lanes. */
SQ_APART static void run_insert(struct sq_evq *q, const struct sq_event *e)
{
    if (q->run_end == RUN_MAX) {
        SQ_ASSERT(q->run_head > 0);
        q->run_end -= q->run_head;
        memmove(q->run, q->run + q->run_head, q->run_end * sizeof(*e));
        q->run_head = 0;
    }
    struct sq_event *first = &q->run[q->run_head], *at = &q->run[q->run_end++];
    for (; at > first && before(e, at - 1); at--) {
        *at = at[-1];
    }
    *at = *e;
    if (q->run_end - q->run_head > RUN_SPILL) {
        run_spill(q);
    }
}

/* ---- rings ---- */

/* An event at now. A lane head may be older than the last of its ring: it goes to the run. */
static inline void ring_put(struct sq_evq *q, const struct sq_event *e)
{
    unsigned rank = sq_event_rank(e);
    struct sq_evfifo *f = &q->ring[rank];
    if (!sq_evfifo_empty(f) && e->order < f->list.end[-1].order) {
        run_insert(q, e);
    } else if (sq_evfifo_add(&q->store, f, e)) {
        q->rings |= 1u << rank;
    } else {
        q->failed = true;
    }
}

static inline void ring_drop(struct sq_evq *q, unsigned rank)
{
    struct sq_evfifo *f = &q->ring[rank];
    sq_evfifo_drop(&q->store, f);
    q->rings &= ~((unsigned)sq_evfifo_empty(f) << rank);
}

/* ---- posting ---- */

static inline void place(struct sq_evq *q, const struct sq_event *e)
{
    uint64_t at = (uint64_t)e->at;
    if (at > q->covered) {
        slot_put(q, e);
    } else if (at == q->now) {
        ring_put(q, e);
    } else {
        run_insert(q, e);
    }
}

/* The same for what comes from elsewhere in the list, more rarely than posts do. */
SQ_APART static void place_again(struct sq_evq *q, const struct sq_event *e)
{
    place(q, e);
}

static inline struct sq_event make(struct sq_evq *q, sq_time_t at, unsigned rank, unsigned lane)
{
    uint64_t seq = ++q->seq;
    SQ_DEBUG_ASSERT(seq < (uint64_t)1 << SEQ_BITS);
    return (struct sq_event){
        .at = at,
        .order = (uint64_t)rank << (SEQ_BITS + LANE_BITS) | seq << LANE_BITS | lane,
    };
}

uint64_t sq_evq_push(struct sq_evq *q, sq_time_t at, unsigned rank, uint64_t load)
{
    SQ_ASSERT(at >= 0);
    SQ_ASSERT((uint64_t)at >= q->now);
    SQ_ASSERT(rank < SQ_EVQ_RANKS);
    struct sq_event e = make(q, at, rank, 0);
    e.load = load;
    if (!q->failed) {
        q->pending++;
        place(q, &e);
    }
    return q->seq;
}

int sq_evq_lane(struct sq_evq *q, sq_time_t delay, unsigned rank)
{
    SQ_ASSERT(delay >= 0);
    SQ_ASSERT(rank < SQ_EVQ_RANKS);
    for (int i = 0; i < q->lane_count; i++) {
        if (q->lane[i].delay == delay && q->lane[i].rank == rank) {
            return i;
        }
    }
    if (q->lane_count == SQ_MAX_LANES) {
        return -1;
    }
    q->lane[q->lane_count].delay = delay;
    q->lane[q->lane_count].rank = rank;
    return q->lane_count++;
}

uint64_t sq_evq_push_lane(struct sq_evq *q, int lane, uint64_t load)
{
    SQ_ASSERT(lane >= 0);
    SQ_ASSERT(lane < q->lane_count);
    struct lane *l = &q->lane[lane];
    sq_time_t at = sq_time_add((sq_time_t)q->now, l->delay);
    struct sq_event e = make(q, at, l->rank, (unsigned)lane + 1);
    e.load = load;
    if (q->failed) {
        return q->seq;
    }
    q->pending++;
    if (!l->busy) {
        l->busy = true;
        place_again(q, &e);
    } else if (!sq_evfifo_add(&q->store, &l->rest, &e)) {
        q->failed = true;
    }
    return q->seq;
}

/* ---- popping ---- */

/* The head of the lane has left: the next one that is alive takes its place. */
SQ_APART static void lane_next(struct sq_evq *q, struct lane *l)
{
    while (!sq_evfifo_empty(&l->rest)) {
        struct sq_event e = *l->rest.first;
        sq_evfifo_drop(&q->store, &l->rest);
        if (q->dead == 0 || is_alive(q, &e)) {
            place_again(q, &e);
            return;
        }
        q->dead--;
        q->pending--;
    }
    l->busy = false;
}

/* The first slot in the order of time. There must be one. */
static void first_slot(const struct sq_evq *q, unsigned *level, unsigned *slot)
{
    *level = (unsigned)__builtin_ctz(q->levels);
    const uint64_t *map = q->map[*level];
    unsigned w = 0;
    while (!map[w]) {
        w++;
    }
    *slot = w * 64 + (unsigned)__builtin_ctzll(map[w]);
}

/* A slot of few events becomes the run, and the run covers all of its times. */
static void fill_sorted(struct sq_evq *q, struct sq_chunk *head, struct sq_event *end,
                        unsigned level)
{
    struct sq_event *run = q->run;
    struct sq_chunk *last = sq_chunk_of(end);
    uint32_t n = 0;
    for (struct sq_chunk *c = head, *next;; c = next) {
        size_t used = sq_chunk_used(c, end);
        next = c->next;
        for (size_t k = 0; k < used; k++) {
            struct sq_event e = c->ev[k];
            uint32_t i = n++;
            for (; i > 0 && before(&e, &run[i - 1]); i--) {
                run[i] = run[i - 1];
            }
            run[i] = e;
        }
        sq_chunk_give(&q->store, c);
        if (c == last) {
            break;
        }
    }
    q->run_head = 0;
    q->run_end = n;
    q->base = q->now = (uint64_t)run[0].at;
    q->covered = q->base | (((uint64_t)1 << (8 * level)) - 1);
}

static uint64_t earliest(struct sq_chunk *head, struct sq_event *end)
{
    uint64_t min = UINT64_MAX;
    struct sq_chunk *last = sq_chunk_of(end);
    for (struct sq_chunk *c = head;; c = c->next) {
        size_t used = sq_chunk_used(c, end);
        for (size_t k = 0; k < used; k++) {
            uint64_t at = (uint64_t)c->ev[k].at;
            min = at < min ? at : min;
        }
        if (c == last) {
            return min;
        }
    }
}

/* The events of a slot with many are put again: those at its earliest time into the rings, the
 * others into slots of lower levels, which are all empty. */
static void fill_spread(struct sq_evq *q, struct sq_chunk *head, struct sq_event *end)
{
    uint64_t min = earliest(head, end);
    struct sq_chunk *last = sq_chunk_of(end);
    q->base = q->covered = q->now = min;
    for (struct sq_chunk *c = head, *next;; c = next) {
        size_t used = sq_chunk_used(c, end);
        next = c->next;
        for (size_t k = 0; k < used; k++) {
            place_again(q, &c->ev[k]);
        }
        sq_chunk_give(&q->store, c);
        if (c == last) {
            return;
        }
    }
}

/* Takes the first slot apart. Run and rings are empty; afterwards they have the next event, and
 * `now` is its time. False when there are no more events. */
SQ_APART static bool fill(struct sq_evq *q)
{
    if (!q->levels) {
        return false;
    }
    unsigned level;
    unsigned s;
    first_slot(q, &level, &s);
    struct sq_event *end = q->slot[level][s].end;
    struct sq_chunk *last = sq_chunk_of(end);
    struct sq_chunk *head = last->next;
    slot_clear(q, level, s);
    size_t chunks = head == last ? 1 : head->next == last ? 2 : 3;
    q->run_head = q->run_end = 0;
    if ((chunks - 1) * SQ_CHUNK_EVENTS + (size_t)(end - last->ev) <= SORT_MAX) {
        fill_sorted(q, head, end, level);
    } else {
        fill_spread(q, head, end);
    }
    return !q->failed;
}
_Static_assert(SORT_MAX < 2 * SQ_CHUNK_EVENTS, "three chunks hold more than is sorted");

/* The earliest event, dead or alive. False when there is none, or `failed`. */
static inline bool take(struct sq_evq *q, struct sq_event *out)
{
    if (!q->rings && q->run_head == q->run_end && !fill(q)) {
        return false;
    }
    const struct sq_event *next = &q->run[q->run_head];
    if (q->rings) {
        unsigned rank = (unsigned)__builtin_ctz(q->rings);
        const struct sq_event *first = q->ring[rank].first;
        if (q->run_head == q->run_end || !before(next, first)) {
            *out = *first;
            ring_drop(q, rank);
            return true;
        }
    }
    *out = *next;
    q->run_head++;
    return true;
}

bool sq_evq_pop(struct sq_evq *q, struct sq_event *out)
{
    if (q->dead > PURGE_MIN && q->dead > q->pending / 2 && q->alive) {
        sq_evq_purge(q);
    }
    uint64_t start = q->now;
    while (!q->failed && take(q, out)) {
        q->now = (uint64_t)out->at;
        q->pending--;
        unsigned lane = lane_of(out);
        if (lane) {
            lane_next(q, &q->lane[lane - 1]);
        }
        out->order -= lane;
        if (q->dead == 0 || is_alive(q, out)) {
            return !q->failed;
        }
        q->dead--;
    }
    q->base = q->covered = q->now = start; /* all is empty: any base will do */
    return false;
}

/* ---- life ---- */

struct sq_evq *sq_evq_open(sq_evq_alive *alive, const void *ctx)
{
    struct sq_evq *q = sq_mem_alloc(1, sizeof(*q));
    if (q) {
        q->alive = alive;
        q->ctx = ctx;
    }
    return q;
}

void sq_evq_close(struct sq_evq *q)
{
    if (q) {
        sq_chunk_fini(&q->store);
        sq_mem_free(q);
    }
}

void sq_evq_stale(struct sq_evq *q)
{
    q->dead += q->alive && q->dead < q->pending ? 1 : 0;
}

sq_time_t sq_evq_now(const struct sq_evq *q)
{
    return (sq_time_t)q->now;
}

bool sq_evq_failed(const struct sq_evq *q)
{
    return q->failed;
}

size_t sq_evq_pending(const struct sq_evq *q)
{
    return q->pending;
}
