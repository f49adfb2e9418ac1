/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_conf_bind.c - a filled tree into structs, with every check that a row can state. */
#include "sim/conf/sq_conf_in.h"

#include "sim/base/sq_limits.h"

#include <string.h>

static void note(struct sq_walk *w, const struct sq_node *node, const struct sq_path *path,
                 const char *text)
{
    (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path), NULL, "%s", text);
}

static void *take(struct sq_walk *w, size_t count, size_t size)
{
    void *p = sq_arena_alloc(w->c->arena, count > 0 ? count : 1, size);
    w->nomem |= p == NULL;
    return p;
}

/* ---- scalars ---- */

static const char *truth_hint(const char *text)
{
    static const char *const yes[] = { "yes", "on", "y", "True", "TRUE", "Yes", "YES", "On", "ON" };
    static const char *const no[] = {
        "no", "off", "n", "False", "FALSE", "No", "NO", "Off", "OFF"
    };
    for (size_t i = 0; i < SQ_COUNT(yes); i++) {
        if (strcmp(text, yes[i]) == 0) {
            return "write true";
        }
        if (strcmp(text, no[i]) == 0) {
            return "write false";
        }
    }
    return NULL;
}

static void note_choice(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                        const struct sq_path *path)
{
    const char *const *words = row->more;
    size_t count = 0;
    while (words[count] != NULL) {
        count++;
    }
    const char *all = sq_walk_names(w, "", words, count);
    (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path),
                        sq_walk_closest(w, node->text, words, count), "`%s` is not one of: %s",
                        node->text, all != NULL ? all : "");
}

static void note_leaf(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                      const struct sq_path *path, const char *problem)
{
    const char *text = node->text;
    if (row->type == SQ_CHOICE) {
        note_choice(w, row, node, path);
        return;
    }
    bool special = strcmp(text, "none") == 0 || strcmp(text, "unlimited") == 0;
    const char *hint = row->type == SQ_BOOL  ? truth_hint(text)
                       : row->type == SQ_REF ? "names have lower-case letters, digits and `-`"
                                             : NULL;
    if (special && row->type != SQ_REF && row->type != SQ_BOOL) {
        (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path), NULL,
                            "`%s` cannot stand here; expects %s", text, sq_leaf_wanted(row));
        return;
    }
    (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path), hint, "`%s` %s", text,
                        problem);
}

static void bind_leaf(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                      const struct sq_path *path, void *at)
{
    if (node->kind != SQ_NODE_SCALAR) {
        (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path), NULL,
                            "expects %s, not a %s", sq_leaf_wanted(row),
                            node->kind == SQ_NODE_MAP ? "map" : "list");
        return;
    }
    union sq_leaf value = { .whole = 0 };
    const char *problem = sq_leaf_read(row, node, &value);
    if (problem != NULL) {
        note_leaf(w, row, node, path, problem);
    } else if (sq_leaf_check(w, row, node, &value, path)) {
        sq_leaf_store(row, &value, node->where, at);
    }
}

/* ---- maps of keys ---- */

/* Where a map of keys is bound: its row, its kind when it is a block, its table. */
struct target {
    const struct sq_field *row;
    const struct sq_kind *kind;
    const struct sq_table *table;
};

/* "fixed, linear": the kinds that have the key; NULL when none has. */
static const char *kinds_with(struct sq_walk *w, const struct sq_family *f, const char *key,
                              size_t *count)
{
    const char **names = take(w, f->kind_count, sizeof(char *));
    *count = 0;
    for (size_t i = 0; names != NULL && i < f->kind_count; i++) {
        const struct sq_kind *kind = sq_family_kind(f, i);
        if (sq_table_find(&kind->table, key) != NULL) {
            names[(*count)++] = kind->name;
        }
    }
    return names != NULL ? sq_walk_names(w, "", names, *count) : NULL;
}

static void note_unknown(struct sq_walk *w, const struct target *t, const struct sq_node *map,
                         size_t i, const struct sq_path *path)
{
    const char *key = map->keys[i], *at = sq_walk_at(w, path);
    size_t count = 0;
    if (t->kind != NULL) {
        const struct sq_family *f = t->row->more;
        const char *owners = kinds_with(w, f, key, &count);
        if (owners != NULL) {
            (void)sq_diag_error(w->c->diag, map->key_where[i], at, NULL,
                                "`%s` belongs to %s kind%s %s, not %s", key, f->type,
                                count > 1 ? "s" : "", owners, t->kind->name);
            return;
        }
    }
    const char *const *keys = sq_walk_keys(w, t->row, t->kind, &count);
    const char *hint = sq_walk_closest(w, key, keys, count);
    if (hint == NULL && count <= 12) {
        hint = sq_walk_names(w, "keys: ", keys, count);
    }
    (void)sq_diag_error(w->c->diag, map->key_where[i], at, hint, "unknown key `%s`", key);
}

