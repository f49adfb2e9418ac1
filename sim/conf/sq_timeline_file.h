/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_timeline_file.h - the timeline of a result as timeline.csv: time_s, the columns of the first
 * run, the bands; as many rows as the longer has. Numbers are floats, with the seven digits that
 * those vouch for (counts up to 2^24 in full), and times have all digits. Back: sq_load_timeline.h.
 */
#ifndef SQ_TIMELINE_FILE_H
#define SQ_TIMELINE_FILE_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_result.h"
#include "sim/core/sq_seal.h"

/* The whole text. */
enum sq_status sq_save_timeline(const struct sq_result *r, struct sq_buf *out) SQ_MUST_USE;

/* The same text into a file, of which some 64 KiB are in memory at a time; a timeline of days in
 * seconds has 100 MB. Replaces the file when it is whole (sq_file.h); its seal is filled. */
enum sq_status sq_timeline_write(const struct sq_result *r, const char *path, struct sq_seal *seal,
                                 struct sq_diag *diag) SQ_MUST_USE;

#endif
