/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_preset.c - looks presets up by type and name. */
#include "sim/conf/sq_preset.h"

#include <string.h>

/* ---- types ---- */

enum { TABLES_MAX = 512 };

struct tour {
    struct sq_preset_types *out;
    const struct sq_table *seen[TABLES_MAX];
    size_t seen_count;
};

static void visit_row(struct tour *t, const struct sq_field *row);

static void visit_table(struct tour *t, const struct sq_table *table)
{
    for (size_t i = 0; i < t->seen_count; i++) {
        if (t->seen[i] == table) {
            return;
        }
    }
    SQ_ASSERT(t->seen_count < TABLES_MAX);
    t->seen[t->seen_count++] = table;
    for (size_t i = 0; i < table->row_count; i++) {
        visit_row(t, &table->rows[i]);
    }
}

static void add_type(struct sq_preset_types *out, const struct sq_field *row, const char *type)
{
    for (size_t i = 0; i < out->count; i++) {
        if (strcmp(out->names[i], type) == 0) {
            return;
        }
    }
    SQ_ASSERT(out->count < SQ_PRESET_TYPES_MAX);
    out->rows[out->count] = row;
    out->names[out->count++] = type;
}

static void visit_row(struct tour *t, const struct sq_field *row)
{
    if (row->more == NULL || (row->flags & SQ_F_LATER) != 0) {
        return;
    }
    if (row->type == SQ_LIST || row->type == SQ_MAP) {
        visit_row(t, row->more);
    } else if (row->type == SQ_GROUP) {
        const struct sq_table *table = row->more;
        if (table->has_preset) {
            add_type(t->out, row, table->type);
        }
        visit_table(t, table);
    } else if (row->type == SQ_BLOCK) {
        const struct sq_family *f = row->more;
        if (f->has_preset) {
            add_type(t->out, row, f->type);
        }
        for (size_t i = 0; i < f->kind_count; i++) {
            visit_table(t, &sq_family_kind(f, i)->table);
        }
    }
}

void sq_preset_types(const struct sq_table *root, struct sq_preset_types *out)
{
    *out = (struct sq_preset_types){ 0 };
    struct tour t = { .out = out };
    visit_table(&t, root);
}

/* ---- shipped ones ---- */

const struct sq_node *sq_presets_tree(struct sq_presets *p, size_t file)
{
    SQ_ASSERT(file < sq_preset_text_count);
    if (p->trees == NULL) {
        p->trees = sq_arena_alloc(p->arena, sq_preset_text_count, sizeof(struct sq_node *));
    }
    if (p->trees == NULL) {
        p->diag->failed = true;
        return NULL;
    }
    if (p->trees[file] == NULL) {
        const struct sq_preset_text *t = &sq_preset_texts[file];
        enum sq_status status =
            sq_doc_parse(t->file, t->text, strlen(t->text), p->arena, p->diag, &p->trees[file]);
        SQ_ASSERT(status != SQ_USER);
        p->diag->failed |= status != SQ_OK;
    }
    return p->diag->failed ? NULL : p->trees[file];
}

/* The presets of a type in a map by type; NULL: none. */
static const struct sq_node *of_type(const struct sq_node *presets, const char *type)
{
    const struct sq_node *map = presets != NULL ? sq_node_get(presets, type) : NULL;
    return map != NULL && map->kind == SQ_NODE_MAP ? map : NULL;
}

