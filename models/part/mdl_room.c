/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_room.c - servers, the line before them, and warm-up. */
#include "models/part/mdl_room.h"

#include "models/policy/mdl_contention.h"
#include "models/policy/mdl_dist.h"
#include "sim/conf/sq_rows.h"

#include <math.h>

static const char *const curve_words[] = { "linear", "quarters", NULL };
static const char *const affects_words[] = { "servers", "speed", NULL };

static const struct sq_field warm_rows[] = {
    SQ_ROW_RATIO(struct mdl_warm_cfg, from, "from", NULL, SQ_F_STAR | SQ_F_LIVE | SQ_F_ABOVE_MIN,
                 "Share in force at the instant of return."),
    SQ_ROW_TIME(struct mdl_warm_cfg, over, "over", "2m", SQ_F_LIVE, "Time until all are in force."),
    SQ_ROW_CHOICE(struct mdl_warm_cfg, curve, "curve", "linear", curve_words, 0,
                  "How the share rises: evenly, or in four steps."),
    SQ_ROW_CHOICE(struct mdl_warm_cfg, affects, "affects", "servers", affects_words, 0,
                  "Whether it bounds the servers or divides the speed."),
};

const struct sq_table mdl_warm_table = { .type = "warm_up",
                                         .rows = SQ_ROWS(warm_rows),
                                         .size = sizeof(struct mdl_warm_cfg) };

double mdl_warm_share(const struct mdl_warm_cfg *w, sq_time_t since)
{
    if (since >= w->over) {
        return 1;
    }
    double x = (double)since / (double)w->over;
    if (w->curve == MDL_WARM_QUARTERS) {
        sq_time_t quarters = 4 * since / w->over;
        x = (double)quarters / 4;
    }
    return w->from + (1 - w->from) * x;
}

static double share(const struct mdl_room *r)
{
    if (r->cfg->warm_up == NULL || r->warm_since == SQ_NEVER) {
        return 1;
    }
    return mdl_warm_share(r->cfg->warm_up, mdl_now(r->ctx) - r->warm_since);
}

static bool warms(const struct mdl_room *r, enum mdl_warm_affects what)
{
    return r->cfg->warm_up != NULL && r->cfg->warm_up->affects == (int)what;
}

/* What warm-up lets take new work; finite servers only. 7 % of 100 are 7, although 0.07 * 100 is a
 * last bit above. */
static int64_t warm_servers(const struct mdl_room *r)
{
    double servers = (double)r->cfg->servers;
    return warms(r, MDL_WARM_SERVERS) ? (int64_t)ceil(share(r) * servers * (1 - 1e-15))
                                      : r->cfg->servers;
}

SQ_APART static int64_t part_in_force(const struct mdl_room *r)
{
    if (!r->open) {
        return 0;
    }
    int64_t all = r->cfg->servers, force = all;
    if (r->capacity < 1) { /* the product may miss a whole number by rounding */
        force = sq_max_i64((int64_t)floor(r->capacity * (double)all * (1 + 1e-12)), 1);
    }
    return sq_min_i64(force, warm_servers(r));
}

int64_t mdl_room_in_force(const struct mdl_room *r)
{
    int64_t all = r->cfg->servers;
    bool whole = r->cfg->warm_up == NULL && !(r->capacity < 1);
    return r->open && (whole || all == SQ_UNLIMITED) ? all : part_in_force(r);
}

double mdl_room_capacity(const struct mdl_room *r)
{
    bool shared = r->sharing.among > 0;
    if (r->cfg->servers == SQ_UNLIMITED && !shared) {
        return (double)NAN;
    }
    if (r->hung || !r->open) {
        return 0;
    }
    double mean = sq_dist_mean_s(&r->service) * r->slow;
    double speed = warms(r, MDL_WARM_SPEED) ? share(r) : 1;
    return (double)(shared ? r->sharing.among : mdl_room_in_force(r)) * speed / mean;
}

static void note_in_force(struct mdl_room *r)
{
    if (r->cfg->servers != SQ_UNLIMITED) {
        int64_t force = mdl_room_in_force(r);
        sq_level_move(&r->sum->in_force, mdl_now(r->ctx), force - r->noted);
        r->noted = force;
    }
}

/* The instant at which one more server comes into force: share * servers just above a whole
 * number, so one nanosecond after it is reached. */
