/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_queue.c - the queue entity. */
#include "models/entity/mdl_queue_in.h"

static unsigned priority(const struct mdl_queue *q, uint32_t slot)
{
    return q->ctx->sources[mdl_job_at(q->ctx, slot)->producer].priority;
}

/* ---- ages of ready jobs ---- */

static size_t age_index(const struct mdl_queue *q, const struct mdl_job *job)
{
    size_t i = (size_t)(job->arrived_ns / q->age_bin);
    return i < q->age_count ? i : q->age_count - 1;
}

static void age_add(struct mdl_queue *q, const struct mdl_job *job)
{
    size_t i = age_index(q, job);
    q->ages[i]++;
    q->age_first = i < q->age_first ? i : q->age_first;
}

static void age_remove(struct mdl_queue *q, const struct mdl_job *job)
{
    q->ages[age_index(q, job)]--;
    q->oldest_max = sq_max_i64(q->oldest_max, mdl_now(q->ctx) - job->arrived_ns);
}

sq_time_t mdl_queue_oldest(struct mdl_queue *q)
{
    if (q->ready.now == 0) {
        q->age_first = q->age_count - 1;
        return 0;
    }
    while (q->ages[q->age_first] == 0) {
        q->age_first++;
    }
    return sq_max_i64(mdl_now(q->ctx) - (sq_time_t)q->age_first * q->age_bin, 0);
}

/* ---- leaving and ending ---- */

static void leave_ready(struct mdl_queue *q, uint32_t slot)
{
    sq_level_move(&q->ready, mdl_now(q->ctx), -1);
    age_remove(q, mdl_job_at(q->ctx, slot));
}

static void leave_delayed(struct mdl_queue *q, uint32_t slot)
{
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    sq_level_move(&q->delayed, mdl_now(q->ctx), -1);
    if (job->state == MDL_JOB_DEFERRED) {
        sq_level_move(&q->deferred, mdl_now(q->ctx), -1);
    }
    if (job->due_seq != 0) {
        job->due_seq = 0;
        sq_evq_stale(q->ctx->sim.evq);
    } else if (q->polls) {
        mdl_line_remove(&q->due, mdl_queue_links(q), slot);
    }
}

void mdl_queue_leave(struct mdl_queue *q, uint32_t slot)
{
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    switch ((enum mdl_job_state)job->state) {
    case MDL_JOB_READY:
        mdl_shelf_remove(&q->shelf, slot, priority(q, slot));
        leave_ready(q, slot);
        break;
    case MDL_JOB_DELAYED:
    case MDL_JOB_DEFERRED:
        leave_delayed(q, slot);
        break;
    case MDL_JOB_LEASED:
        sq_level_move(&q->leased, mdl_now(q->ctx), -1);
        mdl_queue_end_lease(q, slot);
        break;
    case MDL_JOB_BLOCKED:
        sq_level_move(&q->blocked, mdl_now(q->ctx), -1);
        job->due_seq = 0;
        sq_evq_stale(q->ctx->sim.evq);
        break;
    case MDL_JOB_NEW:
    case MDL_JOB_SETTLED:
    case MDL_JOB_EXPIRED:
        break;
    case MDL_JOB_FREE:
        SQ_UNREACHABLE("a free job has no state to leave");
    }
}

void mdl_queue_end_job(struct mdl_queue *q, uint32_t slot, enum mdl_end end)
{
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    const struct mdl_family *family = mdl_family_of(q->ctx, slot);
    uint32_t current = family != NULL ? family->current : slot;
    mdl_queue_leave(q, slot);
    mdl_queue_forget_key(q, job, current, end);
    if (end == MDL_END_DEAD_LETTERED) {
        mdl_queue_bury(q, slot);
    }
    mdl_job_end(q->ctx, q->id, slot, end);
    if (current != slot) {
        mdl_queue_vanish(q, current);
    }
}

/* ---- becoming ready, being handed out ---- */

static struct mdl_consumer *next_consumer(struct mdl_queue *q)
{
    for (size_t i = 0; i < q->consumer_count; i++) {
        struct mdl_consumer *c = &q->consumers[(q->turn + i) % q->consumer_count];
        if (*c->wants > 0) {
            q->turn = (q->turn + i + 1) % q->consumer_count;
            return c;
        }
    }
    return NULL;
}

/* A delivery is a receive; one more than allowed dead-letters the job instead. `slot` has just been
 * taken off the shelf. */
