/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency.h - what is called: controls, outages, collapse, servers (SCENARIO 7 and 8).
 *
 *     CALL --gate--> leaves --down? refused : room--> SERVED --> ANSWER to the caller
 *
 * A call is one posted event; admission is decided here. The dependency goes down for planned
 * outages and when its overload rule trips; each return starts warm-up and the overload clock. */
#ifndef MDL_DEPENDENCY_H
#define MDL_DEPENDENCY_H

#include "models/part/mdl_calendar.h"
#include "models/part/mdl_gate.h"
#include "models/part/mdl_room.h"

extern const struct sq_table mdl_dependency_table;

struct mdl_dependency_cfg {
    struct mdl_room_cfg room;
    sq_time_t answer_in;
    struct sq_list outages; /* of struct sq_block */
    struct mdl_overload_cfg *overload;
};

struct mdl_dependency {
    struct mdl_ctx *ctx;
    uint16_t id;
    const char *name;
    const struct mdl_dependency_cfg *cfg;
    struct mdl_gate gate;
    struct mdl_room room;
    uint32_t down_stream; /* luck of collapse lengths */
    int planned;          /* planned outages in effect */
    bool collapsed;
    uint32_t collapses;
    uint64_t trip_seq; /* of the pending TRIP event, 0: below the limit */
    sq_time_t refusal_delay;
    int refusal_lane;
    sq_time_t lane_delay;
};

/* Streams: arrays by producer, borrowed for the run. */
struct mdl_dependency_luck {
    const uint32_t *service, *defer;
    uint32_t down;
};

/* Borrows everything for the run; adds the actor and its planned outages. */
enum sq_status mdl_dependency_init(struct mdl_dependency *d, struct mdl_ctx *ctx, const char *name,
                                   const struct mdl_dependency_cfg *cfg,
                                   const struct mdl_control_cfg *control) SQ_MUST_USE;
void mdl_dependency_start(struct mdl_dependency *d, struct mdl_dependency_luck luck);
void mdl_dependency_fini(struct mdl_dependency *d);

static inline bool mdl_dependency_is_up(const struct mdl_dependency *d)
{
    return d->planned == 0 && !d->collapsed;
}

/* Levels agree with the lines, permits with the limit; for the laws. */
bool mdl_dependency_check(const struct mdl_dependency *d);

#endif
