/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_schema_map.c - maps of keys: which there are, which must be there, which exclude each other.
 */
#include "sim/conf/sq_schema_in.h"

#include <string.h>

bool sq_schema_is_later(const struct sq_field *row)
{
    return (row->flags & SQ_F_LATER) != 0;
}

/* One key of a map. A default stands there when all rows agree, which is when there is one. */
static void put_property(struct sq_schema *s, const struct sq_schema_value *v)
{
    sq_json_open_object(&s->w, v->rows[0]->key);
    sq_json_put_text(&s->w, "description", v->rows[0]->doc);
    if (v->count == 1 && v->form == SQ_SCHEMA_WHOLE) {
        s->failed |= sq_schema_put_default(&s->w, v->rows[0], &s->arena) != SQ_OK;
    }
    sq_schema_put_value(s, v);
    sq_json_close(&s->w);
}

static void put_preset_key(struct sq_schema *s)
{
    sq_json_open_object(&s->w, "preset");
    sq_json_put_text(&s->w, "description", "A preset that supplies keys of this block.");
    sq_schema_put_ref(&s->w, "scalar-name");
    sq_json_close(&s->w);
}

static void put_extends_key(struct sq_schema *s)
{
    sq_json_open_object(&s->w, "extends");
    sq_json_put_text(&s->w, "description", "The variant that this one goes on from.");
    sq_schema_put_ref(&s->w, "scalar-name");
    sq_json_close(&s->w);
}

static void put_kind_key(struct sq_schema *s, const struct sq_kind *kind)
{
    sq_json_open_object(&s->w, "kind");
    sq_json_put_text(&s->w, "description", kind->doc);
    sq_json_put_text(&s->w, "const", kind->name);
    sq_json_close(&s->w);
}

static void put_properties(struct sq_schema *s, const struct sq_schema_object *o)
{
    sq_json_open_object(&s->w, "properties");
    if (o->extends) {
        put_extends_key(s);
    }
    if (o->kind != NULL) {
        put_kind_key(s, o->kind);
    }
    if (o->preset) {
        put_preset_key(s);
    }
    for (size_t i = 0; i < o->table->row_count; i++) {
        const struct sq_field *row = &o->table->rows[i];
        bool fixed = o->form == SQ_SCHEMA_CHANGE && (row->flags & SQ_F_UNSET) != 0;
        if (!sq_schema_is_later(row) && !fixed) {
            put_property(
                s, &(struct sq_schema_value){ &row, 1, o->form, o->form == SQ_SCHEMA_CHANGE });
        }
    }
    sq_json_close(&s->w);
}

static bool is_required(const struct sq_field *row)
{
    return row->dflt == NULL && (row->flags & (SQ_F_OPTIONAL | SQ_F_LATER)) == 0;
}

static void put_required(struct sq_schema *s, const char *key)
{
    sq_json_open_object(&s->w, NULL);
    sq_json_open_array(&s->w, "required");
    sq_json_put_text(&s->w, NULL, key);
    sq_json_close(&s->w);
    sq_json_close(&s->w);
}

/* {"anyOf": [a preset, one of the rows from `i` on that displace each other]} */
static void put_one_of(struct sq_schema *s, const struct sq_schema_object *o, size_t i)
{
    const struct sq_table *t = o->table;
    sq_json_open_object(&s->w, NULL);
    sq_json_open_array(&s->w, "anyOf");
    if (o->preset) {
        put_required(s, "preset");
    }
    for (size_t j = i; j < t->row_count; j++) {
        if (j == i || (t->rows[i].alt > 0 && t->rows[j].alt == t->rows[i].alt)) {
            put_required(s, t->rows[j].key);
        }
    }
    sq_json_close(&s->w);
    sq_json_close(&s->w);
}

/* Not both of two keys. */
static void put_exclusion(struct sq_schema *s, const char *a, const char *b)
{
    sq_json_open_object(&s->w, NULL);
    sq_json_open_object(&s->w, "not");
    sq_json_open_array(&s->w, "required");
    sq_json_put_text(&s->w, NULL, a);
    sq_json_put_text(&s->w, NULL, b);
    sq_json_close(&s->w);
    sq_json_close(&s->w);
    sq_json_close(&s->w);
}

/* Whether the first of alternatives, all of them without default, so that one must be there. */
static bool needs_one(const struct sq_table *t, size_t i)
{
    for (size_t j = 0; j < t->row_count; j++) {
        bool first = j >= i;
        if (t->rows[j].alt == t->rows[i].alt && !(first && is_required(&t->rows[j]))) {
            return false;
        }
    }
    return true;
}

/* Whether row `i`, or a preset or another of its kind, must be there. */
static bool has_choice(const struct sq_schema_object *o, size_t i)
{
    const struct sq_field *row = &o->table->rows[i];
    return o->form == SQ_SCHEMA_WHOLE && (row->alt > 0 ? needs_one(o->table, i) : o->preset) &&
           is_required(row);
}

static bool excludes(const struct sq_table *t, size_t i, size_t j)
{
    return t->rows[i].alt > 0 && t->rows[i].alt == t->rows[j].alt &&
           !sq_schema_is_later(&t->rows[i]) && !sq_schema_is_later(&t->rows[j]);
}

static bool has_conditions(const struct sq_schema_object *o)
{
    const struct sq_table *t = o->table;
    bool any = false;
    for (size_t i = 0; i < t->row_count; i++) {
        any = any || has_choice(o, i);
        for (size_t j = i + 1; j < t->row_count; j++) {
            any = any || excludes(t, i, j);
        }
    }
    return any;
}