static void hand_to(struct mdl_queue *q, uint32_t slot, struct mdl_consumer *to)
{
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    if (q->cfg->max_receives != SQ_UNLIMITED &&
        mdl_job_receives(q->ctx, slot) >= q->cfg->max_receives) {
        mdl_queue_end_job(q, slot, MDL_END_DEAD_LETTERED);
        return;
    }
    mdl_job_receive(q->ctx, slot);
    job->state = MDL_JOB_LEASED;
    sq_level_move(&q->leased, mdl_now(q->ctx), 1);
    mdl_queue_start_lease(q, slot);
    mdl_emit_job(q->ctx, MDL_REC_JOB_DELIVERED, q->id, job, 0, mdl_now(q->ctx) - job->since_ns);
    job->flags &= (uint8_t)~MDL_JOB_RETURNED;
    (*to->wants)--;
    mdl_tell(q->ctx, to->id, MDL_EV_DELIVER, 0, slot);
}

static void hand_out(struct mdl_queue *q)
{
    while (q->shelf.count > 0 && !q->paused) {
        struct mdl_consumer *to = next_consumer(q);
        if (to == NULL) {
            return;
        }
        bool shed;
        uint32_t slot = mdl_shelf_take(&q->shelf, mdl_now(q->ctx), &shed);
        leave_ready(q, slot);
        mdl_job_at(q->ctx, slot)->state = MDL_JOB_NEW; /* in nobody's hands */
        if (shed) {
            mdl_queue_end_job(q, slot, MDL_END_DROPPED);
        } else {
            hand_to(q, slot, to);
        }
    }
}

void mdl_queue_make_ready(struct mdl_queue *q, uint32_t slot, bool head)
{
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    if (mdl_job_is_stale(q->ctx, job, MDL_CHECK_ENQUEUE)) {
        job->state = MDL_JOB_NEW;
        mdl_queue_end_job(q, slot, MDL_END_STALE);
        return;
    }
    job->state = MDL_JOB_READY;
    job->since_ns = mdl_now(q->ctx);
    if (head) {
        mdl_shelf_push_front(&q->shelf, slot, priority(q, slot));
    } else {
        mdl_shelf_push(&q->shelf, slot, priority(q, slot));
    }
    sq_level_move(&q->ready, mdl_now(q->ctx), 1);
    age_add(q, job);
    mdl_queue_note_elder(q, slot);
    mdl_emit_job(q->ctx, MDL_REC_JOB_READY, q->id, job, 0, 0);
    hand_out(q);
}

/* ---- events ---- */

/* Settled before it is run: from now on a crash of its worker loses it. */
static void on_accept(struct mdl_queue *q, uint32_t slot)
{
    struct mdl_job *job = mdl_job_at(q->ctx, slot);
    if (job->state == MDL_JOB_LEASED) { /* else the lease has expired: a copy is under way */
        mdl_queue_leave(q, slot);
        job->state = MDL_JOB_SETTLED;
    }
}

static void on_settle(struct mdl_queue *q, uint32_t slot, unsigned how)
{
    enum mdl_end end = (enum mdl_end)(how % MDL_SETTLE_REPEATED);
    const struct mdl_family *family = mdl_family_of(q->ctx, slot);
    bool expired = mdl_job_at(q->ctx, slot)->state == MDL_JOB_EXPIRED;
    bool succeeds = end == MDL_END_COMPLETED || end == MDL_END_STALE;
    if (expired && (family->ended || !succeeds)) {
        mdl_copy_drop(q->ctx, slot);
        return;
    }
    if ((how & MDL_SETTLE_REPEATED) != 0) {
        mdl_queue_end_repeated(q, slot);
    } else {
        mdl_queue_end_job(q, slot, end);
    }
}

/* A job comes back undone. With a lease, the broker does not notice a crash before its end. */
static void on_give_back(struct mdl_queue *q, uint32_t slot, unsigned why)
{
    bool crashed = why == 1, paused = why == 2;
    if (mdl_queue_drops(q, slot)) {
        return;
    }
    if (crashed && q->cfg->visibility_timeout != SQ_NEVER) {
        mdl_queue_let_go(q, slot, MDL_LOOSE_CRASHED);
        return;
    }
    if (crashed) {
        mdl_queue_redeliver(q, slot);
        return;
    }
    if (mdl_queue_supersedes(q, slot)) {
        return;
    }
    mdl_queue_leave(q, slot);
    if (q->cfg->receives_count == MDL_RECEIVES_UNDEFERRED) {
        mdl_job_unreceive(q->ctx, slot); /* it never came to an attempt */
    }
    mdl_queue_make_ready(q, slot, paused || q->cfg->requeue == MDL_REQUEUE_HEAD);
}

static void on_fetch(struct mdl_queue *q, uint16_t from, int64_t count, bool fewer)
{
    for (size_t i = 0; i < q->consumer_count; i++) {
        struct mdl_consumer *c = &q->consumers[i];
        if (c->id == from) {
            *c->wants = fewer ? sq_max_i64(*c->wants - count, 0) : *c->wants + count;
        }
    }
    hand_out(q);
}

