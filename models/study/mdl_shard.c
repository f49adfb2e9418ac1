/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_shard.c - K/N, and the variables of array jobs. */
#include "models/study/mdl_shard.h"

#include "sim/base/sq_unit.h"

#include <string.h>

enum { SHARDS_MAX = 1000000 };

/* An array job of a scheduler: its tasks have the numbers first, first + step, ... */
struct scheduler {
    const char *index, *first, *step, *count; /* variables; first NULL: from 0 */
};

static const struct scheduler schedulers[] = {
    { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP",
      "SLURM_ARRAY_TASK_COUNT" },
    { "AWS_BATCH_JOB_ARRAY_INDEX", NULL, NULL, "AWS_BATCH_JOB_ARRAY_SIZE" },
    { "JOB_COMPLETION_INDEX", NULL, NULL, NULL },
};

static enum sq_status refuse(struct sq_diag *diag, const char *hint, const char *what,
                             const char *name)
{
    return sq_diag_error(diag, (struct sq_where){ 0 }, "--shard", hint, "%s%s", what, name);
}

/* Only digits: what a scheduler writes. */
static bool read_whole(const char *text, int64_t *out)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0' &&
           sq_unit_count(text, out) == NULL;
}

/* A variable as a number; `absent` where there is none. */
static enum sq_status read_variable(const char *(*env)(const char *), const char *name,
                                    int64_t absent, int64_t *out, struct sq_diag *diag)
{
    const char *text = name != NULL ? env(name) : NULL;
    *out = absent;
    if (text == NULL || read_whole(text, out)) {
        return SQ_OK;
    }
    return refuse(diag, "give --shard K/N instead", "this variable holds no number: ", name);
}

static enum sq_status read_scheduler(const struct scheduler *s, const char *(*env)(const char *),
                                     int64_t of, struct mdl_shard *out, struct sq_diag *diag)
{
    int64_t index, first, step, count;
    enum sq_status status = read_variable(env, s->index, 0, &index, diag);
    status = status == SQ_OK ? read_variable(env, s->first, 0, &first, diag) : status;
    status = status == SQ_OK ? read_variable(env, s->step, 1, &step, diag) : status;
    status = status == SQ_OK ? read_variable(env, s->count, 0, &count, diag) : status;
    if (status != SQ_OK) {
        return status;
    }
    count = of > 0 ? of : count;
    if (count == 0) {
        return refuse(diag, "say of how many: --shard auto/N",
                      "the scheduler does not tell how many tasks there are besides ", s->index);
    }
    bool fits =
        index >= first && step > 0 && (index - first) % step == 0 && (index - first) / step < count;
    if (!fits) {
        return refuse(diag, "the numbers of the tasks may have gaps: give --shard K/N instead",
                      "this is no number of a task among so many: ", s->index);
    }
    *out = (struct mdl_shard){ (size_t)((index - first) / step) + 1, (size_t)count };
    return SQ_OK;
}

static enum sq_status read_auto(int64_t of, const char *(*env)(const char *), struct mdl_shard *out,
                                struct sq_diag *diag)
{
    for (size_t i = 0; i < SQ_COUNT(schedulers); i++) {
        if (env(schedulers[i].index) != NULL) {
            return read_scheduler(&schedulers[i], env, of, out, diag);
        }
    }
    return refuse(diag, "give --shard K/N, for example 3/8",
                  "this is no task of an array job: none of SLURM_ARRAY_TASK_ID, "
                  "AWS_BATCH_JOB_ARRAY_INDEX and JOB_COMPLETION_INDEX is set",
                  "");
}

enum sq_status mdl_shard_read(const char *text, const char *(*env)(const char *name),
                              struct mdl_shard *out, struct sq_diag *diag)
{
    *out = (struct mdl_shard){ 1, 1 };
    if (text == NULL) {
        return SQ_OK;
    }
    if (strcmp(text, "auto") == 0) {
        return read_auto(0, env, out, diag);
    }
    const char *slash = strchr(text, '/');
    int64_t number = 0, of = 0;
    char head[24];
    size_t len = slash != NULL ? (size_t)(slash - text) : 0;
    bool fine = slash != NULL && len < sizeof(head) && read_whole(slash + 1, &of) && of >= 1 &&
                of <= SHARDS_MAX;
    if (fine) {
        memcpy(head, text, len);
        head[len] = '\0';
    }
    if (fine && strcmp(head, "auto") == 0) {
        return read_auto(of, env, out, diag);
    }
    if (!fine || !read_whole(head, &number) || number < 1 || number > of) {
        return refuse(diag, "K/N with K from 1 to N, for example 3/8; or auto in an array job",
                      "this is no shard: ", text);
    }
    *out = (struct mdl_shard){ (size_t)number, (size_t)of };
    return SQ_OK;
}
