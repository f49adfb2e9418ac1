/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_core.h - what all entities share: the job and call records, the words for how things end,
 * the stream of semantic records, and the context of a run.
 *
 * Ownership. A job record belongs to the queue it is in (or to its client); whoever holds the slot
 * number from an event may read and write it until the owner is told that the job ended. A call
 * record is held by its caller (while it waits) and by the dependency (while the call is inside or
 * its control still wants the outcome); the last to let go frees it (mdl_call_release). */
#ifndef MDL_CORE_H
#define MDL_CORE_H

#include "models/part/mdl_event.h"
#include "models/part/mdl_grant.h"
#include "models/part/mdl_path.h"
#include "models/part/mdl_words.h"
#include "sim/base/sq_mem.h"
#include "sim/core/sq_dist.h"
#include "sim/core/sq_luck.h"
#include "sim/core/sq_stat.h"

enum mdl_job_state {
    MDL_JOB_FREE,
    MDL_JOB_NEW,      /* created, on its way to the queue */
    MDL_JOB_READY,    /* in the ready list */
    MDL_JOB_DELAYED,  /* at the broker until due: retry or parked */
    MDL_JOB_DEFERRED, /* at the broker until due, turned away by a control */
    MDL_JOB_BLOCKED,  /* turned away by a full queue: its producer will offer it again */
    MDL_JOB_LEASED,   /* in a worker's hands */
    MDL_JOB_SETTLED,  /* in a worker's hands, and done for the broker: a crash loses it */
    MDL_JOB_EXPIRED,  /* likewise, and the message has moved on or the job has ended (mdl_copy.h) */
};

enum mdl_job_flag {
    MDL_JOB_MEASURED = 1,   /* arrived at or after measure_from */
    MDL_JOB_OPEN = 2,       /* its attempt has begun and not ended */
    MDL_JOB_OVERTAKEN = 4,  /* superseded while it could not be removed */
    MDL_JOB_OUTAGE = 8,     /* arrived inside a planned outage */
    MDL_JOB_BEFORE_T1 = 16, /* arrived before T1 */
    MDL_JOB_EXECUTED = 32,  /* the last of the distinct calls sent has been executed */
    MDL_JOB_REDRIVEN = 64,  /* came back from the dead letters */
    MDL_JOB_RETURNED = 128, /* came back undone: its next delivery is a redelivery */
};

#define MDL_ORDINAL_MASK ((UINT64_C(1) << 48) - 1)

struct mdl_job {
    sq_time_t arrived_ns;
    sq_time_t since_ns;        /* READY: since when; DELAYED, DEFERRED: until when */
    uint64_t ordinal : 48;     /* of its producer, from 0 */
    uint64_t producer : 16;    /* index into mdl_ctx.sources */
    uint64_t due_seq;          /* of the pending DUE event, 0: none */
    uint32_t next, prev;       /* ready list */
    uint32_t attempt;          /* attempts begun */
    uint32_t key;              /* supersede key + 1, 0: none */
    float last;                /* state of a backoff that depends on the delay before */
    uint16_t sent;             /* distinct calls ever sent: the next position that is first */
    uint16_t receives, defers; /* deliveries that count; deferrals, saturating */
    uint16_t failures;         /* of attempts, for the job layer; saturating */
    uint16_t queue;            /* actor of the queue it is in */
    uint8_t state, flags;
};
_Static_assert(sizeof(struct mdl_job) == 64, "one job, one cache line");

enum mdl_call_flag {
    MDL_CALL_CALLER = 1,    /* its caller waits for it */
    MDL_CALL_INSIDE = 2,    /* in a server, a waiting room, or on the network */
    MDL_CALL_REPORTING = 4, /* an OUTCOME message is on its way */
    MDL_CALL_LEFT = 8,      /* left its caller: it counts as a call */
    MDL_CALL_FIRST = 16,
    MDL_CALL_PERMIT = 32, /* holds a permit of the control */
    MDL_CALL_MEASURED = 64,
    MDL_CALL_QUEUED = 128, /* stands in the line of a control or of a waiting room */
};

