/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_copy.c - see mdl_copy.h. */
#include "models/part/mdl_copy.h"

#include "sim/base/sq_limits.h"

enum { CHUNK = MDL_MORE_CHUNK, CHUNKS = SQ_MAX_JOBS / CHUNK + 1 };

static void *give_out(struct mdl_ctx *c)
{
    c->failed = true;
    sq_sim_stop(&c->sim);
    return NULL;
}

/* ---- what is kept beside records ---- */

struct mdl_more *mdl_more_get(struct mdl_ctx *c, uint32_t slot)
{
    if (c->more == NULL) {
        c->more = sq_mem_alloc(CHUNKS, sizeof(*c->more));
        if (c->more == NULL) {
            return give_out(c);
        }
    }
    struct mdl_more **chunk = &c->more[slot / CHUNK];
    if (*chunk == NULL) {
        *chunk = sq_mem_alloc(CHUNK, sizeof(**chunk));
        if (*chunk == NULL) {
            return give_out(c);
        }
        c->more_chunks = slot / CHUNK + 1 > c->more_chunks ? slot / CHUNK + 1 : c->more_chunks;
    }
    return &(*chunk)[slot % CHUNK];
}

void mdl_more_fini(struct mdl_ctx *c)
{
    for (uint32_t i = 0; i < c->more_chunks; i++) {
        sq_mem_free(c->more[i]);
    }
    sq_mem_free(c->more);
    sq_pool_fini(&c->families);
}

void mdl_lease_waits(struct mdl_ctx *c, uint32_t job, bool waits)
{
    struct mdl_more *m = mdl_more_find(c, job);
    if (m != NULL && m->lease_seq != 0) {
        m->waits = waits;
        m->leased_ns = mdl_now(c);
    }
}

sq_time_t mdl_lease_rest(const struct mdl_ctx *c, uint32_t slot)
{
    const struct mdl_more *m = mdl_more_find(c, slot);
    if (m == NULL || m->lease_seq == 0) {
        return m != NULL ? m->lease_ns : 0;
    }
    return sq_max_i64(sq_time_add(m->leased_ns, m->lease_ns) - mdl_now(c), 0);
}

/* ---- receives ---- */

enum { CARRY = 1 << 15 };

void mdl_job_receive(struct mdl_ctx *c, uint32_t slot)
{
    struct mdl_job *job = mdl_job_at(c, slot);
    if (job->receives == UINT16_MAX) {
        struct mdl_more *m = mdl_more_get(c, slot);
        if (m == NULL) {
            return;
        }
        m->received += CARRY;
        job->receives = (uint16_t)(job->receives - CARRY);
    }
    job->receives++;
}

void mdl_job_unreceive(struct mdl_ctx *c, uint32_t slot)
{
    struct mdl_job *job = mdl_job_at(c, slot);
    struct mdl_more *m = mdl_more_find(c, slot);
    if (job->receives == 0 && m != NULL && m->received > 0) {
        m->received -= CARRY;
        job->receives = CARRY;
    }
    job->receives = (uint16_t)(job->receives - (job->receives > 0 ? 1 : 0));
}

void mdl_job_unreceived(struct mdl_ctx *c, uint32_t slot)
{
    struct mdl_more *m = mdl_more_find(c, slot);
    mdl_job_at(c, slot)->receives = 0;
    if (m != NULL) {
        m->received = 0;
    }
}

int64_t mdl_job_receives(const struct mdl_ctx *c, uint32_t slot)
{
    const struct mdl_more *m = mdl_more_find(c, slot);
    return mdl_job_at(c, slot)->receives + (m != NULL ? (int64_t)m->received : 0);
}

/* ---- keys ---- */

bool mdl_job_is_repeated(const struct mdl_ctx *c, const struct mdl_job *job)
{
    const struct mdl_keys *k = mdl_job_keys(c, job);
    if (k == NULL || k->done_ns == NULL || k->done_ns[job->key - 1] == 0) {
        return false;
    }
    return mdl_now(c) - (k->done_ns[job->key - 1] - 1) < *k->window_ns;
}

/* ---- families ---- */

static struct mdl_family *family_at(const struct mdl_ctx *c, uint32_t family)
{
    return sq_pool_at(&c->families, family);
}

/* Distinct calls executed: the last one sent may have been or not, all before it have. */
static uint16_t executed_of(const struct mdl_job *job)
{
    bool last = (job->flags & MDL_JOB_EXECUTED) != 0;
    return job->sent == 0 || last ? job->sent : (uint16_t)(job->sent - 1);
}

/* The family of a slot, founded if it has none; 0 when out of memory. */
static uint32_t found(struct mdl_ctx *c, uint32_t slot)
{
    struct mdl_more *m = mdl_more_get(c, slot);
    if (m == NULL || m->family != 0) {
        return m != NULL ? m->family : 0;
    }
    m->family = sq_pool_take(&c->families);
    if (m->family == 0) {
        (void)give_out(c);
        return 0;
    }
    const struct mdl_job *job = mdl_job_at(c, slot);
    *family_at(c, m->family) = (struct mdl_family){ .refs = 1,
                                                    .current = slot,
                                                    .attempts = job->attempt,
                                                    .sent = job->sent,
                                                    .executed = executed_of(job),
                                                    .key = job->key,
                                                    .root = mdl_path_take_root(&c->paths, slot) };
    return m->family;
}

static void leave_family(struct mdl_ctx *c, uint32_t family)
{
    struct mdl_family *f = family_at(c, family);
    if (--f->refs == 0) {
        mdl_path_over(&c->paths, f->root);
        sq_pool_give(&c->families, family);
    }
}

/* ---- copies ---- */

