/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_conf_set.c - one PATH=VALUE as an overlay.
 *
 * Lists are replaced by merging, so an index is not part of the overlay: it leads into the base,
 * and the keys behind it are an overlay of that element. */
#include "sim/conf/sq_conf_in.h"

#include "sim/base/sq_limits.h"

#include <string.h>

static const char file[] = "--set";

struct step {
    const char *text;
    struct sq_where where;
};

struct assignment {
    struct step steps[SQ_MAX_YAML_DEPTH];
    size_t count;
    struct sq_node *value;
};

static struct sq_where at_column(size_t offset)
{
    return (struct sq_where){ file, 1, (uint32_t)offset + 1 };
}

/* The keys of the path: "a.b.0.c"; "a.b[0].c" as messages write it will do. */
static bool split_path(struct sq_walk *w, const char *path, size_t len, struct assignment *a)
{
    size_t from = 0;
    while (from <= len) {
        size_t n = 0;
        while (from + n < len && strchr(".[", path[from + n]) == NULL) {
            n++;
        }
        size_t next = from + n + 1;
        size_t text_len = n > 0 && path[from + n - 1] == ']' ? n - 1 : n;
        if (text_len == 0 || a->count == SQ_COUNT(a->steps)) {
            (void)sq_diag_error(w->c->diag, at_column(from), NULL,
                                "write PATH=VALUE, for example workers.pool.slots=4", "%s",
                                text_len == 0 ? "a key is missing here" : "the path is too long");
            return false;
        }
        const char *text = sq_arena_text(w->c->arena, path + from, text_len);
        if (text == NULL) {
            w->nomem = true;
            return false;
        }
        a->steps[a->count++] = (struct step){ text, at_column(from) };
        from = next;
    }
    return true;
}

/* VALUE. Spaces stand in for the path, so that places count from the start of the whole text; but
 * not before several lines, whose indentation means something. */
static bool read_value(struct sq_walk *w, const char *text, size_t value_at, struct assignment *a)
{
    const char *value = text + value_at;
    if (value[strspn(value, " \t")] == '\0') {
        (void)sq_diag_error(w->c->diag, at_column(value_at), NULL,
                            "to remove a key write PATH=null", "a value is missing after the `=`");
        return false;
    }
    struct sq_buf padded = { 0 };
    for (size_t i = 0; i < value_at && strchr(value, '\n') == NULL; i++) {
        sq_buf_putc(&padded, ' ');
    }
    sq_buf_puts(&padded, value);
    enum sq_status st = padded.failed ? SQ_NOMEM
                                      : sq_doc_parse(file, padded.text, padded.len, w->c->arena,
                                                     w->c->diag, &a->value);
    w->nomem |= st == SQ_NOMEM;
    sq_buf_fini(&padded);
    return st == SQ_OK;
}

/* Where the walk along the path stands. */
struct spot {
    struct sq_field root;
    const struct sq_field *row; /* NULL: no table tells */
    struct sq_node *node;       /* of the base; NULL: not there yet */
    struct sq_node *list; /* the list that `node` is an element of, when the step before was */
    size_t index;         /* an index */
};

static bool step_index(struct sq_walk *w, struct spot *s, const struct step *step,
                       const struct sq_path *path)
{
    size_t index = 0;
    struct sq_node *list = s->node;
    if (!sq_is_index(step->text, &index)) {
        (void)sq_diag_error(w->c->diag, step->where, sq_walk_at(w, path),
                            "a number from 0 on names an element of it",
                            "this is a list, `%s` cannot stand here", step->text);
        return false;
    }
    if (index >= list->count) {
        (void)sq_diag_error(w->c->diag, step->where, sq_walk_at(w, path),
                            "the first element has the number 0",
                            "the list has %zu element%s, there is no number %zu", list->count,
                            list->count == 1 ? "" : "s", index);
        return false;
    }
    s->row = sq_row_item(s->row, index);
    s->list = list;
    s->index = index;
    s->node = list->items[index];
    return true;
}

