/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_expect.c - expectations bound to the names of the worlds they are about. */
#include "models/study/mdl_expect.h"

#include "models/mdl_metrics.h"
#include "models/mdl_timeline.h"

#include <string.h>

struct binder {
    struct mdl_expects *x;
    const struct mdl_scenario *s;
    const struct mdl_ask *ask;
    struct sq_diag *diag;
};

/* ---- names ---- */

static long find_name(const struct mdl_names *n, const char *name)
{
    for (size_t i = 0; i < n->count; i++) {
        if (strcmp(n->items[i], name) == 0) {
            return (long)i;
        }
    }
    return -1;
}

static enum sq_status add_name(struct mdl_names *n, struct sq_arena *arena, const char *name,
                               bool word)
{
    if (n->count == n->size) {
        size_t size = n->size == 0 ? 64 : 2 * n->size;
        const char **items = sq_arena_alloc(arena, size, sizeof(*items));
        bool *words = sq_arena_alloc(arena, size, sizeof(*words));
        if (items == NULL || words == NULL) {
            return SQ_NOMEM;
        }
        for (size_t i = 0; i < n->count; i++) {
            items[i] = n->items[i];
            words[i] = n->words[i];
        }
        n->items = items;
        n->words = words;
        n->size = size;
    }
    n->items[n->count] = sq_arena_text(arena, name, strlen(name));
    n->words[n->count] = word;
    return n->items[n->count++] != NULL ? SQ_OK : SQ_NOMEM;
}

struct collector {
    struct mdl_names *names;
    struct sq_arena *arena;
    enum sq_status status;
};

static void collect(void *ctx, const char *name, double number, const char *word)
{
    (void)number;
    struct collector *c = ctx;
    if (c->status == SQ_OK) {
        c->status = add_name(c->names, c->arena, name, word != NULL);
    }
}

static enum sq_status read_names(struct mdl_expects *x, const struct mdl_scenario *of,
                                 struct mdl_expect_variant *v)
{
    struct mdl_world w;
    enum sq_status status = mdl_world_init(&w, of, 1);
    if (status == SQ_OK) {
        struct collector c = { .names = &v->metrics, .arena = &x->arena };
        mdl_metrics_each(&w, collect, &c);
        status = c.status;
    }
    const struct sq_series *s = status == SQ_OK ? &w.probe->timeline->series : NULL;
    for (size_t i = 0; s != NULL && i < s->column_count && status == SQ_OK; i++) {
        status = add_name(&v->columns, &x->arena, s->columns[i].name, false);
    }
    mdl_world_fini(&w);
    return status;
}

/* ---- variants ---- */

long mdl_expects_variant(const struct mdl_expects *x, const char *name)
{
    for (size_t i = 0; i < x->variant_count; i++) {
        if (strcmp(x->variants[i].name, name) == 0) {
            return (long)i;
        }
    }
    return -1;
}

static enum sq_status name_variants(struct binder *b)
{
    struct mdl_expects *x = b->x;
    x->variants = sq_arena_alloc(&x->arena, b->s->variant_count + 1, sizeof(*x->variants));
    if (x->variants == NULL) {
        return SQ_NOMEM;
    }
    x->variants[0].name = "base";
    for (size_t i = 0; i < b->s->variant_count; i++) {
        x->variants[i + 1].name = b->s->variants[i];
    }
    x->variant_count = b->s->variant_count + 1;
    return SQ_OK;
}

/* Loads a variant and the names of its world, once. Its warnings were noted when the file was
 * loaded. */
static enum sq_status need_variant(struct binder *b, size_t index)
{
    struct mdl_expect_variant *v = &b->x->variants[index];
    if (v->needed) {
        return SQ_OK;
    }
    v->needed = true;
    struct sq_diag own = { 0 };
    struct mdl_ask ask = { .file = b->ask->file,
                           .variant = v->name,
                           .seed = b->ask->seed,
                           .has_seed = b->ask->has_seed,
                           .runs = b->ask->runs,
                           .like = b->s };
    enum sq_status status = mdl_scenario_load(&v->scenario, &ask, &own);
    for (size_t i = 0; status != SQ_OK && i < own.count; i++) {
        const struct sq_complaint *c = &own.items[i];
        (void)sq_diag_error(b->diag, c->where, c->path, c->hint, "%s", c->text);
    }
    sq_diag_fini(&own);
    return status == SQ_OK ? read_names(b->x, &v->scenario, v) : status;
}

