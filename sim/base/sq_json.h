/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_json.h - JSON in and out, the one door to jansson.
 *
 * Writing: a struct sq_json_writer, zeroed, takes one root object or array, filled in the order in
 * which the text shall show it:
 *
 *     struct sq_json_writer w = { 0 };
 *     sq_json_open_object(&w, NULL);
 *     sq_json_put_text(&w, "title", title);
 *     sq_json_open_array(&w, "ci95");
 *     sq_json_put_number(&w, NULL, lo);
 *     sq_json_close(&w);
 *     sq_json_close(&w);
 *     status = sq_json_dump(&w, out);
 *     sq_json_writer_fini(&w);
 *
 * `key` is the name inside an object and NULL inside an array and for the root. Keys keep their
 * order; one key twice in an object is a bug. Running out of memory is remembered and returned by
 * sq_json_dump. Texts are copied; bytes that are not UTF-8 become U+FFFD.
 *
 * Reading: sq_json_parse gives a tree to be freed with sq_json_free; everything the getters return
 * is borrowed from it. */
#ifndef SQ_JSON_H
#define SQ_JSON_H

#include "sim/base/sq_diag.h"

struct sq_json; /* a value */

enum { SQ_JSON_DEPTH = 64 }; /* open objects and arrays of a writer; a JSON Schema has about 30 */

struct sq_json_writer {
    struct sq_json *root;
    struct sq_json *open[SQ_JSON_DEPTH]; /* borrowed from the root */
    size_t depth;
    bool failed;
};

void sq_json_open_object(struct sq_json_writer *w, const char *key);
void sq_json_open_array(struct sq_json_writer *w, const char *key);
void sq_json_close(struct sq_json_writer *w);

/* NULL text, NaN and infinite numbers are written as null. */
void sq_json_put_text(struct sq_json_writer *w, const char *key, const char *text);
void sq_json_put_number(struct sq_json_writer *w, const char *key, double number);
void sq_json_put_integer(struct sq_json_writer *w, const char *key, int64_t number);
/* Above 2^53 as a text: most readers of JSON keep 53 bits of a number. */
void sq_json_put_seed(struct sq_json_writer *w, const char *key, uint64_t seed);
void sq_json_put_bool(struct sq_json_writer *w, const char *key, bool value);
void sq_json_put_null(struct sq_json_writer *w, const char *key);

/* The finished text with a line end: two blanks per level, arrays of nothing but numbers and
 * nulls on one line, numbers as sq_buf_number writes them with nine significant digits (integers
 * in full). The same in every locale. Asserts that everything is closed. */
enum sq_status sq_json_dump(const struct sq_json_writer *w, struct sq_buf *out) SQ_MUST_USE;
void sq_json_writer_fini(struct sq_json_writer *w);

/* Reads one object or array and nothing behind it. SQ_USER with line and column when the text is
 * no JSON or holds a key twice. Numbers beyond the range of a double are no JSON here. */
enum sq_status sq_json_parse(const char *file, const char *text, size_t len, struct sq_diag *diag,
                             struct sq_json **out) SQ_MUST_USE;
void sq_json_free(struct sq_json *root);

enum sq_json_kind {
    SQ_JSON_NULL,
    SQ_JSON_BOOL,
    SQ_JSON_NUMBER,
    SQ_JSON_TEXT,
    SQ_JSON_ARRAY,
    SQ_JSON_OBJECT,
};

enum sq_json_kind sq_json_kind(const struct sq_json *v);

/* Items of an array or keys of an object; 0 for everything else and for NULL. */
size_t sq_json_count(const struct sq_json *v);

/* The value of a key, or NULL when there is none or `object` is none (NULL included). */
struct sq_json *sq_json_get(const struct sq_json *object, const char *key);

/* The i-th item of an array, from 0; NULL beyond its end or when `array` is none. */
struct sq_json *sq_json_at(const struct sq_json *array, size_t i);

/* Keys of an object in their order: the first one for `prev` NULL, else the one after `prev`,
 * which must have come from here; NULL after the last. */
const char *sq_json_next_key(struct sq_json *object, const char *prev);

/* The text, or NULL when the value is none (NULL included). */
const char *sq_json_text(const struct sq_json *v);

/* The number, or NaN when the value is none (NULL and null included). */
double sq_json_number(const struct sq_json *v);

/* A seed, as a whole number up to 2^53 or as digits in a text. False, and *out as it was, when the
 * value is neither (NULL included). */
bool sq_json_seed(const struct sq_json *v, uint64_t *out) SQ_MUST_USE;

/* True for the value true, false for everything else (NULL included). */
bool sq_json_true(const struct sq_json *v);

#endif