static const struct sq_node *find_shipped(struct sq_presets *p, const char *type, const char *name)
{
    for (size_t i = 0; i < sq_preset_text_count; i++) {
        if (strstr(sq_preset_texts[i].text, name) == NULL) {
            continue;
        }
        const struct sq_node *tree = sq_presets_tree(p, i);
        const struct sq_node *map =
            tree != NULL ? of_type(sq_node_get(tree, "presets"), type) : NULL;
        const struct sq_node *found = map != NULL ? sq_node_get(map, name) : NULL;
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

const struct sq_node *sq_presets_find(void *presets, const char *type, const char *name)
{
    struct sq_presets *p = presets;
    const struct sq_node *found = find_shipped(p, type, name);
    const struct sq_node *map = found == NULL ? of_type(p->own, type) : NULL;
    return map != NULL ? sq_node_get(map, name) : found;
}

const char *const *sq_presets_names(void *presets, const char *type, size_t *count)
{
    struct sq_presets *p = presets;
    const struct sq_node *own = of_type(p->own, type);
    size_t most = own != NULL ? own->count : 0, n = 0;
    for (size_t i = 0; i < sq_preset_text_count; i++) {
        const struct sq_node *tree = sq_presets_tree(p, i);
        const struct sq_node *map =
            tree != NULL ? of_type(sq_node_get(tree, "presets"), type) : NULL;
        most += map != NULL ? map->count : 0;
    }
    const char **names = sq_arena_alloc(p->arena, most + 1, sizeof(char *));
    *count = 0;
    if (names == NULL || p->diag->failed) {
        p->diag->failed = true;
        return NULL;
    }
    for (size_t i = 0; i <= sq_preset_text_count; i++) {
        const struct sq_node *map =
            i < sq_preset_text_count ? of_type(sq_node_get(p->trees[i], "presets"), type) : own;
        for (size_t j = 0; map != NULL && j < map->count; j++) {
            names[n++] = map->keys[j];
        }
    }
    *count = n;
    return names;
}

/* ---- a file's own ---- */

static void check_own_name(struct sq_presets *p, const char *type, const struct sq_node *map,
                           size_t i)
{
    const char *name = map->keys[i], *path = sq_arena_printf(p->arena, "presets.%s", type);
    if (!sq_is_name(name)) {
        (void)sq_diag_error(p->diag, map->key_where[i], path,
                            "a name starts with a lower-case letter and goes on with these, "
                            "digits and `-`; at most 40 characters",
                            "`%s` is not a name", name);
    } else if (find_shipped(p, type, name) != NULL) {
        (void)sq_diag_error(p->diag, map->key_where[i], path,
                            "choose another name; `squall presets` lists the shipped ones",
                            "`%s` is the name of a shipped %s preset", name, type);
    }
}

static void check_own(struct sq_presets *p, const struct sq_table *root)
{
    struct sq_preset_types types;
    sq_preset_types(root, &types);
    for (size_t i = 0; i < p->own->count; i++) {
        const char *type = p->own->keys[i];
        const struct sq_node *map = p->own->items[i];
        bool known = false;
        for (size_t k = 0; k < types.count; k++) {
            known |= strcmp(types.names[k], type) == 0;
        }
        const char *near = sq_diag_closest(type, types.names, types.count);
        if (!known) {
            (void)sq_diag_error(p->diag, p->own->key_where[i], "presets",
                                near != NULL ? sq_arena_printf(p->arena, "did you mean `%s`?", near)
                                             : NULL,
                                "blocks of the type `%s` have no presets", type);
        } else if (map->kind != SQ_NODE_MAP) {
            (void)sq_diag_error(p->diag, map->where, sq_arena_printf(p->arena, "presets.%s", type),
                                "for example house: {max_attempts: 5}",
                                "needs a map from names to blocks");
        }
        for (size_t j = 0; known && map->kind == SQ_NODE_MAP && j < map->count; j++) {
            check_own_name(p, type, map, j);
        }
    }
}

enum sq_status sq_presets_open(struct sq_presets *p, struct sq_conf *conf,
                               const struct sq_table *root, const struct sq_node *own)
{
    size_t before = conf->diag->errors;
    *p = (struct sq_presets){ .arena = conf->arena, .diag = conf->diag, .own = own };
    conf->preset = sq_presets_find;
    conf->preset_names = sq_presets_names;
    conf->preset_ctx = p;
    if (own != NULL && own->kind != SQ_NODE_MAP) {
        p->own = NULL;
        (void)sq_diag_error(p->diag, own->where, "presets",
                            "for example presets: {retry: {house: {max_attempts: 5}}}",
                            "needs a map from block types to presets");
    } else if (own != NULL) {
        check_own(p, root);
    }
    if (p->diag->failed) {
        return SQ_NOMEM;
    }
    return conf->diag->errors > before ? SQ_USER : SQ_OK;
}
