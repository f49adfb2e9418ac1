/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_event.h - every kind of event: what actors tell each other and what timers say.
 *
 * An event carries its actor, its kind, a small `extra` and a slot (sq_sim.h); whatever else it
 * needs stands in the record that the slot names.
 *
 * Ranks decide what comes first at one instant (SCENARIO.md 12.1). Consequences (rank MESSAGE) run
 * to completion before the next cause; then outages and actions, the mark T1, answers, timeouts,
 * leases and due delays, polls, arrivals, ticks. */
#ifndef MDL_EVENT_H
#define MDL_EVENT_H

#include "sim/core/sq_sim.h"

enum mdl_rank {
    MDL_RANK_END = SQ_RANK_END,
    MDL_RANK_MESSAGE = SQ_RANK_MESSAGE,
    MDL_RANK_CALENDAR = SQ_RANK_FIRST_FREE,
    MDL_RANK_MARK,
    MDL_RANK_ANSWER,
    MDL_RANK_TIMEOUT,
    MDL_RANK_DUE,
    MDL_RANK_POLL,
    MDL_RANK_ARRIVAL,
    MDL_RANK_TICK,
};

/* X(NAME, rank, slot, doc) */
#define MDL_EVENTS(X)                                                                            \
    X(DRAIN, CALENDAR, "-", "arrivals stop; the run goes on until its last job ended")           \
    X(END, END, "-", "the run ends")                                                             \
    X(T1, MARK, "-", "the scheduled outage is over")                                             \
    X(MEASURE, END, "-", "measurement starts: before anything else at its instant")              \
    X(BASELINE, MARK, "-", "the baseline ends")                                                  \
    X(ARRIVE, ARRIVAL, "source", "a producer creates its next job")                              \
    X(JOB_OVER, MESSAGE, "member", "the job of a member of a closed population has ended")       \
    X(ENQUEUE, MESSAGE, "job", "a new job reaches its queue")                                    \
    X(FETCH, MESSAGE, "pool, count", "a pool can take so many more jobs, or so many fewer")      \
    X(DELIVER, MESSAGE, "job", "a queue hands a job to a pool")                                  \
    X(SETTLE, MESSAGE, "job", "a pool reports how a job ended (extra: enum mdl_end)")            \
    X(DELAY, MESSAGE, "job", "a pool gives a job back until a time (extra: enum mdl_delay)")     \
    X(GIVE_BACK, MESSAGE, "job", "it comes back undone (extra 1: by a crash, 2: paused)")        \
    X(DUE, DUE, "job", "a delayed job becomes ready")                                            \
    X(POLL, POLL, "-", "a poll releases what is due")                                            \
    X(MOVE, MESSAGE, "job", "a due retry comes from another queue")                              \
    X(OVERTAKE, MESSAGE, "job", "a job here is superseded by one in another queue")              \
    X(OFFER, ARRIVAL, "job", "a producer offers a job again to a queue that was full")           \
    X(REDRIVE, MESSAGE, "index", "an operator lets dead letters return")                         \
    X(REDRIVE_NEXT, ARRIVAL, "index", "the next dead letter returns")                            \
    X(EXPIRE, DUE, "job", "the lease of a delivery ends")                                        \
    X(VANISH, MESSAGE, "job", "the job of a copy in another queue has ended")                    \
    X(LEAVE, MESSAGE, "job", "a pool lets go of a job that comes back with its lease")           \
    X(HOLD, MESSAGE, "job", "a pool keeps a job in hand for a retry")                            \
    X(WORKED, ANSWER, "run", "a worker finished its own work before the calls")                  \
    X(CALL, MESSAGE, "call", "a caller asks to call a dependency")                               \
    X(ANSWER, ANSWER, "call", "the outcome of a call reaches its caller")                        \
    X(TIMEOUT, TIMEOUT, "call", "a caller stops waiting")                                        \
    X(OUTCOME, MESSAGE, "call", "how a call ended for its caller (extra: enum mdl_said)")        \
    X(THROTTLED, MESSAGE, "call", "a control turned a call away (extra: enum mdl_turned)")       \
    X(WITHDRAW, MESSAGE, "call", "a caller that waits at a control goes away")                   \
    X(WAITED, TIMEOUT, "call", "a caller has waited at a control for `max`")                     \
    X(AGAIN, DUE, "run", "a caller's delay in place is over: the next try of its call")          \
    X(TOTAL, TIMEOUT, "run", "all tries of a call together have taken too long")                 \
    X(REACH, ARRIVAL, "call", "a call reaches its dependency over the network")                  \
    X(ABANDON, MESSAGE, "call", "a caller tells a dependency that it gave up")                   \
    X(SERVED, ANSWER, "call", "a server finished a call")                                        \
    X(OUTAGE, CALENDAR, "index", "an outage starts")                                             \
    X(OUTAGE_OVER, CALENDAR, "index", "an outage ends")                                          \
    X(TRIP, CALENDAR, "node", "the overload rule has held for `for`: the dependency collapses")  \
    X(COLLAPSE_OVER, CALENDAR, "node", "a collapsed dependency returns")                         \
    X(PAID, ANSWER, "node", "a server has said no, and is free again")                           \
    X(WARM, TICK, "node", "warm-up brings one more server")                                      \
    X(RAMP, TICK, "index", "a ramp reaches its next step")                                       \
    X(BREAKER, TICK, "index", "time changes the state of a breaker")                             \
    X(TOKEN, TICK, "index", "a token of a rate limit comes free")                                \
    X(GONE, MESSAGE, "asker", "a replica is gone: controls forget its states")                   \
    X(SYNC, TICK, "-", "an autoscaler looks at its figures")                                     \
    X(SCALE, MESSAGE, "count", "an autoscaler or action wants so many replicas")                 \
    X(STARTED, TICK, "replica", "a replica is ready")                                            \
    X(GRACE, TICK, "replica", "a retiring replica's grace is over")                              \
    X(ACTION, CALENDAR, "index", "an operator acts")                                             \
    X(BURST, MESSAGE, "count", "so many jobs arrive now")                                        \
    X(PAUSE, MESSAGE, "-", "an operator pauses an entity (extra 0: it goes on)")                 \
    X(PURGE, MESSAGE, "keep", "an operator empties a queue (extra: parts, enum mdl_parts)")      \
    X(CHANGED, MESSAGE, "-", "a `set` action changed a value of this entity")                    \
    X(FILL, TICK, "replica", "jobs delivered at this instant make batches")                      \
    X(RESUME, DUE, "run", "a delay that a worker holds is over")                                 \
    X(DEPLOY, MESSAGE, "millionths", "replicas are replaced, so many at a time")                 \
    X(CRASH, TICK, "replica", "a replica crashes by chance")                                     \
    X(LOOK, MESSAGE, "run", "a retired replica looks whether a job now waits at a control")      \
    X(ACCEPT, MESSAGE, "job", "a pool settles a job before it runs it: its lease is over")       \
    X(PROBE, TICK, "-", "health probes look at the nodes of a dependency")                       \
    X(LEASE, DUE, "permit", "a permit's lease ends")                                             \
    X(STORE, MESSAGE, "-", "a miss of a cache ended as goodput")                                 \
    X(ADMITS, MESSAGE, "control, calls", "a control would admit so many calls of a paused pool") \
    X(RUNS, MESSAGE, "pool", "a paused pool fetches without bound again")                        \
    X(ADAPT, TICK, "index", "the samples of an adaptive limit are judged")

/* Beside the outcome (enum mdl_error) in the extra of an OUTCOME. */
enum mdl_said { MDL_SAID_DIED = 0x80 /* its caller has crashed */ };

enum mdl_event {
#define MDL_EVENT_ENUM(name, rank, slot, doc) MDL_EV_##name,
    MDL_EVENTS(MDL_EVENT_ENUM)
#undef MDL_EVENT_ENUM
        MDL_EVENT_COUNT
};

/* Name, rank and doc of a kind, for traces and tests. */
const char *mdl_event_name(enum mdl_event kind);
enum mdl_rank mdl_event_rank(enum mdl_event kind);
const char *mdl_event_doc(enum mdl_event kind);

#endif
