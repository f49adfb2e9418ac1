/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_compare.c - which variants are compared, and their runs. */
#include "models/study/mdl_compare.h"

#include "models/study/mdl_verdict.h"

#include <string.h>

/* ---- which ---- */

static enum sq_status refuse(const struct mdl_compare_ask *ask, struct sq_diag *diag,
                             const char *hint, const char *what, const char *name)
{
    struct sq_where where = { .file = ask->scenario.file };
    return sq_diag_error(diag, where, ask->variants != NULL ? "--variants" : NULL, hint, "%s%s%s",
                         what, name != NULL ? " " : "", name != NULL ? name : "");
}

static bool has_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static enum sq_status add_name(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                               const char *name, struct sq_diag *diag)
{
    const struct mdl_scenario *s = &c->base;
    bool known = strcmp(name, "base") == 0 || has_name(s->variants, s->variant_count, name);
    if (!known) {
        const char *close = sq_diag_closest(name, s->variants, s->variant_count);
        char *hint = close != NULL ? sq_arena_printf(&c->arena, "did you mean `%s`?", close) : NULL;
        return refuse(ask, diag, hint, "there is no variant", name[0] != '\0' ? name : "``");
    }
    if (has_name(c->names, c->count, name)) {
        return refuse(ask, diag, NULL, "a variant is named twice:", name);
    }
    c->names[c->count++] = name;
    return SQ_OK;
}

/* The names of a list, spaces around them dropped. */
static enum sq_status split_names(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                                  struct sq_diag *diag)
{
    enum sq_status worst = SQ_OK;
    for (const char *at = ask->variants;; at++) {
        at += strspn(at, " ");
        size_t len = strcspn(at, ","), used = len;
        while (used > 0 && at[used - 1] == ' ') {
            used--;
        }
        const char *name = sq_arena_text(&c->arena, at, used);
        if (name == NULL) {
            return SQ_NOMEM;
        }
        enum sq_status status = add_name(c, ask, name, diag);
        worst = status != SQ_OK ? status : worst;
        at += len;
        if (*at == '\0') {
            return worst;
        }
    }
}

static enum sq_status choose(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                             struct sq_diag *diag)
{
    const struct mdl_scenario *s = &c->base;
    enum sq_status status = SQ_OK;
    c->names = sq_arena_alloc(&c->arena, s->variant_count + 2, sizeof(*c->names));
    if (c->names == NULL) {
        return SQ_NOMEM;
    }
    if (ask->variants != NULL) {
        status = split_names(c, ask, diag);
    } else if (s->variant_count == 1) {
        c->names[c->count++] = "base";
    }
    for (size_t i = 0; i < s->variant_count && ask->variants == NULL; i++) {
        c->names[c->count++] = s->variants[i];
    }
    if (status == SQ_OK && c->count < 2) {
        return ask->variants != NULL
                   ? refuse(ask, diag, "name another one too, separated by a comma",
                            "one variant is nothing to compare:", c->names[0])
                   : refuse(
                         ask, diag,
                         "add changes with names, for example variants: {longer: {duration: 2h}}",
                         "the file has no variants to compare", NULL);
    }
    return status;
}

/* ---- reading ---- */

static enum sq_status load_variants(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                                    struct sq_diag *diag)
{
    c->scenarios = sq_arena_alloc(&c->arena, c->count, sizeof(*c->scenarios));
    c->results = sq_arena_alloc(&c->arena, c->count, sizeof(*c->results));
    if (c->scenarios == NULL || c->results == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < c->count; i++) {
        struct mdl_ask one = ask->scenario;
        one.variant = c->names[i];
        one.like = &c->base;
        enum sq_status status = mdl_scenario_load(&c->scenarios[i], &one, diag);
        if (status != SQ_OK) {
            return status;
        }
        if (c->scenarios[i].cfg.seed != c->scenarios[0].cfg.seed) {
            return refuse(ask, diag, "--seed gives all of them the same",
                          "variants have different seeds, so they would not meet the same luck:",
                          c->names[i]);
        }
    }
    return SQ_OK;
}

