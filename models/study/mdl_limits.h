/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_limits.h - the largest or smallest value of one key with which an expectation still holds.
 *
 * Every value that is tried is the whole scenario with that value, run R times on the same luck.
 * Both ways: a run begins at the end of the range at which all is well (or at the one at which it
 * has fallen), and at an instant the key changes to the value that is tried; T1 is then that
 * instant. So the first search finds the load at which a healthy
 * system falls, the second the one at which a fallen system comes back. */
#ifndef MDL_LIMITS_H
#define MDL_LIMITS_H

#include "models/study/mdl_runs.h"
#include "sim/core/sq_tipping.h"

struct mdl_limits_ask {
    struct mdl_ask scenario;
    const char *find;   /* "PATH=LO..HI" */
    const char *until;  /* an expectation */
    const char *in;     /* share of the runs in which it must hold; NULL: all */
    const char *to;     /* how narrow, as a share of the limit; NULL: 1 % */
    const char *folder; /* of the results, made before anything runs; NULL: none */
    bool both_ways;
    const char *at; /* when the key changes; NULL: half-way from T1 to the end of arrivals */
    unsigned threads;
    uint32_t check_every;
    bool (*stop)(void);
    bool shows; /* how far it is, on a terminal */
};

/* Reads, searches and fills `out` (zeroed; freed with sq_arena_fini(&out->arena), also after
 * failure). SQ_USER with what is wrong; statuses of mdl_runs. Whether a limit was found is in the
 * result. */
enum sq_status mdl_limits(const struct mdl_limits_ask *ask, struct sq_limits *out,
                          struct sq_diag *diag) SQ_MUST_USE;

#endif
