/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_evq_purge.c - removes the dead entries of an event list. */
#include "sim/core/sq_evq_inner.h"

struct purge {
    const struct sq_evq *q;
    size_t kept_dead;
};

/* Heads of lanes stay, dead or not: their successors are waiting for them. */
static bool purge_keep(void *ctx, const struct sq_event *e)
{
    struct purge *p = ctx;
    if (is_alive(p->q, e)) {
        return true;
    }
    p->kept_dead += lane_of(e) ? 1 : 0;
    return lane_of(e) != 0;
}

static bool purge_keep_rest(void *ctx, const struct sq_event *e)
{
    const struct purge *p = ctx;
    return is_alive(p->q, e);
}

static void purge_run(struct sq_evq *q, struct purge *p)
{
    uint32_t n = 0;
    for (uint32_t i = q->run_head; i < q->run_end; i++) {
        if (purge_keep(p, &q->run[i])) {
            q->run[n++] = q->run[i];
        }
    }
    q->pending -= q->run_end - q->run_head - n;
    q->run_head = 0;
    q->run_end = n;
}

static void purge_slots(struct sq_evq *q, struct purge *p)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        for (unsigned s = 0; s < SLOTS; s++) {
            struct sq_evlist *l = &q->slot[level][s];
            if (!l->end) {
                continue;
            }
            q->pending -= sq_evlist_filter(&q->store, l, purge_keep, p);
            if (!l->end) {
                slot_clear(q, level, s);
            }
        }
    }
}

void sq_evq_purge(struct sq_evq *q)
{
    struct purge p = { .q = q };
    purge_run(q, &p);
    purge_slots(q, &p);
    for (unsigned r = 0; r < SQ_EVQ_RANKS; r++) {
        q->pending -= sq_evfifo_filter(&q->store, &q->ring[r], purge_keep, &p);
        if (sq_evfifo_empty(&q->ring[r])) {
            q->rings &= ~(1u << r);
        }
    }
    for (int i = 0; i < q->lane_count; i++) {
        struct sq_evfifo *rest = &q->lane[i].rest;
        q->pending -= sq_evfifo_filter(&q->store, rest, purge_keep_rest, &p);
    }
    q->dead = p.kept_dead;
}
