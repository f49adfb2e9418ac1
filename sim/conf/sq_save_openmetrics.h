/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sq_save_openmetrics.h - the timeline of a result as OpenMetrics text, for the tools that watch
 * the real system: promtool makes blocks of it, and queries and dashboards run on them.
 *
 *     promtool tsdb create-blocks-from openmetrics FILE DATA
 *
 * A column `dependency.api.wasted_per_s` becomes the counter `squall_dependency_wasted_total` with
 * the labels dependency="api" and variant; levels become gauges, seconds get their unit. Calls are
 * `squall_dependency_calls_total` by `call` (first, retry), their ends `..._ends_total` by
 * `outcome`. Beside them stands, for queries written for the real system, the counter that a client
 * library keeps of the dependency `template-api`: `template_api_requests_total` by `status` (200
 * goodput, 500 error, 503 refused, 504 timed out). A sample per bin of the timeline of run 1. */
#ifndef SQ_SAVE_OPENMETRICS_H
#define SQ_SAVE_OPENMETRICS_H

#include "sim/base/sq_diag.h"
#include "sim/core/sq_result.h"

struct sq_openmetrics_ask {
    const char *path;
    int64_t start_s; /* of the simulation's zero, since 1970 */
};

/* Written piece by piece: memory does not grow with the timeline. SQ_IO when it cannot be. */
enum sq_status sq_save_openmetrics(const struct sq_result *r, const struct sq_openmetrics_ask *ask,
                                   struct sq_diag *diag) SQ_MUST_USE;

#endif
