/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_sim.c - the loop of a run. */
#include "sim/core/sq_sim.h"

#include "sim/base/sq_limits.h"
#include "sim/base/sq_mem.h"

enum { STOP_POLL = 4096 };

enum sq_status sq_sim_init(struct sq_sim *s, sq_evq_alive *alive, const void *alive_ctx)
{
    *s = (struct sq_sim){ .advance_at = SQ_NEVER, .check_every = UINT32_MAX };
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

/* Moves the clock to the event; false when too many share the instant. */
static bool enter_instant(struct sq_sim *s, sq_time_t at)
{
    if (at == s->now) {
        return ++s->same_instant <= SQ_MAX_SAME_INSTANT;
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
        if (!enter_instant(s, e.at)) {
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
        if (s->events % STOP_POLL == 0 && stop != NULL && stop()) {
            return SQ_STOPPED;
        }
    }
    return sq_evq_failed(s->evq) ? SQ_NOMEM : SQ_OK;
}
