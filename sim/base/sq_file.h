/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_file.h - whole files in and out. Output is written beside its target and renamed, so an
 * interrupted run leaves the old file or none. */
#ifndef SQ_FILE_H
#define SQ_FILE_H

#include "sim/base/sq_diag.h"

/* Reads a regular file of at most `limit` bytes into `out` (emptied first). SQ_USER with a
 * diagnostic when it is missing, a folder, unreadable or larger. */
enum sq_status sq_file_read(const char *path, size_t limit, struct sq_buf *out,
                            struct sq_diag *diag) SQ_MUST_USE;

/* Reads a file of any size piece by piece (at most 64 KiB each) and gives each to `piece`, until
 * that returns something other than SQ_OK. A pipe (/dev/stdin) is fine too. */
struct sq_file_pieces {
    enum sq_status (*piece)(void *ctx, const char *text, size_t len);
    void *ctx;
};
enum sq_status sq_file_each(const char *path, const struct sq_file_pieces *to,
                            struct sq_diag *diag) SQ_MUST_USE;

/* The last part of a path, which is all that results tell of it: where a scenario lies on this
 * machine is no part of its result. NULL for NULL. */
const char *sq_file_name(const char *path);

/* Makes the folder and its parents. SQ_USER when something that is no folder stands there or the
 * path may not be written. */
enum sq_status sq_file_folder(const char *path, struct sq_diag *diag) SQ_MUST_USE;

/* Removes the file `name` of a folder, if it is there: the one that vouches for the others, before
 * they are replaced, so that what an interrupted or failed write leaves is not taken for one whole.
 * A link, a folder or a device stays. */
void sq_file_forget(const char *folder, const char *name);

/* Whether a file may be written there: SQ_USER when `path` is a folder, or its own folder is not
 * there or may not be written to. NULL is no file, and fine. Asked before the work is done. */
enum sq_status sq_file_ready(const char *path, struct sq_diag *diag) SQ_MUST_USE;

/* Replaces `path` by the bytes: temporary file in the same folder, fsync, rename. SQ_IO when the
 * disk is full; the temporary file is gone then. SQ_USER when `path` is a folder, or its own is not
 * there or may not be written to. A link's target is replaced, not the link; devices and pipes are
 * written to directly. */
enum sq_status sq_file_write(const char *path, const void *bytes, size_t len,
                             struct sq_diag *diag) SQ_MUST_USE;

/* A file that is written piece by piece, and replaces `path` only when it is whole. */
struct sq_file_out {
    const char *path; /* borrowed until the end */
    char *target;     /* what is replaced */
    struct sq_buf name;
    int fd; /* -1: not open */
};
enum sq_status sq_file_begin(struct sq_file_out *f, const char *path,
                             struct sq_diag *diag) SQ_MUST_USE;
enum sq_status sq_file_add(struct sq_file_out *f, const void *bytes, size_t len,
                           struct sq_diag *diag) SQ_MUST_USE;
/* Puts it in place if `status` is SQ_OK, else takes it away; returns the first failure. */
enum sq_status sq_file_end(struct sq_file_out *f, enum sq_status status,
                           struct sq_diag *diag) SQ_MUST_USE;

#endif