static sq_time_t next_server(const struct mdl_room *r)
{
    const struct mdl_warm_cfg *w = r->cfg->warm_up;
    sq_time_t since = mdl_now(r->ctx) - r->warm_since;
    if (since >= w->over || warm_servers(r) >= r->cfg->servers) {
        return SQ_NEVER;
    }
    if (w->curve == MDL_WARM_QUARTERS) {
        sq_time_t quarter = 4 * since / w->over + 1; /* starts at the first ns that is in it */
        return r->warm_since + (quarter * w->over + 3) / 4;
    }
    double wanted = (double)warm_servers(r) / (double)r->cfg->servers;
    double x = (wanted - w->from) / (1 - w->from);
    sq_time_t at = (sq_time_t)(x * (double)w->over) + 1;
    return r->warm_since + sq_min_i64(sq_max_i64(at, since + 1), w->over);
}

static void schedule_warm(struct mdl_room *r)
{
    r->warm_seq = 0;
    if (r->open && r->warm_since != SQ_NEVER && warms(r, MDL_WARM_SERVERS) &&
        r->cfg->servers != SQ_UNLIMITED) {
        sq_time_t at = next_server(r);
        if (at != SQ_NEVER) {
            r->warm_seq = mdl_post(r->ctx, at, r->id, MDL_EV_WARM, r->index);
        }
    }
}

static struct mdl_links links(const struct mdl_room *r)
{
    return (struct mdl_links){ &r->ctx->calls, offsetof(struct mdl_call, next) };
}

/* ---- service ---- */

/* What contention counts, the call that starts now included; it is in no line yet. */
static int64_t load(const struct mdl_room *r)
{
    switch (mdl_contention_load(&r->cfg->contention)) {
    case MDL_LOAD_IN_SERVICE:
        return mdl_room_serving(r) + 1;
    case MDL_LOAD_IN_FLIGHT:
        return mdl_room_in_flight(r) + 1;
    case MDL_LOAD_QUEUE:
        return r->queue->now;
    }
    return 0;
}

/* Service time of a call that starts now, itself counted as in service. */
static sq_time_t service_time(const struct mdl_room *r, const struct mdl_call *call)
{
    sq_time_t time = mdl_draw(r->ctx, &r->service, r->service_streams[call->producer],
                              call->ordinal, call->attempt, call->draw);
    double scale = r->ctx->sources[call->producer].service_scale;
    double slow = scale / (warms(r, MDL_WARM_SPEED) ? share(r) : 1) * r->slow;
    if (r->cfg->contention.kind != NULL && r->sharing.among == 0) {
        slow *= mdl_contention_factor(&r->cfg->contention, load(r));
    }
    return slow < 1 || slow > 1 ? sq_time_from_s(sq_time_to_s(time) * slow) : time;
}

static void post_served(struct mdl_room *r, uint32_t slot, sq_time_t at)
{
    mdl_call_at(r->ctx, slot)->serve_seq = mdl_post(r->ctx, at, r->id, MDL_EV_SERVED, slot);
}

static void forget_served(struct mdl_room *r, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(r->ctx, slot);
    if (call->serve_seq != 0) {
        call->serve_seq = 0;
        sq_evq_stale(r->ctx->sim.evq);
    }
}

/* Under sharing only the one that ends next has an event. `before`: who had it, 0: nobody. */
static void repost(struct mdl_room *r, uint32_t before)
{
    sq_time_t due = mdl_sharing_due(&r->sharing, mdl_now(r->ctx));
    uint32_t head = due != SQ_NEVER ? mdl_sharing_head(&r->sharing) : 0;
    if (before != 0 && before == head && mdl_call_at(r->ctx, head)->room_ns == due) {
        return; /* as it was */
    }
    if (before != 0) {
        forget_served(r, before);
    }
    if (head != 0) {
        mdl_call_at(r->ctx, head)->room_ns = due;
        post_served(r, head, due);
    }
}

/* The call whose SERVED event is pending, under sharing. */
static uint32_t posted(const struct mdl_room *r)
{
    uint32_t head = mdl_sharing_head(&r->sharing);
    return head != 0 && mdl_call_at(r->ctx, head)->serve_seq != 0 ? head : 0;
}

static void start_shared(struct mdl_room *r, uint32_t slot, sq_time_t need)
{
    uint32_t before = posted(r);
    if (!mdl_sharing_add(&r->sharing, mdl_now(r->ctx), slot, need)) {
        r->ctx->failed = true;
        sq_sim_stop(&r->ctx->sim);
        return;
    }
    repost(r, before);
}

