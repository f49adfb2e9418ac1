/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_conf_expand.c - shorthands written out: every block becomes a map.
 *
 *   word             {kind: word}, or {preset: word} where presets exist and no kind has the name
 *   none             stays for an optional block that has no kind of that name
 *   5s..15s          {kind: uniform, min: 5s, max: 15s} for families with `ranges`
 *   other scalars    {KEY: value}, KEY the first SQ_F_STAR row whose type takes the value; for a
 *   and lists        block with its kind beside it
 *
 * A value that no row takes is still put under the only star row there is, so that binding says
 * what that key wants. Otherwise it is left, and binding says what the block wants. */
#include "sim/conf/sq_conf_in.h"

#include <string.h>

static bool takes(const struct sq_field *row, const struct sq_node *node);

static bool is_later(const struct sq_field *row)
{
    return (row->flags & SQ_F_LATER) != 0;
}

/* The marked row of a table that takes the node, or NULL. */
static const struct sq_field *star_in(const struct sq_table *t, const struct sq_node *node)
{
    for (size_t i = 0; i < t->row_count; i++) {
        const struct sq_field *row = &t->rows[i];
        if ((row->flags & SQ_F_STAR) != 0 && !is_later(row) && takes(row, node)) {
            return row;
        }
    }
    return NULL;
}

struct star {
    const struct sq_field *row;
    const struct sq_kind *kind; /* of a BLOCK */
};

static struct star find_star(const struct sq_field *row, const struct sq_node *node)
{
    struct star star = { 0 };
    if (row->type == SQ_GROUP) {
        star.row = star_in(row->more, node);
        return star;
    }
    const struct sq_family *f = row->more;
    for (size_t i = 0; i < f->kind_count && star.row == NULL; i++) {
        star.kind = sq_family_kind(f, i);
        star.row = star_in(&star.kind->table, node);
    }
    return star;
}

/* The only marked row, whatever it takes; row NULL when there is none or more than one. For lists
 * the only one that is a LIST. */
static struct star only_star(const struct sq_field *row, const struct sq_node *node)
{
    const struct sq_family *f = row->type == SQ_BLOCK ? row->more : NULL;
    size_t tables = f != NULL ? f->kind_count : 1, found = 0;
    struct star star = { 0 };
    for (size_t i = 0; i < tables; i++) {
        const struct sq_kind *kind = f != NULL ? sq_family_kind(f, i) : NULL;
        const struct sq_table *t = kind != NULL ? &kind->table : row->more;
        for (size_t j = 0; j < t->row_count; j++) {
            const struct sq_field *r = &t->rows[j];
            bool shape = node->kind == SQ_NODE_LIST ? r->type == SQ_LIST : r->type != SQ_LIST;
            if ((r->flags & SQ_F_STAR) != 0 && !is_later(r) && shape) {
                star = (struct star){ r, kind };
                found++;
            }
        }
    }
    return found == 1 ? star : (struct star){ 0 };
}