/* ---- the actor ---- */

/* What pools and producers say. */
static bool on_message(struct mdl_queue *q, struct sq_msg m)
{
    switch (m.kind) {
    case MDL_EV_ENQUEUE:
        mdl_queue_enqueue(q, m.slot);
        break;
    case MDL_EV_FETCH: /* slot: pool (actor) in the upper half, how many in the lower */
        on_fetch(q, (uint16_t)(m.slot >> 16), m.slot & 0xffff, m.extra == 1);
        break;
    case MDL_EV_SETTLE:
        on_settle(q, m.slot, m.extra);
        break;
    case MDL_EV_DELAY:
        mdl_queue_delay(q, m.slot, (enum mdl_delay)m.extra);
        break;
    case MDL_EV_GIVE_BACK:
        on_give_back(q, m.slot, m.extra);
        break;
    case MDL_EV_ACCEPT:
        on_accept(q, m.slot);
        break;
    case MDL_EV_LEAVE:
        mdl_queue_let_go(q, m.slot, MDL_LOOSE_RETRY);
        break;
    case MDL_EV_HOLD:
        mdl_queue_hold(q, m.slot, (enum mdl_delay)m.extra);
        break;
    case MDL_EV_VANISH:
        q->ctx->vanishing--;
        mdl_queue_vanish(q, m.slot);
        break;
    case MDL_EV_MOVE:
        mdl_queue_moved(q, m.slot);
        break;
    case MDL_EV_OVERTAKE:
        mdl_queue_overtake(q, m.slot);
        break;
    default:
        return false;
    }
    return true;
}

static void on_event(void *self, struct sq_msg m, uint64_t seq)
{
    struct mdl_queue *q = self;
    if (on_message(q, m)) {
        return;
    }
    switch (m.kind) {
    case MDL_EV_DUE:
        mdl_queue_due(q, m.slot, seq);
        break;
    case MDL_EV_POLL:
        mdl_queue_poll(q);
        break;
    case MDL_EV_EXPIRE:
        mdl_queue_expire(q, m.slot, seq);
        break;
    case MDL_EV_OFFER:
        mdl_queue_offer(q, m.slot, seq);
        break;
    case MDL_EV_PAUSE:
        q->paused = m.extra == 1;
        hand_out(q);
        break;
    case MDL_EV_PURGE:
        mdl_queue_purge(q, m.slot, m.extra);
        break;
    case MDL_EV_REDRIVE:
        mdl_queue_redrive(q, m.slot);
        break;
    case MDL_EV_REDRIVE_NEXT:
        mdl_queue_redrive_next(q, m.slot);
        break;
    case MDL_EV_CHANGED:
        break; /* all is read when it is needed */
    default:
        SQ_UNREACHABLE("a queue gets no such event");
    }
}

enum sq_status mdl_queue_init(struct mdl_queue *q, struct mdl_ctx *ctx, const char *name,
                              const struct mdl_queue_cfg *cfg)
{
    *q = (struct mdl_queue){ .ctx = ctx, .name = name, .cfg = cfg, .lease_delay = -1 };
    struct mdl_links links = { &ctx->jobs, offsetof(struct mdl_job, next) };
    mdl_shelf_init(&q->shelf, links, offsetof(struct mdl_job, since_ns), &cfg->discipline);
    return sq_sim_add(&ctx->sim, on_event, q, &q->id);
}

enum sq_status mdl_queue_add_consumer(struct mdl_queue *q, uint16_t id, int64_t *wants)
{
    struct mdl_consumer *more =
        sq_arena_alloc(&q->ctx->arena, q->consumer_count + 1, sizeof(*more));
    if (more == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < q->consumer_count; i++) {
        more[i] = q->consumers[i];
    }
    more[q->consumer_count] = (struct mdl_consumer){ .id = id, .wants = wants };
    q->consumers = more;
    q->consumer_count++;
    return SQ_OK;
}

enum sq_status mdl_queue_start(struct mdl_queue *q, sq_time_t bin)
{
    mdl_queue_start_polls(q);
    q->age_bin = bin;
    q->age_count = (size_t)(q->ctx->duration_ns / bin) + 1;
    q->age_first = q->age_count - 1;
    q->ages = sq_arena_alloc(&q->ctx->arena, q->age_count, sizeof(*q->ages));
    return q->ages != NULL ? SQ_OK : SQ_NOMEM;
}

bool mdl_queue_check(const struct mdl_queue *q)
{
    return q->ready.now == q->shelf.count && q->deferred.now <= q->delayed.now &&
           q->due.count <= q->delayed.now && q->blocked.now >= 0 && q->dead.now >= 0;
}
