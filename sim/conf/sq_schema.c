/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_schema.c - groups, blocks, lists and maps of a schema. Every table and family that stands
 * behind a key is a definition, in up to three forms, so that each is written once and recursion is
 * no matter:
 *
 *   NAME          the whole value: required keys are required
 *   NAME-change   the same in an overlay: nothing is required, null removes a key, the kind may be
 *                 left out
 *   NAME-short    the scalars and lists that may stand for the map, in both */
#include "sim/conf/sq_schema_in.h"

#include <string.h>

static bool is_tuple(const struct sq_field *row)
{
    return row->type == SQ_GROUP && (row->flags & SQ_F_TUPLE) != 0;
}

static const struct sq_family *family_of(const struct sq_field *row)
{
    return row->type == SQ_BLOCK ? row->more : NULL;
}

static const char *type_of(const struct sq_field *row)
{
    const char *type = row->type == SQ_BLOCK ? ((const struct sq_family *)row->more)->type
                                             : ((const struct sq_table *)row->more)->type;
    return type != NULL ? type : row->key;
}

static bool has_preset(const struct sq_field *row)
{
    return row->type == SQ_BLOCK ? ((const struct sq_family *)row->more)->has_preset
                                 : ((const struct sq_table *)row->more)->has_preset;
}

/* ---- definitions ---- */

