/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_core.c - records of jobs and calls, and the words of mdl_core.h and mdl_event.h. */
#include "models/part/mdl_core.h"

#include "models/part/mdl_copy.h"
#include "models/part/mdl_member.h"

#include <string.h>

static const char *const event_names[] = {
#define EVENT_NAME(name, rank, slot, doc) #name,
    MDL_EVENTS(EVENT_NAME)
#undef EVENT_NAME
};

static const uint8_t event_ranks[] = {
#define EVENT_RANK(name, rank, slot, doc) MDL_RANK_##rank,
    MDL_EVENTS(EVENT_RANK)
#undef EVENT_RANK
};

static const char *const event_docs[] = {
#define EVENT_DOC(name, rank, slot, doc) doc,
    MDL_EVENTS(EVENT_DOC)
#undef EVENT_DOC
};

static const char *const error_names[] = {
#define ERROR_NAME(name, word) word,
    MDL_ERRORS(ERROR_NAME)
#undef ERROR_NAME
};

static const char *const end_names[] = {
#define END_NAME(name, word) word,
    MDL_ENDS(END_NAME)
#undef END_NAME
};

const char *mdl_event_name(enum mdl_event kind)
{
    SQ_ASSERT(kind < MDL_EVENT_COUNT);
    return event_names[kind];
}

enum mdl_rank mdl_event_rank(enum mdl_event kind)
{
    SQ_ASSERT(kind < MDL_EVENT_COUNT);
    return (enum mdl_rank)event_ranks[kind];
}

const char *mdl_event_doc(enum mdl_event kind)
{
    SQ_ASSERT(kind < MDL_EVENT_COUNT);
    return event_docs[kind];
}

const char *mdl_error_name(enum mdl_error e)
{
    SQ_ASSERT(e < MDL_ERROR_COUNT);
    return error_names[e];
}

enum mdl_error mdl_error_find(const char *word)
{
    int e = 0;
    while (e < MDL_ERROR_COUNT && strcmp(error_names[e], word) != 0) {
        e++;
    }
    return (enum mdl_error)e;
}

bool mdl_error_is_answer(enum mdl_error e)
{
    return e == MDL_ERR_REFUSED || e == MDL_ERR_RATE_LIMITED || e == MDL_ERR_UNAVAILABLE ||
           e == MDL_ERR_RESET || e == MDL_ERR_ERROR || e == MDL_ERR_CONFLICT ||
           e == MDL_ERR_PERMANENT;
}

const char *mdl_end_name(enum mdl_end e)
{
    SQ_ASSERT(e < MDL_END_COUNT);
    return end_names[e];
}

uint64_t mdl_post(struct mdl_ctx *c, sq_time_t at, uint16_t to, enum mdl_event kind, uint32_t slot)
{
    struct sq_msg m = { .to = to, .kind = (uint8_t)kind, .slot = slot };
    return sq_sim_post(&c->sim, at, event_ranks[kind], m);
}

void mdl_source_poison(struct mdl_ctx *c, size_t source, double share)
{
    struct mdl_source *s = &c->sources[source];
    double now = s->permanent != NULL ? s->permanent->share : 0;
    if (!(share < now) && !(share > now)) {
        return;
    }
    struct mdl_share *next = sq_arena_alloc(&c->arena, 1, sizeof(*next));
    if (next == NULL) {
        c->failed = true;
        sq_sim_stop(&c->sim);
        return;
    }
    *next = (struct mdl_share){ .since = mdl_now(c), .share = share, .before = s->permanent };
    s->permanent = next;
}

bool mdl_job_is_poison(const struct mdl_ctx *c, const struct mdl_job *job)
{
    const struct mdl_source *s = &c->sources[job->producer];
    const struct mdl_share *share = s->permanent;
    while (share != NULL && share->since > job->arrived_ns) {
        share = share->before;
    }
    if (share == NULL || !(share->share > 0)) {
        return false;
    }
    double u = sq_luck_uniform(&c->luck, s->permanent_stream, job->ordinal, 0, 0);
    return u < share->share;
}

