/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_doc.h - YAML text as a tree of nodes, each with its place in the file. The one door to
 * libyaml.
 *
 * Accepted: mappings with plain or quoted scalar keys, sequences, scalars, in block or flow style.
 * Refused, each with its place: anchors, aliases, tags, merge keys, several documents, duplicate
 * keys, more depth or nodes than sq_limits.h allows, bytes that are not UTF-8. (Configuration of
 * other systems may hold several documents: sq_doc_parse_all.)
 *
 * Nodes live in the arena; order of keys is the order in the file. Trees are mutable: expanding,
 * merging and filling in defaults (sq_conf.h) work on them. */
#ifndef SQ_DOC_H
#define SQ_DOC_H

#include "sim/base/sq_diag.h"
#include "sim/base/sq_mem.h"

enum sq_node_kind { SQ_NODE_SCALAR, SQ_NODE_LIST, SQ_NODE_MAP };

struct sq_node {
    enum sq_node_kind kind;
    struct sq_where where; /* of the value */
    const char *text;      /* SCALAR; an empty value is "null" */
    bool quoted;           /* SCALAR: in quotes, so never null, true or false */
    bool verbatim;         /* SCALAR: stands on one line of the file, letter for letter as `text`,
                              behind its quotation mark if `quoted` */
    bool filled;           /* a default or preset, not written by the user */
    bool bad;              /* a complaint was noted about it: readers pass it over in silence */
    size_t count, size;    /* LIST, MAP */
    struct sq_node **items;
    const char **keys; /* MAP: as many as items */
    struct sq_where *key_where;
};

/* Parses `text`. `file` is borrowed for the places. On SQ_USER the diagnostics say what is wrong.
 * An empty text is a user's mistake ("the file is empty"). */
enum sq_status sq_doc_parse(const char *file, const char *text, size_t len, struct sq_arena *arena,
                            struct sq_diag *diag, struct sq_node **out) SQ_MUST_USE;

/* Parses a file of some other system, YAML or JSON: each of its documents, but for those that hold
 * nothing, goes to the end of `list`. What is refused is the same. */
enum sq_status sq_doc_parse_all(const char *file, const char *text, size_t len,
                                struct sq_arena *arena, struct sq_diag *diag,
                                struct sq_node *list) SQ_MUST_USE;

/* Unquoted `null` or `~` or an empty value. */
bool sq_node_is_null(const struct sq_node *n);

/* The value of a key, or NULL. */
struct sq_node *sq_node_get(const struct sq_node *map, const char *key);

/* An empty node, for trees made by the program. NULL when out of memory. */
struct sq_node *sq_node_new(struct sq_arena *arena, enum sq_node_kind kind,
                            struct sq_where where) SQ_MUST_USE;

/* A plain scalar; `text` is borrowed. NULL when out of memory. */
struct sq_node *sq_node_scalar(struct sq_arena *arena, struct sq_where where,
                               const char *text) SQ_MUST_USE;

/* Adds to the end of a list. SQ_NOMEM possible. */
enum sq_status sq_node_push(struct sq_arena *arena, struct sq_node *list,
                            struct sq_node *item) SQ_MUST_USE;

/* Adds a key that the map does not have to its end. `key` is borrowed. SQ_NOMEM possible. */
enum sq_status sq_node_add(struct sq_arena *arena, struct sq_node *map, const char *key,
                           struct sq_where key_where, struct sq_node *value) SQ_MUST_USE;

/* Deep copy. NULL when out of memory. */
struct sq_node *sq_node_copy(struct sq_arena *arena, const struct sq_node *n) SQ_MUST_USE;

/* The same, but where the key stands already its value is replaced in place. */
enum sq_status sq_node_put(struct sq_arena *arena, struct sq_node *map, const char *key,
                           struct sq_where key_where, struct sq_node *value) SQ_MUST_USE;
void sq_node_drop(struct sq_node *map, const char *key);

/* As YAML that reads back to the same tree: block style outside, what fits on a line in flow style.
 * A plain scalar that YAML would read as something else is put in quotes. */
void sq_node_print(const struct sq_node *n, struct sq_buf *out);

#endif
