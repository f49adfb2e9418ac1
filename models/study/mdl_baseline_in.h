/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_baseline_in.h - how baselines name scenarios. */
#ifndef MDL_BASELINE_IN_H
#define MDL_BASELINE_IN_H

#include "models/study/mdl_baseline.h"

/* "scenarios/herd.yaml" of "./scenarios//herd.yaml"; NULL without memory. */
const char *mdl_baseline_name(struct sq_arena *arena, const char *path);

/* The folder without slashes at its end; NULL without memory. */
const char *mdl_baseline_folder(struct sq_arena *arena, const struct mdl_baseline_ask *ask);

/* "DIR/scenarios/herd/cap.json" of a name and a variant; NULL without memory. */
const char *mdl_baseline_path(struct sq_arena *arena, const struct mdl_baseline_ask *ask,
                              const char *name, const char *variant);

#endif
