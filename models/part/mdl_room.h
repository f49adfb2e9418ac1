/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_room.h - the servers of one node of a dependency and the line before them (SCENARIO 7).
 *
 *     enter --> waiting --> in service --> SERVED event --> (holds its server) --> leaves
 *          \--> refused (no room)  \--> let go: shed by the discipline, or its caller is gone
 *
 * In flight = waiting + in service, calls that nobody waits for any more included: abandoned work
 * still takes its server (`abandoned: finish`; `skip` drops it when a server would take it, and
 * `cancel` at once, as far as the caller told).
 *
 * How many servers take new work: all, less what warm-up holds back after a return, and at most
 * what brownouts leave. A service time is drawn once per call and multiplied, when service starts,
 * by the job's scale, contention, slow outages, and 1/speed during a warm-up of speed. Under
 * `sharing` that product is the service needed, and time passes by mdl_sharing's clock.
 *
 * While it hangs, services stand still and none starts; calls go on arriving as long as there is a
 * free server or a place in the line. Afterwards the services go on where they stood, and the line
 * moves up. */
#ifndef MDL_ROOM_H
#define MDL_ROOM_H

#include "models/part/mdl_core.h"
#include "models/part/mdl_sharing.h"
#include "models/part/mdl_shelf.h"
#include "sim/conf/sq_field.h"

enum mdl_warm_curve { MDL_WARM_LINEAR, MDL_WARM_QUARTERS };
enum mdl_warm_affects { MDL_WARM_SERVERS, MDL_WARM_SPEED };

struct mdl_warm_cfg {
    double from;
    sq_time_t over;
    int curve, affects;
};
extern const struct sq_table mdl_warm_table;

enum mdl_abandoned { MDL_ABANDONED_FINISH, MDL_ABANDONED_SKIP, MDL_ABANDONED_CANCEL };

struct mdl_room_cfg {
    int64_t servers, waiting_room;
    struct sq_block service, discipline, contention;
    int abandoned;                /* enum mdl_abandoned */
    struct mdl_warm_cfg *warm_up; /* NULL: always warm */
};

/* What the owner does with calls that leave without being served. */
struct mdl_room_owner {
    void (*shed)(void *self, uint32_t call); /* the discipline lets go of it */
    void (*drop)(void *self, uint32_t call); /* its caller is gone */
    void *self;
};

/* Levels of all nodes of a dependency together. */
struct mdl_levels {
    struct sq_level in_flight, waiting, busy, in_force; /* in_force: finite servers only */
};

struct mdl_room {
    struct mdl_ctx *ctx;
    uint16_t id;    /* of the dependency */
    uint16_t index; /* of the node, in the slot of its WARM events */
    struct mdl_levels *sum;
    int64_t noted; /* servers in force, as `sum` knows them */
    const struct mdl_room_cfg *cfg;
    struct sq_dist service;
    const uint32_t *service_streams; /* by producer */
    struct mdl_room_owner owner;
    const struct sq_level *queue; /* contention of a queue: its ready jobs */
    struct mdl_shelf shelf;
    struct mdl_line serving;    /* unless shared */
    struct mdl_line held;       /* served, and still holding their servers */
    struct mdl_sharing sharing; /* among > 0: used */
    sq_time_t warm_since;       /* SQ_NEVER: warm */
    uint64_t warm_seq;
    double slow, capacity; /* factor on service times; share of servers; by outages */
    int64_t paying;        /* servers that say no to calls: `refusal_cost` */
    int64_t owed;          /* refusals that wait for a server */
    sq_time_t owed_ns;     /* their time together */
    uint64_t last_paid,
        paid_after; /* PAID events: the last one posted; up to here they are stale */
    bool open, hung;
};

/* The owner sets `ctx`, `id`, `index`, `sum`, `cfg`, `owner`, `service_streams` and perhaps `queue`
 * before; `open`: it takes calls from the start, warm. */
void mdl_room_init(struct mdl_room *r, bool open);
void mdl_room_fini(struct mdl_room *r);

/* A call arrives. False: there is no room. */
bool mdl_room_enter(struct mdl_room *r, uint32_t call);

/* A server finished this call; the next one starts. False: the event was stale. */
bool mdl_room_served(struct mdl_room *r, uint32_t call, uint64_t seq);

/* A server finished this call, but goes on holding it. */
void mdl_room_hold(struct mdl_room *r, uint32_t call);

/* A call that waits, is in service or holds its server is taken out, and the next one starts. */
void mdl_room_cancel(struct mdl_room *r, uint32_t call);

/* Everything inside is thrown out: `out` is called for each call, in service first. */
void mdl_room_close(struct mdl_room *r, void (*out)(void *self, uint32_t call), void *self);

/* It returns, or a new node is ready: warm-up starts. */
void mdl_room_open(struct mdl_room *r);

/* It hangs, or goes on; then warm-up starts too. */
void mdl_room_hang(struct mdl_room *r, bool hung);

/* Outages change the factor on service times and the share of servers that take new work. */
void mdl_room_weather(struct mdl_room *r, double slow, double capacity);

/* Warm-up brings one more server. */
void mdl_room_warm(struct mdl_room *r, uint64_t seq);

/* A `set` action changed servers, service or warm-up. */
void mdl_room_changed(struct mdl_room *r);

/* A refusal takes a server for `cost`: a free one at once, else the next ones before any call that
 * waits. What is owed at a time is paid in equal parts. */
void mdl_room_charge(struct mdl_room *r, sq_time_t cost);
void mdl_room_paid(struct mdl_room *r, uint64_t seq);

/* Calls in service, those that hold their servers included. */
static inline int64_t mdl_room_serving(const struct mdl_room *r)
{
    return (r->sharing.among > 0 ? (int64_t)r->sharing.count : r->serving.count) + r->held.count;
}

/* Servers at work: on calls, or on saying no to some. */
static inline int64_t mdl_room_at_work(const struct mdl_room *r)
{
    return mdl_room_serving(r) + r->paying;
}

/* Of its own files: one server pays a part of what is owed, it goes down and owes nothing more, and
 * free servers take what is owed, then waiting calls. */
void mdl_room_pay(struct mdl_room *r);
void mdl_room_owe_nothing(struct mdl_room *r);
void mdl_room_fill(struct mdl_room *r);

/* Calls in service and waiting. */
static inline int64_t mdl_room_in_flight(const struct mdl_room *r)
{
    return r->shelf.count + mdl_room_serving(r);
}

/* Servers that take new work now; SQ_UNLIMITED without a limit, 0 while closed. */
int64_t mdl_room_in_force(const struct mdl_room *r);

/* Calls per second that the servers in force can serve; NaN for unlimited ones. */
double mdl_room_capacity(const struct mdl_room *r);

/* Share of servers (or speed) in force `since` ns after a return. */
double mdl_warm_share(const struct mdl_warm_cfg *w, sq_time_t since);

#endif
