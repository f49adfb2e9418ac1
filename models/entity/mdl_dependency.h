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
 * Several nodes are equal, and a call goes to one of them when it reaches the dependency: to one of
 * those that are ready and, as far as the balancer knows, up. Without a `probe` it knows at once of
 * nodes that are down or collapsed (a hanging one accepts calls like any other); with one it
 * believes the probe alone, so a node that fails fast may attract calls until it is removed. When
 * none is left, calls are answered with `unavailable`. A node that is no longer wanted takes no new
 * calls and is gone when those inside have ended.
 *
 * With a `slow_start` a node that the balancer takes back gets less than its share at first, by
 * weight w: `random` in proportion to w, `round-robin` by smooth weighted turns (each has its
 * credit raised by w, the richest is taken and pays the sum), `least-loaded` by (in flight + 1) /
 * w. One of weight 0 gets no call unless all have weight 0.
 *
 * A cache stands before the nodes: a hit is answered without a server, and a miss fills it once its
 * caller has its success. While the node that a call comes to hangs nobody looks into the cache.
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

enum mdl_balance { MDL_BALANCE_RANDOM, MDL_BALANCE_ROUND_ROBIN, MDL_BALANCE_LEAST_LOADED };

struct mdl_probe_cfg {
    sq_time_t every, timeout;
    int64_t fall, rise;
};

/* `now` is the state of a run: the run's own configuration is where it stands. */
struct mdl_cache_cfg {
    double hit, now, after_return;
    sq_time_t answer_in;
    double fill;
};

struct mdl_dependency_cfg {
    int kind; /* enum mdl_dependency_kind */
    int64_t nodes;
    int balance; /* enum mdl_balance */
    struct mdl_room_cfg room;
    struct sq_block network, refusal_cost;
    struct sq_block rate_limit, hint; /* kind NULL: none */
    struct sq_map errors;             /* error kind -> double */
    sq_time_t answer_in;
    struct sq_list outages; /* of struct sq_block */
    struct mdl_overload_cfg *overload;
    struct sq_map calls;                  /* of struct mdl_calls_cfg */
    struct sq_block slow_start;           /* kind NULL: none */
    struct mdl_probe_cfg *probe;          /* NULL: none */
    struct mdl_cache_cfg *cache;          /* NULL: none */
    struct sq_block start_up, autoscaler; /* autoscaler: kind NULL: none */
};

/* Streams: arrays by producer, borrowed for the run. */
struct mdl_dependency_luck {
    const uint32_t *service, *refusal_cost, *defer, *budget, *network, *errors, *outage_errors,
        *balance, *cache;
    uint32_t down, outage, start_up;
};

struct mdl_outage_state {
    sq_time_t until; /* in effect before this */
    uint32_t index;  /* random: how many have started or been skipped */
    bool on;
};

/* The overload rule at work: of the dependency or of a node. */
struct mdl_collapse {
    uint64_t trip_seq; /* of the pending TRIP event, 0: below the limit */
    uint64_t over_seq; /* of the pending COLLAPSE_OVER event */
    uint32_t count;    /* collapses so far */
    bool on;
    sq_time_t *come; /* `offered`: when calls came within the last second, a ring */
    uint32_t first, count_come, size;
};

enum mdl_node_state {
    MDL_NODE_GONE,     /* its place may be taken by a new one */
    MDL_NODE_STARTING, /* existing, but not ready */
    MDL_NODE_READY,
    MDL_NODE_RETIRING, /* takes no new calls */
};

struct mdl_node {
    struct mdl_room room;
    bool *hit;                 /* by outage: in effect here */
    int downs, hangs, failing; /* outages in effect here: down, hang, errors */
    struct mdl_collapse collapse;
    sq_time_t refusal_delay; /* while it is down */
    uint64_t start_seq;      /* of the pending STARTED event */
    uint64_t born;           /* the how-many-eth node it is */
    uint32_t asker;          /* its number for controls of scope replica */
    uint16_t index;
    uint8_t state;         /* enum mdl_node_state */
    bool removed;          /* by the probe */
    bool recovers;         /* from the outage that ends now */
    int64_t fails, passes; /* probes in a row */
    sq_time_t slow_since;  /* its slow start began; SQ_NEVER: none */
    double credit;         /* round-robin by weight: what it is owed */
};

struct mdl_dependency {
    struct mdl_ctx *ctx;
    uint16_t id;
    const char *name;
    const struct mdl_dependency_cfg *cfg;
    struct mdl_gate gate;
    uint32_t node_count, node_size; /* those that are gone included */
    struct mdl_node **nodes;        /* all by their index; they stay where they are */
    struct mdl_levels load;         /* over all nodes */
    struct sq_level existing, ready;
    uint64_t offered, processed; /* calls that have come, and that were served, so far */
    int64_t nodes_seen;          /* the configured number acted upon */
    bool varies;                 /* an autoscaler or an action changes it */
    int64_t up;                  /* ready nodes neither down, hung nor collapsed */
    bool opened;                 /* the nodes of the start are there */
    uint64_t born, turn;         /* nodes ever made; round-robin: the next one's index */
    struct sq_dist start_up;
    struct mdl_caller caller; /* of its own calls */
    struct mdl_dependency_luck luck;
    uint32_t version; /* of an optimistic row: writes that won */
    struct sq_dist network, refusal_cost;
    bool near; /* no time is lost on the network */
    struct mdl_limiter_state limiter;
    struct mdl_outage_state *outages; /* by index */
    struct mdl_collapse collapse;
    const struct sq_level *queue; /* contention of a queue: its ready jobs */
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

/* One node at least is neither down, hung nor collapsed. */
static inline bool mdl_dependency_is_up(const struct mdl_dependency *d)
{
    return d->up > 0;
}

/* Nodes that are ready, up and not taken out by the probe. */
int64_t mdl_dependency_serving(const struct mdl_dependency *d);

/* Calls per second that the servers in force can serve and its own limit lets in; NaN where there
 * is neither. */
double mdl_dependency_capacity(const struct mdl_dependency *d);

/* Levels agree with the lines, permits with the limit; for the laws. */
bool mdl_dependency_check(const struct mdl_dependency *d);

#endif
