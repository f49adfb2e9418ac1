/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue_purge.c - jobs taken out of a queue in order of age. */
#include "models/entity/mdl_queue_in.h"

#include <stdlib.h>

struct aged {
    sq_time_t arrived;
    uint64_t ordinal;
    uint32_t slot;
    uint16_t producer;
};

/* Oldest first; jobs of one instant in order of producer and ordinal. */
static int by_age(const void *a, const void *b)
{
    const struct aged *x = a, *y = b;
    if (x->arrived != y->arrived) {
        return x->arrived < y->arrived ? -1 : 1;
    }
    if (x->producer != y->producer) {
        return x->producer < y->producer ? -1 : 1;
    }
    return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

static bool is_part(const struct mdl_queue *q, const struct mdl_job *job, unsigned parts)
{
    if (job->queue != q->id) {
        return false;
    }
    return (job->state == MDL_JOB_READY && (parts & MDL_PART_READY) != 0) ||
           ((job->state == MDL_JOB_DELAYED || job->state == MDL_JOB_DEFERRED) &&
            (parts & MDL_PART_DELAYED) != 0);
}

/* Drops the oldest jobs of the parts until only `keep` are left. */
void mdl_queue_purge(struct mdl_queue *q, uint32_t keep, unsigned parts)
{
    const struct sq_pool *jobs = &q->ctx->jobs;
    struct aged *list = sq_mem_alloc(jobs->used + 1u, sizeof(*list));
    if (list == NULL) {
        q->ctx->failed = true;
        sq_sim_stop(&q->ctx->sim);
        return;
    }
    size_t count = 0;
    for (uint32_t slot = 1; slot <= jobs->fresh; slot++) {
        const struct mdl_job *job = mdl_job_at(q->ctx, slot);
        if (mdl_job_lives(q->ctx, slot) && is_part(q, job, parts)) {
            list[count++] = (struct aged){ job->arrived_ns, job->ordinal, slot, job->producer };
        }
    }
    qsort(list, count, sizeof(*list), by_age);
    for (size_t i = 0; i + keep < count; i++) {
        mdl_queue_end_job(q, list[i].slot, MDL_END_DROPPED);
    }
    sq_mem_free(list);
}
