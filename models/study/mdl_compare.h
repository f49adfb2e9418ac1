/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_compare.h - all variants of a scenario file on the same luck.
 *
 * Draws are keyed by what they are for, so run k of every variant meets the same arrivals and the
 * same service times, provided the seed is the same; a file whose variants have different seeds is
 * refused. The first variant is what the others are compared with, and says how many runs there
 * are. */
#ifndef MDL_COMPARE_H
#define MDL_COMPARE_H

#include "models/study/mdl_single.h"
#include "sim/core/sq_comparison.h"

struct mdl_compare_ask {
    struct mdl_ask scenario; /* its `variant` is not looked at */
    /* "A,B,..." in the order of the table, base among them if wanted. NULL: those of the file, in
     * its order; when it has only one, base and this. */
    const char *variants;
    unsigned threads;
    uint32_t check_every;
    bool (*stop)(void);
    bool shows; /* how far it is, on a terminal */
};

struct mdl_compare {
    struct sq_arena arena;
    struct mdl_scenario base;
    struct mdl_expects expects;
    size_t count;
    const char **names;
    struct mdl_scenario *scenarios; /* by variant, as the next */
    struct sq_result *results;
    struct sq_comparison comparison;
};

/* Reads the scenario and finds the variants. SQ_USER with everything noted that is wrong. */
enum sq_status mdl_compare_open(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                                struct sq_diag *diag) SQ_MUST_USE;
void mdl_compare_fini(struct mdl_compare *c); /* also after failure */

/* Runs everything, on all threads; fills results, the verdicts of expectations included, and the
 * comparison. When it is stopped: as mdl_replicate. */
enum sq_status mdl_compare_run(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                               struct sq_diag *diag) SQ_MUST_USE;

#endif
