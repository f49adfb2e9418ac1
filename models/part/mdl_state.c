/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_state.c - states of controls, found by whoever asks. */
#include "models/part/mdl_state.h"

const char *const mdl_scope_words[] = { "fleet", "caller", "replica", NULL };

static uint32_t key_of(const struct mdl_scopes *s, const struct mdl_call *call)
{
    switch (s->scope) {
    case MDL_SCOPE_CALLER:
        return call->caller;
    case MDL_SCOPE_REPLICA:
        return call->asker;
    default:
        return 0;
    }
}

/* The place of a key in the hash: where it stands, or where it would. */
static uint32_t *place_of(const struct mdl_scopes *s, uint32_t key)
{
    uint32_t mask = s->slot_count - 1, at = (key * UINT32_C(2654435769) >> 7) & mask;
    while (s->slots[at] != 0 && s->states[s->slots[at] - 1]->key != key) {
        at = (at + 1) & mask;
    }
    return &s->slots[at];
}

/* Room for one more: the hash stays at most half full. */
static bool make_room(struct mdl_scopes *s)
{
    if (s->count < s->room) {
        return true;
    }
    uint32_t room = s->room == 0 ? 8 : 2 * s->room;
    struct mdl_state **states = sq_mem_resize(s->states, room, sizeof(struct mdl_state *));
    if (states == NULL) {
        return false;
    }
    s->states = states;
    uint32_t *slots = sq_mem_alloc(2 * (size_t)room, sizeof(*slots));
    if (slots == NULL) {
        return false;
    }
    sq_mem_free(s->slots);
    s->slots = slots;
    s->slot_count = 2 * room;
    s->room = room;
    for (uint32_t i = 0; i < s->count; i++) {
        *place_of(s, s->states[i]->key) = i + 1;
    }
    return true;
}

static struct mdl_state *make(struct mdl_scopes *s, uint32_t key)
{
    struct mdl_state *state = make_room(s) ? sq_arena_alloc(&s->ctx->arena, 1, s->size) : NULL;
    if (state == NULL) {
        return NULL;
    }
    state->index = s->count;
    state->kind = s->kind;
    state->key = key;
    *place_of(s, key) = s->count + 1;
    s->states[s->count++] = state;
    if (s->begin != NULL) {
        s->begin(s->owner, state);
    }
    return state;
}

enum sq_status mdl_scopes_open(struct mdl_scopes *s, struct mdl_ctx *ctx,
                               const struct mdl_scopes_ask *ask)
{
    *s = (struct mdl_scopes){ .ctx = ctx,
                              .on = true,
                              .scope = ask->scope,
                              .kind = ask->kind,
                              .size = ask->size,
                              .begin = ask->begin,
                              .owner = ask->owner };
    if (s->scope == MDL_SCOPE_FLEET) {
        return make(s, 0) != NULL ? SQ_OK : SQ_NOMEM;
    }
    s->spare = sq_arena_alloc(&ctx->arena, 1, s->size);
    if (s->spare != NULL && s->begin != NULL) {
        s->begin(s->owner, s->spare);
    }
    return s->spare != NULL ? SQ_OK : SQ_NOMEM;
}

void mdl_scopes_close(struct mdl_scopes *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        sq_mem_free(s->states[i]->blocked);
    }
    sq_mem_free(s->states);
    sq_mem_free(s->slots);
}

struct mdl_state *mdl_scopes_find(const struct mdl_scopes *s, uint32_t key)
{
    uint32_t at = s->slot_count > 0 ? *place_of(s, key) : 0;
    return at > 0 ? s->states[at - 1] : NULL;
}

struct mdl_state *mdl_scopes_get(struct mdl_scopes *s, const struct mdl_call *call)
{
    if (s->scope == MDL_SCOPE_FLEET) {
        return s->states[0];
    }
    uint32_t key = key_of(s, call);
    struct mdl_state *state = mdl_scopes_find(s, key);
    if (state == NULL) {
        state = make(s, key);
    }
    if (state == NULL) {
        s->ctx->failed = true;
        sq_sim_stop(&s->ctx->sim);
        state = s->spare;
    }
    return state;
}
