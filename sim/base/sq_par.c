/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_par.c - threads around one counter. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "sim/base/sq_par.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

struct par {
    enum sq_status (*one)(void *ctx, size_t i);
    void *ctx;
    size_t n;
    atomic_size_t next; /* the next index to give out; n or more: none left */
    pthread_mutex_t lock;
    size_t failed_at; /* under the lock: the lowest index that failed */
    enum sq_status status;
};

static void par_failed(struct par *p, size_t i, enum sq_status status)
{
    pthread_mutex_lock(&p->lock);
    if (i < p->failed_at) {
        p->failed_at = i;
        p->status = status;
    }
    pthread_mutex_unlock(&p->lock);
    atomic_store(&p->next, p->n);
}

/* Every index below a failed one was given out before it, so the lowest failure is always seen.
 * The counter cannot wrap: each thread adds to it at most once after it reached n. */
static void *par_work(void *arg)
{
    struct par *p = arg;
    for (;;) {
        size_t i = atomic_fetch_add(&p->next, 1);
        if (i >= p->n) {
            return NULL;
        }
        enum sq_status status = p->one(p->ctx, i);
        if (status != SQ_OK) {
            par_failed(p, i, status);
        }
    }
}

enum sq_status sq_par_for(unsigned threads, size_t n, enum sq_status (*one)(void *ctx, size_t i),
                          void *ctx)
{
    SQ_ASSERT(n < SIZE_MAX / 2);
    struct par p = { .one = one, .ctx = ctx, .n = n, .failed_at = SIZE_MAX };
    pthread_t ids[SQ_PAR_MAX];
    size_t want = threads < SQ_PAR_MAX ? threads : SQ_PAR_MAX, started = 0;
    want = want < n ? want : n;
    pthread_mutex_init(&p.lock, NULL);
    while (started + 1 < want && pthread_create(&ids[started], NULL, par_work, &p) == 0) {
        started++;
    }
    par_work(&p);
    for (size_t i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
    pthread_mutex_destroy(&p.lock);
    return p.status;
}

unsigned sq_par_cores(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return (unsigned)CPU_COUNT(&set);
    }
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}
