/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_schema_leaf.c - scalars, defaults and ready-made parts of a schema. */
#include "sim/conf/sq_schema_in.h"

#include "sim/base/sq_limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scalars as sq_unit.h reads them: as a text, and where there is no unit as a number. */
#define DIGITS   "[0-9]+(\\.[0-9]+)?"
#define REAL     DIGITS "([eE][-+]?[0-9]+)?"
#define PERCENT  "(100(\\.0+)?|[0-9]?[0-9](\\.[0-9]+)?)%"
#define DURATION "([0-9]+(d|h|m|s|ms))*" DIGITS "(d|h|m|s|ms|us)"

struct scalar {
    const char *name, *pattern, *doc;
    const char *number; /* the type of the form without unit; NULL: there is none */
    double most;        /* of that form; 0: no bound */
};

static const struct scalar scalars[] = {
    { "scalar-duration", "^" DURATION "$", "A duration such as 20ms, 5s or 1h30m.", NULL, 0 },
    { "scalar-rate", "^" REAL "[kMG]?/[smh]$", "A rate such as 500/s or 30/m.", NULL, 0 },
    { "scalar-ratio", "^(" PERCENT "|" REAL ")$", "A share such as 20% or 0.2.", "number", 1 },
    { "scalar-count", "^" DIGITS "[kMG]?$", "A whole number such as 40 or 60k.", "integer",
      1099511627775.0 },
    { "scalar-size", "^" DIGITS "([kMGT]?B|[KMGT]iB)$", "A size such as 20kB or 512MiB.", NULL, 0 },
    { "scalar-seed", "^" DIGITS "[kMG]?$", "A whole number below 2^64.", "integer", 0 },
    { "scalar-number", "^" REAL "$", "A number such as 1.5.", "number", 0 },
    { "scalar-quantity",
      "^(" REAL "|" DIGITS "[kMG]|" DURATION "|" REAL "[kMG]?/[smh]|" PERCENT ")$",
      "A value in the unit of what it is compared with: 750, 30s, 10/s or 70%.", "number", 0 },
};

void sq_schema_put_ref(struct sq_json_writer *w, const char *name)
{
    char ref[96];
    (void)snprintf(ref, sizeof(ref), "#/$defs/%s", name);
    sq_json_put_text(w, "$ref", ref);
}

void sq_schema_put_scalars(struct sq_json_writer *w)
{
    for (size_t i = 0; i < SQ_COUNT(scalars); i++) {
        const struct scalar *s = &scalars[i];
        sq_json_open_object(w, s->name);
        sq_json_put_text(w, "description", s->doc);
        if (s->number != NULL) {
            sq_json_open_array(w, "type");
            sq_json_put_text(w, NULL, s->number);
            sq_json_put_text(w, NULL, "string");
            sq_json_close(w);
            sq_json_put_integer(w, "minimum", 0);
        } else {
            sq_json_put_text(w, "type", "string");
        }
        if (s->most > 0) {
            sq_json_put_integer(w, "maximum", (int64_t)s->most);
        }
        sq_json_put_text(w, "pattern", s->pattern);
        sq_json_close(w);
    }
    sq_json_open_object(w, "scalar-name");
    sq_json_put_text(w, "description", "Lower-case letters, digits and `-`, a letter first.");
    sq_json_put_text(w, "type", "string");
    sq_json_put_text(w, "pattern", "^[a-z][a-z0-9-]*$");
    sq_json_put_integer(w, "maxLength", SQ_MAX_NAME);
    sq_json_close(w);
}

void sq_schema_put_range(struct sq_json_writer *w)
{
    sq_json_open_object(w, NULL);
    sq_json_put_text(w, "description", "Uniform between two values: 5s..15s.");
    sq_json_put_text(w, "type", "string");
    sq_json_put_text(w, "pattern", "^" DURATION "\\.\\." DURATION "$");
    sq_json_close(w);
}

static void put_bound(struct sq_json_writer *w, const char *key, double bound)
{
    if (fabs(bound) < 9e15 && bound == floor(bound)) {
        sq_json_put_integer(w, key, (int64_t)bound);
    } else {
        sq_json_put_number(w, key, bound);
    }
}

/* Bounds of the form without unit. */
static void put_bounds(struct sq_json_writer *w, const struct sq_field *row)
{
    bool open = row->min == 0 && row->max == 0, above = (row->flags & SQ_F_ABOVE_MIN) != 0;
    if (row->min != 0 || above) {
        put_bound(w, above ? "exclusiveMinimum" : "minimum", row->min);
    }
    if (!open && row->max >= row->min) {
        put_bound(w, "maximum", row->max);
    }
}

/* Of a value with a unit only nought can be told from the others. */
static void refuse_nought(struct sq_json_writer *w, const struct sq_field *row)
{
    if (row->min > 0 || (row->flags & SQ_F_ABOVE_MIN) != 0) {
        sq_json_open_object(w, "not");
        sq_json_put_text(w, "type", "string");
        sq_json_put_text(w, "pattern", "^[0.]+[^1-9]*$");
        sq_json_close(w);
    }
}

static void put_choice(struct sq_json_writer *w, const struct sq_field *row)
{
    const char *const *words = row->more;
    sq_json_open_array(w, "enum");
    for (size_t i = 0; words[i] != NULL; i++) {
        sq_json_put_text(w, NULL, words[i]);
    }
    sq_json_close(w);
}

static void put_any_scalar(struct sq_json_writer *w)
{
    sq_json_open_array(w, "type");
    sq_json_put_text(w, NULL, "string");
    sq_json_put_text(w, NULL, "number");
    sq_json_put_text(w, NULL, "boolean");
    sq_json_close(w);
}