static void bind_key(struct sq_walk *w, const struct target *t, const struct sq_node *map, size_t i,
                     const struct sq_path *path, char *out)
{
    const char *key = map->keys[i];
    const struct sq_field *row = sq_table_find(t->table, key);
    if (row == NULL) {
        bool ours = (t->kind != NULL && strcmp(key, "kind") == 0) ||
                    (sq_row_has_preset(t->row) && strcmp(key, "preset") == 0);
        if (!ours) {
            note_unknown(w, t, map, i, path);
        }
        return;
    }
    if ((row->flags & SQ_F_LATER) != 0) {
        if (!map->items[i]->filled) {
            (void)sq_diag_error(w->c->diag, map->key_where[i], sq_walk_at(w, path), NULL,
                                "`%s` is not supported yet", key);
        }
        return;
    }
    sq_walk_bind(w, row, map->items[i], path, out + row->off);
}

/* Complains about a second one of the rows that displace each other. */
static void check_alternatives(struct sq_walk *w, const struct sq_table *t,
                               const struct sq_node *map, const struct sq_path *path)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct sq_field *row = sq_table_find(t, map->keys[i]);
        for (size_t j = 0; row != NULL && row->alt > 0 && j < i; j++) {
            const struct sq_field *other = sq_table_find(t, map->keys[j]);
            if (other != NULL && other->alt == row->alt) {
                (void)sq_diag_error(w->c->diag, map->key_where[i], sq_walk_at(w, path), NULL,
                                    "`%s` and `%s` exclude each other", other->key, row->key);
                break;
            }
        }
    }
}

/* The rows of the same `alt` that come first in the table speak for all. */
static void check_required(struct sq_walk *w, const struct target *t, const struct sq_node *map,
                           size_t i, const struct sq_path *path)
{
    const struct sq_field *row = &t->table->rows[i];
    const char **names = take(w, t->table->row_count, sizeof(char *));
    size_t count = 0;
    for (size_t j = 0; names != NULL && j < t->table->row_count; j++) {
        const struct sq_field *other = &t->table->rows[j];
        if (j != i && (row->alt == 0 || other->alt != row->alt)) {
            continue;
        }
        bool optional = other->dflt != NULL || (other->flags & SQ_F_OPTIONAL) != 0;
        if (j < i || optional || sq_node_get(map, other->key) != NULL) {
            return;
        }
        names[count++] = other->key;
    }
    const char *all = count > 1 ? sq_walk_names(w, "", names, count) : row->key;
    (void)sq_diag_error(w->c->diag, map->where, sq_walk_at(w, path), count > 1 ? NULL : row->doc,
                        count > 1 ? "one of these keys is required: %s"
                                  : "the required key `%s` is missing",
                        all != NULL ? all : "");
}

static void bind_table(struct sq_walk *w, const struct target *t, const struct sq_node *map,
                       const struct sq_path *path, void *out)
{
    size_t errors = w->c->diag->errors, skipped = w->skipped;
    for (size_t i = 0; i < t->table->row_count && !w->nomem; i++) {
        const struct sq_field *row = &t->table->rows[i];
        if ((row->flags & SQ_F_LATER) == 0) {
            sq_leaf_absent(row, (char *)out + row->off);
        }
    }
    for (size_t i = 0; i < map->count && !w->nomem; i++) {
        bind_key(w, t, map, i, &(struct sq_path){ path, map->keys[i], 0 }, out);
    }
    check_alternatives(w, t->table, map, path);
    for (size_t i = 0; i < t->table->row_count && !w->nomem; i++) {
        const struct sq_field *row = &t->table->rows[i];
        if (sq_node_get(map, row->key) == NULL && row->dflt == NULL &&
            (row->flags & (SQ_F_OPTIONAL | SQ_F_LATER)) == 0) {
            check_required(w, t, map, i, path);
        }
    }
    bool clean = w->c->diag->errors == errors && w->skipped == skipped && !w->nomem;
    if (t->table->check != NULL && clean) {
        t->table->check(out, map, sq_walk_at(w, path), w->c->diag);
    }
}

/* ---- groups and blocks ---- */

