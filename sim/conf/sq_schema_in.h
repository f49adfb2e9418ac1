/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_schema_in.h - what the files of sq_schema.h share; only sq_schema*.c include it. */
#ifndef SQ_SCHEMA_IN_H
#define SQ_SCHEMA_IN_H

#include "sim/base/sq_json.h"
#include "sim/conf/sq_schema.h"

enum sq_schema_form { SQ_SCHEMA_WHOLE, SQ_SCHEMA_CHANGE, SQ_SCHEMA_SHORT };

struct sq_schema_def {
    const struct sq_field *row; /* GROUP or BLOCK */
    enum sq_schema_form form;
    const char *name;
    struct sq_schema_def *next;
};

struct sq_schema {
    struct sq_json_writer w;
    struct sq_arena arena;
    struct sq_schema_def *first, *last; /* in the order in which they were needed */
    bool failed;
};

struct sq_schema_value {
    const struct sq_field *const *rows; /* the value is of one of these */
    size_t count;
    enum sq_schema_form form;
    bool null;
};

struct sq_schema_object {
    const struct sq_table *table;
    const struct sq_kind *kind; /* of a block, or NULL */
    bool kind_required, preset, extends;
    enum sq_schema_form form;
};

bool sq_schema_is_later(const struct sq_field *row);

/* The keywords for a value, into the open object. */
void sq_schema_put_value(struct sq_schema *s, const struct sq_schema_value *v);

/* The keywords for a map of keys, into the open object. */
void sq_schema_put_object(struct sq_schema *s, const struct sq_schema_object *o);

/* The maps that a block may be, as items of the open array. */
void sq_schema_put_kinds(struct sq_schema *s, const struct sq_family *f, enum sq_schema_form form);

/* Adds a row unless one like it is there. */
void sq_schema_add_row(const struct sq_field **rows, size_t *count, const struct sq_field *row);

/* The definitions #/$defs/scalar-... */
void sq_schema_put_scalars(struct sq_json_writer *w);

/* The keywords for a scalar of this row, without `none` and `unlimited`, into the open object. */
void sq_schema_put_leaf(struct sq_json_writer *w, const struct sq_field *row);

/* {"enum": ["none", "unlimited"]}: the words that may stand for a value. `none`, `unlimited`: which
 * of the two. An item of the open array. */
void sq_schema_put_words(struct sq_json_writer *w, bool none, bool unlimited);

/* "default", as a program would write it; nothing for a row without. */
enum sq_status sq_schema_put_default(struct sq_json_writer *w, const struct sq_field *row,
                                     struct sq_arena *arena) SQ_MUST_USE;

/* The keys of an object written as JSON text, into the open object. */
enum sq_status sq_schema_put_text(struct sq_json_writer *w, const char *json) SQ_MUST_USE;

/* A part of another schema: {"$ref": "#/$defs/NAME"} without the braces. */
void sq_schema_put_ref(struct sq_json_writer *w, const char *name);

/* `a..b` of durations, as an item of the open array. */
void sq_schema_put_range(struct sq_json_writer *w);

#endif
