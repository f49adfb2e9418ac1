/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plt_panel_in.h - what drawing a panel and writing into it share. */
#ifndef PLT_PANEL_IN_H
#define PLT_PANEL_IN_H

#include "plots/plt_panel.h"

struct plt_stack plt_panel_stack(const struct plt_panel *p);
struct plt_scale plt_panel_scale(const struct plt_frame *f, const struct plt_panel *p, double y);
double plt_panel_value(const float *bins, size_t bin); /* 0 for null */

#endif
