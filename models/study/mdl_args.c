/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_args.c - reading the options that several commands share. */
#include "models/study/mdl_args.h"

#include "sim/base/sq_limits.h"
#include "sim/base/sq_mem.h"
#include "sim/base/sq_par.h"
#include "sim/base/sq_unit.h"

#include <stdio.h>
#include <string.h>

static bool has_row(const struct sq_args *args, const char *name)
{
    for (size_t i = 0; i < args->command->opt_count; i++) {
        if (strcmp(args->command->opts[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The row itself says whether the number of runs may be left open. */
static bool takes_auto(const struct sq_args *args)
{
    for (size_t i = 0; i < args->command->opt_count; i++) {
        const struct sq_opt *o = &args->command->opts[i];
        if (strcmp(o->name, "runs") == 0) {
            return o->arg != NULL && strstr(o->arg, "auto") != NULL;
        }
    }
    return false;
}

static bool asks_auto(const struct sq_args *args)
{
    const char *runs = takes_auto(args) ? sq_args_get(args, "runs") : NULL;
    return runs != NULL && strcmp(runs, "auto") == 0;
}

static enum sq_status read_sets(struct mdl_args *a, const struct sq_args *args,
                                struct sq_diag *diag)
{
    size_t at = 0;
    const char *set;
    while ((set = sq_args_next(args, "set", &at)) != NULL) {
        if (a->ask.set_count == MDL_MAX_SETS) {
            return sq_diag_error(diag, (struct sq_where){ 0 }, "--set", NULL,
                                 "more than %d assignments", MDL_MAX_SETS);
        }
        a->sets[a->ask.set_count++] = set;
    }
    return SQ_OK;
}

/* The least that any run needs. */
#define LEAST_MEMORY ((int64_t)16 << 20)

static enum sq_status read_memory(const struct sq_args *args, struct sq_diag *diag)
{
    const char *text = sq_args_get(args, "memory");
    int64_t bytes = 0;
    const char *problem = text != NULL ? sq_unit_size(text, &bytes) : NULL;
    if (problem == NULL && text != NULL && bytes < LEAST_MEMORY) {
        problem = "is less than 16MiB, which any run needs";
    }
    if (problem != NULL) {
        return sq_diag_error(diag, (struct sq_where){ 0 }, "--memory", "write 8GB or 512MiB",
                             "`%s` %s", text, problem);
    }
    sq_mem_set_limit(text != NULL ? (size_t)bytes : sq_mem_default_limit());
    return SQ_OK;
}

/* The fluid model is one run without luck. */
static enum sq_status check_fluid(const struct sq_args *args, struct sq_diag *diag)
{
    static const char *const not_with[] = { "runs", "replication", "seed", "threads", "job" };
    char option[32];
    for (size_t i = 0; i < SQ_COUNT(not_with); i++) {
        if (sq_args_get(args, not_with[i]) != NULL) {
            (void)snprintf(option, sizeof(option), "--%s", not_with[i]);
            return sq_diag_error(diag, (struct sq_where){ 0 }, option, "leave one of the two out",
                                 "does not go with --fluid, which is one run without luck");
        }
    }
    return SQ_OK;
}

enum sq_status mdl_args_read(struct mdl_args *a, const struct sq_args *args, struct sq_diag *diag)
{
    *a = (struct mdl_args){ .ask = { .runs = -1 }, .replication = -1, .threads = sq_par_cores() };
    struct {
        const char *name;
        struct sq_opt_range range;
        int64_t *out;
    } counts[] = {
        { "runs", { 1, SQ_MAX_RUNS }, &a->ask.runs },
        { "replication", { 1, SQ_MAX_RUNS }, &a->replication },
        { "threads", { 1, SQ_PAR_MAX }, &a->threads },
    };
    a->ask.file = args->word_count > 0 ? args->words[0] : NULL;
    a->ask.variant = has_row(args, "variant") ? sq_args_get(args, "variant") : NULL;
    a->ask.sets = a->sets;
    enum sq_status worst = has_row(args, "set") ? read_sets(a, args, diag) : SQ_OK;
    if (has_row(args, "memory") && read_memory(args, diag) != SQ_OK) {
        worst = SQ_USER;
    }
    if (has_row(args, "seed")) {
        a->ask.has_seed = sq_args_get(args, "seed") != NULL;
        enum sq_status status = sq_args_seed(args, "seed", &a->ask.seed, diag);
        worst = status != SQ_OK ? status : worst;
    }
    bool open = asks_auto(args);
    for (size_t i = 0; i < SQ_COUNT(counts); i++) {
        bool skip = open && counts[i].out == &a->ask.runs;
        enum sq_status status =
            !skip && has_row(args, counts[i].name)
                ? sq_args_count(args, counts[i].name, counts[i].range, counts[i].out, diag)
                : SQ_OK;
        worst = status != SQ_OK ? status : worst;
    }
    if (open && a->replication > 0) {
        worst = sq_diag_error(diag, (struct sq_where){ 0 }, "--runs", "leave one of the two out",
                              "auto makes no sense with --replication, which is one run");
    }
    if (has_row(args, "fluid") && sq_args_get(args, "fluid") != NULL &&
        check_fluid(args, diag) != SQ_OK) {
        worst = SQ_USER;
    }
    a->ask.runs = open ? MDL_RUNS_AUTO : a->ask.runs;
    return worst;
}
