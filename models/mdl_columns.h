/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_columns.h - which columns the timeline of a world has. */
#ifndef MDL_COLUMNS_H
#define MDL_COLUMNS_H

#include "models/mdl_probe.h"

/* Opens the probe's timeline with the columns of its world, in order of kind and name. */
enum sq_status mdl_columns_open(struct mdl_probe *p) SQ_MUST_USE;

#endif
