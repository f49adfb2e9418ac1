/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_seal.h - which files belong to a result: the length and a hash of each, kept in the one that
 * is written last. A file that was cut, changed or taken from another result is known when it is
 * read.
 *
 * In JSON: "files": [{"name": "runs.csv", "bytes": 5120, "hash": "91b8a1f04c0d2e6b"}, ...], with
 * the hash of sq_hash.h. Carriage returns count for neither, because version control may add and
 * take them. */
#ifndef SQ_SEAL_H
#define SQ_SEAL_H

#include "sim/base/sq_json.h"

enum { SQ_SEALS_MAX = 8, SQ_SEAL_NAME = 32 };

struct sq_seal {
    char name[SQ_SEAL_NAME]; /* in the folder of the result; shorter than this */
    uint64_t bytes, hash;
};
struct sq_seals { /* zeroed: none */
    size_t count;
    struct sq_seal items[SQ_SEALS_MAX];
};

/* Begins the seal of a file; its text is added in pieces of any size. Asserts that there is room.
 */
struct sq_seal *sq_seals_begin(struct sq_seals *s, const char *name);
void sq_seal_add(struct sq_seal *s, const char *text, size_t len);

/* Puts the key "files" into the open object; nothing when there are none. */
void sq_seals_write(const struct sq_seals *s, struct sq_json_writer *w);

/* Reads them from a root object: none where the key is missing, as older versions left it. False
 * when it is there and not complete. */
bool sq_seals_read(struct sq_seals *out, const struct sq_json *root) SQ_MUST_USE;

/* Whether the file of that name has a seal. */
bool sq_seals_has(const struct sq_seals *s, const char *name);

/* Whether a text is the one that was sealed under the name of its file: SQ_USER, with a sentence at
 * `path`, when it is not. A name without a seal is fine. */
enum sq_status sq_seals_check(const struct sq_seals *s, const char *path, const struct sq_buf *text,
                              struct sq_diag *diag) SQ_MUST_USE;

#endif
