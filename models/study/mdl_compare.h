/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_compare.h - variants of a scenario file, or of several files, on the same luck.
 *
 * Draws are keyed by what they are for, so run k of every variant meets the same arrivals and the
 * same service times, provided the seed is the same; variants with different seeds are refused. In
 * two files the luck of a job is the same where its producer and the entity that draws have the
 * same names. The first variant is what the others are compared with, and says how many runs there
 * are.
 *
 * Variants of one file are called by their names; those of several files by that of the file
 * without its ending, "calm", and "calm-cap" for its variant cap. */
#ifndef MDL_COMPARE_H
#define MDL_COMPARE_H

#include "models/study/mdl_single.h"
#include "sim/core/sq_comparison.h"

struct mdl_compare_ask {
    struct mdl_ask scenario;  /* its `variant` is not looked at */
    const char *const *files; /* several instead of scenario.file; NULL: that one */
    size_t file_count;
    /* "A,B,..." in the order of the table, base among them if wanted; of several files those that
     * each has. NULL: those of the file, in its order, and base with a single one; of several files
     * the base of each. */
    const char *variants;
    const char *metrics; /* "A,B,...": the rows of the table; NULL: the usual ones */
    unsigned threads;
    uint32_t check_every;
    bool (*stop)(void);
    bool shows; /* how far it is, on a terminal */
};

/* A file: all its variants, and what is expected of them. */
struct mdl_compare_file {
    const char *path;
    struct mdl_scenario base;
    struct mdl_expects expects;
    struct mdl_evidence *evidence; /* by variant of the expectations, while it runs */
};

struct mdl_compare {
    struct sq_arena arena;
    size_t file_count;
    struct mdl_compare_file *files;
    size_t count;
    const char **names;  /* by compared variant, as all below: its name in the file */
    const char **labels; /* its name in the comparison */
    size_t *of;          /* its file */
    struct mdl_scenario *scenarios;
    struct sq_result *results;
    struct sq_comparison comparison;
    size_t metric_count;
    const char **metrics; /* that were asked for */
};

/* Reads the scenarios and finds the variants. SQ_USER with everything noted that is wrong. */
enum sq_status mdl_compare_open(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                                struct sq_diag *diag) SQ_MUST_USE;
void mdl_compare_fini(struct mdl_compare *c); /* also after failure */

/* Runs everything, on all threads; fills results, the verdicts of expectations included, and the
 * comparison. When it is stopped: as mdl_replicate. */
enum sq_status mdl_compare_run(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                               struct sq_diag *diag) SQ_MUST_USE;

#endif
