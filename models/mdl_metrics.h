/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_metrics.h - the metrics of SCENARIO 13: names, in a fixed order for a scenario, and their
 * values after a run. */
#ifndef MDL_METRICS_H
#define MDL_METRICS_H

#include "models/mdl_probe.h"

/* Calls `put` for every metric, in the same order for every world of a scenario. Values are right
 * only after the run; `word` is non-NULL for metrics that are words. Order statistics sort the
 * samples of the probe. */
typedef void mdl_metric_put(void *ctx, const char *name, double number, const char *word);
void mdl_metrics_each(struct mdl_world *w, mdl_metric_put *put, void *ctx);

#endif
