/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_expect_cfg.h - one entry of `expect` as it is written (SCENARIO 11). What it means for a
 * variant is found in models/study/mdl_expect.h. */
#ifndef MDL_EXPECT_CFG_H
#define MDL_EXPECT_CFG_H

#include "sim/conf/sq_field.h"

enum mdl_severity { MDL_SEVERITY_ERROR, MDL_SEVERITY_WARN };

struct mdl_expect_cfg {
    const char *that, *variant; /* variant: "base", "all" or a name */
    double in;                  /* share of the runs in which it must hold */
    int severity;               /* enum mdl_severity */
    const struct sq_node *when; /* NULL: about metrics of the whole run */
};

/* For the echo of a variant, which is a file without variants: keeps those entries of the tree's
 * `expect` that are about this variant alone, as ones about base. SQ_NOMEM possible. */
enum sq_status mdl_expect_echo(struct sq_node *tree, const char *variant,
                               struct sq_arena *arena) SQ_MUST_USE;

/* The element of `expect`: a struct mdl_expect_cfg. */
extern const struct sq_field mdl_expect_element;

#endif
