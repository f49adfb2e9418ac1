/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_single.c - running one variant under the eyes of its expectations. */
#include "models/study/mdl_single.h"

#include "models/mdl_excess.h"
#include "models/study/mdl_fluid_single.h"

#include <string.h>

static void take(void *ctx, size_t run, struct mdl_world *w)
{
    mdl_evidence_take(ctx, run, w);
}

static const char *copy_text(struct sq_arena *arena, const char *text, bool *failed)
{
    char *copy = text != NULL ? sq_arena_text(arena, text, strlen(text)) : NULL;
    *failed = *failed || (text != NULL && copy == NULL);
    return copy;
}

enum sq_status mdl_judge_into(const struct mdl_expects *x, const struct mdl_evidence *by_variant,
                              size_t variant, struct sq_result *out)
{
    bool failed = false;
    out->verdicts = sq_arena_alloc(&out->arena, x->count + 1, sizeof(*out->verdicts));
    enum sq_status status = out->verdicts != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t i = 0; i < x->count && status == SQ_OK; i++) {
        if (x->items[i].variant != variant) {
            continue;
        }
        struct sq_verdict *v = &out->verdicts[out->verdict_count];
        status = mdl_judge(x, i, by_variant, &out->arena, v);
        v->that = copy_text(&out->arena, v->that, &failed);
        v->variant = copy_text(&out->arena, v->variant, &failed);
        v->when = copy_text(&out->arena, v->when, &failed);
        out->verdict_count++;
    }
    return status == SQ_OK && failed ? SQ_NOMEM : status;
}

/* The runs, or the one of the fluid model, and what they say. */
static enum sq_status make(const struct mdl_scenario *s, const struct mdl_replicate_ask *ask,
                           struct mdl_evidence *e, struct sq_result *out, struct sq_diag *diag)
{
    if (ask->fluid) {
        enum sq_status status = mdl_fluid_single(s, ask->stop, out, diag);
        if (status == SQ_NOMEM && diag->errors == 0) {
            return mdl_excess_note_kept(s->file, diag);
        }
        if (status == SQ_OK) {
            mdl_evidence_take_result(e, out, s->t1);
        }
        return status;
    }
    struct mdl_replicate_ask with = *ask;
    with.after = take;
    with.after_ctx = e;
    return mdl_replicate(s, &with, out, diag);
}

enum sq_status mdl_single(const struct mdl_scenario *s, const struct mdl_expects *x,
                          const struct mdl_replicate_ask *ask, struct sq_result *out,
                          struct sq_diag *diag)
{
    if (mdl_life_check(&ask->job, s, diag) != SQ_OK) {
        return SQ_USER;
    }
    long variant = mdl_expects_variant(x, s->variant);
    SQ_ASSERT(variant >= 0);
    struct mdl_evidence *by_variant = sq_mem_alloc(x->variant_count, sizeof(*by_variant));
    if (by_variant == NULL) {
        return SQ_NOMEM;
    }
    size_t runs = ask->fluid ? 1 : ask->count;
    enum sq_status status = mdl_evidence_init(&by_variant[variant], x, (size_t)variant, runs);
    if (status == SQ_OK) {
        status = make(s, ask, &by_variant[variant], out, diag);
    }
    status = status == SQ_OK ? mdl_life_found(&ask->job, out, diag) : status;
    if (status == SQ_OK) {
        by_variant[variant].run_count = out->run_count; /* fewer when it was stopped */
        status = mdl_judge_into(x, by_variant, (size_t)variant, out);
    }
    mdl_evidence_fini(&by_variant[variant]);
    sq_mem_free(by_variant);
    return status;
}