static void note_no_map(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                        const struct sq_path *path)
{
    size_t count = 0;
    const char *hint = NULL;
    if (row->type == SQ_BLOCK) {
        const char *const *kinds = sq_walk_kinds(w, row->more, &count);
        hint = kinds != NULL ? sq_walk_names(w, "kinds: ", kinds, count) : NULL;
    } else if (row->type == SQ_GROUP) {
        const char *const *keys = sq_walk_keys(w, row, NULL, &count);
        hint = keys != NULL ? sq_walk_names(w, "keys: ", keys, count) : NULL;
    }
    if (node->kind == SQ_NODE_SCALAR) {
        (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path), hint,
                            "expects %s, not `%s`", sq_leaf_wanted(row), node->text);
        return;
    }
    (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path), hint, "expects %s, not a %s",
                        sq_leaf_wanted(row), node->kind == SQ_NODE_LIST ? "list" : "map");
}

static void bind_tuple(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                       const struct sq_path *path, char *out)
{
    const struct sq_table *t = row->more;
    size_t errors = w->c->diag->errors, skipped = w->skipped, least = t->row_count;
    if (node->kind != SQ_NODE_LIST) {
        note_no_map(w, row, node, path);
        return;
    }
    while (least > 0 && (t->rows[least - 1].flags & SQ_F_OPTIONAL) != 0) {
        least--;
    }
    if (node->count < least || node->count > t->row_count) {
        const char **names = take(w, t->row_count, sizeof(char *));
        for (size_t i = 0; names != NULL && i < t->row_count; i++) {
            names[i] = t->rows[i].key;
        }
        const char *hint =
            names != NULL ? sq_walk_names(w, "they are: ", names, t->row_count) : NULL;
        (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path), hint,
                            "expects %zu values, not %zu", t->row_count, node->count);
        return;
    }
    for (size_t i = 0; i < t->row_count && !w->nomem; i++) {
        if (i < node->count) {
            sq_walk_bind(w, &t->rows[i], node->items[i], &(struct sq_path){ path, NULL, i },
                         out + t->rows[i].off);
        } else {
            sq_leaf_absent(&t->rows[i], out + t->rows[i].off);
        }
    }
    if (t->check != NULL && w->c->diag->errors == errors && w->skipped == skipped && !w->nomem) {
        t->check(out, node, sq_walk_at(w, path), w->c->diag);
    }
}

static void bind_group(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                       const struct sq_path *path, void *out)
{
    if ((row->flags & SQ_F_TUPLE) != 0) {
        bind_tuple(w, row, node, path, out);
    } else if (node->kind != SQ_NODE_MAP) {
        note_no_map(w, row, node, path);
    } else {
        bind_table(w, &(struct target){ row, NULL, row->more }, node, path, out);
    }
}

static void note_kind(struct sq_walk *w, const struct sq_family *f, const struct sq_node *map,
                      const struct sq_path *path)
{
    const struct sq_node *word = sq_node_get(map, "kind");
    size_t count = 0;
    const char *const *kinds = sq_walk_kinds(w, f, &count);
    const char *all = kinds != NULL ? sq_walk_names(w, "kinds: ", kinds, count) : NULL;
    if (word == NULL) {
        (void)sq_diag_error(w->c->diag, map->where, sq_walk_at(w, path), all,
                            "the required key `kind` is missing");
        return;
    }
    struct sq_path under = { path, "kind", 0 };
    if (word->kind != SQ_NODE_SCALAR || sq_node_is_null(word)) {
        (void)sq_diag_error(w->c->diag, word->where, sq_walk_at(w, &under), all,
                            "expects a kind of %s", f->type);
        return;
    }
    const char *hint = kinds != NULL ? sq_walk_closest(w, word->text, kinds, count) : NULL;
    (void)sq_diag_error(w->c->diag, word->where, sq_walk_at(w, &under), hint != NULL ? hint : all,
                        "there is no %s kind `%s`", f->type, word->text);
}

static void bind_block(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                       const struct sq_path *path, struct sq_block *out)
{
    const struct sq_family *f = row->more;
    if (node->kind != SQ_NODE_MAP) {
        note_no_map(w, row, node, path);
        return;
    }
    const struct sq_kind *kind = sq_row_kind(f, node);
    const struct sq_node *word = sq_node_get(node, "kind");
    if (kind == NULL || (word != NULL && sq_node_is_null(word))) {
        note_kind(w, f, node, path);
        return;
    }
    if (kind->later) {
        struct sq_path under = { path, "kind", 0 };
        (void)sq_diag_error(w->c->diag, word != NULL ? word->where : node->where,
                            sq_walk_at(w, &under), NULL, "%s kind `%s` is not supported yet",
                            f->type, kind->name);
        return;
    }
    void *cfg = take(w, 1, kind->table.size > 0 ? kind->table.size : 1);
    if (cfg != NULL) {
        bind_table(w, &(struct target){ row, kind, &kind->table }, node, path, cfg);
        *out = (struct sq_block){ kind, cfg, node };
    }
}

