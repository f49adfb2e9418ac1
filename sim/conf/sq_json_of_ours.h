/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_json_of_ours.h - a JSON file that squall wrote: {"squall": {"version", "format": 1}, ...}. */
#ifndef SQ_JSON_OF_OURS_H
#define SQ_JSON_OF_OURS_H

#include "sim/base/sq_json.h"

/* Reads the file; free *out with sq_json_free. SQ_USER when it cannot be read, is no JSON, none of
 * squall's or of a newer format; *out is untouched then. */
enum sq_status sq_json_of_ours(const char *path, struct sq_diag *diag,
                               struct sq_json **out) SQ_MUST_USE;

#endif
