/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_sweep.h - the page of a sweep on a terminal: for two keys a map of P(collapse), and of one
 * metric; otherwise the cells one below the other. */
#ifndef PLT_SWEEP_H
#define PLT_SWEEP_H

#include "plots/plt_page.h"
#include "sim/core/sq_grid.h"

/* Appends the page. `file`: the path of the table that was written, or NULL; `folder`: where the
 * cells are. SQ_NOMEM. */
enum sq_status plt_sweep(const struct sq_grid *g, const struct plt_term *term, const char *file,
                         const char *folder, struct sq_buf *out) SQ_MUST_USE;

#endif