void mdl_emit(struct mdl_ctx *c, const struct mdl_rec *r)
{
    uint64_t what = (uint64_t)r->kind << 56 | (uint64_t)r->entity << 40 |
                    (uint64_t)r->outcome << 32 | r->attempt;
    sq_sim_record(&c->sim, what, r->ordinal << 16 | r->producer);
    c->observe(c->probe, r);
}

void mdl_emit_job(struct mdl_ctx *c, enum mdl_record kind, uint16_t entity,
                  const struct mdl_job *job, unsigned outcome, int64_t value)
{
    mdl_emit(c, &(struct mdl_rec){ .kind = kind,
                                   .entity = entity,
                                   .outcome = (uint8_t)outcome,
                                   .flags = job->flags,
                                   .producer = job->producer,
                                   .attempt = job->attempt,
                                   .ordinal = job->ordinal,
                                   .value = value });
}

void mdl_emit_call(struct mdl_ctx *c, enum mdl_record kind, const struct mdl_call *call,
                   unsigned outcome, int64_t value)
{
    mdl_emit(c, &(struct mdl_rec){ .kind = kind,
                                   .entity = call->dependency,
                                   .outcome = (uint8_t)outcome,
                                   .flags = call->flags,
                                   .producer = call->producer,
                                   .attempt = call->attempt,
                                   .ordinal = call->ordinal,
                                   .value = value });
}

void mdl_emit_entity(struct mdl_ctx *c, enum mdl_record kind, uint16_t entity, unsigned outcome,
                     int64_t value)
{
    mdl_emit(c, &(struct mdl_rec){ .kind = kind,
                                   .entity = entity,
                                   .outcome = (uint8_t)outcome,
                                   .ordinal = (uint64_t)value,
                                   .value = value });
}

sq_time_t mdl_draw(const struct mdl_ctx *c, const struct sq_dist *d, uint32_t stream,
                   uint64_t ordinal, uint32_t attempt, uint32_t draw)
{
    if (d->kind == SQ_DIST_CONSTANT) {
        return d->constant;
    }
    return sq_dist_at(d, sq_luck_uniform(&c->luck, stream, ordinal, attempt, draw));
}

void mdl_job_end(struct mdl_ctx *c, uint16_t owner, uint32_t slot, enum mdl_end end)
{
    struct mdl_job *job = mdl_job_at(c, slot);
    const struct mdl_source *source = &c->sources[job->producer];
    bool redriven = (job->flags & MDL_JOB_REDRIVEN) != 0;
    if (source->closed && !redriven && mdl_member_of(job->ordinal) != MDL_NO_MEMBER) {
        mdl_tell(c, source->maker, MDL_EV_JOB_OVER, 0, mdl_member_of(job->ordinal));
    }
    mdl_emit_job(c, MDL_REC_JOB_ENDED, owner, job, end, mdl_now(c) - mdl_job_born(c, slot));
    struct mdl_family *family = mdl_family_of(c, slot);
    if (family != NULL) {
        family->ended = true;
    }
    c->alive--;
    mdl_job_forget(c, slot);
    if (c->alive == 0 && c->draining) {
        sq_sim_stop(&c->sim);
    }
}

void mdl_job_keep_first(struct mdl_ctx *c, uint32_t slot, sq_time_t at)
{
    if (slot >= c->first_size) {
        uint32_t size = slot < 1024 ? 2048 : 2 * slot;
        sq_time_t *grown = sq_mem_resize(c->firsts, size, sizeof(*grown));
        if (grown == NULL) {
            c->failed = true;
            sq_sim_stop(&c->sim);
            return;
        }
        c->firsts = grown;
        c->first_size = size;
    }
    c->firsts[slot] = at;
}

sq_time_t mdl_job_first(const struct mdl_ctx *c, uint32_t slot)
{
    const struct mdl_job *job = mdl_job_at(c, slot);
    return job->attempt > 0 && slot < c->first_size ? c->firsts[slot] : job->arrived_ns;
}

