/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_laws.c - what is always true. A law that does not hold is our own bug: the run
 * fails and says which. */
#include "models/mdl_probe.h"
#include "models/part/mdl_copy.h"

static uint64_t ended(const struct mdl_probe *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < MDL_END_COUNT; i++) {
        sum += p->ended[i];
    }
    return sum;
}

static uint64_t seen(const struct mdl_call_counts *c)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < MDL_SEEN_COUNT; i++) {
        sum += c->seen[i];
    }
    return sum;
}

/* Jobs arrived = ended + alive, and the living stand in the queues (or on their way to one). */
static const char *check_jobs(const struct mdl_world *w)
{
    const struct mdl_probe *p = w->probe;
    int64_t held = 0;
    for (size_t i = 0; i < w->queue_count; i++) {
        const struct mdl_queue *q = &w->queues[i];
        held += q->ready.now + q->delayed.now + q->leased.now;
        if (!mdl_queue_check(q)) {
            return "a queue's levels agree with its lines";
        }
    }
    for (size_t i = 0; i < w->client_count; i++) {
        held += w->clients[i].running.now + w->clients[i].delayed.now;
        if (!mdl_client_check(&w->clients[i])) {
            return "a client's levels agree with its runs";
        }
    }
    if (p->arrived != ended(p) + (uint64_t)w->ctx.alive || p->jobs.now != w->ctx.alive) {
        return "jobs arrived = jobs ended + jobs alive";
    }
    if (w->ctx.alive + w->ctx.copies != (int64_t)w->ctx.jobs.used || w->ctx.copies < 0 ||
        held > w->ctx.alive + w->ctx.vanishing) {
        return "every living job is ready, delayed or leased once";
    }
    return NULL;
}

/* Calls = ended + awaited; wasted work was abandoned before. */
static const char *check_calls(const struct mdl_world *w)
{
    for (size_t i = 0; i < w->dependency_count; i++) {
        const struct mdl_call_counts *c = &w->probe->deps[i].all;
        if (seen(c) > c->first + c->retry) {
            return "calls = goodput + refused + errors + timeouts + cancelled + awaited";
        }
        if (c->wasted > c->seen[MDL_SEEN_TIMEOUTS] + c->seen[MDL_SEEN_CANCELLED]) {
            return "wasted work was abandoned by its caller";
        }
        if (!mdl_dependency_check(&w->dependencies[i])) {
            return "a dependency's levels agree with its lines";
        }
    }
    for (size_t i = 0; i < w->pool_count; i++) {
        if (!mdl_workers_check(&w->pools[i])) {
            return "a pool's levels agree with its replicas and runs";
        }
    }
    return NULL;
}

const char *mdl_laws_check(const struct mdl_world *w)
{
    const char *broken = check_jobs(w);
    return broken != NULL ? broken : check_calls(w);
}

/* The calls that are awaited, counted in the records themselves. */
static const char *count_awaited(const struct mdl_world *w)
{
    uint64_t awaited = 0, open = 0;
    for (size_t i = 0; i < w->dependency_count; i++) {
        const struct mdl_call_counts *c = &w->probe->deps[i].all;
        open += c->first + c->retry - seen(c);
    }
    for (uint32_t slot = 1; slot <= w->ctx.calls.fresh; slot++) {
        unsigned flags = sq_pool_peek8(&w->ctx.calls, slot, offsetof(struct mdl_call, flags));
        awaited += (flags & MDL_CALL_CALLER) != 0 && (flags & MDL_CALL_LEFT) != 0 ? 1 : 0;
    }
    return awaited == open ? NULL
                           : "calls = goodput + refused + errors + timeouts + cancelled + awaited";
}

/* Little's law as an identity: the area under the number of jobs is the sum of their ages. */
static const char *little(const struct mdl_world *w)
{
    const struct mdl_probe *p = w->probe;
    sq_time_t now = mdl_now(&w->ctx);
    unsigned __int128 area =
        p->jobs.area + (unsigned __int128)(uint64_t)p->jobs.now * (uint64_t)(now - p->jobs.since);
    unsigned __int128 ages = p->time_in_system;
    int64_t alive = 0;
    for (uint32_t slot = 1; slot <= w->ctx.jobs.fresh; slot++) {
        if (mdl_job_lives(&w->ctx, slot) && mdl_copy_is_current(&w->ctx, slot)) {
            ages += (uint64_t)(now - mdl_job_born(&w->ctx, slot));
            alive++;
        }
    }
    if (alive != w->ctx.alive) {
        return "every living job is one message";
    }
    return area == ages ? NULL : "Little's law: area under the jobs = sum of their times";
}

const char *mdl_laws_end(const struct mdl_world *w)
{
    const char *broken = mdl_laws_check(w);
    if (broken == NULL) {
        broken = count_awaited(w);
    }
    return broken != NULL ? broken : little(w);
}
