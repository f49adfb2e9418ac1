/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate_parts.h - the inside of a gate, for its own files: states, lines, the ramp. */
#ifndef MDL_GATE_PARTS_H
#define MDL_GATE_PARTS_H

#include "models/part/mdl_gate.h"
#include "models/part/mdl_line.h"
#include "models/policy/mdl_trouble.h"
#include "models/policy/mdl_adaptive.h"
#include "models/policy/mdl_limiter.h"

/* ---- configuration: mdl_gate_rows.c ---- */

struct mdl_throttled_defer {
    struct sq_block delay;
};
struct mdl_throttled_wait {
    sq_time_t max;
};
enum mdl_throttled {
    MDL_THROTTLED_DEFER,
    MDL_THROTTLED_WAIT,
    MDL_THROTTLED_FAIL,
    MDL_THROTTLED_PAUSE,
};

/* What throttled callers do; `pool`: the jobs of a worker pool. */
enum mdl_throttled mdl_control_throttled(const struct mdl_control_cfg *cfg, bool pool);

/* Whether there is such a control, and its scope. */
bool mdl_control_has(const struct mdl_control_cfg *cfg, enum mdl_control kind);
int mdl_control_scope(const struct mdl_control_cfg *cfg, enum mdl_control kind);

/* ---- who waits where: mdl_gate_line.c ----
 *
 * Calls of one group (the finest scope of any control) have the same state of every control, so
 * what refuses one refuses all: they stand in one line, and only its head is ever tried. The line
 * is known to the one state that turned its head away, which keeps its lines in a heap by the
 * ticket of the head: first come first served at each state, and no call is tried before something
 * has changed at that state. A state that changed is stirred; mdl_gate_next tries the lines of
 * stirred states until these refuse again. */

struct mdl_group {
    struct mdl_state state;
    struct mdl_line line;
    struct mdl_state *at; /* turned its head away; NULL: nobody is in line */
    uint32_t place;       /* in that state's heap */
};

#define MDL_TICKET_NEW INT64_MAX /* of a caller that has just come */

/* Puts a call behind the others of its group; `by` refused it, or the head before it. */
void mdl_gate_stand(struct mdl_gate *g, uint32_t slot, struct mdl_state *by);
void mdl_gate_step_out(struct mdl_gate *g, uint32_t slot);

/* Another state refuses the head of a group now. */
void mdl_gate_move(struct mdl_gate *g, struct mdl_group *group, struct mdl_state *by);

static inline struct mdl_group *mdl_gate_group(struct mdl_gate *g, const struct mdl_call *call)
{
    return (struct mdl_group *)(void *)mdl_scopes_get(&g->lines, call);
}

/* Something changed at a state that may let callers pass. */
void mdl_gate_stir(struct mdl_gate *g, struct mdl_state *s);
void mdl_gate_stir_all(struct mdl_gate *g);
void mdl_gate_calm(struct mdl_gate *g); /* the first stirred state refuses again */

/* Whether somebody with a smaller ticket waits at this state. */
bool mdl_gate_is_behind(const struct mdl_gate *g, const struct mdl_state *s, int64_t ticket);

/* ---- bounds on calls at a time ---- */

struct mdl_bound {
    struct mdl_state state;
    int64_t in_use;
};

/* Takes a place in every bound for a call that leaves, gives the places back: mdl_gate_lease.c. */
void mdl_gate_take_permit(struct mdl_gate *g, uint32_t slot);
void mdl_gate_lease_init(struct mdl_gate *g);
/* Returns how many calls the adaptive limit had under way when it was taken, or 0. */
uint32_t mdl_gate_give_permit(struct mdl_gate *g, uint32_t slot, bool died);

/* The limit of one state of a bound. */
int64_t mdl_gate_bound(const struct mdl_gate *g, enum mdl_control kind, const struct mdl_state *s);

/* ---- the breaker: mdl_gate_breaker.c ---- */

struct mdl_breaker_gate {
    struct mdl_state state;
    struct mdl_breaker *b;
    uint32_t age;     /* of the breaker when it was last looked at */
    uint64_t seq;     /* of the pending BREAKER event ... */
    sq_time_t posted; /* ... and its time */
};

