/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_sim.h - one run: clock, actors, the loop, the hash of what happened.
 *
 * Actors are numbered from 0 in the order they are added and meet only through events. An event
 * names its actor, a kind (a number whose meaning lives above this floor), a small extra and a
 * slot of some pool: 8 bytes. Handling an event may post further events, never call another actor.
 *
 * Order at one instant: by rank, then by post. Rank SQ_RANK_MESSAGE is for consequences at the
 * present instant; they run to completion before the next cause.
 *
 * The run hash is a fold over the semantic records that actors give to sq_sim_record, not over
 * events: a faster event list keeps it. */
#ifndef SQ_SIM_H
#define SQ_SIM_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_evq.h"

#include <string.h>

enum { SQ_RANK_END = 0, SQ_RANK_MESSAGE = 1, SQ_RANK_FIRST_FREE = 2 };

struct sq_msg {
    uint16_t to;
    uint8_t kind, extra;
    uint32_t slot;
};
_Static_assert(sizeof(struct sq_msg) == sizeof(uint64_t), "it is the load of an event");

/* `seq` is the sequence number the event was posted under: owners compare it with their record
 * to recognise a stale one. */
typedef void sq_actor_fn(void *self, struct sq_msg m, uint64_t seq);

struct sq_actor {
    sq_actor_fn *on_event;
    void *self;
};

/* Who takes part in an instant that does not end, and how often of late. */
enum { SQ_LOOP_SEEN = 8 };
struct sq_loop {
    uint64_t count;
    uint16_t to;
    uint8_t kind;
};

struct sq_sim {
    struct sq_evq *evq;
    struct sq_actor *actors;
    size_t actor_count, actor_size;
    uint64_t events, same_instant;
    uint64_t most_events;              /* more than these end the run: SQ_MAX_EVENTS */
    struct sq_loop loop[SQ_LOOP_SEEN]; /* after SQ_LIMIT: what the last events of it were */
    uint64_t hash;
    sq_time_t now;
    bool stopping;
    /* Called before the first event at or after `advance_at` is handled; must move advance_at on.
     */
    void (*advance)(void *ctx, sq_time_t now);
    void *advance_ctx;
    sq_time_t advance_at;
    /* Called after every `check_every` events; false ends the run with SQ_BROKEN. */
    bool (*check)(void *ctx);
    void *check_ctx;
    uint32_t check_every;
};

enum sq_status sq_sim_init(struct sq_sim *s, sq_evq_alive *alive,
                           const void *alive_ctx) SQ_MUST_USE;
void sq_sim_fini(struct sq_sim *s);

/* Number of the new actor, or SQ_NOMEM. */
enum sq_status sq_sim_add(struct sq_sim *s, sq_actor_fn *fn, void *self, uint16_t *id) SQ_MUST_USE;

/* Handles events until one calls sq_sim_stop, none is left, memory ends (SQ_NOMEM), a law breaks
 * (SQ_BROKEN), more than SQ_MAX_SAME_INSTANT events share an instant or there are more than
 * most_events (SQ_LIMIT; the latter is looked at as rarely as `stop`), or INT/TERM arrived
 * (SQ_STOPPED; `stop` is polled every 4,096 events and may be NULL). */
enum sq_status sq_sim_run(struct sq_sim *s, bool (*stop)(void)) SQ_MUST_USE;

static inline void sq_sim_stop(struct sq_sim *s)
{
    s->stopping = true;
}

/* As the load of an event: the bytes as they stand, since nobody compares or prints loads. */
static inline uint64_t sq_msg_pack(struct sq_msg m)
{
    uint64_t load;
    memcpy(&load, &m, sizeof(load));
    return load;
}

static inline struct sq_msg sq_msg_unpack(uint64_t load)
{
    struct sq_msg m;
    memcpy(&m, &load, sizeof(m));
    return m;
}

/* Posts at an instant >= now; returns the sequence number. */
static inline uint64_t sq_sim_post(struct sq_sim *s, sq_time_t at, unsigned rank, struct sq_msg m)
{
    return sq_evq_push(s->evq, at, rank, sq_msg_pack(m));
}

/* Posts a consequence at the present instant. */
static inline void sq_sim_tell(struct sq_sim *s, struct sq_msg m)
{
    (void)sq_evq_push(s->evq, s->now, SQ_RANK_MESSAGE, sq_msg_pack(m));
}

/* Folds one semantic record into the run hash: two 64-bit products per record. */
static inline void sq_sim_record(struct sq_sim *s, uint64_t what, uint64_t ordinal)
{
    unsigned __int128 a = (unsigned __int128)(s->hash ^ (uint64_t)s->now ^ 0x9e3779b97f4a7c15u) *
                          (what ^ 0xd6e8feb86659fd93u);
    uint64_t h = (uint64_t)a ^ (uint64_t)(a >> 64);
    unsigned __int128 b = (unsigned __int128)(h ^ ordinal) * 0xa0761d6478bd642fu;
    s->hash = (uint64_t)b ^ (uint64_t)(b >> 64) ^ (h << 1);
}

#endif
