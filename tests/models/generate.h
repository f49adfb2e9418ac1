/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate.h - small scenarios at random: the same index, the same text, on every machine.
 *
 * They name a file `samples.csv` beside them for traces and empirical distributions. */
#ifndef TESTS_MODELS_GENERATE_H
#define TESTS_MODELS_GENERATE_H

#include "sim/base/sq_buf.h"

/* Adds the scenario of this index as YAML. */
void generate_scenario(uint64_t index, struct sq_buf *out);

/* What samples.csv holds. */
extern const char generate_samples[];

#endif
