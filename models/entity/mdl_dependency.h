/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency.h - what is called: controls, outages, collapse, servers (SCENARIO 7 and 8).
 *
 *     CALL --gate--> leaves ~~network~~ REACH --down? refused : room--> SERVED ~~network~~ ANSWER
 *
 * Admission is decided here; a call is in flight at the dependency from reaching it until its
 * service ends. Both trips are drawn by call, and answers and resets take the way back. Refusals do
 * not: `answer_in` is the whole time from leaving until a refusal is known, only never before the
 * call has reached the dependency; one that is shed from the waiting room is known `answer_in`
 * after that. The rate limit of the server comes before its room; its `hint` goes with the refusals
 * `rate-limited` and, unless it is `reset`, `refused`. A call that waits in a leaky bucket is on
 * its way until it leaks out.
 *
 * A dependency with calls of its own makes them after the own service of a call, one after the
 * other, while that call holds its server; a failure is passed up as `error`. Own errors come
 * first: a service that fails calls nobody. When the call is thrown out, or dropped because its
 * caller is gone, what is under way on its behalf is cancelled.
 *
 * It goes down for outages and when its overload rule trips; each return starts warm-up and the
 * overload clock. A random outage that would start while another one lasts is skipped, but its end
 * is where the next gap starts all the same: so one series of outages does not disturb another. */
#ifndef MDL_DEPENDENCY_H
#define MDL_DEPENDENCY_H

#include "models/part/mdl_calendar.h"
#include "models/part/mdl_caller.h"
#include "models/part/mdl_gate.h"
#include "models/part/mdl_room.h"
#include "models/policy/mdl_limiter.h"

extern const struct sq_table mdl_dependency_table;

enum mdl_dependency_kind {
    MDL_DEPENDENCY_SERVER,
    MDL_DEPENDENCY_OPTIMISTIC, /* one row: a call reads it, then writes unless it has changed */
};

struct mdl_dependency_cfg {
    int kind; /* enum mdl_dependency_kind */
    struct mdl_room_cfg room;
    struct sq_block network;
    struct sq_block rate_limit, hint; /* kind NULL: none */
    struct sq_map errors;             /* error kind -> double */
    sq_time_t answer_in;
    struct sq_list outages; /* of struct sq_block */
    struct mdl_overload_cfg *overload;
    struct sq_map calls; /* of struct mdl_calls_cfg */
};

/* Streams: arrays by producer, borrowed for the run. */
struct mdl_dependency_luck {
    const uint32_t *service, *defer, *network, *errors, *outage_errors;
    uint32_t down, outage;
};

struct mdl_outage_state {
    sq_time_t until; /* in effect before this */
    uint32_t index;  /* random: how many have started or been skipped */
    bool on;
};

struct mdl_dependency {
    struct mdl_ctx *ctx;
    uint16_t id;
    const char *name;
    const struct mdl_dependency_cfg *cfg;
    struct mdl_gate gate;
    struct mdl_room room;
    struct mdl_caller caller; /* of its own calls */
    uint32_t asker;           /* its number as a caller */
    struct mdl_dependency_luck luck;
    uint32_t version; /* of an optimistic row: writes that won */
    struct sq_dist network;
    bool near; /* no time is lost on the network */
    struct mdl_limiter_state limiter;
    struct mdl_outage_state *outages; /* by index */
    int downs, hangs, failing;        /* outages in effect: down, hang, errors */
    bool collapsed;
    uint32_t collapses;
    uint64_t trip_seq; /* of the pending TRIP event, 0: below the limit */
    sq_time_t refusal_delay;
    int refusal_lane;
    sq_time_t lane_delay;
};

/* Borrows everything for the run; adds the actor. The first outages are posted at the start. */
enum sq_status mdl_dependency_init(struct mdl_dependency *d, struct mdl_ctx *ctx, const char *name,
                                   const struct mdl_dependency_cfg *cfg,
                                   const struct mdl_control_cfg *control) SQ_MUST_USE;
enum sq_status mdl_dependency_start(struct mdl_dependency *d,
                                    struct mdl_dependency_luck luck) SQ_MUST_USE;
/* Its own calls, in file order. */
void mdl_dependency_calls(struct mdl_dependency *d, struct mdl_entry *entries, size_t count);
void mdl_dependency_fini(struct mdl_dependency *d);

/* Neither down, hung nor collapsed. */
static inline bool mdl_dependency_is_up(const struct mdl_dependency *d)
{
    return d->downs == 0 && d->hangs == 0 && !d->collapsed;
}

/* Levels agree with the lines, permits with the limit; for the laws. */
bool mdl_dependency_check(const struct mdl_dependency *d);

#endif
