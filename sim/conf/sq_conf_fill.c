/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_conf_fill.c - presets, then defaults. What they supply is marked `filled`. */
#include "sim/conf/sq_conf_in.h"

#include <string.h>

enum { PRESET_DEPTH_MAX = 8 };

static void mark_filled(struct sq_node *n)
{
    n->filled = true;
    for (size_t i = 0; i < n->count; i++) {
        mark_filled(n->items[i]);
    }
}

static void set_places(struct sq_node *n, struct sq_where where)
{
    n->where = where;
    for (size_t i = 0; i < n->count; i++) {
        set_places(n->items[i], where);
        if (n->kind == SQ_NODE_MAP) {
            n->key_where[i] = where;
        }
    }
}

static void note_unknown_preset(struct sq_walk *w, const struct sq_field *row,
                                const struct sq_node *name, const struct sq_path *path)
{
    const char *type = sq_row_preset_type(row), *hint = NULL;
    size_t count = 0;
    if (w->c->preset == NULL) {
        (void)sq_diag_error(w->c->diag, name->where, sq_walk_at(w, path), NULL,
                            "`preset` is not supported yet");
        return;
    }
    const char *const *names =
        w->c->preset_names != NULL ? w->c->preset_names(w->c->preset_ctx, type, &count) : NULL;
    hint = sq_walk_closest(w, name->text, names, count);
    if (hint == NULL && row->type == SQ_BLOCK) {
        names = sq_walk_kinds(w, row->more, &count);
        hint = sq_walk_closest(w, name->text, names, count);
    }
    (void)sq_diag_error(w->c->diag, name->where, sq_walk_at(w, path), hint,
                        "there is no %s preset `%s`", type, name->text);
}

/* The keys of the preset that `name` names, expanded, marked, and the presets it stands on merged
 * under them. NULL: a complaint stands. */
static struct sq_node *load_preset(struct sq_walk *w, const struct sq_field *row,
                                   struct sq_node *name, const struct sq_path *path, unsigned depth)
{
    if (name->kind != SQ_NODE_SCALAR || sq_node_is_null(name) || depth > PRESET_DEPTH_MAX) {
        (void)sq_diag_error(w->c->diag, name->where, sq_walk_at(w, path), NULL, "%s",
                            depth > PRESET_DEPTH_MAX ? "presets stand on each other in a circle"
                                                     : "expects the name of a preset");
        return NULL;
    }
    const struct sq_node *shipped =
        w->c->preset != NULL ? w->c->preset(w->c->preset_ctx, sq_row_preset_type(row), name->text)
                             : NULL;
    if (shipped == NULL) {
        note_unknown_preset(w, row, name, path);
        return NULL;
    }
    struct sq_node *tree = sq_node_copy(w->c->arena, shipped);
    if (tree == NULL) {
        w->nomem = true;
        return NULL;
    }
    mark_filled(tree);
    sq_walk_expand(w, row, &tree);
    if (!sq_walk_is_map(w, tree, path)) {
        return NULL;
    }
    struct sq_node *lower_name = sq_node_get(tree, "preset");
    if (lower_name == NULL) {
        return tree;
    }
    struct sq_node *lower = load_preset(w, row, lower_name, path, depth + 1);
    if (lower != NULL) {
        sq_node_drop(tree, "preset");
        sq_walk_merge(w, row, lower, tree, path);
    }
    return lower;
}

/* Puts the preset's keys under the user's own and drops the key `preset`. */
static void resolve_preset(struct sq_walk *w, const struct sq_field *row, struct sq_node *node,
                           const struct sq_path *path)
{
    struct sq_node *name = sq_node_get(node, "preset");
    if (name == NULL) {
        return;
    }
    struct sq_node *tree = load_preset(w, row, name, &(struct sq_path){ path, "preset", 0 }, 0);
    if (tree == NULL) {
        node->bad = true;
        return;
    }
    for (size_t i = 0; row->preset_without != NULL && row->preset_without[i] != NULL; i++) {
        sq_node_drop(tree, row->preset_without[i]);
    }
    struct sq_node own = *node;
    sq_node_drop(&own, "preset");
    sq_walk_merge(w, row, tree, &own, path);
    tree->where = own.where;
    tree->filled = own.filled;
    *node = *tree;
}

/* The tree of a row's default, at the place of the map that lacks it. */
static struct sq_node *read_default(struct sq_walk *w, const struct sq_field *row,
                                    const struct sq_node *map)
{
    struct sq_node *node = NULL;
    struct sq_where where = map->where;
    const char *text = row->dflt_by != NULL ? row->dflt_by(map) : row->dflt;
    bool flow = text[0] == '[' || text[0] == '{' || text[0] == '"';
    if (flow) {
        enum sq_status st =
            sq_doc_parse("a default", text, strlen(text), w->c->arena, w->c->diag, &node);
        SQ_ASSERT(st == SQ_OK || st == SQ_NOMEM);
    } else {
        node = sq_node_scalar(w->c->arena, where, text);
    }
    if (node == NULL) {
        w->nomem = true;
        return NULL;
    }
    set_places(node, where);
    mark_filled(node);
    sq_walk_expand(w, row, &node);
    return node;
}

