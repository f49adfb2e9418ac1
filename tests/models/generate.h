/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate.h - small scenarios at random: the same index, the same text, on every machine.
 *
 * They name a file `samples.csv` beside them for traces and empirical distributions. */
#ifndef TESTS_MODELS_GENERATE_H
#define TESTS_MODELS_GENERATE_H

#include "sim/base/sq_buf.h"

/* Adds the scenario of this index as YAML. */
void generate_scenario(uint64_t index, struct sq_buf *out);

/* The grammar. */
struct generate_rule {
    const char *name;
    const char *alternatives[24];
};
extern const struct generate_rule generate_rules[];
extern const size_t generate_rule_count;

/* What samples.csv holds. */
extern const char generate_samples[];

#endif
