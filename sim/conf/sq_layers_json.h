/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_layers_json.h - the part of summary.json that says who calls whom, and how often at most:
 *
 * "layers": [{"section", "caller", "dependency", "attempts", "tries", "times", "calls_per_job"}]
 *
 * Numbers without bound are the word "unlimited". A file without layers has none. */
#ifndef SQ_LAYERS_JSON_H
#define SQ_LAYERS_JSON_H

#include "sim/base/sq_json.h"
#include "sim/core/sq_result.h"

void sq_layers_write(struct sq_json_writer *w, const struct sq_result *r);

/* From the root of a summary into `r`. SQ_NOMEM; SQ_USER, without a diagnosis, when a layer is not
 * complete. */
enum sq_status sq_layers_read(struct sq_result *r, const struct sq_json *root) SQ_MUST_USE;

#endif