struct mdl_call {
    sq_time_t left_ns;
    sq_time_t deadline_ns;  /* may not leave after this */
    sq_time_t timeout_ns;   /* length; SQ_NEVER: none */
    uint64_t timeout_seq;   /* of the pending TIMEOUT (or WAITED) event, 0: none */
    uint64_t serve_seq;     /* of the pending SERVED event, 0: none */
    sq_time_t hint_ns;      /* Retry-After of the answer, a length; SQ_NEVER: none */
    uint64_t ordinal;       /* of the job */
    uint32_t job;           /* slot; it may have ended once CALLER is clear. 0: of a dependency */
    uint32_t run;           /* the caller's own record */
    uint32_t next, prev;    /* in the line it stands in */
    uint32_t attempt, draw; /* luck: attempt of the job, how-many-eth call of the attempt */
    uint32_t position;      /* which distinct call of the job this is */
    int32_t timeout_lane;   /* -1: none */
    sq_time_t room_ns; /* waits: since when; in service: when it ends, or how long it still takes;
                          at a control: its ticket */
    uint16_t caller, producer, dependency;
    uint8_t flags, outcome; /* enum mdl_error */
    uint8_t up;             /* whether the dependency was up when it left */
    uint8_t told;           /* the caller gave up and told the dependency */
    uint8_t cancels;        /* the dependency wants an ABANDON message when it is told */
    uint8_t place;          /* enum mdl_place */
    uint8_t served;         /* to the end */
    uint8_t writes;         /* optimistic: it has read, and comes to write */
    uint8_t scout;          /* no call: stands in line for a pool that has paused */
    uint8_t leaks;          /* waits, or waited, in the leaky bucket of a server */
    uint8_t granted_fault;  /* enum mdl_budget_fault: of the failure before */
    uint8_t poison;         /* every call of its job fails with `permanent` */
    uint8_t fills;          /* a miss of a cache: its goodput fills it */
    uint16_t node;          /* of the dependency that it is in */
    union {
        uint32_t version; /* optimistic: of the row when it was read */
        uint32_t inner;   /* else: the run of the calls made on its behalf, 0: none */
    };
    uint32_t path;        /* before it leaves: of the call it belongs to, then its own; 0: none */
    uint32_t asker;       /* the replica, client process, member or node that makes it */
    uint32_t breaker_age; /* of the breaker when it left */
    struct mdl_budget_state *granted; /* a retry: where its budget granted it; NULL: nowhere */
    uint32_t origin; /* whose execution it counts for (mdl_copy.h): a family, or the path above */
    uint32_t permit; /* of a control with a lease: the permit it holds, 0: none; else how many calls
                        of its adaptive limit were under way as it left */
};

/* A share that `set` actions change: since when it has been in force, newest first. A job keeps
 * what was in force when it arrived. */
struct mdl_share {
    sq_time_t since;
    double share;
    const struct mdl_share *before;
};

/* What others may know of a producer or client: by mdl_job.producer. */
struct mdl_source {
    const char *name;
    const sq_time_t *deadline_ns; /* of the configuration, so that a `set` action acts at once */
    int deadline_check;           /* enum mdl_deadline_check */
    double service_scale;
    unsigned priority;                 /* 0..7, 0 is the most important */
    struct sq_dist work;               /* own work of each attempt */
    const struct mdl_share *permanent; /* of poison among its jobs; NULL: none yet */
    uint32_t permanent_stream;
    uint16_t maker;        /* actor; set with `closed` by its maker */
    bool closed;           /* a closed population: its maker is told when a job ended */
    struct mdl_keys *keys; /* of superseding (mdl_copy.h); NULL: none */
};
enum mdl_deadline_check { MDL_CHECK_ENQUEUE, MDL_CHECK_DELIVERY, MDL_CHECK_CALL };

/* The context of one run. Borrowed by every entity for the life of the run. */
struct mdl_ctx {
    struct sq_sim sim;
    struct sq_luck luck;
    struct sq_arena arena; /* everything that lives as long as the run */
    struct sq_pool jobs, calls;
    int64_t alive;          /* jobs that have not ended */
    int64_t copies;         /* slots of the job pool in use beyond one for each of them */
    int64_t vanishing;      /* jobs that have ended, and a copy in another queue has not heard */
    struct mdl_more **more; /* by slot, in chunks; NULL: none so far (mdl_copy.h) */
    uint32_t more_chunks;
    struct sq_pool families;
    sq_time_t duration_ns, tail_ns, measure_from_ns;
    sq_time_t t1_ns;            /* SQ_NEVER: none */
    struct mdl_source *sources; /* producers and clients, in order of name */
    size_t source_count;
    int64_t *waiting;         /* by source: its jobs whose calls wait at a control */
    int32_t planned_outages;  /* in effect now, of all dependencies */
    bool draining;            /* arrivals have stopped */
    bool failed;              /* a pool is exhausted: memory or SQ_MAX_* */
    struct mdl_paths paths;   /* of service graphs */
    struct mdl_grants grants; /* of retries that have not left yet */
    bool keeps_firsts;
    bool *pools; /* by actor: a worker pool, whose throttled jobs wait unless told otherwise */
    bool replica_scopes; /* some control has a state per replica */
    uint32_t askers;     /* numbers given so far to replicas, client processes, members, nodes */
    sq_time_t *firsts;   /* by job slot: when its first attempt began */
    uint32_t first_size;
    void (*observe)(void *probe, const struct mdl_rec *r);
    void *probe;
};

static inline sq_time_t mdl_now(const struct mdl_ctx *c)
{
    return c->sim.now;
}

static inline struct mdl_job *mdl_job_at(const struct mdl_ctx *c, uint32_t slot)
{
    return sq_pool_at(&c->jobs, slot);
}

static inline struct mdl_call *mdl_call_at(const struct mdl_ctx *c, uint32_t slot)
{
    return sq_pool_at(&c->calls, slot);
}

/* One more, up to the largest the field holds. */
static inline void mdl_count_up(uint16_t *count)
{
    *count = *count < UINT16_MAX ? (uint16_t)(*count + 1) : UINT16_MAX;
}

