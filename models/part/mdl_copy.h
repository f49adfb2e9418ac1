/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_copy.h - copies of a job, and what is kept of some jobs beside their record.
 *
 * A lease that expires makes a copy: the message moves to a second slot of the job pool, the first
 * holder goes on with its own. All slots of one job, and its calls that nobody waits for any more,
 * share a family. It says what is true of the job as a whole:
 *
 *     slot 7   in hand, lease expired ----+
 *     slot 9   in hand, lease expired ----+--> family { attempts, sent, executed, ended,
 *     slot 12  ready, delayed or leased --+             current = 12, refs = 4 }
 *     call 31  abandoned, still inside ---+
 *
 * At most one slot is `current`: the message. The others are in hand (state MDL_JOB_EXPIRED), in no
 * level of any queue, and come to nothing but calls: the first end, by any of them, ends the job;
 * what comes after it is dropped. A job that was never copied and abandoned no call has no family;
 * its own record says it all.
 *
 *     jobs.used = alive + copies        (mdl_laws.c)
 *
 * The rest of what is kept beside records (struct mdl_more) stands in chunks by slot, made when a
 * slot first needs one: a run without leases, redrives and abandoned calls has none. Entries of
 * free slots are zero. All O(1). */
#ifndef MDL_COPY_H
#define MDL_COPY_H

#include "models/part/mdl_core.h"

/* Leased, and in nobody's hands: it comes back when the lease expires. */
enum mdl_loose { MDL_LOOSE_NOT, MDL_LOOSE_CRASHED, MDL_LOOSE_RETRY };

struct mdl_more {
    uint64_t lease_seq;  /* of the pending EXPIRE event, 0: none */
    sq_time_t lease_ns;  /* length of the lease */
    sq_time_t leased_ns; /* since when it runs: delivered, or renewed */
    sq_time_t due_ns;    /* not to be run before: a delay in memory that outlives its holder */
    sq_time_t born_ns;   /* MDL_JOB_REDRIVEN: since when it is a job again */
    uint32_t family;     /* 0: none */
    uint32_t luck;       /* MDL_JOB_REDRIVEN: attempts of its lives before */
    uint32_t received;   /* receives beyond those in the record, which holds few */
    uint16_t done;       /* after_success: skip: so many calls of an attempt have succeeded */
    uint8_t loose;       /* enum mdl_loose */
    uint8_t waits;       /* at a control, which keeps the lease renewed */
};

/* The keys that the jobs of one producer carry, by key from 0. */
struct mdl_keys {
    const int *keep, *removal;  /* of the producer's configuration */
    uint32_t *latest;           /* slot of the latest job that has not ended, 0: none */
    const sq_time_t *window_ns; /* a queue's dedup_window; NULL: none, and neither of these: */
    sq_time_t *done_ns;         /* when a job of the key was completed last, plus 1; 0: never */
    uint16_t *executed;         /* distinct calls executed, as in a family */
};

static inline struct mdl_keys *mdl_job_keys(const struct mdl_ctx *c, const struct mdl_job *job)
{
    return job->key != 0 ? c->sources[job->producer].keys : NULL;
}

/* Whether a job of the same key was completed within the dedup window. */
bool mdl_job_is_repeated(const struct mdl_ctx *c, const struct mdl_job *job);

struct mdl_family {
    uint32_t refs;     /* slots and abandoned calls */
    uint32_t current;  /* slot; 0: it is gone, with the job */
    uint32_t attempts; /* begun, of all copies */
    uint16_t sent;     /* as in the record of a job */
    uint16_t executed; /* distinct calls executed: all before this position */
    uint32_t key;
    uint32_t root; /* of its paths (mdl_path.h), 0: none */
    bool ended;
};

enum { MDL_MORE_CHUNK = 1 << 10 };

/* The entry of a slot: NULL when it has none. */
static inline struct mdl_more *mdl_more_find(const struct mdl_ctx *c, uint32_t slot)
{
    struct mdl_more *chunk = c->more != NULL ? c->more[slot / MDL_MORE_CHUNK] : NULL;
    return chunk != NULL ? &chunk[slot % MDL_MORE_CHUNK] : NULL;
}

/* The same, made if it has none; NULL when out of memory (the run then stops). */
struct mdl_more *mdl_more_get(struct mdl_ctx *c, uint32_t slot);