static void put_conditions(struct sq_schema *s, const struct sq_schema_object *o)
{
    const struct sq_table *t = o->table;
    sq_json_open_array(&s->w, "allOf");
    for (size_t i = 0; i < t->row_count; i++) {
        if (has_choice(o, i)) {
            put_one_of(s, o, i);
        }
        for (size_t j = i + 1; j < t->row_count; j++) {
            if (excludes(t, i, j)) {
                put_exclusion(s, t->rows[i].key, t->rows[j].key);
            }
        }
    }
    sq_json_close(&s->w);
}

/* Whether row `i` must be there, whatever else is. */
static bool is_certain(const struct sq_schema_object *o, size_t i)
{
    const struct sq_field *row = &o->table->rows[i];
    return o->form == SQ_SCHEMA_WHOLE && is_required(row) && row->alt == 0 && !o->preset;
}

static void put_required_keys(struct sq_schema *s, const struct sq_schema_object *o)
{
    bool open = o->kind_required;
    for (size_t i = 0; i < o->table->row_count; i++) {
        open = open || is_certain(o, i);
    }
    if (!open) {
        return;
    }
    sq_json_open_array(&s->w, "required");
    if (o->kind_required) {
        sq_json_put_text(&s->w, NULL, "kind");
    }
    for (size_t i = 0; i < o->table->row_count; i++) {
        if (is_certain(o, i)) {
            sq_json_put_text(&s->w, NULL, o->table->rows[i].key);
        }
    }
    sq_json_close(&s->w);
}

void sq_schema_put_object(struct sq_schema *s, const struct sq_schema_object *o)
{
    sq_json_put_text(&s->w, "type", "object");
    put_properties(s, o);
    put_required_keys(s, o);
    if (has_conditions(o)) {
        put_conditions(s, o);
    }
    sq_json_put_bool(&s->w, "additionalProperties", false);
}

/* ---- blocks ---- */

static bool alike(const struct sq_field *a, const struct sq_field *b)
{
    return a->type == b->type && a->more == b->more && a->flags == b->flags && a->min == b->min &&
           a->max == b->max;
}

/* Adds a row unless one like it is there. */
void sq_schema_add_row(const struct sq_field **rows, size_t *count, const struct sq_field *row)
{
    for (size_t i = 0; i < *count; i++) {
        if (alike(rows[i], row)) {
            return;
        }
    }
    rows[(*count)++] = row;
}

/* The key of kind `k`, row `i`, with the rows that it has in all kinds; nothing if an earlier kind
 * has it. */
static void put_shared_key(struct sq_schema *s, const struct sq_family *f, size_t k, size_t i,
                           enum sq_schema_form form)
{
    const struct sq_field *row = &sq_family_kind(f, k)->table.rows[i];
    const struct sq_field **rows = sq_arena_alloc(&s->arena, f->kind_count, sizeof(*rows));
    size_t count = 0;
    for (size_t j = 0; rows != NULL && j < f->kind_count; j++) {
        const struct sq_kind *kind = sq_family_kind(f, j);
        const struct sq_field *other = sq_table_find(&kind->table, row->key);
        if (other == NULL || kind->later || sq_schema_is_later(other)) {
            continue;
        }
        if (j < k) {
            return;
        }
        sq_schema_add_row(rows, &count, other);
    }
    s->failed |= rows == NULL;
    if (count > 0) {
        put_property(s, &(struct sq_schema_value){ rows, count, form, form == SQ_SCHEMA_CHANGE });
    }
}

/* A map without `kind`: its keys are those of all kinds. Whole only beside a preset. */
static void put_kindless(struct sq_schema *s, const struct sq_family *f, enum sq_schema_form form)
{
    sq_json_open_object(&s->w, NULL);
    sq_json_put_text(&s->w, "type", "object");
    sq_json_open_object(&s->w, "properties");
    if (f->has_preset) {
        put_preset_key(s);
    }
    for (size_t k = 0; k < f->kind_count; k++) {
        const struct sq_kind *kind = sq_family_kind(f, k);
        for (size_t i = 0; !kind->later && i < kind->table.row_count; i++) {
            put_shared_key(s, f, k, i, form);
        }
    }
    sq_json_close(&s->w);
    if (form == SQ_SCHEMA_WHOLE) {
        sq_json_open_array(&s->w, "required");
        sq_json_put_text(&s->w, NULL, "preset");
        sq_json_close(&s->w);
    }
    sq_json_put_bool(&s->w, "additionalProperties", false);
    sq_json_close(&s->w);
}

void sq_schema_put_kinds(struct sq_schema *s, const struct sq_family *f, enum sq_schema_form form)
{
    for (size_t k = 0; k < f->kind_count; k++) {
        const struct sq_kind *kind = sq_family_kind(f, k);
        bool dflt = f->dflt_kind != NULL && strcmp(kind->name, f->dflt_kind) == 0;
        struct sq_schema_object o = { .table = &kind->table,
                                      .kind = kind,
                                      .kind_required = form == SQ_SCHEMA_CHANGE || !dflt,
                                      .preset = f->has_preset,
                                      .form = form };
        if (!kind->later) {
            sq_json_open_object(&s->w, NULL);
            sq_schema_put_object(s, &o);
            sq_json_close(&s->w);
        }
    }
    if (form == SQ_SCHEMA_CHANGE || f->has_preset) {
        put_kindless(s, f, form);
    }
}
