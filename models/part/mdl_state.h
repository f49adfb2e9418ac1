/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_state.h - whose state a control has (SCENARIO 8, `scope`): one in all, one per caller entry,
 * or one per replica, client process, member of a closed population or node.
 *
 * Each kind of control of a dependency keeps its states in a struct mdl_scopes. A state is made
 * when the first call of its key asks, and then stays where it is for the run. Every kind has a
 * struct of its own that starts with struct mdl_state. */
#ifndef MDL_STATE_H
#define MDL_STATE_H

#include "models/part/mdl_core.h"
#include "models/policy/mdl_scope.h"

struct mdl_group; /* mdl_gate_line.h: callers that wait in one line */

struct mdl_state {
    uint32_t index; /* in its struct mdl_scopes */
    uint8_t kind;   /* enum mdl_control */
    uint32_t key;   /* fleet: 0; caller: its actor; replica: who asks (mdl_call.asker) */
    bool gone;      /* its replica is */
    bool stirred;   /* it may admit again: those that it turned away are tried */
    struct mdl_state *next_stirred;
    struct mdl_group **blocked; /* heap: lines whose head it turned away, by ticket */
    uint32_t blocked_count, blocked_size;
};

struct mdl_scopes {
    struct mdl_ctx *ctx;
    bool on;   /* there is such a control */
    int scope; /* enum mdl_scope */
    uint8_t kind;
    size_t size; /* of a state */
    uint32_t count, room;
    struct mdl_state **states; /* by index, in order of their making */
    struct mdl_state *spare;   /* given when memory has run out */
    uint32_t *slots;           /* hash by key: index + 1 */
    uint32_t slot_count;
    void (*begin)(void *owner, struct mdl_state *s); /* fills in a new state; may be NULL */
    void *owner;
};

/* What a set of states is made with. */
struct mdl_scopes_ask {
    int scope;
    uint8_t kind; /* enum mdl_control */
    size_t size;
    void (*begin)(void *owner, struct mdl_state *s);
    void *owner;
};

/* Makes the state of the whole fleet at once. SQ_NOMEM possible. */
enum sq_status mdl_scopes_open(struct mdl_scopes *s, struct mdl_ctx *ctx,
                               const struct mdl_scopes_ask *ask) SQ_MUST_USE;
void mdl_scopes_close(struct mdl_scopes *s);

/* The state of a call, made if it is new. Out of memory the run ends (ctx->failed) and a spare
 * one is given. */
struct mdl_state *mdl_scopes_get(struct mdl_scopes *s, const struct mdl_call *call);

/* The state of a key, or NULL. */
struct mdl_state *mdl_scopes_find(const struct mdl_scopes *s, uint32_t key);

#endif
