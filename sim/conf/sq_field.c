/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_field.c - look-ups in the tables of field rows. */
#include "sim/conf/sq_field.h"

#include <string.h>

int sq_map_find(const struct sq_map *m, const char *name)
{
    for (size_t i = 0; i < m->count; i++) {
        if (strcmp(m->names[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

const struct sq_field *sq_table_find(const struct sq_table *t, const char *key)
{
    for (size_t i = 0; i < t->row_count; i++) {
        if (strcmp(t->rows[i].key, key) == 0) {
            return &t->rows[i];
        }
    }
    return NULL;
}

const struct sq_kind *sq_family_find(const struct sq_family *f, const char *name)
{
    for (size_t i = 0; i < f->kind_count; i++) {
        const struct sq_kind *kind = sq_family_kind(f, i);
        if (strcmp(kind->name, name) == 0) {
            return kind;
        }
    }
    return NULL;
}

size_t sq_field_size(const struct sq_field *row)
{
    switch (row->type) {
    case SQ_TIME:
    case SQ_AMOUNT:
    case SQ_SIZE:
        return sizeof(int64_t);
    case SQ_SEED:
        return sizeof(uint64_t);
    case SQ_RATE:
    case SQ_RATIO:
    case SQ_NUMBER:
        return sizeof(double);
    case SQ_QUANTITY:
        return sizeof(struct sq_quantity);
    case SQ_BOOL:
        return sizeof(bool);
    case SQ_CHOICE:
        return sizeof(int);
    case SQ_TEXT:
    case SQ_RAW:
        return sizeof(const void *);
    case SQ_REF:
        return sizeof(struct sq_ref);
    case SQ_GROUP:
        return ((const struct sq_table *)row->more)->size;
    case SQ_BLOCK:
        return sizeof(struct sq_block);
    case SQ_LIST:
        return sizeof(struct sq_list);
    case SQ_MAP:
        return sizeof(struct sq_map);
    }
    sq_panic(__FILE__, __LINE__, "a row has no known type");
}