enum sq_status mdl_compare_open(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                                struct sq_diag *diag)
{
    struct mdl_ask base = ask->scenario;
    *c = (struct mdl_compare){ 0 };
    base.variant = NULL;
    enum sq_status status = mdl_scenario_load(&c->base, &base, diag);
    if (status == SQ_OK) {
        status = mdl_expects_open(&c->expects, &c->base, &base, diag);
    }
    if (status == SQ_OK) {
        status = choose(c, ask, diag);
    }
    return status == SQ_OK ? load_variants(c, ask, diag) : status;
}

void mdl_compare_fini(struct mdl_compare *c)
{
    sq_arena_fini(&c->comparison.arena);
    for (size_t i = 0; i < c->count; i++) {
        if (c->results != NULL) {
            sq_arena_fini(&c->results[i].arena);
        }
        if (c->scenarios != NULL) {
            mdl_scenario_fini(&c->scenarios[i]);
        }
    }
    mdl_expects_fini(&c->expects);
    mdl_scenario_fini(&c->base);
    sq_arena_fini(&c->arena);
}

/* ---- running ---- */

struct witness {
    struct mdl_evidence *by_variant; /* by variant of the expectations */
    const size_t *variants;          /* which of them each compared one is */
    size_t count;
};

static void take(void *ctx, size_t i, struct mdl_world *w)
{
    const struct witness *wit = ctx;
    mdl_evidence_take(&wit->by_variant[wit->variants[i % wit->count]], i / wit->count, w);
}

static enum sq_status judge(struct mdl_compare *c, const struct witness *wit)
{
    enum sq_status status = SQ_OK;
    for (size_t i = 0; i < c->count; i++) { /* fewer than wanted when it was stopped */
        wit->by_variant[wit->variants[i]].run_count = c->results[i].run_count;
    }
    for (size_t i = 0; i < c->count && status == SQ_OK; i++) {
        status = mdl_judge_into(&c->expects, wit->by_variant, wit->variants[i], &c->results[i]);
    }
    return status;
}

static enum sq_status run_with(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                               struct witness *wit, struct sq_diag *diag)
{
    const struct mdl_scenario **scenarios = sq_arena_alloc(&c->arena, c->count, sizeof(*scenarios));
    size_t *variants = sq_arena_alloc(&c->arena, c->count, sizeof(*variants));
    struct mdl_replicate_ask runs = { .first = 1,
                                      .count = (size_t)c->scenarios[0].cfg.runs,
                                      .threads = ask->threads,
                                      .check_every = ask->check_every,
                                      .stop = ask->stop,
                                      .after = take,
                                      .after_ctx = wit,
                                      .shows = ask->shows };
    enum sq_status status = scenarios != NULL && variants != NULL ? SQ_OK : SQ_NOMEM;
    wit->variants = variants;
    wit->count = c->count;
    for (size_t i = 0; i < c->count && status == SQ_OK; i++) {
        long at = mdl_expects_variant(&c->expects, c->names[i]);
        SQ_ASSERT(at >= 0);
        scenarios[i] = &c->scenarios[i];
        variants[i] = (size_t)at;
        status = mdl_evidence_init(&wit->by_variant[at], &c->expects, (size_t)at, runs.count);
    }
    if (status == SQ_OK) {
        status = mdl_replicate_all(scenarios, c->count, &runs, c->results, diag);
    }
    return status == SQ_OK ? judge(c, wit) : status;
}

enum sq_status mdl_compare_run(struct mdl_compare *c, const struct mdl_compare_ask *ask,
                               struct sq_diag *diag)
{
    struct witness wit = { 0 };
    wit.by_variant = sq_mem_alloc(c->expects.variant_count, sizeof(*wit.by_variant));
    enum sq_status status = wit.by_variant != NULL ? run_with(c, ask, &wit, diag) : SQ_NOMEM;
    for (size_t i = 0; wit.by_variant != NULL && i < c->expects.variant_count; i++) {
        mdl_evidence_fini(&wit.by_variant[i]);
    }
    sq_mem_free(wit.by_variant);
    if (status == SQ_OK) {
        status = sq_comparison_make(c->results, c->count, &c->comparison);
    }
    return status == SQ_OK ? mdl_verdicts(&c->comparison) : status;
}
