/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_room.h - the servers of a dependency and the line before them (SCENARIO 7).
 *
 *     enter --> waiting --> in service --> SERVED event
 *          \--> refused (no room)  \--> shed by the discipline
 *
 * In flight = waiting + in service, calls that nobody waits for any more included: abandoned work
 * still takes its server (`abandoned: finish`). Warm-up bounds how many servers take new work, or
 * slows all of them, for a while after each return. */
#ifndef MDL_ROOM_H
#define MDL_ROOM_H

#include "models/part/mdl_core.h"
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

struct mdl_room_cfg {
    int64_t servers, waiting_room;
    struct sq_block service, discipline;
    struct mdl_warm_cfg *warm_up; /* NULL: always warm */
};

struct mdl_room {
    struct mdl_ctx *ctx;
    uint16_t id; /* of the dependency */
    const struct mdl_room_cfg *cfg;
    struct sq_dist service;
    const uint32_t *service_streams; /* by producer */
    struct mdl_shelf shelf;
    struct mdl_line serving;
    void (*shed)(void *owner, uint32_t call); /* the discipline lets go of a call */
    void *owner;
    struct sq_level in_flight, waiting, busy, in_force; /* in_force: finite servers only */
    sq_time_t warm_since;                               /* SQ_NEVER: warm */
    uint64_t warm_seq;
    bool open;
};

/* The owner sets `service_streams`, `shed` and `owner` before the run. */
void mdl_room_init(struct mdl_room *r, struct mdl_ctx *ctx, uint16_t id,
                   const struct mdl_room_cfg *cfg);

/* A call arrives. False: there is no room. */
bool mdl_room_enter(struct mdl_room *r, uint32_t call);

/* A server finished this call; the next one starts. False: the event was stale. */
bool mdl_room_served(struct mdl_room *r, uint32_t call, uint64_t seq);

/* Everything inside is thrown out: `out` is called for each call, in service first. */
void mdl_room_close(struct mdl_room *r, void (*out)(void *self, uint32_t call), void *self);

/* The dependency returns: warm-up starts. */
void mdl_room_open(struct mdl_room *r);

/* Warm-up brings one more server. */
void mdl_room_warm(struct mdl_room *r, uint64_t seq);

/* A `set` action changed servers, service or warm-up. */
void mdl_room_changed(struct mdl_room *r);

/* Servers that take new work now; SQ_UNLIMITED without a limit, 0 while closed. */
int64_t mdl_room_in_force(const struct mdl_room *r);

/* Calls per second that the servers in force can serve; NaN for unlimited ones. */
double mdl_room_capacity(const struct mdl_room *r);

/* Share of servers (or speed) in force `since` ns after a return. */
double mdl_warm_share(const struct mdl_warm_cfg *w, sq_time_t since);

#endif
