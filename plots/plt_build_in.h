/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_build_in.h - what the makers of panels share. A column that is not there is NULL, and then
 * nothing is added. */
#ifndef PLT_BUILD_IN_H
#define PLT_BUILD_IN_H

#include "plots/plt_build.h"

void plt_build_panel(struct plt_build *b, const struct plt_panel *p, double height);
void plt_build_area(struct plt_panel *p, const float *bins, const char *name, struct plt_ink ink);
void plt_build_line(struct plt_panel *p, const float *bins, const char *name, struct plt_pen pen);

/* The largest value of a column, 0 for none; and "limit 40" of it as a kept text. */
double plt_build_max(const struct plt_build *b, const float *bins);
const char *plt_build_max_text(struct plt_build *b, const char *what, double max);

#endif