static enum sq_status no_variant(struct binder *b, struct sq_where where, const char *path,
                                 const char *name)
{
    const char **names = sq_arena_alloc(&b->x->arena, b->x->variant_count, sizeof(*names));
    if (names == NULL) {
        return SQ_NOMEM;
    }
    for (size_t i = 0; i < b->x->variant_count; i++) {
        names[i] = b->x->variants[i].name;
    }
    const char *close = sq_diag_closest(name, names, b->x->variant_count);
    return sq_diag_error(b->diag, where, path,
                         close != NULL ? sq_arena_printf(&b->x->arena, "did you mean `%s`?", close)
                                       : "`base` and the names under `variants`, or `all`",
                         "there is no variant `%s`", name);
}

/* ---- references ---- */

bool mdl_is_outcome(const char *name)
{
    return strncmp(name, "outcome.", 8) == 0;
}

/* The hint for an unknown name: the closest one, or that a minus needs blanks. */
static const char *name_hint(struct binder *b, const struct mdl_names *names, const char *name,
                             bool column)
{
    for (const char *minus = strchr(name, '-'); minus != NULL; minus = strchr(minus + 1, '-')) {
        const char *before = sq_arena_text(&b->x->arena, name, (size_t)(minus - name));
        if (before != NULL && find_name(names, before) >= 0) {
            return "a minus that subtracts needs a blank before it";
        }
    }
    const char *close = sq_diag_closest(name, names->items, names->count);
    if (close != NULL) {
        return sq_arena_printf(&b->x->arena, "did you mean `%s`?", close);
    }
    return column ? "with `when` names are columns of timeline.csv"
                  : "the metrics stand in the first line of runs.csv (squall run --out DIR)";
}

static enum sq_status bind_ref(struct binder *b, struct mdl_expectation *e, size_t ref, size_t of,
                               const char *path)
{
    const struct sq_expr_ref *r = &e->expr->refs[ref];
    struct mdl_expect_variant *v = &b->x->variants[of];
    bool column = e->window.kind != MDL_WHOLE_RUN;
    const struct mdl_names *names = column ? &v->columns : &v->metrics;
    long i = find_name(names, r->name);
    if (i < 0 && find_name(column ? &v->metrics : &v->columns, r->name) >= 0) {
        return sq_diag_error(b->diag, r->where, path,
                             column ? "leave `when` out, or name a column of timeline.csv"
                                    : "add `when`, for example when: always",
                             "`%s` is a %s", r->name,
                             column ? "metric of the whole run" : "timeline column");
    }
    if (i < 0) {
        return sq_diag_error(b->diag, r->where, path, name_hint(b, names, r->name, column),
                             "there is no %s `%s` in variant `%s`",
                             column ? "timeline column" : "metric", r->name, v->name);
    }
    if (!column && find_name(&v->asked, r->name) < 0) {
        return add_name(&v->asked, &b->x->arena, names->items[i], names->words[i]);
    }
    return SQ_OK;
}

/* The states can only be one of these: another word is a slip. */
static enum sq_status check_state(struct binder *b, const struct mdl_expectation *e, size_t ref,
                                  const char *path)
{
    static const char *const states[] = { "clears", "stalled", "will not drain", "would relapse" };
    struct sq_where where;
    const char *word = sq_expr_word(e->expr, ref, &where), *name = e->expr->refs[ref].name;
    bool drain = strcmp(name, "drain.state") == 0;
    if (word == NULL || (!drain && strcmp(name, "forecast.state") != 0)) {
        return SQ_OK;
    }
    for (size_t i = 0; i < SQ_COUNT(states) - (drain ? 1 : 0); i++) {
        if (strcmp(word, states[i]) == 0) {
            return SQ_OK;
        }
    }
    return sq_diag_error(b->diag, where, path,
                         drain ? "it is clears, stalled, \"will not drain\" or null"
                               : "it is clears, stalled, \"will not drain\", \"would relapse\" "
                                 "or null",
                         "%s is never `%s`", name, word);
}

