/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_draft.h - a scenario being put together: keys with where each of them came from, and keys
 * that somebody has yet to fill in.
 *
 * Paths are keys joined by dots; values are YAML that fits on one line. Printed, every key of a
 * source ends in a comment, and every wanted line starts with `#+ `: without those three characters
 * it is part of the scenario. Running out of memory is remembered (`failed`).
 *
 * Keys live in the arena; values and comments are borrowed. */
#ifndef MDL_DRAFT_H
#define MDL_DRAFT_H

#include "sim/base/sq_buf.h"
#include "sim/base/sq_mem.h"

struct mdl_draft_key {
    const char *name;
    const char *value; /* NULL: a block */
    const char *from;  /* of a value: what its comment says; NULL: nothing */
    bool wanted;       /* of a value: to be filled in */
    struct mdl_draft_key *first, *last, *next;
};

/* Zeroed but for the arena it is empty. */
struct mdl_draft {
    struct sq_arena *arena;
    struct mdl_draft_key root;
    bool failed;
};

/* Adds a value. False when the path has another value already, or is a block, or leads through a
 * value: then nothing changed. A wanted value gives way. */
bool mdl_draft_put(struct mdl_draft *d, const char *path, const char *value, const char *from);

/* Adds a value to be filled in, with an example; unless the path is there already. */
void mdl_draft_want(struct mdl_draft *d, const char *path, const char *example, const char *why);

/* The key, or NULL. */
const struct mdl_draft_key *mdl_draft_find(const struct mdl_draft *d, const char *path);

/* Text of other people inside a comment: whatever might end the line becomes `?`. */
void mdl_draft_comment(struct sq_buf *out, const char *text);

void mdl_draft_print(const struct mdl_draft *d, struct sq_buf *out);

#endif
