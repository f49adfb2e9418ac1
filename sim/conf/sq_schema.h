/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_schema.h - field rows as JSON Schema 2020-12, for editors and validators.
 *
 * What a scenario accepts the schema accepts, shorthands included. The schema is looser where it
 * cannot look: names that must exist, sums over several keys, bounds of values written with a unit,
 * conditions of a table's `check`. Keys and kinds of later versions are left out.
 *
 * A RAW row may state its value as JSON text under `more`; it may refer to #/$defs/variant (an
 * overlay of the whole file), #/$defs/presets (blocks by type and name) and the scalars
 * (#/$defs/scalar-name, ...). */
#ifndef SQ_SCHEMA_H
#define SQ_SCHEMA_H

#include "sim/conf/sq_field.h"

struct sq_schema_ask {
    const struct sq_table *table; /* of the whole file */
    const char *id, *title, *doc;
};

/* Appends the schema to `out`, with a line end. Only lack of memory makes it fail. */
enum sq_status sq_schema_write(const struct sq_schema_ask *ask, struct sq_buf *out) SQ_MUST_USE;

#endif
