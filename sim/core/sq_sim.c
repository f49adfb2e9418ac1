/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_sim.c - the loop of a run. */
#include "sim/core/sq_sim.h"

#include "sim/base/sq_limits.h"
#include "sim/base/sq_mem.h"

#include <string.h>

enum { STOP_POLL = 4096, LOOP_WATCH = 4096 };

enum sq_status sq_sim_init(struct sq_sim *s, sq_evq_alive *alive, const void *alive_ctx)
{
    *s = (struct sq_sim){ .advance_at = SQ_NEVER,
                          .check_every = UINT32_MAX,
                          .most_events = SQ_MAX_EVENTS };
    s->evq = sq_evq_open(alive, alive_ctx);
    return s->evq != NULL ? SQ_OK : SQ_NOMEM;
}

void sq_sim_fini(struct sq_sim *s)
{
    if (s->evq != NULL) {
        sq_evq_close(s->evq);
    }
    sq_mem_free(s->actors);
    *s = (struct sq_sim){ 0 };
}

enum sq_status sq_sim_add(struct sq_sim *s, sq_actor_fn *fn, void *self, uint16_t *id)
{
    SQ_ASSERT(s->actor_count < UINT16_MAX);
    if (s->actor_count == s->actor_size) {
        size_t size = s->actor_size == 0 ? 16 : 2 * s->actor_size;
        struct sq_actor *grown = sq_mem_resize(s->actors, size, sizeof(*grown));
        if (grown == NULL) {
            return SQ_NOMEM;
        }
        s->actors = grown;
        s->actor_size = size;
    }
    s->actors[s->actor_count] = (struct sq_actor){ .on_event = fn, .self = self };
    *id = (uint16_t)s->actor_count++;
    return SQ_OK;
}

/* Notes the event of an instant that has almost too many; false when it has too many. */
static bool watch_loop(struct sq_sim *s, const struct sq_event *e)
{
    struct sq_msg m = sq_msg_unpack(e->load);
    if (s->same_instant == SQ_MAX_SAME_INSTANT - LOOP_WATCH + 1) {
        memset(s->loop, 0, sizeof(s->loop));
    }
    for (size_t i = 0; i < SQ_LOOP_SEEN; i++) {
        struct sq_loop *l = &s->loop[i];
        if (l->count == 0 || (l->to == m.to && l->kind == m.kind)) {
            *l = (struct sq_loop){ l->count + 1, m.to, m.kind };
            break;
        }
    }
    return s->same_instant <= SQ_MAX_SAME_INSTANT;
}

/* Moves the clock to the event; false when too many share the instant. */
static bool enter_instant(struct sq_sim *s, const struct sq_event *e)
{
    sq_time_t at = e->at;
    if (at == s->now) {
        return ++s->same_instant <= SQ_MAX_SAME_INSTANT - LOOP_WATCH || watch_loop(s, e);
    }
    s->same_instant = 0;
    if (at >= s->advance_at) {
        s->advance(s->advance_ctx, at);
    }
    s->now = at;
    return true;
}

enum sq_status sq_sim_run(struct sq_sim *s, bool (*stop)(void))
{
    struct sq_event e;
    uint32_t until_check = s->check_every;
    while (!s->stopping && sq_evq_pop(s->evq, &e)) {
        if (!enter_instant(s, &e)) {
            return SQ_LIMIT;
        }
        struct sq_msg m = sq_msg_unpack(e.load);
        SQ_DEBUG_ASSERT(m.to < s->actor_count);
        const struct sq_actor *a = &s->actors[m.to];
        a->on_event(a->self, m, sq_event_seq(&e));
        s->events++;
        if (--until_check == 0) {
            until_check = s->check_every;
            if (s->check != NULL && !s->check(s->check_ctx)) {
                return SQ_BROKEN;
            }
        }
        if (s->events % STOP_POLL == 0) {
            if (s->events > s->most_events) {
                return SQ_LIMIT;
            }
            if (stop != NULL && stop()) {
                return SQ_STOPPED;
            }
        }
    }
    return sq_evq_failed(s->evq) ? SQ_NOMEM : SQ_OK;
}
