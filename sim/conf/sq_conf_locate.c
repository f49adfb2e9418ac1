/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_conf_locate.c - `set` actions: the member that a path names, and new values for it. */
#include "sim/conf/sq_conf_in.h"

#include <string.h>

/* A place inside bound structs. */
struct seat {
    const struct sq_field *row;
    char *at;    /* the member; for GROUP the struct itself */
    bool frozen; /* inside a BLOCK whose row is not SQ_F_LIVE */
};

/* One call of sq_conf_locate. */
struct search {
    struct sq_walk w;
    struct sq_where where;
    const char *path;
};

/* Notes "`name` problem". */
static enum sq_status complain(struct search *s, const char *hint, const char *problem,
                               const char *name)
{
    return sq_diag_error(s->w.c->diag, s->where, s->path, hint, "`%s` %s", name, problem);
}

/* The struct behind a member of type GROUP. */
static char *group_behind(const char *member)
{
    char *group = NULL;
    memcpy(&group, member, sizeof(group));
    return group;
}

static bool is_none(const struct seat *seat)
{
    if (seat->row->type == SQ_BLOCK) {
        return ((const struct sq_block *)(const void *)seat->at)->kind == NULL;
    }
    return seat->at == NULL;
}

/* From a member to the seat of its row. */
static struct seat sit(const struct sq_field *row, char *member, const struct seat *parent)
{
    struct seat seat = { row, member, parent->frozen };
    if (row->type == SQ_GROUP) {
        seat.at = group_behind(member);
    }
    seat.frozen |= row->type == SQ_BLOCK && (row->flags & SQ_F_LIVE) == 0;
    return seat;
}

static enum sq_status step_table(struct search *s, struct seat *seat, const char *key)
{
    const struct sq_block *block =
        seat->row->type == SQ_BLOCK ? (const struct sq_block *)(const void *)seat->at : NULL;
    const struct sq_kind *kind = block != NULL ? block->kind : NULL;
    const struct sq_table *table = kind != NULL ? &kind->table : seat->row->more;
    char *base = block != NULL ? block->cfg : seat->at;
    if (strcmp(key, "kind") == 0 || strcmp(key, "preset") == 0) {
        if (kind != NULL || sq_row_has_preset(seat->row)) {
            return complain(s, NULL, "cannot be changed while the world runs", key);
        }
    }
    const struct sq_field *row = sq_table_find(table, key);
    if (row == NULL) {
        size_t count = 0;
        const char *const *keys = sq_walk_keys(&s->w, seat->row, kind, &count);
        return complain(s, sq_walk_closest(&s->w, key, keys, count),
                        kind != NULL ? "is not a key of this kind" : "is not a key here", key);
    }
    if ((row->flags & SQ_F_LATER) != 0) {
        return complain(s, NULL, "is not supported yet", key);
    }
    *seat = sit(row, base + row->off, seat);
    return SQ_OK;
}

static enum sq_status step_map(struct search *s, struct seat *seat, const char *key)
{
    const struct sq_map *map = (const struct sq_map *)(const void *)seat->at;
    const struct sq_field *row = seat->row->more;
    int i = sq_map_find(map, key);
    if (i < 0) {
        const char *problem = sq_arena_printf(s->w.c->arena, "is not under `%s`", seat->row->key);
        const char *close = sq_walk_closest(&s->w, key, map->names, map->count);
        s->w.nomem |= problem == NULL;
        return complain(s, close != NULL ? close : "only what exists at time 0 can be changed",
                        problem != NULL ? problem : "does not exist", key);
    }
    char *item = sq_map_at(map, (size_t)i);
    struct seat next = { row, item, seat->frozen };
    next.frozen |= row->type == SQ_BLOCK && (row->flags & SQ_F_LIVE) == 0;
    *seat = next;
    return SQ_OK;
}

static enum sq_status step_list(struct search *s, struct seat *seat, const char *key)
{
    const struct sq_list *list = (const struct sq_list *)(const void *)seat->at;
    const struct sq_field *row = seat->row->more;
    size_t i = 0;
    if (!sq_is_index(key, &i) || i >= list->count) {
        return complain(s, "elements are numbered from 0", "is not an element of the list", key);
    }
    struct seat next = { row, sq_list_at(list, i), seat->frozen };
    next.frozen |= row->type == SQ_BLOCK && (row->flags & SQ_F_LIVE) == 0;
    *seat = next;
    return SQ_OK;
}