void mdl_more_fini(struct mdl_ctx *c);

/* The family of a slot, or NULL. */
static inline struct mdl_family *mdl_family_of(const struct mdl_ctx *c, uint32_t slot)
{
    const struct mdl_more *m = mdl_more_find(c, slot);
    return m != NULL && m->family != 0 ? sq_pool_at(&c->families, m->family) : NULL;
}

/* Whether the slot is the message of a job that has not ended. A holder whose slot is not goes on,
 * but a failure of it means nothing: it settles the slot with any failing end. */
static inline bool mdl_copy_is_current(const struct mdl_ctx *c, uint32_t slot)
{
    const struct mdl_family *f = mdl_family_of(c, slot);
    return f == NULL || (f->current == slot && !f->ended);
}

/* The message moves on from a slot in hand: a new slot, current, in state MDL_JOB_NEW, with
 * everything that the record says; the old one is MDL_JOB_EXPIRED. 0 when a pool is exhausted. */
uint32_t mdl_copy_split(struct mdl_ctx *c, uint32_t slot);

/* Lets go of a slot that is not the message of a living job. */
void mdl_copy_drop(struct mdl_ctx *c, uint32_t slot);

/* Attempts begun so far, of all copies: for limits that count starts. */
uint32_t mdl_job_starts(const struct mdl_ctx *c, uint32_t slot);

/* What the attempt numbers of a job's luck go on from: attempts of its lives before a redrive. */
static inline uint32_t mdl_job_luck(const struct mdl_ctx *c, uint32_t slot)
{
    bool redriven = (mdl_job_at(c, slot)->flags & MDL_JOB_REDRIVEN) != 0;
    return redriven ? mdl_more_find(c, slot)->luck : 0;
}

/* Receives of the message in a slot: one more, one fewer, none so far. */
void mdl_job_receive(struct mdl_ctx *c, uint32_t slot);
void mdl_job_unreceive(struct mdl_ctx *c, uint32_t slot);
void mdl_job_unreceived(struct mdl_ctx *c, uint32_t slot);
int64_t mdl_job_receives(const struct mdl_ctx *c, uint32_t slot);

/* When a delivery may begin to run at the earliest; 0: at once. The holder of a slot that waits for
 * a due time says so with `since_ns`. */
static inline sq_time_t mdl_job_due(const struct mdl_ctx *c, uint32_t slot)
{
    const struct mdl_more *m = mdl_more_find(c, slot);
    return m != NULL ? m->due_ns : 0;
}

/* Since when it is a job: its arrival, or its redrive. */
static inline sq_time_t mdl_job_born(const struct mdl_ctx *c, uint32_t slot)
{
    const struct mdl_job *job = mdl_job_at(c, slot);
    return (job->flags & MDL_JOB_REDRIVEN) != 0 ? mdl_more_find(c, slot)->born_ns : job->arrived_ns;
}

/* Where the paths of the job begin (mdl_path.h). */
uint32_t mdl_job_path(struct mdl_ctx *c, uint32_t slot);

/* A call of a job leaves: whether the job never sent it before. */
bool mdl_call_is_first(struct mdl_ctx *c, const struct mdl_call *call);

/* The caller gives a job's call up that is inside a dependency: what it does there still counts as
 * the job's, even when the job has ended. */
void mdl_call_keep_family(struct mdl_ctx *c, struct mdl_call *call);

/* The record of the call is freed. */
void mdl_call_drop_origin(struct mdl_ctx *c, struct mdl_call *call);

/* A dependency executed the call with success; tells the observer when it is not the first time. */
void mdl_call_executed(struct mdl_ctx *c, uint32_t slot);

/* A call of the job begins to wait at a control, or no longer does: its lease is kept renewed. */
void mdl_lease_waits(struct mdl_ctx *c, uint32_t job, bool waits);

/* What is left of the lease of a delivery; 0 without one. One that is renewed was so just now. */
sq_time_t mdl_lease_rest(const struct mdl_ctx *c, uint32_t slot);

/* Whether an EXPIRE event is still wanted; the slot may be free. */
static inline bool mdl_lease_runs(const struct mdl_ctx *c, uint32_t slot, uint64_t seq)
{
    const struct mdl_more *m = mdl_more_find(c, slot);
    return m != NULL && m->lease_seq == seq;
}

#endif