void mdl_gate_breaker_begin(void *gate, struct mdl_state *s);
bool mdl_gate_breaker_admits(struct mdl_gate *g, struct mdl_state *s);
/* The call leaves. */
void mdl_gate_breaker_take(struct mdl_gate *g, struct mdl_state *s, struct mdl_call *call);
/* A call is not let through. True: it is to wait for the probe that is out. */
bool mdl_gate_breaker_refuse(struct mdl_gate *g, struct mdl_state *s);
/* Whether it waits for a probe, and no more. */
bool mdl_gate_breaker_probes(const struct mdl_gate *g, const struct mdl_state *s);
void mdl_gate_breaker_ended(struct mdl_gate *g, struct mdl_state *s, const struct mdl_call *call,
                            enum mdl_error outcome);
/* Somebody waits here now, or the configuration changed. */
void mdl_gate_breaker_look(struct mdl_gate *g, struct mdl_state *s);

/* ---- pools that have paused: mdl_gate_pause.c ----
 *
 * A record that is no call, the scout, stands in line for the pool. When its turn comes the pool is
 * told how many calls would be admitted, and so it is whenever a call of it has left since. */

/* A call is refused: the pool pauses. */
void mdl_gate_pause(struct mdl_gate *g, const struct mdl_call *call, struct mdl_state *by);

/* The turn of a scout has come; it is out of the line. */
void mdl_gate_scout(struct mdl_gate *g, uint32_t slot);

/* A call has left: a pool that follows is told what is left for it. */
void mdl_gate_follow(struct mdl_gate *g, const struct mdl_call *call);

/* The first state that refuses a call, or that others wait at who came before; NULL: none. */
struct mdl_state *mdl_gate_refuser(struct mdl_gate *g, const struct mdl_call *call, int64_t ticket);

/* ---- rate limits: mdl_gate_rate.c ----
 *
 * While callers wait at a rate limit, one event is pending: for the instant of the next token. */

struct mdl_rate_state {
    struct mdl_state state;
    struct mdl_limiter_state limiter;
    uint64_t seq;    /* of the pending TOKEN event, 0: none */
    int64_t waiting; /* calls in line that must pass it */
};

void mdl_gate_rate_begin(void *gate, struct mdl_state *s);
bool mdl_gate_rate_admits(const struct mdl_gate *g, struct mdl_state *s);
void mdl_gate_rate_take(struct mdl_gate *g, struct mdl_state *s);
void mdl_gate_rate_await(struct mdl_gate *g, struct mdl_state *s); /* the next token */
void mdl_gate_rate_changed(struct mdl_gate *g);

/* A leaky bucket that has a place for one more, whatever throttled callers do. */
bool mdl_gate_rate_holds(const struct mdl_gate *g, const struct mdl_state *s);

/* ---- adaptive limits: mdl_gate_adaptive.c ---- */

struct mdl_adaptive_bound {
    struct mdl_bound bound;
    struct mdl_adaptive_state adaptive;
    uint64_t seq; /* of the pending ADAPT event, 0: none */
};

void mdl_gate_adaptive_begin(void *gate, struct mdl_state *s);
int64_t mdl_gate_adaptive_limit(const struct mdl_gate *g, const struct mdl_state *s);

/* A call ended. */
void mdl_gate_adaptive_note(struct mdl_gate *g, const struct mdl_call *call, uint32_t in_flight,
                            enum mdl_error outcome);

/* ---- trouble and the ramp: mdl_gate_ramp.c ---- */

struct mdl_ramp_state {
    struct mdl_bound bound;
    struct mdl_trouble trouble;
    struct sq_block running; /* the ramp as it was when it started */
    sq_time_t start;         /* SQ_NEVER: no ramp has started */
    uint64_t seq;            /* of the pending RAMP event */
    bool breaker;            /* the breaker of the same key is not closed */
};

void mdl_gate_ramp_begin(void *gate, struct mdl_state *s);
void mdl_gate_ramp_fini(struct mdl_state *s);
int64_t mdl_gate_ramp_limit(const struct mdl_gate *g, const struct mdl_ramp_state *r);

/* A call ended. */
void mdl_gate_ramp_note(struct mdl_gate *g, struct mdl_ramp_state *r, enum mdl_error outcome);

/* This state of the breaker opened or closed: while it is not closed the limit is the bottom, of
 * the ramp of its key, or of all when it is the fleet's. With `starts: breaker-close` its closing
 * starts the ramp. */
void mdl_gate_ramp_breaker(struct mdl_gate *g, const struct mdl_state *breaker, bool closed);

#endif