static bool name_taken(const struct sq_schema *s, const char *name)
{
    for (const struct sq_schema_def *d = s->first; d != NULL; d = d->next) {
        if (strcmp(d->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static const char *free_name(struct sq_schema *s, const struct sq_field *row,
                             enum sq_schema_form form)
{
    static const char *const tails[] = {
        [SQ_SCHEMA_WHOLE] = "", [SQ_SCHEMA_CHANGE] = "-change", [SQ_SCHEMA_SHORT] = "-short"
    };
    const char *type = type_of(row);
    const char *name = sq_arena_printf(&s->arena, "%s%s", type, tails[form]);
    for (int i = 2; name != NULL && name_taken(s, name); i++) {
        name = sq_arena_printf(&s->arena, "%s-%d%s", type, i, tails[form]);
    }
    return name;
}

/* The definition for a row, which will be written if it is new; NULL when out of memory. */
static const struct sq_schema_def *need(struct sq_schema *s, const struct sq_field *row,
                                        enum sq_schema_form form)
{
    for (struct sq_schema_def *d = s->first; d != NULL; d = d->next) {
        if (d->row->more == row->more && d->form == form) {
            return d;
        }
    }
    struct sq_schema_def *d = sq_arena_alloc(&s->arena, 1, sizeof(*d));
    const char *name = d != NULL ? free_name(s, row, form) : NULL;
    if (name == NULL) {
        s->failed = true;
        return NULL;
    }
    *d = (struct sq_schema_def){ .row = row, .form = form, .name = name };
    if (s->last != NULL) {
        s->last->next = d;
    } else {
        s->first = d;
    }
    s->last = d;
    return d;
}

static void put_ref(struct sq_schema *s, const struct sq_field *row, enum sq_schema_form form)
{
    const struct sq_schema_def *d = need(s, row, form);
    if (d != NULL) {
        sq_schema_put_ref(&s->w, d->name);
    }
}

/* ---- values ---- */

static void put_tuple(struct sq_schema *s, const struct sq_table *t)
{
    size_t least = t->row_count;
    while (least > 0 && (t->rows[least - 1].flags & SQ_F_OPTIONAL) != 0) {
        least--;
    }
    sq_json_put_text(&s->w, "type", "array");
    sq_json_open_array(&s->w, "prefixItems");
    for (size_t i = 0; i < t->row_count; i++) {
        const struct sq_field *row = &t->rows[i];
        sq_json_open_object(&s->w, NULL);
        sq_json_put_text(&s->w, "description", row->doc);
        sq_schema_put_value(s, &(struct sq_schema_value){ &row, 1, SQ_SCHEMA_WHOLE, false });
        sq_json_close(&s->w);
    }
    sq_json_close(&s->w);
    sq_json_put_integer(&s->w, "minItems", (int64_t)least);
    sq_json_put_integer(&s->w, "maxItems", (int64_t)t->row_count);
}

/* A list replaces: what is in it is whole. */
static void put_list(struct sq_schema *s, const struct sq_field *item)
{
    sq_json_put_text(&s->w, "type", "array");
    sq_json_open_object(&s->w, "items");
    sq_schema_put_value(s, &(struct sq_schema_value){ &item, 1, SQ_SCHEMA_WHOLE, false });
    sq_json_close(&s->w);
}

static void put_map(struct sq_schema *s, const struct sq_field *row, enum sq_schema_form form)
{
    const struct sq_field *item = row->more;
    sq_json_put_text(&s->w, "type", "object");
    if ((row->flags & SQ_F_ANY_KEY) == 0) {
        sq_json_open_object(&s->w, "propertyNames");
        sq_schema_put_ref(&s->w, "scalar-name");
        sq_json_close(&s->w);
    }
    sq_json_open_object(&s->w, "additionalProperties");
    sq_schema_put_value(s, &(struct sq_schema_value){ &item, 1, form, form == SQ_SCHEMA_CHANGE });
    sq_json_close(&s->w);
}

/* The keywords for a value of this row as it is normally written. */
static void put_main(struct sq_schema *s, const struct sq_field *row, enum sq_schema_form form)
{
    if (row->type <= SQ_REF) {
        sq_schema_put_leaf(&s->w, row);
    } else if (is_tuple(row)) {
        put_tuple(s, row->more);
    } else if (row->type == SQ_GROUP || row->type == SQ_BLOCK) {
        put_ref(s, row, form);
    } else if (row->type == SQ_LIST) {
        put_list(s, row->more);
    } else if (row->type == SQ_MAP) {
        put_map(s, row, form);
    } else if (row->more != NULL) {
        s->failed |= sq_schema_put_text(&s->w, row->more) != SQ_OK;
    }
}

static bool takes_none(const struct sq_field *row)
{
    bool block = row->type == SQ_GROUP || row->type == SQ_BLOCK;
    return (row->flags & (block ? SQ_F_NONE | SQ_F_OPTIONAL : SQ_F_NONE)) != 0;
}

static bool takes_words(const struct sq_field *row)
{
    return takes_none(row) || (row->flags & SQ_F_UNLIMITED) != 0;
}

static bool takes_one(const struct sq_field *row)
{
    return row->type == SQ_LIST && (row->flags & SQ_F_ONE) != 0;
}

void sq_schema_put_value(struct sq_schema *s, const struct sq_schema_value *v)
{
    const struct sq_field *only = v->rows[0];
    if (v->count == 1 && !v->null && !takes_words(only) && !takes_one(only)) {
        put_main(s, only, v->form);
        return;
    }
    sq_json_open_array(&s->w, "anyOf");
    for (size_t i = 0; i < v->count; i++) {
        const struct sq_field *row = v->rows[i];
        sq_json_open_object(&s->w, NULL);
        put_main(s, row, v->form);
        sq_json_close(&s->w);
        if (takes_one(row)) {
            const struct sq_field *item = row->more;
            sq_json_open_object(&s->w, NULL);
            sq_schema_put_value(s, &(struct sq_schema_value){ &item, 1, SQ_SCHEMA_WHOLE, false });
            sq_json_close(&s->w);
        }
        if (takes_words(row)) {
            sq_schema_put_words(&s->w, takes_none(row), (row->flags & SQ_F_UNLIMITED) != 0);
        }
    }
    if (v->null) {
        sq_json_open_object(&s->w, NULL);
        sq_json_put_text(&s->w, "type", "null");
        sq_json_close(&s->w);
    }
    sq_json_close(&s->w);
}

/* ---- shorthands ---- */

/* Adds the marked rows of a table, as far as a scalar or list can fill them. */
static void add_stars(const struct sq_table *t, const struct sq_field **rows, size_t *count)
{
    for (size_t i = 0; i < t->row_count; i++) {
        const struct sq_field *row = &t->rows[i];
        if ((row->flags & SQ_F_STAR) != 0 && !sq_schema_is_later(row) && row->type != SQ_MAP) {
            sq_schema_add_row(rows, count, row);
        }
    }
}

/* The marked rows of a group, or of all kinds of a block; NULL when out of memory. */
static const struct sq_field **find_stars(struct sq_schema *s, const struct sq_field *row,
                                          size_t *count)
{
    const struct sq_family *f = family_of(row);
    size_t most = f == NULL ? ((const struct sq_table *)row->more)->row_count : 0;
    for (size_t k = 0; f != NULL && k < f->kind_count; k++) {
        most += sq_family_kind(f, k)->table.row_count;
    }
    const struct sq_field **rows = sq_arena_alloc(&s->arena, most + 1, sizeof(*rows));
    *count = 0;
    s->failed |= rows == NULL;
    if (f == NULL && rows != NULL) {
        add_stars(row->more, rows, count);
    }
    for (size_t k = 0; f != NULL && rows != NULL && k < f->kind_count; k++) {
        if (!sq_family_kind(f, k)->later) {
            add_stars(&sq_family_kind(f, k)->table, rows, count);
        }
    }
    return rows;
}

static bool has_short(struct sq_schema *s, const struct sq_field *row)
{
    size_t count;
    (void)find_stars(s, row, &count);
    return row->type == SQ_BLOCK || has_preset(row) || count > 0;
}

static void put_short(struct sq_schema *s, const struct sq_field *row)
{
    const struct sq_family *f = family_of(row);
    size_t count;
    const struct sq_field **stars = find_stars(s, row, &count);
    sq_json_open_array(&s->w, "anyOf");
    for (size_t k = 0; f != NULL && k < f->kind_count; k++) {
        if (!sq_family_kind(f, k)->later) {
            sq_json_open_object(&s->w, NULL);
            sq_json_put_text(&s->w, "description", sq_family_kind(f, k)->doc);
            sq_json_put_text(&s->w, "const", sq_family_kind(f, k)->name);
            sq_json_close(&s->w);
        }
    }
    if (has_preset(row)) {
        sq_json_open_object(&s->w, NULL);
        sq_json_put_text(&s->w, "description", "The name of a preset.");
        sq_schema_put_ref(&s->w, "scalar-name");
        sq_json_close(&s->w);
    }
    if (f != NULL && f->ranges) {
        sq_schema_put_range(&s->w);
    }
    for (size_t i = 0; stars != NULL && i < count; i++) {
        sq_json_open_object(&s->w, NULL);
        sq_json_put_text(&s->w, "description", stars[i]->doc);
        sq_schema_put_value(s, &(struct sq_schema_value){ &stars[i], 1, SQ_SCHEMA_SHORT, false });
        sq_json_close(&s->w);
    }
    sq_json_close(&s->w);
}

/* ---- the whole ---- */

static void put_def(struct sq_schema *s, const struct sq_schema_def *d)
{
    bool block = d->row->type == SQ_BLOCK;
    struct sq_schema_object o = { .table = d->row->more,
                                  .preset = has_preset(d->row),
                                  .form = d->form };
    if (d->form == SQ_SCHEMA_SHORT) {
        put_short(s, d->row);
    } else if (!block && !has_short(s, d->row)) {
        sq_schema_put_object(s, &o);
    } else {
        sq_json_open_array(&s->w, "anyOf");
        sq_json_open_object(&s->w, NULL);
        put_ref(s, d->row, SQ_SCHEMA_SHORT);
        sq_json_close(&s->w);
        if (block) {
            sq_schema_put_kinds(s, d->row->more, d->form);
        } else {
            sq_json_open_object(&s->w, NULL);
            sq_schema_put_object(s, &o);
            sq_json_close(&s->w);
        }
        sq_json_close(&s->w);
    }
}

/* Writes the definitions behind `done`, or all, and those that they need; the last one is returned.
 */
static struct sq_schema_def *put_defs(struct sq_schema *s, struct sq_schema_def *done)
{
    struct sq_schema_def *d = done != NULL ? done->next : s->first;
    for (; d != NULL; d = d->next) {
        sq_json_open_object(&s->w, d->name);
        put_def(s, d);
        sq_json_close(&s->w);
        done = d;
    }
    return done;
}

static bool is_first_of_type(const struct sq_schema *s, const struct sq_schema_def *d)
{
    for (const struct sq_schema_def *e = s->first; e != d; e = e->next) {
        if (has_preset(e->row) && strcmp(type_of(e->row), type_of(d->row)) == 0) {
            return false;
        }
    }
    return true;
}

/* The file's own presets: by block type and name, with any of the keys. */
static void put_presets(struct sq_schema *s)
{
    sq_json_open_object(&s->w, "presets");
    sq_json_put_text(&s->w, "type", "object");
    sq_json_open_object(&s->w, "properties");
    for (const struct sq_schema_def *d = s->first; d != NULL; d = d->next) {
        if (!has_preset(d->row) || !is_first_of_type(s, d)) {
            continue;
        }
        sq_json_open_object(&s->w, type_of(d->row));
        sq_json_put_text(&s->w, "type", "object");
        sq_json_open_object(&s->w, "propertyNames");
        sq_schema_put_ref(&s->w, "scalar-name");
        sq_json_close(&s->w);
        sq_json_open_object(&s->w, "additionalProperties");
        put_ref(s, d->row, SQ_SCHEMA_CHANGE);
        sq_json_close(&s->w);
        sq_json_close(&s->w);
    }
    sq_json_close(&s->w);
    sq_json_put_bool(&s->w, "additionalProperties", false);
    sq_json_close(&s->w);
}

enum sq_status sq_schema_write(const struct sq_schema_ask *ask, struct sq_buf *out)
{
    struct sq_schema s = { 0 };
    sq_json_open_object(&s.w, NULL);
    sq_json_put_text(&s.w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    sq_json_put_text(&s.w, "$id", ask->id);
    sq_json_put_text(&s.w, "title", ask->title);
    sq_json_put_text(&s.w, "description", ask->doc);
    sq_schema_put_object(
        &s, &(struct sq_schema_object){ .table = ask->table, .form = SQ_SCHEMA_WHOLE });
    sq_json_open_object(&s.w, "$defs");
    sq_schema_put_scalars(&s.w);
    sq_json_open_object(&s.w, "variant");
    sq_schema_put_object(&s, &(struct sq_schema_object){
                                 .table = ask->table, .extends = true, .form = SQ_SCHEMA_CHANGE });
    sq_json_close(&s.w);
    struct sq_schema_def *done = put_defs(&s, NULL);
    put_presets(&s);
    (void)put_defs(&s, done);
    sq_json_close(&s.w);
    sq_json_close(&s.w);
    enum sq_status status = s.failed ? SQ_NOMEM : sq_json_dump(&s.w, out);
    sq_json_writer_fini(&s.w);
    sq_arena_fini(&s.arena);
    return status;
}
