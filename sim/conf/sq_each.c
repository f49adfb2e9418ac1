/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_each.c - the walk of sq_each.h. */
#include "sim/conf/sq_each.h"

#include <string.h>

struct visit {
    const struct sq_family *family;
    sq_each_fn *fn;
    void *ctx;
};

static enum sq_status visit_table(const struct visit *v, const struct sq_table *table,
                                  const char *cfg);

static enum sq_status visit_block(const struct visit *v, const struct sq_family *family,
                                  const struct sq_block *block)
{
    if (block->kind == NULL) {
        return SQ_OK;
    }
    enum sq_status status = family == v->family ? v->fn(v->ctx, block) : SQ_OK;
    return status == SQ_OK ? visit_table(v, &block->kind->table, block->cfg) : status;
}

static enum sq_status visit_member(const struct visit *v, const struct sq_field *row,
                                   const char *at);

/* The elements of a list or map. Those of type GROUP are the structs themselves. */
static enum sq_status visit_items(const struct visit *v, const struct sq_field *item,
                                  const char *items, size_t count, size_t stride)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < count && status == SQ_OK; i++) {
        const char *at = items + i * stride;
        status =
            item->type == SQ_GROUP ? visit_table(v, item->more, at) : visit_member(v, item, at);
    }
    return status;
}

static enum sq_status visit_member(const struct visit *v, const struct sq_field *row,
                                   const char *at)
{
    const void *member = at;
    if (row->type == SQ_GROUP) {
        const char *group;
        memcpy(&group, at, sizeof(group));
        return group != NULL ? visit_table(v, row->more, group) : SQ_OK;
    }
    if (row->type == SQ_BLOCK) {
        return visit_block(v, row->more, member);
    }
    if (row->type == SQ_LIST) {
        const struct sq_list *list = member;
        return visit_items(v, row->more, list->items, list->count, list->stride);
    }
    if (row->type == SQ_MAP) {
        const struct sq_map *map = member;
        return visit_items(v, row->more, map->items, map->count, map->stride);
    }
    return SQ_OK;
}

static enum sq_status visit_table(const struct visit *v, const struct sq_table *table,
                                  const char *cfg)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < table->row_count && status == SQ_OK; i++) {
        status = visit_member(v, &table->rows[i], cfg + table->rows[i].off);
    }
    return status;
}

enum sq_status sq_each_block(const struct sq_table *table, const void *cfg,
                             const struct sq_family *family, sq_each_fn *fn, void *ctx)
{
    return visit_table(&(struct visit){ family, fn, ctx }, table, cfg);
}