static enum sq_status bind_refs(struct binder *b, struct mdl_expectation *e, const char *path)
{
    const struct sq_expr *expr = e->expr;
    size_t *of = sq_arena_alloc(&b->x->arena, expr->ref_count, sizeof(*of));
    bool *words = sq_arena_alloc(&b->x->arena, expr->ref_count, sizeof(*words));
    enum sq_status status = of != NULL && words != NULL ? SQ_OK : SQ_NOMEM;
    e->of_outcome = true;
    for (size_t i = 0; i < expr->ref_count && status == SQ_OK; i++) {
        const struct sq_expr_ref *r = &expr->refs[i];
        long v = r->variant != NULL ? mdl_expects_variant(b->x, r->variant) : (long)e->variant;
        if (v < 0) {
            return no_variant(b, r->at_variant, path, r->variant);
        }
        if (r->variant != NULL && e->window.kind != MDL_WHOLE_RUN) {
            return sq_diag_error(b->diag, r->at_variant, path, "compare metrics, without `when`",
                                 "with `when` there is no @: timelines are looked at run by run");
        }
        of[i] = (size_t)v;
        status = need_variant(b, of[i]);
        status = status == SQ_OK ? bind_ref(b, e, i, of[i], path) : status;
        status = status == SQ_OK ? check_state(b, e, i, path) : status;
        if (status == SQ_OK && e->window.kind == MDL_WHOLE_RUN) {
            const struct mdl_names *names = &b->x->variants[v].metrics;
            words[i] = names->words[find_name(names, r->name)];
        }
        e->of_outcome = e->of_outcome && mdl_is_outcome(r->name);
    }
    e->of = of;
    return status == SQ_OK ? sq_expr_check(expr, words, path, b->diag) : status;
}

/* ---- entries ---- */

/* What all variants of an entry share. */
struct entry {
    const struct mdl_expect_cfg *cfg;
    const struct sq_node *node;
    const struct sq_expr *expr;
    struct mdl_window window;
    char *that_path, *when_path;
};

static enum sq_status read_entry(struct binder *b, size_t i, struct entry *out)
{
    struct sq_arena *arena = &b->x->arena;
    out->cfg = sq_list_at(&b->s->cfg.expect, i);
    out->node = sq_node_get(b->s->tree, "expect")->items[i];
    out->that_path = sq_arena_printf(arena, "expect[%zu].that", i);
    out->when_path = sq_arena_printf(arena, "expect[%zu].when", i);
    if (out->that_path == NULL || out->when_path == NULL) {
        return SQ_NOMEM;
    }
    enum sq_status status = SQ_OK;
    if (out->cfg->when != NULL) {
        status = mdl_window_read(out->cfg->when, out->when_path, arena, b->diag, &out->window);
    }
    return status == SQ_OK ? sq_expr_parse(sq_node_get(out->node, "that"), out->that_path, arena,
                                           b->diag, &out->expr)
                           : status;
}

static enum sq_status bind_entry(struct binder *b, const struct entry *entry, size_t variant)
{
    struct mdl_expects *x = b->x;
    struct mdl_expectation e = { .cfg = entry->cfg,
                                 .where = sq_node_get(entry->node, "that")->where,
                                 .variant = variant,
                                 .expr = entry->expr,
                                 .window = entry->window };
    enum sq_status status = need_variant(b, variant);
    if (status == SQ_OK) {
        status = bind_refs(b, &e, entry->that_path);
    }
    if (status == SQ_OK && e.window.kind != MDL_WHOLE_RUN) {
        status = mdl_window_check(&e.window, &x->variants[variant].scenario, entry->cfg->when,
                                  entry->when_path, b->diag);
    }
    if (status == SQ_OK) {
        x->items[x->count++] = e;
    }
    return status;
}

/* A mistake in one entry does not hide those of the next. */
static enum sq_status bind_entries(struct binder *b)
{
    struct mdl_expects *x = b->x;
    size_t entries = b->s->cfg.expect.count;
    x->items = sq_arena_alloc(&x->arena, entries * x->variant_count + 1, sizeof(*x->items));
    enum sq_status worst = x->items != NULL ? SQ_OK : SQ_NOMEM;
    for (size_t i = 0; i < entries && (worst == SQ_OK || worst == SQ_USER); i++) {
        struct entry entry = { 0 };
        enum sq_status status = read_entry(b, i, &entry);
        bool all = status == SQ_OK && strcmp(entry.cfg->variant, "all") == 0;
        long one = status == SQ_OK && !all ? mdl_expects_variant(x, entry.cfg->variant) : 0;
        if (one < 0) {
            const struct sq_node *word = sq_node_get(entry.node, "variant");
            status =
                no_variant(b, word->where, sq_arena_printf(&x->arena, "expect[%zu].variant", i),
                           entry.cfg->variant);
        }
        for (size_t v = 0; v < x->variant_count && status == SQ_OK; v++) {
            status = all || v == (size_t)one ? bind_entry(b, &entry, v) : SQ_OK;
        }
        worst = status != SQ_OK ? status : worst;
    }
    return worst;
}

