/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_conf_find.c - the amount that a path names, for studies that vary it. */
#include "sim/conf/sq_conf_in.h"

#include "sim/base/sq_limits.h"

#include <string.h>

/* Where the walk along the path stands. */
struct spot {
    const struct sq_field *row;
    const struct sq_node *node; /* NULL: not there */
    struct sq_buf path;         /* so far */
};

struct search {
    struct sq_walk w;
    struct sq_where where;
    struct sq_field root;
    const char *path; /* as it was asked for */
};

static bool complain(struct search *s, const char *hint, const char *problem, const char *name)
{
    (void)sq_diag_error(s->w.c->diag, s->where, s->path, hint, "`%s` %s", name, problem);
    return false;
}

static void add_step(struct spot *at, const char *key)
{
    sq_buf_puts(&at->path, at->path.len > 0 ? "." : "");
    sq_buf_puts(&at->path, key);
}

static bool step_list(struct search *s, struct spot *at, const char *key)
{
    size_t i = 0, count = at->node != NULL && at->node->kind == SQ_NODE_LIST ? at->node->count : 0;
    if (!sq_is_index(key, &i) || i >= count) {
        return complain(s, count > 0 ? "elements are numbered from 0" : "the list is empty",
                        "is not an element of the list", key);
    }
    at->row = sq_row_item(at->row, i);
    at->node = at->node->items[i];
    return true;
}

/* An element with a key that must be written cannot come from one amount. */
static bool is_whole_entity(const struct sq_field *element)
{
    const struct sq_table *t = element->type == SQ_GROUP ? element->more : NULL;
    for (size_t i = 0; t != NULL && i < t->row_count; i++) {
        if (t->rows[i].dflt == NULL && (t->rows[i].flags & SQ_F_OPTIONAL) == 0) {
            return true;
        }
    }
    return false;
}

static bool step_map(struct search *s, struct spot *at, const char *key)
{
    const struct sq_node *map = at->node;
    bool there = map != NULL && map->kind == SQ_NODE_MAP;
    const struct sq_node *node = there ? sq_node_get(map, key) : NULL;
    if (node == NULL && is_whole_entity(at->row->more)) {
        const char *const *names = there ? (const char *const *)map->keys : NULL;
        return complain(s, sq_walk_closest(&s->w, key, names, there ? map->count : 0),
                        "does not exist", key);
    }
    at->row = at->row->more;
    at->node = node;
    return true;
}

static bool step_key(struct search *s, struct spot *at, const char *key)
{
    static const struct sq_node empty = { .kind = SQ_NODE_MAP };
    const struct sq_node *map =
        at->node != NULL && at->node->kind == SQ_NODE_MAP ? at->node : &empty;
    const struct sq_kind *kind =
        at->row->type == SQ_BLOCK && map != &empty ? sq_row_kind(at->row->more, map) : NULL;
    const struct sq_field *row = sq_row_child(at->row, map, key);
    if (row == NULL) {
        size_t count = 0;
        const char *const *keys = sq_walk_keys(&s->w, at->row, kind, &count);
        return complain(s, sq_walk_closest(&s->w, key, keys, count),
                        kind != NULL ? "is not a key of this kind" : "is not a key here", key);
    }
    at->row = row;
    at->node = sq_node_get(map, key);
    return true;
}

static bool step(struct search *s, struct spot *at, const char *key)
{
    if ((at->row->flags & SQ_F_LATER) != 0) {
        return complain(s, NULL, "is not supported yet", at->row->key);
    }
    bool keyed = at->row->type == SQ_GROUP || at->row->type == SQ_BLOCK;
    bool tuple = (at->row->flags & SQ_F_TUPLE) != 0 || at->row->type == SQ_LIST;
    bool ok = false;
    if (tuple) {
        ok = step_list(s, at, key);
    } else if (at->row->type == SQ_MAP) {
        ok = step_map(s, at, key);
    } else if (keyed) {
        ok = step_key(s, at, key);
    } else {
        return complain(s, NULL, "has nothing below it", at->row->key);
    }
    if (ok) {
        add_step(at, key);
    }
    return ok;
}

/* The marked key of a table that is no list. */
static const char *star_of(const struct sq_table *t)
{
    for (size_t i = 0; t != NULL && i < t->row_count; i++) {
        if ((t->rows[i].flags & SQ_F_STAR) != 0 && t->rows[i].type != SQ_LIST) {
            return t->rows[i].key;
        }
    }
    return NULL;
}

/* A block stands for its marked row, as it does in a file; one that is not there for that of its
 * default kind. */
static bool settle(struct search *s, struct spot *at)
{
    static const struct sq_node empty = { .kind = SQ_NODE_MAP };
    while ((at->row->type == SQ_GROUP && (at->row->flags & SQ_F_TUPLE) == 0) ||
           at->row->type == SQ_BLOCK) {
        bool there = at->node != NULL && at->node->kind == SQ_NODE_MAP;
        const char *star = star_of(sq_row_table(at->row, there ? at->node : &empty));
        if (star == NULL) {
            return complain(s, NULL, "is a block: name a key in it", s->path);
        }
        if (!step(s, at, star)) {
            return false;
        }
    }
    return true;
}

static bool is_amount(const struct sq_field *row)
{
    switch ((int)row->type) {
    case SQ_TIME:
    case SQ_RATE:
    case SQ_RATIO:
    case SQ_AMOUNT:
    case SQ_SIZE:
    case SQ_NUMBER:
        return true;
    default:
        return false;
    }
}

/* The keys of the path: "a.b.0.c"; "a.b[0].c" as messages write it will do. */
static bool walk(struct search *s, struct spot *at)
{
    const char *text = s->path;
    for (size_t from = 0, n; from <= strlen(text); from += n + 1) {
        n = strcspn(text + from, ".[");
        size_t len = n > 0 && text[from + n - 1] == ']' ? n - 1 : n;
        char *key = sq_arena_text(s->w.c->arena, text + from, len);
        if (key == NULL) {
            s->w.nomem = true;
            return false;
        }
        if (len == 0) {
            (void)sq_diag_error(s->w.c->diag, s->where, NULL,
                                "keys are joined by dots, for example workers.pool.slots",
                                "a key is missing in `%s`", text);
            return false;
        }
        if (!step(s, at, key)) {
            return false;
        }
    }
    return settle(s, at);
}

enum sq_status sq_conf_find(const struct sq_conf *c, const struct sq_node *tree,
                            const struct sq_table *table, const char *path, struct sq_where where,
                            struct sq_amount *out)
{
    struct search s = {
        .w = sq_walk_start(c), .where = where, .root = sq_row_root(table), .path = path
    };
    struct spot at = { .row = &s.root, .node = tree };
    if (walk(&s, &at) && !is_amount(at.row)) {
        (void)complain(&s, "a count, duration, rate, ratio, size or number is", "is no amount",
                       path);
    }
    enum sq_status status = sq_walk_end(&s.w);
    if (status == SQ_OK) {
        char *full = at.path.failed ? NULL : sq_arena_text(c->arena, at.path.text, at.path.len);
        *out = (struct sq_amount){ at.row, full, at.node };
        status = full != NULL ? SQ_OK : SQ_NOMEM;
    }
    sq_buf_fini(&at.path);
    return status;
}
