/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_asks.c - from options to what a study asks for. */
#include "models/study/mdl_asks.h"

#include "sim/base/sq_file.h"

enum sq_status mdl_asks_compare(const struct sq_args *args, struct mdl_args *a,
                                struct mdl_compare_ask *ask, struct sq_diag *diag)
{
    enum sq_status status = mdl_args_read(a, args, diag);
    ask->scenario = a->ask;
    ask->files = args->words;
    ask->file_count = args->word_count;
    ask->variants = sq_args_get(args, "variants");
    ask->metrics = sq_args_get(args, "metrics");
    ask->threads = (unsigned)a->threads;
    return status;
}

/* --baseline, --update-baseline, --tolerance. */
static enum sq_status read_baseline(const struct sq_args *args, struct mdl_baseline_ask *ask,
                                    struct sq_diag *diag)
{
    size_t at = 0;
    const char *text;
    enum sq_status status = SQ_OK;
    ask->folder = sq_args_get(args, "baseline");
    ask->update = sq_args_get(args, "update-baseline") != NULL;
    while ((text = sq_args_next(args, "tolerance", &at)) != NULL && status == SQ_OK) {
        status = mdl_tolerance_add(&ask->tolerances, text, diag);
    }
    if (ask->folder == NULL && (ask->update || ask->tolerances.count > 0)) {
        status = sq_diag_error(diag, (struct sq_where){ 0 },
                               ask->update ? "--update-baseline" : "--tolerance",
                               "add --baseline DIR", "says nothing without a folder of baselines");
    }
    return status;
}

/* Files that cannot be written are told before the runs. */
static enum sq_status check_forms(const struct sq_args *args, struct sq_diag *diag)
{
    static const char *const forms[] = { "junit", "markdown", "json" };
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < SQ_COUNT(forms) && status == SQ_OK; i++) {
        status = sq_file_ready(sq_args_get(args, forms[i]), diag);
    }
    return status;
}

/* A list has no verdicts to write. */
static enum sq_status check_list(const struct sq_args *args, struct sq_diag *diag)
{
    static const char *const forms[] = { "--junit", "--markdown", "--json", "--baseline" };
    for (size_t i = 0; i < SQ_COUNT(forms) && sq_args_get(args, "list") != NULL; i++) {
        if (sq_args_get(args, forms[i] + 2) != NULL) {
            return sq_diag_error(diag, (struct sq_where){ 0 }, forms[i], "leave one of the two out",
                                 "does not go with --list, which runs nothing");
        }
    }
    return SQ_OK;
}

enum sq_status mdl_asks_check(const struct sq_args *args, struct mdl_args *a,
                              struct mdl_check_ask *ask, struct sq_diag *diag)
{
    enum sq_status status = mdl_args_read(a, args, diag);
    ask->paths = args->words;
    ask->path_count = args->word_count;
    ask->filter = sq_args_get(args, "filter");
    ask->runs = a->ask.runs;
    ask->threads = (unsigned)a->threads;
    ask->fail_fast = sq_args_get(args, "fail-fast") != NULL;
    ask->sparks = sq_args_get(args, "markdown") != NULL;
    status = status == SQ_OK ? read_baseline(args, &ask->baseline, diag) : status;
    status = status == SQ_OK ? check_list(args, diag) : status;
    return status == SQ_OK ? check_forms(args, diag) : status;
}

enum sq_status mdl_asks_limits(const struct sq_args *args, struct mdl_args *a,
                               struct mdl_limits_ask *ask, struct sq_diag *diag)
{
    enum sq_status status = mdl_args_read(a, args, diag);
    ask->scenario = a->ask;
    ask->find = sq_args_get(args, "find");
    ask->until = sq_args_get(args, "until");
    ask->in = sq_args_get(args, "in");
    ask->to = sq_args_get(args, "to");
    ask->at = sq_args_get(args, "at");
    ask->folder = sq_args_get(args, "out");
    ask->both_ways = sq_args_get(args, "both-ways") != NULL;
    ask->threads = (unsigned)a->threads;
    return status;
}

static enum sq_status read_vary(const struct sq_args *args, struct mdl_args *a,
                                struct mdl_sweep_ask *ask, struct sq_diag *diag)
{
    size_t at = 0;
    const char *text;
    ask->vary = a->vary;
    while ((text = sq_args_next(args, "vary", &at)) != NULL) {
        if (ask->vary_count == MDL_MAX_VARY) {
            return sq_diag_error(diag, (struct sq_where){ 0 }, "--vary", NULL, "more than %d keys",
                                 MDL_MAX_VARY);
        }
        a->vary[ask->vary_count++] = text;
    }
    return SQ_OK;
}

enum sq_status mdl_asks_sweep(const struct sq_args *args, struct mdl_args *a,
                              struct mdl_sweep_ask *ask, struct sq_diag *diag)
{
    enum sq_status status = mdl_args_read(a, args, diag);
    status = status == SQ_OK ? read_vary(args, a, ask, diag) : status;
    if (status == SQ_OK) {
        status = mdl_shard_read(sq_args_get(args, "shard"), ask->env, &ask->shard, diag);
    }
    ask->scenario = a->ask;
    ask->metrics = sq_args_get(args, "metrics");
    ask->folder = sq_args_get(args, "out");
    ask->threads = (unsigned)a->threads;
    return status;
}
