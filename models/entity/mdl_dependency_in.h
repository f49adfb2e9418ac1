/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_dependency_in.h - what the files of the dependency entity ask of each other; not for others.
 */
#ifndef MDL_DEPENDENCY_IN_H
#define MDL_DEPENDENCY_IN_H

#include "models/entity/mdl_dependency.h"

/* ---- nodes: mdl_dependency_nodes.c ---- */

/* Makes those that are there at the start. */
enum sq_status mdl_nodes_open(struct mdl_dependency *d) SQ_MUST_USE;

static inline struct mdl_node *mdl_node_of(const struct mdl_dependency *d,
                                           const struct mdl_call *call)
{
    return d->nodes[call->node];
}

static inline bool mdl_node_is_up(const struct mdl_node *n)
{
    return n->state == MDL_NODE_READY && n->downs == 0 && n->hangs == 0 && !n->collapse.on;
}

/* Something made nodes go up or down: counts those that are up. */
void mdl_nodes_count(struct mdl_dependency *d);

/* One that retires is gone with the last call inside. */
void mdl_node_tidy(struct mdl_dependency *d, struct mdl_node *n);

void mdl_nodes_scale(struct mdl_dependency *d, int64_t wanted);
void mdl_node_started(struct mdl_dependency *d, uint32_t index, uint64_t seq);
void mdl_nodes_probe(struct mdl_dependency *d);

/* ---- which node: mdl_dependency_balance.c ---- */

/* The node that a call goes to; NULL: none is left. It may be down. */
struct mdl_node *mdl_nodes_pick(struct mdl_dependency *d, const struct mdl_call *call);

/* The balancer takes a node in from now on, so its slow start begins, if it has one: a new node, or
 * one that was down (without a probe, at its return; with one, when the probe puts it back). */
enum mdl_taken { MDL_TAKEN_NEW, MDL_TAKEN_BACK };
void mdl_balance_take(struct mdl_dependency *d, struct mdl_node *n, enum mdl_taken taken);

/* ---- refusals: mdl_dependency_refusals.c ---- */

void mdl_refuse(struct mdl_dependency *d, uint32_t call, enum mdl_error error, sq_time_t delay);
void mdl_refuse_shed(void *dependency, uint32_t call);

/* ---- going down and coming back: mdl_dependency_down.c ---- */

/* Posts the planned outages and the first of each random series. SQ_NOMEM. */
enum sq_status mdl_down_open(struct mdl_dependency *d) SQ_MUST_USE;

void mdl_down_outage(struct mdl_dependency *d, uint32_t index);
void mdl_down_over(struct mdl_dependency *d, uint32_t index);

/* A new node: what hits all nodes hits it too. */
void mdl_down_join(struct mdl_dependency *d, struct mdl_node *n);

/* The load of a node changed: starts or clears the overload clock; one that retires may be gone. */
void mdl_down_look(struct mdl_dependency *d, struct mdl_node *n);
static inline void mdl_down_watch(struct mdl_dependency *d, struct mdl_node *n)
{
    if (d->cfg->overload != NULL || n->state == MDL_NODE_RETIRING) {
        mdl_down_look(d, n);
    }
}

/* A call comes to a node; for the rule that looks at what is offered. */
void mdl_down_offered(struct mdl_dependency *d, struct mdl_node *n);
void mdl_down_trip(struct mdl_dependency *d, uint32_t whose, uint64_t seq);
void mdl_down_return(struct mdl_dependency *d, uint32_t whose, uint64_t seq);

/* How outages of kind errors make this call fail: on arrival, those that say when the answer comes
 * (`answer_in`), or after service the others. MDL_ERR_OK: not at all. */
enum mdl_error mdl_down_draw(const struct mdl_dependency *d, const struct mdl_call *call,
                             bool arrival, sq_time_t *answer_in);
static inline enum mdl_error mdl_down_error(const struct mdl_dependency *d,
                                            const struct mdl_call *call, bool arrival,
                                            sq_time_t *answer_in)
{
    return mdl_node_of(d, call)->failing == 0 ? MDL_ERR_OK
                                              : mdl_down_draw(d, call, arrival, answer_in);
}

/* Down or collapsed: new calls are refused. */
static inline bool mdl_down_refuses(const struct mdl_node *n)
{
    return n->downs > 0 || n->collapse.on;
}

/* ---- the cache: mdl_dependency_cache.c ---- */

/* Whether a call that has come to its node is a hit, and then answered. There is a cache. */
bool mdl_cache_hits(struct mdl_dependency *d, uint32_t call);

/* The caller of a miss has its success. */
void mdl_cache_fill(struct mdl_dependency *d);

/* ---- answers: mdl_dependency.c ---- */

/* One way of a call: 0 there, 1 back; of an optimistic one 2 and 3 with its write. */
sq_time_t mdl_dependency_trip(const struct mdl_dependency *d, const struct mdl_call *call,
                              uint32_t way);

/* An answer leaves for the caller now: network, then ANSWER. */
void mdl_dependency_answer(struct mdl_dependency *d, uint32_t call, enum mdl_error outcome);

/* Lets go of a call that gets no answer. */
void mdl_dependency_forget(void *d, uint32_t call);

/* The service of a call is over with all its calls: its server is free already. */
void mdl_dependency_done(struct mdl_dependency *d, uint32_t call, enum mdl_error outcome);

/* What a room does with calls that it lets go of. */
struct mdl_room_owner mdl_dependency_owner(struct mdl_dependency *d);

/* ---- calls of its own: mdl_dependency_calls.c ---- */

static inline bool mdl_inner_exists(const struct mdl_dependency *d)
{
    return d->caller.entry_count > 0;
}

/* The own service of a call is over: it holds its server while the calls are made. */
void mdl_inner_start(struct mdl_dependency *d, uint32_t call);

/* One of the events of a caller. */
void mdl_inner_event(struct mdl_dependency *d, struct sq_msg m, uint64_t seq);

/* The call is thrown out or dropped: what is under way on its behalf is cancelled. */
void mdl_inner_abort(struct mdl_dependency *d, uint32_t call);

/* A node hung and goes on. */
void mdl_inner_go_on(struct mdl_dependency *d, struct mdl_node *n);

#endif
