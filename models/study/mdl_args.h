/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_args.h - the options that several commands share: their rows, and reading them. */
#ifndef MDL_ARGS_H
#define MDL_ARGS_H

#include "models/mdl_scenario.h"
#include "sim/base/sq_opt.h"

#define MDL_OPT_VARIANT                                                               \
    {                                                                                 \
        .name = "variant", .arg = "NAME", .doc = "Runs this variant of the scenario." \
    }
#define MDL_OPT_SET                                                                      \
    {                                                                                    \
        .name = "set", .arg = "PATH=VALUE", .doc = "Changes one value of the scenario.", \
        .repeatable = true                                                               \
    }
#define MDL_OPT_SEED                                                                        \
    {                                                                                       \
        .name = "seed", .arg = "N", .doc = "Root of all randomness, instead of the file's." \
    }
#define MDL_OPT_RUNS                                                                       \
    {                                                                                      \
        .name = "runs", .arg = "N", .doc = "How many replications, instead of the file's." \
    }
#define MDL_OPT_RUNS_AUTO                                                                    \
    {                                                                                        \
        .name = "runs", .arg = "N|auto",                                                     \
        .doc = "How many replications, instead of the file's; auto: as many as it takes to " \
               "know means to within 5 % and P(collapse) to within 10 points."               \
    }
#define MDL_OPT_REPLICATION                                                                   \
    {                                                                                         \
        .name = "replication", .arg = "K", .doc = "Runs replication K alone: the same bytes." \
    }
#define MDL_OPT_THREADS                                                                         \
    {                                                                                           \
        .name = "threads", .arg = "N", .doc = "Threads to run on; results do not depend on it." \
    }
#define MDL_OPT_MEMORY                                                                          \
    {                                                                                           \
        .name = "memory", .arg = "SIZE",                                                        \
        .doc = "Memory that all runs together may take; without it 8GiB, or three quarters of " \
               "the machine's."                                                                 \
    }

enum { MDL_MAX_SETS = 256, MDL_MAX_VARY = 16 };
enum { MDL_RUNS_AUTO = -2 }; /* in mdl_ask.runs until mdl_enough.h has decided */

struct mdl_args {
    const char *sets[MDL_MAX_SETS], *vary[MDL_MAX_VARY];
    struct mdl_ask ask;  /* file: the first word, NULL without words; points into `sets` */
    int64_t replication; /* -1: all */
    int64_t threads;     /* without the option: as many as there are processors */
};

/* Reads those of the options above that the command has a row for. With one for --memory the limit
 * is in force from then on. */
enum sq_status mdl_args_read(struct mdl_args *a, const struct sq_args *args,
                             struct sq_diag *diag) SQ_MUST_USE;

#endif