/* Of records that may be free again: whether an event is still wanted, whether a job lives. */
static inline bool mdl_job_is_due(const struct mdl_ctx *c, uint32_t slot, uint64_t seq)
{
    return sq_pool_peek64(&c->jobs, slot, offsetof(struct mdl_job, due_seq)) == seq;
}

static inline bool mdl_job_lives(const struct mdl_ctx *c, uint32_t slot)
{
    return sq_pool_peek8(&c->jobs, slot, offsetof(struct mdl_job, state)) != MDL_JOB_FREE;
}

static inline bool mdl_call_times_out(const struct mdl_ctx *c, uint32_t slot, uint64_t seq)
{
    return sq_pool_peek64(&c->calls, slot, offsetof(struct mdl_call, timeout_seq)) == seq;
}

static inline bool mdl_call_is_served(const struct mdl_ctx *c, uint32_t slot, uint64_t seq)
{
    return sq_pool_peek64(&c->calls, slot, offsetof(struct mdl_call, serve_seq)) == seq;
}

/* The instant after which the job is stale; SQ_NEVER without a deadline. */
static inline sq_time_t mdl_job_deadline(const struct mdl_ctx *c, const struct mdl_job *job)
{
    return sq_time_add(job->arrived_ns, *c->sources[job->producer].deadline_ns);
}

static inline bool mdl_job_is_stale(const struct mdl_ctx *c, const struct mdl_job *job,
                                    enum mdl_deadline_check place)
{
    return (int)place <= c->sources[job->producer].deadline_check &&
           mdl_now(c) > mdl_job_deadline(c, job);
}

/* Tells an actor something at this instant. */
static inline void mdl_tell(struct mdl_ctx *c, uint16_t to, enum mdl_event kind, unsigned extra,
                            uint32_t slot)
{
    sq_sim_tell(&c->sim, (struct sq_msg){ to, (uint8_t)kind, (uint8_t)extra, slot });
}

/* Posts a timer at an instant, in the rank of its kind. Returns its sequence number. */
uint64_t mdl_post(struct mdl_ctx *c, sq_time_t at, uint16_t to, enum mdl_event kind, uint32_t slot);

/* Emits a semantic record: into the run hash and to the observer. */
void mdl_emit(struct mdl_ctx *c, const struct mdl_rec *r);
void mdl_emit_job(struct mdl_ctx *c, enum mdl_record kind, uint16_t entity,
                  const struct mdl_job *job, unsigned outcome, int64_t value);
void mdl_emit_call(struct mdl_ctx *c, enum mdl_record kind, const struct mdl_call *call,
                   unsigned outcome, int64_t value);
void mdl_emit_entity(struct mdl_ctx *c, enum mdl_record kind, uint16_t entity, unsigned outcome,
                     int64_t value);

/* A variate for a job's `attempt`-th try and `draw`-th call in it. */
sq_time_t mdl_draw(const struct mdl_ctx *c, const struct sq_dist *d, uint32_t stream,
                   uint64_t ordinal, uint32_t attempt, uint32_t draw);

/* Keeps when first attempts begin, for retry layers with max_elapsed: asks once, before the run. */
static inline void mdl_ctx_keep_firsts(struct mdl_ctx *c)
{
    c->keeps_firsts = true;
}

/* Keeps when the first attempt of the job in this slot began. */
void mdl_job_keep_first(struct mdl_ctx *c, uint32_t slot, sq_time_t at);

/* When the first attempt of the job in this slot began; its arrival before that, or when nobody
 * asked for it to be kept. */
sq_time_t mdl_job_first(const struct mdl_ctx *c, uint32_t slot);

/* From now on such a share of the jobs of a source arrives as poison. SQ_NOMEM stops the run. */
void mdl_source_poison(struct mdl_ctx *c, size_t source, double share);

/* Whether the job is poison: fixed when it arrives. */
bool mdl_job_is_poison(const struct mdl_ctx *c, const struct mdl_job *job);

/* A job ends: says so, frees the record, and stops a draining run with the last one. Called by the
 * owner of the record only. */
void mdl_job_end(struct mdl_ctx *c, uint16_t owner, uint32_t slot, enum mdl_end end);

/* Frees the record of a job or copy, for mdl_copy.c. */
void mdl_job_forget(struct mdl_ctx *c, uint32_t slot);

/* The attempt of a job begins, unless it has already (a throttled one goes on under its number). */
void mdl_job_begin(struct mdl_ctx *c, uint16_t caller, uint32_t slot);
static inline void mdl_job_open(struct mdl_ctx *c, uint16_t caller, uint32_t slot)
{
    if ((mdl_job_at(c, slot)->flags & MDL_JOB_OPEN) == 0) {
        mdl_job_begin(c, caller, slot);
    }
}

/* A call leaves its caller now: counts it, opens the attempt, starts the timeout. Used by controls
 * at the moment they let a call pass. */
void mdl_call_leave(struct mdl_ctx *c, uint32_t slot);

/* Lets go of one hold on a call record; frees it with the last. */
void mdl_call_release(struct mdl_ctx *c, uint32_t slot, unsigned flag);

#endif
