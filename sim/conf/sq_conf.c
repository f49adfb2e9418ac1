/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_conf.c - what the steps from tree to struct share: paths, hints, and which row rules where. */
#include "sim/conf/sq_conf_in.h"

#include "sim/base/sq_limits.h"

#include <string.h>

struct sq_walk sq_walk_start(const struct sq_conf *c)
{
    SQ_ASSERT(c->arena != NULL);
    SQ_ASSERT(c->diag != NULL);
    return (struct sq_walk){ .c = c, .errors_before = c->diag->errors };
}

enum sq_status sq_walk_end(const struct sq_walk *w)
{
    if (w->nomem || w->c->diag->failed) {
        return SQ_NOMEM;
    }
    return w->c->diag->errors > w->errors_before || w->skipped > 0 ? SQ_USER : SQ_OK;
}

static void put_path(struct sq_buf *out, const struct sq_path *path)
{
    if (path == NULL) {
        return;
    }
    put_path(out, path->up);
    if (path->key == NULL && path->up != NULL) {
        sq_buf_printf(out, "[%zu]", path->index);
    } else if (path->key != NULL && path->key[0] != '\0') {
        sq_buf_puts(out, out->len > 0 ? "." : "");
        sq_buf_puts(out, path->key);
    }
}

/* The buffer's text in the arena; the buffer is gone. NULL when empty or out of memory. */
static const char *keep_text(struct sq_walk *w, struct sq_buf *b)
{
    const char *text =
        b->len > 0 && !b->failed ? sq_arena_text(w->c->arena, b->text, b->len) : NULL;
    w->nomem |= b->failed || (b->len > 0 && text == NULL);
    sq_buf_fini(b);
    return text;
}

const char *sq_walk_at(struct sq_walk *w, const struct sq_path *path)
{
    struct sq_buf b = { 0 };
    put_path(&b, path);
    return keep_text(w, &b);
}

const char *sq_walk_names(struct sq_walk *w, const char *before, const char *const *names,
                          size_t count)
{
    struct sq_buf b = { 0 };
    for (size_t i = 0; i < count; i++) {
        sq_buf_puts(&b, i == 0 ? before : ", ");
        sq_buf_puts(&b, names[i]);
    }
    return keep_text(w, &b);
}

const char *sq_walk_closest(struct sq_walk *w, const char *word, const char *const *names,
                            size_t count)
{
    const char *near = names != NULL ? sq_diag_closest(word, names, count) : NULL;
    if (near == NULL) {
        return NULL;
    }
    const char *hint = sq_arena_printf(w->c->arena, "did you mean `%s`?", near);
    w->nomem |= hint == NULL;
    return hint;
}

static void collect_keys(const struct sq_table *t, const char **names, size_t *count)
{
    for (size_t i = 0; i < t->row_count; i++) {
        bool known = false;
        for (size_t j = 0; j < *count && !known; j++) {
            known = strcmp(names[j], t->rows[i].key) == 0;
        }
        if (!known) {
            names[(*count)++] = t->rows[i].key;
        }
    }
}

const char *const *sq_walk_keys(struct sq_walk *w, const struct sq_field *row,
                                const struct sq_kind *kind, size_t *count)
{
    const struct sq_family *f = row->type == SQ_BLOCK ? row->more : NULL;
    SQ_ASSERT(row->type != SQ_BLOCK || f != NULL);
    size_t most = 2, n = 0;
    for (size_t i = 0; f != NULL && i < f->kind_count; i++) {
        most += sq_family_kind(f, i)->table.row_count;
    }
    most += row->type == SQ_GROUP ? ((const struct sq_table *)row->more)->row_count : 0;
    const char **names = sq_arena_alloc(w->c->arena, most, sizeof(char *));
    *count = 0;
    if (names == NULL) {
        w->nomem = true;
        return NULL;
    }
    if (f != NULL) {
        names[n++] = "kind";
    }
    if (sq_row_has_preset(row)) {
        names[n++] = "preset";
    }
    if (row->type == SQ_GROUP) {
        collect_keys(row->more, names, &n);
    }
    for (size_t i = 0; f != NULL && i < f->kind_count; i++) {
        if (kind == NULL || kind == sq_family_kind(f, i)) {
            collect_keys(&sq_family_kind(f, i)->table, names, &n);
        }
    }
    *count = n;
    return names;
}

