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

/* The last part of a path, which is all that results tell of it: where a scenario lies on this
 * machine is no part of its result. NULL for NULL. */
const char *sq_file_name(const char *path);

/* Makes the folder and its parents. SQ_USER when something that is no folder stands there or the
 * path may not be written. */
enum sq_status sq_file_folder(const char *path, struct sq_diag *diag) SQ_MUST_USE;

/* Replaces `path` by the bytes: temporary file in the same folder, fsync, rename. SQ_IO when the
 * disk is full or the folder may not be written; the temporary file is gone then. SQ_USER when
 * `path` is a folder. A link's target is replaced, not the link; devices and pipes are written to
 * directly. */
enum sq_status sq_file_write(const char *path, const void *bytes, size_t len,
                             struct sq_diag *diag) SQ_MUST_USE;

#endif