static bool has_alternative(const struct sq_table *t, const struct sq_field *row,
                            const struct sq_node *map)
{
    for (size_t i = 0; row->alt > 0 && i < t->row_count; i++) {
        if (t->rows[i].alt == row->alt && sq_node_get(map, t->rows[i].key) != NULL) {
            return true;
        }
    }
    return false;
}

static bool wants_default(const struct sq_table *t, const struct sq_field *row,
                          const struct sq_node *map)
{
    return row->dflt != NULL && (row->flags & SQ_F_LATER) == 0 &&
           sq_node_get(map, row->key) == NULL && !has_alternative(t, row, map);
}

static void fill_table(struct sq_walk *w, const struct sq_table *t, struct sq_node *map,
                       const struct sq_path *path)
{
    for (size_t i = 0; i < t->row_count && !w->nomem; i++) {
        const struct sq_field *row = &t->rows[i];
        struct sq_node *child = sq_node_get(map, row->key);
        if (wants_default(t, row, map)) {
            child = read_default(w, row, map);
            w->nomem |= child == NULL ||
                        sq_node_add(w->c->arena, map, row->key, map->where, child) != SQ_OK;
        }
        if (child != NULL && !w->nomem) {
            sq_walk_fill(w, row, child, &(struct sq_path){ path, row->key, 0 });
        }
    }
}

/* Tuples are written in row order, so only values at the end can be left out. */
static void fill_tuple(struct sq_walk *w, const struct sq_table *t, struct sq_node *list,
                       const struct sq_path *path)
{
    for (size_t i = 0; i < t->row_count && !w->nomem; i++) {
        const struct sq_field *row = &t->rows[i];
        if (i >= list->count) {
            struct sq_node *node = row->dflt != NULL ? read_default(w, row, list) : NULL;
            if (node == NULL) {
                return;
            }
            w->nomem |= sq_node_push(w->c->arena, list, node) != SQ_OK;
        }
        if (i < list->count) {
            sq_walk_fill(w, row, list->items[i], &(struct sq_path){ path, NULL, i });
        }
    }
}

static void fill_kind(struct sq_walk *w, const struct sq_family *f, struct sq_node *map)
{
    if (f->dflt_kind == NULL || sq_node_get(map, "kind") != NULL) {
        return;
    }
    struct sq_node *word = sq_node_scalar(w->c->arena, map->where, f->dflt_kind);
    if (word == NULL || sq_node_add(w->c->arena, map, "kind", map->where, word) != SQ_OK) {
        w->nomem = true;
        return;
    }
    word->filled = true;
    size_t rest = map->count - 1;
    memmove(&map->items[1], &map->items[0], rest * sizeof(struct sq_node *));
    memmove(&map->keys[1], &map->keys[0], rest * sizeof(char *));
    memmove(&map->key_where[1], &map->key_where[0], rest * sizeof(struct sq_where));
    map->items[0] = word;
    map->keys[0] = "kind";
    map->key_where[0] = map->where;
}

static void fill_map(struct sq_walk *w, const struct sq_field *row, struct sq_node *node,
                     const struct sq_path *path)
{
    if (sq_row_has_preset(row)) {
        resolve_preset(w, row, node, path);
    }
    if (node->bad || w->nomem) {
        return;
    }
    if (row->type == SQ_BLOCK) {
        fill_kind(w, row->more, node);
    }
    const struct sq_table *table = sq_row_table(row, node);
    if (table != NULL) {
        fill_table(w, table, node, path);
    }
    for (size_t i = 0; row->type == SQ_MAP && i < node->count; i++) {
        sq_walk_fill(w, row->more, node->items[i], &(struct sq_path){ path, node->keys[i], 0 });
    }
}

void sq_walk_fill(struct sq_walk *w, const struct sq_field *row, struct sq_node *node,
                  const struct sq_path *path)
{
    if (w->nomem || sq_leaf_is(row) || row->type == SQ_RAW || (row->flags & SQ_F_LATER) != 0) {
        return;
    }
    bool tuple = row->type == SQ_GROUP && (row->flags & SQ_F_TUPLE) != 0;
    if (node->kind == SQ_NODE_MAP && row->type != SQ_LIST && !tuple) {
        fill_map(w, row, node, path);
    } else if (node->kind == SQ_NODE_LIST && tuple) {
        fill_tuple(w, row->more, node, path);
    } else if (node->kind == SQ_NODE_LIST && row->type == SQ_LIST) {
        for (size_t i = 0; i < node->count; i++) {
            sq_walk_fill(w, row->more, node->items[i], &(struct sq_path){ path, NULL, i });
        }
    }
}

enum sq_status sq_conf_fill(const struct sq_conf *c, struct sq_node *node,
                            const struct sq_table *table, const char *path)
{
    struct sq_walk w = sq_walk_start(c);
    struct sq_field root = sq_row_root(table);
    struct sq_path start = { NULL, path, 0 };
    if (sq_walk_is_map(&w, node, &start)) {
        sq_walk_fill(&w, &root, node, &start);
    }
    return sq_walk_end(&w);
}
