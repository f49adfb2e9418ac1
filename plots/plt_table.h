/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_table.h - the result table of the terminal page: outcome first, then how the backlog went,
 * jobs by their end, then every dependency, control, queue and group of workers. */
#ifndef PLT_TABLE_H
#define PLT_TABLE_H

#include "plots/plt_text.h"
#include "sim/core/sq_result.h"

/* With several runs every number is the median, with the 10 % and 90 % quantiles below or beside
 * it. Running out of memory is remembered in t->out->failed. */
void plt_table(struct plt_text *t, const struct sq_result *r);

#endif