static void serve(struct mdl_room *r, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(r->ctx, slot);
    call->place = MDL_PLACE_SERVER;
    sq_level_move(&r->sum->busy, mdl_now(r->ctx), 1);
    sq_time_t time = service_time(r, call);
    if (r->sharing.among > 0) {
        start_shared(r, slot, time);
        return;
    }
    mdl_line_push(&r->serving, links(r), slot);
    call->room_ns = sq_time_add(mdl_now(r->ctx), time);
    post_served(r, slot, call->room_ns);
}

/* Nobody serves this call any more. */
static void end_service(struct mdl_room *r, uint32_t slot)
{
    if (r->sharing.among > 0) {
        uint32_t before = posted(r);
        if (before == slot) {
            forget_served(r, slot);
            before = 0;
        }
        mdl_sharing_remove(&r->sharing, mdl_now(r->ctx), slot);
        repost(r, before);
    } else {
        forget_served(r, slot);
        mdl_line_remove(&r->serving, links(r), slot);
    }
}

/* Takes a call out of its server. */
static void leave_server(struct mdl_room *r, uint32_t slot)
{
    if (mdl_call_at(r->ctx, slot)->place == MDL_PLACE_SERVER) {
        end_service(r, slot);
    } else {
        mdl_line_remove(&r->held, links(r), slot);
    }
    mdl_call_at(r->ctx, slot)->place = MDL_PLACE_OUT;
    sq_level_move(&r->sum->busy, mdl_now(r->ctx), -1);
    sq_level_move(&r->sum->in_flight, mdl_now(r->ctx), -1);
}

/* ---- the line ---- */

static void leave_line(struct mdl_room *r, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(r->ctx, slot);
    call->flags &= (uint8_t)~MDL_CALL_QUEUED;
    call->place = MDL_PLACE_OUT;
    sq_level_move(&r->sum->waiting, mdl_now(r->ctx), -1);
}

/* Puts what is owed, then waiting calls, into free servers. */
void mdl_room_fill(struct mdl_room *r)
{
    int64_t force = mdl_room_in_force(r);
    while (!r->hung && r->owed > 0 && mdl_room_at_work(r) < force) {
        mdl_room_pay(r);
    }
    while (!r->hung && r->shelf.count > 0 && mdl_room_at_work(r) < force) {
        bool shed;
        uint32_t slot = mdl_shelf_take(&r->shelf, mdl_now(r->ctx), &shed);
        bool gone = mdl_call_at(r->ctx, slot)->told && r->cfg->abandoned != MDL_ABANDONED_FINISH;
        leave_line(r, slot);
        if (!gone && !shed) {
            serve(r, slot);
            continue;
        }
        sq_level_move(&r->sum->in_flight, mdl_now(r->ctx), -1);
        (gone ? r->owner.drop : r->owner.shed)(r->owner.self, slot);
    }
}

static void stand_in_line(struct mdl_room *r, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(r->ctx, slot);
    call->flags |= MDL_CALL_QUEUED;
    call->place = MDL_PLACE_LINE;
    call->room_ns = mdl_now(r->ctx);
    mdl_shelf_push(&r->shelf, slot, r->ctx->sources[call->producer].priority);
    sq_level_move(&r->sum->waiting, mdl_now(r->ctx), 1);
}

bool mdl_room_enter(struct mdl_room *r, uint32_t slot)
{
    SQ_DEBUG_ASSERT(r->open);
    int64_t force = mdl_room_in_force(r);
    if (!r->hung && r->shelf.count == 0 && mdl_room_at_work(r) < force) {
        sq_level_move(&r->sum->in_flight, mdl_now(r->ctx), 1);
        serve(r, slot);
        return true;
    }
    /* Servers that hang are free in so far as nobody stands before them yet. */
    int64_t free = r->hung ? sq_max_i64(force - mdl_room_at_work(r), 0) : 0;
    if (r->shelf.count - free >= r->cfg->waiting_room) {
        return false;
    }
    sq_level_move(&r->sum->in_flight, mdl_now(r->ctx), 1);
    stand_in_line(r, slot);
    return true;
}

bool mdl_room_served(struct mdl_room *r, uint32_t slot, uint64_t seq)
{
    if (!mdl_call_is_served(r->ctx, slot, seq)) {
        return false;
    }
    mdl_call_at(r->ctx, slot)->serve_seq = 0;
    leave_server(r, slot);
    mdl_room_fill(r);
    return true;
}

void mdl_room_hold(struct mdl_room *r, uint32_t slot)
{
    mdl_call_at(r->ctx, slot)->serve_seq = 0;
    end_service(r, slot);
    mdl_call_at(r->ctx, slot)->place = MDL_PLACE_HOLDS;
    mdl_line_push(&r->held, links(r), slot);
}