const char *const *sq_walk_kinds(struct sq_walk *w, const struct sq_family *f, size_t *count)
{
    const char **names = sq_arena_alloc(w->c->arena, f->kind_count + 1, sizeof(char *));
    *count = 0;
    if (names == NULL) {
        w->nomem = true;
        return NULL;
    }
    for (size_t i = 0; i < f->kind_count; i++) {
        names[i] = sq_family_kind(f, i)->name;
    }
    *count = f->kind_count;
    return names;
}

struct sq_field sq_row_root(const struct sq_table *table)
{
    return (struct sq_field){ .key = "", .type = SQ_GROUP, .more = table };
}

bool sq_row_has_preset(const struct sq_field *row)
{
    if (row->type == SQ_GROUP) {
        return ((const struct sq_table *)row->more)->has_preset;
    }
    return row->type == SQ_BLOCK && ((const struct sq_family *)row->more)->has_preset;
}

const char *sq_row_preset_type(const struct sq_field *row)
{
    SQ_ASSERT(sq_row_has_preset(row));
    return row->type == SQ_GROUP ? ((const struct sq_table *)row->more)->type
                                 : ((const struct sq_family *)row->more)->type;
}

const struct sq_kind *sq_row_kind(const struct sq_family *f, const struct sq_node *map)
{
    const struct sq_node *word = sq_node_get(map, "kind");
    if (word == NULL || sq_node_is_null(word)) {
        return f->dflt_kind != NULL ? sq_family_find(f, f->dflt_kind) : NULL;
    }
    return word->kind == SQ_NODE_SCALAR ? sq_family_find(f, word->text) : NULL;
}

const struct sq_table *sq_row_table(const struct sq_field *row, const struct sq_node *map)
{
    if (row != NULL && row->type == SQ_GROUP) {
        return row->more;
    }
    const struct sq_kind *kind =
        row != NULL && row->type == SQ_BLOCK ? sq_row_kind(row->more, map) : NULL;
    return kind != NULL ? &kind->table : NULL;
}

const struct sq_field *sq_row_child(const struct sq_field *row, const struct sq_node *map,
                                    const char *key)
{
    if (row == NULL || (row->flags & SQ_F_LATER) != 0) {
        return NULL;
    }
    if (row->type == SQ_MAP) {
        return row->more;
    }
    const struct sq_table *table = sq_row_table(row, map);
    const struct sq_field *child = table != NULL ? sq_table_find(table, key) : NULL;
    if (child != NULL || row->type != SQ_BLOCK || sq_node_get(map, "kind") != NULL) {
        return child;
    }
    const struct sq_family *f = row->more;
    for (size_t i = 0; i < f->kind_count && child == NULL; i++) {
        child = sq_table_find(&sq_family_kind(f, i)->table, key);
    }
    return child;
}

const struct sq_field *sq_row_item(const struct sq_field *row, size_t i)
{
    if (row != NULL && row->type == SQ_LIST) {
        return row->more;
    }
    if (row == NULL || row->type != SQ_GROUP || (row->flags & SQ_F_TUPLE) == 0) {
        return NULL;
    }
    const struct sq_table *table = row->more;
    return i < table->row_count ? &table->rows[i] : NULL;
}

bool sq_node_is_word(const struct sq_node *n, const char *word)
{
    return n->kind == SQ_NODE_SCALAR && strcmp(n->text, word) == 0;
}

bool sq_row_takes_none(const struct sq_field *row)
{
    bool block = row->type == SQ_GROUP || row->type == SQ_BLOCK;
    return (row->flags & (block ? SQ_F_NONE | SQ_F_OPTIONAL : SQ_F_NONE)) != 0;
}

bool sq_is_name(const char *s)
{
    size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return s[0] >= 'a' && s[0] <= 'z' && s[len] == '\0' && len <= SQ_MAX_NAME;
}

bool sq_is_index(const char *s, size_t *out)
{
    size_t len = strspn(s, "0123456789"), value = 0;
    if (len == 0 || s[len] != '\0' || len > 9) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        value = value * 10 + (size_t)(s[i] - '0');
    }
    *out = value;
    return true;
}
