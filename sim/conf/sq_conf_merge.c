/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_conf_merge.c - an overlay into a base, by the five rules of merging:
 *
 *   1. map into map key by key, new keys to the end
 *   2. an overlay that names a `kind` or `preset` that the base has not replaces it whole; an
 *      absent kind is the default kind
 *   3. null removes the key
 *   4. lists and scalars replace
 *   5. a key displaces its alternatives */
#include "sim/conf/sq_conf_in.h"

#include <string.h>

/* A deep copy without the keys whose value is null: in new places there is nothing to remove. */
static struct sq_node *copy_rest(struct sq_walk *w, const struct sq_node *n)
{
    struct sq_node *copy = n->kind == SQ_NODE_MAP ? sq_node_new(w->c->arena, SQ_NODE_MAP, n->where)
                                                  : sq_node_copy(w->c->arena, n);
    if (copy == NULL) {
        w->nomem = true;
        return NULL;
    }
    copy->filled = n->filled;
    for (size_t i = 0; n->kind == SQ_NODE_MAP && i < n->count && !w->nomem; i++) {
        struct sq_node *item = sq_node_is_null(n->items[i]) ? NULL : copy_rest(w, n->items[i]);
        w->nomem |= item != NULL &&
                    sq_node_add(w->c->arena, copy, n->keys[i], n->key_where[i], item) != SQ_OK;
    }
    return w->nomem ? NULL : copy;
}

static const char *scalar_under(const struct sq_node *map, const char *key)
{
    const struct sq_node *n = sq_node_get(map, key);
    return n != NULL && n->kind == SQ_NODE_SCALAR && !sq_node_is_null(n) ? n->text : NULL;
}

static bool names_other(const char *over, const char *base)
{
    return over != NULL && (base == NULL || strcmp(over, base) != 0);
}

/* Rule 2. */
static bool replaces(const struct sq_field *row, const struct sq_node *base,
                     const struct sq_node *over)
{
    bool block = row != NULL && row->type == SQ_BLOCK;
    const char *kind = scalar_under(base, "kind");
    if (block && kind == NULL) {
        kind = ((const struct sq_family *)row->more)->dflt_kind;
    }
    return (block && names_other(scalar_under(over, "kind"), kind)) ||
           (row != NULL && sq_row_has_preset(row) &&
            names_other(scalar_under(over, "preset"), scalar_under(base, "preset")));
}

/* Rule 5: drops what stands in `base` beside `row` as an alternative. */
static void displace(const struct sq_table *table, const struct sq_field *row, struct sq_node *base,
                     const struct sq_node *over)
{
    for (size_t i = 0; row->alt > 0 && i < table->row_count; i++) {
        const struct sq_field *other = &table->rows[i];
        if (other->alt == row->alt && strcmp(other->key, row->key) != 0 &&
            sq_node_get(over, other->key) == NULL) {
            sq_node_drop(base, other->key);
        }
    }
}

/* Rule 3. A key that could not be there is a mistake, not nothing to do. */
static void remove_key(struct sq_walk *w, const struct sq_field *row, struct sq_node *base,
                       const struct sq_node *over, size_t i, const struct sq_path *path)
{
    const char *key = over->keys[i];
    if (sq_node_get(base, key) != NULL || row == NULL) {
        sq_node_drop(base, key);
        return;
    }
    if (row->type == SQ_MAP && (row->flags & SQ_F_ANY_KEY) == 0) {
        (void)sq_diag_error(w->c->diag, over->key_where[i], sq_walk_at(w, path),
                            sq_walk_closest(w, key, base->keys, base->count),
                            "there is no `%s` to remove", key);
    }
    if (row->type != SQ_GROUP && row->type != SQ_BLOCK) {
        return;
    }
    size_t count = 0;
    const char *const *keys = sq_walk_keys(w, row, NULL, &count);
    for (size_t k = 0; k < count; k++) {
        if (strcmp(keys[k], key) == 0) {
            return;
        }
    }
    (void)sq_diag_error(w->c->diag, over->key_where[i], sq_walk_at(w, path),
                        sq_walk_closest(w, key, keys, count), "unknown key `%s`", key);
}

static void merge_key(struct sq_walk *w, const struct sq_field *row, struct sq_node *base,
                      const struct sq_node *over, size_t i, const struct sq_path *path)
{
    const char *key = over->keys[i];
    const struct sq_node *item = over->items[i];
    const struct sq_field *child = sq_row_child(row, base, key);
    const struct sq_table *table = sq_row_table(row, base);
    if (child != NULL && (child->flags & SQ_F_UNSET) != 0) {
        (void)sq_diag_error(w->c->diag, over->key_where[i], sq_walk_at(w, path), NULL,
                            "a variant or --set cannot change `%s`", key);
        return;
    }
    if (sq_node_is_null(item)) {
        remove_key(w, row, base, over, i, path);
        return;
    }
    struct sq_node *old = sq_node_get(base, key);
    if (old != NULL && old->kind == SQ_NODE_MAP && item->kind == SQ_NODE_MAP) {
        sq_walk_merge(w, child, old, item, path);
    } else {
        struct sq_node *copy = copy_rest(w, item);
        w->nomem |=
            copy == NULL || sq_node_put(w->c->arena, base, key, over->key_where[i], copy) != SQ_OK;
    }
    if (table != NULL && child != NULL) {
        displace(table, child, base, over);
    }
}

void sq_walk_merge(struct sq_walk *w, const struct sq_field *row, struct sq_node *base,
                   const struct sq_node *over, const struct sq_path *path)
{
    SQ_ASSERT(base->kind == SQ_NODE_MAP);
    SQ_ASSERT(over->kind == SQ_NODE_MAP);
    row = row != NULL && (row->flags & SQ_F_LATER) != 0 ? NULL : row;
    if (replaces(row, base, over)) {
        base->count = 0;
        base->where = over->where;
    }
    if (base->filled && !over->filled) {
        base->filled = false;
        base->where = over->where;
    }
    /* The kind goes first: it decides which rows the other keys have. */
    for (size_t i = 0; i < over->count && row != NULL && row->type == SQ_BLOCK; i++) {
        if (strcmp(over->keys[i], "kind") == 0) {
            merge_key(w, row, base, over, i, &(struct sq_path){ path, "kind", 0 });
        }
    }
    for (size_t i = 0; i < over->count && !w->nomem; i++) {
        merge_key(w, row, base, over, i, &(struct sq_path){ path, over->keys[i], 0 });
    }
}

enum sq_status sq_conf_merge(const struct sq_conf *c, struct sq_node *base,
                             const struct sq_node *over, const struct sq_table *table,
                             const char *path)
{
    struct sq_walk w = sq_walk_start(c);
    struct sq_field root = sq_row_root(table);
    sq_walk_merge(&w, &root, base, over, &(struct sq_path){ NULL, path, 0 });
    return sq_walk_end(&w);
}
