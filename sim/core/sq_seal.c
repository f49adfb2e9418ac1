/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_seal.c - lengths and hashes of the files of a result. */
#include "sim/core/sq_seal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/sq_file.h"
#include "sim/base/sq_hash.h"

enum { HASH_DIGITS = 16 };

struct sq_seal *sq_seals_begin(struct sq_seals *s, const char *name)
{
    SQ_ASSERT(s->count < SQ_SEALS_MAX);
    SQ_ASSERT(strlen(name) < SQ_SEAL_NAME);
    struct sq_seal *one = &s->items[s->count++];
    *one = (struct sq_seal){ .hash = SQ_HASH_BASIS };
    memcpy(one->name, name, strlen(name) + 1);
    return one;
}

void sq_seal_add(struct sq_seal *s, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '\r') {
            s->hash = sq_hash_byte(s->hash, (unsigned char)text[i]);
            s->bytes++;
        }
    }
}

/* ---- JSON ---- */

void sq_seals_write(const struct sq_seals *s, struct sq_json_writer *w)
{
    if (s->count == 0) {
        return;
    }
    sq_json_open_array(w, "files");
    for (size_t i = 0; i < s->count; i++) {
        char hash[HASH_DIGITS + 1];
        (void)snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->items[i].hash);
        sq_json_open_object(w, NULL);
        sq_json_put_text(w, "name", s->items[i].name);
        sq_json_put_integer(w, "bytes", (int64_t)s->items[i].bytes);
        sq_json_put_text(w, "hash", hash);
        sq_json_close(w);
    }
    sq_json_close(w);
}

/* Our own spelling: 16 hexadecimal digits. */
static bool read_hash(const char *text, uint64_t *out)
{
    if (text == NULL || strlen(text) != HASH_DIGITS ||
        strspn(text, "0123456789abcdef") != HASH_DIGITS) {
        return false;
    }
    *out = strtoull(text, NULL, 16);
    return true;
}

static bool read_seal(struct sq_seals *out, const struct sq_json *from)
{
    const char *name = sq_json_text(sq_json_get(from, "name"));
    double bytes = sq_json_number(sq_json_get(from, "bytes"));
    if (name == NULL || strlen(name) >= SQ_SEAL_NAME || !(bytes >= 0 && bytes < 9e15) ||
        floor(bytes) != bytes || out->count == SQ_SEALS_MAX) {
        return false;
    }
    struct sq_seal *one = sq_seals_begin(out, name);
    one->bytes = (uint64_t)bytes;
    return read_hash(sq_json_text(sq_json_get(from, "hash")), &one->hash);
}

bool sq_seals_read(struct sq_seals *out, const struct sq_json *root)
{
    const struct sq_json *list = sq_json_get(root, "files");
    *out = (struct sq_seals){ 0 };
    bool fine = list == NULL || sq_json_kind(list) == SQ_JSON_ARRAY;
    for (size_t i = 0; i < sq_json_count(list) && fine; i++) {
        fine = read_seal(out, sq_json_at(list, i));
    }
    return fine;
}

/* ---- checking ---- */

static const struct sq_seal *find(const struct sq_seals *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->items[i].name, name) == 0) {
            return &s->items[i];
        }
    }
    return NULL;
}

bool sq_seals_has(const struct sq_seals *s, const char *name)
{
    return find(s, name) != NULL;
}

enum sq_status sq_seals_check(const struct sq_seals *s, const char *path, const struct sq_buf *text,
                              struct sq_diag *diag)
{
    static const char hint[] = "run it again with --out, or bring the file back";
    const struct sq_seal *written = find(s, sq_file_name(path));
    struct sq_seals own = { 0 };
    struct sq_seal *now = sq_seals_begin(&own, "");
    sq_seal_add(now, text->text, text->len);
    if (written == NULL || (now->bytes == written->bytes && now->hash == written->hash)) {
        return SQ_OK;
    }
    struct sq_where where = { .file = path };
    if (now->bytes == written->bytes) {
        return sq_diag_error(diag, where, NULL, hint,
                             "this is not the file that was written with this result: as long, "
                             "but its content is another");
    }
    return sq_diag_error(diag, where, NULL, hint,
                         "this is not the file that was written with this result: %s (%llu bytes, "
                         "not %llu)",
                         now->bytes < written->bytes ? "it is cut or another one" : "it is longer",
                         (unsigned long long)now->bytes, (unsigned long long)written->bytes);
}
