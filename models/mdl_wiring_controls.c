/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_wiring_controls.c - controls and those who call. */
#include "models/mdl_wiring.h"

#include <string.h>

static void mark_caller(const struct mdl_world *w, const char *name, bool *set)
{
    for (size_t i = 0; i < w->pool_count; i++) {
        set[w->pools[i].id] |= strcmp(w->pools[i].name, name) == 0;
    }
    for (size_t i = 0; i < w->client_count; i++) {
        set[w->clients[i].id] |= strcmp(w->clients[i].name, name) == 0;
    }
    for (size_t i = 0; i < w->dependency_count; i++) {
        set[w->dependencies[i].id] |= strcmp(w->dependencies[i].name, name) == 0;
    }
}

/* `only`: by actor, or NULL for all. */
static enum sq_status wire_only(struct mdl_world *w, struct mdl_gate *g)
{
    if (!g->active || g->cfg->only.count == 0) {
        return SQ_OK;
    }
    bool *set = sq_arena_alloc(&w->ctx.arena, w->ctx.sim.actor_count, sizeof(*set));
    for (size_t i = 0; set != NULL && i < g->cfg->only.count; i++) {
        mark_caller(w, ((const struct sq_ref *)sq_list_at(&g->cfg->only, i))->name, set);
    }
    g->only = set;
    return set != NULL ? SQ_OK : SQ_NOMEM;
}

enum sq_status mdl_wiring_controls(struct mdl_world *w)
{
    w->ctx.pools = sq_arena_alloc(&w->ctx.arena, w->ctx.sim.actor_count, sizeof(bool));
    if (w->ctx.pools == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < w->pool_count; i++) {
        w->ctx.pools[w->pools[i].id] = true;
    }
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < w->dependency_count && status == SQ_OK; i++) {
        status = wire_only(w, &w->dependencies[i].gate);
    }
    return status;
}