/* A count with its sign: YAML reads +5 and -2 as numbers. */
static void put_change(struct sq_json_writer *w)
{
    sq_json_open_array(w, "type");
    sq_json_put_text(w, NULL, "integer");
    sq_json_put_text(w, NULL, "string");
    sq_json_close(w);
    sq_json_put_text(w, "pattern", "^[-+]?" DIGITS "[kMG]?$");
}

void sq_schema_put_leaf(struct sq_json_writer *w, const struct sq_field *row)
{
    static const char *const refs[] = {
        [SQ_TIME] = "scalar-duration",     [SQ_RATE] = "scalar-rate", [SQ_RATIO] = "scalar-ratio",
        [SQ_AMOUNT] = "scalar-count",      [SQ_SIZE] = "scalar-size", [SQ_NUMBER] = "scalar-number",
        [SQ_QUANTITY] = "scalar-quantity", [SQ_SEED] = "scalar-seed",
    };
    if ((row->flags & SQ_F_SIGNED) != 0) {
        put_change(w);
    } else if (row->type <= SQ_QUANTITY) {
        sq_schema_put_ref(w, refs[row->type]);
        if (row->type == SQ_RATIO || row->type == SQ_AMOUNT || row->type == SQ_NUMBER) {
            put_bounds(w, row);
        }
        refuse_nought(w, row);
    } else if (row->type == SQ_BOOL) {
        sq_json_put_text(w, "type", "boolean");
    } else if (row->type == SQ_TEXT) {
        put_any_scalar(w);
    } else if (row->type == SQ_CHOICE) {
        put_choice(w, row);
    } else {
        SQ_ASSERT(row->type == SQ_REF);
        sq_schema_put_ref(w, "scalar-name");
    }
}

void sq_schema_put_words(struct sq_json_writer *w, bool none, bool unlimited)
{
    sq_json_open_object(w, NULL);
    sq_json_open_array(w, "enum");
    if (none) {
        sq_json_put_text(w, NULL, "none");
    }
    if (unlimited) {
        sq_json_put_text(w, NULL, "unlimited");
    }
    sq_json_close(w);
    sq_json_close(w);
}

/* ---- defaults ---- */

static void put_node(struct sq_json_writer *w, const char *key, const struct sq_node *n);

static void put_items(struct sq_json_writer *w, const struct sq_node *n)
{
    for (size_t i = 0; i < n->count; i++) {
        put_node(w, n->kind == SQ_NODE_MAP ? n->keys[i] : NULL, n->items[i]);
    }
    sq_json_close(w);
}

static void put_node(struct sq_json_writer *w, const char *key, const struct sq_node *n)
{
    if (n->kind == SQ_NODE_MAP) {
        sq_json_open_object(w, key);
        put_items(w, n);
    } else if (n->kind == SQ_NODE_LIST) {
        sq_json_open_array(w, key);
        put_items(w, n);
    } else if (strcmp(n->text, "true") == 0 || strcmp(n->text, "false") == 0) {
        sq_json_put_bool(w, key, n->text[0] == 't');
    } else if (n->text[0] != '\0' && n->text[strspn(n->text, "0123456789.")] == '\0') {
        sq_json_put_number(w, key, strtod(n->text, NULL));
    } else {
        sq_json_put_text(w, key, n->text);
    }
}

enum sq_status sq_schema_put_default(struct sq_json_writer *w, const struct sq_field *row,
                                     struct sq_arena *arena)
{
    struct sq_diag diag = { 0 };
    struct sq_node *node = NULL;
    if (row->dflt == NULL) {
        return SQ_OK;
    }
    enum sq_status status =
        sq_doc_parse("default", row->dflt, strlen(row->dflt), arena, &diag, &node);
    SQ_ASSERT(status != SQ_USER);
    if (status == SQ_OK) {
        put_node(w, "default", node);
    }
    sq_diag_fini(&diag);
    return status;
}

/* ---- JSON from text ---- */

static void put_json(struct sq_json_writer *w, const char *key, struct sq_json *v);

static void put_keys(struct sq_json_writer *w, struct sq_json *object)
{
    const char *key = sq_json_next_key(object, NULL);
    for (; key != NULL; key = sq_json_next_key(object, key)) {
        put_json(w, key, sq_json_get(object, key));
    }
}

static void put_json(struct sq_json_writer *w, const char *key, struct sq_json *v)
{
    int kind = (int)sq_json_kind(v);
    if (kind == SQ_JSON_OBJECT) {
        sq_json_open_object(w, key);
        put_keys(w, v);
        sq_json_close(w);
    } else if (kind == SQ_JSON_ARRAY) {
        sq_json_open_array(w, key);
        for (size_t i = 0; i < sq_json_count(v); i++) {
            put_json(w, NULL, sq_json_at(v, i));
        }
        sq_json_close(w);
    } else if (kind == SQ_JSON_TEXT) {
        sq_json_put_text(w, key, sq_json_text(v));
    } else if (kind == SQ_JSON_NUMBER) {
        put_bound(w, key, sq_json_number(v));
    } else if (kind == SQ_JSON_BOOL) {
        sq_json_put_bool(w, key, sq_json_true(v));
    } else {
        sq_json_put_null(w, key);
    }
}

enum sq_status sq_schema_put_text(struct sq_json_writer *w, const char *json)
{
    struct sq_diag diag = { 0 };
    struct sq_json *root = NULL;
    enum sq_status status = sq_json_parse("schema", json, strlen(json), &diag, &root);
    SQ_ASSERT(status != SQ_USER);
    if (status == SQ_OK) {
        put_keys(w, root);
        sq_json_free(root);
    }
    sq_diag_fini(&diag);
    return status;
}
