/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_try.c - one value of one key, tried. */
#include "models/study/mdl_try.h"

#include "models/mdl_metrics.h"
#include "models/study/mdl_amount.h"
#include "models/study/mdl_args.h"
#include "sim/base/sq_unit.h"
#include "sim/core/sq_infer.h"

#include <math.h>
#include <string.h>

const char *mdl_try_text(const struct mdl_try *t, double value)
{
    struct sq_buf b = { 0 };
    mdl_amount_put(t->type, value, &b);
    const char *text = b.failed ? NULL : sq_arena_text(t->arena, b.text, b.len);
    sq_buf_fini(&b);
    return text;
}

/* ---- the scenario with the value ---- */

/* The assignments that a value needs. */
struct sets {
    const char *items[MDL_MAX_SETS + 3];
    size_t count;
    struct sq_arena arena;
    bool failed;
};

static void add_set(struct sets *s, const char *text)
{
    s->failed = s->failed || text == NULL;
    s->items[s->count++] = text;
}

/* The actions of the file, and one more at the end. */
static const char *with_action(const struct mdl_try *t, const char *value, struct sq_arena *arena)
{
    struct sq_buf b = { 0 };
    const struct sq_node *own = sq_node_get(t->base.tree, "actions");
    sq_buf_puts(&b, "actions=\n");
    if (own != NULL && own->kind == SQ_NODE_LIST && own->count > 0) {
        sq_node_print(own, &b);
    }
    sq_buf_puts(&b, "- {at: ");
    sq_unit_put_duration(&b, t->switch_ns);
    sq_buf_printf(&b, ", set: {%s: %s}}\n", t->path, value);
    const char *text = b.failed ? NULL : sq_arena_text(arena, b.text, b.len);
    sq_buf_fini(&b);
    return text;
}

static enum sq_status make_sets(const struct mdl_try *t, const char *value, struct sets *s)
{
    SQ_ASSERT(t->ask.set_count <= MDL_MAX_SETS);
    for (size_t i = 0; i < t->ask.set_count; i++) {
        add_set(s, t->ask.sets[i]);
    }
    const char *first = t->start != NULL ? t->start : value;
    add_set(s, sq_arena_printf(&s->arena, "%s=%s", t->path, first));
    if (t->start != NULL) {
        struct sq_buf b = { 0 };
        sq_buf_puts(&b, "health.t1=");
        sq_unit_put_duration(&b, t->switch_ns);
        add_set(s, with_action(t, value, &s->arena));
        add_set(s, b.failed ? NULL : sq_arena_text(&s->arena, b.text, b.len));
        sq_buf_fini(&b);
    }
    return s->failed ? SQ_NOMEM : SQ_OK;
}

static enum sq_status load(struct mdl_try *t, const char *value, struct mdl_scenario *out)
{
    struct sets sets = { 0 };
    struct sq_diag own = { 0 };
    enum sq_status status = make_sets(t, value, &sets);
    struct mdl_ask ask = t->ask;
    ask.sets = sets.items;
    ask.set_count = sets.count;
    ask.like = &t->base;
    if (status == SQ_OK) {
        status = mdl_scenario_load(out, &ask, &own);
    }
    if (status == SQ_USER) {
        char *path = sq_arena_printf(t->arena, "%s=%s", t->path, value);
        struct sq_where where = { .file = "--find" };
        mdl_runs_pass_on(&own, &where, path, t->diag);
    }
    sq_diag_fini(&own);
    sq_arena_fini(&sets.arena);
    return status;
}

/* ---- its runs ---- */

struct witness {
    struct mdl_evidence evidence;
    bool *collapsed; /* by run */
};

static void take_collapse(void *ctx, const char *name, double number, const char *word)
{
    (void)word;
    bool *collapsed = ctx;
    if (strcmp(name, "outcome.p_collapse") == 0) {
        *collapsed = number > 0;
    }
}

static void take(void *ctx, size_t run, struct mdl_world *w)
{
    struct witness *wit = ctx;
    mdl_evidence_take(&wit->evidence, run, w);
    mdl_metrics_each(w, take_collapse, &wit->collapsed[run]);
}

static enum sq_status judge(struct mdl_try *t, const struct witness *wit, size_t runs,
                            struct sq_trial *out)
{
    struct sq_verdict v = { 0 };
    enum sq_status status = mdl_judge(&t->expects, 0, &wit->evidence, t->arena, &v);
    if (status == SQ_OK && v.state == SQ_VERDICT_OPEN) {
        return sq_diag_error(t->diag, (struct sq_where){ .file = "--until" }, NULL, NULL, "%s",
                             v.why);
    }
    if (status != SQ_OK) {
        return status;
    }
    out->runs = runs;
    out->holds = v.state == SQ_VERDICT_PASSED;
    out->held = v.of_outcome ? (out->holds ? runs : 0) : v.runs_passed;
    out->observed = v.observed.word == NULL ? v.observed.median : (double)NAN;
    for (size_t i = 0; i < runs; i++) {
        out->collapsed += wit->collapsed[i];
    }
    sq_infer_wilson((int64_t)out->held, (int64_t)runs, &out->held_lo, &out->held_hi);
    sq_infer_wilson((int64_t)out->collapsed, (int64_t)runs, &out->collapsed_lo, &out->collapsed_hi);
    return SQ_OK;
}

static enum sq_status run(struct mdl_try *t, const struct mdl_scenario *s, struct sq_trial *out)
{
    struct witness wit = { 0 };
    struct mdl_replicate_ask runs = t->runs;
    runs.count = (size_t)s->cfg.runs;
    runs.after = take;
    runs.after_ctx = &wit;
    char *what = sq_arena_printf(t->arena, "%zu runs at %s", runs.count, out->text);
    wit.collapsed = sq_mem_alloc(runs.count, sizeof(*wit.collapsed));
    enum sq_status status = wit.collapsed != NULL && what != NULL ? SQ_OK : SQ_NOMEM;
    if (status == SQ_OK) {
        status = mdl_evidence_init(&wit.evidence, &t->expects, 0, runs.count);
    }
    status = status == SQ_OK ? mdl_runs(s, &runs, what, t->diag) : status;
    status = status == SQ_OK ? judge(t, &wit, runs.count, out) : status;
    mdl_evidence_fini(&wit.evidence);
    sq_mem_free(wit.collapsed);
    return status;
}

enum sq_status mdl_try_check(struct mdl_try *t, double value)
{
    struct mdl_scenario s = { 0 };
    const char *text = mdl_try_text(t, value);
    enum sq_status status = text != NULL ? load(t, text, &s) : SQ_NOMEM;
    mdl_scenario_fini(&s);
    return status;
}

enum sq_status mdl_try_value(void *ctx, double value, struct sq_trial *out)
{
    struct mdl_try *t = ctx;
    struct mdl_scenario s = { 0 };
    out->text = mdl_try_text(t, value);
    enum sq_status status = out->text != NULL ? load(t, out->text, &s) : SQ_NOMEM;
    status = status == SQ_OK ? run(t, &s, out) : status;
    mdl_scenario_fini(&s);
    return status;
}
