/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_turn.h - values of other systems in the notation of scenarios. */
#ifndef MDL_TURN_H
#define MDL_TURN_H

#include "models/import/mdl_source.h"

mdl_turn mdl_turn_count;      /* 12 */
mdl_turn mdl_turn_at_least_1; /* 12; 0 has no counterpart */
mdl_turn mdl_turn_seconds;    /* 30, 0.5 -> 30s, 500ms */
mdl_turn mdl_turn_millis;     /* 1500 -> 1s500ms */
mdl_turn mdl_turn_duration;   /* Go, protobuf: 1.5s, 300ms, 1h */
mdl_turn mdl_turn_timeout;    /* the same; 0s -> none */
mdl_turn mdl_turn_ten_times;  /* 25ms -> 250ms */
mdl_turn mdl_turn_percent;    /* 20 -> 20% */
mdl_turn mdl_turn_number;     /* 1.5 */
mdl_turn mdl_turn_size;       /* Kubernetes: 512Mi -> 512MiB */
mdl_turn mdl_turn_quantity;   /* Kubernetes: 1500m -> 1.5, 2k -> 2000 */
mdl_turn mdl_turn_bool;
mdl_turn mdl_turn_balance; /* of Envoy and Istio: LEAST_REQUEST -> least-loaded */

/* A word of theirs for a word of ours. */
struct mdl_word {
    const char *theirs, *ours;
};

/* Ours, or NULL. */
const char *mdl_word_find(const struct mdl_word *words, size_t count, const char *theirs);

/* What a conversion wrote; "" when it ran out of memory. */
static inline const char *mdl_turn_text(const struct sq_buf *b)
{
    return b->text != NULL ? b->text : "";
}

/* Gives it back, and remembers that memory ran out. */
void mdl_turn_done(struct mdl_importing *m, struct sq_buf *b);

/* A text as a number without unit; false when it is none. */
bool mdl_turn_is_whole(const char *text, int64_t *out);

#endif
