/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_spark.h - the small chart of the terminal page, in block characters: calls to the busiest
 * dependency, the fullest queue, and below them what was down when. */
#ifndef PLT_SPARK_H
#define PLT_SPARK_H

#include "plots/plt_text.h"
#include "sim/core/sq_result.h"

/* Writes nothing when the result has no timeline or neither dependencies nor queues. */
void plt_spark(struct plt_text *t, const struct sq_result *r);

#endif
