/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_diag.h - what is wrong with the user's input, collected so that up to 20 mistakes are shown
 * at once. One line each, as compilers print them:
 *
 *     scenarios/herd.yaml:14:18: workers.pool.slots: 0 is below the minimum 1
 *         hint: a replica needs at least one slot
 *
 * Texts are copied; the struct owns them until sq_diag_fini. A zeroed struct is empty. */
#ifndef SQ_DIAG_H
#define SQ_DIAG_H

#include "sim/base/sq_buf.h"

enum { SQ_DIAG_SHOWN = 20 };

enum sq_severity { SQ_ERROR, SQ_WARNING, SQ_NOTE };

/* A place in a file. Lines and columns count from 1; 0 means unknown. `file` is borrowed; a
 * complaint keeps a copy. */
struct sq_where {
    const char *file;
    uint32_t line, col;
};

struct sq_complaint {
    enum sq_severity severity;
    struct sq_where where; /* its file is the one below */
    char *file;            /* may be NULL, as path and hint */
    char *path, *text, *hint;
};

struct sq_diag {
    struct sq_complaint *items;
    size_t count, size;
    size_t errors; /* errors counted, the ones not kept (beyond SQ_DIAG_SHOWN) included */
    bool failed;   /* out of memory while noting one */
};

void sq_diag_fini(struct sq_diag *d);

/* Notes an error. `path` is the key's path ("workers.pool.slots") or NULL, `hint` what to do or
 * NULL. Returns SQ_USER so that a caller can write `return sq_diag_error(...)`. */
enum sq_status sq_diag_error(struct sq_diag *d, struct sq_where where, const char *path,
                             const char *hint, const char *fmt, ...) SQ_PRINTF(5, 6);

void sq_diag_warn(struct sq_diag *d, struct sq_where where, const char *path, const char *hint,
                  const char *fmt, ...) SQ_PRINTF(5, 6);

/* What is good to know though nothing is wrong. */
void sq_diag_note(struct sq_diag *d, const char *file, const char *fmt, ...) SQ_PRINTF(3, 4);

/* Prints everything in the order it was noted; "(N more errors)" where some were not kept. */
void sq_diag_print(const struct sq_diag *d, struct sq_buf *out);

/* The closest of `count` names to `word` within edit distance max(1, length/3), or NULL.
 * Ties go to the first. For "did you mean". */
const char *sq_diag_closest(const char *word, const char *const *names, size_t count);

#endif