uint32_t mdl_copy_split(struct mdl_ctx *c, uint32_t slot)
{
    uint32_t family = found(c, slot);
    uint32_t copy = family != 0 ? sq_pool_take(&c->jobs) : 0;
    struct mdl_more *m = copy != 0 ? mdl_more_get(c, copy) : NULL;
    if (m == NULL) {
        (void)give_out(c);
        return 0;
    }
    struct mdl_job *from = mdl_job_at(c, slot), *to = mdl_job_at(c, copy);
    *m = *mdl_more_find(c, slot);
    m->lease_seq = 0;
    m->loose = m->waits = 0;
    *to = *from;
    to->flags &= (uint8_t)~MDL_JOB_OPEN;
    to->state = MDL_JOB_NEW;
    to->due_seq = 0;
    from->state = MDL_JOB_EXPIRED;
    family_at(c, family)->refs++;
    family_at(c, family)->current = copy;
    c->copies++;
    if (c->keeps_firsts && to->attempt > 0) {
        mdl_job_keep_first(c, copy, mdl_job_first(c, slot));
    }
    return copy;
}

/* The record of a slot goes. */
void mdl_job_forget(struct mdl_ctx *c, uint32_t slot)
{
    struct mdl_more *m = mdl_more_find(c, slot);
    if (m != NULL) {
        uint32_t family = m->family;
        *m = (struct mdl_more){ 0 };
        if (family != 0) {
            struct mdl_family *f = family_at(c, family);
            f->current = f->current == slot ? 0 : f->current;
            leave_family(c, family);
        }
    }
    mdl_path_job_over(&c->paths, slot);
    mdl_grants_drop(&c->grants, slot);
    mdl_job_at(c, slot)->state = MDL_JOB_FREE;
    sq_pool_give(&c->jobs, slot);
}

void mdl_copy_drop(struct mdl_ctx *c, uint32_t slot)
{
    SQ_DEBUG_ASSERT(mdl_family_of(c, slot)->ended || !mdl_copy_is_current(c, slot));
    c->copies--;
    mdl_job_forget(c, slot);
}

uint32_t mdl_job_starts(const struct mdl_ctx *c, uint32_t slot)
{
    const struct mdl_family *f = mdl_family_of(c, slot);
    return f != NULL ? f->attempts : mdl_job_at(c, slot)->attempt;
}

/* ---- calls ---- */

bool mdl_call_is_first(struct mdl_ctx *c, const struct mdl_call *call)
{
    struct mdl_job *job = mdl_job_at(c, call->job);
    struct mdl_family *f = mdl_family_of(c, call->job);
    uint16_t *sent = f != NULL ? &f->sent : &job->sent;
    if (call->position < *sent) {
        return false;
    }
    *sent = (uint16_t)(call->position + 1);
    job->flags &= (uint8_t)~MDL_JOB_EXECUTED;
    return true;
}

void mdl_call_keep_family(struct mdl_ctx *c, struct mdl_call *call)
{
    call->origin = found(c, call->job);
    if (call->origin != 0) {
        family_at(c, call->origin)->refs++;
    }
}

void mdl_call_drop_origin(struct mdl_ctx *c, struct mdl_call *call)
{
    if (call->origin != 0 && call->job != 0) {
        leave_family(c, call->origin);
    } else if (call->origin != 0) {
        mdl_path_drop(&c->paths, call->origin);
    }
    call->origin = 0;
}

uint32_t mdl_job_path(struct mdl_ctx *c, uint32_t slot)
{
    struct mdl_family *f = mdl_family_of(c, slot);
    if (f == NULL) {
        return mdl_path_root(&c->paths, slot);
    }
    f->root = mdl_path_own_root(&c->paths, f->root);
    return f->root;
}

/* With a dedup window two jobs of one key make the same calls. */
static uint16_t *executed_by_key(const struct mdl_ctx *c, const struct mdl_call *call)
{
    const struct mdl_keys *k = c->sources[call->producer].keys;
    if (k == NULL || k->executed == NULL) {
        return NULL;
    }
    uint32_t key =
        call->origin != 0 ? family_at(c, call->origin)->key : mdl_job_at(c, call->job)->key;
    return key != 0 ? &k->executed[key - 1] : NULL;
}

/* Executed before? An attempt makes its calls in order, so that those executed are always the first
 * ones, and the last of those sent is the only one in doubt. */
static bool executed_before(struct mdl_ctx *c, const struct mdl_call *call)
{
    if (call->job == 0) { /* made on behalf of another call */
        struct mdl_path *above = mdl_path_at(&c->paths, call->origin);
        bool again = call->position < above->executed;
        above->executed = again ? above->executed : call->position + 1;
        return again;
    }
    uint16_t *by_key = executed_by_key(c, call);
    if (by_key != NULL) {
        bool again = call->position < *by_key;
        *by_key = again ? *by_key : (uint16_t)(call->position + 1);
        return again;
    }
    struct mdl_family *f =
        call->origin != 0 ? family_at(c, call->origin) : mdl_family_of(c, call->job);
    if (f != NULL) {
        bool before = call->position < f->executed;
        f->executed = before ? f->executed : (uint16_t)(call->position + 1);
        return before;
    }
    struct mdl_job *job = mdl_job_at(c, call->job);
    bool before = call->position < executed_of(job);
    job->flags |= before ? 0 : MDL_JOB_EXECUTED;
    return before;
}

void mdl_call_executed(struct mdl_ctx *c, uint32_t slot)
{
    const struct mdl_call *call = mdl_call_at(c, slot);
    if (executed_before(c, call)) {
        c->observe(c->probe, &(struct mdl_rec){ .kind = MDL_REC_CALL_REPEATED,
                                                .entity = call->dependency,
                                                .flags = call->flags,
                                                .producer = call->producer,
                                                .attempt = call->attempt,
                                                .ordinal = call->ordinal });
    }
}
