/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_json.c - JSON in and out through jansson, which keeps the tree, checks the encoding, quotes
 * texts and reads. The walk that writes a tree is ours, for one reason: releases of jansson print
 * the same real number differently (1e20, 1e+20), and results must be the same bytes everywhere. */
#include "sim/base/sq_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "sim/base/sq_utf8.h"

static const uint64_t NUMBER_MOST = UINT64_C(1) << 53; /* whole numbers that a double holds */

static json_t *inner(struct sq_json *v)
{
    return (json_t *)(void *)v;
}

static const json_t *inner_const(const struct sq_json *v)
{
    return (const json_t *)(const void *)v;
}

static struct sq_json *outer(json_t *v)
{
    return (struct sq_json *)(void *)v;
}

/* Puts a new value (owned from here on) where the writer stands. */
static void put(struct sq_json_writer *w, const char *key, json_t *value)
{
    if (w->failed || value == NULL) {
        json_decref(value);
        w->failed = true;
        return;
    }
    SQ_ASSERT(w->depth > 0);
    json_t *at = inner(w->open[w->depth - 1]);
    int rc;
    if (json_is_object(at)) {
        SQ_ASSERT(key != NULL);
        SQ_ASSERT(json_object_get(at, key) == NULL);
        rc = json_object_set_new(at, key, value);
    } else {
        SQ_ASSERT(key == NULL);
        rc = json_array_append_new(at, value);
    }
    w->failed = rc != 0;
}

static void open_value(struct sq_json_writer *w, const char *key, json_t *value)
{
    SQ_ASSERT(w->depth < SQ_JSON_DEPTH);
    if (w->depth == 0) {
        SQ_ASSERT(key == NULL);
        SQ_ASSERT(w->root == NULL);
        w->root = outer(value);
        w->failed = w->failed || value == NULL;
    } else {
        put(w, key, value);
    }
    w->open[w->depth] = outer(w->failed ? NULL : value);
    w->depth++;
}

void sq_json_open_object(struct sq_json_writer *w, const char *key)
{
    open_value(w, key, json_object());
}

void sq_json_open_array(struct sq_json_writer *w, const char *key)
{
    open_value(w, key, json_array());
}

void sq_json_close(struct sq_json_writer *w)
{
    SQ_ASSERT(w->depth > 0);
    w->depth--;
}

/* json_string refuses what is not UTF-8, and file names may be anything: mend it first. */
static json_t *new_text(const char *text)
{
    struct sq_buf clean = { 0 };
    for (const char *s = text; *s != '\0';) {
        size_t len = sq_utf8_length(s);
        if (len == 0) {
            sq_buf_puts(&clean, "\xef\xbf\xbd");
            s++;
        } else {
            sq_buf_add(&clean, s, len);
            s += len;
        }
    }
    json_t *value = clean.failed ? NULL : json_stringn(clean.len > 0 ? clean.text : "", clean.len);
    sq_buf_fini(&clean);
    return value;
}

void sq_json_put_text(struct sq_json_writer *w, const char *key, const char *text)
{
    put(w, key, text == NULL ? json_null() : new_text(text));
}

void sq_json_put_number(struct sq_json_writer *w, const char *key, double number)
{
    put(w, key, isfinite(number) ? json_real(number) : json_null());
}

void sq_json_put_integer(struct sq_json_writer *w, const char *key, int64_t number)
{
    put(w, key, json_integer(number));
}

void sq_json_put_seed(struct sq_json_writer *w, const char *key, uint64_t seed)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
    put(w, key, seed <= NUMBER_MOST ? json_integer((json_int_t)seed) : json_string(text));
}

void sq_json_put_bool(struct sq_json_writer *w, const char *key, bool value)
{
    put(w, key, value ? json_true() : json_false());
}

void sq_json_put_null(struct sq_json_writer *w, const char *key)
{
    put(w, key, json_null());
}

static void dump_break(struct sq_buf *out, size_t level)
{
    sq_buf_putc(out, '\n');
    for (size_t i = 0; i < level; i++) {
        sq_buf_puts(out, "  ");
    }
}

static int dump_bytes(const char *bytes, size_t len, void *out)
{
    sq_buf_add(out, bytes, len);
    return 0;
}

static void dump_leaf(json_t *v, struct sq_buf *out)
{
    if (json_is_real(v)) {
        sq_buf_number(out, json_real_value(v), 9);
    } else if (json_dump_callback(v, dump_bytes, out, JSON_ENCODE_ANY) != 0) {
        out->failed = true;
    }
}

static void dump_key(const char *key, struct sq_buf *out)
{
    json_t *text = json_string(key);
    if (text == NULL) {
        out->failed = true;
        return;
    }
    dump_leaf(text, out);
    json_decref(text);
    sq_buf_puts(out, ": ");
}

static bool is_flat(const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        if (!json_is_number(item) && !json_is_null(item)) {
            return false;
        }
    }
    return true;
}

static void dump_value(json_t *v, size_t level, struct sq_buf *out);

