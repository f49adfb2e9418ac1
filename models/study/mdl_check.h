/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_check.h - scenario files as tests: every variant that an expectation needs runs once, with
 * the runs of its file, and every expectation is judged.
 *
 * All files are read, and all their mistakes noted, before anything runs. The report does not
 * depend on the number of threads. */
#ifndef MDL_CHECK_H
#define MDL_CHECK_H

#include "models/study/mdl_baseline.h"
#include "models/study/mdl_judge.h"
#include "models/study/mdl_spark.h"
#include "sim/base/sq_find.h"

struct mdl_check_ask {
    const char *const *paths; /* files and folders */
    size_t path_count;
    const char *filter; /* only expectations whose line of the list contains it; NULL: all */
    int64_t runs;       /* -1: as in the files */
    unsigned threads;
    uint32_t check_every;
    bool fail_fast; /* no further file after one with a failure */
    bool (*stop)(void);
    bool shows;                       /* how far each file is, on a terminal */
    bool sparks;                      /* small charts of the first runs are wanted */
    struct mdl_baseline_ask baseline; /* with a folder and no filter all variants run */
};

/* What is kept of a variant that ran, beside the verdicts. */
struct mdl_check_variant {
    const char *name;
    struct mdl_sparks sparks;
    struct mdl_baseline_verdict baseline;
};

/* A file: its expectations, and what became of them. */
struct mdl_check_file {
    const char *path;
    struct mdl_scenario scenario; /* base */
    struct mdl_expects expects;
    bool *chosen;                /* by expectation: the filter takes it */
    size_t chosen_count;         /* 0 with `runs_bare`: a file without expectations */
    bool runs_bare;              /* has no expectations: base runs, and the laws must hold */
    bool done;                   /* it ran to the end; verdicts are filled */
    struct sq_verdict *verdicts; /* by expectation; of chosen ones */
    size_t run_count;
    size_t variant_count; /* that ran, when baselines or sparks are wanted */
    struct mdl_check_variant *variants;
};

struct mdl_check {
    struct sq_arena arena;
    size_t file_count;
    struct mdl_check_file *files;
    struct sq_paths baselines;     /* that were looked at or written */
    struct mdl_baseline_rest rest; /* of what is gone */
};

/* Finds and reads the files. SQ_USER with everything noted that is wrong. */
enum sq_status mdl_check_open(struct mdl_check *c, const struct mdl_check_ask *ask,
                              struct sq_diag *diag) SQ_MUST_USE;
void mdl_check_fini(struct mdl_check *c); /* also after failure */

/* Runs and judges. SQ_FAILED when an expectation of severity error does not hold or a baseline has
 * shifted or lost its scenario; SQ_USER when a baseline is missing or wrong, which is noted;
 * SQ_STOPPED and the other statuses of mdl_world_run leave later files not done. */
enum sq_status mdl_check_run(struct mdl_check *c, const struct mdl_check_ask *ask,
                             struct sq_diag *diag) SQ_MUST_USE;

/* One line per chosen expectation: what --list prints and --filter looks at. */
void mdl_check_list(const struct mdl_check *c, struct sq_buf *out);

/* Failures first, then warnings, the rest, and a line that counts. */
void mdl_check_report(const struct mdl_check *c, struct sq_buf *out);

#endif