void mdl_room_cancel(struct mdl_room *r, uint32_t slot)
{
    const struct mdl_call *call = mdl_call_at(r->ctx, slot);
    if (call->place == MDL_PLACE_LINE) {
        mdl_shelf_remove(&r->shelf, slot, r->ctx->sources[call->producer].priority);
        leave_line(r, slot);
        sq_level_move(&r->sum->in_flight, mdl_now(r->ctx), -1);
        return;
    }
    leave_server(r, slot);
    mdl_room_fill(r);
}

/* ---- down, up, hung ---- */

/* One of those in service, the longest there first; 0: none. */
static uint32_t first_serving(const struct mdl_room *r)
{
    uint32_t slot = r->sharing.among > 0 ? mdl_sharing_head(&r->sharing) : r->serving.head;
    return slot != 0 ? slot : r->held.head;
}

void mdl_room_close(struct mdl_room *r, void (*out)(void *self, uint32_t call), void *self)
{
    r->open = false;
    note_in_force(r);
    mdl_room_owe_nothing(r);
    if (r->sharing.among > 0) { /* nobody ends any more */
        uint32_t before = posted(r);
        mdl_sharing_freeze(&r->sharing, mdl_now(r->ctx), true);
        repost(r, before);
    }
    uint32_t slot;
    while ((slot = first_serving(r)) != 0) {
        leave_server(r, slot);
        out(self, slot);
    }
    while ((slot = mdl_shelf_pop(&r->shelf)) != 0) {
        leave_line(r, slot);
        sq_level_move(&r->sum->in_flight, mdl_now(r->ctx), -1);
        out(self, slot);
    }
    mdl_sharing_freeze(&r->sharing, mdl_now(r->ctx), r->hung);
}

static void start_warm_up(struct mdl_room *r)
{
    r->warm_since = r->cfg->warm_up != NULL ? mdl_now(r->ctx) : SQ_NEVER;
    note_in_force(r);
    schedule_warm(r);
}

/* Services stand still (room_ns: what is left of them) or go on. */
static void freeze(struct mdl_room *r, bool frozen)
{
    sq_time_t now = mdl_now(r->ctx);
    for (uint32_t slot = r->serving.head; slot != 0; slot = mdl_call_at(r->ctx, slot)->next) {
        struct mdl_call *call = mdl_call_at(r->ctx, slot);
        if (frozen) {
            forget_served(r, slot);
            call->room_ns -= now;
        } else {
            call->room_ns = sq_time_add(now, call->room_ns);
            post_served(r, slot, call->room_ns);
        }
    }
    if (r->sharing.among > 0) {
        uint32_t before = posted(r);
        mdl_sharing_freeze(&r->sharing, now, frozen);
        repost(r, before);
    }
}

void mdl_room_hang(struct mdl_room *r, bool hung)
{
    SQ_ASSERT(r->hung != hung);
    r->hung = hung;
    freeze(r, hung);
    if (!hung && r->open) {
        start_warm_up(r);
        mdl_room_fill(r);
    }
}

void mdl_room_weather(struct mdl_room *r, double slow, double capacity)
{
    r->slow = slow;
    r->capacity = capacity;
    note_in_force(r);
    mdl_room_fill(r);
}

void mdl_room_open(struct mdl_room *r)
{
    r->open = true;
    start_warm_up(r);
}

void mdl_room_warm(struct mdl_room *r, uint64_t seq)
{
    if (r->warm_seq != seq) {
        return;
    }
    note_in_force(r);
    schedule_warm(r);
    mdl_room_fill(r);
}

void mdl_room_changed(struct mdl_room *r)
{
    r->service = mdl_dist_make(&r->cfg->service);
    note_in_force(r);
    schedule_warm(r);
    if (r->open) {
        mdl_room_fill(r);
    }
}

void mdl_room_init(struct mdl_room *r, bool open)
{
    r->service = mdl_dist_make(&r->cfg->service);
    r->warm_since = SQ_NEVER;
    r->slow = r->capacity = 1;
    r->open = open;
    mdl_shelf_init(&r->shelf, links(r), offsetof(struct mdl_call, room_ns), &r->cfg->discipline);
    r->sharing.links = links(r);
    r->sharing.among = mdl_contention_among(&r->cfg->contention);
    note_in_force(r);
}

void mdl_room_fini(struct mdl_room *r)
{
    mdl_sharing_fini(&r->sharing);
}