static enum sq_status step(struct search *s, struct seat *seat, const char *key)
{
    enum sq_ftype type = seat->row->type;
    if ((type == SQ_GROUP || type == SQ_BLOCK) && !is_none(seat)) {
        return step_table(s, seat, key);
    }
    if (type == SQ_GROUP || type == SQ_BLOCK) {
        return complain(s, "only what exists at time 0 can be changed",
                        "is absent in this world, so nothing in it can be changed", seat->row->key);
    }
    if (type == SQ_MAP) {
        return step_map(s, seat, key);
    }
    if (type == SQ_LIST) {
        return step_list(s, seat, key);
    }
    return complain(s, NULL, "has nothing below it", seat->row->key);
}

/* A block stands for its marked row, as it does in a file. */
static enum sq_status settle(struct search *s, struct seat *seat, const char *key)
{
    while (seat->row->type == SQ_GROUP || seat->row->type == SQ_BLOCK) {
        const struct sq_table *table = seat->row->more;
        if (!is_none(seat) && seat->row->type == SQ_BLOCK) {
            table = &((const struct sq_block *)(const void *)seat->at)->kind->table;
        }
        const char *star = NULL;
        for (size_t i = 0; !is_none(seat) && i < table->row_count; i++) {
            if ((table->rows[i].flags & SQ_F_STAR) != 0) {
                star = table->rows[i].key;
            }
        }
        if (star == NULL) {
            return is_none(seat) ? step(s, seat, "")
                                 : complain(s, NULL, "is a block: name a key in it", key);
        }
        enum sq_status st = step_table(s, seat, star);
        if (st != SQ_OK) {
            return st;
        }
    }
    return SQ_OK;
}

static enum sq_status walk(struct search *s, struct seat *seat, const char **names)
{
    const char *rest = s->path, *key = NULL;
    for (size_t n = 0; rest != NULL; n++) {
        size_t len = strcspn(rest, ".");
        key = sq_arena_text(s->w.c->arena, rest, len);
        if (key == NULL) {
            return SQ_NOMEM;
        }
        enum sq_status st = step(s, seat, key);
        if (st != SQ_OK) {
            return st;
        }
        if (n < 2) {
            names[n] = key;
        }
        rest = rest[len] == '.' ? rest + len + 1 : NULL;
    }
    enum sq_status st = settle(s, seat, key);
    if (st == SQ_OK && (seat->frozen || (seat->row->flags & SQ_F_LIVE) == 0)) {
        st = complain(s, NULL, "cannot be changed while the world runs", seat->row->key);
    }
    return st;
}

enum sq_status sq_conf_locate(const struct sq_conf *c, const struct sq_table *table, void *cfg,
                              const char *path, struct sq_where where, struct sq_place *out)
{
    struct search s = { sq_walk_start(c), where, path };
    struct sq_field root = sq_row_root(table);
    struct seat seat = { &root, cfg, false };
    const char *names[2] = { NULL, NULL };
    enum sq_status st = walk(&s, &seat, names);
    if (st == SQ_OK) {
        *out = (struct sq_place){ seat.row, seat.at, names[0], names[1] };
    }
    return s.w.nomem || c->diag->failed ? SQ_NOMEM : st;
}

enum sq_status sq_conf_value(const struct sq_conf *c, const struct sq_node *node,
                             const struct sq_field *row, const char *path, void *at)
{
    struct sq_walk w = sq_walk_start(c);
    struct sq_path start = { NULL, path, 0 };
    size_t size = row->type == SQ_GROUP ? sizeof(void *) : sq_field_size(row);
    void *value = sq_arena_alloc(c->arena, 1, size);
    struct sq_node *own = sq_node_copy(c->arena, node);
    if (value == NULL || own == NULL) {
        return SQ_NOMEM;
    }
    sq_walk_expand(&w, row, &own);
    if (!w.nomem) {
        sq_walk_fill(&w, row, own, &start);
    }
    if (!w.nomem) {
        sq_walk_bind(&w, row, own, &start, value);
    }
    enum sq_status st = sq_walk_end(&w);
    if (st == SQ_OK) {
        memcpy(at, value, size);
    }
    return st;
}
