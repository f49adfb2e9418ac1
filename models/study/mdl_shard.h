/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_shard.h - which part of a sweep a process does: K/N, or what the scheduler of an array job
 * says in the environment.
 *
 *   auto       the variables of
 *                Slurm             SLURM_ARRAY_TASK_ID, _MIN, _STEP, _COUNT
 *                AWS Batch         AWS_BATCH_JOB_ARRAY_INDEX, AWS_BATCH_JOB_ARRAY_SIZE
 *                Kubernetes        JOB_COMPLETION_INDEX (an indexed Job does not say of how many)
 *   auto/N     the same, of N */
#ifndef MDL_SHARD_H
#define MDL_SHARD_H

#include "sim/base/sq_diag.h"

struct mdl_shard {
    size_t number, of; /* from 1 */
};

/* `env` looks up a variable, as getenv does; `text` NULL: the whole, 1/1. */
enum sq_status mdl_shard_read(const char *text, const char *(*env)(const char *name),
                              struct mdl_shard *out, struct sq_diag *diag) SQ_MUST_USE;

#endif
