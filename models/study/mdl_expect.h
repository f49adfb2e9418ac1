/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_expect.h - the expectations of a scenario file, understood: expressions parsed, names of
 * metrics, columns and variants known to exist, times known to lie in the run.
 *
 * Which names exist is asked of a world that is built and never run, one per variant that an
 * expectation needs. `all` becomes one expectation per variant, in the order base, then the file's.
 *
 * With `when` the names are timeline columns of the run itself; another variant's (`@`) are not at
 * hand there. */
#ifndef MDL_EXPECT_H
#define MDL_EXPECT_H

#include "models/study/mdl_window.h"
#include "sim/conf/sq_expr.h"

/* Metrics or columns of a variant. */
struct mdl_names {
    size_t count, size;
    const char **items;
    bool *words; /* the metric is a word */
};

struct mdl_expect_variant {
    const char *name;
    bool needed; /* an expectation is about it, or looks at it: then the rest is filled */
    struct mdl_scenario scenario;
    struct mdl_names metrics, columns;
    struct mdl_names asked; /* metrics that expectations look at, each once */
};

/* An expectation for one variant. */
struct mdl_expectation {
    const struct mdl_expect_cfg *cfg;
    struct sq_where where; /* of `that` */
    size_t variant;
    const struct sq_expr *expr;
    const size_t *of; /* by reference: the variant it looks at */
    struct mdl_window window;
    bool of_outcome; /* outcome.* alone: one value for all runs */
};

struct mdl_expects {
    struct sq_arena arena;
    size_t variant_count;
    struct mdl_expect_variant *variants; /* base first, then in file order */
    size_t count;
    struct mdl_expectation *items; /* in file order */
};

/* Reads the expectations of a loaded scenario, which must outlive them. `ask` as it was loaded by:
 * its file, runs and seed also hold for the other variants (--set does not: expectations are about
 * the file). Mistakes are noted at their places. */
enum sq_status mdl_expects_open(struct mdl_expects *x, const struct mdl_scenario *s,
                                const struct mdl_ask *ask, struct sq_diag *diag) SQ_MUST_USE;
/* Loads the variants that no expectation needs, too. */
enum sq_status mdl_expects_need_all(struct mdl_expects *x, const struct mdl_scenario *s,
                                    const struct mdl_ask *ask, struct sq_diag *diag) SQ_MUST_USE;

/* An expectation that the command line gives, about the variant of `s`, whatever --set made of it:
 * the only item, variant 0. Mistakes are noted at column and name of the option. `s` and the texts
 * must outlive it. */
struct mdl_expect_text {
    const char *option; /* "--until" */
    const char *that;
    double in; /* share of the runs in which it must hold */
};
enum sq_status mdl_expects_one(struct mdl_expects *x, const struct mdl_scenario *s,
                               const struct mdl_expect_text *text,
                               struct sq_diag *diag) SQ_MUST_USE;

void mdl_expects_fini(struct mdl_expects *x); /* also after failure, or of a zeroed one */

/* Index of a variant's name, or -1. */
long mdl_expects_variant(const struct mdl_expects *x, const char *name);

/* Whether a name begins with "outcome.". */
bool mdl_is_outcome(const char *name);

#endif