static bool is_in(const char *word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static bool step_key(struct sq_walk *w, struct spot *s, const struct step *step,
                     const struct sq_path *path)
{
    static const struct sq_node empty = { .kind = SQ_NODE_MAP };
    const struct sq_node *map = s->node != NULL && s->node->kind == SQ_NODE_MAP ? s->node : &empty;
    const struct sq_field *row = s->row;
    bool keyed = row != NULL && (row->type == SQ_GROUP || row->type == SQ_BLOCK) &&
                 (row->flags & SQ_F_LATER) == 0;
    if (row != NULL && sq_leaf_is(row)) {
        (void)sq_diag_error(w->c->diag, step->where, sq_walk_at(w, path), NULL,
                            "there is nothing below `%s`, which is %s", row->key,
                            sq_leaf_wanted(row));
        return false;
    }
    if (row != NULL && row->type == SQ_LIST) {
        (void)sq_diag_error(w->c->diag, step->where, sq_walk_at(w, path), NULL,
                            "`%s` has no elements yet", row->key);
        return false;
    }
    size_t count = 0;
    const char *const *keys = keyed ? sq_walk_keys(w, row, NULL, &count) : NULL;
    if (keyed && keys != NULL && !is_in(step->text, keys, count)) {
        (void)sq_diag_error(w->c->diag, step->where, sq_walk_at(w, path),
                            sq_walk_closest(w, step->text, keys, count), "unknown key `%s`",
                            step->text);
        return false;
    }
    s->row = sq_row_child(row, map, step->text);
    s->list = NULL;
    s->node = sq_node_get(map, step->text);
    return true;
}

/* Wraps the value into maps, one per step from `first` on. */
static struct sq_node *make_overlay(struct sq_walk *w, const struct assignment *a, size_t first)
{
    struct sq_node *node = a->value;
    for (size_t i = a->count; i > first && node != NULL; i--) {
        struct sq_node *map = sq_node_new(w->c->arena, SQ_NODE_MAP, a->steps[i - 1].where);
        if (map == NULL || sq_node_add(w->c->arena, map, a->steps[i - 1].text,
                                       a->steps[i - 1].where, node) != SQ_OK) {
            map = NULL;
        }
        node = map;
    }
    w->nomem |= node == NULL;
    return node;
}

/* Puts the overlay into an element of a list. */
static void set_element(struct sq_walk *w, const struct spot *s, struct sq_node *over,
                        const struct sq_path *path)
{
    struct sq_node *old = s->list->items[s->index];
    if (sq_node_is_null(over)) {
        memmove(&s->list->items[s->index], &s->list->items[s->index + 1],
                (s->list->count - s->index - 1) * sizeof(struct sq_node *));
        s->list->count--;
        return;
    }
    if (s->row != NULL) {
        sq_walk_expand(w, s->row, &over);
    }
    if (!w->nomem && old->kind == SQ_NODE_MAP && over->kind == SQ_NODE_MAP) {
        sq_walk_merge(w, s->row, old, over, path);
    } else {
        s->list->items[s->index] = over;
    }
}

/* Walks the path to its last index, checking every key, and applies what is behind it there. */
static void apply(struct sq_walk *w, struct sq_node *base, const struct sq_table *table,
                  const struct assignment *a)
{
    struct spot here = { .root = sq_row_root(table), .node = base }, last = { 0 };
    struct sq_path links[SQ_MAX_YAML_DEPTH + 1] = { { NULL, NULL, 0 } };
    size_t first = 0;
    here.row = &here.root;
    for (size_t i = 0; i < a->count && !w->nomem; i++) {
        const struct step *step = &a->steps[i];
        bool list = here.node != NULL && here.node->kind == SQ_NODE_LIST;
        links[i + 1] = (struct sq_path){ &links[i], step->text, 0 };
        if (!(list ? step_index(w, &here, step, &links[i + 1])
                   : step_key(w, &here, step, &links[i + 1]))) {
            return;
        }
        if (list) {
            links[i + 1] = (struct sq_path){ &links[i], NULL, here.index };
            last = here;
            first = i + 1;
        }
    }
    struct sq_node *over = make_overlay(w, a, first);
    if (over == NULL || w->nomem) {
        return;
    }
    if (first > 0) {
        set_element(w, &last, over, &links[first]);
        return;
    }
    struct sq_node *root = over;
    sq_walk_expand(w, &here.root, &root);
    if (!w->nomem) {
        sq_walk_merge(w, &here.root, base, root, &links[0]);
    }
}

enum sq_status sq_conf_set(const struct sq_conf *c, struct sq_node *base, const char *assignment,
                           const struct sq_table *table)
{
    struct sq_walk w = sq_walk_start(c);
    struct assignment a = { .count = 0 };
    const char *equals = strchr(assignment, '=');
    if (equals == NULL) {
        return sq_diag_error(c->diag, at_column(0), NULL,
                             "write PATH=VALUE, for example workers.pool.slots=4",
                             "there is no `=` in `%s`", assignment);
    }
    size_t len = (size_t)(equals - assignment);
    if (split_path(&w, assignment, len, &a) && read_value(&w, assignment, len + 1, &a)) {
        apply(&w, base, table, &a);
    }
    return sq_walk_end(&w);
}
