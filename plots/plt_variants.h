/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_variants.h - variants side by side: a small course of run 1 for each, calls against the
 * capacity and the jobs that wait, all on the same scales, under what came of it in all runs. */
#ifndef PLT_VARIANTS_H
#define PLT_VARIANTS_H

#include "plots/plt_canvas.h"
#include "sim/core/sq_result.h"

enum { PLT_VARIANTS_MAX = 24 };

/* What of the results counts: the first PLT_VARIANTS_MAX with a timeline. `headline` becomes the
 * title. SQ_NOMEM; SQ_IO when there is no font. */
enum sq_status plt_chart_variants(const struct sq_result *const *results, size_t count,
                                  const char *headline, struct plt_look look,
                                  struct sq_buf *out) SQ_MUST_USE;

#endif
