/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_conf_in.h - what the steps of sq_conf.h share; only sq_conf*.c and sq_leaf.c include it.
 *
 * Every place of a tree has a row: the root is a GROUP row made from its table, an element of a
 * list or map has the row that `more` names. So each step is one recursive function of a row and a
 * node. */
#ifndef SQ_CONF_IN_H
#define SQ_CONF_IN_H

#include "sim/conf/sq_conf.h"

/* One call of a step. */
struct sq_walk {
    const struct sq_conf *c;
    size_t errors_before;
    size_t skipped; /* nodes passed over because a complaint about them stands already */
    bool nomem;
};

/* A key's path as a chain on the stack, written out only when a message needs it. The first link
 * holds the caller's text (may be NULL); a link without key is a list index. */
struct sq_path {
    const struct sq_path *up;
    const char *key;
    size_t index;
};

struct sq_walk sq_walk_start(const struct sq_conf *c);
enum sq_status sq_walk_end(const struct sq_walk *w) SQ_MUST_USE;

/* "workers.pool.outages[0].for", in the arena; NULL when empty. */
const char *sq_walk_at(struct sq_walk *w, const struct sq_path *path);

/* `before` and the names, joined by commas; for hints. NULL when out of memory or no names. */
const char *sq_walk_names(struct sq_walk *w, const char *before, const char *const *names,
                          size_t count);

/* "did you mean `x`?" or NULL. */
const char *sq_walk_closest(struct sq_walk *w, const char *word, const char *const *names,
                            size_t count);

/* All keys that a map of this row takes (kind NULL: those of all kinds); *count is set. */
const char *const *sq_walk_keys(struct sq_walk *w, const struct sq_field *row,
                                const struct sq_kind *kind, size_t *count);

/* The names of a family's kinds. */
const char *const *sq_walk_kinds(struct sq_walk *w, const struct sq_family *f, size_t *count);

struct sq_field sq_row_root(const struct sq_table *table);
bool sq_row_has_preset(const struct sq_field *row);
const char *sq_row_preset_type(const struct sq_field *row);

/* The kind that a block's map names, or its default. NULL: neither, or an unknown word. */
const struct sq_kind *sq_row_kind(const struct sq_family *f, const struct sq_node *map);

/* The table of the keys of a map, by its row and kind; NULL when no table tells them (MAP, RAW,
 * unknown kind). */
const struct sq_table *sq_row_table(const struct sq_field *row, const struct sq_node *map);

/* The row of the value under `key` in a map of this row, or NULL. For a block whose map names no
 * kind: of the default kind or, failing that, the first kind that has the key. */
const struct sq_field *sq_row_child(const struct sq_field *row, const struct sq_node *map,
                                    const char *key);

/* The row of element `i` of a list of this row (LIST, or GROUP with SQ_F_TUPLE), or NULL. */
const struct sq_field *sq_row_item(const struct sq_field *row, size_t i);

/* Complains unless the node is a map. */
bool sq_walk_is_map(struct sq_walk *w, struct sq_node *node, const struct sq_path *path);

bool sq_node_is_word(const struct sq_node *n, const char *word);
bool sq_row_takes_none(const struct sq_field *row);

/* Up to nine digits. */
bool sq_is_index(const char *s, size_t *out);

union sq_leaf {
    int64_t whole; /* TIME AMOUNT SIZE CHOICE */
    uint64_t seed; /* SEED */
    double real;   /* RATE RATIO NUMBER */
    struct sq_quantity quantity;
    bool truth;
    const char *text; /* TEXT REF */
};

/* Whether the type is written as one scalar: TIME to REF. */
bool sq_leaf_is(const struct sq_field *row);

/* Reads a scalar as the row's type says, `none` and `unlimited` included, without the range.
 * NULL, or what is wrong with it ("needs a unit, for example 5s"). */
const char *sq_leaf_read(const struct sq_field *row, const struct sq_node *node,
                         union sq_leaf *out);

/* Complains unless the value lies in the row's range. */
bool sq_leaf_check(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                   const union sq_leaf *value, const struct sq_path *path);

/* What the row wants: "a duration such as 5s". */
const char *sq_leaf_wanted(const struct sq_field *row);

/* The value of a key that is absent or `none`. */
void sq_leaf_absent(const struct sq_field *row, void *at);
void sq_leaf_store(const struct sq_field *row, const union sq_leaf *value, struct sq_where where,
                   void *at);

/* The steps on one place. `slot`: the place in its parent that holds the node. */
void sq_walk_expand(struct sq_walk *w, const struct sq_field *row, struct sq_node **slot);
void sq_walk_merge(struct sq_walk *w, const struct sq_field *row, struct sq_node *base,
                   const struct sq_node *over, const struct sq_path *path);
void sq_walk_fill(struct sq_walk *w, const struct sq_field *row, struct sq_node *node,
                  const struct sq_path *path);
void sq_walk_bind(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                  const struct sq_path *path, void *at);

#endif