static void dump_array(json_t *array, size_t level, struct sq_buf *out)
{
    bool flat = is_flat(array);
    sq_buf_putc(out, '[');
    for (size_t i = 0; i < json_array_size(array); i++) {
        sq_buf_puts(out, i == 0 ? "" : flat ? ", " : ",");
        if (!flat) {
            dump_break(out, level + 1);
        }
        dump_value(json_array_get(array, i), level + 1, out);
    }
    if (!flat) {
        dump_break(out, level);
    }
    sq_buf_putc(out, ']');
}

static void dump_object(json_t *object, size_t level, struct sq_buf *out)
{
    sq_buf_putc(out, '{');
    const char *key = NULL;
    const char *comma = "";
    while ((key = sq_json_next_key(outer(object), key)) != NULL) {
        sq_buf_puts(out, comma);
        comma = ",";
        dump_break(out, level + 1);
        dump_key(key, out);
        dump_value(json_object_get(object, key), level + 1, out);
    }
    if (json_object_size(object) > 0) {
        dump_break(out, level);
    }
    sq_buf_putc(out, '}');
}

/* Recursion ends: a tree of the writer is at most SQ_JSON_DEPTH deep. */
static void dump_value(json_t *v, size_t level, struct sq_buf *out)
{
    if (json_is_object(v)) {
        dump_object(v, level, out);
    } else if (json_is_array(v)) {
        dump_array(v, level, out);
    } else {
        dump_leaf(v, out);
    }
}

enum sq_status sq_json_dump(const struct sq_json_writer *w, struct sq_buf *out)
{
    SQ_ASSERT(w->depth == 0);
    if (w->failed) {
        return SQ_NOMEM;
    }
    SQ_ASSERT(w->root != NULL);
    dump_value(inner(w->root), 0, out);
    sq_buf_putc(out, '\n');
    return out->failed ? SQ_NOMEM : SQ_OK;
}

void sq_json_writer_fini(struct sq_json_writer *w)
{
    sq_json_free(w->root);
    *w = (struct sq_json_writer){ 0 };
}

enum sq_status sq_json_parse(const char *file, const char *text, size_t len, struct sq_diag *diag,
                             struct sq_json **out)
{
    json_error_t error;
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;
    json_t *root = json_loadb(text, len, flags, &error);
    if (root != NULL) {
        *out = outer(root);
        return SQ_OK;
    }
    if (json_error_code(&error) == json_error_out_of_memory) {
        return SQ_NOMEM;
    }
    struct sq_where where = { file, error.line > 0 ? (uint32_t)error.line : 1,
                              error.column > 0 ? (uint32_t)error.column : 1 };
    return sq_diag_error(diag, where, NULL, NULL, "cannot be read as JSON: %s", error.text);
}

void sq_json_free(struct sq_json *root)
{
    json_decref(inner(root));
}

enum sq_json_kind sq_json_kind(const struct sq_json *v)
{
    switch (json_typeof(inner_const(v))) {
    case JSON_OBJECT:
        return SQ_JSON_OBJECT;
    case JSON_ARRAY:
        return SQ_JSON_ARRAY;
    case JSON_STRING:
        return SQ_JSON_TEXT;
    case JSON_INTEGER:
    case JSON_REAL:
        return SQ_JSON_NUMBER;
    case JSON_TRUE:
    case JSON_FALSE:
        return SQ_JSON_BOOL;
    case JSON_NULL:
        break;
    }
    return SQ_JSON_NULL;
}

size_t sq_json_count(const struct sq_json *v)
{
    return json_object_size(inner_const(v)) + json_array_size(inner_const(v));
}

struct sq_json *sq_json_get(const struct sq_json *object, const char *key)
{
    return outer(json_object_get(inner_const(object), key));
}

struct sq_json *sq_json_at(const struct sq_json *array, size_t i)
{
    return outer(json_array_get(inner_const(array), i));
}

const char *sq_json_next_key(struct sq_json *object, const char *prev)
{
    json_t *o = inner(object);
    void *at =
        prev == NULL ? json_object_iter(o) : json_object_iter_next(o, json_object_iter_at(o, prev));
    return at == NULL ? NULL : json_object_iter_key(at);
}

const char *sq_json_text(const struct sq_json *v)
{
    return json_string_value(inner_const(v));
}

double sq_json_number(const struct sq_json *v)
{
    const json_t *number = inner_const(v);
    return json_is_number(number) ? json_number_value(number) : (double)NAN;
}

bool sq_json_seed(const struct sq_json *v, uint64_t *out)
{
    const char *text = sq_json_text(v);
    if (text != NULL) {
        char *end = NULL;
        errno = 0;
        unsigned long long seed = strtoull(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
            return false;
        }
        *out = seed;
        return true;
    }
    double number = sq_json_number(v);
    if (!(number >= 0 && number <= (double)NUMBER_MOST && floor(number) == number)) {
        return false;
    }
    *out = (uint64_t)number;
    return true;
}

bool sq_json_true(const struct sq_json *v)
{
    return json_is_true(inner_const(v));
}