void mdl_job_begin(struct mdl_ctx *c, uint16_t caller, uint32_t slot)
{
    struct mdl_job *job = mdl_job_at(c, slot);
    job->flags |= MDL_JOB_OPEN;
    struct mdl_family *family = mdl_family_of(c, slot);
    if (job->attempt == 0 && c->keeps_firsts) {
        mdl_job_keep_first(c, slot, mdl_now(c));
    }
    job->attempt = family != NULL ? ++family->attempts : job->attempt + 1;
    mdl_emit_job(c, MDL_REC_ATTEMPT, caller, job, 1, 0); /* the 1 stands in every run hash */
}

/* A call made on behalf of another one leaves: whether for the first time. */
static bool note_below(struct mdl_ctx *c, struct mdl_call *call)
{
    struct mdl_path *above = mdl_path_at(&c->paths, call->path);
    bool first = call->position >= above->sent;
    above->sent = first ? call->position + 1 : above->sent;
    call->origin = call->path;
    mdl_path_hold(&c->paths, call->origin);
    return first;
}

/* A call of a job leaves: its attempt begins, and it counts. */
static bool note_own(struct mdl_ctx *c, struct mdl_call *call)
{
    mdl_job_open(c, call->caller, call->job);
    call->attempt = mdl_job_at(c, call->job)->attempt + mdl_job_luck(c, call->job);
    return mdl_call_is_first(c, call);
}

/* The call goes where calls are made on its behalf: these will be numbered below it. */
static void take_path(struct mdl_ctx *c, struct mdl_call *call)
{
    bool goes_on = c->paths.goes_on != NULL && c->paths.goes_on[call->dependency];
    uint32_t above = call->path;
    call->path = 0;
    if (goes_on && above == 0) {
        above = mdl_job_path(c, call->job);
    }
    if (goes_on && above != 0) {
        call->path = mdl_path_take(&c->paths, above, call->position);
    }
    if (goes_on && call->path == 0) {
        c->failed = true;
        sq_sim_stop(&c->sim);
    }
}

void mdl_call_leave(struct mdl_ctx *c, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(c, slot);
    SQ_ASSERT(mdl_now(c) <= call->deadline_ns);
    bool first = call->job != 0 ? note_own(c, call) : note_below(c, call);
    take_path(c, call);
    call->left_ns = mdl_now(c);
    call->flags |= MDL_CALL_LEFT;
    call->flags |= first ? MDL_CALL_FIRST : 0;
    call->flags |= mdl_now(c) >= c->measure_from_ns ? MDL_CALL_MEASURED : 0;
    if (call->timeout_ns != SQ_NEVER) {
        uint64_t load = sq_msg_pack((struct sq_msg){ call->caller, MDL_EV_TIMEOUT, 0, slot });
        call->timeout_seq = call->timeout_lane >= 0
                                ? sq_evq_push_lane(c->sim.evq, call->timeout_lane, load)
                                : sq_evq_push(c->sim.evq, sq_time_add(mdl_now(c), call->timeout_ns),
                                              MDL_RANK_TIMEOUT, load);
    }
    mdl_emit_call(c, MDL_REC_CALL_LEFT, call, first ? 1 : 0, 0);
}

void mdl_call_release(struct mdl_ctx *c, uint32_t slot, unsigned flag)
{
    struct mdl_call *call = mdl_call_at(c, slot);
    SQ_DEBUG_ASSERT((call->flags & flag) != 0);
    call->flags &= (uint8_t)~flag;
    if ((call->flags & (MDL_CALL_CALLER | MDL_CALL_INSIDE | MDL_CALL_REPORTING)) != 0) {
        return;
    }
    SQ_ASSERT((call->flags & (MDL_CALL_QUEUED | MDL_CALL_PERMIT)) == 0);
    if (call->timeout_seq != 0) {
        call->timeout_seq = 0;
        sq_evq_stale(c->sim.evq);
    }
    if ((call->flags & MDL_CALL_LEFT) != 0 && call->path != 0) {
        mdl_path_drop(&c->paths, call->path);
    }
    mdl_call_drop_origin(c, call);
    sq_pool_give(&c->calls, slot);
}