/* A bare word that could name a kind or preset. */
static bool is_word(const struct sq_node *node)
{
    static const char *const reserved[] = { "none", "unlimited", "null", "true", "false" };
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (node->kind != SQ_NODE_SCALAR || node->text[0] == '\0' ||
        strchr(letters, node->text[0]) == NULL) {
        return false;
    }
    for (size_t i = 0; i < SQ_COUNT(reserved); i++) {
        if (strcmp(node->text, reserved[i]) == 0) {
            return false;
        }
    }
    const char *rest = node->text;
    while (*rest != '\0' && strchr(letters, *rest) != NULL) {
        rest++;
    }
    rest += strspn(rest, "0123456789-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return *rest == '\0';
}

static const char *find_range(const struct sq_field *row, const struct sq_node *node)
{
    if (row->type != SQ_BLOCK || !((const struct sq_family *)row->more)->ranges ||
        node->kind != SQ_NODE_SCALAR) {
        return NULL;
    }
    const char *dots = strstr(node->text, "..");
    return dots != NULL && dots != node->text && dots[2] != '\0' ? dots : NULL;
}

/* Whether a scalar or list stands for a GROUP or BLOCK. */
static bool block_takes(const struct sq_field *row, const struct sq_node *node)
{
    if (row->type == SQ_GROUP && (row->flags & SQ_F_TUPLE) != 0) {
        return node->kind == SQ_NODE_LIST;
    }
    if (node->kind == SQ_NODE_SCALAR && row->type == SQ_BLOCK &&
        sq_family_find(row->more, node->text) != NULL) {
        return true;
    }
    return (sq_row_has_preset(row) && is_word(node)) || find_range(row, node) != NULL ||
           find_star(row, node).row != NULL;
}

/* Whether the node, expanded, is a value of the row's type as far as one can see. */
static bool takes(const struct sq_field *row, const struct sq_node *node)
{
    if (row->type == SQ_RAW) {
        return true;
    }
    if (node->kind == SQ_NODE_MAP) {
        return row->type == SQ_GROUP || row->type == SQ_BLOCK || row->type == SQ_MAP;
    }
    if (sq_node_is_null(node)) {
        return false;
    }
    if (sq_leaf_is(row)) {
        union sq_leaf unused;
        return node->kind == SQ_NODE_SCALAR && sq_leaf_read(row, node, &unused) == NULL;
    }
    if (sq_node_is_word(node, "none") && sq_row_takes_none(row)) {
        return true;
    }
    if (row->type == SQ_GROUP || row->type == SQ_BLOCK) {
        return block_takes(row, node);
    }
    if (row->type == SQ_MAP) {
        return false;
    }
    if (node->kind == SQ_NODE_SCALAR) {
        return (row->flags & SQ_F_ONE) != 0 && takes(row->more, node);
    }
    for (size_t i = 0; i < node->count; i++) {
        if (!takes(row->more, node->items[i])) {
            return false;
        }
    }
    return true;
}

/* Adds a key that stands where `where` is. */
static void add(struct sq_walk *w, struct sq_node *map, const char *key, struct sq_where where,
                struct sq_node *value)
{
    w->nomem |= value == NULL || sq_node_add(w->c->arena, map, key, where, value) != SQ_OK;
}

static void add_text(struct sq_walk *w, struct sq_node *map, const char *key, struct sq_where where,
                     const char *text)
{
    add(w, map, key, where, sq_node_scalar(w->c->arena, where, text));
}

static void fill_range(struct sq_walk *w, struct sq_node *map, const struct sq_node *node,
                       const char *dots)
{
    size_t left = (size_t)(dots - node->text);
    const char *low = sq_arena_text(w->c->arena, node->text, left);
    if (low == NULL) {
        w->nomem = true;
        return;
    }
    struct sq_where right = node->where;
    right.col += (uint32_t)left + 2 + node->quoted;
    add_text(w, map, "kind", node->where, "uniform");
    add_text(w, map, "min", node->where, low);
    add_text(w, map, "max", right, dots + 2);
}

/* The map that a scalar or list stands for, or NULL when it stands for none. */
static struct sq_node *write_out(struct sq_walk *w, const struct sq_field *row,
                                 struct sq_node *node)
{
    bool kind = row->type == SQ_BLOCK && node->kind == SQ_NODE_SCALAR &&
                sq_family_find(row->more, node->text) != NULL;
    const char *dots = kind ? NULL : find_range(row, node);
    bool named = !kind && dots == NULL && is_word(node);
    bool preset = named && sq_row_has_preset(row);
    struct star star = { 0 };
    if (!kind && dots == NULL && !preset) {
        star = find_star(row, node);
        kind = star.row == NULL && named && row->type == SQ_BLOCK; /* an unknown kind */
        star = star.row != NULL || kind ? star : only_star(row, node);
        if (!kind && star.row == NULL) {
            return NULL;
        }
    }
    struct sq_node *map = sq_node_new(w->c->arena, SQ_NODE_MAP, node->where);
    if (map == NULL) {
        w->nomem = true;
        return NULL;
    }
    map->filled = node->filled;
    if (dots != NULL) {
        fill_range(w, map, node, dots);
    } else if (kind || preset) {
        add(w, map, kind ? "kind" : "preset", node->where, node);
    } else {
        if (star.kind != NULL) {
            add_text(w, map, "kind", node->where, star.kind->name);
        }
        add(w, map, star.row->key, node->where, node);
    }
    return map;
}

/* The row for a key of a block whose map names no kind: the first, the default kind's before the
 * others, that takes the value; failing that, the first. */
static const struct sq_field *row_by_value(const struct sq_field *row, const struct sq_node *map,
                                           size_t i)
{
    const struct sq_field *first = sq_row_child(row, map, map->keys[i]);
    if (first == NULL || row->type != SQ_BLOCK || sq_node_get(map, "kind") != NULL ||
        takes(first, map->items[i])) {
        return first;
    }
    const struct sq_family *f = row->more;
    for (size_t k = 0; k < f->kind_count; k++) {
        const struct sq_field *r = sq_table_find(&sq_family_kind(f, k)->table, map->keys[i]);
        if (r != NULL && !is_later(r) && takes(r, map->items[i])) {
            return r;
        }
    }
    return first;
}

static void expand_inside(struct sq_walk *w, const struct sq_field *row, struct sq_node *node)
{
    for (size_t i = 0; i < node->count; i++) {
        const struct sq_field *child =
            node->kind == SQ_NODE_MAP ? row_by_value(row, node, i) : sq_row_item(row, i);
        if (child != NULL) {
            sq_walk_expand(w, child, &node->items[i]);
        }
    }
}

void sq_walk_expand(struct sq_walk *w, const struct sq_field *row, struct sq_node **slot)
{
    struct sq_node *node = *slot;
    if (sq_leaf_is(row) || row->type == SQ_RAW || is_later(row) || sq_node_is_null(node)) {
        return;
    }
    bool block = row->type == SQ_BLOCK || (row->type == SQ_GROUP && (row->flags & SQ_F_TUPLE) == 0);
    bool none = sq_node_is_word(node, "none") && sq_row_takes_none(row) &&
                !(row->type == SQ_BLOCK && sq_family_find(row->more, "none") != NULL);
    struct sq_node *longer = NULL;
    if (none) {
        return;
    }
    if (block && node->kind != SQ_NODE_MAP) {
        longer = write_out(w, row, node);
    } else if (row->type == SQ_LIST && node->kind == SQ_NODE_SCALAR &&
               (row->flags & SQ_F_ONE) != 0) {
        longer = sq_node_new(w->c->arena, SQ_NODE_LIST, node->where);
        w->nomem |= longer == NULL || sq_node_push(w->c->arena, longer, node) != SQ_OK;
    }
    if (w->nomem) {
        return;
    }
    if (longer != NULL) {
        longer->filled = node->filled;
        *slot = node = longer;
    }
    expand_inside(w, row, node);
}

bool sq_walk_is_map(struct sq_walk *w, struct sq_node *node, const struct sq_path *path)
{
    if (node->kind != SQ_NODE_MAP && !node->bad) {
        node->bad = true;
        (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path), NULL,
                            "expects a map of keys");
    }
    return node->kind == SQ_NODE_MAP;
}

enum sq_status sq_conf_expand(const struct sq_conf *c, struct sq_node *node,
                              const struct sq_table *table, const char *path)
{
    struct sq_walk w = sq_walk_start(c);
    struct sq_field root = sq_row_root(table);
    if (sq_walk_is_map(&w, node, &(struct sq_path){ NULL, path, 0 })) {
        expand_inside(&w, &root, node);
    }
    return sq_walk_end(&w);
}
