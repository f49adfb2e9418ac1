/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_gate_line.c - who waits where: lines of calls, and what their heads wait for. */
#include "models/part/mdl_copy.h"
#include "models/part/mdl_gate_parts.h"

static struct mdl_links links(const struct mdl_gate *g)
{
    return (struct mdl_links){ &g->ctx->calls, offsetof(struct mdl_call, next) };
}

static int64_t ticket_of(const struct mdl_gate *g, const struct mdl_group *group)
{
    return mdl_call_at(g->ctx, group->line.head)->room_ns;
}

/* ---- the heap of a state ---- */

static void put(struct mdl_state *s, uint32_t place, struct mdl_group *group)
{
    s->blocked[place] = group;
    group->place = place;
}

static void rise(const struct mdl_gate *g, struct mdl_state *s, uint32_t i)
{
    struct mdl_group *group = s->blocked[i];
    while (i > 0 && ticket_of(g, s->blocked[(i - 1) / 2]) > ticket_of(g, group)) {
        put(s, i, s->blocked[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put(s, i, group);
}

static void sink(const struct mdl_gate *g, struct mdl_state *s, uint32_t i)
{
    struct mdl_group *group = s->blocked[i];
    for (;;) {
        uint32_t least = 2 * i + 1;
        if (least >= s->blocked_count) {
            break;
        }
        if (least + 1 < s->blocked_count &&
            ticket_of(g, s->blocked[least + 1]) < ticket_of(g, s->blocked[least])) {
            least++;
        }
        if (ticket_of(g, s->blocked[least]) >= ticket_of(g, group)) {
            break;
        }
        put(s, i, s->blocked[least]);
        i = least;
    }
    put(s, i, group);
}

static void block(struct mdl_gate *g, struct mdl_group *group, struct mdl_state *by)
{
    if (by->blocked_count == by->blocked_size) {
        uint32_t size = by->blocked_size == 0 ? 4 : 2 * by->blocked_size;
        struct mdl_group **grown = sq_mem_resize(by->blocked, size, sizeof(struct mdl_group *));
        if (grown == NULL) { /* the run ends */
            g->ctx->failed = true;
            sq_sim_stop(&g->ctx->sim);
            return;
        }
        by->blocked = grown;
        by->blocked_size = size;
    }
    group->at = by;
    put(by, by->blocked_count++, group);
    rise(g, by, group->place);
    if (by->kind == MDL_CONTROL_RATE) {
        mdl_gate_rate_await(g, by);
    }
}

static void unblock(struct mdl_gate *g, struct mdl_group *group)
{
    struct mdl_state *s = group->at;
    group->at = NULL;
    if (s == NULL) {
        return;
    }
    struct mdl_group *last = s->blocked[--s->blocked_count];
    if (last != group) {
        put(s, group->place, last);
        rise(g, s, last->place);
        sink(g, s, last->place);
    }
}

bool mdl_gate_is_behind(const struct mdl_gate *g, const struct mdl_state *s, int64_t ticket)
{
    return s->blocked_count > 0 && ticket_of(g, s->blocked[0]) < ticket;
}

void mdl_gate_move(struct mdl_gate *g, struct mdl_group *group, struct mdl_state *by)
{
    unblock(g, group);
    block(g, group, by);
}

/* ---- lines ---- */

/* One more or fewer waits. */
static void count(struct mdl_gate *g, const struct mdl_call *call, int by)
{
    if (call->scout != 0) {
        g->scouts += by;
        return;
    }
    sq_level_move(&g->waiting, mdl_now(g->ctx), by);
    g->ctx->waiting[call->producer] += call->job != 0 ? by : 0;
    if (call->job != 0 && (call->flags & MDL_CALL_CALLER) != 0) {
        mdl_lease_waits(g->ctx, call->job, by > 0);
    }
    if (g->controls[MDL_CONTROL_RATE].on) {
        struct mdl_state *s = mdl_scopes_get(&g->controls[MDL_CONTROL_RATE], call);
        ((struct mdl_rate_state *)(void *)s)->waiting += by;
    }
}

void mdl_gate_stand(struct mdl_gate *g, uint32_t slot, struct mdl_state *by)
{
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    struct mdl_group *group = mdl_gate_group(g, call);
    call->flags |= MDL_CALL_QUEUED;
    call->room_ns = g->tickets++;
    mdl_line_push(&group->line, links(g), slot);
    if (group->line.count == 1) {
        block(g, group, by);
    }
    count(g, call, 1);
}

void mdl_gate_step_out(struct mdl_gate *g, uint32_t slot)
{
    struct mdl_call *call = mdl_call_at(g->ctx, slot);
    struct mdl_group *group = mdl_gate_group(g, call);
    if (group->line.count == 1) {
        unblock(g, group);
    }
    mdl_line_remove(&group->line, links(g), slot);
    if (group->at != NULL) {
        sink(g, group->at, group->place); /* its head may have come later */
    }
    call->flags &= (uint8_t)~MDL_CALL_QUEUED;
    count(g, call, -1);
    if (call->timeout_seq != 0) {
        call->timeout_seq = 0;
        sq_evq_stale(g->ctx->sim.evq);
    }
}

/* ---- stirred states ---- */

void mdl_gate_stir(struct mdl_gate *g, struct mdl_state *s)
{
    if (s->stirred || s->blocked_count == 0) {
        return;
    }
    s->stirred = true;
    s->next_stirred = NULL;
    if (g->stirred != NULL) {
        g->last_stirred->next_stirred = s;
    } else {
        g->stirred = s;
    }
    g->last_stirred = s;
}

void mdl_gate_stir_all(struct mdl_gate *g)
{
    for (size_t k = 0; k < MDL_CONTROL_COUNT; k++) {
        for (uint32_t i = 0; i < g->controls[k].count; i++) {
            mdl_gate_stir(g, g->controls[k].states[i]);
        }
    }
}

void mdl_gate_calm(struct mdl_gate *g)
{
    struct mdl_state *s = g->stirred;
    g->stirred = s->next_stirred;
    s->next_stirred = NULL;
    s->stirred = false;
    if (s->kind == MDL_CONTROL_RATE) {
        mdl_gate_rate_await(g, s);
    }
}