/* ---- lists and maps from names ---- */

static void bind_element(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                         const struct sq_path *path, void *at)
{
    if (row->type == SQ_GROUP && !node->bad && !sq_node_is_null(node)) {
        bind_group(w, row, node, path, at); /* in place, not behind a pointer */
    } else {
        sq_walk_bind(w, row, node, path, at);
    }
}

static void check_count(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                        const struct sq_path *path)
{
    bool open = row->min == 0 && row->max == 0;
    double n = (double)node->count;
    if (!open && n < row->min) {
        (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path), NULL,
                            "needs at least %u entries", (unsigned)row->min);
    } else if (!open && row->max >= row->min && n > row->max) {
        (void)sq_diag_error(w->c->diag, node->where, sq_walk_at(w, path), NULL,
                            "has %zu entries, at most %u are possible", node->count,
                            (unsigned)row->max);
    }
}

static void bind_list(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                      const struct sq_path *path, struct sq_list *out)
{
    const struct sq_field *item = row->more;
    if (node->kind != SQ_NODE_LIST) {
        note_no_map(w, row, node, path);
        return;
    }
    check_count(w, row, node, path);
    size_t stride = sq_field_size(item);
    char *items = take(w, node->count, stride);
    for (size_t i = 0; items != NULL && i < node->count && !w->nomem; i++) {
        bind_element(w, item, node->items[i], &(struct sq_path){ path, NULL, i },
                     items + i * stride);
    }
    *out = (struct sq_list){ node->count, items, stride };
}

static void bind_map(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                     const struct sq_path *path, struct sq_map *out)
{
    const struct sq_field *item = row->more;
    if (node->kind != SQ_NODE_MAP) {
        note_no_map(w, row, node, path);
        return;
    }
    check_count(w, row, node, path);
    size_t stride = sq_field_size(item);
    char *items = take(w, node->count, stride);
    const char **names = take(w, node->count, sizeof(char *));
    struct sq_where *where = take(w, node->count, sizeof(*where));
    for (size_t i = 0; i < node->count && !w->nomem; i++) {
        struct sq_path under = { path, node->keys[i], 0 };
        names[i] = node->keys[i];
        where[i] = node->key_where[i];
        if ((row->flags & SQ_F_ANY_KEY) == 0 && !sq_is_name(node->keys[i])) {
            (void)sq_diag_error(w->c->diag, node->key_where[i], sq_walk_at(w, &under),
                                "a name starts with a lower-case letter and goes on with these, "
                                "digits and `-`; at most 40 characters",
                                "`%s` is not a name", node->keys[i]);
        }
        bind_element(w, item, node->items[i], &under, items + i * stride);
    }
    *out = (struct sq_map){ node->count, names, where, items, stride };
}

void sq_walk_bind(struct sq_walk *w, const struct sq_field *row, const struct sq_node *node,
                  const struct sq_path *path, void *at)
{
    if (node->bad) {
        w->skipped++;
    } else if (row->type == SQ_RAW) {
        *(const struct sq_node **)at = node;
    } else if (sq_node_is_null(node)) {
        note(w, node, path,
             sq_row_takes_none(row) ? "has no value; write `none`, or remove the key"
                                    : "has no value; write one, or remove the key");
    } else if (sq_leaf_is(row)) {
        bind_leaf(w, row, node, path, at);
    } else if (sq_node_is_word(node, "none") && sq_row_takes_none(row)) {
        sq_leaf_absent(row, at);
    } else if (row->type == SQ_GROUP) {
        void *group = take(w, 1, sq_field_size(row));
        if (group != NULL) {
            bind_group(w, row, node, path, group);
            memcpy(at, &group, sizeof(group));
        }
    } else if (row->type == SQ_BLOCK) {
        bind_block(w, row, node, path, at);
    } else if (row->type == SQ_LIST) {
        bind_list(w, row, node, path, at);
    } else {
        bind_map(w, row, node, path, at);
    }
}

enum sq_status sq_conf_bind(const struct sq_conf *c, const struct sq_node *node,
                            const struct sq_table *table, const char *path, void *out)
{
    struct sq_walk w = sq_walk_start(c);
    struct sq_field root = sq_row_root(table);
    struct sq_path start = { NULL, path, 0 };
    bind_element(&w, &root, node, &start, out);
    return sq_walk_end(&w);
}