enum sq_status mdl_expects_open(struct mdl_expects *x, const struct mdl_scenario *s,
                                const struct mdl_ask *ask, struct sq_diag *diag)
{
    *x = (struct mdl_expects){ 0 };
    struct binder b = { .x = x, .s = s, .ask = ask, .diag = diag };
    enum sq_status status = name_variants(&b);
    if (status == SQ_OK) {
        status = bind_entries(&b);
    }
    return status != SQ_OK && diag->failed ? SQ_NOMEM : status;
}

enum sq_status mdl_expects_need_all(struct mdl_expects *x, const struct mdl_scenario *s,
                                    const struct mdl_ask *ask, struct sq_diag *diag)
{
    struct binder b = { .x = x, .s = s, .ask = ask, .diag = diag };
    enum sq_status worst = SQ_OK;
    for (size_t i = 0; i < x->variant_count && (worst == SQ_OK || worst == SQ_USER); i++) {
        enum sq_status status = need_variant(&b, i);
        worst = status != SQ_OK ? status : worst;
    }
    return worst;
}

/* ---- one that was asked for ---- */

/* It looks at the one variant that runs. */
static enum sq_status refuse_others(struct binder *b, const struct sq_expr *expr, const char *path)
{
    for (size_t i = 0; i < expr->ref_count; i++) {
        const struct sq_expr_ref *r = &expr->refs[i];
        if (r->variant != NULL && strcmp(r->variant, b->s->variant) != 0) {
            return sq_diag_error(b->diag, r->at_variant, path,
                                 "leave the @ out: the expectation is about the variant that runs",
                                 "`@%s` looks at another variant, which does not run here",
                                 r->variant);
        }
    }
    return SQ_OK;
}

enum sq_status mdl_expects_one(struct mdl_expects *x, const struct mdl_scenario *s,
                               const struct mdl_expect_text *text, struct sq_diag *diag)
{
    *x = (struct mdl_expects){ 0 };
    struct binder b = { .x = x, .s = s, .diag = diag };
    struct mdl_expect_cfg *cfg = sq_arena_alloc(&x->arena, 1, sizeof(*cfg));
    x->variants = sq_arena_alloc(&x->arena, 1, sizeof(*x->variants));
    x->items = sq_arena_alloc(&x->arena, 1, sizeof(*x->items));
    struct sq_node *node =
        sq_node_scalar(&x->arena, (struct sq_where){ text->option, 1, 1 }, text->that);
    if (cfg == NULL || x->variants == NULL || x->items == NULL || node == NULL) {
        return SQ_NOMEM;
    }
    node->verbatim = true;
    *cfg = (struct mdl_expect_cfg){ .that = text->that, .variant = s->variant, .in = text->in };
    x->variants[0] = (struct mdl_expect_variant){ .name = s->variant, .needed = true };
    x->variant_count = 1;
    x->items[0] = (struct mdl_expectation){ .cfg = cfg, .where = node->where };
    x->count = 1;
    enum sq_status status = sq_expr_parse(node, NULL, &x->arena, diag, &x->items[0].expr);
    status = status == SQ_OK ? refuse_others(&b, x->items[0].expr, NULL) : status;
    status = status == SQ_OK ? read_names(x, s, &x->variants[0]) : status;
    return status == SQ_OK ? bind_refs(&b, &x->items[0], NULL) : status;
}

void mdl_expects_fini(struct mdl_expects *x)
{
    for (size_t i = 0; i < x->variant_count; i++) {
        if (x->variants[i].needed) {
            mdl_scenario_fini(&x->variants[i].scenario);
        }
    }
    sq_arena_fini(&x->arena);
}
